#include "cache/place/lookup.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/format/module_name.h"
#include "cache/place/index_file.h"
#include "os/files/dir.h"

enum { LOCK_MS = 200 };

/* A driver that finds no index makes one. */
static bool may_make_index(const char *folder, struct jw_err *err)
{
    return jw_may_use(folder, JW_FILE_DIR)
           || jw_fail(err, JW_E_IO, "does not exist, and the folder cannot be written");
}

/* Locks the index as the driver does before it reads. After that time, or if the file system has no
 * locks, the driver goes on without the cache. driver-fact: F42-foreign-lock */
static bool lock_index(const struct jw_file *index, struct jw_err *err)
{
    bool taken = false;

    return jw_filelock_take(index->handle, JW_LOCK_READ, LOCK_MS, &taken, err)
           && (taken || jw_fail(err, JW_E_IO, "another process keeps it locked"));
}

bool jw_cache_index_opens(const char *cache, bool lock, struct jw_err *err)
{
    struct jw_file index = JW_FILE_CLOSED;
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool found = false;

    jw_buf_printf(&path, "%s/index", cache);
    bool ok =
        jw_buf_ok(&path, err)
        && jw_folder_open_file(NULL, jw_buf_cstr(&path), JW_FOLDER_CHANGE, &index, &found, err)
        && (found ? !lock || lock_index(&index, err) : may_make_index(cache, err));

    jw_file_close(&index);
    jw_buf_free(&path);
    return ok;
}

const char *jw_cache_why_unreadable(const char *folder, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err why = {0};

    if (jw_file_stat(folder, &info, &why)
        && (info.kind != JW_FILE_DIR || jw_cache_index_opens(folder, true, &why)))
        return NULL;
    return jw_arena_printf(a, "%.200s/index: %s", folder, why.msg);
}

bool jw_cache_lookup_open(const char *folder, struct jw_arena *a, struct jw_cache_lookup *out,
                          struct jw_err *err)
{
    struct jw_index_file index = {0};

    *out =
        (struct jw_cache_lookup){.folder = folder, .refusal = jw_cache_why_unreadable(folder, a)};
    if (out->refusal)
        return true;
    if (!jw_index_file_load(folder, &index, err))
        return false;
    out->trouble = index.trouble;
    if (index.trouble == JW_INDEX_WHOLE) {
        out->index = index.records;
        index.records = (struct jw_cache_index){0};
        jw_sort_u64(out->index.list, out->index.n, sizeof *out->index.list);
    }
    jw_index_file_free(&index);
    return true;
}

bool jw_cache_check_open(struct jw_file *f, uint64_t name, struct jw_file_info *info,
                         struct jw_cache_entry *out, struct jw_err *err)
{
    uint8_t head[JW_CACHE_HEADER];

    if (!jw_file_info(f, info, err))
        return false;

    const struct jw_source all = jw_file_source(f, info->size);
    size_t n = (size_t)jw_min(info->size, sizeof head);

    return name ? jw_cache_entry_check(&all, name, out, err)
                : jw_source_read(&all, 0, head, n, err)
                      && jw_cache_entry_read((struct jw_bytes){head, n}, info->size, out, err);
}

bool jw_cache_lookup_finds(const struct jw_cache_lookup *l, uint64_t name,
                           struct jw_file_info *info)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_file file = JW_FILE_CLOSED;
    struct jw_file_info unasked = {0};
    struct jw_cache_entry entry;

    info = info ? info : &unasked;
    jw_buf_printf(&path, "%s/%s", l->folder, jw_cache_name(name).text);
    bool there = !l->refusal && l->trouble != JW_INDEX_HIDES && jw_buf_ok(&path, JW_IGNORED)
                 && jw_file_open(&file, jw_buf_cstr(&path), JW_IGNORED)
                 && jw_cache_check_open(&file, 0, info, &entry, JW_IGNORED);

    jw_file_close(&file);
    jw_buf_free(&path);
    return there;
}

bool jw_cache_is_linked(const char *path, uint64_t key_size)
{
    static const char linked[] = " " JW_LINK_OPTION;
    uint8_t end[JW_CACHE_KEY_END];
    size_t n = (size_t)jw_min(key_size, sizeof end);
    size_t at = n;

    if (!jw_file_read_part(path, JW_CACHE_HEADER + key_size - n, end, n, JW_IGNORED))
        return false;
    while (at && end[at - 1])
        at--;
    return jw_starts((struct jw_bytes){end + at, n - at}, linked);
}

void jw_cache_lookup_close(struct jw_cache_lookup *l) { jw_cache_index_free(&l->index); }
