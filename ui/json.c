/* JSON text. */
#include "ui/json.h"

void json_init(struct json *j, char *buf, size_t cap)
{
    *j = (struct json){ .first = true };
    text_init(&j->text, buf, cap);
}

static void put_string(struct json *j, const char *value)
{
    text_char(&j->text, '"');
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') {
            text_fmt(&j->text, "\\%c", *value);
        } else if (*value < ' ' || *value > '~') {
            text_fmt(&j->text, "\\u%04x", (uint8_t)*value);
        } else {
            text_char(&j->text, *value);
        }
    }
    text_char(&j->text, '"');
}

/* What stands in front of a value: comma, line, indentation, key. */
static void open_value(struct json *j, const char *key)
{
    if (j->depth > 0) {
        text_str(&j->text, j->first ? "\n" : ",\n");
        text_fmt(&j->text, "%*s", j->depth, "");
    }
    j->first = false;
    if (key != NULL) {
        put_string(j, key);
        text_str(&j->text, ": ");
    }
}

static void open_group(struct json *j, const char *key, char bracket)
{
    open_value(j, key);
    text_char(&j->text, bracket);
    j->depth++;
    j->first = true;
}

static void close_group(struct json *j, char bracket)
{
    ASSERT(j->depth > 0);
    j->depth--;
    if (!j->first) {
        text_fmt(&j->text, "\n%*s", j->depth, "");
    }
    text_char(&j->text, bracket);
    j->first = false;
    if (j->depth == 0) {
        text_char(&j->text, '\n');
    }
}

void json_object(struct json *j, const char *key)
{
    open_group(j, key, '{');
}

void json_object_end(struct json *j)
{
    close_group(j, '}');
}

void json_array(struct json *j, const char *key)
{
    open_group(j, key, '[');
}

void json_array_end(struct json *j)
{
    close_group(j, ']');
}

void json_str(struct json *j, const char *key, const char *value)
{
    open_value(j, key);
    put_string(j, value);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
    open_value(j, key);
    text_fmt(&j->text, "%lu", value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    open_value(j, key);
    text_str(&j->text, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
    open_value(j, key);
    text_str(&j->text, "null");
}

void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits)
{
    open_value(j, key);
    text_fmt(&j->text, "\"%0*lx\"", digits, value);
}
