#include "prime/watch.h"

#include "base/num.h"
#include "cache/place/cache_disk.h"
#include "cache/place/lookup.h"
#include "os/files/dir.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/watch.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDERS = 256, REST_DIGITS = 14 };

/* ---- which entries the command opens ---- */

struct opens {
    struct jw_watched *out;
    struct jw_watch *watch;
    const char *folders[FOLDERS + 1]; /* folders of the cache, and jitwarm's memory of it */
    uint8_t first[FOLDERS];           /* first[i]: the two hex digits of folder i */
    size_t n;
};

/* Notes an opened entry. An open does not show its process, but another jitwarm opens its memory of
 * the cache first. */
static void note_open(void *ctx, size_t folder, const char *name)
{
    struct opens *o = ctx;
    struct jw_watched *w = o->out;
    char *end;
    uint64_t rest = strtoull(name, &end, 16);
    const struct jw_cache_file *f = NULL;

    if (folder == o->n)
        w->uses = JW_USES_SHARED;
    else if (!*end && strlen(name) == REST_DIGITS)
        f = jw_cache_file_find(&w->before, (uint64_t)o->first[folder] << 56 | rest);
    if (f)
        w->opened[f - w->before.files] = true;
}

static void take_opens(void *ctx)
{
    struct opens *o = ctx;

    if (o->watch && !jw_watch_next(o->watch, 0, note_open, o) && o->out->uses == JW_USES_SEEN)
        o->out->uses = JW_USES_MADE; /* some opens were dropped */
}

/* False: opens cannot be watched. */
static bool begin_opens(struct opens *o, const struct jw_cache_memory *memory, struct jw_arena *a)
{
    for (unsigned i = 0; i < FOLDERS; i++) {
        const char *folder = jw_arena_printf(a, "%s/%x/%x", memory->cache, i >> 4, i & 15);

        if (!jw_is_folder(folder))
            continue;
        o->first[o->n] = (uint8_t)i;
        o->folders[o->n++] = folder;
    }
    o->folders[o->n] = memory->dir;
    size_t n_watched = jw_is_folder(memory->dir) ? o->n + 1 : o->n;

    return jw_watch_start(&o->watch, o->folders, n_watched, JW_IGNORED);
}

/* ---- which entries the command used ---- */

static bool was_made(const struct jw_watched *w, const struct jw_cache_file *f)
{
    const struct jw_cache_file *was = jw_cache_file_find(&w->before, f->name);

    return !was || (w->uses != JW_USES_ALL && (was->mtime != f->mtime || was->size != f->size));
}

bool jw_watched_uses(const struct jw_watched *w, const struct jw_cache_file *f)
{
    if (w->uses == JW_USES_OTHERS && f->kind == JW_CACHE_CUDA)
        return false;
    return w->uses == JW_USES_ALL || was_made(w, f)
           || w->opened[jw_cache_file_find(&w->before, f->name) - w->before.files];
}

/* Counts the entries that were used or made, and sets start.full. An entry without a key is the
 * driver's. What a full cache lost counts as room that was needed. driver-fact: F89-link-inputs,
 * F56-fifo */
static void count_used(struct jw_watched *w, uint64_t limit)
{
    uint64_t largest = 0;
    uint64_t gone = 0;

    for (size_t i = 0; i < w->after.n; i++) {
        const struct jw_cache_file *f = &w->after.files[i];
        enum jw_cache_kind maker = f->name == JW_FNV_START ? JW_CACHE_CUDA : f->kind;

        w->seen.loaded[f->kind] += !f->damage && jw_watched_uses(w, f);
        w->seen.made[maker] += jw_watched_uses(w, f) && was_made(w, f);
        largest = jw_max(largest, f->size);
    }
    for (size_t i = 0; i < w->before.n; i++)
        if (!jw_cache_file_find(&w->after, w->before.files[i].name))
            gone += w->before.files[i].size;
    w->seen.start.full = w->uses != JW_USES_ALL && jw_start_made(&w->seen)
                         && w->after.index.total + largest + gone > limit;
}

/* ---- a cache that the command chose itself ---- */

static const char *other_cache(const struct jw_witness_report *r, const char *given,
                               struct jw_arena *a)
{
    const char *real;

    for (size_t i = 0; i < r->n; i++)
        if (r->processes[i].cache && jw_real_path(r->processes[i].cache, a, &real, JW_IGNORED)
            && strcmp(real, given) != 0)
            return real;
    return NULL;
}

/* Counts entries that were written since the start: nobody listed this cache before. */
static bool count_other(struct jw_start_seen *s, int64_t began, struct jw_arena *a,
                        struct jw_err *err)
{
    struct jw_cache_listing now = {0};
    bool ok = jw_cache_list(s->start.cache, false, NULL, a, &now, err);

    for (size_t i = 0; ok && i < now.n; i++)
        s->made[now.files[i].kind] += now.files[i].mtime >= began;
    jw_cache_listing_free(&now);
    return ok;
}

/* If the driver's compiler did not run, new entries were copied or touched, for instance by a start
 * script. They do not count. */
static void drop_copied_entries(struct jw_start_seen *s, const struct jw_witness_report *r)
{
    if (r->answer != JW_WITNESS_NOTHING)
        return;
    s->made[JW_CACHE_CUDA] = 0;
    s->start.full = false;
}

/* ---- the answer ---- */

/* Returns the setting that makes the driver compile at each start, or store nothing; NULL: none. */
static const char *setting_of(const struct jw_witness_report *r, bool made)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct jw_witness_process *p = &r->processes[i];

        if (p->compiled && (p->forced || (!made && p->no_cache)))
            return p->forced ? p->forced : p->no_cache;
    }
    return NULL;
}

/* Did the driver's linker only take entries? It opens the compiler each time, even if its result is
 * in the cache. driver-fact: F92-link-opens-compiler */
static bool took_linked(const struct jw_watched *w, struct jw_arena *a)
{
    if (w->uses != JW_USES_SEEN || !jw_may_use(w->cache, JW_FILE_DIR))
        return false; /* a compiled module may have left no entry */
    for (unsigned i = 0; i < FOLDERS; i++)
        if (jw_cache_closed_folder(w->cache, i, a))
            return false;
    for (size_t i = 0; i < w->after.n; i++) {
        const struct jw_cache_file *f = &w->after.files[i];

        if (!f->damage && f->kind == JW_CACHE_CUDA && jw_watched_uses(w, f)
            && jw_cache_is_linked(jw_cache_entry_path(w->cache, f->name, a), f->entry.key_size))
            return true;
    }
    return false;
}

/* The compiler that the command had and that leaves no trace; NULL: none. What other compilers
 * compile is not visible, but for NVRTC with a cache, which opens or makes an entry there. That
 * tells nothing of NVVM. driver-fact: F09-other-compilers */
static const char *unseen_compiler(const struct jw_watched *w, const struct jw_witness_report *r)
{
    bool nvvm = r->nvvm || (w->seen.loaded[JW_CACHE_NVVM] && w->uses != JW_USES_SHARED);

    if (r->program)
        return r->program;
    return nvvm ? r->nvvm : r->nvrtc;
}

/* What this start did, by the entries that it made, and whether the driver opened its compiler. */
static enum jw_start_state state_of(struct jw_run *run, const struct jw_watched *w,
                                    const struct jw_witness_report *r)
{
    const struct jw_facts_start *start = &w->seen.start;
    bool ran = r->answer == JW_WITNESS_COMPILED;

    if (jw_start_made(&w->seen))
        return r->shared && !ran ? JW_START_MIXED : JW_START_COMPILED;
    if (r->answer == JW_WITNESS_NOTHING)
        return JW_START_NOTHING;
    if (r->answer == JW_WITNESS_UNUSED)
        return JW_START_UNUSED;
    if (!ran)
        return JW_START_UNKNOWN;
    if (start->setting || (!start->cache && jw_session_facts(run->session)->cache.place))
        return JW_START_COMPILED;
    return !start->cache && took_linked(w, run->a) ? JW_START_LINKED : JW_START_UNSTORED;
}

/* Why it is not known whether this start compiled; NULL: it is. */
static const char *why_in_doubt(const struct jw_watched *w, const struct jw_witness_report *r,
                                struct jw_arena *a)
{
    const struct jw_facts_start *start = &w->seen.start;

    if (start->state == JW_START_MIXED)
        return "another program compiled meanwhile";
    if (start->state == JW_START_UNSTORED)
        return "the driver loaded its compiler and stored no entry, as where it refuses code or "
               "links";
    if (start->unseen)
        return jw_arena_printf(a, "%s was %s, and what it compiles is not seen", start->unseen,
                               r->program ? "started" : "loaded");
    if (start->state != JW_START_UNKNOWN)
        return NULL;
    if (w->uses == JW_USES_SHARED)
        return "another jitwarm looked at this cache meanwhile, perhaps of the command";
    return r->why;
}

static void judge(struct jw_run *run, struct jw_watched *w, const struct jw_witness_report *r)
{
    struct jw_facts_start *start = &w->seen.start;

    if (r->answer == JW_WITNESS_COMPILED)
        start->setting = setting_of(r, jw_start_made(&w->seen));
    start->state = state_of(run, w, r);
    start->own_compilers = start->state == JW_START_COMPILED && !w->seen.made[JW_CACHE_CUDA];
    if (start->state == JW_START_LINKED || start->state == JW_START_NOTHING)
        start->unseen = unseen_compiler(w, r);
    w->seen.why = why_in_doubt(w, r, run->a);
}

/* ---- one start ---- */

/* A person who ends a command by Ctrl-C or SIGTERM does not make it fail. */
static bool is_failure(int code)
{
    return code && code != JW_ENDED_BY_CTRL_C && code != JW_ENDED_BY_SIGTERM;
}

/* Ctrl-C and SIGTERM end the command only; this run goes on with what was loaded by then. So a
 * server can be recorded. */
static bool start_command(const struct jw_watch_how *how, bool named, struct opens *o,
                          struct jw_err *err)
{
    struct jw_watched *w = o->out;
    const struct jw_child_edit edit = jw_cache_env_edit(w->cache);
    const struct jw_command run = {.argv = how->words,
                                   .edits = &edit,
                                   .n_edits = named || w->uses == JW_USES_ALL,
                                   .output_to_errors = how->output_to_errors,
                                   .look = take_opens,
                                   .ctx = o};
    struct jw_process_end end;
    uint64_t began = jw_time_monotonic_ns();
    bool ok = jw_process_foreground(&run, &end, err);

    w->seen.code = end.code;
    w->seen.start.failed = is_failure(end.code);
    w->seen.start.stopped = end.asked || (end.code && !w->seen.start.failed);
    w->seen.milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    if (!ok)
        jw_err_becomes_all(err, JW_E_NAMED); /* the user named the command */
    return ok;
}

/* Lists the cache after the command, counts what it used, and judges the start. */
static bool read_result(struct jw_run *run, struct opens *o, int64_t began,
                        const struct jw_witness_report *r, struct jw_err *err)
{
    struct jw_watched *w = o->out;
    struct jw_start_seen *s = &w->seen;
    const char *other = other_cache(r, w->cache, run->a);
    struct jw_disk disk;

    take_opens(o);
    if (r->answer == JW_WITNESS_UNUSED && w->uses != JW_USES_ALL)
        w->uses = JW_USES_OTHERS;
    w->files = r->files;
    w->n_files = r->n_files;
    if (!jw_cache_list(w->cache, false, NULL, run->a, &w->after, err))
        return false;
    count_used(w, jw_session_facts(run->session)->scope.limit);
    if (r->shared && s->made[JW_CACHE_CUDA] && w->uses < JW_USES_SHARED)
        w->uses = JW_USES_SHARED;
    s->start.cache = other;
    if (other && !count_other(s, began, run->a, err))
        return false;
    drop_copied_entries(s, r);
    judge(run, w, r);
    /* Without room the driver may have stored less than it compiled. */
    s->start.full |= (s->start.state == JW_START_COMPILED || s->start.state == JW_START_UNSTORED)
                     && jw_disk_look(w->cache, &disk, JW_IGNORED)
                     && disk.free < jw_session_facts(run->session)->cache.spare;
    return true;
}

bool jw_watch_run(struct jw_run *run, const struct jw_watch_how *how, struct jw_watched *out,
                  struct jw_err *err)
{
    struct jw_session *s = run->session;
    const struct jw_cache_memory *memory = jw_session_memory(s);
    struct opens o = {.out = out};
    struct jw_witness_report report;

    *out = (struct jw_watched){.cache = memory->cache};
    if (!memory->cache)
        return jw_fail(err, JW_E_IO, "%s", memory->unusable);
    if (!jw_cache_list(memory->cache, false, run->interrupted, run->a, &out->before, err))
        return false;
    out->opened = jw_arena_alloc(run->a, out->before.n + 1);
    out->uses = begin_opens(&o, memory, run->a) ? JW_USES_SEEN
                : how->empty                    ? JW_USES_ALL
                                                : JW_USES_MADE;
    if (out->uses == JW_USES_ALL)
        out->cache = how->empty;

    int64_t began = jw_time_unix_ns() - JW_FILE_TICK_NS;
    struct jw_witness *witness = jw_witness_begin(
        jw_session_driver_file(s)->library, jw_session_compiler(s)->path, jw_session_preloads, s);
    jw_run_show(run, NULL, 0, 0);
    bool ok = start_command(how, s->cache, &o, err);

    /* This waits a while for processes that the command left behind. */
    jw_witness_end(witness, run->interrupted, run->a, &report);
    ok = ok && read_result(run, &o, began, &report, err);
    jw_watch_free(o.watch);
    return ok;
}

void jw_watched_free(struct jw_watched *w)
{
    jw_cache_listing_free(&w->before);
    jw_cache_listing_free(&w->after);
}

/* ---- the result ---- */

enum jw_witness_answer jw_start_compiled(const struct jw_start_seen *s)
{
    if (s->start.state == JW_START_COMPILED)
        return JW_WITNESS_COMPILED;
    return jw_start_compiled_nothing(&s->start) ? JW_WITNESS_NOTHING : JW_WITNESS_UNKNOWN;
}

uint64_t jw_start_made(const struct jw_start_seen *s)
{
    uint64_t n = 0;

    for (unsigned i = 0; i <= JW_CACHE_OTHER; i++)
        n += s->made[i];
    return n;
}
