/*
 * Downloads the packs for this machine from a remote and imports them. The index decides which manifest fits. Each
 * layer is a pack and goes through all checks of import. A layer whose entries are in the cache is not downloaded
 * again.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/machine.h"
#include "fleet/remote/remote.h"
#include "pack/import/import.h"

enum jw_pull_state {
    JW_PULL_NEW,     /* dry run: would be downloaded */
    JW_PULL_HERE,    /* its entries are in the cache from an earlier pull */
    JW_PULL_IMPORTED /* imported with result `end` */
};

struct jw_pull_layer {
    const char *software, *digest;
    uint64_t size;
    enum jw_pull_state state;
    enum jw_end end;
    const char *why;                   /* import's reason; or NULL */
    uint64_t counts[JW_IMPORT_STATES]; /* entries */
    const char *key;                   /* id of the trusted key that signed it; or NULL */
    bool is_unsigned;                  /* its pack has no signature */
};

struct jw_pull_kind { /* one architecture of this machine */
    uint16_t sm;
    const char *tag;
    const char *digest;  /* of the manifest that fits; or NULL */
    const char *missing; /* why no manifest fits */
    struct jw_pull_layer *layers;
    size_t n;
};

struct jw_pull_report {
    struct jw_fleet_machine machine;
    struct jw_pull_kind *kinds;
    size_t n, missing; /* missing: kinds without a manifest */
    bool answered;     /* the remote did, whatever became of the rest */
    enum jw_end end;   /* the worst result of all layers */
    const char *why;
    struct jw_notes advice;                  /* commands that help, where nothing was asked of the remote */
    uint64_t layers, fetched, bytes_fetched; /* of layers */
    uint64_t counts[JW_IMPORT_STATES], bytes[JW_IMPORT_STATES];
    struct jw_cache_here cache;
    struct jw_next_start_answer next_start; /* of its layers */
    struct jw_notes notes;
    uint64_t milliseconds;
};

struct jw_pull_options {
    struct jw_remote_options net; /* only cacert to answer_ms */
    const struct jw_ref *ref;
    const struct jw_import_options *import; /* without the file */
    const struct jw_run *run;               /* of the imports, and shows the bytes of a layer */
    bool same_login; /* its programs have this environment: no fresh login is compared */
};

/* No layer of any kind: `kinds[0].missing` says why. */
bool jw_pull_fits_none(const struct jw_pull_report *r);

/* JW_E_NET: the remote failed; entries imported before that stay. `out` lives in `a`. */
bool jw_pull(const struct jw_pull_options *o, struct jw_arena *a, struct jw_pull_report *out,
             struct jw_err *err) JW_MUST;

#endif
