/* The state and the steps of a prime. Each step reads the results of earlier ones, and may end the run with a reason
 * (prime_end). */
#ifndef PRIME_PRIME_WORK_H
#define PRIME_PRIME_WORK_H

#include "cache/memory/trace.h"
#include "prime/facts.h"
#include "prime/memory/last.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"
#include "prime/plan.h"
#include "prime/prime_steps.h"

struct prime {
    const struct jw_prime_options *o;
    struct jw_prime_report *out;
    struct jw_run *run; /* as in `ctx` */
    struct run_ctx ctx;
    struct prime_reuse reuse;
    struct scan_jobs of_command; /* modules of `reuse.files` */
    bool prime_runs;             /* verify: a prime runs on this cache */
    struct jw_warm_request request;
    struct jw_warm_too_new too_new;
    /* facts for the receipt: of the machine at first, of all that was read at the end */
    struct jw_trace trace;
    struct jw_notes emptied; /* targets that held code before, and hold none now (prime_find_emptied) */
    bool asked;              /* this run has remembered its named targets as not finished */
    bool cramped; /* the disk of the cache has no room for all: a prime asks first, and does a part */
    bool refused; /* it ended before it began, because others may write to the cache's folder */
    bool begun;   /* this run has remembered that all software was to be primed */
    bool recorded_differs;          /* the command was recorded with other GPUs, settings or files */
    struct prime_named named;       /* files that the command names which is recorded now */
    struct prime_recorded recorded; /* commands of earlier runs; `unwatched` is noted already */
    /* a compiler that its start opened, and whose code no cache keeps; "": it opened none; NULL: not known */
    const char *unkept;
    /* a command to type before `recorded.again`, which gives this shell the GPUs of a fresh login; NULL: none */
    const char *start_after;
    const char *import_again; /* as in struct prime_imported */
    bool ask_again;           /* a receipt holds but for the GPUs, which only the driver knows */
    bool login_as_then;       /* the receipt's run saw that a fresh login starts as this environment does */
    bool all_hidden; /* all modules are warm, for GPUs that this environment hides: none can be loaded here */
    /* all modules were proven warm, whatever the cache's limit and what recorded commands load beside them */
    bool proven;
    /* the cache's index is damaged and stays so: this run changes nothing, or could not */
    bool index_damaged;
    uint64_t damaged; /* modules whose entry verify found to be damaged */
    struct plan_rate rates[JW_MAX_SMS];
    size_t n_rates;
    struct plan plan;
    unsigned plan_workers; /* at most */
};

/* Ends the run. Returns true, so that a step can return it. */
#define prime_end(p, ...) jw_run_end((p)->run, __VA_ARGS__)
#define prime_advise(p, ...) JW_ADVISE((p)->run, __VA_ARGS__)
#define prime_note(p, ...) JW_NOTE((p)->run, __VA_ARGS__)

/* Could this driver not compile the module, now or before (which is remembered), so that it is not in the cache? */
bool prime_is_refused(const struct jw_job *j);
/* Is the module cold because this driver found no compiler? */
bool prime_lacked_compiler(const struct jw_job *j);
/* Counts the modules that are no job. */
uint64_t prime_left_out(const struct jw_prime_report *r);
/* Sets `imported` and `import_gone` of the report: is what packs brought there? `r`: a receipt that answers for the
 * jobs; NULL: they are planned. `build`: of the driver; NULL: none is known. */
bool prime_look_at_imports(struct prime *p, const struct jw_warm_receipt *r, const char *build,
                           struct jw_err *err) JW_MUST;
/* Sets the facts of the next start that the run knows so far. */
bool prime_facts(struct prime *p, struct jw_next_start_facts *out, struct jw_err *err) JW_MUST;

/* ---- the steps ---- */

bool prime_choose_paths(struct prime *p, struct jw_err *err); /* chooses given, recorded or found paths */
/* adds those that variables of a login name */
bool prime_choose_of_login(struct prime *p, struct jw_err *err);
bool prime_check_receipt(struct prime *p, struct jw_err *err); /* ends the run if nothing changed */
/* Adds GPUs of other kinds, which only a fresh login shows programs. */
bool prime_take_login_gpus(struct prime *p, struct jw_err *err);
/* the same when the driver's GPUs are known */
bool prime_check_receipt_again(struct prime *p, struct jw_err *err);
bool prime_wait_power(struct prime *p, struct jw_err *err); /* ends a background run on a battery */
bool prime_look(struct prime *p, struct jw_err *err);       /* reads files and cache, and makes the plan */
/* Ends a run that the caller wants to hear of first. */
bool prime_ask_first(struct prime *p, struct jw_err *err);
bool prime_check_open(struct prime *p, struct jw_err *err);
bool prime_consent(struct prime *p, struct jw_err *err);
/* Returns these digests as a set in the run's arena. */
const struct jw_digest_set *prime_digests(const struct prime *p, const uint8_t (*list)[JW_DIGEST], size_t n);

bool prime_keep_origins(struct prime *p, struct jw_err *err); /* records the origins of warm entries */
/* the origin that is not recorded yet, or NULL */
const char *prime_new_origin(const struct prime *p, const struct jw_job *j);
bool prime_compile(struct prime *p, struct jw_err *err);
bool prime_verify(struct prime *p, struct jw_err *err);
/* remembers what the run is asked for, until it is done */
bool prime_keep_asked(struct prime *p, struct jw_err *err);
bool prime_keep_begun(struct prime *p, struct jw_err *err);
/* Remembers what this run leaves to the next one: room that it lacked, GPUs that are hidden here, and targets. */
void prime_keep_left(struct prime *p, bool ok, enum jw_code code);
bool prime_keep_receipt(struct prime *p, struct jw_err *err);
/* notes what the machine is like before it is looked at */
bool prime_begin_proof(struct prime *p, struct jw_err *err);
/* Writes the receipt of a verification without PATH that loaded all of it, where earlier runs left none that holds. Does
 * not wait for another jitwarm. */
bool prime_keep_proof(struct prime *p, struct jw_err *err);
bool prime_is_background(const struct prime *p); /* nobody waits for it: --if-stale --background */
bool prime_on_battery(const struct prime *p);
#define PRIME_ON_BATTERY "on battery; it continues on mains power"

/* Reads the whole entry and returns why it is damaged; NULL: it is not, as far as can be read. */
const char *prime_entry_damage(const struct prime *p, uint64_t name);
void prime_count_jobs(struct jw_prime_report *r); /* counts the jobs by their state */
/* Returns " --cache DIR" for the next command, where it would use another cache without it; else "". */
const char *prime_cache_option(const struct prime *p);
const char *prime_places_line(const struct prime *p); /* "jitwarm scan -v" */
/* Returns a line that primes this file, or runs this command with --run (the other is NULL), for the same GPUs in the
 * same cache. */
const char *prime_other_line(const struct prime *p, const char *file, const char *command);
unsigned prime_timeout_ms(const struct prime *p); /* the time that the user set for a module; 0: none */

/* Notes a prime that runs at the same time, which explains missing modules: plan and verify take no lock. */
void prime_note_running(struct prime *p);
/* Returns how many modules do not fit, and advises what makes room for them. `*disk`: the disk is too small, and not the
 * limit. */
uint64_t prime_check_room(struct prime *p, bool *disk);
/* Advises on a cache that holds more than its limit. */
void prime_advise_overfull(struct prime *p);
/* Returns "=PATH" or "DEPTH PATH" of the target's own path. */
const char *prime_target_text(struct jw_arena *a, const struct search_root *t);
/* Returns all targets in that form, those that were named by links by these, too. */
struct jw_texts prime_target_texts(struct jw_arena *a, const struct prime_software *s);
/* Returns what this run is asked for, as its receipt has it. `trusted_only`: as if it left out what other users can
 * change. */
struct jw_warm_request prime_request_of(const struct prime *p, bool trusted_only);
/* Is it a run of a command, or for some GPUs or modules? That it found nothing says nothing about the rest. */
bool prime_is_of_a_part(const struct prime *p);
/* This run came to its end: nothing of its targets is left. */
bool prime_finish_targets(struct prime *p, struct jw_err *err) JW_MUST;

/* Notes a cache that only this shell knows, unless a fresh login is known to have the same. */
void prime_note_own_shell(struct prime *p);

/* Reports how many of the modules of NVIDIA's own libraries that were found are compiled when a program uses them. */
bool prime_report_on_use(struct prime *p, const char *build, uint64_t found, struct jw_err *err) JW_MUST;
/* Finds targets that hold no code any more: among those that were primed by name, and where nothing else is found, among
 * all. */
bool prime_find_emptied(struct prime *p, struct jw_err *err);
/* Sets `gone` of the report: is something that was primed not there any more? */
void prime_look_for_gone(struct prime *p);
/* Is what was primed before not known any more, nor all among what this run found? */
enum jw_warm_loss prime_loss(const struct prime *p);
/* Does a run that only looks not know all that it should look at, because the record is damaged? Paths that were named
 * are known. */
static inline bool prime_lost_records(const struct prime *p)
{
    return p->ctx.reads_only && !p->o->paths.n && !p->o->run && p->ctx.cache.memory->lost;
}

/* Advises the next command, when all else is said (memory/next_step.h). */
void prime_advise_next(struct prime *p);
/* Advises another folder, or how much to free, if the state or the cache could not be written. */
void prime_advise_writable(struct prime *p);

void prime_plan(struct prime *p);
void prime_tune(struct prime *p);         /* offers to raise a limit that is too low */
void prime_recall_rates(struct prime *p); /* loads earlier compile rates, or the usual ones */

#endif
