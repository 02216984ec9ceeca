#include "doctor/doctor_watch.h"

#include "base/arena.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/listing.h"
#include "cache/place/lookup.h"
#include "driver/witness/settings.h"
#include "driver/witness/watched.h"
#include "os/files/file.h"
#include "os/machine/procfs.h"
#include "os/machine/time.h"
#include "os/process/open_watch.h"
#include "os/process/process.h"
#include "os/process/running.h"
#include "software/find/vendor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 250,
    QUIET_MS = 3000, /* idle for so long: it has compiled all that it needs; the compiler stays loaded */
    MAX_LIBRARIES = 512,
    TRIES = 7,        /* an open is followed by the mapping: looks again after 1, 2, 4 ... ms */
    MAPPED_MS = 5000, /* and at each tick until then: on a busy machine the program may have to wait */
    CLOCK_STEP_NS = 20000000
};

#define SECOND_NS 1000000000

const char *jw_compile_cause_name(enum jw_compile_cause c)
{
    static const char *const names[] = {
        [JW_COMPILE_COLD] = "cold",   [JW_COMPILE_DISABLED] = "disabled", [JW_COMPILE_CLOSED] = "closed",
        [JW_COMPILE_FULL] = "full",   [JW_COMPILE_DRIVER] = "driver",     [JW_COMPILE_FAILS] = "fails",
        [JW_COMPILE_LINKS] = "links", [JW_COMPILE_UNKNOWN] = "unknown"
    };

    return names[c];
}

/* A program whose process has the compiler loaded. */
struct compiling {
    struct jw_running is;
    bool ours;     /* a process of jitwarm: it counts for nothing */
    bool earlier;  /* it had the compiler when the watch began */
    bool shown;    /* it makes the driver compile or link */
    bool alive;    /* at the last look */
    bool reported; /* its end */
    bool paused;
    int64_t began; /* nanoseconds since 1970 */
    uint64_t cpu_first, cpu,
        cpu_paused;         /* hundredths of a second: when it began, now, when it was idle first */
    uint64_t sampled, busy; /* milliseconds: when its processor time was read, and when it was at work */
    const char **libraries; /* that it had loaded then, without NVIDIA's own */
    size_t n_libraries;
    char name[32];
    const char *command, *prime;
    const char *const *words; /* NULL: not known */
    struct jw_arena a;        /* of `settings` and the texts */
    struct jw_process_settings settings;
};

struct watcher {
    const struct jw_compile_watch *o;
    struct jw_compile_watch_report *out;
    struct jw_loaded_ask files;
    struct jw_running_list running;
    struct compiling *list;
    size_t n, cap;
    struct jw_buf text;
    int64_t since,
        next; /* the opens that are looked at now came after this time; those of the next look after that */
    uint64_t unfound, look_until; /* opens whose process was not found so far; milliseconds */
};

/* ---- who it is ---- */

static const struct compiling *find(const struct watcher *w, const struct jw_running *is)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->list[i].is.pid == is->pid && w->list[i].is.began == is->began)
            return &w->list[i];
    return NULL;
}

/* -1: not known. */
static long long user_of(unsigned long pid)
{
    struct jw_buf text = JW_BUF(1 << 16);
    unsigned long long effective = ULLONG_MAX;
    const char *line = NULL;
    bool refused;

    if (jw_running_text(pid, "status", &text, &refused))
        line = strstr(jw_buf_cstr(&text), "\nUid:");
    if (line) { /* "Uid:", then the real user and the effective one */
        char *real_end, *end;

        (void)strtoull(line + strlen("\nUid:"), &real_end, 10);
        effective = strtoull(real_end, &end, 10);
        if (end == real_end)
            effective = ULLONG_MAX;
    }
    jw_buf_free(&text);
    return effective > UINT32_MAX ? -1 : (long long)effective;
}

/* A process chooses what it says of its words, and may name any program: they are for its own user alone. */
static const char *prime_command(struct jw_arena *a, unsigned long pid, const char *const *words, size_t n)
{
    static const char *const prime[] = { "jitwarm", "prime", "--run" };
    long long user = user_of(pid), here = user_of(jw_process_id());
    const char **argv = jw_arena_alloc(a, (n + 7) * sizeof *argv);
    size_t at = 0;

    if (user < 0 || here < 0 || !n)
        return NULL;
    if (user != here) {
        argv[at++] = "sudo";
        argv[at++] = "-u";
        argv[at++] = jw_arena_printf(a, "#%lld", user);
    }
    memcpy(argv + at, prime, sizeof prime);
    at += JW_COUNT(prime);
    memcpy(argv + at, words, n * sizeof *words);
    argv[at + n] = NULL;
    return jw_command_text(a, argv, false);
}

static void read_words(struct compiling *c)
{
    struct jw_buf words = JW_BUF(1 << 20);
    const char **argv = NULL;
    size_t n = 0, at = 0;
    bool refused;

    if (jw_running_text(c->is.pid, "comm", &words, &refused))
        (void)snprintf(c->name, sizeof c->name, "%.*s", (int)strcspn(jw_buf_cstr(&words), "\n"),
                       jw_buf_cstr(&words));
    jw_buf_clear(&words);
    if (jw_running_text(c->is.pid, "cmdline", &words, &refused) && !words.bad) {
        const char *text = jw_arena_text(&c->a, (const char *)words.p, words.n);

        for (size_t i = 0; i < words.n; i++)
            n += !text[i];
        argv = jw_arena_alloc(&c->a, (n + 2) * sizeof *argv);
        for (n = 0; at < words.n; at += strlen(text + at) + 1)
            argv[n++] = text + at;
        argv[n] = NULL;
    }
    c->command = n ? jw_command_text(&c->a, argv, false) : "";
    c->prime = n ? prime_command(&c->a, c->is.pid, argv, n) : NULL;
    c->words = n ? argv : NULL;
    jw_buf_free(&words);
}

static struct jw_compile_event event_of(const struct compiling *c)
{
    return (struct jw_compile_event){ .when = c->began / SECOND_NS,
                                      .pid = c->is.pid,
                                      .name = c->name,
                                      .command = c->command,
                                      .prime = c->prime,
                                      .words = c->words,
                                      .folder = c->settings.folder,
                                      .earlier = c->earlier,
                                      .seconds = -1 };
}

static bool is_there(const char *path)
{
    struct jw_file_info info;
    struct jw_err unknown;

    return jw_file_stat(path, &info, &unknown) && info.kind != JW_FILE_NONE;
}

bool jw_compile_can_start_again(const char *const *words, const char *folder)
{
    bool there = words && (!folder || is_there(folder));

    for (size_t i = 0; there && words[i]; i++)
        there = words[i][0] != '/' || is_there(words[i]);
    return there;
}

/* "7f00-7f01 r-xp 00000000 08:01 131 /opt/app/libx.so" */
static void keep_libraries(struct compiling *c, const char *maps)
{
    struct jw_buf exe = JW_BUF(JW_MAX_PATH);

    (void)jw_running_link(c->is.pid, "exe", &exe);
    for (const char *at = maps; *at;) {
        size_t n = strcspn(at, "\n");
        const char *slash = memchr(at, '/', n);
        const char *path = slash ? jw_arena_text(&c->a, slash, n - (size_t)(slash - at)) : "";
        struct jw_err full;
        const char **slot;

        at += n + (at[n] != '\0');
        if ((!jw_library_file(path) && strcmp(path, jw_buf_cstr(&exe)) != 0)
            || jw_vendor_file(jw_path_base(path)) || jw_text_among(path, c->libraries, c->n_libraries))
            continue;
        slot = jw_list_add(&c->a, &c->libraries, &c->n_libraries, sizeof *slot, MAX_LIBRARIES, &full);
        if (slot)
            *slot = path;
    }
    jw_buf_free(&exe);
}

static uint64_t now_ms(void)
{
    return jw_time_monotonic_ns() / 1000000;
}

/* Its processor time. It is at work where it takes a tenth of a processor, or waits for one: others may be busy, too. */
static void sample(struct compiling *c)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t now = now_ms(), cpu, began;
    bool refused;
    char state;

    if (jw_running_text(c->is.pid, "stat", &text, &refused) && jw_procfs_cpu(jw_buf_cstr(&text), &cpu)
        && jw_procfs_stat(jw_buf_cstr(&text), &state, &began)) {
        if (!c->sampled) {
            c->cpu_first = cpu;
            c->busy = now;
        } else if (state == 'R' || (cpu - c->cpu) * 10 * 10 >= now - c->sampled) {
            c->busy = now;
        }
        c->cpu = cpu;
        c->sampled = now;
    }
    jw_buf_free(&text);
}

static void show(struct watcher *w, struct compiling *c)
{
    const struct jw_compile_event e = event_of(c);

    c->shown = true;
    w->out->programs++;
    w->o->seen(w->o->ctx, &e);
}

static bool take(struct watcher *w, const struct jw_running *is, const char *maps, bool earlier)
{
    struct jw_err ignored;
    struct compiling *c;

    if (!jw_grow(&w->list, sizeof *w->list, w->n, &w->cap, JW_MAX_LISTED, &ignored))
        return false;
    c = &w->list[w->n++];
    *c = (struct compiling){ .is = *is, .alive = true, .began = w->since, .earlier = earlier };
    read_words(c);
    c->ours = strncmp(c->name, "jitwarm", 7) == 0;
    (void)jw_settings_read(is->pid, maps, &c->a, &c->settings);
    if (c->ours)
        return true;
    keep_libraries(c, maps);
    sample(c);
    if (!earlier)
        show(w, c);
    return true;
}

/* Finds processes that have the compiler and had it not before: how many. `earlier`: before the watch began. */
static unsigned look(struct watcher *w, bool earlier)
{
    unsigned found = 0;

    jw_running_read(&w->running);
    for (size_t i = 0; i < w->running.n; i++) {
        const struct jw_running *is = &w->running.v[i];
        bool refused;

        if (is->ended || is->pid == jw_process_id() || find(w, is))
            continue;
        jw_buf_clear(&w->text);
        if (!jw_running_text(is->pid, "maps", &w->text, &refused) || w->text.bad)
            continue;
        const char *maps = jw_buf_cstr(&w->text);

        if (jw_loaded_of(maps, &w->files).compiler)
            found += take(w, is, maps, earlier);
    }
    return found;
}

/* ---- those that had it before ---- */

/* The driver writes the index of a cache for each entry that it adds. */
static bool has_added(const struct compiling *c)
{
    struct jw_arena a = { 0 };
    struct jw_file_info info;
    struct jw_err ignored;
    const char *cache = jw_settings_cache(&c->settings, &a);
    bool yes = cache && jw_file_stat(jw_path_join(&a, cache, "index"), &info, &ignored)
               && info.kind == JW_FILE_REGULAR && info.mtime >= c->began;

    jw_arena_free(&a);
    return yes;
}

/* Another program, too, may have added what is new there; jitwarm adds to any cache. */
static bool shares_cache(const struct watcher *w, const struct compiling *c)
{
    struct jw_arena a = { 0 };
    const char *cache = jw_settings_cache(&c->settings, &a);
    bool yes = false;

    for (size_t i = 0; cache && i < w->n && !yes; i++) {
        const struct compiling *other = &w->list[i];
        const char *its = other == c || other->earlier ? NULL : jw_settings_cache(&other->settings, &a);

        yes = (other->ours && other->alive) || (its && strcmp(cache, its) == 0);
    }
    jw_arena_free(&a);
    return yes;
}

static bool is_waited_for(const struct compiling *c)
{
    return c->earlier && !c->shown && !c->ours && !c->reported;
}

/* One that had the compiler keeps it as long as it runs: it is at work on something else, unless its cache grows. */
static void look_at_earlier(struct watcher *w, bool last)
{
    for (size_t i = 0; i < w->n; i++) {
        struct compiling *c = &w->list[i];

        if (!is_waited_for(c) || (!last && now_ms() - c->sampled < TICK_MS))
            continue;
        if (c->alive)
            sample(c);
        if (c->cpu > c->cpu_first && has_added(c) && !shares_cache(w, c))
            show(w, c);
    }
}

/* ---- what it left ---- */

static bool same_stamp(const struct jw_cache_listing *l, int64_t began, const char *stamp)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].mtime < began && strcmp(l->files[i].stamp, stamp) == 0)
            return true;
    return false;
}

static void find_cause(const struct jw_cache_listing *l, const struct compiling *c, uint64_t usual_limit,
                       struct jw_compile_event *e)
{
    const char *stamp = "", *limit = c->settings.limit;
    uint64_t largest = 0, older = 0;

    for (size_t i = 0; i < l->n; i++) {
        older += l->files[i].mtime < c->began;
        largest = l->files[i].size > largest ? l->files[i].size : largest;
        if (l->files[i].mtime >= c->began)
            stamp = l->files[i].stamp;
    }
    if (limit)
        usual_limit = strtoull(limit, NULL, 10);
    if (older && *stamp && !same_stamp(l, c->began, stamp))
        e->cause = JW_COMPILE_DRIVER;
    else if (usual_limit && l->index.total + largest > usual_limit)
        e->cause = JW_COMPILE_FULL;
    else
        e->cause = JW_COMPILE_COLD;
}

static void count_entries(const struct jw_cache_listing *l, const struct compiling *c,
                          struct jw_compile_event *e)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_cache_file *f = &l->files[i];

        if (f->mtime < c->began)
            continue;
        e->entries++;
        e->bytes += f->size;
        if ((double)(f->mtime - c->began) / SECOND_NS > e->seconds)
            e->seconds = (double)(f->mtime - c->began) / SECOND_NS;
    }
}

/* Nothing was kept, although it could have been: does the driver refuse what was loaded? */
static void find_failure(struct watcher *w, struct compiling *c, struct jw_compile_event *e)
{
    if (e->entries || !e->cache || e->cause != JW_COMPILE_UNKNOWN || !w->o->why_it_fails)
        return;
    e->why = w->o->why_it_fails(w->o->about, c->libraries, c->n_libraries);
    if (e->why)
        e->cause = JW_COMPILE_FAILS;
}

/* A compiled module leaves an entry, unless the cache is too small for it. driver-fact: F92-link-opens-compiler */
static void find_link(struct watcher *w, struct compiling *c, struct jw_compile_event *e)
{
    enum { ROOMY = 256 << 20 };
    const char *limit = c->settings.limit;

    if (e->entries || !e->cache || e->cause != JW_COMPILE_UNKNOWN || !w->o->what_it_links
        || (limit && strtoull(limit, NULL, 10) < ROOMY))
        return;
    e->why = w->o->what_it_links(w->o->about, e->cache, c->libraries, c->n_libraries);
    if (e->why)
        e->cause = JW_COMPILE_LINKS;
}

static void report(struct watcher *w, struct compiling *c, bool paused)
{
    struct jw_arena a = { 0 };
    struct jw_cache_listing listing = { 0 };
    struct jw_compile_event e = event_of(c);
    struct jw_err ignored;
    bool is_earlier_alone = c->earlier && !c->shown;

    c->reported = !paused;
    e.goes_on = !paused && c->alive && now_ms() - c->busy < QUIET_MS;
    if (c->ours || (is_earlier_alone && !e.goes_on))
        return;
    w->out->working += is_earlier_alone;
    e.ended = !paused;
    e.paused = paused;
    e.running = c->alive;
    e.cpu_s = (double)((c->cpu_paused && !e.goes_on ? c->cpu_paused : c->cpu) - c->cpu_first) / 100;
    e.cause = JW_COMPILE_UNKNOWN;
    e.cache = jw_settings_cache(&c->settings, &a);
    e.setting = jw_settings_no_cache(&c->settings, &a);
    e.other_cache = e.cache && (!w->o->usual || strcmp(e.cache, w->o->usual) != 0);
    if (e.cache && !e.setting && jw_cachedir_walk(e.cache, false, NULL, &a, &listing, &ignored)) {
        count_entries(&listing, c, &e);
        if (e.entries)
            find_cause(&listing, c, w->o->limit, &e);
    }
    if (e.setting)
        e.cause = JW_COMPILE_DISABLED;
    else if (!e.entries && e.cache && jw_cache_why_unreadable(e.cache, &a))
        e.cause = JW_COMPILE_CLOSED;
    if (!is_earlier_alone) {
        find_failure(w, c, &e);
        find_link(w, c, &e);
    }
    if (e.cause == JW_COMPILE_FULL || (e.cause == JW_COMPILE_UNKNOWN && !e.entries && e.cache))
        e.setting = jw_settings_small_cache(&c->settings, &a);
    if (e.setting && e.cause == JW_COMPILE_UNKNOWN)
        e.cause = JW_COMPILE_FULL;
    w->o->seen(w->o->ctx, &e);
    jw_cache_listing_free(&listing);
    jw_arena_free(&a);
}

static void report_ended(struct watcher *w, bool all)
{
    bool waits = all;

    for (size_t i = 0; i < w->n; i++)
        waits |= !w->list[i].reported;
    if (!waits)
        return;
    jw_running_read(&w->running);
    for (size_t i = 0; i < w->n; i++) {
        struct compiling *c = &w->list[i];

        c->alive = false;
        for (size_t k = 0; k < w->running.n; k++)
            c->alive |= w->running.v[k].pid == c->is.pid && w->running.v[k].began == c->is.began
                        && !w->running.v[k].ended;
        if (!c->reported && (all || !c->alive))
            report(w, c, false);
    }
}

/* A program that has been idle for a while has compiled what it needed: its total is known. */
static void report_paused(struct watcher *w)
{
    for (size_t i = 0; i < w->n; i++) {
        struct compiling *c = &w->list[i];

        if (c->ours || c->reported || !c->alive || is_waited_for(c) || now_ms() - c->sampled < TICK_MS)
            continue;
        sample(c);
        if (c->paused || now_ms() - c->busy < QUIET_MS)
            continue;
        c->paused = true;
        c->cpu_paused = c->cpu;
        report(w, c, true);
    }
}

/* ---- from beginning to end ---- */

/* Finds who opened the compiler just now, or lately. */
static void look_for_who_opened(struct watcher *w, bool opened)
{
    unsigned found = !opened && w->unfound ? look(w, false) : 0;

    for (unsigned i = 0; opened && !found && i < TRIES; i++) {
        found = look(w, false);
        if (!found)
            jw_time_sleep_ms(1u << i);
    }
    if (opened) {
        w->unfound++;
        w->look_until = now_ms() + MAPPED_MS;
    }
    w->unfound -= jw_min(w->unfound, found);
    if (now_ms() >= w->look_until) {
        w->out->unseen += w->unfound;
        w->unfound = 0;
    }
}

static void watch(struct watcher *w, struct jw_open_watch *open_watch)
{
    uint64_t began = jw_time_monotonic_ns(),
             end = w->o->seconds ? began + w->o->seconds * (uint64_t)SECOND_NS : UINT64_MAX;

    w->next = jw_time_unix_ns() - CLOCK_STEP_NS;
    while (!jw_interrupted(w->o->interrupted) && jw_time_monotonic_ns() < end) {
        struct jw_opened opened;

        if (!w->unfound)
            w->since = w->next;
        w->next = jw_time_unix_ns() - CLOCK_STEP_NS;
        jw_open_watch_next(open_watch, TICK_MS, &opened);
        w->out->lost |= opened.lost;
        look_for_who_opened(w, opened.file[0]);
        look_at_earlier(w, false);
        report_ended(w, false);
        report_paused(w);
    }
    w->out->unseen += w->unfound;
    look_at_earlier(w, true);
    report_ended(w, true);
    w->out->seconds = (double)(jw_time_monotonic_ns() - began) / SECOND_NS;
}

bool jw_compile_watch(const struct jw_compile_watch *o, struct jw_compile_watch_report *out,
                      struct jw_err *err)
{
    struct watcher w = { .o = o, .out = out, .text = JW_BUF(JW_MAX_TEXT_FILE) };
    struct jw_open_watch *open_watch = NULL;
    struct jw_arena a = { 0 };

    *out = (struct jw_compile_watch_report){ 0 };
    bool ok = jw_watched_files(o->library, o->compiler, &a, &w.files, err)
              && jw_open_watch_start(&open_watch, &w.files.compiler, 1, err);

    if (ok) {
        w.since = jw_time_unix_ns();
        (void)look(&w, true);
        o->began(o->ctx);
        watch(&w, open_watch);
    }
    jw_open_watch_free(open_watch);
    for (size_t i = 0; i < w.n; i++)
        jw_arena_free(&w.list[i].a);
    jw_free(w.list);
    jw_running_free(&w.running);
    jw_buf_free(&w.text);
    jw_arena_free(&a);
    return ok;
}
