/*
 * Packs to a place that several machines share. One manifest for each driver build and architecture, one layer for each
 * pack, and an index that names the manifests. What lies there already is not moved again; the tag comes last.
 */
#ifndef FLEET_PUSH_H
#define FLEET_PUSH_H

#include "fleet/remote/remote.h"
#include "pack/export/export.h"

struct jw_push_layer {
    const char *software; /* names of its origins, a blank between them; "unknown" */
    const char *digest;
    uint64_t size, entries, bytes; /* bytes: as the driver counts */
    bool is_signed;
    bool moved, mounted; /* mounted: another repository there gave it, and nothing was sent */
    bool kept;           /* of an earlier push of other software; not in this push */
};

struct jw_push_kind {         /* one driver build and architecture */
    const char *tag, *digest; /* of its manifest */
    const char *driver, *stamp, *system;
    uint16_t sm;
    bool simulated, attached; /* attached: the registry lists it with the image that it belongs to */
    uint64_t replaced;        /* layers of earlier pushes that the manifest no longer names */
    struct jw_push_layer *layers;
    size_t n;
};

struct jw_push_report {
    struct jw_push_kind *kinds;
    size_t n;
    uint64_t layers, layers_moved, bytes, bytes_moved; /* of layers */
    uint64_t milliseconds;
    struct jw_export_report made; /* of `make`; neither done nor partly: nothing was pushed */
};

struct jw_push_options {
    struct jw_remote_options net; /* mount to deadline_s */
    const char *attach;           /* tag or digest of an image there that the packs belong to; NULL: none */
    const struct jw_ref *ref;     /* its tag; none: one for each kind, as jw_fleet_tag has it */
    const struct jw_export_options
        *make;                /* packs by origin, into a folder; of what lies there already none is made */
    const char *const *packs; /* files, in place of these */
    size_t n_packs;
    bool replace; /* keep no layer of an earlier push of the same kind */
    const atomic_bool *interrupted;
    void (*progress)(void *ctx, uint64_t done,
                     uint64_t total); /* of all layers of a kind; NULL: nobody listens */
    void *ctx;
};

/* Everything in `out` lives in `a`. */
bool jw_push(const struct jw_push_options *o, struct jw_arena *a, struct jw_push_report *out,
             struct jw_err *err) JW_MUST;

#endif
