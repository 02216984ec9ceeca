/*
 * Takes out of a text what says whose machine it is from, before it is shown to strangers or compared with another
 * machine's: home folders become ~, folders that are not the system's <path-1>, <path-2>..., names <user> and <host>,
 * GPU serials GPU-<uuid>. Pure.
 */
#ifndef DOCTOR_REDACT_H
#define DOCTOR_REDACT_H

#include "base/arena.h"
#include "jitwarm/err.h"

#include <stddef.h>

enum { JW_REDACT_MOST = 64 };

struct jw_redact {
    struct jw_arena *a;
    const char *homes[JW_REDACT_MOST], *users[JW_REDACT_MOST], *hosts[JW_REDACT_MOST];
    size_t n_homes, n_users, n_hosts;
    const char *paths[JW_REDACT_MOST]; /* given ones, which may contain blanks, and found ones */
    size_t n_paths;
};

/* NULL, "", "root", "SYSTEM" and names of one letter are ignored. */
void jw_redact_home(struct jw_redact *r, const char *path);
void jw_redact_user(struct jw_redact *r, const char *name);
void jw_redact_account(struct jw_redact *r, const char *name); /* NULL, or a word: nothing */
void jw_redact_host(struct jw_redact *r, const char *name);    /* its first part, too, where it has dots */
void jw_redact_path(struct jw_redact *r, const char *path);

/* A copy; NULL for NULL, "" of what is too long. */
const char *jw_redacted(struct jw_redact *r, const char *text);

#endif
