#include "fleet/push.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "pack/file/pack_read.h"
#include "pack/format/pack_name.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LIST = 64 << 10, CHUNK = 1 << 20, NAME_DIGITS = 12 };

struct push {
    const struct jw_ref *ref;
    struct jw_run *run;
    struct jw_push_report *out;
    struct jw_remote *to;
};

/* ---- the packs of this push ---- */

/* The digest of the file that was checked: it is still open, and another may have its name by now.
 * NULL: see err. */
static const char *digest_of(const struct jw_run *run, const struct jw_source *bytes,
                             struct jw_err *err)
{
    crypto_hash_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK);
    bool ok = crypto_hash_sha256_init(&s) == 0;

    for (uint64_t at = 0, n; ok && at < bytes->size; at += n) {
        n = jw_min(CHUNK, bytes->size - at);
        ok = jw_run_goes_on(run, err) && jw_source_read(bytes, at, chunk, (size_t)n, err);
        (void)crypto_hash_sha256_update(&s, chunk, n);
        jw_run_show(run, "reading the packs", at + n, bytes->size);
    }
    jw_free(chunk);
    return ok ? jw_oci_digest(&s, run->a) : NULL;
}

/* The names of all its software, or that it is not known: with a part of the names, packs without
 * the rest would replace it. */
static const char *software_of(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, MAX_LIST);

    for (size_t i = 0; i < m->n_software; i++)
        jw_buf_printf(&text, "%s%s", i ? JW_OCI_BETWEEN : "", m->software[i]);
    if (m->nameless)
        jw_buf_printf(&text, "%s" JW_OCI_UNKNOWN, text.n ? JW_OCI_BETWEEN : "");
    return text.n && !text.bad ? jw_buf_cstr(&text) : JW_OCI_UNKNOWN;
}

static const char *names_of(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    char *out = jw_arena_alloc(a, m->n_entries * JW_OCI_DIGITS + 1);

    for (size_t i = 0; i < m->n_entries; i++)
        (void)snprintf(out + i * JW_OCI_DIGITS, JW_OCI_DIGITS + 1, "%016llx%08llx",
                       (unsigned long long)m->entries[i].name,
                       (unsigned long long)m->entries[i].key_bytes);
    return out;
}

/* Two packs of one title have the same bytes. */
static bool read_pack(struct push *p, const char *file, struct jw_push_layer *x, struct jw_err *err)
{
    struct jw_arena *a = p->run->a;
    struct jw_pack_in in;
    struct jw_pack_verdict is;
    const struct jw_pack_manifest *m;
    const char *name, *digest = NULL;
    bool ok = jw_pack_open(&in, file, err) && jw_pack_check(&in, NULL, p->run, a, &is, err)
              && jw_pack_manifest(&in, a, &m, err) && (digest = digest_of(p->run, &in.bytes, err));
    uint64_t size = in.bytes.size;

    jw_pack_close(&in);
    if (!ok) {
        err->code =
            err->code == JW_E_IO ? JW_E_NAMED : err->code; /* of a name that the user gave */
        return jw_wrap(err, "%s", file);
    }
    if (is.beside)
        return jw_fail(
            err, JW_E_USAGE,
            "%.200s: its signature is in a separate file and would be lost; export it with "
            "--sign, which signs inside the pack",
            file);
    x->path = file;
    x->sm = m->sm;
    x->layer = (struct jw_oci_layer){.digest = digest,
                                     .size = size,
                                     .software = software_of(m, a),
                                     .key = is.key[0] ? jw_arena_str(a, is.key) : NULL,
                                     .build = jw_arena_str(a, jw_stamp_text(m->stamp).text),
                                     .names = names_of(m, a)};
    x->tag = jw_ref_tag_of(p->ref, m->os, m->arch, jw_pack_kind(m->compiler, m->stamp, m->sm).text,
                           a, err);
    if (!x->tag)
        return false;
    name = jw_pack_file_name(m, "", NULL, a);
    x->layer.title =
        jw_arena_printf(a, "%.*s-%.*s" JW_PACK_ENDING, (int)(strlen(name) - strlen(JW_PACK_ENDING)),
                        name, (int)NAME_DIGITS, digest + strlen("sha256:"));
    return true;
}

/* The order of layers depends on the packs alone. */
static int by_tag(const void *a, const void *b)
{
    const struct jw_push_layer *x = a;
    const struct jw_push_layer *y = b;
    int order = strcmp(x->tag, y->tag);

    return order ? order : strcmp(x->layer.title, y->layer.title);
}

/* ---- what becomes of those of earlier pushes ---- */

/* Is all software of `few` in `many`? */
static bool software_is_among(const char *few, const char *many, struct jw_arena *a)
{
    const char *all = jw_arena_printf(a, JW_OCI_BETWEEN "%s" JW_OCI_BETWEEN, many), *end;

    for (; few; few = end ? end + strlen(JW_OCI_BETWEEN) : NULL) {
        end = strstr(few, JW_OCI_BETWEEN);
        if (!strstr(all, jw_arena_printf(a, JW_OCI_BETWEEN "%.*s" JW_OCI_BETWEEN,
                                         (int)(end ? end - few : (ptrdiff_t)strlen(few)), few)))
            return false;
    }
    return true;
}

/* The pack of this push that replaces an old one: it has the same bytes, or all of its software.
 * NULL: none. */
static const struct jw_push_layer *successor(const struct push *p, const struct jw_oci_layer *old,
                                             const struct jw_push_layer *v, size_t n)
{
    const struct jw_push_layer *by = NULL;

    for (size_t i = 0; i < n; i++)
        if (strcmp(old->title, v[i].layer.title) == 0)
            return &v[i];
        else if (!by && strcmp(old->software, JW_OCI_UNKNOWN) != 0
                 && software_is_among(old->software, v[i].layer.software, p->run->a))
            by = &v[i];
    return by;
}

/* Machines that trust the key of the old one would refuse an unsigned one in its place. */
static bool may_replace(const struct push *p, const struct jw_oci_layer *old,
                        const struct jw_push_layer *by, struct jw_err *err)
{
    return !old->key || by->layer.key
           || jw_fail(err, JW_E_TRUST,
                      "%.150s: the pack of %.80s there is signed by key %.32s, and this one is "
                      "not: --sign KEY, or delete its tag first",
                      p->ref->text, old->software, old->key);
}

/* Adds the packs that stay to the `n` packs of this push, which begin at `first` of the report. A
 * layer that the registry has lost is no longer named. */
static bool merge(struct push *p, const struct jw_oci_manifest *old, size_t first, size_t n,
                  struct jw_err *err)
{
    struct jw_push_report *out = p->out;

    for (const struct jw_oci_layer *layer = old->layers; layer < old->layers + old->n; layer++) {
        const struct jw_push_layer *by = successor(p, layer, out->layers + first, n);
        struct jw_push_layer *stays;
        bool there = true;

        if (by && strcmp(by->layer.title, layer->title) == 0)
            continue;
        if (by ? !may_replace(p, layer, by, err)
               : !jw_remote_has(p->to, layer->digest, &there, err))
            return false;
        out->replaced += by != NULL;
        if (by || !there)
            continue;
        stays = jw_list_add(p->run->a, &out->layers, &out->n, sizeof *stays, SIZE_MAX, err);
        if (!stays)
            return false;
        *stays = out->layers[first];
        stays->path = NULL;
        stays->layer = *layer;
    }
    return true;
}

/* ---- write ---- */

static bool write_manifest(struct push *p, const struct jw_push_layer *v, size_t n,
                           struct jw_buf *text, struct jw_err *err)
{
    struct jw_oci_manifest manifest = {
        .layers = jw_arena_alloc(p->run->a, n * sizeof *manifest.layers), .n = n};
    size_t left = (size_t)JW_OCI_MAX_NAMES * JW_OCI_DIGITS;

    for (size_t i = 0; i < n; i++) {
        struct jw_oci_layer *layer = &manifest.layers[i];

        *layer = v[i].layer;
        if (layer->names && strlen(layer->names) > left)
            layer->names = NULL;
        left -= layer->names ? strlen(layer->names) : 0;
    }
    return jw_oci_write(text, &manifest, err) || jw_wrap(err, "%.250s", v->tag);
}

/* The packs for one kind of machine, from `first` of the report, with those that are there. Only
 * what it can name is sent. */
static bool push_kind(struct push *p, size_t first, struct jw_err *err)
{
    struct jw_push_report *out = p->out;
    struct jw_oci_manifest old = {0};
    struct jw_buf text = JW_BUF_IN(p->run->a, JW_OCI_MAX_TEXT);
    const char *tag = out->layers[first].tag;

    if (!jw_remote_manifest(p->to, tag, &old, err) || !merge(p, &old, first, out->n - first, err))
        return false;
    jw_sort(out->layers + first, out->n - first, sizeof *out->layers, by_tag);
    if (!write_manifest(p, out->layers + first, out->n - first, &text, err))
        return false;
    for (struct jw_push_layer *v = out->layers + first; v < out->layers + out->n; v++) {
        if (v->path && !jw_remote_put(p->to, &v->layer, v->path, &v->sent, err))
            return false;
        out->sent_bytes += v->sent ? v->layer.size : 0;
    }
    return jw_remote_put_manifest(p->to, tag, jw_buf_bytes(&text), err);
}

/* ---- the run ---- */

static bool push_all(struct push *p, const struct jw_texts *files, struct jw_err *err)
{
    struct jw_push_layer *v = jw_arena_alloc(p->run->a, (files->n + 1) * sizeof *v), *to;
    size_t first = 0;

    for (size_t i = 0; i < files->n; i++)
        if (!read_pack(p, files->v[i], &v[i], err))
            return false;
    jw_sort(v, files->n, sizeof *v, by_tag);
    for (size_t i = 0; i < files->n; i++) {
        to = jw_list_add(p->run->a, &p->out->layers, &p->out->n, sizeof *to, SIZE_MAX, err);
        if (!to)
            return false;
        *to = v[i];
        if (i + 1 < files->n && strcmp(v[i].tag, v[i + 1].tag) == 0)
            continue;
        if (!push_kind(p, first, err))
            return false;
        first = p->out->n;
    }
    return true;
}

bool jw_push(struct jw_run *run, const struct jw_remote_options *net, struct jw_texts packs,
             struct jw_push_report *out, struct jw_err *err)
{
    struct push p = {.ref = net->ref, .run = run, .out = out};

    *out = (struct jw_push_report){0};
    bool ok = jw_remote_open(net, run, &p.to, err) && push_all(&p, &packs, err);

    jw_remote_close(p.to);
    return ok;
}
