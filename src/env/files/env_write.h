/*
 * Small text files of this user that are changed as a whole: dotfiles, files of /etc. A file is old or new at every instant, never
 * half; its mode, owner and the link that leads to it stay. Refused, with a sentence: files of others, files that others may
 * replace, what is no text, what has a second name.
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

/* What would be changed. Absence is fine as long as it can be made. Errors name the file. */
bool jw_env_text_read(const char *path, struct jw_arena *a, struct jw_env_text *out,
                      struct jw_err *err) JW_MUST;
void jw_env_text_free(struct jw_env_text *t); /* accepts a zeroed one */

/* False too when the file is not as it was read: somebody else is at work on it. */
bool jw_env_text_write(const struct jw_env_text *was, struct jw_bytes now, struct jw_err *err) JW_MUST;
bool jw_env_text_remove(const struct jw_env_text *was, struct jw_err *err) JW_MUST;

/* Removes what a killed run of ours has left beside the file; the two above do so, too. True: there was something. */
bool jw_env_text_sweep(const char *real);

/* The folders above `path` that are missing are made; `*made` names them, outermost first, in `a`. */
struct jw_env_folders {
    const char **v;
    size_t n;
};
bool jw_env_folders_missing(const char *path, struct jw_arena *a, struct jw_env_folders *out,
                            struct jw_err *err) JW_MUST;

/* An empty one is removed; one that is not empty, or not there, stays as it is. False: an empty one that cannot be removed. */
bool jw_env_folder_drop(const char *path, struct jw_err *err);

/* A folder for a cache: one that is there is fine when it is a folder, this user's, and nobody else may write to it. `*there` false:
 * there is none. */
bool jw_env_cache_judge(const char *path, struct jw_arena *a, bool *there, struct jw_err *err) JW_MUST;

/* Makes it, for this user alone, and judges what is there then. */
bool jw_env_cache_make(const char *path, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* A folder of this user on a disk of this machine, in which a cache may lie: what the administrator has made for him. NULL: none. */
void jw_env_local_folder(const char *user, struct jw_arena *a, const char **out);

/* A name on this machine's own disk that nobody can guess, for a folder that is not there yet. Linux. */
bool jw_env_local_name(struct jw_arena *a, const char **out, struct jw_err *err) JW_MUST;

#define JW_ENV_LOCAL "/var/tmp/jitwarm-" /* how they begin */

#endif
