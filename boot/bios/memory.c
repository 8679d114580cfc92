/* What the multiboot loader tells (Multiboot 0.6.96, 3.3): the command line and the memory map. And the DMA
 * memory: one static arena in .bss, so below 4 GiB, in no firmware table's way, and addressed by the controller
 * as the processor addresses it. */
#include "boot/bios/bios.h"

enum {
    INFO_HAS_CMDLINE = 1 << 2,
    INFO_HAS_MAP = 1 << 6,
    MAP_AVAILABLE = 1,
    MAP_ENTRY_MIN = 20,    /* base, length, type; the size field does not count itself */
    MAP_BYTES_MAX = 65536, /* nobody has more; a larger figure is garbage */
};

/* Offsets in the information structure. */
enum {
    INFO_FLAGS = 0,
    INFO_CMDLINE = 16,
    INFO_MAP_LENGTH = 44,
    INFO_MAP_ADDRESS = 48,
};

extern char image_start[];
extern char image_end[];

static uint8_t arena[BIOS_DMA_BYTES] __attribute__((aligned(4096)));

void multiboot_cmdline(uint32_t info, struct platform *p)
{
    const uint8_t *mbi = phys(info);
    if ((get_le32(mbi + INFO_FLAGS) & INFO_HAS_CMDLINE) == 0) {
        return;
    }
    const char *from = phys(get_le32(mbi + INFO_CMDLINE));
    size_t n = 0;
    while (n < sizeof(p->cmdline) - 1 && from[n] != '\0') {
        char c = from[n];
        p->cmdline[n] = c >= 0x20 && c <= 0x7e ? c : '?';
        n++;
    }
    p->cmdline[n] = '\0';
    p->cmdline_cut = from[n] != '\0';
}

struct map_entry {
    uint64_t base;
    uint64_t bytes;
    uint32_t type;
};

/* Read the entry at *at and step on; false at the end of the map. */
static bool next_entry(const uint8_t *map, uint32_t length, uint32_t *at, struct map_entry *out)
{
    if (length - *at < 4 + MAP_ENTRY_MIN) {
        return false;
    }
    const uint8_t *entry = map + *at;
    uint32_t size = get_le32(entry);
    if (size < MAP_ENTRY_MIN || size > length - *at - 4) {
        return false;
    }
    *out = (struct map_entry){ get_le64(entry + 4), get_le64(entry + 12), get_le32(entry + 20) };
    *at += 4 + size;
    return true;
}

bool multiboot_memory_fits(uint32_t info)
{
    const uint8_t *mbi = phys(info);
    uint32_t length = get_le32(mbi + INFO_MAP_LENGTH);
    if ((get_le32(mbi + INFO_FLAGS) & INFO_HAS_MAP) == 0 || length > MAP_BYTES_MAX) {
        return true;
    }
    const uint8_t *map = phys(get_le32(mbi + INFO_MAP_ADDRESS));
    uint64_t first = (uint64_t)image_start;
    uint64_t end = (uint64_t)image_end;
    struct map_entry entry;

    /* Adjacent available entries may cover us together: walk from `first` to `end` through the map until no
     * entry moves us on. */
    uint64_t covered = first;
    for (bool moved = true; moved && covered < end;) {
        moved = false;
        for (uint32_t at = 0; next_entry(map, length, &at, &entry);) {
            if (entry.type == MAP_AVAILABLE && entry.base <= covered &&
                covered - entry.base < entry.bytes) {
                covered = entry.base + entry.bytes;
                moved = true;
            }
        }
    }
    if (covered < end) {
        return false;
    }
    for (uint32_t at = 0; next_entry(map, length, &at, &entry);) {
        bool overlaps =
            entry.base < end && (entry.base >= first || first - entry.base < entry.bytes);
        if (entry.type != MAP_AVAILABLE && entry.bytes > 0 && overlaps) {
            return false;
        }
    }
    return true;
}

enum err bios_dma_alloc(struct platform *p, const struct pci_function *f, size_t bytes,
                        struct dma_buffer *out)
{
    (void)p;
    (void)f;
    struct bios_dma *dma = &bios.dma;
    if (bytes == 0 || bytes > sizeof(arena) - dma->used) {
        return ERR_NO_MEMORY;
    }
    uint8_t *at = arena + dma->used;
    memset(at, 0, bytes);
    /* sizeof(arena) is whole pages, so rounding up stays inside. */
    dma->used += (bytes + 4095) & ~(size_t)4095;
    dma->buffers++;
    *out = (struct dma_buffer){ .cpu = at, .bus = (uint64_t)at, .bytes = bytes };
    return OK;
}

/* A bump allocator: room comes back when the last buffer is freed, which is enough for a program that takes
 * what it needs at the start of a run and returns all of it at the end. The newest buffer's room comes back at
 * once. */
void bios_dma_free(struct platform *p, const struct pci_function *f, struct dma_buffer *buffer)
{
    (void)p;
    (void)f;
    struct bios_dma *dma = &bios.dma;
    if (buffer->cpu == NULL) {
        return;
    }
    size_t first = (size_t)((uint8_t *)buffer->cpu - arena);
    ASSERT(dma->buffers > 0 && first < dma->used);
    dma->buffers--;
    if (dma->buffers == 0) {
        dma->used = 0;
    } else if (first + ((buffer->bytes + 4095) & ~(size_t)4095) == dma->used) {
        dma->used = first;
    }
    *buffer = (struct dma_buffer){ 0 };
}
