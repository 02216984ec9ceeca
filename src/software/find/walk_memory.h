/*
 * The result of the last walk below a folder: the next one asks for the time of each folder instead of reading it. A
 * text file. A damaged one, one of another version, and one that other users can change are ignored.
 *
 *   jitwarm-walk 3 SECONDS        when running programs were looked at last
 *   r PATH                        a library that one of them had loaded
 *   KIND MTIME VOLUME NODE N NAME a folder, in the order of the walk: the N children of each follow those of the one before
 */
#ifndef SOFTWARE_FIND_WALK_MEMORY_H
#define SOFTWARE_FIND_WALK_MEMORY_H

#include "machine/listing.h"
#include "os/files/file.h"

enum {
    WALK_FOLDER = 'd',
    WALK_ENVIRONMENT = 'e',
    WALK_LOOSE = 'l', /* CUDA libraries or Python packages without an environment */
    WALK_NODE = 'n',
    WALK_PACKAGE = 'p',
    WALK_RUNNING = 'r'
};

struct walked {
    char kind;
    int64_t mtime; /* 0: must be read again */
    struct jw_file_id id;
    size_t children, first;
    const char *name; /* relative to its parent; the first one has its whole path */
};

struct walk_memory {
    struct walked *v;
    size_t n;
    int64_t looked; /* seconds since 1970; 0: never */
    struct jw_listing running;
};

/* Loads the walk that began at `top`; empty if there is none. False: a limit was exceeded. */
bool walk_memory_load(const char *folder, const char *top, struct jw_arena *a, struct walk_memory *out,
                      struct jw_err *err) JW_MUST;
bool walk_memory_save(const char *folder, const struct walk_memory *m, struct jw_arena *a) JW_MUST;

#endif
