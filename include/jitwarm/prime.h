/*
 * prime and verify: let the driver compile, ahead of time, what it would compile when CUDA programs first start,
 * and check that the next start compiles nothing.
 */
#ifndef JITWARM_PRIME_H
#define JITWARM_PRIME_H

#include "jitwarm/err.h"
#include "jitwarm/gpu.h"
#include "jitwarm/module.h"
#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "jitwarm/witness.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a module of a file is not a job. */
enum jw_left_out {
    JW_OUT_IS_NATIVE,
    JW_OUT_IS_LAZY,
    JW_OUT_IS_RDC,
    JW_OUT_IS_BLOCKED,  /* the driver is too old */
    JW_OUT_IS_NOTHING,  /* has no code for this GPU */
    JW_OUT_IS_VENDOR,   /* in a library of NVIDIA */
    JW_OUT_IS_TEST,     /* in a package's own tests */
    JW_OUT_IS_UNUSED,   /* not in the profile */
    JW_OUT_IS_DOUBTFUL, /* damaged, or not safe to hand to a driver */
    JW_OUT_IS_MADE,     /* PTX in pieces, which its program puts together */
    JW_OUT_IS_LTO,      /* link-time code of an input: whether the driver compiles it is not known */
    JW_LEFT_OUT
};

/* "native" "lazy" "rdc" "blocked" "nothing" "vendor" "test" "unused" "doubtful" "made" "lto" */
extern const char *const jw_left_out_names[JW_LEFT_OUT];

struct jw_left_out_sum {
    uint64_t modules, ptx_bytes;
};

struct jw_verify_miss {
    size_t job, pass;  /* indexes into jobs and passes */
    const char *cause; /* "its entry is gone: evicted, or removed" */
};

/* One fresh process that loaded the modules, and how the cache had changed by it. */
struct jw_verify_pass {
    const char *where;                     /* "this environment", "a fresh login" */
    uint64_t loaded, hits, misses, failed; /* jobs; failed: could not be loaded at all */
    uint64_t inputs;                       /* of the device linker, among them */
    uint64_t new_entries;                  /* files that appeared during the pass */
    enum jw_witness_answer compiled;       /* by the driver's compiler, whatever the files say */
    unsigned milliseconds;
    uint64_t stored; /* new ones, and those that were written again */
};

/* Everything was found, and nothing was compiled. */
static inline bool jw_verify_pass_succeeded(const struct jw_verify_pass *p)
{
    return !p->misses && !p->failed && !p->new_entries && p->compiled != JW_WITNESS_COMPILED;
}

/* A link of device code that programs make at each start, after all that is compiled for it is in the cache. */
struct jw_link_time {
    const char *path;
    uint64_t inputs, milliseconds; /* of the link alone, measured in a worker */
    const char *why;               /* it was not measured; NULL: it was */
    bool fails;                    /* the driver cannot make it, and the file's programs make no other */
    uint16_t sm;
};

struct jw_verify_report {
    bool done;
    const struct jw_verify_pass *passes;
    size_t n_passes;
    const struct jw_verify_miss *misses;
    size_t n_misses;
    const struct jw_link_time *links;
    size_t n_links;
    const char *why; /* NULL, or why verify was not possible */
};

/* The first that fails; NULL: none does. */
const struct jw_link_time *jw_failing_link(const struct jw_verify_report *v);
bool jw_is_verified(const struct jw_verify_report *v); /* every pass found all, and added nothing */

/* The driver that answered. */
struct jw_driver_here {
    const char *version;       /* NULL: unknown */
    const char *build, *stamp; /* NULL: unknown */
    int level;                 /* enum jw_level */
    /* why it compiles nothing here, whatever the module: a sentence; NULL: it does */
    const char *cannot_compile;
    const struct jw_device *gpus;
    size_t n_gpus;
};

/* How much a cache keeps. */
struct jw_cache_limit {
    uint64_t bytes;   /* for a new process with this environment */
    bool known;       /* else no variable sets it, and the driver is unknown */
    bool login_lower; /* programs of a fresh login keep less: */
    bool terminal;    /* only those of its terminals do */
    uint64_t login;
};

/* The cache that is filled. */
struct jw_cache_here {
    const char *folder; /* its folder; NULL: none */
    struct jw_cache_limit limit;
    uint64_t used;                  /* bytes in it before this run */
    uint64_t free_disk, spare_disk; /* spare: stays free */
    const char *forbidden;          /* a setting forbids the driver to compile: a sentence; NULL: none does */
    /* how programs of a fresh login start is not known: a sentence; NULL: it is, or was not asked */
    const char *login;
};

/* A cache that the command of --run used. */
struct jw_command_cache {
    const char *folder;
    bool other;    /* the command chose it: not the one that it was given */
    bool used;     /* a process that loaded the driver has it by its settings */
    bool doubtful; /* each that has it has another one, too: it changed its settings */
    bool opened;   /* entries that were there before were opened; of others than the given one not known */
    bool filled;   /* there are entries */
    uint64_t entries, bytes; /* that appeared while it ran */
};

/* The driver's work for the command of --run: as the witness saw it, and as the entries show it. */
struct jw_command_seen {
    enum jw_witness_answer answer;
    bool links; /* `nothing`: it loaded the compiler to link, and what it would compile was in its cache */
    uint64_t link_milliseconds; /* of the links that it makes, as far as they were measured; 0: none was */
    const char *why;            /* of `unknown` */
    const char *nowhere;        /* why the driver kept nothing of it: "CUDA_CACHE_DISABLE=1"; NULL: it did */
    /* the limit by which the driver may have kept a part: "CUDA_CACHE_MAXSIZE=1000000"; NULL: none */
    const char *small;
    uint64_t entries, bytes; /* in all of its caches */
    const struct jw_command_cache *caches;
    size_t n_caches;
    struct jw_witness_report witness;
};

struct jw_kit_use;

/* The recorded starts whose modules a run loads again: it knows no other start of these commands. */
struct jw_prime_starts {
    uint64_t n;
    int64_t last;        /* when the last of them was recorded, seconds since 1970 */
    bool alone;          /* the run is about nothing else */
    const char *command; /* a line that asks one of these programs; NULL: none was noted */
};

/* A recorded command that uses a cache which it chose itself, and what this run did there. */
struct jw_recorded_command {
    const char *command, *cache;
    uint64_t modules, warm, warmed; /* that it loads; warmed: of the warm ones, by this run */
    enum jw_end end;
    const char *why;   /* NULL, or a sentence about `end` */
    const char *start; /* all of it is warm, and only its start shows what it loads now: the line; NULL */
    bool held;         /* its next start compiles none of the recorded modules */
    bool verified;     /* a fresh process loaded all of it from there, and compiled nothing */
    int64_t when;      /* its start was recorded, seconds since 1970; 0: not known */
};

struct jw_prime_report {
    const struct jw_run *run; /* how it ended, notes and advice */
    struct jw_driver_here driver;
    struct jw_cache_here cache;
    const char *const *unread; /* files that may hold CUDA code but could not be read, each with the reason */
    size_t n_unread;
    const uint16_t *absent_gpus; /* architectures compiled for that no GPU here has */
    size_t n_absent_gpus;
    uint64_t outdated; /* of `cache.used`: entries of other driver builds */
    uint64_t need;     /* predicted cache bytes of the jobs to do */
    double seconds;    /* predicted wall time */
    /* of a module that takes as long as all: more workers do not help; 0: none does */
    double longest_seconds;
    bool lazy; /* a start takes less than `seconds`: programs compile only what they use */
    unsigned workers;
    struct jw_job *jobs; /* in the order of compilation */
    size_t n_jobs;
    struct jw_left_out_sum left_out[JW_LEFT_OUT];
    /* modules of NVIDIA's own libraries that are compiled when a program uses them: no run with `all` has warmed them */
    uint64_t on_use;
    /* the branch that the blocked ones need: "570"; NULL: none, "": newer than any known */
    const char *needs_driver;
    uint64_t files, bytes;      /* that were scanned */
    const char *const *targets; /* the paths given, recorded or found */
    size_t n_targets;
    bool named;         /* PATHs were given */
    bool searched;      /* for new software, in the places where it usually is */
    size_t places;      /* searched when no PATH was given */
    size_t places_left; /* not searched, or only in part, though software may be there; a note names each */
    const char *places_line;  /* the command that lists them */
    const char *targets_from; /* "given", "recorded", "found" */
    uint64_t counts[JW_OUTCOMES];
    uint64_t warmed_bytes;
    double next_seconds; /* predicted, of the shortest module that was left; only with `next_limit` */
    unsigned next_limit; /* seconds: a shorter time limit gets no further; 0: this one does */
    uint64_t sourceless; /* modules of the command that are neither in the cache nor in a known file */
    uint64_t lost;       /* entries that recorded commands load: neither in the cache nor among the jobs */
    /* modules that packs brought for software that nobody looked for, but for those of its jobs */
    uint64_t imported;
    const char *import_gone;       /* not all of them are there any more: a sentence; NULL: they are */
    struct jw_prime_starts starts; /* of verify */
    const char *recorded_start;  /* the line that starts one of them again; NULL: none is needed, or known */
    const char *recorded_unsure; /* why recorded commands may load something else here; NULL: they do not */
    bool recorded_every;         /* that is that each start of one compiles */
    bool found_nothing; /* no CUDA code was found, and none was known before: nothing was asked about */
    /* then: modules in the cache that earlier runs compiled, or that came with packs */
    uint64_t compiled_before;
    /* the first that was primed and is not there any more: a sentence; NULL: all of it is, or PATH was named */
    const char *gone;
    bool would_compile;         /* `ask_first`: it ended for that; the same run without it goes on */
    bool receipt;               /* an earlier run's receipt answered; nothing else was read */
    uint64_t failing_links;     /* a plan: those of its software that the driver could not make before */
    uint64_t link_milliseconds; /* receipt: of the links of its software, measured before; 0: none was */
    /* why programs compile although all is warm here; NULL: nothing stands in the way */
    const char *obstacle;
    const char *too_new; /* modules that need a newer driver: a sentence; NULL: none */
    /* software without code for this GPU: a sentence; NULL: none, or a command was run */
    const char *lacking;
    const char *index; /* a sentence about the effect of a damaged index on programs; NULL: it is whole */
    const char *unknowable;      /* why no proof of jitwarm's holds for other programs; NULL: it does */
    bool profile_known;          /* the requested profile exists, or was learned now */
    uint64_t profile_modules;    /* in the profile */
    uint64_t profile_entries;    /* of the driver's cache that it used: recorded for export --run */
    uint64_t profile_files;      /* of other caches, the same */
    uint64_t profile_shared;     /* modules that share a kernel with these: a start may load them instead */
    int run_code;                /* exit code of the command of `run` */
    int run_signal;              /* that ended it; 0: none */
    bool run_started;            /* it was started */
    uint64_t run_left;           /* processes of it that go on, and whose loads are not recorded */
    uint64_t run_milliseconds;   /* its run time */
    uint64_t start_milliseconds; /* until the last module was compiled or found; 0: none was seen */
    /* it was seen to its end: the command ended well, or it loads nothing more for a while */
    bool start_whole;
    bool start_first;             /* it found nothing in the cache: all was compiled */
    bool start_known;             /* a whole start of it was watched before */
    bool start_again;             /* one was, on another day, and used no driver: it is watched again */
    struct jw_command_seen seen;  /* modules that the driver compiled for it */
    const struct jw_kit_use *kit; /* its use of other compilers' caches */
    size_t n_kit;
    bool kit_unknown;       /* that could not be seen */
    const char *kit_unseen; /* why not all of its file accesses were seen; NULL: all were */
    /* files that a start of `run` made: only a second start tells whether they are a cache */
    uint64_t kit_unproven;
    bool own_cache; /* it uses a cache that it chose itself: `cache` */
    /* time of its last start that found nothing, and of the last that compiled nothing; 0: none yet */
    uint64_t cold_milliseconds, warm_milliseconds;
    const struct jw_recorded_command *recorded; /* only without paths and command */
    size_t n_recorded;
    struct jw_verify_report verify;
};

/* Modules that are warm: before, or now. */
static inline uint64_t jw_prime_warm(const struct jw_prime_report *r)
{
    return r->counts[JW_JOB_WARM] + r->counts[JW_JOB_WARMED];
}

/* A worker's current module. */
struct jw_prime_slot {
    const char *what; /* base name of the file, and the first kernel if known */
    uint64_t ptx_bytes;
    double seconds; /* so far */
};

/* A run reports about ten times a second and once for each finished job, from one thread. */
enum jw_prime_phase {
    JW_PHASE_LOOK,
    JW_PHASE_ASK_DRIVER,
    JW_PHASE_COMPILE,
    JW_PHASE_VERIFY,
    JW_PHASE_PACK, /* this one and the next: of push */
    JW_PHASE_SEND
};

struct jw_prime_progress {
    enum jw_prime_phase phase;
    const char *at;                   /* LOOK: the path; ASK_DRIVER: the step */
    uint64_t done, total, failed;     /* jobs */
    uint64_t done_bytes, total_bytes; /* PTX */
    double seconds, eta;              /* eta < 0: not known yet */
    double late;                      /* seconds without progress: a module takes longer than predicted */
    const struct jw_prime_slot *slots;
    size_t n_slots;
    const char *slowest; /* its name; NULL: none yet */
    double slowest_seconds;
    const struct jw_job *finished; /* NULL, or the job that has just ended: one call each */
};

struct jw_prime_options {
    struct jw_texts paths; /* software to prime; none: recorded and found software */
    struct jw_texts gpus;  /* as for --gpu; none: all GPUs here */
    bool absent_gpus;      /* `gpus` names architectures that no GPU here has; needs a cache of their own */
    bool one_arch;         /* refuse GPUs of several architectures: the result becomes one pack */
    const char *const *warnings; /* become the first notes of the report */
    size_t n_warnings;
    unsigned jobs;          /* workers; 0: half the processors */
    unsigned timeout_s;     /* per module; 0: half an hour */
    unsigned time_limit_s;  /* for the whole run; 0: none */
    unsigned wait_s;        /* for another prime to end; 0: do not wait; UINT_MAX: without limit */
    bool all;               /* also NVIDIA's own libraries and lazily loaded modules */
    bool retry;             /* compile also modules that this driver could not compile before */
    bool begin_only;        /* only whether a prime could begin: nothing is looked for, locked or compiled */
    bool dry_run;           /* only the plan */
    bool verify_only;       /* load warm modules again, compile nothing */
    const char *const *run; /* NULL-terminated command to learn a profile from; NULL: none */
    bool output_to_errors;  /* of `run`: it writes to standard error, because standard output has a report */
    const char *profile;    /* only modules in the profile of this command (jw_prime_command); NULL: all */
    bool record; /* with `run`: this is a start of the command in use; nothing is compiled afterwards */
    void (*started)(void *ctx); /* of `record`: the command runs now; gets the `ctx` of the run */
    bool yes;                   /* do not ask */
    bool raise_limit;           /* with `yes`: raise a cache limit that is too small, for new logins */
    bool background;
    bool ask_first;    /* end before anything is compiled, where something would be: `would_compile` */
    bool if_stale;     /* do nothing unless something was primed before */
    bool also_find;    /* with `if_stale`: also what is found here, primed before or not */
    bool trusted_only; /* skip files that other users can change, except below roots of jitwarm.conf */
    bool as_root;
    bool same_login; /* programs start with this environment: skip the check of a fresh login */
    /* Tells whether jitwarm runs after driver updates; gets the `ctx` of the run. NULL: not known */
    bool (*starts_itself)(void *ctx);
};

struct jw_prime_memory;

/* False only for an internal error. All other results are in the report: see `end`. */
bool jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
              struct jw_prime_memory **memory, struct jw_err *err);
void jw_prime_free(struct jw_prime_memory *m); /* everything that run and report point to; accepts NULL */

/* The name of a command's profile: its words. The caller frees it (base/mem). */
char *jw_prime_command(const char *const *argv);

#endif
