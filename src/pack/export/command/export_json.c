#include "base/json_write.h"
#include "cache/memory/state.h"
#include "pack/export/command/export_view.h"

#include <stdio.h>

static void write_sum(struct jw_json *j, const char *key, const struct jw_export_sum *sum)
{
    jw_json_object(j, key);
    jw_json_number(j, "entries", sum->entries);
    jw_json_number(j, "bytes", sum->bytes);
    jw_json_close(j);
}

static void write_digest(struct jw_json *j, const char *key, bool known, const uint8_t digest[JW_DIGEST])
{
    char hex[2 * JW_DIGEST + 1];

    jw_digest_hex(hex, digest);
    jw_json_text(j, key, known ? hex : NULL);
}

static void write_driver(struct jw_json *j, const struct jw_export_report *r)
{
    jw_json_object(j, "driver");
    jw_json_text(j, "version", r->driver_version);
    jw_json_text(j, "build", r->build);
    jw_json_text(j, "stamp", r->stamp);
    if (r->level < 0)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)r->level);
    jw_json_text(j, "level_name", jw_level_name((enum jw_level)r->level));
    jw_json_bool(j, "asked", r->asked);
    jw_json_close(j);
}

static void write_origin(struct jw_json *j, const struct jw_export_origin *o)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "name", o->is.name);
    jw_json_text(j, "version", o->is.version);
    jw_json_text(j, "build", o->is.build);
    write_digest(j, "digest", o->is.digested, o->is.digest);
    jw_json_number(j, "entries", o->sum.entries);
    jw_json_number(j, "bytes", o->sum.bytes);
    jw_json_texts(j, "kernels", (const char *const *)o->kernels, o->n_kernels);
    jw_json_close(j);
}

static void write_left_out(struct jw_json *j, const struct jw_export_pack *p)
{
    jw_json_object(j, "left_out");
    for (unsigned i = 0; i < JW_EXPORT_WHYS; i++)
        write_sum(j, jw_export_why_name((enum jw_export_why)i), &p->left_out[i]);
    jw_json_close(j);
}

static void write_pack(struct jw_json *j, const struct jw_export_pack *p)
{
    char gpu[16];

    (void)snprintf(gpu, sizeof gpu, "sm_%u", p->sm);
    jw_json_object(j, NULL);
    jw_json_text(j, "gpu", gpu);
    jw_json_text(j, "path", p->path);
    jw_json_bool(j, "written", p->written);
    jw_json_text(j, "signature", p->signature);
    jw_json_text(j, "kept", p->kept);
    jw_json_number(j, "entries", p->sum.entries);
    jw_json_number(j, "bytes", p->sum.bytes);
    jw_json_maybe(j, "packed_bytes", p->packed, p->packed);
    write_digest(j, "manifest_digest", p->packed != 0, p->manifest_digest);
    write_left_out(j, p);
    jw_json_array(j, "origins");
    for (size_t i = 0; i < p->n_origins; i++)
        write_origin(j, &p->origins[i]);
    jw_json_close(j);
    jw_json_close(j);
}

bool export_write_json(struct cli *cli, const struct export_view *v, struct jw_err *err)
{
    const struct jw_export_report *r = v->report;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.export/1", err);
    jw_json_flag(&j, "simulated", r->simulated);
    jw_json_text(&j, "end", jw_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_bool(&j, "dry_run", v->dry_run);
    write_driver(&j, r);
    jw_json_text(&j, "root", r->root);
    jw_json_text(&j, "key", v->key);
    jw_json_array(&j, "packs");
    for (size_t i = 0; i < r->n_packs; i++)
        write_pack(&j, &r->packs[i]);
    jw_json_close(&j);
    if (!r->n_packs && r->packs)
        write_left_out(&j, r->packs);
    jw_json_texts(&j, "notes", r->notes, r->n_notes);
    jw_json_texts(&j, "advice", r->advice, r->n_advice);
    if (v->stats) {
        jw_json_number(&j, "bytes_read", r->bytes_read);
        jw_json_number(&j, "milliseconds", r->milliseconds);
    }
    jw_json_close(&j);
    return jw_json_end(&j);
}
