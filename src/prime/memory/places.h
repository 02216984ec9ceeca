/*
 * The folders in which a recorded command may find other modules: those that its words name, and those in which a file
 * lies that they name. The list of their CUDA files and the one of their program files (prime/memory/programs.h) are
 * parts of its record, and so are the files with CUDA code that it loaded from anywhere. Results, logs and data are
 * not.
 */
#ifndef PRIME_MEMORY_PLACES_H
#define PRIME_MEMORY_PLACES_H

#include "base/arena.h"
#include "cache/format/warmlog.h"
#include "cache/memory/digests.h"

#include <stdbool.h>
#include <stddef.h>

enum { PRIME_MAX_PLACES = 32 };

struct prime_place {
    const char *path;
    bool programs;               /* its program files; else its CUDA files */
    unsigned depth;              /* levels of folders that belong to it */
    struct jw_warm_answer *seen; /* its files before the command started */
    size_t n;
};

struct prime_places {
    struct prime_place list[2 * PRIME_MAX_PLACES];
    size_t n;
    bool more; /* the words name more folders, or files, than are looked at */
};

/* Adds the folder that a word names, or with `beside` the folder of a file that it names. Folders in which unrelated
 * programs and files lie ($HOME, /, /tmp, /usr/bin, the bin of an environment) are not added. */
void prime_place_add(struct prime_places *places, const char *path, bool beside, struct jw_arena *a);

/* Lists what they hold. */
void prime_places_see(struct prime_places *places, struct jw_arena *a);

/* The source of the digests of a record's files (prime_file_record). */
struct prime_digesting {
    struct jw_digests *known;
    uint64_t room;
    struct jw_arena *a;
};

/* Makes what is recorded of the places when the command has run, or while it goes on. A place in which the command made
 * or changed such files itself, or that has too many files, is recorded as not watched. */
void prime_places_record(const struct prime_places *places, struct prime_digesting *d,
                         struct jw_warm_answer **out, size_t *n_out);

/* Makes what is recorded of files that a start had mapped, wherever they lie: those that hold CUDA code. */
void prime_loaded_record(const char *const *files, size_t n, struct prime_digesting *d,
                         struct jw_warm_answer **out, size_t *n_out);

/* The answer of a record that says of what no change is seen, and why. */
struct jw_warm_answer prime_not_watched(const char *what, const char *why, struct jw_arena *a);

/* Is this answer of a record one about these folders? */
bool prime_is_of_place(const struct jw_warm_answer *answer);

/* Returns the first file that is not as it was recorded, came or went, or a folder that cannot be compared; NULL: none. */
const char *prime_place_change(const struct jw_warm_loads *then, struct jw_digests *d, struct jw_arena *a);

/* The path of a file or folder that this answer is about; NULL: it is about something else. */
const char *prime_place_path(const struct jw_warm_answer *answer);

/* Was this path (from prime_place_change) there when the command was recorded? */
bool prime_place_knew(const struct jw_warm_loads *then, const char *path);

/* Did the command load this file? */
bool prime_was_loaded(const struct jw_warm_loads *then, const char *path);

/* Returns the first folder that held CUDA or program files, and is not there any more; NULL: none. */
const char *prime_place_gone(const struct jw_warm_loads *then);

/* Returns the first folder that is not watched, and why: a sentence; NULL: all of them are. */
const char *prime_place_unwatched(const struct jw_warm_loads *then, struct jw_arena *a);

#endif
