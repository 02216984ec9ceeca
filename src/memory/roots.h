/*
 * What a person asked for, of one cache: paths that were named to prime, and recorded commands with the modules that they loaded.
 * It is intent, no conclusion: nothing in it says that anything is warm. One file, replaced as a whole, under the lock of the cache
 * (memory/cache_folder.h). Lost or damaged: prime asks again for paths, and replaces it. One that cannot be read, or that another user may
 * have changed, stays.
 */
#ifndef MEMORY_ROOTS_H
#define MEMORY_ROOTS_H

#include "base/arena.h"
#include "base/digest.h"
#include "jitwarm/err.h"
#include "jitwarm/run.h"
#include "memory/cache_folder.h"

/* In the names of the list and of what is kept for it, and the list's kind: a jitwarm that writes another form has another number, so two
 * versions in one home leave each other's alone. */
#define JW_ROOTS_FORM "57"

enum jw_root_kind { JW_ROOT_NAMED, JW_ROOT_COMMAND };

/* A module that a command loaded. */
struct jw_root_module {
    /* BLAKE2b-256 of its PTX; without a file struct jw_job.id, for one PTX with other options is another module */
    uint8_t text[JW_DIGEST];
    const char *file; /* that holds it; NULL: none does, and its PTX is kept (prime/kept.h) */
};

struct jw_root {
    enum jw_root_kind kind;
    const char *path;         /* NAMED: absolute, as it was named */
    const char *const *words; /* COMMAND: NULL-terminated */
    size_t n_words;           /* jw_roots_record counts them */
    const struct jw_root_module *modules;
    size_t n_modules;
    int64_t when; /* named or recorded: seconds since 1970 */
};

struct jw_roots {
    struct jw_root *v; /* the latest last */
    size_t n;
    /* why nothing could be read: a sentence with the path; NULL: it was, or there is none */
    const char *damaged;
    bool closed; /* it stays: the system or its rights are why */
};

/* Everything lives in `a`. A missing file is empty. */
void jw_roots_load(const struct jw_cache_folder *f, struct jw_arena *a, struct jw_roots *out);
bool jw_roots_save(const struct jw_cache_folder *f, const struct jw_roots *r, struct jw_err *err) JW_MUST;

/* Adds it; the text is borrowed. False: it is there, and keeps its time. */
bool jw_roots_name(struct jw_roots *r, const char *path, int64_t when, struct jw_arena *a);
void jw_roots_record(struct jw_roots *r, const struct jw_root *command, struct jw_arena *a);
/* A path as a root has it: absolute, and with the links that it was named by, which may lead elsewhere later; the real one of a path with
 * "." or "..", so that one folder is one root. */
bool jw_root_path(const char *path, struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;
/* Words as a recorded command has them: a program that was named by its path is named by the absolute one, for two folders may have a
 * ./app each. */
struct jw_texts jw_root_words(struct jw_texts words, struct jw_arena *a);
/* Forgets the root with this path, or the command with this line. False: there is none. */
bool jw_roots_forget(struct jw_roots *r, const char *what, struct jw_arena *a);
/* The command with these words (jw_root_words), or NULL. */
const struct jw_root *jw_roots_command(const struct jw_roots *r, const char *const *words);
/* Its words as one line for a shell. */
const char *jw_root_line(const struct jw_root *e, struct jw_arena *a);

#endif
