/* A command's files in other caches than the driver's: recorded, and placed. */
#ifndef PACK_KIT_KIT_H
#define PACK_KIT_KIT_H

#include "base/rows.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/tree.h"
#include "os/process/file_trace.h"
#include "pack/format/kit.h"

/* ---- where ---- */

struct jw_known_kit {
    const char *name;    /* "cupy"; of one that is known by its folder alone "taichi" */
    const char *package; /* the name of its package begins so */
    const char *path;    /* NULL: it has no place here */
    const char *place;   /* as of jw_kit_cache */
};

/* The folders of compilers that are known by name (cache/place/other_caches.h); they need not exist. */
struct jw_known_kit *jw_kit_known(struct jw_arena *a, size_t *n);

/* The folder in which programs look for a recorded cache here; NULL: none is known. */
const char *jw_kit_folder_here(const struct jw_kit_cache *c, struct jw_arena *a);

/* A cache, with what the last start did with its files (kit_start.c). */
struct jw_kit_top {
    const char *key; /* the beginning of the places of its files */
    const char *of;  /* all its files are of this compiler, beside a program's sources; NULL: not known */
    struct jw_known_kit cache;
    bool known;                       /* of a compiler that is known by name */
    const struct jw_kit_cache *was;   /* in the record */
    uint64_t recorded;                /* files that the record has of it */
    uint64_t files, read;             /* that are entries of it; opened and left as they were */
    uint64_t asked;                   /* or that are only to be there, and are */
    uint64_t fresh, again, rewritten; /* made: new ones, known ones with other bytes, and with the same */
    uint64_t lost, gone, databases;   /* begun and not kept; removed; opened */
};

/* The caches that files lie in: those of the record first, one by one (NULL: there is none), and those of compilers
 * that are known by name. */
struct jw_kit_tops;
struct jw_kit_tops *jw_kit_tops_new(const struct jw_kit *record, struct jw_arena *a);
struct jw_kit_top *jw_kit_top_find(struct jw_kit_tops *t, const char *file); /* the innermost; NULL: none */
/* The same; else a new one: all of one program below home, a variable's folder or a temporary one. NULL: the folder
 * has other things, too, or a pack could not place the file on another machine. */
struct jw_kit_top *jw_kit_top_of(struct jw_kit_tops *t, const char *file);
bool jw_kit_lies_in_caches(const struct jw_kit_tops *t, const char *file); /* in a folder for them */
/* All of them, with names; called when each file has one. */
struct jw_kit_top *jw_kit_tops_all(struct jw_kit_tops *t, size_t *n);

/* ---- the way to a file: JW_E_TRUST where another user can change it ---- */

/* Opens and checks a cache's folder and those above it; of a link its target. `held` stays closed where there is none. */
bool jw_kit_open_folder(const char *path, struct jw_arena *a, struct jw_tree *held,
                        struct jw_err *err) JW_MUST;

struct jw_kit_folder {
    const struct jw_tree *held;
    const char *path;
};

struct jw_kit_at {
    struct jw_tree entered; /* to be closed */
    const struct jw_tree *folder;
    const char *name; /* in it; NULL: there is no such folder */
};

/* The folder of the file `path` below `cache`; `make`: it is made. */
bool jw_kit_reach(const struct jw_kit_folder *folder, const char *path, bool make, struct jw_kit_at *at,
                  struct jw_arena *a, struct jw_err *err) JW_MUST;
bool jw_kit_open_file(const struct jw_kit_folder *folder, const char *path, struct jw_file *f, bool *found,
                      struct jw_arena *a, struct jw_err *err) JW_MUST;

/* ---- what a command does there ---- */

struct jw_kit_use {
    const char *name, *folder;
    uint64_t read, made; /* files: opened and left as they were; written */
    uint64_t known;      /* that its record has */
    uint64_t others;     /* that each start writes, and are no part of it: `made` has them not */
    /* in what this machine is not the record's: a sentence's end; NULL: in nothing that is known */
    const char *differs;
    const char *why; /* not known whether all was seen; NULL: it is */
};

/* The last start of a command that was watched. */
struct jw_kit_last {
    const char *command;  /* as jw_prime_command; NULL: none was watched here */
    uint64_t when;        /* seconds since 1970 */
    const char *compiled; /* by the driver: jw_witness_answer_names */
    const char *why;      /* that is unknown; NULL */
    uint64_t entries;     /* that it made */
    const struct jw_kit_use *uses;
    size_t n;
};

/* "the driver compiled nothing; CuPy: reused 5, made 0" */
void jw_kit_say_last(struct jw_buf *out, const struct jw_kit_last *l);

/* It made nothing, and it is known what it read. */
bool jw_kit_use_made_nothing(const struct jw_kit_use *u);

/* A command, and what engines put into their keys of its machine beside paths and packages. */
struct jw_kit_command {
    const char *key; /* jw_prime_command */
    const char *const *argv;
    const char *driver, *gpus; /* as of struct jw_kit; NULL: not known */
};

/* Folders that are not looked into: of the driver, of jitwarm. */
struct jw_kit_skip {
    const char *const *v; /* some may be NULL */
    size_t n;
};

/* The files of a command's starts: those in its record, those that the starts make, and those that they open
 * in caches of compilers that are known by name. verify, run and prime report from it. */
struct jw_kit_starts;
struct jw_kit_starts *jw_kit_starts_begin(const struct jw_kit_command *of, struct jw_arena *a);
/* After each start, whose calls are `by`: it is kept. */
void jw_kit_starts_add(struct jw_kit_starts *s, const struct jw_traced *by, struct jw_kit_skip skip);
size_t jw_kit_starts_made(const struct jw_kit_starts *s); /* files that only a further start proves */
/* "3 files in /home/ada/.cache/taichi": files in folders for caches that the last start opened, that were
 * there before, are in no record, and were made by none of these starts; NULL: none. */
const char *jw_kit_starts_older(const struct jw_kit_starts *s);

struct jw_kit_answer {
    struct jw_kit_use *uses; /* of each cache */
    size_t n;
    uint64_t entries;  /* of all of them, that become the record */
    uint64_t others;   /* made, and entries of none */
    const char *first; /* the first of these others; NULL: there is none */
    bool more;         /* the further start made new ones in their folders */
    uint64_t outside;  /* opened, too, but in no folder of a cache, or in one where nothing is placed */
    const char *first_outside;
    const char *databases; /* "in /home/ada/.cache/tinygrad": opened, and not to be packed; NULL: none */
};

/* Against its record. */
bool jw_kit_starts_compare(struct jw_kit_starts *s, struct jw_kit_answer *out, struct jw_err *err) JW_MUST;
/* Into its record: a file that one start made, and that a further one opened and left as it was, is a cache entry, of
 * any engine. After a single start only the caches of compilers that are known by name become it; and where that has
 * not `ended_well`, only if that is as many files as are recorded. */
bool jw_kit_starts_keep(struct jw_kit_starts *s, bool ended_well, struct jw_kit_answer *out,
                        struct jw_err *err) JW_MUST;

/* Beside what is kept, if that is anything or the start used other caches. */
bool jw_kit_starts_remember(struct jw_kit_starts *s, const struct jw_kit_last *last,
                            struct jw_err *err) JW_MUST;

/* "x/y" of "FOLDER/x/y"; NULL: it is not below. */
const char *jw_kit_below(const char *path, const char *folder);

/* ---- what is remembered of it ---- */

struct jw_kit_record {
    struct jw_kit kit;
    /* files that a single recorded start of `run` made in caches of no known name: no part of packs */
    struct jw_kit unproven;
    struct jw_kit_last last;
};

/* `command`: its words, or their alias. None: no file. */
bool jw_kit_recall(const char *command, struct jw_arena *a, struct jw_kit_record *out,
                   struct jw_err *err) JW_MUST;
bool jw_kit_remember(const char *command, const struct jw_kit_record *r, struct jw_arena *a,
                     struct jw_err *err) JW_MUST;
/* The records of all commands; there is a note of one that cannot be read. */
struct jw_kit_record *jw_kit_records(struct jw_arena *a, size_t *n, struct jw_notes *notes);
struct jw_kit_count {
    const char *folder;              /* NULL: it has no folder here */
    uint64_t recorded, files, bytes; /* files: that are there as they were recorded */
    uint64_t changed;                /* there with other bytes */
};
struct jw_kit_count jw_kit_count(const struct jw_kit *k, size_t cache, struct jw_arena *a);
/* Returns the first Python file that was written after the last start, and after what a compiler keeps of it in __pycache__,
 * as Numba does in MODULE.FUNCTION-LINE.VERSION.nbi: it compiles that again. NULL: none was. */
const char *jw_kit_newer_source(const struct jw_kit_record *r, size_t cache, struct jw_arena *a);
/* "cupy 5 files (25 KiB) in /x; triton ...": the recorded files that are there; "": none. */
const char *jw_kit_words(const struct jw_kit_record *all, size_t n, struct jw_arena *a);

/* "CuPy: 2 of 5 in /x": files that the command was recorded with, and that are not there; "": none. NULL: its record
 * cannot be read. */
const char *jw_kit_missing(const char *command, struct jw_arena *a, struct jw_err *err) JW_MUST;

extern const struct jw_row jw_kit_use_rows[], jw_kit_last_rows[];

/* The digest of a file's content. False: it could not be read, or is too large. */
bool jw_kit_digest(const char *path, uint64_t size, uint8_t digest[JW_DIGEST]);
uint64_t jw_kit_microseconds(const struct jw_file_info *info); /* since 1970, of its last change */

/* Fills all but caches and files: of the environment of its program, and of this folder. `listings`: the environment's
 * folders, listed once for all of these questions. */
void jw_kit_describe(struct jw_listings *listings, const struct jw_kit_command *of, struct jw_arena *a,
                     struct jw_kit *out);
const char *jw_kit_variables(struct jw_arena *a); /* of this process, as struct jw_kit has them; NULL: none */
/* "variables (CC, XLA_FLAGS is not set here)"; NULL: in none. */
const char *jw_kit_variables_differ(const struct jw_kit *then, const struct jw_kit *now, struct jw_arena *a);
struct jw_kit_cache jw_kit_cache_here(struct jw_listings *listings, const struct jw_known_kit *known,
                                      const char *const *argv, struct jw_arena *a);
/* The package of a compiler that is known by this name, in the environment of a program: "cupy_cuda12x-13.4.0". NULL:
 * not known. */
const char *jw_kit_version_here(struct jw_listings *listings, const char *cache, const char *const *argv,
                                struct jw_arena *a);
/* The digest of the names and versions of a program's environment, as struct jw_kit has it. NULL: none is known. */
const char *jw_kit_packages_here(struct jw_listings *listings, const char *const *argv, struct jw_arena *a);
/* The differences between this machine and the record's, as far as they are known. Which of them an engine
 * has in its key is not known. NULL: none. */
const char *jw_kit_differs(const struct jw_kit *then, const struct jw_kit *now,
                           const struct jw_kit_cache *was, const struct jw_kit_cache *is, struct jw_arena *a);

/* Reads file `i` of a recorded kit as it is now: exactly `n` bytes. */
bool jw_kit_read(const struct jw_kit *kit, size_t i, uint8_t *dst, size_t n, struct jw_arena *a,
                 struct jw_err *err) JW_MUST;
/* Sizes, times and modes as they are now; files that are gone are left out. */
bool jw_kit_refresh(struct jw_kit *kit, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* ---- into place ---- */

struct jw_kit_sum {
    const char *name, *folder; /* folder NULL: no such cache is known here */
    uint64_t files, bytes;
    /* of the files that were given: of machine code, and what Python runs or unpickles */
    uint64_t programs, python;
    uint64_t placed, present, kept; /* kept: another content is there */
    const char *left;               /* why none of it is placed; NULL: it is */
};

#define JW_KIT_STAGED "jitwarm-kit" /* of its folders in such a cache (os/files/scratch.h) */

struct jw_kit_place;

/* Finds the folder of each cache. One that another user can change is left alone, and the rest is placed.
 * `stage` false: nothing is made. */
bool jw_kit_place_begin(struct jw_kit_place **out, const struct jw_kit *kit, bool stage, bool replace,
                        struct jw_arena *a, struct jw_err *err) JW_MUST;
bool jw_kit_place_file(struct jw_kit_place *p, size_t file, struct jw_bytes bytes,
                       struct jw_err *err) JW_MUST;
/* Moves what was staged: each file is whole or not there. */
bool jw_kit_place_all(struct jw_kit_place *p, struct jw_err *err) JW_MUST;
const struct jw_kit_sum *jw_kit_place_sums(const struct jw_kit_place *p, size_t *n);
void jw_kit_place_end(struct jw_kit_place *p); /* removes what is staged; accepts NULL */

#endif
