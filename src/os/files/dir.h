/*
 * One folder, listed in the system's order. Names are UTF-8; a name that is not valid UTF-8 (Linux) is given
 * as its bytes.
 */
#ifndef OS_FILES_DIR_H
#define OS_FILES_DIR_H

#include "os/files/tree.h"

struct jw_dir;

enum jw_entry_type { JW_ENTRY_FILE, JW_ENTRY_DIR, JW_ENTRY_LINK, JW_ENTRY_OTHER };

struct jw_entry {
    const char *name; /* borrowed until the next call */
    enum jw_entry_type type;
};

bool jw_dir_open(struct jw_dir **dir, const char *path, struct jw_err *err) JW_MUST;
/* The folder that is held, whatever has its path now. */
bool jw_dir_open_held(struct jw_dir **dir, const struct jw_tree *held, struct jw_err *err) JW_MUST;

/* The next name but "." and ".."; `*more` false at the end. Stats nothing whose type the listing tells. */
bool jw_dir_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err) JW_MUST;

struct jw_file_id jw_dir_id(const struct jw_dir *dir);

/* Opens a name of this folder without walking its path again. Same rules as jw_file_open. */
bool jw_dir_open_file(struct jw_dir *dir, const char *name, struct jw_file *f, struct jw_err *err) JW_MUST;

/* The facts and the first bytes (`*got` of `n`) of a name of this folder, for listings of thousands: nothing stays open. Follows
 * no link. */
bool jw_dir_peek(struct jw_dir *dir, const char *name, void *head, size_t n, size_t *got,
                 struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* May this user make files in the folder? Asked of its rights and of the file system; nothing is made. What is no folder, or
 * is not there, is false. */
bool jw_dir_may_add(const char *path, bool *may, struct jw_err *err) JW_MUST;

void jw_dir_close(struct jw_dir *dir); /* accepts NULL */

#endif
