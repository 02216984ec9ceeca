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
    BOMB_RATIO = 200
};

#define BOMB_SIZE ((uint64_t)256 << 20)

struct jw_inflate {
    struct inflate_state state;
    struct jw_source packed;
    uint64_t fetched; /* packed bytes, up to the end of `in` */
    uint64_t plain, member_at;
    uint32_t expected, crc;
    uint8_t *out;
    size_t room, n; /* of `out`; unpacked bytes in it, from the first on */
    bool sound;     /* the stream ends where it should, with the right CRC */
    bool lost;      /* a step failed: start again before anything else */
    uint8_t in[IN];
};

struct jw_inflate *jw_inflate_new(void)
{
    return jw_alloc(sizeof(struct jw_inflate));
}

void jw_inflate_free(struct jw_inflate *z)
{
    if (z)
        jw_free(z->out);
    jw_free(z);
}

static void start(struct jw_inflate *z)
{
    isal_inflate_init(&z->state);
    z->fetched = 0;
    z->n = 0;
    z->crc = 0;
    z->lost = z->sound = false;
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
        return starved ? jw_fail(err, JW_E_FORMAT, "zip: the member's data ends early, at %llu of %llu bytes",
                                 at, (unsigned long long)z->plain)
                       : jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu", at);
    }
    return true;
}

/* Called with all the bytes that the member claims: nothing may follow, and their CRC must be the right one. */
static bool check_end(struct jw_inflate *z, struct jw_err *err)
{
    uint8_t behind;
    size_t more;

    if (!step(z, &behind, 1, &more, err))
        return false;
    if (more)
        return jw_fail(err, JW_E_FORMAT, "zip: the member unpacks to more than the %llu bytes that it claims",
                       (unsigned long long)z->plain);
    if (z->crc != z->expected)
        return jw_fail(err, JW_E_FORMAT,
                       "zip: the member at 0x%llx is damaged: its CRC-32 is 0x%08x, but should be 0x%08x",
                       (unsigned long long)z->member_at, z->crc, z->expected);
    z->sound = true;
    return true;
}

/* Unpacks at least one more byte, or fails. */
static bool more(struct jw_inflate *z, struct jw_err *err)
{
    size_t n;

    if (!step(z, z->out + z->n, jw_min(STEP, jw_min(z->room, z->plain) - z->n), &n, err))
        return false;
    if (n == 0)
        return jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes",
                       (unsigned long long)z->n, (unsigned long long)z->plain);
    z->crc = crc32_gzip_refl(z->crc, z->out + z->n, n);
    z->n += n;
    return true;
}

static void make_room(struct jw_inflate *z, size_t room)
{
    if (room <= z->room)
        return;
    z->out = jw_realloc(z->out, room);
    z->room = room;
}

/* `need` bytes from the first on; all of them are checked. */
static bool unpack(struct jw_inflate *z, uint64_t need, struct jw_err *err)
{
    bool all = need == z->plain, ok = true;

    if (z->lost)
        start(z);
    make_room(z, (size_t)(all ? z->plain : jw_min(z->plain, HEAD)) + 1); /* never none */
    while (ok && z->n < need)
        ok = more(z, err);
    ok = ok && (!all || z->sound || check_end(z, err));
    z->lost = !ok;
    return ok;
}

static bool check_plain(void *ctx, struct jw_err *err)
{
    struct jw_inflate *z = ctx;

    return z->sound || unpack(z, z->plain, err);
}

static bool pull_plain(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_inflate *z = ctx;
    uint64_t end = at + n;

    if (!z->sound && !unpack(z, end < jw_min(z->plain, HEAD) ? end : z->plain, err))
        return false;
    memcpy(dst, z->out + at, n);
    return true;
}

struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed,
                                   const struct jw_zip_member *m)
{
    if (z->room > HEAD) {
        jw_free(z->out);
        z->out = NULL;
        z->room = 0;
    }
    z->packed = *packed;
    z->plain = m->plain;
    z->expected = m->crc;
    z->member_at = m->at;
    start(z);
    return (struct jw_source){ .size = m->plain, .pull = pull_plain, .check = check_plain, .ctx = z };
}

bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err)
{
    if (plain > BOMB_SIZE && plain / BOMB_RATIO > packed)
        return jw_fail(err, JW_E_LIMIT,
                       "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                       (unsigned long long)packed, (unsigned long long)plain);
    return plain <= JW_MAX_ZIP_MEMBER
           || jw_fail(err, JW_E_LIMIT,
                      "zip: a member of %llu bytes is too large; unpack the wheel first (unzip)",
                      (unsigned long long)plain);
}
