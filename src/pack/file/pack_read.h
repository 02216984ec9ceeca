/* Reads a pack, in this order: jw_pack_open finds its end; jw_pack_check hashes the raw bytes and
 * checks the signature; jw_pack_manifest decompresses the manifest, from bytes in memory that were
 * hashed; jw_pack_read decompresses the entries. Only jw_pack_peek decompresses unchecked bytes. A
 * bad pack is JW_E_FORMAT, a bad signature or key JW_E_TRUST. Their sentences are the reason alone:
 * the caller names the pack. */
#pragma once

#include "base/source.h"
#include "jitwarm/run.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "pack/keys/keys.h"

struct jw_pack_in {
    const char *path;       /* borrowed */
    struct jw_source bytes; /* the whole pack */
    uint64_t list_at;       /* where the list of the frames begins, before the manifest's frame */
    uint64_t trailer_at;
    struct jw_trailer trailer;
    bool checked;         /* all bytes before the trailer have its digest */
    struct jw_buf ending; /* the bytes from list_at to trailer_at, read once, which are checked */
    struct jw_bytes digests; /* in `ending`: of each frame of entries; set by jw_pack_manifest */
    struct jw_file file;
    struct jw_buf frame; /* the trailer's bytes */
};

/* Close `in` also after a failure, and do not copy it. */
bool jw_pack_open(struct jw_pack_in *in, const char *path, struct jw_err *err) JW_MUST;
void jw_pack_close(struct jw_pack_in *in);

enum jw_pack_signature {
    /* the bytes were not read to their end, or do not have the trailer's digest */
    JW_PACK_UNCHECKED,
    JW_PACK_UNSIGNED,
    JW_PACK_SIGNED_UNKNOWN, /* by a key that is not trusted, so it cannot be checked */
    JW_PACK_SIGNED,         /* by a trusted key */
    JW_PACK_SIGNED_WRONG    /* invalid signature */
};
enum { JW_PACK_SIGNATURES = JW_PACK_SIGNED_WRONG + 1 };

struct jw_pack_verdict {
    enum jw_pack_signature kind;
    char key[17];    /* id of the key, or "" */
    bool beside;     /* the signature is a file beside the pack */
    const char *why; /* WRONG: a sentence */
};

/* Reads all raw bytes once. False: they do not have the trailer's digest, or cannot be read. The
 * verdict is about the signature; its texts live in `a`. `run`, which may be NULL, shows the raw
 * bytes. */
bool jw_pack_check(struct jw_pack_in *in, const struct jw_trusted_keys *keys,
                   const struct jw_run *run, struct jw_arena *a, struct jw_pack_verdict *out,
                   struct jw_err *err) JW_MUST;

/* True: a trusted key signed it, or no trusted key did and `allow_unsigned` is set. A wrong
 * signature is always refused. False: JW_E_TRUST, with the reason. */
bool jw_pack_check_trust(const struct jw_pack_verdict *v, bool allow_unsigned,
                         struct jw_err *err) JW_MUST;

/* From the checked bytes, in `a`. */
bool jw_pack_manifest(struct jw_pack_in *in, struct jw_arena *a,
                      const struct jw_pack_manifest **out, struct jw_err *err) JW_MUST;

/* Called for the entries of a frame, which have the names and sizes of the manifest. */
struct jw_pack_visitor {
    /* m->entries[first] and those behind it; from several threads at once. */
    bool (*entries)(void *ctx, size_t first, size_t n, const struct jw_bytes *files,
                    struct jw_err *err);
    void *ctx;
};

/*
 * Decompresses all frames and gives the entries to the visitor, in any order and from several
 * threads. `m` is from jw_pack_manifest, and each frame has its digest in the checked list, so a
 * file that was changed since the check gives no foreign entry. `threads` 0: one per CPU, 5 at
 * most. `run`, which may be NULL, shows the bytes of tar. A visitor's error is returned unchanged.
 */
bool jw_pack_read(struct jw_pack_in *in, const struct jw_pack_manifest *m,
                  struct jw_pack_visitor to, unsigned threads, const struct jw_run *run,
                  struct jw_err *err) JW_MUST;

struct jw_pack_peeked {
    struct jw_pack_manifest manifest;
    char key[17]; /* id of the key in the signature; "": there is none, or it cannot be read */
};

/* Reads what a file says of itself and VERIFIES NOTHING. Texts live in `a`. JW_E_TRUST: by what it
 * says none of `keys` signed it (NULL: any signature will do, or none), and its manifest was not
 * decompressed. */
bool jw_pack_peek(const char *path, const struct jw_trusted_keys *keys, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err) JW_MUST;
