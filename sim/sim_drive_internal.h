/* Shared by the files of the drive model only. */
#ifndef SIM_SIM_DRIVE_INTERNAL_H
#define SIM_SIM_DRIVE_INTERNAL_H

#include "sim/sim_drive.h"

#define STATUS_GOOD  0x50u /* DRDY and the old seek-complete bit */
#define STATUS_ERROR 0x51u
#define STATUS_NONE  0xffu /* of a logged command that has not ended */

enum sim_protocol {
    SIM_NON_DATA,
    SIM_PIO_IN,
    SIM_PIO_OUT,
    SIM_DMA_IN,
    SIM_DMA_OUT,
    SIM_QUEUED_IN,
    SIM_QUEUED_OUT,
};

enum sim_trait {
    SIM_EXT = 1 << 0,     /* 48-bit registers */
    SIM_MEDIA = 1 << 1,   /* LBA and count name sectors */
    SIM_CHANGES = 1 << 2, /* alters the medium or the drive */
    SIM_REFUSED = 1 << 3, /* known by name, not modelled: ABRT */
};

struct sim_opcode {
    uint8_t opcode;
    uint8_t protocol; /* enum sim_protocol */
    uint8_t traits;   /* enum sim_trait */
};

/* What falls due in a drive. */
enum drive_event { EVENT_EXECUTE, EVENT_SEEN, EVENT_UP, EVENT_SIGNATURE, EVENT_RETURN };

/* The event's argument: what, for which tag, and the epoch it belongs to; after a reset the old ones are void. */
uint64_t sim_drive_event(const struct sim_drive *drive, enum drive_event event, unsigned tag);

/* A frame from the host. */
void sim_drive_receive(void *drive, const uint8_t *fis, size_t bytes);

/* The link goes away, and with it everything in progress. */
void sim_drive_drop_link(struct sim_drive *drive);

/* The row of an opcode, NULL when the model has none (ABRT). */
const struct sim_opcode *sim_opcode_find(uint8_t opcode);

/* Why the drive refuses this command at once: bits of the error register, 0 to accept it. */
uint8_t sim_ata_check(struct sim_drive *drive, const struct sim_opcode *row,
                      const struct sim_command *c);

/* Do the command's work and move its data, then end it. */
void sim_ata_execute(struct sim_drive *drive, unsigned tag);

/* Fill identify[] from the parameters, or from the words given, and read back what the drive goes by. */
void sim_identify_build(struct sim_drive *drive);
/* The words as the host gets them now: negotiated speed, incomplete while standing by, checksum. */
void sim_identify_words(const struct sim_drive *drive, uint16_t out[256]);

/* End a command, tell the host, keep it in the log. Errors name an LBA. */
void sim_drive_end_good(struct sim_drive *drive, unsigned tag);
void sim_drive_end_error(struct sim_drive *drive, unsigned tag, uint8_t status, uint8_t error,
                         uint64_t lba);

/* PIO Setup for `bytes` of data. */
void sim_drive_pio_setup(struct sim_drive *drive, bool in, uint32_t bytes, bool last);
/* DMA Setup of a queued command. */
void sim_drive_dma_setup(struct sim_drive *drive, unsigned tag, bool in, uint32_t bytes);

#endif
