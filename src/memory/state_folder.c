#include "memory/state_folder.h"

#include "base/digest.h"
#include "base/path.h"
#include "machine/paths.h"
#include "machine/trust.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <string.h>

const char *const jw_state_names[JW_STATE_PLACES] = {
    [JW_STATE_CACHES] = "caches",           [JW_STATE_DRIVERS] = "drivers",
    [JW_STATE_LEDGER] = "ledger",           [JW_STATE_SOURCES] = "sources",
    [JW_STATE_ABSENT_GPUS] = "absent-gpus",
};
JW_ROW_FOR_EACH(jw_state_names, JW_STATE_PLACES, 5);

/* Is there a home? A missing one is not created: it is a service's, or was given to root by
 * mistake. */
static bool home_exists(struct jw_arena *a, const char *base, struct jw_err *err)
{
    const char *home = jw_env_home(a);

    if (!home || (!jw_path_below(base, home) && strcmp(base, home) != 0))
        return true;
    return jw_is_folder(home)
           || jw_fail(err, JW_E_IO, "the home folder %.200s %s", home, jw_why_no_folder(home));
}

bool jw_state_check(const char *folder, struct jw_arena *a, struct jw_err *err)
{
    if (!jw_trust_check_own(folder, "folder", a, err))
        return jw_wrap(err, "%s", folder);
    return jw_is_absent(folder) || jw_is_folder(folder)
           || jw_fail(err, JW_E_IO, "%s: is not a folder", folder);
}

/* Decides whether the state folder is trusted and used: who can write to it or to a folder above it
 * can make claims about drivers, files and caches, and redirect what jitwarm writes. */
static bool check_dir(const char *dir, struct jw_arena *a, struct jw_err *err)
{
    const char *at;
    struct jw_trust t;
    struct jw_err why = {0};

    if (!jw_state_check(dir, a, err))
        return false;
    if (jw_os_is_windows()) /* only the folder: Wine shows no sticky bit, so that a folder in /tmp
                               would seem open to everybody */
        return true;
    if (!jw_trust_check_place(dir, a, &at, &t, err))
        return jw_wrap(err, "%s", dir);
    return !at || jw_trust_own(&t, &why)
           || jw_fail(err, JW_E_IO, "%s, on the way to %s, %s", at, dir, why.msg);
}

const char *jw_state_path(struct jw_arena *a, struct jw_err *err)
{
    const char *dir = jw_env(a, "JITWARM_STATE");

    if (dir && *dir) {
        if (jw_path_absolute(dir))
            return dir;
        jw_err_set(err, JW_E_USAGE, "JITWARM_STATE=%.200s is not an absolute path", dir);
        return NULL;
    }
    const char *base = jw_env_state_user(a);

    if (!base)
        jw_err_set(err, JW_E_IO,
                   "this system names no folder for the user's state (HOME is unset?)");
    if (!base || !home_exists(a, base, err))
        return NULL;
    return jw_path_join(a, base, jw_os_is_windows() ? "jitwarm/state" : "jitwarm");
}

const char *jw_state_dir(struct jw_arena *a, struct jw_err *err)
{
    const char *dir = jw_state_path(a, err);

    return dir && check_dir(dir, a, err) ? dir : NULL;
}

const char *jw_state_own(enum jw_state_place place, struct jw_arena *a, struct jw_err *err)
{
    const char *dir = jw_state_dir(a, err);
    const char *folder = dir ? jw_path_join(a, dir, jw_state_names[place]) : NULL;

    return folder && jw_state_check(folder, a, err) ? folder : NULL;
}

const char *jw_state_file_name(const char *text, struct jw_arena *a)
{
    uint8_t digest[JW_DIGEST];

    jw_digest(digest, text, strlen(text));
    return jw_arena_text(a, jw_digest_text(digest).text, sizeof JW_STATE_NAMES - 1);
}

/* Checks the folder again once it exists, since another user may have made it meanwhile. */
static bool make_dir(const char *dir, struct jw_arena *a, struct jw_err *err)
{
    return jw_trust_make(dir, err) && check_dir(dir, a, err);
}

bool jw_state_make(const char *folder, struct jw_arena *a, struct jw_err *err)
{
    return make_dir(jw_path_dir(a, folder), a, err) && jw_trust_make(folder, err);
}

/* Makes a folder among temporary files, if their folder is sticky or this user's, which protects
 * it. Old ones are not removed. */
static bool make_temporary(struct jw_arena *a, char **path, struct jw_err *err)
{
    const char *named = jw_env(a, jw_os_is_windows() ? "TEMP" : "TMPDIR");
    const char *folder = named && *named ? named : "/tmp";

    return (!jw_os_is_windows() || jw_state_check(folder, a, err))
           && check_dir(jw_path_join(a, folder, JW_WORK_FOLDER), a, err)
           && jw_scratch_make(folder, JW_WORK_FOLDER, a, path, err);
}

bool jw_state_scratch(struct jw_arena *a, char **path, struct jw_err *err)
{
    const char *dir = jw_state_dir(a, err);

    if (dir)
        jw_scratch_sweep(dir, JW_WORK_FOLDER);
    return (dir && make_dir(dir, a, err) && jw_scratch_make(dir, JW_WORK_FOLDER, a, path, err))
           || make_temporary(a, path, err);
}
