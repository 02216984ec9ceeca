#include "env/env_plan.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/env_defaults.h"

#include <stdarg.h>
#include <string.h>

enum { SMALLEST_USEFUL = 16 << 20 };

struct adviser {
    const struct jw_env_facts *f;
    struct jw_arena *a;
};

static const char *say(struct adviser *k, const char *fmt, ...) JW_PRINTF(2, 3);

static const char *say(struct adviser *k, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *kept = jw_arena_say(k->a, fmt, args);
    va_end(args);
    return kept;
}

static const char *bytes(struct adviser *k, uint64_t n)
{
    struct jw_buf text = JW_BUF(64);
    const char *kept;

    jw_text_bytes(&text, n);
    kept = say(k, "%s", jw_buf_cstr(&text));
    jw_buf_free(&text);
    return kept;
}

static const char *number(struct adviser *k, uint64_t n)
{
    return say(k, "%llu", (unsigned long long)n);
}

/* ---- how much ---- */

/* Half of what the disk could give it, as a power of two; the maximum where the disk is not known. */
static uint64_t disk_allows(const struct jw_env_facts *f)
{
    uint64_t most = jw_cache_limits().most, size = most;

    if (!f->disk_known)
        return most;
    while (size > jw_cache_limits().before && size > f->dir->usual && size / 2 > (f->disk.free + f->need) / 4)
        size /= 2;
    return size;
}

static void advise_unmeasured(struct adviser *k, struct jw_env_advice *out)
{
    out->value = number(k, jw_cache_limit_for(k->f->need, k->f->dir->usual));
    out->why =
        "what your programs need was not measured yet (jitwarm plan shows it); it is a ceiling, and takes no "
        "room before it is used";
}

static void advise_measured(struct adviser *k, struct jw_env_advice *out)
{
    uint64_t size = jw_cache_limit_for(k->f->need, k->f->dir->usual);

    if (size) {
        out->value = number(k, size);
        out->why =
            say(k, "your programs need %s of compiled code, and a quarter more is kept free for what comes",
                bytes(k, k->f->need));
        return;
    }
    out->value = number(k, jw_cache_limits().most);
    out->why = say(k,
                   "your programs need %s of compiled code, more than the most that one cache may hold: give "
                   "the largest a "
                   "cache of its own (CUDA_CACHE_PATH where it is started)",
                   bytes(k, k->f->need));
}

/* What is set, is a number and is no mistake. */
static void advise_set_size(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_env_facts *f = k->f;
    uint64_t limit = f->dir->limit, most = jw_cache_limits().most;
    bool fits = limit >= f->need + f->need / 4 || limit >= most;
    bool large = limit >= jw_cache_limits().since || limit >= disk_allows(f);

    if (f->need_known ? !fits || !jw_cache_limit_for(f->need, f->dir->usual) : !large) {
        out->wrong = (f->need_known && limit < f->need) || limit < SMALLEST_USEFUL;
        return;
    }
    out->value = f->size_here_only ? f->dir->limit_from.value : NULL;
    if (f->size_here_only)
        out->why = "it is enough, but set in this process only: a new login has another";
    else if (f->need_known)
        out->why = say(k, "it is enough: your programs need %s", bytes(k, f->need));
    else
        out->why = "it is set, and large";
}

static void advise_size(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_cachedir *d = k->f->dir;

    *out = (struct jw_env_advice){ .name = "CUDA_CACHE_MAXSIZE" };
    if (k->f->ask_size) {
        out->value = number(k, k->f->ask_size);
        out->why = "as asked for with --maxsize";
        if (k->f->need_known && k->f->ask_size < k->f->need)
            out->why = say(k,
                           "as asked for with --maxsize; your programs need %s, so that some of it will be "
                           "compiled at every "
                           "start",
                           bytes(k, k->f->need));
        return;
    }
    if (k->f->need_known)
        advise_measured(k, out);
    else
        advise_unmeasured(k, out);
    if (d->limit_from.value && d->limit) {
        advise_set_size(k, out);
    } else if (d->limit_from.value) {
        out->wrong = true;
    } else if (d->usual) {
        out->why = say(k, "%s; the default of this driver is %s", out->why, bytes(k, d->usual));
    } else {
        out->why = say(k,
                       "%s; the driver's own default differs between drivers (256 MiB to 1 GiB), and is too "
                       "little for some "
                       "frameworks",
                       out->why);
    }
}

/* ---- where ---- */

static bool in_tmp(const char *path)
{
    static const char *const open_to_all[] = { "/tmp/", "/var/tmp/", "/dev/shm/" };

    for (size_t i = 0; i < JW_COUNT(open_to_all); i++)
        if (jw_text_starts(path, open_to_all[i]))
            return true;
    return false;
}

static void move_to_local(struct adviser *k, struct jw_env_advice *out, const char *because)
{
    out->wrong = true;
    out->value = k->f->local;
    if (k->f->local)
        out->why =
            say(k, "%s; a folder on this machine's own disk, for this user alone, has none of that", because);
    else
        out->why = say(
            k,
            k->f->windows
                ? "%s; name a folder of this machine with --path"
                : "%s; jitwarm env apply makes a folder on this machine's own disk, for this user alone, or "
                  "takes yours (--path)",
            because);
}

static void advise_place(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_env_facts *f = k->f;
    const char *set = f->dir->root_from.value;

    *out = (struct jw_env_advice){ .name = "CUDA_CACHE_PATH" };
    if (f->ask_place) {
        out->value = f->ask_place;
        out->why = "as asked for with --path";
    } else if (!f->dir->root) {
        move_to_local(
            k, out,
            "the system names no folder for the driver's cache (HOME is unset?), so that nothing is kept");
    } else if (set && !jw_path_absolute(set)) {
        move_to_local(
            k, out,
            "it is not an absolute path, so that each program that is started in another folder has another "
            "cache");
    } else if (f->refused) {
        move_to_local(k, out, say(k, "nothing can be kept in %.200s: %s", f->dir->root, f->refused));
    } else if (f->disk_known && f->disk.kind == JW_DISK_NETWORK) {
        move_to_local(
            k, out,
            say(k,
                "%.200s is on another machine's disk: slow to read at every start, with locks that not "
                "all machines see, and shared by machines whose drivers may differ",
                f->dir->root));
    } else if (f->writers) {
        out->wrong = true;
        out->why = say(k, "%s may write to %.200s, and so have other code run in your programs: chmod 700 it",
                       f->writers, f->dir->root);
    } else if (f->roaming && !set) {
        move_to_local(k, out, "this profile travels over the network at every logon, and the cache with it");
    } else if (f->disk_known && f->disk.kind == JW_DISK_MEMORY) {
        out->why = say(k, "%.200s is in memory: what is compiled is gone at the next start of the machine",
                       f->dir->root);
        out->wrong = true;
        out->value = f->local;
    } else if (f->container && !set && f->disk_known) {
        out->why = say(k,
                       "the default is fine as long as a volume is mounted at %.200s: else all is gone with "
                       "the container",
                       f->dir->root);
    } else if (set && in_tmp(set)) {
        out->why = "it is in a folder where everybody may make names: fine only while it belongs to you, and "
                   "until it is swept";
    } else if (set && f->place_here_only) {
        out->value = set;
        out->why = "it is good, but set in this process only: a new login has another";
    } else {
        out->why = set ? "it is on a disk of this machine" : "the default is on a disk of this machine";
    }
}

/* ---- whether ---- */

static void advise_off(struct adviser *k, struct jw_env_advice *out)
{
    const struct jw_cachedir *d = k->f->dir;

    *out = (struct jw_env_advice){ .name = "CUDA_CACHE_DISABLE" };
    if (d->disabled || (d->disabled_from.value && strcmp(d->disabled_from.value, "0") != 0)) {
        out->value = "0";
        out->wrong = true;
        out->why = d->disabled ? "with 1 the driver keeps nothing, and compiles at every start"
                               : "it does not read as the number 1: the driver keeps its cache on";
    } else if (k->f->off_elsewhere) {
        out->value = "0";
        out->wrong = true;
        out->why = "this process has the cache switched on, but others will not: see where it is set";
    } else {
        out->why = "the driver keeps what it compiles";
    }
}

void jw_env_advise(const struct jw_env_facts *f, struct jw_arena *a, struct jw_env_advice out[JW_ENV_ADVICES])
{
    struct adviser k = { f, a };

    advise_size(&k, &out[JW_ENV_SIZE]);
    advise_place(&k, &out[JW_ENV_PLACE]);
    advise_off(&k, &out[JW_ENV_OFF]);
}
