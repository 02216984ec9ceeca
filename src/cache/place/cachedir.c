#include "cache/place/cachedir.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/machine/env.h"

#include <stddef.h>
#include <string.h>

#define DRIVER_DEFAULT "the driver's default"

enum { SMALLEST_USEFUL = 16 << 20 };

struct finder {
    struct jw_arena *a;
    struct jw_cachedir *out;
    struct jw_err *err;
};

/* A variable as it stands; NULL: not set. */
static bool read_variable(struct finder *f, const char *name, const char **value)
{
    *value = jw_env(f->a, name);
    return *value || !jw_env_has(name) || jw_nomem(f->err, 64);
}

#define NOTE(f, ...) jw_note(&(f)->out->notes, (f)->a, (f)->err, __VA_ARGS__)

static bool note_path(struct finder *f, const char *path)
{
    if (!jw_utf8_valid((struct jw_bytes){ (const uint8_t *)path, strlen(path) }))
        return NOTE(f, "CUDA_CACHE_PATH is not UTF-8 text");
    if (jw_path_absolute(path))
        return true;
    if (path[0] == '~')
        return NOTE(f,
                    "CUDA_CACHE_PATH=%.200s: only a shell expands ~; as it stands it is a folder of that "
                    "name below the one that each program is started in",
                    path);
    return NOTE(f,
                "CUDA_CACHE_PATH=%.200s is not absolute: each program that is started in another folder has "
                "another cache",
                path);
}

static bool find_root(struct finder *f, const char *cache)
{
    const char *path, *why;

    if (!read_variable(f, "CUDA_CACHE_PATH", &path))
        return false;
    if (cache) {
        f->out->root = cache;
        f->out->root_from = (struct jw_setting_value){ cache, "--cache" };
        return true;
    }
    if (path && *path) {
        f->out->root = path;
        f->out->root_from = (struct jw_setting_value){ path, "CUDA_CACHE_PATH" };
        return note_path(f, path);
    }
    f->out->root_from.origin = DRIVER_DEFAULT;
    f->out->root = jw_cachedir_default(f->a, &why);
    if (!f->out->root && !(why ? NOTE(f, "%s", why) : jw_nomem(f->err, 64)))
        return false;
    return !path
           || NOTE(f, "CUDA_CACHE_PATH is set, but empty: the default place is assumed; unset it to be sure");
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

static bool note_limit(struct finder *f, const char *value)
{
    bool digits = *value && strspn(value, "0123456789") == strlen(value);
    unsigned long long n = f->out->limit;

    if (!n)
        return NOTE(
            f,
            "CUDA_CACHE_MAXSIZE=%.60s: the driver reads that as 0 bytes and keeps nothing, so that every "
            "start compiles anew; it takes digits only (jitwarm env recommends a value)",
            value);
    if (n < SMALLEST_USEFUL && digits)
        return NOTE(f,
                    "CUDA_CACHE_MAXSIZE=%.60s is little: what is larger than the limit is never kept, and "
                    "compiled anew in every process",
                    value);
    if (n < SMALLEST_USEFUL)
        return NOTE(f,
                    "CUDA_CACHE_MAXSIZE=%.60s: the driver reads only the first digits, %llu bytes, and keeps "
                    "nothing; it takes digits only (jitwarm env recommends a value)",
                    value, n);
    return digits
           || NOTE(f, "CUDA_CACHE_MAXSIZE=%.60s is not a plain number of bytes: the driver reads it as %llu",
                   value, n);
}

static bool find_limit(struct finder *f)
{
    uint64_t most = jw_cache_limits().most;
    const char *value;

    if (!read_variable(f, "CUDA_CACHE_MAXSIZE", &value))
        return false;
    f->out->limit_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_MAXSIZE" : DRIVER_DEFAULT };
    if (!value)
        return true;
    f->out->limit = taken(value, most);
    f->out->limit_known = true;
    return note_limit(f, value);
}

void jw_cachedir_default_limit(struct jw_cachedir *d, const char *driver)
{
    d->usual = jw_cache_default(driver);
    if (d->limit_from.value || !d->usual)
        return;
    d->limit = d->usual;
    d->limit_known = true;
}

static bool find_disabled(struct finder *f)
{
    const char *value;

    if (!read_variable(f, "CUDA_CACHE_DISABLE", &value))
        return false;
    f->out->disabled_from = (struct jw_setting_value){ value, value ? "CUDA_CACHE_DISABLE" : DRIVER_DEFAULT };
    f->out->disabled = jw_cache_is_off(value);
    if (!value || f->out->disabled || strcmp(value, "0") == 0)
        return true;
    return NOTE(f, "CUDA_CACHE_DISABLE=%.60s does not read as the number 1: the driver keeps its cache on",
                value);
}

bool jw_cachedir_find(const char *cache, struct jw_arena *a, struct jw_cachedir *out, struct jw_err *err)
{
    struct finder f = { a, out, err };

    *out = (struct jw_cachedir){ 0 };
    return find_root(&f, cache) && find_limit(&f) && find_disabled(&f);
}
