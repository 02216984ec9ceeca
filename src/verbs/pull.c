/* pull: the packs of a registry, a web server or a folder that fit this machine. */
#include "verbs/net.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "fleet/pull.h"
#include "os/machine/env.h"
#include "verbs/prime.h"

#include <ctype.h>

static const struct opt pull_opts[] = {
    { "dry-run", 'n', OPT_FLAG, offsetof(struct pull_args, import.dry_run), NULL,
      "print which layers would be fetched, and change nothing", NULL, HINT_NONE },
    { "or-prime", 0, OPT_FLAG, offsetof(struct pull_args, or_prime), NULL,
      "then compile what no pack had (jitwarm prime --yes), also if the remote cannot be reached", NULL,
      HINT_NONE },
    { "everything", 0, OPT_FLAG, offsetof(struct pull_args, import.everything), NULL,
      "also import entries of software that is not installed here", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct pull_args, import.allow_unsigned), NULL,
      "accept unsigned packs", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, offsetof(struct pull_args, import.trust), "KEY",
      "trust this public key (a file, or its text) for this pull; may be repeated", NULL, HINT_FILES },
    { "no-verify", 0, OPT_FLAG, offsetof(struct pull_args, import.no_verify), NULL,
      "load no entry afterwards (default: load a sample of the new entries in a new process)", NULL,
      HINT_NONE },
    OPT_CACHE(pull_args, cache, "into this cache"),
    { "as-root", 0, OPT_FLAG, offsetof(struct pull_args, import.as_root), NULL,
      "as root: for root itself, which is refused otherwise", NULL, HINT_NONE },
    NET_OPT_CACERT(pull_args),
    NET_OPT_DEADLINE(pull_args),
    { 0 },
};

/* ---- the report ---- */

struct pull_view {
    struct jw_pull_report r;
    const char *from, *why;
    enum jw_end end; /* where nothing fits, that is its end */
    bool dry_run, changed;
};

#define V struct pull_view
#define K struct jw_pull_kind
#define L struct jw_pull_layer

static const char *const state_names[] = { "new", "present", "imported" };

static const char *end_of_layer(const void *at, char out[80])
{
    const L *l = at;

    (void)out;
    return l->state == JW_PULL_IMPORTED ? jw_end_names[l->end] : NULL;
}

static const struct jw_spelling layer_end = { NULL, end_of_layer };

static const struct jw_row layer_rows[] = {
    { JW_ROW("software", L, software) },
    { JW_ROW("digest", L, digest), JW_NULLABLE, JW_PATTERN(NET_SHA) },
    { JW_ROW("bytes", L, size) },
    { JW_NAMED("state", L, state, state_names) },
    { JW_SPELT_OF("end", &layer_end), JW_NULLABLE, JW_ABOUT("as in jitwarm import") },
    { JW_ROW("why", L, why), JW_NULLABLE },
    { JW_ROW("key", L, key), JW_NULLABLE, JW_ABOUT("id of the trusted key that signed it") },
    { 0 },
};

static const struct jw_row kind_rows[] = {
    { JW_SPELT("gpu", K, sm, &jw_spell_sm) },
    { JW_ROW("tag", K, tag) },
    { JW_ROW("digest", K, digest), JW_NULLABLE, JW_PATTERN(NET_SHA) },
    { JW_ROW("missing", K, missing), JW_NULLABLE, JW_SENTENCE("Missing"), JW_ABOUT("why no manifest fits") },
    { JW_LIST("layers", K, layers, n, layer_rows) },
    { 0 },
};

static enum jw_tint say_end(struct jw_buf *out, const struct jw_pull_report *r)
{
    uint64_t to_fetch = 0;

    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            to_fetch += r->kinds[k].layers[i].state == JW_PULL_NEW;
    if (jw_pull_fits_none(r)) {
        jw_say(out, "No pack fits this machine: %s", r->kinds[0].missing);
        return TINT_WARN;
    }
    if (to_fetch) {
        jw_say(out, "%s would be downloaded", JW_N(to_fetch, "layer", "layers"));
        return TINT_NONE;
    }
    if (r->why && r->end != JW_END_PARTLY) {
        jw_say(out, "%s: %s", r->end == JW_END_REFUSED ? "Refused" : "Not imported", r->why);
        return TINT_BAD;
    }
    if (r->end == JW_END_INTERRUPTED)
        jw_say(out, "Interrupted: ");
    if (r->counts[JW_IMPORT_IMPORTED])
        jw_say(out, "%s %s (%s); downloaded %s in %s", r->end == JW_END_INTERRUPTED ? "imported" : "Imported",
               JW_N(r->counts[JW_IMPORT_IMPORTED], "entry", "entries"), JW_SIZE(r->bytes[JW_IMPORT_IMPORTED]),
               JW_SIZE(r->bytes_fetched), JW_TOOK((double)r->milliseconds / 1000));
    else if (r->end == JW_END_INTERRUPTED || (r->end == JW_END_PARTLY && r->fetched))
        jw_say(out, r->end == JW_END_PARTLY ? "Nothing was imported" : "nothing was imported");
    else
        jw_say(out, "%s%s for this machine %s in the cache already",
               r->end == JW_END_NOTHING ? "Nothing to do: " : "",
               r->layers == 1 ? "the one layer" : JW_PHRASE("all %s layers", JW_NUM(r->layers)),
               r->layers == 1 ? "is" : "are");
    if (r->end == JW_END_PARTLY && r->why)
        jw_say(out, ", but %s", r->why);
    out->p[0] = (uint8_t)toupper(out->p[0]);
    return r->end == JW_END_INTERRUPTED || (r->end == JW_END_PARTLY && !r->counts[JW_IMPORT_IMPORTED])
               ? TINT_WARN
               : TINT_GOOD;
}

static const char *state_of(const L *l)
{
    if (l->state == JW_PULL_NEW)
        return "new";
    if (l->state == JW_PULL_HERE || l->end == JW_END_NOTHING)
        return "present";
    if (l->end == JW_END_PARTLY && !l->counts[JW_IMPORT_IMPORTED])
        return "skipped";
    return l->end == JW_END_DONE ? "imported" : jw_end_names[l->end];
}

static void show_pull_layers(struct jw_page *p, const K *k)
{
    static const struct jw_column columns[] = { { "LAYER", COLUMN_LEFT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "SOFTWARE", COLUMN_TEXT } };
    size_t max = net_layers_shown(p, k->n);
    struct jw_table table;

    if (!k->n)
        return;
    jw_table_begin(&table, p->arena, columns, 3);
    for (size_t i = 0; i < max; i++) {
        jw_table_cell(&table, TINT_NONE, state_of(&k->layers[i]));
        jw_table_cell_bytes(&table, k->layers[i].size);
        jw_table_cell(&table, TINT_NONE, k->layers[i].software);
    }
    net_show_layers(p, &table, max, k->n);
}

static void show_key_of(struct jw_page *p, const K *k)
{
    const char *key = NULL;
    size_t keyed = 0, looked = 0, bare = 0;

    for (size_t i = 0; i < k->n; i++) {
        looked += k->layers[i].state == JW_PULL_IMPORTED && k->layers[i].end != JW_END_INTERRUPTED;
        keyed += k->layers[i].key != NULL;
        bare += k->layers[i].is_unsigned;
        key = k->layers[i].key ? k->layers[i].key : key;
    }
    if (!looked || (keyed && keyed < looked))
        return;
    jw_page_say(p, key ? TINT_NONE : TINT_WARN, "Signed", "%s%s",
                key              ? "by key "
                : bare == looked ? "no: nothing shows who made the packs"
                                 : "not by a trusted key",
                key ? key : "");
}

static void show_foreign(struct jw_page *p, const void *of)
{
    const struct jw_pull_report *r = &((const V *)of)->r;

    if (r->counts[JW_IMPORT_FOREIGN])
        jw_page_say(p, TINT_WARN, "Skipped",
                    "%s (%s) of software that was not found here; name its folder or use --everything",
                    JW_N(r->counts[JW_IMPORT_FOREIGN], "entry", "entries"),
                    JW_SIZE(r->bytes[JW_IMPORT_FOREIGN]));
}

static void show_pull_head(struct jw_page *p, const void *of)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    enum jw_tint tint = say_end(&text, &((const V *)of)->r);

    jw_page_head(p, tint, &text);
}

static void show_pull_kinds(struct jw_page *p, const void *of)
{
    const struct jw_pull_report *r = &((const V *)of)->r;

    for (size_t i = 0; i < r->n; i++) {
        const K *k = &r->kinds[i];

        show_pull_layers(p, k);
        net_show_for(p, r->machine.driver, r->machine.stamp, k->sm);
        if (!jw_pull_fits_none(r))
            jw_page_rows(p, TINT_WARN, kind_rows, k);
        show_key_of(p, k);
    }
}

static void show_to_do(struct jw_page *p, const void *of)
{
    const V *v = of;

    if (jw_pull_fits_none(&v->r))
        jw_page_whole(p, TINT_STRONG, "To do", "jitwarm prime && %s   # on a machine of this kind",
                      JW_COMMAND(p->arena, jw_os_is_windows(), "jitwarm", "push", v->from));
    jw_page_advice(p, v->r.advice.v, v->r.advice.n);
    jw_page_end(p, v->r.machine.stamp);
}

static const struct jw_row rows[] = {
    { JW_TEXT_ALONE(show_pull_head) },
    { JW_ROW("from", V, from) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_ROW("changed", V, changed), JW_ABOUT("an entry was imported") },
    { JW_ENDING(V, end, IMPORT_ENDS), JW_ABOUT("the worst result of all layers, as in jitwarm import") },
    { JW_ROW("why", V, why), JW_NULLABLE },
    { JW_PART(V, r.next_start, jw_next_start_rows) },
    { JW_ROW("driver", V, r.machine.driver), JW_NULLABLE },
    JW_STAMP(V, r.machine.stamp),
    { JW_LIST("kinds", V, r.kinds, r.n, kind_rows), JW_SHOW(show_pull_kinds) },
    { JW_ENUM_MAP("entries", V, r.counts, jw_import_state_names, NULL), JW_SHOW(show_foreign) },
    { JW_ROW("cache", V, r.cache.folder), JW_NULLABLE, JW_LABEL("Cache") },
    { JW_ROW("layers", V, r.layers) },
    { JW_ROW("layers_fetched", V, r.fetched) },
    { JW_ROW("bytes_fetched", V, r.bytes_fetched) },
    { JW_TEXTS("notes", V, r.notes.v, r.notes.n), JW_SENTENCE("Note") },
    { JW_ROW("milliseconds", V, r.milliseconds) },
    { JW_TEXT_ALONE(show_to_do) },
    { 0 },
};

const struct jw_form pull_form = { .verb = "pull",
                                   .about = "What was looked up, downloaded and imported.",
                                   .rows = rows,
                                   .label = NET_LABEL,
                                   .tint = TINT_FAINT };

/* ---- the run ---- */

static int exit_of(const struct jw_pull_report *r)
{
    int code = jw_pull_fits_none(r) ? EXIT_UNFIT_PACK : jw_cli_exit(r->end);

    return code == EXIT_DONE && r->missing ? EXIT_PARTLY : code;
}

/* Another jitwarm at work on the cache is waited for. */
static unsigned wait_of(const struct pull_args *a)
{
    enum { USUAL_WAIT_S = 60 };

    return a->net.deadline_s ? a->net.deadline_s : USUAL_WAIT_S;
}

static bool pull_once(struct cli *cli, const struct pull_args *a, const struct jw_ref *ref, bool same_login,
                      struct jw_pull_report *report, struct jw_err *err)
{
    struct jw_import_options import = a->import;
    struct jw_run run = jw_cli_run(cli);
    const struct jw_pull_options o = { .net = net_options(cli, &a->net, ref),
                                       .ref = ref,
                                       .import = &import,
                                       .run = &run,
                                       .same_login = same_login };

    import.paths = (struct jw_texts){ a->words.items + 1, a->words.n - 1 };
    import.wait_s = wait_of(a);
    cli->session.cache = a->cache;
    run.ask = NULL; /* a download does not wait for an answer */
    bool ok = jw_pull(&o, cli->arena, report, err);

    jw_messages_progress_end(&cli->messages);
    return ok;
}

static int pull_and_show(struct cli *cli, const struct pull_args *a, const struct jw_ref *ref, bool to_stderr)
{
    V v = { .from = ref->text, .dry_run = a->import.dry_run };
    struct jw_err err = { 0 };
    bool ok = pull_once(cli, a, ref, false, &v.r, &err);

    v.end = v.r.end;
    v.why = v.r.why;
    v.changed = v.r.counts[JW_IMPORT_IMPORTED] > 0;
    if (ok && jw_pull_fits_none(&v.r)) {
        v.end = JW_END_UNFIT;
        v.why = v.r.kinds[0].missing;
    }
    ok = ok && (to_stderr ? jw_cli_report_stderr : jw_cli_report)(cli, &pull_form, &v, &err);
    return ok ? exit_of(&v.r) : jw_cli_fail(cli, &err);
}

/* Compiles what no pack had. Its exit code counts. */
static int or_prime(struct cli *cli, const struct pull_args *a, int code)
{
    const struct prime_args args = { .o = { .paths = { a->words.items + 1, a->words.n - 1 },
                                            .wait_s = wait_of(a),
                                            .as_root = a->import.as_root },
                                     .cache = a->cache,
                                     .yes = true };

    if (code == EXIT_INTERRUPTED || code == EXIT_USAGE || code == EXIT_BUG || a->import.dry_run)
        return code;
    if (code == EXIT_DONE)
        jw_messages_detail(&cli->messages, "looking for modules that no pack had");
    return prime_run(cli, &args, PRIME_PRIME);
}

static int run(struct cli *cli, const void *given)
{
    const struct pull_args *args = given;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };
    int code;

    if (!jw_ref_parse(args->words.items[0], cli->arena, &ref, &err))
        return jw_cli_usage(cli, &err);
    code = pull_and_show(cli, args, &ref, args->or_prime);
    return args->or_prime ? or_prime(cli, args, code) : code;
}

void pull_before(struct cli *cli, const struct pull_args *a)
{
    struct jw_pull_report report;
    struct jw_ref ref = { 0 };
    struct jw_err err = { 0 };

    if (!jw_ref_parse(a->words.items[0], cli->arena, &ref, &err)
        || !pull_once(cli, a, &ref, true, &report, &err)) {
        jw_messages_warn(&cli->messages, "%s; nothing was pulled", err.msg);
        return;
    }
    const uint64_t imported = report.counts[JW_IMPORT_IMPORTED];
    const char *why = jw_pull_fits_none(&report)                                  ? report.kinds[0].missing
                      : report.end == JW_END_DONE || report.end == JW_END_NOTHING ? NULL
                                                                                  : report.why;

    if (imported)
        jw_messages_say(&cli->messages, "pulled %llu %s from %.200s", (unsigned long long)imported,
                        imported == 1 ? "entry" : "entries", a->words.items[0]);
    if (why)
        jw_messages_warn(&cli->messages, "%.200s: %s", a->words.items[0], why);
    else if (!imported)
        jw_messages_detail(&cli->messages, "the cache has all packs of %.200s for this machine",
                           a->words.items[0]);
}

static const struct example pull_examples[] = {
    { "jitwarm pull /srv/jit", "pull what fits this machine from a shared folder" },
    { "jitwarm pull oci://reg.example/team/jit --deadline 2m",
      "pull from a registry, for at most two minutes" },
    { "jitwarm pull /srv/jit --or-prime", "and compile what no pack has" },
    { "jitwarm pull /srv/jit /opt/app", "for software that jitwarm does not find by itself" },
    { "jitwarm pull --dry-run /srv/jit", "show which layers would be downloaded" },
    { 0 },
};

const struct cmd jw_cmd_pull = {
    .name = "pull",
    .summary = "fetch and import what another machine pushed",
    .synopsis_args = "REF [PATH...]",
    .details =
        "Looks up this machine's driver build and GPUs in the index at REF and imports the packs that fit, "
        "as jitwarm import does: digest, signature and key are checked before anything is written. Packs "
        "that an earlier pull imported are not downloaded again.\n\n"
        "REF is as in jitwarm push. The default tag is the line of jitwarm key. A folder can be read-only. "
        "If another jitwarm uses the cache, pull waits for it, for a minute or for --deadline.\n\n"
        "Imports only entries of CUDA software that is found here: in PATH, or without PATH in what was "
        "primed and in what is installed. --everything imports all.\n\n"
        "Exit codes: 0 the cache has everything for this machine; 1 some entries are not in the cache; 2 "
        "wrong option or REF; 3 unknown driver or GPU; 4 the cache cannot be written; 5 no pack fits this "
        "machine; 6 a pack is damaged or not signed by a trusted key; 7 another jitwarm is running; 8 the "
        "remote cannot be "
        "reached or sent wrong data; 130 Ctrl-C. With --or-prime it is the exit code of jitwarm prime.",
    .examples = pull_examples,
    .opts = pull_opts,
    .often = "or-prime trust allow-unsigned everything no-verify cache cacert deadline dry-run",
    .args_size = sizeof(struct pull_args),
    .positional_at = offsetof(struct pull_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
