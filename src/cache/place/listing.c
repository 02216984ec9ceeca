#include "cache/place/listing.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/index_file.h"
#include "cache/place/lookup.h"
#include "machine/paths.h"
#include "os/files/dir.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <string.h>

const char *jw_cache_entry_path(const char *cache, uint64_t name, struct jw_arena *a)
{
    return jw_path_join(a, cache, jw_cache_name(name).text);
}

const struct jw_cache_file *jw_cache_file_find(const struct jw_cache_listing *l, uint64_t name)
{
    return jw_find_u64(l->files, l->n, sizeof *l->files, name);
}

/* Matches files with the records of the index that was read `before` them, and of the one read
 * after; counts records of both without a file. */
static void match_index(struct jw_cache_listing *out, const struct jw_cache_index *before)
{
    const struct jw_cache_index *const of[] = {&out->index, before};
    struct jw_ranked *const order[] = {jw_rank_u64(of[0]->list, of[0]->n, sizeof *of[0]->list),
                                       jw_rank_u64(of[1]->list, of[1]->n, sizeof *of[1]->list)};

    for (struct jw_cache_file *f = out->files; f < out->files + out->n; f++)
        for (size_t k = 0; k < JW_COUNT(of) && !f->indexed; k++) {
            const struct jw_ranked *r = jw_find_u64(order[k], of[k]->n, sizeof *r, f->name);

            f->indexed = r != NULL;
            f->recorded = r ? of[k]->list[r->at].size : 0;
        }
    /* If files were not read, which records have files is unknown. */
    bool all = !out->notes.n && !out->refused;

    for (size_t i = 0; all && i < out->index.n; i++)
        out->missing += jw_find_u64(order[1], before->n, sizeof **order, out->index.list[i].hash)
                        && !jw_cache_file_find(out, out->index.list[i].hash);
    jw_free(order[0]);
    jw_free(order[1]);
}

enum {
    MAX_SUBFOLDERS = 256, /* folders that hold entries: two levels of one digit */
    MAX_WALKERS = 16,
    SUBFOLDERS_PER_WALKER = 16, /* a thread costs more than reading a few small folders */
    HEAD = JW_CACHE_HEADER + JW_CACHE_KEY_END,
    ENTRY_TRIES = 3,
    PAUSE_MS = 20,
    PATIENCE = 4 /* entries that each thread waits for */
};

#define JUST_NOW ((int64_t)2 * 1000000000) /* an entry this young may still be being written */

struct subfolder {
    char digits[2];
};

/* The result of one thread. */
struct walker {
    struct jw_cache_file *files;
    size_t n, cap;
    uint64_t foreign, more;
    unsigned patience;
};

struct walk {
    const char *folder;
    bool check;
    const atomic_bool *interrupted;
    struct jw_cache_listing *out;
    struct subfolder subfolders[MAX_SUBFOLDERS];
    size_t n_subfolders;
    struct walker walkers[MAX_WALKERS];
    atomic_size_t next, taken;
    atomic_bool failed;
    struct jw_lock *lock; /* guards what follows, and the notes */
    struct jw_arena *a;
    struct jw_err err;
};

/* ---- shared by the threads ---- */

static void fail_walk(struct walk *w, const struct jw_err *err)
{
    jw_lock_take(w->lock);
    if (!atomic_exchange(&w->failed, true))
        w->err = *err;
    jw_lock_drop(w->lock);
}

static void note_unread(struct walk *w, const char *where, const struct jw_err *why)
{
    jw_lock_take(w->lock);
    jw_note(&w->out->notes, w->a, "%s: %s", jw_path_join(w->a, w->folder, where), why->msg);
    jw_lock_drop(w->lock);
}

static const char *keep_sentence(struct walk *w, const char *sentence)
{
    jw_lock_take(w->lock);
    const char *kept = jw_arena_str(w->a, sentence);
    jw_lock_drop(w->lock);
    return kept;
}

static bool stopped(struct walk *w)
{
    struct jw_err err;

    if (!jw_not_interrupted(w->interrupted, &err))
        fail_walk(w, &err);
    return atomic_load_explicit(&w->failed, memory_order_relaxed);
}

/* ---- one entry ---- */

uint64_t jw_cache_identity(const struct jw_file_info *info)
{
    const uint64_t facts[] = {info->id.node, info->size, (uint64_t)info->mtime,
                              (uint64_t)info->ctime};

    return jw_fnv1a(JW_FNV_START, facts, sizeof facts) | 1;
}

static bool read_open(struct jw_file *file, uint64_t size, struct jw_cache_file *f,
                      struct jw_err *err)
{
    uint8_t bytes[HEAD], end[JW_CACHE_KEY_END];
    size_t got, n = (size_t)jw_min(size, sizeof bytes);
    struct jw_cache_key k;

    if (!jw_file_read(file, 0, bytes, n, &got, err))
        return false;
    if (got < n)
        return jw_fail(err, JW_E_FORMAT, "another program is truncating it now");
    if (!jw_cache_entry_read((struct jw_bytes){bytes, got}, size, &f->entry, err))
        return false;

    uint64_t key_size = f->entry.key_size;
    size_t head = (size_t)jw_min(key_size, got - JW_CACHE_HEADER);
    size_t tail = sizeof end;

    jw_cache_key_read((struct jw_bytes){bytes + JW_CACHE_HEADER, head}, key_size, &k);
    /* If its end cannot be read, it stays what it is. */
    if (head < key_size && k.kind != JW_CACHE_OTHER
        && jw_file_read(file, JW_CACHE_HEADER + key_size - tail, end, tail, &got, JW_IGNORED)
        && got == tail)
        jw_cache_key_read_end((struct jw_bytes){end, tail}, &k);
    f->kind = k.kind;
    memcpy(f->stamp, k.stamp, sizeof f->stamp);
    memcpy(f->version, k.version, sizeof f->version);
    memcpy(f->arch, k.arch, sizeof f->arch);
    f->sm = k.sm;
    return true;
}

/* False: damaged (JW_E_FORMAT, JW_E_LIMIT), or unreadable. */
static bool read_entry(const struct walk *w, struct jw_dir *dir, const char *name,
                       struct jw_cache_file *f, struct jw_err *err)
{
    struct jw_file file;
    struct jw_file_info info;

    if (!jw_dir_open_file(dir, name, &file, &info, err))
        return false;
    f->size = info.size;
    f->mtime = info.mtime;
    f->identity = jw_cache_identity(&info);

    const struct jw_source all = jw_file_source(&file, info.size);
    bool ok = read_open(&file, info.size, f, err)
              && (!w->check || jw_cache_entry_check(&all, f->name, &f->entry, err));

    jw_file_close(&file);
    return ok;
}

/* A driver may still be writing it: in place, within milliseconds (driver-fact: F45-in-place). */
static bool may_grow(struct walker *h, const struct jw_cache_file *f, unsigned try)
{
    int64_t age = jw_time_unix() * 1000000000 - f->mtime;

    if (try + 1 >= ENTRY_TRIES || age > JUST_NOW || h->patience == 0)
        return false;
    if (try == 0)
        h->patience--;
    jw_time_sleep_ms(PAUSE_MS);
    return true;
}

/* The driver evicted it since it was listed. */
static bool vanished(const struct walk *w, const char *below)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&path, "%s/%s", w->folder, below);
    bool gone = !path.bad && jw_is_absent(jw_buf_cstr(&path));
    jw_buf_free(&path);
    return gone;
}

static bool read_whole_entry(struct walk *w, struct walker *h, struct jw_dir *dir, const char *name,
                             struct jw_cache_file *f, struct jw_err *err)
{
    for (unsigned try = 0;; try++) {
        if (read_entry(w, dir, name, f, err))
            return true;
        if (err->code != JW_E_FORMAT || !may_grow(h, f, try))
            return false;
    }
}

static void take_entry(struct walk *w, struct walker *h, struct jw_dir *dir, const char *name,
                       uint64_t hash)
{
    struct jw_cache_file f = {.name = hash, .kind = JW_CACHE_OTHER};
    struct jw_err err;

    if (atomic_fetch_add(&w->taken, 1) >= JW_MAX_CACHE_ENTRIES) {
        h->more++;
        return;
    }
    if (!read_whole_entry(w, h, dir, name, &f, &err)) {
        if (err.code == JW_E_IO && vanished(w, jw_cache_name(hash).text))
            return;
        f.unread = err.code == JW_E_IO;
        f.damage = keep_sentence(w, err.msg);
        if (f.unread)
            note_unread(w, jw_cache_name(hash).text, &err);
    }
    if (jw_grow(&h->files, sizeof *h->files, h->n, &h->cap, JW_MAX_CACHE_ENTRIES, &err))
        h->files[h->n++] = f;
    else
        fail_walk(w, &err);
}

/* ---- folders ---- */

static bool open_below(const struct walk *w, const char *below, struct jw_dir **dir,
                       struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&path, "%s/%s", w->folder, below);
    bool ok = jw_buf_ok(&path, err) && jw_dir_open(dir, jw_buf_cstr(&path), err);
    jw_buf_free(&path);
    return ok;
}

static bool is_hex_digit(const char *name)
{
    return name[0] && !name[1] && strchr("0123456789abcdef", name[0]);
}

static void walk_subfolder(struct walk *w, struct walker *h, struct subfolder subfolder)
{
    const char h0[] = {subfolder.digits[0], '\0'};
    const char h1[] = {subfolder.digits[1], '\0'};
    const char below[] = {subfolder.digits[0], '/', subfolder.digits[1], '\0'};
    struct jw_err err = {0};
    struct jw_file_info info;
    struct jw_entry e;
    struct jw_dir *dir;
    uint64_t hash;
    bool more = true;

    if (!open_below(w, below, &dir, &err)) {
        if (!vanished(w, below))
            note_unread(w, below, &err);
        return;
    }
    while (more && !stopped(w)) {
        if (!jw_dir_next(dir, &e, &more, &err)) {
            note_unread(w, below, &err);
            break;
        }
        if (!more)
            break;
        bool named = jw_cache_name_parse(h0, h1, e.name, &hash);

        /* A link is followed as by the driver, but a device that it leads to is not opened. */
        if (named
            && (e.kind == JW_FILE_REGULAR
                || (e.kind == JW_FILE_LINK && jw_dir_stat(dir, e.name, &info, &err))))
            take_entry(w, h, dir, e.name, hash);
        else
            h->foreign++;
    }
    jw_dir_close(dir);
}

static void walk_subfolders(void *ctx, unsigned worker)
{
    struct walk *w = ctx;
    size_t at;

    while (!stopped(w) && (at = atomic_fetch_add(&w->next, 1)) < w->n_subfolders)
        walk_subfolder(w, &w->walkers[worker], w->subfolders[at]);
}

/* The folders below the cache (`above` 0) or below one digit of it. */
static void find_subfolders(struct walk *w, char above, struct jw_dir *dir, const char *where)
{
    struct jw_err err = {0};
    struct jw_entry e;
    bool more = true;

    while (more && !stopped(w)) {
        if (!jw_dir_next(dir, &e, &more, &err)) {
            note_unread(w, where, &err);
            return;
        }
        if (!more)
            return;
        bool opens = e.kind == JW_FILE_DIR || e.kind == JW_FILE_LINK;

        if (opens && is_hex_digit(e.name) && w->n_subfolders < MAX_SUBFOLDERS)
            w->subfolders[w->n_subfolders++] =
                (struct subfolder){{above ? above : e.name[0], e.name[0]}};
        else if (above
                 || (strcmp(e.name, "index") != 0 && !jw_text_starts(e.name, JW_WORK_FOLDER "-")))
            w->out->foreign++;
    }
}

/* Each level has at most sixteen folders. */
static void find_all_subfolders(struct walk *w, struct jw_dir *folder)
{
    struct subfolder first[MAX_SUBFOLDERS];
    size_t n;

    find_subfolders(w, 0, folder, w->folder);
    n = w->n_subfolders;
    memcpy(first, w->subfolders, n * sizeof *first);
    w->n_subfolders = 0;
    for (size_t i = 0; i < n && !stopped(w); i++) {
        const char below[] = {first[i].digits[0], '\0'};
        struct jw_err err = {0};
        struct jw_dir *dir;

        if (open_below(w, below, &dir, &err)) {
            find_subfolders(w, below[0], dir, below);
            jw_dir_close(dir);
        } else if (!vanished(w, below))
            note_unread(w, below, &err);
    }
}

/* ---- all of it ---- */

static void gather_files(struct walk *w)
{
    struct jw_cache_listing *out = w->out;
    size_t n = 0;
    uint64_t more = 0;

    for (size_t i = 0; i < MAX_WALKERS; i++)
        n += w->walkers[i].n;
    out->files = jw_realloc(w->walkers[0].files, n * sizeof *out->files + 1);
    for (size_t i = 0; i < MAX_WALKERS; i++) {
        struct walker *h = &w->walkers[i];

        if (i && h->n)
            memcpy(out->files + out->n, h->files, h->n * sizeof *h->files);
        out->n += h->n;
        if (i)
            jw_free(h->files);
        h->files = NULL;
        out->foreign += h->foreign;
        more += h->more;
    }
    if (more)
        jw_note(&out->notes, w->a, "%s: %llu entries beyond %zu were not read", w->folder,
                (unsigned long long)more, JW_MAX_CACHE_ENTRIES);
    jw_sort_u64(out->files, out->n, sizeof *out->files);
    /* Threads finish in any order. */
    jw_sort(out->notes.v, out->notes.n, sizeof *out->notes.v, jw_by_text);
}

static bool walk_all(struct walk *w, struct jw_err *err)
{
    uint64_t walkers = w->check ? w->n_subfolders : 1 + w->n_subfolders / SUBFOLDERS_PER_WALKER;

    for (size_t i = 0; i < MAX_WALKERS; i++)
        w->walkers[i].patience = PATIENCE;
    jw_parallel((unsigned)jw_min(walkers, jw_min(jw_cpu_count(), MAX_WALKERS)), walk_subfolders, w);
    return !atomic_load(&w->failed) || jw_pass(err, w->err);
}

/* Judges the index by two looks, before and after the walk: a driver may be writing it. */
static enum jw_index_trouble seen_twice(enum jw_index_trouble before, enum jw_index_trouble after)
{
    if (after != JW_INDEX_LOST && after != JW_INDEX_HIDES)
        return after;
    if (before <= JW_INDEX_MISCOUNTS)
        return JW_INDEX_MISCOUNTS;
    return before == after ? after : JW_INDEX_LOST;
}

static bool read_listing(struct walk *w, struct jw_dir *folder, struct jw_err *err)
{
    struct jw_index_file before = {0};
    struct jw_index_file after = {0};
    struct jw_cache_listing *out = w->out;
    bool ok = jw_index_file_load(w->folder, &before, err);

    if (ok) {
        find_all_subfolders(w, folder);
        ok = walk_all(w, err) && jw_index_file_load(w->folder, &after, err);
    }
    if (ok) {
        gather_files(w);
        out->index = after.records;
        after.records = (struct jw_cache_index){0};
        out->index_trouble = seen_twice(before.trouble, after.trouble);
        if (after.why.msg[0])
            out->index_damage = jw_arena_str(w->a, after.why.msg);
        match_index(out, &before.records);
    }
    jw_index_file_free(&before);
    jw_index_file_free(&after);
    return ok;
}

bool jw_cache_list(const char *folder, bool check, const atomic_bool *interrupted,
                   struct jw_arena *a, struct jw_cache_listing *out, struct jw_err *err)
{
    struct walk w = {
        .folder = folder, .check = check, .interrupted = interrupted, .out = out, .a = a};
    struct jw_err why = {0};
    struct jw_dir *dir = NULL;

    *out = (struct jw_cache_listing){0};
    if (!jw_dir_open(&dir, folder, &why)) {
        out->found = !jw_is_absent(folder);
        out->refused = out->found ? jw_arena_str(a, why.msg) : NULL;
        return true;
    }
    out->found = true;
    w.lock = jw_lock_new();
    bool ok = read_listing(&w, dir, err);

    for (size_t i = 0; i < MAX_WALKERS; i++)
        jw_free(w.walkers[i].files);
    jw_lock_free(w.lock);
    jw_dir_close(dir);
    if (!ok)
        jw_cache_listing_free(out);
    return ok;
}

void jw_cache_listing_free(struct jw_cache_listing *l)
{
    jw_free(l->files);
    jw_cache_index_free(&l->index);
    *l = (struct jw_cache_listing){0};
}

bool jw_cache_is_whole(const char *path, uint64_t name, uint64_t key_size,
                       const struct jw_sound_entry *known, struct jw_file_info *info,
                       struct jw_err *why)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_cache_entry entry;

    if ((known && known->refused) || info->kind != JW_FILE_REGULAR
        || info->size <= key_size + JW_CACHE_HEADER)
        return false;
    if (known)
        return true;
    bool ok = jw_file_open(&f, path, why) && jw_cache_check_open(&f, name, info, &entry, why)
              && (!key_size || entry.key_size == key_size);

    jw_file_close(&f);
    return ok;
}
