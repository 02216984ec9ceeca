#include "driver/probe/probe_payload.h"

#include "base/digest.h"
#include "cache/place/listing.h"
#include "driver/probe/probe_check.h"

enum { MAX_ENTRY = 4 << 20 };

static bool add_payload(struct jw_digest_state *s, struct jw_bytes file)
{
    struct jw_cache_entry entry;
    struct jw_bytes payload;

    if (!jw_cache_entry_read(file, file.n, &entry, JW_IGNORED)
        || !jw_slice(file, JW_CACHE_HEADER + entry.key_size, entry.payload_size, &payload))
        return false;
    jw_digest_update(s, payload.p, payload.n);
    return true;
}

static bool add_entry(struct jw_digest_state *s, const char *path)
{
    struct jw_buf file = JW_BUF(MAX_ENTRY);
    bool found = false;
    bool ok = jw_file_slurp(path, &file, &found, JW_IGNORED) && found
              && add_payload(s, jw_buf_bytes(&file));

    jw_buf_free(&file);
    return ok;
}

const char *probe_payload(const char *cache, const struct probe_module *set, size_t n,
                          const char *stamp, unsigned sm, struct jw_arena *a)
{
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    jw_digest_init(&s);
    for (size_t i = 0; i < n; i++) {
        uint64_t name;

        if (!probe_predict(&set[i], stamp, sm, &name, JW_IGNORED)
            || !add_entry(&s, jw_cache_entry_path(cache, name, a)))
            return NULL;
    }
    jw_digest_final(&s, digest);
    return jw_arena_printf(a, "sm_%u %s", sm, jw_digest_text(digest).text);
}
