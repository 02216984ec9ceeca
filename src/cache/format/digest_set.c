#include "cache/format/digest_set.h"
#include "base/sort.h"

#include <string.h>

static int by_digest(const void *a, const void *b) { return memcmp(a, b, JW_DIGEST); }

void jw_digest_set_add(struct jw_digest_set *s, struct jw_arena *a, const uint8_t digest[JW_DIGEST])
{
    memcpy(jw_list_add(a, &s->v, &s->n, sizeof *s->v, SIZE_MAX, JW_IGNORED), digest, JW_DIGEST);
}

void jw_digest_set_sort(struct jw_digest_set *s)
{
    size_t kept = 0;

    jw_sort(s->v, s->n, sizeof *s->v, by_digest);
    for (size_t i = 0; i < s->n; i++)
        if (!kept || memcmp(s->v[kept - 1], s->v[i], JW_DIGEST) != 0)
            memmove(s->v[kept++], s->v[i], JW_DIGEST);
    s->n = kept;
}

bool jw_digest_set_has(const struct jw_digest_set *s, const uint8_t digest[JW_DIGEST])
{
    return jw_search(digest, s->v, s->n, JW_DIGEST, by_digest) != NULL;
}
