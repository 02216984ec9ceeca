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
static bool predicts(const struct jw_look *look)
{
    return look->scope.level >= JW_LEVEL_PREDICTABLE && !look->cache.refusal;
}

/* Without names only a fresh process shows which modules have an entry. */
static bool is_found(const struct jw_look *look, const struct jw_job *j)
{
    bool shown = predicts(look) || what_is_proven(&look->proof) == JW_COMPILED_NOTHING;

    return shown && jw_job_is_warm(j);
}

/* Is it neither found nor known to be missing? */
static bool is_unknown(const struct jw_look *look, const struct jw_job *j)
{
    if (predicts(look) || is_found(look, j))
        return false;
    return jw_job_is_todo(j) || jw_job_is_warm(j);
}

/* Counts the modules that the driver would compile. The first is the first cold one. */
static void count_jobs(const struct jw_look *look, struct jw_answer *a)
{
    a->modules = look->n_jobs;
    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        if (j->place->entry)
            a->fileless++;
        if (is_found(look, j)) {
            a->warm++;
            continue;
        }
        if (j->banned && j->ended >= JW_JOB_FAILED)
            a->refused++;
        if (is_unknown(look, j))
            a->unknown++;
        else if (!a->first)
            a->first = j->place->path;
    }
}

/* What this driver cannot run. A file without code for a GPU is a variant for another one, where
 * others run, unless a person named it. */
static const struct jw_left_out *find_blocked(const struct jw_look *look)
{
    const struct scan_jobs *files = &look->files;

    if (files->out[JW_OUT_IS_BLOCKED].n)
        return &files->out[JW_OUT_IS_BLOCKED];
    if (look->n_jobs || files->out[JW_OUT_IS_NATIVE].n)
        return &files->dead;
    return &files->out[JW_OUT_IS_NOTHING];
}

/* Counts what became no job, behind the jobs. */
static void count_files(const struct jw_look *look, struct jw_answer *a)
{
    const struct jw_left_out *blocked = find_blocked(look);

    a->skipped = look->files.out[JW_OUT_IS_SKIPPED].n;
    a->blocked = blocked->n;
    a->needs = look->files.out[JW_OUT_IS_BLOCKED].n ? look->files.needs : 0;
    a->found = a->modules;
    for (size_t i = 0; i < JW_OUTS; i++)
        if (i != JW_OUT_IS_MADE)
            a->found += look->files.out[i].n;
    if (!a->found && !a->unread && !a->sourceless)
        a->empty = look->without_code.n;
}

/* The first file that is not warm: the worst comes first. */
static const char *find_first(const struct jw_look *look, const struct jw_answer *a)
{
    if (a->first)
        return a->first;
    if (a->blocked)
        return find_blocked(look)->first;
    if (a->empty)
        return look->without_code.v[0];
    return look->n_unread ? look->unread->path : look->first_gone;
}

/* Why the remembered roots cannot be read, if the answer is about them, or if they were to be
 * changed and the damaged list cannot be replaced; else NULL. */
static const char *damaged_roots(const struct jw_look *look)
{
    bool asked = !look->asked.n_paths || (look->seen.changes_roots && look->roots.closed);

    return asked ? look->roots.damaged : NULL;
}

/* Was something not looked at, does something not run, or did a fresh process compile? */
static bool is_incomplete(const struct jw_look *look, const struct jw_answer *a)
{
    if (a->unread || a->unknown || a->sourceless || a->blocked || a->empty)
        return true;
    return a->proven == JW_DISPROVED || (damaged_roots(look) && !look->asked.n_paths);
}

static enum jw_answer_is judge(const struct jw_look *look, const struct jw_answer *a)
{
    if (!look->looked)
        return JW_NOT_LOOKED;
    if (jw_answer_cold(a))
        return JW_COLD;
    if (is_incomplete(look, a))
        return JW_INCOMPLETE;
    if (a->modules || a->found > a->skipped)
        return JW_WARM;
    return a->skipped && !look->met.searched ? JW_INCOMPLETE : JW_NOTHING;
}

static bool has_modules_for(const struct jw_look *look, uint16_t sm, bool cold)
{
    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++)
        if (j->sm == sm && !(cold && jw_job_is_warm(j)))
            return true;
    return false;
}

/* The architectures that the answer is about: those on which files do not run, if that is the
 * answer; else those that have modules, of a cold answer cold ones. If there is none: all. */
static struct jw_sms find_sms(const struct jw_look *look, const struct jw_answer *a)
{
    struct jw_sms sms = {0};
    bool cold = a->is == JW_COLD;
    bool blocked = !cold && a->blocked;

    for (size_t i = 0; i < look->scope.sms.n; i++) {
        bool dead = blocked && !a->needs && (look->files.dead.on >> i & 1);

        if (dead || (!blocked && has_modules_for(look, look->scope.sms.v[i], cold)))
            jw_sms_add(&sms, look->scope.sms.v[i]);
    }
    return sms.n ? sms : look->scope.sms;
}

struct jw_answer jw_look_answer(const struct jw_look *look)
{
    struct jw_answer a = {.unread = look->n_unread,
                          .sourceless = look->sourceless,
                          .changed = look->first_gone && !jw_is_absent(look->first_gone),
                          .proven = what_is_proven(&look->proof)};

    count_jobs(look, &a);
    count_files(look, &a);
    a.first = find_first(look, &a);
    a.is = judge(look, &a);
    a.sms = find_sms(look, &a);
    return a;
}

uint64_t jw_answer_count(const struct jw_look *look, bool (*is)(const struct jw_job *j))
{
    uint64_t n = 0;

    for (size_t i = 0; i < look->n_jobs; i++)
        n += is(&look->jobs[i]);
    return n;
}

/* ---- what causes ask beside it ---- */

/* The size of the entry that the cache lacks for this job. */
static uint64_t missing_bytes(const struct jw_job *j)
{
    return jw_job_is_warm(j) || j->ended > JW_JOB_LOADED ? 0 : plan_bytes(j);
}

/* How much room the cold modules take, and the cache then. */
static void count_room(const struct jw_look *look, struct jw_facts_found *f)
{
    f->needed = look->scope.used;
    for (const struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        uint64_t bytes = missing_bytes(j);

        f->cold_bytes += bytes;
        f->needed += bytes - jw_min(bytes, j->entry_bytes);
        if (jw_job_has_no_room(j))
            f->no_room++;
    }
    if (f->cold_bytes)
        f->needed += jw_spare(look->scope.limit);
    f->cold_bytes = jw_max(f->cold_bytes, look->seen.lacked_bytes);
    f->needed = jw_max(f->needed, look->seen.lacked_limit);
}

/* Is it a module that was tried and is not there, and not for a fault of its code? */
static bool is_lost(const struct jw_look *look, const struct jw_job *j)
{
    if (is_unknown(look, j))
        return what_is_proven(&look->proof) == JW_DISPROVED;
    return j->ended ? !j->banned : jw_job_has_no_room(j);
}

static void note_faults(const struct jw_look *look, const struct jw_job *j,
                        struct jw_facts_found *f)
{
    if (j->damaged)
        f->damaged++;
    if (j->code == JW_CUDA_JIT_COMPILER_NOT_FOUND)
        f->no_compiler = true;
    if (j->place->link && !f->linked++)
        f->first_linked = j->place->path;
    if (is_found(look, j))
        return;
    if (j->banned && j->ended >= JW_JOB_TIMEOUT)
        f->crashed++;
    if (is_lost(look, j))
        f->unstored = true;
}

static void find_unread(const struct jw_look *look, const struct jw_answer *a,
                        struct jw_facts_found *f)
{
    if (look->n_unread) {
        f->unread_named = look->unread->named;
        f->files_closed = look->unread->closed ? look->unread->path : NULL;
        f->files_closed_own = look->unread->own;
    }
    if (look->n_unread == 1) {
        f->unread = look->unread->path;
        f->why_unread = look->unread->why;
    } else if (!look->n_unread && look->first_gone) {
        f->unread = look->first_gone;
        f->why_unread = a->changed ? "other code than was recorded" : "no such file";
    }
}

static bool is_root(const struct jw_look *look, const char *path)
{
    for (size_t i = 0; path && i < look->roots.n; i++)
        if (jw_text_same(look->roots.v[i].path, path))
            return true;
    return false;
}

/* Can the first file be started, and has it no code, or PTX texts whose end is not known? */
static bool is_program(const struct jw_answer *a, const char *unbounded)
{
    bool codeless = a->empty == 1 || (unbounded && jw_text_same(unbounded, a->first));

    return codeless && jw_may_use(a->first, JW_FILE_REGULAR) && !jw_may_hold_code(a->first);
}

static struct jw_facts_found find_all(const struct jw_look *look, const struct jw_answer *a)
{
    struct jw_facts_found f = {0};

    count_room(look, &f);
    for (size_t i = 0; i < look->n_jobs; i++)
        note_faults(look, &look->jobs[i], &f);
    find_unread(look, a, &f);
    f.unbounded = look->files.out[JW_OUT_IS_UNBOUNDED].first;
    f.program = is_program(a, f.unbounded);

    f.roots_damaged = damaged_roots(look);
    f.roots_at = look->roots.closed ? look->memory->dir : NULL;
    f.first_is_root = !look->asked.n_paths && is_root(look, a->first);
    f.lost = look->n_lost ? look->lost : NULL;

    f.refusal = look->cache.refusal;
    f.index_damaged =
        look->scope.level != JW_LEVEL_OPAQUE && jw_index_damaged(look->cache.trouble, a->warm != 0);
    f.index_miscounts = look->cache.trouble == JW_INDEX_MISCOUNTS;
    f.emptied = a->is == JW_COLD && look->sound.n && !look->all.n && !f.damaged;
    return f;
}

struct jw_facts jw_look_facts(const struct jw_look *look)
{
    struct jw_facts f = {0};

    if (look->machine)
        f = *look->machine;
    f.scope = look->scope;
    f.asked = look->asked;
    f.cache.free = look->seen.free_bytes;
    if (look->seen.taken) {
        f.driver.is = JW_DRIVER_FAILS;
        f.driver.error = look->seen.taken;
    }
    f.answer = jw_look_answer(look);
    f.found = find_all(look, &f.answer);
    f.met = look->met;
    f.met.filled |= jw_answer_count(look, jw_job_is_compiled) > 0;
    f.login = look->seen.login;
    f.start = look->seen.start;
    return f;
}
