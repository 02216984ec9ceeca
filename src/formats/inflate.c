#include "formats/inflate.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/work.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

enum {
    HEAD = 64 * 1024, /* unpacked bytes that are first */
    IN = 64 * 1024,
    FIRST_IN = 512, /* fetched first */
    STEP = 1 << 20, /* unpacked at once, so that the CRC finds them in the processor's cache */
    MAX_KEPT = 4096
};

#define MAX_KEPT_BYTES ((uint64_t)64 << 20)

/* A range that was announced: [at, at + have) of [at, at + n) is here. */
struct kept {
    uint64_t at, n, have;
    uint8_t *bytes;
};

struct jw_inflate {
    struct inflate_state state;
    struct jw_source packed;
    uint64_t fetched; /* packed bytes, up to the end of `in` */
    uint64_t plain, member_at;
    uint32_t expected, crc;
    uint8_t *out; /* holds [first, n) of the unpacked bytes */
    size_t room;
    uint64_t first, n;
    struct kept *kept;
    size_t n_kept, cap_kept;
    uint64_t kept_bytes;
    bool sound; /* the stream ends where it should, with the right CRC */
    bool lost;  /* a step failed: start again before anything else */
    uint8_t in[IN];
};

struct jw_inflate *jw_inflate_new(void) { return jw_alloc(sizeof(struct jw_inflate)); }

static void drop_kept(struct jw_inflate *z)
{
    while (z->n_kept)
        jw_free(z->kept[--z->n_kept].bytes);
    z->kept_bytes = 0;
}

void jw_inflate_free(struct jw_inflate *z)
{
    if (z) {
        drop_kept(z);
        jw_free(z->kept);
        jw_free(z->out);
    }
    jw_free(z);
}

static void start(struct jw_inflate *z)
{
    isal_inflate_init(&z->state);
    z->fetched = 0;
    z->first = z->n = 0;
    z->crc = 0;
    z->lost = false;
}

static bool fetch(struct jw_inflate *z, struct jw_err *err)
{
    size_t n = (size_t)jw_min(z->fetched ? IN : FIRST_IN, z->packed.size - z->fetched);

    if (!jw_source_read(&z->packed, z->fetched, z->in, n, err))
        return false;
    z->fetched += n;
    z->state.next_in = z->in;
    z->state.avail_in = (uint32_t)n;
    return true;
}

/* Unpacks up to `room` bytes to `out`; `*n` is 0 only at the end of the stream. */
static bool step(struct jw_inflate *z, uint8_t *out, size_t room, size_t *n, struct jw_err *err)
{
    unsigned long long at = z->n;

    for (*n = 0; *n == 0 && z->state.block_state != ISAL_BLOCK_FINISH;) {
        bool starved = z->state.avail_in == 0;

        if (starved && !fetch(z, err))
            return false;
        uint32_t before = z->state.avail_in;

        z->state.next_out = out;
        z->state.avail_out = (uint32_t)room;
        if (isal_inflate(&z->state) != ISAL_DECOMP_OK)
            return jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu", at);
        *n = room - z->state.avail_out;
        jw_work_add(JW_WORK_BYTES_INFLATED, *n);
        if (*n || z->state.block_state == ISAL_BLOCK_FINISH || z->state.avail_in < before)
            continue;
        return starved
                   ? jw_fail(err, JW_E_FORMAT,
                             "zip: the member's data ends early, at %llu of %llu bytes", at,
                             (unsigned long long)z->plain)
                   : jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu", at);
    }
    return true;
}

/* Behind all the bytes that the member claims nothing may follow, and their CRC must be right. */
static bool check_end(struct jw_inflate *z, struct jw_err *err)
{
    uint8_t behind;
    size_t more;

    if (!step(z, &behind, 1, &more, err))
        return false;
    if (more)
        return jw_fail(err, JW_E_FORMAT,
                       "zip: the member unpacks to more than the %llu bytes that it claims",
                       (unsigned long long)z->plain);
    if (z->crc != z->expected)
        return jw_fail(
            err, JW_E_FORMAT,
            "zip: the member at 0x%llx is damaged: its CRC-32 is 0x%08x, but should be 0x%08x",
            (unsigned long long)z->member_at, z->crc, z->expected);
    z->sound = true;
    return true;
}

/* The part of a range that is in memory and was not copied yet. */
static void keep_part(const struct jw_inflate *z, struct kept *k)
{
    uint64_t from = k->at + k->have;
    uint64_t to = jw_min(k->at + k->n, z->n);

    if (from < z->first || from >= to)
        return;
    memcpy(k->bytes + k->have, z->out + (from - z->first), (size_t)(to - from));
    k->have += to - from;
}

/* Room for one step more. Bytes before `need` may go; half of them stay. */
static void make_room(struct jw_inflate *z, uint64_t need)
{
    size_t used = (size_t)(z->n - z->first);
    size_t most = (size_t)jw_min(z->plain, JW_INFLATE_ROOM) + 1;

    if (used + 1 < z->room)
        return;
    size_t spare =
        z->room < most || need < z->first ? 0 : (size_t)jw_min(need - z->first, used / 2);

    if (spare >= STEP) {
        memmove(z->out, z->out + spare, used - spare);
        z->first += spare;
        return;
    }
    if (z->room < HEAD)
        z->room = HEAD + 1;
    else
        z->room = z->room < most ? most : z->room * 2;
    z->out = jw_realloc_filled(z->out, z->room);
}

/* Unpacks at least one more byte, or fails. */
static bool more(struct jw_inflate *z, uint64_t need, struct jw_err *err)
{
    size_t n;

    make_room(z, need);
    uint8_t *to = z->out + (z->n - z->first);

    if (!step(z, to, (size_t)jw_min(STEP, jw_min(z->first + z->room, z->plain) - z->n), &n, err))
        return false;
    if (n == 0)
        return jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes",
                       (unsigned long long)z->n, (unsigned long long)z->plain);
    if (!z->sound)
        z->crc = crc32_gzip_refl(z->crc, to, n);
    z->n += n;
    for (size_t i = 0; i < z->n_kept; i++)
        keep_part(z, &z->kept[i]);
    return true;
}

/* Unpacks until [at, end) is in memory. */
static bool unpack(struct jw_inflate *z, uint64_t at, uint64_t end, struct jw_err *err)
{
    bool ok = true;

    if (z->lost || at < z->first)
        start(z);
    while (ok && z->n < end)
        ok = more(z, at, err);
    z->lost = !ok;
    return ok;
}

static bool check_plain(void *ctx, struct jw_err *err)
{
    struct jw_inflate *z = ctx;

    if (z->sound)
        return true;
    if (!unpack(z, UINT64_MAX, z->plain, err))
        return false;
    z->lost = !check_end(z, err);
    return !z->lost;
}

static bool pull_plain(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_inflate *z = ctx;

    if (at + n >= jw_min(z->plain, HEAD) && !check_plain(z, err))
        return false;
    for (size_t i = 0; i < z->n_kept; i++) {
        const struct kept *k = &z->kept[i];

        if (at >= k->at && at - k->at <= k->have && n <= k->have - (at - k->at)) {
            memcpy(dst, k->bytes + (at - k->at), n);
            return true;
        }
    }
    if (!unpack(z, at, at + n, err))
        return false;
    memcpy(dst, z->out + (at - z->first), n);
    return true;
}

/* Announces nothing of a member that is in memory as a whole, and nothing large. */
static void keep_range(void *ctx, uint64_t at, uint64_t n)
{
    struct jw_inflate *z = ctx;

    if (z->plain <= JW_INFLATE_ROOM || n > 2 * JW_SMALL_DATA || n > MAX_KEPT_BYTES - z->kept_bytes
        || !jw_grow(&z->kept, sizeof *z->kept, z->n_kept, &z->cap_kept, MAX_KEPT, JW_IGNORED))
        return;
    z->kept[z->n_kept] = (struct kept){.at = at, .n = n, .bytes = jw_alloc((size_t)n)};
    z->kept_bytes += n;
    keep_part(z, &z->kept[z->n_kept++]);
}

struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed,
                                   const struct jw_zip_member *m)
{
    if (z->room > HEAD + 1) {
        jw_free(z->out);
        z->out = NULL;
        z->room = 0;
    }
    drop_kept(z);
    z->packed = *packed;
    z->plain = m->plain;
    z->expected = m->crc;
    z->member_at = m->at;
    z->sound = false;
    start(z);
    return (struct jw_source){.size = m->plain,
                              .pull = pull_plain,
                              .prefetch = keep_range,
                              .check = check_plain,
                              .ctx = z};
}
