#include "cache/change/index_repair.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "cache/change/publish_index.h"
#include "cache/place/index_file.h"
#include "cache/place/listing.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <stdio.h>
#include <string.h>

enum {
    PATIENCE_MS = 2000, /* for the lock */
    WRITES_MS = 20,     /* until a driver's writes have arrived */
    REREADS = 2,        /* of unreadable files */
    ROUNDS = 8          /* if programs keep changing it */
};

struct repairing {
    const struct publish_folder *folder;
    struct jw_arena a;
    struct jw_cache_listing list;
    bool *taken;                      /* of each file of the list */
    struct jw_index_file before, old; /* before the walk, and after it */
    struct jw_cache_index index;      /* as it is to be */
    struct jw_file index_file;
    bool done; /* the index was written */
    struct index_repair *out;
};

static void free_round(struct repairing *h)
{
    jw_cache_listing_free(&h->list);
    jw_free(h->taken);
    h->taken = NULL;
    jw_index_free(&h->before);
    jw_index_free(&h->old);
    jw_cache_index_free(&h->index);
    jw_arena_free(&h->a);
    h->a = (struct jw_arena){ 0 };
}

/* ---- new records ---- */

static bool add_sound(struct repairing *h, const struct jw_cache_file *f, struct jw_err *err)
{
    bool *taken = &h->taken[f - h->list.files];

    if (f->damage || *taken)
        return true;
    *taken = true;
    return jw_cache_index_append(&h->index, (struct jw_cache_record){ f->name, jw_cache_weight(&f->entry) },
                                 err);
}

/* A program may store an entry after its folder was walked, or complete one that was read half-written. Its record is
 * kept if the file has its size. */
static bool add_stored(struct repairing *h, struct jw_cache_record record, struct jw_err *err)
{
    bool there;

    return publish_there(h->folder, &record, &there, err)
           && (!there || jw_cache_index_add(&h->index, record, err));
}

/* Asks the disk only for what a program stored since the walk: a record that is where it was `before`, and whose file
 * the walk did not find, has no file. */
static bool add_records(struct repairing *h, struct jw_bytes records, struct jw_bytes before,
                        struct jw_err *err)
{
    struct jw_reader in = jw_reader(records);

    for (size_t at = 0; records.n - at >= JW_CACHE_RECORD; at = in.at) {
        struct jw_cache_record record = { .hash = jw_u64(&in) };
        const struct jw_cache_file *f = jw_cache_file_find(&h->list, record.hash);

        record.size = jw_u64(&in);
        bool stayed = in.at <= before.n && memcmp(records.p + at, before.p + at, JW_CACHE_RECORD) == 0;
        bool half = f && f->damage && !f->unread && f->size != JW_CACHE_HEADER + record.size;

        if (half || (!f && !stayed) ? !add_stored(h, record, err) : f && !add_sound(h, f, err))
            return false;
    }
    return true;
}

static int by_age(const void *a, const void *b)
{
    const struct jw_cache_file *x = *(const struct jw_cache_file *const *)a,
                               *y = *(const struct jw_cache_file *const *)b;

    if (x->mtime != y->mtime)
        return x->mtime < y->mtime ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static bool add_by_age(struct repairing *h, struct jw_err *err)
{
    const struct jw_cache_file **files = jw_alloc((h->list.n + 1) * sizeof *files);
    bool ok = true;

    for (size_t i = 0; i < h->list.n; i++)
        files[i] = &h->list.files[i];
    jw_sort(files, h->list.n, sizeof *files, by_age);
    for (size_t i = 0; ok && i < h->list.n; i++)
        ok = add_sound(h, files[i], err);
    jw_free(files);
    return ok;
}

static struct jw_bytes behind_header(const struct jw_buf *index)
{
    size_t at = (size_t)jw_min(index->n, JW_CACHE_INDEX_HEADER);

    return (struct jw_bytes){ index->p + at, index->n - at };
}

static bool compose(struct repairing *h, struct jw_err *err)
{
    h->taken = jw_alloc(h->list.n * sizeof *h->taken + 1);
    return add_records(h, behind_header(&h->old.bytes), behind_header(&h->before.bytes), err)
           && add_by_age(h, err);
}

/* ---- the file ---- */

static bool write_again(struct repairing *h, struct jw_file *f, struct jw_err *err)
{
    struct jw_buf bytes;
    size_t at = JW_CACHE_INDEX_HEADER;
    bool ok = publish_index_bytes(&h->index, h->index.n, &bytes, err)
              && (bytes.n == at || jw_file_write(f, at, bytes.p + at, bytes.n - at, err))
              && jw_file_write(f, 0, bytes.p, at, err) && jw_file_truncate(f, bytes.n, err);

    jw_buf_free(&bytes);
    return ok;
}

static bool read_open(struct repairing *h, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_err why = { 0 };

    return jw_index_read(&h->index_file, out, &why) || out->trouble != JW_INDEX_UNREAD || jw_pass(err, why);
}

/* With the lock held. `done` false: a program changed the index since it was read. */
static bool write_unchanged(void *ctx, struct jw_err *err)
{
    struct repairing *h = ctx;
    struct jw_index_file now = { 0 };
    const struct jw_buf *old = &h->old.bytes;
    bool ok = read_open(h, &now, err);

    h->done = ok && now.bytes.n == old->n && (!old->n || memcmp(now.bytes.p, old->p, old->n) == 0);
    jw_index_free(&now);
    return ok && (!h->done || write_again(h, &h->index_file, err));
}

static bool replace(struct repairing *h, struct jw_err *err)
{
    struct publish_lock lock = { .folder = h->folder, .index = &h->index_file };
    bool found;
    bool ok = jw_folder_open_file(&h->folder->open, "index", JW_FOLDER_MAKE, &h->index_file, &found, err)
              && read_open(h, &h->old, err) && compose(h, err)
              && publish_locked(&lock, PATIENCE_MS, write_unchanged, h, err)
              && (lock.taken || jw_fail(err, JW_E_LIMIT, "is locked by another program"))
              && (!h->done || jw_file_sync(&h->index_file, err));

    jw_file_close(&h->index_file);
    return ok;
}

/* ---- rounds ---- */

/* `*needed` false: the index is valid, or unreadable. */
static bool look_at_index(struct repairing *h, bool begin, bool *needed, struct jw_err *err)
{
    struct jw_index_file *file = &h->before;
    bool ok = jw_index_load(h->folder->path, file, err);

    if (ok && file->trouble == JW_INDEX_UNREAD) { /* reported, but not repaired */
        memcpy(h->out->damage, file->why.msg, sizeof h->out->damage);
        ok = !begin || jw_pass(err, file->why);
    }
    *needed = ok && jw_index_damaged(file->trouble, begin);
    if (ok && file->trouble == JW_INDEX_NONE && !begin) { /* without entries, no index is needed */
        struct jw_cache_listing l;

        ok = jw_cache_list(h->folder->path, false, NULL, &h->a, &l, err);
        *needed = ok && l.n;
        jw_cache_listing_free(&l);
    }
    if (*needed && !h->out->needed)
        (void)snprintf(h->out->damage, sizeof h->out->damage, "%s",
                       file->trouble == JW_INDEX_NONE ? "missing or empty" : file->why.msg);
    return ok;
}

/* True if everything could be read. */
static bool whole(const struct jw_cache_listing *l)
{
    bool all = !l->notes.n;

    for (size_t i = 0; all && i < l->n; i++)
        all = !l->files[i].unread;
    return all;
}

/* Reads unreadable files again; in the end they get no record. */
static bool attempt(struct repairing *h, bool again, const atomic_bool *interrupted, struct jw_err *err)
{
    bool ok = jw_cache_list(h->folder->path, true, interrupted, &h->a, &h->list, err)
              && (!h->list.refused || jw_fail(err, JW_E_IO, "%s", h->list.refused));

    h->done = false;
    if (ok && (!again || whole(&h->list)))
        ok = replace(h, err);
    if (ok && h->done) {
        h->out->done = true;
        h->out->records = h->index.n;
    }
    return ok;
}

bool index_repair(const struct publish_folder *folder, bool begin, const atomic_bool *interrupted,
                  struct index_repair *out, struct jw_err *err)
{
    struct repairing h = { .folder = folder, .index_file = JW_FILE_CLOSED, .out = out };
    bool needed = true, ok = true;

    *out = (struct index_repair){ 0 };
    for (unsigned i = 0; ok && needed && i < ROUNDS; i++) {
        ok = look_at_index(&h, begin, &needed, err);
        if (!ok || !needed)
            break;
        out->needed = true;
        if (!publish_check_owner(&folder->open, err)) {
            free_round(&h);
            return jw_wrap(err, "%s", folder->path);
        }
        ok = attempt(&h, i < REREADS, interrupted, err);
        /* In a new cache no driver's writes are on their way. */
        needed = !h.done || h.before.bytes.n || h.list.n;
        free_round(&h);
        if (ok && h.done && needed)
            jw_time_sleep_ms(WRITES_MS);
    }
    free_round(&h);
    return ok ? !needed
                    || jw_fail(err, JW_E_LIMIT, "%s/index: another program keeps changing it", folder->path)
              : jw_wrap(err, "%s/index", folder->path);
}

bool index_repair_at(const char *path, const atomic_bool *interrupted, struct index_repair *out,
                     struct jw_err *err)
{
    struct publish_folder folder = { .path = path, .open = JW_FOLDER_CLOSED };
    struct jw_file_info info = { .kind = JW_FILE_NONE };

    *out = (struct index_repair){ 0 };
    bool ok = jw_file_stat(path, &info, err)
              && (info.kind != JW_FILE_DIR
                  || (jw_folder_open(&folder.open, path, err)
                      && index_repair(&folder, false, interrupted, out, err)));

    jw_folder_close(&folder.open);
    return ok;
}
