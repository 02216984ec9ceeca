/* What a command does in other caches than the driver's. */
#include "base/mem.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "driver/witness/witness.h"
#include "os/machine/time.h"
#include "os/process/foreground.h"
#include "prime/prime_work.h"

#include <limits.h>
#include <string.h>

enum {
    LEFT_MS = 10000, /* for processes that go on when the command has ended: workers, resource trackers */
    CLOCK_STEP_NS = 20000000, /* files' times are of the last tick */
    MORE_STARTS = 2 /* some make their last files when they find the others: PyTorch a library of Triton's */
};

static void note_use(struct prime *p, const struct jw_kit_use *u)
{
    const char *of = u->known ? jw_arena_printf(p->run->a, " of %s", JW_NUM(u->known)) : "";

    if (!p->o->verify_only)
        prime_note(p, "%s: %s of it in %s; jitwarm export --run packs them with --sign", u->name,
                   JW_N(u->read + u->made, "file", "files"), u->root);
    else if (u->why)
        prime_note(p, "%s: reused %s%s, and it is not known whether more was made: %s (%s)", u->name,
                   JW_NUM(u->read), of, u->why, u->root);
    else
        prime_note(p, "%s: reused %s%s, made %s%s%s (%s)", u->name, JW_NUM(u->read), of, JW_NUM(u->made),
                   u->differs && !jw_kit_use_held(u) ? ": " : "",
                   u->differs && !jw_kit_use_held(u) ? u->differs : "", u->root);
}

struct jw_kit_machine prime_kit_machine(const char *driver, const struct jw_device *gpus, size_t n,
                                        struct jw_arena *a)
{
    struct jw_kit_machine m = { .driver = driver ? jw_arena_str(a, driver) : NULL };

    for (unsigned last = 0, next = 0;; last = next) {
        next = UINT_MAX;
        for (size_t i = 0; i < n; i++)
            if (gpus[i].sm > last && gpus[i].sm < next)
                next = gpus[i].sm;
        if (next == UINT_MAX)
            return m;
        m.gpus = jw_arena_printf(a, "%s%ssm_%u", m.gpus ? m.gpus : "", m.gpus ? " " : "", next);
    }
}

void prime_begin_trace(struct prime_watching *w)
{
    char *key = jw_prime_command(w->p->o->run);

    w->kit = jw_kit_start_begin(key, w->machine, w->began, w->p->run->a);
    w->trace = jw_file_trace_new(true);
    jw_free(key);
}

static void add_uses(struct prime *p, const struct jw_kit_use *uses, size_t n)
{
    struct jw_kit_use *all = jw_arena_alloc(p->run->a, (p->out->n_kit + n + 1) * sizeof *all);

    if (p->out->n_kit)
        memcpy(all, p->out->kit, p->out->n_kit * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[p->out->n_kit++] = uses[i];
    p->out->kit = all;
}

/* The driver's caches, jitwarm's own folders, caches of the table, and those that are counted already. */
static struct jw_kit_skip find_skipped(struct prime *p)
{
    const struct jw_command_seen *s = &p->out->seen;
    size_t n_known, n = 0;
    const struct jw_kit_root *known = jw_kit_roots(p->run->a, &n_known);
    const char **list = jw_arena_alloc(p->run->a, (n_known + s->n_caches + p->out->n_kit + 5) * sizeof *list);
    struct jw_err ignored = { 0 };

    for (size_t i = 0; i < n_known; i++)
        list[n++] = known[i].path;
    for (size_t i = 0; i < s->n_caches; i++)
        list[n++] = s->caches[i].root;
    for (size_t i = 0; i < p->out->n_kit; i++)
        list[n++] = p->out->kit[i].root;
    list[n++] = p->ctx.cache.dir.root;
    list[n++] = p->ctx.cache.work;
    list[n++] = jw_state_dir(p->run->a, &ignored);
    return (struct jw_kit_skip){ list, n };
}

/* One that goes on while its start is over is not waited for. */
void prime_end_kit(struct prime_watching *w, bool ended)
{
    struct prime *p = w->p;
    struct jw_err why = { 0 };
    struct jw_kit_use *uses = NULL;
    size_t n = 0;

    w->traced = jw_file_trace_end(w->trace, p->o->record ? 0 : LEFT_MS, p->run->a);
    jw_file_trace_free(w->trace);
    w->trace = NULL;
    bool ok = jw_kit_start_end(w->kit, &w->traced, p->o->run, !p->o->verify_only, ended && !p->out->run_code,
                               &uses, &n, &why);

    w->kit = NULL;
    add_uses(p, uses, n);
    for (size_t i = 0; i < n; i++) {
        p->out->profile_files += ok && !p->o->verify_only ? uses[i].read + uses[i].made : 0;
        if (p->o->verify_only)
            note_use(p, &uses[i]);
    }
    p->out->kit_unknown = !ok;
    p->out->kit_unseen = w->traced.why;
    if (p->o->record || p->o->verify_only) {
        const struct jw_kit_skip skip = find_skipped(p);
        const struct jw_kit_found *made = jw_kit_found_made(&w->traced, w->began, &skip, p->run->a);

        p->out->kit_unproven = jw_kit_found_files(made);
        if (p->out->kit_unproven && p->o->verify_only)
            prime_note(p, "%s that it made %s in no recorded cache, as logs and results are (%s)",
                       JW_N(p->out->kit_unproven, "file", "files"), p->out->kit_unproven == 1 ? "is" : "are",
                       jw_kit_found_first(made));
    }
    if (!ok)
        prime_note(p, "what it used of other caches is not known: %s", why.msg);
    else if (w->traced.why && p->o->verify_only && !n)
        prime_note(p, "only what the driver compiles is known: %s", w->traced.why);
}

/* ---- the second start ---- */

static void note_confirmed(struct prime *p, const struct jw_kit_confirmed *c)
{
    for (size_t i = 0; i < c->n; i++)
        prime_note(p, "%s: its next start opened %s of it in %s; jitwarm export --run packs them with --sign",
                   c->uses[i].name, JW_N(c->uses[i].read, "file", "files"), c->uses[i].root);
    if (c->others)
        prime_note(p, "%s that it made %s no cache: not opened by its next start, changed, or a database",
                   JW_N(c->others, "file", "files"), c->others == 1 ? "is" : "are");
    if (c->beside)
        prime_note(p,
                   "%s that it made and opened again %s in a folder where jitwarm places nothing: not packed",
                   JW_N(c->beside, "file", "files"), c->beside == 1 ? "is" : "are");
}

static bool start_again(struct prime_watching *w, struct jw_traced *by, int *code, struct jw_err *err)
{
    struct prime *p = w->p;
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", w->root }, { "CUDA_CACHE_DISABLE", "0" } };
    struct jw_foreground o = { .argv = p->o->run,
                               .edits = edits,
                               .n_edits = p->run->session->cache ? JW_COUNT(edits) : 0,
                               .trace = jw_file_trace_new(true) };
    struct jw_foreground_end ended = { 0 };
    struct jw_witness_report ignored;
    struct jw_witness *left = jw_witness_begin(w->library, false);
    bool ok = jw_foreground_run(&o, &ended, err);

    *by = jw_file_trace_end(o.trace, LEFT_MS, p->run->a);
    jw_file_trace_free(o.trace);
    jw_witness_end(left, by, p->run->a, &ignored); /* waits a while for what it left behind */
    *code = ended.code;
    if (ok && ended.code)
        prime_note(p, "its next start ended with exit code %d: its caches are known up to there", ended.code);
    return ok;
}

static void note_uses(struct prime *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        note_use(p, &p->out->kit[i]);
}

/* What a further start opened is what the record has, also of the table's caches. */
static void take_uses(struct prime *p, const struct jw_kit_use *uses, size_t n,
                      const struct jw_kit_confirmed *c)
{
    p->out->n_kit = 0;
    p->out->profile_files = 0;
    add_uses(p, uses, n);
    add_uses(p, c->uses, c->n);
    for (size_t i = 0; i < p->out->n_kit; i++)
        p->out->profile_files += p->out->kit[i].read + (i < n ? p->out->kit[i].made : 0);
}

/* `*more`: it made files that only one more start tells of. */
static bool confirm(struct prime_watching *w, struct jw_kit_found *found, const struct jw_kit_skip *skip,
                    struct jw_kit_confirmed *c, const char **why, struct jw_err *err)
{
    struct prime *p = w->p;
    char *key = jw_prime_command(p->o->run);
    int64_t since = jw_time_unix_ns() - CLOCK_STEP_NS;
    struct jw_kit_start *start = jw_kit_start_begin(key, w->machine, since, p->run->a);
    struct jw_kit_use *uses = NULL;
    struct jw_traced by = { 0 };
    size_t n = 0;
    int code = 0;
    bool ok = start_again(w, &by, &code, err)
              && jw_kit_start_end(start, &by, p->o->run, true, !code, &uses, &n, err)
              && jw_kit_found_confirm(found, &by, since, w->machine, key, p->o->run, c, err);

    jw_free(key);
    if (!ok)
        return false;
    take_uses(p, uses, n, c);
    jw_kit_found_more(found, &by, since, skip);
    c->more &= !code && !by.why;
    *why = by.why;
    w->traced.left |= by.left;
    return true;
}

bool prime_look_again(struct prime_watching *w, struct jw_err *err)
{
    struct prime *p = w->p;
    struct jw_kit_confirmed c = { .more = true };
    const char *why = w->traced.why;

    if (p->o->record)
        return true;
    if (p->out->run_code || prime_interrupted(p->run)) {
        note_uses(p, p->out->n_kit);
        return true;
    }
    const struct jw_kit_skip skip = find_skipped(p);
    struct jw_kit_found *found = jw_kit_found_made(&w->traced, w->began, &skip, p->run->a);
    char *key = jw_prime_command(p->o->run);
    const char *older = jw_kit_found_older(&w->traced, w->began, &skip, key, p->o->run, p->run->a);

    jw_free(key);
    if (older)
        prime_note(
            p,
            "files that were there before it are not recorded, and may be caches (%s): to record them, "
            "move them away and run this again",
            older);
    bool ok = true, again = jw_kit_found_files(found) != 0;

    for (unsigned i = 0; ok && again && c.more && i < MORE_STARTS && !prime_interrupted(p->run); i++) {
        const char *one = NULL;

        ok = confirm(w, found, &skip, &c, &one, err);
        why = why ? why : one;
    }
    if (why)
        prime_note(p, "caches of other compilers were not recorded whole: %s", why);
    if (again && w->traced.left)
        prime_note(
            p, "processes that it left behind still ran after %d seconds: what they do later is not known",
            LEFT_MS / 1000);
    note_uses(p, p->out->n_kit - c.n);
    if (ok && again)
        note_confirmed(p, &c);
    return ok;
}

bool prime_kit_held(const struct prime *p)
{
    for (size_t i = 0; i < p->out->n_kit; i++)
        if (!jw_kit_use_held(&p->out->kit[i]))
            return false;
    return !p->out->kit_unknown;
}

/* ---- in the report ---- */

#define U struct jw_kit_use

static const struct jw_row uses[] = {
    { JW_ROW("name", U, name) },
    { JW_ROW("root", U, root) },
    { JW_ROW("reused", U, read),
      JW_ABOUT("files that were there before, were opened and left as they were") },
    { JW_ROW("made", U, made), JW_ABOUT("files that are new or were changed") },
    { JW_ROW("others", U, others), JW_ABOUT("and files that each start writes there: logs, results") },
    { JW_ROW("recorded", U, known), JW_ABOUT("files that its record has; 0: there is no record") },
    { JW_ROW("differs", U, differs), JW_NULLABLE, JW_ABOUT("in what this machine is not the record's") },
    { JW_ROW("why_unknown", U, why), JW_NULLABLE, JW_ABOUT("null: all was seen") },
    { 0 },
};

const struct jw_row prime_kit_rows[] = {
    { JW_LIST("other_caches", struct jw_prime_report, kit, n_kit, uses),
      JW_ABOUT("of CuPy, Triton and others, that it used") },
    { JW_ROW("other_files", struct jw_prime_report, kit_unproven),
      JW_ABOUT("that it made elsewhere: logs, results, or a cache that is not recorded") },
    { 0 },
};
