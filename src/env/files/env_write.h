/*
 * Replaces small text files as a whole: dotfiles, files of /etc. A file is always old or new, never half-written; it
 * keeps its mode, its owner and the link to it. Refuses files of other users, files that others may replace, files that
 * are not text, and hard links.
 */
#ifndef ENV_FILES_ENV_WRITE_H
#define ENV_FILES_ENV_WRITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/files/file.h"

#include <stdbool.h>

struct jw_env_text {
    const char *path; /* as asked */
    const char *real; /* where links lead */
    bool exists;
    struct jw_buf text; /* to be freed */
    struct jw_file_info info;
    unsigned mode;       /* Linux */
    unsigned long group; /* Linux */
};

/* Reads a file that is to be changed; it may be missing. Errors name the file. */
bool jw_env_text_read(const char *path, struct jw_arena *a, struct jw_env_text *out,
                      struct jw_err *err) JW_MUST;
void jw_env_text_free(struct jw_env_text *t); /* accepts a zeroed one */

/* Fails if the file changed since it was read. */
bool jw_env_text_write(const struct jw_env_text *was, struct jw_bytes now, struct jw_err *err) JW_MUST;
bool jw_env_text_remove(const struct jw_env_text *was, struct jw_err *err) JW_MUST;

/* Removes temporary files that a killed run left; the two above do so, too. True: there were some. */
bool jw_env_text_sweep(const char *real);

/* Missing folders above `path`, outermost first. */
struct jw_env_folders {
    const char **v;
    size_t n;
};
bool jw_env_folders_missing(const char *path, struct jw_arena *a, struct jw_env_folders *out,
                            struct jw_err *err) JW_MUST;

/* Removes an empty folder. False: it is empty, but cannot be removed. */
bool jw_env_folder_drop(const char *path, struct jw_err *err);

/* Checks that an existing `path` is a folder that this user owns and only this user may write to. */
bool jw_env_cache_judge(const char *path, struct jw_arena *a, bool *there, struct jw_err *err) JW_MUST;

/* Creates it, private to this user, and checks it. */
bool jw_env_cache_make(const char *path, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* This user's folder on a local disk, as administrators of clusters create it; or NULL. */
void jw_env_local_folder(const char *user, struct jw_arena *a, const char **out);

/* An unguessable name for a new folder on a local disk. Linux. */
bool jw_env_local_name(struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;

#define JW_ENV_LOCAL "/var/tmp/jitwarm-" /* how they begin */

#endif
