/* Moving sectors, honestly: what a read leaves untouched stays poison, and poison is never taken for data. Also the
 * arena those transfers use, with canaries around every window the controller may write to. */
#include "ata/internal.h"

enum {
    CHUNK_BYTES_MAX = 1 << 20, /* some controllers fail on very large single commands */
    /* guard | page | guard | data | guard */
    AT_PAGE = ATA_GUARD_BYTES,
    AT_GUARD2 = AT_PAGE + ATA_PAGE_BYTES,
    AT_DATA = AT_GUARD2 + ATA_GUARD_BYTES,
    AT_GUARD3 = AT_DATA + ATA_DATA_BYTES,
    ARENA_BYTES = AT_GUARD3 + ATA_GUARD_BYTES,
};

#define CANARY_NONCE UINT64_C(0xc0ffee5eedca9a21)

/* Every 8-byte word of poison depends on the read's nonce and on its place, so neither an old buffer nor shifted
 * data can pass for it. */
static uint64_t poison_word(uint64_t nonce, size_t index)
{
    uint64_t x = nonce * UINT64_C(0x9e3779b97f4a7c15) + index * UINT64_C(0xd1342543de82ef95);
    return (x ^ x >> 29) | 1;
}

void poison_fill(uint8_t *at, size_t bytes, uint64_t nonce)
{
    for (size_t i = 0; i < bytes / 8; i++) {
        put_le64(at + 8 * i, poison_word(nonce, i));
    }
}

size_t poison_left(const uint8_t *at, size_t bytes, uint64_t nonce, size_t *first)
{
    size_t left = 0;
    for (size_t i = 0; i < bytes / 8; i++) {
        if (get_le64(at + 8 * i) == poison_word(nonce, i)) {
            *first = left == 0 ? 8 * i : *first;
            left += 8;
        }
    }
    return left;
}

/* The first fault keeps the details, the others are counted. */
static enum err data_fault(struct ata_dev *dev, const struct ata_data_fault *found)
{
    struct ata_data_fault *kept = &dev->data_fault;
    uint64_t count = kept->count + 1;
    uint64_t late = kept->late + found->late;
    if (kept->count == 0) {
        *kept = *found;
    }
    kept->count = count;
    kept->late = late;
    return ERR_DATA;
}

enum err dev_check_arrival(struct ata_dev *dev, const uint8_t *at, size_t bytes, uint64_t nonce,
                           uint64_t lba)
{
    size_t first = 0;
    size_t missing = poison_left(at, bytes, nonce, &first);
    if (missing == 0) {
        return OK;
    }
    dev->plat->stall_us(dev->plat, ATA_LATE_LOOK_US);
    size_t ignored = 0;
    size_t still = poison_left(at, bytes, nonce, &ignored);
    struct ata_data_fault found = { .late = still == 0,
                                    .lba = lba,
                                    .offset_bytes = first,
                                    .missing_bytes_first = missing,
                                    .missing_bytes_second = still,
                                    .prdbc = (uint32_t)bytes,
                                    .expected_bytes = (uint32_t)bytes };
    return data_fault(dev, &found);
}

enum err dev_check_count(struct ata_dev *dev, uint64_t lba, uint32_t prdbc, uint32_t expected)
{
    if (prdbc == expected) {
        return OK;
    }
    struct ata_data_fault found = { .lba = lba, .prdbc = prdbc, .expected_bytes = expected };
    return data_fault(dev, &found);
}

bool ata_dev_canaries_intact(struct ata_dev *dev)
{
    static const size_t guards[] = { 0, AT_GUARD2, AT_GUARD3 };
    uint8_t *base = dev->arena.cpu;
    bool intact = true;
    for (size_t i = 0; i < ARRAY_LEN(guards); i++) {
        size_t ignored = 0;
        if (poison_left(base + guards[i], ATA_GUARD_BYTES, CANARY_NONCE + i, &ignored) !=
            ATA_GUARD_BYTES) {
            dev->canary_faults++;
            poison_fill(base + guards[i], ATA_GUARD_BYTES, CANARY_NONCE + i);
            intact = false;
        }
    }
    return intact;
}

enum err ata_dev_open(struct ata_dev *dev, struct ahci_port *port, enum boot_medium boot_medium)
{
    struct ahci_hba *hba = port->hba;
    memset(dev, 0, sizeof(*dev));
    dev->port = port;
    dev->plat = hba->plat;
    dev->boot_medium = boot_medium;
    /* Not the same poison in two runs: what one left in memory must not look fresh in the next. */
    dev->poison = dev->plat->clock_ns(dev->plat);
    enum err err = dev->plat->dma_alloc(dev->plat, &hba->pci, ARENA_BYTES, &dev->arena);
    if (err != OK) {
        return err;
    }
    dev->page = (uint8_t *)dev->arena.cpu + AT_PAGE;
    dev->page_bus = dev->arena.bus + AT_PAGE;
    dev->data = (uint8_t *)dev->arena.cpu + AT_DATA;
    dev->data_bus = dev->arena.bus + AT_DATA;
    dev->data_bytes = ATA_DATA_BYTES;
    (void)ata_dev_canaries_intact(dev); /* lays them */
    dev->canary_faults = 0;
    return ata_identify(dev);
}

void ata_dev_close(struct ata_dev *dev)
{
    dev->permit.granted = false;
    if (dev->arena.cpu != NULL) {
        if (!dev->port->stuck) {
            dev->plat->dma_free(dev->plat, &dev->port->hba->pci, &dev->arena);
        }
        dev->arena.cpu = NULL;
    }
}

static enum ata_command_id command_for(const struct ata_dev *dev, const struct ata_transfer *t)
{
    bool ext = dev->id.lba48;
    switch (t->method) {
    case ATA_METHOD_PIO:
        ASSERT(!t->write);
        return ext ? ATA_CMD_READ_SECTORS_EXT : ATA_CMD_READ_SECTORS;
    case ATA_METHOD_DMA:
        if (t->write) {
            return ext ? ATA_CMD_WRITE_DMA_EXT : ATA_CMD_WRITE_DMA;
        }
        return ext ? ATA_CMD_READ_DMA_EXT : ATA_CMD_READ_DMA;
    case ATA_METHOD_NCQ:
        return t->write ? ATA_CMD_WRITE_FPDMA : ATA_CMD_READ_FPDMA;
    }
    ASSERT(!"an unknown method");
    return ATA_CMD_READ_DMA_EXT;
}

/* A transfer under way: which chunk each slot carries. */
struct moving {
    struct ata_dev *dev;
    const struct ata_transfer *t;
    enum ata_command_id id;
    uint32_t chunk; /* sectors a command */
    unsigned depth;
    uint64_t nonce;
    uint32_t next; /* first sector not issued yet, from t->lba */
    uint32_t done; /* sectors that ended well */
    struct ata_taskfile slot[32];
    struct ata_times times;
};

static struct data_area area_of(const struct moving *m, const struct ata_taskfile *tf)
{
    uint64_t offset = (tf->lba - m->t->lba) * m->dev->id.logical_bytes;
    return (struct data_area){ .bus = m->dev->data_bus + offset,
                               .bytes = tf->count * m->dev->id.logical_bytes,
                               .cpu = m->dev->data + offset };
}

static enum err fill_slots(struct moving *m)
{
    for (unsigned slot = 0; slot < m->depth && m->next < m->t->count; slot++) {
        if ((m->dev->port->in_flight >> slot & 1) != 0) {
            continue;
        }
        struct ata_taskfile *tf = &m->slot[slot];
        *tf = (struct ata_taskfile){ .id = m->id,
                                     .lba = m->t->lba + m->next,
                                     .count = (uint32_t)min_u64(m->chunk, m->t->count - m->next),
                                     .tag = slot };
        struct data_area area = area_of(m, tf);
        enum err err = dev_send(m->dev, slot, tf, &area);
        if (err != OK) {
            return err;
        }
        m->next += tf->count;
    }
    return OK;
}

/* Bookkeeping for one command that ended well. */
static enum err account(struct moving *m, unsigned slot)
{
    const struct ahci_slot *s = &m->dev->port->slot[slot];
    const struct ata_taskfile *tf = &m->slot[slot];
    struct data_area area = area_of(m, tf);
    uint64_t took = s->done_ns - s->issued_ns;
    struct ata_times one = { .commands = 1,
                             .bytes = area.bytes,
                             .latency_ns_min = took,
                             .latency_ns_max = took,
                             .latency_ns_sum = took };
    ata_times_add(&m->times, &one);
    m->done += tf->count;
    if (m->t->method == ATA_METHOD_NCQ) {
        return OK;
    }
    return dev_check_count(m->dev, tf->lba, s->prdbc, area.bytes);
}

static enum err collect(struct moving *m, uint32_t completed)
{
    enum err err = OK;
    for (uint32_t left = completed; left != 0; left &= left - 1) {
        enum err one = account(m, (unsigned)__builtin_ctz(left));
        err = err == OK ? one : err;
    }
    return err;
}

static enum err move(struct moving *m)
{
    struct ata_dev *dev = m->dev;
    struct platform *plat = dev->plat;
    uint64_t patience = ata_command_get(m->id)->timeout_ms * NS_PER_MS;
    uint64_t started = plat->clock_ns(plat);
    uint64_t progress = started;
    enum err err = OK;
    while (err == OK && m->done < m->t->count) {
        err = fill_slots(m);
        if (err != OK) {
            break;
        }
        uint32_t completed = 0;
        bool late = plat->clock_ns(plat) - progress >= patience;
        err = ahci_port_poll(dev->port, &completed);
        if (completed != 0) {
            progress = plat->clock_ns(plat);
            enum err one = collect(m, completed);
            err = err == OK ? one : err;
        } else if (err == OK && late) {
            /* Stops the engine, unless the commands end in this very last look: then they count. */
            uint32_t waited = dev->port->in_flight;
            err = ahci_port_wait_slots(dev->port, waited, 0);
            enum err one = collect(m, waited & ~dev->port->in_flight);
            err = err == OK ? one : err;
        }
    }
    if (err == ERR_REFUSED && dev->port->in_flight != 0) {
        /* The gate closed in the middle of a queued transfer: what was let out still has to end. */
        (void)ahci_port_wait_slots(dev->port, dev->port->in_flight,
                                   plat->clock_ns(plat) + patience);
    }
    m->times.wall_ns = plat->clock_ns(plat) - started;
    m->times.poll_gap_ns_max = dev->port->poll_gap_ns_max;
    return err;
}

/* The command to blame: the tag the drive named, else the lowest sector still in flight. */
static const struct ata_taskfile *suspect(const struct moving *m, uint32_t in_flight)
{
    const struct ata_taskfile *found = &m->slot[0];
    uint64_t lowest = UINT64_MAX;
    for (uint32_t left = in_flight; left != 0; left &= left - 1) {
        const struct ata_taskfile *tf = &m->slot[__builtin_ctz(left)];
        if (tf->lba < lowest) {
            lowest = tf->lba;
            found = tf;
        }
    }
    return found;
}

/* All commands ended; nothing is in flight. Did a read's data arrive, and nothing beyond it? */
static enum err check_read(struct moving *m, size_t bytes, size_t tail)
{
    struct ata_dev *dev = m->dev;
    size_t ignored = 0;
    if (poison_left(dev->data + bytes, tail, ~m->nonce, &ignored) != tail) {
        dev->canary_faults++;
        return ERR_DATA;
    }
    return dev_check_arrival(dev, dev->data, bytes, m->nonce, m->t->lba);
}

enum err ata_transfer(struct ata_dev *dev, const struct ata_transfer *t, struct ata_times *times)
{
    const struct ata_identity *id = &dev->id;
    if (t->count == 0 || t->lba >= id->sectors || t->count > id->sectors - t->lba ||
        (uint64_t)t->count * id->logical_bytes > dev->data_bytes ||
        (t->method == ATA_METHOD_NCQ && !ata_dev_queues(dev))) {
        return ERR_INVALID;
    }
    struct moving m = { .dev = dev, .t = t, .id = command_for(dev, t), .depth = 1 };
    uint32_t largest = id->lba48 ? ATA_LBA48_SECTORS_MAX : ATA_LBA28_SECTORS_MAX;
    uint32_t wanted =
        t->chunk_sectors != 0 ? t->chunk_sectors : CHUNK_BYTES_MAX / id->logical_bytes;
    m.chunk = (uint32_t)min_u64(wanted, largest);
    if (t->method == ATA_METHOD_NCQ) {
        m.depth = (unsigned)min_u64(min_u64(t->depth, id->queue_depth), dev->port->hba->slots);
        m.depth = m.depth == 0 ? 1 : m.depth;
    }
    size_t bytes = (size_t)t->count * id->logical_bytes;
    size_t tail = (size_t)min_u64(dev->data_bytes - bytes, ATA_GUARD_BYTES);
    if (!t->write) {
        m.nonce = ++dev->poison;
        poison_fill(dev->data, bytes, m.nonce);
        poison_fill(dev->data + bytes, tail, ~m.nonce);
    }
    dev->port->poll_gap_ns_max = 0;
    enum err err = move(&m);
    uint32_t in_flight = dev->port->in_flight;
    if (err == OK && !t->write) {
        err = check_read(&m, bytes, tail);
    }
    if (!ata_dev_canaries_intact(dev) && err == OK) {
        err = ERR_DATA;
    }
    if (times != NULL) {
        ata_times_add(times, &m.times);
    }
    if (err != OK && (err != ERR_REFUSED || dev->port->state == AHCI_PORT_FAILED)) {
        const struct ata_taskfile *slots = t->method == ATA_METHOD_NCQ ? m.slot : NULL;
        dev_recover(dev, err, suspect(&m, in_flight), slots);
    }
    return err;
}
