/* The users who can change a file or folder: asked of files with GPU code, keys, settings, and
 * everything that jitwarm remembers. */
#pragma once

#include "base/arena.h"
#include "base/fields.h"
#include "jitwarm/err.h"
#include "os/files/folder.h"

struct jw_trust {
    bool exists;
    bool sticky; /* a folder like /tmp, where users cannot move or remove files of other users */
    const char *owner; /* NULL: this user; else "user 1000" */
    unsigned long uid; /* the owner's; POSIX */
    /* other users who can change it: "everybody", "its group", "GPUBOX\\bob"; NULL: none */
    const char *writers;
};

/* Windows: a folder without permissions, or whose are not readable, counts as private. */
bool jw_trust_read(const char *path, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err) JW_MUST;

/* Checks a folder or file (`noun`) with what jitwarm itself remembers. False: another user could
 * have written it, as the error says. True if it does not exist. */
bool jw_trust_check_own(const char *path, const char *noun, struct jw_arena *a,
                        struct jw_err *err) JW_MUST;
/* Reads a file of jitwarm's memory, at most `max` bytes, into `a`. `*found` false: there is none,
 * or jw_trust_check_own fails. */
bool jw_trust_slurp(const char *path, size_t max, struct jw_arena *a, struct jw_bytes *out,
                    bool *found, struct jw_err *err) JW_MUST;
/* Replaces a file of jitwarm's memory: for this user alone, whatever the umask is. */
bool jw_trust_put(const char *path, struct jw_bytes bytes, struct jw_err *err) JW_MUST;

/* Loads a file of jitwarm's memory, one checked record, into `of`, which was zeroed; texts and
 * lists live in `a`. `*found` false: `of` means nothing. False: the file cannot be read, or
 * (JW_E_FORMAT) is damaged or of another version of jitwarm. */
bool jw_trust_load(const char *path, uint16_t kind, const struct jw_field *fields,
                   struct jw_arena *a, void *of, bool *found, struct jw_err *err) JW_MUST;
/* Writes a file of one checked record, and makes its folder. */
bool jw_trust_save(const char *path, uint16_t kind, const struct jw_field *fields, const void *of,
                   struct jw_err *err) JW_MUST;

/* Is its owner neither this user nor root? */
bool jw_trust_foreign(const struct jw_trust *t);
/* False (JW_E_TRUST): a user other than this one and root can change it. */
bool jw_trust_own(const struct jw_trust *t, struct jw_err *err) JW_MUST;

/* Does the same for an open folder, which cannot be swapped between check and use. */
bool jw_trust_read_open(const struct jw_folder *folder, struct jw_arena *a, struct jw_trust *out,
                        struct jw_err *err) JW_MUST;

/* Opens and checks a folder that decides whose code may run here: the folder and its parents up to
 * this user's home or the root, as sshd's StrictModes does. `*at` is the first one that another
 * user can change (NULL: none), described by `out`. `held` is the open folder, which the caller
 * closes; it is closed if the folder does not exist. Links are resolved first: what nobody else can
 * change on the whole way cannot be swapped by anybody else. In a sticky folder, the next component
 * is safe if its own owner is. Windows: no other user may change anything in the folder and its
 * parent; in the folders above these, other users may add files. */
bool jw_trust_check_path(const char *path, struct jw_arena *a, struct jw_folder *held,
                         const char **at, struct jw_trust *out, struct jw_err *err) JW_MUST;

/* Checks a folder for files that jitwarm or the driver writes. `*at` is where another user could
 * change it, exchange it, or lead it elsewhere by a link on its way; NULL: nowhere. The folder need
 * not exist, and in a sticky folder it is safe until it does. */
bool jw_trust_check_place(const char *path, struct jw_arena *a, const char **at,
                          struct jw_trust *out, struct jw_err *err) JW_MUST;

/* jw_trust_read for an open file, which cannot be swapped. */
bool jw_trust_file(const struct jw_file *f, struct jw_arena *a, struct jw_trust *out,
                   struct jw_err *err) JW_MUST;

/* May a file or folder decide which packs are trusted? False: JW_E_TRUST, with the reason. */
bool jw_trust_check_keys(const struct jw_trust *t, const char *path, const char *noun,
                         struct jw_err *err) JW_MUST;

/* Opens a file that decides whose code may run here. `*doubt` says why the file or one of its
 * folders is not safe, as in jw_trust_check_path; NULL: safe. `*found` false: there is none. */
bool jw_trust_open(const char *path, const char *noun, struct jw_arena *a, struct jw_file *f,
                   bool *found, const char **doubt, struct jw_err *err) JW_MUST;

/* Resolves the path of a library that is to be loaded: nobody can swap a link on its way. `*doubt`
 * is a clause, such as "its folder /x belongs to user 7": a user other than this one and root could
 * have written it, or could exchange it. NULL: safe. */
bool jw_trust_library(const char *path, struct jw_arena *a, const char **real, const char **doubt,
                      struct jw_err *err) JW_MUST;

/* Creates a private folder, with its parents. An existing folder is not changed. */
bool jw_trust_make(const char *path, struct jw_err *err) JW_MUST;

enum jw_trust_ask {
    JW_TRUST_CHANGE, /* who can change it, its content, or files created in it later? */
    JW_TRUST_MOVE,   /* who can replace it or a folder above it? Adding a folder does not count */
    /* who can replace folders in the root of a drive, which itself cannot be replaced? */
    JW_TRUST_TOP,
    JW_TRUST_QUESTIONS
};

/* Reads a folder on the way to a checked one. Rights that cannot be read are an error. */
bool jw_trust_step(const char *path, enum jw_trust_ask ask, struct jw_arena *a,
                   struct jw_trust *out, struct jw_err *err) JW_MUST;

/* Windows: reads a security descriptor. */
bool jw_trust_descriptor(void *rights, enum jw_trust_ask ask, struct jw_arena *a,
                         struct jw_trust *out, struct jw_err *err) JW_MUST;
