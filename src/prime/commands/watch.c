/* Finds what the driver compiles for a command: its compiler is watched while the command runs, and the caches that
 * its processes use are compared with before. */
#include "prime/commands/watching.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/memory/warmplace.h"
#include "cache/place/listing.h"
#include "cache/place/lookup.h"
#include "driver/witness/settings.h"
#include "driver/worker/worker.h"
#include "machine/listing.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/foreground.h"
#include "session/blocker.h"

#include <stdlib.h>
#include <string.h>

/* driver-fact: F86-compiler-opened */
enum { MAX_CACHES = 64, FOLDERS = 256, REST_DIGITS = 14 };

#define OTHERS_NS 2000000000ULL
#define MAX_OPENED ((size_t)4 * JW_MAX_CACHE_FILES)

bool prime_is_new(const struct jw_cache_listing *before, const struct jw_cache_file *f)
{
    const struct jw_cache_file *was = jw_cache_file_find(before, f->name);

    return !was || was->mtime != f->mtime || was->size != f->size;
}

static const char *version_of(const struct jw_worker_driver *d, struct jw_arena *a)
{
    return d->version ? jw_arena_str(a, d->version) : NULL;
}

/* Finds the driver that programs load here, as far as it is known. */
static void find_driver(struct prime_watching *x)
{
    struct prime *p = x->p;
    struct jw_kit_command *of = &x->command;
    const struct jw_worker_driver *known = &p->ctx.driver.probe->driver;
    struct jw_worker_options o = jw_session_worker(p->run->session);
    struct jw_worker *w = NULL;
    struct jw_err why = { 0 };
    struct jw_compiler_file compiler = p->ctx.driver.probe->compiler;

    x->library = known->library;
    of->driver = version_of(known, p->run->a);
    of->gpus = prime_kit_gpus(p->out->driver.gpus, p->out->driver.n_gpus, p->run->a);
    x->compiler = compiler.path;
    if (x->library)
        return;
    o.inherit = o.asks = true;
    if (jw_worker_start(&w, &o, &why) && jw_worker_driver(w)->library) {
        size_t n;
        const struct jw_device *gpus = jw_worker_devices(w, &n);

        x->library = jw_arena_str(p->run->a, jw_worker_driver(w)->library);
        jw_compiler_file_of(x->library, NULL, p->run->a, &compiler);
        x->compiler = compiler.path;
        of->driver = version_of(jw_worker_driver(w), p->run->a);
        of->gpus = prime_kit_gpus(gpus, n, p->run->a);
    }
    jw_worker_stop(w);
}

/* ---- which entries it opens, and when ---- */

void prime_watch_sort(struct prime_watching *w)
{
    size_t kept = 0;

    jw_sort(w->opened, w->n_opened, sizeof *w->opened, jw_by_u64);
    for (size_t i = 0; i < w->n_opened; i++)
        if (!kept || w->opened[kept - 1] != w->opened[i])
            w->opened[kept++] = w->opened[i];
    w->n_opened = kept;
}

/* Remembers each name once: a server opens the same entries for months. */
static void remember_open(struct prime_watching *w, uint64_t name)
{
    bool full = w->n_opened == w->room_opened;

    if (full)
        prime_watch_sort(w);
    if (w->n_opened >= MAX_OPENED) {
        w->dropped = true;
        return;
    }
    if (full && w->n_opened >= w->room_opened / 2) {
        uint64_t *more = jw_arena_alloc(w->p->run->a, (2 * w->n_opened + FOLDERS) * sizeof *more);

        if (w->n_opened)
            memcpy(more, w->opened, w->n_opened * sizeof *more);
        w->opened = more;
        w->room_opened = 2 * w->n_opened + FOLDERS;
    }
    w->opened[w->n_opened++] = name;
}

/* An open does not say which process made it. Another jitwarm is recognised because it first opens the records of the
 * cache. */
static void note_open(void *ctx, size_t folder, const char *name, enum jw_name_event what)
{
    struct prime_watching *w = ctx;
    char *end;
    uint64_t rest = strtoull(name, &end, 16), now = jw_time_monotonic_ns();

    (void)what;
    if (folder >= w->n_caches && strcmp(name, "warm.log") == 0)
        w->others_until = now + OTHERS_NS;
    if (folder >= w->n_caches || *end || strlen(name) != REST_DIGITS)
        return;
    if (now < w->others_until) {
        w->others = true;
        return;
    }
    w->last = jw_time_monotonic_ns();
    if (folder < w->n_given)
        remember_open(w, (uint64_t)w->first[folder] << 56 | rest);
}

struct passing {
    struct prime_watching *w;
    const uint64_t *read;
    size_t n;
};

static void pass_over(void *ctx, size_t folder, const char *name, enum jw_name_event what)
{
    struct passing *x = ctx;
    char *end;
    uint64_t entry = strtoull(name, &end, 16);

    (void)what;
    if (folder >= x->w->n_given || *end || strlen(name) != REST_DIGITS)
        return;
    entry |= (uint64_t)x->w->first[folder] << 56;
    x->w->others |= !jw_find_u64(x->read, x->n, sizeof entry, entry);
}

void prime_watch_pass_over(struct prime_watching *w, const uint64_t *read, size_t n)
{
    if (w->open_watch)
        w->dropped |= !jw_name_watch_take(w->open_watch, pass_over, &(struct passing){ w, read, n });
}

static void take_open_events(struct prime_watching *w)
{
    if (w->open_watch)
        w->dropped |= !jw_name_watch_take(w->open_watch, note_open, w);
}

static void add_folders(struct prime_watching *w, const char *cache)
{
    for (unsigned i = 0; i < FOLDERS; i++) {
        const char *folder = jw_arena_printf(w->p->run->a, "%s/%x/%x", cache, i >> 4, i & 15);

        if (!jw_is_folder(folder))
            continue;
        w->first[w->n_folders] = (uint8_t)i;
        w->folders[w->n_folders++] = folder;
    }
}

static void watch_open_events(struct prime_watching *w)
{
    const char *known = prime_known_cache(w->p);
    struct jw_warm_place place;
    struct jw_err ignored;

    add_folders(w, w->cache);
    w->n_given = w->n_folders;
    if (known && strcmp(known, w->cache) != 0)
        add_folders(w, known);
    w->n_caches = w->n_folders;
    if (jw_warm_place_find(w->cache, w->p->run->a, &place, &ignored) && jw_is_folder(place.dir))
        w->folders[w->n_folders++] = place.dir;
    w->watched = jw_name_watch_start(&w->open_watch, w->folders, w->n_folders, false, &ignored);
}

bool prime_watch_begin(struct prime *p, const char *cache, struct prime_watching *w, struct jw_err *err)
{
    *w = (struct prime_watching){ .p = p, .cache = cache };
    if (!jw_cachedir_walk(cache, false, p->run->interrupted, p->run->a, &w->before, err))
        return false;
    find_driver(w);
    watch_open_events(w);
    w->start = jw_time_monotonic_ns();
    w->started = jw_time_unix_ns();
    w->began = w->started - JW_FILE_TICK_NS;
    prime_begin_trace(w);
    w->witness = jw_witness_begin(&(struct jw_witness_ask){
        .library = w->library, .compiler = w->compiler, .outside = true, .rests = p->o->record });
    return true;
}

static void look_at_open_events(void *ctx)
{
    struct prime_watching *w = ctx;

    take_open_events(w);
    if (w->look)
        w->look(w->ctx);
}

bool prime_watch_run(struct prime_watching *w, const struct jw_child_edit *edits, size_t n,
                     struct jw_err *err)
{
    struct jw_prime_report *r = w->p->out;
    const struct jw_foreground o = { .argv = w->p->o->run,
                                     .edits = edits,
                                     .n_edits = n,
                                     .output_to_errors = w->p->o->output_to_errors,
                                     .stands_for_it = w->p->o->record,
                                     .interrupted = w->p->o->record ? w->p->run->interrupted : NULL,
                                     .look = look_at_open_events,
                                     .trace = w->trace,
                                     .watch = w->open_watch,
                                     .ctx = w };
    struct jw_foreground_end ended;

    bool ok = jw_foreground_run(&o, &ended, err);

    r->run_milliseconds = (jw_time_monotonic_ns() - w->start) / 1000000;
    r->run_code = ended.code;
    r->run_signal = ended.signal;
    r->run_left = ended.left;
    r->run_started |= ok;
    w->asked = ended.asked;
    if (!ok && err->code != JW_E_INTERRUPTED)
        err->code = JW_E_USAGE; /* the user named it */
    return ok;
}

/* ---- the caches ---- */

struct caches {
    struct prime *p;
    const struct prime_watching *w;
    struct jw_command_cache *v;
    size_t n;
    bool found;   /* true where an entry that was there before was used, or may have been */
    int64_t last; /* the newest entry of all, nanoseconds since 1970; 0: none is new */
};

static struct jw_command_cache *add_cache(struct caches *c, const char *cache, struct jw_err *err)
{
    struct jw_command_cache *one;

    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].folder, cache) == 0)
            return &c->v[i];
    one = jw_list_add(c->p->run->a, &c->v, &c->n, sizeof *one, MAX_CACHES, err);
    if (one)
        one->folder = cache;
    return one;
}

static void count_entry(struct caches *c, struct jw_command_cache *one, const struct jw_cache_file *f)
{
    one->entries++;
    one->bytes += f->size;
    c->last = f->mtime > c->last ? f->mtime : c->last;
}

/* An unexpected cache was not listed before the start, so entries written since the start count. */
static bool count_other(struct caches *c, struct jw_command_cache *one, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    bool ok = jw_cachedir_walk(one->folder, false, NULL, c->p->run->a, &now, err);

    for (size_t i = 0; ok && i < now.n; i++)
        if (now.files[i].mtime >= c->w->began)
            count_entry(c, one, &now.files[i]);
        else
            c->found = true;
    one->filled = now.n > 0;
    jw_cache_listing_free(&now);
    return ok;
}

static struct jw_command_cache *add_command_cache(struct caches *c, const char *cache, struct jw_err *err)
{
    size_t known = c->n;
    struct jw_command_cache *one = add_cache(c, cache, err);

    if (!one)
        return NULL;
    one->used = true;
    if (c->n == known)
        return one;
    one->other = true;
    return count_other(c, one, err) ? one : NULL;
}

/* Adds the cache that a process has by its settings. NULL without an error: it has none. */
static struct jw_command_cache *add_used(struct caches *c, const struct jw_process_settings *s,
                                         struct jw_err *err)
{
    const char *cache = jw_settings_cache(s, c->p->run->a);

    return cache ? add_command_cache(c, cache, err) : NULL;
}

/* Returns ROOT of an entry's path ROOT/4/b/681cf90bf5859f, where ROOT/index was opened, too. NULL: the path is no entry. */
static const char *cache_of_entry(const struct jw_traced *t, const char *path, struct jw_arena *a)
{
    enum { TAIL = sizeof "/4/b/" - 1 + REST_DIGITS };
    static const char digits[] = "0123456789abcdef";
    size_t n = strlen(path);
    const char *tail = path + n - TAIL, *real;
    struct jw_err ignored;

    if (n <= TAIL || tail[0] != '/' || tail[2] != '/' || tail[4] != '/' || !strchr(digits, tail[1])
        || !strchr(digits, tail[3]) || strspn(tail + 5, digits) != REST_DIGITS)
        return NULL;

    const char *cache = jw_arena_text(a, path, n - TAIL), *index = jw_path_join(a, cache, "index");

    if (!jw_traced_has(t->opened, t->n_opened, index) && !jw_traced_has(t->made, t->n_made, index))
        return NULL;
    return jw_real_path(cache, a, &real, &ignored) ? real : NULL;
}

/* Adds the caches of entries that the traced calls opened, whatever settings a process had when it was looked at. */
static bool add_traced(struct caches *c, const char *const *names, size_t n, bool *sure, struct jw_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *cache = cache_of_entry(&c->w->traced, names[i], c->p->run->a);
        const struct jw_command_cache *one = cache ? add_command_cache(c, cache, err) : NULL;

        if (err->code != JW_OK)
            return false;
        sure[0] &= !one || one == c->v;
    }
    return true;
}

/* Looks into all caches of a process: a program may change its settings before the driver reads them in cuInit, and
 * after that. */
static bool add_process(struct caches *c, const struct jw_witness_process *p, bool *sure, struct jw_err *err)
{
    const struct jw_command_cache *one = add_used(c, &p->settings, err);
    size_t at = one ? (size_t)(one - c->v) : 0;
    bool is_sure = one != NULL;

    for (size_t i = 0; err->code == JW_OK && i < p->n_before; i++) {
        one = add_used(c, &p->before[i], err);
        is_sure = is_sure && one && (size_t)(one - c->v) == at;
    }
    if (is_sure)
        sure[at] = true;
    return err->code == JW_OK;
}

bool prime_was_opened(const struct prime_watching *w, uint64_t name)
{
    return jw_find_u64(w->opened, w->n_opened, sizeof name, name) != NULL;
}

static bool find_caches(struct caches *c, const struct jw_cache_listing *after, struct jw_err *err)
{
    const struct jw_witness_report *seen = &c->p->out->seen.witness;
    const char *given = c->w->cache, *real;
    struct jw_err ignored;
    struct jw_command_cache *first = NULL;
    bool sure[MAX_CACHES + 1] = { false };

    if (jw_real_path(given, c->p->run->a, &real, &ignored))
        given = real;
    first = add_cache(c, given, err);
    for (size_t i = 0; first && i < after->n; i++)
        if (prime_is_new(&c->w->before, &after->files[i]))
            count_entry(c, first, &after->files[i]);
        else
            first->opened |= !c->w->watched || prime_was_opened(c->w, after->files[i].name);
    if (!first)
        return false;
    first->filled = after->n > 0;
    c->found = first->opened;
    for (size_t i = 0; i < seen->n; i++)
        if (!add_process(c, &seen->processes[i], sure, err))
            return false;
    if (!add_traced(c, c->w->traced.opened, c->w->traced.n_opened, sure, err)
        || !add_traced(c, c->w->traced.made, c->w->traced.n_made, sure, err))
        return false;
    for (size_t i = 0; i < c->n; i++)
        c->v[i].doubtful = c->v[i].used && !sure[i];
    return true;
}

/* ---- the answer ---- */

/* Returns why no later start finds what the driver compiled for this process. */
static const char *why_nowhere(const struct jw_process_settings *s, struct jw_arena *a)
{
    const char *setting = jw_settings_no_cache(s, a), *cache = jw_settings_cache(s, a);

    if (setting || !cache || !(jw_cache_why_unreadable(cache, a) || jw_why_unwritable(cache, a)))
        return setting;
    return s->path ? jw_arena_printf(a, "CUDA_CACHE_PATH=%.300s, and it cannot write there", s->path)
                   : jw_arena_printf(a, "it cannot write to %.300s/index", cache);
}

/* Compiled code leaves an entry in a cache that is not too small for it, so a process that loaded the compiler, left
 * none, and took entries of the driver's linker has linked. */
enum { ROOMY = 256 << 20 };

static bool has_room(const struct prime *p)
{
    return p->out->cache.limit.bytes >= ROOMY;
}

static bool in_given_cache(const struct caches *c)
{
    const struct jw_witness_report *w = &c->p->out->seen.witness;

    for (size_t i = 0; i < w->n; i++) {
        const struct jw_witness_process *one = &w->processes[i];
        const char *cache = jw_settings_cache(&one->settings, c->p->run->a), *limit = one->settings.limit;

        if (one->compiled
            && (!cache || one->n_before || strcmp(cache, c->v[0].folder) != 0
                || (limit && strtoull(limit, NULL, 10) < ROOMY)))
            return false;
    }
    return true;
}

static bool took_linked(const struct caches *c, const struct jw_cache_listing *after, bool *yes,
                        struct jw_err *err)
{
    *yes = false;
    for (size_t i = 0; !*yes && i < after->n; i++) {
        const struct jw_cache_file *f = &after->files[i];
        struct prime_entry e;

        if (f->damage || f->kind != JW_CACHE_CUDA || !prime_was_opened(c->w, f->name))
            continue;
        bool ok = prime_entry_read(c->p->run->a, c->w->cache, f, &e, err);

        *yes = ok && prime_entry_is_linked(&e);
        prime_entry_free(&e);
        if (!ok)
            return false;
    }
    return true;
}

/* Is it known that the command linked and compiled nothing? driver-fact: F92-link-opens-compiler */
static bool find_links(const struct caches *c, const struct jw_cache_listing *after, bool *yes,
                       struct jw_err *err)
{
    const struct jw_command_seen *s = &c->p->out->seen;

    *yes = false;
    if (s->entries || s->witness.answer != JW_WITNESS_COMPILED || !c->n || !c->w->watched || c->w->dropped
        || c->w->others || !has_room(c->p) || !in_given_cache(c))
        return true;
    return took_linked(c, after, yes, err);
}

static void answer(struct jw_command_seen *s, struct jw_arena *a)
{
    const struct jw_witness_report *w = &s->witness;

    for (size_t i = 0; i < w->n && !s->small; i++)
        if (w->processes[i].compiled)
            s->small = jw_settings_small_cache(&w->processes[i].settings, a);
    s->answer = s->entries ? JW_WITNESS_COMPILED : w->answer;
    s->why = s->answer == JW_WITNESS_UNKNOWN ? w->why : NULL;
    if (s->entries || w->answer != JW_WITNESS_COMPILED)
        return;
    for (size_t i = 0; i < w->n && !s->nowhere; i++) {
        if (w->processes[i].compiled)
            s->nowhere = why_nowhere(&w->processes[i].settings, a);
        for (size_t k = 0; w->processes[i].compiled && !s->nowhere && k < w->processes[i].n_before; k++)
            s->nowhere = why_nowhere(&w->processes[i].before[k], a);
    }
    if (s->nowhere)
        return;
    if (s->links) {
        s->answer = JW_WITNESS_NOTHING;
        return;
    }
    s->answer = JW_WITNESS_UNKNOWN;
    s->why =
        s->small
            ? jw_arena_printf(a,
                              "it loaded the driver's compiler and no new cache entry was found: what it "
                              "compiles may be larger than %s allows",
                              s->small)
            : "it loaded the driver's compiler and no new cache entry was found: it links code while it "
              "runs, which loads the compiler each time, or its cache is not known";
}

/* A server may compile for the command without being its process. If the server's cache is known, its entries are
 * there. */
static const char *worked_outside(const struct caches *c, const struct jw_witness_outside *o)
{
    struct jw_command_cache its = { .folder = jw_settings_cache(&o->settings, c->p->run->a) };
    struct caches count = { .p = c->p, .w = c->w };
    struct jw_err ignored = { 0 };

    if (its.folder && !why_nowhere(&o->settings, c->p->run->a) && count_other(&count, &its, &ignored))
        return its.entries ? "compiled meanwhile" : NULL;
    return o->worked ? "has the driver's compiler loaded and worked meanwhile" : NULL;
}

static void doubt_outside(const struct caches *c, struct jw_command_seen *s)
{
    const struct jw_witness_report *w = &s->witness;

    for (size_t i = 0; s->answer == JW_WITNESS_NOTHING && i < w->n_outside; i++) {
        const struct jw_witness_outside *o = &w->outside[i];
        const char *what = worked_outside(c, o);

        if (!what)
            continue;
        s->answer = JW_WITNESS_UNKNOWN;
        s->why = jw_arena_printf(
            c->p->run->a,
            "its own processes compiled nothing, but %.40s (process %lu), which is none of them, %s: "
            "whether for it is not known",
            o->name, o->pid, what);
        s->links = false;
        prime_advise(c->p, "%s   # while %.40s compiles nothing", jw_run_again(c->p->run, NULL), o->name);
    }
}

/* Returns how long the start took, until the last module was compiled or found in a cache. 0: no module was seen. File
 * times are those of the last clock tick, so an entry that was made in the first milliseconds can be older than the
 * start. */
static uint64_t start_ms(const struct caches *c, bool made_any)
{
    uint64_t opened = c->w->last > c->w->start ? c->w->last - c->w->start : 0,
             made = c->last > c->w->started ? (uint64_t)(c->last - c->w->started) : 0,
             last = opened > made ? opened : made;

    return last || made_any ? jw_max(last / 1000000, 1) : 0;
}

static void end_open_watch(struct prime_watching *w)
{
    take_open_events(w);
    jw_name_watch_free(w->open_watch);
    w->open_watch = NULL;
    prime_watch_sort(w);
}

static bool was_opened(const void *ctx, uint64_t name)
{
    return prime_was_opened(ctx, name);
}

bool prime_watch_end(struct prime *p, struct prime_watching *w, struct jw_cache_listing *after,
                     struct jw_err *err)
{
    struct jw_command_seen *s = &p->out->seen;
    struct caches c = { .p = p, .w = w };

    *after = (struct jw_cache_listing){ 0 };
    if (!w->witness)
        return true;
    bool traced = w->trace != NULL;

    if (traced)
        prime_end_trace(w);
    jw_witness_end(w->witness, &w->traced, p->run->a, &s->witness);
    w->witness = NULL;
    end_open_watch(w); /* both have waited a while for processes that the command left behind */
    bool ok = jw_cachedir_walk(w->cache, false, NULL, p->run->a, after, err) && find_caches(&c, after, err);

    s->caches = c.v;
    s->n_caches = c.n;
    for (size_t i = 0; i < c.n; i++) {
        s->entries += c.v[i].entries;
        s->bytes += c.v[i].bytes;
    }
    if (traced)
        prime_end_kit(w, true); /* the driver's caches are known */
    ok = ok && find_links(&c, after, &s->links, err);
    if (ok && s->links) {
        if (!p->ctx.cache.memory->dir)
            prime_load_memory(&p->ctx);
        s->link_milliseconds = jw_warm_links_of(p->ctx.cache.memory, was_opened, w).milliseconds;
    }
    answer(s, p->run->a);
    doubt_outside(&c, s);
    p->out->start_milliseconds = start_ms(&c, s->entries > 0);
    p->out->start_first = s->answer == JW_WITNESS_COMPILED && !c.found;
    p->out->start_whole =
        !p->out->run_code
        || (p->out->start_milliseconds
            && p->out->run_milliseconds > p->out->start_milliseconds + jw_time_limit_ms(PRIME_QUIET_MS));
    return ok;
}

/* One process that uses the given cache is enough to keep that cache. Modules that other processes compile
 * elsewhere are reported. */
const char *prime_other_cache(const struct prime *p)
{
    const struct jw_command_seen *s = &p->out->seen;
    const char *other = NULL;
    uint64_t max = 0;

    if (!s->n_caches || s->caches[0].entries || s->caches[0].opened
        || (s->caches[0].used && !s->caches[0].doubtful))
        return NULL;
    for (size_t i = 1; i < s->n_caches; i++)
        if ((!other && (s->caches[i].filled || !s->caches[0].used)) || s->caches[i].entries > max) {
            other = s->caches[i].folder;
            max = s->caches[i].entries;
        }
    return other;
}
