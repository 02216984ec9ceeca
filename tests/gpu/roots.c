#include "cache/place/listing.h"
#include "lab.h"

#include "../rigs/cache_entry.h"
#include "base/path.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

const char *lab_path(struct lab *l, const char *name)
{
    return jw_path_join(&l->arena, l->work, name);
}

bool lab_write(struct lab *l, const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    bool ok = jw_file_put(path, JW_OUT_REPLACE, bytes, err);

    (void)l;
    return ok || jw_wrap(err, "%s", path);
}

bool lab_cache(struct lab *l, const char *name, const char **root, struct jw_err *err)
{
    *root = lab_path(l, name);
    return jw_make_private_dir(*root, err);
}

static bool slurp(const char *path, struct jw_buf *out, bool *found, struct jw_err *err)
{
    *out = JW_BUF(LAB_MAX_ENTRY);
    return jw_file_slurp(path, out, found, err) || jw_wrap(err, "%s", path);
}

/* A file of one root, by its name there, into the other. */
static bool copy_file(struct lab *l, const char *from, const char *to, const char *name, struct jw_err *err)
{
    struct jw_buf bytes = { 0 };
    bool found = false;
    char *source = jw_path_join(&l->arena, from, name), *target = jw_path_join(&l->arena, to, name);
    char *folder = target ? jw_path_dir(&l->arena, target) : NULL;
    bool ok = jw_make_dirs(folder, err);

    ok = ok && slurp(source, &bytes, &found, err)
         && (found || jw_fail(err, JW_E_IO, "%s: no such file", source))
         && lab_write(l, target, jw_buf_bytes(&bytes), err);
    jw_buf_free(&bytes);
    return ok;
}

bool lab_copy_cache(struct lab *l, const char *from, const char *to, bool index, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };
    bool ok = jw_cachedir_list(from, false, &l->arena, &listing, err);

    for (size_t i = 0; ok && i < listing.n; i++)
        ok = copy_file(l, from, to, jw_cache_name(listing.files[i].name).text, err);
    if (ok && index && listing.index_found)
        ok = copy_file(l, from, to, "index", err);
    jw_cache_listing_free(&listing);
    return ok;
}

static bool add_record(struct lab *l, const char *root, struct jw_cache_record record, struct jw_err *err)
{
    struct jw_buf bytes = { 0 }, made = JW_BUF(LAB_MAX_ENTRY);
    struct jw_cache_index index = { 0 };
    bool found = false;
    char *path = jw_path_join(&l->arena, root, "index");
    bool ok = slurp(path, &bytes, &found, err);

    ok = ok && (!found || jw_cache_index_read(jw_buf_bytes(&bytes), &index, err))
         && jw_cache_index_add(&index, record, err) && jw_cache_index_write(&index, &made, err)
         && lab_write(l, path, jw_buf_bytes(&made), err);
    jw_cache_index_free(&index);
    jw_buf_free(&bytes);
    jw_buf_free(&made);
    return ok;
}

bool lab_put_entry(struct lab *l, const char *root, struct jw_bytes key, struct jw_bytes payload,
                   uint64_t *name, struct jw_err *err)
{
    struct jw_buf entry = JW_BUF(LAB_MAX_ENTRY);
    bool ok = cache_entry_write(&entry, key, payload, name, err);
    char *path = ok ? jw_path_join(&l->arena, root, jw_cache_name(*name).text) : NULL;
    char *folder = path ? jw_path_dir(&l->arena, path) : NULL;

    ok = ok && jw_make_dirs(folder, err) && lab_write(l, path, jw_buf_bytes(&entry), err)
         && add_record(l, root, (struct jw_cache_record){ *name, key.n + payload.n }, err);
    jw_buf_free(&entry);
    return ok;
}

bool lab_entry_read_named(struct lab *l, const char *root, uint64_t name, struct lab_entry *out,
                          struct jw_err *err)
{
    struct jw_cache_entry header;
    bool found = false;
    char *path = jw_path_join(&l->arena, root, jw_cache_name(name).text);

    *out = (struct lab_entry){ .name = name };
    if (!slurp(path, &out->bytes, &found, err))
        return false;
    struct jw_bytes all = jw_buf_bytes(&out->bytes);
    struct jw_source file = jw_source_memory(&all);

    if (!jw_cache_entry_check(&file, name, &header, err))
        return jw_wrap(err, "%s", path);
    (void)jw_slice(all, JW_CACHE_HEADER, header.key_size, &out->key);
    (void)jw_slice(all, JW_CACHE_HEADER + header.key_size, header.payload_size, &out->payload);
    jw_cache_key_read(out->key, header.key_size, &out->k);
    return true;
}

bool lab_entry_read(struct lab *l, const char *root, struct lab_entry *out, size_t *n, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };

    *out = (struct lab_entry){ 0 };
    *n = 0;
    bool ok = jw_cachedir_list(root, false, &l->arena, &listing, err);

    if (ok)
        *n = listing.n;
    if (ok && listing.n)
        ok = lab_entry_read_named(l, root, listing.files[0].name, out, err);
    jw_cache_listing_free(&listing);
    return ok;
}

void lab_entry_free(struct lab_entry *e)
{
    jw_buf_free(&e->bytes);
}
