/* Memory of the host's platform as controllers see it: every buffer has a bus address of its own, and nothing
 * answers anywhere else. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim_platform_internal.h"

#define BUS_FIRST UINT64_C(0x20000000)
#define BUS_GAP   UINT64_C(0x10000) /* nothing answers between two buffers */

struct sim_buffer *sim_buffer_at(struct sim_platform *plat, uint64_t address, size_t bytes)
{
    for (size_t i = plat->buffers; i > 0; i--) {
        struct sim_buffer *b = &plat->buffer[i - 1];
        if (address >= b->bus && address - b->bus < b->bytes) {
            return bytes <= b->bytes - (address - b->bus) ? b : NULL;
        }
    }
    return NULL;
}

/* The buffer a controller may reach here, or NULL after noting why not. */
static struct sim_buffer *reach(struct sim_function *f, uint64_t address, size_t bytes, bool write)
{
    struct sim_platform *plat = f->plat;
    const char *verb = write ? "writes" : "reads";
    struct sim_buffer *b = sim_buffer_at(plat, address, bytes);
    if ((f->space[1] & PCI_COMMAND_MASTER) == 0) {
        sim_judge_note(plat->judge, "DMA while bus mastering is off");
        return NULL;
    }
    bool mine = b != NULL && b->live && b->owner == f;
    if (mine && b->firmware && f->ours && !f->hba->misbehaving) {
        sim_judge_note(plat->judge, "DMA %s the firmware's memory at %lxh after take_over", verb,
                       address);
        return b;
    }
    if (mine) {
        return b;
    }
    if (!f->hba->misbehaving) {
        sim_judge_note(plat->judge, "DMA %s %zu bytes at %lxh: %s", verb, bytes, address,
                       address >= UINT64_C(1) << 32 ? "above 4 GiB"
                       : b == NULL                  ? "no buffer there"
                       : b->freed                   ? "freed buffer"
                                                    : "another controller's buffer");
    }
    return NULL;
}

static bool bus_read(void *self, uint64_t address, void *to, size_t bytes)
{
    const struct sim_buffer *b = reach(self, address, bytes, false);
    if (b == NULL) {
        return false;
    }
    memcpy(to, b->cpu + (address - b->bus), bytes);
    return true;
}

static bool bus_write(void *self, uint64_t address, const void *from, size_t bytes)
{
    struct sim_buffer *b = reach(self, address, bytes, true);
    if (b == NULL) {
        return false;
    }
    memcpy(b->cpu + (address - b->bus), from, bytes);
    return true;
}

struct sim_bus sim_platform_bus(struct sim_platform *plat, size_t index)
{
    return (struct sim_bus){ .self = &plat->function[index], .read = bus_read, .write = bus_write };
}

/* Room for one more buffer; forgets the oldest freed one when the table is full. */
static struct sim_buffer *new_buffer(struct sim_platform *plat)
{
    if (plat->buffers < SIM_BUFFERS_MAX) {
        return &plat->buffer[plat->buffers++];
    }
    for (size_t i = 0; i < plat->buffers; i++) {
        if (plat->buffer[i].freed) {
            memmove(&plat->buffer[i], &plat->buffer[i + 1],
                    (plat->buffers - i - 1) * sizeof(plat->buffer[0]));
            return &plat->buffer[plat->buffers - 1];
        }
    }
    return NULL;
}

static struct sim_buffer *allocate(struct sim_platform *plat, const struct sim_function *owner,
                                   size_t bytes)
{
    struct sim_buffer *b = new_buffer(plat);
    size_t whole = (bytes + 4095) & ~(size_t)4095;
    uint8_t *cpu = b == NULL ? NULL : aligned_alloc(4096, whole);
    if (cpu == NULL) {
        return NULL;
    }
    memset(cpu, 0, whole);
    *b = (struct sim_buffer){ .live = true, .owner = owner, .cpu = cpu, .bytes = whole };
    b->bus = plat->bus_next;
    plat->bus_next += ((whole + 0xffff) & ~(size_t)0xffff) + BUS_GAP;
    return b;
}

uint64_t sim_platform_firmware_memory(struct sim_platform *plat, size_t index)
{
    struct sim_buffer *b = allocate(plat, &plat->function[index], (size_t)PORT_MAX * 4096);
    if (b == NULL) {
        fprintf(stderr, "sim: no memory for the firmware\n");
        abort();
    }
    b->firmware = true;
    return b->bus;
}

static enum err dma_alloc(struct platform *p, const struct pci_function *f, size_t bytes,
                          struct dma_buffer *out)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    sim_platform_busy(plat);
    if (!function->ours || bytes == 0) {
        sim_judge_note(plat->judge, "dma_alloc of %zu bytes without take_over", bytes);
        return ERR_NO_MEMORY;
    }
    if (plat->config.dma_limit_bytes != 0 &&
        plat->dma_bytes + bytes > plat->config.dma_limit_bytes) {
        return ERR_NO_MEMORY;
    }
    struct sim_buffer *b = allocate(plat, function, bytes);
    if (b == NULL) {
        return ERR_NO_MEMORY;
    }
    plat->buffers_live++;
    plat->dma_bytes += b->bytes;
    *out = (struct dma_buffer){
        .cpu = b->cpu, .bus = b->bus, .bytes = bytes, .handle = (void *)(uintptr_t)b->bus
    };
    return OK;
}

static void dma_free(struct platform *p, const struct pci_function *f, struct dma_buffer *buffer)
{
    struct sim_platform *plat = sim_of(p);
    struct sim_function *function = function_of(f);
    sim_platform_busy(plat);
    if (buffer->cpu == NULL) {
        return;
    }
    struct sim_buffer *b = sim_buffer_at(plat, (uint64_t)(uintptr_t)buffer->handle, 1);
    if (b == NULL || !b->live || b->firmware || b->owner != function || b->cpu != buffer->cpu) {
        sim_judge_note(plat->judge, "dma_free of what was not allocated: %lxh", buffer->bus);
        return;
    }
    if (!function->ours) {
        sim_judge_note(plat->judge, "dma_free after hand_back");
    }
    free(b->cpu);
    b->cpu = NULL;
    b->live = false;
    b->freed = true;
    plat->buffers_live--;
    plat->dma_bytes -= b->bytes;
    memset(buffer, 0, sizeof(*buffer));
}

void sim_platform_init_dma(struct sim_platform *plat)
{
    plat->bus_next = BUS_FIRST;
    plat->platform.dma_alloc = dma_alloc;
    plat->platform.dma_free = dma_free;
}

void sim_platform_free_dma(struct sim_platform *plat)
{
    for (size_t i = 0; i < plat->buffers; i++) {
        free(plat->buffer[i].cpu);
        plat->buffer[i].cpu = NULL;
    }
    plat->buffers = 0;
}
