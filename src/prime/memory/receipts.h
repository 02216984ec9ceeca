/*
 * Asks the receipts of earlier primes: the software that each was about, which of them still count, and
 * whether they hold. A receipt is the trace of a verified run (cache/memory/trace.h) and its entries.
 */
#ifndef PRIME_MEMORY_RECEIPTS_H
#define PRIME_MEMORY_RECEIPTS_H

#include "base/digest.h"
#include "cache/memory/trace.h"
#include "cache/memory/warmstate.h"
#include "jitwarm/prime.h"
#include "machine/config.h"
#include "prime/memory/next_start.h"
#include "session/session.h"

/* Is it of a run that found no code? */
bool prime_is_empty(const struct jw_warm_receipt *r);

/* Has any prime found code, compiled or not? */
bool prime_found_something(const struct jw_warm_state *memory);

/* Returns the path of a target: "=PATH" or "DEPTH PATH". */
const char *prime_target_path(const char *text);
bool prime_has_target(const struct jw_warm_receipt *r, const char *path);

/* The target of a run without PATH in struct jw_warm_left: everything that is found. */
#define PRIME_ALL ""

/* Returns a sentence about the last target that a run was asked to prime, that is still there, and that no run has
 * finished; NULL: none. */
const char *prime_unfinished(const struct jw_warm_state *memory, struct jw_arena *a);

/* Does a run for target `by` look at all that is below this target? */
bool prime_covers(const char *by, const char *target);

/* ---- those that still say something ---- */

/* A receipt that says something of software which is still there. */
struct prime_latest {
    const struct jw_warm_receipt *receipt;
    /* why it says nothing of other starts, as "primed only for GPU 0": a sentence; NULL */
    const char *partial;
};

struct prime_latest_list {
    struct prime_latest *list;
    size_t n;
    /* the first target that is still there and was primed with other driver builds alone; NULL: none */
    const char *of_others;
};

/* Lists the newest receipt of each target, the newest first; partial ones come last, for targets that have no other.
 * Takes receipts of driver build `build`; where there is none (or NULL: no driver is known), those of the build that was
 * primed for last. */
void prime_latest_receipts(const struct jw_warm_state *memory, const struct jw_config *config,
                           const char *build, struct jw_arena *a, struct prime_latest_list *out);

/* Is it of a run without PATH, which looks at what recorded commands load, too? */
bool prime_is_of_all(const struct prime_latest *h);

/* Takes the limit of a fresh login from the receipt. */
void prime_recall_login_limit(const struct jw_warm_receipt *r, struct jw_cache_limit *limit);

/* Replays one of them (jw_trace_replay), without the files of targets that newer ones are about. */
enum jw_trace_state prime_replay_latest(const struct prime_latest *list, size_t i, const struct jw_trace *now,
                                        const char **what);

/* Returns why not all is known that was primed: the record was damaged, and no run has found all of it again. */
enum jw_warm_loss prime_lost_before(const struct jw_warm_state *memory);

/* Returns a sentence about software that was primed and is gone, or was named and holds no code any more (from the
 * newest receipt that has one), or about what was lost before; NULL: none. `named`: considers only what a person named.
 * `looked`: the caller has looked at what is there, so what an earlier run saw of it does not count. */
const char *prime_first_gone(const struct jw_warm_state *memory, bool named, bool looked, struct jw_arena *a);

#define PRIME_EMPTIED "what was primed holds no CUDA code any more: %.200s"

/* Did the last run of this target find that it holds no code any more? */
bool prime_is_emptied(const struct jw_warm_state *memory, const char *target);

/* Is this target a named file that the last run could not read although its mode allows it: cut, or no regular file any
 * more? */
bool prime_is_broken(const struct jw_warm_state *memory, const char *target);

/* Did this target hold code when it was primed last? False where that is not known. `path`: of the target, links
 * resolved. */
bool prime_had_code(const struct jw_warm_state *memory, const char *target, const char *path);

/* ---- modules that the driver refused ---- */

/* Sets only the facts about refused modules, from the records of the modules that this receipt names and none of
 * `before` does, for the compiler that is here. False: another try of one of them may end otherwise. */
bool prime_recall_refused(struct jw_session *s, const struct jw_warm_state *memory,
                          const struct jw_warm_receipt *r, const struct prime_latest *before, size_t n_before,
                          struct jw_arena *a, struct jw_next_start_facts *out);

/* ---- NVIDIA's own libraries ---- */

/* Counts the modules of NVIDIA's own libraries that are compiled when a program uses them: `found`, or none where a run
 * with --all that was asked for the same warmed them, and nothing has changed since. */
bool prime_count_on_use(struct jw_session *s, const struct jw_warm_state *memory, const char *cache,
                        const struct jw_warm_request *asked, const char *build, uint64_t found,
                        uint64_t *on_use, struct jw_err *err) JW_MUST;

/* ---- what a receipt concluded, as a sentence; NULL: none ---- */

const char *prime_on_use_words(uint64_t on_use, struct jw_arena *a);

const char *prime_too_new_words(const struct jw_warm_too_new *t, struct jw_arena *a);
const char *prime_lacking_words(const struct jw_warm_lacking *l, struct jw_arena *a);
const char *prime_loss_words(enum jw_warm_loss loss);

#endif
