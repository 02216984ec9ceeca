#include "formats/host.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <stddef.h>
#include <string.h>

/* The parts of sections that no earlier one of their kind covers: thousands of overlapping sections must not cost more
 * than the file's length. */
struct places {
    struct jw_range *list;
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
    p->list[p->n++] = range;
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
                      : !after_others || !h->embedded || !s->data))
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
        ok = jw_fat_walk(h->fats, h->src, p->list[i], h->problems, err);
    jw_free(p->list);
    *p = (struct places){ 0 };
    return ok;
}

/* Every program has constants: they are searched only in a file with other containers. */
static bool find_in_data(const struct jw_host *h, struct places *p, struct jw_err *err)
{
    if (!add_sections(h, JW_SECTION_DATA, false, p, err) || !walk(h, p, err))
        return false;
    return (!h->fats->n && !h->embedded)
           || (add_sections(h, JW_SECTION_DATA, true, p, err) && walk(h, p, err));
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

bool jw_host_find(const struct jw_host *h, struct jw_err *err)
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
