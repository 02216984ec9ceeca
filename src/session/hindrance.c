#include "session/hindrance.h"

#include "base/command.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "cache/memory/trace.h"
#include "cache/memory/warmplace.h"
#include "cache/place/cacheplace.h"
#include "driver/probe/compiler_file.h"
#include "driver/probe/preloaded.h"
#include "facts/env_defaults.h"
#include "machine/gpu_text.h"
#include "machine/listing.h"
#include "machine/settings.h"
#include "os/files/dir.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"

#include <string.h>

static const char home_name[] = "HOME", path_name[] = "CUDA_CACHE_PATH",
                  visible_name[] = "CUDA_VISIBLE_DEVICES", libraries_name[] = "LD_LIBRARY_PATH",
                  preload_name[] = "LD_PRELOAD";

#define LIBCUDA "libcuda.so.1"

static const char *new_folder(const struct jw_hindrance_facts *f, struct jw_arena *a, const char *name,
                              const char *prefix)
{
    return jw_shell_set_new_folder(a, f->windows, f->shell, name, prefix);
}

static struct jw_hindrance of_home(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    struct jw_hindrance h = { .variable = home_name };

    if (!f->home || !*f->home) {
        h.is = JW_HINDRANCE_NO_HOME;
        h.what = f->cache_elsewhere ? "HOME is not set: jitwarm has no folder for what it remembers"
                                    : "HOME is not set: the driver has no folder for its cache, and compiles "
                                      "again in every process";
    } else if (*f->home != '/') {
        h.is = JW_HINDRANCE_HOME_RELATIVE;
        h.what =
            jw_arena_printf(a,
                            "HOME=%.200s is not an absolute path: programs started in different folders use "
                            "different caches",
                            f->home);
    } else if (f->home_why) {
        h.is = JW_HINDRANCE_HOME_MISSING;
        h.what =
            jw_arena_printf(a, "the home folder %.200s %s, and jitwarm makes none", f->home, f->home_why);
    }
    if (h.is)
        h.command = f->login_home ? jw_shell_set(a, false, f->shell, home_name, f->login_home)
                                  : new_folder(f, a, home_name, "home");
    return h;
}

static struct jw_hindrance of_path(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    struct jw_hindrance h = { .variable = path_name };

    if (!jw_path_absolute(f->path)) {
        h.is = JW_HINDRANCE_PATH_RELATIVE;
        h.what = jw_arena_printf(a,
                                 "CUDA_CACHE_PATH=%.200s is not an absolute path: programs started in "
                                 "different folders use different caches",
                                 f->path);
    } else if (f->path_why) {
        h.is = JW_HINDRANCE_PATH;
        h.what = jw_arena_printf(a, "CUDA_CACHE_PATH=%.200s %s", f->path, f->path_why);
    }
    if (h.is)
        h.command =
            f->without_path ? f->without_path : jw_shell_set(a, f->windows, f->shell, path_name, NULL);
    return h;
}

/* Of the driver's default place. It may be somebody's: it stays, under another name. */
static struct jw_hindrance of_place(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    return (struct jw_hindrance){ .is = JW_HINDRANCE_PATH,
                                  .variable = path_name,
                                  .what = jw_arena_printf(a, "the driver's cache %s", f->place_why),
                                  .command = f->place_ours ? JW_COMMAND(
                                                 a, f->windows, f->windows ? "move" : "mv", f->place,
                                                 jw_arena_printf(a, "%s.old", f->place))
                                                           : new_folder(f, a, path_name, "cuda-cache") };
}

static const char state_name[] = "JITWARM_STATE";

/* Where the cache's folder cannot be written either, one line mends both. */
static struct jw_hindrance of_state(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    const char *command = f->state_closes     ? f->state_closes
                          : f->state_variable ? jw_shell_set(a, f->windows, f->shell, f->state_variable, NULL)
                                              : new_folder(f, a, state_name, "jitwarm-state");

    if (f->cache_unwritable)
        command = jw_shell_then(a, f->windows, new_folder(f, a, path_name, "cuda-cache"), command);
    return (struct jw_hindrance){ .is = JW_HINDRANCE_STATE,
                                  .variable = state_name,
                                  .what = jw_arena_printf(
                                      a, "what jitwarm remembers cannot be kept in %.200s%s: %s", f->state,
                                      f->state_variable ? jw_arena_printf(a, " (%s)", f->state_variable) : "",
                                      f->because),
                                  .command = command };
}

/* It may be somebody's: it stays, under another name. */
static struct jw_hindrance of_blocked(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    return (struct jw_hindrance){
        .is = JW_HINDRANCE_STATE,
        .variable = state_name,
        .what = jw_arena_printf(a, "what jitwarm remembers cannot be kept: %s", f->blocked_why),
        .command = JW_COMMAND(a, f->windows, f->windows ? "move" : "mv", f->blocked, f->aside)
    };
}

/* sudo -E, and an older sudo, keep HOME. Root can do all there, and would: what it made, its owner could neither change nor, without the
 * index, find. */
static struct jw_hindrance of_foreign(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    bool of_home = f->home && !f->foreign_named
                   && (jw_text_same(f->foreign, f->home) || jw_path_below(f->foreign, f->home));
    const char *number = jw_text_starts(f->owner, "user ") ? f->owner + strlen("user ") : NULL,
               *owner = f->caller ? f->caller
                        : number  ? jw_arena_printf(a, "#%s", number)
                                  : f->owner;
    struct jw_hindrance h = {
        .is = JW_HINDRANCE_FOREIGN,
        .variable = of_home ? home_name : path_name,
        .what = jw_arena_printf(a,
                                of_home ? "HOME is %.200s, which belongs to %s: as root jitwarm would make "
                                          "files there that this user's programs cannot use"
                                        : "%.200s belongs to %s: as root jitwarm would make files there that "
                                          "this user's programs cannot use",
                                of_home ? f->home : f->foreign, f->owner)
    };

    if (!f->caller && of_home && f->login_home && strcmp(f->login_home, f->home) != 0) {
        h.command = jw_shell_set(a, false, f->shell, home_name, f->login_home);
    } else {
        h.as = f->caller ? JW_COMMAND(a, false, "sudo", "-u", owner)
                         : JW_COMMAND(a, false, "sudo", "-H", "-u", owner);
        h.command = jw_arena_printf(a, "%s jitwarm prime", h.as);
    }
    return h;
}

const char *jw_hindrance_without(const struct jw_hindrance *h, const char *again, struct jw_arena *a)
{
    return h->as ? jw_arena_printf(a, "%s %s", h->as, again)
                 : jw_shell_then(a, jw_os_is_windows(), h->command, again);
}

static struct jw_hindrance of_full_disk(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    const char *disk = f->full ? f->full : f->cache_full;

    return (
        struct jw_hindrance){ .is = JW_HINDRANCE_FULL,
                              .variable = f->full ? "JITWARM_STATE" : path_name,
                              .what = jw_arena_printf(a, "the disk of %.200s is full: %s", disk,
                                                      f->full ? "jitwarm cannot keep what it remembers"
                                                              : "the driver cannot keep what it compiles"),
                              .command = f->windows ? JW_COMMAND(a, true, "jitwarm", "doctor")
                                                    : jw_arena_printf(a, "du -xh -d 2 %s | sort -h | tail",
                                                                      JW_COMMAND(a, false, disk)) };
}

static struct jw_hindrance of_open_cache(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    return (struct jw_hindrance){
        .is = JW_HINDRANCE_OPEN,
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

struct jw_hindrance jw_hindrance_of(const struct jw_hindrance_facts *f, struct jw_arena *a)
{
    struct jw_hindrance h = { 0 };

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

/* The variable that names the folder of what is remembered, where it is to blame: without it another one is taken, that can be written. */
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

/* What stands where jitwarm keeps its records, and cannot be used; the folder above it can be written. */
static void find_blocked(struct jw_session *s, const char *root, struct jw_arena *a,
                         struct jw_hindrance_facts *f)
{
    const char *path, *why = jw_warm_blocked(root, a, &path);

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

/* One's own folder in which others may write is not used: what stands in it may be theirs. */
static void find_open_state(struct jw_arena *a, struct jw_hindrance_facts *f)
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
static void find_foreign(const char *folder, struct jw_arena *a, struct jw_hindrance_facts *f)
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
                          struct jw_hindrance_facts *f)
{
    const char *caller = jw_env(a, "SUDO_USER");

    if (!jw_session_is_root(s))
        return;
    if (jw_cache_is_asked(dir, a) || strcmp(dir->root_from.origin, "--cache") == 0)
        find_foreign(dir->root, a, f);
    f->foreign_named = f->foreign && dir->root_from.value;
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

/* The mode is changed of what is plainly the driver's cache; another folder, which may hold anything, is not used. */
static void find_open(struct jw_session *s, const struct jw_cachedir *dir, struct jw_arena *a,
                      struct jw_hindrance_facts *f)
{
    bool named = dir->root_from.value && strcmp(dir->root_from.origin, path_name) == 0;
    struct jw_err ignored;
    struct jw_trust t;

    if (!dir->root || !jw_trust_read(dir->root, a, &t, &ignored) || !t.exists || t.owner || !t.writers)
        return;
    f->is_cache = !t.sticky && !jw_session_is_root(s)
                  && (!dir->root_from.value || jw_is_file(jw_path_join(a, dir->root, "index")));
    if (!f->is_cache && !named)
        return;
    f->open = dir->root;
    f->writers = t.writers;
    f->closes = t.fix_command;
}

static void find_place(const struct jw_cachedir *dir, struct jw_arena *a, struct jw_hindrance_facts *f)
{
    struct jw_err ignored;

    f->place_why =
        dir->root && !f->cache_elsewhere && jw_path_absolute(dir->root) ? why_no_cache(dir->root, a) : NULL;
    f->place = f->place_why ? nearest(dir->root, a) : NULL;
    f->place_ours = f->place && f->home && jw_path_below(f->place, f->home)
                    && (!jw_dir_may_add(jw_path_dir(a, f->place), &f->place_ours, &ignored) || f->place_ours);
}

struct jw_hindrance jw_session_hindrance(struct jw_session *s, const char *cache, struct jw_arena *a)
{
    const struct jw_cachedir *dir = jw_session_cache_of(s, cache);
    const char *home = jw_env(a, home_name), *login;
    struct jw_hindrance_facts f = { .windows = jw_os_is_windows(), .home = home };
    struct jw_hindrance h;
    struct jw_err ignored;

    f.state = jw_state_dir(a, &ignored);
    if (f.state)
        find_blocked(s, dir->root, a, &f);
    if (f.state && !f.blocked && !f.because)
        f.because = jw_why_unwritable(f.state, a);
    if (f.state && !f.blocked)
        find_open_state(a, &f);
    find_foreigns(s, dir, a, &f);
    f.full = f.state && !f.because ? full_disk_of(f.state, a) : NULL;
    f.cache_full = dir->root && !f.full ? full_disk_of(dir->root, a) : NULL;
    find_open(s, dir, a, &f);
    f.cache_elsewhere = dir->root_from.value != NULL;
    f.path = dir->root_from.value && strcmp(dir->root_from.origin, path_name) == 0 ? dir->root : NULL;
    f.path_why = f.path && jw_path_absolute(f.path) ? why_no_cache(f.path, a) : NULL;
    find_place(dir, a, &f);
    f.home_asked = !f.cache_elsewhere || !f.state;
    f.home_why = home && *home == '/' && !jw_is_folder(home) ? jw_why_no_folder(home) : NULL;
    h = jw_hindrance_of(&f, a);
    if (!h.is)
        return h;
    login = jw_session_user(s)->home; /* the command needs the rest */
    f.login_home = login && *login == '/' && jw_is_folder(login) ? login : NULL;
    f.cache_unwritable = dir->root && jw_why_unwritable(dir->root, a);
    f.state_variable = f.because ? blamed_variable(a) : NULL;
    f.shell = jw_shell_here(a);
    f.without_path =
        jw_hindrance_is_of_path(&h) || h.is == JW_HINDRANCE_OPEN ? jw_session_without_path(s, a) : NULL;
    return jw_hindrance_of(&f, a);
}

const char *jw_session_way_out(struct jw_session *s, const char *cache, struct jw_arena *a)
{
    const struct jw_cachedir *dir = jw_session_cache_of(s, cache);
    struct jw_cache_place place;
    const char *closed;

    if (!dir->root)
        return NULL;
    jw_cache_place(dir->root, a, &place);
    closed = jw_cache_closed(&place, a);
    if (closed)
        return jw_cache_command_to_open(closed, a);
    if ((!place.finds_nothing && !place.hidden) || !dir->root_from.value
        || strcmp(dir->root_from.origin, path_name) != 0)
        return NULL;
    return jw_session_without_path(s, a);
}

struct jw_hindrance jw_session_hidden_gpus(struct jw_session *s, bool none, struct jw_arena *a)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);
    const char *value = jw_env(a, visible_name);
    bool hidden = value && jw_gpus_are_hidden(value, here->tegra ? 0 : here->n);

    if (!hidden && !(none && value))
        return (struct jw_hindrance){ 0 };
    return (struct jw_hindrance){
        .is = JW_HINDRANCE_HIDDEN,
        .variable = visible_name,
        .what = jw_arena_printf(a,
                                hidden ? "CUDA_VISIBLE_DEVICES=%.80s hides all GPUs from programs"
                                       : "the driver shows programs no GPU (error 100): "
                                         "CUDA_VISIBLE_DEVICES=%.80s names none that is here",
                                value),
        .command = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), visible_name, NULL)
    };
}

/* ---- a fresh login ---- */

/* What it writes is read before the files of a terminal, and behind what replaces the shell not at all. */
static bool is_behind_env(const struct jw_env_difference *d)
{
    return d->terminal_only || d->replaced;
}

/* sed of the file that sets it, or NULL. `script`: without its quotes. */
static const char *edit_file(const struct jw_env_difference *d, bool root, const char *script,
                             struct jw_arena *a)
{
    const char *file = d->file ? d->file : d->origin;

    return file && *file == '/' ? jw_arena_printf(a, "%ssed -i.bak '%s' %s",
                                                  jw_text_starts(file, "/etc/") && !root ? "sudo " : "",
                                                  script, JW_COMMAND(a, false, file))
                                : NULL;
}

const char *jw_login_raise_limit(const struct jw_env_difference *d, uint64_t limit, bool windows, bool root,
                                 struct jw_arena *a)
{
    const char *edit =
        is_behind_env(d) && !windows ? edit_file(
            d, root,
            jw_arena_printf(a, "s/^\\([^#]*%s=\\)[^ ;]*/\\1%llu/", d->name, (unsigned long long)limit), a)
                                     : NULL;

    return edit ? edit : jw_arena_printf(a, "jitwarm env apply --max-size %llu", (unsigned long long)limit);
}

const char *jw_login_take_out(const struct jw_env_difference *d, bool windows, bool root, struct jw_arena *a)
{
    if (strcmp(d->name, "CUDA_CACHE_DISABLE") == 0 && !is_behind_env(d))
        return "jitwarm env apply";
    if (windows)
        return jw_arena_printf(a, "reg delete HKCU\\Environment /f /v %s", d->name);
    const struct jw_setting *setting = jw_setting_find(d->name);
    bool on_off = setting && setting->on_off;

    /* A switch is turned off in its line: without the line, an if around it would be an error of the shell's. */
    return edit_file(
        d, root, jw_arena_printf(a, on_off ? "s/^\\([^#]*%s=\\)[^ ;]*/\\10/" : "/^[^#]*%s=/d", d->name), a);
}

/* "CUDA_CACHE_DISABLE=1 is set there, by /home/ada/.profile" */
static const char *how_set(const struct jw_env_difference *d, struct jw_arena *a)
{
    const char *by = d->file ? d->file : d->origin;

    return jw_arena_printf(a, "%s=%.100s is set there%s%.200s", d->name, d->login, by ? ", by " : "",
                           by ? by : "");
}

static struct jw_login_start of_cache(const struct jw_env_difference *d, struct jw_arena *a)
{
    const char *root = d->login, *here = d->current, *why;
    bool of_path = strcmp(d->name, path_name) == 0;

    if (of_path && root && !*root)
        return (struct jw_login_start){ .is = JW_LOGIN_COMPILES,
                                        .what = jw_arena_printf(
                                            a, "programs of %s use no cache, and compile at every start: %s",
                                            jw_login_name(d->terminal_only), how_set(d, a)) };
    if (of_path && root && !jw_path_absolute(root))
        return (struct jw_login_start){
            .is = JW_LOGIN_COMPILES,
            .what =
                jw_arena_printf(a, "programs of %s have another cache in each working folder, or none: %s",
                                jw_login_name(d->terminal_only), how_set(d, a))
        };
    if (of_path && !root)
        root = jw_cachedir_default(a, &why);
    if (of_path && !here)
        here = jw_cachedir_default(a, &why);
    if (root && here && jw_is_same_folder(root, here)) /* the driver's own place, by a name */
        return (struct jw_login_start){ 0 };
    why = of_path && root ? jw_why_unwritable(root, a) : NULL;
    if (why && d->login)
        return (struct jw_login_start){
            .is = JW_LOGIN_COMPILES,
            .what = jw_arena_printf(a,
                                    "programs of %s keep nothing, and compile at every start: their cache is "
                                    "%.200s: %s",
                                    jw_login_name(d->terminal_only), root, why)
        };
    if (why) /* who names a cache where the home cannot have one, means programs of this shell */
        return (struct jw_login_start){ .is = JW_LOGIN_KEEPS_NOTHING,
                                        .what = jw_arena_printf(
                                            a, "programs of %s keep nothing: their cache is %.200s: %s",
                                            jw_login_name(d->terminal_only), root, why) };
    return (struct jw_login_start){
        .is = JW_LOGIN_ELSEWHERE,
        .what = d->login ? jw_arena_printf(a, "programs of %s use another cache: %s is %.200s there",
                                           jw_login_name(d->terminal_only), d->name, d->login)
                         : jw_arena_printf(a, "programs of %s use another cache: %s is not set there",
                                           jw_login_name(d->terminal_only), d->name),
        .command = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), d->name, d->login)
    };
}

static struct jw_login_start of_difference(const struct jw_env_difference *d, struct jw_arena *a)
{
    const struct jw_setting *s = jw_setting_find(d->name);

    if (!s || !(s->on_off || s->place))
        return (struct jw_login_start){ 0 };
    if (!s->on_off)
        return of_cache(d, a);
    if (!jw_setting_same(s, d->login, "1"))
        return (struct jw_login_start){ 0 }; /* this environment is the worse one, and says so */
    if (jw_text_starts(d->name, "CUDA_DISABLE_"))
        return (struct jw_login_start){
            .is = JW_LOGIN_FAILS,
            .what = jw_arena_printf(a,
                                    "programs of %s cannot compile, and fail where neither they nor the "
                                    "cache have machine code for the GPU: %s",
                                    jw_login_name(d->terminal_only), how_set(d, a))
        };
    return (struct jw_login_start){ .is = JW_LOGIN_COMPILES,
                                    .what = jw_arena_printf(a, "programs of %s %scompile at every start: %s",
                                                            jw_login_name(d->terminal_only),
                                                            s->place ? "use no cache, and " : "",
                                                            how_set(d, a)) };
}

/* Ends what silences it, or shows that. NULL: there is no such command. */
static const char *against_silence(const struct jw_login_env *login, struct jw_arena *a)
{
    const struct jw_start_line *at = &login->silent_at;

    if (at->file && at->returns)
        return JW_COMMAND(a, false, "sed", "-i.bak", jw_arena_printf(a, "%us/exit/return/", at->number),
                          at->file);
    if (at->file)
        return JW_COMMAND(a, false, "sed", "-n", jw_arena_printf(a, "%up", at->number), at->file);
    return at->shell ? jw_arena_printf(a, "timeout 20 %s -%cxc true </dev/null 2>&1 | tail -n 5",
                                       JW_COMMAND(a, false, at->shell),
                                       login->silent == JW_SILENT_LOGIN ? 'l' : 'i')
                     : NULL;
}

/* The libcuda of programs that are started with this LD_LIBRARY_PATH; NULL: none is found. The loader's cache is read once. */
static const char *driver_with(const char *folders, struct jw_bytes *loader_cache, struct jw_arena *a)
{
    struct jw_trace search = { .a = a, .loader_cache = *loader_cache };
    const char *path, *real;
    struct jw_err ignored;

    if (!jw_trace_loader(&search, LIBCUDA, folders, &ignored))
        return NULL;
    *loader_cache = search.loader_cache;
    path = jw_loader_takes(&search, LIBCUDA);
    return path && jw_real_path(path, a, &real, &ignored) ? real : path;
}

/* Which programs do not load: who asks about that one, asks about it alone. */
static bool is_another_named(const char *here, struct jw_arena *a)
{
    const char *named = jw_env(a, "JITWARM_DRIVER"), *real;
    struct jw_err ignored;

    return named && *named && here && !(jw_real_path(named, a, &real, &ignored) && strcmp(real, here) == 0);
}

/* Its code is in the same cache, under other names: what is warm of it only that driver says. A simulated one is of this shell alone. */
static struct jw_login_start of_driver(const struct jw_login_env *login, struct jw_arena *a)
{
    const char *now = jw_env(a, libraries_name), *at_login = jw_env_set_value(&login->sets, libraries_name),
               *in_terminal = jw_env_set_value(&login->terminal, libraries_name);
    bool simulated = jw_env_has("SIMCUDA_GPUS"),
         as_in_terminal = login->terminal_known && jw_text_same(now, in_terminal);
    struct jw_bytes loader_cache = { 0 };
    const char *here, *there, *terminal;

    if (jw_os_is_windows() || !login->known || as_in_terminal
        || (!login->terminal_known && jw_text_same(now, at_login))
        || (simulated && !at_login && !in_terminal))
        return (struct jw_login_start){ 0 };
    here = driver_with(now, &loader_cache, a);
    if (is_another_named(here, a))
        return (struct jw_login_start){ 0 };
    terminal = login->terminal_known ? driver_with(in_terminal, &loader_cache, a) : NULL;
    if (!here || (terminal && strcmp(here, terminal) == 0))
        return (struct jw_login_start){ 0 };
    there = driver_with(at_login, &loader_cache, a);
    bool of_terminal = !there || strcmp(here, there) == 0;

    there = of_terminal ? terminal : there;
    if (!there || (simulated && !(of_terminal ? in_terminal : at_login)))
        return (struct jw_login_start){ 0 };
    return (struct jw_login_start){
        .is = JW_LOGIN_OTHER_DRIVER,
        .what = jw_arena_printf(a,
                                "what is warm for programs of %s is not known: they load another driver, "
                                "%.300s, by their LD_LIBRARY_PATH",
                                jw_login_name(of_terminal), there),
        .command = jw_shell_then(
            a, false,
            jw_shell_set(a, false, jw_shell_here(a), libraries_name, of_terminal ? in_terminal : at_login),
            "jitwarm prime")
    };
}

bool jw_login_trace_driver(const struct jw_login_env *login, struct jw_trace *t, struct jw_err *err)
{
    const char *here = jw_env(t->a, libraries_name),
               *there[] = { login->known ? jw_env_set_value(&login->sets, libraries_name) : here,
                            login->terminal_known ? jw_env_set_value(&login->terminal, libraries_name)
                                                  : here };
    bool ok = true;

    for (size_t i = 0; ok && !jw_os_is_windows() && i < JW_COUNT(there); i++)
        if (!jw_text_same(here, there[i]))
            ok = jw_trace_loader(t, LIBCUDA, there[i], err);
    return ok;
}

/* An auditor may have the loader take any library in place of another one. */
static const char *stands_before_driver(const char *name, const char *value, struct jw_arena *a)
{
    const char *here = jw_env(a, name);

    if (name == preload_name)
        return jw_preloaded_before_driver(value, here, a);
    return value && *value && !jw_text_same(value, here) ? value : NULL;
}

/* It may be another driver, or have code of its own compiled. */
static struct jw_login_start of_library(const char *name, const struct jw_login_env *login, bool root,
                                        struct jw_arena *a)
{
    const char *at_login, *in_terminal;
    struct jw_env_difference d;

    if (jw_os_is_windows() || !login->known)
        return (struct jw_login_start){ 0 };
    at_login = stands_before_driver(name, jw_env_set_value(&login->sets, name), a);
    in_terminal = stands_before_driver(name, jw_env_set_value(&login->terminal, name), a);
    if (login->terminal_known ? !in_terminal : !at_login)
        return (struct jw_login_start){ 0 };
    jw_login_difference(login, name, !at_login, a, &d);
    return (struct jw_login_start){ .is = JW_LOGIN_PRELOADS,
                                    .what = jw_arena_printf(
                                        a,
                                        "what is warm for programs of %s is not known: their %s has %.300s, "
                                        "and they reach the driver through it",
                                        jw_login_name(!at_login), name, at_login ? at_login : in_terminal),
                                    .command = jw_login_take_out(&d, false, root, a) };
}

struct jw_login_start jw_login_start_of(const struct jw_login_env *login, const struct jw_env_difference *v,
                                        size_t n, bool root, struct jw_arena *a)
{
    struct jw_login_start worst = of_driver(login, a);

    if (!worst.is)
        worst = of_library(preload_name, login, root, a);
    if (!worst.is)
        worst = of_library("LD_AUDIT", login, root, a);
    if (login->silent)
        worst = (struct jw_login_start){
            .is = JW_LOGIN_UNKNOWN,
            .what = jw_arena_printf(a, "how programs of %s start is not known: %s",
                                    jw_login_name(login->silent == JW_SILENT_TERMINAL), login->why_silent),
            .command = against_silence(login, a)
        };

    for (size_t i = 0; i < n; i++) {
        struct jw_login_start one = { 0 };

        if (!v[i].terminal_agrees)
            one = of_difference(&v[i], a);
        if (jw_login_spoils(&one))
            one.command = jw_login_take_out(&v[i], jw_os_is_windows(), root, a);
        one.by = &v[i];
        if (one.is > worst.is)
            worst = one;
    }
    return worst;
}

bool jw_session_login_start(struct jw_session *s, const char *cache, struct jw_login_start *out,
                            struct jw_err *err)
{
    const struct jw_login_env *login;
    struct jw_env_difference *v;
    size_t n;

    *out = (struct jw_login_start){ 0 };
    if (cache || jw_session_surroundings(s)->container)
        return true;
    if (!jw_session_login(s, &login, err))
        return false;
    jw_login_compare(login, s->a, &v, &n);
    *out = jw_login_start_of(login, v, n, jw_session_is_root(s), s->a);
    return true;
}

/* ---- its limit ---- */

static void take_limit(const char *value, const char *driver, bool terminal, struct jw_cache_limit *l)
{
    uint64_t limit = jw_cache_limit_read(value, driver);

    if (value || limit)
        jw_cache_limit_of_login(l, limit, terminal);
}

void jw_login_limit(const struct jw_login_env *login, const char *driver, struct jw_arena *a,
                    struct jw_cache_limit *l)
{
    static const char name[] = "CUDA_CACHE_MAXSIZE";
    const char *terminal = login->terminal_known ? jw_env_set_value(&login->terminal, name) : NULL;

    if (terminal && jw_text_same(terminal, jw_env(a, name)))
        return;
    take_limit(jw_env_set_value(&login->sets, name), driver, false, l);
    if (terminal)
        take_limit(terminal, driver, true, l);
}

/* ---- its GPUs ---- */

static bool has_kind(const struct jw_device *v, size_t n, uint16_t sm)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].sm == sm)
            return true;
    return false;
}

static void take_hidden(struct jw_session *s, const struct jw_device *shown, size_t n,
                        struct jw_login_gpus *out)
{
    out->v = jw_arena_alloc(s->a, (n + 1) * sizeof *out->v);
    for (size_t i = 0; i < n; i++) {
        struct jw_device *g = &out->v[out->n];

        if (!shown[i].sm || has_kind(s->probe->devices, s->probe->n_devices, shown[i].sm)
            || has_kind(out->v, out->n, shown[i].sm))
            continue;
        *g = shown[i];
        g->index = (unsigned)(s->probe->n_devices + out->n++);
        g->hidden = true;
    }
}

/* Programs that take a GPU by its number get the same kind, whichever it is. */
static bool is_as_here(const struct jw_device *here, size_t n_here, const struct jw_device *there, size_t n)
{
    bool same = n == n_here, one_kind = n > 0;

    for (size_t i = 0; i < n; i++) {
        same = same && there[i].sm == here[i].sm;
        one_kind = one_kind && there[i].sm == here[0].sm;
    }
    for (size_t i = 0; i < n_here; i++)
        one_kind = one_kind && here[i].sm == here[0].sm;
    return same || one_kind;
}

static bool chooses_gpus(const struct jw_env_difference *d)
{
    return !d->terminal_agrees && jw_setting_is_of_gpus(d->name);
}

/* "env -u CUDA_VISIBLE_DEVICES"; for cmd "set CUDA_VISIBLE_DEVICES=". */
static const char *show_again(const char *before, const struct jw_env_difference *d, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    const char *one = windows    ? jw_shell_set(a, true, jw_shell_here(a), d->name, d->login)
                      : d->login ? JW_COMMAND(a, false, jw_arena_printf(a, "%s=%s", d->name, d->login))
                                 : jw_arena_printf(a, "-u %s", d->name);

    if (windows)
        return before ? jw_shell_then(a, true, before, one) : one;
    return jw_arena_printf(a, "%s %s", before ? before : "env", one);
}

/* Of other variables that choose GPUs: which, and what sets them. */
static void take_choice(const struct jw_env_difference *v, size_t n, struct jw_arena *a,
                        struct jw_login_gpus *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!chooses_gpus(&v[i]))
            continue;
        const char *set = jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), v[i].name, v[i].login);

        out->shown = show_again(out->shown, &v[i], a);
        out->as_there = out->by ? jw_shell_then(a, jw_os_is_windows(), out->as_there, set) : set;
        out->by = out->by ? out->by : &v[i];
    }
    if (!out->by)
        return;
    out->apart = true;
    out->how =
        out->by->login ? how_set(out->by, a) : jw_arena_printf(a, "%s is not set there", out->by->name);
}

/* The driver is started with the variables of a login that choose GPUs, and loads nothing. */
static bool ask_login_gpus(struct jw_session *s, const struct jw_env_difference *v, size_t n_v,
                           struct jw_login_gpus *out, struct jw_err *err)
{
    struct jw_worker_options o = jw_session_worker(s);
    struct jw_child_edit *edits = jw_arena_alloc(s->a, (n_v + 1) * sizeof *edits);
    struct jw_worker *w = NULL;
    struct jw_err why = { 0 };
    size_t n;

    for (size_t i = 0; i < n_v; i++)
        if (chooses_gpus(&v[i]))
            edits[o.n_edits++] = (struct jw_child_edit){ v[i].name, v[i].login };
    o.edits = edits;
    o.inherit = o.asks = true;
    if (jw_worker_start(&w, &o, &why)) {
        const struct jw_device *shown = jw_worker_devices(w, &n);

        take_hidden(s, shown, n, out);
        out->none = n == 0; /* and compile nothing */
        if (out->none || is_as_here(s->probe->devices, s->probe->n_devices, shown, n))
            out->apart = false;
    } else if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    } else {
        out->unknown = jw_arena_printf(s->a, "which GPUs %s shows programs is not known: %.300s",
                                       jw_login_name(out->by->terminal_only), why.msg);
    }
    jw_worker_stop(w);
    return true;
}

/* By its variables. A cache that is named is no login's affair. */
static bool compare_gpus(struct jw_session *s, struct jw_login_gpus *out, struct jw_env_difference **v,
                         size_t *n, struct jw_err *err)
{
    const struct jw_login_env *login;

    *out = (struct jw_login_gpus){ 0 };
    *n = 0;
    if (s->cache || jw_session_surroundings(s)->container)
        return true;
    if (!jw_session_login(s, &login, err))
        return false;
    jw_login_compare(login, s->a, v, n);
    take_choice(*v, *n, s->a, out);
    return true;
}

bool jw_session_login_gpus(struct jw_session *s, const struct jw_login_gpus **out, struct jw_err *err)
{
    struct jw_login_gpus *found;
    const struct jw_probe_report *probe;
    struct jw_env_difference *v;
    size_t n;

    *out = s->login_gpus;
    if (s->login_gpus)
        return true;
    found = jw_arena_alloc(s->a, sizeof *found);
    if (!compare_gpus(s, found, &v, &n, err) || (found->by && !jw_session_driver(s, &probe, err))
        || (found->by && probe->n_devices && !ask_login_gpus(s, v, n, found, err)))
        return false;
    *out = s->login_gpus = found;
    return true;
}

bool jw_session_login_gpus_unasked(struct jw_session *s, const struct jw_login_gpus **out, struct jw_err *err)
{
    const struct jw_host_gpus *here = jw_session_gpus(s);
    struct jw_login_gpus *found;
    struct jw_env_difference *v;
    size_t n, same = 0;

    *out = s->login_gpus;
    if (s->login_gpus)
        return true;
    found = jw_arena_alloc(s->a, sizeof *found);
    if (!compare_gpus(s, found, &v, &n, err))
        return false;
    while (same < here->n && here->gpus[same].sm && here->gpus[same].sm == here->gpus[0].sm)
        same++;
    found->none = found->by && found->by->login && strcmp(found->by->name, visible_name) == 0
                  && jw_gpus_are_hidden(found->by->login, here->tegra ? 0 : here->n);
    if (found->none || (here->n && same == here->n))
        found->apart = false;
    *out = found;
    return true;
}
