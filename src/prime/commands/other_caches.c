/* Watches what a command does in other caches than the driver's. */
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "driver/witness/witness.h"
#include "facts/compilers.h"
#include "os/machine/time.h"
#include "os/process/foreground.h"
#include "prime/commands/watching.h"

#include <limits.h>
#include <string.h>

enum {
    MORE_STARTS = 2 /* some make their last files when they find the others: PyTorch a library of Triton's */
};

static void note_use(struct prime *p, const struct jw_kit_use *u)
{
    const char *owner = jw_compiler_cache_owner(u->name),
               *of = u->known ? jw_arena_printf(p->run->a, " of %s", JW_NUM(u->known)) : "";

    if (!p->o->verify_only)
        prime_note(p, "%s: %s of it in %s", owner, JW_N(u->read + u->made, "file", "files"), u->folder);
    else if (u->why)
        prime_note(p, "%s: reused %s%s, and it is not known whether more was made: %s (%s)", owner,
                   JW_NUM(u->read), of, u->why, u->folder);
    else
        prime_note(p, "%s: reused %s%s, made %s%s%s (%s)", owner, JW_NUM(u->read), of, JW_NUM(u->made),
                   u->differs && !jw_kit_use_made_nothing(u) ? ": " : "",
                   u->differs && !jw_kit_use_made_nothing(u) ? u->differs : "", u->folder);
}

const char *prime_kit_gpus(const struct jw_device *gpus, size_t n, struct jw_arena *a)
{
    const char *words = NULL;

    for (unsigned last = 0, next = 0;; last = next) {
        next = UINT_MAX;
        for (size_t i = 0; i < n; i++)
            if (gpus[i].sm > last && gpus[i].sm < next)
                next = gpus[i].sm;
        if (next == UINT_MAX)
            return words;
        words = jw_arena_printf(a, "%s%ssm_%u", words ? words : "", words ? " " : "", next);
    }
}

void prime_begin_trace(struct prime_watching *w)
{
    const struct prime *p = w->p;
    char *key = jw_prime_command(p->o->run);

    w->command.key = jw_arena_str(p->run->a, key);
    w->command.argv = p->o->run;
    w->kit = jw_kit_starts_begin(&w->command, p->run->a);
    w->trace = jw_file_trace_new(false);
    jw_free(key);
}

static void set_uses(struct prime *p, const struct jw_kit_answer *c)
{
    p->out->kit = c->uses;
    p->out->n_kit = c->n;
    p->out->profile_files = 0;
    for (size_t i = 0; i < c->n && !p->o->verify_only; i++)
        p->out->profile_files += c->uses[i].read + c->uses[i].made;
}

/* Skips the driver's caches and jitwarm's own folders. */
static void add_start(struct prime_watching *w, const struct jw_traced *by)
{
    const struct prime *p = w->p;
    const struct jw_command_seen *s = &p->out->seen;
    const char **list = jw_arena_alloc(p->run->a, (s->n_caches + 3) * sizeof *list);
    struct jw_err ignored = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < s->n_caches; i++)
        list[n++] = s->caches[i].folder;
    list[n++] = p->ctx.cache.folder;
    list[n++] = p->ctx.cache.work;
    list[n++] = jw_state_dir(p->run->a, &ignored);
    jw_kit_starts_add(w->kit, by, (struct jw_kit_skip){ list, n });
}

static void note_unknown(struct prime *p, const struct jw_err *why)
{
    prime_note(p, "what it used of other caches is not known: %s", why->msg);
}

/* A program that finds its code in a cache does not open the compiler, so what this compiler makes in a start that made
 * no file is in no cache. `made`: the start made files, among which that may be. */
static void note_unkept(struct prime *p, const struct jw_traced *by, bool made)
{
    const char *compiler = NULL;
    bool numba = false;

    if (by->why)
        return;
    for (size_t i = 0; i < by->n_opened; i++) {
        const char *name = jw_path_base(by->opened[i]);

        numba |= strstr(by->opened[i], "/numba/cuda/") != NULL;
        if (jw_is_compiler_without_cache(name) && jw_is_file(by->opened[i]))
            compiler = name;
    }
    if (compiler ? made : by->left)
        return;
    p->unkept = compiler ? compiler : "";
    if (compiler)
        prime_note(p,
                   "%s was loaded for it, and no cache keeps what that makes: what it compiles is compiled "
                   "again at every start%s",
                   compiler,
                   numba ? ". Numba keeps kernels of @cuda.jit(cache=True), and only those; NUMBA_CACHE_DIR "
                           "says where"
                         : "");
}

/* Notes unknown facts first, because a short screen only counts the later notes. */
static bool verify_kit(struct prime_watching *w, struct jw_err *err)
{
    struct prime *p = w->p;
    struct jw_kit_answer c;
    bool ok = jw_kit_starts_compare(w->kit, &c, err);
    const char *older = jw_kit_starts_older(w->kit);

    set_uses(p, &c);
    if (!ok)
        note_unknown(p, err);
    else if (!p->out->run_code)
        note_unkept(p, &w->traced, jw_kit_starts_made(w->kit) != 0);
    for (size_t i = 0; i < c.n; i++)
        note_use(p, &c.uses[i]);
    p->out->kit_unproven = c.others;
    if (older)
        prime_note(
            p,
            "it opened %s, which are in no record and may be a cache: jitwarm prime --run records them, or "
            "says what to do",
            older);
    if (c.others)
        prime_note(p, "%s that it made %s in no recorded cache, as logs and results are (%s)",
                   JW_N(c.others, "file", "files"), c.others == 1 ? "is" : "are", c.first);
    if (ok && w->traced.why && !c.n)
        prime_note(p, "only what the driver compiles is known: %s", w->traced.why);
    return ok;
}

/* Does not wait for a command that goes on when its start is over. */
void prime_end_trace(struct prime_watching *w)
{
    const struct prime *p = w->p;

    w->traced = jw_file_trace_end(w->trace, p->o->record ? 0 : jw_time_limit_ms(JW_LEFT_MS), p->run->a);
    jw_file_trace_free(w->trace);
    w->trace = NULL;
    p->out->kit_unseen = w->traced.why;
}

/* Records what this one start shows. */
static bool keep_known(struct prime_watching *w, bool ended_well, struct jw_kit_answer *c, struct jw_err *err)
{
    bool ok = jw_kit_starts_keep(w->kit, ended_well, c, err);

    w->p->out->kit_unproven = c->others;
    set_uses(w->p, c);
    return ok;
}

void prime_end_kit(struct prime_watching *w, bool ended)
{
    struct prime *p = w->p;
    struct jw_kit_answer c;
    struct jw_err why = { 0 };
    bool ok = true;

    add_start(w, &w->traced);
    if (p->o->verify_only)
        ok = verify_kit(w, &why);
    else if (p->o->record) {
        ok = keep_known(w, ended && !p->out->run_code, &c, &why);
        if (!ok)
            note_unknown(p, &why);
    }
    p->out->kit_unknown = !ok;
}

/* ---- the next starts ---- */

static void note_confirmed(struct prime *p, const struct jw_kit_answer *c, bool left)
{
    for (size_t i = 0; i < c->n; i++)
        note_use(p, &c->uses[i]);
    if (c->n)
        prime_note(p, "jitwarm export --run packs %s, with --sign", c->entries == 1 ? "it" : "them");
    if (c->others)
        prime_note(p, "%s that it made %s no cache: its next start did not open %s%s, or changed %s",
                   JW_N(c->others, "file", "files"), c->others == 1 ? "is" : "are",
                   c->others == 1 ? "it" : "them", left ? " as long as it was watched" : "",
                   c->others == 1 ? "it" : "them");
    if (c->databases)
        prime_note(p,
                   "it keeps a database %s, which no pack has, for no file shows what of it is used: another "
                   "machine makes it again",
                   c->databases);
    if (c->outside)
        prime_note(p,
                   "%s that it made and opened again %s in a folder where jitwarm places nothing, and not "
                   "packed (%s)",
                   JW_N(c->outside, "file", "files"), c->outside == 1 ? "is" : "are", c->first_outside);
}

static bool start_again(struct prime_watching *w, struct jw_traced *by, int *code, struct jw_err *err)
{
    struct prime *p = w->p;
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", w->cache }, { "CUDA_CACHE_DISABLE", "0" } };
    struct jw_foreground o = { .argv = p->o->run,
                               .edits = edits,
                               .n_edits = p->run->session->cache ? JW_COUNT(edits) : 0,
                               .output_to_errors = p->o->output_to_errors,
                               .trace = jw_file_trace_new(true) };
    struct jw_foreground_end ended = { 0 };
    struct jw_witness_report *seen = jw_arena_alloc(p->run->a, sizeof *seen);
    struct jw_witness *left =
        jw_witness_begin(&(struct jw_witness_ask){ .library = w->library, .compiler = w->compiler });
    bool ok = jw_foreground_run(&o, &ended, err);

    *by = jw_file_trace_end(o.trace, jw_time_limit_ms(JW_LEFT_MS), p->run->a);
    jw_file_trace_free(o.trace);
    jw_witness_end(left, by, p->run->a, seen); /* waits a while for processes that the command left behind */
    w->again = seen;
    *code = ended.code;
    w->traced.left |= by->left;
    if (by->why)
        w->traced.why = by->why;
    if (ok && ended.code)
        prime_note(p, "its next start ended with exit code %d: its caches are known up to there", ended.code);
    return ok;
}

/* Starts the command again until no start makes files of which only one more start tells. */
static bool confirm(struct prime_watching *w, struct jw_kit_answer *c, struct jw_err *err)
{
    struct jw_traced *by = jw_arena_alloc(w->p->run->a, MORE_STARTS * sizeof *by);
    int code = 0;
    unsigned n = 0;

    c->more = true;
    for (; c->more && !code && n < MORE_STARTS && !jw_interrupted(w->p->run->interrupted); n++) {
        if (!start_again(w, &by[n], &code, err))
            return false;
        add_start(w, &by[n]);
        if (!jw_kit_starts_keep(w->kit, true, c, err))
            return false;
        c->more &= !by[n].why;
    }
    set_uses(w->p, c);
    if (!c->more && !code)
        note_unkept(w->p, &by[n - 1], false);
    return true;
}

bool prime_look_again(struct prime_watching *w, struct jw_err *err)
{
    struct prime *p = w->p;
    struct jw_kit_answer c = { 0 };

    if (p->o->record || !w->kit)
        return true;
    bool made = jw_kit_starts_made(w->kit) != 0,
         again = made && !p->out->run_code && !jw_interrupted(p->run->interrupted);

    if (!(again ? confirm(w, &c, err) : keep_known(w, !p->out->run_code, &c, err)))
        return false;
    if (!again && !p->out->run_code)
        note_unkept(p, &w->traced, made);
    const char *older = jw_kit_starts_older(w->kit);

    if (older) /* noted first, because it is something to do */
        prime_note(p,
                   "it opened %s, older than this start: which program made that is not known, so it is not "
                   "recorded. If it is a cache, rename "
                   "the folder and run this again: the command makes it again, and then it is recorded",
                   older);
    note_confirmed(p, &c, w->traced.left);
    if (w->traced.why)
        prime_note(p, "caches of other compilers were not recorded whole: %s", w->traced.why);
    if (w->traced.left)
        prime_note(p, "processes that it left behind still run: what they do from now on is not known");
    return true;
}

struct jw_kit_last jw_prime_last_start(const struct jw_prime_report *r)
{
    return (struct jw_kit_last){ .when = (uint64_t)jw_time_unix(),
                                 .compiled = jw_witness_answer_names[r->seen.answer],
                                 .why = r->seen.why,
                                 .entries = r->seen.entries,
                                 .uses = r->kit,
                                 .n = r->n_kit };
}

/* The driver's entries are not counted for a further start, so a start that loaded the compiler may have linked. */
void prime_remember_start(struct prime_watching *w)
{
    struct jw_kit_last last = jw_prime_last_start(w->p->out);
    struct jw_err why = { 0 };

    if (w->again) {
        bool nothing = w->again->answer == JW_WITNESS_NOTHING;

        last.compiled = jw_witness_answer_names[nothing ? JW_WITNESS_NOTHING : JW_WITNESS_UNKNOWN];
        last.why = w->again->why;
        last.entries = 0;
    }
    if (!jw_kit_starts_remember(w->kit, &last, &why))
        prime_note(w->p, "what its start did could not be remembered: %s", why.msg);
}

bool prime_kit_made_nothing(const struct prime *p)
{
    for (size_t i = 0; i < p->out->n_kit; i++)
        if (!jw_kit_use_made_nothing(&p->out->kit[i]))
            return false;
    return !p->out->kit_unknown;
}

/* ---- in the report ---- */

const struct jw_row prime_kit_rows[] = {
    { JW_LIST("other_caches", struct jw_prime_report, kit, n_kit, jw_kit_use_rows),
      JW_ABOUT("of CuPy, Triton and others, that it used") },
    { JW_ROW("other_files", struct jw_prime_report, kit_unproven),
      JW_ABOUT("that it made elsewhere: logs, results, or a cache that is not recorded") },
    { 0 },
};
