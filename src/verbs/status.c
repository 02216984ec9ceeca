/* status: what the driver's cache holds, what was primed into it, and whether that is warm. */
#include "cli/cli.h"
#include "verbs/prime_parts.h"

#include <math.h>

struct status {
    struct cli *cli;
    struct jw_run run; /* one that ended did not come to look */
    struct jw_prime report;
    struct jw_look *look;    /* of the report */
    struct jw_texts damaged; /* each with its name, and how */
    uint64_t unindexed;
};

/* ---- what is there ---- */

static void count_entries(struct status *s, struct jw_arena *a)
{
    uint64_t whole = 0;
    const struct jw_look *l = s->look;

    for (const struct jw_cache_file *f = l->all.files; f < l->all.files + l->all.n; f++) {
        if (f->damage && !f->unread)
            jw_texts_add(&s->damaged, a,
                         jw_arena_printf(a, "%s: %s", jw_cache_name(f->name).text, f->damage));
        s->unindexed += !f->indexed;
        whole += f->damage ? 0 : f->size - JW_CACHE_HEADER;
    }
    if (l->all.index_damage || l->cache.refusal
        || jw_look_facts(l).found.index_damaged) /* as much as the index counts once it is mended,
                                                    or can be read */
        s->look->scope.used = whole;
}

/* With paths it looks for their modules alone. */
static bool look(struct status *s, const struct jw_texts *paths, struct jw_err *err)
{
    const struct shared *given = &s->cli->shared;
    const struct jw_prime_options o = {
        .form = JW_PRIME_ANSWER,
        .want = {.by_root = !paths->n, .paths = *paths, .gpus = given->gpus, .all = given->all}};

    if (!jw_prime(&s->run, &o, &s->report, err))
        return false;
    s->look = s->report.look;
    if (paths->n)
        return true;
    if (!jw_look_cache_list(&s->run, s->look, err))
        return false;
    if (s->run.ended) { /* no look has read them */
        jw_roots_load(s->look->memory, s->run.a, &s->look->roots);
        s->look->scope.used = s->look->all.index.total;
    }
    count_entries(s, s->run.a);
    return true;
}

static struct jw_answer answer_of_root(const struct status *s, size_t number, bool gone)
{
    if (gone || s->run.ended)
        return (struct jw_answer){0};
    return s->look->of_roots ? s->look->of_roots[number] : jw_look_answer(s->look);
}

/* The word that a root has instead of a count. The most specific reason comes first. */
static const char *why_not_counted(const struct jw_root *root, const struct jw_answer *a, bool gone)
{
    if (a->changed)
        return "changed";
    if (gone || a->sourceless)
        return "gone";
    if (a->is == JW_NOT_LOOKED || a->unknown)
        return "unknown";
    if (a->unread)
        return "not read";
    if (a->needs)
        return "too new";
    if (a->blocked || a->empty)
        return "no code";
    if (root->n_words && !root->n_modules)
        return "makes its own";
    return "none to compile";
}

/* "2 of 3, not all read", or why there is no count. */
static const char *warm_column(struct rep *r, const struct jw_root *root, const struct jw_answer *a,
                               bool gone)
{
    uint64_t all = a->modules + a->blocked + a->sourceless;

    if (!a->modules || a->unknown)
        return why_not_counted(root, a, gone);
    return jw_arena_printf(r->a, "%s of %s%s", JW_NUM(a->warm), JW_NUM(all),
                           a->unread ? ", not all read" : "");
}

static void report_root(struct rep *r, const struct status *s, size_t number)
{
    const struct jw_root *root = &s->look->roots.v[number];
    bool gone = root->kind == JW_ROOT_NAMED && jw_is_absent(root->path);
    const struct jw_answer a = answer_of_root(s, number, gone);
    bool counted = gone || a.is != JW_NOT_LOOKED;

    rep_fact(r, "modules", NULL, rep_known(counted, rep_count(a.modules)));
    rep_fact(r, "warm", NULL, rep_known(counted && !a.unknown, rep_count(a.warm)));
    rep_fact(r, NULL, "WARM", rep_text(warm_column(r, root, &a, gone)));
}

/* The latest first; each as forget takes it. */
static void list_roots(struct rep *r, const struct status *s)
{
    const char *here = r->cli->shared.verbose ? NULL : s->look->roots.here;

    rep_table(r, "remembered", 10);
    for (size_t i = s->look->roots.n; i-- > 0;) {
        struct jw_root *e = &s->look->roots.v[i];
        struct jw_buf when = JW_LINE(r->a);

        jw_text_time(&when, e->when);
        rep_row(r);
        report_root(r, s, i);
        rep_detail(r, "when", "WHEN", rep_text(jw_buf_cstr(&when)));
        jw_show_root(r, e, "WHAT", here);
    }
    rep_end(r);
}

static void list_builds(struct rep *r, const struct jw_look *l)
{
    size_t n;
    const struct jw_prune_group *v = jw_prune_groups(&l->all, NULL, r->a, &n);

    rep_table(r, "builds", 10);
    for (const struct jw_prune_group *g = v; g < v + n; g++) {
        const struct jw_scope *s = &l->scope;
        bool current =
            s->stamp && jw_cache_serves(g->kind, g->stamp, g->version, s->stamp, s->version);

        rep_row(r);
        jw_show_build(r, g);
        rep_fact(r, "bytes", "SIZE", rep_bytes(g->sum.bytes - g->sum.entries * JW_CACHE_HEADER));
        rep_fact(r, "current", "CURRENT", rep_yes(current));
        rep_detail(r, "stamp", "BUILT", rep_text(jw_stamp_text(g->stamp).text));
    }
    rep_end(r);
}

/* How long the rest would take. A cause that stops prime, or a lack of room, is said instead. */
static void say_rest(struct rep *r, const struct status *s)
{
    const struct jw_look *l = s->look;
    const struct plan *rest = &s->report.plan;
    bool stays_cold = l->stop || jw_answer_count(l, jw_job_has_no_room);

    rep_fact(r, "predicted_seconds", NULL, rep_seconds(l->stop ? NAN : rest->seconds));
    if (!stays_cold)
        rep_fact(r, NULL, "Estimate", rep_text(jw_estimate(r, rest)));
    jw_show_jobs(r, l);
}

static void say_cache(struct rep *r, const struct status *s)
{
    const struct jw_scope *scope = &s->look->scope;

    if (s->report.summary.leads) /* else the answer has it */
        rep_fact(r, NULL, "Cache", rep_path(scope->cache));
    if (scope->used || (scope->cache && !jw_is_absent(scope->cache)))
        rep_say(r, REP_PLAIN, "Used", scope->limit == JW_CACHE_UNKNOWN ? "%s" : "%s of %s",
                JW_SIZE(scope->used), JW_SIZE(scope->limit));
    rep_fact(r, "entries", NULL, rep_count(s->look->all.n));
    rep_fact(r, "damaged", NULL, rep_count(s->damaged.n));
    rep_texts(r, NULL, r->cli->shared.verbose ? "Damaged" : NULL, s->damaged.v, s->damaged.n);
    rep_fact(r, "unindexed", NULL, rep_count(s->unindexed));
    if (s->look->all.index_damage)
        rep_detail(r, "index", "Index", rep_text(s->look->all.index_damage));
    list_roots(r, s);
    if (r->cli->shared.json || r->cli->shared.verbose)
        list_builds(r, s->look);
    if (s->run.ended && s->look->roots.damaged) /* else it is in the answer */
        rep_note(r, "%s", s->look->roots.damaged);
    for (size_t i = 0; i < s->look->all.notes.n; i++)
        rep_note(r, "%s", s->look->all.notes.v[i]);
}

static int status_run(struct cli *cli, const void *args)
{
    const struct jw_texts *paths = args;
    struct status s = {.cli = cli, .run = jw_cli_run(cli)};
    struct jw_err err = {0};
    struct rep *r = rep_open(cli, "status");
    bool ok = look(&s, paths, &err);

    if (ok) {
        jw_show_look(r, false, &s.report.summary, s.look);
        say_rest(r, &s);
        if (!paths->n)
            say_cache(r, &s);
        rep_run(r, &s.run);
    }
    int code = ok ? rep_close_with(r, s.report.summary.end) : jw_cli_fail(cli, &err);
    jw_prime_free(&s.report);
    return code;
}

const struct cmd jw_cmd_status = {
    .name = "status",
    .summary = "is it compiled? how long would the rest take?",
    .synopsis_args = "[PATH...]",
    .details = "Says whether all CUDA code of PATH (a file or folder), or of what prime takes "
               "without it, is in the cache now, and about how long prime would take for the rest. "
               "Without PATH it lists the paths and commands that are remembered, too. Nothing is "
               "compiled but a .cu file to PTX, and the cache stays as it is.\n\nExit code 0: all "
               "is in the cache; 3: no usable driver or GPU; 4: the cache cannot be used; else 1, "
               "also where nothing was named and nothing was found.",
    .examples = {{"jitwarm status", "see if all that you primed is compiled"},
                 {"jitwarm status PATH",
                  "is this software compiled? how long would the rest take?"}},
    .order = "gpu cache all json" JW_OF_ALL " as-root",
    .args_size = sizeof(struct jw_texts),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = status_run,
};
