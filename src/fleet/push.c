#include "fleet/push_run.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "memory/state_folder.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "pack/format/pack_key.h"

#include <string.h>

enum { MAX_LIST = 1000, MAX_NOTES = 6, CHUNK = 1 << 20 };

#define UNKNOWN "unknown" /* software of a layer without origins */

const char *jw_fleet_tag(const struct jw_ref *ref, const char *os, const char *arch, const char *stamp,
                         uint16_t sm, struct jw_arena *a, struct jw_err *err)
{
    const char *own = ref->tag ? ref->tag : "", *key = jw_pack_key(stamp, sm).text;
    const char *tag = jw_arena_printf(a, "%s%s%s-%s-%s", own, *own ? "-" : "", os, arch, key);

    if (*key && jw_ref_is_tag(tag))
        return tag;
    (void)jw_fail(err, JW_E_UNFIT, "the driver build \"%.60s\" makes no tag", stamp);
    return NULL;
}

static const char *note_of(const struct jw_oci_item *item, const char *key, const char *usual)
{
    const char *value = jw_oci_note(item, key);

    return value ? value : usual;
}

/* ---- the packs of this push ---- */

static bool hash_through(const struct jw_run *run, struct jw_file *f, const char *from, uint64_t size,
                         struct jw_sink to, const char *into, struct jw_sha256_state *s, uint8_t *chunk,
                         struct jw_err *err)
{
    uint64_t at = 0;

    for (size_t got = 1; got; at += got) {
        if (!jw_run_goes_on(run, err))
            return false;
        if (!jw_file_read(f, at, chunk, CHUNK, &got, err))
            return jw_wrap(err, "%.250s", from);
        jw_sha256_update(s, chunk, got);
        if (to.put && got && !to.put(to.ctx, chunk, got, err))
            return jw_wrap(err, "%.250s", into);
        jw_run_show(run, "reading the packs", at + got, size);
    }
    return true;
}

bool push_read_file(const struct jw_run *run, const char *from, uint64_t size, struct jw_sink to,
                    const char *into, char digest[72], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK);

    jw_sha256_init(&s);
    bool ok = (jw_file_open(&f, from, err) || jw_wrap(err, "%.250s", from))
              && hash_through(run, &f, from, size, to, into, &s, chunk, err);

    jw_oci_digest_final(digest, &s);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}

const char *push_software(const struct jw_pack_manifest *m, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF_IN(a, MAX_LIST + JW_MAX_PACK_NAME + 8);

    for (size_t i = 0; i < m->n_origins && text.n < MAX_LIST; i++)
        if (!i || strcmp(m->origins[i].name, m->origins[i - 1].name) != 0)
            jw_buf_printf(&text, "%s%s", text.n ? " " : "", m->origins[i].name);
    return text.n ? jw_buf_cstr(&text) : UNKNOWN;
}

/* The names of the entries, eight bytes each, in a file of their own. */
static bool write_names(struct push *p, struct pack *x, const char *of, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &x->is.manifest;
    struct jw_buf bytes = JW_BUF(JW_MAX_PACK_ENTRIES * 8);
    struct jw_oci_note *note = jw_arena_alloc(p->run->a, sizeof *note);
    char digest[72];

    for (size_t i = 0; i < m->n_entries; i++) {
        uint8_t name[8];

        jw_put64(name, m->entries[i].name);
        jw_buf_add(&bytes, name, sizeof name);
    }
    jw_oci_digest(digest, jw_buf_bytes(&bytes));
    *note = (struct jw_oci_note){ JW_OCI_OF, of };
    x->names = (struct jw_oci_item){ .media = JW_OCI_NAMES,
                                     .digest = jw_arena_str(p->run->a, digest),
                                     .size = bytes.n,
                                     .notes = note,
                                     .n_notes = 1 };

    const char *path = jw_path_join(p->run->a, p->work, digest + 7);
    bool ok =
        jw_buf_ok(&bytes, err)
        && (jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(&bytes), err) || jw_wrap(err, "%.250s", path));

    jw_buf_free(&bytes);
    return ok;
}

static bool read_pack(struct push *p, struct pack *x, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &x->is.manifest;
    struct jw_arena *a = p->run->a;
    struct jw_oci_note *notes = jw_arena_alloc(a, MAX_NOTES * sizeof *notes);
    char digest[72];
    size_t n = 0;

    if (!jw_pack_peek(x->file, NULL, a, &x->is, err))
        return false;
    if (x->is.signature == JW_PACK_SEEN_BESIDE)
        return jw_fail(err, JW_E_USAGE,
                       "%.200s: its signature is in a separate file and would be lost; export it with "
                       "--sign, which signs inside the pack",
                       x->file);
    if (!push_read_file(p->run, x->file, x->is.bytes, (struct jw_sink){ NULL, NULL }, NULL, digest, err))
        return false;
    x->layer = (struct jw_push_layer){ .software = push_software(m, a),
                                       .digest = jw_arena_str(a, digest),
                                       .size = x->is.bytes,
                                       .entries = m->n_entries,
                                       .key = x->is.signature == JW_PACK_SEEN_INSIDE ? x->is.key : NULL };
    notes[n++] = (struct jw_oci_note){ JW_OCI_TITLE, jw_pack_file_name(m, false, a) };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ORIGIN, x->layer.software };
    notes[n++] = (struct jw_oci_note){ JW_OCI_ENTRIES, jw_arena_printf(a, "%zu", m->n_entries) };
    if (x->layer.key)
        notes[n++] = (struct jw_oci_note){ JW_OCI_KEY, x->layer.key };
    x->item = (struct jw_oci_item){
        .media = JW_OCI_PACK, .digest = x->layer.digest, .size = x->is.bytes, .notes = notes, .n_notes = n
    };
    return write_names(p, x, x->layer.digest, err);
}

static int by_key(const void *a, const void *b)
{
    const struct jw_pack_manifest *m = &((const struct pack *)a)->is.manifest,
                                  *n = &((const struct pack *)b)->is.manifest;
    int order = strcmp(m->os, n->os);

    order = order ? order : strcmp(m->arch, n->arch);
    order = order ? order : strcmp(m->stamp, n->stamp);
    return order ? order : (int)m->sm - (int)n->sm;
}

/* The order of layers depends on the packs alone. */
static int by_software(const void *a, const void *b)
{
    const struct pack *x = a, *y = b;
    int order = by_key(a, b);

    order = order ? order : strcmp(x->layer.software, y->layer.software);
    return order ? order : strcmp(x->layer.digest, y->layer.digest);
}

/* ---- what the remote has ---- */

/* Is each word of `few` among those of `many`? */
static bool words_are_among(const char *few, const char *many)
{
    for (size_t n; *few; few += n + (few[n] == ' ')) {
        const char *at = many;
        bool found = false;

        n = strcspn(few, " ");
        for (size_t m; !found && *at; at += m + (at[m] == ' ')) {
            m = strcspn(at, " ");
            found = m == n && memcmp(at, few, n) == 0;
        }
        if (!found)
            return false;
    }
    return true;
}

const struct pack *push_successor(const char *software, const struct pack *v, size_t n)
{
    for (size_t i = 0; i < n && strcmp(software, UNKNOWN) != 0; i++)
        if (words_are_among(software, v[i].layer.software))
            return &v[i];
    return NULL;
}

bool push_may_replace(const struct push *p, const char *software, const char *key, const struct pack *by,
                      struct jw_err *err)
{
    return !key || p->o->replace || (by && by->layer.key)
           || jw_fail(err, JW_E_TRUST,
                      "%.150s: the pack of %.80s there is signed by key %.32s, and this push is not signed: "
                      "sign it (--sign KEY), or replace all packs there (--replace)",
                      p->o->net.ref->text, software, key);
}

/* ---- a registry ---- */

/* The same bytes, or of all its software. */
static const struct pack *successor(const struct jw_oci_item *old, const struct pack *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].layer.digest, old->digest) == 0)
            return &v[i];
    return push_successor(note_of(old, JW_OCI_ORIGIN, UNKNOWN), v, n);
}

static bool keep(struct push *p, const struct jw_oci_doc *old, const struct jw_oci_item *item,
                 struct pack *out, bool *kept, struct jw_err *err)
{
    const struct jw_oci_item *names = jw_oci_names_of(old, item->digest);

    if (!jw_remote_has(p->to, item, kept, err) || !*kept)
        return *kept || err->code == JW_OK;
    *out = (struct pack){ .item = *item,
                          .names = names ? *names : (struct jw_oci_item){ 0 },
                          .is.manifest = p->packs[0].is.manifest,
                          .layer = { .software = note_of(item, JW_OCI_ORIGIN, UNKNOWN),
                                     .digest = item->digest,
                                     .size = item->size,
                                     .key = jw_oci_note(item, JW_OCI_KEY),
                                     .kept = true } };
    (void)!jw_text_u64(note_of(item, JW_OCI_ENTRIES, ""), &out->layer.entries);
    return true;
}

/* The packs of this push, and behind them the layers of earlier ones that stay. */
static bool merge(struct push *p, const struct jw_oci_doc *old, struct pack *v, size_t *n, struct jw_err *err)
{
    size_t fresh = *n;

    for (size_t i = 0; i < old->n; i++) {
        const struct jw_oci_item *item = &old->items[i];
        const struct pack *by = successor(item, v, fresh);
        bool kept = false;

        if (strcmp(item->media, JW_OCI_PACK) != 0 || (by && strcmp(by->layer.digest, item->digest) == 0))
            continue;
        if (by || p->o->replace) {
            if (!push_may_replace(p, note_of(item, JW_OCI_ORIGIN, UNKNOWN), jw_oci_note(item, JW_OCI_KEY), by,
                                  err))
                return false;
            p->out->replaced++;
            continue;
        }
        if (!keep(p, old, item, &v[*n], &kept, err))
            return false;
        *n += kept;
    }
    jw_sort(v, *n, sizeof *v, by_software);
    return true;
}

/* ---- write ---- */

static bool send(struct push *p, const struct jw_oci_item *item, const char *file, bool *sent,
                 struct jw_err *err)
{
    bool there = false;

    if (!jw_remote_has(p->to, item, &there, err) || (!there && !jw_remote_put(p->to, item, file, err)))
        return false;
    *sent = !there;
    return true;
}

static bool send_packs(struct push *p, struct pack *v, size_t n, struct jw_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct pack *x = &v[i];
        bool names_sent;

        if (!x->file)
            continue;
        if (!send(p, &x->item, x->file, &x->layer.sent, err)
            || !send(p, &x->names, jw_path_join(p->run->a, p->work, x->names.digest + 7), &names_sent, err))
            return false;
        p->out->sent += x->layer.sent;
        p->out->sent_bytes += x->layer.sent ? x->item.size : 0;
    }
    return true;
}

/* `before`: digest of the manifest that is there. */
static bool put_layers(struct push *p, const char *tag, const struct pack *v, size_t n, const char *before,
                       struct jw_err *err)
{
    const struct jw_pack_manifest *m = &v[0].is.manifest;
    struct jw_arena *a = p->run->a;
    const struct jw_oci_note notes[] = { { JW_OCI_STAMP, m->stamp },
                                         { JW_OCI_SM, jw_arena_printf(a, "%u", (unsigned)m->sm) },
                                         { JW_OCI_SYSTEM, jw_arena_printf(a, "%s-%s", m->os, m->arch) },
                                         { JW_OCI_DRIVER, m->driver } };
    struct jw_oci_doc doc = { .artifact = JW_OCI_ARTIFACT,
                              .items = jw_arena_alloc(a, 2 * n * sizeof *doc.items),
                              .notes = notes,
                              .n_notes = JW_COUNT(notes) - !m->driver };
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    char digest[72] = "";

    for (size_t i = 0; i < n; i++)
        doc.items[doc.n++] = v[i].item;
    for (size_t i = 0; i < n; i++)
        if (v[i].names.digest)
            doc.items[doc.n++] = v[i].names;

    bool ok = jw_oci_write(&text, &doc, err);

    jw_oci_digest(digest, jw_buf_bytes(&text));
    ok = ok && (strcmp(digest, before) == 0 || jw_remote_put_manifest(p->to, tag, jw_buf_bytes(&text), err));
    jw_buf_free(&text);
    return ok;
}

void push_report(struct push *p, const char *tag, const struct pack *v, size_t n)
{
    struct jw_push_report *out = p->out;
    struct jw_push_layer *all = jw_arena_alloc(p->run->a, (out->n + n) * sizeof *all);

    for (size_t i = 0; i < out->n + n; i++)
        all[i] = i < out->n ? out->layers[i] : v[i - out->n].layer;
    for (size_t i = out->n; i < out->n + n; i++)
        all[i].tag = tag;
    out->layers = all;
    out->n += n;
}

/* Packs of one key, with the layers that are there under it. */
static bool push_key(struct push *p, const char *tag, const struct pack *first, size_t n, struct jw_err *err)
{
    struct jw_oci_doc old = { 0 };
    char before[72];
    bool found;

    if (!jw_remote_manifest(p->to, tag, &old, before, &found, err))
        return false;
    if (found && !jw_text_same(old.artifact, JW_OCI_ARTIFACT))
        return jw_fail(err, JW_E_USAGE, "%.200s: tag %.128s holds no packs; choose another tag",
                       p->o->net.ref->text, tag);

    struct pack *v = jw_arena_alloc(p->run->a, (n + old.n) * sizeof *v);

    memcpy(v, first, n * sizeof *v);
    if (!merge(p, &old, v, &n, err) || !send_packs(p, v, n, err))
        return false;
    push_report(p, tag, v, n);
    return put_layers(p, tag, v, n, before, err);
}

/* ---- the run ---- */

static bool push_packs(struct push *p, const struct pack *first, size_t n, struct jw_err *err)
{
    const struct jw_pack_manifest *m = &first->is.manifest;
    const struct jw_ref *ref = p->o->net.ref;
    const char *tag = jw_fleet_tag(ref, m->os, m->arch, m->stamp, m->sm, p->run->a, err);

    return tag && (ref->path ? push_to_folder : push_key)(p, tag, first, n, err);
}

static bool push_all(struct push *p, struct jw_err *err)
{
    p->packs = jw_arena_alloc(p->run->a, (p->o->packs.n + 1) * sizeof *p->packs);
    for (; p->n < p->o->packs.n; p->n++) {
        p->packs[p->n] = (struct pack){ .file = p->o->packs.items[p->n] };
        if (!read_pack(p, &p->packs[p->n], err))
            return false;
    }
    jw_sort(p->packs, p->n, sizeof *p->packs, by_software);
    for (size_t i = 0, last; i < p->n; i = last) {
        for (last = i + 1; last < p->n && by_key(&p->packs[i], &p->packs[last]) == 0;)
            last++;
        if (!push_packs(p, &p->packs[i], last - i, err))
            return false;
    }
    return true;
}

bool jw_push(struct jw_run *run, const struct jw_push_options *o, struct jw_push_report *out,
             struct jw_err *err)
{
    struct push p = { .o = o, .run = run, .out = out };
    struct jw_remote_options net = o->net;
    char *work = NULL;

    *out = (struct jw_push_report){ 0 };
    net.run = run;

    bool ok = jw_state_scratch(JW_STATE_PUSH, run->a, &work, err)
              && (o->net.ref->path || jw_remote_open(&net, run->a, &p.to, err));

    p.work = work;
    ok = ok && push_all(&p, err);
    jw_remote_close(p.to);
    jw_scratch_remove(work);
    return ok;
}
