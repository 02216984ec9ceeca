/*
 * A folder that is held open, and what lies in it, by one name at a time: no link is followed, nothing but folders
 * and regular files is opened, and what has a name keeps it unless it is said otherwise. Linux: by descriptor, so
 * that no other folder can take its place meanwhile. Windows: by path; the open handle keeps the folder where it is,
 * reparse points are refused, and what another program has open is tried again for 200 ms.
 *
 * Errors do not name the file. JW_E_FORMAT: something of another kind has the name ("is a link").
 */
#ifndef OS_FILES_TREE_H
#define OS_FILES_TREE_H

#include "os/files/file.h"

struct jw_tree {
    intptr_t handle;
    char *path; /* Windows; else NULL */
};

#define JW_TREE_CLOSED ((struct jw_tree){ -1, NULL })

/* Here links are followed: it is the user who says which folder. */
bool jw_tree_open(struct jw_tree *t, const char *path, struct jw_err *err) JW_MUST;

/* A folder in it, made (mode 0700) when it is missing and `make`. Else absence is an answer: `*found` false, and
 * true. */
bool jw_tree_enter(const struct jw_tree *t, const char *name, bool make, struct jw_tree *sub, bool *found,
                   struct jw_err *err) JW_MUST;

/* What was given and taken of names in it outlives a power cut. */
bool jw_tree_sync(const struct jw_tree *t, struct jw_err *err) JW_MUST;
void jw_tree_close(struct jw_tree *t); /* accepts a closed one */

/* Absence is kind JW_FILE_NONE, a link JW_FILE_OTHER. */
bool jw_tree_stat(const struct jw_tree *t, const char *name, struct jw_file_info *info,
                  struct jw_err *err) JW_MUST;

enum jw_tree_use {
    JW_TREE_READ,
    JW_TREE_CHANGE, /* read and write in place */
    JW_TREE_MAKE    /* the same; an empty one (mode 0666 & ~umask) when it is missing */
};

/* `*found` false, and true: there is none. */
bool jw_tree_open_file(const struct jw_tree *t, const char *name, enum jw_tree_use use, struct jw_file *f,
                       bool *found, struct jw_err *err) JW_MUST;

enum jw_moved {
    JW_MOVED,
    JW_MOVE_TAKEN,    /* the new name has a file, which stays */
    JW_MOVE_ELSEWHERE /* another file system */
};

/* A file of `from` gets a name in `to`. */
bool jw_tree_move(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_moved *how, struct jw_err *err) JW_MUST;

enum jw_swapped {
    JW_SWAPPED,     /* what was there is now where the new one was */
    JW_SWAP_LOST,   /* the system cannot do that: what was there is gone */
    JW_SWAP_NOTHING /* there was nothing, and nothing is done */
};

/* The same over a file that is there. At no instant the name is without one. */
bool jw_tree_swap(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, enum jw_swapped *how, struct jw_err *err) JW_MUST;

/* A regular file gets mode 0600, and its bytes outlive a power cut. Windows: its rights stay those of its folder. */
bool jw_tree_settle(const struct jw_tree *t, const char *name, struct jw_err *err) JW_MUST;

bool jw_tree_remove(const struct jw_tree *t, const char *name,
                    struct jw_err *err) JW_MUST; /* absence is fine */

#endif
