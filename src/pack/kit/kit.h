/* A command's files in other caches than the driver's: recorded, and placed. */
#ifndef PACK_KIT_KIT_H
#define PACK_KIT_KIT_H

#include "facts/jitcaches.h"
#include "machine/trust.h"
#include "os/files/tree.h"
#include "os/process/file_trace.h"
#include "pack/format/kit.h"

/* ---- where ---- */

struct jw_kit_root {
    struct jw_jitcache of;
    const char *path;
    const char *place; /* as of jw_kit_cache */
};

/* Of all known caches, for a program of this process's environment; they need not exist. Lives in `a`. */
struct jw_kit_root *jw_kit_roots(struct jw_arena *a, size_t *n);

/* The folder of a recorded cache here; NULL: none is known. */
const char *jw_kit_root_here(const struct jw_kit_cache *c, struct jw_arena *a);

/* The place of a folder of this machine, for others; NULL: there is none. */
const char *jw_kit_place_of(const char *path, struct jw_arena *a);

/* Folders that are not looked into: of the driver, of jitwarm, of caches that are known. */
struct jw_kit_skip {
    const char *const *v; /* some may be NULL */
    size_t n;
};

/* False (JW_E_TRUST): another user can change it. */
bool jw_kit_check_own(const struct jw_trust *t, const char *path, struct jw_err *err) JW_MUST;

struct jw_kit_folder {
    const struct jw_tree *held;
    const char *path;
};

/* Enters the folder of the file `path` below `root`; no link is followed, and no other user may be able to change a folder on
 * the way. The file's own name; `out` is closed where its folder is the root. NULL: an error, or no such folder. */
const char *jw_kit_enter(const struct jw_kit_folder *root, const char *path, bool make, struct jw_tree *out,
                         struct jw_arena *a, struct jw_err *err) JW_MUST;

/* ---- what is there ---- */

/* "cupy 5 files (25 KiB) in /x; triton ...": the known caches that are here, and others that commands were recorded with; "": none. */
const char *jw_kit_words(struct jw_arena *a);

/* ---- what a command does there ---- */

struct jw_kit_use {
    const char *name, *root;
    uint64_t read, made; /* files: opened and left as they were; written */
    uint64_t known;      /* that its record has */
    uint64_t others;     /* that each start writes, and are no part of it: `made` has them not */
    const char *
        differs; /* in what this machine is not the record's: a sentence's end; NULL: in nothing that is known */
    const char *why; /* not known whether all was seen; NULL: it is */
};

/* It made nothing, and it is known what it read. */
bool jw_kit_use_held(const struct jw_kit_use *u);

/* A file before a start of the command. */
struct jw_kit_seen {
    const char *path; /* no part of it is a link; NULL: it has no place here */
    struct jw_file_info before;
    bool compared; /* the digest is known */
    uint8_t digest[JW_DIGEST];
};

void jw_kit_see(struct jw_kit_seen *f); /* of `path` and `before`: its bytes */
/* After the start: it was opened, and has the same bytes; a database is none. Some engines (KeOps) read an index at their start and write the same again at
 * their end; a result that is only written, the same each time, is none. */
bool jw_kit_is_entry(const struct jw_kit_seen *f, const struct jw_traced *by);
/* A regular file that was written since then, at a path without links. */
bool jw_kit_is_made(const char *path, int64_t since, struct jw_file_info *info, struct jw_arena *a);
/* Python's bytecode is no code for a GPU, and a lock only says that somebody is at work. */
bool jw_kit_is_beside(const char *path);
const char *jw_kit_below(const char *path,
                         const char *folder); /* "x/y" of "FOLDER/x/y"; NULL: it is not below */

/* What engines put into their keys of a machine, beside paths and packages. NULL: not known. */
struct jw_kit_machine {
    const char *driver, *gpus; /* as of struct jw_kit */
};

struct jw_kit_start;

/* Before it; `since`: nanoseconds since 1970. Of the caches of the table, and those that the record of this command has (`key`:
 * jw_prime_command). */
struct jw_kit_start *jw_kit_start_begin(const char *key, struct jw_kit_machine machine, int64_t since,
                                        struct jw_arena *a);
/* After it: of those that it used, or that its record has. `keep`: what it used of the table's becomes the record; where it has not
 * `ended_well`, only of as many files as are recorded. */
bool jw_kit_start_end(struct jw_kit_start *k, const struct jw_traced *by, const char *const *argv, bool keep,
                      bool ended_well, struct jw_kit_use **uses, size_t *n, struct jw_err *err) JW_MUST;

/* ---- caches that nobody knows ---- */

struct jw_kit_found;

/* Files that the first start of a command made since then (nanoseconds since 1970), and that are there now. */
struct jw_kit_found *jw_kit_found_made(const struct jw_traced *by, int64_t since,
                                       const struct jw_kit_skip *skip, struct jw_arena *a);
/* "3 in /home/ada/.cache/taichi": what it opened of folders for caches that was there before, and is not recorded; NULL: nothing. */
const char *jw_kit_found_older(const struct jw_traced *by, int64_t since, const struct jw_kit_skip *skip,
                               const char *key, const char *const *argv, struct jw_arena *a);
size_t jw_kit_found_files(const struct jw_kit_found *f);
const char *jw_kit_found_first(const struct jw_kit_found *f); /* by path; there is one */
/* What a further start made, too: only one more tells whether that is a cache. */
void jw_kit_found_more(struct jw_kit_found *f, const struct jw_traced *by, int64_t since,
                       const struct jw_kit_skip *skip);

struct jw_kit_confirmed {
    struct jw_kit_use *uses; /* of each cache that was found */
    size_t n;
    uint64_t entries, others; /* files; others: not opened by the second start, or written by it */
    bool more;                /* it made new ones in their folders */
    uint64_t beside; /* opened, too, but in no folder of a cache, or in one where nothing is placed */
};

/* After the next start, `by`, which began at `since`: a file of those before it that it opened and left as it was is a cache entry, and goes
 * to the record. */
bool jw_kit_found_confirm(struct jw_kit_found *f, const struct jw_traced *by, int64_t since,
                          struct jw_kit_machine machine, const char *key, const char *const *argv,
                          struct jw_kit_confirmed *out, struct jw_err *err) JW_MUST;

/* ---- what is remembered of it ---- */

/* `command`: its words, or their alias. None: no file. */
bool jw_kit_recall(const char *command, struct jw_arena *a, struct jw_kit *out, struct jw_err *err) JW_MUST;
struct jw_kit *jw_kit_records(struct jw_arena *a,
                              size_t *n); /* of all commands; one that cannot be read is left out */
bool jw_kit_remember(const char *command, const struct jw_kit *kit, struct jw_arena *a,
                     struct jw_err *err) JW_MUST;

/* Of the last cache; a path that may not travel is left out. */
bool jw_kit_add_file(struct jw_kit *kit, const char *path, const struct jw_file_info *info,
                     struct jw_arena *a, struct jw_err *err) JW_MUST;
void jw_kit_sort(struct jw_kit *k); /* each file once */
/* Adds one of its caches; there is room in `to`. */
bool jw_kit_copy(const struct jw_kit *from, size_t cache, struct jw_kit *to, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;

/* Fills all but caches and files: of the environment of argv[0], and of this folder. */
void jw_kit_describe(const char *const *argv, struct jw_kit_machine machine, struct jw_arena *a,
                     struct jw_kit *out);
struct jw_kit_cache jw_kit_cache_here(const struct jw_kit_root *root, const char *const *argv,
                                      struct jw_arena *a);
/* NULL: nothing that is known. */
const char *jw_kit_differs(const struct jw_kit *then, const struct jw_kit *now,
                           const struct jw_kit_cache *was, const struct jw_kit_cache *is,
                           const struct jw_jitcache *of, struct jw_arena *a);

/* Reads file `i` of a recorded kit as it is now: exactly `n` bytes. */
bool jw_kit_read(const struct jw_kit *kit, size_t i, uint8_t *dst, size_t n, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;
/* Sizes, times and modes as they are now; files that are gone are left out. */
bool jw_kit_refresh(struct jw_kit *kit, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* ---- into place ---- */

struct jw_kit_sum {
    const char *name, *root; /* root NULL: no such cache is known here */
    uint64_t files, bytes;
    uint64_t programs,
        python; /* of the files that were given: of machine code, and what Python runs or unpickles */
    uint64_t placed, present, kept; /* kept: another content is there */
};

#define JW_KIT_STAGED "jitwarm-kit" /* of its folders in such a cache (os/files/scratch.h) */

struct jw_kit_place;

/* Of each cache its folder, which no other user may be able to change (JW_E_TRUST). `stage` false: nothing is made. */
bool jw_kit_place_begin(struct jw_kit_place **out, const struct jw_kit *kit, bool stage, bool replace,
                        struct jw_arena *a, struct jw_err *err) JW_MUST;
bool jw_kit_place_file(struct jw_kit_place *p, size_t file, struct jw_bytes bytes,
                       struct jw_err *err) JW_MUST;
/* Moves what was staged: each file is whole or not there. */
bool jw_kit_place_all(struct jw_kit_place *p, struct jw_err *err) JW_MUST;
const struct jw_kit_sum *jw_kit_place_sums(const struct jw_kit_place *p, size_t *n);
void jw_kit_place_end(struct jw_kit_place *p); /* removes what is staged; accepts NULL */

#endif
