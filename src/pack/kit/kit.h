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

struct jw_kit_listed {
    const char *path; /* below the root, with / */
    struct jw_file_info info;
    bool opened, written;
};

struct jw_kit_listing {
    struct jw_kit_listed *files; /* by path; regular ones alone */
    size_t n;
    const char **folders; /* "": the root; none: it is not there */
    size_t n_folders;
    uint64_t bytes;
};

/* Follows no link below the root. */
bool jw_kit_list(const char *root, struct jw_arena *a, struct jw_kit_listing *out,
                 struct jw_err *err) JW_MUST;
struct jw_kit_listed *jw_kit_listed(const struct jw_kit_listing *l, const char *path); /* NULL: it is not */

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

struct jw_kit_watch;

/* Of known caches, and those that the record of this command has. */
struct jw_kit_watch *jw_kit_watch_begin(struct jw_arena *a);
void jw_kit_watch_take(struct jw_kit_watch *w); /* now and then */
/* Of the known caches that it used, or that its record has. `key`: its words (jw_prime_command), `argv`: the same; `keep`: they
 * become the record; where it has not `ended_well`, only of as many files as are recorded. `by`: what it made itself; NULL: not known. */
bool jw_kit_watch_end(struct jw_kit_watch *w, const char *key, const char *const *argv, bool keep,
                      bool ended_well, const struct jw_traced *by, struct jw_kit_use **uses, size_t *n,
                      struct jw_err *err) JW_MUST;

/* ---- caches that nobody knows ---- */

struct jw_kit_found;

/* Files that the first start of a command made since then (nanoseconds since 1970), and that are there now. */
struct jw_kit_found *jw_kit_found_made(const struct jw_traced *by, int64_t since,
                                       const struct jw_kit_skip *skip, struct jw_arena *a);
/* "3 in /home/ada/.cache/taichi": what it opened of folders for caches that was there before, and is not recorded; NULL: nothing. */
const char *jw_kit_found_older(const struct jw_traced *by, int64_t since, const struct jw_kit_skip *skip,
                               const char *key, const char *const *argv, struct jw_arena *a);
size_t jw_kit_found_files(const struct jw_kit_found *f);

struct jw_kit_confirmed {
    struct jw_kit_use *uses; /* of each cache that was found */
    size_t n;
    uint64_t entries, others; /* files; others: not opened by the second start, or written by it */
    uint64_t beside; /* opened, too, but in no folder of a cache, or in one where nothing is placed */
};

/* After the second start, `by`, which began at `since`: a file of the first that it opened and left as it was is a cache entry, and goes
 * to the record. */
bool jw_kit_found_confirm(struct jw_kit_found *f, const struct jw_traced *by, int64_t since, const char *key,
                          const char *const *argv, struct jw_kit_confirmed *out, struct jw_err *err) JW_MUST;

/* What a later start uses of them; NULL: the record has none. */
struct jw_kit_known;
struct jw_kit_known *jw_kit_known_begin(const char *key, int64_t since, struct jw_arena *a);
struct jw_kit_use *jw_kit_known_end(struct jw_kit_known *k, const struct jw_traced *by,
                                    const char *const *argv, size_t *n);

/* ---- what is remembered of it ---- */

/* `command`: its words, or their alias. None: no file. */
bool jw_kit_recall(const char *command, struct jw_arena *a, struct jw_kit *out, struct jw_err *err) JW_MUST;
struct jw_kit *jw_kit_records(struct jw_arena *a,
                              size_t *n); /* of all commands; one that cannot be read is left out */
bool jw_kit_remember(const char *command, const struct jw_kit *kit, struct jw_arena *a,
                     struct jw_err *err) JW_MUST;

/* Adds one of its caches; there is room in `to`. */
bool jw_kit_copy(const struct jw_kit *from, size_t cache, struct jw_kit *to, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;

/* Fills all but caches and files: of the environment of argv[0], and of this folder. */
void jw_kit_describe(const char *const *argv, struct jw_arena *a, struct jw_kit *out);
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
