/* The data that prime and verify print as text or JSON, and shared wording. */
#ifndef VERBS_PRIME_VIEW_H
#define VERBS_PRIME_VIEW_H

#include "base/buf.h"
#include "cache/memory/source_memory.h"
#include "cli/cli.h"
#include "cli/page.h"
#include "jitwarm/prime.h"
#include "prime/next_start.h"

enum prime_verb { PRIME_PLAN, PRIME_PRIME, PRIME_VERIFY };

struct prime_view {
    enum prime_verb verb;
    const struct jw_prime_report *report;
    const char *command;            /* of --run; NULL: none */
    struct jw_pack_sources sources; /* that were asked before it compiled */
    bool stats;
    bool passing; /* only packs stay: do not print the cache, nor advice about it */
};

bool prime_write_json(struct cli *cli, const struct prime_view *v, struct jw_err *err) JW_MUST;
bool prime_write_text(struct cli *cli, const struct prime_view *v, struct jw_err *err) JW_MUST;

int prime_exit(enum prime_verb verb,
               enum jw_end end); /* a plan fails only when interrupted, or where nothing can be warm */

/* Prints the plan and the question, and reads a line of `in`. Accepts only y and yes. */
bool prime_ask(struct cli *cli, FILE *in, const struct jw_prime_report *plan, const char *question,
               bool usual);

/* ---- what belongs together (prime_groups.c) ---- */

/* The jobs of one file: those that are in it first. */
struct prime_file {
    const char *path, *package;   /* package NULL: unknown */
    uint64_t modules, warm, left; /* left: not warm */
    uint64_t ptx_bytes;           /* of all */
    double seconds;               /* predicted, for those that were not warm */
    uint64_t cache_bytes;         /* the same */
};

/* Most seconds first, then by path. */
void prime_files(const struct jw_prime_report *r, struct jw_arena *a, const struct prime_file **out,
                 size_t *n);

/* Jobs that are not warm for the same reason. */
struct prime_failure {
    const struct jw_job *const *jobs; /* in their order */
    size_t n;
};

/* Most jobs first. In a plan, planned jobs are no failures. */
void prime_failures(const struct prime_view *v, struct jw_arena *a, const struct prime_failure **out,
                    size_t *n);

/* Modules that were not found again for the same reason. */
struct prime_miss {
    const char *cause;
    size_t pass;
    const struct jw_job *first;
    uint64_t jobs;
};

void prime_misses(const struct jw_prime_report *r, struct jw_arena *a, const struct prime_miss **out,
                  size_t *n);

/* ---- tables (prime_tables.c) ---- */

/* Lists the first `max` files, or every job, with an empty line at the end if there is any. */
void prime_put_files(struct jw_page *p, struct jw_arena *a, const struct prime_file *files, size_t n,
                     size_t max);
void prime_put_jobs(struct jw_page *p, struct jw_arena *a, const struct jw_prime_report *r);

/* ---- words (prime_words.c); what comes from a file or the engine is cleaned ---- */

bool prime_job_is_warm(const struct jw_job *job);     /* before or since */
uint64_t prime_warm(const struct jw_prime_report *r); /* jobs that are */
const char *prime_job_path(const struct jw_job *job); /* of its first place; "" none */

void prime_say_part(struct jw_buf *out, uint64_t n, uint64_t all);     /* "41 of 143 modules" */
void prime_say_bytes_of(struct jw_buf *out, uint64_t n, uint64_t all); /* "108 of 266 MiB" */

extern const struct jw_form prime_form, verify_form; /* prime_form also of a dry run */

/* (prime_head.c) The first line: what was done, for which GPU and driver. */
void prime_say_head(struct jw_buf *out, const struct prime_view *v);

/* "the driver refused it: CUDA_ERROR_INVALID_PTX (218): ..."; `jobs` selects "it" or "them". */
void prime_say_failure(struct jw_buf *out, const struct jw_job *job, uint64_t jobs);
/* "kernel a", or nothing; its plain or mangled name. */
void prime_say_kernel(struct jw_buf *out, const struct jw_job *job, bool mangled);

void prime_say_left_out(struct jw_buf *out, const struct jw_prime_report *r); /* nothing: nothing was */
void prime_say_cache(struct jw_buf *out, const struct prime_view *v);
bool prime_room_is_short(const struct jw_prime_report *r);

/* (prime_verdict.c) */
bool prime_is_verified(const struct jw_verify_report *v); /* every pass found all, and added nothing */

/* "verified: ..." or "not verified: ...", of `all` modules. True: verified. */
bool prime_say_proof(struct jw_buf *out, const struct jw_verify_report *v, uint64_t all);
/* The same of a run; nothing if there is nothing to verify. True: verified. */
bool prime_say_verdict(struct jw_buf *out, const struct prime_view *v);

#endif
