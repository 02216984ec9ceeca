#include "memory/bans.h"

#include "base/num.h"
#include "base/text.h"

#include <string.h>

/* A driver that refuses everything would fill the file, so the oldest bans are dropped beyond this
 * number. */
#define MOST ((size_t)1 << 12)

#define B struct jw_ban
static const struct jw_field ban[] = {
    JW_FIELD(B, id),         JW_FIELD(B, sm),
    JW_FIELD(B, build),      JW_FIELD(B, compiler),
    JW_FIELD(B, why),        JW_FIELD_UP_TO(B, how, JW_JOB_CRASHED),
    JW_FIELD(B, stopped_ms), {0}};
static const struct jw_field fields[] = {JW_FIELD_LIST_UP_TO(struct jw_bans, v, n, ban, MOST), {0}};
static const struct jw_memory_file bans = {"bans", JW_RECORD_BANS, fields, sizeof(struct jw_bans)};

void jw_bans_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_bans *out)
{
    (void)!jw_cache_memory_load(f, &bans, a, out, NULL, JW_IGNORED);
}

static bool is_of(const struct jw_ban *b, const uint8_t id[JW_DIGEST], uint16_t sm,
                  const char *build)
{
    return b->sm == sm && memcmp(b->id, id, JW_DIGEST) == 0 && jw_text_same(b->build, build);
}

const struct jw_ban *jw_ban_of(const struct jw_bans *b, const struct jw_job *j,
                               const struct jw_scope *driver)
{
    for (size_t i = 0; i < b->n; i++)
        if (is_of(&b->v[i], j->id, j->sm, driver->build)
            && strcmp(b->v[i].compiler, driver->compiler ? driver->compiler : "") == 0)
            return &b->v[i];
    return NULL;
}

bool jw_bans_change(const struct jw_cache_memory *f, const struct jw_bans *changed,
                    struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_bans b;

    jw_bans_load(f, &a, &b);
    size_t n = b.n + changed->n;
    size_t kept = 0;
    struct jw_ban *v = jw_arena_alloc(&a, (n + 1) * sizeof *v);

    for (size_t i = 0; i < n; i++) {
        const struct jw_ban *one = i < b.n ? &b.v[i] : &changed->v[i - b.n];
        size_t later = i < b.n ? 0 : i - b.n + 1;

        while (later < changed->n && !is_of(&changed->v[later], one->id, one->sm, one->build))
            later++;
        if (later >= changed->n && one->how != JW_JOB_LOADED)
            v[kept++] = *one;
    }
    n = jw_min(kept, MOST);
    bool ok = jw_cache_memory_save(f, &bans, &(struct jw_bans){v + kept - n, n}, err);

    jw_arena_free(&a);
    return ok;
}
