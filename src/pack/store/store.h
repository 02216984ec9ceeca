/*
 * The packs that are kept on this machine: $JITWARM_STORE, else $XDG_DATA_HOME/jitwarm/packs or
 * %LOCALAPPDATA%\jitwarm\packs. One for each driver build and architecture, and the one that it replaced:
 *
 *   580.126.09-sm_86-20260107-225146.tar.zst           driver version, architecture, libcuda's stamp
 *   580.126.09-sm_86-20260107-225146.old.tar.zst       the one before it
 *   580.126.09-sm_86-20260107-225146.tar.zst.minisig   a signature that came beside it
 *   used.json                                          when each was last used
 *   vouched.json                                       who vouched for each when it came
 *   lock                                               held while something is changed
 *   .work-SYSTEM-PID-N/                                packs in the making
 *
 * Nothing here reads a pack but its last bytes, which tell that it is one: what is in it, pack/store/store_list.h tells.
 * Files of other names are told, and left alone.
 */
#ifndef PACK_STORE_STORE_H
#define PACK_STORE_STORE_H

#include "base/arena.h"
#include "base/compiler.h"
#include "base/digest.h"
#include "base/source.h"
#include "jitwarm/err.h"
#include "machine/list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a pack is for. */
struct jw_store_key {
    const char *stamp; /* of libcuda, as it stands in keys */
    uint16_t sm;
    bool simulated;     /* no real driver made it */
    const char *driver; /* its version, for people; NULL: not known. It does not tell packs apart */
};

struct jw_store_pack {
    const char *name, *path;
    struct jw_store_key key; /* from the name; `stamp` NULL: not a name that we give */
    bool older;              /* the one that was replaced */
    uint64_t size;           /* of the pack, without its signature */
    uint64_t weight;         /* with it */
    const char *signature;   /* path of the .minisig beside it; NULL: none */
    int64_t added_at;        /* here and below: seconds since 1970 */
    int64_t used_at;         /* put in, or used; never before `added_at` */
    const char *refused;     /* why it is not to be used: a link, somebody else's...; NULL: it may be */
};

struct jw_store {
    const char *dir;
    bool exists;
    const char *refused;         /* why nothing in the folder is believed; NULL: it is */
    struct jw_store_pack *packs; /* by name */
    size_t n;
    uint64_t bytes; /* of those that we named, signatures included: what the cap is about */
    struct jw_notes notes;
};

/* The folder, not made by asking; NULL with a sentence when the system names none. */
const char *jw_store_dir(struct jw_arena *a, struct jw_err *err);

/* Reads names and facts of files; makes nothing. A store that is not there is empty. */
bool jw_store_load(struct jw_arena *a, struct jw_store *out, struct jw_err *err) JW_MUST;

/* The pack for this driver and architecture, the newest there is; NULL: none that may be used. */
const struct jw_store_pack *jw_store_find(const struct jw_store *s, const struct jw_store_key *key);

/* The name that a pack for `key` has in the store. */
char *jw_store_name(const struct jw_store_key *key, bool older, struct jw_arena *a, struct jw_err *err);
/* The other way round, into `a`; false: none of our names. */
bool jw_store_parse(const char *name, struct jw_arena *a, struct jw_store_key *key, bool *older);

/* A folder of the caller's own in the store, for a pack in the making; it is removed with jw_scratch_remove. */
bool jw_store_work(struct jw_arena *a, char **folder, struct jw_err *err) JW_MUST;

struct jw_store_add {
    struct jw_store_key key;
    const char *file; /* a whole pack */
    const struct jw_source
        *bytes; /* all of it, through the handle that was verified: `file` is not opened; NULL: it is */
    const uint8_t *digest; /* JW_DIGEST, of its body: what is kept has this one; NULL: whatever it has */
    const char
        *vouched; /* JW_STORE_MADE_HERE, the id of a key that is trusted for everything; NULL: nobody */
    const char *signature;     /* its .minisig; NULL: none beside it */
    struct jw_bytes signed_by; /* the same as bytes that were verified; counts before the file */
    bool take; /* `file` is the caller's own, in a folder of jw_store_work: it is moved, not copied */
    const char
        *current; /* the stamp of this machine's driver, whose packs are not evicted; NULL: not known */
    uint64_t cap; /* jw_config_store_cap */
    /* out: */
    const char *path; /* of the pack in the store */
    bool same;        /* it was there already, to the byte */
    const char *const *evicted;
    size_t n_evicted; /* names of packs that made room */
};

/*
 * At no instant is there half a pack, or none where there was one. What it replaces becomes the older one; the least
 * recently used ones go when all of them are more than the cap. JW_E_LIMIT: it does not fit, and nothing is changed.
 * JW_E_FORMAT: `file` is no whole pack, or not the one that was verified. `file` is left where it is unless `take`.
 */
bool jw_store_add(struct jw_store_add *x, struct jw_arena *a, struct jw_err *err) JW_MUST;

#define JW_STORE_MADE_HERE "here"

/* Who vouched for the pack of this digest; NULL: nobody, or it is not known. */
const char *jw_store_vouched(const struct jw_store *s, const uint8_t digest[JW_DIGEST], struct jw_arena *a);

/* All packs that have our names, and all else of ours in the folder; the folder, too, when nothing is left in it. What was not
 * removed is told in `*why`, NULL: nothing was. `act` false: counts alone. */
struct jw_store_cleared {
    size_t packs;
    uint64_t bytes;
    const char *why;
};
bool jw_store_clear(const struct jw_store *s, bool act, struct jw_arena *a, struct jw_store_cleared *out,
                    struct jw_err *err) JW_MUST;

/* It was used now. A store that is busy forgets it. */
bool jw_store_used(const struct jw_store_pack *pack, struct jw_err *err) JW_MUST;

#endif
