/*
 * A pack into the cache of this user: verified, held against this machine, unpacked beside the cache, and then published
 * into it. Whatever ends it early, the cache holds what it held before, or whole entries more.
 */
#ifndef PACK_IMPORT_IMPORT_H
#define PACK_IMPORT_IMPORT_H

#include "jitwarm/prime.h"
#include "os/files/file.h"
#include "pack/format/pack_manifest.h"
#include "pack/store/ages.h"

/* What became, or would become, of an entry. */
enum jw_import_state {
    JW_IMPORT_NEW,      /* wanted, and not there: what a dry run would import */
    JW_IMPORT_IMPORTED, /* is there now */
    JW_IMPORT_PRESENT,  /* was there, sound */
    JW_IMPORT_FOREIGN,  /* of software that was not found here */
    JW_IMPORT_BEYOND,   /* of software here that the key is not trusted for */
    JW_IMPORT_UNPROVEN, /* carried or forged, which this driver was not proven to take */
    JW_IMPORT_NO_ROOM,  /* beyond the limit of the cache */
    JW_IMPORT_REJECTED, /* could not be placed: `why` */
    JW_IMPORT_CANARY,   /* proves that this driver runs forged entries; it never goes into the cache */
    JW_IMPORT_STATES
};

/* "new" "imported" "present" "foreign" "out-of-scope" "unproven" "no-room" "rejected" "canary" */
const char *jw_import_state_name(enum jw_import_state s);

struct jw_import_entry {
    const struct jw_pack_entry *of;
    uint64_t bytes;     /* as the driver counts */
    const char *origin; /* the software that it is of; NULL: unknown */
    enum jw_import_state state;
    const char *why; /* a sentence, or NULL */
};

/* Something in which a machine must be like the one that a pack was made on. */
struct jw_import_factor {
    const char *name; /* "os" "arch" "stamp" "sm" "simulated" */
    const char *what; /* for people: "operating system" */
    char pack[96], here[96];
};

enum { JW_IMPORT_FACTORS = 5 };

/* What was made of the signature. */
struct jw_import_signature {
    bool scoped;         /* that key is trusted for some software alone */
    const char *state;   /* "unsigned" "trusted" "unknown" "wrong"; NULL: it was not looked at */
    const char *key;     /* id of the key; NULL: there is none */
    const char *comment; /* the trusted one; only when it is "trusted" */
    const char *from;    /* where that key is trusted: "/etc/jitwarm/keys/x.pub" */
    const char *where;   /* "x.tar.zst.minisig", "the pack itself" */
};

struct jw_import_report {
    enum jw_end end;
    const char *why; /* NULL, or the sentence of the end */
    bool dry_run;
    const char *pack;    /* as it is called */
    uint64_t pack_bytes; /* of the file */
    struct jw_import_signature signature;
    const struct jw_pack_manifest *manifest;            /* NULL: it was not read */
    struct jw_import_factor factors[JW_IMPORT_FACTORS]; /* that differ */
    size_t n_factors;
    struct jw_import_entry *entries; /* in the pack's order; none: it was not judged */
    size_t n_entries;
    uint64_t counts[JW_IMPORT_STATES],
        bytes[JW_IMPORT_STATES]; /* bytes as the driver counts: key + payload */
    uint64_t need;               /* bytes of all that is to be imported, whether it fits or not */
    const char *older;           /* NULL, or the sentence that asks whether an old pack is meant */
    struct jw_pack_age newest;   /* then: of what was imported before */
    const char *stored;          /* path in the store, when it is there; NULL */
    bool stored_before;          /* and was */
    uint64_t drawn;              /* entries that were to be compiled again */
    uint64_t audited;            /* of them those that were, and came out the same */
    bool sampled;                /* nobody asked for it: a few, as far as a minute goes */
    uint64_t records;            /* that wait to be in the index */
    uint64_t milliseconds;
    struct jw_prime_report prime; /* driver, GPUs, cache, notes, advice, verify */
};

struct jw_import_progress {
    const char *what;     /* "checking x.tar.zst" */
    uint64_t done, total; /* bytes; total 0: it is not known how much it is */
};

struct jw_import_options {
    const char *file;         /* "-": standard input */
    const char *const *paths; /* software that it may be for; none: what was primed, and what is found */
    size_t n_paths;
    const char *cache;        /* another root; NULL: the one that programs use */
    const char *const *trust; /* files of public keys, in place of those of the key folder */
    size_t n_trust;
    const char *signature; /* a file; NULL: the one beside the pack, or in it */
    bool allow_unsigned;
    bool foreign; /* entries of any software; refused for a key that is trusted for some alone */
    bool forged;  /* entries of another compiler than the driver's, once that is proven here; else never */
    bool force;   /* more than the limit of the cache allows */
    bool yes, dry_run;
    bool older;      /* although a newer one was imported before; without it and `ask` that ends the run */
    bool no_store;   /* the pack is kept elsewhere */
    bool verify_all; /* load all that was imported again; else a sample */
    bool no_verify;
    unsigned
        audit; /* percent of the entries that are compiled again; 0: a few of a pack that nobody vouches for */
    bool no_audit;    /* not even those */
    unsigned wait_s;  /* for another jitwarm to end; UINT_MAX: for ever */
    unsigned threads; /* 0: as many as are of use */
    bool as_root;
    const char *exe, *driver; /* as in jw_prime_options; and so are these: */
    const atomic_bool *interrupted;
    /* Of the pack, which is open: may it be read at all? NULL: whoever may change it. */
    bool (*judge)(void *ctx, const struct jw_file *pack, struct jw_err *err);
    bool (*ask)(void *ctx, const char *question, bool usual);        /* NULL: nobody is there */
    void (*progress)(void *ctx, const struct jw_import_progress *p); /* NULL: nobody listens; from any thread,
                                                                        one at a time */
    void *ctx;
};

struct jw_import_memory;

/* False: a file or an option that makes no sense (JW_E_USAGE), a bug. All else is in the report. */
bool jw_import(const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_import_memory **memory, struct jw_err *err);
void jw_import_free(struct jw_import_memory *m); /* all that the report points to; accepts NULL */

#endif
