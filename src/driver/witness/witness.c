#include "driver/witness/witness.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/driver_settings.h"
#include "facts/libraries.h"
#include "machine/paths.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/running.h"
#include "os/process/watch.h"

#include <string.h>

enum {
    DRIVER,
    COMPILER,
    KINDS,               /* of files that are watched: the driver, and each compiler of it */
    CLOSE_MS = 10,       /* between two looks without an event, if a look takes no time */
    TICK_MS = 200,       /* at most between two looks for new processes */
    LIBRARIES_MS = 1000, /* at most between two looks at the libraries of known processes */
    MAX_FILES = 4096,
    MAX_SETTINGS = 5, /* of one process */
    TRIES = 7         /* an open is followed by the mapping: looks again after 1, 2, 4 ... ms */
};

struct process {
    struct jw_running is; /* not `below`: another program's, of which only the libraries count */
    struct jw_loaded loaded;
    bool alive, hidden, before; /* before: it was there when the command was started */
    bool own;                   /* a hidden one is this user's */
    struct jw_witness_process settings[MAX_SETTINGS]; /* without duplicates */
    size_t n_settings;
    bool preload[JW_PRELOAD_ON + 1]; /* those that were seen */
};

struct jw_witness {
    const char *unable;
    struct jw_arena a;
    struct jw_loaded_ask files;
    jw_witness_preloads *ask;
    void *ctx;     /* of `ask` */
    bool preloads; /* the driver does, in a process without a variable that decides it */
    struct jw_watch *watch;
    struct jw_thread *thread;
    struct jw_lock *lock; /* guards all that a look changes */
    bool looked; /* jw_witness_look saw each process before its end: what others open does not
                    matter */
    atomic_bool over;
    struct jw_running_list running;
    struct process *processes;
    size_t n, cap;
    bool found[KINDS]; /* a process has loaded it, and no open was seen yet: an event comes before
                          or after that */
    uint64_t find_ns,
        next_ms; /* when it looks for new processes again, and how long until the next look */
    uint64_t find_took_ns, look_took_ns;
    struct jw_buf text;
    struct jw_witness_seen seen;
    struct jw_loaded_of_driver *loaded;
    size_t n_loaded;
};

/* ---- one process ---- */

static struct jw_witness_process copy_settings(const struct jw_witness_process *s,
                                               struct jw_arena *a)
{
    return (struct jw_witness_process){.cache = jw_arena_str_or_null(a, s->cache),
                                       .no_cache = jw_arena_str_or_null(a, s->no_cache),
                                       .forced = jw_arena_str_or_null(a, s->forced)};
}

static void read_settings(struct jw_witness *w, struct process *p, const char *maps)
{
    struct jw_arena fresh = {0};
    struct jw_witness_process now = {0};
    bool read = jw_settings_read(p->is.pid, maps, &fresh, &now);
    bool known = p->n_settings == MAX_SETTINGS || !read || !p->is.below;

    p->preload[now.preload] |= read;
    for (size_t i = 0; i < p->n_settings && !known; i++)
        known = jw_text_same(p->settings[i].cache, now.cache)
                && jw_text_same(p->settings[i].no_cache, now.no_cache)
                && jw_text_same(p->settings[i].forced, now.forced);
    if (!known)
        p->settings[p->n_settings++] = copy_settings(&now, &w->a);
    jw_arena_free(&fresh);
}

static bool is_listed(const struct jw_witness *w, const struct jw_loaded_file *f)
{
    for (size_t i = 0; i < w->n_loaded; i++)
        if (w->loaded[i].node == f->node && strcmp(w->loaded[i].path, f->path) == 0)
            return true;
    return false;
}

static bool is_program(const char *name)
{
    return strcmp(name, "nvcc") == 0 || strcmp(name, "cicc") == 0 || strcmp(name, "ptxas") == 0;
}

static bool is_compiler(const struct jw_loaded_file *f)
{
    const char *name = jw_path_base(f->path);

    return jw_is_compiler(name, "nvvm") || jw_is_compiler(name, "nvrtc") || is_program(name);
}

/* Lists the files of a process. Without a driver only compilers count, as it may compile for
 * another process. */
static void list_files(struct jw_witness *w, const char *maps, bool driver)
{
    struct jw_loaded_file f;

    while (jw_loaded_next(&maps, &f)) {
        if ((!driver && !is_compiler(&f)) || is_listed(w, &f))
            continue;
        struct jw_loaded_of_driver *one =
            jw_list_add(&w->a, &w->loaded, &w->n_loaded, sizeof *one, MAX_FILES, JW_IGNORED);

        if (one)
            *one = (struct jw_loaded_of_driver){jw_arena_str(&w->a, f.path), f.node};
    }
}

static void read_libraries(struct jw_witness *w, struct process *p)
{
    bool refused;

    jw_buf_clear(&w->text);
    bool ok = jw_running_text(p->is.pid, "maps", &w->text, &refused);

    if (refused || w->text.bad) {
        p->hidden = true;
        p->own = jw_running_is_own(p->is.pid);
        return;
    }
    const char *maps = ok ? jw_buf_cstr(&w->text) : "";
    struct jw_loaded now = jw_loaded_of(maps, &w->files);

    p->hidden &= *maps == '\0';
    w->found[DRIVER] |= now.driver && !p->loaded.driver;
    w->found[COMPILER] |= p->is.below && now.compiler && !p->loaded.compiler;
    p->loaded.driver |= now.driver;
    p->loaded.compiler |= now.compiler;
    p->loaded.other |= now.other;
    if (now.driver && (p->is.below || now.compiler))
        read_settings(w, p, maps);
    if (p->is.below)
        list_files(w, maps, now.driver);
}

static struct process *find(struct jw_witness *w, const struct jw_running *is)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->processes[i].is.pid == is->pid && w->processes[i].is.began == is->began)
            return &w->processes[i];
    if (!jw_grow(&w->processes, sizeof *w->processes, w->n, &w->cap, JW_MAX_LISTED, JW_IGNORED)) {
        w->seen.lost = true;
        return NULL;
    }
    w->processes[w->n] = (struct process){.is = *is};
    return &w->processes[w->n++];
}

/* An ended process gives no new facts, but those that were seen count. */
static void forget_ended(struct jw_witness *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->n; i++) {
        const struct process *p = &w->processes[i];

        if (p->alive || p->loaded.driver || p->loaded.other || p->hidden)
            w->processes[kept++] = *p;
    }
    w->n = kept;
}

/* How long to wait until the next look: looks take a twentieth of one processor at most, but
 * come every `most_ms` at least. A look that had to wait for a processor did not take all of
 * its time. */
static uint64_t pause_ms(uint64_t *took_ns, uint64_t began, uint64_t most_ms)
{
    *took_ns = jw_min(jw_time_monotonic_ns() - began, 2 * *took_ns + 100000);
    return jw_min(CLOSE_MS + *took_ns * 20 / 1000000, most_ms);
}

/* Finds the processes of the command; `all`: also those of other programs, and what they have
 * loaded. */
static void find_processes(struct jw_witness *w, bool all)
{
    uint64_t began = jw_time_monotonic_ns();

    jw_running_read(&w->running);
    jw_running_below(&w->running, jw_process_id());
    for (size_t i = 0; i < w->n; i++)
        w->processes[i].alive = !all && !w->processes[i].is.below;
    for (size_t i = 0; i < w->running.n; i++) {
        const struct jw_running *is = &w->running.v[i];
        struct process *p = is->ended || (!is->below && !all) ? NULL : find(w, is);

        if (!p)
            continue;
        p->alive = true;
        if (!is->below)
            read_libraries(w, p);
    }
    forget_ended(w);
    w->find_ns = jw_time_after_ms((unsigned)pause_ms(&w->find_took_ns, began, TICK_MS));
}

/* Looks at each process again, also at one that had loaded nothing: it may have become another
 * program, and no event tells that it loads another driver, or NVRTC. */
static uint64_t look_at_known(struct jw_witness *w)
{
    uint64_t began = jw_time_monotonic_ns();

    for (struct process *p = w->processes; p < w->processes + w->n; p++)
        if (p->alive && p->is.below)
            read_libraries(w, p);
    return pause_ms(&w->look_took_ns, began, LIBRARIES_MS);
}

static void look(struct jw_witness *w, bool all)
{
    find_processes(w, all);
    (void)look_at_known(w);
}

static void look_for(struct jw_witness *w, const bool opened[KINDS])
{
    for (unsigned i = 0; i < TRIES; i++) {
        look(w, i > 1); /* the command's processes come first, as they may end soon */
        if ((w->found[COMPILER] || !opened[COMPILER]) && (w->found[DRIVER] || !opened[DRIVER]))
            break;
        jw_time_sleep_ms(1u << i);
    }
    w->seen.unseen |= opened[DRIVER] && !w->found[DRIVER];
    /* The process that opened it has ended, was never seen (this thread waits for a processor,
     * too), or has not mapped it yet. If it is found later, the answer becomes `compiled`. */
    w->seen.missed |= opened[COMPILER] && !w->found[COMPILER];
    w->found[DRIVER] &= !opened[DRIVER];
    w->found[COMPILER] &= !opened[COMPILER];
}

static void note_open(void *ctx, size_t i, const char *name)
{
    bool *opened = ctx;

    (void)name;
    opened[i ? COMPILER : DRIVER] = true;
}

static void wait_and_look(struct jw_witness *w, unsigned ms)
{
    bool opened[KINDS] = {false};

    bool whole = jw_watch_next(w->watch, ms, note_open, opened);

    jw_lock_take(w->lock);
    w->seen.lost |= !whole;
    if (opened[DRIVER] || opened[COMPILER])
        look_for(w, opened);
    else {
        memset(w->found, 0, sizeof w->found);
        if (!ms || jw_time_monotonic_ns() >= w->find_ns)
            find_processes(w, false);
        w->next_ms = look_at_known(w);
    }
    jw_lock_drop(w->lock);
}

void jw_witness_look(struct jw_witness *w)
{
    jw_lock_take(w->lock);
    if (w->thread)
        look(w, false);
    w->looked = true;
    jw_lock_drop(w->lock);
}

static void watch(void *ctx)
{
    struct jw_witness *w = ctx;
    bool over;

    do {
        over = atomic_load(&w->over);
        wait_and_look(w, over ? 0 : (unsigned)w->next_ms);
    } while (!over);
}

/* ---- from beginning to end ---- */

static bool find_watched(const char *path, struct jw_arena *a, struct jw_loaded_of_driver *out,
                         struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_real_path(path, a, &out->path, err) || !jw_file_stat(out->path, &info, err))
        return jw_wrap(err, "%.300s", path);
    out->node = info.id.node;
    return info.kind == JW_FILE_REGULAR || jw_fail(err, JW_E_DRIVER, "%.300s is no file", path);
}

static void add_compiler(struct jw_loaded_ask *ask, const char *path, struct jw_arena *a)
{
    struct jw_loaded_of_driver found;

    if (ask->n_compilers == JW_LOADED_COMPILERS || !find_watched(path, a, &found, JW_IGNORED))
        return;
    for (size_t i = 0; i < ask->n_compilers; i++)
        if (ask->compilers[i].node == found.node) /* links lead to it */
            return;
    ask->compilers[ask->n_compilers++] = found;
}

/* Adds the driver's other compilers, which lie beside that of PTX. */
static void add_others(struct jw_loaded_ask *ask, struct jw_arena *a)
{
    const char *folder = jw_path_dir(a, ask->compilers[0].path);

    for (const char *const *begin = jw_driver_compilers; *begin; begin++) {
        const char *pattern = jw_arena_printf(a, "%s*.so*", *begin);
        const struct jw_listing found = jw_listing_read(folder, pattern, a, NULL);

        for (size_t i = 0; i < found.n && strcmp(*begin, JW_DRIVER_COMPILER) != 0; i++)
            add_compiler(ask, jw_path_join(a, folder, found.names[i]), a);
    }
}

bool jw_witness_files(const char *library, const char *compiler, struct jw_arena *a,
                      struct jw_loaded_ask *out, struct jw_err *err)
{
    if (!library)
        return jw_fail(err, JW_E_DRIVER, "no NVIDIA driver was found");
    if (!compiler)
        return jw_fail(err, JW_E_DRIVER,
                       "the compiler of the driver %.300s, " JW_DRIVER_COMPILER_FILE
                       ", was not found",
                       library);
    *out = (struct jw_loaded_ask){.n_compilers = 1};
    if (!find_watched(library, a, &out->driver, err)
        || !find_watched(compiler, a, &out->compilers[0], err))
        return false;
    add_others(out, a);
    return true;
}

static const char *begin_watching(struct jw_witness *w, const char *library, const char *compiler)
{
    struct jw_err err = {0};

    if (jw_os_is_windows())
        return "Windows does not show which files programs open";
    if (!jw_witness_files(library, compiler, &w->a, &w->files, &err))
        return jw_arena_str(&w->a, err.msg);

    const char *paths[1 + JW_LOADED_COMPILERS] = {w->files.driver.path};

    for (size_t i = 0; i < w->files.n_compilers; i++)
        paths[1 + i] = w->files.compilers[i].path;
    if (!jw_watch_start(&w->watch, paths, 1 + w->files.n_compilers, &err))
        return jw_arena_printf(&w->a, "the driver's compiler cannot be watched: %s", err.msg);
    look(w, true);
    for (size_t i = 0; i < w->n; i++)
        w->processes[i].before = true;
    memset(w->found, 0, sizeof w->found);
    if (!jw_thread_start(&w->thread, watch, w, &err))
        return jw_arena_printf(&w->a, "nothing can be watched: %s", err.msg);
    return NULL;
}

struct jw_witness *jw_witness_begin(const char *library, const char *compiler,
                                    jw_witness_preloads *preloads, void *ctx)
{
    struct jw_witness *w = jw_alloc(sizeof *w);

    *w = (struct jw_witness){
        .lock = jw_lock_new(), .text = JW_BUF(JW_MAX_TEXT_FILE), .ask = preloads, .ctx = ctx};
    atomic_init(&w->over, false);
    w->unable = begin_watching(w, library, compiler);
    return w;
}

/* Does the driver decide whether this process preloads its compiler? */
static bool is_undecided(const struct process *p)
{
    return p->loaded.compiler && !p->preload[JW_PRELOAD_ON]
           && (p->preload[JW_PRELOAD_UNSET] || !p->preload[JW_PRELOAD_OFF]);
}

static bool preloads(const struct jw_witness *w, const struct process *p)
{
    return p->loaded.compiler && (p->preload[JW_PRELOAD_ON] || (w->preloads && is_undecided(p)));
}

static void ask_driver(struct jw_witness *w)
{
    bool matters = false;

    for (size_t i = 0; i < w->n; i++)
        matters |= is_undecided(&w->processes[i]);
    w->preloads = matters && w->ask && w->ask(w->ctx);
}

static void count(struct jw_witness *w)
{
    struct jw_witness_seen *s = &w->seen;

    s->unable = w->unable;
    s->missed &= !w->looked;
    for (size_t i = 0; i < w->n; i++) {
        const struct process *p = &w->processes[i];
        bool compiled = p->loaded.compiler && !preloads(w, p);

        s->strangers += !p->is.below && compiled;
        if (!p->is.below)
            continue;
        s->users += p->loaded.driver;
        s->compilers += compiled;
        s->preloading += preloads(w, p);
        s->others += p->loaded.other;
        s->hidden += p->hidden && !p->own;
        s->closed += p->hidden && p->own;
        s->left += p->alive && !p->before;
    }
}

static void report_processes(const struct jw_witness *w, struct jw_arena *a,
                             struct jw_witness_report *out)
{
    struct jw_witness_process *list = jw_arena_alloc(a, (w->n * MAX_SETTINGS + 1) * sizeof *list);

    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < w->processes[i].n_settings; k++) {
            list[out->n] = copy_settings(&w->processes[i].settings[k], a);
            list[out->n++].compiled =
                w->processes[i].loaded.compiler && !preloads(w, &w->processes[i]);
        }
    out->processes = list;
}

/* Leaves out a path that is another file here: a process may be in another container, and files are
 * replaced. */
static const char *const *list_loaded(struct jw_witness *w, struct jw_arena *a, size_t *n)
{
    const char **list = jw_arena_alloc(a, (w->n_loaded + 1) * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < w->n_loaded; i++) {
        struct jw_file_info info;

        if (jw_file_stat(w->loaded[i].path, &info, JW_IGNORED) && info.id.node == w->loaded[i].node)
            list[(*n)++] = jw_arena_str(a, w->loaded[i].path);
    }
    return list;
}

/* `compiler` NULL: a program. */
static const char *find_compiler(const struct jw_witness *w, const char *compiler,
                                 struct jw_arena *a)
{
    for (size_t i = 0; i < w->n_loaded; i++) {
        const char *name = jw_path_base(w->loaded[i].path);

        if (compiler ? jw_is_compiler(name, compiler) : is_program(name))
            return jw_arena_str(a, name);
    }
    return NULL;
}

/* Does a process of the command still run? */
static bool has_left(const struct jw_witness *w)
{
    for (const struct process *p = w->processes; p < w->processes + w->n; p++)
        if (p->is.below && p->alive && !p->before)
            return true;
    return false;
}

/* Workers of some engines end seconds after the program, and what a script leaves in the background
 * begins after its end. */
static void await_left(struct jw_witness *w, const atomic_bool *interrupted)
{
    uint64_t until = jw_time_after_ms(jw_time_limit_ms(JW_LEFT_MS));

    if (!w->thread)
        return;
    while (has_left(w) && jw_time_monotonic_ns() < until && !jw_interrupted(interrupted))
        wait_and_look(w, (unsigned)w->next_ms);
}

void jw_witness_end(struct jw_witness *w, const atomic_bool *interrupted, struct jw_arena *a,
                    struct jw_witness_report *out)
{
    *out = (struct jw_witness_report){0};
    atomic_store(&w->over, true);
    if (w->thread)
        jw_watch_wake(w->watch);
    jw_thread_join(w->thread);
    await_left(w, interrupted);
    if (w->thread)
        look(w, true);
    ask_driver(w);
    count(w);
    jw_witness_answer(&w->seen, a, out);
    report_processes(w, a, out);
    out->files = list_loaded(w, a, &out->n_files);
    out->nvvm = find_compiler(w, "nvvm", a);
    out->nvrtc = find_compiler(w, "nvrtc", a);
    out->program = find_compiler(w, NULL, a);
    jw_free(w->processes);
    jw_running_free(&w->running);
    jw_watch_free(w->watch);
    jw_lock_free(w->lock);
    jw_buf_free(&w->text);
    jw_arena_free(&w->a);
    jw_free(w);
}

/* ---- the answer ---- */

const char *const jw_witness_answer_names[] = {[JW_WITNESS_UNKNOWN] = "unknown",
                                               [JW_WITNESS_UNUSED] = "unknown",
                                               [JW_WITNESS_NOTHING] = "nothing",
                                               [JW_WITNESS_COMPILED] = "compiled"};
JW_ROW_FOR_EACH(jw_witness_answer_names, JW_WITNESS_ANSWERS, 4);

static const char never_loaded[] = "no process of it was seen to load the driver";

/* Why it is not known that nothing was compiled; NULL: it is. */
static const char *doubt(const struct jw_witness_seen *s)
{
    if (s->unable)
        return s->unable;
    if (s->lost)
        return "the system dropped events, or the driver was replaced meanwhile";
    if (s->others)
        return "it loaded another driver than the one that was watched";
    if (s->hidden)
        return "a process of it belongs to another user, so what it loads cannot be seen";
    if (s->closed)
        return "a process of it does not show what it loads, as one that is not dumpable";
    if (s->left)
        return "a process of it still runs";
    if (!s->users && s->unseen)
        return "the process that loaded the driver ended before it could be looked at";
    if (!s->users)
        return never_loaded;
    if (s->preloading)
        return "the driver loads its compiler at each start (" JW_PRELOAD_VARIABLE
               "), so only a new entry would show that it compiled";
    if (s->missed && s->strangers)
        return "the driver's compiler was opened meanwhile, and another program has it loaded";
    if (s->missed)
        return "a process opened the driver's compiler and ended before it could be looked at";
    return NULL;
}

void jw_witness_answer(const struct jw_witness_seen *seen, struct jw_arena *a,
                       struct jw_witness_report *out)
{
    const char *why = doubt(seen);

    out->shared = seen->strangers > 0;
    if (seen->compilers) {
        out->answer = JW_WITNESS_COMPILED;
        return;
    }
    out->why = jw_arena_str_or_null(a, why);
    out->answer = why ? JW_WITNESS_UNKNOWN : JW_WITNESS_NOTHING;
    if (why == never_loaded)
        out->answer = JW_WITNESS_UNUSED;
}
