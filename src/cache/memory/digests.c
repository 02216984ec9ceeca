#include "cache/memory/digests.h"

#include "base/fields.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "cache/memory/state_folder.h"
#include "machine/trust.h"
#include "os/machine/env.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <stdatomic.h>
#include <string.h>

/* Four pieces side by side take less than half of the time (jw_digest_texts): the digest is that of the digests of all
 * pieces. */
enum {
    PIECES = 4,
    PIECE = 1 << 20,
    BLOCK = PIECES * PIECE,
    LARGE = 4 * BLOCK,
    MAX_READERS = 4,
    FIRST_PLACES = 64
};

enum { REMEMBERED = 1 << 20, MAX_REMEMBERED = 1024, DIGESTS = 53 };

struct jw_digested {
    const char *path, *hex;
    struct jw_file_info info;
    bool earlier; /* it is remembered */
    bool fresh;   /* it should be */
};

struct remembered {
    struct jw_digested *v;
    size_t n;
};

static const struct jw_field one_file[] = {
    JW_FIELD(struct jw_digested, path),         JW_FIELD(struct jw_digested, hex),
    JW_FIELD(struct jw_digested, info.size),    JW_FIELD(struct jw_digested, info.mtime),
    JW_FIELD(struct jw_digested, info.ctime),   JW_FIELD(struct jw_digested, info.id.volume),
    JW_FIELD(struct jw_digested, info.id.node), { 0 },
};
static const struct jw_field fields[] = {
    JW_FIELD_LIST_UP_TO(struct remembered, v, n, one_file, MAX_REMEMBERED),
    { 0 },
};

/* The reading of one file: threads take its blocks in turn. */
struct reading {
    const char *path;
    const struct jw_file_info *info;
    struct jw_digest_text *pieces; /* of the whole file */
    size_t n_pieces;
    atomic_size_t next;
    atomic_bool failed;
};

static bool read_block(struct jw_file *f, const struct reading *r, size_t first, uint8_t *block)
{
    uint64_t at = (uint64_t)first * PIECE;
    size_t n = (size_t)jw_min(r->info->size - at, (uint64_t)BLOCK), got = 0, k = 0;
    struct jw_err ignored;

    if (!jw_file_read(f, at, block, n, &got, &ignored) || got != n)
        return false;
    for (size_t from = 0; from < n; from += PIECE, k++)
        r->pieces[first + k].bytes = (struct jw_bytes){ block + from, jw_min(n - from, (size_t)PIECE) };
    jw_digest_texts(r->pieces + first, k);
    return true;
}

static bool is_as_read(const struct jw_file_info *x, const struct jw_file_info *y)
{
    return jw_file_same(x->id, y->id) && x->size == y->size && x->mtime == y->mtime && x->ctime == y->ctime;
}

static void read_blocks(void *ctx, unsigned worker)
{
    struct reading *r = ctx;
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info now = { 0 };
    struct jw_err ignored;
    uint8_t *block = jw_alloc((size_t)jw_min(r->info->size + 1, (uint64_t)BLOCK));
    size_t first;

    (void)worker;
    bool ok = jw_file_open(&f, r->path, &ignored);
    while (ok && !atomic_load(&r->failed) && (first = atomic_fetch_add(&r->next, PIECES)) < r->n_pieces)
        ok = read_block(&f, r, first, block);
    if (!ok || !jw_file_info(&f, &now, &ignored) || !is_as_read(r->info, &now))
        atomic_store(&r->failed, true);
    jw_file_close(&f);
    jw_free(block);
}

static bool read_all(const char *path, const struct jw_file_info *info, uint8_t out[JW_DIGEST])
{
    struct reading r = { .path = path,
                         .info = info,
                         .n_pieces = (size_t)(info->size / PIECE) + (info->size % PIECE != 0) };
    struct jw_digest_state all;

    r.pieces = jw_alloc((r.n_pieces + 1) * sizeof *r.pieces);
    jw_parallel(info->size < LARGE ? 1 : (unsigned)jw_min(jw_cpu_count(), MAX_READERS), read_blocks, &r);
    jw_digest_init(&all);
    for (size_t i = 0; i < r.n_pieces; i++)
        jw_digest_update(&all, r.pieces[i].digest, JW_DIGEST);
    jw_digest_final(&all, out);
    jw_free(r.pieces);
    return !atomic_load(&r.failed);
}

static size_t first_place(const struct jw_digests *d, const struct jw_file_info *info)
{
    return (size_t)jw_fnv1a(JW_FNV_START, &info->id.node, sizeof info->id.node) & (d->n_places - 1);
}

static void take_place(struct jw_digests *d, size_t i)
{
    size_t at = first_place(d, &d->list[i].info);

    while (d->places[at])
        at = (at + 1) & (d->n_places - 1);
    d->places[at] = (uint32_t)i + 1;
}

/* At most half of the places are taken. */
static void index_last(struct jw_digests *d)
{
    size_t first = d->n - 1;

    if (2 * d->n > d->n_places) {
        first = 0;
        d->n_places = d->n_places ? 2 * d->n_places : FIRST_PLACES;
        d->places = jw_arena_alloc(d->a, d->n_places * sizeof *d->places);
    }
    for (size_t i = first; i < d->n; i++)
        take_place(d, i);
}

static struct jw_digested *add(struct jw_digests *d, const struct jw_digested *one)
{
    struct jw_err full;
    struct jw_digested *added = jw_list_add(d->a, &d->list, &d->n, sizeof *added, JW_MAX_OWNED, &full);

    if (!added)
        return NULL;
    *added = *one;
    index_last(d);
    return added;
}

static void load(struct jw_digests *d)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_DIGESTS, d->a, &ignored);
    struct remembered r = { NULL, 0 };
    bool found = false;

    d->loaded = true;
    if (path)
        (void)!jw_trust_load(path, DIGESTS, fields, d->a, &r, &found, &ignored);
    for (size_t i = found ? r.n : 0;
         i-- > 0;) { /* the newest is the first of the file, and the last of the list */
        r.v[i].info.kind = JW_FILE_REGULAR;
        r.v[i].earlier = true;
        if (strlen(r.v[i].hex) == (size_t)2 * JW_DIGEST)
            (void)add(d, &r.v[i]);
    }
}

const char *jw_digests_known(struct jw_digests *d, const char *path, const struct jw_file_info *info)
{
    if (d->remembers && !d->loaded && info->size >= REMEMBERED)
        load(d);
    if (!d->n)
        return NULL;
    for (size_t at = first_place(d, info); d->places[at]; at = (at + 1) & (d->n_places - 1)) {
        const struct jw_digested *one = &d->list[d->places[at] - 1];

        if (jw_file_unchanged(&one->info, info) && strcmp(one->path, path) == 0)
            return one->hex;
    }
    return NULL;
}

const char *jw_digests_of(struct jw_digests *d, const char *path, const struct jw_file_info *info)
{
    const char *known = jw_digests_known(d, path, info);
    int64_t looked = jw_time_unix_ns();
    uint8_t digest[JW_DIGEST];
    char hex[2 * JW_DIGEST + 1];

    if (known || !read_all(path, info, digest))
        return known;
    jw_digest_hex(hex, digest);
    const struct jw_digested *one = add(
        d, &(struct jw_digested){ .path = jw_arena_str(d->a, path),
                                  .hex = jw_arena_str(d->a, hex),
                                  .info = *info,
                                  .fresh = info->size >= REMEMBERED && jw_file_change_shows(info, looked) });

    return one ? one->hex : NULL;
}

static bool holds(const struct remembered *r, const char *path)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->v[i].path, path) == 0)
            return true;
    return false;
}

static bool any_fresh(const struct jw_digests *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->list[i].fresh)
            return true;
    return false;
}

void jw_digests_keep(struct jw_digests *d)
{
    struct jw_err ignored = { 0 };
    const char *path = d->remembers && any_fresh(d) ? jw_state_path(JW_STATE_DIGESTS, d->a, &ignored) : NULL;

    if (!path)
        return;
    struct remembered r = { jw_arena_alloc(d->a, MAX_REMEMBERED * sizeof *r.v), 0 };

    for (size_t i = d->n; i-- > 0 && r.n < MAX_REMEMBERED;)
        if ((d->list[i].fresh || d->list[i].earlier) && !holds(&r, d->list[i].path)) {
            r.v[r.n++] = d->list[i];
            d->list[i].earlier = true;
            d->list[i].fresh = false;
        }
    (void)!jw_trust_save(path, DIGESTS, fields, &r, &ignored);
}
