/* Adds packs to a registry. It has one manifest for each kind of machine (system, architecture,
 * driver build), under its tag; one layer for each pack, with the names of its entries, so that a
 * machine that has them all downloads nothing. What is there is not sent again, and the manifest is
 * written last, so readers see old packs or new ones. Those of other software stay. */
#pragma once

#include "fleet/remote/remote.h"
#include "pack/format/pack_manifest.h"

struct jw_push_layer {
    const char *path; /* of its file; NULL: it stays from an earlier push, of other software */
    const char *tag;
    uint16_t sm;
    struct jw_oci_layer layer;
    bool sent;
};

struct jw_push_report {
    struct jw_push_layer *layers;
    size_t n;
    uint64_t replaced; /* packs of earlier pushes that were removed */
    uint64_t sent_bytes;
};

/* JW_E_NET: the remote failed. JW_E_TRUST: an unsigned file of `packs` would replace a signed one.
 * `out` lives in run->a. */
bool jw_push(struct jw_run *run, const struct jw_remote_options *net, struct jw_texts packs,
             struct jw_push_report *out, struct jw_err *err) JW_MUST;
