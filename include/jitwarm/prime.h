/*
 * plan, prime and verify: the driver compiles, ahead of time, what CUDA files would have it compile at their first
 * start; and the proof that the next start compiles nothing.
 */
#ifndef JITWARM_PRIME_H
#define JITWARM_PRIME_H

#include "jitwarm/end.h"
#include "jitwarm/err.h"
#include "jitwarm/gpu.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became, or would become, of a job. */
enum jw_job_state {
    JW_JOB_TODO,     /* plan: to be compiled; prime: not reached (time box, interruption, a dying driver) */
    JW_JOB_WARM,     /* was in the cache already */
    JW_JOB_WARMED,   /* compiled now, and its entry is in the cache */
    JW_JOB_FAILED,   /* the driver refused it: `code`, `why`, `log` */
    JW_JOB_TIMEOUT,  /* the driver did not finish it in time and was ended */
    JW_JOB_CRASHED,  /* the driver's process died of it: `why` names the signal */
    JW_JOB_BANNED,   /* it crashed or hung this very driver before: `why` */
    JW_JOB_NO_ROOM,  /* does not fit under the limit of the cache, or on the disk */
    JW_JOB_CHANGED,  /* its file was changed or went away meanwhile */
    JW_JOB_UNSTORED, /* compiled, but the driver kept nothing: `why` */
    JW_JOB_STATES
};

/* "todo" "warm" "warmed" "failed" "timeout" "crashed" "banned" "no-room" "changed" "unstored" */
const char *jw_job_state_name(enum jw_job_state s);

/* A container (or PTX text) that holds a job's PTX. */
struct jw_job_place {
    const char *path;    /* as it is told: "lib.so", "NAME.whl!member", "cache entry 4/2/3e06b9e6ec62aa" */
    const char *disk;    /* what a worker reads */
    uint64_t at, size;   /* in that */
    const char *package; /* that the file belongs to; NULL: unknown */
    uint8_t digest[32];  /* BLAKE2b-256 of these bytes */
    bool text;           /* PTX text; else a container */
};

/* The unit of work: the same PTX, under the same options, for one architecture. */
struct jw_job {
    uint8_t id[32]; /* BLAKE2b-256 of PTX, options and architecture */
    uint16_t sm;
    char target[20];     /* "compute_75": what its PTX was made for */
    const char *options; /* as stored in the container; "" none */
    const char *kernel;  /* the first of it; "" unknown */
    uint64_t ptx_bytes;  /* plain */
    bool used;           /* known to be loaded: by older builds' entries, a profile or a running program */
    bool lazy;           /* its programs compile it when they first use it, if ever */
    bool predicted;      /* `name` and `key_size` are what the driver will make */
    bool renews; /* its entry is there, and of another build's code: what is compiled takes its place */
    uint64_t name, key_size;
    const struct jw_job_place *places; /* at least one; the first is the one that the driver gets */
    size_t n_places;
    double seconds;       /* predicted, of one worker */
    uint64_t cache_bytes; /* predicted; key + payload */
    uint64_t memory;      /* predicted, of a worker */
    enum jw_job_state state;
    int code;                   /* CUresult, 0: none */
    const char *code_name;      /* "CUDA_ERROR_INVALID_PTX"; NULL */
    const char *why;            /* a sentence, or NULL */
    const char *log;            /* the driver's words about it, of a second attempt; NULL */
    const char *const *kernels; /* of a module that failed; the first few */
    size_t n_kernels, more_kernels;
    unsigned milliseconds;  /* it took */
    unsigned began, worker; /* milliseconds after the first module; which worker compiled it */
    uint64_t entry_bytes;   /* key + payload, of the entry that is there now */
};

/* Why a module of a file is no job. */
enum jw_left_out {
    JW_OUT_IS_NATIVE,
    JW_OUT_IS_LAZY,
    JW_OUT_IS_RDC,
    JW_OUT_IS_BLOCKED,  /* the driver is too old for it */
    JW_OUT_IS_NOTHING,  /* nothing for this GPU in it */
    JW_OUT_IS_VENDOR,   /* in a library of NVIDIA's own */
    JW_OUT_IS_FILTERED, /* --only */
    JW_OUT_IS_UNUSED,   /* not in the profile */
    JW_OUT_IS_DOUBTFUL, /* damaged, or of a form that must not reach a driver */
    JW_LEFT_OUT
};

/* "native" "lazy" "rdc" "blocked" "nothing" "vendor" "filtered" "unused" "doubtful" */
const char *jw_left_out_name(enum jw_left_out r);

struct jw_left_out_sum {
    uint64_t modules, ptx_bytes;
};

struct jw_prime_gpu {
    unsigned index;
    char uuid[48], name[96], pci[20];
    uint16_t sm;
    uint64_t memory;
    bool mig, exclusive;
    bool chosen; /* works, and its architecture is worked for */
};

struct jw_verify_miss {
    size_t job;        /* index into jobs */
    const char *cause; /* a sentence: "its entry is gone: evicted, or removed" */
};

/* What a fresh process made of the cache. */
struct jw_verify_pass {
    const char *where;                     /* "this environment", "a fresh login" */
    uint64_t loaded, hits, misses, failed; /* jobs; failed: could not be loaded at all */
    uint64_t new_entries;                  /* files that appeared meanwhile */
    unsigned milliseconds;
};

struct jw_verify_report {
    bool done;
    bool login_same; /* a fresh login has the same settings, so that one pass speaks for both */
    const struct jw_verify_pass *passes;
    size_t n_passes;
    const struct jw_verify_miss *misses;
    size_t n_misses;
    const char *why; /* NULL, or why it could not be done */
};

struct jw_prime_report {
    enum jw_end end;
    const char *why;           /* NULL, or the sentence of the end */
    const char *const *advice; /* commands and sentences that help */
    size_t n_advice;
    const char *const *notes; /* what the user should know */
    size_t n_notes;
    const char *const *unread; /* a file and why, each: it may hold CUDA code, and could not be read */
    size_t n_unread;
    bool simulated;
    const char *driver_version; /* NULL: unknown */
    const char *build, *stamp;  /* NULL: unknown */
    int level;                  /* enum jw_level */
    const struct jw_prime_gpu *gpus;
    size_t n_gpus;
    const uint16_t *siblings; /* what is compiled for is not here: these architectures */
    size_t n_siblings;
    const char *root;  /* of the cache; NULL: there is none */
    uint64_t limit;    /* that a new process of this user will have */
    bool limit_known;  /* else assumed */
    uint64_t used;     /* of it, before */
    uint64_t outdated; /* of that: of other driver builds */
    uint64_t free_disk;
    uint64_t need;  /* predicted cache bytes of what is to do */
    double seconds; /* predicted wall time */
    double cpu_seconds;
    bool lazy; /* it is the most: programs compile only what they use of it */
    unsigned workers;
    struct jw_job *jobs; /* in the order in which they were begun, or would be */
    size_t n_jobs;
    struct jw_left_out_sum left_out[JW_LEFT_OUT];
    uint64_t files, bytes;      /* looked at */
    const char *const *targets; /* the paths that were asked for, or recorded, or found */
    size_t n_targets;
    size_t places;            /* that were searched without PATH */
    const char *targets_from; /* "given", "recorded", "found" */
    uint64_t counts[JW_JOB_STATES];
    uint64_t warmed_bytes, warmed_ptx;
    uint64_t
        saves_milliseconds; /* that this driver took for what is warm now, one module after the other: measured */
    uint64_t milliseconds;           /* of it all */
    uint64_t compile_milliseconds;   /* wall, of the workers' part */
    bool receipt;                    /* nothing was looked at but the receipt of an earlier run */
    bool profile_known;              /* the profile that was asked for is there, or was learned now */
    uint64_t profile_modules;        /* in it */
    int run_code;                    /* how the command of `run` ended, */
    uint64_t run_milliseconds;       /* how long it took, */
    uint64_t run_entries, run_bytes; /* and what the driver compiled for it: entries that appeared */
    struct jw_verify_report verify;
};

/* What runs now. */
struct jw_prime_slot {
    const char *what; /* base name of the file, and the first kernel when it is known */
    uint64_t ptx_bytes;
    double seconds; /* so far */
};

enum jw_prime_phase { JW_PHASE_LOOK, JW_PHASE_ASK_DRIVER, JW_PHASE_COMPILE, JW_PHASE_VERIFY };

struct jw_prime_progress {
    enum jw_prime_phase phase;
    const char *at;                   /* LOOK: the path; ASK_DRIVER: what is done */
    uint64_t done, total, failed;     /* jobs */
    uint64_t done_bytes, total_bytes; /* PTX */
    double seconds, eta;              /* eta < 0: not known yet */
    double late; /* for so long the end has not come nearer: what is compiled takes longer than predicted */
    const struct jw_prime_slot *slots;
    size_t n_slots;
    const char *slowest; /* what it was; NULL: none yet */
    double slowest_seconds;
    const struct jw_job *finished; /* NULL, or a job that ended just now: one call for each */
};

struct jw_prime_options {
    const char *const *paths; /* what to warm; none: what was recorded, else what is found */
    size_t n_paths;
    const char *const *gpus; /* as --gpu has them; none: all that are here */
    size_t n_gpus;
    bool
        siblings; /* `gpus` are architectures that no GPU here has: what is here compiles for them. `cache` is to be
                      given: it is theirs */
    bool
        one_arch; /* refuse GPUs of several architectures before anything is compiled: one pack is made of it */
    const char *const *only, *const *exclude; /* patterns of file names */
    size_t n_only, n_exclude;
    const char *cache;      /* another root; NULL: the one that programs use */
    unsigned jobs;          /* workers; 0: half the processors */
    unsigned timeout_s;     /* for a module; 0: half an hour */
    unsigned time_box_s;    /* for it all; 0: none */
    unsigned wait_s;        /* for another prime to end; 0: not at all; UINT_MAX: for ever */
    bool all;               /* NVIDIA's own libraries and lazily loaded modules, too */
    bool from_cache;        /* what the cache holds of earlier drivers */
    bool renew;             /* entries that were carried from earlier drivers: compiled again, and replaced */
    bool retry;             /* what crashed or hung this driver before, too */
    bool dry_run;           /* plan */
    bool verify_only;       /* load what is warm again, compile nothing that is not */
    unsigned sample;        /* verify so many modules; 0: all */
    const char *const *run; /* a command to learn a profile from, NULL at its end; NULL: none */
    const char *profile;    /* only what this command was seen to load (jw_prime_command); NULL: all */
    bool yes;               /* no questions */
    bool raise_limit;       /* and where the cache's limit is too small, it is raised for new logins */
    bool no_verify;
    bool background;
    bool if_stale; /* only where something was primed before; what is found new is primed, too */
    bool
        own; /* leave out what others than this user and root may change, but for the roots of jitwarm.conf */
    bool as_root;
    bool same_login; /* programs will be started as this one was: what a fresh login has is of no interest */
    const char *exe; /* our own program; NULL: this one */
    const char *driver; /* the driver's library; NULL: the system's */
    const char
        *sysroot; /* where power supplies and pressure are looked for; NULL: this system, but in tests */
    const atomic_bool *interrupted;
    /* NULL: nobody is there. `usual` is the answer of a bare Enter. */
    bool (*ask)(void *ctx, const struct jw_prime_report *plan, const char *question, bool usual);
    /* NULL: nobody listens. About ten times a second, and once for each job that ended; from one thread. */
    void (*progress)(void *ctx, const struct jw_prime_progress *p);
    bool (*starts_itself)(void *ctx); /* after driver updates, without being asked; NULL: not known */
    void *ctx;
};

struct jw_prime_memory;

/* False only when nothing can be said: a bug. All else is in the report: look at `end`. */
bool jw_prime(const struct jw_prime_options *o, struct jw_prime_report *out, struct jw_prime_memory **memory,
              struct jw_err *err);
void jw_prime_free(struct jw_prime_memory *m); /* all that the report points to; accepts NULL */

/* What the last verified prime left. */
struct jw_prime_last {
    unsigned long running; /* the process that works on the cache now; 0: none */
    bool known;            /* there was one */
    bool disabled;         /* CUDA_CACHE_DISABLE is set: programs do not use the cache */
    bool simulated;        /* it was for the simulated driver */
    bool partly;           /* not all could be read or compiled: `modules` are the others */
    bool changed;          /* a file has changed since: the next prime looks again */
    bool other_driver; /* it was for another driver build than programs load now, so nothing of it is warm */
    uint64_t modules, warm;  /* warm: these entries are in the cache */
    int64_t when;            /* seconds since 1970 */
    char driver_version[32]; /* "" unknown */
};

/* From memory and the cache's index, in milliseconds: nothing is searched, and the driver is not loaded. */
bool jw_prime_last(struct jw_prime_last *out, struct jw_err *err);

/* A command as a profile is known by: its words, one after the other. Caller frees (base/mem). */
char *jw_prime_command(const char *const *argv);

/* Ends the prime that works on this cache now (NULL: the one that programs use), and waits for its end. `*was` false:
 * there was none. */
bool jw_prime_stop(const char *cache, unsigned wait_s, const atomic_bool *interrupted, bool *was,
                   struct jw_err *err);

#endif
