/*
 * The tar of a pack, held against its own manifest while it is read: the manifest comes first, then exactly the entries
 * that it names, in its order, with its sizes and digests.
 */
#ifndef PACK_FORMAT_PACK_MEMBERS_H
#define PACK_FORMAT_PACK_MEMBERS_H

#include "pack/format/pack_manifest.h"
#include "pack/format/tar.h"

/* Who is told. An entry's data are given before its digest is known: only `done` says that they are its own. */
struct jw_pack_visitor {
    bool (*manifest)(void *ctx, const struct jw_pack_manifest *m,
                     struct jw_err *err); /* is the pack wanted? */
    bool (*entry)(void *ctx, const struct jw_pack_entry *e, struct jw_err *err);
    bool (*data)(void *ctx, const void *p, size_t n, struct jw_err *err);
    bool (*done)(void *ctx, struct jw_err *err);
    void *ctx;
};

struct jw_pack_members {
    struct jw_pack_visitor to;
    struct jw_tar_reader tar;
    struct jw_buf text; /* of the manifest */
    struct jw_arena *a;
    struct jw_pack_manifest manifest;
    struct jw_digest_state digest;
    size_t read; /* members that were whole, the manifest among them */
};

/* The manifest will live in `a`. */
void jw_pack_members_begin(struct jw_pack_members *p, struct jw_pack_visitor to, struct jw_arena *a);
/* The uncompressed tar, in any parts. `p` is borrowed. */
struct jw_sink jw_pack_members_sink(struct jw_pack_members *p);
/* Was it whole, and everything there? */
bool jw_pack_members_end(const struct jw_pack_members *p, struct jw_err *err) JW_MUST;
void jw_pack_members_free(struct jw_pack_members *p);

#endif
