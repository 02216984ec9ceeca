/*
 * Lists the questions that this machine was asked, and what it answered: variables, GPUs, the loader's search for
 * libcuda, files and folders. The trace of a verified prime is in its receipt. It is replayed fact by fact, and holds
 * while each is as it was.
 */
#ifndef CACHE_MEMORY_TRACE_H
#define CACHE_MEMORY_TRACE_H

#include "base/arena.h"
#include "base/buf.h"
#include "cache/format/warmlog.h"
#include "cache/memory/digests.h"
#include "jitwarm/err.h"
#include "machine/gpus.h"
#include "machine/listing.h"
#include "os/files/file.h"

/* More folders than these are not compared; then there is no receipt. */
enum {
    JW_TRACE_FOLDERS = 1 << 14,
    JW_TRACE_LOOKS = 1 << 12,
    JW_TRACE_STEP_MS = 10 /* of the clock of files, at most, where they have nanoseconds */
};

/* At its place by the key, which a later one may take. */
struct jw_trace_look {
    uint64_t key, state;
};

struct jw_trace { /* lives in `a` */
    struct jw_arena *a;
    struct jw_warm_answer *answers;
    size_t n_answers;
    struct jw_warm_file *files; /* with whole paths, until jw_trace_finish */
    size_t n_files, n_folders;
    /* when the files were looked at, nanoseconds since 1970; 0: not known. A file whose time is within one step
     * of its file system's clock before that may have changed since, and counts as changed */
    int64_t looked;
    struct jw_digests *digests;   /* of files that were read to compare them; NULL: they are not remembered */
    struct jw_listings *listings; /* of folders of packages */
    struct jw_bytes loader_cache; /* read once for all searches of this machine; n 0: not yet */
    const char **libraries;       /* the result of jw_trace_libraries, which copies of the trace share */
    /* JW_TRACE_LOOKS of files that the records of many commands have, each looked at once; shared, too */
    struct jw_trace_look *looks;

    /* the system says which GPUs are here; else only the driver does (WSL, some containers) */
    bool gpus_seen;
};

/* Asks the questions that are the same for each answer: jitwarm's version, the variables that change what a driver
 * does, kernel driver and GPUs, and where the loader would find libcuda. */
bool jw_trace_machine(const char *sysroot, const struct jw_host_gpus *gpus, struct jw_arena *a,
                      struct jw_trace *out, struct jw_err *err) JW_MUST;

/* Traces the places where a program that is started here would look for this library, in that order, with those where
 * it is absent. Linux only. `list`: its LD_LIBRARY_PATH, or NULL. */
bool jw_trace_loader(struct jw_trace *t, const char *library, const char *list, struct jw_err *err) JW_MUST;

/* Returns the folders of this LD_LIBRARY_PATH (or NULL) in which the loader may find a library, or with `of_driver`
 * one of the driver's; each once, in their order; "": none. A folder that is not absolute, or that it cannot look
 * into, is always among them. */
const char *jw_trace_folders(const char *list, bool of_driver, struct jw_arena *a);

/* Returns those of this environment that may hold any library; `machine` is of jw_trace_machine or a copy of it. They are
 * looked at once. */
const char *jw_trace_libraries(const struct jw_trace *machine);

/* Makes a copy to which further facts are added. The texts are those of `t`. */
bool jw_trace_copy(const struct jw_trace *t, struct jw_arena *a, struct jw_trace *out,
                   struct jw_err *err) JW_MUST;

/* Tells whether there is a library that the loader would take for the driver, by the names of files alone. True where
 * that is unknown. */
bool jw_trace_has_driver(const struct jw_trace *machine);

/* Adds an answer. Both texts are borrowed. */
bool jw_trace_answer(struct jw_trace *t, const char *question, const char *answer,
                     struct jw_err *err) JW_MUST;

/* Some of the questions. The driver is asked about the GPUs only where the system does not show them. */
/* a variable that is set: its name follows */
#define JW_TRACE_GPUS "GPUs"
#define JW_TRACE_SETTING "setting "
#define JW_TRACE_DRIVERS_GPUS "GPUs, by the driver"

/* Returns the answer of a receipt; NULL: it has none. */
const char *jw_trace_answered(const struct jw_warm_receipt *r, const char *question);

/* Is this question the one of a variable? */
bool jw_trace_is_setting(const char *question);

/* Adds a file, a folder or an absent path as it was when it was looked at; `names`: jw_names_add. The path is borrowed. */
bool jw_trace_seen(struct jw_trace *t, const char *path, const struct jw_file_info *info, uint64_t names,
                   struct jw_err *err) JW_MUST;
bool jw_trace_path(struct jw_trace *t, const char *path, struct jw_err *err) JW_MUST; /* as it is now */

/* Sorts the files, drops those that are there twice, and shortens paths as receipts have them. */
void jw_trace_finish(struct jw_trace *t);

enum jw_trace_state {
    JW_TRACE_HOLDS,
    JW_TRACE_CHANGED,
    JW_TRACE_ASK_DRIVER /* all else holds; `now` has no answer to JW_TRACE_DRIVERS_GPUS yet */
};

/* Replays the trace of `r` on the machine of `now`. `*what`: the first fact that changed, for people, in the arena of
 * `now`. */
enum jw_trace_state jw_trace_replay(const struct jw_warm_receipt *r, const struct jw_trace *now,
                                    const char **what);

/* Returns in words what has changed (`what` of jw_trace_replay): a path, "CUDA_CACHE_MAXSIZE", "the GPUs". */
const char *jw_trace_words(const char *what);

/* Returns the whole path of a file of a receipt. Files are asked in their order; `*folder` begins as ""; the result
 * lives until the next call. */
const char *jw_trace_whole_path(const struct jw_warm_file *f, const char **folder, struct jw_buf *room);
#endif
