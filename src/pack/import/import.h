/*
 * Brings entries of a pack into this user's cache, in eleven steps: open, hash the raw bytes, signature, manifest, compare, lock, skip
 * what is there, room, unpack beside the cache and check, publish, prove by a fresh process. Nothing that no trusted key signed comes in
 * without `allow_unsigned`; only the same system, driver build and architecture; what is there stays.
 */
#ifndef PACK_IMPORT_IMPORT_H
#define PACK_IMPORT_IMPORT_H

#include "jitwarm/prime.h"
#include "jitwarm/run.h"
#include "jitwarm/texts.h"
#include "pack/file/pack_read.h"

struct jw_import_options {
    const char *from;      /* a file, a folder, "-" (standard input) */
    struct jw_texts paths; /* software that becomes a root when the pack is in */
    struct jw_texts trust; /* files of public keys, for this run alone */
    bool allow_unsigned;
    bool dry_run; /* says what is in it and what it would do; writes nothing */
    bool as_root;
    bool quiet_misfit; /* of folders: packs of other machines are passed over without a word */
    unsigned wait_s;
};

struct jw_import_pack {
    const char *path;
    const struct jw_pack_manifest *manifest; /* NULL: it was not read */
    struct jw_pack_verdict signature;
    uint64_t entries, bytes, added, there; /* in the pack; added; were there before */
    const char *why; /* it was not taken: a sentence with both values; NULL: it was */
};

struct jw_import_report {
    const struct jw_run *run;
    struct jw_scope scope;
    struct jw_import_pack *packs;
    size_t n_packs;
    uint64_t added, added_bytes;
    struct jw_verify_report verify; /* a sample of at most 20 modules, loaded by a fresh process */
    struct jw_answer answer;        /* of `paths`, where some were given */
    bool answered;
};

bool jw_import(struct jw_run *run, const struct jw_import_options *o, struct jw_import_report *out, struct jw_err *err) JW_MUST;
/* The packs of `packs/` of the user and of the system, and of each `source =` folder, that are under this machine's key and signed by a
 * trusted key: prime takes them before it compiles. `*added`: entries. */
bool jw_import_own(struct jw_run *run, const struct jw_scope *scope, uint64_t *added, struct jw_err *err) JW_MUST;

#endif
