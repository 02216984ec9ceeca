/* What a person asked for in one cache: paths that were named to prime, and recorded commands with
 * the modules that they loaded. It is an intent: nothing in it says that anything is warm. One
 * file, replaced as a whole under the lock of the cache (memory/cache_memory.h). If it is lost or
 * damaged, prime asks for paths again and replaces it. A file that cannot be read, or that another
 * user may have changed, stays. */
#pragma once

#include "base/arena.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "memory/cache_memory.h"

/* Part of the names of the list and of kept files, and the kind of the list. A version with another
 * form has another number, so that two versions in one home leave each other's files alone. */
#define JW_ROOTS_FORM "57"
#define JW_ROOTS_FILE "roots." JW_ROOTS_FORM /* the list's name */

enum jw_root_kind { JW_ROOT_NAMED, JW_ROOT_COMMAND };

/* A module that a command loaded. */
struct jw_root_module {
    const char *file; /* the file that holds it; NULL: none, and its PTX is kept (prime/kept.h) */
    union {
        uint8_t digest[JW_DIGEST]; /* with a file: BLAKE2b-256 of its PTX */
        uint8_t id[JW_DIGEST]; /* kept: struct jw_job.id, since the same PTX with other options is
                                  another module */
    };
};

struct jw_root {
    enum jw_root_kind kind;
    /* NAMED: the absolute path, as it was named; COMMAND: the folder that the words depend on, or
     * NULL */
    const char *path;
    /* COMMAND: the words, as they were typed; a NULL follows the last one */
    const char *const *words;
    size_t n_words;
    const struct jw_root_module *modules;
    size_t n_modules;
    int64_t when; /* when it was named or recorded, in seconds since 1970 */
};

struct jw_roots {
    struct jw_root *v; /* the latest root last */
    size_t n;
    const char *here; /* where commands are typed: the working folder; NULL: it is not known */
    /* why the file could not be read, a sentence with the path; NULL: it was, or it is missing */
    const char *damaged;
    /* there is no file, as nothing was ever named; an empty list is one of which all was
     * forgotten */
    bool none;
    bool closed; /* the file stays: it cannot be read, or cannot be trusted */
};

/* Reads the roots of this cache into `a`. Each cache has its own. */
void jw_roots_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_roots *out);
/* Saves the list. False also if there are more roots than it holds. */
bool jw_roots_save(const struct jw_cache_memory *f, const struct jw_roots *r,
                   struct jw_err *err) JW_MUST;

/* Adds a path, and borrows its text. False: the path is there already, and keeps its time. */
bool jw_roots_name(struct jw_roots *r, const char *path, int64_t when, struct jw_arena *a);
/* Adds a command that was typed here. Its folder is set if a word depends on it, as the path of a
 * program or file below does. */
void jw_roots_record(struct jw_roots *r, const struct jw_root *command, struct jw_arena *a);
/* Gives the form of a path as a root: jw_named_path. A path with control characters is refused. */
bool jw_root_path(const char *path, struct jw_arena *a, const char **out,
                  struct jw_err *err) JW_MUST;
/* Forgets the named path of `what`, or the command that its words are here. False: there is
 * none. */
bool jw_roots_forget(struct jw_roots *r, const struct jw_root *what);
/* Is `e` of these roots what jw_roots_forget forgets? */
bool jw_root_is(const struct jw_roots *r, const struct jw_root *e, const struct jw_root *what);
/* Is it the command with these words here? Two folders may have a ./app or a serve.py each. A NULL
 * follows the words. */
bool jw_root_is_command(const struct jw_roots *r, const struct jw_root *e,
                        const char *const *words);
