#include "cache/memory/source_memory.h"

#include "base/buf.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "machine/list.h"
#include "machine/trust.h"

#include <string.h>

enum { SOURCE = 46, MAX_SOURCES = 64 };

static const struct jw_field fields[] = {
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
    struct jw_bytes file = { NULL, 0 };
    struct jw_record record;
    bool found = false;

    *out = (struct jw_pack_sources){ NULL, 0 };
    if (!path || !jw_trust_slurp(path, JW_MAX_STATE, a, &file, &found, &ignored))
        return;

    struct jw_reader r = jw_reader(file);

    while (jw_record_take(&r, &record) && record.kind == SOURCE) {
        struct jw_pack_source one = { .state = JW_SOURCE_UNASKED };
        struct jw_pack_source *slot;

        if (!jw_record_get(&record, fields, NULL, &one) || !*one.from || jw_pack_source_find(out, one.from))
            continue;
        slot = jw_list_add(a, &out->v, &out->n, sizeof *slot, MAX_SOURCES, &ignored);
        if (!slot)
            return;
        *slot = one;
    }
}

void jw_pack_source_memory_keep(const struct jw_pack_sources *asked, struct jw_arena *a)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_SOURCE_MEMORY, a, &ignored);
    const char *folder = path ? jw_state_dir(a, &ignored) : NULL;
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_STATE);
    struct jw_pack_sources before;
    size_t n = asked->n;

    if (!folder || !n)
        return;
    jw_pack_source_memory_load(a, &before);
    for (size_t i = 0; i < asked->n; i++) {
        struct jw_pack_source one = asked->v[i];
        const struct jw_pack_source *old = jw_pack_source_find(&before, one.from);

        if (!one.gave && old) { /* what it gave once stays known */
            one.gave = old->gave;
            one.entries = old->entries;
            one.bytes = old->bytes;
            one.key = old->key;
        }
        jw_record_put(&text, SOURCE, fields, &one);
    }
    for (size_t i = 0; i < before.n && n < MAX_SOURCES; i++)
        if (!jw_pack_source_find(asked, before.v[i].from)) {
            jw_record_put(&text, SOURCE, fields, &before.v[i]);
            n++;
        }
    if (jw_buf_ok(&text, &ignored) && jw_trust_make(folder, &ignored))
        (void)!jw_trust_put(path, jw_buf_bytes(&text), &ignored);
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
