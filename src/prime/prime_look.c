/* Reads the modules of the files and the entries of the cache, and makes the plan. */
#include "prime/commands/command.h"

#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/place/cacheplace.h"
#include "cache/place/other_caches.h"
#include "machine/shell.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "session/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_ABOVE_S = 15 * 60, LONG_S = 5 * 60 };

/* ---- what to prime ---- */

const struct jw_digest_set *prime_digests(const struct prime *p, const uint8_t (*list)[JW_DIGEST], size_t n)
{
    struct jw_digest_set *out = jw_arena_alloc(p->run->a, sizeof *out);

    jw_digest_set_add_all(out, p->run->a, list, n);
    jw_digest_set_sort(out);
    return out;
}

static bool recall_profile(struct prime *p)
{
    const struct jw_warm_command *known = jw_warm_profile(p->ctx.cache.memory, p->o->profile);

    if (!known)
        p->reuse.hint = jw_warm_hint(p->ctx.cache.memory, p->o->profile);
    if (!known)
        return p->reuse.hint || prime_end(p, JW_END_NOTHING, "%s", "");
    p->reuse.profile = prime_digests(p, known->ids, known->n);
    p->out->profile_known = true;
    p->out->profile_modules = known->n;
    return true;
}

/* Takes the modules of recorded commands, where a run for what was primed before finds that only commands were. */
static void recall_commands(struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    struct prime_reuse *u = &p->reuse;

    struct jw_digest_set all = plan_recorded(memory, p->run->a);

    if (!all.n)
        return;
    u->profile = jw_arena_copy(p->run->a, &all, sizeof all);
    u->n_commands = memory->n_commands;
}

static bool was_searched(const struct prime *p, const char *folder)
{
    const struct jw_discovery *here = p->ctx.software.here;

    for (size_t i = 0; here && i < here->n_roots; i++)
        if (jw_is_in(folder, here->roots[i].path))
            return true;
    return false;
}

/* Names other programs' caches that were found: users may mistake them for the driver's. A cache of libraries was
 * searched like other software. */
static void name_others(struct prime *p)
{
    struct jw_other_cache list[JW_OTHER_CACHES];
    size_t n;

    jw_other_caches(p->run->a, list, &n);
    for (size_t i = 0; i < n; i++)
        if (list[i].there && !was_searched(p, list[i].path))
            prime_note(p, "%s has a cache of its own in %s, which jitwarm does not change", list[i].owner,
                       list[i].path);
}

static void report_targets(struct prime *p, bool searched)
{
    const struct prime_software *s = &p->ctx.software;
    const char **list = jw_arena_alloc(p->run->a, (s->n_targets + 1) * sizeof *list);

    for (size_t i = 0; i < s->n_targets; i++)
        list[i] = s->targets[i].path;
    p->out->targets = list;
    p->out->n_targets = s->n_targets;
    p->out->targets_from = s->from;
    p->out->named = p->o->paths.n > 0;
    /* scan lists them, and knows what was named for the cache of this shell alone */
    p->out->places = !s->here ? 0 : p->run->session->cache ? s->here->n_roots : s->n_targets;
    p->out->places_left = s->n_left;
    p->out->places_line = prime_places_line(p);
    p->out->searched = searched;
}

/* Ends a run for which nothing is recorded. A cache in which nothing can be kept stays cold, whatever a program
 * compiles. */
static bool nothing_recorded(struct prime *p)
{
    const char *cache = p->ctx.cache.folder;
    struct jw_cache_place place;

    jw_cache_place(cache, p->run->a, &place);
    if (!place.unasked && !place.may_write)
        return prime_end(
            p, JW_END_CANNOT_WRITE,
            "%.200s cannot be written to (permission denied): nothing that the driver compiles is "
            "kept, and every start compiles again",
            cache);
    const char *gone = prime_first_gone(p->ctx.cache.memory, false, false, p->run->a);

    if (p->ctx.cache.memory->lost)
        return prime_end(p, JW_END_NOTHING, "%s (run jitwarm prime once)", p->ctx.cache.memory->lost);
    return gone ? prime_end(p, JW_END_NOTHING, "%s", gone)
                : prime_end(p, JW_END_NOTHING, "nothing was primed here yet (run jitwarm prime once)");
}

bool prime_choose_paths(struct prime *p, struct jw_err *err)
{
    struct prime_software *s = &p->ctx.software;
    bool recorded = p->o->if_stale && !p->o->also_find;
    bool search = !p->o->paths.n && !p->o->run && !p->o->profile && !recorded;

    if (p->ctx.reads_only)
        prime_note_running(p);
    prime_load_memory(&p->ctx);
    if (prime_lost_records(p) && !p->out->unknowable)
        p->out->unknowable = p->ctx.cache.memory->lost;
    if (!prime_choose_targets(&p->ctx, err))
        return false;
    if (p->o->profile)
        recall_profile(p);
    if (p->run->ended)
        return true;
    if (!s->n_targets && recorded && !p->reuse.profile)
        recall_commands(p);
    if (!s->n_targets && recorded && !p->reuse.profile)
        return nothing_recorded(p);
    if (s->trusted_only && !prime_take_roots(&p->ctx, err))
        return false;
    search |= p->reuse.hint != NULL;
    if (search ? !prime_find_software(&p->ctx, err) : !s->paths.n && !prime_read_names(&p->ctx, err))
        return false;
    if (search && !p->reuse.hint)
        name_others(p);
    report_targets(p, search);
    return true;
}

bool prime_choose_of_login(struct prime *p, struct jw_err *err)
{
    struct prime_software *s = &p->ctx.software;

    if (!s->here || !p->ctx.login.here)
        return true;
    if (!prime_find_of_login(&p->ctx, err))
        return false;
    report_targets(p, true);
    return true;
}

/* ---- the plan ---- */

static unsigned choose_workers(const struct prime *p)
{
    unsigned half = (jw_cpu_count() + 1) / 2, n = p->o->jobs ? p->o->jobs : half;

    /* driver-fact: F47-processes-scale. Below level 1 only one worker runs, so that a new file belongs to its
     * module. */
    return p->ctx.driver.probe->state.level < JW_LEVEL_READABLE || !n ? 1 : n;
}

static uint64_t outdated_bytes(const struct prime *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; p->ctx.driver.probe->state.stamp && i < p->ctx.cache.listing.n; i++) {
        const struct jw_cache_file *f = &p->ctx.cache.listing.files[i];

        if (!f->damage && f->kind == JW_CACHE_CUDA && strcmp(f->stamp, p->ctx.driver.probe->state.stamp) != 0)
            sum += jw_cache_weight(&f->entry);
    }
    return sum;
}

static uint64_t taken_bytes(const struct prime *p)
{
    uint64_t sum = 0;

    if (p->ctx.cache.listing.index_found && !p->ctx.cache.listing.index_damage)
        return p->ctx.cache.listing.index.total;
    for (size_t i = 0; i < p->ctx.cache.listing.n; i++)
        sum += p->ctx.cache.listing.files[i].damage ? 0 : p->ctx.cache.listing.files[i].size;
    return sum;
}

/* Does the cache hold more than the software of this run needs? Then something else was primed, or programs had it
 * compiled. */
static bool is_more_cached(const struct prime *p)
{
    uint64_t needed = 0;

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        needed += p->plan.jobs[i].state == JW_JOB_WARM ? p->plan.jobs[i].entry_bytes : 0;
    return p->out->cache.used > needed;
}

enum jw_warm_loss prime_loss(const struct prime *p)
{
    bool found = p->plan.n_jobs || prime_left_out(p->out);

    if (p->o->paths.n || p->o->run)
        return JW_LOSS_NONE;
    if (p->ctx.cache.lost && !found)
        return JW_LOSS_ALL;
    if (p->ctx.cache.lost && is_more_cached(p))
        return JW_LOSS_OTHERS;
    return prime_lost_before(p->ctx.cache.memory);
}

/* Says what is gone, because "nothing to do" would be read as if it were warm. Software that a search found comes and
 * goes: where other software is here, only what a person named is missed. */
void prime_look_for_gone(struct prime *p)
{
    bool others = p->plan.n_jobs || p->out->receipt;

    if (!p->o->paths.n && !p->emptied.n)
        p->out->gone = prime_first_gone(p->ctx.cache.memory, others, !p->out->receipt, p->run->a);
    else if (p->emptied.n)
        p->out->gone = jw_arena_printf(p->run->a, PRIME_EMPTIED, prime_target_path(p->emptied.v[0]));
    if (!p->out->gone)
        p->out->gone = prime_loss_words(prime_loss(p));
}

static void report_sourceless(struct prime *p)
{
    uint64_t n = p->reuse.profile ? p->reuse.profile->n : 0;

    p->out->sourceless = p->reuse.profile ? n - p->plan.n_jobs : 0;
    if (p->out->sourceless && !p->out->recorded_unsure)
        prime_note(p,
                   "%llu of the %llu modules that the command loads are neither in the cache nor in a known "
                   "file; the command will compile them itself. Name the files: jitwarm prime PATH",
                   (unsigned long long)p->out->sourceless, (unsigned long long)n);
}

/* Was this PTX taken from an entry of the cache, into the work folder of this run? */
static bool is_of_cache(const struct prime *p, const struct jw_place *place)
{
    return place->disk && p->ctx.cache.work && jw_path_below(place->disk, p->ctx.cache.work);
}

/* Notes modules that were refused before. --retry is no advice: most of them end the same way again. */
static void note_banned(struct prime *p)
{
    const char *file = NULL;

    for (size_t i = 0; i < p->plan.n_jobs && !file; i++)
        if (p->plan.jobs[i].state == JW_JOB_SKIPPED && !is_of_cache(p, p->plan.jobs[i].module.places))
            file = p->plan.jobs[i].module.places->disk;
    if (file)
        prime_note(p,
                   "what this driver could not compile is skipped until the driver, its compiler or the file "
                   "changes; "
                   "to try it once more: %s",
                   prime_other_line(p, file, NULL));
}

/* Notes that the driver has no compiler, because verify says of a module only that it is missing. */
static void note_without_compiler(struct prime *p)
{
    for (size_t i = 0; p->o->verify_only && i < p->plan.n_jobs; i++)
        if (prime_lacked_compiler(&p->plan.jobs[i])) {
            prime_note(p, "%s", p->out->driver.cannot_compile);
            return;
        }
}

/* Notes damaged entries that the software here would load, and names the first. */
static void note_damaged(struct prime *p)
{
    const struct jw_cache_file *first = NULL;
    uint64_t n = 0;

    for (size_t i = 0; i < p->plan.n_jobs; i++) {
        const struct jw_job *j = &p->plan.jobs[i];
        const struct jw_cache_file *f = j->name ? jw_cache_file_find(&p->ctx.cache.listing, j->name) : NULL;

        if (!f || !f->damage)
            continue;
        first = first ? first : f;
        n++;
    }
    if (first)
        prime_note(p, "%s %s%s: %s%s (%s)",
                   first->unread ? JW_N(n, "entry in the cache", "entries in the cache")
                                 : JW_N(n, "entry in the cache is", "entries in the cache are"),
                   first->unread ? "could not be read" : "damaged",
                   p->o->dry_run || p->o->verify_only ? ""
                   : n > 1                            ? ", and compiled again"
                                                      : ", and is compiled again",
                   n > 1 ? "the first is " : "", jw_cache_name(first->name).text, first->damage);
}

/* Notes a prime that was begun and did not end: that is why something is cold. */
static void note_unfinished(struct prime *p)
{
    const char *unfinished = prime_unfinished(p->ctx.cache.memory, p->run->a);

    if (unfinished && p->plan.n_todo && (p->o->dry_run || p->o->verify_only))
        prime_note(p, "%s", unfinished);
}

/* Notes another cache that was primed: that is why nothing is known to be warm in this one. */
static void note_elsewhere(struct prime *p)
{
    if ((p->o->dry_run || p->o->verify_only) && p->ctx.cache.primed_cache.path)
        prime_note(p, "%s", p->ctx.cache.primed_cache.words);
}

void prime_plan(struct prime *p)
{
    struct jw_prime_report *r = p->out;
    const struct jw_discovery *here = p->ctx.software.here;

    prime_recall_rates(p);
    struct plan_input in = { .found = p->ctx.software.found.list,
                             .n_found = p->ctx.software.found.n,
                             .cache = &p->ctx.cache.listing,
                             .memory = p->ctx.cache.memory,
                             .build = prime_build(&p->ctx.driver),
                             .compiler = prime_compiler(&p->ctx.driver),
                             .level = p->ctx.driver.probe->state.level,
                             .used = &p->reuse.used,
                             .loaded = here ? here->loaded.names : NULL,
                             .n_loaded = here ? here->loaded.n : 0,
                             .rates = p->rates,
                             .n_rates = p->n_rates,
                             .profile = p->reuse.profile,
                             .limit = r->cache.limit.bytes,
                             .taken = taken_bytes(p),
                             .disk = prime_usable_disk(&p->ctx.cache),
                             .workers = choose_workers(p),
                             .hidden = p->ctx.driver.gpus + p->out->driver.n_gpus - p->ctx.driver.n_hidden,
                             .n_hidden = p->ctx.driver.n_hidden,
                             .cannot_compile = p->ctx.driver.probe->cannot_compile,
                             .retry = p->o->retry && !p->o->dry_run && !p->o->verify_only };

    r->workers = p->plan_workers = in.workers;
    r->cache.used = in.taken;
    r->outdated = outdated_bytes(p);
    plan_make(&in, p->run->a, &p->plan);
    r->left_out[JW_OUT_IS_UNUSED] = p->plan.unused;
    r->jobs = p->plan.jobs;
    r->n_jobs = p->plan.n_jobs;
    r->need = p->plan.need;
    r->seconds = p->plan.seconds;
    r->longest_seconds = plan_is_bound_by_one(&p->plan) ? p->plan.longest : 0;
    r->lazy = p->plan.lazy;
    prime_count_jobs(r);
    report_sourceless(p);
    if (in.level >= JW_LEVEL_READABLE) { /* below it a valid index is unknown */
        prime_note_index(&p->ctx);
        r->index = prime_index_trouble(&p->ctx);
        p->index_damaged = p->ctx.cache.listing.index_trouble != JW_INDEX_WHOLE;
    }
    prime_look_for_gone(p);
    note_unfinished(p);
    note_elsewhere(p);
    note_damaged(p);
    note_banned(p);
    note_without_compiler(p);
}

/* ---- files and cache ---- */

/* Notes modules that programs cannot load here at all, whatever is warm. */
static void note_blocked(struct prime *p, const char *branch, const char *file)
{
    uint64_t n = p->out->left_out[JW_OUT_IS_BLOCKED].modules;

    p->out->needs_driver = branch;
    if (!n)
        return;
    p->too_new = (struct jw_warm_too_new){ n, branch, file ? file : "" };
    p->out->too_new = prime_too_new_words(&p->too_new, p->run->a);
    prime_note(p, "%s", p->out->too_new);
}

/* Was this very file in the cache when a run verified all of it? */
static bool is_verified(const struct jw_warm_entry *known, size_t n, const struct jw_cache_file *f)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (known[middle].name < f->name)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && known[low].name == f->name; low++)
        if (known[low].identity == f->identity)
            return true;
    return false;
}

static bool is_wanted(const struct scan_jobs *found, uint64_t name)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->list[i].name == name)
            return true;
    return false;
}

/* Reads entries that no verified run has seen as they are now, to find damage: entries of this driver, and those under a
 * name that a module has. A dry run starts no process that would load them, a prime compiles damaged ones again, and a
 * verification that loads them has the driver write them again. */
static void check_entries(struct prime *p)
{
    const struct jw_warm_state *memory = p->ctx.cache.memory;
    struct jw_cache_listing *cache = &p->ctx.cache.listing;
    const char *stamp = p->ctx.driver.probe->state.stamp;
    struct jw_warm_entry *known;
    size_t n = 0;

    for (size_t i = 0; i < memory->n_receipts; i++)
        n += memory->receipts[i].n_entries;
    known = jw_arena_alloc(p->run->a, (n + 1) * sizeof *known);
    n = 0;
    for (size_t i = 0; i < memory->n_receipts; i++)
        for (size_t k = 0; k < memory->receipts[i].n_entries; k++)
            known[n++] = memory->receipts[i].entries[k];
    jw_sort(known, n, sizeof *known, jw_by_u64);
    for (size_t i = 0; i < cache->n && !jw_interrupted(p->run->interrupted); i++) {
        struct jw_cache_file *f = &cache->files[i];

        if (!f->damage && !is_verified(known, n, f)
            && ((f->kind == JW_CACHE_CUDA && stamp && strcmp(f->stamp, stamp) == 0)
                || is_wanted(&p->ctx.software.found, f->name)))
            f->damage = prime_entry_damage(p, f->name);
    }
}

bool prime_look(struct prime *p, struct jw_err *err)
{
    const struct scan_jobs *found = &p->ctx.software.found;

    prime_notify(p->run, JW_PHASE_LOOK, NULL);
    /* Waits for one step of the clock, so that a file which was written just before is older than this look. Only a
     * coarse clock hides that. */
    if (p->trace.a) {
        jw_time_sleep_ms(JW_TRACE_STEP_MS);
        p->trace.looked = jw_time_unix_ns();
    }
    if (!prime_read_software(&p->ctx, err))
        return false;
    p->out->places_left += p->ctx.software.here ? p->ctx.software.n_closed : 0;
    p->out->files = found->scan.n_files;
    p->out->bytes = found->scan.bytes;
    memcpy(p->out->left_out, found->left_out, sizeof p->out->left_out);
    if (!prime_report_on_use(p, p->ctx.driver.probe->driver.build, found->on_use, err))
        return false;
    note_blocked(p, found->needs_driver, found->first_blocked);
    if (!prime_find_emptied(p, err))
        return false;
    if (!p->o->run && !p->o->profile) /* else its files are more than it loads */
        p->out->lacking = prime_lacking_words(&p->ctx.software.lacking, p->run->a);
    if (p->reuse.hint && !prime_take_hint(p, err))
        return false;
    if (p->run->ended)
        return true;
    p->reuse.all = p->reuse.profile || !p->o->paths.n;
    if (!prime_add_shared(p, err))
        return false;
    if (!prime_read_cache(&p->ctx, &p->reuse, err))
        return false;
    if (p->reuse.too_new && !p->out->left_out[JW_OUT_IS_BLOCKED].modules) { /* else these files have them */
        p->out->left_out[JW_OUT_IS_BLOCKED].modules = p->reuse.too_new;
        note_blocked(p, p->reuse.needs_driver, NULL);
    }
    check_entries(p);
    if (!prime_look_at_recorded(p, p->ctx.driver.probe->driver.build, err))
        return false;
    prime_plan(p);
    return true;
}

/* ---- may we? ---- */

uint64_t prime_check_room(struct prime *p, bool *disk)
{
    uint64_t n = p->out->counts[JW_JOB_NO_ROOM];

    *disk = p->out->need > prime_usable_disk(&p->ctx.cache);
    p->cramped = n && *disk;
    if (n)
        prime_advise_room(&p->ctx, p->out->need, *disk);
    return n;
}

/* Returns the bytes of modules that were not compiled. */
static uint64_t still_needed(const struct prime *p)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (!jw_job_is_warm(&p->plan.jobs[i]))
            bytes += p->plan.jobs[i].cache_bytes;
    return bytes;
}

/* Advises a line that runs as it is pasted. It is for this shell, because the folder is a new one each time. */
static void advise_folder(struct prime *p, const char *folder, const char *variable, const char *prefix)
{
    struct jw_cache_place place;

    if (!folder || p->run->advice.n)
        return;
    jw_cache_place(folder, p->run->a, &place);
    if (!place.may_write || (place.disk_known && place.disk.read_only))
        prime_advise(p, "%s",
                     jw_shell_set_new_folder(p->run->a, jw_os_is_windows(), jw_shell_here(p->run->a),
                                             variable, prefix));
    else if (place.disk_known && place.disk.free < jw_disk_spare(&place.disk))
        prime_advise_disk(p->run, folder, still_needed(p), place.disk.free, jw_disk_spare(&place.disk));
}

void prime_note_own_shell(struct prime *p)
{
    const char *path = jw_env(p->run->a, "CUDA_CACHE_PATH"), *home = jw_env_home(p->run->a);
    bool of_path = path && jw_shell_is_new_folder(path, "cuda-cache"),
         of_home = !path && home && jw_shell_is_new_folder(home, "home"),
         of_login = p->login_as_then || (p->ctx.login.here && p->ctx.login.start.is == JW_LOGIN_AS_HERE);

    /* A login is asked with the HOME of this shell. */
    if (!p->ctx.cache.asked && ((of_path && !of_login) || of_home))
        prime_note(p,
                   "this cache is of this shell alone: %s=%.200s is set in it, and programs of another shell "
                   "do not look there",
                   of_path ? "CUDA_CACHE_PATH" : "HOME", of_path ? path : home);
}

void prime_advise_writable(struct prime *p)
{
    struct jw_err ignored;

    if (p->run->end != JW_END_CANNOT_WRITE && !p->ctx.driver.probe->unproven)
        return;
    advise_folder(p, jw_state_dir(p->run->a, &ignored), "JITWARM_STATE", "jitwarm-state");
    advise_folder(p, p->ctx.cache.folder, "CUDA_CACHE_PATH", "cuda-cache");
}

void prime_advise_overfull(struct prime *p)
{
    struct jw_next_start_facts f = jw_prime_facts(p->out);

    f.stored += p->out->need;
    if (!jw_next_start_is_over(&f))
        return;
    if (f.limit.login_lower && f.stored <= p->out->cache.limit.bytes)
        prime_advise_login_limit(&p->ctx, p->out->need);
    else
        prime_advise_room(&p->ctx, p->out->need, false);
}

/* The advice is another disk then. */
static bool is_too_small(const struct prime *p)
{
    return p->cramped
           && jw_line_larger_disk(p->run->session, p->ctx.cache.folder, p->out->need, p->run->a) != NULL;
}

static bool ask_consent(struct prime *p, const char *why, bool limit)
{
    const char *question =
        jw_arena_printf(p->run->a, "%c%s. Go on?", toupper((unsigned char)why[0]), why + 1);

    if (p->o->yes || prime_is_background(p) || (p->run->ask && p->run->ask(p->run->ctx, question, false)))
        return true;
    if (!p->run->ask && !is_too_small(p))
        prime_advise(p, "%s   # does not ask%s", jw_run_again(p->run, "--yes"),
                     limit && !jw_session_surroundings(p->run->session)->container
                         ? "; --yes=limit raises the limit of new logins first"
                         : "");
    return prime_end(p, JW_END_CONSENT, "%s", why);
}

/* Programs with lazy loading use some of the modules. Only a run of the program shows which. */
static void advise_run(struct prime *p)
{
    if (p->plan.seconds < LONG_S || p->o->run || p->o->profile || p->o->absent_gpus)
        return;
    prime_note(p, "most programs load a part of this: %s compiles only what COMMAND loads",
               prime_other_line(p, NULL, "COMMAND"));
}

bool prime_ask_first(struct prime *p, struct jw_err *err)
{
    (void)err;
    p->out->would_compile = p->o->ask_first && p->plan.n_todo;
    return !p->out->would_compile || prime_end(p, JW_END_NOTHING, "%s", "");
}

static bool is_warm_input(const void *ctx, uint64_t name)
{
    const struct prime *p = ctx;

    for (size_t i = 0; i < p->plan.n_jobs; i++)
        if (p->plan.jobs[i].name == name && p->plan.jobs[i].state == JW_JOB_WARM)
            return true;
    return false;
}

/* Sets how a dry run ends: nothing to do, a plan, or something that a prime would not help. */
static bool end_of_plan(struct prime *p, enum jw_end *end, struct jw_err *err)
{
    struct jw_next_start_facts f;

    p->out->failing_links = jw_warm_links_of(p->ctx.cache.memory, is_warm_input, p).failing;
    if (!prime_facts(p, &f, err))
        return false;
    prime_advise_recorded(p);
    *end = JW_END_NOTHING;
    if (p->out->gone && p->plan.n_jobs && !f.unasked)
        f.unasked = p->out->gone;
    if (jw_next_start_of(&f) == JW_NEXT_START_WARM)
        return true;
    f.warm += p->plan.n_todo;
    *end = p->plan.n_todo && jw_next_start_of(&f) == JW_NEXT_START_WARM ? JW_END_DONE : JW_END_PARTLY;
    return true;
}

/* Ends the run where another user may write to the cache's folder and could replace what is compiled, before anything is
 * compiled. */
bool prime_check_open(struct prime *p, struct jw_err *err)
{
    struct jw_blocker h;

    (void)err;
    if (!p->plan.n_todo)
        return true;
    h = jw_session_blocker(p->run->session, p->ctx.cache.asked, p->run->a);
    p->refused = h.is == JW_BLOCKER_OPEN;
    return !p->refused || prime_end_blocked(p->run, &h);
}

/* Would compiling take more than 15 minutes? A run with a time limit is not asked. */
static bool takes_long(const struct prime *p)
{
    return p->plan.cpu_seconds > ASK_ABOVE_S && (!p->o->time_limit_s || p->o->time_limit_s > ASK_ABOVE_S);
}

/* Asks before more than 15 minutes of computing, and when modules do not fit. Background runs do not ask. */
bool prime_consent(struct prime *p, struct jw_err *err)
{
    const char *why = NULL;
    enum jw_end end;
    bool disk;

    if (!p->o->dry_run)
        prime_tune(p);

    uint64_t homeless = prime_check_room(p, &disk);

    if (!homeless)
        prime_advise_overfull(p);
    advise_run(p);
    p->out->obstacle = prime_obstacle(&p->ctx);
    if (p->o->dry_run)
        return end_of_plan(p, &end, err) && prime_end(p, end, "%s", "");
    if (!p->plan.n_todo)
        return true;
    if (homeless && !p->ctx.cache.limit_stays)
        why = jw_arena_printf(p->run->a, "%s are needed, more than %s: %s of %s modules will not be warm",
                              JW_SIZE(p->out->need), disk ? "the disk has free" : "the cache may grow by",
                              JW_NUM(homeless), JW_NUM(p->plan.n_jobs));
    else if (takes_long(p))
        why = jw_arena_printf(p->run->a, "compiling %s takes about %s with %s",
                              JW_N(p->plan.n_todo, "module", "modules"), JW_DURATION(p->plan.seconds),
                              JW_N(p->out->workers, "worker", "workers"));
    return !why || ask_consent(p, why, homeless && !disk);
}

/* ---- in the report ---- */

#define R struct jw_prime_report

const struct jw_row prime_target_rows[] = {
    { JW_ROW("from", R, targets_from), JW_NULLABLE, JW_ABOUT("given, recorded or found") },
    { JW_ROW("searched", R, searched),
      JW_ABOUT("for new software, too; false: only what was given or primed before") },
    { JW_TEXTS("paths", R, targets, n_targets) },
    { JW_ROW("files", R, files), JW_ABOUT("looked at") },
    { JW_ROW("bytes", R, bytes) },
    { 0 },
};

const struct jw_row prime_room_rows[] = {
    { JW_PART(R, cache, prime_cache_rows) },
    { JW_ROW("free_disk_bytes", R, cache.free_disk) },
    { JW_ROW("need_bytes", R, need), JW_ABOUT("predicted, for what is to do") },
    { 0 },
};

const struct jw_row prime_predicted_rows[] = {
    { JW_ROW("seconds", R, seconds), JW_ABOUT("by the clock") },
    { JW_ROW("lazy", R, lazy),
      JW_ABOUT("a start takes less than prime: programs compile only what they use of it") },
    { JW_ROW("workers", R, workers) },
    { 0 },
};
