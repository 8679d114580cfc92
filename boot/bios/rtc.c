/* The time of day from the CMOS clock (Motorola MC146818A and its century byte). Whether it runs on UTC or local
 * time nobody can tell; it is reported as it is. */
#include "boot/bios/bios.h"
#include "boot/port_io.h"

enum {
    CMOS_INDEX = 0x70, /* bit 7 would switch NMIs off: kept clear */
    CMOS_DATA = 0x71,
    RTC_SECOND = 0x00,
    RTC_MINUTE = 0x02,
    RTC_HOUR = 0x04,
    RTC_DAY = 0x07,
    RTC_MONTH = 0x08,
    RTC_YEAR = 0x09,
    RTC_STATUS_A = 0x0a,
    RTC_STATUS_B = 0x0b,
    STATUS_A_UPDATING = 0x80,
    STATUS_B_24H = 0x02,
    STATUS_B_BINARY = 0x04,
    HOUR_PM = 0x80,
    CENTURY_INDEX_MAX = 0x7f,
    UPDATE_WAIT_US = 10,
    UPDATE_WAITS_MAX = 300, /* an update takes 2 ms */
    READS_MAX = 5,
    CENTURY_ASSUMED = 20,
};

struct rtc_bytes {
    uint8_t second, minute, hour, day, month, year, century;
};

static uint8_t cmos(uint8_t index)
{
    outb(CMOS_INDEX, index);
    return inb(CMOS_DATA);
}

static struct rtc_bytes read_bytes(struct platform *p)
{
    for (int i = 0; i < UPDATE_WAITS_MAX && (cmos(RTC_STATUS_A) & STATUS_A_UPDATING) != 0; i++) {
        bios_stall_us(p, UPDATE_WAIT_US);
    }
    uint8_t century_at = bios.power.rtc_century;
    bool has_century = century_at > RTC_STATUS_B && century_at <= CENTURY_INDEX_MAX;
    return (struct rtc_bytes){
        .second = cmos(RTC_SECOND),
        .minute = cmos(RTC_MINUTE),
        .hour = cmos(RTC_HOUR),
        .day = cmos(RTC_DAY),
        .month = cmos(RTC_MONTH),
        .year = cmos(RTC_YEAR),
        .century = has_century ? cmos(century_at) : 0,
    };
}

static uint8_t decode(uint8_t value, bool binary)
{
    return binary ? value : (uint8_t)((value >> 4) * 10 + (value & 0xf));
}

struct utc_time bios_utc(struct platform *p)
{
    const struct utc_time none = { 0 };
    struct rtc_bytes now = read_bytes(p);
    struct rtc_bytes again = read_bytes(p);
    for (int i = 0; memcmp(&now, &again, sizeof(now)) != 0; i++) {
        if (i == READS_MAX) {
            return none;
        }
        now = again;
        again = read_bytes(p);
    }

    uint8_t status = cmos(RTC_STATUS_B);
    bool binary = (status & STATUS_B_BINARY) != 0;
    unsigned hour = decode(now.hour & (uint8_t)~HOUR_PM, binary);
    if ((status & STATUS_B_24H) == 0) { /* 12 AM is hour 0, 12 PM hour 12 */
        hour = hour % 12 + ((now.hour & HOUR_PM) != 0 ? 12 : 0);
    }
    unsigned century = decode(now.century, binary);
    if (century < 19 || century > 21) {
        century = CENTURY_ASSUMED;
    }
    struct utc_time t = {
        .year = (uint16_t)(century * 100 + decode(now.year, binary)),
        .month = decode(now.month, binary),
        .day = decode(now.day, binary),
        .hour = (uint8_t)hour,
        .minute = decode(now.minute, binary),
        .second = decode(now.second, binary),
    };
    bool valid = t.month >= 1 && t.month <= 12 && t.day >= 1 && t.day <= 31 && t.hour < 24 &&
                 t.minute < 60 && t.second < 60;
    return valid ? t : none;
}
