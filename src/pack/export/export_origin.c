/* Finds the origins of a pack's entries: packages with versions, files with identity and digest. */
#include "pack/export/export_work.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/worker/identity.h"
#include "formats/ptx.h"
#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

enum { KERNEL_SEARCH = 1 << 18 };

static bool equal_texts(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool export_candidate(struct export *x, const struct export_candidate *like, uint32_t *at, struct jw_err *err)
{
    struct export_candidates *c = &x->candidates;
    const char *name = export_plain_name(like->is.name, x->run->a),
               *version = export_plain_word(like->is.version);
    struct export_candidate *slot;

    for (size_t i = c->n; i-- > 0;) /* the last one is the most probable */
        if (equal_texts(c->list[i].path, like->path) && strcmp(c->list[i].is.name, name) == 0
            && equal_texts(c->list[i].is.version, version)) {
            *at = (uint32_t)i;
            return true;
        }
    *at = (uint32_t)c->n;
    slot = jw_list_add(x->run->a, &c->list, &c->n, sizeof *slot, JW_MAX_OWNED, err);
    if (slot)
        *slot = (struct export_candidate){ .is = { .name = name, .version = version },
                                           .path = like->path,
                                           .as = like->as };
    return slot != NULL;
}

static bool is_unchanged(const struct jw_file_info *now, const struct jw_file_info *then)
{
    return now->kind == JW_FILE_REGULAR && now->size == then->size && now->mtime == then->mtime
           && now->ctime == then->ctime && jw_file_same(now->id, then->id);
}

/* "b2:..." is a digest, not the identity of a build. */
static const char *build_of(const char *identity)
{
    return jw_text_starts(identity, "b2:") ? NULL : export_plain_word(identity);
}

static bool identify_file(struct export *x, struct export_candidate *c, struct jw_file *f, struct jw_err *err)
{
    struct jw_file_info before, after;
    const char *identity;
    uint8_t digest[JW_DIGEST];

    if (!jw_file_info(f, &before, err) || !is_unchanged(&before, &c->as))
        return false;

    struct jw_source src = jw_file_source(f, before.size);

    if (!jw_identity_read(&src, x->run->a, &identity, err)
        || !jw_digest_source(digest, &src, x->run->interrupted, err) || !jw_file_info(f, &after, err)
        || !is_unchanged(&after, &c->as))
        return false;
    c->is.build = build_of(identity);
    c->is.digested = true;
    memcpy(c->is.digest, digest, sizeof digest);
    return true;
}

/* If the file was deleted or changed, only its name goes into the pack. */
static bool identify_one(struct export *x, struct export_candidate *c, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err why = { 0 };
    bool ok = jw_file_open(&f, c->path, &why) && identify_file(x, c, &f, &why);

    jw_file_close(&f);
    if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    }
    if (!ok && why.msg[0])
        export_note(x, "cannot read %s, so its digest is not in the pack: %s", c->path, why.msg);
    return true;
}

bool export_identify(struct export *x, const struct export_choice *choice, struct jw_err *err)
{
    for (size_t i = 0; i < choice->n; i++) {
        uint32_t at = choice->list[i].origin;
        struct export_candidate *c = at < x->candidates.n ? &x->candidates.list[at] : NULL;

        if (!c || !c->path || c->is.digested)
            continue;
        export_notify(x, c->is.name);
        if (!identify_one(x, c, err))
            return false;
        c->path = c->is.digested ? c->path : NULL; /* do not try again */
    }
    return true;
}

/* ---- sums ---- */

/* The entry's first kernel, or "". */
static void read_kernel(struct export *x, const struct jw_cache_file *f, const char **out)
{
    char *path = jw_path_join(x->run->a, x->dir.root, jw_cache_name(f->name).text);
    size_t most = (size_t)jw_min(f->entry.key_size, KERNEL_SEARCH), got = 0, at = 0;
    uint8_t *text = jw_alloc(most + 1);
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_err ignored;

    *out = "";
    if (jw_file_open(&file, path, &ignored)
        && jw_file_read(&file, JW_CACHE_HEADER, text, most, &got, &ignored)) {
        struct jw_bytes kernel = jw_ptx_next_kernel((struct jw_bytes){ text, got }, &at);

        *out = jw_arena_text(x->run->a, (const char *)kernel.p, kernel.n);
    }
    x->out->bytes_read += got;
    jw_file_close(&file);
    jw_free(text);
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
    if (n)
        qsort(v, n, sizeof *v, by_origin_and_size);
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
    if (p->n_origins)
        qsort(p->origins, p->n_origins, sizeof *p->origins, by_bytes);
}
