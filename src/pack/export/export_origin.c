/* The origins of a pack's entries: packages with versions, and files by name; and sums over them. */
#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "cache/format/digest_set.h"
#include "formats/ptx.h"
#include "os/files/file.h"

#include <string.h>

enum { KERNEL_SEARCH = 1 << 18 };

bool export_origin(struct export *x, const char *name, const char *version, uint32_t *at, struct jw_err *err)
{
    struct export_candidates *c = &x->candidates;
    const struct jw_pack_origin is = { export_plain_name(name, x->run->a), export_plain_word(version) };
    struct jw_pack_origin *slot;

    for (size_t i = c->n; i-- > 0;) /* the last one is the most probable */
        if (jw_pack_origin_order(&c->list[i], &is) == 0) {
            *at = (uint32_t)i;
            return true;
        }
    *at = (uint32_t)c->n;
    slot = jw_list_add(x->run->a, &c->list, &c->n, sizeof *slot, JW_MAX_OWNED, err);
    if (slot)
        *slot = is;
    return slot != NULL;
}

/* ---- sums ---- */

/* The beginning of the entry's key, which the caller frees; empty: it cannot be read. */
static struct jw_bytes read_key(struct export *x, const struct jw_cache_file *f, size_t max)
{
    char *path = jw_path_join(x->run->a, x->dir.folder, jw_cache_name(f->name).text);
    uint8_t *text = jw_alloc(max + 1);
    size_t got = 0;
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_err ignored;
    bool ok = jw_file_open(&file, path, &ignored)
              && jw_file_read(&file, JW_CACHE_HEADER, text, max, &got, &ignored);

    jw_file_close(&file);
    return (struct jw_bytes){ text, ok ? got : 0 };
}

/* The entry's first kernel, or "". */
static void read_kernel(struct export *x, const struct jw_cache_file *f, const char **out)
{
    struct jw_bytes text = read_key(x, f, (size_t)jw_min(f->entry.key_size, KERNEL_SEARCH));
    size_t at = 0;
    struct jw_bytes kernel = jw_ptx_next_kernel(text, &at);

    *out = text.n ? jw_arena_text(x->run->a, (const char *)kernel.p, kernel.n) : "";
    jw_free((void *)text.p);
}

struct summed {
    const struct jw_cache_file *file;
    uint32_t origin;
};

static int by_origin_and_size(const void *a, const void *b)
{
    const struct summed *x = a, *y = b;

    if (x->origin != y->origin)
        return x->origin < y->origin ? -1 : 1;
    if (jw_cache_weight(&x->file->entry) != jw_cache_weight(&y->file->entry))
        return jw_cache_weight(&x->file->entry) > jw_cache_weight(&y->file->entry) ? -1 : 1;
    return x->file->name < y->file->name ? -1 : x->file->name > y->file->name;
}

static int by_bytes(const void *a, const void *b)
{
    const struct jw_export_origin *x = a, *y = b;

    if (x->sum.bytes != y->sum.bytes)
        return x->sum.bytes > y->sum.bytes ? -1 : 1;
    return strcmp(x->is.name ? x->is.name : "", y->is.name ? y->is.name : "");
}

/* The entries of one origin, the largest first. */
static void sum_one(struct export *x, const struct summed *v, size_t n, const struct export_job *job,
                    struct jw_export_origin *out)
{
    *out = (struct jw_export_origin){ .sum.entries = n };
    if (v->origin != JW_PACK_NO_ORIGIN)
        out->is = job->manifest.origins[v->origin];
    for (size_t i = 0; i < n; i++)
        out->sum.bytes += jw_cache_weight(&v[i].file->entry);
    for (size_t i = 0; x->o->everything && i < n && i < JW_EXPORT_KERNELS; i++) {
        const char *kernel;

        read_kernel(x, v[i].file, &kernel);
        if (*kernel)
            out->kernels[out->n_kernels++] = kernel;
    }
}

void export_sum_up(struct export *x, size_t pack)
{
    struct export_job *job = &x->jobs[pack];
    struct jw_export_pack *p = &x->out->packs[pack];
    size_t n = job->choice.n, end;
    struct summed *v = jw_arena_alloc(x->run->a, (n + 1) * sizeof *v);

    p->origins = jw_arena_alloc(x->run->a, (job->manifest.n_origins + 1) * sizeof *p->origins);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct summed){ job->choice.list[i].file, job->entries[i].origin };
    jw_sort(v, n, sizeof *v, by_origin_and_size);
    p->n_origins = 0;
    p->sum = (struct jw_export_sum){ 0 };
    for (size_t i = 0; i < n; i = end) {
        struct jw_export_origin *o = &p->origins[p->n_origins++];

        for (end = i + 1; end < n && v[end].origin == v[i].origin;)
            end++;
        sum_one(x, &v[i], end - i, job, o);
        p->sum.entries += o->sum.entries;
        p->sum.bytes += o->sum.bytes;
    }
    jw_sort(p->origins, p->n_origins, sizeof *p->origins, by_bytes);
}

/* ---- what a command loads ---- */

/* An entry that cannot be read is missed when it is packed. */
void export_list_modules(struct export *x, const struct export_choice *choice, struct jw_pack_manifest *m)
{
    struct jw_digest_set texts = { 0 };
    uint8_t digest[JW_DIGEST];

    for (size_t i = 0; i < choice->n; i++) {
        const struct jw_cache_file *f = choice->list[i].file;
        struct jw_cache_key key = { .kind = JW_CACHE_OTHER };

        if (choice->list[i].once || f->entry.key_size > JW_MAX_CACHE_KEY)
            continue;
        struct jw_bytes text = read_key(x, f, (size_t)f->entry.key_size);

        if (text.n == f->entry.key_size)
            jw_cache_key_read(text, text.n, &key);
        if (key.kind == JW_CACHE_CUDA) {
            jw_digest(digest, key.input.p, key.input.n);
            jw_digest_set_add(&texts, x->run->a, digest);
        }
        jw_free((void *)text.p);
    }
    jw_digest_set_sort(&texts);
    m->modules = jw_digest_set_list(&texts);
    m->n_modules = texts.n;
}
