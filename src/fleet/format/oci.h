/*
 * OCI's two documents, as far as packs need them: an image index, whose items are manifests, and an image manifest, whose
 * items are layers. Written in one spelling, so that the same content is the same bytes; read from anybody, strictly in
 * what matters (digests, sizes, kinds), and what else is in them is read over. Pure.
 */
#ifndef FLEET_FORMAT_OCI_H
#define FLEET_FORMAT_OCI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#define JW_OCI_INDEX "application/vnd.oci.image.index.v1+json"
#define JW_OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define JW_OCI_EMPTY "application/vnd.oci.empty.v1+json"
#define JW_OCI_ARTIFACT "application/vnd.jitwarm.packs.v1"     /* artifactType of our manifests */
#define JW_OCI_PACK "application/vnd.jitwarm.pack.v1.tar+zstd" /* a layer: one pack */
#define JW_OCI_REF_NAME "org.opencontainers.image.ref.name"
#define JW_OCI_TITLE "org.opencontainers.image.title"
#define JW_OCI_EMPTY_DIGEST                                                                                  \
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" /* of "{}" */

/* Our annotations. */
#define JW_OCI_STAMP "io.jitwarm.stamp"         /* of libcuda, as it stands in keys */
#define JW_OCI_DRIVER "io.jitwarm.driver"       /* its version, for people */
#define JW_OCI_SM "io.jitwarm.sm"               /* "86" */
#define JW_OCI_SYSTEM "io.jitwarm.system"       /* "linux-x86_64" */
#define JW_OCI_SIMULATED "io.jitwarm.simulated" /* "true": no real driver made it */
#define JW_OCI_SOFTWARE "io.jitwarm.software"   /* names of origins, a blank between them */
#define JW_OCI_ENTRIES "io.jitwarm.entries"     /* a count */
#define JW_OCI_BYTES "io.jitwarm.bytes"         /* as the driver counts them */
#define JW_OCI_ORIGIN "io.jitwarm.origin"       /* of a layer */
#define JW_OCI_CONTENT "io.jitwarm.content"     /* of a layer: what it was made of (jw_export_pack) */

#define JW_OCI_MAX_TEXT ((size_t)4 << 20) /* one document: what registries allow */
enum { JW_OCI_MAX_ITEMS = 4096, JW_OCI_MAX_NOTES = 64 };

struct jw_oci_note { /* an annotation */
    const char *key, *value;
};

struct jw_oci_item {              /* a descriptor */
    const char *media, *artifact; /* artifact NULL: none */
    const char *digest;           /* "sha256:..." */
    uint64_t size;
    const char *os, *arch; /* platform, as OCI names them; NULL, both: none */
    const struct jw_oci_note *notes;
    size_t n_notes;
};

struct jw_oci_doc {
    bool is_index;
    const char *media;                 /* when it was read; NULL: not said */
    const char *artifact;              /* NULL: none */
    const struct jw_oci_item *subject; /* to be written: the image that this belongs to; NULL: none */
    struct jw_oci_item *items;
    size_t n;
    const struct jw_oci_note *notes;
    size_t n_notes;
};

/* Texts live in `a`. A manifest's config is not kept. */
bool jw_oci_read(struct jw_bytes text, struct jw_arena *a, struct jw_oci_doc *out,
                 struct jw_err *err) JW_MUST;

/* A manifest gets the empty config of artifacts. */
bool jw_oci_write(struct jw_buf *out, const struct jw_oci_doc *doc, struct jw_err *err) JW_MUST;

/* Its value; NULL: it has none of this key. */
const char *jw_oci_note(const struct jw_oci_note *notes, size_t n, const char *key);

/* "sha256:..." of bytes. */
void jw_oci_digest(char out[72], struct jw_bytes bytes);

#endif
