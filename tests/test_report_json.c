/* report.json of every kind of run: the schema accepts it, at the end and at every moment it may be saved. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "tests/report_files.h"

/* --- every kind of run --------------------------------------------------------------------------------------- */

#define USED .serial = "P1", .content = SIM_CONTENT_USED
#define DRIVE(...)                                                                                 \
    {                                                                                              \
        .drive = { { USED, __VA_ARGS__ } }                                                         \
    }
#define FAULT(...)                                                                                 \
    {                                                                                              \
        .drive = { { USED } }, .faults = { { __VA_ARGS__ } }                                       \
    }

/* The contact check's DMA reads come first: 64 commands; then the proof's. */
enum { PROOF_DMA_READ = 64 + 20 };

static const struct {
    const char *name;
    const char *plan;
    const char *words; /* without which it was another situation */
    struct sim_config config;
} runs[] = {
    { "pass", "proof", "\"overall\": \"PASS\"", DRIVE(.drat = true, .rzat = true) },
    { "identify", "identify", "\"verdict\": null", DRIVE(.rotation = 7200) },
    { "contact", "contact", "\"name\": \"NCQ depth 32\"", DRIVE(.wwn = 0x5000c500a1b2c3d4) },
    { "large", "proof", "\"place\": \"2^28\"", DRIVE(.sectors = 400000000) },
    { "4kn", "proof", "\"logical_block_size\": 4096", DRIVE(.logical_bytes = 4096) },
    { "old", "proof", "\"lba48\": false",
      DRIVE(.lba28_only = true, .no_ncq = true, .sectors = 2000000) },
    { "ones", "proof", "\"code\": \"promise_rzat\"",
      DRIVE(.trim = SIM_TRIM_ONES, .drat = true, .rzat = true) },
    { "unstable", "proof", "\"code\": \"promise_drat\"",
      DRIVE(.trim = SIM_TRIM_UNSTABLE, .drat = true) },
    { "ignored", "proof", "\"logical\": \"NO CHANGE SEEN\"", DRIVE(.trim = SIM_TRIM_IGNORED) },
    { "granularity", "proof", "\"granularity_sectors\": 8", DRIVE(.trim_granule = 8) },
    { "incomplete", "proof", "\"code\": \"trim_incomplete\"",
      DRIVE(.trim_first_entry_only = true) },
    { "damage", "proof", "\"damage\": {",
      DRIVE(.trim_granule = 8, .trim_rounding = SIM_ROUND_OUTWARD) },
    { "no-trim", "proof", "\"command\": \"NOT SUPPORTED\"", DRIVE(.no_trim = true) },
    { "too-small", "proof", "too small", DRIVE(.sectors = 100000) },
    { "rejected", "proof", "\"command\": \"REJECTED\"", DRIVE(.trim = SIM_TRIM_REJECTED) },
    { "timed-out", "proof", "\"command\": \"TIMED OUT\"", DRIVE(.trim = SIM_TRIM_HANGS) },
    { "no-firmware",
      "proof",
      "\"firmware_reference\": false",
      { .drive = { { USED } }, .platform = { .firmware = SIM_FIRMWARE_FAILS, .no_utc = true } } },
    { "firmware-lies",
      "proof",
      "\"granted\": false",
      { .drive = { { USED } }, .platform = { .firmware = SIM_FIRMWARE_LIES } } },
    { "clocks",
      "proof",
      "\"code\": \"clock_unsteady\"",
      { .drive = { { USED } }, .platform = { .clock_unusable = true } } },
    { "late", "proof", "\"late\": 1",
      FAULT(.what = SIM_DATA_LATE, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ, .us = 500) },
    { "never", "proof", "\"code\": \"data_fault\"",
      FAULT(.what = SIM_DATA_NEVER, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ) },
    { "outside", "proof", "\"code\": \"dma_outside\"",
      FAULT(.what = SIM_WRITE_OUTSIDE, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ,
            .bytes = 64) },
    { "read-error", "proof", "\"device_lba\": 5000",
      FAULT(.what = SIM_DEVICE_ERROR, .opcode = ATA_READ_DMA_EXT, .lba_first = 5000, .lba_count = 1,
            .times = SIM_ALWAYS, .error = ATA_ERR_UNC) },
    { "write-error", "proof", "\"device_lba\": 6000",
      FAULT(.what = SIM_DEVICE_ERROR, .lba_first = 6000, .lba_count = 1, .times = SIM_ALWAYS,
            .error = ATA_ERR_IDNF) },
    { "write-lost", "proof", "\"code\": \"stamp_not_read_back\"",
      FAULT(.what = SIM_WRITE_LOST, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5) },
    { "flush-error", "proof", "\"command\": \"FLUSH CACHE EXT\"",
      FAULT(.what = SIM_DEVICE_ERROR, .opcode = ATA_FLUSH_CACHE_EXT, .error = ATA_ERR_ABRT) },
    { "hang", "proof", "\"was_reset\": true",
      FAULT(.what = SIM_HANG, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ) },
    { "bus-error", "proof", "\"err\": \"bus error\"",
      FAULT(.what = SIM_HBFS, .opcode = ATA_READ_DMA_EXT, .nth = PROOF_DMA_READ) },
    { "gone", "proof", "\"err\": \"device gone\"",
      FAULT(.what = SIM_ALL_ONES, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5) },
    { "lost", "proof", "\"drive_after\": null",
      FAULT(.what = SIM_LINK_DROP, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 5) },
    { "exchanged", "proof", "\"step\": \"FAILED\"",
      FAULT(.what = SIM_SERIAL_CHANGED, .opcode = ATA_WRITE_FPDMA_QUEUED, .nth = 9, .us = 50000) },
    { "contact-lost", "proof", "\"name\": \"PIO\"",
      FAULT(.what = SIM_LINK_DROP, .opcode = ATA_READ_SECTORS_EXT, .nth = 3) },
};

TEST(report_of_every_kind_of_run_is_valid)
{
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        machine_start(&runs[i].config);
        (void)machine_run(runs[i].plan, "P1");
        keep(runs[i].name);
        check_has(runs[i].name, runs[i].words);
    }
    machine_stop();
    check_all_valid();
}

/* --- watched runs ---------------------------------------------------------------------------------------------- */

struct watch {
    bool keeps;     /* the report as it stands at each event but progress */
    unsigned looks; /* at the stop key; the last one finds it pressed. 0: never */
    unsigned seen;
};

static void watch_event(void *context, enum run_event event, const struct run *watched)
{
    struct watch *w = context;
    char name[32];
    if (w->keeps && event != RUN_PROGRESS) {
        CHECK(watched->report == &report);
        snprintf(name, sizeof(name), "event-%02u", w->seen++);
        keep(name);
        CHECK((strstr(text, "\"step\": \"RUNNING\",\n  \"failure\"") != NULL) ==
              (event != RUN_FINISHED));
    }
}

static bool watch_cancelled(void *context)
{
    struct watch *w = context;
    return w->looks != 0 && --w->looks == 0;
}

static enum err run_watched(struct watch *w, bool confirmed)
{
    struct run_request request = { .plan = plan_find("proof"),
                                   .target = &inventory.port[0],
                                   .settle_s = 1 };
    if (confirmed) {
        strcpy(request.confirmed_serial, "P1");
    }
    const struct run_observer observer = { watch_event, watch_cancelled, w };
    machine_start(&(struct sim_config)DRIVE(.drat = true));
    CHECK_STR(inventory.port[0].id.serial, "P1");
    return run_execute(&run, &machine.plat.platform, &inventory, &request, &report, &observer);
}

TEST(report_is_valid_at_every_moment_it_may_be_saved)
{
    struct watch w = { .keeps = true };
    CHECK_EQ(run_watched(&w, true), OK);
    CHECK(w.seen > 20);
    machine_stop();
    check_all_valid();
}

TEST(report_of_a_cancelled_run_is_valid_wherever_it_was_stopped)
{
    unsigned stopped = 0;
    for (unsigned looks = 1; looks <= 140; looks += 12) {
        char name[32];
        struct watch w = { .looks = looks };
        enum err err = run_watched(&w, true);
        CHECK(err == ERR_CANCELLED || w.looks != 0);
        stopped += err == ERR_CANCELLED;
        snprintf(name, sizeof(name), "cancelled-%03u", looks);
        keep(name);
        check_has(name,
                  err == OK ? "\"step\": \"DONE\"" : "\"step\": \"ABORTED\",\n  \"failure\": \"");
    }
    machine_stop();
    CHECK(stopped >= 6);
    check_all_valid();
}

TEST(report_of_a_refused_run_is_valid)
{
    struct watch w = { .looks = 0 };
    CHECK_EQ(run_watched(&w, false), ERR_REFUSED);
    keep("refused");
    check_has("refused", "\"failure\": \"not confirmed");
    check_has("refused", "\"host_bytes_written\": 0");
    machine_stop();
    check_all_valid();
}

/* --- bytes ---------------------------------------------------------------------------------------------------------------- */

/* Undo JSON's escapes, as far as this writer uses them. */
static size_t unescape(const char *at, char *out)
{
    size_t n = 0;
    for (; *at != '"'; n++) {
        if (*at != '\\') {
            CHECK(*at >= ' ' && *at <= '~');
            out[n] = *at++;
        } else if (at[1] == 'u') {
            char digits[5] = "";
            memcpy(digits, at + 2, 4);
            out[n] = (char)strtoul(digits, NULL, 16);
            at += 6;
        } else {
            CHECK(at[1] == '"' || at[1] == '\\');
            out[n] = at[1];
            at += 2;
        }
    }
    return n;
}

TEST(report_any_byte_in_a_text_comes_back)
{
    char back[REPORT_TEXT_MAX];
    machine_start(&runs[0].config);
    CHECK_EQ(machine_run("proof", "P1"), OK);
    machine_stop();
    for (unsigned first = 1; first < 256; first += REPORT_TEXT_MAX - 1) {
        size_t length = 0;
        for (unsigned byte = first; byte < 256 && length < REPORT_TEXT_MAX - 1; byte++) {
            report.failure[length++] = (char)byte;
        }
        report.failure[length] = '\0';
        keep(first == 1 ? "bytes-low" : "bytes-high");
        const char *at = strstr(text, "\"failure\": \"") + strlen("\"failure\": \"");
        CHECK_EQ(unescape(at, back), length);
        CHECK_EQ(memcmp(back, report.failure, length), 0);
    }
    check_all_valid();
}

TEST_MAIN
