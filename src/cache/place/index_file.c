#include "cache/place/index_file.h"

#include "base/limits.h"
#include "base/num.h"
#include "os/files/folder.h"
#include "os/machine/time.h"

enum { TRIES = 3, PAUSE_MS = 20 };

void jw_index_file_free(struct jw_index_file *file)
{
    jw_buf_free(&file->bytes);
    jw_cache_index_free(&file->records);
    *file = (struct jw_index_file){0};
}

bool jw_index_file_read(struct jw_file *f, struct jw_index_file *out, struct jw_err *err)
{
    const size_t most = JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_ENTRIES;
    struct jw_file_info info;

    jw_index_file_free(out);
    out->bytes = JW_BUF(most);
    out->trouble = JW_INDEX_UNREAD;
    if (!jw_file_info(f, &info, err))
        return false;

    const struct jw_source file = jw_file_source(f, info.size);

    jw_buf_fill(&out->bytes, 0, (size_t)jw_min(info.size, most));
    if (out->bytes.n && !jw_source_read(&file, 0, out->bytes.p, out->bytes.n, err))
        return false;
    out->trouble = JW_INDEX_LOST;
    if (info.size > most)
        return jw_fail(err, JW_E_LIMIT, "it has %llu bytes, expected at most %zu",
                       (unsigned long long)info.size, most);
    out->trouble = jw_cache_index_read(jw_buf_bytes(&out->bytes), &out->records, err);
    return out->trouble == JW_INDEX_WHOLE || out->trouble == JW_INDEX_NONE;
}

static bool read_once(struct jw_buf *path, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    bool found = false;
    bool ok = jw_folder_open_file(NULL, jw_buf_cstr(path), JW_FOLDER_READ, &f, &found, err);

    jw_index_file_free(out);
    out->trouble = ok ? JW_INDEX_NONE : JW_INDEX_UNREAD;
    ok = ok && (!found || jw_index_file_read(&f, out, err));
    jw_file_close(&f);
    return ok;
}

bool jw_index_file_load(const char *folder, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool ok, sound = false;

    jw_buf_printf(&path, "%s/index", folder);
    ok = jw_buf_ok(&path, err);
    for (unsigned i = 0; ok && !sound && i < TRIES; i++) {
        struct jw_err why = {0};

        if (i)
            jw_time_sleep_ms(PAUSE_MS);
        sound = read_once(&path, out, &why);
        out->why = why;
    }
    jw_buf_free(&path);
    return ok;
}
