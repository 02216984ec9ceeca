/* Looks at modules and at the cache, and plans nothing: which modules of these files would the
 * driver compile, and which of them does it find in this cache? It takes no lock and changes only
 * memos (ledger, sound, PTX of .cu files). Each verb that answers uses it.
 *
 * A look has what it was given (machine, want), the scope, and what its stages saw: files, jobs,
 * cache, `seen`. It keeps no answer about all of it. jw_look_answer and jw_look_facts compute the
 * answer, and what causes ask, when somebody asks. So a stage that changes a job later (compiles
 * it, adds its entry, sees a fresh process refuse it) says that to the job, and has nobody else to
 * tell. */
#pragma once

#include "cache/place/listing.h"
#include "cache/place/lookup.h"
#include "driver/witness/witness.h"
#include "driver/worker/pool.h"
#include "memory/bans.h"
#include "memory/roots.h"
#include "prime/entry.h"
#include "session/session.h"
#include "software/scan/scan_jobs.h"

/* What is asked about. All zero: the roots of this cache; if it never had any, the software that is
 * found here. */
struct jw_want {
    struct jw_texts paths;   /* only these files and folders */
    struct jw_texts command; /* only the recorded command with these words; a NULL follows them */
    struct jw_texts gpus;    /* words of --gpu, or a GPU's name; none: all GPUs here */
    bool all;          /* also NVIDIA's libraries, tests of packages, and what loads on demand */
    bool trusted_only; /* skip files that other users can change, except below conf's roots */
    bool by_root;      /* count the modules of each root, too: of_roots of the look */
    bool retry;        /* also modules that this driver could not compile before */
    /* another verb than prime, with its arguments, for remedies that repeat it; or NULL */
    const char *verb;
    const char *const *typed;
};

/* A file or folder that could not be read. */
struct jw_unread {
    const char *path, *why;
    bool named;       /* a person named this path itself */
    bool closed, own; /* it exists, and this user may not read it; but owns it */
};

/* What fresh processes, one for each architecture, found when they loaded the modules, and how the
 * cache changed meanwhile. */
struct jw_proof {
    bool done;
    uint64_t loaded, misses, failed; /* modules; misses: loaded, but not found: jobs say why */
    uint64_t new_entries;            /* entries of these modules that appeared meanwhile */
    enum jw_witness_answer compiled; /* did the driver's compiler run, whatever the files show? */
    const char *why; /* a clause: why nothing is proven, or `compiled` is unknown; else NULL */
};

/* All modules were found, none was stored, and no compiling was seen. */
static inline bool jw_is_proven(const struct jw_proof *p)
{
    return p->done && !p->misses && !p->failed && !p->new_entries
           && p->compiled != JW_WITNESS_COMPILED;
}

/* What stages and steps met besides modules and entries, and what causes do not ask. */
struct jw_look_seen {
    bool changes_roots;  /* this run adds to the remembered roots */
    uint64_t free_bytes; /* of the cache's disk */
    /* import: room that packs need and the cache lacks: bytes on its disk, a limit; 0: none */
    uint64_t lacked_bytes, lacked_limit;
    bool no_carry;                              /* nothing more is carried over in this run */
    const struct jw_driver_state *carries_from; /* that could be carried over from; or NULL */
    const char *carried_from; /* version of the driver whose entries were; NULL: none were */
    /* processes */
    int taken; /* the driver's error, if another program took the GPU for itself; else 0 */
    struct jw_facts_start start; /* of the command that this run started */
    struct jw_facts_login login; /* set by doctor */
};

/* A look, in three stages; each reads what those above it set. What it found lives in the arena of
 * the run; lists of files and of the cache until jw_look_free. */
struct jw_look {
    /* 1. jw_scope_find: what is asked about, of which machine */
    struct jw_purpose purpose;
    struct jw_want want;
    const struct jw_facts *machine; /* of the session */
    struct jw_scope scope;
    struct jw_facts_asked asked;
    const struct jw_cause *stop; /* what ended the run; only end.c sets it; NULL: no cause did */
    double slowness; /* of this driver build on this machine (memory/drivers.h); 0: unknown */
    const struct jw_cache_memory *memory; /* of the session */
    bool working; /* another jitwarm works on the cache now, and this run changes nothing */
    struct jw_lock_holder running; /* the process of that jitwarm */
    /* 2. jw_look: files, and their modules */
    struct jw_roots roots;
    struct jw_sound sound;
    struct scan_jobs files;       /* their modules, and what became no job */
    struct scan_jobs of_commands; /* the same of the files of recorded commands */
    struct jw_texts with_code;    /* named paths whose CUDA code was seen */
    struct jw_texts without_code; /* named paths that were read, and have none */
    struct jw_unread *unread;
    size_t n_unread;
    const char *first_gone; /* path of the first file whose module is gone; NULL: none */
    /* roots whose code is gone, as many as fit into a line: paths, and the words to forget each */
    const char *lost_paths[9], *const *lost[9];
    size_t n_lost_paths, n_lost;
    uint64_t sourceless; /* modules of recorded commands whose code is gone */
    struct jw_job *jobs; /* each module once; stage 3 says where it stands */
    size_t n_jobs;
    /* 3. look_cache_judge: which of the jobs are in the cache */
    bool looked; /* so there is an answer */
    struct jw_cache_lookup cache;
    struct jw_cache_listing all; /* set by jw_look_cache_list */
    struct jw_proof proof;       /* set by jw_prove */
    struct jw_answer *of_roots;  /* if want.by_root and there are several: the counts of each */
    struct jw_look_seen seen;
    struct jw_facts_met met; /* the same that causes ask as it is */
};

/* Computes the answer, as it is now. */
struct jw_answer jw_look_answer(const struct jw_look *look);
/* Computes what causes ask: the machine, the scope, the answer, and what was found. */
struct jw_facts jw_look_facts(const struct jw_look *look);

/* The facts of the session and of this question, for who does not look. They live in `a`. */
struct jw_facts jw_scope_facts(struct jw_session *s, const struct jw_want *want,
                               struct jw_arena *a);
/* Finds the scope: cache, driver, GPUs, settings. It reads files; the driver is asked only for an
 * unknown build, unlisted GPUs or --gpu. A cause may end the run, as the purpose says.
 * `out` is zeroed. */
bool jw_scope_find(struct jw_run *run, const struct jw_want *want, const struct jw_purpose *purpose,
                   struct jw_look *out, struct jw_err *err) JW_MUST;
/* Starts the driver, unless that was done. A cause may end the run; another build ends it. */
bool jw_scope_ask_driver(struct jw_run *run, struct jw_look *look, enum jw_strictness strictness,
                         const struct jw_probe_report **out, struct jw_err *err) JW_MUST;
/* Finds the modules, and looks for them in the cache; does nothing if the run has ended. */
bool jw_look(struct jw_run *run, struct jw_look *look, struct jw_err *err) JW_MUST;
/* Without a driver: finds only which paths have CUDA code, for whatever GPU. */
void jw_look_blind(struct jw_run *run, struct jw_look *look);
/* Looks, instead of at files, at entries that this run added to the cache of this scope. Their
 * modules are called warm. The caller sets name, size of key and architecture of each job; the look
 * borrows the list, and completes it. */
bool jw_look_entries(struct jw_run *run, struct jw_look *look, struct jw_job *jobs, size_t n,
                     struct jw_err *err) JW_MUST;
/* Reads the roots. A damaged list is a fact for the causes if the roots are asked about, or if it
 * stays although this run `changes` them. If it is replaced, that is a note. */
void jw_look_load_roots(struct jw_run *run, struct jw_look *look, bool changes);
/* How this run ends, and what is said of it and its look, by the facts that are known now. */
struct jw_summary jw_end_summary(const struct jw_run *run, const struct jw_look *look);
uint64_t jw_answer_count(const struct jw_look *look,
                         bool (*is)(const struct jw_job *j)); /* jw_job_is_warm, ... */
/* Ends the run if a cause does; a run that has ended keeps its end. Returns true, for steps. */
bool jw_end_by_cause(struct jw_run *run, struct jw_look *look, enum jw_strictness strictness);
/* Ends the run because of `c`, which holds. Returns true. */
bool jw_end_because(struct jw_run *run, struct jw_look *look, const struct jw_cause *c);
/* Ends a run that holds the cache and cannot go on, as no cold module has room. The cause may be
 * one that elsewhere only explains; without a cause the run goes on. Returns true. */
bool jw_end_give_up(struct jw_run *run, struct jw_look *look);
/* Ends a run whose workers did not get as far as a module: with a cause, if the driver says that
 * another program has the GPU for itself; else with the pool's sentence. Returns true. */
bool jw_end_unopened(struct jw_run *run, struct jw_look *look, const struct jw_pool_report *pool);
/* After jw_look: lists the cache into look->all, once. Lists nothing at level 0. */
bool jw_look_cache_list(struct jw_run *run, struct jw_look *look, struct jw_err *err) JW_MUST;
void jw_look_free(struct jw_look *look); /* accepts a zeroed one */
