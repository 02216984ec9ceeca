/* Lists a folder, in the system's order. A name that is not UTF-8 (Linux) comes as its bytes. */
#pragma once

#include "os/files/folder.h"

struct jw_dir;

struct jw_entry {
    const char *name;       /* borrowed until the next call */
    enum jw_file_kind kind; /* of a link, not of what it leads to */
};

bool jw_dir_open(struct jw_dir **dir, const char *path, struct jw_err *err) JW_MUST;

/* The next name except "." and ".."; `*more` is false at the end. Few are asked for their kind. */
bool jw_dir_next(struct jw_dir *dir, struct jw_entry *entry, bool *more,
                 struct jw_err *err) JW_MUST;

struct jw_file_id jw_dir_id(const struct jw_dir *dir);

/* The data of a regular file of this folder, or of what a link leads to; else an error. */
bool jw_dir_stat(struct jw_dir *dir, const char *name, struct jw_file_info *info,
                 struct jw_err *err) JW_MUST;

/* Opens a file of this folder without resolving the folder's path again. Same rules as
 * jw_file_open. `info` may be NULL. */
bool jw_dir_open_file(struct jw_dir *dir, const char *name, struct jw_file *f,
                      struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* May this user make files in it (JW_FILE_DIR), or run it (JW_FILE_REGULAR), and is it of this
 * kind? By permissions and file system; nothing is made or started. */
bool jw_may_use(const char *path, enum jw_file_kind kind);

void jw_dir_close(struct jw_dir *dir); /* accepts NULL */
