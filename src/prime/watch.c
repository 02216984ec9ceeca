#include "prime/watch.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "cache/place/cache_disk.h"
#include "cache/place/lookup.h"
#include "machine/listing.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/watch.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDERS = 256, REST_DIGITS = 14, OPENED_AT_ONCE = 1 << 14 };

/* ---- which entries the command opens ---- */

struct opens {
    struct jw_watched *out;
    struct jw_watch *watch;
    const char *folders[FOLDERS + 1]; /* folders of the cache, and jitwarm's memory of it */
    uint8_t first[FOLDERS];           /* first[i]: the two hex digits of folder i */
    size_t n;
    bool dropped;
};

/* Keeps each name once, since a program may open the same entries for months. */
static void sort_opened(struct jw_watched *w)
{
    size_t kept = 0;

    jw_sort_u64(w->opened, w->n_opened, sizeof *w->opened);
    for (size_t i = 0; i < w->n_opened; i++)
        if (!kept || w->opened[kept - 1] != w->opened[i])
            w->opened[kept++] = w->opened[i];
    w->n_opened = kept;
}

/* Notes an opened entry. An open does not show its process, but another jitwarm opens its memory of the cache first. */
static void note_open(void *ctx, size_t folder, const char *name)
{
    struct opens *o = ctx;
    struct jw_watched *w = o->out;
    char *end;
    uint64_t rest = strtoull(name, &end, 16);

    if (folder == o->n) {
        w->read_by_others = true;
        return;
    }
    if (*end || strlen(name) != REST_DIGITS)
        return;
    if (w->n_opened == w->room_opened && w->n_opened >= OPENED_AT_ONCE)
        sort_opened(w);
    if (!jw_grow(&w->opened, sizeof *w->opened, w->n_opened, &w->room_opened, 4 * JW_MAX_CACHE_ENTRIES,
                 JW_IGNORED))
        o->dropped = true;
    else
        w->opened[w->n_opened++] = (uint64_t)o->first[folder] << 56 | rest;
}

static void take_opens(void *ctx)
{
    struct opens *o = ctx;

    if (o->watch)
        o->dropped |= !jw_watch_next(o->watch, 0, note_open, o);
}

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
    return jw_watch_start(&o->watch, o->folders, o->n + jw_is_folder(memory->dir), JW_IGNORED);
}

static void end_opens(struct opens *o)
{
    take_opens(o);
    jw_watch_free(o->watch);
    o->watch = NULL;
    sort_opened(o->out);
    o->out->opens_seen &= !o->dropped;
}

/* ---- which entries the command used ---- */

static bool was_made(const struct jw_watched *w, const struct jw_cache_file *f)
{
    const struct jw_cache_file *was = jw_cache_file_find(&w->before, f->name);

    return !was || (!w->fresh && (was->mtime != f->mtime || was->size != f->size));
}

/* If none of the command's processes had the driver, the driver's entries are another program's. */
static bool is_of_others(const struct jw_watched *w, const struct jw_cache_file *f)
{
    return !w->fresh && f->kind == JW_CACHE_CUDA && w->seen.unused;
}

bool jw_watched_uses(const struct jw_watched *w, const struct jw_cache_file *f)
{
    if (is_of_others(w, f))
        return false;
    return w->fresh || was_made(w, f) || jw_find_u64(w->opened, w->n_opened, sizeof f->name, f->name);
}

/* An entry without a key is the driver's, too; a full cache lost its oldest. driver-fact: F89-link-inputs, F56-fifo */
static void count_used(struct jw_watched *w, uint64_t limit)
{
    uint64_t largest = 0;

    for (size_t i = 0; i < w->after.n; i++) {
        const struct jw_cache_file *f = &w->after.files[i];
        enum jw_cache_kind maker = f->name == JW_FNV_START ? JW_CACHE_CUDA : f->kind;

        w->seen.loaded[f->kind] += !f->damage && jw_watched_uses(w, f);
        w->seen.made[maker] += was_made(w, f) && !is_of_others(w, f);
        largest = jw_max(largest, f->size);
    }
    w->seen.start.full = !w->fresh && jw_start_made(&w->seen) && w->after.index.total + largest > limit;
}

/* ---- a cache that the command chose itself ---- */

static const char *other_cache(const struct jw_witness_report *r, const char *given, struct jw_arena *a)
{
    const char *real;

    for (size_t i = 0; i < r->n; i++)
        if (r->processes[i].cache && jw_real_path(r->processes[i].cache, a, &real, JW_IGNORED)
            && strcmp(real, given) != 0)
            return real;
    return NULL;
}

/* Counts entries that were written since the start: nobody listed this cache before. */
static bool count_other(struct jw_start_seen *s, int64_t began, struct jw_arena *a, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    bool ok = jw_cache_list(s->start.cache, false, NULL, a, &now, err);

    for (size_t i = 0; ok && i < now.n; i++)
        s->made[now.files[i].kind] += now.files[i].mtime >= began;
    jw_cache_listing_free(&now);
    return ok;
}

/* ---- the answer ---- */

/* Returns the setting that makes the driver compile at each start, or store nothing; NULL: none. */
static const char *setting_of(const struct jw_witness_report *r, bool made)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct jw_witness_process *p = &r->processes[i];

        if (p->compiled && (p->forced || (!made && (p->no_cache || p->small_cache))))
            return p->forced ? p->forced : p->no_cache ? p->no_cache : p->small_cache;
    }
    return NULL;
}

/* Did the driver's linker only take entries? It opens the compiler each time, even if its result is in the cache. driver-fact:
 * F92-link-opens-compiler */
static bool took_linked(const struct jw_watched *w, struct jw_arena *a)
{
    if (!w->opens_seen || w->read_by_others || !jw_may_use(w->cache, JW_FILE_DIR))
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

static void check_driver(struct jw_run *run, struct jw_watched *w, const struct jw_witness_report *r)
{
    struct jw_start_seen *s = &w->seen;
    bool made = jw_start_made(s), lost = !s->start.cache && jw_session_facts(run->session)->cache.place;

    s->mixed = made && r->shared && r->answer != JW_WITNESS_COMPILED;
    s->compiled = s->mixed ? JW_WITNESS_UNKNOWN : made ? JW_WITNESS_COMPILED : r->answer;
    s->why = s->mixed                                         ? "another program compiled meanwhile"
             : s->compiled != JW_WITNESS_UNKNOWN || s->unused ? NULL
             : w->read_by_others ? "another jitwarm looked at this cache meanwhile, perhaps of the command"
                                 : r->why;
    if (r->answer == JW_WITNESS_COMPILED)
        s->start.setting = setting_of(r, made);
    if (made || s->start.setting || lost || r->answer != JW_WITNESS_COMPILED)
        return;
    s->links = !s->start.cache && took_linked(w, run->a);
    if (s->links) {
        s->compiled = JW_WITNESS_NOTHING;
    } else {
        s->compiled = JW_WITNESS_UNKNOWN;
        s->why = "the driver loaded its compiler and stored no entry, as where it refuses code or links";
    }
}

/* What other compilers compile is not visible. Only NVRTC may have a cache: then it opens or makes an entry there, which tells
 * nothing of NVVM. driver-fact: F09-other-compilers */
static void check_others(struct jw_watched *w, const struct jw_witness_report *r, struct jw_arena *a)
{
    struct jw_start_seen *s = &w->seen;
    bool found = s->loaded[JW_CACHE_NVVM] && !w->read_by_others;

    if (s->compiled != JW_WITNESS_NOTHING || !(s->start.unseen = r->nvvm || found ? r->nvvm : r->nvrtc))
        return;
    s->compiled = JW_WITNESS_UNKNOWN;
    s->why = jw_arena_printf(a, "%s was loaded, and what it compiles is not seen", s->start.unseen);
}

/* ---- one start ---- */

/* Ctrl-C and SIGTERM end the command only; this run goes on with what was loaded by then. So a server can be recorded. */
static bool start(const struct jw_watch_how *how, bool named, struct opens *o, struct jw_err *err)
{
    struct jw_watched *w = o->out;
    const struct jw_child_edit edit = jw_cache_env_edit(w->cache);
    const struct jw_command run = { .argv = how->words,
                                    .edits = &edit,
                                    .n_edits = named || w->fresh,
                                    .output_to_errors = how->output_to_errors,
                                    .look = take_opens,
                                    .ctx = o };
    struct jw_process_end end;
    uint64_t began = jw_time_monotonic_ns();

    bool ok = jw_process_foreground(&run, &end, err);

    w->seen.code = end.code;
    w->seen.milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    if (!ok && err->code != JW_E_INTERRUPTED)
        err->code = JW_E_NAMED; /* the user named the command */
    return ok;
}

/* Ends the watch first, which waits a while for processes that the command left behind. */
static bool look_back(struct jw_run *run, struct opens *o, int64_t began, const struct jw_witness_report *r,
                      struct jw_err *err)
{
    struct jw_watched *w = o->out;
    const char *other = other_cache(r, w->cache, run->a);

    end_opens(o);
    w->seen.unused = r->unused;
    w->files = r->files;
    w->n_files = r->n_files;
    if (!jw_cache_list(w->cache, false, NULL, run->a, &w->after, err))
        return false;
    count_used(w, jw_session_facts(run->session)->scope.limit);
    w->read_by_others |= r->shared && w->seen.made[JW_CACHE_CUDA];
    w->seen.start.cache = other;
    if (other && !count_other(&w->seen, began, run->a, err))
        return false;
    check_driver(run, w, r);
    check_others(w, r, run->a);
    if (w->seen.compiled == JW_WITNESS_NOTHING && jw_start_failed(&w->seen)) {
        w->seen.compiled = JW_WITNESS_UNKNOWN;
        w->seen.why = "what it loads when it does not fail is not known";
    }
    w->seen.start.own = w->seen.compiled == JW_WITNESS_COMPILED && !w->seen.made[JW_CACHE_CUDA];
    return true;
}

bool jw_watch_run(struct jw_run *run, const struct jw_watch_how *how, struct jw_watched *out,
                  struct jw_err *err)
{
    struct jw_session *s = run->session;
    const struct jw_cache_memory *memory = jw_session_memory(s);
    struct opens o = { .out = out };
    struct jw_witness_report report;

    *out = (struct jw_watched){ .cache = memory->cache };
    if (!memory->cache)
        return jw_fail(err, JW_E_IO, "%s", memory->unusable);
    if (!jw_cache_list(memory->cache, false, run->interrupted, run->a, &out->before, err))
        return false;
    out->opens_seen = begin_opens(&o, memory, run->a);
    if (!out->opens_seen && how->empty) {
        out->fresh = true;
        out->cache = how->empty;
    }

    int64_t began = jw_time_unix_ns() - JW_FILE_TICK_NS;
    struct jw_witness *witness =
        jw_witness_begin(jw_session_driver_file(s)->library, jw_session_compiler(s)->path);
    bool ok = start(how, s->cache, &o, err);

    jw_witness_end(witness, run->interrupted, run->a, &report);
    ok = ok && look_back(run, &o, began, &report, err);
    jw_watch_free(o.watch);
    return ok;
}

void jw_watched_free(struct jw_watched *w)
{
    jw_cache_listing_free(&w->before);
    jw_cache_listing_free(&w->after);
    jw_free(w->opened);
}

/* ---- the result ---- */

uint64_t jw_start_made(const struct jw_start_seen *s)
{
    uint64_t n = 0;

    for (unsigned i = 0; i <= JW_CACHE_OTHER; i++)
        n += s->made[i];
    return n;
}

bool jw_start_failed(const struct jw_start_seen *s)
{
    return s->code && s->code != JW_ENDED_BY_CTRL_C && s->code != JW_ENDED_BY_SIGTERM;
}
