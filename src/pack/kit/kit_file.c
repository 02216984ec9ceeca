/* A file of a cache before a start of the command, and after it. */
#include "base/mem.h"
#include "base/text.h"
#include "os/files/real.h"
#include "pack/kit/kit.h"

#include <string.h>

enum { MAX_COMPARED = 64 << 20 };

const char *jw_kit_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

bool jw_kit_is_beside(const char *path)
{
    return jw_text_ends(path, ".pyc") || jw_text_ends(path, ".lock") || jw_text_ends(path, ".lck");
}

static bool read_digest(const char *path, uint64_t size, uint8_t digest[JW_DIGEST])
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored = { 0 };
    bool ok = size <= MAX_COMPARED && jw_file_open(&f, path, &ignored);

    if (ok) {
        struct jw_source bytes = jw_file_source(&f, size);

        ok = jw_digest_source(digest, &bytes, NULL, &ignored);
    }
    jw_file_close(&f);
    return ok;
}

void jw_kit_see(struct jw_kit_seen *f)
{
    f->compared = read_digest(f->path, f->before.size, f->digest);
}

static bool is_unchanged(const struct jw_file_info *a, const struct jw_file_info *b)
{
    return a->mtime == b->mtime && a->size == b->size && jw_file_same(a->id, b->id);
}

/* What was looked up in it, or added to it, no file shows; and a copy without its log is another one. */
static bool is_database(const char *path)
{
    static const char *const parts[] = { "-wal", "-shm", "-journal" };
    static const char magic[] = "SQLite format 3";
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored = { 0 };
    char start[sizeof magic] = "";
    size_t n = 0;

    for (size_t i = 0; i < JW_COUNT(parts); i++)
        if (jw_text_ends(path, parts[i]))
            return true;
    bool ok = jw_file_open(&f, path, &ignored) && jw_file_read(&f, 0, start, sizeof start, &n, &ignored);

    jw_file_close(&f);
    return ok && n == sizeof start && memcmp(start, magic, sizeof magic) == 0;
}

static bool has_same_bytes(const struct jw_kit_seen *f, const struct jw_file_info *now, bool opened)
{
    uint8_t digest[JW_DIGEST];

    return is_unchanged(&f->before, now)
           || (opened && f->compared && now->size == f->before.size && read_digest(f->path, now->size, digest)
               && memcmp(digest, f->digest, JW_DIGEST) == 0);
}

bool jw_kit_is_entry(const struct jw_kit_seen *f, const struct jw_traced *by)
{
    struct jw_file_info now;
    struct jw_err ignored;
    bool opened = jw_traced_has(by->opened, by->n_opened, f->path);

    if ((!opened && !jw_traced_has(by->made, by->n_made, f->path)) || f->before.kind != JW_FILE_REGULAR
        || !jw_file_stat(f->path, &now, &ignored) || now.kind != JW_FILE_REGULAR)
        return false;
    return has_same_bytes(f, &now, opened) && !is_database(f->path);
}

bool jw_kit_is_made(const char *path, int64_t since, struct jw_file_info *info, struct jw_arena *a)
{
    const char *real;
    struct jw_err ignored;

    return jw_file_stat(path, info, &ignored) && info->kind == JW_FILE_REGULAR && info->ctime >= since
           && jw_real_path(path, a, &real, &ignored) && strcmp(real, path) == 0;
}
