/* libFuzzer: any 512 bytes are an IDENTIFY answer; parsing, texts and the dump must hold for all of them. */
#include "ata/identify.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

_Noreturn void panic(const char *file, int line, const char *what)
{
    (void)file;
    (void)line;
    (void)what;
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ata_identity id;
    uint8_t words[ATA_IDENTIFY_BYTES] = { 0 };
    char text[2048];
    memcpy(words, data, size < sizeof(words) ? size : sizeof(words));
    ata_identify_parse(words, &id);
    ata_identify_trim_text(&id, text, sizeof(text));
    ata_identify_security_text(&id, text, sizeof(text));
    ata_erase_time_text(&id.security.erase, text, sizeof(text));
    if (ata_identify_dump(&id, text, sizeof(text)) != 256 * 5) {
        abort();
    }
    uint8_t back[ATA_IDENTIFY_BYTES];
    ata_identify_bytes(&id, back);
    if (memcmp(back, words, sizeof(back)) != 0) {
        abort();
    }
    /* A drive that passes as a target must have a name and a size one can compute with. */
    if (id.unusable == NULL && (id.serial[0] == '\0' || id.sectors == 0 || id.queue_depth == 0 ||
                                id.queue_depth > 32 || id.logical_bytes % 512 != 0)) {
        abort();
    }
    return 0;
}
