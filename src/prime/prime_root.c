/* Finds the cache of this user's programs, and stops if filling it would be useless. */
#include "prime/prime_work.h"

#include "base/path.h"
#include "cache/place/cachedir.h"
#include "driver/worker/identity.h"
#include "facts/env_defaults.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

/* Only programs of root use root's cache. In a container that is all programs. */
bool prime_judge_user(struct prime *p, struct jw_err *err)
{
    const char *user;

    (void)err;
    if (p->o->as_root || p->o->dry_run || !jw_is_root_of_machine(p->a))
        return true;
    user = jw_env(p->a, "SUDO_USER");
    if (user && *user && strcmp(user, "root") != 0)
        return prime_end(
            p, JW_END_STOPPED,
            "as root it would fill root's cache, which %s's programs do not use; run: sudo -u %s "
            "jitwarm %s   (--as-root: for root's own programs)",
            user, user, p->verb ? p->verb : "prime");
    return prime_end(
        p, JW_END_STOPPED,
        "as root it would fill root's cache, which no other user's programs use; run it as the user "
        "whose programs are slow, or use --as-root");
}

const char *prime_command(const struct prime *p)
{
    const char *user = jw_env(p->a, "SUDO_USER");

    if (!jw_is_root_of_machine(p->a))
        return "jitwarm prime";
    if (p->o->as_root || !user || !*user || strcmp(user, "root") == 0)
        return "jitwarm prime --as-root";
    return jw_arena_printf(p->a, "sudo -u %s jitwarm prime", user);
}

static bool set(struct prime *p, const char *name)
{
    const char *value = jw_env(p->a, name);

    return value && *value && strcmp(value, "0") != 0;
}

/* driver-fact: F81-force-disable */
bool prime_judge_variables(struct prime *p, struct jw_err *err)
{
    static const char *const forbid[] = { "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT" };

    (void)err;
    for (size_t i = 0; i < JW_COUNT(forbid); i++)
        if (set(p, forbid[i]))
            return prime_end(
                p, JW_END_STOPPED,
                "%s is set, so that the driver compiles nothing and CUDA programs fail where they have "
                "no machine code for the GPU; unset it",
                forbid[i]);
    p->force_jit = set(p, "CUDA_FORCE_PTX_JIT") || set(p, "CUDA_FORCE_JIT");
    if (p->force_jit)
        prime_note(
            p, "CUDA_FORCE_PTX_JIT or CUDA_FORCE_JIT is set: the driver ignores machine code, and all PTX is "
               "compiled");
    return true;
}

static bool judge_root(struct prime *p)
{
    const struct jw_cachedir *d = &p->dir;

    if (d->disabled && !p->o->cache)
        return prime_end(
            p, JW_END_STOPPED,
            "CUDA_CACHE_DISABLE=1: the driver caches nothing, and every start compiles again; unset it");
    if (!d->root) {
        p->notes.n = 0; /* the note is the reason */
        return prime_end(p, JW_END_CANNOT_WRITE, "%s",
                         d->notes.n ? d->notes.v[0] : "the system names no folder for the driver's cache");
    }
    if (!jw_path_absolute(d->root))
        return prime_end(
            p, JW_END_STOPPED,
            "the cache folder %.200s is not an absolute path: each program that is started in another "
            "folder has another cache; name it from the root of the file system",
            d->root);
    return true;
}

/* The cache limit of a new process of this user. driver-fact: F51-default-limit, F52-most */
void prime_find_limit(struct prime *p)
{
    unsigned cuda = p->probe.driver.cuda_version;
    const char *driver = p->probe.driver.version;
    char text[32];

    (void)snprintf(text, sizeof text, "%u.%u", cuda / 1000, cuda % 1000 / 10);
    jw_cachedir_default_limit(&p->dir, driver ? driver : cuda ? text : NULL);
    if (p->o->siblings) { /* no program uses this cache, so the variables do not apply */
        p->dir.limit = jw_cache_limits().most;
        p->dir.limit_known = true;
    }
    p->out->limit_known = p->dir.limit_known;
    p->out->limit = p->dir.limit_known ? p->dir.limit : jw_cache_limits().before;
}

/* As the driver counts; 0 also if the index cannot be read. */
static bool find_used(struct prime *p, struct jw_err *err)
{
    struct jw_index_file index = { 0 };

    if (!jw_index_load(p->dir.root, 1, &index, err))
        return false;
    p->out->used = index.found && !index.damage[0] ? index.records.total : 0;
    jw_cache_index_free(&index.records);
    return true;
}

bool prime_find_root(struct prime *p, struct jw_err *err)
{
    struct jw_disk disk;
    struct jw_err ignored;

    jw_cachedir_find(p->o->cache, p->a, &p->dir);
    for (size_t i = 0; i < p->dir.notes.n; i++)
        prime_note(p, "%s", p->dir.notes.v[i]);
    if (p->o->cache && p->dir.root && !jw_real_path(p->o->cache, p->a, &p->dir.root, err))
        return jw_wrap(err, "%s", p->o->cache);
    if (!judge_root(p))
        return false;
    if (p->ended)
        return true;
    p->out->root = p->dir.root;
    p->out->free_disk = jw_disk_look(p->dir.root, &disk, &ignored) ? disk.free : UINT64_MAX;
    prime_find_limit(p);
    return find_used(p, err) && prime_name_siblings(p, err);
}

/* ---- other programs ---- */

bool prime_decides(const char *variable)
{
    static const char *const names[] = { "CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE", "HOME", "APPDATA" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (strcmp(names[i], variable) == 0)
            return true;
    return false;
}

static const char *or_unset(const char *value)
{
    return value ? value : "unset";
}

/* Stops if programs of a fresh login would use another cache, or none. */
static bool judge_difference(struct prime *p, const struct jw_env_difference *d)
{
    if (d->terminal_agrees)
        return true;
    if (prime_decides(d->name) && !p->o->verify_only)
        return prime_end(
            p, JW_END_STOPPED,
            "%s is %.100s here, but %.100s in a fresh login: programs started from there would use another "
            "cache; set it for both, or name the cache: --cache %.100s",
            d->name, or_unset(d->here), or_unset(d->login), p->dir.root);
    prime_note(p, "%s is %.100s here, but %.100s in a fresh login%s%.100s", d->name, or_unset(d->here),
               or_unset(d->login), d->origin ? ", by " : "", d->origin ? d->origin : "");
    return true;
}

/* A container has no logins: every process gets the environment of its image and command. */
bool prime_ask_login(struct prime *p, struct jw_err *err)
{
    struct jw_login_env login;

    if (p->o->cache || p->o->same_login || jw_surroundings_here(p->a).container)
        return true;
    prime_notify(p, JW_PHASE_ASK_DRIVER, "reading the environment of a fresh login");
    if (!jw_login_env(p->a, &login, err))
        return false;
    if (!login.known) {
        prime_note(p, "the environment of a fresh login is unknown: %s",
                   login.why ? login.why : "the system does not say");
        return true;
    }
    p->login_known = true;
    jw_login_compare(&login, p->a, &p->differences, &p->n_differences);
    for (size_t i = 0; i < p->n_differences && !p->ended; i++)
        if (!judge_difference(p, &p->differences[i]))
            return false;
    return true;
}
