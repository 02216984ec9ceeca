/* The options of push, and what push --driver-files (push_matrix.c) does with them. */
#ifndef FLEET_COMMAND_PUSH_ARGS_H
#define FLEET_COMMAND_PUSH_ARGS_H

#include "fleet/command/fleet_view.h"
#include "fleet/command/push_part.h"
#include "pack/format/minisign.h"

struct push_args {
    struct net_args net;
    struct texts words, gpus, packs, driver_files, exclude; /* words: REF, then PATHs */
    const char *sign;
    unsigned jobs;
    bool replace, all;
};

struct push_matrix_made {
    struct jw_remote_options net;
    struct texts gpus; /* to be pushed; none: there is nothing, or this was the plan */
    struct push_part part;
    const char *cache, *path; /* of the part */
};

/* --driver-files: runs this command line twice for each driver: first to plan, then to compile and push. `key` NULL: nothing is
 * signed. */
int push_matrix(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                const struct jw_minisign_secret *key, struct prime_progress *progress);

/* In such a run: plans, or compiles what REF does not have. An exit code; with EXIT_DONE or EXIT_PARTLY `out` is to be pushed. */
int push_matrix_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                       const char *key_id, struct prime_progress *progress, struct push_matrix_made *out);

/* After that: tells the other run what is there now. */
int push_matrix_pushed(struct cli *cli, struct push_matrix_made *made, const struct prime_progress *progress,
                       int code);

#endif
