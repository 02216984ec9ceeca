/*
 * What a person asked for in one cache: paths that were named to prime, and recorded commands with the modules that they loaded. It is an
 * intent: nothing in it says that anything is warm. One file, replaced as a whole under the lock of the cache (memory/cache_memory.h). If
 * it is lost or damaged, prime asks for paths again and replaces it. A file that cannot be read, or that another user may have changed,
 * stays.
 */
#ifndef MEMORY_ROOTS_H
#define MEMORY_ROOTS_H

#include "base/arena.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "memory/cache_memory.h"

/* Part of the names of the list and of kept files, and the kind of the list. A version with another form has another number, so that two
 * versions in one home leave each other's files alone. */
#define JW_ROOTS_FORM "57"
#define JW_ROOTS_FILE "roots." JW_ROOTS_FORM /* the list's name */

enum jw_root_kind { JW_ROOT_NAMED, JW_ROOT_COMMAND };

/* A module that a command loaded. */
struct jw_root_module {
    const char *file; /* the file that holds it; NULL: none, and its PTX is kept (prime/kept.h) */
    union {
        uint8_t digest[JW_DIGEST]; /* with a file: BLAKE2b-256 of its PTX */
        uint8_t id
            [JW_DIGEST]; /* kept: struct jw_job.id, since the same PTX with other options is another module */
    };
};

struct jw_root {
    enum jw_root_kind kind;
    const char *path;         /* NAMED: the absolute path, as it was named */
    const char *const *words; /* COMMAND: the words; a NULL follows the last one */
    size_t n_words;
    const struct jw_root_module *modules;
    size_t n_modules;
    int64_t when; /* when it was named or recorded, in seconds since 1970 */
};

struct jw_roots {
    struct jw_root *v; /* the latest root last */
    size_t n;
    /* why the file could not be read, a sentence with the path; NULL: it was, or it is missing */
    const char *damaged;
    /* there is no file: nothing was ever named; of an empty list all was forgotten */
    bool none;
    bool closed; /* the file stays: it cannot be read, or cannot be trusted */
};

/* Reads the roots of this cache into `a`. Each cache has its own. */
void jw_roots_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_roots *out);
bool jw_roots_save(const struct jw_cache_memory *f, const struct jw_roots *r, struct jw_err *err) JW_MUST;

/* Adds a path, and borrows its text. False: the path is there already, and keeps its time. */
bool jw_roots_name(struct jw_roots *r, const char *path, int64_t when, struct jw_arena *a);
void jw_roots_record(struct jw_roots *r, const struct jw_root *command, struct jw_arena *a);
/* The form of a path as a root: absolute, with the links by which it was named, as these may lead elsewhere later. A path with "." or ".."
 * is resolved, so that one folder is one root. */
bool jw_root_path(const char *path, struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;
/* The words of a command as a root: a program that was named by a path, and each word that is a file or folder, gets its absolute path,
 * since two folders may have a ./app or a serve.py each. */
struct jw_texts jw_root_words(struct jw_texts words, struct jw_arena *a);
/* Forgets the root of the kind of `what` with its path or words. False: there is none. */
bool jw_roots_forget(struct jw_roots *r, const struct jw_root *what);
/* Is it the command with these words (jw_root_words)? A NULL follows them. */
bool jw_root_is_command(const struct jw_root *e, const char *const *words);

#endif
