/* Command lines for a person to paste: as this user, this shell and this folder need them. */
#ifndef SESSION_LINES_H
#define SESSION_LINES_H

#include "machine/shell.h"
#include "session/session.h"

/* `command`, to be run in this folder: "cd DIR && COMMAND", where that is another one, and there. NULL: in any. */
const char *jw_line_in(const char *folder, const char *command, struct jw_arena *a);

/* Starts a recorded command again. `prime` and `cache` as in struct jw_step_scope, `command` as it is typed. `before`:
 * a command that this shell needs first; NULL: none. */
const char *jw_line_start(const char *before, const char *prime, const char *cache, const char *command,
                          const char *folder, struct jw_arena *a);

/* "jitwarm prime": root fills the cache of the user behind sudo, or with --as-root its own. `as_root`: it did. */
const char *jw_line_prime(struct jw_session *s, bool as_root, struct jw_arena *a);

/* The shell for which a limit is set, and what programs of a fresh login have. */
struct jw_line_shell {
    bool windows, container;
    enum jw_shell shell;
    const struct jw_login_env *login; /* NULL: not known */
    const char *driver;               /* its version, for the default limit; NULL: not known */
};

/* The command after which this shell has a cache limit of so many bytes: "export CUDA_CACHE_MAXSIZE=N", where a fresh
 * login has as much (and then what that has), or in a container, which has no logins; else "jitwarm env apply
 * --max-size N && export ...". */
const char *jw_line_limit_in(const struct jw_line_shell *at, uint64_t limit, struct jw_arena *a);

/* The same for the shell of this session, and `then` that command; NULL: with a remark on how it lasts. */
const char *jw_line_limit(struct jw_session *s, uint64_t limit, const char *then, struct jw_arena *a);

/* The same for programs of a fresh login. */
const char *jw_line_login_limit(struct jw_session *s, uint64_t limit, struct jw_arena *a);

/* The command after which this shell and new logins have a new folder for the cache. */
const char *jw_line_new_cache(bool container, enum jw_shell shell, struct jw_arena *a);

/* The same, where the disk of this cache is too small for so many bytes more, even if it were emptied, and another one
 * is not; NULL: it is not, or only a person can choose another. */
const char *jw_line_larger_disk(struct jw_session *s, const char *cache, uint64_t need, struct jw_arena *a);

/* The command that shows what fills the disk of a folder; NULL: on Windows. */
const char *jw_line_full_disk(const char *folder, struct jw_arena *a);

#endif
