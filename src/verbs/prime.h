/* prime and verify: their options, their run, their report, and the progress that push shows, too. */
#ifndef VERBS_PRIME_H
#define VERBS_PRIME_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/rows.h"
#include "cache/memory/source_memory.h"
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "jitwarm/prime.h"
#include "prime/facts.h"

#include <stdint.h>

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

/* Starts a background prime as the user behind a package manager. For root itself only in a container or with `as_root`.
 * Reports a failure, but is always EXIT_DONE: it must not fail the package's installation. */
int prime_in_background(struct cli *cli, bool as_root);

/* jw_prime; where it would compile, it first takes from the sources of jitwarm.conf what they have. `hurried`: one that was
 * silent a moment ago is not asked again. `sources`: what they gave; none were asked: empty. It lives in the arena of
 * `cli`. */
bool prime_with_sources(struct cli *cli, struct jw_run *run, struct jw_prime_options *o, bool hurried,
                        struct jw_prime_report *report, struct jw_prime_memory **memory,
                        struct jw_pack_sources *sources, struct jw_err *err) JW_MUST;

/* ---- GPUs that are not here (prime_absent.c) ---- */

/* --driver-files: packs for machines that are not here. */
int prime_with_driver_files(struct cli *cli, const struct prime_args *a, enum prime_verb verb);

/* This program's command line once more, with NVIDIA's driver out of files. */
struct driver_files_run {
    const char *folder;
    const struct jw_texts *gpus; /* an emulated GPU is none of them where possible */
    const char *part;            /* a path for what the two runs tell each other */
    struct jw_bytes input;       /* for its standard input */
    bool again;                  /* the user was told whose driver it is */
};

/* An exit code. In that run prime_driver_files_cache is the folder for what is compiled, and prime_driver_files_part is
 * `part`; in any other both are NULL. */
int prime_under_driver_files(struct cli *cli, const struct driver_files_run *run);
const char *prime_driver_files_cache(struct jw_arena *a);
const char *prime_driver_files_part(struct jw_arena *a);

/* Those that --gpu names are moved from `gpus`: this machine's driver compiles for them, into a separate cache. Without a
 * driver all stay. */
bool absent_gpus_split(struct cli *cli, struct jw_texts *gpus, struct jw_texts *absent,
                       struct jw_err *err) JW_MUST;

const char *absent_gpus_cache(struct jw_arena *a,
                              struct jw_err *err); /* NULL: the system names no folder for it */
const char *absent_gpus_kept(struct jw_arena *a);  /* the same; NULL: nothing is there */

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

/* ---- its sentences (prime_words.c); what comes from a file or the engine is cleaned ---- */

const char *prime_job_path(const struct jw_job *job); /* of its first place; "" none */

void prime_say_part(struct jw_buf *out, uint64_t n, uint64_t all); /* "41 of 143 modules" */

/* The first line: what was done, for which GPU and driver. */
void prime_say_head(struct jw_buf *out, const struct prime_view *v);

/* "the driver refused it: CUDA_ERROR_INVALID_PTX (218): ..."; `jobs` selects "it" or "them". */
void prime_say_failure(struct jw_buf *out, const struct jw_job *job, uint64_t jobs);

/* "verified: ..." or "not verified: ...", of `all` modules, some or all of which recorded starts loaded. True: verified. */
bool prime_say_proof(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all,
                     const struct jw_prime_starts *starts);
/* The same of a run; nothing if there is nothing to verify. True: verified. */
bool prime_say_verdict(struct jw_buf *out, const struct prime_view *v);

/* ---- the progress (prime_progress.c): lines of text; pure ---- */

/* Smooths the numbers between two updates. Zeroed at the start. */
struct prime_meter {
    bool begun;
    enum jw_prime_phase phase;
    double seconds;  /* of the last look */
    double since;    /* when the phase began; 0: it was not seen to begin */
    double eta;      /* smoothed; < 0: not known */
    double last_eta; /* as it was last_eta at the last look */
    double part;     /* 0 .. 1 of the work; never falls in a phase */
};

/* The part is that of the estimated time while compiling, and that of the modules while verifying. */
void prime_meter_feed(struct prime_meter *m, const struct jw_prime_progress *p);

unsigned prime_meter_percent(const struct prime_meter *m);

/* For a terminal: "[#####......] 45 %, 1 min elapsed, about 1 min 12 s left" and below it "  libggml-cuda.so: flash_attn".
 * Each line is narrower than `columns`; the least important parts are dropped first. */
void prime_meter_lines(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p,
                       unsigned columns);

/* For a file: "41 of 143 modules, 103 of 254 MiB, about 1 min 12 s left, 0 failed". */
void prime_meter_sentence(struct jw_buf *out, const struct prime_meter *m, const struct jw_prime_progress *p);

/* "; now libggml-cuda.so: flash_attn (38 s) and 3 more; slowest so far: mmq.cu, 58 s", or nothing. */
void prime_meter_say_slots(struct jw_buf *out, const struct jw_prime_progress *p);

/* ---- where it is shown: a bar on a terminal, lines elsewhere, or a stream of JSON lines ---- */

/* A command that primes several times shows them as one: what the other runs did, and will do. */
struct prime_whole {
    double seconds_here, seconds_after;     /* predicted: to compile in this run, and in those after it */
    uint64_t done, here, total;             /* modules: of earlier runs, of this one, of all */
    uint64_t done_ptx, here_ptx, total_ptx; /* their bytes */
    double part;                            /* 0 .. 1 that was shown before: it does not fall */
};

struct prime_progress {
    struct jw_messages *messages;
    struct prime_meter meter;
    double last_line;         /* time of the last line, without a terminal */
    struct jw_output *stream; /* --progress json: docs/progress.md; NULL: for people */
    bool streamed;
    int64_t started;                 /* in its first line */
    enum jw_prime_phase phase;       /* of the last line of the stream */
    uint64_t began;                  /* of the command, monotonic ns; 0: with the run */
    const struct prime_whole *whole; /* or NULL */
};

/* jw_run.progress; `ctx` is a struct prime_progress. */
void prime_progress_show(void *ctx, const struct jw_progress *p);

/* Writes the last line of the stream. `run` NULL: there is no report. */
void prime_progress_end(struct prime_progress *s, const struct jw_run *run, uint64_t warm, uint64_t total,
                        int code);

/* Of a line of the stream. */
extern const struct jw_form progress_form;

#endif
