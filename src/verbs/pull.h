/* pull, as run --pull uses it. */
#ifndef VERBS_PULL_H
#define VERBS_PULL_H

#include "verbs/net.h"

struct pull_args {
    struct net_args net;
    struct texts words, trust; /* words: REF, then PATHs */
    const char *cache;
    bool allow_unsigned, everything, no_verify, dry_run, as_root, or_prime;
};

/* For run --pull: prints one sentence; errors do not stop the command. */
void pull_before(struct cli *cli, const struct pull_args *args);

#endif
