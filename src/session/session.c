#include "session/session.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "session/login_asking.h"

#include <string.h>

struct jw_session_cache {
    const char *asked;
    struct jw_cachedir dir;
    struct jw_session_cache *next;
};

struct jw_session_memory {
    const char *cache;
    const struct jw_warm_state *state;
    struct jw_session_memory *next;
};

struct jw_session jw_session_copy(const struct jw_session *s, struct jw_arena *a)
{
    struct jw_session copy = *s;

    copy.a = a;
    copy.asking = NULL;
    copy.memories = NULL;
    copy.gpus = NULL;
    copy.drivers = NULL;
    copy.file = NULL;
    copy.machine = NULL;
    return copy;
}

struct jw_run jw_session_run(struct jw_session *s)
{
    return (struct jw_run){ .session = s, .a = s->a, .interrupted = s->interrupted };
}

struct jw_worker_options jw_session_worker(const struct jw_session *s)
{
    return (struct jw_worker_options){ .exe = s->exe, .driver = s->driver, .interrupted = s->interrupted };
}

struct jw_scan_options jw_session_scan(struct jw_session *s)
{
    struct jw_scan_options o = { .interrupted = s->interrupted };

    o.exclude = jw_session_excludes(s, &o.n_exclude);
    return o;
}

const char *jw_session_again(const struct jw_session *s, struct jw_arena *a, const char *more)
{
    bool windows = jw_os_is_windows();
    struct jw_buf line = JW_BUF_IN(a, JW_MAX_COMMAND);

    jw_buf_text(&line, "jitwarm");
    for (size_t i = 1; s->argv && s->argv[0] && s->argv[i]; i++) {
        jw_buf_text(&line, " ");
        jw_command_word(&line, s->argv[i], windows);
        if (more && s->argv[i][0] != '-') {
            jw_buf_printf(&line, " %s", more);
            more = NULL;
        }
    }
    if (more)
        jw_buf_printf(&line, " %s", more);
    return jw_arena_str(a, line.bad ? "jitwarm doctor" : jw_buf_cstr(&line));
}

const char *jw_session_sysroot(struct jw_session *s)
{
    if (!s->sysroot) {
        const char *made = jw_os_is_windows() ? NULL : jw_env(s->a, "JITWARM_SYSROOT");

        s->sysroot = made ? made : "";
    }
    return s->sysroot;
}

const struct jw_config *jw_session_config(struct jw_session *s)
{
    if (!s->config) {
        struct jw_config *config = jw_arena_alloc(s->a, sizeof *config);

        jw_config_load(s->a, config);
        s->config = config;
    }
    return s->config;
}

const struct jw_whoami *jw_session_user(struct jw_session *s)
{
    if (!s->user) {
        struct jw_whoami *user = jw_arena_alloc(s->a, sizeof *user);

        jw_whoami(jw_session_sysroot(s), s->a, user);
        s->user = user;
    }
    return s->user;
}

const struct jw_host_gpus *jw_session_gpus(struct jw_session *s)
{
    if (!s->gpus) {
        struct jw_host_gpus *gpus = jw_arena_alloc(s->a, sizeof *gpus);

        jw_host_gpus(jw_session_sysroot(s), s->a, gpus);
        s->gpus = gpus;
    }
    return s->gpus;
}

const struct jw_cachedir *jw_session_cache(struct jw_session *s)
{
    return s->dir ? s->dir : jw_session_cache_of(s, s->cache);
}

const struct jw_cachedir *jw_session_cache_of(struct jw_session *s, const char *cache)
{
    struct jw_session_cache *c = s->caches;

    while (c && (!c->asked != !cache || (cache && strcmp(c->asked, cache) != 0)))
        c = c->next;
    if (!c) {
        c = jw_arena_alloc(s->a, sizeof *c);
        c->asked = cache ? jw_arena_str(s->a, cache) : NULL;
        jw_cachedir_find(c->asked, s->a, &c->dir);
        c->next = s->caches;
        s->caches = c;
    }
    return &c->dir;
}

static struct jw_session_memory *memory_of(const struct jw_session *s, const char *cache)
{
    struct jw_session_memory *m = s->memories;

    while (m && strcmp(m->cache, cache) != 0)
        m = m->next;
    return m;
}

static const struct jw_warm_state *read_memory(struct jw_session *s, const char *cache)
{
    struct jw_warm_state *state = jw_arena_alloc(s->a, sizeof *state);

    jw_warm_load(cache, s->a, state);
    return state;
}

const struct jw_warm_state *jw_session_memory(struct jw_session *s, const char *cache)
{
    struct jw_session_memory *m = memory_of(s, cache);

    if (!m) {
        m = jw_arena_alloc(s->a, sizeof *m);
        m->cache = jw_arena_str(s->a, cache);
        m->state = read_memory(s, cache);
        m->next = s->memories;
        s->memories = m;
    }
    return m->state;
}

const struct jw_warm_state *jw_session_memory_now(struct jw_session *s, const char *cache)
{
    struct jw_session_memory *m = memory_of(s, cache);

    if (!m)
        return jw_session_memory(s, cache);
    if (!jw_warm_is_current(m->state))
        m->state = read_memory(s, cache);
    return m->state;
}

bool jw_session_lock(struct jw_session *s, const char *cache, struct jw_warm_log **log,
                     struct jw_warm_holder *holder, struct jw_err *err)
{
    const struct jw_session_memory *known = memory_of(s, cache);

    return jw_warm_open(cache, known ? known->state : NULL, log, holder, err);
}

const char *const *jw_session_excludes(struct jw_session *s, size_t *n)
{
    if (!s->excludes) {
        const struct jw_conf_list *lasting = &jw_session_config(s)->exclude;
        const char **all = jw_arena_alloc(s->a, (s->n_exclude + lasting->n + 1) * sizeof *all);

        for (size_t i = 0; i < s->n_exclude; i++)
            all[s->n_excludes++] = s->exclude[i];
        for (size_t i = 0; i < lasting->n; i++)
            all[s->n_excludes++] = lasting->v[i].value;
        s->excludes = all;
    }
    *n = s->n_excludes;
    return s->excludes;
}

struct jw_discovery *jw_session_software(struct jw_session *s, bool seldom)
{
    if (!s->software) {
        const struct jw_config *config = jw_session_config(s);
        struct jw_err no_state = { 0 };
        struct jw_discover_options o = { .roots = config->roots.v,
                                         .n_roots = config->roots.n,
                                         .programs_seldom = seldom,
                                         .memory = jw_state_path(JW_STATE_WALKS, s->a, &no_state),
                                         .everyone = s->everyone };
        struct jw_discovery *software = jw_arena_alloc(s->a, sizeof *software);

        o.exclude = jw_session_excludes(s, &o.n_exclude);
        jw_discover(&o, s->a, software);
        s->software = software;
    }
    return s->software;
}

void jw_session_shell_folders(struct jw_session *s, struct jw_arena *a, struct jw_discovery *out)
{
    struct jw_discover_options o = { 0 };

    o.exclude = jw_session_excludes(s, &o.n_exclude);
    jw_discover_shell(&o, a, out);
}

static const char *value_at_login(void *of, struct jw_arena *a, const char *name)
{
    const struct jw_login_env *login = ((const struct jw_session *)of)->login;
    const struct jw_env_value *here = jw_env_set_find(&login->sets, name),
                              *there = jw_env_set_find(&login->terminal, name);

    if (!here || !there || jw_text_same(here->value, there->value))
        return here ? here->value : there ? there->value : NULL;
    return jw_arena_printf(a, "%s%s%s", here->value, jw_os_is_windows() ? ";" : ":", there->value);
}

const struct jw_discovery *jw_session_login_folders(struct jw_session *s)
{
    struct jw_discover_options o = { .env = value_at_login, .whose = "a fresh login" };
    const struct jw_login_env *login;
    struct jw_discovery *out;
    struct jw_err ignored = { 0 };

    if (s->of_login)
        return s->of_login;
    out = jw_arena_alloc(s->a, sizeof *out);
    jw_discovery_init(out, s->a);
    o.exclude = jw_session_excludes(s, &o.n_exclude);
    if (!jw_session_surroundings(s)->container && jw_session_login(s, &login, &ignored) && login->known) {
        o.env_ctx = s;
        jw_discover_shell(&o, s->a, out);
    }
    s->of_login = out;
    return out;
}

static void add_root(struct jw_root *roots, size_t *n, const struct jw_root *root)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(roots[i].path, root->path) == 0)
            return;
    roots[(*n)++] = *root;
}

/* "=PATH" is a target that a person named. */
static void add_named(struct jw_root *roots, size_t *n, const char *target)
{
    if (*target == '=' && !jw_is_absent(target + 1))
        add_root(
            roots, n,
            &(struct jw_root){ .path = target + 1, .how = JW_ROOT_NAMED_TO_PRIME, .depth = JW_MAX_DEPTH });
}

struct jw_root *jw_session_roots(struct jw_session *s, size_t *n)
{
    const struct jw_discovery *found, *more;
    const char *cache = jw_session_cache(s)->folder;
    const struct jw_warm_state *memory = cache ? jw_session_memory(s, cache) : NULL;
    struct jw_root *roots;
    const char *const *named;
    size_t n_named = 0;

    if (!jw_session_surroundings(s)->container)
        jw_session_login_begin(s);
    found = jw_session_software(s, false);
    more = jw_session_login_folders(s);
    named = memory ? jw_warm_targets(memory, s->a, &n_named) : NULL;
    roots = jw_arena_alloc(s->a, (found->n_roots + more->n_roots + n_named + 1) * sizeof *roots);
    *n = found->n_roots;
    if (*n)
        memcpy(roots, found->roots, *n * sizeof *roots);
    for (size_t i = 0; i < more->n_roots; i++)
        add_root(roots, n, &more->roots[i]);
    for (size_t i = 0; i < n_named; i++)
        add_named(roots, n, named[i]);
    return roots;
}

const struct jw_driver_states *jw_session_drivers(struct jw_session *s)
{
    if (!s->drivers) {
        struct jw_driver_states *drivers = jw_arena_alloc(s->a, sizeof *drivers);

        jw_state_list_drivers(s->a, drivers);
        s->drivers = drivers;
    }
    return s->drivers;
}

/* If a login reads files, these are facts of a prime. Windows keeps its variables in the registry, and reading them
 * starts no shell. */
static bool add_login(struct jw_session *s, struct jw_trace *machine, struct jw_err *err)
{
    const struct jw_login_env *login;
    struct jw_buf text = JW_BUF_IN(s->a, JW_MAX_STATE);

    if (!jw_os_is_windows())
        return true;
    if (!jw_session_login(s, &login, err))
        return false;
    for (size_t i = 0; i < login->sets.n; i++)
        jw_buf_printf(&text, "%s=%s\n", login->sets.v[i].name, login->sets.v[i].value);

    return jw_buf_ok(&text, err)
           && jw_trace_answer(machine, "variables of a fresh login", jw_buf_cstr(&text), err);
}

static bool ask_machine(struct jw_session *s, struct jw_err *err)
{
    if (!s->machine) {
        struct jw_trace *machine = jw_arena_alloc(s->a, sizeof *machine);

        if (!jw_trace_machine(jw_session_sysroot(s), jw_session_gpus(s), s->a, machine, err)
            || !add_login(s, machine, err))
            return false;
        s->machine = machine;
    }
    return true;
}

const struct jw_driver_file *jw_session_driver_file(struct jw_session *s)
{
    if (!s->file) {
        struct jw_driver_file *file = jw_arena_alloc(s->a, sizeof *file);
        struct jw_err ignored = { 0 };

        *file = (struct jw_driver_file){ 0 };
        if (ask_machine(s, &ignored))
            jw_driver_file_here(s->driver, jw_session_drivers(s), s->machine, s->a, file);
        s->file = file;
    }
    return s->file;
}

const struct jw_compiler_file *jw_session_compiler(struct jw_session *s)
{
    if (s->probe)
        return &s->probe->compiler;
    if (!s->compiler) {
        const struct jw_driver_file *driver = jw_session_driver_file(s);
        struct jw_compiler_file *compiler = jw_arena_alloc(s->a, sizeof *compiler);

        jw_compiler_file_of(driver->found ? driver->library : NULL, s->machine, s->a, compiler);
        s->compiler = compiler;
    }
    return s->compiler;
}

const struct jw_driver_state *jw_session_known_driver(struct jw_session *s)
{
    const struct jw_driver_states *met = jw_session_drivers(s);
    const struct jw_driver_state *here = jw_session_driver_file(s)->known;

    return here ? here : met->n ? &met->v[0] : NULL;
}

static struct jw_listings *listings_of(struct jw_session *s)
{
    if (!s->listings) {
        s->listings = jw_arena_alloc(s->a, sizeof *s->listings);
        *s->listings = (struct jw_listings){ .a = s->a };
    }
    return s->listings;
}

bool jw_session_machine(struct jw_session *s, struct jw_arena *a, struct jw_trace *out, struct jw_err *err)
{
    bool ok = ask_machine(s, err) && jw_trace_copy(s->machine, a, out, err)
              && (!s->probe || jw_probe_trace_gpus(s->probe, out, err));

    out->digests = jw_session_digests(s);
    out->listings = listings_of(s);
    return ok;
}

struct jw_digests *jw_session_digests(struct jw_session *s)
{
    if (!s->digests) {
        s->digests = jw_arena_alloc(s->a, sizeof *s->digests);
        *s->digests = (struct jw_digests){ .a = s->a, .remembers = true };
    }
    return s->digests;
}

const struct jw_surroundings *jw_session_surroundings(struct jw_session *s)
{
    if (!s->surroundings) {
        struct jw_surroundings *here = jw_arena_alloc(s->a, sizeof *here);

        *here = jw_surroundings_here(s->a);
        s->surroundings = here;
    }
    return s->surroundings;
}

bool jw_session_is_root(struct jw_session *s)
{
    return !jw_os_is_windows() && jw_process_elevated() && !jw_session_surroundings(s)->container;
}

void jw_session_login_begin(struct jw_session *s)
{
    if (!s->login && !s->login_failed.code && !s->asking)
        s->asking = jw_login_asking_begin();
}

bool jw_session_login(struct jw_session *s, const struct jw_login_env **out, struct jw_err *err)
{
    jw_session_login_begin(s);
    if (s->asking) {
        s->login = jw_login_asking_wait(s->asking, s, &s->login_failed);
        s->asking = NULL;
    }
    if (!s->login)
        *err = s->login_failed;
    *out = s->login;
    return s->login != NULL;
}

/* An answer without the proof for absent GPUs is enough unless it is wanted, and where no driver works there is none. */
static bool is_answered(const struct jw_session *s, uint16_t absent_sm)
{
    const struct jw_probe_report *p = s->probe;

    return p && (!absent_sm || p->state.compiles_absent || p->why_no_absent || jw_probe_why_unusable(p));
}

bool jw_session_driver_for(struct jw_session *s, uint16_t absent_sm, void (*alive)(void *ctx), void *ctx,
                           const struct jw_probe_report **out, struct jw_err *err)
{
    const struct jw_driver_file *file = s->probe || s->probe_failed.code ? NULL : jw_session_driver_file(s);
    const struct jw_probe_options o = { .machine = s->machine,
                                        .file = file,
                                        .again = s->probe_again,
                                        .answered = s->probe,
                                        .absent_sm = absent_sm,
                                        .worker = jw_session_worker(s),
                                        .alive = alive,
                                        .ctx = ctx };

    *out = NULL;
    if (!s->probe_failed.code && !is_answered(s, absent_sm)) {
        struct jw_probe_report *p = jw_arena_alloc(s->a, sizeof *p);

        if (jw_probe(&o, s->a, p, &s->probe_failed)) {
            s->probe = p;
            s->drivers = NULL; /* this build was met now */
            s->file = NULL;
        }
    }
    if (s->probe_failed.code) {
        *err = s->probe_failed;
        return false;
    }
    *out = s->probe;
    return true;
}

bool jw_session_driver(struct jw_session *s, const struct jw_probe_report **out, struct jw_err *err)
{
    return jw_session_driver_for(s, 0, NULL, NULL, out, err);
}

void jw_session_end(struct jw_session *s)
{
    jw_login_asking_end(s->asking);
    s->asking = NULL;
    if (s->digests)
        jw_digests_keep(s->digests);
}

void jw_session_changed(struct jw_session *s)
{
    jw_session_end(s);
    s->memories = NULL;
    s->drivers = NULL;
    s->file = NULL;
    s->compiler = NULL;
    s->machine = NULL;
    s->login = NULL;
    s->software = NULL;
    s->of_login = NULL;
    s->login_gpus = NULL;
}
