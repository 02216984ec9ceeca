/* One import, and one pack of it. */
#pragma once

#include "machine/run.h"
#include "os/files/folder.h"
#include "pack/import/import.h"

struct importing {
    struct jw_import *im;
    struct jw_import_pack *pack;
    const struct jw_scope *here; /* this machine */
    /* NULL: a person named this pack. Else what cannot be read is its own end, not the run's. */
    const struct jw_import_filter *filter;
    bool other_build; /* its driver is another build of this compiler: entries keep their stamp */
    struct jw_pack_in in;
    struct jw_err distrust; /* why it is not taken, though its bytes are whole; JW_OK: it is */
    bool *fresh;            /* of each entry: it goes into the cache */
    bool *refused;          /* of each: a fresh process refused the one that is there */
    uint64_t *names;        /* of each: its name with the stamp of this build; NULL: all come in */
    size_t n_fresh, n_unwanted;
    uint64_t needed;         /* bytes of the cache with all of them, as the driver counts them */
    uint64_t left_bytes;     /* of those that do not fit under its limit */
    uint64_t disk;           /* bytes of those that fit, in blocks */
    struct jw_folder folder; /* of unpacked entries; closed: none is written */
    struct jw_publisher *publisher;
    bool synced;
    bool ended; /* set by import_end_pack alone: no further step is taken */
};

/* Lock, whole index, folder for work, once. May end the run. */
bool import_begin_changes(struct jw_import *im, struct jw_err *err);

/* Is an entry wanted under this name, and was none taken yet? */
bool import_is_wanted(const struct jw_import_filter *f, uint64_t name);
void import_took(const struct jw_import_filter *f, uint64_t name);
/* Is it wanted, as far as a pack's manifest says? */
bool import_may_want(const struct jw_import_filter *f, uint64_t name, uint64_t key_size);

/* Does a driver find this entry in the cache, whole? Not one that a fresh process `refused`. */
bool import_has(const struct jw_import *im, const struct jw_cache_lookup *cache, uint64_t name,
                bool *refused);

/* All of one pack; sets its `end` and `why`. False: the import cannot go on. */
bool import_pack(struct jw_import *im, const char *path, const struct jw_import_filter *filter,
                 struct jw_import_pack *out, struct jw_err *err);
/* Ends a pack; `why`: a sentence, or NULL. Returns true, so that a step can return it. */
bool import_end_pack(struct importing *p, enum jw_end end, const char *why);

enum import_fit {
    IMPORT_UNFIT,
    IMPORT_SAME_BUILD,
    IMPORT_SAME_COMPILER /* of another build: only if a trusted key signed it */
};

/* Is it for this machine? Else `*why`: what differs, with both values, in `a`. */
enum import_fit import_fits(const struct jw_pack_manifest *m, const struct jw_scope *here,
                            struct jw_arena *a, const char **why);

/* The folder of unpacked entries: one for all, so that none is made for each. */
const char *import_staged_folder(const struct jw_import *im);

/* Publishes the entries that are fresh, which lie unpacked. */
bool import_publish(struct importing *p, struct jw_err *err);
/* Lets a fresh process load a sample of what was added. */
bool import_prove(struct jw_import *im, struct jw_look *look, struct jw_err *err);
