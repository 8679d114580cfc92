/* The part of report.json that describes a drive. */
#ifndef UI_REPORT_DRIVE_H
#define UI_REPORT_DRIVE_H

#include "ata/identify.h"
#include "ui/json.h"

/* Write one object under `key`: identity and state as IDENTIFY DEVICE gave them, and its words. */
void report_drive(struct json *j, const char *key, const struct ata_identity *id);

#endif
