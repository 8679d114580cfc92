/* From sector maps to counts: what became of the sectors each TRIM form named, and of their guards. */
#include "bench/proof.h"

enum { GRANULARITY_SECTORS_MAX = 2048 };

/* Sectors in a row with the same role: one entry of a case, or guards between. */
struct stretch {
    uint32_t first;
    uint32_t count;
};

static struct stretch stretch_at(const struct proof_place *place, uint32_t first)
{
    struct stretch s = { .first = first, .count = 1 };
    while (s.first + s.count < place->at.sectors &&
           place->role[s.first + s.count] == place->role[s.first]) {
        s.count++;
    }
    return s;
}

/* Could it be read both times? Once proves nothing about what stays. */
static bool read_twice(const struct proof_place *place, uint32_t n)
{
    return place->seen_first[n] && !place->unread[n];
}

static bool is_old(const struct proof_place *place, uint32_t n)
{
    return place->kind[n] == SECTOR_STAMP && place->sum[n] == place->sum_first[n] &&
           read_twice(place, n);
}

/* The case a sector belongs to by name; NULL: none. */
static struct trim_case *named(const struct run *run, const struct proof_place *place, uint32_t n)
{
    return place->role[n] == 0 ? NULL : &run->report->trim_case[place->role[n] - 1];
}

/* Guards are what no entry names, and what only a zero-length entry points at. */
bool proof_is_guard(const struct run *run, const struct proof_place *place, uint32_t n)
{
    const struct trim_case *c = named(run, place, n);
    return c == NULL || c->count == 0;
}

/* Would a drive that trims whole units of g sectors leave this sector alone? It rounds every entry inward. */
static bool is_edge(const struct proof_place *place, const struct stretch *s, uint32_t n,
                    uint32_t g)
{
    uint64_t lba = place->at.lba + n;
    uint64_t first = place->at.lba + s->first;
    uint64_t unit = lba / g * g;
    return unit < first || unit + g > first + s->count;
}

/* How many named sectors did not do what granularity g predicts? */
static uint64_t surprises(const struct run *run, uint32_t g)
{
    uint64_t count = 0;
    for (unsigned p = 0; p < run->places; p++) {
        const struct proof_place *place = &run->place[p];
        for (uint32_t first = 0; first < place->at.sectors;) {
            struct stretch s = stretch_at(place, first);
            for (uint32_t n = s.first; n < s.first + s.count && !proof_is_guard(run, place, n);
                 n++) {
                count += read_twice(place, n) && is_old(place, n) != is_edge(place, &s, n, g);
            }
            first += s.count;
        }
    }
    return count;
}

/* A granularity explains the map wholly or not at all: a drive that rounds does it everywhere. */
static uint32_t find_granularity(const struct run *run)
{
    for (uint32_t g = 1; g <= GRANULARITY_SECTORS_MAX; g *= 2) {
        if (surprises(run, g) == 0) {
            return g;
        }
    }
    return 1;
}

static void count_sector(struct sector_counts *c, const struct proof_place *place, uint32_t n)
{
    if (!read_twice(place, n)) {
        c->unread++;
        return;
    }
    c->kind[place->kind[n]]++;
    c->unstable += place->sum[n] != place->sum_first[n];
}

static void count_inside(struct run *run, const struct proof_place *place, const struct stretch *s,
                         uint32_t g)
{
    struct trim_case *c = &run->report->trim_case[place->role[s->first] - 1];
    uint64_t edge = 0;
    for (uint32_t n = s->first; n < s->first + s->count; n++) {
        count_sector(&c->inside, place, n);
        bool stable = place->sum[n] == place->sum_first[n];
        c->garbage += read_twice(place, n) && ((place->kind[n] == SECTOR_OTHER && stable) ||
                                               (place->kind[n] == SECTOR_STAMP && !stable));
        if (!is_old(place, n)) {
            continue;
        }
        if (is_edge(place, s, n, g)) {
            edge++;
        } else {
            c->old_lba = c->old_inside == 0 ? place->at.lba + n : c->old_lba;
            c->old_inside++;
        }
    }
    c->edge_sectors_max = max_u64(c->edge_sectors_max, edge);
}

static void count_guard(struct trim_case *c, const struct proof_place *place, uint32_t n)
{
    ASSERT(c != NULL); /* every place has named sectors, so every guard has a neighbour */
    /* Wrong both times. Wrong once is a reading that cannot be trusted: counted as unstable. */
    bool damaged =
        !place->unread[n] && place->kind[n] != SECTOR_STAMP && place->kind_first[n] != SECTOR_STAMP;
    count_sector(&c->guard, place, n);
    if (damaged && c->damaged == 0) {
        c->damage_lba = place->at.lba + n;
        c->damage_kind = (enum sector_kind)place->kind[n];
        c->damage_bytes_known = place->damage_found && place->damage_lba == c->damage_lba;
        if (c->damage_bytes_known) {
            memcpy(c->damage_bytes, place->damage_bytes, sizeof(c->damage_bytes));
        }
    }
    c->damaged += damaged;
}

/* A guard belongs to the case whose named sectors lie nearest. */
static void count_guards(struct run *run, const struct proof_place *place, const struct stretch *s,
                         struct trim_case *below)
{
    uint32_t next = s->first + s->count;
    struct trim_case *above = next < place->at.sectors ? named(run, place, next) : below;
    struct trim_case *own = named(run, place, s->first);
    for (uint32_t n = s->first; n < s->first + s->count; n++) {
        struct trim_case *near = below == NULL || n - s->first > next - n ? above : below;
        count_guard(own != NULL ? own : near, place, n);
    }
}

/* Did any named sector change at all? If none did, no granularity can be seen. */
static bool anything_changed(const struct run *run)
{
    for (unsigned p = 0; p < run->places; p++) {
        const struct proof_place *place = &run->place[p];
        for (uint32_t n = 0; n < place->at.sectors; n++) {
            if (!proof_is_guard(run, place, n) && read_twice(place, n) && !is_old(place, n)) {
                return true;
            }
        }
    }
    return false;
}

uint32_t proof_count(struct run *run)
{
    bool changed = anything_changed(run);
    uint32_t g = changed ? find_granularity(run) : 1;
    for (unsigned p = 0; p < run->places; p++) {
        const struct proof_place *place = &run->place[p];
        struct trim_case *below = NULL;
        for (uint32_t first = 0; first < place->at.sectors;) {
            struct stretch s = stretch_at(place, first);
            if (proof_is_guard(run, place, first)) {
                count_guards(run, place, &s, below);
            } else {
                count_inside(run, place, &s, g);
            }
            below = place->role[first] != 0 ? named(run, place, first) : below;
            first += s.count;
        }
    }
    return changed ? g : 0;
}
