/* An open folder and the files directly in it. Links are never followed, only folders and regular
 * files are opened, and no existing file is replaced unless the function says so.
 *
 * Linux works by descriptor, so that nobody can swap the folder meanwhile. Windows works by path:
 * the open handle pins the folder, reparse points are refused, and a file that another program has
 * open is retried for 200 ms.
 *
 * Errors do not name the file. JW_E_FORMAT: the name is of another kind ("is a link"). */
#pragma once

#include "os/files/file.h"

#include <wchar.h>

struct jw_folder {
    intptr_t handle;
    wchar_t *path; /* Windows; else NULL */
};

#define JW_FOLDER_CLOSED ((struct jw_folder){-1, NULL})

/* Follows links, because the user names this folder. */
bool jw_folder_open(struct jw_folder *t, const char *path, struct jw_err *err) JW_MUST;

/* Opens a subfolder; `make` creates a missing one, mode 0700. Else `*found` is false for it. */
bool jw_folder_enter(const struct jw_folder *t, const char *name, bool make, struct jw_folder *sub,
                     bool *found, struct jw_err *err) JW_MUST;

/* After it, created, renamed and removed names survive a power cut. */
bool jw_folder_sync(const struct jw_folder *t, struct jw_err *err) JW_MUST;
/* All files of its file system, as one barrier for many of them. `*done` false: there is none that
 * is known to wait and to report each failure, so each file must be synced. Reports failures since
 * `t` was opened. */
bool jw_folder_sync_files(const struct jw_folder *t, bool *done, struct jw_err *err) JW_MUST;
void jw_folder_close(struct jw_folder *t); /* accepts a closed one */

/* A missing name has the kind JW_FILE_NONE, a link JW_FILE_LINK. */
bool jw_folder_stat(const struct jw_folder *t, const char *name, struct jw_file_info *info,
                    struct jw_err *err) JW_MUST;

enum jw_folder_use {
    JW_FOLDER_READ,
    JW_FOLDER_CHANGE, /* read and write in place */
    JW_FOLDER_MAKE,   /* the same; creates a missing file, mode 0666 & ~umask */
    JW_FOLDER_USES
};

/* A missing file: true, and `*found` is false. */
bool jw_folder_open_file(const struct jw_folder *t, const char *name, enum jw_folder_use use,
                         struct jw_file *f, bool *found, struct jw_err *err) JW_MUST;

/* Moves a file of `from` to `to`, under a new name, where it `replaces` what is there. `*moved`
 * false: the name is taken; nothing is done. A name that has a file has one at every instant. */
bool jw_folder_move(const struct jw_folder *from, const char *name, const struct jw_folder *to,
                    const char *new_name, bool replaces, bool *moved, struct jw_err *err) JW_MUST;

/* True if the file does not exist. */
bool jw_folder_remove(const struct jw_folder *t, const char *name, struct jw_err *err) JW_MUST;
