#include "memory/bans.h"

#include "base/fields.h"
#include "base/num.h"
#include "base/text.h"

#include <string.h>

/* A driver that refuses everything would fill the file, so the oldest bans are dropped beyond this number. */
#define MOST ((size_t)1 << 14)

#define B struct jw_ban
static const struct jw_field ban[] = { JW_FIELD(B, id),         JW_FIELD(B, sm),
                                       JW_FIELD(B, build),      JW_FIELD(B, compiler),
                                       JW_FIELD(B, why),        JW_FIELD_UP_TO(B, how, JW_JOB_CRASHED),
                                       JW_FIELD(B, stopped_ms), { 0 } };
static const struct jw_field fields[] = { JW_FIELD_LIST_UP_TO(struct jw_bans, v, n, ban, MOST), { 0 } };
static const struct jw_memory_file bans = { "bans", JW_RECORD_BANS, fields, sizeof(struct jw_bans) };

void jw_bans_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_bans *out)
{
    (void)!jw_cache_memory_load(f, &bans, a, out, NULL, JW_IGNORED);
}

bool jw_bans_save(const struct jw_cache_memory *f, const struct jw_bans *b, struct jw_err *err)
{
    return jw_cache_memory_save(f, &bans, b, err);
}

static bool is_of(const struct jw_ban *b, const uint8_t id[JW_DIGEST], uint16_t sm, const char *build)
{
    return b->sm == sm && memcmp(b->id, id, JW_DIGEST) == 0 && jw_text_same(b->build, build);
}

const struct jw_ban *jw_ban_of(const struct jw_bans *b, const struct jw_job *j, const struct jw_scope *driver)
{
    for (size_t i = 0; i < b->n; i++)
        if (is_of(&b->v[i], j->id, j->sm, driver->build)
            && strcmp(b->v[i].compiler, driver->compiler ? driver->compiler : "") == 0)
            return &b->v[i];
    return NULL;
}

void jw_ban_lift(struct jw_bans *b, const struct jw_ban *of)
{
    for (size_t i = b->n; i-- > 0;)
        if (is_of(&b->v[i], of->id, of->sm, of->build))
            memmove(b->v + i, b->v + i + 1, (--b->n - i) * sizeof *b->v);
}

void jw_ban_put(struct jw_bans *b, const struct jw_ban *one, struct jw_arena *a)
{
    jw_ban_lift(b, one);
    size_t kept = jw_min(b->n, MOST - 1);
    struct jw_ban *v = jw_arena_alloc(a, (kept + 1) * sizeof *v);

    if (kept)
        memcpy(v, b->v + b->n - kept, kept * sizeof *v);
    v[kept] = *one;
    *b = (struct jw_bans){ v, kept + 1 };
}
