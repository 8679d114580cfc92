/* Saving. */
#include "ui/save.h"

#include "lib/text.h"

void save_begin(struct save *s, struct platform *plat, const struct report *r)
{
    const struct utc_time *t = &r->started;
    struct text folder;
    s->plat = plat;
    s->err = OK;
    s->tried = false;
    text_print(s->sentence, sizeof(s->sentence), "not saved yet");
    text_init(&folder, s->folder, sizeof(s->folder));
    if (t->year != 0) {
        text_fmt(&folder, "BARETRIM/%04u%02u%02u-%02u%02u%02u-", t->year, t->month, t->day, t->hour,
                 t->minute, t->second);
    } else {
        text_fmt(&folder, "BARETRIM/%08x-", (uint32_t)r->run_id);
    }
    for (const char *c = r->drive.serial; *c != '\0'; c++) {
        bool safe = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= 'a' && *c <= 'z') || *c == '-';
        text_char(&folder, safe ? *c : '_');
    }
}

static const char *why_not(enum err err)
{
    switch (err) {
    case ERR_NO_SPACE:
        return "the medium is full";
    case ERR_READ_ONLY:
        return "the medium is write-protected";
    case ERR_UNSUPPORTED:
        return "the program was not started from a medium with a file system";
    default:
        return "the medium does not answer (pulled out?)";
    }
}

enum err save_report(struct save *s, const struct report *r)
{
    char path[96];
    char dump[2048];
    bool cut = false;
    size_t bytes = report_json(r, s->json, sizeof(s->json), &cut);
    ASSERT(!cut);
    text_print(path, sizeof(path), "%s/report.json", s->folder);
    enum err err = s->plat->file_write(s->plat, path, s->json, bytes);
    if (err == OK && r->drive_identified) {
        size_t length = ata_identify_dump(&r->drive, dump, sizeof(dump));
        text_print(path, sizeof(path), "%s/identify.txt", s->folder);
        err = s->plat->file_write(s->plat, path, dump, length);
    }
    s->err = err;
    s->tried = true;
    if (err == OK) {
        text_print(s->sentence, sizeof(s->sentence), "saved in %s", s->folder);
    } else {
        text_print(s->sentence, sizeof(s->sentence), "NOT SAVED: %s (%s)", why_not(err),
                   err_name(err));
    }
    return err;
}
