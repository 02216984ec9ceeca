#include "session/lines.h"

#include "base/command.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "facts/env_defaults.h"
#include "machine/shell.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "session/login_start.h"
#include "session/session.h"

#include <string.h>

static const char limit_name[] = "CUDA_CACHE_MAXSIZE";

const char *jw_line_in(const char *folder, const char *command, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    struct jw_err ignored;
    const char *here;

    if (!folder || !*folder || !jw_is_folder(folder)
        || (jw_real_path(".", a, &here, &ignored) && strcmp(here, folder) == 0))
        return command;
    return jw_shell_then(
        a, windows, windows ? JW_COMMAND(a, true, "cd", "/d", folder) : JW_COMMAND(a, false, "cd", folder),
        command);
}

const char *jw_line_start(const char *before, const char *prime, const char *cache, const char *command,
                          const char *folder, struct jw_arena *a)
{
    const char *start = jw_line_in(folder, jw_arena_printf(a, "%s%s --run %s", prime, cache, command), a);

    return before ? jw_shell_then(a, jw_os_is_windows(), before, start) : start;
}

const char *jw_line_prime(struct jw_session *s, bool as_root, struct jw_arena *a)
{
    const char *user = jw_env(a, "SUDO_USER");

    if (!jw_session_is_root(s))
        return "jitwarm prime";
    if (as_root || !user || !*user || strcmp(user, "root") == 0)
        return "jitwarm prime --as-root";
    return JW_COMMAND(a, false, "sudo", "-u", user, "jitwarm", "prime");
}

/* The limit of programs that are started with these variables; 0: not known, or not as it is written. */
static uint64_t limit_in(const struct jw_env_set *set, const char *driver)
{
    const char *value = jw_env_set_value(set, limit_name);
    uint64_t plain = 0;

    /* One that not each driver reads as it stands is set again. */
    if (value && (!jw_text_u64(value, &plain) || plain > jw_cache_limits().max))
        return 0;
    return jw_cache_limit_read(value, driver);
}

/* The least of a fresh login and its terminals; 0: not known. */
static uint64_t limit_of_login(const struct jw_line_shell *at)
{
    uint64_t limit = at->login && at->login->known ? limit_in(&at->login->sets, at->driver) : 0;

    return limit && at->login->terminal_known ? jw_min(limit, limit_in(&at->login->terminal, at->driver))
                                              : limit;
}

const char *jw_line_limit_in(const struct jw_line_shell *at, uint64_t limit, struct jw_arena *a)
{
    uint64_t login = at->container ? 0 : limit_of_login(at);
    const char *value = jw_arena_printf(a, "%llu", (unsigned long long)jw_max(limit, login));
    const char *set = jw_shell_set(a, at->windows, at->shell, limit_name, value);

    return at->container || login >= limit
               ? set
               : jw_shell_then(a, at->windows,
                               JW_COMMAND(a, at->windows, "jitwarm", "env", "apply", "--max-size", value),
                               set);
}

const char *jw_line_limit(struct jw_session *s, uint64_t limit, const char *then, struct jw_arena *a)
{
    const struct jw_driver_state *driver = jw_session_known_driver(s);
    struct jw_line_shell at = { .windows = jw_os_is_windows(),
                                .container = jw_session_surroundings(s)->container,
                                .shell = jw_shell_here(a),
                                .driver = driver ? driver->version : NULL };
    struct jw_err ignored;

    if (!at.container && !jw_session_login(s, &at.login, &ignored))
        at.login = NULL;
    const char *line = jw_line_limit_in(&at, limit, a);

    if (then)
        return jw_shell_then(a, at.windows, line, then);
    if (at.windows) /* cmd has no comments */
        return line;
    if (at.container)
        return jw_arena_printf(a, "%s   # ENV %s=%llu in the image makes it last", line, limit_name,
                               (unsigned long long)limit);
    return jw_text_starts(line, "jitwarm env apply")
               ? jw_arena_printf(a, "%s   # for new logins and this shell; undo: jitwarm env undo", line)
               : line;
}

const char *jw_line_login_limit(struct jw_session *s, uint64_t limit, struct jw_arena *a)
{
    const struct jw_login_env *login;
    struct jw_env_difference d = { .name = limit_name }, *v;
    struct jw_err ignored;
    size_t n;

    if (jw_session_login(s, &login, &ignored)) {
        jw_login_compare(login, a, &v, &n);
        for (size_t i = 0; i < n; i++)
            if (strcmp(v[i].name, limit_name) == 0)
                d = v[i];
    }
    return jw_arena_printf(a, "%s   # for programs of %s",
                           jw_login_raise_limit(&d, limit, jw_os_is_windows(), jw_session_is_root(s), a),
                           jw_login_name(d.terminal_only));
}

const char *jw_line_new_cache(bool container, enum jw_shell shell, struct jw_arena *a)
{
    const char *set = jw_shell_set_new_folder(a, false, shell, "CUDA_CACHE_PATH", "cuda-cache");

    return container ? set
                     : jw_arena_printf(a, "%s && jitwarm env apply --path \"$%sCUDA_CACHE_PATH\"", set,
                                       shell == JW_SHELL_POWERSHELL ? "env:" : "");
}

const char *jw_line_larger_disk(struct jw_session *s, const char *cache, uint64_t need, struct jw_arena *a)
{
    struct jw_disk disk;
    struct jw_err ignored;

    if (s->cache || !cache || !jw_text_same(cache, jw_session_cache(s)->folder)
        || !jw_disk_look(cache, &disk, &ignored)
        || !jw_cache_fits_elsewhere(&disk, need, jw_cache_room_elsewhere(&disk)))
        return NULL;
    return jw_line_new_cache(jw_session_surroundings(s)->container, jw_shell_here(a), a);
}

const char *jw_line_full_disk(const char *folder, struct jw_arena *a)
{
    struct jw_cache_place place;

    if (jw_os_is_windows())
        return NULL;
    jw_cache_place(folder, a, &place);
    return jw_arena_printf(a, "du -xh -d 2 %s | sort -h | tail   # shows what fills the disk",
                           JW_COMMAND(a, false, place.mount ? place.mount : folder));
}
