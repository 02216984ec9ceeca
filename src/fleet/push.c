#include "fleet/push.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/sort.h"
#include "base/text.h"
#include "fleet/machine.h"
#include "machine/run.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"
#include "pack/file/pack_read.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1 << 20,
    MAX_LIST = 1000,
    NOTES = 12,
    MAX_CONNECTIONS = 4, /* connections */
    MIN_LAYERS_EACH = 4  /* layers that one connection checks: another one costs a handshake and a login */
};

#define UNKNOWN "unknown" /* software of a layer without origins */

struct pack {
    const char *file, *content; /* file NULL: the place has it; content NULL: not known */
    struct jw_pack_peeked is;
    struct jw_oci_item item;
    struct jw_push_layer layer;
};

/* A thread with its own connection. */
struct worker {
    struct push *p;
    struct jw_remote *to;
    struct jw_run run; /* of `to` */
    struct jw_arena a; /* of `to`, and of nothing else */
    atomic_ullong sent;
    uint64_t before; /* of `sent`: whole layers */
    struct jw_err err;
};

/* The layers of the tag for one driver build and architecture. */
struct present {
    uint16_t sm;             /* 0: not read yet */
    char index_digest[72];   /* "": there is no index */
    struct jw_oci_doc index; /* n 0: none */
    const char *digest;      /* of the manifest; NULL: there is none */
    struct jw_oci_doc manifest;
    bool *stored; /* for each layer of `manifest`: its blob exists */
};

struct push {
    const struct jw_push_options *o;
    struct jw_arena *a;
    struct jw_push_report *out;
    struct jw_remote *to;
    struct worker workers[MAX_CONNECTIONS]; /* the first one is this thread, with `to` */
    bool (*job)(struct worker *w, size_t i);
    size_t n_jobs;
    atomic_size_t next;
    atomic_bool failed;
    struct pack *moving;
    uint64_t total; /* bytes that may have to be sent */
    struct pack *packs;
    size_t n;
    struct present now;
    struct jw_oci_item *reuse; /* for each pack of the export: its layer at the place, or digest NULL */
    size_t n_reuse;
};

/* ---- packs ---- */

static const char *layer_note(const struct jw_oci_item *item, const char *key)
{
    const char *value = jw_oci_note(item->notes, item->n_notes, key);

    return value ? value : strcmp(key, JW_OCI_ORIGIN) == 0 ? UNKNOWN : "";
}

static const char *origins_of(struct push *p, const struct jw_pack_manifest *m)
{
    struct jw_buf text = JW_BUF(MAX_LIST + JW_MAX_PACK_NAME + 8);
    const char *out;

    for (size_t i = 0; i < m->n_origins; i++) {
        const struct jw_pack_origin *o = &m->origins[i];

        if (i && strcmp(o->name, m->origins[i - 1].name) == 0)
            continue;
        if (text.n + strlen(o->name) > MAX_LIST) {
            jw_buf_text(&text, " ...");
            break;
        }
        jw_buf_printf(&text, "%s%s", text.n ? " " : "", o->name);
    }
    out = jw_arena_str(p->a, text.n ? jw_buf_cstr(&text) : UNKNOWN);
    jw_buf_free(&text);
    return out;
}

static const char *system_of(struct push *p, const struct jw_pack_manifest *m)
{
    return jw_arena_printf(p->a, "%s-%s", m->os, m->arch);
}

/* Returns the digest of the input of a pack of this push; NULL: it is not known. */
static const char *input_of(const struct push *p, uint16_t sm)
{
    for (size_t i = 0; i < p->o->n_inputs; i++)
        if (p->o->inputs[i].sm == sm && *p->o->inputs[i].digest)
            return p->o->inputs[i].digest;
    return NULL;
}

/* Gives the same layer the input of this push. */
static void renew_input(struct push *p, struct jw_oci_item *item, uint16_t sm)
{
    struct jw_oci_note *notes = jw_arena_alloc(p->a, (item->n_notes + 1) * sizeof *notes);
    size_t n = 0;

    if (!input_of(p, sm))
        return;
    for (size_t i = 0; i < item->n_notes; i++)
        if (strcmp(item->notes[i].key, JW_OCI_INPUT) != 0)
            notes[n++] = item->notes[i];
    notes[n++] = (struct jw_oci_note){ JW_OCI_INPUT, input_of(p, sm) };
    item->notes = notes;
    item->n_notes = n;
}

static bool describe_pack(struct push *p, struct pack *x, struct jw_err *err)
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
    x->layer.key = x->file ? x->is.signature == JW_PACK_SEEN_INSIDE ? x->is.key : NULL
                           : jw_oci_note(x->item.notes, x->item.n_notes, JW_OCI_KEY);
    x->layer.software = origins_of(p, m);
    x->layer.digest = x->item.digest;
    if (!x->file)
        return true;
    if (!jw_remote_hash_file(p->o->run, x->file, x->is.bytes, (struct jw_sink){ NULL, NULL }, NULL, digest,
                             err))
        return false;
    notes[n++] =
        (struct jw_oci_note){ JW_OCI_TITLE, jw_arena_printf(p->a, "%s.tar.zst", one ? one->name : "pack") };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ORIGIN, x->layer.software };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ENTRIES, jw_arena_printf(p->a, "%zu", m->n_entries) };
    notes[n++] = (struct jw_oci_note){ JW_OCI_BYTES,
                                       jw_arena_printf(p->a, "%llu", (unsigned long long)x->layer.bytes) };
    if (x->layer.key)
        notes[n++] = (struct jw_oci_note){ JW_OCI_KEY, x->layer.key };
    if (input_of(p, m->sm))
        notes[n++] = (struct jw_oci_note){ JW_OCI_INPUT, input_of(p, m->sm) };
    if (x->content)
        notes[n++] = (struct jw_oci_note){ JW_OCI_CONTENT, x->content };
    x->layer.digest = jw_arena_str(p->a, digest);
    x->item = (struct jw_oci_item){
        .media = JW_OCI_PACK, .digest = x->layer.digest, .size = x->is.bytes, .notes = notes, .n_notes = n
    };
    return true;
}

static bool read_pack(struct push *p, struct pack *x, struct jw_err *err)
{
    if (!jw_pack_peek(x->file, NULL, p->a, &x->is, err))
        return false;
    if (x->is.signature == JW_PACK_SEEN_BESIDE)
        return jw_fail(
            err, JW_E_USAGE,
            "%.200s: its signature is in a separate file and would be lost; export it with --sign, "
            "which also signs inside the pack",
            x->file);
    p->out->other_files += x->is.manifest.kit.n_files;
    return describe_pack(p, x, err);
}

/* ---- kinds ---- */

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* Packs of one kind are neighbours. The order of layers depends only on the packs. */
static int by_kind(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;
    const struct jw_pack_manifest *m = &x->is.manifest, *n = &y->is.manifest;
    int order = text_order(m->os, n->os);

    order = order ? order : text_order(m->arch, n->arch);
    order = order ? order : text_order(m->stamp, n->stamp);
    order = order ? order : (int)m->sm - (int)n->sm;
    return order;
}

static int by_pack_place(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;
    int order = by_kind(a, b);

    order = order ? order : strcmp(x->layer.software, y->layer.software);
    return order ? order : strcmp(x->layer.digest, y->layer.digest);
}

static const struct jw_oci_note *kind_notes(struct push *p, const struct jw_push_kind *k, size_t *n)
{
    struct jw_oci_note *v = jw_arena_alloc(p->a, NOTES * sizeof *v);
    struct jw_buf software = JW_BUF(MAX_LIST + 8);
    uint64_t entries = 0, bytes = 0, packed = 0;
    const char *key = k->n ? k->layers[0].key : NULL;

    for (size_t i = 0; i < k->n; i++) {
        packed += k->layers[i].size;
        key = key && k->layers[i].key && strcmp(key, k->layers[i].key) == 0 ? key : NULL;
        entries += k->layers[i].entries;
        bytes += k->layers[i].bytes;
        if (software.n + strlen(k->layers[i].software) + 5 < MAX_LIST)
            jw_buf_printf(&software, "%s%s", software.n ? " " : "", k->layers[i].software);
    }
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_STAMP, k->stamp };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SM, jw_arena_printf(p->a, "%u", (unsigned)k->sm) };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SYSTEM, k->system };
    if (k->driver)
        v[(*n)++] = (struct jw_oci_note){ JW_OCI_DRIVER, k->driver };
    v[(*n)++] = (struct jw_oci_note){ JW_OCI_SOFTWARE, jw_arena_str(p->a, jw_buf_cstr(&software)) };
    v[(*n)++] =
        (struct jw_oci_note){ JW_OCI_ENTRIES, jw_arena_printf(p->a, "%llu", (unsigned long long)entries) };
    v[(*n)++] =
        (struct jw_oci_note){ JW_OCI_BYTES, jw_arena_printf(p->a, "%llu", (unsigned long long)bytes) };
    v[(*n)++] =
        (struct jw_oci_note){ JW_OCI_PACKED, jw_arena_printf(p->a, "%llu", (unsigned long long)packed) };
    if (key)
        v[(*n)++] = (struct jw_oci_note){ JW_OCI_KEY, key }; /* that signed each layer */
    jw_buf_free(&software);
    return v;
}

/* ---- several layers at once ---- */

static void run_worker(void *ctx, unsigned worker)
{
    struct push *p = ctx;
    struct worker *w = &p->workers[worker];

    for (size_t i; !atomic_load(&p->failed) && (i = atomic_fetch_add(&p->next, 1)) < p->n_jobs;)
        if (!p->job(w, i))
            atomic_store(&p->failed, true);
}

static void show_sent(const struct push *p)
{
    uint64_t all = 0;

    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        all += atomic_load(&p->workers[i].sent);
    if (p->total)
        jw_run_show(p->o->run, JW_PUSH_SENDING, all, p->total);
}

/* The first worker shows what all have sent: one thread alone writes. */
static void on_sent(void *ctx, const struct jw_progress *sent)
{
    struct worker *w = ctx;

    atomic_store(&w->sent, w->before + sent->done);
    if (w == w->p->workers)
        show_sent(w->p);
}

static bool open_remote(struct push *p, struct worker *w, struct jw_arena *a, struct jw_err *err)
{
    struct jw_remote_options o = p->o->net;

    w->p = p;
    w->run = (struct jw_run){ .interrupted = p->o->run->interrupted, .progress = on_sent, .ctx = w };
    o.ref = p->o->ref;
    o.write = true;
    o.run = &w->run;
    if (o.login && w != p->workers)
        o.login = jw_arena_str(a, o.login); /* each wipes its own */
    return jw_remote_open(&o, a, &w->to, err);
}

static void close_worker(struct worker *w)
{
    char *login = w->to ? w->to->o.login : NULL;

    if (w->to)
        w->to->ops->close(w->to);
    if (login)
        jw_secret_wipe(login, strlen(login));
    jw_arena_free(&w->a);
    w->to = NULL;
}

/* Calls `job` for 0 to `n` - 1. This thread alone opens connections: libcurl's initialization needs that. */
static bool run_jobs(struct push *p, size_t n, size_t max_workers, bool (*job)(struct worker *w, size_t i),
                     struct jw_err *err)
{
    unsigned workers = 1;

    for (; workers < MAX_CONNECTIONS && workers < max_workers; workers++)
        if (!p->workers[workers].to && !open_remote(p, &p->workers[workers], &p->workers[workers].a, err))
            return false;
    p->job = job;
    p->n_jobs = n;
    atomic_store(&p->next, 0);
    jw_parallel(workers, run_worker, p);
    show_sent(p); /* another worker than the first may have sent the last bytes */
    for (unsigned i = 0; i < workers; i++)
        if (p->workers[i].err.code != JW_OK) {
            *err = p->workers[i].err;
            return false;
        }
    return true;
}

/* ---- upload ---- */

/* Packs of the same bytes are neighbours; the first one is sent. */
static bool move_layer(struct worker *w, size_t i)
{
    struct pack *x = &w->p->moving[i];
    bool there = !x->file || (i && strcmp(x[-1].layer.digest, x->layer.digest) == 0);

    if ((!there && !w->to->ops->has(w->to, &x->item, &there, &w->err))
        || (!there && !w->to->ops->put(w->to, &x->item, x->file, &w->err)))
        return false;
    x->layer.moved = !there;
    w->before += x->file ? x->item.size : 0;
    on_sent(w, &(struct jw_progress){ 0 });
    return true;
}

static bool move_layers(struct push *p, struct pack *first, size_t n, struct jw_err *err)
{
    size_t files = 0;

    p->moving = first;
    for (size_t i = 0; i < n; i++)
        files += first[i].file != NULL;
    if (!run_jobs(p, n, files, move_layer, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct pack *x = &first[i];

        p->out->layers++;
        p->out->bytes += x->item.size;
        p->out->layers_moved += x->layer.moved;
        p->out->bytes_moved += x->layer.moved ? x->item.size : 0;
    }
    return true;
}

/* ---- what the place has ---- */

static bool same_note(const struct jw_oci_item *x, const struct jw_oci_item *y, const char *key)
{
    return text_order(jw_oci_note(x->notes, x->n_notes, key), jw_oci_note(y->notes, y->n_notes, key)) == 0;
}

static bool same_kind(const struct jw_oci_item *x, const struct jw_oci_item *y)
{
    return same_note(x, y, JW_OCI_STAMP) && same_note(x, y, JW_OCI_SM) && same_note(x, y, JW_OCI_SYSTEM);
}

static const char *tag_of(struct push *p, const struct jw_pack_manifest *m, struct jw_err *err)
{
    const struct jw_fleet_machine like = { .stamp = m->stamp };

    return p->o->ref->tag ? p->o->ref->tag : jw_fleet_tag(&like, m->sm, p->a, err);
}

static bool check_stored(struct worker *w, size_t i)
{
    struct present *now = &w->p->now;

    return w->to->ops->has(w->to, &now->manifest.items[i], &now->stored[i], &w->err);
}

/* Reads the index under the tag. Reads the manifest of this kind only if it has changed since the last call. */
static bool read_present(struct push *p, const struct jw_pack_manifest *m, const char *tag,
                         struct jw_err *err)
{
    const struct jw_oci_note kind[] = { { JW_OCI_STAMP, m->stamp },
                                        { JW_OCI_SM, jw_arena_printf(p->a, "%u", m->sm) },
                                        { JW_OCI_SYSTEM, system_of(p, m) } };
    const struct jw_oci_item like = { .notes = kind, .n_notes = JW_COUNT(kind) };
    struct present *now = &p->now;
    const char *known = now->sm == m->sm ? now->digest : NULL;
    bool found;

    now->sm = m->sm;
    now->digest = NULL;
    now->index = (struct jw_oci_doc){ .is_index = true };
    if (!jw_remote_oci(p->to, tag, p->a, &now->index, now->index_digest, &found, err))
        return false;
    if (!now->index.is_index)
        return jw_fail(err, JW_E_USAGE, "tag %.128s is an image, not an index of packs; choose another tag",
                       tag);
    for (size_t i = 0; i < now->index.n; i++)
        if (same_kind(&now->index.items[i], &like))
            now->digest = now->index.items[i].digest;
    if (known && now->digest && strcmp(known, now->digest) == 0)
        return true;
    now->manifest = (struct jw_oci_doc){ 0 };
    if (now->digest && !jw_remote_oci(p->to, now->digest, p->a, &now->manifest, NULL, &found, err))
        return false;
    now->stored = jw_arena_alloc(p->a, (now->manifest.n + 1) * sizeof *now->stored);
    return run_jobs(p, now->manifest.n, now->manifest.n / MIN_LAYERS_EACH, check_stored, err);
}

/* ---- documents ---- */

/* Adds the day on which this manifest came here: today, unless it is there already. SOURCE_DATE_EPOCH replaces today,
 * for the same bytes each time. */
static void add_day(struct push *p, struct jw_oci_item *item)
{
    struct jw_oci_note *v = jw_arena_alloc(p->a, (item->n_notes + 1) * sizeof *v);
    const char *epoch = jw_env(p->a, "SOURCE_DATE_EPOCH"), *day = NULL;
    uint64_t now = 0;
    bool known = false;

    for (size_t i = 0; i < p->now.index.n && !known; i++) {
        const struct jw_oci_item *x = &p->now.index.items[i];

        known = same_kind(x, item) && strcmp(x->digest, item->digest) == 0;
        day = known ? jw_oci_note(x->notes, x->n_notes, JW_OCI_PUSHED) : NULL;
    }
    if (!known) {
        struct jw_buf text = JW_BUF(64);

        if (!epoch || !jw_text_u64(epoch, &now) || now > INT64_MAX)
            now = (uint64_t)jw_time_unix();
        jw_text_time(&text, (int64_t)now);
        day = jw_arena_printf(p->a, "%.10s", jw_buf_cstr(&text));
        jw_buf_free(&text);
    }
    memcpy(v, item->notes, item->n_notes * sizeof *v);
    item->notes = v;
    if (day)
        v[item->n_notes++] = (struct jw_oci_note){ JW_OCI_PUSHED, day };
}

/* The index under the tag, with this manifest in place of the present one of its kind. */
static bool put_index(struct push *p, const char *tag, const struct jw_oci_item *item, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_oci_doc doc = p->now.index;
    char digest[72] = "";
    bool ok, placed = false;

    doc.items = jw_arena_alloc(p->a, (doc.n + 1) * sizeof *doc.items);
    doc.n = 0;
    for (size_t i = 0; i < p->now.index.n; i++) {
        bool here = same_kind(&p->now.index.items[i], item);

        if (!here || !placed)
            doc.items[doc.n++] = here ? *item : p->now.index.items[i];
        placed = placed || here;
    }
    if (!placed)
        doc.items[doc.n++] = *item;
    doc.artifact = JW_OCI_ARTIFACT;
    ok = jw_oci_write(&text, &doc, err);
    if (ok)
        jw_oci_digest(digest, jw_buf_bytes(&text));
    if (ok && strcmp(digest, p->now.index_digest) != 0)
        ok = p->to->ops->put_document(p->to, tag, JW_OCI_INDEX, jw_buf_bytes(&text), err);
    jw_buf_free(&text);
    return ok;
}

static const char *oci_arch(const char *arch)
{
    return strcmp(arch, "x86_64") == 0 ? "amd64" : strcmp(arch, "aarch64") == 0 ? "arm64" : arch;
}

static bool put_manifest(struct push *p, struct jw_push_kind *k, const struct pack *first, struct jw_err *err)
{
    struct jw_oci_doc doc = { .artifact = JW_OCI_ARTIFACT, .n = k->n };
    struct jw_oci_item item = { .media = JW_OCI_MANIFEST,
                                .artifact = JW_OCI_ARTIFACT,
                                .os = first->is.manifest.os,
                                .arch = oci_arch(first->is.manifest.arch) };
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    char digest[72] = "";
    bool ok;

    doc.items = jw_arena_alloc(p->a, k->n * sizeof *doc.items);
    doc.notes = kind_notes(p, k, &doc.n_notes);
    for (size_t i = 0; i < k->n; i++)
        doc.items[i] = first[i].item;
    ok = jw_oci_write(&text, &doc, err);
    if (ok) {
        jw_oci_digest(digest, jw_buf_bytes(&text));
        k->digest = item.digest = jw_arena_str(p->a, digest);
        item.size = text.n;
        item.notes = doc.notes;
        item.n_notes = doc.n_notes;
        ok = (p->now.digest && strcmp(p->now.digest, digest) == 0)
             || p->to->ops->put_document(p->to, NULL, JW_OCI_MANIFEST, jw_buf_bytes(&text), err);
    }
    jw_buf_free(&text);
    if (ok)
        add_day(p, &item);
    return ok && put_index(p, k->tag, &item, err);
}

/* Machines that trust this key would refuse the layer that an unsigned push puts in its place. */
static bool may_replace(struct push *p, struct jw_push_kind *k, const struct jw_oci_item *old,
                        const struct pack *by, struct jw_err *err)
{
    const char *key = jw_oci_note(old->notes, old->n_notes, JW_OCI_KEY);

    k->replaced++;
    if (!key || (by && by->layer.key))
        return true;
    k->replaced_key = key;
    return p->o->replace
           || jw_fail(err, JW_E_TRUST,
                      "%.150s: the layer of %.80s there is signed by key %.32s, and this push is not signed: "
                      "sign it (--sign KEY), or replace all layers there (--replace)",
                      p->o->ref->text, layer_note(old, JW_OCI_ORIGIN), key);
}

/* The pack of this push that takes the layer's place: of the same software. */
static const struct pack *update_of(const struct jw_oci_item *old, const struct pack *packs, size_t n)
{
    const char *software = layer_note(old, JW_OCI_ORIGIN);

    for (size_t i = 0; strcmp(software, UNKNOWN) != 0 && i < n; i++)
        if (strcmp(packs[i].layer.software, software) == 0)
            return &packs[i];
    return NULL;
}

/* Adds the layers of earlier pushes that no pack of this push replaces. */
static bool add_present(struct push *p, struct jw_push_kind *k, struct pack **first, size_t *n,
                        struct jw_err *err)
{
    const struct jw_oci_doc *old = &p->now.manifest;
    struct pack *all = jw_arena_alloc(p->a, (*n + old->n) * sizeof *all), *given = *first;
    size_t packs = *n;

    memcpy(all, given, packs * sizeof *all);
    for (size_t i = 0; i < old->n; i++) {
        const struct jw_oci_item *item = &old->items[i];
        const struct pack *by = update_of(item, given, packs);
        bool pushed = false;

        for (size_t x = 0; x < packs; x++)
            pushed = pushed || strcmp(given[x].layer.digest, item->digest) == 0;
        if (pushed || strcmp(item->media, JW_OCI_PACK) != 0 || !p->now.stored[i])
            continue;
        if (by || p->o->replace) {
            if (!may_replace(p, k, item, by, err))
                return false;
            continue;
        }
        all[*n] = (struct pack){ .item = *item, .is.manifest = given->is.manifest };
        struct jw_push_layer *l = &all[(*n)++].layer;

        *l = (struct jw_push_layer){ .software = layer_note(item, JW_OCI_ORIGIN),
                                     .digest = item->digest,
                                     .size = item->size,
                                     .key = jw_oci_note(item->notes, item->n_notes, JW_OCI_KEY),
                                     .kept = true };
        (void)!jw_text_u64(layer_note(item, JW_OCI_ENTRIES), &l->entries);
        (void)!jw_text_u64(layer_note(item, JW_OCI_BYTES), &l->bytes);
    }
    jw_sort(all, *n, sizeof *all, by_pack_place);
    *first = all;
    return true;
}

static bool push_kind(struct push *p, struct pack *first, size_t n, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &first->is.manifest;
    struct jw_push_kind *k = &p->out->kinds[p->out->n++];

    *k = (struct jw_push_kind){ .tag = tag_of(p, m, err),
                                .driver = m->driver,
                                .stamp = m->stamp,
                                .system = system_of(p, m),
                                .sm = m->sm };
    if (!k->tag || !read_present(p, m, k->tag, err))
        return false;
    if (!add_present(p, k, &first, &n, err) || !move_layers(p, first, n, err))
        return false;
    k->layers = jw_arena_alloc(p->a, n * sizeof *k->layers);
    for (k->n = 0; k->n < n; k->n++)
        k->layers[k->n] = first[k->n].layer;
    return put_manifest(p, k, first, err);
}

static bool push_kinds(struct push *p, struct jw_err *err)
{
    p->out->kinds = jw_arena_alloc(p->a, (p->n + 1) * sizeof *p->out->kinds);
    jw_sort(p->packs, p->n, sizeof *p->packs, by_pack_place);
    for (size_t i = 0; i < p->n; i++)
        p->total += p->packs[i].file ? p->packs[i].item.size : 0;
    for (size_t i = 0, last; i < p->n; i = last) {
        for (last = i + 1; last < p->n && by_kind(&p->packs[i], &p->packs[last]) == 0;)
            last++;
        if (!push_kind(p, &p->packs[i], last - i, err))
            return false;
    }
    return true;
}

/* ---- packs to push ---- */

/* A pack is not made again when the place has a layer of the same content. */
static bool needs(void *ctx, const struct jw_export_pack *made, bool *yes, struct jw_err *err)
{
    struct push *p = ctx;
    struct jw_oci_item *reuse =
        jw_list_add(p->a, &p->reuse, &p->n_reuse, sizeof *reuse, JW_OCI_MAX_ITEMS, err);
    const char *tag = tag_of(p, made->manifest, err);

    if (!reuse || !tag || (p->now.sm != made->sm && !read_present(p, made->manifest, tag, err)))
        return false;
    *reuse = (struct jw_oci_item){ 0 };
    for (size_t i = 0; !reuse->digest && i < p->now.manifest.n; i++)
        if (p->now.stored[i]
            && strcmp(layer_note(&p->now.manifest.items[i], JW_OCI_CONTENT), made->content) == 0)
            *reuse = p->now.manifest.items[i];
    *yes = !reuse->digest;
    return true;
}

static bool make_packs(struct push *p, struct jw_err *err)
{
    struct jw_export_options o = *p->o->make;
    struct jw_export_report *r = &p->out->made;

    o.needs = needs;
    o.needs_ctx = p;
    if (!jw_export(p->o->run, &o, r, err))
        return false;
    p->packs = jw_arena_alloc(p->a, (r->n_packs + 1) * sizeof *p->packs);
    for (size_t i = 0; i < p->n_reuse && (r->run->end == JW_END_DONE || r->run->end == JW_END_PARTLY); i++) {
        const struct jw_export_pack *made = &r->packs[i];
        struct pack *x = &p->packs[p->n];

        *x = (struct pack){ .content = *made->content ? made->content : NULL, .item = p->reuse[i] };
        if (x->item.digest)
            renew_input(p, &x->item, made->sm);
        if (x->item.digest)
            x->is = (struct jw_pack_peeked){ .manifest = *made->manifest, .bytes = x->item.size };
        else
            x->file = made->path;
        if (!made->written && !x->item.digest)
            continue;
        if (x->file ? !read_pack(p, x, err) : !describe_pack(p, x, err))
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

/* Locks a folder. For a registry, the deadline of each connection begins again. */
static bool hold(struct push *p, struct jw_err *err)
{
    bool ok = p->to->ops->hold(p->to, err);

    for (size_t i = 1; ok && i < MAX_CONNECTIONS; i++)
        ok = !p->workers[i].to || p->o->ref->kind == JW_REF_FOLDER
             || p->workers[i].to->ops->hold(p->workers[i].to, err);
    return ok;
}

bool jw_push(const struct jw_push_options *o, struct jw_arena *a, struct jw_push_report *out,
             struct jw_err *err)
{
    struct push p = { .o = o, .a = a, .out = out };
    uint64_t began = jw_time_monotonic_ns();

    *out = (struct jw_push_report){ 0 };
    bool ok = open_remote(&p, p.workers, a, err);

    p.to = p.workers[0].to;
    ok = ok && (o->make ? make_packs(&p, err) : read_packs(&p, err));
    if (p.n)
        ok = ok && hold(&p, err) && push_kinds(&p, err);
    for (size_t i = 1; i < MAX_CONNECTIONS; i++)
        close_worker(&p.workers[i]);
    if (p.to)
        p.to->ops->close(p.to);
    out->milliseconds = (jw_time_monotonic_ns() - began) / 1000000;
    return ok;
}
