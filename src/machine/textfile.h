/*
 * Small text files of this user, replaced as a whole: profiles of shells, units of systemd. A file is always old or
 * new, never half-written, and keeps its mode and its group. Refuses links, hard links, files with an access list,
 * files and folders that another user can change, and files that are not text. Linux.
 */
#ifndef MACHINE_TEXTFILE_H
#define MACHINE_TEXTFILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "jitwarm/err.h"
#include "os/files/file.h"

#include <stdbool.h>

struct jw_textfile {
    const char *path;
    bool exists;
    struct jw_buf text; /* to be freed */
    struct jw_file_info info;
    unsigned mode;
    unsigned long group;
    bool for_all; /* set by the caller: a new file is everybody's to read, whatever the umask is */
};

/* Reads a file that is to be changed; it may be missing. Errors name the file. */
bool jw_textfile_read(const char *path, struct jw_arena *a, struct jw_textfile *out,
                      struct jw_err *err) JW_MUST;
void jw_textfile_free(struct jw_textfile *t); /* accepts a zeroed one */

/* Makes the folders above it. Fails if the file changed since it was read. Temporary files that a killed run left beside
 * it are removed (jw_out_sweep_of). */
bool jw_textfile_write(const struct jw_textfile *was, struct jw_bytes now, struct jw_err *err) JW_MUST;
bool jw_textfile_remove(const struct jw_textfile *was, struct jw_err *err) JW_MUST;

/* With its parents. `for_all`: everybody may read new ones, whatever the umask is. */
bool jw_textfile_make_folder(const char *path, bool for_all, struct jw_err *err) JW_MUST;

#endif
