#include "base/json_write.h"
#include "pack/compile/command/compile_view.h"

#include <limits.h>

static void write_compiler(struct jw_json *j, const struct jw_compiler *c)
{
    char isa[24];

    (void)snprintf(isa, sizeof isa, "%u.%u", c->isa_major, c->isa_minor);
    bool known = c->isa_major != UINT_MAX;

    jw_json_object(j, "compiler");
    jw_json_text(j, "name", c->name);
    jw_json_text(j, "version", c->version);
    jw_json_text(j, "isa", known ? isa : NULL);
    jw_json_text(j, "path", c->path);
    jw_json_close(j);
}

static void write_lost(struct jw_json *j, const struct jw_offline_report *r)
{
    jw_json_array(j, "lost");
    for (size_t i = 0; i < r->n_lost; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "path", r->lost[i].path);
        jw_json_text(j, "kernel", r->lost[i].kernel);
        jw_json_text(j, "from", r->lost[i].target);
        jw_json_text(j, "why", r->lost[i].why);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_pack(struct jw_json *j, const struct jw_offline_report *r)
{
    char hex[2 * JW_DIGEST + 1];

    if (!r->path) {
        jw_json_null(j, "pack");
        return;
    }
    jw_digest_hex(hex, r->pack.manifest_digest);
    jw_json_object(j, "pack");
    jw_json_text(j, "path", r->path);
    jw_json_bool(j, "stored", r->stored);
    jw_json_text(j, "signature", r->signature);
    jw_json_number(j, "entries", r->pack.sum.entries);
    jw_json_number(j, "bytes", r->pack.sum.bytes);
    jw_json_number(j, "packed_bytes", r->pack.packed);
    jw_json_text(j, "manifest_digest", hex);
    jw_json_close(j);
}

bool offline_write_json(struct cli *cli, const struct offline_view *v, struct jw_err *err)
{
    const struct jw_offline_report *r = v->report;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.compile/1", err);
    jw_json_flag(&j, "simulated", r->simulated);
    jw_json_text(&j, "end", jw_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_bool(&j, "dry_run", v->dry_run);
    jw_json_text(&j, "stamp", r->stamp);
    jw_json_number(&j, "sm", r->sm);
    write_compiler(&j, &r->compiler);
    jw_json_number(&j, "modules", r->modules);
    jw_json_number(&j, "ptx_bytes", r->ptx_bytes);
    jw_json_number(&j, "compiled", r->compiled);
    write_lost(&j, r);
    write_pack(&j, r);
    jw_json_number(&j, "milliseconds", r->milliseconds);
    jw_json_texts(&j, "notes", r->notes, r->n_notes);
    jw_json_close(&j);
    return jw_json_end(&j);
}
