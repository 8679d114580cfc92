/* What the modelled drive does for each command. */
#include "sim/sim_drive_internal.h"

#include <stdlib.h>

enum { PIECE_BYTES = 64 << 10 };

const struct sim_opcode *sim_opcode_find(uint8_t opcode)
{
    static const struct sim_opcode rows[] = {
        { ATA_IDENTIFY_DEVICE, SIM_PIO_IN, 0 },
        { ATA_READ_SECTORS, SIM_PIO_IN, SIM_MEDIA },
        { ATA_READ_SECTORS_EXT, SIM_PIO_IN, SIM_MEDIA | SIM_EXT },
        { ATA_READ_DMA, SIM_DMA_IN, SIM_MEDIA },
        { ATA_READ_DMA_EXT, SIM_DMA_IN, SIM_MEDIA | SIM_EXT },
        { ATA_READ_FPDMA_QUEUED, SIM_QUEUED_IN, SIM_MEDIA | SIM_EXT },
        { ATA_WRITE_SECTORS_EXT, SIM_PIO_OUT, SIM_MEDIA | SIM_EXT | SIM_CHANGES },
        { ATA_WRITE_DMA, SIM_DMA_OUT, SIM_MEDIA | SIM_CHANGES },
        { ATA_WRITE_DMA_EXT, SIM_DMA_OUT, SIM_MEDIA | SIM_EXT | SIM_CHANGES },
        { ATA_WRITE_DMA_FUA_EXT, SIM_DMA_OUT, SIM_MEDIA | SIM_EXT | SIM_CHANGES },
        { ATA_WRITE_FPDMA_QUEUED, SIM_QUEUED_OUT, SIM_MEDIA | SIM_EXT | SIM_CHANGES },
        { ATA_DATA_SET_MANAGEMENT, SIM_DMA_OUT, SIM_EXT | SIM_CHANGES },
        { ATA_READ_LOG_EXT, SIM_PIO_IN, SIM_EXT },
        { ATA_FLUSH_CACHE, SIM_NON_DATA, 0 },
        { ATA_FLUSH_CACHE_EXT, SIM_NON_DATA, SIM_EXT },
        { ATA_CHECK_POWER_MODE, SIM_NON_DATA, 0 },
        { ATA_SET_FEATURES, SIM_NON_DATA, SIM_CHANGES },
        /* known for what they are, so that the log and the counters are right */
        { ATA_SEND_FPDMA_QUEUED, SIM_QUEUED_OUT, SIM_EXT | SIM_CHANGES | SIM_REFUSED },
        { ATA_WRITE_LOG_EXT, SIM_PIO_OUT, SIM_EXT | SIM_CHANGES | SIM_REFUSED },
        { ATA_DOWNLOAD_MICROCODE, SIM_PIO_OUT, SIM_CHANGES | SIM_REFUSED },
        { ATA_DEVICE_CONFIGURATION, SIM_NON_DATA, SIM_CHANGES | SIM_REFUSED },
        { ATA_SANITIZE_DEVICE, SIM_NON_DATA, SIM_EXT | SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_SET_PASSWORD, SIM_PIO_OUT, SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_UNLOCK, SIM_PIO_OUT, SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_ERASE_PREPARE, SIM_NON_DATA, SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_ERASE_UNIT, SIM_PIO_OUT, SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_FREEZE_LOCK, SIM_NON_DATA, SIM_CHANGES | SIM_REFUSED },
        { ATA_SECURITY_DISABLE_PASSWORD, SIM_PIO_OUT, SIM_CHANGES | SIM_REFUSED },
        { ATA_SET_MAX, SIM_NON_DATA, SIM_CHANGES | SIM_REFUSED },
        { ATA_SET_MAX_EXT, SIM_NON_DATA, SIM_EXT | SIM_CHANGES | SIM_REFUSED },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].opcode == opcode) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool is_error_log_read(const struct sim_command *c)
{
    return c->opcode == ATA_READ_LOG_EXT && (c->lba & 0xff) == ATA_LOG_NCQ_ERROR;
}

uint8_t sim_ata_check(struct sim_drive *drive, const struct sim_opcode *row,
                      const struct sim_command *c)
{
    if (drive->config.signature != 0x00000101) {
        sim_judge_note(drive->judge, "command %02Xh sent to a device with signature %08Xh",
                       c->opcode, drive->config.signature);
        return ATA_ERR_ABRT;
    }
    /* SATA 13.6.2: after a queued error only the error log may be read. */
    if (drive->ncq_error && !is_error_log_read(c)) {
        return ATA_ERR_ABRT;
    }
    if (row == NULL || (row->traits & SIM_REFUSED) != 0) {
        return ATA_ERR_ABRT;
    }
    bool queued = row->protocol == SIM_QUEUED_IN || row->protocol == SIM_QUEUED_OUT;
    bool dma = row->protocol == SIM_DMA_IN || row->protocol == SIM_DMA_OUT;
    if (((row->traits & SIM_EXT) != 0 && !drive->lba48 && c->opcode != ATA_DATA_SET_MANAGEMENT) ||
        (dma && !drive->dma) || (queued && !drive->ncq) ||
        (c->opcode == ATA_READ_LOG_EXT && !drive->gpl) ||
        (c->opcode == ATA_DATA_SET_MANAGEMENT && !drive->trims)) {
        return ATA_ERR_ABRT;
    }
    bool medium = (row->traits & SIM_MEDIA) != 0 || c->opcode == ATA_DATA_SET_MANAGEMENT;
    if (medium && (drive->locked || drive->standing_by)) {
        return ATA_ERR_ABRT;
    }
    if ((row->traits & SIM_MEDIA) != 0) {
        if ((c->device & ATA_DEVICE_LBA) == 0) {
            sim_judge_note(drive->judge, "command %02Xh without the LBA bit in its device register",
                           c->opcode);
            return ATA_ERR_ABRT;
        }
        if (c->lba >= drive->sectors || c->count > drive->sectors - c->lba) {
            sim_judge_note(drive->judge, "command %02Xh: LBA %lu + %u is beyond the end %lu",
                           c->opcode, c->lba, c->count, drive->sectors);
            return ATA_ERR_IDNF;
        }
    }
    return 0;
}

/* Does a data fault touch this sector? Without a range of its own it takes the whole command. */
static bool fault_at(const struct sim_fault *fault, enum sim_fault_what what, uint64_t lba)
{
    return fault != NULL && fault->what == what &&
           (fault->lba_count == 0 ||
            (lba >= fault->lba_first && lba - fault->lba_first < fault->lba_count));
}

static uint64_t medium_lba(const struct sim_drive *drive, const struct sim_fault *fault,
                           uint64_t lba)
{
    return fault_at(fault, SIM_OTHER_LBA, lba) ? (lba + fault->value) % drive->sectors : lba;
}

/* The wrong bit of sector n of a command's data. */
static void flip_bit(const struct sim_drive *drive, const struct sim_work *work, uint64_t n,
                     uint8_t *sector)
{
    const struct sim_fault *fault = work->fault;
    uint64_t lba = work->c.lba + n;
    if (!fault_at(fault, SIM_BIT_FLIP, lba)) {
        return;
    }
    if (fault->lba_count != 0) {
        sector[fault->bytes % drive->sector_bytes] ^= 1;
    } else if (fault->bytes / drive->sector_bytes == n) {
        sector[fault->bytes % drive->sector_bytes] ^= 1;
    }
}

/* How many sectors move before the command fails; all of them unless a DEVICE_ERROR is in the way. */
static uint64_t good_sectors(const struct sim_work *work)
{
    const struct sim_fault *fault = work->fault;
    if (fault == NULL || fault->what != SIM_DEVICE_ERROR) {
        return work->c.count;
    }
    return fault->lba_count != 0 && fault->lba_first > work->c.lba ? fault->lba_first - work->c.lba
                                                                   : 0;
}

static void read_sectors(struct sim_drive *drive, const struct sim_work *work, uint64_t first,
                         uint64_t count, uint8_t *to)
{
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *sector = to + i * drive->sector_bytes;
        uint64_t lba = medium_lba(drive, work->fault, work->c.lba + first + i);
        sim_store_read(&drive->store, lba, sector);
        flip_bit(drive, work, first + i, sector);
    }
}

static void write_sectors(struct sim_drive *drive, const struct sim_work *work, uint64_t first,
                          uint64_t count, uint8_t *from)
{
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *sector = from + i * drive->sector_bytes;
        uint64_t lba = work->c.lba + first + i;
        if (fault_at(work->fault, SIM_WRITE_LOST, lba)) {
            continue;
        }
        flip_bit(drive, work, first + i, sector);
        sim_store_write(&drive->store, medium_lba(drive, work->fault, lba), sector);
    }
}

/* Move the sectors of a read or write. False: the host takes no data for it (any more). */
static bool move_sectors(struct sim_drive *drive, unsigned tag, const struct sim_opcode *row)
{
    static const bool inward[] = {
        [SIM_PIO_IN] = true, [SIM_DMA_IN] = true, [SIM_QUEUED_IN] = true
    };
    struct sim_work *work = &drive->work[tag];
    bool in = row->protocol < ARRAY_LEN(inward) && inward[row->protocol];
    bool pio = row->protocol == SIM_PIO_IN || row->protocol == SIM_PIO_OUT;
    uint64_t count = good_sectors(work);
    uint64_t step = pio ? 1 : PIECE_BYTES / drive->sector_bytes;
    uint8_t piece[PIECE_BYTES];
    if (tag != SIM_UNQUEUED && count > 0) {
        sim_drive_dma_setup(drive, tag, in, (uint32_t)(count * drive->sector_bytes));
    }
    for (uint64_t done = 0; done < count;) {
        uint64_t now = min_u64(step, count - done);
        size_t bytes = (size_t)(now * drive->sector_bytes);
        if (pio) {
            sim_drive_pio_setup(drive, in, (uint32_t)bytes, done + now == work->c.count);
        }
        if (in) {
            read_sectors(drive, work, done, now, piece);
            if (!drive->host.data_in(drive->host.self, piece, bytes)) {
                return false;
            }
            drive->log.sectors_read += now;
        } else {
            if (!drive->host.data_out(drive->host.self, piece, bytes)) {
                return false;
            }
            write_sectors(drive, work, done, now, piece);
            drive->log.sectors_written += now;
        }
        done += now;
    }
    return true;
}

static void log_range(struct sim_drive_log *log, uint64_t lba, uint64_t count)
{
    if (log->trims == log->trim_room) {
        log->trim_room = log->trim_room == 0 ? 64 : log->trim_room * 2;
        log->trim = realloc(log->trim, log->trim_room * sizeof(log->trim[0]));
        if (log->trim == NULL) {
            abort();
        }
    }
    log->trim[log->trims++] = (struct sim_range){ lba, count };
}

static void trim_range(struct sim_drive *drive, uint64_t lba, uint64_t count)
{
    const struct sim_drive_config *c = &drive->config;
    if (c->trim == SIM_TRIM_IGNORED) {
        return;
    }
    uint64_t first = lba + c->trim_shift;
    uint64_t end = first + count;
    uint64_t granule = c->trim_granule;
    if (c->trim_rounding == SIM_ROUND_OUTWARD) {
        first = first / granule * granule;
        end = (end + granule - 1) / granule * granule;
    } else {
        first = (first + granule - 1) / granule * granule;
        end = end / granule * granule;
        if (lba + count == drive->sectors && c->trim_shift == 0) {
            end = drive->sectors; /* the last granule may be short */
        }
    }
    end = min_u64(end, drive->sectors);
    if (first < end) {
        sim_store_trim(&drive->store, first, end - first);
    }
}

/* DATA SET MANAGEMENT (ACS-3 7.5): all entries are checked before any is applied. */
static void trim(struct sim_drive *drive)
{
    struct sim_work *work = &drive->work[SIM_UNQUEUED];
    const struct sim_command *c = &work->c;
    if (c->feature != ATA_DSM_FEATURE_TRIM || c->count == 0 || c->count > drive->dsm_blocks ||
        drive->config.trim == SIM_TRIM_REJECTED) {
        sim_drive_end_error(drive, SIM_UNQUEUED, STATUS_ERROR, ATA_ERR_ABRT, c->lba);
        return;
    }
    size_t bytes = (size_t)c->count * ATA_DSM_BLOCK_BYTES;
    uint8_t *data = malloc(bytes);
    if (data == NULL) {
        abort();
    }
    if (!drive->host.data_out(drive->host.self, data, bytes)) {
        free(data);
        return;
    }
    for (size_t at = 0; at < bytes; at += ATA_DSM_ENTRY_BYTES) {
        uint64_t entry = get_le64(data + at);
        uint64_t lba = entry & (ATA_LBA48_END - 1);
        uint64_t count = entry >> 48;
        if (count != 0 && (lba >= drive->sectors || count > drive->sectors - lba)) {
            sim_judge_note(drive->judge, "TRIM of LBA %lu + %lu is beyond the end %lu", lba, count,
                           drive->sectors);
            free(data);
            sim_drive_end_error(drive, SIM_UNQUEUED, STATUS_ERROR, ATA_ERR_IDNF, lba);
            return;
        }
    }
    bool first = true;
    for (size_t at = 0; at < bytes; at += ATA_DSM_ENTRY_BYTES) {
        uint64_t entry = get_le64(data + at);
        uint64_t lba = entry & (ATA_LBA48_END - 1);
        uint64_t count = entry >> 48;
        if (count == 0) {
            continue;
        }
        log_range(&drive->log, lba, count);
        if (first || !drive->config.trim_first_entry_only) {
            trim_range(drive, lba, count);
        }
        first = false;
    }
    free(data);
    sim_drive_end_good(drive, SIM_UNQUEUED);
}

/* One 512-byte block of PIO data. */
static void send_block(struct sim_drive *drive, uint8_t block[512])
{
    const struct sim_fault *fault = drive->work[SIM_UNQUEUED].fault;
    if (fault != NULL && fault->what == SIM_BIT_FLIP) {
        block[fault->bytes % 512] ^= 1;
    }
    sim_drive_pio_setup(drive, true, 512, true);
    if (drive->host.data_in(drive->host.self, block, 512)) {
        sim_drive_end_good(drive, SIM_UNQUEUED);
    }
}

/* READ LOG EXT (ACS-3 7.23): the directory and the queued error log. */
static void read_log(struct sim_drive *drive)
{
    const struct sim_command *c = &drive->work[SIM_UNQUEUED].c;
    uint64_t page = (c->lba >> 8 & 0xff) | (c->lba >> 24 & 0xff00);
    uint8_t block[512] = { 0 };
    uint8_t log = (uint8_t)c->lba;
    if (page != 0 || c->count != 1 || (log != 0 && log != ATA_LOG_NCQ_ERROR)) {
        sim_drive_end_error(drive, SIM_UNQUEUED, STATUS_ERROR, ATA_ERR_ABRT, c->lba);
        return;
    }
    if (log == 0) {
        put_le16(block, 1);
        put_le16(&block[2 * (size_t)ATA_LOG_NCQ_ERROR], 1);
    } else {
        memcpy(block, drive->ncq_log, sizeof(block));
        drive->ncq_error = false;
    }
    send_block(drive, block);
}

static void set_features(struct sim_drive *drive)
{
    const struct sim_command *c = &drive->work[SIM_UNQUEUED].c;
    if (c->feature == 0x07 && drive->config.standby) {
        drive->standing_by = false;
        sim_drive_end_good(drive, SIM_UNQUEUED);
        return;
    }
    sim_drive_end_error(drive, SIM_UNQUEUED, STATUS_ERROR, ATA_ERR_ABRT, c->lba);
}

void sim_ata_execute(struct sim_drive *drive, unsigned tag)
{
    struct sim_work *work = &drive->work[tag];
    const struct sim_opcode *row = sim_opcode_find(work->c.opcode);
    const struct sim_fault *fault = work->fault;
    bool fails = fault != NULL && fault->what == SIM_DEVICE_ERROR;
    uint64_t bad = work->c.lba;
    if ((row->traits & SIM_MEDIA) != 0) {
        if (!move_sectors(drive, tag, row)) {
            return;
        }
        bad += good_sectors(work);
    }
    if (fails) {
        sim_drive_end_error(drive, tag, fault->status == 0 ? STATUS_ERROR : fault->status,
                            fault->error == 0 ? ATA_ERR_UNC : fault->error, bad);
        return;
    }
    switch (work->c.opcode) {
    case ATA_IDENTIFY_DEVICE: {
        uint8_t block[512];
        sim_drive_identify(drive, block);
        send_block(drive, block);
        break;
    }
    case ATA_DATA_SET_MANAGEMENT:
        trim(drive);
        break;
    case ATA_READ_LOG_EXT:
        read_log(drive);
        break;
    case ATA_SET_FEATURES:
        set_features(drive);
        break;
    default:
        sim_drive_end_good(drive, tag);
        break;
    }
}
