/*
 * Takes what is under this machine's key from a registry or a folder of packs. Each layer is a pack and goes through all steps of
 * an import; nothing of the remote is trusted. A layer whose entries are all in the cache is not downloaded.
 */
#ifndef FLEET_PULL_H
#define FLEET_PULL_H

#include "fleet/remote/remote.h"
#include "pack/import/import.h"

struct jw_pull_layer {
    uint16_t sm;
    const char *software; /* of a folder: the name of the file */
    const char *digest;   /* NULL: of a folder */
    uint64_t size;
    bool here; /* its entries are in the cache already: it was not downloaded */
    bool fetched;
    enum jw_end end; /* of its import */
    const char *why; /* it was not taken: a sentence; NULL: it was */
    const char *key; /* id of the trusted key that signed it, or NULL */
    uint64_t entries, added;
};

struct jw_pull_report {
    const struct jw_run *run; /* `end` is the worst of the layers; UNFIT: there is nothing under this key */
    const struct jw_cause *stopped; /* what ended it before it began; NULL: nothing did */
    struct jw_scope scope;
    struct jw_pull_layer *layers; /* of all architectures of this machine */
    size_t n;
    bool answered; /* the remote did, whatever became of the rest */
    uint64_t fetched_bytes, added, added_bytes;
    struct jw_look look; /* `scope` lives in it */
};

struct jw_pull_options {
    struct jw_remote_options net;    /* without run */
    struct jw_import_options import; /* without `from` */
};

/* JW_E_NET: the remote failed; what was imported before that stays. `out` lives in run->a until jw_pull_free. */
bool jw_pull(struct jw_run *run, const struct jw_pull_options *o, struct jw_pull_report *out,
             struct jw_err *err) JW_MUST;
void jw_pull_free(struct jw_pull_report *r); /* accepts a zeroed one */

#endif
