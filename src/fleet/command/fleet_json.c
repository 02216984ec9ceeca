#include "base/json_write.h"
#include "fleet/command/fleet_view.h"

#include <stdio.h>

static void write_sm(struct jw_json *j, uint16_t sm)
{
    char text[16];

    (void)snprintf(text, sizeof text, "sm_%u", (unsigned)sm);
    jw_json_text(j, "gpu", text);
}

static bool finish(struct jw_json *j)
{
    jw_json_close(j);
    return jw_json_end(j);
}

bool fleet_push_json(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.push/1", err);
    jw_json_text(&j, "to", ref->text);
    jw_json_bool(&j, "changed", r->layers_moved > 0);
    jw_json_number(&j, "layers", r->layers);
    jw_json_number(&j, "layers_moved", r->layers_moved);
    jw_json_number(&j, "bytes", r->bytes);
    jw_json_number(&j, "bytes_moved", r->bytes_moved);
    jw_json_array(&j, "kinds");
    for (size_t i = 0; i < r->n; i++) {
        const struct jw_push_kind *k = &r->kinds[i];

        jw_json_object(&j, NULL);
        jw_json_text(&j, "tag", k->tag);
        jw_json_text(&j, "digest", k->digest);
        jw_json_text(&j, "driver", k->driver);
        jw_json_text(&j, "stamp", k->stamp);
        jw_json_text(&j, "system", k->system);
        jw_json_bool(&j, "attached", k->attached);
        write_sm(&j, k->sm);
        jw_json_bool(&j, "simulated", k->simulated);
        jw_json_array(&j, "layers");
        for (size_t l = 0; l < k->n; l++) {
            jw_json_object(&j, NULL);
            jw_json_text(&j, "software", k->layers[l].software);
            jw_json_text(&j, "digest", k->layers[l].digest);
            jw_json_number(&j, "bytes", k->layers[l].size);
            jw_json_number(&j, "entries", k->layers[l].entries);
            jw_json_bool(&j, "signed", k->layers[l].is_signed);
            jw_json_bool(&j, "moved", k->layers[l].moved);
            jw_json_bool(&j, "mounted", k->layers[l].mounted);
            jw_json_close(&j);
        }
        jw_json_close(&j);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    jw_json_number(&j, "milliseconds", r->milliseconds);
    return finish(&j);
}

static void write_layer(struct jw_json *j, const struct jw_pull_layer *l)
{
    static const char *const states[] = { "new", "present", "imported" };

    jw_json_object(j, NULL);
    jw_json_text(j, "software", l->software);
    jw_json_text(j, "digest", l->digest);
    jw_json_number(j, "bytes", l->size);
    jw_json_text(j, "state", states[l->state]);
    jw_json_text(j, "end", l->state == JW_PULL_IMPORTED ? jw_import_end_name(l->end) : NULL);
    jw_json_text(j, "why", l->why);
    jw_json_text(j, "key", l->key);
    jw_json_close(j);
}

bool fleet_pull_json(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref, bool dry_run,
                     struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.pull/1", err);
    jw_json_text(&j, "from", ref->text);
    jw_json_bool(&j, "dry_run", dry_run);
    jw_json_bool(&j, "simulated", r->machine.simulated);
    jw_json_bool(&j, "changed", r->counts[JW_IMPORT_IMPORTED] > 0);
    jw_json_text(&j, "end", r->missing == r->n ? "unfit" : jw_import_end_name(r->end));
    jw_json_text(&j, "why", r->missing == r->n ? r->kinds[0].missing : r->why);
    jw_json_text(&j, "driver", r->machine.driver);
    jw_json_text(&j, "stamp", r->machine.stamp);
    jw_json_text(&j, "cache", r->cache);
    jw_json_number(&j, "layers", r->layers);
    jw_json_number(&j, "layers_fetched", r->fetched);
    jw_json_number(&j, "bytes_fetched", r->bytes_fetched);
    jw_json_object(&j, "entries");
    for (unsigned s = 0; s < JW_IMPORT_STATES; s++)
        jw_json_number(&j, jw_import_state_name((enum jw_import_state)s), r->counts[s]);
    jw_json_close(&j);
    jw_json_array(&j, "kinds");
    for (size_t i = 0; i < r->n; i++) {
        jw_json_object(&j, NULL);
        write_sm(&j, r->kinds[i].sm);
        jw_json_text(&j, "tag", r->kinds[i].tag);
        jw_json_text(&j, "digest", r->kinds[i].digest);
        jw_json_text(&j, "missing", r->kinds[i].missing);
        jw_json_array(&j, "layers");
        for (size_t l = 0; l < r->kinds[i].n; l++)
            write_layer(&j, &r->kinds[i].layers[l]);
        jw_json_close(&j);
        jw_json_close(&j);
    }
    jw_json_close(&j);
    jw_json_texts(&j, "notes", r->notes.v, r->notes.n);
    jw_json_number(&j, "milliseconds", r->milliseconds);
    return finish(&j);
}
