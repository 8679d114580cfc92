/* A streaming JSON writer into a caller-owned buffer: commas and indentation are its business. */
#ifndef UI_JSON_H
#define UI_JSON_H

#include "lib/text.h"

struct json {
    struct text text;
    unsigned depth;
    bool first; /* nothing written yet in the innermost object or array */
};

/* Start; the buffer receives one value. After the last end, text.cut says whether it all fitted. */
void json_init(struct json *j, char *buf, size_t cap);

/* `key` is NULL inside arrays and for the outermost value. */
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_str(struct json *j, const char *key, const char *value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* A string of hex digits, as registers and words are written. */
void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits);

#endif
