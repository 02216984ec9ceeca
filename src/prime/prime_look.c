/* Reads the modules of the files and the entries of the cache, and makes the plan. */
#include "prime/prime_work.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "facts/env_defaults.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "software/find/discover.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_PREFIX "jitwarm-work"

enum { ASK_ABOVE_CPU_S = 15 * 60, LONG_S = 5 * 60, WHY_ROOM = 240 };

/* ---- a folder of ours, on the file system of the cache ---- */

/* plan and verify write nothing into the cache's folder. */
static bool make_elsewhere(struct prime *p, struct jw_err *err)
{
    const char *state = jw_state_dir(p->a, err);

    return state && jw_scratch_make(state, "plan", p->a, &p->work, err);
}

/* Users who may write there could replace our folder. */
static bool is_private(const struct prime *p, const char *folder, struct jw_err *err)
{
    struct jw_trust t;

    return jw_trust_read(folder, p->a, &t, err) && (!t.exists || (!t.owner && !t.writers));
}

/* Makes the folder beside the root, or inside it if the root is a volume or others may write to the folder above. */
bool prime_make_work(struct prime *p, struct jw_err *err)
{
    char *above = jw_path_dir(p->a, p->dir.root);
    struct jw_disk root, beside;
    struct jw_err why = { 0 };

    if (p->o->dry_run || p->o->verify_only)
        return make_elsewhere(p, err);
    if (jw_disk_look(p->dir.root, &root, &why) && root.read_only)
        return jw_fail(err, JW_E_IO, "%s is on a file system that is read-only", p->dir.root);
    if (jw_disk_look(above, &beside, &why) && beside.volume == root.volume && is_private(p, above, &why)
        && jw_scratch_make(above, WORK_PREFIX, p->a, &p->work, &why))
        return true;
    return jw_scratch_make(p->dir.root, WORK_PREFIX, p->a, &p->work, err);
}

/* ---- files ---- */

static void on_progress(void *ctx, const struct jw_scan_progress *s)
{
    prime_notify(ctx, JW_PHASE_LOOK, s->path);
}

static const char *driver_text(struct prime *p)
{
    char text[32];
    unsigned v = p->probe.driver.cuda_version;

    if (p->probe.driver.version)
        return p->probe.driver.version;
    (void)snprintf(text, sizeof text, "%u.%u", v / 1000, v % 1000 / 10);
    return v ? jw_arena_str(p->a, text) : NULL;
}

/* Skips excluded files and jitwarm's own folder, which holds unpacked modules of wheels. */
static const char **excluded(const struct prime *p)
{
    const char **list = jw_arena_alloc(p->a, (p->o->n_exclude + 1) * sizeof *list);

    for (size_t i = 0; i < p->o->n_exclude; i++)
        list[i] = p->o->exclude[i];
    list[p->o->n_exclude] = WORK_PREFIX "-*";
    return list;
}

static bool find_targets(struct prime *p, struct jw_err *err)
{
    const struct jw_prime_options *o = p->o;
    struct jw_scan_root *roots = jw_arena_alloc(p->a, (p->n_targets + 1) * sizeof *roots);
    struct targets_options t = {
        .scan = { .n_roots = p->n_targets,
                  .driver = driver_text(p),
                  .exclude = excluded(p),
                  .n_exclude = o->n_exclude + 1,
                  .force_jit = p->force_jit,
                  .own = o->own,
                  .vouched = p->vouched,
                  .n_vouched = p->n_vouched,
                  .interrupted = o->interrupted,
                  .progress = on_progress,
                  .progress_ctx = p },
        .sms = p->sms,
        .n_sms = p->n_sms,
        .rules = { p->probe.state.level >= JW_LEVEL_PREDICTABLE ? p->probe.state.stamp : NULL },
        .only = o->only,
        .n_only = o->n_only,
        .all = o->all,
        .spool = p->work
    };

    for (size_t i = 0; i < p->n_targets; i++)
        roots[i] = (struct jw_scan_root){ p->targets[i].path, p->targets[i].depth, p->targets[i].named };
    t.scan.roots = roots;
    return targets_find(&t, &p->found, err);
}

/* Reads all files below a folder that the user named, elsewhere only those that may hold CUDA code by their name. */
static bool matters(const struct prime *p, const char *path)
{
    for (size_t i = 0; i < p->n_targets; i++)
        if (p->targets[i].named
            && (strcmp(path, p->targets[i].path) == 0 || prime_below(path, p->targets[i].path)))
            return true;
    return jw_library_file(path);
}

/* The file was already found below another place. */
static bool is_vouched(const struct prime *p, const char *path)
{
    for (size_t i = 0; i < p->n_vouched; i++)
        if (strcmp(path, p->vouched[i]) == 0 || prime_below(path, p->vouched[i]))
            return true;
    return false;
}

/* Folders in jitwarm.conf were named by this user or root. */
static void report_others(struct prime *p, const struct jw_scan_skipped *first, size_t n)
{
    char more[48] = "";

    if (n > 1)
        (void)snprintf(more, sizeof more, " (and %zu other place%s)", n - 1, n == 2 ? "" : "s");
    if (!n)
        return;
    prime_note(p, "skipped: %s %s%s", first->path, first->reason, more);
    prime_advise(p, "to compile files that other users can change, run jitwarm prime, or add a line "
                    "roots = FOLDER to jitwarm.conf");
}

/* An unreadable file that the user named is a failure if there is nothing else to do. */
static bool report_skipped(struct prime *p, struct jw_err *err)
{
    const struct jw_scan_report *scan = &p->found.scan;
    const struct jw_scan_skipped *others = NULL;
    size_t n_others = 0;

    for (size_t i = 0; i < scan->n_skipped; i++) {
        const struct jw_scan_skipped *s = &scan->skipped[i];

        if (s->why == JW_SKIP_OTHERS) {
            if (!is_vouched(p, s->path))
                others = n_others++ ? others : s;
            continue;
        }
        if (!s->named && !matters(p, s->path))
            continue;
        if (s->named && !p->found.n)
            return jw_fail(err, s->why == JW_SKIP_UNREADABLE ? JW_E_USAGE : JW_E_FORMAT, "%s: %s", s->path,
                           s->reason);
        jw_note(&p->unread, p->a, "%s: %s", s->path, s->reason);
    }
    if (p->unread.n && !p->o->n_paths)
        prime_advise(p, "repair or remove the unreadable files, or skip them with a line exclude = PATH in "
                        "jitwarm.conf");
    p->out->files = scan->n_files;
    p->out->bytes = scan->bytes;
    memcpy(p->out->left_out, p->found.left_out, sizeof p->out->left_out);
    report_others(p, others, n_others);
    return true;
}

/* A package without metadata is named after its file. */
static const char *package_of(const struct target *t, const struct jw_package *owner)
{
    return strcmp(owner->name, jw_path_base(t->place.path)) == 0 ? NULL : owner->name;
}

/* Skips NVIDIA's own packages, unless --all is given or the file was named. */
static bool find_owners(struct prime *p, struct jw_err *err)
{
    struct jw_discovery d;
    size_t kept = 0;

    jw_discovery_init(&d, p->a);
    for (size_t i = 0; i < p->found.n; i++) {
        struct target *t = &p->found.list[i];
        struct jw_package owner = { 0 };
        bool again = kept && strcmp(p->found.list[kept - 1].place.path, t->place.path) == 0;

        if (!again && !jw_discovery_owner(&d, t->place.path, &owner, err))
            return false;
        t->place.package = again ? p->found.list[kept - 1].place.package : package_of(t, &owner);
        if (owner.vendor && !p->o->all && !p->o->n_paths) {
            p->found.left_out[JW_OUT_IS_VENDOR].modules++;
            p->found.left_out[JW_OUT_IS_VENDOR].ptx_bytes += t->ptx_bytes;
            continue;
        }
        p->found.list[kept++] = *t;
    }
    p->found.n = kept;
    return true;
}

bool prime_look(struct prime *p, struct jw_err *err)
{
    prime_notify(p, JW_PHASE_LOOK, NULL);
    if (!p->o->renew && (!find_targets(p, err) || !find_owners(p, err) || !report_skipped(p, err)))
        return false;
    prime_notify(p, JW_PHASE_LOOK, p->dir.root);
    return jw_cachedir_walk(p->dir.root, false, p->o->interrupted, p->a, &p->listing, err)
           && prime_add_from_cache(p, err);
}

/* ---- the plan ---- */

static unsigned choose_workers(const struct prime *p)
{
    unsigned half = (jw_cpu_count() + 1) / 2, n = p->o->jobs ? p->o->jobs : half;

    /* driver-fact: F47-processes-scale. Below level 1 only one worker runs, so that a new file belongs to its
     * module. */
    return p->probe.state.level < JW_LEVEL_READABLE || !n ? 1 : n;
}

static uint64_t outdated_bytes(const struct prime *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; p->probe.state.stamp && i < p->listing.n; i++) {
        const struct jw_cache_file *f = &p->listing.files[i];

        if (!f->damage && f->kind == JW_CACHE_CUDA && strcmp(f->stamp, p->probe.state.stamp) != 0)
            sum += f->entry.key_size + f->entry.payload_size;
    }
    return sum;
}

static uint64_t taken_bytes(const struct prime *p)
{
    uint64_t sum = 0;

    if (p->listing.index_found && !p->listing.index_damage)
        return p->listing.index.total;
    for (size_t i = 0; i < p->listing.n; i++)
        sum += p->listing.files[i].damage ? 0 : p->listing.files[i].size;
    return sum;
}

static uint64_t usable_disk(const struct prime *p)
{
    uint64_t free = p->out->free_disk;

    return free == UINT64_MAX ? UINT64_MAX : free > JW_SPARE_DISK ? free - JW_SPARE_DISK : 0;
}

/* Job ids are unique, but a profile may name one twice. */
static void report_sourceless(struct prime *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n_profile; i++)
        n += i == 0 || memcmp(p->profile[i - 1], p->profile[i], JW_DIGEST) != 0;
    p->sourceless = p->profile ? n - p->plan.n_jobs : 0;
    if (p->sourceless)
        prime_note(p,
                   "%llu of the %llu modules that the command loads are neither in the cache nor in a known "
                   "file; the command will compile them itself. Name the files: jitwarm prime PATH",
                   (unsigned long long)p->sourceless, (unsigned long long)n);
}

static void advise_retry(struct prime *p)
{
    bool banned = false;

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        banned = banned || p->plan.jobs[i].state == JW_JOB_BANNED;
    if (banned)
        prime_advise(p, "%s --retry   (also tries the skipped modules again)", prime_command(p));
}

bool prime_plan(struct prime *p, struct jw_err *err)
{
    struct jw_prime_report *r = p->out;

    (void)err;
    prime_recall_rates(p);
    struct plan_input in = { .targets = p->found.list,
                             .n_targets = p->found.n,
                             .cache = &p->listing,
                             .memory = &p->memory,
                             .build = p->probe.driver.build ? p->probe.driver.build : "",
                             .stamp = p->probe.state.stamp,
                             .level = p->probe.state.level,
                             .used = (const uint8_t(*)[JW_DIGEST])p->used,
                             .n_used = p->n_used,
                             .loaded = p->loaded.names,
                             .n_loaded = p->loaded.n,
                             .rates = p->rates,
                             .n_rates = p->n_rates,
                             .profile = (const uint8_t(*)[JW_DIGEST])p->profile,
                             .n_profile = p->n_profile,
                             .limit = r->limit,
                             .taken = taken_bytes(p),
                             .disk = usable_disk(p),
                             .workers = choose_workers(p),
                             .retry = p->o->retry,
                             .renew = p->o->renew };

    r->workers = p->plan_workers = in.workers;
    r->used = in.taken;
    r->outdated = outdated_bytes(p);
    plan_make(&in, p->a, &p->plan);
    r->left_out[JW_OUT_IS_UNUSED] = p->plan.unused;
    r->jobs = p->plan.jobs;
    r->n_jobs = p->plan.n_jobs;
    r->need = p->plan.need;
    r->seconds = p->plan.seconds;
    r->cpu_seconds = p->plan.cpu_seconds;
    r->lazy = p->plan.lazy;
    report_sourceless(p);
    advise_retry(p);
    return true;
}

void prime_note_index(struct prime *p)
{
    struct jw_buf root = JW_BUF(JW_MAX_LINE);

    if (!p->listing.index_damage || p->listing.index_unread)
        return;
    jw_text_shell_word(&root, p->dir.root, jw_os_is_windows());
    prime_note(p, "the cache's index is damaged: %s", p->listing.index_damage);
    prime_advise(p, "rebuild it: jitwarm status --repair --cache %s", jw_buf_cstr(&root));
    jw_buf_free(&root);
}

/* ---- may we? ---- */

static uint64_t no_room(const struct prime *p, bool *disk)
{
    uint64_t n = 0;

    *disk = p->out->need > usable_disk(p);
    for (size_t i = 0; i < p->plan.n_jobs; i++)
        n += p->plan.jobs[i].state == JW_JOB_NO_ROOM;
    return n;
}

static void advise_disk(struct prime *p, const char *folder, uint64_t free)
{
    uint64_t wanted = p->out->need + JW_SPARE_DISK;

    prime_advise(p,
                 "free %s on the disk of %s; jitwarm leaves the last %s free, because programs that "
                 "cannot write to a full disk fail",
                 JW_SIZE(wanted > free ? wanted - free : 0), folder, JW_SIZE(JW_SPARE_DISK));
}

static void advise_folder(struct prime *p, const char *folder, const char *variable)
{
    struct jw_cache_place place;

    if (!folder)
        return;
    jw_cache_place(folder, p->a, &place);
    if (!place.may_write || (place.disk_known && place.disk.read_only))
        prime_advise(p, "%s %s=DIR   (a folder that you can write: you cannot write %s)",
                     jw_os_is_windows() ? "set" : "export", variable, folder);
    else if (!p->advice.n && place.disk_known && place.disk.free < JW_SPARE_DISK)
        advise_disk(p, folder, place.disk.free);
}

void prime_advise_writable(struct prime *p)
{
    struct jw_err ignored;

    if (p->out->end != JW_END_CANNOT_WRITE && !p->probe.unproven)
        return;
    advise_folder(p, jw_state_dir(p->a, &ignored), "JITWARM_STATE");
    advise_folder(p, p->dir.root, "CUDA_CACHE_PATH");
}

void prime_advise_room(struct prime *p, bool disk)
{
    uint64_t better = jw_cache_limit_for(p->out->used + p->out->need, p->dir.usual);

    if (disk)
        advise_disk(p, p->dir.root, p->out->free_disk);
    else if (!better)
        prime_advise(
            p,
            "more than the 4 GiB that one cache may hold is needed: give each framework a cache of its own "
            "(CUDA_CACHE_PATH where it is started)");
    else if (jw_os_is_windows())
        prime_advise(p,
                     "jitwarm env apply --maxsize %llu   (for new consoles; jitwarm env undo takes it back)",
                     (unsigned long long)better);
    else
        prime_advise(p, "export CUDA_CACHE_MAXSIZE=%llu   (jitwarm env apply --maxsize %llu makes it last)",
                     (unsigned long long)better, (unsigned long long)better);
}

void prime_note_overfull(struct prime *p)
{
    if (!p->out->limit || p->out->used <= p->out->limit)
        return;
    prime_note(p, "the cache is larger than its limit: with the next entry the driver removes others, and "
                  "their modules are compiled again");
    prime_advise_room(p, false);
}

static bool ask(struct prime *p, const char *why, bool limit)
{
    char question[WHY_ROOM + 8];

    (void)snprintf(question, sizeof question, "%c%s. Go on?", toupper((unsigned char)why[0]), why + 1);
    if (p->o->yes || prime_by_itself(p) || prime_question(p, question, false))
        return true;
    if (!p->o->ask)
        prime_advise(p, "the same command with --yes does not ask%s",
                     limit ? "; with --yes=limit it raises the limit first" : "");
    return prime_end(p, JW_END_CONSENT, "%s", why);
}

/* Programs with lazy loading use some of the modules. Only a run of the program shows which. */
static void advise_run(struct prime *p)
{
    if (p->plan.seconds < LONG_S || p->o->run || p->o->profile || p->o->siblings || p->verb)
        return;
    prime_advise(p,
                 "%s --run COMMAND   (compiles only what that program loads: most programs use a part of it)",
                 prime_command(p));
}

/* Asks before more than 15 minutes of computing, and when modules do not fit. Background runs do not ask. */
bool prime_consent(struct prime *p, struct jw_err *err)
{
    char why[WHY_ROOM] = "";
    bool disk;
    uint64_t homeless = no_room(p, &disk);
    struct jw_buf need = JW_BUF(64);

    (void)err;
    if (homeless)
        prime_advise_room(p, disk);
    else
        prime_note_overfull(p);
    if (p->probe.state.level >= JW_LEVEL_READABLE) /* below it a valid index is unknown */
        prime_note_index(p);
    advise_run(p);
    if (p->o->dry_run || !p->plan.n_jobs)
        return prime_end(p,
                         p->sourceless || (p->unread.n && !p->plan.n_todo) ? JW_END_PARTLY
                         : p->plan.n_todo                                  ? JW_END_DONE
                                                                           : JW_END_NOTHING,
                         "%s", "");
    if (!p->plan.n_todo)
        return true;
    jw_text_bytes(&need, p->out->need);
    if (homeless) {
        (void)snprintf(why, sizeof why, "%s are needed, more than %s: %llu of %zu modules will not be warm",
                       jw_buf_cstr(&need), disk ? "the disk has free" : "the cache may grow by",
                       (unsigned long long)homeless, p->plan.n_jobs);
    } else if (p->plan.cpu_seconds > ASK_ABOVE_CPU_S) {
        struct jw_buf time = JW_BUF(64);

        jw_text_duration(&time, p->plan.seconds);
        (void)snprintf(why, sizeof why, "compiling %zu module%s takes %s %s with %u worker%s", p->plan.n_todo,
                       p->plan.n_todo == 1 ? "" : "s", p->plan.lazy ? "up to" : "about", jw_buf_cstr(&time),
                       p->out->workers, p->out->workers == 1 ? "" : "s");
        jw_buf_free(&time);
    }
    jw_buf_free(&need);
    return !*why || ask(p, why, homeless && !disk);
}
