#include "session/session.h"

struct jw_worker_options jw_session_worker(const struct jw_session *s)
{
    return (struct jw_worker_options){
        .exe = s->exe, .driver = s->driver, .interrupted = s->interrupted};
}

/* Patterns of files that no search reads: those of the command line, then those of jitwarm.conf. */
static struct jw_texts excludes(struct jw_session *s)
{
    struct jw_texts *all = &s->excludes;

    if (all->n)
        return *all;
    const struct jw_conf_list *lasting = &jw_session_config(s)->exclude;

    for (size_t i = 0; i < s->exclude.n; i++)
        jw_texts_add(all, s->a, s->exclude.v[i]);
    for (size_t i = 0; i < lasting->n; i++)
        jw_texts_add(all, s->a, lasting->v[i].value);
    return *all;
}

struct jw_scan_options jw_session_scan(struct jw_session *s)
{
    return (struct jw_scan_options){.interrupted = s->interrupted, .exclude = excludes(s)};
}

/* Each answer is found once. True: it was not asked for, and there is room for it now. */
#define IS_NEW(s, answer)                                                                          \
    (!(s)->answer && ((s)->answer = jw_arena_alloc((s)->a, sizeof *(s)->answer)))

const char *jw_session_sysroot(struct jw_session *s)
{
    if (!s->sysroot && !jw_os_is_windows())
        s->sysroot = jw_env(s->a, "JITWARM_SYSROOT");
    return s->sysroot ? s->sysroot : "";
}

const struct jw_config *jw_session_config(struct jw_session *s)
{
    if (IS_NEW(s, config))
        jw_config_load(s->a, s->config);
    return s->config;
}

const struct jw_whoami *jw_session_user(struct jw_session *s)
{
    if (IS_NEW(s, user))
        jw_whoami(jw_session_sysroot(s), s->a, s->user);
    return s->user;
}

const struct jw_host_gpus *jw_session_gpus(struct jw_session *s)
{
    if (IS_NEW(s, gpus))
        jw_host_gpus(jw_session_sysroot(s), s->a, s->gpus);
    return s->gpus;
}

const struct jw_cache_env *jw_session_cache(struct jw_session *s)
{
    if (IS_NEW(s, cache_env))
        jw_cache_env_find(s->cache, s->a, s->cache_env);
    return s->cache_env;
}

const struct jw_cache_memory *jw_session_memory(struct jw_session *s)
{
    struct jw_err why = {0};

    if (IS_NEW(s, memory)) {
        if (!jw_session_cache(s)->folder)
            s->memory->unusable = jw_session_cache(s)->why_none;
        else if (!jw_cache_memory_find(jw_session_cache(s)->folder, s->a, s->memory, &why))
            s->memory->unusable = jw_arena_str(s->a, why.msg);
    }
    return s->memory;
}

struct jw_discovery *jw_session_software(struct jw_session *s)
{
    if (IS_NEW(s, software)) {
        const struct jw_discover_options o = {jw_session_config(s)->search, excludes(s)};

        jw_discover(&o, s->a, s->software);
    }
    return s->software;
}

const struct jw_drivers *jw_session_drivers(struct jw_session *s)
{
    if (IS_NEW(s, drivers))
        jw_drivers_load(s->a, s->drivers);
    return s->drivers;
}

const struct jw_driver_file *jw_session_driver_file(struct jw_session *s)
{
    if (IS_NEW(s, driver_file))
        jw_driver_file_here(s->driver, jw_session_drivers(s), s->a, s->driver_file);
    return s->driver_file;
}

const struct jw_compiler_file *jw_session_compiler(struct jw_session *s)
{
    if (s->probe)
        return &s->probe->compiler;
    if (IS_NEW(s, compiler)) {
        const struct jw_driver_file *driver = jw_session_driver_file(s);

        jw_compiler_file_of(driver->found ? driver->library : NULL, s->a, s->compiler);
    }
    return s->compiler;
}

bool jw_session_preloads(void *ctx)
{
    struct jw_session *s = ctx;
    struct jw_worker_options o = jw_session_worker(s);
    struct jw_worker *w = NULL;

    if (s->preloads)
        return *s->preloads;
    o.asks = o.asks_preload = true;
    bool preloads = jw_worker_start(&w, &o, JW_IGNORED) && jw_worker_driver(w)->preloads;

    jw_worker_stop(w);
    s->preloads = jw_arena_copy(s->a, &preloads, sizeof preloads);
    return preloads;
}

const struct jw_container *jw_session_container(struct jw_session *s)
{
    if (IS_NEW(s, container))
        *s->container = jw_container_here(jw_session_sysroot(s), s->a);
    return s->container;
}

bool jw_session_is_root(struct jw_session *s)
{
    return !jw_os_is_windows() && jw_process_elevated() && !jw_session_container(s)->inside;
}

/* Is it proven, or known not to be, or works no driver, so that asking again is of no use? */
static bool answers_for_absent(const struct jw_probe_report *had)
{
    return had->state.compiles_absent || had->why_no_absent || !had->n_devices;
}

bool jw_session_probe_for(struct jw_session *s, uint16_t absent_sm, void (*alive)(void *ctx),
                          void *ctx, const struct jw_probe_report **out, struct jw_err *err)
{
    const struct jw_probe_report *had = s->probe;
    bool answered = had && (!absent_sm || answers_for_absent(had));

    *out = NULL;
    if (!s->probe_failed.code && !answered) {
        struct jw_probe_report *p = jw_arena_alloc(s->a, sizeof *p);
        const struct jw_probe_options o = {.file = had ? NULL : jw_session_driver_file(s),
                                           .met = jw_session_drivers(s),
                                           .answered = had,
                                           .absent_sm = absent_sm,
                                           .worker = jw_session_worker(s),
                                           .alive = alive,
                                           .ctx = ctx};

        if (jw_probe(&o, s->a, p, &s->probe_failed)) {
            s->probe = p;
            s->facts = NULL;
            s->drivers = p->saved ? NULL : s->drivers;
            s->driver_file = p->saved ? NULL : s->driver_file;
        }
    }
    if (s->probe_failed.code)
        return jw_pass(err, s->probe_failed);
    *out = s->probe;
    return true;
}

bool jw_session_probe(struct jw_session *s, const struct jw_probe_report **out, struct jw_err *err)
{
    return jw_session_probe_for(s, 0, NULL, NULL, out, err);
}
