#include "base/json_write.h"
#include "pack/store/command/inspect_view.h"

#include <string.h>

static void put_digest(struct jw_json *j, const uint8_t digest[JW_DIGEST])
{
    char hex[2 * JW_DIGEST + 1];

    jw_digest_hex(hex, digest);
    jw_json_text(j, "digest", hex);
}

static void put_signature(struct jw_json *j, const struct jw_pack_peeked *s)
{
    static const char *const where[] = {
        [JW_PACK_SEEN_NONE] = "none", [JW_PACK_SEEN_INSIDE] = "inside", [JW_PACK_SEEN_BESIDE] = "beside"
    };

    jw_json_object(j, "signature");
    jw_json_text(j, "where", where[s->signature]);
    jw_json_text(j, "key", s->key[0] ? s->key : NULL);
    jw_json_bool(j, "verified", false);
    jw_json_close(j);
}

static void put_head(struct jw_json *j, const struct inspect_view *v)
{
    const struct jw_pack_manifest *m = &v->seen->manifest;

    jw_json_text(j, "file", v->file);
    jw_json_number(j, "bytes", v->seen->bytes);
    jw_json_number(j, "tar_bytes", v->seen->tar_bytes);
    put_signature(j, v->seen);
    jw_json_text(j, "format", JW_PACK_SCHEMA);
    jw_json_text(j, "tool", m->tool);
    jw_json_text(j, "os", m->os);
    jw_json_text(j, "arch", m->arch);
    jw_json_text(j, "driver", m->driver);
    jw_json_text(j, "stamp", m->stamp);
    jw_json_number(j, "sm", m->sm);
    jw_json_number(j, "level", m->level);
    if (m->date) {
        jw_json_number(j, "date", m->date);
        jw_json_number(j, "counter", m->counter);
    }
    if (!m->compiler)
        return;
    jw_json_object(j, "compiler");
    jw_json_text(j, "name", m->compiler);
    jw_json_text(j, "version", m->compiler_version);
    jw_json_close(j);
}

static void put_sum(struct jw_json *j, const char *name, const struct inspect_sum *sum)
{
    jw_json_object(j, name);
    jw_json_number(j, "entries", sum->entries);
    jw_json_number(j, "bytes", sum->bytes);
    jw_json_close(j);
}

static void put_origins(struct jw_json *j, const struct inspect_view *v)
{
    const struct jw_pack_manifest *m = &v->seen->manifest;

    jw_json_array(j, "origins");
    for (size_t i = 0; i < m->n_origins; i++) {
        const struct jw_pack_origin *o = &m->origins[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "name", o->name);
        jw_json_text(j, "version", o->version);
        jw_json_text(j, "build", o->build);
        if (o->digested)
            put_digest(j, o->digest);
        else
            jw_json_null(j, "digest");
        jw_json_number(j, "entries", v->origins[i].entries);
        jw_json_number(j, "bytes", v->origins[i].bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
    put_sum(j, "unnamed", &v->origins[m->n_origins]);
}

static void put_entries(struct jw_json *j, const struct jw_pack_manifest *m)
{
    jw_json_array(j, "entries");
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "name", jw_cache_name(e->name).text);
        jw_json_number(j, "key_bytes", e->key_bytes);
        jw_json_number(j, "payload_bytes", e->payload_bytes);
        put_digest(j, e->digest);
        if (e->origin == JW_PACK_NO_ORIGIN)
            jw_json_null(j, "origin");
        else
            jw_json_number(j, "origin", e->origin);
        jw_json_text(j, "made", jw_pack_made_name(e->made));
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool inspect_write_json(struct cli *cli, const struct inspect_view *v, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &v->seen->manifest;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.inspect/1", err);
    jw_json_flag(&j, "simulated", m->simulated);
    put_head(&j, v);
    put_origins(&j, v);
    jw_json_object(&j, "made");
    for (unsigned made = 0; made < INSPECT_MADE; made++)
        put_sum(&j, jw_pack_made_name((enum jw_pack_made)made), &v->made[made]);
    jw_json_close(&j);
    if (v->entries)
        put_entries(&j, m);
    jw_json_object(&j, "totals");
    jw_json_number(&j, "entries", m->n_entries);
    jw_json_number(&j, "bytes", v->made[0].bytes + v->made[1].bytes + v->made[2].bytes);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}
