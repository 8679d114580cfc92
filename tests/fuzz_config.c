/* libFuzzer: any bytes are a baretrim.cfg and load options. Whatever is made of them, a plan that writes never starts
 * without a target and the same serial number confirmed, and every refusal is a sentence a console can show.
 *
 * An input is the file's text, byte 1Ch, the options; without that byte it is tried as either. */
#include "bench/inventory.h"
#include "ui/config.h"

#include <stdlib.h>

enum { SEPARATOR = 0x1c };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

_Noreturn void panic(const char *file, int line, const char *what)
{
    (void)file;
    (void)line;
    (void)what;
    abort();
}

static void demand(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void demand_text(const char *text, size_t cap)
{
    size_t length = 0;
    while (length < cap && text[length] != '\0') {
        demand(text[length] >= 0x20 && text[length] <= 0x7e);
        length++;
    }
    demand(length < cap);
}

/* What must hold after any parsing, good or not. */
static void demand_sane(const struct config *c, bool good, const char *why)
{
    demand_text(c->target, sizeof(c->target));
    demand_text(c->confirmed, sizeof(c->confirmed));
    demand(c->settle_s <= 86400);
    demand(c->log == LOG_SCREEN || c->log == LOG_SERIAL || c->log == LOG_OFF);
    demand(c->exit == EXIT_CHOICE_MENU || c->exit == EXIT_CHOICE_REBOOT ||
           c->exit == EXIT_CHOICE_POWEROFF);
    demand(c->plan == NULL || plan_find(c->plan->name) == c->plan);
    if (!good) {
        demand_text(why, CONFIG_WHY_MAX);
        demand(why[0] != '\0');
    }
}

/* `target` names this serial number: as it stands, or with a place behind an '@'. */
static bool names(const char *target, const char *serial)
{
    size_t length = strlen(serial);
    return length != 0 && strncmp(target, serial, length) == 0 &&
           (target[length] == '\0' || target[length] == '@');
}

static void demand_found(const struct config *c)
{
    static struct inventory inv;
    static const char *const serials[] = { "S1", "S1", "S2", "A B", "A@B", "A", "" };
    const struct inventory_port *found = NULL;
    char why[CONFIG_WHY_MAX];
    memset(why, 'x', sizeof(why));
    memset(&inv, 0, sizeof(inv));
    inv.controllers = 1;
    inv.controller[0].pci.at = (struct pci_address){ .device = 0x1f, .function = 2 };
    inv.ports = ARRAY_LEN(serials);
    for (unsigned i = 0; i < inv.ports; i++) {
        inv.port[i].number = i;
        inv.port[i].identified = true;
        memcpy(inv.port[i].id.serial, serials[i], strlen(serials[i]));
    }
    enum err err = inventory_find(&inv, c->target, &found, why, sizeof(why));
    demand(err == OK || err == ERR_NOT_FOUND || err == ERR_INVALID);
    if (err == OK) {
        demand(names(c->target, found->id.serial));
        demand(found->number >= 2 || strncmp(c->target, "S1@", 3) == 0);
    } else {
        demand_text(why, sizeof(why));
        demand(why[0] != '\0');
    }
}

static void try_check(const struct config *c)
{
    char why[CONFIG_WHY_MAX];
    memset(why, 'x', sizeof(why));
    bool good = config_check(c, why);
    demand_sane(c, good, why);
    if (good && c->plan != NULL) {
        demand(c->target[0] != '\0');
        demand(c->plan->effects == 0 || names(c->target, c->confirmed));
        demand_found(c);
    }
}

static bool try_file(struct config *c, const uint8_t *data, size_t size)
{
    char why[CONFIG_WHY_MAX];
    memset(why, 'x', sizeof(why));
    bool good = config_parse_file(c, (const char *)data, size, why);
    demand_sane(c, good, why);
    return good;
}

static bool try_options(struct config *c, const uint8_t *data, size_t size)
{
    char why[CONFIG_WHY_MAX];
    char *options = malloc(size + 1);
    demand(options != NULL);
    memcpy(options, data, size);
    options[size] = '\0';
    memset(why, 'x', sizeof(why));
    bool good = config_parse_options(c, options, why);
    demand_sane(c, good, why);
    free(options);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config c;
    size_t file = 0;
    while (file < size && data[file] != SEPARATOR) {
        file++;
    }
    config_init(&c);
    bool good = try_file(&c, data, file);
    if (good && file < size) {
        good = try_options(&c, data + file + 1, size - file - 1);
    }
    if (good) {
        try_check(&c);
    }
    config_init(&c);
    if (file == size && try_options(&c, data, size)) {
        try_check(&c);
    }
    return 0;
}
