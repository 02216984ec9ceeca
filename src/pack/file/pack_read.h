/*
 * A pack, read. In this order, which the functions hold: jw_pack_open finds its end, jw_pack_check hashes the raw bytes
 * and judges the signature, jw_pack_read decompresses. Nothing is decompressed that was not checked; jw_pack_peek is the
 * one exception, and says so.
 *
 * What is wrong with a pack itself is JW_E_FORMAT, whatever it is; a signature or a key, JW_E_TRUST.
 */
#ifndef PACK_FILE_PACK_READ_H
#define PACK_FILE_PACK_READ_H

#include "base/source.h"
#include "os/files/file.h"
#include "pack/format/pack_members.h"
#include "pack/format/pack_trailer.h"
#include "pack/keys/keys.h"

#include <stdatomic.h>

/* ---- open ---- */

struct jw_pack_in {
    const char *name;       /* for sentences: the path, or "standard input"; borrowed or static */
    const char *path;       /* NULL: it was no file */
    struct jw_source bytes; /* all of them */
    uint64_t body;          /* where the trailer begins */
    struct jw_trailer trailer;
    bool checked; /* its body has the trailer's digest */
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

struct jw_pack_read_options {
    unsigned threads; /* 0: one for each processor, 3 at most */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* bytes of tar; may be NULL */
    void *ctx;
};

/*
 * Decompresses and gives what is in it to the visitor, in order, from one thread at a time, not always the caller's (nor
 * does a visitor's error say that). The manifest lives in `a`. The raw bytes are hashed once more: until this has
 * returned true, the file may have been changed behind our back since it was checked, so nothing that the visitor got may
 * be of consequence before. A visitor's failure comes through as it is, with the pack's name before it.
 */
bool jw_pack_read(struct jw_pack_in *in, struct jw_pack_visitor to, const struct jw_pack_read_options *o,
                  struct jw_arena *a, struct jw_err *err) JW_MUST;

/* ---- peek ---- */

enum jw_pack_seen { JW_PACK_SEEN_NOT, JW_PACK_SEEN_NONE, JW_PACK_SEEN_INSIDE, JW_PACK_SEEN_BESIDE };

struct jw_pack_peeked {
    struct jw_pack_manifest manifest;
    uint64_t tar_bytes;          /* as the manifest has it */
    uint64_t bytes;              /* of the file; 0: it came through a pipe */
    bool whole;                  /* a trailer is at its end; never of a pipe */
    enum jw_pack_seen signature; /* is there one? NOT: it came through a pipe, whose end was not read */
    char key[17];                /* that it names; "" when there is none or it cannot be read */
};

/*
 * The first frame alone, which holds the manifest. NOTHING IS VERIFIED: it is for telling a person what a pack says of
 * itself. `path` "-": standard input, of which no more is read than that frame and what came with it. Texts live in `a`.
 */
bool jw_pack_peek(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err) JW_MUST;

#endif
