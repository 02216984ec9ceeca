/*
 * Reads and writes OCI image manifests. The same content is always written as the same bytes. Reading checks digests, sizes and media
 * types and ignores other members. Pure.
 */
#ifndef FLEET_FORMAT_OCI_H
#define FLEET_FORMAT_OCI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/digest.h"

#include <stdbool.h>
#include <stdint.h>

#define JW_OCI_INDEX "application/vnd.oci.image.index.v1+json"
#define JW_OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define JW_OCI_EMPTY "application/vnd.oci.empty.v1+json"
#define JW_OCI_ARTIFACT "application/vnd.jitwarm.packs.v1"     /* artifactType */
#define JW_OCI_PACK "application/vnd.jitwarm.pack.v1.tar+zstd" /* a layer: one pack */
#define JW_OCI_NAMES                                                                                         \
    "application/vnd.jitwarm.names.v1" /* a layer: names of the entries of a pack, 8 bytes each */
#define JW_OCI_TITLE "org.opencontainers.image.title"
#define JW_OCI_EMPTY_DIGEST                                                                                  \
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" /* of "{}" */

/* Annotations. */
#define JW_OCI_STAMP "io.jitwarm.stamp"     /* build stamp of libcuda */
#define JW_OCI_DRIVER "io.jitwarm.driver"   /* driver version */
#define JW_OCI_SM "io.jitwarm.sm"           /* "86" */
#define JW_OCI_SYSTEM "io.jitwarm.system"   /* "linux-x86_64" */
#define JW_OCI_ENTRIES "io.jitwarm.entries" /* of a layer: number of entries */
#define JW_OCI_OF "io.jitwarm.of"           /* of a list of names: digest of its pack */
#define JW_OCI_ORIGIN "io.jitwarm.origin"   /* of a layer: names of its software, separated by blanks */
#define JW_OCI_KEY "io.jitwarm.key"         /* of a layer: id of the key that signed it; none: unsigned */

#define JW_OCI_MAX_TEXT ((size_t)4 << 20) /* maximum of one document, as in registries */
enum { JW_OCI_MAX_ITEMS = 4096, JW_OCI_MAX_NOTES = 64 };

struct jw_oci_note { /* an annotation */
    const char *key, *value;
};

struct jw_oci_item {            /* a descriptor, of a layer */
    const char *media, *digest; /* digest: "sha256:..." */
    uint64_t size;
    const struct jw_oci_note *notes;
    size_t n_notes;
};

struct jw_oci_doc {
    const char *artifact; /* NULL: none */
    struct jw_oci_item *items;
    size_t n;
    const struct jw_oci_note *notes;
    size_t n_notes;
};

/* Strings live in `a`. The config is ignored. */
bool jw_oci_read(struct jw_bytes text, struct jw_arena *a, struct jw_oci_doc *out,
                 struct jw_err *err) JW_MUST;

/* With OCI's empty config. */
bool jw_oci_write(struct jw_buf *out, const struct jw_oci_doc *doc, struct jw_err *err) JW_MUST;

/* The value of an annotation, or NULL. */
const char *jw_oci_note(const struct jw_oci_item *item, const char *key);

/* The list of names beside the pack of this digest. NULL: none. */
const struct jw_oci_item *jw_oci_names_of(const struct jw_oci_doc *doc, const char *digest);

/* "sha256:..." of bytes, or of a hash that was fed before. */
void jw_oci_digest(char out[72], struct jw_bytes bytes);
void jw_oci_digest_final(char out[72], struct jw_sha256_state *s);

#endif
