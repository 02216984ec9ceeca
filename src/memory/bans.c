#include "memory/bans.h"

#include "base/fields.h"
#include "base/text.h"

#include <string.h>

#define B struct jw_ban

/* A driver that refuses everything would fill the file, so the oldest bans are dropped beyond this number. */
#define MOST ((size_t)1 << 14)

static const struct jw_field ban[] = {
    JW_FIELD(B, id),         JW_FIELD(B, sm),    JW_FIELD(B, build),
    JW_FIELD(B, compiler),   JW_FIELD(B, why),   JW_FIELD_UP_TO(B, how, JW_JOB_UNSTORED),
    JW_FIELD(B, stopped_ms), JW_FIELD(B, entry), { 0 }
};
static const struct jw_field fields[] = { JW_FIELD_LIST_UP_TO(struct jw_bans, v, n, ban, MOST), { 0 } };
static const struct jw_memory_file bans = { "bans", JW_RECORD_BANS, fields, sizeof(struct jw_bans) };

void jw_bans_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_bans *out)
{
    (void)!jw_cache_memory_load(f, &bans, a, out, NULL, JW_IGNORED);
    out->room = out->n;
}

bool jw_bans_save(const struct jw_cache_memory *f, const struct jw_bans *b, struct jw_err *err)
{
    return jw_cache_memory_save(f, &bans, b, err);
}

static bool is_of(const B *b, const uint8_t id[JW_DIGEST], uint16_t sm)
{
    return b->sm == sm && memcmp(b->id, id, JW_DIGEST) == 0;
}

const B *jw_ban_of(const struct jw_bans *b, const struct jw_job *j, const struct jw_scope *driver)
{
    for (size_t i = 0; i < b->n; i++)
        if (is_of(&b->v[i], j->id, j->sm) && jw_text_same(b->v[i].build, driver->build)
            && strcmp(b->v[i].compiler, driver->compiler ? driver->compiler : "") == 0)
            return &b->v[i];
    return NULL;
}

static void take_out(struct jw_bans *b, size_t at)
{
    memmove(b->v + at, b->v + at + 1, (b->n - at - 1) * sizeof *b->v);
    b->n--;
}

void jw_ban_put(struct jw_bans *b, const B *one, struct jw_arena *a)
{
    for (size_t i = b->n; i-- > 0;)
        if (is_of(&b->v[i], one->id, one->sm) && strcmp(b->v[i].build, one->build) == 0)
            take_out(b, i);
    if (b->n >= MOST)
        take_out(b, 0);
    if (b->n == b->room) {
        B *more = jw_arena_alloc(a, (b->room = 2 * b->n + 16) * sizeof *more);

        if (b->n)
            memcpy(more, b->v, b->n * sizeof *more);
        b->v = more;
    }
    b->v[b->n] = *one;
    b->v[b->n++].compiler = one->compiler ? one->compiler : "";
}

void jw_ban_lift(struct jw_bans *b, const struct jw_job *j)
{
    for (size_t i = b->n; i-- > 0;)
        if (is_of(&b->v[i], j->id, j->sm))
            take_out(b, i);
}
