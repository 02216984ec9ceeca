#include "cache/memory/spell.h"
#include "fleet/command/fleet_view.h"
#include "verbs/import.h"

#define SHA "^sha256:[0-9a-f]{64}$"
#define M struct jw_push_layer
#define K struct jw_push_kind
#define P struct pushed
#define L struct jw_pull_layer
#define N struct jw_pull_kind
#define R struct pulled
#define ALL struct jw_pull_report

static const struct jw_row pushed_layers[] = {
    { JW_ROW("software", M, software) },
    { JW_ROW("digest", M, digest), JW_NULLABLE, JW_PATTERN(SHA) },
    { JW_ROW("bytes", M, size) },
    { JW_ROW("entries", M, entries) },
    { JW_ROW("key", M, key), JW_NULLABLE,
      JW_ABOUT("id of the key that signed it, as its pusher says; null: unsigned") },
    { JW_ROW("moved", M, moved) },
    { JW_ROW("kept", M, kept), JW_ABOUT("of an earlier push of other software") },
    { 0 },
};

const struct jw_row fleet_push_rows[] = {
    { JW_ROW("tag", K, tag) },
    { JW_ROW("digest", K, digest), JW_NULLABLE, JW_LABEL("Digest"), JW_PATTERN(SHA),
      JW_ABOUT("of the manifest") },
    { JW_ROW("driver", K, driver), JW_NULLABLE },
    JW_STAMP(K, stamp),
    { JW_ROW("system", K, system) },
    { JW_SPELT("gpu", K, sm, &jw_spell_sm) },
    { JW_ROW("replaced", K, replaced),
      JW_ABOUT("layers of earlier pushes that the manifest no longer names") },
    { JW_LIST("layers", K, layers, n, pushed_layers) },
    { 0 },
};

struct pushed {
    struct jw_push_report r;
    const char *to;
    bool changed;
};

static const struct jw_row push[] = {
    { JW_ROW("to", P, to) },
    { JW_ROW("changed", P, changed), JW_ABOUT("a layer was sent") },
    { JW_ROW("layers", P, r.layers) },
    { JW_ROW("layers_moved", P, r.layers_moved) },
    { JW_ROW("bytes", P, r.bytes) },
    { JW_ROW("bytes_moved", P, r.bytes_moved) },
    { JW_LIST("kinds", P, r.kinds, r.n, fleet_push_rows) },
    { JW_ROW("milliseconds", P, r.milliseconds) },
    { 0 },
};

const struct jw_form push_form = { .verb = "push",
                                   .about = "What the remote has now, and what was sent.",
                                   .rows = push };

bool fleet_push_json(struct cli *cli, const struct jw_push_report *r, const struct jw_ref *ref,
                     struct jw_err *err)
{
    const P all = { *r, ref->text, r->layers_moved > 0 };

    return jw_output_report(&cli->out, &push_form, &all, err);
}

/* ---- pull ---- */

static const char *state_name(unsigned state)
{
    static const char *const states[] = { "new", "present", "imported" };

    return states[state];
}

static const char *end_of_layer(const void *at, char out[80])
{
    const L *l = at;

    (void)out;
    return l->state == JW_PULL_IMPORTED ? jw_end_name(l->end) : NULL;
}

static const struct jw_spelling layer_end = { NULL, end_of_layer };

static const struct jw_row pulled_layers[] = {
    { JW_ROW("software", L, software) },
    { JW_ROW("digest", L, digest), JW_NULLABLE, JW_PATTERN(SHA) },
    { JW_ROW("bytes", L, size) },
    { JW_NAMED("state", L, state, state_name, JW_PULL_IMPORTED + 1) },
    { JW_SPELT_OF("end", &layer_end), JW_NULLABLE, JW_ABOUT("as in jitwarm import") },
    { JW_ROW("why", L, why), JW_NULLABLE },
    { JW_ROW("key", L, key), JW_NULLABLE, JW_ABOUT("id of the trusted key that signed it") },
    { 0 },
};

const struct jw_row fleet_pull_kind_rows[] = {
    { JW_SPELT("gpu", N, sm, &jw_spell_sm) },
    { JW_ROW("tag", N, tag) },
    { JW_ROW("digest", N, digest), JW_NULLABLE, JW_PATTERN(SHA) },
    { JW_ROW("missing", N, missing), JW_NULLABLE, JW_SENTENCE("Missing"), JW_ABOUT("why no manifest fits") },
    { JW_LIST("layers", N, layers, n, pulled_layers) },
    { 0 },
};

struct pulled {
    struct jw_pull_report r; /* where nothing fits, that is its end */
    const char *from;
    bool dry_run, changed;
};

const struct jw_row fleet_pull_rows[] = {
    { JW_ROW("cache", ALL, cache.root), JW_NULLABLE, JW_LABEL("Cache") },
    { JW_ROW("layers", ALL, layers) },
    { JW_ROW("layers_fetched", ALL, fetched) },
    { JW_ROW("bytes_fetched", ALL, bytes_fetched) },
    { JW_ENUM_MAP("entries", ALL, counts, jw_import_state_name, JW_IMPORT_STATES, NULL) },
    { JW_LIST("kinds", ALL, kinds, n, fleet_pull_kind_rows) },
    { JW_TEXTS("notes", ALL, notes.v, notes.n), JW_SENTENCE("Note") },
    { JW_ROW("milliseconds", ALL, milliseconds) },
    { 0 },
};

static const struct jw_row pull[] = {
    { JW_ROW("from", R, from) },
    { JW_ROW("dry_run", R, dry_run) },
    { JW_ROW("changed", R, changed), JW_ABOUT("an entry was imported") },
    { JW_ENDING(R, r.end, IMPORT_ENDS), JW_ABOUT("the worst result of all layers, as in jitwarm import") },
    { JW_ROW("why", R, r.why), JW_NULLABLE },
    { JW_PART(R, r.next_start, jw_next_start_rows) },
    { JW_ROW("driver", R, r.machine.driver), JW_NULLABLE },
    JW_STAMP(R, r.machine.stamp),
    { JW_PART(R, r, fleet_pull_rows) },
    { 0 },
};

const struct jw_form pull_form = { .verb = "pull",
                                   .about = "What was looked up, downloaded and imported.",
                                   .rows = pull };

bool fleet_pull_json(struct cli *cli, const struct jw_pull_report *r, const struct jw_ref *ref, bool dry_run,
                     struct jw_err *err)
{
    R all = { *r, ref->text, dry_run, r->counts[JW_IMPORT_IMPORTED] > 0 };

    if (jw_pull_fits_none(r)) {
        all.r.end = JW_END_UNFIT;
        all.r.why = r->kinds[0].missing;
    }
    return jw_output_report(&cli->out, &pull_form, &all, err);
}
