/* The proof from end to end on the model: what the drive does, and what the verdict must be. */
#include "tests/on_model.h"

#define DRIVE(...)                                                                                 \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .drive = { { .serial = "P1", .content = SIM_CONTENT_USED, __VA_ARGS__ } }                  \
    }

static void check(const struct sim_config *config, enum command_class command,
                  enum logical_class logical, enum overall overall)
{
    machine_start(config);
    (void)machine_run("proof", "P1");
    printf("  %s / %s / %s: %s\n", command_class_name(report.verdict.command),
           logical_class_name(report.verdict.logical), overall_name(report.verdict.overall),
           report.verdict.sentence);
    CHECK_EQ(report.verdict.command, command);
    CHECK_EQ(report.verdict.logical, logical);
    CHECK_EQ(report.verdict.overall, overall);
    CHECK(report.verdict.sentence[0] != '\0' && report.verdict.next[0] != '\0');
    CHECK_EQ(machine.plat.function[0].taken, machine.plat.function[0].given_back);
    CHECK_EQ(machine.plat.buffers_live, 0);
}

TEST(proof_zeros_kept_promise_passes)
{
    check(DRIVE(.drat = true, .rzat = true, .dsm_blocks = 8), COMMAND_OK, LOGICAL_ZEROS,
          OVERALL_PASS);
    CHECK_EQ(report.firmware.step, STEP_DONE);
    CHECK(report.firmware.sectors >= 48);
    CHECK_EQ(report.firmware.different, 0);
    CHECK_EQ(report.granularity_sectors, 1);
    machine_stop();
}

TEST(proof_beyond_2_28_has_four_places)
{
    check(DRIVE(.sectors = 400000000), COMMAND_OK, LOGICAL_ZEROS, OVERALL_PASS);
    CHECK_EQ(report.cases, 20);
    CHECK_EQ(report.trim_case[10 + 2].lba, (UINT64_C(1) << 28) - 2048);
    CHECK_EQ(report.trim_case[10 + 2].count, 4096);
    machine_stop();
}

TEST(proof_writes_under_one_per_cent_of_8_gb_and_stays_in_budget)
{
    machine_start(DRIVE(.sectors = 16000000));
    CHECK_EQ(machine_run("proof", "P1"), OK);
    CHECK_EQ(machine.drive[0].log.sectors_written * 512, 3 * (5 << 20));
    CHECK(machine.drive[0].log.sectors_written * 512 <= report.cost_bytes);
    CHECK(report.cost_bytes * 100 < UINT64_C(16000000) * 512);
    CHECK_EQ(report.permit.spent_bytes, machine.drive[0].log.sectors_written * 512);
    CHECK(report.finished_ns - report.started_ns < 60 * NS_PER_S);
    machine_stop();
}

TEST(proof_ones_are_constant)
{
    check(DRIVE(.trim = SIM_TRIM_ONES, .drat = true), COMMAND_OK, LOGICAL_CONSTANT, OVERALL_PASS);
    machine_stop();
}

TEST(proof_ones_with_rzat_break_a_promise)
{
    check(DRIVE(.trim = SIM_TRIM_ONES, .drat = true, .rzat = true), COMMAND_OK, LOGICAL_CONSTANT,
          OVERALL_WARN);
    CHECK(has_finding("promise_rzat"));
    machine_stop();
}

TEST(proof_unstable_without_promise_passes_and_with_drat_warns)
{
    check(DRIVE(.trim = SIM_TRIM_UNSTABLE), COMMAND_OK, LOGICAL_UNSTABLE, OVERALL_PASS);
    check(DRIVE(.trim = SIM_TRIM_UNSTABLE, .drat = true), COMMAND_OK, LOGICAL_UNSTABLE,
          OVERALL_WARN);
    CHECK(has_finding("promise_drat"));
    machine_stop();
}

TEST(proof_ignored_is_inconclusive_without_rzat_and_fails_with_it)
{
    check(DRIVE(.trim = SIM_TRIM_IGNORED, .drat = true), COMMAND_OK, LOGICAL_NO_CHANGE,
          OVERALL_INCONCLUSIVE);
    check(DRIVE(.trim = SIM_TRIM_IGNORED, .drat = true, .rzat = true), COMMAND_OK,
          LOGICAL_NO_CHANGE, OVERALL_FAIL);
    machine_stop();
}

TEST(proof_rejected_fails)
{
    check(DRIVE(.trim = SIM_TRIM_REJECTED), COMMAND_REJECTED, LOGICAL_NOT_TESTED, OVERALL_FAIL);
    machine_stop();
}

TEST(proof_hanging_trim_fails_and_comes_back)
{
    check(DRIVE(.trim = SIM_TRIM_HANGS), COMMAND_TIMED_OUT, LOGICAL_NOT_TESTED, OVERALL_FAIL);
    CHECK(report.drive_identified_after);
    machine_stop();
}

TEST(proof_inward_rounding_is_granularity)
{
    check(DRIVE(.trim_granule = 8), COMMAND_OK, LOGICAL_ZEROS, OVERALL_WARN);
    CHECK(has_finding("granularity"));
    CHECK_EQ(report.granularity_sectors, 8);
    check(DRIVE(.trim_granule = 64, .drat = true, .rzat = true), COMMAND_OK, LOGICAL_ZEROS,
          OVERALL_WARN);
    CHECK_EQ(report.granularity_sectors, 64);
    machine_stop();
}

TEST(proof_outward_rounding_is_damage)
{
    check(DRIVE(.trim_granule = 8, .trim_rounding = SIM_ROUND_OUTWARD), COMMAND_OK, LOGICAL_DAMAGED,
          OVERALL_FAIL);
    CHECK(has_finding("damaged"));
    machine_stop();
    unsigned known = 0;
    for (unsigned i = 0; i < report.cases; i++) {
        const struct trim_case *c = &report.trim_case[i];
        known += c->damage_bytes_known;
        CHECK(!c->damage_bytes_known || (c->damaged != 0 && get_le64(c->damage_bytes) == 0));
    }
    CHECK_EQ(known, 3); /* the first damaged guard of each place */
}

TEST(proof_shifted_trim_is_damage)
{
    check(DRIVE(.trim_shift = 8), COMMAND_OK, LOGICAL_DAMAGED, OVERALL_FAIL);
    machine_stop();
}

TEST(proof_only_first_entry_is_incomplete)
{
    /* The zero-length entry in front of "one sector" makes that form lose its real entry, too. */
    check(DRIVE(.trim_first_entry_only = true), COMMAND_OK, LOGICAL_ZEROS, OVERALL_WARN);
    CHECK(has_finding("trim_incomplete"));
    machine_stop();
}

TEST(proof_4kn_drive)
{
    check(DRIVE(.logical_bytes = 4096, .sectors = 5000000), COMMAND_OK, LOGICAL_ZEROS,
          OVERALL_PASS);
    machine_stop();
}

TEST(proof_odd_capacity_ends_at_the_last_sector)
{
    check(DRIVE(.sectors = 200007), COMMAND_OK, LOGICAL_ZEROS, OVERALL_PASS);
    const struct trim_case *last = &report.trim_case[report.cases - 1];
    CHECK(last->lba + last->count < 200007);
    CHECK_EQ(report.pass[2].lba + report.pass[2].count_sectors, 200007);
    machine_stop();
}

TEST(proof_lba28_drive_without_ncq)
{
    check(DRIVE(.lba28_only = true, .no_ncq = true, .sectors = 2000000), COMMAND_OK, LOGICAL_ZEROS,
          OVERALL_PASS);
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_READ_FPDMA_QUEUED), 0);
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_READ_DMA_EXT), 0);
    machine_stop();
}

TEST(proof_drive_without_trim_gets_no_write)
{
    machine_start(DRIVE(.no_trim = true));
    CHECK_EQ(machine_run("proof", "P1"), ERR_REFUSED);
    CHECK_EQ(report.verdict.command, COMMAND_NOT_SUPPORTED);
    CHECK_EQ(report.verdict.overall, OVERALL_INCONCLUSIVE);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    CHECK_EQ(machine.plat.function[0].taken, 0);
    machine_stop();
}

TEST(proof_too_small_drive_is_refused)
{
    machine_start(DRIVE(.sectors = 100000));
    CHECK_EQ(machine_run("proof", "P1"), ERR_REFUSED);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    machine_stop();
}

/* The firmware drives the disk and cannot read it: there is no second judge, and no reason to go on. */
TEST(proof_firmware_that_cannot_read_keeps_writing_refused)
{
    machine_start(
        &(struct sim_config){ .drive = { { .serial = "P1", .content = SIM_CONTENT_USED } },
                              .platform = { .firmware = SIM_FIRMWARE_FAILS } });
    CHECK(machine_run("proof", "P1") != OK);
    CHECK(!report.contact.firmware_reference && !report.contact.ok);
    CHECK(strstr(report.failure, "could not read") != NULL);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    machine_stop();
}

TEST(proof_lying_firmware_keeps_writing_refused)
{
    machine_start(
        &(struct sim_config){ .drive = { { .serial = "P1", .content = SIM_CONTENT_USED } },
                              .platform = { .firmware = SIM_FIRMWARE_LIES } });
    CHECK(machine_run("proof", "P1") != OK);
    CHECK(!report.contact.ok);
    CHECK_EQ(report.contact.way[0].different, 64);
    CHECK_EQ(sim_drive_count_changes(&machine.drive[0]), 0);
    CHECK_EQ(report.verdict.overall, OVERALL_INCONCLUSIVE);
    machine_stop();
}

/* --- faults: never zeros, never the last pass, never a PASS ---------------------------------------------- */

#define FAULT(...)                                                                                 \
    &(struct sim_config)                                                                           \
    {                                                                                              \
        .drive = { { .serial = "P1", .content = SIM_CONTENT_USED } }, .faults = {                  \
            { __VA_ARGS__ }                                                                        \
        }                                                                                          \
    }

/* Reads of the proof itself come after the contact check's: of 4 ways, DMA reads 64 commands. */
enum { PROOF_DMA_READ = 64 + 20 };

static void check_never_pass(const struct sim_config *config)
{
    machine_start(config);
    (void)machine_run("proof", "P1");
    printf("  %s: %s\n", overall_name(report.verdict.overall), report.verdict.sentence);
    CHECK(sim_fault_fired(&machine.faults, 0) > 0);
    CHECK(report.verdict.overall != OVERALL_PASS);
    CHECK_EQ(machine.plat.function[0].taken, machine.plat.function[0].given_back);
}

TEST(proof_data_that_never_arrives_is_a_data_fault)
{
    check_never_pass(
        FAULT(.what = SIM_DATA_NEVER, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ));
    CHECK_EQ(report.data_fault.count, 1);
    CHECK_EQ(report.data_fault.late, 0);
    CHECK(report.data_fault.missing_bytes_first >= 1 << 20);
    CHECK(has_finding("data_fault"));
    machine_stop();
}

TEST(proof_data_that_arrives_late_is_seen_at_the_second_look)
{
    check_never_pass(
        FAULT(.what = SIM_DATA_LATE, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ, .us = 500));
    CHECK_EQ(report.data_fault.count, 1);
    CHECK_EQ(report.data_fault.late, 1);
    CHECK(report.data_fault.missing_bytes_first > 0);
    CHECK_EQ(report.data_fault.missing_bytes_second, 0);
    machine_stop();
}

TEST(proof_short_data_names_the_first_missing_byte)
{
    check_never_pass(FAULT(.what = SIM_DATA_SHORT, .opcode = ATA_READ_DMA_EXT,
                           .nth = PROOF_DMA_READ, .bytes = 4096 + 512));
    CHECK_EQ(report.data_fault.offset_bytes, 4096 + 512);
    machine_stop();
}

TEST(proof_honest_short_count_is_a_data_fault)
{
    check_never_pass(FAULT(.what = SIM_DATA_SHORT_HONEST, .opcode = ATA_READ_DMA_EXT,
                           .nth = PROOF_DMA_READ, .bytes = 4096));
    CHECK(report.data_fault.count >= 1);
    machine_stop();
}

TEST(proof_wrong_byte_count_of_a_write_is_a_data_fault)
{
    machine_start(&(struct sim_config){
        .drive = { { .serial = "P1", .no_ncq = true } },
        .faults = {
            { .what = SIM_PRDBC_WRONG, .opcode = ATA_WRITE_DMA_EXT, .nth = 3, .value = 512 } } });
    CHECK(machine_run("proof", "P1") != OK);
    CHECK_EQ(report.data_fault.prdbc, 512);
    CHECK(report.verdict.overall == OVERALL_INCONCLUSIVE);
    machine_stop();
}

TEST(proof_controller_writing_outside_its_buffer_is_seen)
{
    check_never_pass(FAULT(.what = SIM_WRITE_OUTSIDE, .opcode = ATA_READ_DMA_EXT,
                           .nth = PROOF_DMA_READ, .bytes = 64));
    CHECK(report.canary_faults > 0);
    machine_stop();
}

TEST(proof_lost_write_is_found_before_trim)
{
    check_never_pass(FAULT(.what = SIM_WRITE_LOST, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5));
    CHECK(has_finding("stamp_not_read_back"));
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_DATA_SET_MANAGEMENT), 0);
    machine_stop();
}

TEST(proof_bit_flip_and_foreign_sector_are_found)
{
    check_never_pass(FAULT(.what = SIM_BIT_FLIP, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ,
                           .bytes = 700));
    check_never_pass(FAULT(.what = SIM_OTHER_LBA, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ,
                           .value = 1));
    machine_stop();
}

TEST(proof_read_error_names_the_sector)
{
    check_never_pass(
        &(struct sim_config){ .drive = { { .serial = "P1", .content = SIM_CONTENT_USED } },
                              .faults = { { .what = SIM_DEVICE_ERROR,
                                            .opcode = ATA_READ_DMA_EXT,
                                            .lba_first = 5000,
                                            .lba_count = 1,
                                            .times = SIM_ALWAYS,
                                            .error = ATA_ERR_UNC } } });
    CHECK(strstr(report.failure, "LBA 5000") != NULL);
    machine_stop();
}

TEST(proof_queued_write_error_is_named_by_the_log)
{
    check_never_pass(
        &(struct sim_config){ .drive = { { .serial = "P1", .content = SIM_CONTENT_USED } },
                              .faults = { { .what = SIM_DEVICE_ERROR,
                                            .lba_first = 6000,
                                            .lba_count = 1,
                                            .times = SIM_ALWAYS,
                                            .error = ATA_ERR_IDNF } } });
    CHECK(has_finding("ncq_failed"));
    CHECK(strstr(report.failure, "LBA 6000 (1 sectors)") != NULL);
    CHECK_EQ(report.pass[0].failure.device_lba, 6000);
    CHECK(!report.pass[0].failure.was_reset);
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_READ_LOG_EXT), 1);
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_DATA_SET_MANAGEMENT), 0);
    machine_stop();
}

/* The drive keeps no log: only repeating without queueing tells where it was. */
TEST(proof_queued_write_error_without_log_is_found_by_repeating)
{
    machine_start(&(struct sim_config){ .drive = { { .serial = "P1", .no_gpl = true } },
                                        .faults = { { .what = SIM_DEVICE_ERROR,
                                                      .lba_first = 6001,
                                                      .lba_count = 1,
                                                      .times = SIM_ALWAYS,
                                                      .error = ATA_ERR_ABRT } } });
    CHECK_EQ(machine_run("proof", "P1"), ERR_DEVICE);
    CHECK_STR(report.failure,
              "stamping: WRITE DMA EXT at LBA 6001 (1 sectors) ended with status 51h, error 04h");
    machine_stop();
}

TEST(proof_one_queued_write_error_goes_on_without_queueing_and_warns)
{
    check(&(struct sim_config){ .drive = { { .serial = "P1" } },
                                .faults = { { .what = SIM_DEVICE_ERROR,
                                              .opcode = ATA_WRITE_FPDMA_QUEUED,
                                              .nth = 50,
                                              .error = ATA_ERR_ABRT } } },
          COMMAND_OK, LOGICAL_ZEROS, OVERALL_WARN);
    CHECK(has_finding("ncq_failed"));
    machine_stop();
}

TEST(proof_queued_error_without_log_is_ended_by_comreset)
{
    check_never_pass(&(struct sim_config){ .drive = { { .serial = "P1", .no_gpl = true } },
                                           .faults = { { .what = SIM_QEMU_NCQ_ERROR,
                                                         .opcode = ATA_WRITE_FPDMA_QUEUED,
                                                         .nth = 7,
                                                         .error = ATA_ERR_ABRT } } });
    CHECK(report.pass[0].failure.was_reset && report.pass[0].failure.recovered);
    machine_stop();
}

TEST(proof_failing_flush_ends_the_run_before_trim)
{
    check_never_pass(
        FAULT(.what = SIM_DEVICE_ERROR, .opcode = ATA_FLUSH_CACHE_EXT, .error = ATA_ERR_ABRT));
    CHECK_EQ(sim_drive_count(&machine.drive[0], ATA_DATA_SET_MANAGEMENT), 0);
    CHECK(strstr(report.failure, "FLUSH") != NULL);
    machine_stop();
}

TEST(proof_hanging_read_is_reset_and_reported)
{
    check_never_pass(FAULT(.what = SIM_HANG, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ));
    machine_stop();
}

TEST(proof_lost_completion_times_out)
{
    check_never_pass(
        FAULT(.what = SIM_LOST_COMPLETION, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 9));
    machine_stop();
}

TEST(proof_vanishing_drive_ends_the_run)
{
    check_never_pass(FAULT(.what = SIM_LINK_DROP, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 9));
    CHECK(report.step == STEP_FAILED);
    machine_stop();
}

TEST(proof_exchanged_drive_gets_no_further_write)
{
    machine_start(
        FAULT(.what = SIM_SERIAL_CHANGED, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 9, .us = 50000));
    CHECK(machine_run("proof", "P1") != OK);
    size_t changed_at = 0;
    for (size_t i = 0; i < machine.drive[0].log.commands; i++) {
        if (machine.drive[0].log.command[i].opcode == ATA_WRITE_FPDMA_QUEUED) {
            changed_at = i;
        }
    }
    /* After the last queued write the other drive was asked who it is, and nothing else was sent but reads. */
    for (size_t i = changed_at + 1; i < machine.drive[0].log.commands; i++) {
        CHECK(ata_command_get(ATA_CMD_IDENTIFY)->opcode == machine.drive[0].log.command[i].opcode);
    }
    CHECK(machine.drive[0].other);
    CHECK_EQ(report.step, STEP_FAILED);
    machine_stop();
}

TEST(proof_reads_that_hang_for_ever_end_the_run_in_minutes)
{
    check_never_pass(FAULT(.what = SIM_HANG, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ,
                           .times = SIM_ALWAYS));
    CHECK(report.step == STEP_FAILED);
    CHECK(report.finished_ns - report.started_ns < 300 * NS_PER_S);
    machine_stop();
}

/* What the first reading missed was read once: it is neither proven nor held against the drive. */
TEST(proof_sectors_read_once_accuse_nobody)
{
    check(&(struct sim_config){ .drive = { { .serial = "P1", .drat = true, .rzat = true } },
                                .faults = { { .what = SIM_DEVICE_ERROR,
                                              .opcode = ATA_READ_DMA_EXT,
                                              .nth = PROOF_DMA_READ,
                                              .times = 9,
                                              .error = ATA_ERR_UNC } } },
          COMMAND_OK, LOGICAL_ZEROS, OVERALL_INCONCLUSIVE);
    CHECK(has_finding("unread"));
    CHECK(!has_finding("promise_rzat") && !has_finding("promise_drat"));
    machine_stop();
}

TEST(proof_lost_identity_at_the_end_costs_the_pass)
{
    check_never_pass(FAULT(.what = SIM_DEVICE_ERROR, .opcode = ATA_IDENTIFY_DEVICE, .nth = 2,
                           .error = ATA_ERR_ABRT));
    CHECK(has_finding("identify_after_failed"));
    machine_stop();
}

TEST(proof_bus_errors_are_reported)
{
    check_never_pass(FAULT(.what = SIM_IFS, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ));
    check_never_pass(FAULT(.what = SIM_HBFS, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ));
    machine_stop();
}

TEST(proof_registers_all_ones_end_the_run)
{
    check_never_pass(
        FAULT(.what = SIM_ALL_ONES, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ));
    machine_stop();
}

TEST_MAIN
