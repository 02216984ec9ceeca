#include "formats/host.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <stddef.h>
#include <string.h>

enum {
    TABLE = 256 << 10, /* tables of addresses up to this size are read */
    ADDRESSES = 64,    /* that one table names in one section and that are looked at */
    POINTED_AT = 16,   /* large sections for which tables are read */
    RECORD = 24        /* of a relocation, a symbol and a registration record */
};

/* The part of a section that no earlier one of its kind covers: thousands of overlapping sections must not cost more
 * than the file's length. */
struct place {
    struct jw_range range;
    const struct jw_section *section;
};

struct places {
    struct place *list;
    size_t n, cap;
    uint64_t covered;
};

static bool add_place(struct places *p, const struct jw_section *s, struct jw_range range, struct jw_err *err)
{
    uint64_t end = s->at + s->size;

    if (end <= p->covered)
        return true;
    range.at = jw_max(s->at, p->covered);
    range.end = p->covered = end;
    if (!jw_grow(&p->list, sizeof *p->list, p->n, &p->cap, JW_MAX_SECTIONS, err))
        return false;
    p->list[p->n++] = (struct place){ range, s };
    return true;
}

/* Sections of containers by their name, whatever their type. Among data behind the others also a section with a name of its own, which
 * objcopy, the linker or an attribute of the compiler made. Of a file without a section table all segments. */
static bool add_sections(const struct jw_host *h, enum jw_section_content among, bool after_others,
                         struct places *p, struct jw_err *err)
{
    p->covered = 0;
    for (size_t i = 0; i < h->sections->n; i++) {
        const struct jw_section *s = &h->sections->list[i];
        const struct jw_fat_place *place = jw_fat_section(s->name);
        const struct jw_range range = { .section = place ? place->section : "",
                                        .role = place ? place->role : JW_ROLE_CODE,
                                        .among = among };

        if (!h->sections->segments
            && (place ? place->among != among || place->after_others != after_others
                      : !after_others || !h->embedded || !s->data || (h->samples && s->size > JW_SMALL_DATA)))
            continue;
        if (place && s->at < p->covered)
            jw_problem_add(h->problems, "%s at 0x%llx overlaps another section", s->name,
                           (unsigned long long)s->at);
        if (!add_place(p, s, range, err))
            return false;
    }
    return true;
}

bool jw_host_embeds(const struct jw_section *s)
{
    const struct jw_fat_place *place = jw_fat_section(s->name);

    return s->data && (!place || place->among == JW_SECTION_DATA);
}

static bool walk(const struct jw_host *h, struct places *p, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < p->n; i++)
        ok = jw_fat_walk(h->fats, h->src, p->list[i].range, h->problems, err);
    jw_free(p->list);
    *p = (struct places){ 0 };
    return ok;
}

/* ---- data ---- */

/* Searches places from `first` on: small ones whole, large ones in samples; only large ones stay in the list. */
static bool look_at(const struct jw_host *h, struct places *p, size_t first, bool *sign, struct jw_err *err)
{
    size_t n = p->n;

    p->n = first;
    for (size_t i = first; i < n; i++) {
        const struct jw_range range = p->list[i].range;
        size_t before = h->fats->n;

        if (!h->samples || range.end - range.at <= JW_SMALL_DATA) {
            if (!jw_fat_walk(h->fats, h->src, range, NULL, err))
                return false;
            *sign |= h->fats->n > before;
            continue;
        }
        if (!*sign && !jw_fat_sample(h->fats, h->src, range, sign, err))
            return false;
        p->list[p->n++] = p->list[i];
    }
    return true;
}

/* A table whose records have an address at this position. */
struct table {
    const char *name;
    size_t field;
};

static bool points_into(const struct jw_host *h, const struct place *p, struct jw_bytes records, size_t field,
                        bool *sign, struct jw_err *err)
{
    const struct jw_section *s = p->section;
    struct jw_window w = { .src = h->src };
    uint64_t last = 0;
    size_t seen = 0;

    for (size_t i = 0; !*sign && s->addr && seen < ADDRESSES && records.n - i >= RECORD; i += RECORD) {
        uint64_t addr = jw_le64(records.p + i + field), at = s->at + (addr - s->addr);

        if (addr < s->addr || addr - s->addr >= s->size || addr % 8 || addr == last)
            continue;
        last = addr;
        seen++;
        if (!jw_fat_is(h->fats, &w, at, p->range.end, sign, err))
            return false;
    }
    return true;
}

static bool points(const struct jw_host *h, const struct places *p, const struct table *t, bool *sign,
                   struct jw_err *err)
{
    const struct jw_section *s = jw_section_named(h->sections, t->name);
    size_t n = s && s->size <= TABLE ? (size_t)s->size : 0;

    if (n == 0)
        return true;
    uint8_t *records = jw_alloc(n);
    bool ok = jw_source_read(h->src, s->at, records, n, err);

    for (size_t i = 0; ok && i < p->n && i < POINTED_AT; i++)
        ok = points_into(h, &p->list[i], (struct jw_bytes){ records, n }, t->field, sign, err);
    jw_free(records);
    return ok;
}

/* Whether a table names a container in one of these. */
static bool follow(const struct jw_host *h, const struct places *p, bool *sign, struct jw_err *err)
{
    static const struct table tables[] = {
        { ".nvFatBinSegment", 8 }, { ".nvFatBi", 8 }, { ".rela.dyn", 16 }, { ".dynsym", 8 }, { ".symtab", 8 },
    };

    for (size_t i = 0; p->n && !*sign && i < JW_COUNT(tables); i++)
        if (!points(h, p, &tables[i], sign, err))
            return false;
    return true;
}

/* Every program has constants: they are searched only in a file with other containers. */
static bool find_in_data(struct jw_host *h, struct places *p, struct jw_err *err)
{
    bool sign = false;
    bool ok = add_sections(h, JW_SECTION_DATA, false, p, err) && look_at(h, p, 0, &sign, err);
    size_t large = p->n;

    if (ok && (h->fats->n || sign || h->embedded))
        ok = add_sections(h, JW_SECTION_DATA, true, p, err) && look_at(h, p, large, &sign, err);
    ok = ok && (sign || follow(h, p, &sign, err));
    p->n = sign ? p->n : 0;
    h->samples &= !sign;
    return ok && walk(h, p, err);
}

/* NVIDIA's libraries keep what they load on demand in .ldata, .lrodata and .data (cuFFT), and a program that the
 * toolkit linked may have one of them in it. All else is loaded by the program that embeds it. */
static bool is_on_demand(const struct jw_fat *fat, bool registers)
{
    const struct jw_fat_place *place = jw_fat_section(fat->section);

    return place && !place->after_others && (registers || strcmp(place->section, ".data") != 0);
}

static void mark_embedded(struct jw_fats *fats, size_t registered)
{
    for (size_t i = registered; i < fats->n; i++)
        if (!is_on_demand(&fats->list[i], registered > 0)) {
            fats->list[i].role = JW_ROLE_CODE;
            fats->list[i].embedded = true;
        }
}

bool jw_host_find(struct jw_host *h, struct jw_err *err)
{
    struct places p = { 0 };
    bool ok;

    if (h->sections->segments)
        ok = add_sections(h, JW_SECTION_DATA, false, &p, err) && walk(h, &p, err);
    else
        ok = add_sections(h, JW_SECTION_CONTAINERS, false, &p, err) && walk(h, &p, err)
             && add_sections(h, JW_SECTION_TABLES, false, &p, err) && walk(h, &p, err);
    size_t registered = h->fats->n;

    if (ok && !h->sections->segments)
        ok = find_in_data(h, &p, err);
    if (h->embedded)
        mark_embedded(h->fats, registered);
    jw_free(p.list);
    return ok;
}

bool jw_host_label(const struct jw_host *h, struct jw_err *err)
{
    const struct jw_section *s = jw_section_named(h->sections, ".nvFatBinSegment");

    if (!s)
        s = jw_section_named(h->sections, ".nvFatBi");
    return !s || jw_fat_wrappers(h->fats, h->src, s, h->sections, err);
}
