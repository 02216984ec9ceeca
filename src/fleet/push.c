#include "fleet/push.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/secret.h"
#include "fleet/machine.h"
#include "machine/list.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "pack/file/pack_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, LONGEST_LIST = 1000, NOTES = 10, AT_ONCE = 4 };

struct pack {
    const char *file, *content; /* file NULL: it lies there; content NULL: not shown */
    struct jw_pack_peeked is;
    struct jw_oci_item item;
    struct jw_push_layer layer;
};

/* Several layers are sent at once, over a connection each. */
struct carrier {
    struct push *p;
    struct jw_remote *to;
    struct jw_arena a; /* of `to`; nothing else is of this thread alone */
    atomic_ullong sent;
    uint64_t before; /* of `sent`: of layers that are whole */
    struct jw_err err;
};

struct push {
    const struct jw_push_options *o;
    struct jw_arena *a;
    struct jw_push_report *out;
    struct jw_remote_options net;
    struct jw_remote *to;
    struct carrier by[AT_ONCE]; /* the first one is this thread, with `to` */
    struct pack *moving;
    size_t n_moving;
    atomic_size_t next;
    atomic_bool failed;
    uint64_t total; /* bytes that may have to be sent */
    struct pack *packs;
    size_t n;
    uint16_t sm;              /* that `old` is of */
    struct jw_oci_item image; /* that the packs belong to; digest NULL: none */
    struct jw_oci_doc old;    /* the manifest as it lies there; n 0: none */
    struct jw_oci_item
        *is; /* of the packs that are to be made, in their order: as they lie there, or digest NULL */
    size_t n_is;
};

/* ---- packs ---- */

static bool hash(struct push *p, const char *file, char digest[72], struct jw_err *err)
{
    static const char hex[] = "0123456789abcdef";
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK), sum[JW_SHA256];
    uint64_t at = 0;
    size_t got = 1;
    bool ok = (jw_file_open(&f, file, err) || jw_wrap(err, "%.250s", file));

    for (jw_sha256_init(&s); ok && got; at += got) {
        ok = jw_file_read(&f, at, chunk, CHUNK, &got, err) || jw_wrap(err, "%.250s", file);
        if (ok)
            jw_sha256_update(&s, chunk, got);
        if (ok && p->o->interrupted && atomic_load(p->o->interrupted))
            ok = jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    }
    jw_sha256_final(&s, sum);
    memcpy(digest, "sha256:", 8);
    for (size_t i = 0; i < JW_SHA256; i++)
        (void)snprintf(digest + 7 + 2 * i, 3, "%c%c", hex[sum[i] >> 4], hex[sum[i] & 15]);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}

static const char *say(struct push *p, const char *fmt, ...) JW_PRINTF(2, 3);
static const char *say(struct push *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *text = jw_arena_say(p->a, fmt, args);
    va_end(args);
    return text;
}

static const char *origins_of(struct push *p, const struct jw_pack_manifest *m)
{
    struct jw_buf text = JW_BUF(LONGEST_LIST + JW_MAX_PACK_NAME + 8);
    const char *out;

    for (size_t i = 0; i < m->n_origins; i++) {
        const struct jw_pack_origin *o = &m->origins[i];

        if (i && strcmp(o->name, m->origins[i - 1].name) == 0)
            continue;
        if (text.n + strlen(o->name) > LONGEST_LIST) {
            jw_buf_text(&text, " ...");
            break;
        }
        jw_buf_printf(&text, "%s%s", text.n ? " " : "", o->name);
    }
    out = say(p, "%s", text.n ? jw_buf_cstr(&text) : "unknown");
    jw_buf_free(&text);
    return out;
}

static const char *system_of(struct push *p, const struct jw_pack_manifest *m)
{
    return say(p, "%s-%s", m->os, m->arch);
}

static bool describe(struct push *p, struct pack *x, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &x->is.manifest;
    const struct jw_pack_origin *one = m->n_origins == 1 ? m->origins : NULL;
    struct jw_oci_note *notes = jw_arena_alloc(p->a, NOTES * sizeof *notes);
    size_t n = 0;
    char digest[72];

    for (size_t i = 0; i < m->n_entries; i++)
        x->layer.bytes += m->entries[i].key_bytes + m->entries[i].payload_bytes;
    x->layer.entries = m->n_entries;
    x->layer.size = x->is.bytes;
    x->layer.is_signed = x->is.signature == JW_PACK_SEEN_INSIDE;
    x->layer.software = origins_of(p, m);
    x->layer.digest = x->item.digest;
    if (!x->file)
        return x->layer.software != NULL;
    if (!x->layer.software || !hash(p, x->file, digest, err))
        return false;
    notes[n++] = (struct jw_oci_note){ JW_OCI_TITLE, say(p, "%s.tar.zst", one ? one->name : "pack") };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ORIGIN, x->layer.software };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ENTRIES, say(p, "%zu", m->n_entries) };
    notes[n++] = (struct jw_oci_note){ JW_OCI_BYTES, say(p, "%llu", (unsigned long long)x->layer.bytes) };
    if (x->content)
        notes[n++] = (struct jw_oci_note){ JW_OCI_CONTENT, x->content };
    x->layer.digest = say(p, "%s", digest);
    x->item = (struct jw_oci_item){
        .media = JW_OCI_PACK, .digest = x->layer.digest, .size = x->is.bytes, .notes = notes, .n_notes = n
    };
    return x->layer.digest && notes[0].value && notes[2].value && notes[3].value;
}

static bool read_pack(struct push *p, struct pack *x, struct jw_err *err)
{
    const struct jw_pack_open_options o = { .interrupted = p->o->interrupted };

    if (!jw_pack_peek(x->file, &o, p->a, &x->is, err))
        return false;
    if (x->is.signature == JW_PACK_SEEN_BESIDE)
        return jw_fail(err, JW_E_USAGE,
                       "%.200s: its signature lies beside it and would be lost; export it with --sign, which "
                       "also signs inside",
                       x->file);
    return describe(p, x, err);
}

/* ---- kinds ---- */

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* Packs of one kind stand together, and layers in an order that the packs alone decide. */
static int by_kind(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;
    const struct jw_pack_manifest *m = &x->is.manifest, *n = &y->is.manifest;
    int order = (int)m->simulated - (int)n->simulated;

    order = order ? order : text_order(m->os, n->os);
    order = order ? order : text_order(m->arch, n->arch);
    order = order ? order : text_order(m->stamp, n->stamp);
    order = order ? order : (int)m->sm - (int)n->sm;
    return order ? order : 0;
}

static int by_place(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;
    int order = by_kind(a, b);

    order = order ? order : strcmp(x->layer.software, y->layer.software);
    return order ? order : strcmp(x->layer.digest, y->layer.digest);
}

static const struct jw_oci_note *kind_notes(struct push *p, const struct jw_push_kind *k, size_t *n)
{
    struct jw_oci_note *v = jw_arena_alloc(p->a, NOTES * sizeof *v);
    struct jw_buf software = JW_BUF(LONGEST_LIST + 8);
    uint64_t entries = 0, bytes = 0;

    for (size_t i = 0; i < k->n; i++) {
        entries += k->layers[i].entries;
        bytes += k->layers[i].bytes;
        if (software.n + strlen(k->layers[i].software) + 5 < LONGEST_LIST)
            jw_buf_printf(&software, "%s%s", software.n ? " " : "", k->layers[i].software);
    }
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_STAMP, k->stamp };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SM, say(p, "%u", (unsigned)k->sm) };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SYSTEM, k->system };
    if (k->driver)
        v[(*n)++] = (struct jw_oci_note){ JW_OCI_DRIVER, k->driver };
    if (k->simulated)
        v[(*n)++] = (struct jw_oci_note){ JW_OCI_SIMULATED, "true" };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SOFTWARE, say(p, "%s", jw_buf_cstr(&software)) };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_ENTRIES, say(p, "%llu", (unsigned long long)entries) };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_BYTES, say(p, "%llu", (unsigned long long)bytes) };
    jw_buf_free(&software);
    for (size_t i = 0; i < *n; i++)
        if (!v[i].value)
            return NULL;
    return v;
}

/* ---- moving ---- */

static bool move_layer(struct jw_remote *to, struct pack *x, bool twice, struct jw_err *err)
{
    bool there = !x->file || twice;

    if ((!there && !jw_remote_has(to, &x->item, &there, err))
        || (!there && !jw_remote_mount(to, &x->item, &x->layer.mounted, err))
        || (!there && !x->layer.mounted && !jw_remote_put(to, &x->item, x->file, err)))
        return false;
    x->layer.moved = !there;
    return true;
}

static void on_sent(void *ctx, uint64_t done, uint64_t total)
{
    struct carrier *c = ctx;
    struct push *p = c->p;
    uint64_t sent = 0;

    (void)total;
    atomic_store(&c->sent, c->before + done);
    for (size_t i = 0; i < AT_ONCE; i++)
        sent += atomic_load(&p->by[i].sent);
    if (c == p->by && p->o->progress)
        p->o->progress(p->o->ctx, sent, p->total);
}

/* Packs of the same bytes stand side by side; the first one is sent. */
static void carry(void *ctx, unsigned worker)
{
    struct push *p = ctx;
    struct carrier *c = &p->by[worker];

    for (size_t i; !atomic_load(&p->failed) && (i = atomic_fetch_add(&p->next, 1)) < p->n_moving;) {
        struct pack *x = &p->moving[i];
        bool twice = i && strcmp(x[-1].layer.digest, x->layer.digest) == 0;

        if (!move_layer(c->to, x, twice, &c->err))
            atomic_store(&p->failed, true);
        c->before += x->file ? x->item.size : 0;
        on_sent(c, 0, 0);
    }
}

/* Connections are opened by one thread, for libcurl's own beginning wants that. */
static bool open_carrier(struct push *p, struct carrier *c, struct jw_err *err)
{
    struct jw_remote_options o = p->net;

    o.login = o.login ? jw_arena_str(&c->a, o.login) : NULL; /* each wipes its own */
    o.ctx = c;
    c->p = p;
    return jw_remote_open(&o, &c->a, &c->to, err);
}

static void close_carrier(struct carrier *c)
{
    char *login = c->to ? c->to->o.login : NULL;

    jw_remote_close(c->to);
    if (login)
        jw_secret_wipe(login, strlen(login));
    jw_arena_free(&c->a);
    c->to = NULL;
}

static bool move_layers(struct push *p, struct pack *first, size_t n, struct jw_err *err)
{
    unsigned files = 0, workers = 1;
    bool ok = true;

    p->moving = first;
    p->n_moving = n;
    p->total = 0;
    atomic_store(&p->next, 0);
    for (size_t i = 0; i < n; i++) {
        files += first[i].file != NULL;
        p->total += first[i].file ? first[i].item.size : 0;
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        p->by[i].before = 0;
        atomic_store(&p->by[i].sent, 0);
    }
    while (ok && workers < AT_ONCE && workers < files)
        ok = p->by[workers].to || open_carrier(p, &p->by[workers], err) ? (workers++, true) : false;
    if (!ok)
        return false;
    jw_parallel(workers, carry, p);
    for (unsigned i = 0; i < workers; i++)
        if (p->by[i].err.code != JW_OK) {
            *err = p->by[i].err;
            return false;
        }
    for (size_t i = 0; i < n; i++) {
        const struct pack *x = &first[i];

        p->out->layers++;
        p->out->bytes += x->item.size;
        p->out->layers_moved += x->layer.moved;
        p->out->bytes_moved += x->layer.moved && !x->layer.mounted ? x->item.size : 0;
    }
    return true;
}

static bool same_note(const struct jw_oci_item *x, const struct jw_oci_item *y, const char *key)
{
    return text_order(jw_oci_note(x->notes, x->n_notes, key), jw_oci_note(y->notes, y->n_notes, key)) == 0;
}

static bool same_kind(const struct jw_oci_item *x, const struct jw_oci_item *y)
{
    return same_note(x, y, JW_OCI_STAMP) && same_note(x, y, JW_OCI_SM) && same_note(x, y, JW_OCI_SYSTEM)
           && same_note(x, y, JW_OCI_SIMULATED);
}

/* The index under the tag as it is, with this manifest in place of the one of its kind. */
static bool put_index(struct push *p, const char *tag, const struct jw_oci_item *item, struct jw_err *err)
{
    struct jw_buf old = JW_BUF(JW_OCI_MAX_TEXT), text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_oci_doc doc = { .is_index = true };
    struct jw_oci_item *all = NULL;
    size_t n = 0;
    bool found, ok = jw_remote_document(p->to, tag, &old, &found, err)
                     && (!found || jw_oci_read(jw_buf_bytes(&old), p->a, &doc, err)
                         || jw_wrap(err, "what tag %.128s names", tag));

    if (ok && !doc.is_index)
        ok =
            jw_fail(err, JW_E_USAGE, "tag %.128s names an image, and no index of packs: choose another", tag);
    if (ok) {
        all = jw_arena_alloc(p->a, (doc.n + 1) * sizeof *all);
        ok = true;
    }
    if (ok) {
        for (size_t i = 0; i < doc.n; i++)
            if (!same_kind(&doc.items[i], item))
                all[n++] = doc.items[i];
        all[n++] = *item;
        doc.items = all;
        doc.n = n;
        doc.artifact = JW_OCI_ARTIFACT;
        ok = jw_oci_write(&text, &doc, err);
    }
    if (ok && !(found && old.n == text.n && memcmp(old.p, text.p, text.n) == 0))
        ok = jw_remote_put_document(p->to, tag, JW_OCI_INDEX, jw_buf_bytes(&text), err);
    jw_buf_free(&old);
    jw_buf_free(&text);
    return ok;
}

static const char *oci_arch(const char *arch)
{
    return strcmp(arch, "x86_64") == 0 ? "amd64" : strcmp(arch, "aarch64") == 0 ? "arm64" : arch;
}

static bool put_manifest(struct push *p, struct jw_push_kind *k, const struct pack *first, struct jw_err *err)
{
    struct jw_oci_doc doc = { .artifact = JW_OCI_ARTIFACT,
                              .n = k->n,
                              .subject = p->image.digest ? &p->image : NULL };
    struct jw_oci_item item = { .media = JW_OCI_MANIFEST,
                                .artifact = JW_OCI_ARTIFACT,
                                .os = first->is.manifest.os,
                                .arch = oci_arch(first->is.manifest.arch) };
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    char digest[72] = "";
    bool there = false, ok;

    doc.items = jw_arena_alloc(p->a, k->n * sizeof *doc.items);
    doc.notes = kind_notes(p, k, &doc.n_notes);
    if (!doc.items || !doc.notes)
        return false;
    for (size_t i = 0; i < k->n; i++)
        doc.items[i] = first[i].item;
    ok = jw_oci_write(&text, &doc, err);
    if (ok) {
        struct jw_buf now = JW_BUF(JW_OCI_MAX_TEXT);

        jw_oci_digest(digest, jw_buf_bytes(&text));
        k->digest = item.digest = say(p, "%s", digest);
        item.size = text.n;
        item.notes = doc.notes;
        item.n_notes = doc.n_notes;
        ok = k->digest && jw_remote_document(p->to, digest, &now, &there, err)
             && (there || jw_remote_put_document(p->to, NULL, JW_OCI_MANIFEST, jw_buf_bytes(&text), err));
        jw_buf_free(&now);
    }
    jw_buf_free(&text);
    return ok && (!p->image.digest || jw_remote_refers(p->to, p->image.digest, &k->attached, err))
           && put_index(p, k->tag, &item, err);
}

static const char *tag_of(struct push *p, const struct jw_pack_manifest *m, struct jw_err *err)
{
    const struct jw_fleet_machine like = { .stamp = m->stamp, .simulated = m->simulated };

    return p->o->ref->tag ? p->o->ref->tag : jw_fleet_tag(&like, m->sm, p->a, err);
}

static bool push_kind(struct push *p, struct pack *first, size_t n, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &first->is.manifest;
    struct jw_push_kind *k = &p->out->kinds[p->out->n++];

    *k = (struct jw_push_kind){ .tag = tag_of(p, m, err),
                                .driver = m->driver,
                                .stamp = m->stamp,
                                .system = system_of(p, m),
                                .sm = m->sm,
                                .simulated = m->simulated,
                                .layers = jw_arena_alloc(p->a, n * sizeof *k->layers),
                                .n = n };
    if (!k->system || !k->tag || !k->layers)
        return false;
    if (!move_layers(p, first, n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        k->layers[i] = first[i].layer;
    return put_manifest(p, k, first, err);
}

static bool push_kinds(struct push *p, struct jw_err *err)
{
    p->out->kinds = jw_arena_alloc(p->a, (p->n + 1) * sizeof *p->out->kinds);
    if (p->n)
        qsort(p->packs, p->n, sizeof *p->packs, by_place);
    for (size_t i = 0, last; i < p->n; i = last) {
        for (last = i + 1; last < p->n && by_kind(&p->packs[i], &p->packs[last]) == 0;)
            last++;
        if (!push_kind(p, &p->packs[i], last - i, err))
            return false;
    }
    return true;
}

/* ---- what lies there already ---- */

static bool read_old(struct push *p, const char *name, bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    bool ok = jw_remote_document(p->to, name, &text, found, err)
              && (!*found || jw_oci_read(jw_buf_bytes(&text), p->a, &p->old, err)
                  || jw_wrap(err, "what %.128s names", name));

    jw_buf_free(&text);
    return ok;
}

static bool find_image(struct push *p, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_oci_doc doc;
    char digest[72];
    bool found = false;
    bool ok = jw_remote_document(p->to, p->o->attach, &text, &found, err)
              && (found || jw_fail(err, JW_E_NET, "%.200s has no %.128s", p->o->ref->text, p->o->attach))
              && (jw_oci_read(jw_buf_bytes(&text), p->a, &doc, err) || jw_wrap(err, "%.128s", p->o->attach));

    if (ok) {
        jw_oci_digest(digest, jw_buf_bytes(&text));
        p->image = (struct jw_oci_item){ .media = doc.media      ? doc.media
                                                  : doc.is_index ? JW_OCI_INDEX
                                                                 : JW_OCI_MANIFEST,
                                         .digest = say(p, "%s", digest),
                                         .size = text.n };
    }
    jw_buf_free(&text);
    return ok && p->image.digest;
}

/* The manifest of this kind. */
static bool find_old(struct push *p, const struct jw_pack_manifest *m, struct jw_err *err)
{
    const char *tag = tag_of(p, m, err), *system = system_of(p, m), *sm = say(p, "%u", m->sm);
    const struct jw_oci_note kind[] = { { JW_OCI_STAMP, m->stamp },
                                        { JW_OCI_SM, sm },
                                        { JW_OCI_SYSTEM, system },
                                        { JW_OCI_SIMULATED, m->simulated ? "true" : NULL } };
    const struct jw_oci_item like = { .notes = kind, .n_notes = JW_COUNT(kind) };
    const char *digest = NULL;
    bool found = false;

    p->sm = m->sm;
    p->old = (struct jw_oci_doc){ 0 };
    if (!tag || !system || !sm || !read_old(p, tag, &found, err))
        return false;
    for (size_t i = 0; p->old.is_index && i < p->old.n; i++)
        if (same_kind(&p->old.items[i], &like))
            digest = p->old.items[i].digest;
    p->old = (struct jw_oci_doc){ 0 };
    return !digest || read_old(p, digest, &found, err);
}

/* Is it to be made? Not if a layer of the same content is known to the place's manifest and lies there. */
static bool needs(void *ctx, const struct jw_export_pack *made, bool *yes, struct jw_err *err)
{
    struct push *p = ctx;
    struct jw_oci_item *is = jw_list_add(p->a, &p->is, &p->n_is, sizeof *is, JW_OCI_MAX_ITEMS, err);
    bool there = false;

    if (!is || (p->sm != made->sm && !find_old(p, made->manifest, err)))
        return false;
    *is = (struct jw_oci_item){ 0 };
    for (size_t i = 0; !there && i < p->old.n; i++) {
        const struct jw_oci_item *old = &p->old.items[i];
        const char *content = jw_oci_note(old->notes, old->n_notes, JW_OCI_CONTENT);

        if (!content || strcmp(content, made->content) != 0)
            continue;
        if (!jw_remote_has(p->to, old, &there, err))
            return false;
        if (there)
            *is = *old;
    }
    *yes = !there;
    return true;
}

static bool make_packs(struct push *p, struct jw_err *err)
{
    struct jw_export_options o = *p->o->make;
    struct jw_export_report *r = &p->out->made;

    o.needs = needs;
    o.needs_ctx = p;
    if (!jw_export(&o, p->a, r, err))
        return false;
    p->packs = jw_arena_alloc(p->a, (r->n_packs + 1) * sizeof *p->packs);
    for (size_t i = 0; i < p->n_is && (r->end == JW_END_DONE || r->end == JW_END_PARTLY); i++) {
        const struct jw_export_pack *made = &r->packs[i];
        struct pack *x = &p->packs[p->n];

        *x = (struct pack){ .content = *made->content ? made->content : NULL, .item = p->is[i] };
        if (x->item.digest)
            x->is = (struct jw_pack_peeked){ .manifest = *made->manifest,
                                             .bytes = x->item.size,
                                             .signature = o.key ? JW_PACK_SEEN_INSIDE : JW_PACK_SEEN_NONE };
        else
            x->file = made->path;
        if (!made->written && !x->item.digest)
            continue;
        if (x->file ? !read_pack(p, x, err) : !describe(p, x, err))
            return false;
        p->n++;
    }
    return true;
}

static bool read_packs(struct push *p, struct jw_err *err)
{
    p->packs = jw_arena_alloc(p->a, (p->o->n_packs + 1) * sizeof *p->packs);
    for (; p->n < p->o->n_packs; p->n++) {
        p->packs[p->n] = (struct pack){ .file = p->o->packs[p->n] };
        if (!read_pack(p, &p->packs[p->n], err))
            return false;
    }
    return true;
}

bool jw_push(const struct jw_push_options *o, struct jw_arena *a, struct jw_push_report *out,
             struct jw_err *err)
{
    struct push p = { .o = o, .a = a, .out = out, .net = o->net };
    uint64_t began = jw_time_monotonic_ns();

    p.net.ref = o->ref;
    p.net.write = true;
    p.net.interrupted = o->interrupted;
    p.net.progress = on_sent;
    p.net.ctx = p.by;
    p.by[0].p = &p;

    *out = (struct jw_push_report){ 0 };
    bool ok = jw_remote_open(&p.net, a, &p.to, err) && (!o->attach || find_image(&p, err))
              && (o->make ? make_packs(&p, err) : read_packs(&p, err));

    p.by[0].to = p.to;
    ok = ok && (!p.n || (jw_remote_hold(p.to, err) && push_kinds(&p, err)));
    for (size_t i = 1; i < AT_ONCE; i++)
        close_carrier(&p.by[i]);
    jw_remote_close(p.to);
    out->milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    return ok;
}
