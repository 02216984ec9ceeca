#include "fleet/matrix.h"

#include "base/arena.h"
#include "base/digest.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN_TAG "jitwarm2-" /* prefix of the tags that fleet/machine makes */

enum { MAX_KINDS = 8192, MAX_MISSING = 64, MAX_SM = 1000 };

static const char *note_of(const struct jw_oci_item *item, const char *key)
{
    return jw_oci_note(item->notes, item->n_notes, key);
}

/* ---- what is there before anything is compiled ---- */

void jw_matrix_digest(struct jw_matrix_input *to, uint64_t *names, size_t n, const char *key)
{
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    jw_sort_u64(names, n, sizeof *names);
    jw_digest_init(&s);
    jw_digest_update(&s, key, strlen(key) + 1);
    jw_digest_update(&s, names, n * sizeof *names);
    jw_digest_final(&s, digest);
    jw_digest_hex(to->digest, digest);
    to->modules = n;
}

static bool is_kind(const struct jw_oci_item *item, const char *stamp, const char *sm, const char *system)
{
    const char *got[] = { note_of(item, JW_OCI_STAMP), note_of(item, JW_OCI_SM),
                          note_of(item, JW_OCI_SYSTEM) };
    const char *const want[] = { stamp, sm, system };

    for (size_t i = 0; i < JW_COUNT(got); i++)
        if (!got[i] || strcmp(got[i], want[i]) != 0)
            return false;
    return true;
}

/* All layers of this input are there, and there is one. */
static bool has_layers(struct jw_remote *r, const struct jw_oci_doc *manifest, const char *digest,
                       bool *there, struct jw_err *err)
{
    size_t found = 0;

    *there = false;
    for (size_t i = 0; i < manifest->n; i++) {
        const char *input = note_of(&manifest->items[i], JW_OCI_INPUT);
        bool stored = false;

        if (!input || strcmp(input, digest) != 0)
            continue;
        if (!r->ops->has(r, &manifest->items[i], &stored, err))
            return false;
        if (!stored)
            return true;
        found++;
    }
    *there = found > 0;
    return true;
}

static bool look_at(struct jw_remote *r, const struct jw_ref *ref, const struct jw_fleet_machine *m,
                    struct jw_matrix_input *in, struct jw_arena *a, struct jw_err *err)
{
    const char *tag = ref->tag ? ref->tag : jw_fleet_tag(m, in->sm, a, err);
    const char *system = jw_arena_printf(a, "%s-%s", jw_os_name(), jw_os_arch());
    struct jw_oci_doc index = { 0 }, manifest = { 0 };
    char sm[8];
    bool found;

    if (!tag || !jw_remote_oci(r, tag, a, &index, NULL, &found, err))
        return false;
    (void)snprintf(sm, sizeof sm, "%u", (unsigned)in->sm);
    for (size_t i = 0; found && index.is_index && i < index.n; i++)
        if (is_kind(&index.items[i], m->stamp, sm, system))
            return jw_remote_oci(r, index.items[i].digest, a, &manifest, NULL, &found, err)
                   && (!found || has_layers(r, &manifest, in->digest, &in->there, err));
    return true;
}

bool jw_matrix_look(const struct jw_remote_options *net, const struct jw_ref *ref,
                    const struct jw_fleet_machine *m, struct jw_matrix_input *v, size_t n, struct jw_arena *a,
                    struct jw_err *err)
{
    struct jw_remote_options o = *net;
    struct jw_remote *r = NULL;

    o.ref = ref;
    o.write = true;
    bool ok = jw_remote_open(&o, a, &r, err);

    for (size_t i = 0; ok && i < n; i++)
        if (*v[i].digest)
            ok = look_at(r, ref, m, &v[i], a, err);
    if (r)
        r->ops->close(r);
    return ok;
}

/* ---- all that is there ---- */

struct listing {
    struct jw_remote *from;
    struct jw_arena *a;
    struct jw_matrix *out;
};

static bool add_kind(struct listing *l, const char *tag, const struct jw_oci_item *item, struct jw_err *err)
{
    const char *sm = note_of(item, JW_OCI_SM), *entries = note_of(item, JW_OCI_ENTRIES),
               *bytes = note_of(item, JW_OCI_BYTES), *packed = note_of(item, JW_OCI_PACKED),
               *software = note_of(item, JW_OCI_SOFTWARE);
    uint64_t number = 0;
    struct jw_matrix_kind *k;

    if (!sm || !jw_text_u64(sm, &number) || !number || number >= MAX_SM || !note_of(item, JW_OCI_STAMP))
        return true; /* another program wrote it */
    k = jw_list_add(l->a, &l->out->kinds, &l->out->n, sizeof *k, MAX_KINDS, err);
    if (!k)
        return false;
    *k = (struct jw_matrix_kind){ .tag = tag,
                                  .driver = note_of(item, JW_OCI_DRIVER),
                                  .stamp = note_of(item, JW_OCI_STAMP),
                                  .system = note_of(item, JW_OCI_SYSTEM),
                                  .software = software ? software : "",
                                  .key = note_of(item, JW_OCI_KEY),
                                  .pushed = note_of(item, JW_OCI_PUSHED),
                                  .sm = (uint16_t)number };
    (void)!(entries && jw_text_u64(entries, &k->entries));
    (void)!(bytes && jw_text_u64(bytes, &k->bytes));
    (void)!(packed && jw_text_u64(packed, &k->packed));
    return true;
}

static bool list_tag(struct listing *l, const char *tag, struct jw_err *err)
{
    struct jw_oci_doc index = { 0 };
    bool found;

    l->out->requests++;
    if (!jw_remote_oci(l->from, tag, l->a, &index, NULL, &found, err))
        return false;
    for (size_t i = 0; found && index.is_index && i < index.n; i++)
        if (!add_kind(l, tag, &index.items[i], err))
            return false;
    return true;
}

static bool list_own(void *ctx, const char *tag, struct jw_err *err)
{
    return !jw_text_starts(tag, OWN_TAG) || list_tag(ctx, tag, err);
}

static int order_of(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_matrix_place(const void *a, const void *b)
{
    const struct jw_matrix_kind *x = a, *y = b;
    int order = order_of(x->system, y->system);

    order = order ? order : order_of(x->driver, y->driver);
    order = order ? order : order_of(x->stamp, y->stamp);
    return order ? order : (int)x->sm - (int)y->sm;
}

static bool same_row(const struct jw_matrix_kind *x, const struct jw_matrix_kind *y)
{
    return order_of(x->system, y->system) == 0 && order_of(x->stamp, y->stamp) == 0;
}

/* The kinds `from` to `to` are of one driver. `known`: architectures of its system. */
static void add_missing_of(struct listing *l, size_t from, size_t to, const bool *known)
{
    struct jw_matrix *m = l->out;
    const struct jw_matrix_kind *row = &m->kinds[from];
    bool has[MAX_SM] = { false };

    for (size_t i = from; i < to; i++)
        has[m->kinds[i].sm % MAX_SM] = true;
    for (unsigned sm = 1; sm < MAX_SM && m->n_missing < MAX_MISSING; sm++)
        if (known[sm] && !has[sm] && jw_fleet_drives(row->driver, sm))
            m->missing[m->n_missing++] =
                jw_arena_printf(l->a, "sm_%u for driver %.60s", sm, row->driver ? row->driver : row->stamp);
}

/* For each driver, the architectures that another driver of its system has, and that it supports. */
static void find_missing(struct listing *l)
{
    struct jw_matrix *m = l->out;
    bool known[MAX_SM];

    m->missing = jw_arena_alloc(l->a, MAX_MISSING * sizeof *m->missing);
    for (size_t i = 0, to; i < m->n; i = to) {
        if (!i || order_of(m->kinds[i].system, m->kinds[i - 1].system) != 0) {
            memset(known, 0, sizeof known);
            for (size_t k = i; k < m->n && order_of(m->kinds[k].system, m->kinds[i].system) == 0; k++)
                known[m->kinds[k].sm % MAX_SM] = true;
        }
        for (to = i + 1; to < m->n && same_row(&m->kinds[i], &m->kinds[to]);)
            to++;
        add_missing_of(l, i, to, known);
    }
}

bool jw_matrix_list(const struct jw_remote_options *net, const struct jw_ref *ref, struct jw_arena *a,
                    struct jw_matrix *out, struct jw_err *err)
{
    struct jw_remote_options o = *net;
    struct listing l = { .a = a, .out = out };
    bool ok;

    *out = (struct jw_matrix){ .from = ref->text };
    o.ref = ref;
    ok = jw_remote_open(&o, a, &l.from, err)
         && (ref->tag ? list_tag(&l, ref->tag, err) : l.from->ops->tags(l.from, list_own, &l, err));
    if (l.from)
        l.from->ops->close(l.from);
    jw_sort(out->kinds, out->n, sizeof *out->kinds, by_matrix_place);
    if (ok)
        find_missing(&l);
    return ok;
}
