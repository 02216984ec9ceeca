/* The options of plan, prime and verify, and the code that runs any of the three. */
#ifndef PRIME_COMMAND_PRIME_ARGS_H
#define PRIME_COMMAND_PRIME_ARGS_H

#include "cli/opt.h"
#include "prime/command/prime_view.h"

#include <stdint.h>

struct prime_args {
    struct texts paths, gpus, only, exclude, run;
    const char *cache, *pack, *packs, *push, *sign;
    unsigned jobs, timeout_s, time_box_s, wait_s, sample, caller, progress, yes; /* yes: PRIME_YES... */
    bool all, prune, no_verify, background, if_stale, as_root, check, stop, retry;
    bool from_cache, renew; /* of jitwarm carry */
    bool for_packs;         /* of jitwarm compile: only the packs stay */
};

enum { PRIME_YES = 1, PRIME_YES_LIMIT };

/* Rows of an option table: which modules, of which files, for which GPU. */
#define PRIME_OPTS_WHICH                                                                                     \
    { "gpu",                                                                                                 \
      0,                                                                                                     \
      OPT_LIST,                                                                                              \
      offsetof(struct prime_args, gpus),                                                                     \
      "GPU",                                                                                                 \
      "only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\"; may be repeated "         \
      "(default: all GPUs of this machine). The driver also compiles for a GPU that is not here "            \
      "(prime: with --pack or --cache); fleet: the GPUs of jitwarm.conf",                                    \
      NULL,                                                                                                  \
      HINT_GPUS },                                                                                           \
        { "only",    0,                                                                                      \
          OPT_LIST,  offsetof(struct prime_args, only),                                                      \
          "PATTERN", "only files with this name (* and ? as in a shell); may be repeated",                   \
          NULL,      HINT_NONE },                                                                            \
        { "exclude", 0,                                                                                      \
          OPT_LIST,  offsetof(struct prime_args, exclude),                                                   \
          "PATTERN", "skip files and folders with this name; may be repeated",                               \
          NULL,      HINT_NONE },                                                                            \
        { "all",    0,                                                                                       \
          OPT_FLAG, offsetof(struct prime_args, all),                                                        \
          NULL,     "also NVIDIA's own libraries, and modules that are loaded on demand only",               \
          NULL,     HINT_NONE },                                                                             \
    {                                                                                                        \
        "cache", 0, OPT_TEXT, offsetof(struct prime_args, cache), "DIR",                                     \
            "use this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS    \
    }

/* How much of the machine it may take. */
#define PRIME_OPTS_WORKERS                                                                                   \
    { "jobs",   'j',                                                                                         \
      OPT_UINT, offsetof(struct prime_args, jobs),                                                           \
      "N",      "number of parallel workers (default: half the CPUs)",                                       \
      NULL,     HINT_NONE },                                                                                 \
        { "timeout",    0,                                                                                   \
          OPT_DURATION, offsetof(struct prime_args, timeout_s),                                              \
          "TIME",       "give up on a module after 90s, 5m or 2h (default: 30m)",                            \
          NULL,         HINT_NONE },                                                                         \
    {                                                                                                        \
        "as-root", 0, OPT_FLAG, offsetof(struct prime_args, as_root), NULL,                                  \
            "as root: fill root's own cache (prime refuses it otherwise)", NULL, HINT_NONE                   \
    }

/* For installers and programs with a window: docs/progress.md. */
#define PRIME_OPTS_PROGRESS                                                                                  \
    {                                                                                                        \
        "progress", 0, OPT_CHOICE, offsetof(struct prime_args, progress), "FORM",                            \
            "how to show progress: auto (a bar on a terminal, else a line now and then) or json (one "       \
            "object "                                                                                        \
            "a line on standard output, and nothing else there)",                                            \
            "auto json", HINT_NONE                                                                           \
    }

int prime_run(struct cli *cli, const struct prime_args *args, enum prime_verb verb);

/* ---- a row of --profile: how a prime behaves where something else calls it (prime_callers.c) ---- */

struct prime_caller {
    unsigned time_box_s; /* when the caller names none; 0: none */
    bool yes, silent, same_login, exports, own;
    bool queue;                 /* start a background prime of the invoking user and exit */
    int (*exit_code)(int code); /* what the caller understands */
};

#define PRIME_CALLERS "- slurm-prolog slurm-task intune container postinst everybody"
const struct prime_caller *prime_caller(unsigned index);

/* Starts a background prime as the user behind a package manager. For root itself only in a container or with
 * `as_root`. Always EXIT_DONE. */
int prime_in_background(struct cli *cli, bool as_root);

/* Prints "export NAME=value" for the scheduler: the cache's place and limit. */
void prime_print_exports(struct cli *cli, const struct jw_prime_report *r);

/* ---- the log of background runs (prime_runlog.c) ---- */

struct prime_runlog {
    bool on; /* --background */
    bool began;
    uint64_t since;
    char more[400]; /* what was done besides */
};

void prime_runlog_open(struct prime_runlog *d, bool background);
/* The run has something to do. Reports a log that cannot be written once, and continues. */
void prime_runlog_begin(struct prime_runlog *d, struct cli *cli);
void prime_runlog_add(struct prime_runlog *d, const char *what);
/* `r` NULL: it failed for this reason. */
void prime_runlog_end(struct prime_runlog *d, struct cli *cli, const struct jw_prime_report *r,
                      const struct jw_err *why, int code);

/* ---- what a prime does besides (prime_extras.c) ---- */

bool prime_packs(struct cli *cli, const struct prime_args *a, struct prime_runlog *d,
                 struct jw_err *err) JW_MUST;
void prime_prune(struct cli *cli, const struct prime_args *a, const struct jw_prime_report *done,
                 struct prime_runlog *d);

#endif
