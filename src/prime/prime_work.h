/*
 * The inside of a prime, from the settings to the receipt. Each step reads what the earlier ones found, and may
 * end the run with a sentence (prime_end): that is an answer, not a failure.
 */
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

/* A target as it was asked for. */
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
    const char *verb;         /* that the user called, for sentences; NULL: "prime" */
    bool wide;                /* the software that is found here, too, where something was recorded */
    uint64_t began, deadline; /* monotonic; deadline 0: none */
    bool carry;               /* what carrying needs is to be proven, too */

    struct jw_notes notes, advice;
    struct jw_cachedir dir;
    struct jw_warm_state memory;
    struct jw_warm_log *log; /* NULL: dry run */
    uint64_t last_status;    /* when status.json was written; monotonic */

    struct prime_target *targets;
    size_t n_targets;
    const char **vouched; /* those of them that are taken whoever may change them */
    size_t n_vouched;
    const char *key, *settings; /* of the receipt */

    bool login_known; /* what a fresh login has otherwise than this process: */
    struct jw_env_difference *differences;
    size_t n_differences;

    struct jw_probe_report probe;
    struct jw_prime_gpu *gpus;
    uint16_t sms[MODULE_MOST_ARCHS];
    size_t n_sms;
    bool force_jit;

    char *work; /* a folder of ours beside the root, for private roots and what is spooled; NULL: none yet */
    struct targets found;
    struct jw_cache_listing listing; /* of the root, as it was before */
    uint8_t (*used)[JW_DIGEST];      /* texts of entries here, sorted */
    size_t n_used;
    uint8_t (*profile)[JW_DIGEST]; /* jobs that count, sorted; NULL: all */
    size_t n_profile;
    uint64_t sourceless;    /* of these: nothing is there to compile them from */
    struct jw_notes unread; /* files that may hold CUDA code, and could not be read or understood */
    struct plan_rate rates[MODULE_MOST_ARCHS];
    size_t n_rates;
    struct plan plan;
    unsigned plan_workers; /* at most */
    uint64_t tuned;        /* the limit that was made to last; 0: none */
};

/* Ends the run. True, so that a step can return it. */
bool prime_end(struct prime *p, enum jw_end end, const char *fmt, ...) JW_PRINTF(3, 4);
void prime_advise(struct prime *p, const char *fmt, ...) JW_PRINTF(2, 3);
void prime_note(struct prime *p, const char *fmt, ...) JW_PRINTF(2, 3);

/* A failure that is an answer (a full disk, a driver that dies) ends the run with its sentence; an interruption, too.
 * False for what is neither: a limit, an unusable file. */
bool prime_end_by(struct prime *p, const struct jw_err *why, struct jw_err *err);

/* Does `path` lie in this folder, or below it? */
bool prime_below(const char *path, const char *folder);

bool prime_interrupted(const struct prime *p); /* by the caller, or by prime --stop */
void prime_notify(const struct prime *p, enum jw_prime_phase phase, const char *at);

/* For another terminal: twice a second at most. What cannot be written is not worth a failure. */
void prime_write_status(struct prime *p, const struct jw_prime_progress *progress);

/* ---- the steps ---- */

bool prime_judge_user(struct prime *p, struct jw_err *err);      /* whose cache would it be? */
bool prime_judge_variables(struct prime *p, struct jw_err *err); /* may the driver compile? */
bool prime_find_root(struct prime *p, struct jw_err *err);       /* where, and how large */
bool prime_choose_targets(struct prime *p, struct jw_err *err);  /* given, recorded, or found */
bool prime_take_lock(struct prime *p, struct jw_err *err);
bool prime_check_receipt(struct prime *p, struct jw_err *err); /* ends the run when nothing changed */
bool prime_wait_quiet(struct prime *p, struct jw_err *err);    /* by itself: until the machine is quiet */
bool prime_ask_login(struct prime *p, struct jw_err *err);     /* will other programs have these settings? */
bool prime_name_siblings(struct prime *p, struct jw_err *err); /* what is worked for and not here */
void prime_find_limit(struct prime *p); /* by the variable, or by the driver that answered */
bool prime_ask_driver(struct prime *p, struct jw_err *err); /* level, GPUs */
bool prime_make_work(struct prime *p, struct jw_err *err);
bool prime_watch(struct prime *p,
                 struct jw_err *err); /* what is compiled for a command, as it is started here */
bool prime_learn(struct prime *p, struct jw_err *err); /* --run: a command is watched */
bool prime_look(struct prime *p, struct jw_err *err);  /* files and the cache */
bool prime_plan(struct prime *p, struct jw_err *err);
bool prime_question(struct prime *p, const char *question, bool usual); /* false: nobody to ask, too */
/* Where the limit is too low for what is there and planned: raises it for good, after a yes at a terminal. */
bool prime_offer_limit(struct prime *p); /* it was */
bool prime_tune(struct prime *p,
                struct jw_err *err); /* a limit that is too low is raised for good, after a yes */
bool prime_consent(struct prime *p, struct jw_err *err);
bool prime_keep_origins(struct prime *p, struct jw_err *err); /* whose the entries are, or will be */
bool prime_compile(struct prime *p, struct jw_err *err);
bool prime_verify(struct prime *p, struct jw_err *err);
bool prime_keep_receipt(struct prime *p, struct jw_err *err);
bool prime_same_files(const struct jw_warm_receipt *r); /* all that it was made from is as it was */
bool prime_is_partly(const struct jw_warm_receipt *r);  /* not all could be warmed or read */

/* --if-stale --background: nobody asked for this very run. */
bool prime_by_itself(const struct prime *p);
struct quiet_facts prime_quiet_look(const struct prime *p);

unsigned prime_timeout_ms(const struct prime *p); /* that the user set for a module; 0: none */

/* Adds what the cache holds of other driver builds, and no file had, to p->found; and notes what is used. */
bool prime_add_from_cache(struct prime *p, struct jw_err *err);

/* ---- an entry of the cache, with its whole key ---- */

struct prime_entry {
    struct jw_buf bytes;
    struct jw_cache_key key; /* borrowed from `bytes`; kind OTHER: it went away, or makes no sense */
    uint8_t text[JW_DIGEST]; /* of the compiler's input */
};

bool prime_entry_read(const struct prime *p, const char *root, const struct jw_cache_file *f,
                      struct prime_entry *out, struct jw_err *err);
void prime_entry_free(struct prime_entry *e);

/* Which job it is the result of; false: made in a way that cannot be distinguished from it (`*why`). */
bool prime_entry_job(const struct prime *p, const struct prime_entry *e, uint16_t sm, struct target *out,
                     const char **why, struct jw_err *err);

/* The module of an entry, made again into a file that a worker can load; `t` is its job. `*made` false: it could not be
 * made so that the driver would give its entry this name. */
bool prime_entry_module(struct prime *p, uint64_t name, const struct prime_entry *e, struct target *t,
                        bool *made, struct jw_err *err);

/* verify takes no lock: a prime that is at work beside it explains what is missing. */
bool prime_note_running(struct prime *p, struct jw_err *err);
/* A damaged index of the cache, and what mends it. */
void prime_note_index(struct prime *p);
/* A cache that a lower limit met when it was filled, and what helps. */
void prime_note_overfull(struct prime *p);
/* What helps when `p->out->need` is more than there is room for. */
void prime_advise_room(struct prime *p, bool disk);

/* Fresh processes load these again, in each environment that programs have here: p->out->verify. Ends the run when there
 * was no time. */
bool prime_prove(struct prime *p, const struct jw_job *jobs, size_t n, struct jw_err *err);

/* Software that an entry is of, which is not remembered yet; it is then. `list` is sorted here. */
struct prime_owned {
    const char *origin;
    uint64_t name;
};
bool prime_remember_origins(const struct prime *p, struct prime_owned *list, size_t n, struct jw_err *err);

/* Does this variable decide which cache a program uses, or whether it uses one? */
bool prime_decides(const char *variable);

/* PTX out of an entry of the cache itself, of which no file is known. */
bool prime_place_is_entry(const struct jw_job_place *at);

void prime_recall_rates(struct prime *p); /* how long modules took before, or are thought to take */

/* The number of an architecture that is worked for: "sm_86", "sm_90a"; 0: it is not. */
uint16_t prime_arch(const struct prime *p, const char *arch);

#endif
