/*
 * Packs for this machine out of a place that several machines share. The index alone decides which manifest fits; each of
 * its layers is a pack that goes through import, with all its checks, keys and judges. A layer whose entries are in the cache
 * is not fetched again.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/machine.h"
#include "fleet/remote/remote.h"
#include "pack/import/import.h"

enum jw_pull_state {
    JW_PULL_NEW,     /* a dry run would fetch it */
    JW_PULL_HERE,    /* its entries are in the cache since an earlier pull; nothing was fetched */
    JW_PULL_IMPORTED /* it went through import: `end` */
};

struct jw_pull_layer {
    const char *software, *digest;
    uint64_t size;
    enum jw_pull_state state;
    enum jw_end end;
    const char *why;                   /* of import; NULL: nothing to say */
    uint64_t counts[JW_IMPORT_STATES]; /* entries */
    const char *key;                   /* id of the key that signed it; NULL: none */
};

struct jw_pull_kind { /* one architecture of this machine */
    uint16_t sm;
    const char *tag;     /* that was looked for; NULL: a digest was */
    const char *digest;  /* of the manifest that fits; NULL: none does */
    const char *missing; /* why there is none: a sentence */
    struct jw_pull_layer *layers;
    size_t n;
};

struct jw_pull_report {
    struct jw_fleet_machine machine;
    struct jw_pull_kind *kinds;
    size_t n, missing; /* missing: kinds without a manifest */
    enum jw_end end;   /* the worst of all layers */
    const char *why;
    uint64_t layers, fetched, bytes_fetched; /* of layers */
    uint64_t counts[JW_IMPORT_STATES], bytes[JW_IMPORT_STATES];
    const char *cache;
    struct jw_notes notes;
    uint64_t milliseconds;
};

struct jw_pull_options {
    struct jw_remote_options net; /* cacert to deadline_s */
    const struct jw_ref *ref;
    const char *const *gpus;
    size_t n_gpus;
    const struct jw_import_options *import;                     /* all but its file */
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* of one layer; NULL: nobody listens */
    void *ctx;
};

/* Everything in `out` lives in `a`. JW_E_NET: the place is at fault; the cache has whole entries more, or none. */
bool jw_pull(const struct jw_pull_options *o, struct jw_arena *a, struct jw_pull_report *out,
             struct jw_err *err) JW_MUST;

#endif
