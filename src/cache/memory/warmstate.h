/*
 * What is remembered of one cache root between runs, and which process works on it now. Folders and files: warmplace.h.
 * A root is known by its real path, whether it exists yet or not.
 */
#ifndef CACHE_MEMORY_WARMSTATE_H
#define CACHE_MEMORY_WARMSTATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cache/format/warmlog.h"
#include "jitwarm/err.h"
#include "machine/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jw_warm_owned { /* an entry, and whose it is */
    uint64_t name;
    const struct jw_warm_origin *by;
};

struct jw_warm_state {
    const char *dir;          /* of this root; NULL: the system names no state folder */
    struct jw_warm_job *jobs; /* here and below, if not said otherwise: oldest first */
    size_t n_jobs;
    struct jw_warm_ban *bans;
    size_t n_bans;
    struct jw_warm_receipt *receipts; /* newest first */
    size_t n_receipts;
    struct jw_warm_profile *profiles;
    size_t n_profiles;
    struct jw_warm_origin *origins;
    size_t n_origins;
    struct jw_warm_owned *owned; /* what they name, by name; each once */
    size_t n_owned;
    struct jw_warm_ledger *ledger; /* by name: entries that this root's drivers did not make */
    size_t n_ledger;
    struct jw_warm_ledger
        *strangers; /* by name: entries of packs that nobody vouched for who is trusted for everything */
    size_t n_strangers;
    struct jw_warm_ran *ran; /* by name */
    size_t n_ran;
    struct jw_notes notes; /* what is there and was not read or not believed */
};

/*
 * Reads; makes nothing. The newest record of a job, ban, receipt, profile or origin counts. What cannot be read is a note, and
 * then less is remembered.
 */
bool jw_warm_load(const char *root, struct jw_arena *a, struct jw_warm_state *out, struct jw_err *err);

/* Whose an entry is, as was told last; NULL: it is not known. */
const char *jw_warm_origin(const struct jw_warm_state *s, uint64_t name);

/* A job of this id, as it was done last for this architecture by this build; NULL: never. */
const struct jw_warm_job *jw_warm_job(const struct jw_warm_state *s, const uint8_t id[32], uint16_t sm,
                                      const char *build);

/* How this entry was compiled here; NULL: it is not known. */
const struct jw_warm_ran *jw_warm_ran(const struct jw_warm_state *s, uint64_t name);

/* What the ledger says of an entry with this payload; NULL: it is the driver's own work. */
const struct jw_warm_ledger *jw_warm_made(const struct jw_warm_state *s, uint64_t name, uint64_t payload);

/* Did an entry with this payload come from a pack that nobody vouched for? */
bool jw_warm_stranger(const struct jw_warm_state *s, uint64_t name, uint64_t payload);

/* ---- writing: one process at a time ---- */

struct jw_warm_log;

struct jw_warm_holder {
    unsigned long pid; /* 0: not known */
    int64_t since;     /* seconds since 1970 */
};

/*
 * Takes the lock; another process having it is an answer: `*out` NULL, `holder` filled, and true. What was torn is cut
 * off, and what is superseded is dropped when it is more than half.
 */
bool jw_warm_open(const char *root, struct jw_warm_log **out, struct jw_warm_holder *holder,
                  struct jw_err *err);

/* One record each. A failed one leaves the log as it was. */
bool jw_warm_add_job(struct jw_warm_log *l, const struct jw_warm_job *j, struct jw_err *err);
bool jw_warm_add_ban(struct jw_warm_log *l, const struct jw_warm_ban *b, struct jw_err *err);
bool jw_warm_lift_ban(struct jw_warm_log *l, const uint8_t id[32], const char *build, uint16_t sm,
                      struct jw_err *err);
bool jw_warm_add_receipt(struct jw_warm_log *l, const struct jw_warm_receipt *r, struct jw_err *err);
bool jw_warm_add_profile(struct jw_warm_log *l, const struct jw_warm_profile *p, struct jw_err *err);
bool jw_warm_add_origin(struct jw_warm_log *l, const struct jw_warm_origin *o, struct jw_err *err);
bool jw_warm_add_made(struct jw_warm_log *l, const struct jw_warm_ledger *m, struct jw_err *err);
bool jw_warm_add_ran(struct jw_warm_log *l, const struct jw_warm_ran *r, struct jw_err *err);
bool jw_warm_sync(struct jw_warm_log *l, struct jw_err *err); /* to the disk */

/*
 * These entries (`names` is sorted) were taken out of the cache: no job, receipt, origin or ledger names them any more. A receipt
 * that did keeps its targets and holds no more. The log is what it was, or all of this is done.
 */
bool jw_warm_forget(struct jw_warm_log *l, const uint64_t *names, size_t n, struct jw_err *err);

/* Bytes that outlive this process, for who must not lose them between two writes elsewhere; none to drop them. The next
 * holder finds them. */
bool jw_warm_backup_index(struct jw_warm_log *l, const void *p, size_t n, struct jw_err *err);
bool jw_warm_read_backup(const struct jw_warm_log *l, struct jw_buf *out, struct jw_err *err);

/* status.json, by another name and a rename, so that no reader meets half of it; the caller paces it. `json` is the whole
 * text. */
bool jw_warm_write_status(struct jw_warm_log *l, const char *json, size_t n, struct jw_err *err);

/* Did another process ask this one to end (prime --stop)? */
bool jw_warm_stop_asked(const struct jw_warm_log *l);

void jw_warm_close(
    struct jw_warm_log *l); /* removes status.json and the stop, drops the lock; accepts NULL */

/* ---- another process ---- */

/* Who works on this root now? `*busy` false: nobody. `*status`: its status.json, or NULL when it has none yet. */
bool jw_warm_busy(const char *root, struct jw_arena *a, bool *busy, struct jw_warm_holder *holder,
                  const char **status, struct jw_err *err);

/* Asks the holder to end. Nobody there: nothing is done, and true. */
bool jw_warm_ask_stop(const char *root, struct jw_err *err);

#endif
