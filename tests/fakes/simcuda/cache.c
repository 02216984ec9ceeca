/* Hits, misses and stores, each doubtful step by its switch. */
#include "sim.h"

#include "../../rigs/cache_entry.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

#define MAX_PATH_BYTES ((size_t)1 << 16)
#define MAX_ENTRY ((size_t)1 << 31)

enum { AT_TOTAL = 8, KNOWS_NAMED = 2 };

bool sim_cache_on(const struct sim *s) { return s->c.cache_folder != NULL; }

/* ---- what a driver that proves only so much looks at ---- */

/* The modification time's last digits that tell an entry written here from one that was brought. */
static unsigned time_mark(const struct sim *s, uint64_t name)
{
    uint64_t h = jw_fnv1a(name, s->c.cache_folder, strlen(s->c.cache_folder));

    return (unsigned)(h % 10000000) * 100;
}

static bool was_brought(const struct sim *s, const char *path, uint64_t name)
{
    struct jw_file_info info;
    struct jw_err err = {0};

    return s->c.sw.knowledge == KNOWS_NAMED
           && (!jw_file_stat(path, &info, &err)
               || (unsigned)(info.mtime % 1000000000) != time_mark(s, name));
}

/* ---- reading ---- */

/* The payload of a sound entry with this very key. */
static bool take_payload(const struct sim *s, struct jw_buf *file, struct jw_bytes key,
                         struct jw_buf *payload)
{
    struct jw_cache_entry e;
    struct jw_err err = {0};

    sim_veil(s, file);
    if (!jw_cache_entry_read(jw_buf_bytes(file), file->n, &e, &err) || e.key_size != key.n
        || memcmp(file->p + JW_CACHE_HEADER, key.p, key.n) != 0)
        return false;
    const uint8_t *p = file->p + JW_CACHE_HEADER + key.n;

    if (jw_fnv1a(JW_FNV_START, p, (size_t)e.payload_size) != e.payload_hash)
        return false;
    jw_buf_clear(payload);
    jw_buf_add(payload, p, (size_t)e.payload_size);
    return !payload->bad;
}

static void read_entry(const struct sim *s, struct jw_bytes key, struct jw_buf *payload,
                       struct sim_lookup *out)
{
    uint64_t name = jw_fnv1a(JW_FNV_START, key.p, key.n);
    struct jw_buf path = JW_BUF(MAX_PATH_BYTES), file = JW_BUF(MAX_ENTRY);
    struct jw_err err = {0};
    bool there = false;

    sim_path(s, &path, jw_cache_name(name).text);
    if (jw_file_slurp(jw_buf_cstr(&path), &file, &there, &err) && there)
        out->found =
            take_payload(s, &file, key, payload) && !was_brought(s, jw_buf_cstr(&path), name);
    jw_buf_free(&path);
    jw_buf_free(&file);
}

static bool recorded(const struct jw_cache_index *index, uint64_t hash)
{
    for (size_t i = 0; i < index->n; i++)
        if (index->list[i].hash == hash)
            return true;
    return false;
}

/* It counts more records than it holds. driver-fact: F83-damaged-index */
static bool hides_all(struct sys_file *f)
{
    struct jw_buf text = JW_BUF(SIM_MAX_INDEX);
    struct jw_cache_index index = {0};
    struct jw_err ignored = {0};
    bool hides = sys_read(f, &text)
                 && jw_cache_index_read(jw_buf_bytes(&text), &index, &ignored) == JW_INDEX_HIDES;

    jw_cache_index_free(&index);
    jw_buf_free(&text);
    return hides;
}

/* The index is opened for both even for a hit, and not asked for the entry, which is opened by its
 * name. False: no cache today, for reading and for writing. driver-fact: F42-foreign-lock,
 * F64-read-only-hits */
static bool consult(const struct sim *s, bool *hides)
{
    struct sys_file f = SYS_CLOSED;
    enum sys_result r = sim_index_open(s, &f, false);

    *hides = r == SYS_OPENED && hides_all(&f);
    sys_close(&f);
    return r != SYS_DENIED;
}

void sim_cache_find(struct sim *s, struct jw_bytes key, struct jw_buf *payload,
                    struct sim_lookup *out)
{
    bool hides;

    *out = (struct sim_lookup){0};
    if (!sim_cache_on(s))
        return;
    (void)pthread_mutex_lock(&s->cache_lock);
    if (!consult(s, &hides))
        out->left = true;
    else if (!hides)
        read_entry(s, key, payload, out);
    (void)pthread_mutex_unlock(&s->cache_lock);
}

/* ---- writing ---- */

static bool make_folders(const struct sim *s, uint64_t name)
{
    struct jw_cache_name text = jw_cache_name(name);
    char below[4] = {text.text[0], '\0', text.text[2], '\0'};
    struct jw_buf path = JW_BUF(MAX_PATH_BYTES);

    sim_path(s, &path, "");
    bool ok = sys_mkdir(jw_buf_cstr(&path), true);

    sim_path(s, &path, below);
    ok = ok && sys_mkdir(jw_buf_cstr(&path), false);
    below[1] = '/';
    sim_path(s, &path, below);
    ok = ok && sys_mkdir(jw_buf_cstr(&path), false);
    jw_buf_free(&path);
    return ok;
}

/* In place. A full disk leaves what fitted; a cut file is what a kill in the middle leaves
 * behind. */
static bool write_entry(const struct sim *s, uint64_t name, struct jw_buf *file,
                        const struct sim_struck *struck)
{
    struct jw_buf path = JW_BUF(MAX_PATH_BYTES);
    size_t n = struck->enospc || struck->cut ? file->n / 2 : file->n;

    sim_path(s, &path, jw_cache_name(name).text);
    bool ok = sys_put(jw_buf_cstr(&path), file->p, n) && !struck->enospc;

    if (ok && s->c.sw.knowledge == KNOWS_NAMED)
        (void)sys_set_mtime_ns(jw_buf_cstr(&path), time_mark(s, name));
    jw_buf_free(&path);
    return ok;
}

static void record_cache(const struct sim *s, struct jw_cache_record r)
{
    struct sys_file f = SYS_CLOSED;
    struct jw_cache_index index = {0};
    struct jw_err err = {0};

    if (sim_index_open(s, &f, true) != SYS_OPENED)
        return;
    sim_index_read(s, &f, &index);
    if (!recorded(&index, r.hash))
        sim_index_make_room(s, &index, r.size);
    if (jw_cache_index_add(&index, r, &err))
        sim_index_write(s, &f, &index);
    jw_cache_index_free(&index);
    sys_close(&f);
}

static bool make_file(const struct sim *s, struct jw_bytes key, struct jw_bytes payload,
                      struct jw_buf *file, struct jw_cache_record *r)
{
    struct jw_err err = {0};
    bool ok = cache_entry_write(file, key, payload, &r->hash, &err);

    r->size = key.n + payload.n;
    sim_veil(s, file);
    return ok;
}

void sim_cache_store(struct sim *s, struct jw_bytes key, struct jw_bytes payload,
                     const struct sim_lookup *seen, const struct sim_struck *struck)
{
    struct jw_buf file = JW_BUF(MAX_ENTRY);
    struct jw_cache_record r = {0};

    if (sim_cache_on(s) && !seen->left) {
        (void)pthread_mutex_lock(&s->cache_lock);
        if (make_file(s, key, payload, &file, &r) && r.size <= s->c.cache_limit
            && make_folders(s, r.hash)) {
            if (write_entry(s, r.hash, &file, struck))
                record_cache(s, r);
        }
        (void)pthread_mutex_unlock(&s->cache_lock);
    }
    jw_buf_free(&file);
}

/* The cache's index as this driver keeps it: in place, under record locks, first in first out. */

void sim_path(const struct sim *s, struct jw_buf *out, const char *below)
{
    jw_buf_clear(out);
    jw_buf_printf(out, "%s%s%s", s->c.cache_folder, *below ? "/" : "", below);
    (void)jw_buf_cstr(out);
}

void sim_veil(const struct sim *s, struct jw_buf *file)
{
    for (size_t i = 0; s->c.sw.knowledge == 0 && i < file->n; i++)
        file->p[i] ^= 0x5a;
}

/* As NVIDIA's drivers do it. driver-fact: F42-foreign-lock */
static bool lock(struct sys_file *f, bool change)
{
    enum { TRIES = 21, APART_MS = 10 };

    for (unsigned i = 0; i < TRIES; i++) {
        if (i)
            jw_time_sleep_ms(APART_MS);
        if (sys_lock(f, change, false))
            return true;
    }
    return false;
}

enum sys_result sim_index_open(const struct sim *s, struct sys_file *f, bool change)
{
    struct jw_buf path_index = JW_BUF(MAX_PATH_BYTES);

    sim_path(s, &path_index, "index");
    enum sys_result r_index =
        sys_open(f, jw_buf_cstr(&path_index), change ? SYS_CREATE : SYS_CHANGE);

    if (r_index == SYS_OPENED && !lock(f, change)) {
        if (s->c.sw.trace)
            (void)puts("locked out"); /* as an answer, among those of the program that plays */
        sys_close(f);
        r_index = SYS_DENIED;
    }
    jw_buf_free(&path_index);
    return r_index;
}

/* A wrong sum is believed and added to. driver-fact: F83-damaged-index */
void sim_index_read(const struct sim *s, struct sys_file *f, struct jw_cache_index *out)
{
    struct jw_buf text = JW_BUF(SIM_MAX_INDEX);
    struct jw_err ignored = {0};

    *out = (struct jw_cache_index){0};
    bool there = sys_read(f, &text);

    sim_veil(s, &text);
    if (there && jw_cache_index_read(jw_buf_bytes(&text), out, &ignored) <= JW_INDEX_MISCOUNTS)
        out->total = jw_le64(text.p + AT_TOTAL);
    else
        jw_cache_index_free(out);
    jw_buf_free(&text);
}

void sim_index_write(const struct sim *s, struct sys_file *f, const struct jw_cache_index *index)
{
    struct jw_buf text = JW_BUF(SIM_MAX_INDEX);
    struct jw_err err = {0};

    if (jw_cache_index_write(index, &text, &err)) {
        jw_put64(text.p + AT_TOTAL, index->total);
        sim_veil(s, &text);
        (void)sys_rewrite(f, text.p, text.n);
    }
    jw_buf_free(&text);
}

static void remove_entry(const struct sim *s, uint64_t hash)
{
    struct jw_buf path_index = JW_BUF(MAX_PATH_BYTES);
    struct jw_cache_name name = jw_cache_name(hash);

    sim_path(s, &path_index, name.text);
    sys_remove(jw_buf_cstr(&path_index));
    for (size_t i = 0; i < 2; i++) { /* "4/2", then "4": gone if they are empty */
        name.text[3 - 2 * i] = '\0';
        sim_path(s, &path_index, name.text);
        sys_rmdir(jw_buf_cstr(&path_index));
    }
    jw_buf_free(&path_index);
}

void sim_index_make_room(const struct sim *s, struct jw_cache_index *index, uint64_t size)
{
    size_t gone = 0;

    for (; gone < index->n; gone++) {
        if (index->total + size <= s->c.cache_limit)
            break;
        remove_entry(s, index->list[gone].hash);
        index->total -= index->list[gone].size;
    }
    if (gone)
        memmove(index->list, index->list + gone, (index->n - gone) * sizeof *index->list);
    index->n -= gone;
}
