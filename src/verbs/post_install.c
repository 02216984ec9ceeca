#include "base/buf.h"
#include "base/limits.h"
#include "machine/listing.h"
#include "machine/login.h"
#include "os/process/process.h"
#include "verbs/prime_parts.h"

/* Finds the user to prime for; NULL: the user of this process. False: there is none. */
static bool find_whose(struct jw_session *s, bool as_root, const char **user, const char **says)
{
    const struct jw_whoami *who = jw_session_user(s);

    *user = NULL;
    if (as_root || !jw_session_is_root(s))
        return true;
    *user = who->behind;
    if (!who->behind)
        *says = "Nothing was primed: no user but root is known behind this. Each user runs jitwarm prime.";
    else if (!who->behind_home || !jw_is_folder(who->behind_home))
        *says = jw_arena_printf(s->a, "Nothing was primed: the home of %s, %s, does not exist.", who->behind,
                                who->behind_home ? who->behind_home : "(none)");
    else
        return true;
    return false;
}

bool jw_post_install(struct jw_session *s, bool as_root, const char **says)
{
    struct jw_buf self = JW_BUF_IN(s->a, JW_MAX_PATH);
    struct jw_err err = { 0 };
    const char *user;

    if (!find_whose(s, as_root, &user, says))
        return true;
    /* Only files are read: nothing is loaded, and no GPU is woken. */
    if (!jw_session_gpus(s)->driver && !jw_session_driver_file(s)->found) {
        *says = "Nothing was started: there is no NVIDIA driver here. When there is one, run jitwarm prime.";
        return true;
    }
    if (jw_process_self(&self, &err)) {
        const char *const words[] = {
            jw_buf_cstr(&self),           "prime", "--background", "--yes", "--quiet",
            as_root ? "--as-root" : NULL, NULL
        };
        const char *const *line = jw_login_run(words, user, s->a, &err);

        if (line
            && jw_process_detach(&(struct jw_command){ .exe = line[0], .argv = line, .user = user }, &err)) {
            *says = jw_arena_printf(
                s->a, "A prime was started in the background%s%s; jitwarm status shows how far it is.",
                user ? " for " : "", user ? user : "");
            return true;
        }
    }
    *says = jw_arena_printf(s->a, "No prime was started: %s. Run jitwarm prime yourself.", err.msg);
    return false;
}
