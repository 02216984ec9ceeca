/*
 * The options that several verbs have: one row each. A verb names those that it takes (struct cmd, `shared`: "json yes gpu"), and finds
 * their values in cli->shared; color, quiet, verbose and help are of all verbs.
 */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "cli/opt.h"

struct shared {
    bool quiet, verbose, help;
    unsigned color;        /* auto, always, never */
    bool json;             /* "json": a report in JSON (cli/report.h does it) */
    bool yes;              /* "yes" */
    bool dry_run;          /* "dry-run" */
    bool as_root;          /* "as-root": root works on the cache of root's own programs */
    unsigned progress;     /* "progress": 1: as JSON */
    const char *cache;     /* "cache": also in session.cache already; NULL: not given */
    const char *sign;      /* "sign": the file of a secret key; NULL: not given */
    struct jw_texts gpus;  /* "gpu": words of --gpu */
    struct jw_texts trust; /* "trust": files of public keys, beside those of the folders */
};

extern const struct opt jw_shared_opts[];

/* Does this verb have the row? Do all? */
bool jw_shared_of_all(const struct opt *shared);
bool jw_shared_has(const struct cmd *cmd, const struct opt *shared);

#endif
