#include "driver/probe/probe_place.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/sort.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

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

static bool add_file(const char *path, struct jw_digest_state *s, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(MAX_ENTRY);
    struct jw_file_info info;
    bool ok = jw_file_stat(path, &info, err) && read_existing(path, &bytes, err);

    if (ok) {
        jw_digest_update(s, &info.mtime, sizeof info.mtime);
        jw_digest_update(s, &bytes.n, sizeof bytes.n);
        jw_digest_update(s, bytes.p, bytes.n);
    }
    jw_buf_free(&bytes);
    return ok;
}

bool probe_image(const char *cache, struct jw_arena *a, uint8_t out[JW_DIGEST], struct jw_err *err)
{
    struct jw_cache_listing l = { 0 };
    struct jw_digest_state s;

    if (!probe_list(cache, false, a, &l, err))
        return false;

    const uint64_t counts[] = { l.n, l.foreign + l.links, l.index.n };
    bool ok = true;

    jw_digest_init(&s);
    jw_digest_update(&s, counts, sizeof counts);
    for (size_t i = 0; ok && i < l.n; i++) {
        jw_digest_update(&s, &l.files[i].name, sizeof l.files[i].name);
        ok = add_file(jw_path_join(a, cache, jw_cache_name(l.files[i].name).text), &s, err);
    }
    jw_sort_u64(l.index.list, l.index.n, sizeof *l.index.list); /* the order of records does not count */
    for (size_t i = 0; i < l.index.n; i++) {
        const uint64_t record[] = { l.index.list[i].hash, l.index.list[i].size };

        jw_digest_update(&s, record, sizeof record);
    }
    jw_digest_final(&s, out);
    jw_cache_listing_free(&l);
    return ok;
}
