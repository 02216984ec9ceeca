/* Learns what a command loads: runs it once, with the user's own settings, and takes the entries that were opened or
 * made in its cache meanwhile. If opens cannot be seen (Windows), it runs with an empty cache instead, and the new
 * entries are published. */
#include "prime/commands/watching.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/listing.h"
#include "cache/place/other_caches.h"
#include "driver/worker/identity.h"
#include "facts/cache_choosers.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "prime/memory/same_file.h"
#include "software/find/vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLUSH_MS = 10 * 1000,
    INDEX_TRIES = 3,
    LOCK_WAIT_S = 10,
    ASKED_WAIT_S = 1,
    MAX_SETTING_FILE = 1 << 16
};

#define MAX_CACHE_LIMIT 4294967296ULL

/* ---- where opens cannot be seen: a cache of its own ---- */

/* Uses a separate cache if entries can be placed, otherwise the user's, where only new entries are seen. */
static bool choose_cache(struct prime *p, const char **cache, struct jw_err *err)
{
    *cache = p->ctx.cache.folder;
    if (p->ctx.driver.probe->state.level < JW_LEVEL_PLACEABLE) {
        prime_note(
            p,
            "this driver's entries cannot be moved: only modules that the command compiles again are seen");
        return true;
    }
    *cache = jw_path_join(p->run->a, p->ctx.cache.work, "profile");
    return jw_make_private_dir(*cache, err) || jw_wrap(err, "%s", *cache);
}

static bool run_in(struct prime *p, struct prime_watching *w, const char *cache, struct jw_err *err)
{
    char limit[32];
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", cache },
                                           { "CUDA_CACHE_DISABLE", "0" },
                                           { "CUDA_CACHE_MAXSIZE", limit } };
    bool given = cache == p->ctx.cache.folder;

    (void)snprintf(limit, sizeof limit, "%llu", (unsigned long long)MAX_CACHE_LIMIT);
    return prime_watch_run(w, edits, given && !p->run->session->cache ? 0 : given ? 2 : JW_COUNT(edits), err);
}

struct learned {
    struct prime *p;
    const char *cache;
    struct jw_digest_set ids; /* modules */
    struct jw_pub_entry *publish;
    size_t n_publish;
    struct jw_warm_load *loads; /* all entries that it used or made */
    size_t n_loads;
    /* how many of them jitwarm cannot make again, for each kind of compiler that made them */
    uint64_t once[JW_CACHE_OTHER + 1];
    struct prime_watching *w;
    struct jw_digests *digests; /* they stay: a file is read once, however long the command runs */
    const char *index;
    int64_t stored;        /* when the index was written */
    uint64_t active, kept; /* when a module was loaded last, and when loads were recorded last; monotonic */
    const char *unwatched; /* a sentence of the record; NULL: all is watched */
    const char *begun_cache;
    struct prime_begun begun;
    struct prime_begun_file begun_file;
};

static bool learn_load(struct learned *l, uint64_t name, bool once, struct jw_err *err)
{
    struct jw_warm_load *slot =
        jw_list_add(l->p->run->a, &l->loads, &l->n_loads, sizeof *slot, JW_MAX_CACHE_FILES, err);

    if (slot)
        *slot = (struct jw_warm_load){ .name = name, .once = once };
    return slot != NULL;
}

static bool learn_entry(struct learned *l, const struct jw_cache_file *f, struct jw_err *err)
{
    struct prime *p = l->p;
    uint16_t sm = prime_chosen_arch(&p->ctx.driver, f->sm);
    struct prime_entry e;
    struct jw_job t;
    const char *why;
    bool ok = prime_entry_read(p->run->a, l->cache, f, &e, err);

    bool module = ok && sm && e.key.kind == JW_CACHE_CUDA
                  && prime_entry_job(p->run->a, &p->ctx.driver, &e, sm, &t, &why);

    ok = ok && learn_load(l, f->name, !module, err);
    l->once[e.key.kind] += !module;
    if (ok && module)
        jw_digest_set_add(&l->ids, p->run->a, t.id);
    prime_entry_free(&e);
    return ok;
}

static bool queue(struct learned *l, const struct jw_cache_file *f, struct jw_err *err)
{
    struct jw_pub_entry *slot =
        jw_list_add(l->p->run->a, &l->publish, &l->n_publish, sizeof *slot, JW_MAX_CACHE_FILES, err);

    if (!slot)
        return false;
    *slot =
        (struct jw_pub_entry){ .name = f->name,
                               .size = jw_cache_weight(&f->entry),
                               .from = jw_path_join(l->p->run->a, l->cache, jw_cache_name(f->name).text) };
    return true;
}

/* Publishes only what fits; the rest is planned like other cold modules. */
static bool leave_out_what_is_too_much(struct learned *l, struct jw_err *err)
{
    struct prime *p = l->p;
    struct jw_index_file index = { 0 };
    uint64_t room = p->out->cache.limit.bytes;
    size_t kept = 0;

    if (!jw_index_load(p->ctx.cache.folder, INDEX_TRIES, &index, err))
        return false;
    room -= jw_min(room, index.records.total);
    jw_cache_index_free(&index.records);
    for (size_t i = 0; i < l->n_publish; i++)
        if (l->publish[i].size <= room) {
            room -= l->publish[i].size;
            l->publish[kept++] = l->publish[i];
        }
    if (kept < l->n_publish)
        prime_note(
            p,
            "%zu of the modules that the command loads do not fit into the cache, which may grow to %llu MiB",
            l->n_publish - kept, (unsigned long long)p->out->cache.limit.bytes >> 20);
    l->n_publish = kept;
    return true;
}

/* Ctrl-C ends the command and this run, and what was learned by then is recorded. */
static bool publish(struct learned *l, struct jw_err *err)
{
    struct jw_publisher *publisher = NULL;
    bool ok = l->cache == l->p->ctx.cache.folder
              || (leave_out_what_is_too_much(l, err)
                  && (!l->n_publish
                      || (jw_publisher_open(&publisher, l->p->ctx.cache.folder, err)
                          && jw_publisher_add(publisher, l->publish, l->n_publish, l->p->run->a, err)
                          && jw_publisher_flush(publisher, FLUSH_MS, NULL, err))));

    jw_publisher_close(publisher);
    return ok;
}

static bool is_of_other_cache(const struct jw_other_cache *caches, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (caches[i].path && jw_path_below(path, caches[i].path))
            return true;
    return false;
}

/* Did a look at the command find this library mapped? Looks have real paths. */
static bool was_mapped(const struct prime *p, const char *path)
{
    const char *real = path;
    struct jw_err ignored;

    if (!jw_real_path(path, p->run->a, &real, &ignored))
        real = path;
    for (size_t i = 0; i < p->reuse.n_files; i++)
        if (strcmp(p->reuse.files[i], real) == 0)
            return true;
    return false;
}

/* Is a Python among the programs and libraries of the command? */
static bool runs_python(const struct prime *p)
{
    for (size_t i = 0; i < p->reuse.n_files; i++) {
        const char *name = jw_path_base(p->reuse.files[i]);

        if (jw_text_starts(name, "python") || jw_text_starts(name, "libpython"))
            return true;
    }
    return false;
}

/* Files that other compilers cached are in the record of their cache (pack/kit). */
static struct prime_sources sources_of(const struct learned *l, const struct jw_other_cache *caches,
                                       size_t n_caches, const struct jw_warm_loads *loads)
{
    const struct prime *p = l->p;
    const struct jw_traced *t = &l->w->traced;
    const char **list = jw_arena_alloc(p->run->a, (t->n_opened + 1) * sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < t->n_opened; i++)
        if (!is_of_other_cache(caches, n_caches, t->opened[i]))
            list[n++] = t->opened[i];
    return (struct prime_sources){ .opened = list,
                                   .n = n,
                                   .made = t->made,
                                   .n_made = t->n_made,
                                   .before = p->o->record && !p->recorded_differs ? jw_warm_machine(
                                                 p->ctx.cache.memory, loads->key, loads->build)
                                                                                  : NULL,
                                   .started = l->w->started,
                                   .untraced = t->why && runs_python(p) ? t->why : NULL };
}

/* A file of code that is only read is not mapped by any process, and a library may come and go between two looks at
 * the command, so the files that its calls opened count, too. A file that the command writes itself is another one at
 * each start and does not count. Files that other compilers cached are in the record of their cache (pack/kit). */
static void record_named(const struct learned *l, struct jw_warm_loads *out)
{
    const struct prime *p = l->p;
    const struct jw_traced *t = &l->w->traced;
    const char **list = jw_arena_alloc(p->run->a, (p->reuse.n_files + t->n_opened + 1) * sizeof *list);
    struct jw_other_cache caches[JW_OTHER_CACHES];
    size_t n = 0, n_caches;

    jw_other_caches(p->run->a, caches, &n_caches);
    for (size_t i = 0; i < p->reuse.n_files; i++)
        list[n++] = p->reuse.files[i];
    for (size_t i = 0; i < t->n_opened; i++) {
        const char *path = t->opened[i];

        if (jw_library_file(path) && !jw_traced_has(t->made, t->n_made, path)
            && !is_of_other_cache(caches, n_caches, path) && jw_is_file(path)
            && (jw_code_file(path) || !was_mapped(p, path)))
            list[n++] = path;
    }

    const struct prime_sources sources = sources_of(l, caches, n_caches, out);
    struct prime_digesting d = { l->digests, l->w->asked ? PRIME_MAX_DIGESTED_AT_THE_END : PRIME_MAX_DIGESTED,
                                 p->run->a };

    prime_record_named(&p->named, list, n, &sources, &d, out);
}

/* Adds what earlier starts loaded, where this start was cut short and loaded a part. */
static void add_known(struct learned *l, const char *key)
{
    const struct jw_warm_command *known = jw_warm_profile(l->p->ctx.cache.memory, key);

    if (known && l->p->o->record && !l->p->recorded_differs)
        jw_digest_set_add_all(&l->ids, l->p->run->a, known->ids, known->n);
    jw_digest_set_sort(&l->ids);
}

/* Takes the programs and libraries of the command, in which its modules are. A start that was cut short saw a part of
 * them. */
static void add_files(struct learned *l, struct jw_warm_command *c)
{
    struct prime *p = l->p;
    const struct jw_witness_report *seen = &p->out->seen.witness;
    const struct jw_warm_command *before = jw_warm_profile(p->ctx.cache.memory, c->key),
                                 *known = p->o->record && !p->recorded_differs ? before : NULL;
    size_t n = seen->n_files, all = 0;
    const char *const *now = l->w->witness ? jw_witness_files(l->w->witness, p->run->a, &n) : seen->files;
    const char **list = jw_arena_alloc(p->run->a, (n + (known ? known->n_files : 0) + 1) * sizeof *list);

    for (size_t i = 0; i < n; i++)
        list[all++] = now[i];
    for (size_t i = 0; known && i < known->n_files; i++)
        if (!jw_text_among(known->files[i], now, n))
            list[all++] = known->files[i];
    p->reuse.files = list;
    p->reuse.n_files = all;
    c->files = all || !before ? list : before->files; /* nobody saw files this time */
    c->n_files = all || !before ? all : before->n_files;
}

static void take_modules(struct learned *l, struct jw_warm_command *c)
{
    struct prime *p = l->p;

    add_known(l, c->key);
    c->recorded = jw_time_unix();
    c->ids = jw_digest_set_list(&l->ids);
    c->n = l->ids.n;
    add_files(l, c);
    p->reuse.profile = prime_digests(p, c->ids, c->n);
    p->out->profile_known = true;
    p->out->profile_modules = c->n;
}

/* Records the entries of the command, and with `whole` its modules. Without its modules the next prime --run counts as
 * the first. Entries without modules (all of the linker's) are recorded because export --run packs them. For a command
 * that loads nothing, only what the machine is like is recorded. */
static bool record_start(struct learned *l, bool whole, struct jw_err *err)
{
    struct prime *p = l->p;
    char *words = jw_prime_command(p->o->run);
    const char *key = jw_arena_str(p->run->a, words);
    struct jw_warm_command c = jw_warm_recall_command(p->ctx.cache.log, key);
    struct jw_warm_loads loads = {
        .key = key, .build = prime_build(&p->ctx.driver), .list = l->loads, .n = l->n_loads
    };

    if (whole)
        take_modules(l, &c);
    record_named(l, &loads);
    bool ok =
        (!whole && !l->n_loads)
        || ((!l->n_loads || prime_share_loads(p, &l->ids, &loads, err))
            && prime_remember_loads(&p->ctx, &c, loads, true, err) && jw_warm_sync(p->ctx.cache.log, err));

    jw_free(words);
    l->unwatched = ok && (whole || l->n_loads) ? prime_place_unwatched(&loads, p->run->a) : NULL;
    p->out->profile_entries = ok ? l->n_loads : 0;
    return ok;
}

/* ---- which entries it uses ---- */

static bool is_used(const struct learned *l, const struct jw_cache_listing *before,
                    const struct jw_cache_file *f)
{
    return prime_is_new(before, f) || prime_was_opened(l->w, f->name);
}

static bool take_all(struct learned *l, const struct jw_cache_listing *before,
                     const struct jw_cache_listing *after, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < after->n; i++) {
        const struct jw_cache_file *f = &after->files[i];

        if (f->damage || !is_used(l, before, f))
            continue;
        ok = learn_entry(l, f, err);
        if (l->cache != l->p->ctx.cache.folder)
            ok = ok && queue(l, f, err);
    }
    return ok;
}

/* A full cache loses its oldest entries while the command runs, so not all that the command loaded is there at the end. */
static bool is_full(const struct learned *l, const struct jw_cache_listing *after)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < after->n; i++)
        largest = after->files[i].size > largest ? after->files[i].size : largest;
    return l->cache == l->p->ctx.cache.folder && after->index.total + largest > l->p->out->cache.limit.bytes;
}

static bool end_full(struct prime *p)
{
    prime_advise_again(&p->ctx);
    return prime_end(p, JW_END_PARTLY,
                     "the cache is full (it may grow to %s), so the driver removed entries while it ran: "
                     "not all that it loads was seen, and each start compiles again",
                     JW_SIZE(p->out->cache.limit.bytes));
}

/* A module that is larger than the limit leaves no entry. */
static bool end_small(struct prime *p)
{
    prime_advise_again(&p->ctx);
    return prime_end(
        p, JW_END_PARTLY,
        "%s is small: what is larger is compiled at each start and never cached, so not all that "
        "it loads was seen",
        p->out->seen.small);
}

/* Ends the run of a command of which no module was learned: as done where it has none (what else it uses is what export
 * --run packs), else as partly. False: the command ended well and compiled nothing, and the run goes on. */
static bool end_without_entries(const struct learned *l)
{
    struct prime *p = l->p;
    const struct jw_command_seen *s = &p->out->seen;
    bool all = s->answer == JW_WITNESS_COMPILED && !s->nowhere && l->n_loads;

    return (s->answer != JW_WITNESS_NOTHING || p->out->run_code)
           && prime_end(p, all && !p->out->run_code ? JW_END_DONE : JW_END_PARTLY, "%s", "");
}

/* ---- a cache that the command chose itself ---- */

/* Makes this the cache of the rest of the run. */
static bool move_to(struct prime *p, const char *cache, struct jw_err *err)
{
    struct prime_cache *c = &p->ctx.cache;

    prime_close_cache(c);
    *c = (struct prime_cache){ .asked = cache, .out = c->out };
    p->out->own_cache = true;
    prime_note(p, "the command uses a cache of its own: %s%s", cache,
               jw_cache_chooser_words(cache, p->run->a));
    return prime_find_cache(&p->ctx, err) && (p->run->ended || prime_check_lookup(&p->ctx, err))
           && (p->run->ended || prime_take_lock(&p->ctx, err))
           && (p->run->ended || p->o->record || prime_make_work(&p->ctx, err));
}

/* Takes all sound entries of a cache in which opens were not watched. */
static bool take_other(struct learned *l, const char *cache, struct jw_err *err)
{
    const struct jw_cache_listing none = { 0 };
    struct jw_cache_listing all = { 0 };
    struct prime *p = l->p;

    if (!prime_check_own_cache(p, cache, err) || p->run->ended)
        return p->run->ended;
    prime_remember_command(p, cache);
    if (!move_to(p, cache, err) || p->run->ended)
        return p->run->ended;
    prime_load_memory(&p->ctx);
    l->cache = p->ctx.cache.folder;
    bool ok = jw_cachedir_walk(l->cache, false, NULL, p->run->a, &all, err) && take_all(l, &none, &all, err);

    jw_cache_listing_free(&all);
    return ok && record_start(l, l->ids.n || !end_without_entries(l), err);
}

/* A start of which a part may not have been seen does not count as known: the next start is watched again. */
static bool saw_all(const struct learned *l)
{
    return l->cache != l->p->ctx.cache.folder || (l->w->watched && !l->w->dropped && !l->w->others)
           || l->p->out->start_first;
}

static bool learn_here(struct learned *l, const struct jw_cache_listing *after, struct jw_err *err)
{
    struct prime *p = l->p;

    if (!take_all(l, &l->w->before, after, err))
        return false;
    if (p->out->seen.small)
        return end_small(p);
    if (!l->ids.n && end_without_entries(l)) {
        if (p->o->record)
            prime_remember_command(p, "");
        return record_start(l, false, err);
    }
    if (is_full(l, after))
        return end_full(p);
    if (saw_all(l))
        prime_remember_command(p, p->ctx.cache.asked && !p->run->session->cache ? p->ctx.cache.asked : "");
    return publish(l, err) && record_start(l, true, err);
}

/* Gives the command an empty cache where opens of entries cannot be watched. A command that is in use keeps its cache:
 * then only new entries are seen. */
static bool choose_way(struct learned *l, struct prime_watching *w, struct jw_err *err)
{
    if (w->watched || l->p->o->record)
        return true;
    jw_cache_listing_free(&w->before);
    w->before = (struct jw_cache_listing){ 0 };
    if (!choose_cache(l->p, &l->cache, err))
        return false;
    w->cache = l->cache;
    return l->cache != l->p->ctx.cache.folder
           || jw_cachedir_walk(l->cache, false, l->p->run->interrupted, l->p->run->a, &w->before, err);
}

/* ---- a command in use ---- */

/* Was something stored since the last call? The index alone shows that for folders that were made meanwhile. */
static bool was_stored(struct learned *l)
{
    struct jw_file_info info;
    struct jw_err ignored;

    if (!l->index)
        l->index = jw_path_join(l->p->run->a, l->cache, "index");
    if (!jw_file_stat(l->index, &info, &ignored) || info.mtime == l->stored)
        return false;
    l->stored = info.mtime;
    return true;
}

static bool is_quiet(struct learned *l)
{
    uint64_t now = jw_time_monotonic_ns();

    l->active = was_stored(l) ? now : jw_max(l->active, l->w->last);
    return l->active > l->kept && now - l->active > jw_time_limit_ms(PRIME_QUIET_MS) * 1000000ULL;
}

/* Skips entries that were there before and were not opened: jitwarm reads the cache while the command runs, and its own
 * reads must not count as the command's. */
static bool may_be_used(const void *ctx, uint64_t name)
{
    const struct learned *l = ctx;

    return prime_was_opened(l->w, name) || !jw_cache_file_find(&l->w->before, name);
}

static uint64_t *names_of(const struct learned *l, struct jw_arena *a)
{
    uint64_t *names = jw_arena_alloc(a, (l->n_loads + 1) * sizeof *names);

    for (size_t i = 0; i < l->n_loads; i++)
        names[i] = l->loads[i].name;
    return names;
}

static bool record_now(struct learned *l)
{
    struct prime_cache *c = &l->p->ctx.cache;
    struct jw_cache_listing now = { 0 };
    struct jw_err ignored = { 0 };

    c->memory = jw_session_memory_now(l->p->run->session, c->folder);
    bool done = jw_cachedir_walk_some(l->cache, &(struct jw_cache_wanted){ may_be_used, l }, l->p->run->a,
                                      &now, &ignored)
                && take_all(l, &l->w->before, &now, &ignored) && l->ids.n && record_start(l, true, &ignored);

    jw_cache_listing_free(&now);
    return done;
}

/* Records what the start loaded while the command goes on, whatever ends it later. If another jitwarm holds the lock,
 * the next look tries again. Memory is freed each time, because a command may run for months. */
static void keep_meanwhile(struct learned *l)
{
    struct prime *p = l->p;
    struct prime_cache *c = &p->ctx.cache;
    struct learned one = { .p = p, .cache = l->cache, .w = l->w, .digests = l->digests };
    const struct jw_warm_state *memory = c->memory;
    const struct prime_reuse reuse = p->reuse;
    struct jw_arena scratch = { 0 }, *lasting = p->run->a;
    struct jw_session *session = p->run->session, brief = jw_session_copy(session, &scratch);
    struct jw_warm_holder holder;
    struct jw_err ignored = { 0 };

    if (!jw_session_lock(session, c->folder, &c->log, &holder, &ignored) || !c->log)
        return;
    prime_watch_sort(l->w);
    p->run->a = &scratch;
    p->run->session = &brief;
    if (record_now(&one))
        prime_begun_end(&l->begun_file, &l->begun, &scratch);
    p->run->a = lasting;
    p->run->session = session;
    jw_session_changed(session);
    c->memory = memory;
    p->reuse = reuse;
    jw_warm_close(c->log);
    c->log = NULL;
    prime_watch_pass_over(l->w, names_of(&one, &scratch), one.n_loads);
    jw_arena_free(&scratch);
    l->kept = jw_time_monotonic_ns();
}

static void look_at_command(void *ctx)
{
    struct learned *l = ctx;
    const struct prime *p = l->p;

    if (!p->out->run_started && p->o->started)
        p->o->started(p->run->ctx);
    p->out->run_started = true;
    if (!is_quiet(l))
        return;
    if (l->w->trace) {
        prime_end_trace(l->w);
        prime_end_kit(l->w, false);
    }
    keep_meanwhile(l);
}

/* Waits a short time for another jitwarm on this cache when the command has ended. The time is shorter where SIGTERM was
 * sent, because its sender waits for this process. */
static bool lock_for_record(struct prime *p, bool asked, struct jw_err *err)
{
    if (!p->o->record)
        return true;
    p->ctx.wait_s = (unsigned)((jw_time_monotonic_ns() - p->run->began) / 1000000000)
                    + (asked ? ASKED_WAIT_S : LOCK_WAIT_S);
    return prime_take_lock(&p->ctx, err);
}

/* Writes a file that says that a recording has begun, so that this is known if the process or the system is killed. */
static void begin_recording(struct learned *l)
{
    struct prime *p = l->p;
    char *key = jw_prime_command(p->o->run);
    struct jw_err why = { 0 };

    l->begun_cache = p->ctx.cache.folder; /* the command may choose another cache */
    l->begun.key = jw_arena_str(p->run->a, key);
    jw_free(key);
    prime_named_start(&p->named, p->run->a, &l->begun);
    if (!prime_begin(l->begun_cache, &l->begun, p->run->a, &l->begun_file, &why))
        prime_note(p, "if this recording is killed, no later run knows of it: %s", why.msg);
}

/* A command that a person stopped has not failed. */
static bool was_stopped(int code)
{
    enum { HANGUP = 129, INTERRUPTED = 130, KILLED = 137, TERMINATED = 143 };

    return code == HANGUP || code == INTERRUPTED || code == KILLED || code == TERMINATED;
}

/* True for `name` where its line gives it a value: NAME=1, os.environ["NAME"] = "1". */
static bool sets(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name));) {
        at += strlen(name);
        if (*at && strchr("=\"' ", *at) && memchr(at, '=', strcspn(at, "\n")))
            return true;
    }
    return false;
}

/* Adds to the files of a command the first text with the setting `nowhere` that it opened: a script sources it. */
static void add_setting_file(const struct learned *l, struct prime_begun *b)
{
    struct jw_arena *a = l->p->run->a;
    const struct jw_traced *t = &l->w->traced;
    const char *name = jw_arena_text(a, b->nowhere, strcspn(b->nowhere, "= ")),
               **files = jw_arena_alloc(a, (b->n_files + 1) * sizeof *files),
               **facts = jw_arena_alloc(a, (b->n_files + 1) * sizeof *facts);

    for (size_t i = 0; i < t->n_opened; i++) {
        struct jw_buf text = JW_BUF(MAX_SETTING_FILE);
        struct jw_file_info info;
        struct jw_err ignored;
        bool found = false, has = jw_file_stat(t->opened[i], &info, &ignored) && info.kind == JW_FILE_REGULAR
                                  && info.size < MAX_SETTING_FILE
                                  && jw_file_slurp(t->opened[i], &text, &found, &ignored) && found
                                  && sets(jw_buf_cstr(&text), name);

        jw_buf_free(&text);
        if (!has)
            continue;
        memcpy(files, b->files, b->n_files * sizeof *files);
        memcpy(facts, b->facts, b->n_files * sizeof *facts);
        files[b->n_files] = t->opened[i];
        facts[b->n_files++] = prime_file_facts(t->opened[i], a);
        b->files = files;
        b->facts = facts;
        return;
    }
}

/* Notes that no start of a recorded command goes as it did when it was recorded. Of another command that is noted
 * where a file of it has the setting: the note counts until that file is changed. */
static void note_in_vain(const struct learned *l, struct prime_begun *b)
{
    struct prime *p = l->p;
    const char *nowhere = p->out->seen.nowhere;
    bool keeps_nothing = nowhere && jw_text_starts(nowhere, "CUDA_"),
         failed = p->out->run_code && !was_stopped(p->out->run_code) && !l->n_loads;

    b->nowhere = keeps_nothing ? nowhere : "";

    const char *setting = keeps_nothing ? prime_begun_setting(b, p->run->a) : NULL;

    if (keeps_nothing && !setting) {
        add_setting_file(l, b);
        setting = prime_begun_setting(b, p->run->a);
    }
    if (setting)
        prime_advise(p, "%s   # shows %s", setting, prime_begun_look_shows(setting));
    if (!setting
        && (!(keeps_nothing || failed)
            || !prime_is_recorded_anywhere(p->run->session,
                                           jw_session_memory_now(p->run->session, l->begun_cache), b->key,
                                           p->run->a))) {
        b->nowhere = "";
        return;
    }
    b->failed = keeps_nothing ? 0 : (uint64_t)p->out->run_code;
    b->build = prime_build(&p->ctx.driver);
    b->n_facts = b->n_files;
}

/* Removes that file, or has it say why the recording is not whole: processes of the command go on and may load more.
 * prime --run has waited for them, so they count only where it recorded no entry. The file stays as it is where the user
 * was not told why nothing is recorded (`said`), and where another jitwarm was at work. */
static void end_recording(struct learned *l, bool said)
{
    const struct prime *p = l->p;
    struct jw_err ignored;

    l->begun.left = p->o->record ? p->out->run_left : l->n_loads ? 0 : l->w->traced.left;
    note_in_vain(l, &l->begun);
    if (!said || p->run->end == JW_END_BUSY) {
        prime_begun_leave(&l->begun_file);
        return;
    }
    if ((l->begun.left || prime_begun_is_in_vain(&l->begun)) && !l->begun_file.path
        && !prime_begin(l->begun_cache, &l->begun, p->run->a, &l->begun_file, &ignored))
        return;
    prime_begun_end(&l->begun_file, &l->begun, p->run->a);
}

/* Waits until a file that was written before this run began is older than the start of the command also by the clock of
 * its file system, so that it does not count as written meanwhile. */
static void wait_for_file_clock(const struct prime *p)
{
    enum { MS = 1000000, TICK_MS = JW_FILE_TICK_NS / MS + 1 };
    uint64_t passed = (jw_time_monotonic_ns() - p->run->began) / MS;

    if (passed < TICK_MS)
        jw_time_sleep_ms((unsigned)(TICK_MS - passed));
}

/* Runs the command under watch. */
static bool learn(struct learned *l, struct jw_err *err)
{
    struct prime *p = l->p;
    struct prime_watching *w = l->w;
    struct jw_cache_listing after = { 0 };
    struct jw_err why = { 0 };

    l->cache = p->ctx.cache.folder;
    l->digests = jw_session_digests(p->run->session);
    prime_name_files(p->o->run, p->run->a, &p->named);
    wait_for_file_clock(p);
    if (!prime_watch_begin(p, l->cache, w, err))
        return false;
    (void)was_stored(l); /* a start may be over before the first look */
    w->look = p->o->record ? look_at_command : NULL;
    w->ctx = l;
    p->run->deadline = p->o->record ? 0 : p->run->deadline; /* the command takes as long as it likes */
    bool ok = choose_way(l, w, err);

    if (ok)
        begin_recording(l);
    ok = ok && run_in(p, w, l->cache, err);

    ok = prime_watch_end(p, w, &after, ok ? err : &why) && ok;
    if (w->watched && w->dropped)
        prime_note(p,
                   "the system dropped events: modules that were warm before may be missing in the profile");
    if (w->others)
        prime_note(p, "others read the cache while the command was recorded: modules that were warm before "
                      "may be missing in the profile");
    ok = ok && lock_for_record(p, w->asked, err);
    const char *other = ok && !p->out->seen.nowhere ? prime_other_cache(p) : NULL;

    if (ok && !p->run->ended)
        ok = other ? take_other(l, other, err) : learn_here(l, &after, err);
    end_recording(l, ok || err->code != JW_E_INTERRUPTED);
    jw_cache_listing_free(&after);
    jw_cache_listing_free(&w->before);
    return ok;
}

/* "3 entries that it uses ... (2 of NVRTC, 1 of OpenCL)" */
static void note_once(const struct learned *l)
{
    const char *makers = "";
    uint64_t n = 0;

    for (unsigned kind = 0; kind <= JW_CACHE_OTHER; kind++) {
        if (!l->once[kind])
            continue;
        makers = jw_arena_printf(l->p->run->a, "%s%s%s of %s", makers, n ? ", " : "", JW_NUM(l->once[kind]),
                                 jw_cache_makers[kind]);
        n += l->once[kind];
    }
    if (n)
        prime_note(l->p,
                   "%s cannot be compiled again from here (%s): kept as long as the cache is; jitwarm export "
                   "--run packs %s",
                   JW_N(n, "entry that it uses", "entries that it uses"), makers, n == 1 ? "it" : "them");
}

static void set_every(struct prime *p, const struct prime_begun *b)
{
    p->out->recorded_unsure = prime_begun_every(b, p->run->a);
    p->out->recorded_every = true;
    p->recorded.look = prime_begun_look(b, p->run->a);
}

/* Remembers what a start showed, so that no verb says warm. The next recording removes it. */
static void remember_seen(struct prime *p, struct prime_begun b)
{
    char *key = jw_prime_command(p->o->run);
    struct prime_begun_file file;
    struct jw_err why = { 0 };

    b.key = key;
    if (!p->named.n)
        prime_name_files(p->o->run, p->run->a, &p->named);
    prime_named_start(&p->named, p->run->a, &b);
    if (prime_compiles_always(&b)) {
        b.n_facts = b.n_files;
        set_every(p, &b);
    }
    if (prime_begin(p->ctx.cache.folder, &b, p->run->a, &file, &why))
        prime_begun_leave(&file);
    else
        prime_note(p, "what its start did could not be remembered: %s", why.msg);
    jw_free(key);
}

static void forget_in_vain(struct prime *p, unsigned whys)
{
    char *key = jw_prime_command(p->o->run);

    prime_begun_forget(jw_session_memory_now(p->run->session, p->ctx.cache.folder), key, whys, p->run->a);
    jw_free(key);
}

/* Says what an earlier start showed, where this one does not show whether a cache keeps what it compiles. */
static void note_still_unkept(struct prime *p)
{
    char *key = jw_prime_command(p->o->run);
    const struct prime_begun *b =
        prime_still_unkept(jw_session_memory_now(p->run->session, p->ctx.cache.folder), key,
                           jw_session_digests(p->run->session), p->run->a);

    if (b) {
        p->unkept = b->unkept;
        set_every(p, b);
        prime_note(p, "an earlier start showed that %s, and this one does not show otherwise",
                   p->out->recorded_unsure);
    }
    jw_free(key);
}

/* `jitwarm run` does not ask: it says before the start what is known. */
static void update_unkept(struct prime *p)
{
    if (p->o->record)
        return;
    if (!p->unkept)
        note_still_unkept(p);
    else if (!*p->unkept)
        forget_in_vain(p, PRIME_BEGUN_UNKEPT);
    else if (!p->out->seen.nowhere)
        remember_seen(p, (struct prime_begun){ .unkept = p->unkept });
}

bool prime_record_command(struct prime *p, struct jw_err *err)
{
    struct prime_watching w;
    struct learned l = { .p = p, .w = &w };

    if (!p->o->run)
        return true;
    if (p->ctx.driver.probe->state.level < JW_LEVEL_READABLE)
        return prime_end(p, JW_END_STOPPED,
                         "--run: this driver's entries cannot be read, so nothing can be learned from them");
    bool ok = learn(&l, err) && prime_look_again(&w, err);

    if (ok)
        update_unkept(p);
    if (ok && p->unkept && *p->unkept && !p->out->seen.nowhere && p->run->ended
        && p->run->end == JW_END_DONE) {
        prime_end(p, JW_END_PARTLY, "%s", "");
        prime_advise_recorded(p);
    }
    if (ok && p->out->run_code && l.ids.n)
        prime_note(p, "the command ended with exit code %d; its profile is what it loaded by then",
                   p->out->run_code);
    if (ok && p->run->ended) /* only what the command stored itself can be added */
        ok = prime_find_used(&p->ctx.cache, err);
    if (ok) {
        note_once(&l);
        if (l.unwatched)
            prime_note(p, "%s; a change there is not noticed", l.unwatched);
        prime_remember_start(&w);
    }
    return ok;
}

void prime_leave_command(struct prime *p, const char *cache)
{
    struct jw_arena *a = p->run->a;
    const struct jw_warm_state *known = jw_session_memory_now(p->run->session, cache);
    char *key = jw_prime_command(p->o->run);
    struct prime_begun b = { .key = key }, *list;
    size_t n = prime_begun_list(known, a, &list);
    bool left = prime_is_recorded_anywhere(p->run->session, known, key, a);
    struct prime_begun_file file;
    struct jw_err ignored;

    for (size_t i = 0; i < n; i++)
        left |= strcmp(list[i].key, key) == 0;
    if (!left) {
        prime_name_files(p->o->run, a, &p->named);
        prime_named_start(&p->named, a, &b);
        if (prime_begin(cache, &b, a, &file, &ignored))
            prime_begun_leave(&file);
    }
    jw_free(key);
}

/* Notes which cache the command used, and how long its start took. */
static void note_where(struct prime *p)
{
    const struct jw_command_seen *s = &p->out->seen;
    const struct jw_witness_report *w = &s->witness;

    for (size_t i = 0; i < s->n_caches; i++)
        if (s->caches[i].other)
            prime_note(p, "it uses a cache of its own: %s (%llu new there)%s", s->caches[i].folder,
                       (unsigned long long)s->caches[i].entries,
                       jw_cache_chooser_words(s->caches[i].folder, p->run->a));
    for (size_t i = 0; i < w->n; i++)
        if (w->processes[i].compiled) {
            prime_note(p, "%.40s (process %lu) loaded the driver's compiler %s%s after the start",
                       w->processes[i].name, w->processes[i].pid, s->links ? "to link, " : "",
                       JW_TENTHS((double)w->processes[i].after_ms / 1000));
            break;
        }
}

static bool is_recorded(const struct jw_warm_loads *loads, uint64_t name)
{
    for (size_t i = 0; i < loads->n; i++)
        if (loads->list[i].name == name)
            return true;
    return false;
}

/* Counts what the driver compiled although the command was recorded with this driver: a program may load any of several
 * modules that have one kernel. New entries of another compiler belong to no library, for example where an option names
 * a folder (pyopencl). */
static uint64_t note_varying(struct prime *p, const struct prime_watching *w,
                             const struct jw_cache_listing *after)
{
    char *key = jw_prime_command(p->o->run);
    const struct jw_warm_state *memory = jw_session_memory(p->run->session, w->cache);
    const struct jw_warm_loads *loads = NULL, none = { 0 };
    struct jw_err ignored;
    const char *build;
    uint64_t n[2] = { 0 }; /* by whether another compiler made them */
    const char *maker = "";

    if (w->library && jw_identity_of_file(w->library, p->run->a, &build, &ignored))
        loads = jw_warm_loads(memory, key, build);
    if (!loads && jw_warm_profile(memory, key)) /* the command loaded nothing of the driver's cache */
        loads = &none;
    for (size_t i = 0; loads && i < after->n; i++) {
        const struct jw_cache_file *f = &after->files[i];
        bool other = f->kind != JW_CACHE_CUDA;

        if (!prime_is_new(&w->before, f) || is_recorded(loads, f->name))
            continue;
        n[other]++;
        maker = other ? jw_cache_makers[f->kind] : maker;
    }
    if (n[false])
        prime_note(p,
                   "not every start loads the same modules: %s not loaded when the command was recorded; "
                   "jitwarm prime PATH compiles all modules of its libraries",
                   JW_N(n[false], "module was", "modules were"));
    if (n[true])
        prime_note(p,
                   "%s not made when the command was recorded, by %s and the like: its source or its options "
                   "(they may name a folder) are others now",
                   JW_N(n[true], "entry was", "entries were"), maker);
    jw_free(key);
    return n[false] + n[true];
}

/* verify --run: watches what the driver compiles for this command. */
bool prime_watch(struct prime *p, struct jw_err *err)
{
    const struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", p->ctx.cache.folder },
                                           { "CUDA_CACHE_DISABLE", "0" } };
    const struct jw_command_seen *s = &p->out->seen;
    struct jw_cache_listing after = { 0 };
    struct prime_watching w;
    struct jw_err why = { 0 };

    prime_notify(p->run, JW_PHASE_VERIFY, p->o->run[0]);
    if (!prime_watch_begin(p, p->ctx.cache.folder, &w, err))
        return false;
    bool ok = prime_watch_run(&w, edits, p->run->session->cache ? JW_COUNT(edits) : 0, err);

    ok = prime_watch_end(p, &w, &after, ok ? err : &why) && ok;
    if (ok) {
        note_where(p);
        const uint64_t unrecorded = note_varying(p, &w, &after);

        if (!p->out->run_code)
            forget_in_vain(p,
                           PRIME_BEGUN_FAILED
                               | (s->nowhere || s->answer == JW_WITNESS_UNKNOWN ? 0 : PRIME_BEGUN_NOWHERE));
        if (unrecorded)
            remember_seen(p, (struct prime_begun){ .unrecorded = unrecorded });
        update_unkept(p);
        prime_remember_command(p, NULL);
        prime_remember_start(&w);
        if (s->small)
            prime_advise_again(&p->ctx);
    }
    jw_cache_listing_free(&after);
    jw_cache_listing_free(&w.before);
    bool good = s->answer == JW_WITNESS_NOTHING && !p->out->run_code && !(p->unkept && *p->unkept)
                && prime_kit_made_nothing(p);

    return ok && prime_end(p, good ? JW_END_DONE : JW_END_PARTLY, "%s", "");
}

/* ---- in the report ---- */

#define R struct jw_prime_report

static const struct jw_row caches[] = {
    { JW_ROW("folder", struct jw_command_cache, folder) },
    { JW_ROW("other", struct jw_command_cache, other),
      JW_ABOUT("the command chose it; it is not the one that it was given") },
    { JW_ROW("new_entries", struct jw_command_cache, entries) },
    { JW_ROW("new_bytes", struct jw_command_cache, bytes) },
    { 0 },
};

static const struct jw_row processes[] = {
    { JW_ROW("pid", struct jw_witness_process, pid) },
    { JW_ROW("name", struct jw_witness_process, name) },
    { JW_ROW("compiled", struct jw_witness_process, compiled), JW_ABOUT("it loaded the driver's compiler") },
    { 0 },
};

const struct jw_row prime_command_rows[] = {
    { JW_ROW("exit_code", R, run_code), JW_ABOUT("128 and the signal's number for one that a signal ended") },
    { JW_ROW("milliseconds", R, run_milliseconds) },
    { JW_NAMED("compiled", R, seen.answer, jw_witness_answer_names),
      JW_ABOUT("what the driver compiled for it, by its compiler and by cache entries") },
    { JW_ROW("links", R, seen.links), JW_ABOUT("it linked while it ran, and all of it was in its cache") },
    { JW_ROW("link_milliseconds", R, seen.link_milliseconds), JW_NULLABLE,
      JW_ABOUT("of these links, measured when their files were primed; null: not measured") },
    { JW_ROW("why_unknown", R, seen.why), JW_NULLABLE },
    { JW_ROW("not_cached", R, seen.nowhere), JW_NULLABLE,
      JW_ABOUT("why it is kept nowhere: a setting, or a cache that cannot be written") },
    { JW_ROW("new_entries", R, seen.entries), JW_ABOUT("what the driver compiled for it") },
    { JW_ROW("new_bytes", R, seen.bytes) },
    { JW_LIST("caches", R, seen.caches, seen.n_caches, caches) },
    { JW_LIST("processes", R, seen.witness.processes, seen.witness.n, processes),
      JW_ABOUT("that loaded the driver") },
    { JW_ROW("own_cache", R, own_cache), JW_ABOUT("it uses a cache that it chose itself") },
    { JW_ROW("cold_milliseconds", R, cold_milliseconds), JW_NULLABLE,
      JW_ABOUT("its last start that found nothing in the cache") },
    { JW_ROW("warm_milliseconds", R, warm_milliseconds), JW_NULLABLE,
      JW_ABOUT("its last start for which the driver compiled nothing") },
    { 0 },
};
