/* Finds the cache of this user's programs, and stops if filling it would be useless. */
#include "prime/prime_steps.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/place/lookup.h"
#include "facts/env_defaults.h"
#include "machine/settings.h"
#include "machine/shell.h"
#include "machine/trust.h"
#include "os/files/disk.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "prime/facts.h"
#include "session/blocker.h"
#include "session/lines.h"
#include "session/login_start.h"

#include <stdio.h>
#include <string.h>

/* The notes said the same, so they are dropped. */
bool prime_end_blocked(struct jw_run *run, const struct jw_blocker *h)
{
    bool stopped = h->is == JW_BLOCKER_FOREIGN; /* it could be written */

    run->notes.n = 0;
    JW_ADVISE(run, "%s", jw_unblocked_command(h, jw_run_again(run, NULL), run->a));
    return jw_run_end(run, stopped ? JW_END_STOPPED : JW_END_CANNOT_WRITE, "%s", h->what);
}

/* Ends a run as root: only root's programs use root's cache. In a container all programs are root's. */
bool prime_check_user(struct run_ctx *h, struct jw_err *err)
{
    struct jw_blocker blocker;
    const char *user;

    (void)err;
    if (!jw_session_is_root(h->run->session))
        return true;
    blocker = jw_session_blocker(h->run->session, h->cache.asked, h->run->a);
    if (blocker.is == JW_BLOCKER_FOREIGN)
        return prime_end_blocked(h->run, &blocker);
    user = jw_env(h->run->a, "SUDO_USER");
    user = user && *user && strcmp(user, "root") != 0 ? user : NULL;
    if (h->as_root)
        return true;
    if (user) {
        JW_ADVISE(h->run, "%s %s", JW_COMMAND(h->run->a, false, "sudo", "-u", user),
                  jw_run_again(h->run, NULL));
        return jw_run_end(
            h->run, JW_END_STOPPED,
            "as root it would fill root's cache, which %s's programs do not use (--as-root: for "
            "root's own programs)",
            user);
    }
    JW_ADVISE(h->run, "%s   # for root's own programs", jw_run_again(h->run, "--as-root"));
    return jw_run_end(
        h->run, JW_END_STOPPED,
        "as root it would fill root's cache, which no other user's programs use; run it as the user "
        "whose programs are slow, or use --as-root");
}

const char *prime_command(struct jw_run *run, const struct jw_prime_options *o)
{
    return o->absent_gpus ? "jitwarm prime" : jw_line_prime(run->session, o->as_root, run->a);
}

/* Advises the same command with this value of a variable; NULL: without the variable. */
static void advise_with(struct jw_run *run, const char *variable, const char *value)
{
    bool windows = jw_os_is_windows();

    JW_ADVISE(run, "%s",
              jw_shell_then(run->a, windows,
                            jw_shell_set(run->a, windows, jw_shell_here(run->a), variable, value),
                            jw_run_again(run, NULL)));
}

static void advise_without(struct jw_run *run, const char *variable)
{
    advise_with(run, variable, NULL);
}

/* driver-fact: F81-force-disable */
bool prime_check_variables(struct run_ctx *h, struct jw_err *err)
{
    const char *forbidden = jw_cache_forbidden_by(h->run->a);

    (void)err;
    if (forbidden) {
        h->cache.out->forbidden = jw_cache_why_forbidden(h->run->a);
        advise_without(h->run, forbidden);
        return jw_run_end(h->run, JW_END_STOPPED, "%s", h->cache.out->forbidden);
    }
    h->software.force_jit = jw_cache_forced_by(h->run->a) != NULL;
    if (h->software.force_jit)
        JW_NOTE(
            h->run,
            "CUDA_FORCE_PTX_JIT or CUDA_FORCE_JIT is set: the driver ignores machine code, and all PTX is "
            "compiled");
    return true;
}

static void advise_other_place(struct jw_run *run, const struct prime_cache *c)
{
    const char *out = jw_session_way_out(run->session, c->asked, run->a);

    if (out)
        JW_ADVISE(run, "%s",
                  jw_text_starts(out, "chmod ")
                      ? out
                      : jw_shell_then(run->a, jw_os_is_windows(), out, jw_run_again(run, NULL)));
    else
        JW_ADVISE(run, "%s",
                  c->asked ? JW_COMMAND(run->a, jw_os_is_windows(), "jitwarm", "doctor", "--cache", c->folder)
                           : "jitwarm doctor");
}

static bool is_of_kernel(const char *path)
{
    struct jw_disk disk;
    struct jw_err ignored;

    return jw_disk_look(path, &disk, &ignored) && disk.kind == JW_DISK_KERNEL;
}

static void check_cache(struct jw_run *run, const struct prime_cache *c, const struct jw_cachedir *d)
{
    const struct jw_blocker blocker = jw_session_blocker(run->session, c->asked, run->a);
    const char *forced = jw_cache_forced_by(run->a);

    if (d->disabled && !c->asked) {
        advise_without(run, d->nameless ? "CUDA_CACHE_PATH" : "CUDA_CACHE_DISABLE");
        run->notes.n = d->nameless ? 0 : run->notes.n; /* the note is the reason */
        jw_run_end(run, JW_END_STOPPED, "%s", jw_cache_why_ignored(d, run->a));
    } else if (forced && !c->asked) {
        advise_without(run, forced);
        jw_run_end(run, JW_END_STOPPED, "%s", jw_cache_why_ignored(d, run->a));
    } else if (jw_blocker_hides(&blocker)) {
        prime_end_blocked(run, &blocker);
    } else if (!c->folder) {
        run->notes.n = 0; /* the note is the reason */
        jw_run_end(run, JW_END_CANNOT_WRITE, "%s",
                   d->notes.n ? d->notes.v[0] : "the system names no folder for the driver's cache");
    } else if (is_of_kernel(c->folder)) {
        jw_run_end(run, JW_END_CANNOT_WRITE,
                   "the cache folder %.200s is where the kernel shows itself: no file can be made there",
                   c->folder);
    }
}

/* Finds the cache limit of a new process of this user. driver-fact: F51-default-limit, F52-most */
void prime_find_limit(struct run_ctx *h)
{
    struct prime_cache *c = &h->cache;
    struct jw_cachedir dir = *jw_session_cache_of(h->run->session, c->asked);
    unsigned cuda = h->driver.probe->driver.cuda_version;
    const char *driver = h->driver.out->version;
    char text[32];

    (void)snprintf(text, sizeof text, "%u.%u", cuda / 1000, cuda % 1000 / 10);
    jw_cachedir_default_limit(&dir, driver ? driver : cuda ? text : NULL);
    c->least = jw_cachedir_least(&dir);
    c->out->limit = (struct jw_cache_limit){
        .known = dir.limit_known || h->driver.absent_gpus,
        .bytes = h->driver.absent_gpus ? jw_cache_limits().max /* no program's variables count */
                 : dir.limit_known     ? dir.limit
                                       : jw_cache_limits().before,
    };
    if (h->login.here && !c->tuned)
        jw_login_limit(h->login.here, driver ? driver : cuda ? text : NULL, h->run->a, &c->out->limit);
}

/* Counts as the driver does; 0 also where the index cannot be read. */
bool prime_find_used(struct prime_cache *c, struct jw_err *err)
{
    struct jw_index_file index = { 0 };

    if (!jw_index_load(c->folder, 1, &index, err))
        return false;
    c->out->used = index.found && !index.damage[0] ? index.records.total : 0;
    jw_cache_index_free(&index.records);
    return true;
}

void prime_look_disk(struct prime_cache *c)
{
    struct jw_disk disk;
    struct jw_err ignored;
    bool known = c->folder && jw_disk_look(c->folder, &disk, &ignored);

    c->out->free_disk = known ? disk.free : UINT64_MAX;
    c->out->spare_disk = known ? jw_disk_spare(&disk) : JW_SPARE_DISK;
}

bool prime_find_cache(struct run_ctx *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    const struct jw_cachedir *dir = jw_session_cache_of(h->run->session, c->asked);

    for (size_t i = 0; i < dir->notes.n; i++)
        JW_NOTE(h->run, "%s", dir->notes.v[i]);
    c->folder = dir->folder;
    if (c->asked && c->folder && !jw_real_path(c->asked, h->run->a, &c->folder, err))
        return jw_wrap(err, "%s", c->asked);
    check_cache(h->run, c, dir);
    if (h->run->ended)
        return true;
    c->out->folder = c->folder;
    prime_look_disk(c);
    prime_find_limit(h);
    return prime_find_used(c, err) && prime_name_absent_gpus(&h->driver, err);
}

enum { STORING_MS = 3000 };

bool prime_check_lookup(struct run_ctx *h, struct jw_err *err)
{
    /* A run that changes the cache waits for a program that stores. A run that only looks says what the driver would
     * find now. */
    const char *why = h->reads_only ? jw_cache_why_unreadable(h->cache.folder, h->run->a)
                                    : jw_cache_why_unreadable_for(h->cache.folder, STORING_MS, h->run->a);

    (void)err;
    if (!why)
        return true;
    advise_other_place(h->run, &h->cache);
    return jw_run_end(h->run, JW_END_CANNOT_WRITE, "%s", why);
}

void prime_note_index(const struct run_ctx *h)
{
    if (h->cache.listing.index_trouble && h->cache.listing.index_damage)
        JW_NOTE(h->run, "the cache's index is damaged: %s", h->cache.listing.index_damage);
    else if (h->cache.listing.index_trouble)
        JW_NOTE(h->run, "the cache's index is missing or empty: %s/index", h->cache.folder);
}

/* ---- the run's own folder, on the file system of the cache ---- */

/* Makes the work folder in jitwarm's state: plan and verify write nothing into the cache's folder. */
static bool make_elsewhere(struct jw_run *run, struct prime_cache *c, struct jw_err *err)
{
    return jw_state_scratch(JW_STATE_DRY_RUN, run->a, &c->work, err);
}

/* Writes something, which shows a full disk, a quota and missing rights. */
bool prime_check_state(struct run_ctx *h, struct jw_err *err)
{
    return make_elsewhere(h->run, &h->cache, err);
}

/* Can no other user write there? Such a user could replace jitwarm's folder. */
static bool is_private(struct jw_run *run, const char *folder, struct jw_err *err)
{
    struct jw_trust t;

    return jw_trust_read(folder, run->a, &t, err) && jw_trust_own(&t, err);
}

bool prime_sweep_work(struct run_ctx *h, struct jw_err *err)
{
    const char *above = jw_path_dir(h->run->a, h->cache.folder);
    struct jw_err ignored;

    (void)err;
    if (is_private(h->run, above, &ignored))
        jw_scratch_sweep(above, PRIME_WORK);
    if (is_private(h->run, h->cache.folder, &ignored))
        jw_scratch_sweep(h->cache.folder, PRIME_WORK);
    return true;
}

/* Makes the folder beside the cache, or inside it if the cache is a volume or others may write to the folder above. */
bool prime_make_work(struct run_ctx *h, struct jw_err *err)
{
    struct prime_cache *c = &h->cache;
    char *above = jw_path_dir(h->run->a, c->folder);
    struct jw_disk disk, beside;
    struct jw_err why = { 0 };

    if (h->reads_only)
        return make_elsewhere(h->run, c, err);
    if (jw_disk_look(c->folder, &disk, &why) && disk.read_only)
        return jw_fail(err, JW_E_IO, "%s is on a file system that is read-only", c->folder);
    if (jw_disk_look(above, &beside, &why) && beside.volume == disk.volume && is_private(h->run, above, &why)
        && jw_scratch_make(above, PRIME_WORK, h->run->a, &c->work, &why))
        return true;
    return jw_scratch_make(c->folder, PRIME_WORK, h->run->a, &c->work, err);
}

/* ---- other programs ---- */

/* Does this variable decide which cache a program uses, or whether it uses one? */
static bool chooses_cache(const char *variable)
{
    const struct jw_setting *s = jw_setting_find(variable);

    return s && s->place;
}

/* "CUDA_CACHE_PATH is /a here, but unset in a fresh login" */
static const char *difference(const struct jw_run *run, const struct jw_env_difference *d)
{
    const char *values[] = { d->current, d->login };

    jw_text_short_two(values, 100, run->a);
    return jw_arena_printf(run->a, "%s is %s here, but %s in %s", d->name, values[0] ? values[0] : "unset",
                           values[1] ? values[1] : "unset", jw_login_name(d->terminal_only));
}

/* Ends the run: it is not known whether the user means programs of the login, or those of this shell. */
static void end_elsewhere(const struct run_ctx *h, const struct jw_env_difference *d)
{
    JW_ADVISE(h->run, "%s   # fills the cache of this shell; or set %s for both",
              jw_run_again(h->run, JW_COMMAND(h->run->a, jw_os_is_windows(), "--cache", h->cache.folder)),
              d->name);
    jw_run_end(h->run, JW_END_STOPPED, "%s, so programs started there use another cache",
               difference(h->run, d));
}

static void note_difference(struct jw_run *run, const struct jw_env_difference *d)
{
    JW_NOTE(run, "%s%s%.100s", difference(run, d), d->origin ? ", by " : "", d->origin ? d->origin : "");
}

/* Ends the run: no prime makes programs of the login start without compiling, only a change of their setting does. */
static void end_spoilt(struct run_ctx *h)
{
    const struct jw_login_start *start = &h->login.start;

    if (start->is == JW_LOGIN_FAILS)
        h->cache.out->forbidden = start->what;
    if (start->command)
        JW_ADVISE(h->run, "%s",
                  jw_shell_then(h->run->a, jw_os_is_windows(), start->command, jw_run_again(h->run, NULL)));
    else
        JW_ADVISE(h->run, "jitwarm doctor   # says which settings a login has");
    jw_run_end(h->run, JW_END_STOPPED, "%s", start->what);
}

static void take_obstacles(const char *login, const struct jw_cache_listing *l,
                           struct jw_next_start_facts *out)
{
    out->obstacle = login;
    out->elsewhere_at_login = login != NULL;
    jw_next_start_take_index(out, l->index_trouble);
}

const char *prime_obstacle(const struct run_ctx *h)
{
    struct jw_next_start_facts f = { 0 };

    take_obstacles(h->login.start.is == JW_LOGIN_OTHER_CACHE ? h->login.start.what : NULL, &h->cache.listing,
                   &f);
    return f.obstacle;
}

const char *prime_index_trouble(const struct run_ctx *h)
{
    struct jw_next_start_facts f = { 0 };

    take_obstacles(NULL, &h->cache.listing, &f);
    return f.index;
}

/* Asks a fresh login, which starts programs, too: how they start there, and whether their limit is lower. */
static bool ask_login_of(struct jw_session *s, const char *driver, struct jw_cache_limit *limit,
                         struct jw_login_start *start, struct jw_err *err)
{
    const struct jw_login_env *login;

    if (s->cache || jw_session_surroundings(s)->container)
        return true;
    if (!jw_session_login(s, &login, err) || !jw_session_login_start(s, s->cache, start, err))
        return false;
    if (login->known)
        jw_login_limit(login, driver, s->a, limit);
    return true;
}

bool jw_next_start_of_cache(struct jw_session *s, const struct jw_cache_listing *l, bool of_login,
                            struct jw_next_start_facts *out, struct jw_err *err)
{
    struct jw_cachedir dir = *jw_session_cache(s);
    const struct jw_driver_state *known = jw_session_driver_file(s)->known;
    const char *driver = known ? known->version : NULL, *refusal = jw_cache_why_unreadable(dir.folder, s->a);
    struct jw_login_start login = { 0 };

    *out = (struct jw_next_start_facts){
        .asked = JW_ASKED_ALL, /* the caller, who counts the modules, adds the rest */
        .setting = jw_cache_why_ignored(&dir, s->a),
        .forbidden = jw_cache_why_forbidden(s->a),
        .stored = l->index.total
    };
    jw_cachedir_default_limit(&dir, driver);
    out->limit = (struct jw_cache_limit){ .bytes = dir.limit, .known = dir.limit_known };
    if (of_login && !ask_login_of(s, driver, &out->limit, &login, err))
        return false;
    if (login.is == JW_LOGIN_COMPILES && !out->setting)
        out->setting = login.what;
    if (login.is == JW_LOGIN_FAILS && !out->forbidden)
        out->forbidden = login.what;
    if (jw_login_is_unknown(&login))
        out->login = login.what;
    out->obstacle = refusal;
    if (!refusal)
        take_obstacles(login.is == JW_LOGIN_OTHER_CACHE ? login.what : NULL, l, out);
    return true;
}

static bool asks_login(const struct run_ctx *h)
{
    return !h->same_login && !h->cache.asked;
}

bool prime_begin_login(struct run_ctx *h, struct jw_err *err)
{
    (void)err;
    if (asks_login(h))
        jw_session_login_begin(h->run->session);
    return true;
}

bool prime_ask_login(struct run_ctx *h, struct jw_err *err)
{
    struct prime_login *l = &h->login;
    const struct jw_login_env *login;
    bool container = jw_session_surroundings(h->run->session)->container;

    if (!asks_login(h))
        return true;
    prime_notify(h->run, JW_PHASE_ASK_DRIVER, JW_WAITS_FOR_LOGIN);
    if (!jw_session_login(h->run->session, &login, err))
        return false;
    l->asked = true;
    if (!login->known && container)
        return true;
    if (!login->known && !login->silent) {
        JW_NOTE(h->run, "the environment of a fresh login is unknown: %s",
                login->why ? login->why : "the system does not say");
        return true;
    }
    l->here = container || !login->known ? NULL : login;
    jw_login_compare(login, h->run->a, &l->v, &l->n);
    if (!container)
        l->start = jw_login_start_of(login, l->v, l->n, jw_session_is_root(h->run->session), h->run->a);
    if (jw_login_spoils(&l->start))
        end_spoilt(h);
    else if (l->start.is == JW_LOGIN_OTHER_CACHE && !h->reads_only)
        end_elsewhere(h, l->start.by);
    if (h->run->ended)
        return true;
    if (jw_login_is_unknown(&l->start))
        h->cache.out->login = l->start.what;
    if (l->start.is == JW_LOGIN_KEEPS_NOTHING)
        JW_NOTE(h->run, "%s", l->start.what);
    for (size_t i = 0; i < l->n; i++)
        if (!l->v[i].terminal_agrees && jw_login_weighs(&l->v[i], container) != JW_LOGIN_PASSED
            && (container
                || (!jw_setting_is_of_gpus(l->v[i].name) /* GPUs are taken by prime_take_login_gpus */
                    && (l->start.is == JW_LOGIN_OTHER_CACHE || !chooses_cache(l->v[i].name)))))
            note_difference(h->run, &l->v[i]);
    l->n = container ? 0 : l->n; /* in a container nothing rests on the differences */
    prime_find_limit(h);
    return true;
}

/* ---- in the report ---- */

#define C struct jw_cache_here

const struct jw_row prime_cache_rows[] = {
    { JW_ROW("folder", C, folder), JW_NULLABLE },
    { JW_ROW("limit_bytes", C, limit.bytes), JW_ABOUT("that a new process of this user has") },
    { JW_ROW("limit_known", C, limit.known),
      JW_ABOUT("false: no driver was asked, and the smallest default counts") },
    { JW_ROW("used_bytes", C, used), JW_ABOUT("before") },
    { 0 },
};
