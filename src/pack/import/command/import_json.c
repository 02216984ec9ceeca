#include "base/json_write.h"
#include "cache/memory/state.h"
#include "pack/import/command/import_view.h"
#include "prime/command/prime_view.h"

#include <stdio.h>

static void write_sm(struct jw_json *j, const char *key, unsigned sm)
{
    char text[16];

    (void)snprintf(text, sizeof text, "sm_%u", sm);
    jw_json_text(j, key, text);
}

/* ---- the pack ---- */

static void write_signature(struct jw_json *j, const struct jw_import_signature *s)
{
    jw_json_object(j, "signature");
    jw_json_text(j, "state", s->state);
    jw_json_text(j, "key", s->key);
    jw_json_text(j, "trusted_comment", s->comment);
    jw_json_text(j, "trusted_by", s->from);
    jw_json_text(j, "where", s->where);
    jw_json_close(j);
}

static void write_age(struct jw_json *j, const char *date, const char *counter, uint64_t when,
                      uint64_t number)
{
    if (when) {
        jw_json_number(j, date, when);
        jw_json_number(j, counter, number);
    } else {
        jw_json_null(j, date);
        jw_json_null(j, counter);
    }
}

static void write_pack(struct jw_json *j, const struct jw_import_report *r)
{
    const struct jw_pack_manifest *m = r->manifest;

    jw_json_object(j, "pack");
    jw_json_text(j, "name", r->pack);
    jw_json_number(j, "bytes", r->pack_bytes);
    jw_json_text(j, "tool", m ? m->tool : NULL);
    jw_json_text(j, "os", m ? m->os : NULL);
    jw_json_text(j, "arch", m ? m->arch : NULL);
    jw_json_text(j, "driver", m ? m->driver : NULL);
    jw_json_text(j, "stamp", m ? m->stamp : NULL);
    if (m)
        write_sm(j, "gpu", m->sm);
    else
        jw_json_null(j, "gpu");
    jw_json_bool(j, "simulated", m && m->simulated);
    write_age(j, "date", "counter", m ? m->date : 0, m ? m->counter : 0);
    write_age(j, "newest_date", "newest_counter", r->older ? r->newest.date : 0,
              r->older ? r->newest.counter : 0);
    write_signature(j, &r->signature);
    jw_json_close(j);
}

static void write_factors(struct jw_json *j, const struct jw_import_report *r)
{
    jw_json_array(j, "differs");
    for (size_t i = 0; i < r->n_factors; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "factor", r->factors[i].name);
        jw_json_text(j, "pack", r->factors[i].pack);
        jw_json_text(j, "here", r->factors[i].here);
        jw_json_close(j);
    }
    jw_json_close(j);
}

/* ---- what became of it ---- */

static void write_counts(struct jw_json *j, const struct jw_import_report *r)
{
    jw_json_object(j, "totals");
    jw_json_number(j, "entries", r->n_entries);
    jw_json_number(j, "need_bytes", r->need);
    jw_json_number(j, "drawn", r->drawn);
    jw_json_number(j, "audited", r->audited);
    jw_json_number(j, "records_waiting", r->records);
    jw_json_number(j, "milliseconds", r->milliseconds);
    jw_json_close(j);
    jw_json_object(j, "counts");
    for (unsigned s = 0; s < JW_IMPORT_STATES; s++) {
        jw_json_object(j, jw_import_state_name((enum jw_import_state)s));
        jw_json_number(j, "entries", r->counts[s]);
        jw_json_number(j, "bytes", r->bytes[s]);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_entries(struct jw_json *j, const struct jw_import_report *r)
{
    jw_json_array(j, "entries");
    for (size_t i = 0; i < r->n_entries; i++) {
        const struct jw_import_entry *e = &r->entries[i];
        char digest[2 * JW_DIGEST + 1];

        jw_digest_hex(digest, e->of->digest);
        jw_json_object(j, NULL);
        jw_json_text(j, "name", jw_cache_name(e->of->name).text);
        jw_json_text(j, "state", jw_import_state_name(e->state));
        jw_json_text(j, "why", e->why);
        jw_json_number(j, "bytes", e->of->key_bytes + e->of->payload_bytes);
        jw_json_text(j, "origin",
                     e->of->origin == JW_PACK_NO_ORIGIN ? NULL : r->manifest->origins[e->of->origin].name);
        jw_json_text(j, "made", jw_pack_made_name(e->of->made));
        jw_json_text(j, "digest", digest);
        jw_json_close(j);
    }
    jw_json_close(j);
}

/* ---- here ---- */

static void write_here(struct jw_json *j, const struct jw_prime_report *r)
{
    jw_json_object(j, "driver");
    jw_json_text(j, "version", r->driver_version);
    jw_json_text(j, "build", r->build);
    jw_json_text(j, "stamp", r->stamp);
    if (r->level == JW_LEVEL_NONE)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)r->level);
    jw_json_close(j);
    jw_json_object(j, "cache");
    jw_json_text(j, "root", r->root);
    jw_json_number(j, "limit_bytes", r->limit);
    jw_json_bool(j, "limit_known", r->limit_known);
    jw_json_number(j, "used_bytes", r->used);
    jw_json_number(j, "free_disk_bytes", r->free_disk);
    jw_json_close(j);
}

static void write_verify(struct jw_json *j, const struct jw_prime_report *r)
{
    const struct jw_verify_report *v = &r->verify;

    jw_json_object(j, "verify");
    jw_json_bool(j, "done", v->done);
    jw_json_bool(j, "verified", prime_is_verified(r));
    jw_json_text(j, "why", v->why);
    jw_json_array(j, "passes");
    for (size_t i = 0; i < v->n_passes; i++)
        jw_rows_object(j, NULL, prime_pass_rows, &v->passes[i]);
    jw_json_close(j);
    jw_json_array(j, "misses");
    for (size_t i = 0; i < v->n_misses; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "entry", jw_cache_name(r->jobs[v->misses[i].job].name).text);
        jw_json_text(j, "cause", v->misses[i].cause);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_close(j);
}

bool import_write_json(struct cli *cli, const struct jw_import_report *r, struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.import/1", err);
    jw_json_flag(&j, "simulated", r->prime.simulated);
    jw_json_text(&j, "end", jw_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    jw_json_bool(&j, "dry_run", r->dry_run);
    write_pack(&j, r);
    write_factors(&j, r);
    write_here(&j, &r->prime);
    write_counts(&j, r);
    write_entries(&j, r);
    write_verify(&j, &r->prime);
    jw_json_object(&j, "store");
    jw_json_text(&j, "path", r->stored);
    jw_json_bool(&j, "there_before", r->stored_before);
    jw_json_close(&j);
    jw_json_texts(&j, "advice", r->prime.advice, r->prime.n_advice);
    jw_json_texts(&j, "notes", r->prime.notes, r->prime.n_notes);
    jw_json_close(&j);
    return jw_json_end(&j);
}
