#include "doctor/doctor_watch.h"

#include "base/limits.h"
#include "base/mem.h"
#include "driver/witness/witness.h"
#include "os/machine/procfs.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "os/process/running.h"

#include <string.h>

enum { TICK_MS = 250, QUIET_MS = 3000 /* idle for so long: it has compiled what it needs */ };

/* A process that has the compiler loaded. */
struct watched {
    struct jw_running is;
    bool ours;    /* of jitwarm itself */
    bool preload; /* it has the compiler loaded whether it compiles or not */
    bool earlier; /* it had the compiler before the watch began */
    bool working, there;
    uint64_t cpu;               /* hundredths of a second, at the last look; 0: not known */
    uint64_t began_ms, busy_ms; /* of what goes on now; when it last worked */
    struct jw_compiling told;
    struct jw_arena a; /* has the texts of it */
};

struct watcher {
    const struct jw_cache_memory *memory;
    struct watched jitwarm; /* that works on this user's cache */
    struct jw_loaded_ask files;
    struct jw_running_list running;
    struct watched *list;
    size_t n, cap;
    struct jw_buf text;
    struct jw_session *session;
    void (*seen)(void *ctx, const struct jw_compiling *c);
    void *ctx;
    struct jw_compiling_seen *out;
};

static uint64_t now_ms(void) { return jw_time_monotonic_ns() / 1000000; }

static struct watched *find_process(const struct watcher *w, const struct jw_running *is)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->list[i].is.pid == is->pid && w->list[i].is.began == is->began)
            return &w->list[i];
    return NULL;
}

static const char *read_file(struct watcher *w, unsigned long pid, const char *file, bool *refused)
{
    jw_buf_clear(&w->text);
    return jw_running_text(pid, file, &w->text, refused) && !w->text.bad ? jw_buf_cstr(&w->text)
                                                                         : NULL;
}

/* Its cache is read when it begins, for it reads these settings once. */
static bool add_process(struct watcher *w, const struct jw_running *is, const char *maps,
                        bool earlier, struct jw_err *err)
{
    struct jw_witness_process settings = {0};
    struct watched *p;
    bool refused;

    if (!jw_grow(&w->list, sizeof *w->list, w->n, &w->cap, JW_MAX_LISTED, err))
        return false;
    p = &w->list[w->n++];
    *p = (struct watched){.is = *is, .there = true, .earlier = earlier};
    p->told = (struct jw_compiling){.pid = is->pid, .name = ""};
    if (jw_settings_read(is->pid, maps, &p->a, &settings)) {
        p->told.no_cache = settings.no_cache;
        p->told.cache = p->told.no_cache ? NULL : settings.cache;
    }
    p->preload = settings.preload == JW_PRELOAD_ON
                 || (settings.preload == JW_PRELOAD_UNSET && jw_session_preloads(w->session));
    w->out->preload += p->preload;

    const char *name = read_file(w, is->pid, "comm", &refused);

    if (name)
        p->told.name = jw_arena_text(&p->a, name, strcspn(name, "\n"));
    p->ours = strncmp(p->told.name, "jitwarm", sizeof "jitwarm" - 1) == 0;
    return true;
}

static void begin_work(struct watcher *w, struct watched *p)
{
    p->working = true;
    p->began_ms = now_ms();
    p->told.since = jw_time_unix();
    p->told.seconds = -1;
    w->out->programs++;
    w->seen(w->ctx, &p->told);
}

static void end_work(struct watcher *w, struct watched *p)
{
    p->working = false;
    p->told.seconds = (double)(p->busy_ms - p->began_ms + TICK_MS) / 1000;
    w->seen(w->ctx, &p->told);
}

/* A tenth of a processor since the last look, or waiting for one, is work. */
static bool works(struct watcher *w, struct watched *p)
{
    uint64_t before = p->cpu;
    struct jw_procfs_stat now;
    bool refused;
    const char *text = read_file(w, p->is.pid, "stat", &refused);

    if (!text || !jw_procfs_stat(text, &now))
        return false;
    p->cpu = now.cpu;
    return now.state == 'R' || (before && now.cpu > before + TICK_MS / 100);
}

/* One that had the compiler before the watch began compiles only while it works. */
static void judge(struct watcher *w, struct watched *p)
{
    bool busy = p->there && works(w, p);

    if (p->ours || p->preload)
        return;
    p->busy_ms = busy || !p->busy_ms ? now_ms() : p->busy_ms;
    if (!p->working && (busy || (!p->earlier && !p->told.since)))
        begin_work(w, p);
    else if (p->working && (!p->there || now_ms() - p->busy_ms > QUIET_MS))
        end_work(w, p);
}

/* A prime's workers compile into folders of their own; the lock says which cache is meant. */
static void look_at_lock(struct watcher *w)
{
    struct watched *p = &w->jitwarm;
    struct jw_lock_holder holder;
    bool held = false;
    bool compiles = false;

    for (size_t i = 0; i < w->n; i++)
        compiles |= w->list[i].ours && w->list[i].there;
    compiles = compiles && jw_cache_lock_ask(w->memory, &held, &holder, JW_IGNORED) && held;
    p->busy_ms = now_ms();
    if (compiles && !p->working) {
        p->told =
            (struct jw_compiling){.pid = holder.pid, .name = "jitwarm", .cache = w->memory->cache};
        begin_work(w, p);
    } else if (!compiles && p->working) {
        end_work(w, p);
    }
}

static bool look_at_processes(struct watcher *w, bool first, struct jw_err *err)
{
    w->out->hidden = 0;
    for (size_t i = 0; i < w->n; i++)
        w->list[i].there = false;
    jw_running_read(&w->running);
    for (size_t i = 0; i < w->running.n; i++) {
        const struct jw_running *is = &w->running.v[i];
        struct watched *known = find_process(w, is);
        bool refused = false;
        const char *maps;

        if (known)
            known->there = !is->ended;
        if (known || is->ended || is->pid == jw_process_id())
            continue;
        maps = read_file(w, is->pid, "maps", &refused);
        w->out->hidden += refused;
        if (maps && jw_loaded_of(maps, &w->files).compiler && !add_process(w, is, maps, first, err))
            return false;
    }
    for (size_t i = 0; i < w->n; i++)
        judge(w, &w->list[i]);
    for (size_t i = w->n; i-- > 0;) /* its number may come again */
        if (!w->list[i].there) {
            jw_arena_free(&w->list[i].a);
            w->list[i] = w->list[--w->n];
        }
    return true;
}

bool jw_doctor_watch(struct jw_run *run, unsigned for_s,
                     void (*seen)(void *ctx, const struct jw_compiling *c), void *ctx,
                     struct jw_compiling_seen *out, struct jw_err *err)
{
    const struct jw_driver_file *driver = jw_session_driver_file(run->session);
    struct watcher w = {.memory = jw_session_memory(run->session),
                        .text = JW_BUF(64 << 20),
                        .session = run->session,
                        .seen = seen,
                        .ctx = ctx,
                        .out = out};
    uint64_t until = for_s ? now_ms() + for_s * 1000ULL : UINT64_MAX;
    bool ok;

    *out = (struct jw_compiling_seen){0};
    if (jw_os_is_windows())
        return jw_fail(
            err, JW_E_USAGE,
            "--watch is for Linux: Windows does not show which files a process has loaded");
    ok = jw_witness_files(driver->found ? driver->library : NULL,
                          jw_session_compiler(run->session)->path, run->a, &w.files, err);
    for (bool first = true; ok && now_ms() < until && !jw_interrupted(run->interrupted);
         first = false) {
        ok = look_at_processes(&w, first, err);
        look_at_lock(&w);
        jw_time_sleep_ms(TICK_MS);
    }
    jw_running_free(&w.running);
    jw_buf_free(&w.text);
    while (w.n)
        jw_arena_free(&w.list[--w.n].a);
    jw_free(w.list);
    return ok;
}
