#include "cache/place/cachedir.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <string.h>

#define DRIVER_DEFAULT "the driver's default"

enum { SMALLEST_USEFUL = 16 << 20 };

struct finder {
    struct jw_arena *a;
    struct jw_cachedir *out;
};

static void note_path(struct finder *f, const char *path)
{
    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)path, strlen(path) }))
        jw_note(&f->out->notes, f->a, "CUDA_CACHE_PATH is not UTF-8 text");
    else if (path[0] == '~')
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_PATH=%.200s: only a shell expands ~; as it stands it is a folder of that name "
                "below the one "
                "that each program is started in",
                path);
    else if (!jw_path_absolute(path))
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_PATH=%.200s is not absolute: each program that is started in another folder has "
                "another "
                "cache",
                path);
}

static void find_root(struct finder *f, const char *cache)
{
    const char *path = jw_env(f->a, "CUDA_CACHE_PATH"), *why;

    if (cache) {
        f->out->root = cache;
        f->out->root_from = (struct jw_setting_value){ cache, "--cache" };
        return;
    }
    if (path && *path) {
        f->out->root = path;
        f->out->root_from = (struct jw_setting_value){ path, "CUDA_CACHE_PATH" };
        note_path(f, path);
        return;
    }
    f->out->root_from.origin = DRIVER_DEFAULT;
    f->out->root = jw_cachedir_default(f->a, &why);
    if (!f->out->root)
        jw_note(&f->out->notes, f->a, "%s", why);
    if (path)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_PATH is set, but empty: the default place is assumed; unset it to be sure");
}

/* As the C library's strtoull in base ten reads it, and no more than the most: what the driver takes.
 * driver-fact: F52-most, F53-plain-bytes */
static uint64_t taken(const char *value, uint64_t most)
{
    uint64_t n = 0;
    bool minus;

    while (*value == ' ' || (*value >= '\t' && *value <= '\r'))
        value++;
    minus = *value == '-';
    value += minus || *value == '+';
    for (; *value >= '0' && *value <= '9'; value++) {
        if (n > most)
            return most;
        n = n * 10 + (uint64_t)(*value - '0');
    }
    return (minus && n) || n > most ? most : n;
}

static void note_limit(struct finder *f, const char *value)
{
    bool digits = *value && strspn(value, "0123456789") == strlen(value);
    unsigned long long n = f->out->limit;

    if (!n)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s: the driver reads that as 0 bytes and keeps nothing, so that every "
                "start compiles "
                "anew; it takes digits only (jitwarm env recommends a value)",
                value);
    else if (n < SMALLEST_USEFUL && digits)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s is little: what is larger than the limit is never kept, and "
                "compiled anew in "
                "every process",
                value);
    else if (n < SMALLEST_USEFUL)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s: the driver reads only the first digits, %llu bytes, and keeps "
                "nothing; it takes "
                "digits only (jitwarm env recommends a value)",
                value, n);
    else if (!digits)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_MAXSIZE=%.60s is not a plain number of bytes: the driver reads it as %llu", value,
                n);
}

static void find_limit(struct finder *f)
{
    uint64_t most = jw_cache_limits().most;
    const char *value = jw_env(f->a, "CUDA_CACHE_MAXSIZE");
    f->out->limit_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_MAXSIZE" : DRIVER_DEFAULT };
    if (!value)
        return;
    f->out->limit = taken(value, most);
    f->out->limit_known = true;
    note_limit(f, value);
}

void jw_cachedir_default_limit(struct jw_cachedir *d, const char *driver)
{
    d->usual = jw_cache_default(driver);
    if (d->limit_from.value || !d->usual)
        return;
    d->limit = d->usual;
    d->limit_known = true;
}

static void find_disabled(struct finder *f)
{
    const char *value = jw_env(f->a, "CUDA_CACHE_DISABLE");
    f->out->disabled_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_DISABLE" : DRIVER_DEFAULT };
    f->out->disabled = jw_cache_is_off(value);
    if (value && !f->out->disabled && strcmp(value, "0") != 0)
        jw_note(&f->out->notes, f->a,
                "CUDA_CACHE_DISABLE=%.60s does not read as the number 1: the driver keeps its cache on",
                value);
}

void jw_cachedir_find(const char *cache, struct jw_arena *a, struct jw_cachedir *out)
{
    struct finder f = { a, out };

    *out = (struct jw_cachedir){ 0 };
    find_root(&f, cache);
    find_limit(&f);
    find_disabled(&f);
}
