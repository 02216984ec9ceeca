/* The options of push, and what push --driver-files (push_matrix.c) does with them. */
#ifndef FLEET_COMMAND_PUSH_ARGS_H
#define FLEET_COMMAND_PUSH_ARGS_H

#include "fleet/command/fleet_view.h"
#include "fleet/matrix.h"

struct push_args {
    struct net_args net;
    struct texts words, gpus, packs, driver_files, exclude; /* words: REF, then PATHs */
    const char *cache, *sign;
    unsigned jobs;
    bool replace, all;
};

struct push_matrix_made {
    struct jw_remote_options net;
    struct texts gpus; /* to be pushed; none: all is there */
    const struct jw_matrix_input *inputs;
    size_t n_inputs;
    const char *cache;
};

/* --driver-files: runs this command line again for each driver. */
int push_matrix(struct cli *cli, const struct push_args *a);

/* In such a run: compiles what REF does not have. An exit code; with EXIT_DONE or EXIT_PARTLY `out` is to be pushed. */
int push_matrix_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                       const char *key_id, struct push_matrix_made *out);

#endif
