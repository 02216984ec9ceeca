#include "engine/probe_place.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "host/cachedir.h"
#include "os/file.h"
#include "os/scratch.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ENTRY = 4 << 20 };

static bool slurp(const char *path, struct jw_buf *out, struct jw_err *err)
{
    bool found = false;

    jw_buf_clear(out);
    if (!jw_file_slurp(path, out, &found, err))
        return jw_wrap(err, "%s", path);
    return found || jw_fail(err, JW_E_IO, "%s: no such file", path);
}

static bool write_new(const char *path, struct jw_bytes bytes, bool replace, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, replace, err) && jw_out_write(&out, bytes.p, bytes.n, err)
              && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool copy_entry(const char *from, const char *to, uint64_t name, struct jw_arena *a,
                       struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    const char *text = jw_cache_name(name).text;
    char *source = jw_path_join(a, from, text), *target = jw_path_join(a, to, text);
    char *folder = target ? jw_path_dir(a, target) : NULL, *above = folder ? jw_path_dir(a, folder) : NULL;
    bool ok = source && above ? true : jw_nomem(err, 64);

    ok = ok && jw_make_private_dir(above, err) && jw_make_private_dir(folder, err)
         && slurp(source, &bytes, err) && write_new(target, jw_buf_bytes(&bytes), false, err);
    jw_buf_free(&bytes);
    return ok;
}

/* Nobody else has this folder open, so the index may be replaced as a whole.
 * driver-fact: F27-merge-copy-append, F28-index-needed */
static bool add_records(const char *to, const struct jw_cache_listing *added, struct jw_arena *a,
                        struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_cache_index index = { 0 };
    char *path = jw_path_join(a, to, "index");
    bool ok = path ? slurp(path, &bytes, err) && jw_cache_index_read(jw_buf_bytes(&bytes), &index, err)
                   : jw_nomem(err, 64);

    for (size_t i = 0; ok && i < added->index.n; i++)
        ok = jw_cache_index_add(&index, added->index.list[i], err);
    jw_buf_clear(&bytes);
    ok = ok && jw_cache_index_write(&index, &bytes, err) && write_new(path, jw_buf_bytes(&bytes), true, err);
    jw_cache_index_free(&index);
    jw_buf_free(&bytes);
    return ok;
}

bool probe_place(const char *from, const char *to, struct jw_arena *a, struct jw_err *err)
{
    struct jw_cache_listing listing;
    bool ok = jw_cachedir_list(from, false, a, &listing, err);

    for (size_t i = 0; ok && i < listing.n; i++)
        ok = copy_entry(from, to, listing.files[i].name, a, err);
    ok = ok && add_records(to, &listing, a, err);
    jw_cache_listing_free(&listing);
    return ok;
}

static bool take_file(const char *path, uint8_t digest[32], int64_t *mtime, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_file_info info;
    bool ok = jw_file_stat(path, &info, err) && slurp(path, &bytes, err);

    if (ok) {
        jw_digest(digest, bytes.p, bytes.n);
        *mtime = info.mtime;
    }
    jw_buf_free(&bytes);
    return ok;
}

bool probe_image_take(const char *root, struct jw_arena *a, struct probe_image *out, struct jw_err *err)
{
    struct jw_cache_listing l;
    int64_t ignored;
    char *index = jw_path_join(a, root, "index");
    bool ok = index ? jw_cachedir_list(root, false, a, &l, err) : jw_nomem(err, 64);

    *out = (struct probe_image){ 0 };
    if (!ok)
        return false;
    out->files = jw_arena_alloc(a, l.n * sizeof *out->files);
    ok = out->files ? take_file(index, out->index, &ignored, err) : jw_nomem(err, l.n * sizeof *out->files);
    for (size_t i = 0; ok && i < l.n; i++) {
        struct probe_image_file *f = &out->files[out->n++];
        char *path = jw_path_join(a, root, jw_cache_name(l.files[i].name).text);

        *f = (struct probe_image_file){ .name = l.files[i].name, .size = l.files[i].size };
        ok = path ? take_file(path, f->digest, &f->mtime, err) : jw_nomem(err, 64);
    }
    jw_cache_listing_free(&l);
    return ok;
}

const char *probe_image_difference(const struct probe_image *before, const struct probe_image *after,
                                   struct jw_arena *a)
{
    char text[160] = "";

    if (before->n != after->n)
        (void)snprintf(text, sizeof text, "%zu entries became %zu: the driver did not find what was placed",
                       before->n, after->n);
    for (size_t i = 0; !text[0] && i < before->n; i++) {
        const struct probe_image_file *x = &before->files[i], *y = &after->files[i];

        if (x->name != y->name)
            (void)snprintf(text, sizeof text, "entry %s took the place of another",
                           jw_cache_name(y->name).text);
        else if (x->mtime != y->mtime || memcmp(x->digest, y->digest, sizeof x->digest) != 0)
            (void)snprintf(text, sizeof text, "entry %s was written again by the driver",
                           jw_cache_name(x->name).text);
    }
    if (!text[0] && memcmp(before->index, after->index, sizeof before->index) != 0)
        (void)snprintf(text, sizeof text, "the driver changed the index");
    return text[0] ? jw_arena_str(a, text) : NULL;
}
