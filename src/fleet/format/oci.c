#include "fleet/format/oci.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "fleet/format/ref.h"

#include <string.h>

enum { MAX_TEXT = 4096 };

/* ---- reading ---- */

static bool copy_value(struct jw_arena *a, const cJSON *v, const char **out, struct jw_err *err)
{
    const char *text = cJSON_GetStringValue(v);

    *out = NULL;
    if (!text)
        return true;
    if (strlen(text) > MAX_TEXT)
        return jw_fail(err, JW_E_FORMAT, "it has a string of more than %d bytes", MAX_TEXT);
    *out = jw_arena_str(a, text);
    return true;
}

static bool read_notes(const cJSON *object, struct jw_arena *a, const struct jw_oci_note **out, size_t *n,
                       struct jw_err *err)
{
    const cJSON *all = jw_json_get(object, "annotations");
    size_t max = cJSON_IsArray(all) ? 0 : (size_t)cJSON_GetArraySize(all);
    struct jw_oci_note *list;
    const cJSON *v;

    *out = NULL;
    *n = 0;
    if (!max)
        return true;
    if (max > JW_OCI_MAX_NOTES)
        return jw_fail(err, JW_E_FORMAT, "more than %d annotations", JW_OCI_MAX_NOTES);
    list = jw_arena_alloc(a, max * sizeof *list);
    cJSON_ArrayForEach(v, all)
    {
        struct jw_oci_note *note = &list[*n];

        if (!copy_value(a, v, &note->value, err))
            return false;
        note->key = jw_arena_str(a, v->string);
        *n += note->value != NULL;
    }
    *out = list;
    return true;
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
    if (!copy_value(a, jw_json_get(v, "mediaType"), &out->media, err)
        || !copy_value(a, jw_json_get(v, "digest"), &out->digest, err)
        || !read_notes(v, a, &out->notes, &out->n_notes, err))
        return false;
    if (!out->media || !out->digest || !jw_ref_is_digest(out->digest))
        return jw_fail(err, JW_E_FORMAT, "a descriptor has no media type, or its digest is not SHA-256");
    if (!read_size(jw_json_get(v, "size"), &out->size))
        return jw_fail(err, JW_E_FORMAT, "a descriptor has an invalid size");
    return true;
}

static bool read_doc(const cJSON *root, struct jw_arena *a, struct jw_oci_doc *out, struct jw_err *err)
{
    const cJSON *layers = jw_json_get(root, "layers");
    size_t max;
    const cJSON *v;

    if (cJSON_GetNumberValue(jw_json_get(root, "schemaVersion")) != 2.0)
        return jw_fail(err, JW_E_FORMAT, "not an OCI document of schema version 2");
    if (!cJSON_IsArray(layers) || cJSON_IsArray(jw_json_get(root, "manifests")))
        return jw_fail(err, JW_E_FORMAT, "not an image manifest");
    max = (size_t)cJSON_GetArraySize(layers);
    if (max > JW_OCI_MAX_ITEMS)
        return jw_fail(err, JW_E_FORMAT, "more than %d items", JW_OCI_MAX_ITEMS);
    out->items = jw_arena_alloc(a, (max + 1) * sizeof *out->items);
    cJSON_ArrayForEach(v, layers) if (!read_item(v, a, &out->items[out->n++], err)) return false;
    return copy_value(a, jw_json_get(root, "artifactType"), &out->artifact, err)
           && read_notes(root, a, &out->notes, &out->n_notes, err);
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

const char *jw_oci_note(const struct jw_oci_item *item, const char *key)
{
    for (size_t i = 0; i < item->n_notes; i++)
        if (strcmp(item->notes[i].key, key) == 0)
            return item->notes[i].value;
    return NULL;
}

const struct jw_oci_item *jw_oci_names_of(const struct jw_oci_doc *doc, const char *digest)
{
    for (size_t i = 0; i < doc->n; i++)
        if (strcmp(doc->items[i].media, JW_OCI_NAMES) == 0
            && jw_text_same(jw_oci_note(&doc->items[i], JW_OCI_OF), digest))
            return &doc->items[i];
    return NULL;
}

/* ---- writing ---- */

static void write_annotations(struct jw_json *j, const struct jw_oci_note *notes, size_t n)
{
    if (!n)
        return;
    jw_json_object(j, "annotations");
    for (size_t i = 0; i < n; i++)
        jw_json_text(j, notes[i].key, notes[i].value);
    jw_json_close(j);
}

static void write_item(struct jw_json *j, const char *key, const struct jw_oci_item *item)
{
    jw_json_object(j, key);
    jw_json_text(j, "mediaType", item->media);
    jw_json_text(j, "digest", item->digest);
    jw_json_number(j, "size", item->size);
    write_annotations(j, item->notes, item->n_notes);
    jw_json_close(j);
}

bool jw_oci_write(struct jw_buf *out, const struct jw_oci_doc *doc, struct jw_err *err)
{
    static const struct jw_oci_item empty = { .media = JW_OCI_EMPTY,
                                              .digest = JW_OCI_EMPTY_DIGEST,
                                              .size = 2 };
    struct jw_json j = { 0 };

    jw_json_object(&j, NULL);
    jw_json_number(&j, "schemaVersion", 2);
    jw_json_text(&j, "mediaType", JW_OCI_MANIFEST);
    if (doc->artifact)
        jw_json_text(&j, "artifactType", doc->artifact);
    write_item(&j, "config", &empty);
    jw_json_array(&j, "layers");
    for (size_t i = 0; i < doc->n; i++)
        write_item(&j, NULL, &doc->items[i]);
    jw_json_close(&j);
    write_annotations(&j, doc->notes, doc->n_notes);
    jw_json_close(&j);
    return jw_json_end(&j, out, false, err);
}

void jw_oci_digest_final(char out[72], struct jw_sha256_state *s)
{
    uint8_t digest[JW_SHA256];

    jw_sha256_final(s, digest);
    memcpy(out, "sha256:", 7);
    jw_digest_hex(out + 7, digest);
}

void jw_oci_digest(char out[72], struct jw_bytes bytes)
{
    struct jw_sha256_state s;

    jw_sha256_init(&s);
    jw_sha256_update(&s, bytes.p, bytes.n);
    jw_oci_digest_final(out, &s);
}
