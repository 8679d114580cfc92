/* Parsing the configuration. Whatever is not understood stops: a tool that erases must not guess. */
#include "ui/config.h"

#include "lib/text.h"

enum {
    LINE_MAX = 256, /* without its comment */
    SHOWN_MAX = 40, /* of a faulty piece of text, in a message */
    SETTLE_S_MAX = 86400,
    SETTLE_S_AUTO = 1,
};

/* A piece of the text that is being parsed. */
struct piece {
    const char *at;
    size_t len;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trimmed(struct piece p)
{
    while (p.len > 0 && is_blank(p.at[0])) {
        p.at++;
        p.len--;
    }
    while (p.len > 0 && is_blank(p.at[p.len - 1])) {
        p.len--;
    }
    return p;
}

/* Where the first `c` is; p.len when there is none. */
static size_t find(struct piece p, char c)
{
    size_t i = 0;
    while (i < p.len && p.at[i] != c) {
        i++;
    }
    return i;
}

static bool equals(struct piece p, const char *word)
{
    return p.len == strlen(word) && memcmp(p.at, word, p.len) == 0;
}

/* A faulty piece of text for a message: the beginning of it, and nothing a console could take for a command. */
static const char *shown(struct piece p, char buf[SHOWN_MAX + 1])
{
    text_copy_trimmed(buf, SHOWN_MAX + 1, p.at, min_u64(p.len, SHOWN_MAX));
    return buf;
}

static bool copy_value(struct piece value, char *out, size_t cap)
{
    if (value.len >= cap || find(value, '\t') != value.len) {
        return false;
    }
    memcpy(out, value.at, value.len);
    out[value.len] = '\0';
    return true;
}

/* --- one function a key: false means the value is no good ------------------------------------------- */

static bool set_plan(struct config *c, struct piece value)
{
    char name[24];
    if (!copy_value(value, name, sizeof(name))) {
        return false;
    }
    const struct plan *plan = plan_find(name);
    c->plan = plan != NULL ? plan : c->plan;
    return plan != NULL;
}

static bool set_target(struct config *c, struct piece value)
{
    return copy_value(value, c->target, sizeof(c->target));
}

static bool set_confirm(struct config *c, struct piece value)
{
    static const char word[] = "ERASE";
    size_t skip = sizeof(word) - 1;
    if (value.len <= skip + 1 || memcmp(value.at, word, skip) != 0 ||
        (!is_blank(value.at[skip]) && value.at[skip] != ',')) {
        return false;
    }
    struct piece serial = trimmed((struct piece){ value.at + skip + 1, value.len - skip - 1 });
    return serial.len > 0 && copy_value(serial, c->confirmed, sizeof(c->confirmed));
}

static bool set_max_write_bytes(struct config *c, struct piece value)
{
    uint64_t bytes = 0;
    if (!text_parse_u64(value.at, value.len, &bytes) || bytes == 0) {
        return false;
    }
    c->max_write_bytes = bytes;
    return true;
}

static bool set_settle(struct config *c, struct piece value)
{
    uint64_t seconds = SETTLE_S_AUTO;
    if (!equals(value, "auto") &&
        (!text_parse_u64(value.at, value.len, &seconds) || seconds > SETTLE_S_MAX)) {
        return false;
    }
    c->settle_s = (uint32_t)seconds;
    return true;
}

/* Is the value one of these words? Their place in the list is the enum's value. */
static bool choose(struct piece value, const char *const *words, size_t count, unsigned *chosen)
{
    for (unsigned i = 0; i < count; i++) {
        if (equals(value, words[i])) {
            *chosen = i;
            return true;
        }
    }
    return false;
}

static bool set_serial(struct config *c, struct piece value)
{
    static const char *const words[] = { "screen", "log", "off" };
    unsigned chosen = 0;
    bool good = choose(value, words, ARRAY_LEN(words), &chosen);
    c->log = good ? (enum log_mode)chosen : c->log;
    return good;
}

static bool set_exit(struct config *c, struct piece value)
{
    static const char *const words[] = { "menu", "reboot", "poweroff" };
    unsigned chosen = 0;
    bool good = choose(value, words, ARRAY_LEN(words), &chosen);
    c->exit = good ? (enum exit_choice)chosen : c->exit;
    return good;
}

static const struct {
    const char *name;
    bool (*set)(struct config *c, struct piece value);
    const char *wants;
} keys[] = {
    { "plan", set_plan, "the name of a plan (identify, contact, proof)" },
    { "target", set_target, "a drive's serial number, or SERIAL@bus:dev.fn/port" },
    { "confirm", set_confirm, "the word ERASE and the drive's serial number: ERASE,SERIAL" },
    { "max_write_bytes", set_max_write_bytes, "a number of bytes above 0" },
    { "settle", set_settle, "auto, or seconds from 0 to 86400" },
    { "serial", set_serial, "screen, log or off" },
    { "exit", set_exit, "menu, reboot or poweroff" },
};

void config_init(struct config *c)
{
    *c = (struct config){ .settle_s = SETTLE_S_AUTO };
}

/* A value may stand in double quotes. False: there are quotes, and not just around it. */
static bool unquote(struct piece *value)
{
    if (value->len >= 2 && value->at[0] == '"' && value->at[value->len - 1] == '"') {
        *value = trimmed((struct piece){ value->at + 1, value->len - 2 });
    }
    return find(*value, '"') == value->len;
}

/* One key and its value. `where` starts the sentence when something is wrong. */
static bool set_key(struct config *c, struct piece key, struct piece value, const char *where,
                    char *why)
{
    char text[SHOWN_MAX + 1];
    for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
        if (!equals(key, keys[i].name)) {
            continue;
        }
        if ((c->given >> i & 1) != 0) {
            text_print(why, CONFIG_WHY_MAX, "%s: %s is given twice", where, keys[i].name);
            return false;
        }
        c->given |= 1u << i;
        if (!unquote(&value)) {
            text_print(why, CONFIG_WHY_MAX,
                       "%s: %s: double quotes can only stand around the whole value", where,
                       keys[i].name);
            return false;
        }
        if (value.len == 0 || !keys[i].set(c, value)) {
            text_print(why, CONFIG_WHY_MAX, "%s: %s = \"%s\" is not %s", where, keys[i].name,
                       shown(value, text), keys[i].wants);
            return false;
        }
        return true;
    }
    text_print(why, CONFIG_WHY_MAX, "%s: unknown key \"%s\"", where, shown(key, text));
    return false;
}

/* Only printable 7-bit text and tabs: a NUL or an escape sequence in it is damage, or worse. */
static bool all_text(struct piece p)
{
    for (size_t i = 0; i < p.len; i++) {
        if ((p.at[i] < 0x20 && p.at[i] != '\t') || p.at[i] > 0x7e) {
            return false;
        }
    }
    return true;
}

/* A line without its comment: a '#' that begins the line, or one with blanks on both sides and outside quotes
 * (a serial number may hold a '#'). */
static struct piece without_comment(struct piece line)
{
    bool quoted = false;
    for (size_t i = 0; i < line.len; i++) {
        bool alone =
            (i == 0 || is_blank(line.at[i - 1])) && (i + 1 == line.len || is_blank(line.at[i + 1]));
        if (line.at[i] == '#' && (i == 0 || (alone && !quoted))) {
            line.len = i;
        }
        quoted ^= line.at[i] == '"';
    }
    return trimmed(line);
}

static bool parse_line(struct config *c, struct piece line, unsigned number, char *why)
{
    char where[48];
    char text[SHOWN_MAX + 1];
    struct piece rest = without_comment(trimmed(line));
    text_print(where, sizeof(where), CONFIG_FILE_NAME " line %u", number);
    if (rest.len > LINE_MAX) {
        text_print(why, CONFIG_WHY_MAX, "%s: longer than %u characters", where, LINE_MAX);
        return false;
    }
    if (!all_text(rest)) {
        text_print(why, CONFIG_WHY_MAX, "%s: NUL or other bytes that are not plain text", where);
        return false;
    }
    if (rest.len == 0) {
        return true;
    }
    size_t equal = find(rest, '=');
    if (equal == rest.len) {
        text_print(why, CONFIG_WHY_MAX, "%s: \"%s\" is not key = value", where, shown(rest, text));
        return false;
    }
    struct piece key = trimmed((struct piece){ rest.at, equal });
    struct piece value = trimmed((struct piece){ rest.at + equal + 1, rest.len - equal - 1 });
    return set_key(c, key, value, where, why);
}

bool config_parse_file(struct config *c, const char *text, size_t bytes, char *why)
{
    unsigned number = 0;
    bool good = true;
    char second[CONFIG_WHY_MAX] = ""; /* only the first fault is told */
    c->given = 0;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* UTF-8 byte order mark, as some editors leave it */
        bytes -= 3;
    }
    while (bytes > 0) {
        size_t len = 0;
        while (len < bytes && text[len] != '\n') {
            len++;
        }
        good = parse_line(c, (struct piece){ text, len }, ++number, good ? why : second) && good;
        size_t used = len < bytes ? len + 1 : len;
        text += used;
        bytes -= used;
    }
    return good;
}

/* The next word of the options: up to a blank outside double quotes. */
static struct piece next_word(const char **options)
{
    const char *at = *options;
    while (is_blank(*at) || *at == '\n') {
        at++;
    }
    struct piece word = { at, 0 };
    bool quoted = false;
    while (*at != '\0' && (quoted || (!is_blank(*at) && *at != '\n'))) {
        quoted ^= *at == '"';
        at++;
    }
    word.len = (size_t)(at - word.at);
    *options = at;
    return word;
}

static bool is_loader_word(struct piece key)
{
    static const char *const words[] = { "BOOT_IMAGE", "BOOTIF", "ip", "initrd", "auto" };
    unsigned ignored = 0;
    return choose(key, words, ARRAY_LEN(words), &ignored);
}

static bool parse_word(struct config *c, struct piece word, bool first, char *why)
{
    char text[SHOWN_MAX + 1];
    struct piece key = { word.at, find(word, '=') };
    if (is_loader_word(key) || (first && key.len == word.len)) {
        return true; /* the program's own name, as a shell or a loader puts it in front */
    }
    if (!all_text(word)) {
        text_print(why, CONFIG_WHY_MAX, "load options: bytes that are not plain text");
        return false;
    }
    if (key.len == word.len) {
        text_print(why, CONFIG_WHY_MAX, "load options: \"%s\" is not key=value", shown(word, text));
        return false;
    }
    struct piece value = { word.at + key.len + 1, word.len - key.len - 1 };
    return set_key(c, key, value, "load options", why);
}

bool config_parse_options(struct config *c, const char *options, char *why)
{
    bool first = true;
    bool good = true;
    char second[CONFIG_WHY_MAX] = "";
    c->given = 0;
    for (struct piece word = next_word(&options); word.len > 0; word = next_word(&options)) {
        good = parse_word(c, word, first, good ? why : second) && good;
        first = false;
    }
    return good;
}

/* Does `confirm` name the drive that `target` names: "SERIAL", or "SERIAL@place"? The serial number itself may
 * hold an '@', so the last one counts. */
static bool confirms_target(const struct config *c)
{
    size_t length = strlen(c->confirmed);
    bool same = strncmp(c->target, c->confirmed, length) == 0;
    if (!same || length == 0 || c->target[length] == '\0') {
        return same && length != 0;
    }
    struct piece place = { c->target + length + 1, strlen(c->target) - length - 1 };
    return c->target[length] == '@' && find(place, '@') == place.len;
}

bool config_check(const struct config *c, char *why)
{
    int serial = (int)strlen(c->target);
    for (int i = 0; c->target[i] != '\0'; i++) {
        serial = c->target[i] == '@' ? i : serial;
    }
    if (c->plan == NULL) {
        if (c->confirmed[0] != '\0') {
            text_print(why, CONFIG_WHY_MAX, "confirm is given, but no plan");
            return false;
        }
        return true;
    }
    if (c->target[0] == '\0') {
        text_print(why, CONFIG_WHY_MAX,
                   "plan = %s needs a target: the serial number of the drive, as the list shows it",
                   c->plan->name);
        return false;
    }
    if (c->plan->effects == 0) {
        return true;
    }
    if (c->confirmed[0] == '\0') {
        text_print(why, CONFIG_WHY_MAX,
                   "plan = %s destroys data and needs confirm = ERASE,%.*s to start", c->plan->name,
                   serial, c->target);
        return false;
    }
    if (!confirms_target(c)) {
        text_print(why, CONFIG_WHY_MAX,
                   "confirm names %s, target names %.*s: they must be the same", c->confirmed,
                   serial, c->target);
        return false;
    }
    return true;
}
