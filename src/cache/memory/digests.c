#include "cache/memory/digests.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

#include <string.h>

/* Four pieces side by side take less than half of the time (jw_digest_texts): the digest is that of the digests of all
 * pieces. */
enum { PIECES = 4, PIECE = 1 << 20, BLOCK = PIECES * PIECE };

struct jw_digested {
    const char *path, *hex;
    struct jw_file_info info;
};

static void take_block(struct jw_digest_state *all, const uint8_t *block, size_t n)
{
    struct jw_digest_text pieces[PIECES];
    size_t k = 0;

    for (size_t at = 0; at < n; at += PIECE, k++)
        pieces[k].bytes = (struct jw_bytes){ block + at, jw_min(n - at, (size_t)PIECE) };
    jw_digest_texts(pieces, k);
    for (size_t i = 0; i < k; i++)
        jw_digest_update(all, pieces[i].digest, JW_DIGEST);
}

static bool read_all(struct jw_file *f, uint64_t size, uint8_t out[JW_DIGEST], struct jw_err *err)
{
    struct jw_digest_state all;
    uint8_t *block = jw_alloc((size_t)jw_min(size + 1, (uint64_t)BLOCK));
    uint64_t at = 0;
    size_t got = 1;
    bool ok = true;

    jw_digest_init(&all);
    for (; ok && got && at < size; at += got) {
        ok = jw_file_read(f, at, block, (size_t)jw_min(size - at, (uint64_t)BLOCK), &got, err);
        if (ok)
            take_block(&all, block, got);
    }
    jw_digest_final(&all, out);
    jw_free(block);
    return ok && at == size;
}

static bool is_as_read(const struct jw_file_info *x, const struct jw_file_info *y)
{
    return jw_file_same(x->id, y->id) && x->size == y->size && x->mtime == y->mtime && x->ctime == y->ctime;
}

const char *jw_digests_known(const struct jw_digests *d, const char *path, const struct jw_file_info *info)
{
    for (size_t i = 0; i < d->n; i++)
        if (is_as_read(&d->list[i].info, info) && strcmp(d->list[i].path, path) == 0)
            return d->list[i].hex;
    return NULL;
}

const char *jw_digests_of(struct jw_digests *d, const char *path, const struct jw_file_info *info)
{
    const char *known = jw_digests_known(d, path, info);
    struct jw_file f = JW_FILE_CLOSED;
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];
    struct jw_err unread = { 0 };

    struct jw_file_info after = { 0 };

    if (known)
        return known;
    bool ok = jw_file_open(&f, path, &unread) && read_all(&f, info->size, digest, &unread)
              && jw_file_info(&f, &after, &unread) && is_as_read(info, &after);

    jw_file_close(&f);
    struct jw_digested *one =
        ok ? jw_list_add(d->a, &d->list, &d->n, sizeof *one, JW_MAX_OWNED, &unread) : NULL;

    if (!one)
        return NULL;
    jw_digest_hex(hex, digest);
    *one = (struct jw_digested){ jw_arena_str(d->a, path), jw_arena_str(d->a, hex), *info };
    return one->hex;
}
