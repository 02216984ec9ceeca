#include "base/json_write.h"
#include "pack/store/command/list_view.h"

static uint64_t seconds(int64_t at)
{
    return at > 0 ? (uint64_t)at : 0;
}

static void write_origins(struct jw_json *j, const struct jw_store_shown *s)
{
    jw_json_array(j, "origins");
    for (size_t i = 0; i < s->n_origins; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "name", s->origins[i].name);
        jw_json_text(j, "version", s->origins[i].version);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_bool(j, "others", s->unnamed);
}

static void write_manifest(struct jw_json *j, const struct jw_store_shown *s)
{
    if (s->damage) {
        jw_json_null(j, "manifest");
        return;
    }
    jw_json_object(j, "manifest");
    jw_json_number(j, "entries", s->entries);
    jw_json_number(j, "raw_bytes", s->raw);
    jw_json_number(j, "carried", s->carried);
    jw_json_number(j, "forged", s->forged);
    write_origins(j, s);
    jw_json_bool(j, "signed", s->is_signed);
    jw_json_text(j, "key", *s->key ? s->key : NULL);
    jw_json_text(j, "trusted_from", s->key_file);
    jw_json_close(j);
}

static void write_pack(struct jw_json *j, const struct jw_store_shown *s)
{
    const struct jw_store_pack *p = s->pack;

    jw_json_object(j, NULL);
    jw_json_text(j, "file", p->path);
    jw_json_text(j, "driver", p->key.driver);
    jw_json_text(j, "stamp", p->key.stamp);
    jw_json_number(j, "sm", p->key.sm);
    jw_json_bool(j, "simulated", p->key.simulated);
    jw_json_bool(j, "current", s->current);
    jw_json_bool(j, "replaced", p->older);
    jw_json_number(j, "packed_bytes", p->size);
    jw_json_number(j, "added_at", seconds(p->added_at));
    jw_json_number(j, "used_at", seconds(p->used_at));
    jw_json_text(j, "damage", s->damage);
    write_manifest(j, s);
    jw_json_close(j);
}

bool list_write_json(struct cli *cli, const struct jw_store_report *r, struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.list/1", err);
    jw_json_object(&j, "store");
    jw_json_text(&j, "folder", r->store.dir);
    jw_json_bool(&j, "exists", r->store.exists);
    jw_json_text(&j, "refused", r->store.refused);
    jw_json_number(&j, "bytes", r->store.bytes);
    jw_json_number(&j, "cap_bytes", r->cap);
    jw_json_text(&j, "cap_from", r->cap_origin);
    jw_json_close(&j);
    jw_json_array(&j, "packs");
    for (size_t i = 0; i < r->n_shown; i++)
        write_pack(&j, &r->shown[i]);
    jw_json_close(&j);
    jw_json_array(&j, "other_names");
    for (size_t i = 0; i < r->n_others; i++)
        jw_json_text(&j, NULL, r->others[i]->name);
    jw_json_close(&j);
    jw_json_texts(&j, "notes", (const char *const *)r->notes.v, r->notes.n);
    jw_json_close(&j);
    return jw_json_end(&j);
}
