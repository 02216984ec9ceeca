/* The options of push, and what push --driver-files (push_drivers.c) does with them. */
#ifndef VERBS_PUSH_H
#define VERBS_PUSH_H

#include "fleet/matrix.h"
#include "fleet/push.h"
#include "pack/format/minisign.h"
#include "verbs/net.h"
#include "verbs/prime.h"

struct push_args {
    struct net_args net;
    struct jw_texts words, gpus, packs, driver_files, exclude; /* words: REF, then PATHs */
    const char *sign;
    unsigned jobs;
    bool replace, all;
};

/* A message between a push of several driver builds and its run for one of them. */
struct push_part {
    uint64_t began;            /* of the push; monotonic ns */
    struct prime_whole whole;  /* planned: only what is `here`; pushed: `part`, as it was shown last */
    const char *driver;        /* its version */
    struct jw_matrix_input *v; /* `there` as it was planned, and after it was pushed */
    size_t n;
};

struct push_made {
    struct jw_remote_options net;
    struct jw_texts gpus; /* to be pushed; none: there is nothing, or this was the plan */
    struct push_part part;
    const char *cache, *path; /* of the part */
};

/* --driver-files: runs this command line twice for each driver: first to plan, then to compile and push. `key` NULL: nothing is
 * signed. */
int push_drivers(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                 const struct jw_minisign_secret *key, struct prime_progress *progress);

/* In such a run: plans, or compiles what REF does not have. An exit code; with EXIT_DONE or EXIT_PARTLY `out` is to be pushed. */
int push_drivers_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                        const char *key_id, struct prime_progress *progress, struct push_made *out);

/* After that: tells the other run what is there now. */
int push_drivers_pushed(struct cli *cli, struct push_made *made, const struct prime_progress *progress,
                        int code);

/* The end of a matrix: how its packs are used. In JSON, whose parts are their own reports, that there was `nothing` to push. */
bool push_print_all(struct cli *cli, const struct jw_ref *ref, const char *public_key, bool nothing,
                    struct jw_err *err) JW_MUST;

#endif
