/* For tests of report.json: reports become files in build/tests/reports, which python3-jsonschema judges many at a time by
 * host/validate-report.py. */
#ifndef TESTS_REPORT_FILES_H
#define TESTS_REPORT_FILES_H

#include "tests/on_model.h"
#include "ui/report_json.h"

#include <stdlib.h>
#include <sys/stat.h>

#define FOLDER "build/tests/reports/"

static char text[REPORT_JSON_MAX];
static char files[16384]; /* written since the last judgement, blanks between */
static char said[65536];

static inline void write_file(const char *name, const char *data, size_t bytes)
{
    char path[128];
    (void)mkdir(FOLDER, 0777); /* there already: as well */
    snprintf(path, sizeof(path), FOLDER "%s.json", name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    CHECK_EQ(fwrite(data, 1, bytes, f), bytes);
    CHECK_EQ(fclose(f), 0);
    CHECK(strlen(files) + strlen(path) + 2 < sizeof(files));
    strcat(strcat(files, " "), path);
}

/* Judge what was written since; its words are left in `said`. Returns the exit status. */
static inline int judge(const char *how)
{
    char command[sizeof(files) + 128];
    snprintf(command, sizeof(command), "/usr/bin/python3 host/validate-report.py %s%s 2>&1", how,
             files);
    files[0] = '\0';
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    said[fread(said, 1, sizeof(said) - 1, pipe)] = '\0';
    return pclose(pipe);
}

static inline void check_all_valid(void)
{
    CHECK(files[0] != '\0');
    int status = judge("");
    if (status != 0) {
        printf("  %s\n", said);
    }
    CHECK_EQ(status, 0);
}

/* Write the report as it stands; it is left in `text`, too. */
static inline void keep(const char *name)
{
    bool cut = true;
    size_t bytes = report_json(&report, text, sizeof(text), &cut);
    CHECK(!cut);
    CHECK_EQ(bytes, strlen(text));
    write_file(name, text, bytes);
}

static inline void check_has(const char *name, const char *words)
{
    if (strstr(text, words) == NULL) {
        printf("  %s.json has no %s\n", name, words);
    }
    CHECK(strstr(text, words) != NULL);
}

#endif
