/* A registry that holds packs, by OCI's distribution protocol: manifests by tag, blobs by digest.
 * What is read from it is checked against its digest and size. JW_E_NET: it is unreachable or
 * returned bad data. */
#pragma once

#include "fleet/format/oci.h"
#include "fleet/format/ref.h"
#include "machine/config.h"

struct jw_remote_options {
    const struct jw_ref *ref;
    const char *cacert; /* file; NULL: the system's roots */
    const char *login;  /* "user:password"; NULL: look for one */
    bool plain_http;    /* allow http to other machines */
    /* Of a `source =` line, which nobody waits for: its first document has so much time, and one
     * try. 0: a person named it. */
    unsigned answer_ms;
    uint64_t until; /* monotonic nanoseconds, when all of it ends; 0: each request has an hour */
};

/* Adds the `plain_http` and `cacert` lines of jitwarm.conf. A line that others could have written
 * does not count, for it would decide which server gets the login; `ignored` gets a sentence for
 * each. */
void jw_remote_configure(struct jw_remote_options *o, const struct jw_config *c, struct jw_arena *a,
                         struct jw_texts *ignored);

struct jw_remote;

/* `run` shows the bytes of one blob, and ends it. */
bool jw_remote_open(const struct jw_remote_options *o, struct jw_run *run, struct jw_remote **out,
                    struct jw_err *err) JW_MUST;
void jw_remote_close(struct jw_remote *r); /* accepts NULL */

/* Adds the packs of a tag; where there is no such tag, none. */
bool jw_remote_manifest(struct jw_remote *r, const char *tag, struct jw_oci_manifest *out,
                        struct jw_err *err) JW_MUST;
bool jw_remote_put_manifest(struct jw_remote *r, const char *tag, struct jw_bytes text,
                            struct jw_err *err) JW_MUST;

bool jw_remote_has(struct jw_remote *r, const char *digest, bool *there,
                   struct jw_err *err) JW_MUST;
/* Sends what is not there yet. */
bool jw_remote_put(struct jw_remote *r, const struct jw_oci_layer *layer, const char *file,
                   bool *sent, struct jw_err *err) JW_MUST;
/* Downloads a blob into a new file; one that is not whole is removed. */
bool jw_remote_get(struct jw_remote *r, const struct jw_oci_layer *layer, const char *path,
                   struct jw_err *err) JW_MUST;
