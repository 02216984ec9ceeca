#include "fleet/format/oci.h"

#include "base/json.h"
#include "base/text.h"
#include "fleet/format/ref.h"

/* ---- reading ---- */

static const struct {
    const char *name;
    size_t at;
} annotations[] = {{"org.opencontainers.image.title", offsetof(struct jw_oci_layer, title)},
                   {"io.jitwarm.origin", offsetof(struct jw_oci_layer, software)},
                   {"io.jitwarm.key", offsetof(struct jw_oci_layer, key)},
                   {"io.jitwarm.build", offsetof(struct jw_oci_layer, build)},
                   {"io.jitwarm.names", offsetof(struct jw_oci_layer, names)}};

static const char **annotation(struct jw_oci_layer *layer, size_t i)
{
    return (const char **)((char *)layer + annotations[i].at);
}

static bool read_layer(const cJSON *v, struct jw_arena *a, struct jw_oci_layer *out,
                       struct jw_err *err)
{
    const char *digest = jw_json_get_text(v, "digest"), *text;
    double size = cJSON_GetNumberValue(jw_json_get(v, "size")); /* not a number: NaN */

    if (!digest || !jw_ref_is_digest(digest))
        return jw_fail(err, JW_E_FORMAT, "the digest of a pack is not SHA-256");
    if (!(size >= 0 && size <= (double)JW_MAX_PACK_FILE) || (double)(uint64_t)size != size)
        return jw_fail(err, JW_E_FORMAT, "a pack has an invalid size");
    out->title = out->digest = jw_arena_str(a, digest);
    out->size = (uint64_t)size;
    out->software = JW_OCI_UNKNOWN;
    for (size_t i = 0; i < JW_COUNT(annotations); i++) {
        text = jw_json_get_text(jw_json_get(v, "annotations"), annotations[i].name);
        if (text)
            *annotation(out, i) = jw_arena_str(a, text);
    }
    return true;
}

static bool is_named(const struct jw_oci_manifest *m, const char *digest)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->layers[i].digest, digest) == 0)
            return true;
    return false;
}

/* A manifest that names one pack fifty times would have it downloaded fifty times. */
static bool add_layer(const cJSON *v, struct jw_arena *a, struct jw_oci_manifest *out,
                      struct jw_err *err)
{
    struct jw_oci_layer layer = {0};

    if (!read_layer(v, a, &layer, err))
        return false;
    if (is_named(out, layer.digest))
        return true;
    struct jw_oci_layer *to =
        jw_list_add(a, &out->layers, &out->n, sizeof *to, JW_OCI_MAX_LAYERS, err);

    if (to)
        *to = layer;
    return to != NULL;
}

static bool read_doc(const cJSON *root, struct jw_arena *a, struct jw_oci_manifest *out,
                     struct jw_err *err)
{
    const cJSON *layers = jw_json_get(root, "layers"), *v;
    bool ok = true;

    if (cJSON_GetNumberValue(jw_json_get(root, "schemaVersion")) != 2.0)
        return jw_fail(err, JW_E_FORMAT, "not an OCI document of schema version 2");
    if (!cJSON_IsArray(layers) || cJSON_IsArray(jw_json_get(root, "manifests")))
        return jw_fail(err, JW_E_FORMAT, "not an image manifest");
    cJSON_ArrayForEach(v, layers)
    {
        if (ok && jw_text_same(jw_json_get_text(v, "mediaType"), JW_OCI_PACK))
            ok = add_layer(v, a, out, err);
    }
    return ok;
}

bool jw_oci_read(struct jw_bytes text, struct jw_arena *a, struct jw_oci_manifest *out,
                 struct jw_err *err)
{
    cJSON *doc = NULL;
    bool ok = jw_json_parse(&doc, text, err) && read_doc(doc, a, out, err);

    cJSON_Delete(doc);
    return ok;
}

/* ---- writing ---- */

static void write_layer(struct jw_json *j, const char *key, const char *media,
                        struct jw_oci_layer *layer)
{
    jw_json_object(j, key);
    jw_json_text(j, "mediaType", media);
    jw_json_text(j, "digest", layer->digest);
    jw_json_number(j, "size", layer->size);
    if (layer->title) {
        jw_json_object(j, "annotations");
        for (size_t i = 0; i < JW_COUNT(annotations); i++)
            if (*annotation(layer, i))
                jw_json_text(j, annotations[i].name, *annotation(layer, i));
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool jw_oci_write(struct jw_buf *out, const struct jw_oci_manifest *manifest, struct jw_err *err)
{
    struct jw_oci_layer empty = {.digest = JW_OCI_EMPTY_DIGEST, .size = 2};
    struct jw_json j = {.out = out};

    if (manifest->n > JW_OCI_MAX_LAYERS)
        return jw_fail(err, JW_E_LIMIT,
                       "%zu packs are more than the %d of one tag: delete it, or name another",
                       manifest->n, JW_OCI_MAX_LAYERS);
    jw_json_object(&j, NULL);
    jw_json_number(&j, "schemaVersion", 2);
    jw_json_text(&j, "mediaType", JW_OCI_MANIFEST);
    jw_json_text(&j, "artifactType", JW_OCI_ARTIFACT);
    write_layer(&j, "config", JW_OCI_EMPTY, &empty);
    jw_json_array(&j, "layers");
    for (size_t i = 0; i < manifest->n; i++)
        write_layer(&j, NULL, JW_OCI_PACK, &manifest->layers[i]);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_buf_ok(out, err);
}

const char *jw_oci_digest(crypto_hash_sha256_state *s, struct jw_arena *a)
{
    uint8_t digest[crypto_hash_sha256_BYTES];

    (void)crypto_hash_sha256_final(s, digest);
    return jw_arena_printf(a, "sha256:%s", jw_digest_text(digest).text);
}
