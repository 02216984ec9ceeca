/* The steps that prime and import share. Each can end the run with a reason (jw_run_end). */
#ifndef PRIME_PRIME_STEPS_H
#define PRIME_PRIME_STEPS_H

#include "cache/change/publish.h"
#include "cache/format/digest_set.h"
#include "cache/memory/trace.h"
#include "cache/memory/warmstate.h"
#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "driver/worker/pool.h"
#include "jitwarm/prime.h"
#include "machine/listing.h"
#include "machine/run.h"
#include "prime/memory/primed_cache.h"
#include "prime/prime_rows.h"
#include "session/blocker.h"
#include "session/login_start.h"
#include "session/session.h"
#include "setup/login/login_env.h"
#include "software/scan/scan_jobs.h"

/* ---- the cache ---- */

struct prime_cache {
    const char *asked; /* --cache; NULL: the one that programs use */
    struct jw_cache_here *out;
    const char *folder; /* its folder, links resolved */
    uint64_t least;     /* jw_cachedir_least */
    const char *lost;   /* why not all is known that was remembered before this run; NULL: all is */
    const struct jw_warm_state *memory; /* the session's; prime_no_memory before prime_load_memory */
    /* another cache that was primed, where this one was not (prime_choose_targets) */
    struct prime_primed_cache primed_cache;
    struct jw_warm_log *log;         /* NULL: not locked */
    uint64_t last_status;            /* when the progress was written; monotonic */
    struct jw_cache_listing listing; /* of the cache before the run */
    /* jitwarm's folder beside the cache, for private caches and unpacked modules; NULL: none yet */
    char *work;
    uint64_t tuned;   /* the new limit; 0: not changed */
    bool repaired;    /* this run rebuilt the index, so no earlier receipt is about it */
    bool limit_stays; /* the user was offered a larger one, and knows what does not fit */
};

#define PRIME_WORK "jitwarm-work" /* the work folder's name begins so */

/* Nothing was asked yet. */
extern const struct jw_warm_state prime_no_memory;
extern const struct jw_probe_report prime_no_probe;

/* ---- the driver ---- */

struct prime_driver {
    const char *const *names; /* of the GPUs that are asked for, as for --gpu; none: all here */
    size_t n_names;
    bool absent_gpus, one_arch; /* as in jw_prime_options */
    bool background;            /* a background run waits for a reboot */
    struct jw_driver_here *out;
    const struct jw_probe_report *probe; /* the session's; prime_no_probe before prime_ask_driver */
    struct jw_device *gpus;
    /* The last of them, which only a fresh login shows: no process of jitwarm's uses them. */
    size_t n_hidden;
    const char *shows; /* jw_login_gpus.shown */
    uint16_t sms[JW_MAX_SMS];
    size_t n_sms;
};

/* Returns the rules of entry names as far as they were proven for this build. */
struct module_rules prime_rules(const struct prime_driver *d);

/* Returns the chosen architecture that serves `sm`; 0: none does. */
uint16_t prime_chosen_arch(const struct prime_driver *d, uint16_t sm);

/* Return the driver's compiler, and its build; "": unknown. */
static inline const char *prime_compiler(const struct prime_driver *d)
{
    return d->probe->compiler.id ? d->probe->compiler.id : "";
}

static inline const char *prime_build(const struct prime_driver *d)
{
    return d->probe->driver.build ? d->probe->driver.build : "";
}

/* ---- the login: differences of a fresh one ---- */

struct prime_login {
    const struct jw_login_env *here; /* the session's; NULL: not asked, or not known */
    struct jw_env_difference *v;
    size_t n;
    struct jw_login_start start; /* how its programs start, where that is otherwise than here */
    bool asked;
};

/* Do its programs use another cache than this process, or none? */
static inline bool prime_login_differs(const struct prime_login *l)
{
    return l->start.is != JW_LOGIN_AS_HERE;
}

/* ---- the software ---- */

/* A file or folder to search. */
struct search_root {
    const char *path; /* absolute, links resolved */
    const char *link; /* the path as it was named, with links that may lead elsewhere later; or NULL */
    unsigned depth;
    bool named, itself; /* itself: it is remembered by `path`, too */
};

/* A file that named folders to search, and a time before it was read. */
struct prime_read {
    struct jw_read_file file;
    int64_t before;
};

struct prime_software {
    struct jw_texts paths; /* of jw_prime_options */
    bool all, trusted_only, force_jit;
    const char *from;                /* "given", "recorded", "found" */
    const struct jw_discovery *here; /* the session's; NULL: this run did not look what is installed */
    /* folders that only variables of a fresh login name; NULL: not asked */
    const struct jw_discovery *of_login;
    struct search_root *targets;
    size_t n_targets;
    struct prime_read *read; /* files that named folders to search */
    size_t n_read;
    const char **vouched; /* targets in the roots of jitwarm.conf */
    size_t n_vouched;
    size_t n_left;   /* places that were not searched, or not whole, although software may be there */
    size_t n_closed; /* folders that could not be listed */
    struct scan_jobs found;
    struct jw_warm_lacking lacking; /* packages and files that were not built for a GPU of this run */
    struct jw_notes unread;         /* unreadable or damaged files that may hold CUDA code, and why, each */
    const char *unread_path, *unread_why; /* of the first */
};

/* Chooses which modules of the cache's entries are added to those of the files. */
struct prime_reuse {
    bool all;                            /* also those that no file has */
    const struct jw_digest_set *profile; /* jobs that count; NULL: all */
    /* a profile from another machine: those of its modules that the software here has are the profile; NULL: none */
    const struct jw_warm_command *hint;
    /* files that the command had loaded: modules of the profile in them are added, too */
    const char **files;
    size_t n_files;
    /* number of recorded commands whose modules these are; 0: they are not of commands */
    size_t n_commands;
    struct jw_digest_set used; /* found: the PTX of entries of other builds */
    uint64_t too_new;          /* found: entries of newer drivers with PTX that this one cannot read */
    const char *needs_driver;  /* the branch that can read one of them */
    uint64_t *unprofiled; /* found: entries of PTX that was kept of commands, and is not in the profile */
    size_t n_unprofiled;
};

/* The state that prime and import share. */
struct run_ctx {
    struct jw_run *run;
    const char *verb; /* the word that the user typed: "prime" */
    bool as_root;     /* it is for root's own programs (--as-root) */
    bool reads_only;  /* the cache is not changed: a dry run, or a verification */
    bool same_login;  /* do not compare with a fresh login */
    unsigned wait_s;  /* how long to wait for another jitwarm on the cache */
    struct prime_cache cache;
    struct prime_driver driver;
    struct prime_login login;
    struct prime_software software;
};

/* ---- the steps, in their order ---- */

/* Ends a run as root that would fill root's cache. */
bool prime_check_user(struct run_ctx *h, struct jw_err *err);
/* Returns "jitwarm prime" as it works for this user. */
const char *prime_command(struct jw_run *run, const struct jw_prime_options *o);
/* Ends a run whose settings forbid the driver to compile, and notes those that have it compile at every start. */
bool prime_check_variables(struct run_ctx *h, struct jw_err *err);
/* Finds the cache and its limit. */
bool prime_find_cache(struct run_ctx *h, struct jw_err *err);
/* Ends the run where a driver cannot look into the cache at all. */
bool prime_check_lookup(struct run_ctx *h, struct jw_err *err);
/* Takes the architectures of absent GPUs that were asked for. */
bool prime_name_absent_gpus(struct prime_driver *d, struct jw_err *err);
bool prime_take_lock(struct run_ctx *h, struct jw_err *err);
bool prime_check_free(struct run_ctx *h, struct jw_err *err);
bool prime_check_state(struct run_ctx *h, struct jw_err *err);
/* Ends the run with this reason and its command. */
bool prime_end_blocked(struct jw_run *run, const struct jw_blocker *h);
/* Starts to ask the login shell, in a run that changes nothing. The shell may take longer than the search for software
 * and the start of the driver, which go on meanwhile. */
bool prime_begin_login(struct run_ctx *h, struct jw_err *err);
bool prime_begin_driver(struct run_ctx *h, struct jw_err *err);
/* Asks whether programs of a fresh login have these settings. Ends a run that changes the cache if they would use
 * another one. */
bool prime_ask_login(struct run_ctx *h, struct jw_err *err);
/* In a run that changes nothing: returns a sentence why programs find no entry of the cache; NULL: they do. */
const char *prime_obstacle(const struct run_ctx *h);
/* Returns a sentence about what a damaged index does to programs that use it; NULL: it is whole, or programs do not use
 * it. */
const char *prime_index_trouble(const struct run_ctx *h);
/* Finds the level that is proven for the driver, the GPUs, and the limit of the cache. */
bool prime_ask_driver(struct run_ctx *h, struct jw_err *err);
/* Removes the work folders of killed runs, also where a receipt holds. */
bool prime_sweep_work(struct run_ctx *h, struct jw_err *err);
/* Makes the work folder; in jitwarm's state if the run does not change the cache. */
bool prime_make_work(struct run_ctx *h, struct jw_err *err);
/* Loads what is remembered of the cache, as it is now, and notes what could not be read. */
void prime_load_memory(struct run_ctx *h);
/* Chooses the given paths; else those that earlier runs recorded. */
bool prime_choose_targets(struct run_ctx *h, struct jw_err *err);
/* Adds the roots of jitwarm.conf, for a background run. */
bool prime_take_roots(struct run_ctx *h, struct jw_err *err);
/* Adds what is installed on this machine. */
bool prime_find_software(struct run_ctx *h, struct jw_err *err);
/* Reads the files that name folders to a search, where no search is made: the receipt compares them. */
bool prime_read_names(struct run_ctx *h, struct jw_err *err);
/* Adds what the variables of a fresh login name. */
bool prime_find_of_login(struct run_ctx *h, struct jw_err *err);
/* Returns how files are read for this driver and these GPUs; the caller adds the roots. */
struct scan_jobs_options prime_scan_options(const struct run_ctx *h);
/* Reads the modules of the files. */
bool prime_read_software(struct run_ctx *h, struct jw_err *err);
/* Records the modules of a command. `here`: seen on this machine, not only in a pack; facts about this
 * machine are then added to the answers of `loads`. */
bool prime_remember_loads(const struct run_ctx *h, const struct jw_warm_command *of,
                          struct jw_warm_loads loads, bool here, struct jw_err *err);
/* Remembers the named targets as asked for, until a prime of them ends. `*any`: some were not remembered yet. */
bool prime_remember_targets(const struct run_ctx *h, bool *any, struct jw_err *err) JW_MUST;
/* Lists the cache and adds modules of its entries. */
bool prime_read_cache(struct run_ctx *h, struct prime_reuse *u, struct jw_err *err);

/* Releases the lock and removes the work folder. */
void prime_close_cache(struct prime_cache *c);

/* ---- while it runs ---- */

void prime_notify(const struct jw_run *run, enum jw_prime_phase phase, const char *at);
void prime_show_progress(const struct jw_run *run, const struct jw_prime_progress *p);
/* Writes the progress for status, at most twice a second. Ignores failures. */
void prime_write_status(struct prime_cache *c, const struct jw_prime_progress *progress);

/* ---- room ---- */

/* Finds the limit by the variable or by this driver's default; before the driver is asked, by the smallest default. */
void prime_find_limit(struct run_ctx *h);
bool prime_find_used(struct prime_cache *c, struct jw_err *err) JW_MUST; /* counts as the driver does */
void prime_look_disk(struct prime_cache *c);                             /* finds how much is free now */
/* free bytes without those that have to stay free; UINT64_MAX: unknown */
uint64_t prime_usable_disk(const struct prime_cache *c);
/* Advises how much to free on a disk, and how to make room in the cache. */
void prime_advise_disk(struct jw_run *run, const char *folder, uint64_t need, uint64_t free, uint64_t spare);
void prime_advise_again(const struct run_ctx *h); /* advises this command with a higher limit */
void prime_advise_room(const struct run_ctx *h, uint64_t need, bool disk);
void prime_advise_login_limit(const struct run_ctx *h, uint64_t need);
/* Offers to raise a limit that is too low for `need` bytes. `raise`: without a question; `otherwise`: the
 * effect of this limit, in words. True: it was raised. */
bool prime_offer_limit(struct run_ctx *h, uint64_t need, bool raise, const char *otherwise);
/* Notes a damaged index of the cache. */
void prime_note_index(const struct run_ctx *h);

/* ---- an entry of the cache, with its whole key ---- */

struct prime_entry {
    struct jw_buf bytes;
    struct jw_cache_key key; /* points into `bytes`; kind OTHER: it is gone or unreadable */
    uint8_t text[JW_DIGEST]; /* of the compiler's input */
};

bool prime_entry_read(struct jw_arena *a, const char *cache, const struct jw_cache_file *f,
                      struct prime_entry *out, struct jw_err *err);
bool prime_entry_file(const char *path, uint64_t key_size, struct prime_entry *out, struct jw_err *err);
void prime_entry_free(struct prime_entry *e);
bool prime_entry_is_linked(const struct prime_entry *e); /* the driver's linker made it */

/* Lists the entries that were kept without their code, beside the records about `cache`: paths; NULL: none. */
const char *const *prime_kept_list(struct jw_run *run, const char *cache, size_t *n);
bool prime_kept_read(const char *path, struct prime_entry *out, struct jw_err *err);

/* Finds the job of the entry; false: it cannot be determined (`*why`). */
bool prime_entry_job(struct jw_arena *a, const struct prime_driver *d, const struct prime_entry *e,
                     uint16_t sm, struct jw_job *out, const char **why);

/* Writes the module of an entry into a file that a worker can load, in `work`; `t` is its job. `*made` false: the driver
 * would not give its entry the same name. */
bool prime_entry_module(struct jw_arena *a, const struct prime_driver *d, const char *work, uint64_t name,
                        const struct prime_entry *e, struct jw_job *t, bool *made, struct jw_err *err);

/* Is this PTX from an entry of the cache, and from no file? */
bool prime_place_is_entry(const struct jw_place *at);

/* Records what is known of a module, as a whole (jw_warm_recall). */
bool prime_remember(const struct run_ctx *h, const struct jw_warm_module *m, struct jw_err *err);

/* ---- the proof: fresh processes load modules again ---- */

struct prime_proof {
    const struct jw_job *jobs;
    size_t n_jobs;
    const struct scan_jobs *of_command; /* files of a recorded command, beside those of `ctx`; NULL: none */
    struct run_ctx *ctx;
    unsigned timeout_ms; /* that the user set for a module; 0: none */
    bool cold;           /* modules that are not warm count as misses */
    bool *unloaded;      /* for each job: set where it could not be loaded; or NULL */
};

/* Verifies the jobs in each environment of this user's programs. Ends the run if time is up. */
bool prime_prove(const struct prime_proof *proof, struct jw_verify_report *out, struct jw_err *err);

#endif
