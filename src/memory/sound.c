#include "memory/sound.h"

#include "base/num.h"
#include "base/sort.h"

#define MOST ((size_t)1 << 20) /* further entries of a cache are read again */

#define S struct jw_sound_entry
static const struct jw_field entry[] = {
    JW_FIELD(S, name), JW_FIELD(S, identity), JW_FIELD(S, refused), {0}};
static const struct jw_field fields[] = {JW_FIELD_LIST_UP_TO(struct jw_sound, v, n, entry, MOST),
                                         {0}};
static const struct jw_memory_file sound = {"sound", JW_RECORD_SOUND, fields,
                                            sizeof(struct jw_sound)};

void jw_sound_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_sound *out)
{
    (void)!jw_cache_memory_load(f, &sound, a, out, NULL, JW_IGNORED);
    jw_sort_u64(out->v, out->n, sizeof *out->v);
}

const struct jw_sound_entry *jw_sound_of(const struct jw_sound *s, uint64_t name, uint64_t identity)
{
    const struct jw_sound_entry *e = jw_find_u64(s->v, s->n, sizeof *e, name);

    return e && identity && e->identity == identity ? e : NULL;
}

void jw_sound_save(const struct jw_cache_memory *f, struct jw_sound_entry *v, size_t n)
{
    const struct jw_sound all = {v, jw_min(n, MOST)};

    jw_sort_u64(v, n, sizeof *v);
    (void)!jw_cache_memory_save(f, &sound, &all, JW_IGNORED);
}
