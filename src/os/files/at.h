/* What each system does with a name: one below an open folder, or a path (folder NULL). Only these
 * functions open, make, move and remove; the portable files of this room say what for. They count
 * no faults. Other rooms must not include it. */
#pragma once

#include "os/files/dir.h"

/* `err` is set for all but JW_AT_DONE; TAKEN: the name is. */
enum jw_at { JW_AT_FAILED, JW_AT_DONE, JW_AT_ABSENT, JW_AT_TAKEN };

enum { /* how a name is opened; any of these together */
       JW_AT_WRITE = 1,
       JW_AT_MAKE = 2,    /* a missing file */
       JW_AT_NEW = 4,     /* only a missing one: else JW_AT_TAKEN */
       JW_AT_PRIVATE = 8, /* for this user alone */
       JW_AT_FOLDER = 16,
       JW_AT_STRICT = 32, /* follows no link; Windows waits for a program that has it open */
       JW_AT_SPARSE = 64  /* to be read here and there, without readahead */
};

/* Never blocks; another kind of file than asked for is refused. `info` may be NULL. */
enum jw_at jw_at_open(const struct jw_folder *t, const char *name, unsigned how, intptr_t *handle,
                      struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* Opens a folder; `how`: 0, or JW_AT_STRICT. A closed one is left unless it is JW_AT_DONE. */
enum jw_at jw_at_enter(const struct jw_folder *t, const char *name, unsigned how,
                       struct jw_folder *sub, struct jw_file_info *info,
                       struct jw_err *err) JW_MUST;

/* A missing name has the kind JW_FILE_NONE. `how`: 0, or JW_AT_STRICT. */
bool jw_at_stat(const struct jw_folder *t, const char *name, unsigned how,
                struct jw_file_info *info, struct jw_err *err) JW_MUST;

/* Below an open folder, Windows gives a private folder the rights of that one. */
enum jw_at jw_at_mkdir(const struct jw_folder *t, const char *name, bool private,
                       struct jw_err *err) JW_MUST;
enum jw_at jw_at_rename(const struct jw_folder *from, const char *name, const struct jw_folder *to,
                        const char *new_name, bool replace, struct jw_err *err) JW_MUST;
enum jw_at jw_at_remove(const struct jw_folder *t, const char *name, bool folder,
                        struct jw_err *err) JW_MUST;

/* May this user add to the folder, or run the file? */
bool jw_at_may(const char *path, bool folder);

/* Around the owner, which is the name of a temporary file. */
#define JW_TEMP_BEGIN ".jw"
#define JW_TEMP_END ".tmp"

struct jw_dir {
    struct jw_folder folder;
    struct jw_file_id id;
    struct jw_listing_of_system *list;
};

/* Takes `dir->folder` over. */
bool jw_at_list(struct jw_dir *dir, struct jw_err *err) JW_MUST;
bool jw_at_next(struct jw_dir *dir, struct jw_entry *entry, bool *more, struct jw_err *err) JW_MUST;
void jw_at_end(struct jw_dir *dir);

/* The names in an open folder. */
bool jw_at_sync(const struct jw_folder *t, struct jw_err *err) JW_MUST;
/* `how`: of enum jw_filelock_how. */
bool jw_at_lock(intptr_t handle, unsigned how, bool *taken, struct jw_err *err) JW_MUST;

/* `n` times `each` nanoseconds since 1970: of a file that says it is of another century, no more
 * than can be subtracted from. */
static inline int64_t jw_at_ns(int64_t n, int64_t each)
{
    const int64_t most = INT64_MAX / 2 / each;

    if (n < -most)
        return -most * each;
    return (n < most ? n : most) * each;
}

/* Refuses what is not of the kind that `how` asks for: JW_E_FORMAT if links are not followed. */
bool jw_at_check_kind(const struct jw_file_info *info, unsigned how, struct jw_err *err) JW_MUST;
