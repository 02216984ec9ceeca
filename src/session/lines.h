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

#endif
