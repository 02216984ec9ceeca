/* What other rooms answer, as lines of a report: the answer about modules, a cause, the end of a
 * run, steps of set-up. */

#include "cache/format/jitcache.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "setup/setup.h"

/* ---- modules ---- */

void rep_scope(struct rep *r, bool shown, const struct jw_scope *s)
{
    const char *sms[JW_MAX_SMS];

    for (size_t i = 0; i < s->sms.n; i++)
        sms[i] = jw_arena_printf(r->a, "sm_%u", s->sms.v[i]);
    rep_begin(r, "scope");
    rep_given(r, "cache", shown || r->cli->shared.verbose ? "Cache" : NULL, rep_path(s->cache));
    rep_given(r, "driver", NULL, rep_text(s->version));
    rep_detail(r, NULL, "Driver", rep_path(s->library));
    if (s->stamp)
        rep_fact(r, "stamp", NULL, rep_text(jw_stamp_text(s->stamp).text));
    rep_given(r, "compiler", NULL, rep_text(s->code));
    rep_detail(r, "level", "Probe level", rep_text(jw_level_name(s->level)));
    rep_texts(r, "gpus", NULL, sms, s->sms.n);
    if (s->limit != JW_CACHE_UNKNOWN)
        rep_fact(r, "limit_bytes", NULL, rep_bytes(s->limit));
    if (s->used != JW_CACHE_UNKNOWN)
        rep_fact(r, "used_bytes", NULL, rep_bytes(s->used));
    rep_end(r);
}

void rep_cache(struct rep *r, const char *cache)
{
    rep_begin(r, "scope");
    rep_given(r, "cache", "Cache", rep_path(cache));
    rep_end(r);
}

/* Returns "sm_80 and sm_86, driver 550.163.01". */
static const char *target_of(const struct jw_scope *s, struct jw_arena *a)
{
    struct jw_buf b = JW_LINE(a);

    for (size_t i = 0; i < s->sms.n; i++)
        jw_buf_printf(&b, "%ssm_%u", i ? jw_text_between(i, s->sms.n) : "", s->sms.v[i]);
    if (!s->sms.n)
        jw_buf_text(&b, "no GPU");
    jw_say(&b, ", driver %s", s->version ? s->version : "unknown");
    if (s->stamp && jw_stamp_simulated(s->stamp))
        jw_buf_text(&b, " (simulated)");
    return jw_buf_cstr(&b);
}

/* What else is known of modules that do not run from the cache; "": nothing. */
static const char *also_of(struct rep *r, const struct jw_answer *a)
{
    if (a->is == JW_COLD && a->refused)
        return jw_arena_printf(r->a, " (the driver could not compile %s)", JW_NUM(a->refused));
    if (a->is != JW_COLD && a->needs)
        return jw_arena_printf(r->a, " (all of it needs %s)", jw_driver_needed(a->needs).text);
    return "";
}

/* Why an answer is incomplete where modules could be looked up; it ends the sentence. */
static const char *why_incomplete(struct rep *r, const struct jw_facts *f)
{
    const struct jw_answer *a = &f->answer;

    if (a->unread)
        return jw_arena_printf(r->a, "; %s not looked up.", JW_N(a->unread, "path", "paths"));
    if (f->found.unread)
        return jw_arena_printf(r->a, "; %s: %s", f->found.unread, f->found.why_unread);
    if (a->proven == JW_DISPROVED && !a->sourceless)
        return "; a fresh process that loaded them compiled.";
    return ".";
}

/* Brief: a sentence below another head. It leaves out the first module, and names the target only
 * if there are several. */
static const char *say_bad(struct rep *r, const struct jw_facts *f, const char *target, bool brief)
{
    const struct jw_answer *a = &f->answer;
    bool blocked = a->is != JW_COLD && a->blocked;
    const char *modules = jw_arena_str(r->a, JW_N(a->modules, "module", "modules"));
    const char *about = jw_arena_printf(r->a, " %s %s", blocked ? "on" : "for", target);
    const char *end = jw_arena_printf(r->a, "%s.", brief && f->scope.sms.n > 1 ? about : "");

    if (!brief && a->first)
        end = jw_arena_printf(r->a, "%s%s, the first: %s", about, also_of(r, a), a->first);
    if (a->is == JW_COLD)
        return jw_arena_printf(r->a, "Cold: %s of %s missing from this cache%s",
                               JW_NUM(jw_answer_cold(a)), modules, end);
    if (blocked)
        return jw_arena_printf(r->a, "Incomplete: %s not run%s",
                               JW_N(a->blocked, "module does", "modules do"), end);
    if (a->unknown)
        modules = jw_arena_printf(r->a, "%s looked up", modules);
    return jw_arena_printf(r->a, "Incomplete: %s of %s in this cache%s%s", JW_NUM(a->warm), modules,
                           brief ? "" : about, why_incomplete(r, f));
}

/* Of no module. NULL: the head says it. */
static const char *say_nothing(struct rep *r, bool head, const struct jw_facts *f,
                               const char *target)
{
    const struct jw_answer *a = &f->answer;

    if (a->empty) {
        const char *others = a->empty > 1 ? ", nor in the other paths" : "";
        bool excludes = jw_session_scan(&r->cli->session).exclude.n;
        const char *apart = excludes ? ", apart from what exclude = in jitwarm.conf names" : "";

        return jw_arena_printf(r->a, "No CUDA code was found in %s%s%s.", a->first, others, apart);
    }
    if (a->is == JW_INCOMPLETE && f->found.unread)
        return jw_arena_printf(r->a, "No module was looked up: %s: %s", f->found.unread,
                               f->found.why_unread);
    if (a->is == JW_INCOMPLETE)
        return head ? jw_arena_printf(r->a, "No module was looked up for %s.", target) : NULL;
    if (a->skipped)
        return jw_arena_printf(r->a, "No module has to be compiled at the start for %s.", target);
    if (a->found || !f->met.unnamed)
        return jw_arena_printf(r->a, "Nothing has to be compiled for %s.", target);
    if (f->met.searched)
        return "Nothing is remembered for this cache, and no CUDA software was found in the usual "
               "places.";
    return "Nothing is remembered for this cache.";
}

static const char *say_proof(struct rep *r, const struct jw_answer *a)
{
    const char *them = a->modules == 1 ? "it" : "them";
    const char *did = a->proven == JW_COMPILED_NOTHING ? "compiled nothing" : "added no entry";

    if (!a->proven)
        return "";
    return jw_arena_printf(r->a, " A fresh process loaded %s and %s.", them, did);
}

/* Which modules an answer counts, behind their number. */
static const char *which_modules(struct rep *r, const struct jw_facts *f)
{
    if (f->start.full)
        return " found after this start";
    if (f->start.stopped)
        return " that this start loaded until it was stopped";
    if (r->cli->shared.run.n)
        return " that this start loaded";
    return f->answer.fileless ? "" : " of these files";
}

static const char *say_warm(struct rep *r, const struct jw_facts *f, const char *about,
                            const char *proof)
{
    uint64_t n = f->answer.modules;
    const char *these = which_modules(r, f);

    if (n == 1)
        return jw_arena_printf(r->a, "The only module%s is in this cache for %s.%s", these, about,
                               proof);
    return jw_arena_printf(r->a, "All %s%s are in this cache for %s.%s",
                           JW_N(n, "module", "modules"), these, about, proof);
}

static const char *sentence_of(struct rep *r, bool head, const struct jw_facts *f,
                               const char *target)
{
    const struct jw_answer *a = &f->answer;
    bool brief = !head && !r->cli->shared.verbose;

    if (!a->modules && !a->blocked)
        return say_nothing(r, head, f, target);
    if (a->is == JW_WARM)
        return say_warm(r, f, target, brief ? "" : say_proof(r, a));
    return say_bad(r, f, target, brief);
}

static enum rep_tone tone_of(const struct jw_facts *f)
{
    if (!jw_answer_is_well(f->answer.is))
        return REP_WARN;
    bool lasts = f->answer.is == JW_WARM && !f->start.stopped && !f->start.full;

    return lasts ? REP_GOOD : REP_PLAIN;
}

void rep_answer(struct rep *r, bool head, const struct jw_summary *v, const struct jw_facts *f)
{
    const struct jw_answer *a = &f->answer;
    struct jw_scope about = f->scope;
    bool nameless = f->met.unnamed && !a->modules;
    bool looks = !v->purpose.changes && !v->purpose.diagnoses;

    about.sms = a->sms;
    const char *sentence = sentence_of(r, head, f, target_of(&about, r->a));

    if (head)
        rep_head_in(r, tone_of(f), v->end, jw_answer_names[a->is], "%s", sentence);
    else if (sentence)
        rep_also(r, tone_of(f), "%s", sentence);
    /* The first note of prime or doctor may name the cache already. Where nothing is remembered the
     * cache is always shown: the user may mean another one. */
    rep_scope(r, head && (nameless || looks || !v->notes_first), &about);
    rep_begin(r, "answer");
    rep_fact(r, "is", NULL, rep_text(jw_answer_names[a->is]));
    rep_fact(r, "modules", NULL, rep_count(a->modules));
    rep_fact(r, "warm", NULL, rep_count(a->warm));
    rep_fact(r, "unknown", NULL, rep_count(a->unknown));
    rep_fact(r, "sourceless", NULL, rep_count(a->sourceless));
    rep_fact(r, "blocked", NULL, rep_count(a->blocked));
    rep_fact(r, "needs_driver", NULL,
             rep_known(a->needs, rep_text(jw_driver_branch_text(a->needs).text)));
    rep_fact(r, "first", NULL, rep_path(a->first));
    rep_fact(r, "skipped", NULL, rep_count(a->skipped));
    rep_end(r);
    if (a->skipped)
        rep_say(r, REP_PLAIN, "Skipped", "%s on demand (--all takes them)",
                JW_N(a->skipped, "module that loads", "modules that load"));
}

const char *rep_job_state(const struct jw_job *j)
{
    /* Of a cold one it says more how the attempt ended. */
    static const char *const stands[] = {[JW_MODULE_COLD] = NULL,
                                         [JW_MODULE_WARM] = "warm",
                                         [JW_MODULE_BANNED] = "skipped",
                                         [JW_MODULE_UNSTORED] = "unstored",
                                         [JW_MODULE_NO_ROOM] = "no-room"};
    JW_ROW_FOR_EACH(stands, JW_STANDINGS, 5);
    static const char *const ends[] = {
        [JW_JOB_TODO] = "todo",     [JW_JOB_LOADED] = "todo",     [JW_JOB_CHANGED] = "changed",
        [JW_JOB_FAILED] = "failed", [JW_JOB_TIMEOUT] = "timeout", [JW_JOB_CRASHED] = "crashed",
        [JW_JOB_KILLED] = "killed", [JW_JOB_UNSTARTED] = "todo"};
    JW_ROW_FOR_EACH(ends, JW_OUTCOMES, 8);

    if (jw_job_is_carried(j))
        return "carried";
    if (jw_job_is_compiled(j))
        return "warmed";
    return stands[j->is] ? stands[j->is] : ends[j->ended];
}

/* ---- a cause ---- */

/* The word of a head that a cause leads; NULL: that of the end. */
static const char *word_of_cause(const struct jw_summary *v, const struct jw_facts *f)
{
    if (!f->answer.is)
        return jw_end_names[v->cause->end];
    if (jw_answer_is_well(f->answer.is) && !jw_end_is_good(v->end))
        return NULL;
    return jw_answer_names[f->answer.is];
}

void rep_cause(struct rep *r, bool head, const struct jw_summary *v, const struct jw_facts *f)
{
    const struct jw_cause *c = v->cause;
    struct jw_remedy remedy = {.a = r->a};
    const char *seen = c->seen(f, r->a);
    bool good = jw_end_is_good(v->end);

    rep_begin(r, "cause");
    rep_fact(r, "id", NULL, rep_text(c->id));
    rep_fact(r, "seen", NULL, rep_text(seen ? seen : f->answer.first));
    rep_fact(r, "text", NULL, rep_text(c->text));
    rep_end(r);
    if (head) {
        rep_head_in(r, good ? REP_WARN : REP_BAD, v->end, word_of_cause(v, f), "%s.", c->text);
        rep_fact(r, NULL, "Why", rep_text(seen));
    } else if (seen) {
        rep_say(r, REP_WARN, good ? "But" : "Why", "%s (%s)", c->text, seen);
    }
    c->remedy(f, &remedy);
    for (const struct jw_remedy *step = &remedy; step; step = step->next)
        rep_todo(r, step);
    if (remedy.for_good)
        rep_line(r, REP_TODOS, REP_PATH, REP_PLAIN, "For good", "%s", remedy.for_good);
}

void rep_concern(struct rep *r, const struct jw_cause *c, const struct jw_facts *f)
{
    struct jw_remedy remedy = {.a = r->a};
    const char *seen = c->seen(f, r->a);

    c->remedy(f, &remedy);
    const char *value = seen ? jw_arena_printf(r->a, " (%s)", seen) : "";

    if (!r->json && remedy.kind == JW_REMEDY_SAY) {
        rep_line(r, REP_NOTES, REP_TEXT, REP_PLAIN, c->id, "%s%s: %s", c->text, value, remedy.what);
        return;
    }
    rep_line(r, REP_NOTES, REP_TEXT, REP_PLAIN, c->id, "%s%s%s", c->text, value,
             r->json || !remedy.kind ? "." : ":");
    rep_remedy(r, REP_NOTES, &remedy);
}

/* ---- a run, and steps of set-up ---- */

void rep_run(struct rep *r, const struct jw_run *run)
{
    r->why = run->why;
    rep_fact(r, NULL, "Why", rep_text(run->why));
    for (size_t i = 0; i < run->notes.n; i++)
        rep_note(r, "%s", run->notes.v[i]);
}

static const char *word_of(bool dry_run, const struct jw_step *s)
{
    if (s->text && s->same)
        return "Unchanged";
    if (s->text)
        return dry_run ? "Writes" : "Wrote";
    if (s->done)
        return "Removed";
    return dry_run ? "Removes" : "There";
}

void rep_steps(struct rep *r, bool dry_run, const struct jw_step_list *steps)
{
    const char *shown = NULL; /* parts of one folder are one line */

    rep_table(r, "steps", 0);
    for (size_t i = 0; i < steps->n; i++) {
        const struct jw_step *s = &steps->v[i];
        const char *path = s->kind == JW_STEP_FOLDER && s->top ? s->top : s->path;
        bool has_line = s->text || s->found || s->done;

        if (s->why) {
            rep_note(r, "%s", s->why);
        } else if (has_line && !jw_text_same(path, shown)) {
            rep_row(r);
            rep_fact(r, "path", NULL, rep_path(path));
            rep_fact(r, "done", NULL, rep_yes(s->done));
            rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, word_of(dry_run, s), "%s", path);
        }
        if (!s->why)
            shown = path;
    }
    rep_end(r);
}
