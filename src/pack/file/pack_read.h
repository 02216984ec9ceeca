/*
 * A pack, read. In this order, which the functions hold: jw_pack_open finds its end, jw_pack_check hashes the raw bytes
 * and judges the signature, jw_pack_manifest decompresses the manifest out of the bytes that were hashed, jw_pack_read the
 * entries, whose digests are in it. Nothing is decompressed that was not checked; jw_pack_peek is the one exception, and
 * says so.
 *
 * What is wrong with a pack itself is JW_E_FORMAT, whatever it is; a signature or a key, JW_E_TRUST.
 */
#ifndef PACK_FILE_PACK_READ_H
#define PACK_FILE_PACK_READ_H

#include "base/source.h"
#include "os/files/file.h"
#include "pack/format/pack_layout.h"
#include "pack/keys/keys.h"

#include <stdatomic.h>

/* ---- open ---- */

struct jw_pack_in {
    const char *name;       /* for sentences: the path, or "standard input"; borrowed or static */
    const char *path;       /* NULL: it was no file */
    struct jw_source bytes; /* all of them */
    uint64_t index, body;   /* where the manifest's frame and the trailer begin */
    struct jw_trailer trailer;
    bool checked;           /* its body has the trailer's digest, */
    struct jw_buf manifest; /* and this was between index and body then */
    struct jw_file file;
    struct jw_buf frame; /* the trailer's bytes */
    char *spooled;       /* removed by jw_pack_close */
};

struct jw_pack_open_options {
    const char *spool_dir;          /* for "-": a private folder that is there (os/files/scratch.h) */
    uint64_t spool_max;             /* bytes; 0: JW_MAX_PACK_FILE */
    const atomic_bool *interrupted; /* NULL: never */
};

/* `path` "-": standard input, to its end. The errors name the file. `in` may be closed after a failure. It must stay where
 * it is. */
bool jw_pack_open(struct jw_pack_in *in, const char *path, const struct jw_pack_open_options *o,
                  struct jw_err *err) JW_MUST;
/* It could not be opened by a name that a user gave: what he can mend is JW_E_USAGE, in his words. False. */
bool jw_pack_misnamed(const char *path, struct jw_err *err);
/* Of bytes that are somewhere else, called `name`; `bytes` is borrowed. */
bool jw_pack_open_source(struct jw_pack_in *in, struct jw_source bytes, const char *name,
                         struct jw_err *err) JW_MUST;
void jw_pack_close(struct jw_pack_in *in);

/* ---- check ---- */

enum jw_pack_signature {
    JW_PACK_UNSIGNED,
    JW_PACK_SIGNED,         /* by a key that is trusted */
    JW_PACK_SIGNED_UNKNOWN, /* by a key that is not among them: nothing is known of it */
    JW_PACK_SIGNED_WRONG    /* not by the key that it names, or of other bytes, or it cannot be read */
};

struct jw_pack_verdict {
    enum jw_pack_signature kind;
    char key[17];                    /* id of the key; "" when there is none */
    const struct jw_trusted_key *by; /* SIGNED */
    const char *comment;             /* SIGNED: its trusted comment; clean it before showing it */
    const char *where;               /* "x.tar.zst.minisig", or "the pack itself"; NULL: there is none */
    const char *why;                 /* WRONG: a sentence */
    struct jw_bytes beside;          /* the signature's file, as it was read; none: it is in the pack */
};

struct jw_pack_check_options {
    const char
        *signature; /* --signature FILE, over the whole pack, in place of what is beside it; NULL: none */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* raw bytes; may be NULL */
    void *ctx;
};

/*
 * Reads all raw bytes once. False: they are not those that the trailer's digest is of, or could not be read. The verdict
 * is about the signature alone; its texts live in `a`. Of several signatures one wrong one decides, then one that is
 * trusted.
 */
bool jw_pack_check(struct jw_pack_in *in, const struct jw_trusted_keys *keys,
                   const struct jw_pack_check_options *o, struct jw_arena *a, struct jw_pack_verdict *out,
                   struct jw_err *err) JW_MUST;

/* May it be believed? JW_E_TRUST with the sentence that says why not, and what to do. */
bool jw_pack_admit(const struct jw_pack_in *in, const struct jw_pack_verdict *v, bool allow_unsigned,
                   struct jw_err *err) JW_MUST;

/* May that key vouch for all origins of these entries? To be asked in the visitor's `manifest`. True for unsigned packs:
 * that they were admitted was the caller's decision. */
bool jw_pack_covered(const struct jw_pack_verdict *v, const struct jw_pack_manifest *m,
                     struct jw_err *err) JW_MUST;

/* ---- read ---- */

/* Out of the bytes that were checked. It lives in `a`. */
bool jw_pack_manifest(struct jw_pack_in *in, struct jw_arena *a, const struct jw_pack_manifest **out,
                      struct jw_err *err) JW_MUST;

struct jw_pack_read_options {
    unsigned threads; /* 0: one for each processor, 5 at most */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, uint64_t done,
                     uint64_t total); /* bytes of tar; one thread at a time; may be NULL */
    void *ctx;
};

/*
 * All frames are measured; then each is decompressed, and its entries are given to the visitor: in no order, from several
 * threads at once, each after its digest was found to be the one in `m`, which jw_pack_manifest gave. So a file that was
 * changed behind our back since it was checked gives no entry that is not the pack's own. A visitor's failure comes through as it is.
 */
bool jw_pack_read(struct jw_pack_in *in, const struct jw_pack_manifest *m, struct jw_pack_visitor to,
                  const struct jw_pack_read_options *o, struct jw_err *err) JW_MUST;

/* ---- peek ---- */

enum jw_pack_seen { JW_PACK_SEEN_NONE, JW_PACK_SEEN_INSIDE, JW_PACK_SEEN_BESIDE };

struct jw_pack_peeked {
    struct jw_pack_manifest manifest;
    uint64_t tar_bytes;          /* as the manifest has it */
    uint64_t bytes;              /* of the file */
    enum jw_pack_seen signature; /* is there one? */
    char key[17];                /* that it names; "" when there is none or it cannot be read */
};

/*
 * The manifest alone. NOTHING IS VERIFIED: it is for telling a person what a pack says of itself. `path` "-": standard
 * input, kept in `o->spool_dir` meanwhile. Texts live in `a`.
 */
bool jw_pack_peek(const char *path, const struct jw_pack_open_options *o, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err) JW_MUST;

#endif
