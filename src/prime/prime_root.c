/* Finds the cache of this user's programs, and stops if filling it would be useless. */
#include "prime/prime_steps.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/place/lookup.h"
#include "driver/worker/identity.h"
#include "facts/env_defaults.h"
#include "machine/listing.h"
#include "machine/settings.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

/* Only programs of root use root's cache. In a container that is all programs. */
bool prime_check_user(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    const char *user;

    (void)err;
    if (h->as_root || !jw_is_root_of_machine(run->a))
        return true;
    user = jw_env(run->a, "SUDO_USER");
    if (user && *user && strcmp(user, "root") != 0)
        return jw_run_end(
            run, JW_END_STOPPED,
            "as root it would fill root's cache, which %s's programs do not use; run: %s   (--as-root: for "
            "root's own programs)",
            user, JW_COMMAND(run->a, false, "sudo", "-u", user, "jitwarm", h->verb));
    return jw_run_end(
        run, JW_END_STOPPED,
        "as root it would fill root's cache, which no other user's programs use; run it as the user "
        "whose programs are slow, or use --as-root");
}

const char *prime_command(struct jw_run *run, const struct jw_prime_options *o)
{
    const char *user = jw_env(run->a, "SUDO_USER");

    if (o->absent_gpus || !jw_is_root_of_machine(run->a))
        return "jitwarm prime";
    if (o->as_root || !user || !*user || strcmp(user, "root") == 0)
        return "jitwarm prime --as-root";
    return JW_COMMAND(run->a, false, "sudo", "-u", user, "jitwarm", "prime");
}

static bool is_switched_on(struct jw_run *run, const char *name)
{
    const char *value = jw_env(run->a, name);

    return value && *value && strcmp(value, "0") != 0;
}

/* driver-fact: F81-force-disable */
bool prime_check_variables(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    static const char *const forbid[] = { "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT" };

    (void)err;
    for (size_t i = 0; i < JW_COUNT(forbid); i++)
        if (is_switched_on(run, forbid[i]))
            return jw_run_end(
                run, JW_END_STOPPED,
                "%s is set, so that the driver compiles nothing and CUDA programs fail where they have "
                "no machine code for the GPU; unset it",
                forbid[i]);
    h->software.force_jit = jw_cache_forced_by(run->a) != NULL;
    if (h->software.force_jit)
        JW_NOTE(
            run,
            "CUDA_FORCE_PTX_JIT or CUDA_FORCE_JIT is set: the driver ignores machine code, and all PTX is "
            "compiled");
    return true;
}

bool prime_is_homeless(struct jw_arena *a, const struct jw_cachedir *d)
{
    const char *home = jw_env_home(a);

    return !d->root_from.value && home && jw_text_starts(d->root, home) && !jw_is_folder(home);
}

static void check_root(struct jw_run *run, const struct prime_cache *c)
{
    const struct jw_cachedir *d = &c->dir;

    if (d->disabled && !c->asked)
        jw_run_end(
            run, JW_END_STOPPED,
            "CUDA_CACHE_DISABLE=1: the driver caches nothing, and every start compiles again; unset it");
    else if (jw_cache_forced_by(run->a) && !c->asked)
        jw_run_end(run, JW_END_STOPPED, "%s; unset it", jw_cache_why_ignored(d, run->a));
    else if (!d->root) {
        run->notes.n = 0; /* the note is the reason */
        jw_run_end(run, JW_END_CANNOT_WRITE, "%s",
                   d->notes.n ? d->notes.v[0] : "the system names no folder for the driver's cache");
    } else if (prime_is_homeless(run->a, d)) {
        jw_run_end(run, JW_END_CANNOT_WRITE, "the home folder %.200s does not exist, and jitwarm makes none",
                   jw_env_home(run->a));
    } else if (!jw_path_absolute(d->root))
        jw_run_end(run, JW_END_STOPPED,
                   "the cache folder %.200s is not an absolute path: each program that is started in another "
                   "folder has another cache; name it from the root of the file system",
                   d->root);
}

/* The cache limit of a new process of this user. driver-fact: F51-default-limit, F52-most */
void prime_find_limit(struct run_ctx *h)
{
    struct prime_cache *c = &h->cache;
    const struct prime_driver *d = &h->driver;
    unsigned cuda = d->probe.driver.cuda_version;
    const char *driver = d->probe.driver.version;
    char text[32];

    (void)snprintf(text, sizeof text, "%u.%u", cuda / 1000, cuda % 1000 / 10);
    jw_cachedir_default_limit(&c->dir, driver ? driver : cuda ? text : NULL);
    if (d->absent_gpus) { /* no program uses this cache, so the variables do not apply */
        c->dir.limit = jw_cache_limits().max;
        c->dir.limit_known = true;
    }
    c->out->limit_known = c->dir.limit_known;
    c->out->limit = c->dir.limit_known ? c->dir.limit : jw_cache_limits().before;
}

/* As the driver counts; 0 also if the index cannot be read. */
static bool find_used(struct prime_cache *c, struct jw_err *err)
{
    struct jw_index_file index = { 0 };

    if (!jw_index_load(c->dir.root, 1, &index, err))
        return false;
    c->out->used = index.found && !index.damage[0] ? index.records.total : 0;
    jw_cache_index_free(&index.records);
    return true;
}

void prime_look_disk(struct prime_cache *c)
{
    struct jw_disk disk;
    struct jw_err ignored;

    c->out->free_disk = c->dir.root && jw_disk_look(c->dir.root, &disk, &ignored) ? disk.free : UINT64_MAX;
}

bool prime_find_root(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    struct jw_session of = *run->session; /* a command may have chosen its cache itself */

    if (c->asked != of.cache)
        jw_session_use_cache(&of, c->asked);
    c->dir = *jw_session_cache(&of);
    for (size_t i = 0; i < c->dir.notes.n; i++)
        JW_NOTE(run, "%s", c->dir.notes.v[i]);
    if (c->asked && c->dir.root && !jw_real_path(c->asked, run->a, &c->dir.root, err))
        return jw_wrap(err, "%s", c->asked);
    check_root(run, c);
    if (run->ended)
        return true;
    c->out->root = c->dir.root;
    prime_look_disk(c);
    prime_find_limit(h);
    return find_used(c, err) && prime_name_absent_gpus(&h->driver, err);
}

bool prime_check_lookup(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    const char *why = jw_cache_why_unreadable(h->cache.dir.root, run->a);

    struct jw_disk disk;
    struct jw_err ignored;

    (void)err;
    if (!why)
        return true;
    if (!jw_disk_look(h->cache.dir.root, &disk, &ignored) || !disk.read_only)
        JW_ADVISE(run, "give yourself the right to write to %.200s/index: this user's programs need it",
                  h->cache.dir.root);
    return jw_run_end(run, JW_END_CANNOT_WRITE, "%s", why);
}

void prime_note_index(struct jw_run *run, const struct prime_cache *c)
{
    if (!c->listing.index_damage || c->listing.index_unread)
        return;
    JW_NOTE(run, "the cache's index is damaged: %s", c->listing.index_damage);
    JW_ADVISE(
        run, "%s   # rebuilds it",
        JW_COMMAND(run->a, jw_os_is_windows(), "jitwarm", "status", "--repair", "--cache", c->dir.root));
}

/* ---- the run's own folder, on the file system of the cache ---- */

/* plan and verify write nothing into the cache's folder. */
static bool make_elsewhere(struct jw_run *run, struct prime_cache *c, struct jw_err *err)
{
    return jw_state_scratch(JW_STATE_DRY_RUN, run->a, &c->work, err);
}

/* Users who may write there could replace our folder. */
static bool is_private(struct jw_run *run, const char *folder, struct jw_err *err)
{
    struct jw_trust t;

    return jw_trust_read(folder, run->a, &t, err) && jw_trust_own(&t, err);
}

bool prime_sweep_work(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    const char *above = jw_path_dir(run->a, h->cache.dir.root);
    struct jw_err ignored;

    (void)err;
    if (is_private(run, above, &ignored))
        jw_scratch_sweep(above, PRIME_WORK);
    if (is_private(run, h->cache.dir.root, &ignored))
        jw_scratch_sweep(h->cache.dir.root, PRIME_WORK);
    return true;
}

/* Makes the folder beside the root, or inside it if the root is a volume or others may write to the folder above. */
bool prime_make_work(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    char *above = jw_path_dir(run->a, c->dir.root);
    struct jw_disk root, beside;
    struct jw_err why = { 0 };

    if (h->reads_only)
        return make_elsewhere(run, c, err);
    if (jw_disk_look(c->dir.root, &root, &why) && root.read_only)
        return jw_fail(err, JW_E_IO, "%s is on a file system that is read-only", c->dir.root);
    if (jw_disk_look(above, &beside, &why) && beside.volume == root.volume && is_private(run, above, &why)
        && jw_scratch_make(above, PRIME_WORK, run->a, &c->work, &why))
        return true;
    return jw_scratch_make(c->dir.root, PRIME_WORK, run->a, &c->work, err);
}

/* ---- other programs ---- */

bool prime_chooses_cache(const char *variable)
{
    const struct jw_setting *s = jw_setting_find(variable);

    return s && s->place;
}

static const char *or_unset(const char *value)
{
    return value ? value : "unset";
}

/* Stops if programs of a fresh login would use another cache, or none. */
static void check_difference(struct jw_run *run, struct run_ctx *h, const struct jw_env_difference *d)
{
    const char *where = d->terminal_only ? "a new terminal" : "a fresh login";

    if (d->terminal_agrees)
        return;
    h->login.other_cache |= prime_chooses_cache(d->name);
    if (prime_chooses_cache(d->name) && !h->reads_only) {
        if (strcmp(h->verb, "prime") == 0)
            JW_ADVISE(
                run, "%s   # fills the cache of this shell; or set the variable for both",
                JW_COMMAND(run->a, jw_os_is_windows(), "jitwarm", "prime", "--cache", h->cache.dir.root));
        else
            JW_ADVISE(run, "the same command with --cache fills the cache of this shell; or set it for both");
        jw_run_end(run, JW_END_STOPPED,
                   "%s is %.100s here, but %.100s in %s, so programs started there use %s", d->name,
                   or_unset(d->current), or_unset(d->login), where,
                   strcmp(d->name, "CUDA_CACHE_DISABLE") == 0 ? "no cache" : "another cache");
    } else
        JW_NOTE(run, "%s is %.100s here, but %.100s in %s%s%.100s", d->name, or_unset(d->current),
                or_unset(d->login), where, d->origin ? ", by " : "", d->origin ? d->origin : "");
}

/* A container has no logins: every process gets the environment of its image and command. */
bool prime_ask_login(struct jw_run *run, struct run_ctx *h, struct jw_err *err)
{
    struct prime_login *l = &h->login;
    const struct jw_login_env *login;

    if (h->same_login || h->cache.asked || jw_surroundings_here(run->a).container)
        return true;
    prime_notify(run, JW_PHASE_ASK_DRIVER, "reading the environment of a fresh login");
    if (!jw_session_login(run->session, &login, err))
        return false;
    if (!login->known) {
        JW_NOTE(run, "the environment of a fresh login is unknown: %s",
                login->why ? login->why : "the system does not say");
        return true;
    }
    l->known = true;
    l->files = login->files;
    jw_login_compare(login, run->a, &l->v, &l->n);
    for (size_t i = 0; i < l->n && !run->ended; i++)
        check_difference(run, h, &l->v[i]);
    return true;
}

/* ---- in the report ---- */

#define C struct jw_cache_here

const struct jw_row prime_cache_rows[] = {
    { JW_ROW("root", C, root), JW_NULLABLE },
    { JW_ROW("limit_bytes", C, limit), JW_ABOUT("that a new process of this user has") },
    { JW_ROW("limit_known", C, limit_known),
      JW_ABOUT("false: no driver was asked, and the smallest default counts") },
    { JW_ROW("used_bytes", C, used), JW_ABOUT("before") },
    { 0 },
};
