#include "base/text.h"
#include "doctor/command/doctor_ask.h"
#include "facts/archs.h"
#include "facts/drivers.h"
#include "os/machine/env.h"

#include <string.h>

static bool read_library(const char *option, const char *text, struct jw_library *out, struct jw_err *err)
{
    if (!text)
        return true;
    if (jw_text_equal_nocase(text, "none")) {
        out->presence = JW_PRESENCE_NONE;
        return true;
    }
    out->version = jw_cuda_number(text);
    out->presence = JW_PRESENCE_VERSION;
    if (out->version)
        return true;
    struct jw_buf clean = JW_BUF(256);

    jw_text_clean(&clean, text);
    (void)jw_fail(err, JW_E_USAGE, "--%s: \"%.40s\" is not a version; it looks like 11.2, or none", option,
                  jw_buf_cstr(&clean));
    jw_buf_free(&clean);
    return false;
}

static bool check_toolkit(const struct jw_library *cuda, struct jw_err *err)
{
    struct jw_cuda_release t;

    return cuda->presence != JW_PRESENCE_VERSION || jw_cuda_release_find(cuda->version, &t)
           || jw_fail(err, JW_E_USAGE, "--cuda: CUDA %u.%u is not in the table of toolkits",
                      cuda->version / 100, cuda->version % 100);
}

static bool check_python(const char *text, struct jw_err *err)
{
    unsigned dots = 0, digits = 0;

    if (!text)
        return true;
    for (const char *p = text; *p; p++) {
        dots += *p == '.';
        digits += *p >= '0' && *p <= '9';
    }
    if (dots >= 1 && dots <= 2 && digits >= 2 && dots + digits == strlen(text) && *text != '.'
        && strlen(text) < 12)
        return true;
    struct jw_buf clean = JW_BUF(256);

    jw_text_clean(&clean, text);
    (void)jw_fail(err, JW_E_USAGE, "--python: \"%.40s\" is not a version; it looks like 3.11",
                  jw_buf_cstr(&clean));
    jw_buf_free(&clean);
    return false;
}

static bool read_env(struct jw_arena *a, const struct texts *all, struct jw_case *c, struct jw_err *err)
{
    struct jw_setting *out = jw_arena_alloc(a, (all->n + 1) * sizeof *out);

    for (size_t i = 0; i < all->n; i++) {
        const char *text = all->items[i], *equals = strchr(text, '=');
        struct jw_buf clean = JW_BUF(1024);

        if (!equals || equals == text) {
            jw_text_clean(&clean, text);
            (void)jw_fail(err, JW_E_USAGE, "--env: \"%.60s\" is not NAME=VALUE", jw_buf_cstr(&clean));
            jw_buf_free(&clean);
            return false;
        }
        out[i].name = jw_arena_text(a, text, (size_t)(equals - text));
        out[i].value = equals + 1;
    }
    c->env = out;
    c->n_env = all->n;
    return true;
}

/* Adds the variables of this environment that matter. */
static void own_env(struct jw_arena *a, struct jw_case *c)
{
    static const char *const names[] = { "CUDA_CACHE_DISABLE",   "CUDA_CACHE_MAXSIZE",  "CUDA_CACHE_PATH",
                                         "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT",    "CUDA_FORCE_PTX_JIT",
                                         "CUDA_FORCE_JIT",       "CUDA_VISIBLE_DEVICES" };
    struct jw_setting *out = jw_arena_alloc(a, (JW_COUNT(names) + c->n_env) * sizeof *out);
    size_t n = 0;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *value = jw_env(a, names[i]);

        if (value)
            out[n++] = (struct jw_setting){ names[i], value };
    }
    for (size_t i = 0; i < c->n_env; i++)
        out[n++] = c->env[i]; /* options come last and win */
    c->env = out;
    c->n_env = n;
}

static enum jw_case_system system_of(const struct doctor_ask *ask, const struct jw_doctor_machine *m,
                                     const struct jw_log *log)
{
    static const enum jw_case_system systems[] = { JW_CASE_LINUX, JW_CASE_LINUX, JW_CASE_LINUX,
                                                   JW_CASE_WINDOWS, JW_CASE_WSL };

    if (ask->system != DOCTOR_HERE)
        return systems[ask->system];
    if (log && (log->dll || log->so))
        return log->dll ? JW_CASE_WINDOWS : JW_CASE_LINUX;
    if (m && m->probe.driver.wsl)
        return JW_CASE_WSL;
    return jw_os_is_windows() ? JW_CASE_WINDOWS : JW_CASE_LINUX;
}

/* A Tegra GPU implies aarch64; otherwise this machine's processor decides. */
bool doctor_is_aarch64(const struct doctor_ask *ask, const struct jw_case *c)
{
    bool tegra = c->n_gpus != 0;

    for (size_t i = 0; i < c->n_gpus; i++) {
        const struct jw_arch_fact *arch = jw_arch_find(c->gpus[i].sm);

        tegra = tegra && arch && arch->isolated;
    }
    if (ask->system != DOCTOR_HERE && ask->system != DOCTOR_AARCH64)
        return tegra && c->system == JW_CASE_LINUX;
    return c->system != JW_CASE_WINDOWS
           && (tegra || ask->system == DOCTOR_AARCH64 || strcmp(jw_os_arch(), "aarch64") == 0);
}

bool doctor_read_circumstances(struct jw_arena *a, const struct doctor_ask *ask,
                               const struct jw_doctor_machine *m, const struct jw_log *log, struct jw_case *c,
                               struct jw_err *err)
{
    struct jw_driver_version v;

    if (ask->driver && !jw_driver_parse(ask->driver, &v, err))
        return jw_wrap(err, "--driver");
    if (!read_library("cuda", ask->cuda, &c->cuda, err) || !check_toolkit(&c->cuda, err)
        || !read_library("cudnn", ask->cudnn, &c->cudnn, err) || !check_python(ask->python, err)
        || !read_env(a, &ask->env, c, err))
        return false;
    c->system = system_of(ask, m, log);
    c->container = c->container || ask->container;
    c->python = ask->python;
    c->rates = m ? m->probe.state.rates : NULL;
    c->n_rates = m ? m->probe.state.n_rates : 0;
    c->cache_used = m && m->cache ? m->cache->used : 0;
    c->cache = m && m->cache ? m->cache->dir.root : NULL;
    c->driver = ask->driver             ? ask->driver
                : log && log->driver[0] ? log->driver
                : m                     ? jw_doctor_version(m)
                                        : NULL;
    if (m)
        own_env(a, c);
    return true;
}
