/* The user and the system that jitwarm runs on. */
#pragma once

#include "base/arena.h"

/* A text is NULL if it is unknown or there is none. */
struct jw_whoami {
    const char *user;
    const char *home;  /* the home of a fresh login (user database, profile), not HOME */
    unsigned long uid; /* Linux */
    /* the user who called sudo, doas or pkexec, by which this process is root's */
    const char *behind;
    const char *behind_home;
    const char *distro; /* ID in os-release: "ubuntu" */
};

/* `sysroot`: prefix of the system's files for tests, else "" (Linux). */
void jw_whoami(const char *sysroot, struct jw_arena *a, struct jw_whoami *out);

/* Linux: an entry of the user database. A text is NULL if it is empty there. */
struct jw_account {
    const char *name, *home, *shell;
    unsigned long uid;
};

/* Finds an account by `name`, or, if that is NULL, by its number. False: there is none. */
bool jw_account_find(const char *name, unsigned long uid, struct jw_arena *a,
                     struct jw_account *out);
