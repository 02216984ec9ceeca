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

static void free_round(struct repairing *r)
{
    jw_cache_listing_free(&r->list);
    jw_free(r->taken);
    r->taken = NULL;
    jw_index_file_free(&r->before);
    jw_index_file_free(&r->old);
    jw_cache_index_free(&r->index);
    jw_arena_free(&r->a);
    r->a = (struct jw_arena){0};
}

/* ---- new records ---- */

static bool add_sound(struct repairing *r, const struct jw_cache_file *f, struct jw_err *err)
{
    bool *taken = &r->taken[f - r->list.files];

    if (f->damage || *taken)
        return true;
    *taken = true;
    return jw_cache_index_append(
        &r->index, (struct jw_cache_record){f->name, jw_cache_weight(&f->entry)}, err);
}

/* A program may store an entry after its folder was walked, or complete one that was read
 * half-written. Its record is kept if the file has its size. */
static bool add_stored(struct repairing *r, struct jw_cache_record record, struct jw_err *err)
{
    bool there;

    return publish_there(r->folder, &record, &there, err)
           && (!there || jw_cache_index_add(&r->index, record, err));
}

/* Asks the disk only for what a program stored since the walk: a record that is where it was
 * `before`, and whose file the walk did not find, has no file. */
static bool add_records(struct repairing *r, struct jw_bytes records, struct jw_bytes before,
                        struct jw_err *err)
{
    struct jw_reader in = jw_reader(records);

    for (size_t at = 0; records.n - at >= JW_CACHE_RECORD; at = in.at) {
        struct jw_cache_record record = {.hash = jw_u64(&in)};
        const struct jw_cache_file *f = jw_cache_file_find(&r->list, record.hash);

        record.size = jw_u64(&in);
        bool stayed =
            in.at <= before.n && memcmp(records.p + at, before.p + at, JW_CACHE_RECORD) == 0;
        bool half = f && f->damage && !f->unread && f->size != JW_CACHE_HEADER + record.size;

        bool ok = true;

        if (half || (!f && !stayed))
            ok = add_stored(r, record, err);
        else if (f)
            ok = add_sound(r, f, err);
        if (!ok)
            return false;
    }
    return true;
}

static int by_age(const void *a, const void *b)
{
    const struct jw_cache_file *x = *(const struct jw_cache_file *const *)a;
    const struct jw_cache_file *y = *(const struct jw_cache_file *const *)b;

    if (x->mtime != y->mtime)
        return x->mtime < y->mtime ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static bool add_by_age(struct repairing *r, struct jw_err *err)
{
    const struct jw_cache_file **files = jw_alloc((r->list.n + 1) * sizeof *files);
    bool ok = true;

    for (size_t i = 0; i < r->list.n; i++)
        files[i] = &r->list.files[i];
    jw_sort(files, r->list.n, sizeof *files, by_age);
    for (size_t i = 0; ok && i < r->list.n; i++)
        ok = add_sound(r, files[i], err);
    jw_free(files);
    return ok;
}

static struct jw_bytes behind_header(const struct jw_buf *index)
{
    size_t at = (size_t)jw_min(index->n, JW_CACHE_INDEX_HEADER);

    return (struct jw_bytes){index->p + at, index->n - at};
}

static bool compose(struct repairing *r, struct jw_err *err)
{
    r->taken = jw_alloc(r->list.n * sizeof *r->taken + 1);
    return add_records(r, behind_header(&r->old.bytes), behind_header(&r->before.bytes), err)
           && add_by_age(r, err);
}

/* ---- the file ---- */

static bool write_again(struct repairing *r, struct jw_file *f, struct jw_err *err)
{
    struct jw_buf bytes;
    size_t at = JW_CACHE_INDEX_HEADER;
    bool ok = publish_index_bytes(&r->index, r->index.n, &bytes, err)
              && (bytes.n == at || jw_file_write(f, at, bytes.p + at, bytes.n - at, err))
              && jw_file_write(f, 0, bytes.p, at, err) && jw_file_truncate(f, bytes.n, err);

    jw_buf_free(&bytes);
    return ok;
}

static bool read_open(struct repairing *r, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_err why = {0};

    return jw_index_file_read(&r->index_file, out, &why) || out->trouble != JW_INDEX_UNREAD
           || jw_pass(err, why);
}

/* With the lock held. `done` false: a program changed the index since it was read. */
static bool write_unchanged(void *ctx, struct jw_err *err)
{
    struct repairing *r = ctx;
    struct jw_index_file now = {0};
    const struct jw_buf *old = &r->old.bytes;
    bool ok = read_open(r, &now, err);

    r->done = ok && now.bytes.n == old->n && (!old->n || memcmp(now.bytes.p, old->p, old->n) == 0);
    jw_index_file_free(&now);
    return ok && (!r->done || write_again(r, &r->index_file, err));
}

static bool replace(struct repairing *r, struct jw_err *err)
{
    struct publish_lock lock = {.folder = r->folder, .index = &r->index_file};
    bool found;
    bool ok =
        jw_folder_open_file(&r->folder->open, "index", JW_FOLDER_MAKE, &r->index_file, &found, err)
        && read_open(r, &r->old, err) && compose(r, err)
        && publish_locked(&lock, PATIENCE_MS, write_unchanged, r, err)
        && (lock.taken || jw_fail(err, JW_E_LIMIT, "is locked by another program"));

    if (ok && r->done)
        ok = jw_file_sync(&r->index_file, err);
    jw_file_close(&r->index_file);
    return ok;
}

/* ---- rounds ---- */

/* `*needed` false: the index is valid, or unreadable. */
static bool look_at_index(struct repairing *r, bool storing, bool *needed, struct jw_err *err)
{
    struct jw_index_file *file = &r->before;
    bool ok = jw_index_file_load(r->folder->path, file, err);

    if (ok && file->trouble == JW_INDEX_UNREAD) { /* reported, but not repaired */
        memcpy(r->out->damage, file->why.msg, sizeof r->out->damage);
        ok = !storing || jw_pass(err, file->why);
    }
    *needed = ok && jw_index_damaged(file->trouble, storing);
    /* Without entries, no index is needed. */
    if (ok && file->trouble == JW_INDEX_NONE && !storing) {
        struct jw_cache_listing l;

        ok = jw_cache_list(r->folder->path, false, NULL, &r->a, &l, err);
        *needed = ok && l.n;
        jw_cache_listing_free(&l);
    }
    if (*needed && !r->out->needed)
        (void)snprintf(r->out->damage, sizeof r->out->damage, "%s",
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
static bool attempt(struct repairing *r, bool again, const atomic_bool *interrupted,
                    struct jw_err *err)
{
    bool ok = jw_cache_list(r->folder->path, true, interrupted, &r->a, &r->list, err)
              && (!r->list.refused || jw_fail(err, JW_E_IO, "%s", r->list.refused));

    r->done = false;
    if (ok && (!again || whole(&r->list)))
        ok = replace(r, err);
    if (ok && r->done) {
        r->out->done = true;
        r->out->records = r->index.n;
    }
    return ok;
}

bool index_repair(const struct publish_folder *folder, bool storing, const atomic_bool *interrupted,
                  struct index_repair *out, struct jw_err *err)
{
    struct repairing r = {.folder = folder, .index_file = JW_FILE_CLOSED, .out = out};
    bool needed = true;
    bool ok = true;

    *out = (struct index_repair){0};
    for (unsigned i = 0; ok && needed && i < ROUNDS; i++) {
        ok = look_at_index(&r, storing, &needed, err);
        if (!ok || !needed)
            break;
        out->needed = true;
        if (!publish_check_owner(&folder->open, err)) {
            free_round(&r);
            return jw_wrap(err, "%s", folder->path);
        }
        ok = attempt(&r, i < REREADS, interrupted, err);
        /* In a new cache no driver's writes are on their way. */
        needed = !r.done || r.before.bytes.n || r.list.n;
        free_round(&r);
        if (ok && r.done && needed)
            jw_time_sleep_ms(WRITES_MS);
    }
    free_round(&r);
    if (!ok)
        return jw_wrap(err, "%s/index", folder->path);
    return !needed
           || jw_fail(err, JW_E_LIMIT, "%s/index: another program keeps changing it", folder->path);
}

bool index_repair_at(const char *path, const atomic_bool *interrupted, struct index_repair *out,
                     struct jw_err *err)
{
    struct publish_folder folder = {.path = path, .open = JW_FOLDER_CLOSED};
    struct jw_file_info info = {.kind = JW_FILE_NONE};

    *out = (struct index_repair){0};
    bool ok = jw_file_stat(path, &info, err)
              && (info.kind != JW_FILE_DIR
                  || (jw_folder_open(&folder.open, path, err)
                      && index_repair(&folder, false, interrupted, out, err)));

    jw_folder_close(&folder.open);
    return ok;
}
