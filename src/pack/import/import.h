/*
 * Imports a pack into this user's cache: verifies it, compares it with this machine, unpacks it beside the cache and
 * publishes the entries. If the run stops early, the cache has its old entries and possibly some new whole ones.
 */
#ifndef PACK_IMPORT_IMPORT_H
#define PACK_IMPORT_IMPORT_H

#include "jitwarm/prime.h"
#include "os/files/file.h"
#include "pack/format/pack_manifest.h"
#include "prime/memory/next_start.h"

enum jw_import_state {
    JW_IMPORT_NEW,      /* to import; a dry run stops here */
    JW_IMPORT_IMPORTED, /* now in the cache */
    JW_IMPORT_PRESENT,  /* was already in the cache, valid */
    JW_IMPORT_FOREIGN,  /* its software was not found here */
    JW_IMPORT_NO_ROOM,  /* does not fit under the cache's limit */
    JW_IMPORT_UNPROVEN, /* cannot be compiled again, so no audit can check it, and no trusted key signed it */
    JW_IMPORT_REJECTED, /* could not be published: `why` */
    JW_IMPORT_STATES
};

/* "new" "imported" "present" "foreign" "no-room" "unproven" "rejected" */
extern const char *const jw_import_state_names[JW_IMPORT_STATES];

struct jw_import_entry {
    const struct jw_pack_entry *of;
    uint64_t bytes;     /* key + payload, as the driver counts */
    const char *origin; /* its software; NULL: unknown */
    enum jw_import_state state;
    const char *why; /* a sentence, or NULL */
};

/* A property that must be equal on this machine and the one that made the pack. */
struct jw_import_factor {
    const char *name; /* "os" "arch" "stamp" "sm" */
    const char *what; /* for people: "operating system" */
    char pack[96], machine[96];
};

enum { JW_IMPORT_FACTORS = 5 };

struct jw_import_signature {
    const char *state;   /* "unsigned" "trusted" "unknown" "wrong"; NULL: not checked yet */
    const char *key;     /* id of the key, or NULL */
    const char *comment; /* minisign's trusted comment, if the state is "trusted" */
    const char *from;    /* the file that makes the key trusted: "/etc/jitwarm/keys/x.pub" */
    const char *where;   /* "x.tar.zst.minisig", "the pack itself" */
};

struct jw_kit_sum;

struct jw_import_report {
    const struct jw_run *run; /* how it ended, notes and advice */
    struct jw_driver_here driver;
    struct jw_cache_here cache;
    bool dry_run;
    const char *pack;    /* its name in messages */
    uint64_t pack_bytes; /* of the file */
    struct jw_import_signature signature;
    const struct jw_pack_manifest *manifest;            /* NULL: not read yet */
    struct jw_import_factor factors[JW_IMPORT_FACTORS]; /* that differ */
    size_t n_factors;
    struct jw_import_entry *entries; /* in the pack's order; none: the run ended before */
    size_t n_entries;
    uint64_t counts[JW_IMPORT_STATES], bytes[JW_IMPORT_STATES];
    uint64_t need;                /* bytes of all new entries, whether they fit or not */
    size_t kit_skipped;           /* files for other caches that this kind of import does not place */
    const struct jw_kit_sum *kit; /* files for other caches, of each */
    size_t n_kit;
    const char *stored; /* path in the store, or NULL */
    bool stored_before; /* was already in the store */
    uint64_t drawn;     /* entries chosen for the audit */
    uint64_t audited;   /* of those, compiled again with an identical result */
    bool sampled;       /* an automatic audit, limited to a minute */
    uint64_t records;   /* entries that the cache's index does not list yet */
    struct jw_verify_report verify;
    const uint64_t *loaded; /* names of the entries that verify loads; `verify.misses` index them */
    uint64_t to_verify;     /* entries that these are of */
    bool verify_sampled;    /* a part of them was chosen */
    const char *index;      /* as in struct jw_next_start_facts */
    const char *obstacle;   /* dry run: why programs may find nothing in this cache; NULL: they do */
    struct jw_next_start_answer next_start; /* of jw_import_facts */
};

struct jw_import_options {
    const char *file;      /* "-": standard input */
    struct jw_texts paths; /* software; none: software that was primed before or is found here */
    struct jw_texts trust; /* files of public keys, in addition to the key folders */
    bool allow_unsigned;
    const char *pulled; /* the reference that `file` came from, which is not kept; NULL: nobody pulled it */
    bool of_source;     /* no verb of a person: no option lets an unsigned pack in */
    bool everything;    /* also entries of software that is not here */
    bool yes, dry_run;
    bool no_store;
    /* from this user's store: a pack without a signature that his jitwarm made is trusted (jw_store_is_own) */
    bool from_own_store;
    bool no_verify;
    bool entries_only; /* no files for other caches: no report would show them */
    unsigned audit;    /* percent of the entries to compile again; 0: a few, unless a trusted key signed */
    unsigned wait_s;   /* for another jitwarm to end; UINT_MAX: no limit */
    unsigned threads;  /* 0: automatic */
    bool as_root;
    /* May the open pack be read? Gets the `ctx` of the run; NULL: yes */
    bool (*check)(void *ctx, const struct jw_file *pack, struct jw_err *err);
};

/* False for an invalid file or option (JW_E_USAGE) and for internal errors. All other results are in the report. */
bool jw_import(struct jw_run *run, const struct jw_import_options *o, struct jw_import_report *out,
               struct jw_err *err);

/* The facts about the software of its entries, without those that were skipped as foreign. The texts are
 * those of the report. */
struct jw_next_start_facts jw_import_facts(const struct jw_import_report *r);

/* ---- several packs ---- */

struct jw_import_files {
    const char **v;
    size_t n;
};

/* Adds the file, or all *.tar.zst of the folder. JW_E_USAGE: it has none. */
bool jw_import_list(const char *path, struct jw_arena *a, struct jw_import_files *out, struct jw_err *err);

struct jw_import_set {
    struct jw_import_report *packs; /* those that fit this machine, and files that are no packs */
    size_t n;
    const char **skipped; /* packs for other machines */
    size_t n_skipped;
    enum jw_end end;         /* the worst of them; JW_END_UNFIT: none fits */
    const char *const *todo; /* the verb's: the next command, if any */
    size_t n_todo;
};

/* Imports what fits, each pack with a run of its own. Packs for other machines are not stored. */
bool jw_import_all(const struct jw_run *run, const struct jw_import_options *o,
                   const struct jw_import_files *files, struct jw_import_set *out, struct jw_err *err);

/* Returns how bad an import's end is: the higher, the worse. */
unsigned jw_import_rank(enum jw_end e);

#endif
