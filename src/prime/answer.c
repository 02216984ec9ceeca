/* Counts the jobs of a look into the one answer that all verbs print. */
#include "prime/look.h"
#include "prime/plan.h"

#include "base/num.h"
#include "facts/errors.h"
#include "facts/gpus.h"
#include "os/files/dir.h"

#include <assert.h>

const char *const jw_answer_names[] = { [JW_NOT_LOOKED] = NULL,
                                        [JW_NOTHING] = "nothing",
                                        [JW_WARM] = "warm",
                                        [JW_COLD] = "cold",
                                        [JW_INCOMPLETE] = "incomplete" };
JW_ROW_FOR_EACH(jw_answer_names, JW_ANSWERS, 5);

void jw_job_becomes(struct jw_job *j, enum jw_standing is, const char *why)
{
    assert(j->is == JW_MODULE_COLD || is == JW_MODULE_WARM
           || jw_max(j->is, is) <= JW_MODULE_UNSTORED);
    j->is = is;
    j->why = why;
}

const char *jw_job_word(const struct jw_job *j)
{
    /* Of a cold one it says more how the attempt ended. */
    static const char *const stands[] = { [JW_MODULE_COLD] = NULL,
                                          [JW_MODULE_WARM] = "warm",
                                          [JW_MODULE_BANNED] = "skipped",
                                          [JW_MODULE_UNSTORED] = "unstored",
                                          [JW_MODULE_NO_ROOM] = "no-room" };
    JW_ROW_FOR_EACH(stands, JW_STANDINGS, 5);
    static const char *const ends[] = {
        [JW_JOB_TODO] = "todo",     [JW_JOB_LOADED] = "todo",     [JW_JOB_CHANGED] = "changed",
        [JW_JOB_FAILED] = "failed", [JW_JOB_TIMEOUT] = "timeout", [JW_JOB_CRASHED] = "crashed",
        [JW_JOB_KILLED] = "killed", [JW_JOB_UNSTARTED] = "todo"
    };
    JW_ROW_FOR_EACH(ends, JW_OUTCOMES, 8);

    return jw_job_is_compiled(j) ? "warmed" : stands[j->is] ? stands[j->is] : ends[j->ended];
}

/* The answer is cold if a module is not warm; else incomplete if something was not looked at, is
 * blocked, has no code, if a fresh process compiled, or if the roots were asked about and cannot be
 * read. */
static enum jw_answer_is check_modules(const struct jw_answer *a, const struct jw_facts *f)
{
    bool unseen = a->unread || a->unknown || a->sourceless || a->blocked || a->empty;
    bool roots_unread = f->found.roots_damaged && !f->asked.n_paths;

    if (jw_answer_cold(a))
        return JW_COLD;
    if (unseen || roots_unread || a->proven == JW_DISPROVED)
        return JW_INCOMPLETE;
    if (a->modules || a->found > a->left_out)
        return JW_WARM;
    return a->left_out && !f->found.searched ? JW_INCOMPLETE : JW_NOTHING;
}

/* The size of the entry that the cache lacks for this job. */
static uint64_t bytes_of(const struct jw_job *j)
{
    return jw_job_is_warm(j) || j->ended > JW_JOB_LOADED ? 0 : plan_bytes(j);
}

/* Drops architectures that have nothing to compile, and from a cold answer those that are warm. If
 * files do not run everywhere, the architectures on which they do not run stay. */
static void keep_asked(struct jw_answer *a, const struct jw_look *l)
{
    struct jw_sms kept = { 0 };
    bool blocked = a->is != JW_COLD && a->blocked;

    for (size_t i = 0; blocked && !a->needs && i < a->sms.n; i++)
        if (l->files.dead.on >> i & 1)
            jw_sms_add(&kept, a->sms.v[i]);
    for (size_t i = 0; !blocked && i < a->sms.n; i++)
        for (const struct jw_job *j = l->jobs; j < l->jobs + l->n_jobs; j++)
            if (j->sm == a->sms.v[i] && !(a->is == JW_COLD && jw_job_is_warm(j)))
                jw_sms_add(&kept, j->sm);
    a->sms = kept.n ? kept : a->sms;
}

/* Counts the modules that the driver would compile, and what the cache lacks of them. Returns the
 * first cold one. */
static const struct jw_job *count_jobs(struct jw_look *l)
{
    struct jw_answer *a = &l->facts.answer;
    struct jw_facts_found *f = &l->facts.found;
    const struct jw_job *first = NULL;
    bool predicts = l->facts.scope.level >= JW_LEVEL_PREDICTABLE && !l->cache.refusal;
    /* Below level 2 a compiled module may have left no entry; only a fresh process shows which
     * modules it finds. */
    bool shows = predicts || a->proven == JW_COMPILED_NOTHING;

    f->cold_bytes = f->crashed = f->linked = f->damaged = f->no_room = 0;
    f->no_compiler = f->unstored = false;
    f->needed = l->facts.scope.used;
    for (size_t i = 0; i < l->n_jobs; i++) {
        const struct jw_job *j = &l->jobs[i];
        uint64_t bytes = bytes_of(j);
        bool warm = jw_job_is_warm(j) && shows;

        f->filled |= jw_job_is_compiled(j);
        f->no_room += jw_job_has_no_room(j);
        f->damaged += j->damaged;
        f->cold_bytes += bytes;
        f->needed += bytes - jw_min(bytes, j->entry_bytes);
        f->no_compiler |= j->code == JW_CUDA_JIT_COMPILER_NOT_FOUND;
        a->modules++;
        a->fileless += j->place->entry != NULL;
        if (j->place->link && !f->linked++)
            f->first_linked = j->place->path;
        a->warm += warm;
        if (warm)
            continue;
        a->refused += j->banned && j->ended >= JW_JOB_FAILED;
        f->crashed += j->banned && j->ended >= JW_JOB_TIMEOUT;
        bool unknown = !predicts && (jw_job_is_todo(j) || jw_job_is_warm(j));

        a->unknown += unknown;
        f->unstored |= unknown    ? a->proven == JW_DISPROVED
                       : j->ended ? !j->banned
                                  : jw_job_has_no_room(j);
        first = first || unknown ? first : j;
    }
    if (f->cold_bytes)
        f->needed += jw_spare(l->facts.scope.limit);
    return first;
}

/* Counts what became no job, behind the jobs. A file without code for a GPU is a variant for
 * another one, where others run, unless a person named it. Returns the first file that is blocked,
 * else empty, else unread. */
static const char *count_files(struct jw_answer *a, const struct jw_look *l)
{
    const struct scan_jobs *s = &l->files;
    bool too_new = s->out[JW_OUT_IS_BLOCKED].n;
    bool runs = a->modules || s->out[JW_OUT_IS_NATIVE].n;
    const struct jw_left_out *blocked = too_new ? &s->out[JW_OUT_IS_BLOCKED]
                                        : runs  ? &s->dead
                                                : &s->out[JW_OUT_IS_NOTHING];

    a->left_out = s->out[JW_OUT_IS_SKIPPED].n;
    a->blocked = blocked->n;
    a->needs = too_new ? s->needs : 0;
    a->found = a->modules;
    for (size_t i = 0; i < JW_OUTS; i++)
        a->found += i == JW_OUT_IS_MADE ? 0 : s->out[i].n;
    if (!a->found && !a->unread && !a->sourceless)
        a->empty = l->without_code.n;
    return a->blocked    ? blocked->first
           : a->empty    ? l->without_code.v[0]
           : l->n_unread ? l->unread->path
                         : l->first_gone;
}

void jw_answer_make(struct jw_look *l)
{
    struct jw_answer *a = &l->facts.answer;
    struct jw_facts_found *f = &l->facts.found;
    const struct jw_proof *p = &l->proof;

    *a = (struct jw_answer){ .sms = l->facts.scope.sms,
                             .unread = l->n_unread,
                             .sourceless = l->sourceless,
                             .changed = l->first_gone && !jw_is_absent(l->first_gone),
                             .proven = !p->done                            ? JW_NOT_PROVEN
                                       : !jw_is_proven(p)                  ? JW_DISPROVED
                                       : p->compiled == JW_WITNESS_NOTHING ? JW_COMPILED_NOTHING
                                                                           : JW_ADDED_NOTHING };
    const struct jw_job *cold = count_jobs(l);

    a->first = count_files(a, l);
    a->first = cold ? cold->place->path : a->first;
    a->is = check_modules(a, &l->facts);
    keep_asked(a, l);
    f->why_unread =
        l->n_unread == 1 ? jw_arena_printf(&l->a, "%s: %s", l->unread->path, l->unread->why)
        : l->first_gone && !l->n_unread
            ? jw_arena_printf(&l->a, "%s: %s", l->first_gone,
                              a->changed ? "other code than was recorded" : "no such file")
            : NULL;
    f->unbounded = l->files.out[JW_OUT_IS_UNBOUNDED].first;
    bool codeless = a->empty == 1 || (f->unbounded && jw_text_same(f->unbounded, a->first));

    f->program = codeless && jw_may_use(a->first, JW_FILE_REGULAR) && !jw_may_hold_code(a->first);
    f->unread_named = l->n_unread && l->unread->named;
    f->first_is_root = false;
    for (size_t i = 0; i < l->roots.n && !l->facts.asked.n_paths; i++)
        f->first_is_root |= jw_text_same(l->roots.v[i].path, a->first);
    f->files_closed = l->n_unread && l->unread->closed ? l->unread->path : NULL;
    f->files_closed_own = l->n_unread && l->unread->own;
    f->refusal = l->cache.refusal;
    f->index_damaged =
        l->facts.scope.level != JW_LEVEL_OPAQUE && jw_index_damaged(l->cache.trouble, a->warm != 0);
    f->index_miscounts = l->cache.trouble == JW_INDEX_MISCOUNTS;
}

uint64_t jw_answer_count(const struct jw_look *l, bool (*is)(const struct jw_job *j))
{
    uint64_t n = 0;

    for (size_t i = 0; i < l->n_jobs; i++)
        n += is(&l->jobs[i]);
    return n;
}
