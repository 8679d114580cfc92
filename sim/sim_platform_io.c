/* The people side of the host's platform: console, keys, serial line, files, the way out. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim_platform_internal.h"

_Noreturn void panic(const char *file, int line, const char *what)
{
    fprintf(stderr, "panic: %s:%d: %s\n", file, line, what);
    abort();
}

/* --- growing text ------------------------------------------------------------------------------ */

void sim_text_init(struct sim_text *text)
{
    text->room = 4096;
    text->bytes = 0;
    text->at = calloc(1, text->room);
    ASSERT(text->at != NULL);
}

void sim_text_add(struct sim_text *text, const char *data, size_t bytes)
{
    while (text->bytes + bytes + 1 > text->room) {
        text->room *= 2;
        text->at = realloc(text->at, text->room);
        ASSERT(text->at != NULL);
    }
    memcpy(text->at + text->bytes, data, bytes);
    text->bytes += bytes;
    text->at[text->bytes] = '\0';
}

void sim_text_free(struct sim_text *text)
{
    free(text->at);
    memset(text, 0, sizeof(*text));
}

/* --- console --------------------------------------------------------------------------------------- */

static void con_write(struct platform *p, enum style style, const char *text)
{
    struct sim_platform *plat = sim_of(p);
    (void)style;
    sim_platform_busy(plat);
    for (const char *c = text; *c != '\0'; c++) {
        if ((*c < 0x20 || *c > 0x7e) && *c != '\n' && *c != '\r' && *c != '\b') {
            sim_judge_note(plat->judge, "console: byte %02Xh is not 7-bit text",
                           (unsigned)(uint8_t)*c);
        }
    }
    sim_text_add(&plat->console, text, strlen(text));
}

static void con_clear(struct platform *p)
{
    struct sim_platform *plat = sim_of(p);
    plat->console_clears++;
    sim_text_add(&plat->console, "\f\n", 2);
}

static void con_size(struct platform *p, unsigned *columns, unsigned *rows)
{
    *columns = sim_of(p)->config.columns;
    *rows = sim_of(p)->config.rows;
}

static void wait_for_key(struct sim_platform *plat, uint32_t timeout_ms)
{
    sim_clock_advance(plat->clock, timeout_ms == 0 ? NS_PER_US : timeout_ms * NS_PER_MS);
    plat->idle_ms += timeout_ms;
    if (plat->idle_ms < plat->config.idle_limit_ms) {
        return;
    }
    if (plat->config.on_idle != NULL) {
        plat->config.on_idle(plat->config.on_idle_context);
    }
    fprintf(stderr, "sim: the program waits for a key that never comes; its screen:\n%s\n",
            plat->console.at + (plat->console.bytes > 4000 ? plat->console.bytes - 4000 : 0));
    abort();
}

static int con_key(struct platform *p, uint32_t timeout_ms)
{
    struct sim_platform *plat = sim_of(p);
    sim_platform_busy(plat);
    bool any = !plat->config.no_keyboard && *plat->key_next != '\0';
    bool at_once = any && *plat->key_next == '\x02';
    if (!any || (timeout_ms == 0 && !at_once)) {
        wait_for_key(plat, timeout_ms);
        return KEY_NONE;
    }
    if (at_once) {
        plat->key_next++;
    }
    plat->idle_ms = 0;
    char key = *plat->key_next;
    if (key == '\0') {
        return KEY_NONE;
    }
    plat->key_next++;
    if (key == '\x01') {
        wait_for_key(plat, timeout_ms);
        return KEY_NONE;
    }
    return key == '\n' ? KEY_ENTER : (int)key;
}

/* --- serial line -------------------------------------------------------------------------------------- */

static enum err serial_open(struct platform *p, char *why, size_t why_bytes)
{
    struct sim_platform *plat = sim_of(p);
    if (plat->config.serial != OK) {
        snprintf(why, why_bytes, "this machine's model has no serial port to give");
        return plat->config.serial;
    }
    plat->serial_opened = true;
    return OK;
}

static void serial_write(struct platform *p, const char *data, size_t bytes)
{
    struct sim_platform *plat = sim_of(p);
    if (!plat->serial_opened) {
        sim_judge_note(plat->judge, "serial_write without serial_open");
        return;
    }
    sim_text_add(&plat->serial, data, bytes);
}

/* --- files ---------------------------------------------------------------------------------------------- */

/* What the medium answers before it looks at anything; OK: it works. */
static enum err medium_state(const struct sim_platform *plat)
{
    switch (plat->config.medium) {
    case SIM_MEDIUM_NONE:
        return ERR_UNSUPPORTED;
    case SIM_MEDIUM_PULLED:
        return ERR_IO;
    default:
        break;
    }
    /* A medium behind a controller we took over is out of the firmware's reach. */
    bool known = plat->config.boot.kind == BOOT_MEDIUM_YES;
    return known && plat->function[plat->config.boot.controller].ours ? ERR_IO : OK;
}

static struct sim_file *find_file(struct sim_platform *plat, const char *path)
{
    for (size_t i = 0; i < plat->files; i++) {
        if (strcmp(plat->file[i].path, path) == 0) {
            return &plat->file[i];
        }
    }
    return NULL;
}

static enum err file_read(struct platform *p, const char *name, void *buf, size_t cap,
                          size_t *bytes)
{
    struct sim_platform *plat = sim_of(p);
    enum err err = medium_state(plat);
    if (err != OK) {
        return err;
    }
    const struct sim_file *file = find_file(plat, name);
    if (file == NULL) {
        return ERR_NOT_FOUND;
    }
    if (file->bytes > cap) {
        return ERR_NO_SPACE;
    }
    memcpy(buf, file->data, file->bytes);
    *bytes = file->bytes;
    return OK;
}

/* Names a FAT folder can hold, '/' between them, none empty. */
static bool good_path(const char *path)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    size_t length = 0;
    for (char before = '/'; path[length] != '\0'; before = path[length++]) {
        char c = path[length];
        bool known = false;
        for (size_t i = 0; letters[i] != '\0'; i++) {
            known |= letters[i] == c;
        }
        bool follows = (c == '/' || c == '.') && (before == '/' || before == '.');
        if (follows || (c != '/' && !known)) {
            return false;
        }
    }
    return length > 0 && length < sizeof(((struct sim_file *)0)->path) && path[length - 1] != '/';
}

static void store_file(struct sim_platform *plat, const char *path, const void *data, size_t bytes)
{
    struct sim_file *file = find_file(plat, path);
    if (file == NULL) {
        ASSERT(plat->files < SIM_FILES_MAX);
        file = &plat->file[plat->files++];
        memset(file, 0, sizeof(*file));
        snprintf(file->path, sizeof(file->path), "%s", path);
    }
    uint8_t *copy = calloc(1, bytes + 1);
    ASSERT(copy != NULL);
    memcpy(copy, data, bytes);
    free(file->data);
    file->data = copy;
    file->bytes = bytes;
    file->versions++;
}

static enum err file_write(struct platform *p, const char *path, const void *data, size_t bytes)
{
    struct sim_platform *plat = sim_of(p);
    sim_platform_busy(plat);
    enum err err = medium_state(plat);
    if (err != OK) {
        return err;
    }
    if (!good_path(path)) {
        sim_judge_note(plat->judge, "file_write to \"%s\": no path for a FAT medium", path);
        return ERR_IO;
    }
    if (plat->config.medium == SIM_MEDIUM_READ_ONLY) {
        return ERR_READ_ONLY;
    }
    uint64_t used = bytes;
    for (size_t i = 0; i < plat->files; i++) {
        used += plat->file[i].bytes; /* the old content stays until the new one is whole */
    }
    if (plat->config.medium == SIM_MEDIUM_FULL ||
        (plat->config.medium_bytes != 0 && used > plat->config.medium_bytes)) {
        return ERR_NO_SPACE;
    }
    store_file(plat, path, data, bytes);
    return OK;
}

const struct sim_file *sim_platform_file(const struct sim_platform *plat, const char *path)
{
    return find_file((struct sim_platform *)(uintptr_t)plat, path);
}

const struct sim_file *sim_platform_file_ending(const struct sim_platform *plat, const char *end)
{
    const struct sim_file *found = NULL;
    for (size_t i = 0; i < plat->files; i++) {
        size_t length = strlen(plat->file[i].path);
        size_t wanted = strlen(end);
        if (length >= wanted && strcmp(plat->file[i].path + length - wanted, end) == 0) {
            if (found != NULL) {
                return NULL;
            }
            found = &plat->file[i];
        }
    }
    return found;
}

static void leave(struct platform *p, enum exit_kind kind)
{
    struct sim_platform *plat = sim_of(p);
    plat->leaves++;
    plat->left = kind;
}

/* --- construction ---------------------------------------------------------------------------------------- */

void sim_platform_init_io(struct sim_platform *plat)
{
    struct platform *p = &plat->platform;
    const struct sim_platform_config *c = &plat->config;
    sim_text_init(&plat->console);
    sim_text_init(&plat->serial);
    p->con_write = con_write;
    p->con_clear = con_clear;
    p->con_size = con_size;
    p->con_key = con_key;
    p->serial_open = serial_open;
    p->serial_write = serial_write;
    p->file_read = file_read;
    p->file_write = file_write;
    p->leave = leave;
    snprintf(p->cmdline, sizeof(p->cmdline), "%s", c->cmdline == NULL ? "" : c->cmdline);
    p->cmdline_cut = c->cmdline_cut;
    if (c->config_file != NULL) {
        size_t bytes = c->config_bytes == 0 ? strlen(c->config_file) : c->config_bytes;
        store_file(plat, "baretrim.cfg", c->config_file, bytes);
        plat->file[0].versions = 0;
    }
}

void sim_platform_free_io(struct sim_platform *plat)
{
    for (size_t i = 0; i < plat->files; i++) {
        free(plat->file[i].data);
    }
    plat->files = 0;
    sim_text_free(&plat->console);
    sim_text_free(&plat->serial);
}
