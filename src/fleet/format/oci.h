/* Reads and writes OCI image manifests of packs. The same content is always written as the same
 * bytes. Reading checks digests and sizes, and ignores other members and what is no pack. Pure. */
#pragma once

#include "base/buf.h"
#include "base/digest.h"

#define JW_OCI_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define JW_OCI_EMPTY "application/vnd.oci.empty.v1+json"
#define JW_OCI_ARTIFACT "application/vnd.jitwarm.packs.v1"     /* artifactType */
#define JW_OCI_PACK "application/vnd.jitwarm.pack.v1.tar+zstd" /* a layer: one pack */
#define JW_OCI_EMPTY_DIGEST                                                                        \
    "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" /* of "{}" */

#define JW_OCI_MAX_TEXT ((size_t)4 << 20) /* maximum of one document, as in registries */
enum {
    JW_OCI_MAX_LAYERS = 4096,
    JW_OCI_MAX_NAMES = 100000, /* in all of a document */
    JW_OCI_DIGITS = 16 + 8     /* of each, in hexadecimal: the name, and the size of the key */
};

#define JW_OCI_UNKNOWN                                                                             \
    "unknown" /* software of entries without a known one, and of a pack with too many */
#define JW_OCI_BETWEEN " / " /* between names of software, which have no slash */

/* A layer: one pack; digest: "sha256:...". The rest are annotations. */
struct jw_oci_layer {
    const char *digest;
    uint64_t size;
    const char *title;    /* the name of its file; what is read and has none has its digest */
    const char *software; /* names of all software of the pack, JW_OCI_BETWEEN between them */
    const char *key;      /* id of the key that signed it; NULL: unsigned */
    const char *build;    /* of the driver that made it, "20260107-225146"; NULL: unknown */
    /* of the entries, each with the size of its key; NULL: there are too many to stand here */
    const char *names;
};

struct jw_oci_manifest {
    struct jw_oci_layer *layers;
    size_t n;
};

/* Adds the packs of a manifest, each once, whatever else it has. Texts live in `a`. */
bool jw_oci_read(struct jw_bytes text, struct jw_arena *a, struct jw_oci_manifest *out,
                 struct jw_err *err) JW_MUST;

/* Writes the manifest of these packs, with OCI's empty config. */
bool jw_oci_write(struct jw_buf *out, const struct jw_oci_manifest *manifest,
                  struct jw_err *err) JW_MUST;

/* "sha256:..." of what the hash was fed. */
const char *jw_oci_digest(crypto_hash_sha256_state *s, struct jw_arena *a);
