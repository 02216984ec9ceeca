#include "cache/place/cachedir.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

#define DRIVER_DEFAULT "the driver's default"

struct finder {
    struct jw_arena *a;
    struct jw_cachedir *out;
};

static void note_path(struct finder *f, const char *path)
{
    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)path, strlen(path) }))
        jw_note(&f->out->notes, f->a, "CUDA_CACHE_PATH is not UTF-8 text");
    else if (path[0] == '~')
        jw_note(
            &f->out->notes, f->a,
            "CUDA_CACHE_PATH=%.200s: only a shell expands ~, so each program uses a folder named ~ in its "
            "working folder",
            path);
    else if (!jw_path_absolute(path))
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_PATH=%.200s is not an absolute path: programs started in different folders use "
                "different caches",
                path);
}

static void find_folder(struct finder *f, const char *cache)
{
    const char *path = jw_env(f->a, "CUDA_CACHE_PATH"), *why;

    if (cache) {
        f->out->folder = cache;
        f->out->folder_from = (struct jw_setting_value){ cache, "--cache" };
        return;
    }
    if (path && *path) {
        f->out->folder = path;
        f->out->folder_from = (struct jw_setting_value){ path, "CUDA_CACHE_PATH" };
        note_path(f, path);
        return;
    }
    const char *home = jw_env(f->a, "HOME");

    f->out->folder_from.origin = DRIVER_DEFAULT;
    f->out->folder = jw_cachedir_default(f->a, &why);
    if (!f->out->folder)
        jw_note(&f->out->notes, f->a, "%s", why);
    else if (!jw_path_absolute(f->out->folder) && home)
        jw_note(&f->out->notes, f->a,
                "HOME=%.200s is not an absolute path: programs started in different folders use different "
                "caches",
                home);
    f->out->nameless = path != NULL;
    if (path)
        jw_note(&f->out->notes, f->a, "CUDA_CACHE_PATH is set, but empty: the driver caches nothing");
}

static void note_limit(struct finder *f, const char *value)
{
    bool digits = *value && strspn(value, "0123456789") == strlen(value);
    unsigned long long n = f->out->limit;

    if (!n)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s: drivers since 450 read it as 0 bytes and cache nothing. Use "
                "digits only; jitwarm env recommends a value",
                value);
    else if (n < JW_CACHE_SMALLEST && digits)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s is small: a module larger than the limit is never cached, and "
                "compiled again in every process",
                value);
    else if (n < JW_CACHE_SMALLEST)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s: the driver reads only the first digits (%llu bytes), and stores "
                "nothing more. Use digits only; jitwarm env recommends a value",
                value, n);
    else if (!digits)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s is not a plain number of bytes: the driver reads it as %llu", value,
                n);
}

static void find_limit(struct finder *f)
{
    const char *value = jw_env(f->a, "CUDA_CACHE_MAXSIZE");

    f->out->limit_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_MAXSIZE" : DRIVER_DEFAULT };
    if (!value)
        return;
    f->out->limit = jw_cache_limit_read(value, NULL);
    f->out->limit_known = true;
    note_limit(f, value);
}

/* "4G" and "4GiB": four times 2^30. 0: it has no unit. */
static uint64_t meant(const char *value)
{
    char unit[64];
    uint64_t n;
    size_t last = strlen(value);

    if (strspn(value, "0123456789") == last || last > sizeof unit - sizeof "iB")
        return 0;
    (void)snprintf(unit, sizeof unit, "%s%s", value, strchr("kKmMgG", value[last - 1]) ? "iB" : "");
    return jw_text_size(unit, &n) ? n : 0;
}

uint64_t jw_cachedir_least(const struct jw_cachedir *d)
{
    uint64_t wanted = d->limit_from.value ? meant(d->limit_from.value) : 0;

    return wanted > (d->usual ? d->usual : jw_cache_limits().since) ? wanted : d->usual;
}

void jw_cachedir_default_limit(struct jw_cachedir *d, const char *driver)
{
    d->usual = jw_cache_default(driver);
    d->limit = jw_cache_limit_read(d->limit_from.value, driver);
    d->limit_known |= d->limit != 0;
}

static void find_disabled(struct finder *f)
{
    const char *value = jw_env(f->a, "CUDA_CACHE_DISABLE");
    f->out->disabled_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_DISABLE" : DRIVER_DEFAULT };
    f->out->disabled = jw_switch_is_on(value) || f->out->nameless;
    if (value && !jw_switch_is_on(value) && strcmp(value, "0") != 0)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_DISABLE=%.60s is not the number 1: the driver still uses its cache", value);
}

void jw_cachedir_find(const char *cache, struct jw_arena *a, struct jw_cachedir *out)
{
    struct finder f = { a, out };

    *out = (struct jw_cachedir){ 0 };
    find_folder(&f, cache);
    find_limit(&f);
    find_disabled(&f);
}

static const char *first_switched_on(struct jw_arena *a, const char *const names[2])
{
    for (size_t i = 0; i < 2; i++)
        if (jw_switch_is_on(jw_env(a, names[i])))
            return names[i];
    return NULL;
}

const char *jw_cache_forced_by(struct jw_arena *a)
{
    return first_switched_on(a, (const char *const[2]){ "CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT" });
}

const char *jw_cache_forbidden_by(struct jw_arena *a)
{
    return first_switched_on(a, (const char *const[2]){ "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT" });
}

bool jw_cachedir_is_named(const struct jw_cachedir *d)
{
    return jw_text_same(d->folder_from.origin, "--cache");
}
