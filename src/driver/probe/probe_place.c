#include "driver/probe/probe_place.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/sort.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ENTRY = 4 << 20 };

bool probe_list_whole(const struct jw_cache_listing *l, struct jw_err *err)
{
    if (l->refused)
        return jw_fail(err, JW_E_IO, "%s", l->refused);
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].unread)
            return jw_fail(err, JW_E_IO, "%s: %s", jw_cache_name(l->files[i].name).text, l->files[i].damage);
    if (l->index_unread)
        return jw_fail(err, JW_E_IO, "index: %s", l->index_damage);
    if (l->more)
        return jw_fail(err, JW_E_LIMIT, "more entries than were looked at");
    return l->notes.n == 0 || jw_fail(err, JW_E_IO, "%s", l->notes.v[0]);
}

bool probe_list(const char *cache, bool check, struct jw_arena *a, struct jw_cache_listing *out,
                struct jw_err *err)
{
    *out = (struct jw_cache_listing){ 0 };
    if (!jw_cachedir_list(cache, check, a, out, err))
        return false;
    if (probe_list_whole(out, err))
        return true;
    jw_cache_listing_free(out);
    return jw_wrap(err, "%s", cache);
}

static bool read_existing(const char *path, struct jw_buf *out, struct jw_err *err)
{
    bool found = false;

    jw_buf_clear(out);
    if (!jw_file_slurp(path, out, &found, err))
        return jw_wrap(err, "%s", path);
    return found || jw_fail(err, JW_E_IO, "%s: no such file", path);
}

static bool copy_entry(const char *from, const char *to, uint64_t name, struct jw_arena *a,
                       struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_cache_name below = jw_cache_name(name);
    char *source = jw_path_join(a, from, below.text), *target = jw_path_join(a, to, below.text);
    char *folder = jw_path_dir(a, target), *above = folder ? jw_path_dir(a, folder) : NULL;
    bool ok = jw_make_private_dir(above, err) && jw_make_private_dir(folder, err)
              && read_existing(source, &bytes, err)
              && (jw_file_put(target, JW_OUT_NEW, jw_buf_bytes(&bytes), err) || jw_wrap(err, "%s", target));
    jw_buf_free(&bytes);
    return ok;
}

/* No program uses this folder, so the whole index can be replaced.
 * driver-fact: F27-merge-copy-append, F28-index-needed */
static bool add_records(const char *to, const struct jw_cache_listing *added, struct jw_arena *a,
                        struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_cache_index index = { 0 };
    char *path = jw_path_join(a, to, "index");
    bool ok = read_existing(path, &bytes, err) && jw_cache_index_read(jw_buf_bytes(&bytes), &index, err);

    for (size_t i = 0; ok && i < added->index.n; i++)
        ok = jw_cache_index_add(&index, added->index.list[i], err);
    jw_buf_clear(&bytes);
    ok = ok && jw_cache_index_write(&index, &bytes, err)
         && (jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(&bytes), err) || jw_wrap(err, "%s", path));
    jw_cache_index_free(&index);
    jw_buf_free(&bytes);
    return ok;
}

bool probe_place(const char *from, const char *to, struct jw_arena *a, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };
    bool ok = probe_list(from, false, a, &listing, err);

    for (size_t i = 0; ok && i < listing.n; i++)
        ok = copy_entry(from, to, listing.files[i].name, a, err);
    ok = ok && add_records(to, &listing, a, err);
    jw_cache_listing_free(&listing);
    return ok;
}

static bool image_file(const char *path, struct probe_image_file *f, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_file_info info;
    bool ok = jw_file_stat(path, &info, err) && read_existing(path, &bytes, err);

    if (ok) {
        jw_digest(f->digest, bytes.p, bytes.n);
        f->mtime = info.mtime;
    }
    jw_buf_free(&bytes);
    return ok;
}

/* Sorted: the order of records does not count. */
static void copy_records(const struct jw_cache_index *index, struct jw_arena *a, struct probe_image *out)
{
    out->n_records = index->n;
    out->records = index->n ? jw_arena_copy(a, index->list, index->n * sizeof *index->list) : NULL;
    jw_sort_u64(out->records, out->n_records, sizeof *out->records);
}

bool probe_image_take(const char *cache, struct jw_arena *a, struct probe_image *out, struct jw_err *err)
{
    struct jw_cache_listing l = { 0 };

    *out = (struct probe_image){ 0 };
    if (!probe_list(cache, false, a, &l, err))
        return false;
    out->files = jw_arena_alloc(a, (l.n + 1) * sizeof *out->files);
    out->others = l.foreign + l.links;
    copy_records(&l.index, a, out);
    bool ok = true;

    for (size_t i = 0; ok && i < l.n; i++) {
        struct probe_image_file *f = &out->files[out->n++];
        char *path = jw_path_join(a, cache, jw_cache_name(l.files[i].name).text);

        *f = (struct probe_image_file){ .name = l.files[i].name };
        ok = image_file(path, f, err);
    }
    jw_cache_listing_free(&l);
    return ok;
}

static bool same_records(const struct probe_image *a, const struct probe_image *b)
{
    bool same = a->n_records == b->n_records;

    for (size_t i = 0; same && i < a->n_records; i++)
        same = a->records[i].hash == b->records[i].hash && a->records[i].size == b->records[i].size;
    return same;
}

const char *probe_image_difference(const struct probe_image *before, const struct probe_image *after,
                                   struct jw_arena *a)
{
    char text[160] = "";

    if (before->n != after->n || before->others != after->others)
        (void)snprintf(text, sizeof text, "%llu files became %llu",
                       (unsigned long long)before->n + before->others,
                       (unsigned long long)after->n + after->others);
    for (size_t i = 0; !text[0] && i < before->n; i++) {
        const struct probe_image_file *x = &before->files[i], *y = &after->files[i];

        if (x->name != y->name)
            (void)snprintf(text, sizeof text, "file %s is gone, and others are new",
                           jw_cache_name(x->name).text);
        else if (memcmp(x->digest, y->digest, sizeof x->digest) != 0)
            (void)snprintf(text, sizeof text, "file %s was changed", jw_cache_name(x->name).text);
        else if (x->mtime != y->mtime)
            (void)snprintf(text, sizeof text, "file %s was written again", jw_cache_name(x->name).text);
    }
    if (!text[0] && !same_records(before, after))
        (void)snprintf(text, sizeof text, "the index names other files than before");
    return text[0] ? jw_arena_str(a, text) : NULL;
}
