/* Who runs this, on what, and whose cache that makes it: facts for doctor. Asks the system; changes nothing. */
#ifndef MACHINE_WHOAMI_H
#define MACHINE_WHOAMI_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* NULL: not known, or none. */
struct jw_whoami {
    const char *user, *host;
    const char *home;   /* of the user database, or of the profile: what a login has, whatever HOME says */
    bool root;          /* or Windows' own account */
    const char *behind; /* the user for whom sudo and its kin made this process root */
    const char *behind_home;
    const char
        *service; /* nobody logs in as this user; why we think so: "the login shell is /usr/sbin/nologin" */
    const char *roaming; /* Windows: the profile is carried over the network; why we think so */
    const char *system;  /* "Ubuntu 24.04.1 LTS"; of os-release */
    const char *distro;  /* its ID: "ubuntu" */
};

/* `sysroot`: where the system's files are looked for, "" but in tests (Linux). */
bool jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out) JW_MUST;

/* ---- pure parts, for tests ---- */

/* NAME=value of an os-release text, unquoted; NULL: not there. */
const char *jw_os_release(const char *text, const char *name, struct jw_arena *a);

/* Does a shell of the user database let nobody in? */
bool jw_shell_lets_nobody_in(const char *shell);

/* Is this the profile of a service of Windows? */
bool jw_service_profile(const char *appdata);

#endif
