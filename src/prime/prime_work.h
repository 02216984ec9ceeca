/* The state and the steps of a prime. Each step reads the results of earlier ones, and may end the run with a reason
 * (prime_end). */
#ifndef PRIME_PRIME_WORK_H
#define PRIME_PRIME_WORK_H

#include "cache/memory/trace.h"
#include "driver/witness/witness.h"
#include "os/process/name_watch.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"
#include "prime/facts.h"
#include "prime/memory/last.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"
#include "prime/plan.h"
#include "prime/prime_steps.h"

struct prime {
    const struct jw_prime_options *o;
    struct jw_prime_report *out;
    struct jw_run *run;
    struct run_ctx ctx;
    struct prime_reuse reuse;
    struct scan_jobs of_command; /* modules of `reuse.files` */
    bool beside;                 /* verify: a prime runs on this cache */
    const char *key;             /* of the receipt */
    struct jw_trace trace;       /* its facts: of the machine at first, of all that was read at the end */
    bool asked;                  /* what was named is remembered as not finished, by this run */
    bool elsewhere;              /* the command was recorded with other GPUs, settings or files */
    struct prime_named named;    /* by the command that is recorded now */
    const char *start_again;     /* a recorded command that has to be; NULL: none that is known */
    bool ask_again;              /* one holds but for the GPUs, which only the driver knows */
    bool proven; /* all modules, whatever the cache's limit and what recorded commands load beside them */
    struct jw_warm_loads *carried; /* what commands of another driver build load of this one */
    size_t n_carried;
    uint64_t damaged; /* modules whose entry verify found to be damaged */
    struct plan_rate rates[MODULE_MAX_ARCHS];
    size_t n_rates;
    struct plan plan;
    unsigned plan_workers; /* at most */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) jw_run_end((p)->run, __VA_ARGS__)
#define prime_advise(p, ...) JW_ADVISE((p)->run, __VA_ARGS__)
#define prime_note(p, ...) JW_NOTE((p)->run, __VA_ARGS__)

/* ---- a command is watched (prime_witness.c) ---- */

enum {
    PRIME_WATCHED = 512 + 1 /* the 256 folders of two caches, and what jitwarm records of the given one */,
    PRIME_QUIET_MS = 10000 /* a start is over */
};

struct prime_watching {
    struct prime *p;
    struct jw_witness *witness;
    int64_t began, started;         /* nanoseconds since 1970; `began` allows for the clock of files */
    uint64_t start;                 /* monotonic nanoseconds */
    struct jw_cache_listing before; /* of `root` */
    const char *root;               /* the cache that the command was given */
    const char *library;            /* the driver's; NULL: it is not known */
    struct jw_name_watch
        *opens; /* of entries there, and in the one that it chose before; NULL: they cannot be seen */
    const char *folders[PRIME_WATCHED];
    uint8_t first[PRIME_WATCHED]; /* the two digits of each */
    size_t n_given, n_folders;    /* the first ones are the given cache's */
    size_t n_caches;              /* these are of caches; one that is left is of jitwarm's records */
    uint64_t others_until; /* another jitwarm reads the cache, as far as is known; monotonic nanoseconds */
    bool others;           /* what was opened meanwhile was passed over */
    bool asked;            /* this process was asked to end while the command ran */
    bool watched;          /* `opens` is there, or was until the end */
    bool dropped;          /* not all opens were seen */
    uint64_t *opened;      /* names of entries that were opened, once each and sorted where it was settled */
    size_t n_opened, room_opened;
    uint64_t last; /* the last entry was opened, monotonic nanoseconds; 0: none was */
    struct jw_kit_command command;
    struct jw_kit_starts *kit;             /* other caches */
    struct jw_file_trace *trace;           /* files that it makes and opens; NULL: not traced any more */
    struct jw_traced traced;               /* the same at the end */
    const struct jw_witness_report *again; /* of a further start; NULL: there was none */
    void (*look)(void *ctx);               /* now and then while it runs; NULL */
    void *ctx;
};

bool prime_watch_begin(struct prime *p, const char *root, struct prime_watching *w, struct jw_err *err);
/* Runs the command of the options. */
bool prime_watch_run(struct prime_watching *w, const struct jw_child_edit *edits, size_t n,
                     struct jw_err *err);
/* This process has read these entries, sorted: since the last look they were opened by it, or by the command again. Any other
 * was opened by the command or another program: which one is not known. */
void prime_watch_pass_over(struct prime_watching *w, const uint64_t *read, size_t n);
/* Before prime_was_opened while it runs. */
void prime_watch_sort(struct prime_watching *w);
/* After the end: was this entry, which was there before, opened? */
bool prime_was_opened(const struct prime_watching *w, uint64_t name);
/* Fills the report's `seen`. `after`: the cache's entries then, which the caller frees. */
bool prime_watch_end(struct prime *p, struct prime_watching *w, struct jw_cache_listing *after,
                     struct jw_err *err);
/* "sm_86 sm_90": in order, each once; NULL: none is known. */
const char *prime_kit_gpus(const struct jw_device *gpus, size_t n, struct jw_arena *a);
/* Traces the next start; of `run` until its start is over. */
void prime_begin_trace(struct prime_watching *w);
void prime_end_trace(struct prime_watching *w);
/* Reports and notes what it did in other caches than the report's `seen` ones; of a recorded command that goes into its record.
 * Once, after the trace. */
void prime_end_kit(struct prime_watching *w, bool ended);
/* Where a recorded command made files, it is started once more, and what it opens then is recorded. */
bool prime_look_again(struct prime_watching *w, struct jw_err *err);
void prime_remember_start(struct prime_watching *w); /* for status */
bool prime_kit_held(const struct prime *p); /* of each that it used it is known that nothing was made */
/* The cache that the command used instead of the given one; NULL: it used that one. */
const char *prime_other_cache(const struct prime *p);

/* Ends the run if another user can change that cache: what is there is not believed. */
bool prime_check_own_cache(struct prime *p, const char *root, struct jw_err *err);
/* Uses the cache that the command is known to have chosen itself. */
bool prime_recall_command(struct prime *p, struct jw_err *err);
bool prime_check_recalled(struct prime *p, struct jw_err *err); /* prime_check_own_cache of that one */
/* The cache that it is known to have chosen itself; NULL: none. */
const char *prime_known_cache(struct prime *p);
/* Remembers its start that was watched. `root`: the cache that it chose itself; "": none; NULL: as before. */
void prime_remember_command(struct prime *p, const char *root);
bool prime_command_caches(struct prime *p, struct jw_err *err); /* of recorded commands: the same for each */

/* Was the entry not there before, as it is? */
bool prime_is_new(const struct jw_cache_listing *before, const struct jw_cache_file *f);

/* The first library of LD_PRELOAD that stands before the driver: another libcuda, a vGPU's, a profiler's. jitwarm's workers start without it.
 * NULL: there is none, as for an allocator. */
const char *prime_preloaded(struct jw_arena *a);

/* This driver could not compile it, now or before: that is remembered, and it is not in the cache. */
bool prime_is_refused(const struct jw_job *j);
/* Sets what the run knows so far of the next start. */
bool prime_facts(struct prime *p, struct jw_next_start_facts *out, struct jw_err *err) JW_MUST;

/* ---- the steps ---- */

bool prime_choose_paths(struct prime *p, struct jw_err *err);        /* given, recorded, or found */
bool prime_check_receipt(struct prime *p, struct jw_err *err);       /* ends the run if nothing changed */
bool prime_check_receipt_again(struct prime *p, struct jw_err *err); /* when the driver's GPUs are known */
bool prime_wait_power(struct prime *p, struct jw_err *err);          /* ends a run by itself on a battery */
bool prime_watch(struct prime *p, struct jw_err *err); /* what the driver compiles for a command */
bool prime_keep_made(struct prime *p,
                     struct jw_err *err); /* the PTX that a recorded command makes while it runs */
bool prime_record_command(struct prime *p, struct jw_err *err); /* --run: a command is watched */
bool prime_add_shared(struct prime *p,
                      struct jw_err *err); /* adds what the command may load, and its files */
bool prime_keep_shared(struct prime *p, struct jw_err *err); /* for export --run */
/* Adds to what a command loaded the entries of what it may load: where the run goes on, it compiles them itself. It ends soon when
 * it is interrupted. */
bool prime_share_loads(struct prime *p, const struct jw_digest_set *ids, struct jw_warm_loads *loads,
                       struct jw_err *err);
bool prime_take_hint(struct prime *p, struct jw_err *err); /* makes it the command's profile */
bool prime_look(struct prime *p, struct jw_err *err);      /* reads files and cache, and makes the plan */
bool prime_ask_first(struct prime *p,
                     struct jw_err *err); /* ends a run that the caller wants to hear of first */
bool prime_consent(struct prime *p, struct jw_err *err);
/* These, as a set in the run's arena. */
const struct jw_digest_set *prime_digests(const struct prime *p, const uint8_t (*list)[JW_DIGEST], size_t n);

bool prime_keep_origins(struct prime *p, struct jw_err *err); /* records the origins of warm entries */
const char *prime_new_origin(const struct prime *p, const struct jw_job *j); /* not recorded yet, or NULL */
bool prime_compile(struct prime *p, struct jw_err *err);
bool prime_verify(struct prime *p, struct jw_err *err);
bool prime_keep_asked(struct prime *p,
                      struct jw_err *err); /* what it is asked for, as long as it is not done */
void prime_withdraw_asked(struct prime *p, bool ok, enum jw_code code);
bool prime_keep_receipt(struct prime *p, struct jw_err *err);
/* Looks at what recorded commands load, where the run is about them: `lost` and `recorded_unsure` of the report. `build`: of the
 * driver; NULL: none is known. */
bool prime_look_at_recorded(struct prime *p, const char *build, struct jw_err *err);
/* Records what commands of another driver build load of this one, where all of it is warm now. */
bool prime_record_again(struct prime *p, struct jw_err *err);
bool prime_recorded_held(const struct prime *p);
/* Returns prime_recorded_state of the run's cache. NULL: it failed. */
const char *prime_recorded_facts(struct prime *p, const char *build, struct jw_err *err);
void prime_advise_recorded(struct prime *p); /* where it does not hold */
/* A background run: --if-stale --background. */
bool prime_by_itself(const struct prime *p);
bool prime_on_battery(const struct prime *p);
#define PRIME_ON_BATTERY "on battery; it continues on mains power"

/* Why the entry is damaged, all of which is read; NULL: it is not, as far as can be read. */
const char *prime_entry_damage(const struct prime *p, uint64_t name);
void prime_count_jobs(struct jw_prime_report *r); /* by their state */
/* " --cache DIR" for the next command, where it would use another cache without it; else "". */
const char *prime_cache_option(const struct prime *p);
unsigned prime_timeout_ms(const struct prime *p); /* that the user set for a module; 0: none */

/* plan and verify take no lock: notes a prime that runs beside it, which explains missing modules. */
void prime_note_running(struct prime *p);
/* Returns how many modules do not fit; advises what makes room for them. `*disk`: it is the disk that is too small. */
uint64_t prime_check_room(struct prime *p, bool *disk);
/* Of a cache that holds more than its limit. */
void prime_advise_overfull(struct prime *p);
/* If the state or the cache could not be written: advises another folder, or how much to free. */
void prime_advise_writable(struct prime *p);

void prime_plan(struct prime *p);
void prime_tune(struct prime *p);         /* offers to raise a limit that is too low */
void prime_recall_rates(struct prime *p); /* loads earlier compile rates, or the usual ones */

#endif
