#include "session/login_start.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/trace.h"
#include "driver/probe/compiler_file.h"
#include "driver/probe/preloaded.h"
#include "facts/compilers.h"
#include "facts/env_defaults.h"
#include "machine/gpu_text.h"
#include "machine/listing.h"
#include "machine/settings.h"
#include "machine/shell.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "session/blocker.h"

#include <string.h>

static const char path_name[] = "CUDA_CACHE_PATH", visible_name[] = "CUDA_VISIBLE_DEVICES",
                  libraries_name[] = "LD_LIBRARY_PATH", preload_name[] = "LD_PRELOAD";

/* jitwarm env writes a file that is read before a terminal's files, and that is not read at all behind a line that
 * replaces the shell. */
static bool is_behind_env(const struct jw_env_difference *d)
{
    return d->terminal_only || d->replaced;
}

/* sed of the file that sets it, or NULL. `script`: without its quotes. */
static const char *edit_file(const struct jw_env_difference *d, bool root, const char *script,
                             struct jw_arena *a)
{
    const char *file = d->file ? d->file : d->origin;

    return file && *file == '/' ? jw_arena_printf(a, "%ssed -i.bak '%s' %s",
                                                  jw_text_starts(file, "/etc/") && !root ? "sudo " : "",
                                                  script, JW_COMMAND(a, false, file))
                                : NULL;
}

const char *jw_login_raise_limit(const struct jw_env_difference *d, uint64_t limit, bool windows, bool root,
                                 struct jw_arena *a)
{
    const char *edit =
        is_behind_env(d) && !windows ? edit_file(
            d, root,
            jw_arena_printf(a, "s/^\\([^#]*%s=\\)[^ ;]*/\\1%llu/", d->name, (unsigned long long)limit), a)
                                     : NULL;

    return edit ? edit : jw_arena_printf(a, "jitwarm env apply --max-size %llu", (unsigned long long)limit);
}

const char *jw_login_take_out(const struct jw_env_difference *d, bool windows, bool root, struct jw_arena *a)
{
    if (strcmp(d->name, "CUDA_CACHE_DISABLE") == 0 && !is_behind_env(d))
        return "jitwarm env apply";
    if (windows)
        return jw_arena_printf(a, "reg delete HKCU\\Environment /f /v %s", d->name);
    const struct jw_setting *setting = jw_setting_find(d->name);
    bool on_off = setting && setting->on_off;

    /* A switch is turned off in its line: without the line, an if around it would be an error of the shell's. */
    return edit_file(
        d, root, jw_arena_printf(a, on_off ? "s/^\\([^#]*%s=\\)[^ ;]*/\\10/" : "/^[^#]*%s=/d", d->name), a);
}

/* "CUDA_CACHE_DISABLE=1 is set there, by /home/ada/.profile" */
static const char *how_set(const struct jw_env_difference *d, struct jw_arena *a)
{
    const char *by = d->file ? d->file : d->origin;

    return jw_arena_printf(a, "%s=%.100s is set there%s%.200s", d->name, d->login, by ? ", by " : "",
                           by ? by : "");
}

static struct jw_login_start of_cache(const struct jw_env_difference *d, struct jw_arena *a)
{
    const char *root = d->login, *here = d->current, *why;
    bool of_path = strcmp(d->name, path_name) == 0;

    if (of_path && root && !*root)
        return (struct jw_login_start){ .is = JW_LOGIN_COMPILES,
                                        .what = jw_arena_printf(
                                            a, "programs of %s use no cache, and compile at every start: %s",
                                            jw_login_name(d->terminal_only), how_set(d, a)) };
    if (of_path && root && !jw_path_absolute(root))
        return (struct jw_login_start){
            .is = JW_LOGIN_COMPILES,
            .what =
                jw_arena_printf(a, "programs of %s have another cache in each working folder, or none: %s",
                                jw_login_name(d->terminal_only), how_set(d, a))
        };
    if (of_path && !root)
        root = jw_cachedir_default(a, &why);
    if (of_path && !here)
        here = jw_cachedir_default(a, &why);
    if (root && here && jw_is_same_folder(root, here)) /* the driver's own place, by a name */
        return (struct jw_login_start){ 0 };
    why = of_path && root ? jw_why_unwritable(root, a) : NULL;
    if (why && d->login)
        return (struct jw_login_start){
            .is = JW_LOGIN_COMPILES,
            .what = jw_arena_printf(a,
                                    "programs of %s keep nothing, and compile at every start: their cache is "
                                    "%.200s: %s",
                                    jw_login_name(d->terminal_only), root, why)
        };
    if (why) /* a cache that is named because the home cannot have one is for programs of this shell */
        return (struct jw_login_start){ .is = JW_LOGIN_KEEPS_NOTHING,
                                        .what = jw_arena_printf(
                                            a, "programs of %s keep nothing: their cache is %.200s: %s",
                                            jw_login_name(d->terminal_only), root, why) };
    return (struct jw_login_start){
        .is = JW_LOGIN_OTHER_CACHE,
        .what = d->login ? jw_arena_printf(a, "programs of %s use another cache: %s is %.200s there",
                                           jw_login_name(d->terminal_only), d->name, d->login)
                         : jw_arena_printf(a, "programs of %s use another cache: %s is not set there",
                                           jw_login_name(d->terminal_only), d->name),
        .command = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), d->name, d->login)
    };
}

static struct jw_login_start of_difference(const struct jw_env_difference *d, struct jw_arena *a)
{
    const struct jw_setting *s = jw_setting_find(d->name);

    if (!s || !(s->on_off || s->place))
        return (struct jw_login_start){ 0 };
    if (!s->on_off)
        return of_cache(d, a);
    if (!jw_setting_same(s, d->login, "1"))
        return (struct jw_login_start){ 0 }; /* this environment is the worse one, and says so */
    if (jw_text_starts(d->name, "CUDA_DISABLE_"))
        return (struct jw_login_start){
            .is = JW_LOGIN_FAILS,
            .what = jw_arena_printf(a,
                                    "programs of %s cannot compile, and fail where neither they nor the "
                                    "cache have machine code for the GPU: %s",
                                    jw_login_name(d->terminal_only), how_set(d, a))
        };
    return (struct jw_login_start){ .is = JW_LOGIN_COMPILES,
                                    .what = jw_arena_printf(a, "programs of %s %scompile at every start: %s",
                                                            jw_login_name(d->terminal_only),
                                                            s->place ? "use no cache, and " : "",
                                                            how_set(d, a)) };
}

/* Ends what silences it, or shows that. NULL: there is no such command. */
static const char *against_silence(const struct jw_login_env *login, struct jw_arena *a)
{
    const struct jw_start_line *at = &login->silent_at;

    if (at->file && at->returns)
        return JW_COMMAND(a, false, "sed", "-i.bak", jw_arena_printf(a, "%us/exit/return/", at->number),
                          at->file);
    if (at->file)
        return JW_COMMAND(a, false, "sed", "-n", jw_arena_printf(a, "%up", at->number), at->file);
    return at->shell ? jw_arena_printf(a, "timeout 20 %s -%cxc true </dev/null 2>&1 | tail -n 5",
                                       JW_COMMAND(a, false, at->shell),
                                       login->silent == JW_SILENT_LOGIN ? 'l' : 'i')
                     : NULL;
}

/* The libcuda of programs that are started with this LD_LIBRARY_PATH; NULL: none is found. The loader's cache is read
 * once. */
static const char *driver_with(const char *folders, struct jw_bytes *loader_cache, struct jw_arena *a)
{
    struct jw_trace search = { .a = a, .loader_cache = *loader_cache };
    const char *path, *real;
    struct jw_err ignored;

    if (!jw_trace_loader(&search, JW_LIBCUDA_FILE, folders, &ignored))
        return NULL;
    *loader_cache = search.loader_cache;
    path = jw_loader_takes(&search, JW_LIBCUDA_FILE);
    return path && jw_real_path(path, a, &real, &ignored) ? real : path;
}

/* Programs do not load a driver that JITWARM_DRIVER names: it was asked about alone. */
static bool is_another_named(const char *here, struct jw_arena *a)
{
    const char *named = jw_env(a, "JITWARM_DRIVER"), *real;
    struct jw_err ignored;

    return named && *named && here && !(jw_real_path(named, a, &real, &ignored) && strcmp(real, here) == 0);
}

/* Another driver has other entries in the same cache, and only that driver knows which are warm. A simulated
 * driver is of this shell alone. */
static struct jw_login_start of_driver(const struct jw_login_env *login, struct jw_arena *a)
{
    const char *now = jw_env(a, libraries_name), *at_login = jw_env_set_value(&login->sets, libraries_name),
               *in_terminal = jw_env_set_value(&login->terminal, libraries_name);
    bool simulated = jw_env_has("SIMCUDA_GPUS"),
         as_in_terminal = login->terminal_known && jw_text_same(now, in_terminal);
    struct jw_bytes loader_cache = { 0 };
    const char *here, *there, *terminal;

    if (jw_os_is_windows() || !login->known || as_in_terminal
        || (!login->terminal_known && jw_text_same(now, at_login))
        || (simulated && !at_login && !in_terminal))
        return (struct jw_login_start){ 0 };
    here = driver_with(now, &loader_cache, a);
    if (is_another_named(here, a))
        return (struct jw_login_start){ 0 };
    terminal = login->terminal_known ? driver_with(in_terminal, &loader_cache, a) : NULL;
    if (!here || (terminal && strcmp(here, terminal) == 0))
        return (struct jw_login_start){ 0 };
    there = driver_with(at_login, &loader_cache, a);
    bool of_terminal = !there || strcmp(here, there) == 0;

    there = of_terminal ? terminal : there;
    if (!there || (simulated && !(of_terminal ? in_terminal : at_login)))
        return (struct jw_login_start){ 0 };
    return (struct jw_login_start){
        .is = JW_LOGIN_OTHER_DRIVER,
        .what = jw_arena_printf(a,
                                "what is warm for programs of %s is not known: they load another driver, "
                                "%.300s, by their LD_LIBRARY_PATH",
                                jw_login_name(of_terminal), there),
        .command = jw_shell_then(
            a, false,
            jw_shell_set(a, false, jw_shell_here(a), libraries_name, of_terminal ? in_terminal : at_login),
            "jitwarm prime")
    };
}

bool jw_login_trace_driver(const struct jw_login_env *login, struct jw_trace *t, struct jw_err *err)
{
    const char *here = jw_env(t->a, libraries_name),
               *there[] = { login->known ? jw_env_set_value(&login->sets, libraries_name) : here,
                            login->terminal_known ? jw_env_set_value(&login->terminal, libraries_name)
                                                  : here };
    bool ok = true;

    for (size_t i = 0; ok && !jw_os_is_windows() && i < JW_COUNT(there); i++)
        if (!jw_text_same(here, there[i]))
            ok = jw_trace_loader(t, JW_LIBCUDA_FILE, there[i], err);
    return ok;
}

/* An auditor may have the loader take any library in place of another one. */
static const char *stands_before_driver(const char *name, const char *value, struct jw_arena *a)
{
    const char *here = jw_env(a, name);

    if (name == preload_name)
        return jw_preloaded_before_driver(value, here, a);
    return value && *value && !jw_text_same(value, here) ? value : NULL;
}

/* It may be another driver, or have code of its own compiled. */
static struct jw_login_start of_library(const char *name, const struct jw_login_env *login, bool root,
                                        struct jw_arena *a)
{
    const char *at_login, *in_terminal;
    struct jw_env_difference d;

    if (jw_os_is_windows() || !login->known)
        return (struct jw_login_start){ 0 };
    at_login = stands_before_driver(name, jw_env_set_value(&login->sets, name), a);
    in_terminal = stands_before_driver(name, jw_env_set_value(&login->terminal, name), a);
    if (login->terminal_known ? !in_terminal : !at_login)
        return (struct jw_login_start){ 0 };
    jw_login_difference(login, name, !at_login, a, &d);
    return (struct jw_login_start){ .is = JW_LOGIN_PRELOADS,
                                    .what = jw_arena_printf(
                                        a,
                                        "what is warm for programs of %s is not known: their %s has %.300s, "
                                        "and they reach the driver through it",
                                        jw_login_name(!at_login), name, at_login ? at_login : in_terminal),
                                    .command = jw_login_take_out(&d, false, root, a) };
}

struct jw_login_start jw_login_start_of(const struct jw_login_env *login, const struct jw_env_difference *v,
                                        size_t n, bool root, struct jw_arena *a)
{
    struct jw_login_start worst = of_driver(login, a);

    if (!worst.is)
        worst = of_library(preload_name, login, root, a);
    if (!worst.is)
        worst = of_library("LD_AUDIT", login, root, a);
    if (login->silent)
        worst = (struct jw_login_start){
            .is = JW_LOGIN_UNKNOWN,
            .what = jw_arena_printf(a, "how programs of %s start is not known: %s",
                                    jw_login_name(login->silent == JW_SILENT_TERMINAL), login->why_silent),
            .command = against_silence(login, a)
        };

    for (size_t i = 0; i < n; i++) {
        struct jw_login_start one = { 0 };

        if (!v[i].terminal_agrees)
            one = of_difference(&v[i], a);
        if (jw_login_spoils(&one))
            one.command = jw_login_take_out(&v[i], jw_os_is_windows(), root, a);
        one.by = &v[i];
        if (one.is > worst.is)
            worst = one;
    }
    return worst;
}

bool jw_session_login_start(struct jw_session *s, const char *cache, struct jw_login_start *out,
                            struct jw_err *err)
{
    const struct jw_login_env *login;
    struct jw_env_difference *v;
    size_t n;

    *out = (struct jw_login_start){ 0 };
    if (cache || jw_session_surroundings(s)->container)
        return true;
    if (!jw_session_login(s, &login, err))
        return false;
    jw_login_compare(login, s->a, &v, &n);
    *out = jw_login_start_of(login, v, n, jw_session_is_root(s), s->a);
    return true;
}

/* ---- its limit ---- */

static void take_limit(const char *value, const char *driver, bool terminal, struct jw_cache_limit *l)
{
    uint64_t limit = jw_cache_limit_read(value, driver);

    if (value || limit)
        jw_cache_limit_of_login(l, limit, terminal);
}

void jw_login_limit(const struct jw_login_env *login, const char *driver, struct jw_arena *a,
                    struct jw_cache_limit *l)
{
    static const char name[] = "CUDA_CACHE_MAXSIZE";
    const char *terminal = login->terminal_known ? jw_env_set_value(&login->terminal, name) : NULL;

    if (terminal && jw_text_same(terminal, jw_env(a, name)))
        return;
    take_limit(jw_env_set_value(&login->sets, name), driver, false, l);
    if (terminal)
        take_limit(terminal, driver, true, l);
}

/* ---- its GPUs ---- */

static bool has_kind(const struct jw_device *v, size_t n, uint16_t sm)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].sm == sm)
            return true;
    return false;
}

static void take_hidden(struct jw_session *s, const struct jw_device *shown, size_t n,
                        struct jw_login_gpus *out)
{
    out->v = jw_arena_alloc(s->a, (n + 1) * sizeof *out->v);
    for (size_t i = 0; i < n; i++) {
        struct jw_device *g = &out->v[out->n];

        if (!shown[i].sm || has_kind(s->probe->devices, s->probe->n_devices, shown[i].sm)
            || has_kind(out->v, out->n, shown[i].sm))
            continue;
        *g = shown[i];
        g->index = (unsigned)(s->probe->n_devices + out->n++);
        g->hidden = true;
    }
}

/* Programs that take a GPU by its number get the same kind, whichever it is. */
static bool is_as_here(const struct jw_device *here, size_t n_here, const struct jw_device *there, size_t n)
{
    bool same = n == n_here, one_kind = n > 0;

    for (size_t i = 0; i < n; i++) {
        same = same && there[i].sm == here[i].sm;
        one_kind = one_kind && there[i].sm == here[0].sm;
    }
    for (size_t i = 0; i < n_here; i++)
        one_kind = one_kind && here[i].sm == here[0].sm;
    return same || one_kind;
}

static bool chooses_gpus(const struct jw_env_difference *d)
{
    return !d->terminal_agrees && jw_setting_is_of_gpus(d->name);
}

/* "env -u CUDA_VISIBLE_DEVICES"; for cmd "set CUDA_VISIBLE_DEVICES=". */
static const char *show_again(const char *before, const struct jw_env_difference *d, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    const char *one = windows    ? jw_shell_set(a, true, jw_shell_here(a), d->name, d->login)
                      : d->login ? JW_COMMAND(a, false, jw_arena_printf(a, "%s=%s", d->name, d->login))
                                 : jw_arena_printf(a, "-u %s", d->name);

    if (windows)
        return before ? jw_shell_then(a, true, before, one) : one;
    return jw_arena_printf(a, "%s %s", before ? before : "env", one);
}

/* Notes the other variables that choose GPUs, and the files that set them. */
static void take_choice(const struct jw_env_difference *v, size_t n, struct jw_arena *a,
                        struct jw_login_gpus *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!chooses_gpus(&v[i]))
            continue;
        const char *set = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), v[i].name, v[i].login);

        out->shown = show_again(out->shown, &v[i], a);
        out->as_there = out->by ? jw_shell_then(a, jw_os_is_windows(), out->as_there, set) : set;
        out->by = out->by ? out->by : &v[i];
    }
    if (!out->by)
        return;
    out->apart = true;
    out->how =
        out->by->login ? how_set(out->by, a) : jw_arena_printf(a, "%s is not set there", out->by->name);
}

/* The driver is started with the variables of a login that choose GPUs, and loads nothing. */
static bool ask_login_gpus(struct jw_session *s, const struct jw_env_difference *v, size_t n_v,
                           struct jw_login_gpus *out, struct jw_err *err)
{
    struct jw_worker_options o = jw_session_worker(s);
    struct jw_child_edit *edits = jw_arena_alloc(s->a, (n_v + 1) * sizeof *edits);
    struct jw_worker *w = NULL;
    struct jw_err why = { 0 };
    size_t n;

    for (size_t i = 0; i < n_v; i++)
        if (chooses_gpus(&v[i]))
            edits[o.n_edits++] = (struct jw_child_edit){ v[i].name, v[i].login };
    o.edits = edits;
    o.inherit = o.asks = true;
    if (jw_worker_start(&w, &o, &why)) {
        const struct jw_device *shown = jw_worker_devices(w, &n);

        take_hidden(s, shown, n, out);
        out->none = n == 0; /* and compile nothing */
        if (out->none || is_as_here(s->probe->devices, s->probe->n_devices, shown, n))
            out->apart = false;
    } else if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    } else {
        out->unknown = jw_arena_printf(s->a, "which GPUs %s shows programs is not known: %.300s",
                                       jw_login_name(out->by->terminal_only), why.msg);
    }
    jw_worker_stop(w);
    return true;
}

/* By its variables. A cache that is named is no login's affair. */
static bool compare_gpus(struct jw_session *s, struct jw_login_gpus *out, struct jw_env_difference **v,
                         size_t *n, struct jw_err *err)
{
    const struct jw_login_env *login;

    *out = (struct jw_login_gpus){ 0 };
    *n = 0;
    if (s->cache || jw_session_surroundings(s)->container)
        return true;
    if (!jw_session_login(s, &login, err))
        return false;
    jw_login_compare(login, s->a, v, n);
    take_choice(*v, *n, s->a, out);
    return true;
}

bool jw_session_login_gpus(struct jw_session *s, const struct jw_login_gpus **out, struct jw_err *err)
{
    struct jw_login_gpus *found;
    const struct jw_probe_report *probe;
    struct jw_env_difference *v;
    size_t n;

    *out = s->login_gpus;
    if (s->login_gpus)
        return true;
    found = jw_arena_alloc(s->a, sizeof *found);
    if (!compare_gpus(s, found, &v, &n, err) || (found->by && !jw_session_driver(s, &probe, err))
        || (found->by && probe->n_devices && !ask_login_gpus(s, v, n, found, err)))
        return false;
    *out = s->login_gpus = found;
    return true;
}

bool jw_session_login_gpus_unasked(struct jw_session *s, const struct jw_login_gpus **out, struct jw_err *err)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);
    struct jw_login_gpus *found;
    struct jw_env_difference *v;
    size_t n, same = 0;

    *out = s->login_gpus;
    if (s->login_gpus)
        return true;
    found = jw_arena_alloc(s->a, sizeof *found);
    if (!compare_gpus(s, found, &v, &n, err))
        return false;
    while (same < here->n && here->gpus[same].sm && here->gpus[same].sm == here->gpus[0].sm)
        same++;
    found->none = found->by && found->by->login && strcmp(found->by->name, visible_name) == 0
                  && jw_gpus_are_hidden(found->by->login, here->tegra ? 0 : here->n);
    if (found->none || (here->n && same == here->n))
        found->apart = false;
    *out = found;
    return true;
}
