#include "verbs/prime_parts.h"

#include "base/command.h"
#include "base/path.h"
#include "cli/cli.h"
#include "facts/compile_time.h"

#include <string.h>

static void show_end(struct rep *r, enum jw_end end)
{
    static const char *const heads[JW_ENDS] = {[JW_END_NO_GPU] = "No usable GPU or driver",
                                               [JW_END_BUSY] = "Another jitwarm is at work",
                                               [JW_END_INTERRUPTED] = "Interrupted"};

    const char *says = heads[end] ? heads[end] : "No module was looked at";

    rep_head(r, end <= JW_END_LISTED ? JW_END_LISTED : end, jw_end_names[end], "%s.", says);
}

/* ---- modules that are not warm for a reason ---- */

/* Does the cause already say why this module is not in the cache? */
static bool is_said(const struct jw_job *j, const struct jw_cause *cause, const struct jw_look *l)
{
    if (jw_job_is_unstored(j))
        return l->met.entries.closed;
    return jw_job_has_no_room(j) && cause && cause->end == JW_END_CANNOT_WRITE;
}

static void show_failures(struct rep *r, const struct jw_cause *cause, const struct jw_look *l)
{
    struct jw_texts lines = {0};

    for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++) {
        if (jw_job_is_warm(j) || jw_job_is_todo(j) || is_said(j, cause, l))
            continue;
        const char *skipped = jw_job_is_banned(j) ? "skipped: " : "";
        const char *why = j->why ? j->why : rep_job_state(j);

        jw_texts_add(&lines, r->a, jw_arena_printf(r->a, "%s: %s%s", j->place->path, skipped, why));
    }
    rep_texts(r, NULL, "Why", lines.v, lines.n);
}

/* Where they were found, if no path was named or is remembered. */
static void show_folders(struct rep *r, const struct jw_look *l)
{
    struct jw_texts folders = {0};

    if (l->asked.n_paths || l->roots.n)
        return;
    for (size_t i = 0; i < l->n_jobs; i++) {
        const struct jw_place *place = l->jobs[i].place;
        const char *folder = jw_path_dir(r->a, place->path);

        /* PTX that is kept has no folder */
        if (!place->entry && !jw_text_among(folder, folders.v, folders.n))
            jw_texts_add(&folders, r->a, folder);
    }
    rep_texts(r, NULL, "Found in", folders.v, folders.n);
}

void jw_note_pieces(struct rep *r, const char *first)
{
    if (first)
        rep_note(r,
                 "PTX in pieces, from which a program makes PTX while it runs (prime --run CMD "
                 "finds it), the first: %s",
                 first);
}

void jw_show_unread(struct rep *r, const char *label, const struct jw_unread *v, size_t n)
{
    struct jw_texts lines = {0};

    for (size_t i = 0; i < n; i++)
        jw_texts_add(&lines, r->a, jw_arena_printf(r->a, "%s: %s", v[i].path, v[i].why));
    rep_texts(r, NULL, label, lines.v, n);
    rep_table(r, "unread", 0);
    for (size_t i = 0; i < n; i++) {
        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(v[i].path));
        rep_fact(r, "why", NULL, rep_text(v[i].why));
    }
    rep_end(r);
}

/* Another jitwarm that works on this cache now; in JSON "running": { ... }. */
static void show_running(struct rep *r, const struct jw_look *l)
{
    unsigned long pid = l->running.pid;

    if (!l->working)
        return;
    rep_begin(r, "running");
    rep_fact(r, "pid", NULL, rep_known(pid, rep_count(pid)));
    if (pid)
        rep_say(r, REP_PLAIN, "Running", "jitwarm, process %lu", pid);
    else
        rep_say(r, REP_PLAIN, "Running", "another jitwarm");
    rep_end(r);
}

/* "sm_80, sm_90": the GPUs of these bits. */
static const char *gpus_of(struct rep *r, const struct jw_sms *sms, uint64_t bits)
{
    struct jw_buf gpus = JW_LINE(r->a);

    for (size_t i = 0; i < sms->n; i++)
        if (bits >> i & 1)
            jw_buf_printf(&gpus, "%ssm_%u", gpus.n ? ", " : "", sms->v[i]);
    return jw_buf_cstr(&gpus);
}

/* Modules that some GPUs have no code for. */
static void show_without_code(struct rep *r, const struct jw_look *l, const struct jw_answer *a)
{
    const struct jw_left_out *nothing = &l->files.out[JW_OUT_IS_NOTHING];
    uint64_t on = l->files.dead.n ? l->files.dead.on : nothing->on;
    const char *gpus = gpus_of(r, &l->scope.sms, on);

    if (a->is == JW_COLD && a->blocked)
        rep_say(r, REP_WARN, "Does not run", "%s%s", JW_N(a->blocked, "module", "modules"),
                a->needs ? JW_PHRASE(", needs %s", jw_driver_needed(a->needs).text)
                         : JW_PHRASE(" without code for %s", gpus));
    if (nothing->n && !a->blocked) /* counted for each GPU */
        rep_note(r, "%s without code for %s and this driver: an error when loaded, the first: %s",
                 JW_N(nothing->n, "module", "modules"), gpus, nothing->first);
}

/* Is nothing known, and says no other line what to do? */
static bool lacks_path(const struct jw_look *l, const struct jw_facts *f)
{
    if (f->answer.is != JW_NOTHING || !f->met.unnamed)
        return false;
    return !l->working && !f->met.primed_in;
}

/* `first`: it is the head. */
static void show_answer(struct rep *r, bool first, const struct jw_summary *v,
                        const struct jw_look *l, const struct jw_facts *f)
{
    const struct jw_answer *a = &f->answer;
    bool verbose = r->cli->shared.verbose;
    bool all = r->cli->shared.json || verbose || a->is == JW_WARM; /* else others come first */
    bool alone = !a->modules && !a->blocked && l->n_unread == 1;   /* the answer has it */

    rep_answer(r, first, v, f);
    if (a->empty && f->found.program)
        rep_note(r, "a program may load code of other files: jitwarm doctor --run CMD finds what "
                    "its start compiles");
    if (all || first || v->purpose.diagnoses)
        show_without_code(r, l, a);
    jw_note_pieces(r, all ? l->files.out[JW_OUT_IS_MADE].first : NULL);
    if (f->found.linked && all)
        rep_note(r, "The driver links %s at each start, which no cache keeps, the first: %s",
                 JW_N(f->found.linked, "module", "modules"), f->found.first_linked);
    if (first || verbose)
        show_folders(r, l);
    jw_show_unread(r, alone ? NULL : "Not read", l->unread, l->n_unread);
    show_failures(r, v->cause, l);
    if (first && lacks_path(l, f))
        rep_todo_say(r, "jitwarm prime PATH, or of a program: jitwarm prime --run CMD");
}

/* Without a look it is not known how much is in the cache. */
static void show_scope(struct rep *r, struct jw_scope scope)
{
    scope.used = JW_CACHE_UNKNOWN;
    rep_scope(r, false, &scope);
}

/* What prime does without compiling. */
static void show_carry(struct rep *r, const struct jw_look *l)
{
    const struct jw_driver_state *from = l->seen.carries_from;

    if (!from)
        return;
    uint64_t modules = jw_answer_count(l, jw_job_has_old);

    rep_begin(r, "carry");
    rep_fact(r, "modules", NULL, rep_count(modules));
    rep_fact(r, "driver", NULL, rep_text(from->version));
    rep_say(r, REP_PLAIN, "Compiler",
            "that of driver %s: jitwarm prime carries %s over, in seconds",
            from->version ? from->version : "unknown", JW_N(modules, "module", "modules"));
    rep_end(r);
}

void jw_show_look(struct rep *r, bool below, const struct jw_summary *v, const struct jw_look *l)
{
    size_t shown = r->cli->shared.json || r->cli->shared.verbose ? v->n_notes : v->notes_first;
    const struct jw_facts f = jw_look_facts(l);
    bool led = below || v->leads; /* else the answer is the head */

    show_running(r, l);
    if (v->leads)
        rep_cause(r, !below, v, &f);
    if (f.answer.is)
        show_answer(r, !led, v, l, &f);
    else
        show_scope(r, f.scope);
    if (!led && !f.answer.is)
        show_end(r, v->end);
    if (v->cause && !v->leads)
        rep_cause(r, false, v, &f);
    for (size_t i = 0; i < shown; i++)
        rep_concern(r, v->notes[i], &f);
    show_carry(r, l);
    jw_show_proof(r, &l->proof);
}

const char *jw_estimate(const struct rep *r, const struct plan *p)
{
    if (p->seconds <= 0)
        return NULL;
    const char *text =
        jw_arena_printf(r->a, "%s to compile, with %s", jw_compile_words(p->seconds).text,
                        JW_N(p->workers, "worker", "workers"));

    if (!p->longest)
        return text;
    return jw_arena_printf(r->a, "%s; one module of %s takes as long alone", text,
                           jw_path_base(p->longest->path));
}

void jw_show_build(struct rep *r, const struct jw_prune_group *group)
{
    bool by_driver = group->kind == JW_CACHE_CUDA || group->kind == JW_CACHE_OTHER;
    const char *maker = by_driver
                            ? jw_drivers_version(jw_session_drivers(&r->cli->session), group->stamp)
                            : jw_cache_makers[group->kind];

    rep_fact(r, "driver", NULL, rep_text(maker));
    rep_fact(r, NULL, "DRIVER", rep_text(maker || !*group->stamp ? maker : "unknown"));
    rep_fact(r, "gpu", "GPU", rep_text(group->arch));
    rep_fact(r, "entries", "ENTRIES", rep_count(group->sum.entries));
}

void jw_show_root(struct rep *r, const struct jw_root *e, const char *title, const char *here)
{
    bool command = e->kind == JW_ROOT_COMMAND;
    const char *line = command ? jw_command_text(r->a, e->words, jw_os_is_windows())
                               : JW_COMMAND(r->a, jw_os_is_windows(), e->path);
    bool named = command && e->path && !jw_text_same(e->path, here);
    const char *in = named ? jw_arena_printf(r->a, " (in %s)", e->path) : "";

    rep_fact(r, "type", NULL, rep_text(command ? "command" : "path"));
    rep_fact(r, command && e->path ? "folder" : NULL, NULL, rep_path(e->path));
    rep_fact(r, "what", NULL, rep_path(command ? line : e->path));
    rep_fact(r, NULL, title,
             rep_path(command ? jw_arena_printf(r->a, "--run %s%s", line, in) : line));
}

const char *jw_seen_head(struct rep *r, const struct jw_start_seen *s)
{
    uint64_t modules = s->made[JW_CACHE_CUDA];

    if (s->start.state == JW_START_COMPILED && (!modules || modules < jw_start_made(s)))
        return "This start compiled.";
    if (s->start.state == JW_START_COMPILED)
        return jw_arena_printf(r->a, "This start compiled %s%s.", s->start.full ? "at least " : "",
                               JW_N(modules, "module", "modules"));
    if (s->start.state == JW_START_UNUSED)
        return "This start was not seen to load the driver.";
    if (s->start.unseen)
        return "The driver compiled nothing.";
    if (!jw_start_compiled_nothing(&s->start))
        return "Whether this start compiled is not known.";
    return s->start.failed ? "Until then this start compiled nothing."
                           : "This start compiled nothing.";
}

static void show_counts(struct rep *r, const struct jw_start_seen *s)
{
    bool known = s->start.state != JW_START_MIXED;

    rep_fact(r, "loaded", "Loaded", rep_known(known, rep_count(s->loaded[JW_CACHE_CUDA])));
    if (!s->loaded[JW_CACHE_CUDA] && jw_start_compiled(s) == JW_WITNESS_NOTHING && !s->start.cache
        && !jw_os_is_windows())
        rep_say(r, REP_PLAIN, "Loaded", "no module of this cache");
    const char *by[JW_CACHE_OTHER + 1];
    size_t n = 0;
    for (unsigned i = 0; i <= JW_CACHE_OTHER; i++)
        if (s->made[i] && known)
            rep_say(r, REP_PLAIN, "Compiled", "%s%s, by %s", s->start.full ? "at least " : "",
                    JW_NUM(s->made[i]), by[n++] = jw_cache_makers[i]);
    rep_texts(r, "by", NULL, by, n);
    rep_fact(r, "made", NULL, rep_known(known, rep_count(jw_start_made(s))));
}

void jw_show_seen(struct rep *r, const struct jw_start_seen *s, bool explained)
{
    rep_begin(r, "command");
    rep_fact(r, "code", "Its exit code", rep_count((uint64_t)s->code));
    rep_fact(r, "seconds", NULL, rep_seconds((double)s->milliseconds / 1000));
    show_counts(r, s);
    if (s->start.state == JW_START_LINKED)
        rep_say(r, REP_PLAIN, "Linked", "yes");
    rep_fact(r, "why", explained ? NULL : "Why", rep_text(s->why));
    if (s->start.setting)
        rep_say(r, REP_WARN, "Compiled", "as each start does: %s", s->start.setting);
    rep_fact(r, "line", "Command",
             rep_text(jw_command_text(r->a, r->cli->shared.run.v, jw_os_is_windows())));
    rep_fact(r, "compiled", NULL, rep_text(jw_witness_answer_names[jw_start_compiled(s)]));
    rep_end(r);
}

void jw_show_proof(struct rep *r, const struct jw_proof *p)
{
    const char *unseen = jw_os_is_windows() ? NULL : "Not watched"; /* there no run can be */

    if (!p->done && !p->why)
        return;
    rep_begin(r, "proof");
    rep_fact(r, "proven", NULL, rep_yes(jw_is_proven(p)));
    rep_fact(r, "loaded", NULL, rep_count(p->loaded));
    rep_fact(r, "new_entries", NULL, rep_count(p->new_entries));
    rep_fact(r, "compiled", NULL,
             rep_known(p->done, rep_text(jw_witness_answer_names[p->compiled])));
    rep_fact(r, "why", jw_is_proven(p) ? unseen : "Why", rep_text(p->why));
    rep_end(r);
}

/* ---- modules ---- */

void jw_show_jobs(struct rep *r, const struct jw_look *l)
{
    rep_table(r, "jobs", 0);
    for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++) {
        bool unchanged = jw_job_is_warm(j) && !jw_job_is_compiled(j) && !jw_job_is_carried(j);

        if (unchanged && !r->cli->shared.verbose)
            continue;
        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(j->place->path));
        rep_fact(r, "kernel", NULL, rep_text(j->kernel));
        rep_fact(r, "gpu", NULL, rep_text(JW_PHRASE("sm_%u", (unsigned)j->sm)));
        rep_fact(r, "state", NULL, rep_text(rep_job_state(j)));
        rep_given(r, "why", NULL, rep_text(j->why));
        rep_given(r, "log", NULL, rep_text(j->log));
        rep_fact(r, "entry", NULL, rep_known(j->name, rep_text(jw_cache_name(j->name).text)));
    }
    rep_end(r);
}

bool jw_may_confirm(const struct cli *cli, const struct jw_run *run)
{
    return run->ask && !cli->shared.json && !cli->shared.quiet && !cli->shared.dry_run;
}

enum jw_end jw_end_of_list(const struct cli *cli, const struct jw_run *run)
{
    return cli->shared.dry_run || jw_may_confirm(cli, run) ? JW_END_LISTED : JW_END_CONSENT;
}

void jw_show_again(struct rep *r, const struct cli *cli, enum jw_end end)
{
    bool timed = end == JW_END_BUSY || end == JW_END_TIME;

    bool unasked = end == JW_END_CONSENT;
    struct jw_remedy again = {.kind = JW_REMEDY_RUN,
                              .words = {"jitwarm", cli->cmd->name, unasked ? "--yes" : NULL},
                              .more = (const char *const *)cli->argv + 2,
                              .instead = unasked};

    if (timed)
        again.more = cli->shared.words.v;
    if (unasked || timed || end == JW_END_INTERRUPTED)
        rep_todo(r, &again);
}
