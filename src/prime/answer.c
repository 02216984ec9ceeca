/* Computes the one answer that all verbs print, and what causes ask, of what a look has now. */
#include "prime/look.h"
#include "prime/plan.h"

#include "base/num.h"
#include "facts/errors.h"
#include "facts/gpus.h"
#include "os/files/dir.h"

#include <assert.h>

const char *const jw_answer_names[] = {[JW_NOT_LOOKED] = NULL,
                                       [JW_NOTHING] = "nothing",
                                       [JW_WARM] = "warm",
                                       [JW_COLD] = "cold",
                                       [JW_INCOMPLETE] = "incomplete"};
JW_ROW_FOR_EACH(jw_answer_names, JW_ANSWERS, 5);

void jw_job_becomes(struct jw_job *j, enum jw_standing is, const char *why)
{
    assert(j->is == JW_MODULE_COLD || is == JW_MODULE_WARM
           || jw_max(j->is, is) <= JW_MODULE_UNSTORED);
    j->is = is;
    j->why = why;
}

/* ---- the answer ---- */

/* What a fresh process that loaded the modules showed. */
static enum jw_proven what_is_proven(const struct jw_proof *p)
{
    if (!p->done)
        return JW_NOT_PROVEN;
    if (!jw_is_proven(p))
        return JW_DISPROVED;
    return p->compiled == JW_WITNESS_NOTHING ? JW_COMPILED_NOTHING : JW_ADDED_NOTHING;
}

/* Do names of entries say which module has one? Not below level 2, nor of a locked cache. */
static bool predicts(const struct jw_look *l)
{
    return l->scope.level >= JW_LEVEL_PREDICTABLE && !l->cache.refusal;
}

/* Without names only a fresh process shows which modules have an entry. */
static bool is_found(const struct jw_look *l, const struct jw_job *j)
{
    bool shown = predicts(l) || what_is_proven(&l->proof) == JW_COMPILED_NOTHING;

    return shown && jw_job_is_warm(j);
}

/* Is it neither found nor known to be missing? */
static bool is_unknown(const struct jw_look *l, const struct jw_job *j)
{
    if (predicts(l) || is_found(l, j))
        return false;
    return jw_job_is_todo(j) || jw_job_is_warm(j);
}

/* Counts the modules that the driver would compile. The first is the first cold one. */
static void count_jobs(const struct jw_look *l, struct jw_answer *a)
{
    a->modules = l->n_jobs;
    for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++) {
        if (j->place->entry)
            a->fileless++;
        if (is_found(l, j)) {
            a->warm++;
            continue;
        }
        if (j->banned && j->ended >= JW_JOB_FAILED)
            a->refused++;
        if (is_unknown(l, j))
            a->unknown++;
        else if (!a->first)
            a->first = j->place->path;
    }
}

/* What this driver cannot run. A file without code for a GPU is a variant for another one, where
 * others run, unless a person named it. */
static const struct jw_left_out *find_blocked(const struct jw_look *l)
{
    const struct scan_jobs *files = &l->files;

    if (files->out[JW_OUT_IS_BLOCKED].n)
        return &files->out[JW_OUT_IS_BLOCKED];
    if (l->n_jobs || files->out[JW_OUT_IS_NATIVE].n)
        return &files->dead;
    return &files->out[JW_OUT_IS_NOTHING];
}

/* Counts what became no job, behind the jobs. */
static void count_files(const struct jw_look *l, struct jw_answer *a)
{
    const struct jw_left_out *blocked = find_blocked(l);

    a->left_out = l->files.out[JW_OUT_IS_SKIPPED].n;
    a->blocked = blocked->n;
    a->needs = l->files.out[JW_OUT_IS_BLOCKED].n ? l->files.needs : 0;
    a->found = a->modules;
    for (size_t i = 0; i < JW_OUTS; i++)
        if (i != JW_OUT_IS_MADE)
            a->found += l->files.out[i].n;
    if (!a->found && !a->unread && !a->sourceless)
        a->empty = l->without_code.n;
}

/* The first file that is not warm: the worst comes first. */
static const char *find_first(const struct jw_look *l, const struct jw_answer *a)
{
    if (a->first)
        return a->first;
    if (a->blocked)
        return find_blocked(l)->first;
    if (a->empty)
        return l->without_code.v[0];
    return l->n_unread ? l->unread->path : l->first_gone;
}

/* Why the remembered roots cannot be read, if the answer is about them, or if they were to be
 * changed and the damaged list cannot be replaced; else NULL. */
static const char *damaged_roots(const struct jw_look *l)
{
    bool asked = !l->asked.n_paths || (l->seen.changes_roots && l->roots.closed);

    return asked ? l->roots.damaged : NULL;
}

/* Was something not looked at, does something not run, or did a fresh process compile? */
static bool is_incomplete(const struct jw_look *l, const struct jw_answer *a)
{
    if (a->unread || a->unknown || a->sourceless || a->blocked || a->empty)
        return true;
    return a->proven == JW_DISPROVED || (damaged_roots(l) && !l->asked.n_paths);
}

static enum jw_answer_is judge(const struct jw_look *l, const struct jw_answer *a)
{
    if (!l->looked)
        return JW_NOT_LOOKED;
    if (jw_answer_cold(a))
        return JW_COLD;
    if (is_incomplete(l, a))
        return JW_INCOMPLETE;
    if (a->modules || a->found > a->left_out)
        return JW_WARM;
    return a->left_out && !l->seen.searched ? JW_INCOMPLETE : JW_NOTHING;
}

static bool has_modules_for(const struct jw_look *l, uint16_t sm, bool cold)
{
    for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++)
        if (j->sm == sm && !(cold && jw_job_is_warm(j)))
            return true;
    return false;
}

/* The architectures that the answer is about: those on which files do not run, if that is the
 * answer; else those that have modules, of a cold answer cold ones. If there is none: all. */
static struct jw_sms find_sms(const struct jw_look *l, const struct jw_answer *a)
{
    struct jw_sms sms = {0};
    bool cold = a->is == JW_COLD;
    bool blocked = !cold && a->blocked;

    for (size_t i = 0; i < l->scope.sms.n; i++) {
        bool dead = blocked && !a->needs && (l->files.dead.on >> i & 1);

        if (dead || (!blocked && has_modules_for(l, l->scope.sms.v[i], cold)))
            jw_sms_add(&sms, l->scope.sms.v[i]);
    }
    return sms.n ? sms : l->scope.sms;
}

struct jw_answer jw_look_answer(const struct jw_look *l)
{
    struct jw_answer a = {.unread = l->n_unread,
                          .sourceless = l->sourceless,
                          .changed = l->first_gone && !jw_is_absent(l->first_gone),
                          .proven = what_is_proven(&l->proof)};

    count_jobs(l, &a);
    count_files(l, &a);
    a.first = find_first(l, &a);
    a.is = judge(l, &a);
    a.sms = find_sms(l, &a);
    return a;
}

uint64_t jw_answer_count(const struct jw_look *l, bool (*is)(const struct jw_job *j))
{
    uint64_t n = 0;

    for (size_t i = 0; i < l->n_jobs; i++)
        n += is(&l->jobs[i]);
    return n;
}

/* ---- what causes ask beside it ---- */

/* The size of the entry that the cache lacks for this job. */
static uint64_t missing_bytes(const struct jw_job *j)
{
    return jw_job_is_warm(j) || j->ended > JW_JOB_LOADED ? 0 : plan_bytes(j);
}

/* How much room the cold modules take, and the cache then. */
static void count_room(const struct jw_look *l, struct jw_facts_found *f)
{
    f->needed = l->scope.used;
    for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++) {
        uint64_t bytes = missing_bytes(j);

        f->cold_bytes += bytes;
        f->needed += bytes - jw_min(bytes, j->entry_bytes);
        if (jw_job_has_no_room(j))
            f->no_room++;
    }
    if (f->cold_bytes)
        f->needed += jw_spare(l->scope.limit);
    f->cold_bytes = jw_max(f->cold_bytes, l->seen.lacked_bytes);
    f->needed = jw_max(f->needed, l->seen.lacked_limit);
}

/* Is it a module that was tried and is not there, and not for a fault of its code? */
static bool is_lost(const struct jw_look *l, const struct jw_job *j)
{
    if (is_unknown(l, j))
        return what_is_proven(&l->proof) == JW_DISPROVED;
    return j->ended ? !j->banned : jw_job_has_no_room(j);
}

static void note_faults(const struct jw_look *l, const struct jw_job *j, struct jw_facts_found *f)
{
    if (jw_job_is_compiled(j))
        f->filled = true;
    if (j->damaged)
        f->damaged++;
    if (j->code == JW_CUDA_JIT_COMPILER_NOT_FOUND)
        f->no_compiler = true;
    if (j->place->link && !f->linked++)
        f->first_linked = j->place->path;
    if (is_found(l, j))
        return;
    if (j->banned && j->ended >= JW_JOB_TIMEOUT)
        f->crashed++;
    if (is_lost(l, j))
        f->unstored = true;
}

static void find_unread(const struct jw_look *l, const struct jw_answer *a,
                        struct jw_facts_found *f)
{
    if (l->n_unread) {
        f->unread_named = l->unread->named;
        f->files_closed = l->unread->closed ? l->unread->path : NULL;
        f->files_closed_own = l->unread->own;
    }
    if (l->n_unread == 1) {
        f->unread = l->unread->path;
        f->why_unread = l->unread->why;
    } else if (!l->n_unread && l->first_gone) {
        f->unread = l->first_gone;
        f->why_unread = a->changed ? "other code than was recorded" : "no such file";
    }
}

static bool is_root(const struct jw_look *l, const char *path)
{
    for (size_t i = 0; path && i < l->roots.n; i++)
        if (jw_text_same(l->roots.v[i].path, path))
            return true;
    return false;
}

/* Can the first file be started, and has it no code, or PTX texts whose end is not known? */
static bool is_program(const struct jw_answer *a, const char *unbounded)
{
    bool codeless = a->empty == 1 || (unbounded && jw_text_same(unbounded, a->first));

    return codeless && jw_may_use(a->first, JW_FILE_REGULAR) && !jw_may_hold_code(a->first);
}

static struct jw_facts_found find_all(const struct jw_look *l, const struct jw_answer *a)
{
    struct jw_facts_found f = {
        .unnamed = l->seen.unnamed, .searched = l->seen.searched, .filled = l->seen.filled};

    count_room(l, &f);
    for (size_t i = 0; i < l->n_jobs; i++)
        note_faults(l, &l->jobs[i], &f);
    find_unread(l, a, &f);
    f.unbounded = l->files.out[JW_OUT_IS_UNBOUNDED].first;
    f.program = is_program(a, f.unbounded);

    f.roots_damaged = damaged_roots(l);
    f.roots_at = l->roots.closed ? l->memory->dir : NULL;
    f.roots_of_other = l->seen.roots_of_other;
    f.first_is_root = !l->asked.n_paths && is_root(l, a->first);
    f.lost = l->n_lost ? l->lost : NULL;
    f.lost_code = l->seen.lost_code;
    f.lost_in = l->seen.lost_in;

    f.refusal = l->cache.refusal;
    f.index_damaged =
        l->scope.level != JW_LEVEL_OPAQUE && jw_index_damaged(l->cache.trouble, a->warm != 0);
    f.index_miscounts = l->cache.trouble == JW_INDEX_MISCOUNTS;
    f.primed_in = l->seen.primed_in;
    f.not_file = l->seen.cache.not_file;
    f.cache_closed = l->seen.cache.closed;
    f.cache_closed_by = l->seen.cache.closed_by;
    f.other_driver = l->seen.cache.other_driver;
    f.other_sm = l->seen.cache.other_sm;
    f.emptied = a->is == JW_COLD && l->roots.n && !l->all.n && !f.damaged; /* all was listed */
    return f;
}

struct jw_facts jw_look_facts(const struct jw_look *l)
{
    struct jw_facts f = {0};

    if (l->machine)
        f = *l->machine;
    f.scope = l->scope;
    f.asked = l->asked;
    f.cache.free = l->seen.free_bytes;
    if (l->seen.taken) {
        f.driver.is = JW_DRIVER_FAILS;
        f.driver.error = l->seen.taken;
    }
    f.answer = jw_look_answer(l);
    f.found = find_all(l, &f.answer);
    f.login = l->seen.login;
    f.start = l->seen.start;
    return f;
}
