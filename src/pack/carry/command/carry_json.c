#include "base/json_write.h"
#include "pack/carry/command/carry_view.h"
#include "prime/command/prime_view.h"

static void write_entry(struct jw_json *j, const struct jw_carry_entry *e)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "from", jw_cache_name(e->from).text);
    jw_json_text(j, "name", e->name ? jw_cache_name(e->name).text : NULL);
    jw_json_text(j, "stamp", e->stamp);
    jw_json_text(j, "gpu", e->arch);
    jw_json_number(j, "bytes", e->bytes);
    jw_json_text(j, "state", jw_carry_state_name(e->state));
    jw_json_text(j, "why", e->why);
    jw_json_close(j);
}

static void write_counts(struct jw_json *j, const struct jw_carry_report *r)
{
    jw_json_object(j, "counts");
    for (unsigned s = 0; s < JW_CARRY_STATES; s++)
        jw_json_number(j, jw_carry_state_name((enum jw_carry_state)s), r->counts[s]);
    jw_json_number(j, "newer", r->newer);
    jw_json_number(j, "removed", r->removed);
    jw_json_close(j);
    jw_json_number(j, "carried_bytes", r->carried_bytes);
    jw_json_number(j, "removed_bytes", r->removed_bytes);
}

bool carry_write_json(struct cli *cli, const struct carry_view *v, struct jw_err *err)
{
    const struct jw_carry_report *r = v->report;
    const struct jw_prime_report *p = &r->prime;
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.carry/1", err);
    jw_json_flag(&j, "simulated", p->simulated);
    jw_json_text(&j, "end", jw_prime_end_name(p->end));
    jw_json_text(&j, "why", p->why);
    jw_json_bool(&j, "dry_run", v->dry_run);
    jw_json_bool(&j, "undo", v->undo);
    jw_json_bool(&j, "proven", r->proven);
    jw_json_text(&j, "unproven", r->unproven);
    jw_json_bool(&j, "renewing", v->renewing);
    jw_rows_object(&j, "driver", prime_driver_rows, p);
    jw_json_object(&j, "cache");
    jw_json_text(&j, "root", p->root);
    jw_json_number(&j, "limit_bytes", p->limit);
    jw_json_number(&j, "used_bytes", p->used);
    jw_json_close(&j);
    write_counts(&j, r);
    jw_json_array(&j, "entries");
    for (size_t i = 0; i < r->n_entries; i++)
        write_entry(&j, &r->entries[i]);
    jw_json_close(&j);
    jw_json_number(&j, "milliseconds", p->milliseconds);
    jw_json_texts(&j, "advice", p->advice, p->n_advice);
    jw_json_texts(&j, "notes", p->notes, p->n_notes);
    jw_json_close(&j);
    return jw_json_end(&j);
}
