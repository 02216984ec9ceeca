/* The options of prime and verify, and the code that runs either. */
#ifndef VERBS_PRIME_H
#define VERBS_PRIME_H

#include "cache/memory/source_memory.h"
#include "cli/opt.h"
#include "verbs/prime_view.h"

#include <stdint.h>

struct prime_args {
    struct texts paths, gpus, exclude, run;
    const char *cache, *pack, *driver_files, *output;
    unsigned jobs, time_box_s, wait_s, sample, yes; /* yes: PRIME_YES... */
    bool all, background, if_stale, as_root, dry_run, check, post_install;
    bool retry;     /* of --driver-files: also modules that crashed or hung this driver before */
    bool for_packs; /* of --driver-files: only the packs stay */
    struct prime_progress *progress; /* of the command that primes; NULL: a prime of its own */
};

enum { PRIME_YES = 1, PRIME_YES_LIMIT };

/* Rows of an option table: which modules, of which files, for which GPU. */
#define PRIME_OPTS_WHICH                                                                                     \
    { "gpu",                                                                                                 \
      0,                                                                                                     \
      OPT_LIST,                                                                                              \
      offsetof(struct prime_args, gpus),                                                                     \
      "GPU",                                                                                                 \
      "only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\"; several with commas, or " \
      "repeated "                                                                                            \
      "(default: all GPUs of this machine). The driver also compiles for a GPU that is not here "            \
      "(prime: with --pack or --cache)",                                                                     \
      NULL,                                                                                                  \
      HINT_GPUS },                                                                                           \
        { "exclude", 0,                                                                                      \
          OPT_LIST,  offsetof(struct prime_args, exclude),                                                   \
          "PATTERN", "skip files and folders with this name; may be repeated",                               \
          NULL,      HINT_NONE },                                                                            \
    {                                                                                                        \
        "all", 0, OPT_FLAG, offsetof(struct prime_args, all), NULL,                                          \
            "also NVIDIA's own libraries, and modules that are loaded on demand only", NULL, HINT_NONE       \
    }

int prime_run(struct cli *cli, const struct prime_args *args, enum prime_verb verb);

/* --driver-files: packs for machines that are not here (prime_driver_files.c). */
int prime_with_driver_files(struct cli *cli, const struct prime_args *a, enum prime_verb verb);

/* Replaces each .cu file of the paths by its PTX, which the state folder keeps (prime_source.c). */
bool prime_compile_sources(struct cli *cli, struct prime_args *a, struct jw_err *err) JW_MUST;

/* Starts a background prime as the user behind a package manager (prime_post_install.c). For root itself only in a
 * container or with `as_root`. Always EXIT_DONE. */
int prime_in_background(struct cli *cli, bool as_root);

/* Imports what fits from the machine's folder for packs (prime_packs.c). Reports a failure, and goes on: the prime only
 * takes longer. */
bool prime_packs(struct cli *cli, const struct prime_args *a, struct jw_err *err) JW_MUST;

/* jw_prime; where it would compile, it first takes from the sources of jitwarm.conf what they have (prime_take.c).
 * `hurried`: one that was silent a moment ago is not asked again. `sources`: what they gave; none were asked: empty. It lives in the arena of `cli`. */
bool prime_with_sources(struct cli *cli, struct jw_run *run, struct jw_prime_options *o, bool hurried,
                        struct jw_prime_report *report, struct jw_prime_memory **memory,
                        struct jw_pack_sources *sources, struct jw_err *err) JW_MUST;

#endif
