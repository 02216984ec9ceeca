/* Parts that prime and verify share, and that export, pull and push use to prime. */
#ifndef VERBS_PRIME_H
#define VERBS_PRIME_H

#include "base/bytes.h"
#include "cache/memory/source_memory.h"
#include "cli/cli.h"
#include "cli/opt.h"
#include "cli/prime_progress.h"
#include "jitwarm/prime.h"
#include "prime/facts.h"

enum prime_verb { PRIME_PLAN, PRIME_PRIME, PRIME_VERIFY };

struct prime_args {
    struct jw_prime_options o; /* as far as the command line says it */
    struct jw_texts exclude, run;
    const char *cache, *pack, *driver_files, *output;
    unsigned yes; /* PRIME_YES... */
    bool check, post_install;
    bool for_packs;                  /* of --driver-files: only the packs stay */
    struct prime_progress *progress; /* of the command that primes; NULL: a prime of its own */
};

enum { PRIME_YES = 1, PRIME_YES_LIMIT };

/* Rows of an option table: for which GPU, which files, which modules. */
#define PRIME_OPT_GPU                                                                                        \
    {                                                                                                        \
        "gpu", 0, OPT_LIST, offsetof(struct prime_args, o.gpus), "GPU",                                      \
            "only for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\"; several with "      \
            "commas, or repeated (default: all GPUs of this machine). The driver also compiles for a GPU "   \
            "that is not here (prime: with --pack or --cache)",                                              \
            NULL, HINT_GPUS                                                                                  \
    }
#define PRIME_OPT_EXCLUDE                                                                                    \
    {                                                                                                        \
        "exclude", 0, OPT_LIST, offsetof(struct prime_args, exclude), "PATTERN",                             \
            "skip files and folders with this name; may be repeated", NULL, HINT_NONE                        \
    }
#define PRIME_OPT_ALL                                                                                        \
    {                                                                                                        \
        "all", 0, OPT_FLAG, offsetof(struct prime_args, o.all), NULL,                                        \
            "also NVIDIA's own libraries, and modules that are loaded on demand only", NULL, HINT_NONE       \
    }

int prime_run(struct cli *cli, const struct prime_args *args, enum prime_verb verb);

/* A plan fails only when interrupted, or where nothing can be warm. */
int prime_exit(enum prime_verb verb, enum jw_end end);

/* Prints the plan and the question, and reads a line of `in`. Accepts only y and yes. */
bool prime_ask(struct cli *cli, FILE *in, const struct jw_prime_report *plan, const char *question,
               bool usual);

/* This program's command line once more for a part of a matrix, with NVIDIA's driver out of files
 * (driver/files/driver_run). */
struct driver_files_run {
    const char *folder;
    const struct jw_texts *gpus;
    const char *part;
    struct jw_bytes input;
    bool again; /* the user was told whose driver it is */
};

/* Returns its exit code. */
int prime_under_driver_files(struct cli *cli, const struct driver_files_run *run);

/* ---- the report (prime_report.c) ---- */

struct prime_view {
    enum prime_verb verb;
    const struct jw_prime_report *report;
    const char *command;            /* of --run; NULL: none */
    struct jw_pack_sources sources; /* that were asked before it compiled */
    bool passing;                   /* only packs stay: do not print the cache, nor advice about it */
};

extern const struct jw_form prime_form, verify_form; /* prime_form also of a dry run */

bool prime_report(struct cli *cli, const struct prime_view *v, struct jw_err *err) JW_MUST;

/* Instead of a report: the first line and each reason of a failure, on standard error. */
void prime_report_failures(struct cli *cli, const struct prime_view *v);

/* The first line: the result, with GPU and driver. */
void prime_say_head(struct jw_buf *out, const struct prime_view *v);

#endif
