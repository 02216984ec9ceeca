#include "doctor/doctor_gather.h"

#include "base/text.h"
#include "os/machine/env.h"

#include <stdlib.h>
#include <string.h>

/* Could it be a variable of CUDA, or one that was meant to be? */
static bool interesting(const char *name)
{
    static const char *const words[] = { "CUDA", "CACHE", "DEVICE", "NVIDIA" };
    static const char *const names[] = { "HOME", "APPDATA", "LD_LIBRARY_PATH" };

    for (size_t i = 0; i < JW_COUNT(words); i++)
        if (jw_text_find_nocase(name, words[i]))
            return true;
    return jw_text_among(name, names, JW_COUNT(names));
}

static int by_variable(const void *a, const void *b)
{
    return strcmp(((const struct jw_env_value *)a)->name, ((const struct jw_env_value *)b)->name);
}

static bool gather_env(struct jw_arena *a, struct jw_env_set *out, struct jw_err *err)
{
    const char *const *all = NULL;
    size_t n = 0;

    if (!jw_env_all(a, &all, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(all[i], "=");
        const char *name = jw_arena_text(a, all[i], length);

        if (all[i][length] && interesting(name)
            && !jw_env_set_put(out, name, all[i] + length + 1, NULL, a, err))
            return false;
    }
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, by_variable); /* as two equal machines have them */
    return true;
}

/* The library that the user, and not the system, says is the driver. */
static const char *asked_for(struct jw_arena *a)
{
    const char *path = jw_os_is_windows() ? NULL : jw_env(a, "JITWARM_DRIVER");

    return path && *path ? path : NULL;
}

static bool gather_cache(const struct jw_doctor_options *o, struct jw_arena *a, struct jw_doctor_machine *out,
                         struct jw_status_report *cache, struct jw_err *err)
{
    const struct jw_status_options options = { .cache = o->cache, .interrupted = o->interrupted };
    const char *local = jw_os_is_windows() ? jw_env(a, "LOCALAPPDATA") : NULL;

    if (!jw_status(&options, a, cache, err))
        return false;
    out->cache = cache;
    if (cache->dir.root)
        jw_cache_place(cache->dir.root, a, &out->place);
    if (local)
        jw_cache_store_pythons(local, a, &out->store_pythons, &out->n_store_pythons);
    return true;
}

bool jw_doctor_gather(const struct jw_doctor_options *o, struct jw_arena *a, struct jw_doctor_machine *out,
                      struct jw_status_report *cache, struct jw_err *err)
{
    const struct jw_probe_options probe = { .again = o->again, .interrupted = o->interrupted };

    *cache = (struct jw_status_report){ 0 };
    *out = (struct jw_doctor_machine){ .windows = jw_os_is_windows(), .asked = asked_for(a) };
    jw_whoami("", a, &out->who);
    jw_host_gpus("", a, &out->host);
    if (!(jw_probe(&probe, a, &out->probe, err) && gather_env(a, &out->env, err)
          && gather_cache(o, a, out, cache, err) && jw_login_env(a, &out->login, err)))
        return false;
    jw_login_compare(&out->login, a, &out->differs, &out->n_differs);
    jw_toolkits("", a, out->toolkits, &out->n_toolkits);
    return jw_cuda_programs("/proc", a, &out->programs, err);
}

/* ---- what was looked at ---- */

static void note_cache(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_doctor_checked *out)
{
    const struct jw_status_report *r = m->cache;

    if (!r || !r->dir.root) {
        jw_note(&out->unchecked, a, "the cache's folder: there is none");
        return;
    }
    if (m->place.unasked)
        jw_note(&out->unchecked, a, "all of the cache's folder: %s", m->place.unasked);
    jw_note(&out->checked, a,
            "the cache: %llu entries by their first bytes (jitwarm status --check reads all)",
            (unsigned long long)r->files.entries);
}

void jw_doctor_checked(const struct jw_doctor_machine *m, struct jw_arena *a, struct jw_doctor_checked *out)
{
    jw_note(&out->checked, a, "the driver: its library, its start, a test of its compiler and cache");
    jw_note(&out->checked, a, "the GPUs: whether the driver drives each, and who may use them");
    jw_note(&out->checked, a, "the settings of this environment");
    note_cache(m, a, out);
    if (m->login.known)
        jw_note(&out->checked, a, "the settings of a fresh login%s%s", m->login.shell ? ", by " : "",
                m->login.shell ? m->login.shell : "");
    else
        jw_note(&out->unchecked, a, "the settings of a fresh login%s%s", m->login.why ? ": " : "",
                m->login.why ? m->login.why : "");
    if (m->programs.known)
        jw_note(&out->checked, a, "programs on the GPU now: %zu%s", m->programs.n,
                m->programs.hidden ? " (other users' are not seen)" : "");
    if (!m->programs.known && m->programs.why)
        jw_note(&out->unchecked, a, "%s", m->programs.why);
}
