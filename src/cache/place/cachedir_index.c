#include "cache/place/cachedir_index.h"

#include "base/limits.h"
#include "base/mem.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 20 };

static bool read_index_once(const char *path, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_FILES);
    bool ok;

    jw_cache_index_free(&out->records);
    out->records = (struct jw_cache_index){ 0 };
    out->found = true;
    out->believed = false;
    ok = jw_file_slurp(path, &bytes, &out->found, err);
    out->found = !ok || (out->found && bytes.n); /* what is refused is there */
    if (ok && out->found) {
        struct jw_bytes all = jw_buf_bytes(&bytes);

        out->believed = jw_cache_index_believed(all, all.n);
        if (out->believed)
            all.n = jw_cache_index_end(all); /* the driver leaves stale records behind it */
        ok = jw_cache_index_read(all, &out->records, err);
    }
    jw_buf_free(&bytes);
    return ok;
}

bool jw_index_load(const char *root, unsigned tries, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool ok;

    jw_buf_printf(&path, "%s/index", root);
    ok = jw_buf_ok(&path, err);
    for (unsigned i = 0; ok && i < tries; i++) {
        struct jw_err why = { 0 };

        if (i)
            jw_time_sleep_ms(PAUSE_MS);
        out->damage[0] = '\0';
        out->unread = false;
        if (read_index_once(jw_buf_cstr(&path), out, &why))
            break;
        memcpy(out->damage, why.msg, sizeof out->damage);
        out->unread = why.code == JW_E_IO;
        ok = true;
        if (!ok)
            *err = why;
    }
    jw_buf_free(&path);
    return ok;
}

static int by_hash(const void *a, const void *b)
{
    const struct jw_cache_record *x = a, *y = b;

    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void sorted(const struct jw_cache_index *index, struct jw_cache_record **out)
{
    *out = jw_alloc(index->n * sizeof **out + 1);
    if (index->n) {
        memcpy(*out, index->list, index->n * sizeof **out);
        qsort(*out, index->n, sizeof **out, by_hash);
    }
}

static const struct jw_cache_record *record_of(const struct jw_cache_record *list, size_t n, uint64_t hash)
{
    struct jw_cache_record key = { hash, 0 };

    return n ? bsearch(&key, list, n, sizeof key, by_hash) : NULL;
}

const struct jw_cache_file *jw_cache_file_find(const struct jw_cache_listing *l, uint64_t name)
{
    size_t low = 0, high = l->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (l->files[mid].name < name)
            low = mid + 1;
        else
            high = mid;
    }
    return low < l->n && l->files[low].name == name ? &l->files[low] : NULL;
}

void jw_index_match(struct jw_cache_listing *out, const struct jw_cache_index *before)
{
    struct jw_cache_record *old = NULL, *now = NULL;
    sorted(before, &old);
    sorted(&out->index, &now);
    for (size_t i = 0; i < out->n; i++) {
        struct jw_cache_file *f = &out->files[i];
        const struct jw_cache_record *r = record_of(now, out->index.n, f->name);

        if (!r)
            r = record_of(old, before->n, f->name);
        f->indexed = r != NULL;
        f->recorded = r ? r->size : 0;
    }
    /* Past the ceiling nobody knows which records have files. */
    for (size_t i = 0; !out->more && i < out->index.n; i++)
        if (record_of(old, before->n, now[i].hash) && !jw_cache_file_find(out, now[i].hash)) {
            out->missing++;
            out->missing_bytes += now[i].size;
        }
    jw_free(old);
    jw_free(now);
}
