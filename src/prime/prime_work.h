/* The state and the steps of a prime. Each step reads the results of earlier ones, and may end the run with a reason
 * (prime_end). */
#ifndef PRIME_PRIME_WORK_H
#define PRIME_PRIME_WORK_H

#include "base/arena.h"
#include "cache/change/publish.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "driver/probe/probe.h"
#include "driver/worker/pool.h"
#include "env/files/login_env.h"
#include "jitwarm/prime.h"
#include "machine/list.h"
#include "machine/listing.h"
#include "prime/plan.h"
#include "prime/prime_quiet.h"
#include "software/scan/targets.h"

/* A file or folder to prime. */
struct prime_target {
    const char *path; /* absolute, links resolved */
    unsigned depth;
    bool named;
};

struct prime {
    const struct jw_prime_options *o;
    struct jw_prime_report *out;
    struct jw_arena *a;
    bool ended;
    struct jw_listing loaded; /* libraries of programs that run now */
    const char *verb;         /* the command that the user called, for messages; NULL: "prime" */
    bool wide;                /* also search for software if targets are recorded */
    uint64_t began, deadline; /* monotonic; deadline 0: none */
    bool carry;               /* also prove what carry needs */
    bool beside;              /* verify: a prime runs on this cache */

    struct jw_notes notes, advice;
    struct jw_cachedir dir;
    struct jw_warm_state memory;
    struct jw_warm_log *log; /* NULL: dry run */
    uint64_t last_status;    /* when status.json was written; monotonic */

    struct prime_target *targets;
    size_t n_targets;
    const char **vouched; /* those in the roots of jitwarm.conf */
    size_t n_vouched;
    const char *key, *settings; /* of the receipt */

    bool login_known; /* differences of a fresh login: */
    struct jw_env_difference *differences;
    size_t n_differences;

    struct jw_probe_report probe;
    struct jw_prime_gpu *gpus;
    uint16_t sms[MODULE_MOST_ARCHS];
    size_t n_sms;
    bool force_jit;

    char *work; /* jitwarm's folder beside the root, for private roots and unpacked modules; NULL: none yet */
    struct targets found;
    struct jw_cache_listing listing; /* of the root, before the run */
    uint8_t (*used)[JW_DIGEST];      /* digests of the PTX of entries, sorted */
    size_t n_used;
    uint8_t (*profile)[JW_DIGEST]; /* jobs that count, sorted; NULL: all */
    size_t n_profile;
    uint64_t sourceless;    /* profile modules without a source */
    struct jw_notes unread; /* unreadable or damaged files that may hold CUDA code */
    struct plan_rate rates[MODULE_MOST_ARCHS];
    size_t n_rates;
    struct plan plan;
    unsigned plan_workers; /* at most */
    uint64_t tuned;        /* the new limit; 0: not changed */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) JW_END(p, __VA_ARGS__)
#define prime_advise(p, ...) jw_note(&(p)->advice, (p)->a, __VA_ARGS__)
#define prime_note(p, ...) jw_note(&(p)->notes, (p)->a, __VA_ARGS__)

/* Ends the run with the message of an I/O or driver failure, or an interruption. False for other failures. */
bool prime_end_by(struct prime *p, const struct jw_err *why, struct jw_err *err);

/* Is `path` inside this folder? */
bool prime_below(const char *path, const char *folder);

bool prime_interrupted(const struct prime *p); /* by the caller, or by prime --stop */
void prime_notify(const struct prime *p, enum jw_prime_phase phase, const char *at);

/* Writes status.json, at most twice a second. Ignores failures. */
void prime_write_status(struct prime *p, const struct jw_prime_progress *progress);

/* ---- the steps ---- */

const char *prime_command(const struct prime *p); /* "jitwarm prime", as it works for this user */

bool prime_judge_user(struct prime *p, struct jw_err *err);      /* whose cache would it be? */
bool prime_judge_variables(struct prime *p, struct jw_err *err); /* may the driver compile? */
bool prime_find_root(struct prime *p, struct jw_err *err);       /* where, and how large */
bool prime_choose_targets(struct prime *p, struct jw_err *err);  /* given, recorded, or found */
bool prime_take_lock(struct prime *p, struct jw_err *err);
bool prime_check_receipt(struct prime *p, struct jw_err *err); /* ends the run if nothing changed */
bool prime_wait_quiet(struct prime *p,
                      struct jw_err *err); /* a background run waits until the machine is not busy */
bool prime_ask_login(struct prime *p, struct jw_err *err);     /* will other programs have these settings? */
bool prime_name_siblings(struct prime *p, struct jw_err *err); /* the chosen absent GPUs */
void prime_find_limit(struct prime *p);                        /* by the variable or by this driver */
bool prime_ask_driver(struct prime *p, struct jw_err *err);    /* level, GPUs */
bool prime_make_work(struct prime *p, struct jw_err *err);
bool prime_watch(struct prime *p, struct jw_err *err); /* what the driver compiles for a command */
bool prime_learn(struct prime *p, struct jw_err *err); /* --run: a command is watched */
bool prime_look(struct prime *p, struct jw_err *err);  /* reads files and cache */
bool prime_plan(struct prime *p, struct jw_err *err);
bool prime_question(struct prime *p, const char *question, bool usual); /* false also without a terminal */
/* Offers to raise a limit that is too low; asks at a terminal. */
bool prime_offer_limit(struct prime *p);              /* it was raised */
bool prime_tune(struct prime *p, struct jw_err *err); /* offers to raise a limit that is too low */
bool prime_consent(struct prime *p, struct jw_err *err);
bool prime_keep_origins(struct prime *p, struct jw_err *err); /* records the origins of entries */
bool prime_compile(struct prime *p, struct jw_err *err);
bool prime_verify(struct prime *p, struct jw_err *err);
bool prime_keep_receipt(struct prime *p, struct jw_err *err);
bool prime_same_files(const struct jw_warm_receipt *r); /* no file has changed since */
bool prime_is_partly(const struct jw_warm_receipt *r);  /* some modules could not be warmed or read */

/* A background run: --if-stale --background. */
bool prime_by_itself(const struct prime *p);
struct quiet_facts prime_quiet_look(const struct prime *p);

unsigned prime_timeout_ms(const struct prime *p); /* that the user set for a module; 0: none */

/* Adds modules from entries of other driver builds to p->found, if no file has them, and notes which modules are
 * used. */
bool prime_add_from_cache(struct prime *p, struct jw_err *err);

/* ---- an entry of the cache, with its whole key ---- */

struct prime_entry {
    struct jw_buf bytes;
    struct jw_cache_key key; /* points into `bytes`; kind OTHER: it is gone or unreadable */
    uint8_t text[JW_DIGEST]; /* of the compiler's input */
};

bool prime_entry_read(const struct prime *p, const char *root, const struct jw_cache_file *f,
                      struct prime_entry *out, struct jw_err *err);
void prime_entry_free(struct prime_entry *e);

/* Finds the job of the entry; false: it cannot be determined (`*why`). */
bool prime_entry_job(const struct prime *p, const struct prime_entry *e, uint16_t sm, struct target *out,
                     const char **why, struct jw_err *err);

/* Writes the module of an entry into a file that a worker can load; `t` is its job. `*made` false: the driver would not
 * give its entry the same name. */
bool prime_entry_module(struct prime *p, uint64_t name, const struct prime_entry *e, struct target *t,
                        bool *made, struct jw_err *err);

/* verify takes no lock: notes a prime that runs beside it, which explains missing modules. */
bool prime_note_running(struct prime *p, struct jw_err *err);
/* Notes a damaged index of the cache, and how to repair it. */
void prime_note_index(struct prime *p);
/* Notes a cache that is larger than its limit, and what helps. */
void prime_note_overfull(struct prime *p);
/* If the state or the cache could not be written: advises another folder, or how much to free. */
void prime_advise_writable(struct prime *p);
/* Advises how to make room for `p->out->need`. */
void prime_advise_room(struct prime *p, bool disk);

/* Verifies these jobs in each environment of this user's programs: p->out->verify. Ends the run if time is up. */
bool prime_prove(struct prime *p, const struct jw_job *jobs, size_t n, struct jw_err *err);

/* Records the origins of entries that have none yet. Sorts `list`. */
struct prime_owned {
    const char *origin;
    uint64_t name;
};
bool prime_remember_origins(const struct prime *p, struct prime_owned *list, size_t n, struct jw_err *err);

/* Does this variable decide which cache a program uses, or whether it uses one? */
bool prime_decides(const char *variable);

/* Is this PTX from an entry of the cache, without a file? */
bool prime_place_is_entry(const struct jw_job_place *at);

void prime_recall_rates(struct prime *p); /* loads earlier compile rates, or the usual ones */

/* The number of a chosen architecture: "sm_86", "sm_90a"; 0: it is not chosen. */
uint16_t prime_arch(const struct prime *p, const char *arch);

#endif
