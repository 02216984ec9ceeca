#include "cache/place/index_file.h"

#include "base/limits.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

enum { TRIES = 3, PAUSE_MS = 20 };

static bool read_once(const char *path, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(JW_CACHE_INDEX_HEADER + JW_CACHE_RECORD * JW_MAX_CACHE_ENTRIES);
    bool found = false, ok = jw_file_slurp(path, &bytes, &found, err);
    struct jw_bytes all = jw_buf_bytes(&bytes);

    jw_cache_index_free(&out->records);
    out->trouble = !ok                ? (err->code == JW_E_IO ? JW_INDEX_UNREAD : JW_INDEX_LOST)
                   : !found || !all.n ? JW_INDEX_NONE
                                      : jw_cache_index_trouble(all, all.n);
    if (out->trouble == JW_INDEX_WHOLE)
        all.n = jw_cache_index_end(all); /* the driver leaves stale records at the end */
    if (ok && out->trouble != JW_INDEX_NONE) {
        ok = jw_cache_index_read(all, &out->records, err);
        if (!ok && out->trouble == JW_INDEX_WHOLE)
            out->trouble = JW_INDEX_MISCOUNTS;
    }
    jw_buf_free(&bytes);
    return ok;
}

bool jw_index_load(const char *folder, struct jw_index_file *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool ok;

    jw_buf_printf(&path, "%s/index", folder);
    ok = jw_buf_ok(&path, err);
    for (unsigned i = 0; ok && i < TRIES; i++) {
        struct jw_err why = { 0 };

        if (i)
            jw_time_sleep_ms(PAUSE_MS);
        bool sound = read_once(jw_buf_cstr(&path), out, &why);

        memcpy(out->damage, why.msg, sizeof out->damage);
        if (sound)
            break;
    }
    jw_buf_free(&path);
    return ok;
}
