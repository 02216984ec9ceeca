#include "fleet/format/oci.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "fleet/format/ref.h"

#include <string.h>

enum { MAX_TEXT = 4096 }; /* of an annotation, but for the names of entries */

/* ---- reading ---- */

/* A longer one is none. */
static const char *text_of(const cJSON *object, const char *key, size_t max, struct jw_arena *a)
{
    const char *text = jw_json_get_text(object, key);

    return text && strlen(text) <= max ? jw_arena_str(a, text) : NULL;
}

static const struct {
    const char *name;
    size_t at;
} annotations[] = { { "org.opencontainers.image.title", offsetof(struct jw_oci_item, title) },
                    { "io.jitwarm.origin", offsetof(struct jw_oci_item, software) },
                    { "io.jitwarm.key", offsetof(struct jw_oci_item, key) },
                    { "io.jitwarm.names", offsetof(struct jw_oci_item, names) } };

static const char **annotation(struct jw_oci_item *item, size_t i)
{
    return (const char **)((char *)item + annotations[i].at);
}

static bool read_size(const cJSON *v, uint64_t *out)
{
    double n = cJSON_GetNumberValue(v); /* not a number: NaN */

    if (!(n >= 0 && n <= (double)JW_MAX_PACK_FILE))
        return false;
    *out = (uint64_t)n;
    return (double)*out == n;
}

static bool read_item(const cJSON *v, struct jw_arena *a, struct jw_oci_item *out, struct jw_err *err)
{
    out->digest = text_of(v, "digest", MAX_TEXT, a);
    for (size_t i = 0; i < JW_COUNT(annotations); i++)
        *annotation(out, i) = text_of(jw_json_get(v, "annotations"), annotations[i].name,
                                      i == JW_COUNT(annotations) - 1 ? JW_OCI_MAX_TEXT : MAX_TEXT, a);
    out->title = out->title ? out->title : out->digest;
    out->software = out->software ? out->software : JW_OCI_UNKNOWN;
    if (!out->digest || !jw_ref_is_digest(out->digest))
        return jw_fail(err, JW_E_FORMAT, "the digest of a pack is not SHA-256");
    return read_size(jw_json_get(v, "size"), &out->size)
           || jw_fail(err, JW_E_FORMAT, "a pack has an invalid size");
}

static bool is_pack(const cJSON *layer)
{
    return jw_text_same(jw_json_get_text(layer, "mediaType"), JW_OCI_PACK);
}

static bool read_doc(const cJSON *root, struct jw_arena *a, struct jw_oci_doc *out, struct jw_err *err)
{
    const cJSON *layers = jw_json_get(root, "layers");
    const size_t max = (size_t)cJSON_GetArraySize(layers);
    const cJSON *v;

    if (cJSON_GetNumberValue(jw_json_get(root, "schemaVersion")) != 2.0)
        return jw_fail(err, JW_E_FORMAT, "not an OCI document of schema version 2");
    if (!cJSON_IsArray(layers) || cJSON_IsArray(jw_json_get(root, "manifests")))
        return jw_fail(err, JW_E_FORMAT, "not an image manifest");
    if (max > JW_OCI_MAX_ITEMS)
        return jw_fail(err, JW_E_FORMAT, "more than %d items", JW_OCI_MAX_ITEMS);
    out->items = jw_arena_alloc(a, (max + 1) * sizeof *out->items);
    cJSON_ArrayForEach(v,
                       layers) if (is_pack(v) && !read_item(v, a, &out->items[out->n++], err)) return false;
    return true;
}

bool jw_oci_read(struct jw_bytes text, struct jw_arena *a, struct jw_oci_doc *out, struct jw_err *err)
{
    cJSON *doc = NULL;

    *out = (struct jw_oci_doc){ 0 };
    if (text.n > JW_OCI_MAX_TEXT)
        return jw_fail(err, JW_E_LIMIT, "an OCI document of more than 4 MiB");
    bool ok = jw_json_parse(&doc, text, err) && read_doc(doc, a, out, err);

    cJSON_Delete(doc);
    return ok;
}

/* ---- writing ---- */

static void write_item(struct jw_json *j, const char *key, const char *media, struct jw_oci_item *item)
{
    jw_json_object(j, key);
    jw_json_text(j, "mediaType", media);
    jw_json_text(j, "digest", item->digest);
    jw_json_number(j, "size", item->size);
    if (item->title) {
        jw_json_object(j, "annotations");
        for (size_t i = 0; i < JW_COUNT(annotations); i++)
            if (*annotation(item, i))
                jw_json_text(j, annotations[i].name, *annotation(item, i));
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool jw_oci_write(struct jw_buf *out, const struct jw_oci_doc *doc, struct jw_err *err)
{
    struct jw_oci_item empty = { .digest = JW_OCI_EMPTY_DIGEST, .size = 2 };
    struct jw_json j = { 0 };

    jw_json_object(&j, NULL);
    jw_json_number(&j, "schemaVersion", 2);
    jw_json_text(&j, "mediaType", JW_OCI_MANIFEST);
    jw_json_text(&j, "artifactType", JW_OCI_ARTIFACT);
    write_item(&j, "config", JW_OCI_EMPTY, &empty);
    jw_json_array(&j, "layers");
    for (size_t i = 0; i < doc->n; i++)
        write_item(&j, NULL, JW_OCI_PACK, &doc->items[i]);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j, out, false, err);
}

void jw_oci_digest_final(char out[72], crypto_hash_sha256_state *s)
{
    uint8_t digest[crypto_hash_sha256_BYTES];

    (void)crypto_hash_sha256_final(s, digest);
    memcpy(out, "sha256:", 7);
    jw_digest_hex(out + 7, digest);
}

void jw_oci_digest(char out[72], struct jw_bytes bytes)
{
    crypto_hash_sha256_state s;

    (void)crypto_hash_sha256_init(&s);
    (void)crypto_hash_sha256_update(&s, bytes.p, bytes.n);
    jw_oci_digest_final(out, &s);
}
