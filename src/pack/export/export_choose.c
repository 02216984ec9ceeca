/* Chooses the entries for the pack of one architecture. Pure functions. */
#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"

#include <string.h>

struct choosing {
    const struct export_input *in;
    struct export_choice *out;
};

/* ---- one entry ---- */

static void skip_entry(struct choosing *c, enum jw_export_why why, uint64_t bytes)
{
    struct jw_export_sum *s = &c->out->left_out[why];

    s->entries++;
    if (!jw_add(s->bytes, bytes, &s->bytes))
        s->bytes = UINT64_MAX;
}

/* The architecture of an unreadable entry is known only from the request. */
static bool is_for_sm(const struct choosing *c, uint16_t sm)
{
    return sm ? sm == c->in->sm : c->in->unknown_too;
}

/* Entries of other compilers count only if a command loads them: nobody knows whether a start needs the
 * rest. */
static bool is_of_build(const struct choosing *c, const struct jw_cache_file *f, const struct export_entry *w)
{
    return jw_cache_serves(f->kind, f->stamp, f->version, c->in->stamp, c->in->version)
           && (f->kind == JW_CACHE_CUDA || (w && w->loaded));
}

static void consider(struct choosing *c, const struct jw_cache_file *f, const struct export_entry *w)
{
    if (f->damage) {
        if (is_for_sm(c, w ? w->sm : 0))
            skip_entry(c, f->unread ? JW_EXPORT_UNREAD : JW_EXPORT_DAMAGED, f->size);
        return;
    }
    if (w && w->loaded && c->in->unknown_too && (!is_of_build(c, f, w) || !f->sm))
        skip_entry(c, JW_EXPORT_OTHERS, f->size);
    if (!is_of_build(c, f, w) || f->sm != c->in->sm)
        return;
    struct export_entry *chosen = &c->out->list[c->out->n++];

    *chosen = w ? *w : (struct export_entry){ .name = f->name, .origin = JW_PACK_NO_ORIGIN };
    chosen->file = f;
}

static int by_wanted(const void *a, const void *b)
{
    const struct export_entry *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->origin != y->origin ? (x->origin < y->origin ? -1 : 1) : 0;
}

/* Merges requests for one entry. JW_PACK_NO_ORIGIN sorts last. */
static size_t merge(struct export_entry *v, size_t n)
{
    size_t kept = 0;

    jw_sort(v, n, sizeof *v, by_wanted);
    for (size_t i = 0; i < n; i++) {
        struct export_entry *last = kept ? &v[kept - 1] : NULL;

        if (!last || last->name != v[i].name) {
            v[kept++] = v[i];
            continue;
        }
        last->needed |= v[i].needed;
        last->once |= v[i].once;
        last->loaded |= v[i].loaded;
        last->sm = last->sm ? last->sm : v[i].sm;
        last->bytes = jw_max(last->bytes, v[i].bytes);
    }
    return kept;
}

/* Both lists are sorted by name. */
static void walk_entries(struct choosing *c, size_t n_wanted)
{
    const struct export_input *in = c->in;
    size_t f = 0;

    for (size_t i = 0; i < n_wanted; i++) {
        const struct export_entry *w = &in->wanted[i];

        for (; f < in->n_files && in->files[f].name < w->name; f++)
            if (in->everything)
                consider(c, &in->files[f], NULL);
        if (f < in->n_files && in->files[f].name == w->name)
            consider(c, &in->files[f++], w);
        else if (w->needed && is_for_sm(c, w->sm))
            skip_entry(c, JW_EXPORT_MISSING, w->bytes);
    }
    for (; in->everything && f < in->n_files; f++)
        consider(c, &in->files[f], NULL);
}

void export_choose(const struct export_input *in, struct jw_arena *a, struct export_choice *out)
{
    struct choosing c = { .in = in, .out = out };

    *out = (struct export_choice){ 0 };
    out->list = jw_arena_alloc(a, (in->n_files + 1) * sizeof *out->list);
    walk_entries(&c, merge(in->wanted, in->n_wanted));
}

/* ---- origins ---- */

const char *export_plain_name(const char *text, struct jw_arena *a)
{
    bool utf8 = jw_utf8_valid((struct jw_bytes){ (const uint8_t *)text, strlen(text) });
    size_t n = strlen(text);
    char *out;

    while (n > JW_MAX_PACK_NAME || (n < strlen(text) && ((uint8_t)text[n] & 0xc0) == 0x80))
        n--;
    out = jw_arena_text(a, text, n);
    for (size_t i = 0; out && i < n; i++)
        if ((uint8_t)out[i] < 0x20 || out[i] == 0x7f || strchr("/\\:", out[i])
            || (!utf8 && (uint8_t)out[i] >= 0x80))
            out[i] = '_';
    if (out && (!*out || strcmp(out, ".") == 0 || strcmp(out, "..") == 0))
        return "_";
    return out;
}

const char *export_plain_word(const char *text)
{
    return text && jw_pack_is_word(text) ? text : NULL;
}

void export_origins(const struct export_choice *choice, const struct export_candidates *candidates,
                    struct jw_arena *a, struct jw_pack_entry *entries, struct jw_pack_manifest *m)
{
    struct jw_pack_origin *of = jw_arena_alloc(a, (choice->n + 1) * sizeof *of);

    for (size_t i = 0; i < choice->n; i++)
        if (choice->list[i].origin < candidates->n)
            of[i] = candidates->list[choice->list[i].origin];
    jw_pack_origins(of, a, entries, choice->n, m);
}
