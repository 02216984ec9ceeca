#include "cache/memory/source_memory.h"

#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "machine/trust.h"

#include <string.h>

enum { SOURCES = 49, MAX_SOURCES = 64 };

static const struct jw_field source[] = {
    JW_FIELD(struct jw_pack_source, from),
    JW_FIELD_UP_TO(struct jw_pack_source, state, 1, JW_SOURCE_STATES - 1),
    JW_FIELD(struct jw_pack_source, asked),
    JW_FIELD(struct jw_pack_source, gave),
    JW_FIELD(struct jw_pack_source, entries),
    JW_FIELD(struct jw_pack_source, bytes),
    JW_FIELD(struct jw_pack_source, key),
    JW_FIELD(struct jw_pack_source, why),
    { 0 },
};
static const struct jw_field fields[] = {
    JW_FIELD_LIST_UP_TO(struct jw_pack_sources, v, n, source, MAX_SOURCES),
    { 0 },
};

static const char *const state_names[] = { "unasked", "gave", "nothing", "silent", "refused", "failed" };

const struct jw_pack_source *jw_pack_source_find(const struct jw_pack_sources *known, const char *from)
{
    for (size_t i = 0; i < known->n; i++)
        if (strcmp(known->v[i].from, from) == 0)
            return &known->v[i];
    return NULL;
}

void jw_pack_source_memory_load(struct jw_arena *a, struct jw_pack_sources *out)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_SOURCE_MEMORY, a, &ignored);
    bool found = false;

    *out = (struct jw_pack_sources){ NULL, 0 };
    if (path)
        (void)!jw_trust_load(path, SOURCES, fields, a, out, &found, &ignored);
    if (!found)
        *out = (struct jw_pack_sources){ NULL, 0 };
}

void jw_pack_source_memory_keep(const struct jw_pack_sources *asked, struct jw_arena *a)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_SOURCE_MEMORY, a, &ignored);
    struct jw_pack_sources before, now = { NULL, 0 };

    if (!path || !asked->n)
        return;
    jw_pack_source_memory_load(a, &before);
    now.v = jw_arena_alloc(a, (asked->n + before.n) * sizeof *now.v);
    for (size_t i = 0; i < asked->n; i++) {
        struct jw_pack_source *one = &now.v[now.n++];
        const struct jw_pack_source *old = jw_pack_source_find(&before, asked->v[i].from);

        *one = asked->v[i];
        if (!one->gave && old) { /* an earlier gift stays known */
            one->gave = old->gave;
            one->entries = old->entries;
            one->bytes = old->bytes;
            one->key = old->key;
        }
    }
    for (size_t i = 0; i < before.n && now.n < MAX_SOURCES; i++)
        if (!jw_pack_source_find(asked, before.v[i].from))
            now.v[now.n++] = before.v[i];
    (void)!jw_trust_save(path, SOURCES, fields, &now, &ignored);
}

void jw_pack_source_say(struct jw_buf *out, const struct jw_pack_source *s)
{
    if (s->entries) {
        jw_say(out, "%s (%s)", JW_N(s->entries, "entry", "entries"), JW_SIZE(s->bytes));
        if (s->key && *s->key)
            jw_say(out, ", signed by %s", s->key);
    }
    if (s->why && *s->why)
        jw_say(out, s->entries ? "; %s" : "%s", s->why);
    else if (!s->entries)
        jw_say(out, s->state == JW_SOURCE_UNASKED ? "not asked yet" : "nothing for this machine");
    if (s->postponed)
        jw_say(out, ", a few minutes ago; not asked again yet");
}

#define S struct jw_pack_source

const struct jw_row jw_pack_source_rows[] = {
    { JW_ROW("from", S, from), JW_ABOUT("a line source = ... of jitwarm.conf") },
    { JW_NAMED("state", S, state, state_names),
      JW_ABOUT("the last time: unasked; gave: entries came; nothing: it has none for this machine and its "
               "software; silent: it did not reply, or sent no packs (busy, needs a login); refused: "
               "damaged, or not signed by a trusted key; "
               "failed: it sent wrong data, or the cache could not take it") },
    { JW_ROW("asked", S, asked), JW_IF(S, asked), JW_NULLABLE, JW_ABOUT("Unix seconds") },
    { JW_ROW("gave", S, gave), JW_IF(S, gave), JW_NULLABLE,
      JW_ABOUT("when it gave the entries, in Unix seconds") },
    { JW_ROW("entries", S, entries) },
    { JW_ROW("bytes", S, bytes) },
    { JW_ROW("key", S, key), JW_NULLABLE, JW_ABOUT("id of the trusted key that signed them") },
    { JW_ROW("why", S, why), JW_NULLABLE },
    { 0 },
};
