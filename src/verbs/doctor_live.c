/* doctor --watch: a line for each program that makes the driver compile or link, as it happens, and a summary. */
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "doctor/doctor_watch.h"
#include "driver/worker/worker.h"
#include "facts/env_defaults.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "session/lines.h"
#include "software/find/discover.h"
#include "verbs/doctor.h"

#include <limits.h>
#include <string.h>

enum { JW_LIVE_GPUS = 16 };

/* A command to be primed. */
struct advised {
    const char *prime; /* NULL: none */
    const char *const *words;
    const char *folder;
};

struct live {
    struct cli *cli;
    const struct jw_compile_watch *o;
    uint64_t began;
    uint64_t causes[JW_COMPILE_CAUSES]; /* programs that ended, by why the driver compiled for them */
    struct advised prime;               /* the first to be primed */
    const char *setting;                /* of the first that keeps nothing */
    struct advised setting_prime;
    unsigned long paused_pid; /* the last that had compiled what it needed, and what it had left */
    uint64_t paused_entries;
    const char *driver; /* its version; NULL: unknown */
    struct jw_gpu gpus[JW_LIVE_GPUS];
    size_t n_gpus;
};

/* ---- a line for each event ---- */

static void write_event(struct live *l, const struct jw_compile_event *e)
{
    struct jw_err ignored = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_output_sink(&l->cli->out), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "event", e->ended ? "ended" : e->paused ? "paused" : "began");
    jw_json_number(&j, "when", (uint64_t)e->when);
    jw_json_number(&j, "pid", e->pid);
    jw_json_text(&j, "name", e->name);
    jw_json_text(&j, "command", e->command);
    if (e->ended || e->paused) {
        jw_json_bool(&j, "running", e->running);
        jw_json_bool(&j, "goes_on", e->goes_on);
        jw_json_bool(&j, "earlier", e->earlier);
        jw_json_real(&j, "processor_seconds", e->cpu_s);
        if (e->seconds < 0)
            jw_json_null(&j, "seconds");
        else
            jw_json_real(&j, "seconds", e->seconds);
        jw_json_number(&j, "new_entries", e->entries);
        jw_json_number(&j, "new_bytes", e->bytes);
        jw_json_text(&j, "cache", e->cache);
        jw_json_bool(&j, "other_cache", e->other_cache);
        jw_json_text(&j, "cause", jw_compile_cause_name(e->cause));
        jw_json_text(&j, "setting", e->setting);
        jw_json_text(&j, "why", e->why);
    }
    jw_json_close(&j);
    (void)jw_json_end(&j);
}

static void say_cause(struct jw_buf *out, const struct jw_compile_event *e)
{
    switch (e->cause) {
    case JW_COMPILE_COLD: jw_say(out, "; it was not in the cache"); break;
    case JW_COMPILE_FULL:
        if (e->setting)
            jw_say(out, "; %s is too small for it, so each start compiles", e->setting);
        else
            jw_say(out, "; the cache is full, so older entries are removed each time");
        break;
    case JW_COMPILE_DRIVER: jw_say(out, "; the cache has entries of another driver alone"); break;
    case JW_COMPILE_DISABLED:
        jw_say(out, "; nothing is kept (%s), so each start compiles", e->setting);
        break;
    case JW_COMPILE_CLOSED:
        jw_say(out, "; it cannot write to %s/index, so each start compiles", e->cache);
        break;
    case JW_COMPILE_FAILS: jw_say(out, ": compiling fails: %s", e->why); break;
    case JW_COMPILE_LINKS:
        jw_say(out, "; it links while it starts (%s of processor time), compiles nothing: %s",
               JW_TENTHS(e->cpu_s), e->why);
        break;
    default:
        jw_say(out, "; it links code while it runs, keeps it where jitwarm does not look, or compiling "
                    "failed, which its own "
                    "output says (jitwarm doctor --log FILE)");
        break;
    }
}

static void say_event(struct live *l, const struct jw_compile_event *e)
{
    struct jw_buf line = JW_BUF(2 * JW_MAX_COMMAND);
    double at = (double)(jw_time_monotonic_ns() - l->began) / 1e9;

    jw_say(&line, "%s  %s (PID %lu) ", JW_CLOCK(at), e->name, e->pid);
    if (!e->ended && !e->paused) {
        jw_say(&line, "makes the driver compile or link%s: %s", e->earlier ? ", since before this watch" : "",
               e->command);
    } else if (e->goes_on && e->earlier && !e->entries) {
        jw_say(&line,
               "had the driver's compiler loaded before this watch and is at work (%s of processor time), "
               "without a new entry%s%s: it compiles something large, or does something else: %s",
               JW_TOOK(e->cpu_s), e->setting ? ", for nothing is kept: " : "", e->setting ? e->setting : "",
               e->command);
    } else if (e->goes_on) { /* what there is so far is no total */
        jw_say(&line, "goes on: %s (%s) so far, %s of processor time",
               JW_N(e->entries, "new entry", "new entries"), JW_SIZE(e->bytes), JW_TOOK(e->cpu_s));
    } else {
        jw_say(&line, "%s ",
               e->paused    ? "has compiled, and left"
               : e->running ? "has left"
                            : "ended and left");
        if (e->entries)
            jw_say(&line, "%s (%s) in %s, with %s of processor time",
                   JW_N(e->entries, "new entry", "new entries"), JW_SIZE(e->bytes), e->cache,
                   JW_TOOK(e->cpu_s));
        else
            jw_say(&line, "no new entry");
        say_cause(&line, e);
    }
    jw_output_printf(&l->cli->out, "%s\n", jw_buf_cstr(&line));
    jw_buf_free(&line);
}

/* Software of which it is reported that compiling its PTX fails on this GPU. */
static const char *known_to_fail(const struct live *l, const char *library, struct jw_discovery *d,
                                 struct jw_arena *a)
{
    const struct jw_package owner = jw_discovery_owner(d, library);
    const enum jw_build_system system = jw_build_system_here(jw_os_is_windows(), jw_os_arch());
    struct jw_software s = { .product = JW_NO_PRODUCT };
    struct jw_report r;

    if (!owner.name || !owner.version)
        return NULL;
    const struct jw_release release = jw_release_of(owner.name, owner.version);

    jw_software_look_up(&release, system, a, &s);
    for (size_t i = 0; s.product != JW_NO_PRODUCT && i < l->n_gpus; i++)
        if (jw_framework_report(s.product, s.number, system, s.framework ? s.framework->cuda : 0,
                                l->gpus[i].sm, JW_REPORT_FAILS, &r))
            return jw_arena_printf(a, "that is known of %s %s on sm_%u (%s)", owner.name, owner.version,
                                   (unsigned)l->gpus[i].sm, r.text);
    return NULL;
}

static struct jw_scan_options scan_of(const struct live *l, const char *const *libraries, size_t n)
{
    struct jw_scan_root *roots = jw_arena_alloc(l->cli->arena, (n + 1) * sizeof *roots);
    struct jw_scan_options o = jw_session_scan(&l->cli->session);

    for (size_t i = 0; i < n; i++)
        roots[i] = (struct jw_scan_root){ libraries[i], 0, false };
    o.roots = roots;
    o.n_roots = n;
    o.gpus = l->gpus;
    o.n_gpus = l->n_gpus;
    o.driver = l->driver;
    return o;
}

static const char *why_it_fails(void *ctx, const char *const *libraries, size_t n)
{
    struct live *l = ctx;
    struct jw_arena *a = l->cli->arena;
    struct jw_scan_options o = scan_of(l, libraries, n);
    struct jw_scan_report report = { 0 };
    const char *why = NULL;
    struct jw_err ignored = { 0 };
    struct jw_discovery d;

    o.samples = true;
    if (n && l->n_gpus && jw_scan(&o, &report, &ignored))
        for (size_t i = 0; i < report.n_files && !why; i++)
            for (size_t k = 0; k < report.files[i].n_verdicts && !why; k++) {
                const struct jw_scan_verdict *v = &report.files[i].verdicts[k];

                if (v->blocked)
                    why = jw_arena_printf(a, "PTX %u.%u of %s is newer than driver %s reads (error 222)",
                                          v->isa_major, v->isa_minor, report.files[i].path,
                                          l->driver ? l->driver : "here");
            }
    jw_scan_free(&report);
    jw_discovery_init(&d, a);
    for (size_t i = 0; i < n && !why; i++)
        why = known_to_fail(l, libraries[i], &d, a);
    return why;
}

/* By the names of entries, as scan knows what is warm: the driver that made the cache must be known. */
static const char *what_it_links(void *ctx, const char *root, const char *const *libraries, size_t n)
{
    struct live *l = ctx;
    struct jw_arena *a = l->cli->arena;
    struct jw_scan_options o = scan_of(l, libraries, n);
    struct jw_cache_listing listing = { 0 };
    struct jw_scan_report report = { 0 };
    struct jw_scan_cache cache = { 0 };
    const struct jw_driver_state *known;
    struct jw_err ignored = { 0 };
    const char *found = NULL;
    bool cold = false;

    if (!n || !l->n_gpus || !(known = jw_session_driver_file(&l->cli->session)->known)
        || known->level < JW_LEVEL_PREDICTABLE
        || !jw_cachedir_walk(root, false, l->cli->session.interrupted, a, &listing, &ignored))
        return NULL;
    jw_cache_names_of_stamp(&listing, root, known->stamp, a, &cache);
    cache.driver = known->version;
    o.cache = &cache;
    cold = !cache.n || !jw_scan(&o, &report, &ignored) || report.n_skipped;
    for (size_t i = 0; i < report.n_files; i++)
        for (size_t k = 0; k < report.files[i].n_verdicts; k++) {
            const struct jw_scan_verdict *v = &report.files[i].verdicts[k];

            cold |= v->jit || v->blocked || v->unknown || v->inputs_lto || report.files[i].n_problems
                    || report.files[i].ptx_pieces;
            if (v->links && !found)
                found = jw_arena_str(a, report.files[i].path);
        }
    jw_scan_free(&report);
    jw_cache_listing_free(&listing);
    return cold ? NULL : found;
}

static bool can_be_given(const struct advised *d)
{
    return d->prime && jw_compile_can_start_again(d->words, d->folder);
}

/* The first that can be given again. */
static void advise(struct jw_arena *a, struct advised *d, const struct jw_compile_event *e)
{
    const char **words;
    size_t n = 0;

    if (can_be_given(d) || !e->prime || !e->words)
        return;
    while (e->words[n])
        n++;
    words = jw_arena_alloc(a, (n + 1) * sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = jw_arena_str(a, e->words[i]);
    words[n] = NULL;
    *d = (struct advised){ jw_arena_str(a, e->prime), words, e->folder ? jw_arena_str(a, e->folder) : NULL };
}

static void on_event(void *ctx, const struct jw_compile_event *e)
{
    struct live *l = ctx;
    bool again = e->ended && !e->goes_on && l->paused_pid == e->pid && l->paused_entries == e->entries;

    if (e->paused) {
        l->paused_pid = e->pid;
        l->paused_entries = e->entries;
    }

    if (e->ended) {
        l->causes[e->cause]++;
        if (e->cause == JW_COMPILE_COLD || e->cause == JW_COMPILE_DRIVER)
            advise(l->cli->arena, &l->prime, e);
        if (!l->setting && e->setting) {
            l->setting = jw_arena_str(l->cli->arena, e->setting);
            advise(l->cli->arena, &l->setting_prime, e);
        }
    }
    if (l->cli->common.json)
        write_event(l, e);
    else if (!again) /* its end adds nothing */
        say_event(l, e);
    jw_output_flush(&l->cli->out);
}

/* ---- the summary ---- */

static void say(struct jw_output *out, const char *fmt, ...) JW_PRINTF(2, 3);

/* A sentence in lines of its own; in one, where no width is known. */
static void say(struct jw_output *out, const char *fmt, ...)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE), lines = JW_BUF(JW_MAX_LINE * 4);
    va_list args;

    va_start(args, fmt);
    jw_say_args(&text, fmt, args);
    va_end(args);
    jw_help_wrap(&lines, jw_buf_cstr(&text), 0, 0, out->columns ? out->width : text.n + 1);
    jw_output_text(out, jw_buf_cstr(&lines));
    jw_buf_free(&text);
    jw_buf_free(&lines);
}

/* What keeps a program from the cache comes before what fills it. NULL: no command helps. */
static const char *todo_of(const struct live *l)
{
    struct jw_arena *a = l->cli->arena;

    if (l->setting)
        return can_be_given(&l->setting_prime)
                   ? jw_line_in(l->setting_prime.folder,
                                jw_arena_printf(a, "env -u %.*s %s", (int)strcspn(l->setting, "="),
                                                l->setting, l->setting_prime.prime),
                                a)
                   : NULL;
    if (l->causes[JW_COMPILE_FULL])
        return jw_line_limit(&l->cli->session, jw_cache_limits().max, NULL, a);
    if (l->causes[JW_COMPILE_CLOSED] || l->causes[JW_COMPILE_FAILS])
        return "jitwarm doctor";
    return can_be_given(&l->prime) ? jw_line_in(l->prime.folder, l->prime.prime, a) : NULL;
}

static void say_todo(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_output *out = &l->cli->out;
    const char *todo = todo_of(l);

    if (!todo && r->working && !r->programs)
        todo = "jitwarm doctor --watch   # a compile shows when it leaves its next entry; Ctrl-C ends this";

    if (l->causes[JW_COMPILE_FAILS])
        say(out, "jitwarm doctor says which driver or which build it needs.");
    if (l->causes[JW_COMPILE_CLOSED])
        say(out, "jitwarm doctor says how the cache becomes writable.");
    if (l->causes[JW_COMPILE_FULL])
        say(out, "The cache is full: a higher limit keeps what is compiled.");
    if (l->setting)
        say(out, "Remove %s where the program gets it%s", l->setting,
            todo ? "; this compiles it without:" : ".");
    if (todo)
        jw_output_printf(out, "To do     %s\n", todo);
}

static void say_summary(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_output *out = &l->cli->out;

    uint64_t links = l->causes[JW_COMPILE_LINKS], compiled = r->programs - jw_min(links, r->programs);

    if (links)
        say(out, "In %s the driver linked for %s, and compiled nothing for %s.", JW_TOOK(r->seconds),
            JW_N(links, "program", "programs"), links == 1 ? "it" : "them");
    if (compiled)
        say(out, "In %s the driver compiled for %s.", JW_TOOK(r->seconds),
            JW_N(compiled, "program", "programs"));
    else if (!links)
        say(out, "In %s the driver compiled for no program that could be seen%s.", JW_TOOK(r->seconds),
            r->working ? JW_PHRASE("; of %s it is not known", JW_N(r->working, "program", "programs")) : "");
    if (r->unseen)
        say(out, "Its compiler was opened %s by a process of another user, or one that had ended.",
            JW_N(r->unseen, "time", "times"));
    if (r->lost)
        say(out, "The system dropped events, or the driver was replaced: there may have been more.");
    say_todo(l, r);
}

static void write_summary(const struct live *l, const struct jw_compile_watch_report *r)
{
    struct jw_err ignored = { 0 };
    struct jw_json j;

    jw_json_begin(&j, jw_output_sink(&l->cli->out), false, &ignored);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "event", "summary");
    jw_json_real(&j, "seconds", r->seconds);
    jw_json_number(&j, "programs", r->programs);
    jw_json_number(&j, "working", r->working);
    jw_json_number(&j, "unseen", r->unseen);
    jw_json_bool(&j, "lost", r->lost);
    jw_json_close(&j);
    (void)jw_json_end(&j);
}

/* ---- what is watched ---- */

static const char *driver_library(struct cli *cli, struct live *l, struct jw_err *err)
{
    struct jw_worker_options o = jw_session_worker(&cli->session);
    struct jw_worker *w = NULL;
    const char *library = NULL;

    o.inherit = o.asks = true;
    if (!jw_worker_start(&w, &o, err))
        return NULL;
    const struct jw_device *devices = jw_worker_devices(w, &l->n_gpus);

    l->n_gpus = l->n_gpus < JW_LIVE_GPUS ? l->n_gpus : JW_LIVE_GPUS;
    for (size_t i = 0; i < l->n_gpus; i++)
        l->gpus[i] = (struct jw_gpu){ .sm = (uint16_t)devices[i].sm, .source = JW_GPU_HERE };
    if (jw_worker_driver(w)->version)
        l->driver = jw_arena_str(cli->arena, jw_worker_driver(w)->version);
    if (jw_worker_driver(w)->library)
        library = jw_arena_str(cli->arena, jw_worker_driver(w)->library);
    jw_worker_stop(w);
    if (!library)
        (void)jw_fail(err, JW_E_DRIVER, "no CUDA driver was found");
    return library;
}

static void on_begun(void *ctx)
{
    struct live *l = ctx;

    l->began = jw_time_monotonic_ns();
    jw_messages_say(&l->cli->messages, "watching %s%s", l->o->library, l->o->seconds ? "" : " until Ctrl-C");
}

int doctor_live(struct cli *cli, unsigned seconds)
{
    struct live l = { .cli = cli };
    const struct jw_cachedir *dir = jw_session_cache(&cli->session);
    struct jw_compile_watch_report report;
    struct jw_err err = { 0 };
    struct jw_compile_watch o = { .library = driver_library(cli, &l, &err),
                                  .limit = dir->limit,
                                  .seconds = seconds == UINT_MAX ? 0 : seconds,
                                  .interrupted = cli->session.interrupted,
                                  .began = on_begun,
                                  .seen = on_event,
                                  .why_it_fails = why_it_fails,
                                  .what_it_links = what_it_links,
                                  .ctx = &l };

    struct jw_compiler_file compiler;

    if (!o.library)
        return jw_cli_fail(cli, &err);
    jw_compiler_file_of(o.library, NULL, cli->arena, &compiler);
    o.compiler = compiler.path;
    if (!dir->root || !jw_real_path(dir->root, cli->arena, &o.usual, &err))
        o.usual = dir->root;
    l.o = &o;
    if (!jw_compile_watch(&o, &report, &err))
        return jw_cli_fail(cli, &err);
    if (cli->common.json)
        write_summary(&l, &report);
    else
        say_summary(&l, &report);
    return report.programs > l.causes[JW_COMPILE_LINKS] ? EXIT_PARTLY : EXIT_DONE;
}
