/* The user and the system that jitwarm runs on. */
#ifndef MACHINE_WHOAMI_H
#define MACHINE_WHOAMI_H

#include "base/arena.h"

#include <stdbool.h>

/* NULL: unknown or none. */
struct jw_whoami {
    const char *user;
    const char *home;   /* of a fresh login (user database, profile), not of HOME */
    unsigned long uid;  /* Linux */
    bool root;          /* or Windows' SYSTEM account */
    const char *behind; /* the user who called sudo, doas or pkexec */
    const char *behind_home;
    const char *distro; /* of os-release: "ubuntu" */
};

/* `sysroot`: prefix of the system's files for tests, else "" (Linux). */
void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out);

/* Is this Linux inside of Windows, whose GPU is no PCI device? `root`: "/" except in tests. */
bool jw_in_wsl(const char *root, struct jw_arena *a);

/* ---- pure, for tests ---- */

/* The unquoted value of NAME in an os-release text; NULL: none. */
const char *jw_os_release(const char *text, const char *name, struct jw_arena *a);

#endif
