#include "formats/host.h"

#include "base/num.h"

#include <string.h>

/* A file without a section table may. */
static bool registers(const struct jw_sections *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct jw_fat_place *place = jw_fat_section(all->list[i].name);

        if (place && place->role != JW_ROLE_LAZY)
            return true;
    }
    return !all->n;
}

/* NVIDIA's libraries keep what they load on demand in .ldata, .lrodata and .data (cuFFT), and a program that the
 * toolkit linked may have one of them in it. All else is loaded by the program that embeds it. Compilers of NVIDIA have no code. */
static bool walk(const struct jw_host *h, bool registered, const struct jw_fat_place *place, uint64_t at,
                 uint64_t end, struct jw_err *err)
{
    struct jw_range range = { .at = at, .end = end, .among_data = true, .texts = h->embedded };

    if (at >= end || (!place && !h->embedded && !registered))
        return true;
    if (place && place->role != JW_ROLE_LAZY)
        range = (struct jw_range){ .at = at, .end = end, .role = place->role };
    else if (h->sections->n
             && (!h->embedded || (place && (registered || strcmp(place->section, ".data") != 0))))
        range.role = JW_ROLE_LAZY;
    return jw_fat_walk(h->fats, h->src, range, h->problems, err);
}

/* Of each section the part that no earlier one covers: thousands that overlap must not cost more than the file's length. */
bool jw_host_find(const struct jw_host *h, struct jw_err *err)
{
    bool registered = registers(h->sections);
    uint64_t at = 0;

    for (const struct jw_section *s = h->sections->list; s < h->sections->list + h->sections->n; s++) {
        const struct jw_fat_place *place = jw_fat_section(s->name);
        uint64_t end = s->at + s->size;

        if (!place && !s->skipped)
            continue;
        if (place && s->at < at)
            jw_problem_add(h->problems, "%s at 0x%llx overlaps another section", s->name,
                           (unsigned long long)s->at);
        if (!walk(h, registered, NULL, at, s->at, err)
            || (place && !walk(h, registered, place, jw_max(at, s->at), end, err)))
            return false;
        at = jw_max(at, end);
    }
    return walk(h, registered, NULL, at, h->src->size, err);
}
