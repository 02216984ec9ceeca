#include "driver/probe/probe_payload.h"

#include "driver/probe/probe_check.h"

const char *probe_payload(const struct jw_cache_listing *made, const struct probe_module *set,
                          size_t n, const char *stamp, unsigned sm, struct jw_arena *a)
{
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    jw_digest_init(&s);
    for (size_t i = 0; i < n; i++) {
        const struct jw_cache_file *f = NULL;
        uint64_t name;

        if (probe_predict(&set[i], stamp, sm, &name, JW_IGNORED))
            f = jw_cache_file_find(made, name);
        if (!f || f->damage)
            return NULL;
        jw_digest_update(&s, &f->entry.payload_hash, sizeof f->entry.payload_hash);
        jw_digest_update(&s, &f->entry.payload_size, sizeof f->entry.payload_size);
    }
    jw_digest_final(&s, digest);
    return jw_arena_printf(a, "sm_%u %s", sm, jw_digest_text(digest).text);
}
