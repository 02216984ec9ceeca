/*
 * The store of packs on this machine: $JITWARM_STORE, else $XDG_DATA_HOME/jitwarm/packs or
 * %LOCALAPPDATA%\jitwarm\packs. A pack takes the place of those for the same driver build and architecture
 * that have nothing it has not:
 *
 *   580.126.09-sm_86-20260107-225146-1c0f8e0a7b6d.tar.zst           driver version, architecture, libcuda's stamp, digest
 *   580.126.09-sm_86-20260107-225146-1c0f8e0a7b6d.tar.zst.minisig   a signature from beside the pack
 *   .own                                                            which packs this user's jitwarm made
 *   lock                                                            held during changes
 *   .work-SYSTEM-PID-N/                                             temporary folders
 *
 * These functions read only the last bytes of a pack; pack/store/store_list.h reads manifests. Other files in the
 * folder are reported and never changed.
 */
#ifndef PACK_STORE_STORE_H
#define PACK_STORE_STORE_H

#include "base/arena.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/source.h"
#include "jitwarm/err.h"
#include "machine/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver build and the architecture that a pack is for. */
struct jw_store_key {
    const char *stamp; /* of the driver build, as in keys */
    uint16_t sm;
    const char *driver; /* version, or NULL; not compared */
};

struct jw_store_pack {
    const char *name, *path;
    struct jw_store_key key; /* from the name; `stamp` NULL: another name */
    uint64_t size;           /* of the pack, without its signature */
    uint64_t weight;         /* with its signature */
    const char *signature;   /* path of the .minisig beside it, or NULL */
    int64_t added_at;        /* seconds since 1970 */
    const char *refused;     /* why it cannot be used, such as a link or another owner; or NULL */
};

struct jw_store {
    const char *dir;
    bool exists;
    const char *refused;         /* why the folder cannot be used, or NULL */
    struct jw_store_pack *packs; /* by name */
    size_t n;
    uint64_t bytes; /* of all packs and signatures, for the cap */
    struct jw_notes notes;
};

/* The folder, which may not exist. NULL: the system has no folder for user data. */
const char *jw_store_dir(struct jw_arena *a, struct jw_err *err);

/* Why no pack can be kept in that folder, and the variable that names it; NULL: one can. */
const char *jw_store_why_not(const char *dir, struct jw_arena *a);

/* Lists the files. A store that does not exist is empty. */
bool jw_store_load(struct jw_arena *a, struct jw_store *out, struct jw_err *err) JW_MUST;

/* The name that a pack for `key` has in the store; `digest`: of its body. */
char *jw_store_name(const struct jw_store_key *key, const uint8_t digest[JW_DIGEST], struct jw_arena *a,
                    struct jw_err *err);
/* The reverse, into `a`; false: not a name of the store. */
bool jw_store_parse(const char *name, struct jw_arena *a, struct jw_store_key *key);
/* A driver build's stamp as it is spelled in names. */
bool jw_store_stamp(struct jw_buf *out, const char *stamp, struct jw_err *err) JW_MUST;

/* Makes a temporary folder in the store; remove it with jw_scratch_remove. */
bool jw_store_work(struct jw_arena *a, char **folder, struct jw_err *err) JW_MUST;

/* Tells whether jw_store_add put a pack with this digest into the store without a signature. The name of a pack, and that no
 * signature lies beside it, say nothing: a signature may be lost. */
bool jw_store_is_own(const char *dir, const uint8_t digest[JW_DIGEST], struct jw_arena *a);

struct jw_store_add {
    struct jw_store_key key;
    const char *file;              /* a whole pack */
    const struct jw_source *bytes; /* the verified bytes of `file`; NULL: read `file` */
    const uint8_t *digest;         /* JW_DIGEST, that the pack's body must have; NULL: any */
    const char *signature;         /* its .minisig, or NULL */
    struct jw_bytes signed_by;     /* verified content of the .minisig, in place of the file */
    bool take;                     /* move `file`, which is in a folder of jw_store_work; else copy it */
    const char *current;           /* stamp of this machine's driver, whose packs are not evicted; or NULL */
    uint64_t cap;                  /* jw_config_store_cap */
    /* out: */
    const char *path; /* of the pack in the store */
    bool same;        /* the store had the same bytes already */
    const char *const *evicted;
    size_t n_evicted; /* names of packs deleted to make room */
};

/*
 * Adds a pack atomically, and removes those for the same driver and architecture whose entries it all has. Above the
 * cap packs are deleted: first those that have a newer one beside them, then the oldest, but not the newest ones of
 * `current`. JW_E_LIMIT: it does not fit, nothing is changed. JW_E_FORMAT: `file` is not a whole pack, or was changed.
 */
bool jw_store_add(struct jw_store_add *x, struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Deletes all packs of the store and its other files, and the folder if it is empty then. `why`: the first failure, or
 * NULL. `act` false: only counts. */
struct jw_store_cleared {
    size_t packs;
    uint64_t bytes;
    const char *why;
};
void jw_store_clear(const struct jw_store *s, bool act, struct jw_arena *a, struct jw_store_cleared *out);

#endif
