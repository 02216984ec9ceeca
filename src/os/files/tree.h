/*
 * An open folder and the files directly in it. Links are never followed, only folders and regular files are opened, and
 * no existing file is replaced unless the function says so.
 *
 * Linux works by descriptor, so that nobody can swap the folder meanwhile. Windows works by path: the open handle pins
 * the folder, reparse points are refused, and a file that another program has open is retried for 200 ms.
 *
 * Errors do not name the file. JW_E_FORMAT: the name is of another kind ("is a link").
 */
#ifndef OS_FILES_TREE_H
#define OS_FILES_TREE_H

#include "os/files/file.h"

#include <wchar.h>

struct jw_tree {
    intptr_t handle;
    wchar_t *path; /* Windows; else NULL */
};

#define JW_TREE_CLOSED ((struct jw_tree){ -1, NULL })

/* Follows links, because the user names this folder. */
bool jw_tree_open(struct jw_tree *t, const char *path, struct jw_err *err) JW_MUST;

/* Opens a subfolder; `make` creates a missing one, mode 0700. Missing otherwise: true, and `*found` is false. */
bool jw_tree_enter(const struct jw_tree *t, const char *name, bool make, struct jw_tree *sub, bool *found,
                   struct jw_err *err) JW_MUST;

/* After it, created, renamed and removed names survive a power cut. */
bool jw_tree_sync(const struct jw_tree *t, struct jw_err *err) JW_MUST;
/* All files of its file system, as one barrier for many of them. `*done` false: there is none that
 * is known to wait and to report each failure, so each file must be synced. Reports failures since `t` was opened. */
bool jw_tree_sync_files(const struct jw_tree *t, bool *done, struct jw_err *err) JW_MUST;
void jw_tree_close(struct jw_tree *t); /* accepts a closed one */

/* A missing name has the kind JW_FILE_NONE, a link JW_FILE_LINK. */
bool jw_tree_stat(const struct jw_tree *t, const char *name, struct jw_file_info *info,
                  struct jw_err *err) JW_MUST;

enum jw_tree_use {
    JW_TREE_READ,
    JW_TREE_CHANGE, /* read and write in place */
    JW_TREE_MAKE    /* the same; creates a missing file, mode 0666 & ~umask */
};

/* A missing file: true, and `*found` is false. */
bool jw_tree_open_file(const struct jw_tree *t, const char *name, enum jw_tree_use use, struct jw_file *f,
                       bool *found, struct jw_err *err) JW_MUST;

/* Moves a file of `from` to `to`, under a new name, where it `replaces` what is there. `*moved` false: the name is taken; nothing is done.
 * A name that has a file has one at every instant. */
bool jw_tree_move(const struct jw_tree *from, const char *name, const struct jw_tree *to,
                  const char *new_name, bool replaces, bool *moved, struct jw_err *err) JW_MUST;

/* True if the file does not exist. */
bool jw_tree_remove(const struct jw_tree *t, const char *name, struct jw_err *err) JW_MUST;

#endif
