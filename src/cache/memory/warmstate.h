/*
 * The memory of one cache: records of earlier runs, and which process works on it now. Folders and files:
 * warmplace.h. A cache is identified by its real path, even if it does not exist yet.
 */
#ifndef CACHE_MEMORY_WARMSTATE_H
#define CACHE_MEMORY_WARMSTATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cache/format/warmlog.h"
#include "cache/memory/modules.h"
#include "jitwarm/err.h"
#include "jitwarm/prime.h"
#include "machine/run.h"
#include "os/files/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file of the records, where it was whole and needs no mending. */
struct jw_warm_seen {
    const char *log; /* NULL: it was not, or there is none */
    struct jw_file_info file;
    size_t records;
};

struct jw_warm_state {
    const char *dir; /* of this cache; NULL: the system names no state folder */
    struct jw_modules modules;
    struct jw_warm_receipt *receipts; /* newest first; imports: oldest first */
    size_t n_receipts;
    struct jw_warm_command *commands; /* sorted by words, whichever was started last */
    size_t n_commands;
    size_t n_recorded;             /* of these, commands whose modules are known */
    struct jw_warm_command *hints; /* of commands that have no other record */
    size_t n_hints;
    struct jw_warm_import *imports;
    size_t n_imports;
    struct jw_warm_left left; /* `hidden` NULL: there is no record of it */
    struct jw_notes notes;    /* about records that could not be read or trusted */
    const char *lost;         /* the one of these that says why some records are not known; NULL: all are */
    struct jw_warm_seen seen;
};

/* Is the file of these records still the one that was read? False where it is not known: then it is read again. */
bool jw_warm_is_current(const struct jw_warm_state *s);

/* Changes nothing. The newest record of a thing counts. Unreadable records become notes. */
void jw_warm_load(const char *folder, struct jw_arena *a, struct jw_warm_state *out);

/* Lists the caches with records, by their real paths at that time. */
const char *const *jw_warm_caches(struct jw_arena *a, size_t *n);
/* jw_warm_load of one of these: its path may lead elsewhere now, or nowhere. */
void jw_warm_load_cache(const char *folder, struct jw_arena *a, struct jw_warm_state *out);

/* The targets with a path that runs were asked to prime, as receipts have them: those of the newest receipt first,
 * unfinished ones last. */
const char *const *jw_warm_targets(const struct jw_warm_state *s, struct jw_arena *a, size_t *n);

/* The origin of an entry, or NULL. If there are several, the one that was recorded last. */
const char *jw_warm_origin(const struct jw_warm_state *s, uint64_t name);

/* The record of a command, or NULL. */
const struct jw_warm_command *jw_warm_command(const struct jw_warm_state *s, const char *key);

/*
 * The name under which a pack knows a command: the base name of its program and a part of its digest,
 * "python3 1c0f8e0a7b6d5e4f", because its words may hold paths and names. Records from a pack have this name.
 */
const char *jw_warm_command_alias(const char *key, struct jw_arena *a);
bool jw_warm_is_alias(const char *key); /* it looks like one */

/* The modules of the command, and its entries with this driver build, as recorded here, or else as they came with a
 * pack; NULL: there are none. */
const struct jw_warm_command *jw_warm_profile(const struct jw_warm_state *s, const char *key);
const struct jw_warm_loads *jw_warm_loads(const struct jw_warm_state *s, const char *key, const char *build);

/* The record with the state of the machine when the command was recorded under exactly this name; NULL: not known. */
const struct jw_warm_loads *jw_warm_machine(const struct jw_warm_state *s, const char *key,
                                            const char *build);

/* The modules that a pack of another GPU or driver names for it, or NULL. */
const struct jw_warm_command *jw_warm_hint(const struct jw_warm_state *s, const char *key);

/* How long a worker took to link `n` entries with this sum of their names, when all of them were in the cache:
 * milliseconds. 0: that was not measured, or the driver could not link them. */
uint32_t jw_warm_link(const struct jw_warm_state *s, uint64_t sum, size_t n);

/* The links that a program which uses these entries makes at each start, as far as they were measured. */
struct jw_warm_links {
    uint64_t n, milliseconds;
    uint64_t failing; /* those that the driver could not make */
};
struct jw_warm_links jw_warm_links_of(const struct jw_warm_state *s,
                                      bool (*uses)(const void *ctx, uint64_t name), const void *ctx);

/* True if the entry with this payload came from a pack that no fully trusted key signed. */
bool jw_warm_imported(const struct jw_warm_state *s, uint64_t name, uint64_t payload);

/* ---- writing: one process at a time ---- */

struct jw_warm_log;

struct jw_warm_holder {
    unsigned long pid; /* 0: unknown */
    int64_t since;     /* seconds since 1970 */
};

/*
 * Takes the lock. If another process has it: true, with `*out` NULL and `holder` filled. Cuts a torn end off,
 * and compacts the log when more than half of it is superseded. `known`: the state as it was read before, or
 * NULL; it outlives `*out`, and a file that has not changed is not read again.
 */
bool jw_warm_open(const char *folder, const struct jw_warm_state *known, struct jw_warm_log **out,
                  struct jw_warm_holder *holder, struct jw_err *err);

/* The whole record of a module, with this holder's changes, to be changed and added again. If there is none, all but
 * id, architecture and build is empty. */
struct jw_warm_module jw_warm_recall(const struct jw_warm_log *l, const uint8_t id[32], uint16_t sm,
                                     const char *build);

/* The same of a command, and what it loads with one driver build put into that. */
struct jw_warm_command jw_warm_recall_command(const struct jw_warm_log *l, const char *key);
void jw_warm_put_loads(struct jw_warm_command *c, struct jw_warm_loads loads, struct jw_arena *a);

/* Adds one record, or leaves the log unchanged. Commands and what is left to do are borrowed until the log is closed. */
bool jw_warm_add(struct jw_warm_log *l, const struct jw_warm_fact *fact, struct jw_err *err);
bool jw_warm_sync(struct jw_warm_log *l, struct jw_err *err); /* to the disk */

/* The work that is left to do now: to be changed, and added again as a whole. */
struct jw_warm_left jw_warm_recall_left(const struct jw_warm_log *l);

/* Adds a target. False: it is there already. If there are too many, the oldest is dropped. */
bool jw_warm_left_add(struct jw_warm_left *left, const char *target, struct jw_arena *a);

/* Remembers the targets of a run that ended without the lock. jw_warm_load returns them with the others, and the next
 * holder of the lock takes them into the log. */
bool jw_warm_leave(const char *folder, const char *const *targets, size_t n, struct jw_arena *a,
                   struct jw_err *err) JW_MUST;

/*
 * Forgets that these entries (`names` is sorted) are in the cache. A receipt that named one keeps its
 * targets, but is no longer valid. Records of their modules keep what is true without them: bans, that a run
 * had to leave them, and imports, because the entry, known by its payload, may come back from the store. All
 * or nothing. `lost`: they were not there any more, or damaged, so that an import that brought them is still
 * asked for them. A holder that rewrote the log recalls what was there before.
 */
bool jw_warm_forget(struct jw_warm_log *l, const uint64_t *names, size_t n, bool lost, struct jw_err *err);

enum jw_warm_fate { JW_WARM_KEPT, JW_WARM_CHANGED, JW_WARM_DROPPED };

/* Rewrites the log: `fate` decides about each record but the first, and may change the fact, in the arena. All or
 * nothing. */
bool jw_warm_rewrite(struct jw_warm_log *l,
                     enum jw_warm_fate (*fate)(void *ctx, struct jw_warm_fact *fact, struct jw_arena *a),
                     void *ctx, struct jw_err *err);

/* Stores bytes that must survive this process; `n` 0 deletes them. The next holder of the lock can read them. */
bool jw_warm_backup_index(struct jw_warm_log *l, const void *p, size_t n, struct jw_err *err);
bool jw_warm_read_backup(const struct jw_warm_log *l, struct jw_buf *out, struct jw_err *err);

/* Replaces the progress by a rename, so that no reader sees half of it. */
bool jw_warm_write_progress(struct jw_warm_log *l, const struct jw_prime_progress *now, struct jw_err *err);

/* Removes the progress, drops the lock; accepts NULL. */
void jw_warm_close(struct jw_warm_log *l);

/* ---- another process ---- */

/* The process that works on this cache now. `*busy` false: there is none. */
bool jw_warm_busy(const char *folder, struct jw_arena *a, bool *busy, struct jw_warm_holder *holder,
                  struct jw_err *err);

/* Its progress; lives in `a`. `*found` false: none yet. */
bool jw_warm_read_progress(const char *folder, struct jw_arena *a, struct jw_prime_progress *out, bool *found,
                           struct jw_err *err);

#endif
