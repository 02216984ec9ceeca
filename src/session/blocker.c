#include "session/blocker.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/memory/warmplace.h"
#include "cache/place/cacheplace.h"
#include "machine/gpu_text.h"
#include "machine/listing.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

static const char home_name[] = "HOME", path_name[] = "CUDA_CACHE_PATH",
                  visible_name[] = "CUDA_VISIBLE_DEVICES";

static const char *new_folder(const struct jw_blocker_facts *f, struct jw_arena *a, const char *name,
                              const char *prefix)
{
    return jw_shell_set_new_folder(a, f->windows, f->shell, name, prefix);
}

static struct jw_blocker of_home(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    struct jw_blocker h = { .variable = home_name };

    if (!f->home || !*f->home) {
        h.is = JW_BLOCKER_NO_HOME;
        h.what = f->cache_elsewhere ? "HOME is not set: jitwarm has no folder for what it remembers"
                                    : "HOME is not set: the driver has no folder for its cache, and compiles "
                                      "again in every process";
    } else if (*f->home != '/') {
        h.is = JW_BLOCKER_HOME_RELATIVE;
        h.what =
            jw_arena_printf(a,
                            "HOME=%.200s is not an absolute path: programs started in different folders use "
                            "different caches",
                            f->home);
    } else if (f->home_why) {
        h.is = JW_BLOCKER_HOME_MISSING;
        h.what =
            jw_arena_printf(a, "the home folder %.200s %s, and jitwarm makes none", f->home, f->home_why);
    }
    if (h.is)
        h.command = f->login_home ? jw_shell_set(a, false, f->shell, home_name, f->login_home)
                                  : new_folder(f, a, home_name, "home");
    return h;
}

static struct jw_blocker of_path(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    struct jw_blocker h = { .variable = path_name };

    if (!jw_path_absolute(f->path)) {
        h.is = JW_BLOCKER_PATH_RELATIVE;
        h.what = jw_arena_printf(a,
                                 "CUDA_CACHE_PATH=%.200s is not an absolute path: programs started in "
                                 "different folders use different caches",
                                 f->path);
    } else if (f->path_why) {
        h.is = JW_BLOCKER_PATH;
        h.what = jw_arena_printf(a, "CUDA_CACHE_PATH=%.200s %s", f->path, f->path_why);
    }
    if (h.is)
        h.command =
            f->without_path ? f->without_path : jw_shell_set(a, f->windows, f->shell, path_name, NULL);
    return h;
}

/* A file stands at the driver's default place. It may be somebody's, so the command renames it and deletes
 * nothing. */
static struct jw_blocker of_place(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    return (struct jw_blocker){ .is = JW_BLOCKER_PATH,
                                .variable = path_name,
                                .what = jw_arena_printf(a, "the driver's cache %s", f->place_why),
                                .command = f->place_ours
                                               ? JW_COMMAND(a, f->windows, f->windows ? "move" : "mv",
                                                            f->place, jw_arena_printf(a, "%s.old", f->place))
                                               : new_folder(f, a, path_name, "cuda-cache") };
}

static const char state_name[] = "JITWARM_STATE";

/* If the cache's folder cannot be written either, one line mends both. */
static struct jw_blocker of_state(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    const char *command = f->state_closes     ? f->state_closes
                          : f->state_variable ? jw_shell_set(a, f->windows, f->shell, f->state_variable, NULL)
                                              : new_folder(f, a, state_name, "jitwarm-state");

    if (f->cache_unwritable)
        command = jw_shell_then(a, f->windows, new_folder(f, a, path_name, "cuda-cache"), command);
    return (struct jw_blocker){ .is = JW_BLOCKER_STATE,
                                .variable = state_name,
                                .what = jw_arena_printf(
                                    a, "what jitwarm remembers cannot be kept in %.200s%s: %s", f->state,
                                    f->state_variable ? jw_arena_printf(a, " (%s)", f->state_variable) : "",
                                    f->because),
                                .command = command };
}

/* The file may be somebody's, so the command renames it and deletes nothing. */
static struct jw_blocker of_blocked(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    return (struct jw_blocker){
        .is = JW_BLOCKER_STATE,
        .variable = state_name,
        .what = jw_arena_printf(a, "what jitwarm remembers cannot be kept: %s", f->blocked_why),
        .command = JW_COMMAND(a, f->windows, f->windows ? "move" : "mv", f->blocked, f->aside)
    };
}

/* sudo -E, and an older sudo, keep HOME. Root could write there, but the owner could not change those files,
 * nor find entries without the index. */
static struct jw_blocker of_foreign(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    bool of_home = f->home && !f->foreign_named
                   && (jw_text_same(f->foreign, f->home) || jw_path_below(f->foreign, f->home));
    const char *number = jw_text_starts(f->owner, "user ") ? f->owner + strlen("user ") : NULL,
               *owner = f->caller ? f->caller
                        : number  ? jw_arena_printf(a, "#%s", number)
                                  : f->owner;
    struct jw_blocker h = { .is = JW_BLOCKER_FOREIGN,
                            .variable = of_home ? home_name : path_name,
                            .what = jw_arena_printf(
                                a,
                                of_home ? "HOME is %.200s, which belongs to %s: as root jitwarm would make "
                                          "files there that this user's programs cannot use"
                                        : "%.200s belongs to %s: as root jitwarm would make files there that "
                                          "this user's programs cannot use",
                                of_home ? f->home : f->foreign, f->owner) };

    if (!f->caller && of_home && f->login_home && strcmp(f->login_home, f->home) != 0) {
        h.command = jw_shell_set(a, false, f->shell, home_name, f->login_home);
    } else {
        h.as = f->caller ? JW_COMMAND(a, false, "sudo", "-u", owner)
                         : JW_COMMAND(a, false, "sudo", "-H", "-u", owner);
        h.command = jw_arena_printf(a, "%s jitwarm prime", h.as);
    }
    return h;
}

const char *jw_unblocked_command(const struct jw_blocker *h, const char *again, struct jw_arena *a)
{
    return h->as ? jw_arena_printf(a, "%s %s", h->as, again)
                 : jw_shell_then(a, jw_os_is_windows(), h->command, again);
}

static struct jw_blocker of_full_disk(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    const char *disk = f->full ? f->full : f->cache_full;

    return (struct jw_blocker){ .is = JW_BLOCKER_FULL,
                                .variable = f->full ? "JITWARM_STATE" : path_name,
                                .what = jw_arena_printf(a, "the disk of %.200s is full: %s", disk,
                                                        f->full ? "jitwarm cannot keep what it remembers"
                                                                : "the driver cannot keep what it compiles"),
                                .command = f->windows ? JW_COMMAND(a, true, "jitwarm", "doctor")
                                                      : jw_arena_printf(a, "du -xh -d 2 %s | sort -h | tail",
                                                                        JW_COMMAND(a, false, disk)) };
}

static struct jw_blocker of_open_cache(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    return (struct jw_blocker){
        .is = JW_BLOCKER_OPEN,
        .variable = path_name,
        .what = jw_arena_printf(a,
                                "%s may write to the cache's folder %.200s, and so replace the GPU code that "
                                "programs run: jitwarm puts nothing there",
                                f->writers, f->open),
        .command = f->is_cache ? f->closes ? f->closes : JW_COMMAND(a, f->windows, "chmod", "go-w", f->open)
                   : f->without_path ? f->without_path
                                     : jw_shell_set(a, f->windows, f->shell, path_name, NULL)
    };
}

struct jw_blocker jw_blocker_of(const struct jw_blocker_facts *f, struct jw_arena *a)
{
    struct jw_blocker h = { 0 };

    if (f->home_asked && !f->windows)
        h = of_home(f, a);
    if (!h.is && f->path)
        h = of_path(f, a);
    if (!h.is && f->place)
        h = of_place(f, a);
    if (!h.is && f->foreign)
        h = of_foreign(f, a);
    if (!h.is && f->because)
        h = of_state(f, a);
    if (!h.is && f->blocked)
        h = of_blocked(f, a);
    if (!h.is && (f->full || f->cache_full))
        h = of_full_disk(f, a);
    if (!h.is && f->open && (f->closes || !f->windows))
        h = of_open_cache(f, a);
    return h;
}

/* ---- of this machine ---- */

/* The folder, file or link from which the path goes on into nothing. */
static const char *nearest(const char *path, struct jw_arena *a)
{
    while (jw_is_absent(path) && !jw_is_link(path) && strcmp(jw_path_dir(a, path), path) != 0)
        path = jw_path_dir(a, path);
    return path;
}

/* Why no user can make a folder at this path; NULL: one can, or that is not known. */
static const char *why_no_cache(const char *path, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;
    struct jw_disk disk;

    path = nearest(path, a);
    if (jw_disk_look(path, &disk, &ignored) && disk.kind == JW_DISK_KERNEL)
        return "is where the kernel shows itself: no file can be made there";
    if (jw_is_link(path) && jw_is_absent(path))
        return jw_arena_printf(a, "leads to no folder: %.200s is a link to something that is not there",
                               path);
    if (jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_OTHER) /* /dev/null */
        return jw_arena_printf(a, "leads to no folder: %.200s is not one", path);
    return jw_is_file(path) ? jw_arena_printf(a, "leads to no folder: %.200s is a file", path) : NULL;
}

bool jw_session_check_folders(const char *cache, struct jw_arena *a, const char **command, struct jw_err *err)
{
    const char *why = cache ? why_no_cache(cache, a) : NULL, *ignored;

    *command = NULL;
    if (why)
        return jw_fail(err, JW_E_USAGE, "--cache %.200s %s", cache, why);
    if (jw_state_named(a, state_name, &ignored, err))
        return true;
    *command = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), state_name, NULL);
    return false;
}

const char *jw_why_unwritable(const char *folder, struct jw_arena *a)
{
    const char *never = why_no_cache(folder, a);
    struct jw_err err = { 0 };
    struct jw_disk disk;
    bool may;

    if (never)
        return jw_arena_printf(a, "it %s", never);
    while (!jw_is_folder(folder) && strcmp(jw_path_dir(a, folder), folder) != 0)
        folder = jw_path_dir(a, folder);
    if (jw_dir_may_add(folder, &may, &err))
        return may                                                   ? NULL
               : jw_disk_look(folder, &disk, &err) && disk.read_only ? "the file system is read-only"
                                                                     : "permission denied";
    return jw_arena_str(a, err.msg);
}

/* The variable that names the state folder, if it is to blame: without it another folder is used, which can be
 * written. */
static const char *blamed_variable(struct jw_arena *a)
{
    static const char *const names[] = { state_name, "XDG_STATE_HOME" };
    const char *home = jw_env_home(a);

    for (size_t i = 0; home && !jw_os_is_windows() && i < JW_COUNT(names); i++) {
        const char *value = jw_env(a, names[i]), *next = jw_env(a, "XDG_STATE_HOME");

        if (!value || !jw_path_absolute(value))
            continue;
        if (i || !next || !jw_path_absolute(next))
            next = jw_path_join(a, home, ".local/state");
        return jw_is_folder(home) && !jw_why_unwritable(jw_path_join(a, next, "jitwarm"), a) ? names[i]
                                                                                             : NULL;
    }
    return NULL;
}

/* Finds a file or folder that cannot be used in the place of jitwarm's records; the folder above it can be
 * written. */
static void find_blocked(struct jw_session *s, const char *cache, struct jw_arena *a,
                         struct jw_blocker_facts *f)
{
    const char *path, *why = jw_warm_blocked(cache, a, &path);

    if (!why && jw_session_drivers(s)->blocked) {
        path = jw_session_drivers(s)->blocked;
        why = jw_arena_printf(a, "%s is not a file", path);
    }
    if (!why)
        return;
    if (strcmp(path, f->state) == 0 && blamed_variable(a)) {
        f->because = "it is not a folder";
        return;
    }
    f->because = jw_why_unwritable(jw_path_dir(a, path), a);
    f->blocked = path;
    f->blocked_why = why;
    f->aside = jw_arena_printf(a, "%s.damaged", path);
    for (unsigned i = 2; !jw_is_absent(f->aside) && i < 100; i++)
        f->aside = jw_arena_printf(a, "%s.damaged-%u", path, i);
}

/* The user's own state folder is not used if others may write there: files in it may be theirs. */
static void find_open_state(struct jw_arena *a, struct jw_blocker_facts *f)
{
    struct jw_err ignored;
    struct jw_trust t;

    if (f->because || f->windows || !jw_trust_read(f->state, a, &t, &ignored) || !t.exists || t.owner
        || !t.writers || t.by_access_list)
        return;
    f->because = jw_arena_printf(a, "%s may write to it", t.writers);
    f->state_closes = JW_COMMAND(a, false, "chmod", "go-w", f->state);
}

/* The topmost folder of a disk that is full; NULL: it is not. */
static const char *full_disk_of(const char *folder, struct jw_arena *a)
{
    enum { ENOUGH = 1 << 16 }; /* bytes, for what jitwarm remembers */
    struct jw_cache_place place;
    struct jw_disk disk;
    struct jw_err ignored;

    if (!jw_disk_look(folder, &disk, &ignored) || !disk.total || disk.free >= ENOUGH)
        return NULL;
    jw_cache_place(folder, a, &place);
    return place.mount ? place.mount : place.nearest;
}

/* The nearest folder above that is there, if it is another user's. */
static void find_foreign(const char *folder, struct jw_arena *a, struct jw_blocker_facts *f)
{
    struct jw_trust trust;
    struct jw_err ignored;

    folder = folder ? nearest(folder, a) : NULL;
    if (f->foreign || !folder || !jw_trust_read(folder, a, &trust, &ignored) || !trust.exists || !trust.owner)
        return;
    f->foreign = folder;
    f->owner = trust.owner;
}

static void find_foreigns(struct jw_session *s, const struct jw_cachedir *dir, struct jw_arena *a,
                          struct jw_blocker_facts *f)
{
    const char *caller = jw_env(a, "SUDO_USER");

    if (!jw_session_is_root(s))
        return;
    if (jw_cache_is_asked(dir, a) || jw_cachedir_is_named(dir))
        find_foreign(dir->folder, a, f);
    f->foreign_named = f->foreign && dir->folder_from.value;
    find_foreign(f->state, a, f);
    f->caller = caller && *caller && strcmp(caller, "root") != 0 ? caller : NULL;
}

/* NULL: others may not write there. */
static const char *closes_of(const char *folder, struct jw_arena *a)
{
    struct jw_err ignored;
    struct jw_trust t;

    if (!jw_trust_read(folder, a, &t, &ignored) || !t.exists || t.owner || !t.writers)
        return NULL;
    return t.fix_command ? t.fix_command : JW_COMMAND(a, false, "chmod", "go-w", folder);
}

const char *jw_session_without_path(struct jw_session *s, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    const char *unset = jw_shell_set(a, windows, jw_shell_here(a), path_name, NULL), *why,
               *usual = jw_cachedir_default(a, &why), *closes, *both;
    const struct jw_env_value *there;
    const struct jw_login_env *login;
    struct jw_err ignored;

    if (!usual || jw_session_surroundings(s)->container || !jw_session_login(s, &login, &ignored))
        return unset;
    there = jw_env_set_find(&login->sets, path_name);
    if (!there || !jw_text_same(there->value, jw_env(a, path_name)))
        return unset;
    both =
        jw_shell_then(a, windows, JW_COMMAND(a, windows, "jitwarm", "env", "apply", "--path", usual), unset);
    closes = closes_of(usual, a); /* else env apply does not take it */
    return closes ? jw_shell_then(a, windows, closes, both) : both;
}

/* The command changes the mode only of a folder that is plainly the driver's cache; another folder may hold anything,
 * and is not used. */
static void find_open(struct jw_session *s, const struct jw_cachedir *dir, struct jw_arena *a,
                      struct jw_blocker_facts *f)
{
    bool named = dir->folder_from.value && strcmp(dir->folder_from.origin, path_name) == 0;
    struct jw_err ignored;
    struct jw_trust t;

    if (!dir->folder || !jw_trust_read(dir->folder, a, &t, &ignored) || !t.exists || t.owner || !t.writers)
        return;
    f->is_cache = !t.sticky && !jw_session_is_root(s)
                  && (!dir->folder_from.value || jw_is_file(jw_path_join(a, dir->folder, "index")));
    if (!f->is_cache && !named)
        return;
    f->open = dir->folder;
    f->writers = t.writers;
    f->closes = t.fix_command;
}

static void find_place(const struct jw_cachedir *dir, struct jw_arena *a, struct jw_blocker_facts *f)
{
    struct jw_err ignored;

    f->place_why = dir->folder && !f->cache_elsewhere && jw_path_absolute(dir->folder)
                       ? why_no_cache(dir->folder, a)
                       : NULL;
    f->place = f->place_why ? nearest(dir->folder, a) : NULL;
    f->place_ours = f->place && f->home && jw_path_below(f->place, f->home)
                    && (!jw_dir_may_add(jw_path_dir(a, f->place), &f->place_ours, &ignored) || f->place_ours);
}

struct jw_blocker jw_session_blocker(struct jw_session *s, const char *cache, struct jw_arena *a)
{
    const struct jw_cachedir *dir = jw_session_cache_of(s, cache);
    const char *home = jw_env(a, home_name), *login;
    struct jw_blocker_facts f = { .windows = jw_os_is_windows(), .home = home };
    struct jw_blocker h;
    struct jw_err ignored;

    f.state = jw_state_dir(a, &ignored);
    if (f.state)
        find_blocked(s, dir->folder, a, &f);
    if (f.state && !f.blocked && !f.because)
        f.because = jw_why_unwritable(f.state, a);
    if (f.state && !f.blocked)
        find_open_state(a, &f);
    find_foreigns(s, dir, a, &f);
    f.full = f.state && !f.because ? full_disk_of(f.state, a) : NULL;
    f.cache_full = dir->folder && !f.full ? full_disk_of(dir->folder, a) : NULL;
    find_open(s, dir, a, &f);
    f.cache_elsewhere = dir->folder_from.value != NULL;
    f.path = dir->folder_from.value && strcmp(dir->folder_from.origin, path_name) == 0 ? dir->folder : NULL;
    f.path_why = f.path && jw_path_absolute(f.path) ? why_no_cache(f.path, a) : NULL;
    find_place(dir, a, &f);
    f.home_asked = !f.cache_elsewhere || !f.state;
    f.home_why = home && *home == '/' && !jw_is_folder(home) ? jw_why_no_folder(home) : NULL;
    h = jw_blocker_of(&f, a);
    if (!h.is)
        return h;
    login = jw_session_user(s)->home; /* the command needs the rest */
    f.login_home = login && *login == '/' && jw_is_folder(login) ? login : NULL;
    f.cache_unwritable = dir->folder && jw_why_unwritable(dir->folder, a);
    f.state_variable = f.because ? blamed_variable(a) : NULL;
    f.shell = jw_shell_here(a);
    f.without_path =
        jw_blocker_is_of_path(&h) || h.is == JW_BLOCKER_OPEN ? jw_session_without_path(s, a) : NULL;
    return jw_blocker_of(&f, a);
}

const char *jw_session_way_out(struct jw_session *s, const char *cache, struct jw_arena *a)
{
    const struct jw_cachedir *dir = jw_session_cache_of(s, cache);
    struct jw_cache_place place;
    const char *closed;

    if (!dir->folder)
        return NULL;
    jw_cache_place(dir->folder, a, &place);
    closed = jw_cache_closed(&place, a);
    if (closed)
        return jw_cache_command_to_open(closed, a);
    if ((!place.finds_nothing && !place.hidden) || !dir->folder_from.value
        || strcmp(dir->folder_from.origin, path_name) != 0)
        return NULL;
    return jw_session_without_path(s, a);
}

struct jw_blocker jw_session_hidden_gpus(struct jw_session *s, bool none, struct jw_arena *a)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);
    const char *value = jw_env(a, visible_name);
    bool hidden = value && jw_gpus_are_hidden(value, here->tegra ? 0 : here->n);

    if (!hidden && !(none && value))
        return (struct jw_blocker){ 0 };
    return (struct jw_blocker){
        .is = JW_BLOCKER_HIDDEN,
        .variable = visible_name,
        .what = jw_arena_printf(a,
                                hidden ? "CUDA_VISIBLE_DEVICES=%.80s hides all GPUs from programs"
                                       : "the driver shows programs no GPU (error 100): "
                                         "CUDA_VISIBLE_DEVICES=%.80s names none that is here",
                                value),
        .command = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), visible_name, NULL)
    };
}
