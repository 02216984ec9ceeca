#include "formats/host.h"

#include "base/num.h"

#include <string.h>

/* Walks sections of containers by their name, whatever their type. Among data behind the others also a section with a name of its own, which
 * objcopy, the linker or an attribute of the compiler made. Of a file without a section table all segments. Of each the part that no earlier
 * one covers: thousands of overlapping sections must not cost more than the file's length. */
static bool walk(const struct jw_host *h, enum jw_section_content among, bool after_others,
                 struct jw_err *err)
{
    uint64_t covered = 0;

    for (size_t i = 0; i < h->sections->n; i++) {
        const struct jw_section *s = &h->sections->list[i];
        const struct jw_fat_place *place = jw_fat_section(s->name);
        const struct jw_range range = { .at = jw_max(s->at, covered),
                                        .end = s->at + s->size,
                                        .section = place ? place->section : "",
                                        .role = place ? place->role : JW_ROLE_CODE,
                                        .among = among };

        if (!h->sections->segments
            && (place ? place->among != among || place->after_others != after_others
                      : !after_others || !h->embedded || !s->data))
            continue;
        if (place && s->at < covered)
            jw_problem_add(h->problems, "%s at 0x%llx overlaps another section", s->name,
                           (unsigned long long)s->at);
        if (range.end > covered && !jw_fat_walk(h->fats, h->src, range, h->problems, err))
            return false;
        covered = jw_max(covered, range.end);
    }
    return true;
}

bool jw_host_embeds(const struct jw_section *s)
{
    const struct jw_fat_place *place = jw_fat_section(s->name);

    return s->data && (!place || place->among == JW_SECTION_DATA);
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

/* Every program has constants: they are searched only in a file with other containers. */
bool jw_host_find(const struct jw_host *h, struct jw_err *err)
{
    if (h->sections->segments)
        return walk(h, JW_SECTION_DATA, false, err);
    if (!walk(h, JW_SECTION_CONTAINERS, false, err) || !walk(h, JW_SECTION_TABLES, false, err))
        return false;
    size_t registered = h->fats->n;

    if (!walk(h, JW_SECTION_DATA, false, err)
        || ((h->fats->n || h->embedded) && !walk(h, JW_SECTION_DATA, true, err)))
        return false;
    if (h->embedded)
        mark_embedded(h->fats, registered);
    return true;
}
