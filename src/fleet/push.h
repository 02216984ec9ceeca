/*
 * Uploads packs to a remote: one layer for each pack, one manifest for each driver build and architecture, and an index
 * under the tag. Layers that the remote has are not sent again. The index is written last.
 */
#ifndef FLEET_PUSH_H
#define FLEET_PUSH_H

#include "fleet/matrix.h"
#include "fleet/remote/remote.h"
#include "pack/export/export.h"

#define JW_PUSH_SENDING "sending" /* jw_progress.what while layers travel; bytes of all of them */

struct jw_push_layer {
    const char *software; /* names of its origins, separated by blanks; or "unknown" */
    const char *digest;
    uint64_t size, entries, bytes; /* bytes: of the entries */
    const char *key;               /* id of the key that signed it, as its pusher says; NULL: unsigned */
    bool moved;
    bool kept; /* from an earlier push of other software */
};

struct jw_push_kind {         /* one driver build and architecture */
    const char *tag, *digest; /* digest of its manifest */
    const char *driver, *stamp, *system;
    uint16_t sm;
    uint64_t replaced;        /* layers of earlier pushes that the manifest no longer names */
    const char *replaced_key; /* that signed one of them, and none of this push; or NULL */
    struct jw_push_layer *layers;
    size_t n;
};

struct jw_push_report {
    struct jw_push_kind *kinds;
    size_t n;
    uint64_t layers, layers_moved, bytes, bytes_moved; /* of layers */
    uint64_t other_files;                              /* for other caches, in these packs */
    uint64_t milliseconds;
    struct jw_export_report made; /* of `make`; if its end is neither done nor partly, nothing was pushed */
};

struct jw_push_options {
    struct jw_remote_options net; /* only cacert to deadline_s */
    const struct jw_ref *ref;     /* without a tag: jw_fleet_tag of each kind */
    /* makes the packs that the remote lacks; by origin, into a folder */
    const struct jw_export_options *make;
    const char *const *packs; /* if `make` is NULL: push these files */
    size_t n_packs;
    const struct jw_matrix_input *inputs; /* the inputs of each architecture; none: not known */
    size_t n_inputs;
    bool replace;       /* keep no layer of an earlier push of the same kind */
    struct jw_run *run; /* of `make` */
};

/* `out` lives in `a`. */
bool jw_push(const struct jw_push_options *o, struct jw_arena *a, struct jw_push_report *out,
             struct jw_err *err) JW_MUST;

#endif
