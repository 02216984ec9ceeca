#include "formats/inflate.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/work.h"
#include "formats/fatbin.h"
#include "formats/select.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stddef.h>
#include <string.h>

enum {
    KEEP = 128 * 1024, /* unpacked bytes kept before the newest ones: twice what readers search at once */
    OUT = 3 * KEEP,
    IN = 64 * 1024,
    STEP = 64 * 1024, /* at least so much room for one step */
    FIRST_IN = 512,   /* fetched first: nine of ten members have no CUDA code, and their first bytes say so */
    MAX_POINTS = 128,
    MIN_SPACING = 1 << 20,
    BOMB_RATIO = 200
};

/* Pieces that the first pass keeps. */
enum {
    MAX_NOTES = 1 << 17,
    MAX_NOTED = 4 << 20, /* bytes */
    MAX_NOTED_HEADER = 1024,
    AHEAD = MAX_NOTED_HEADER + JW_STUB_BYTES, /* unpacked bytes that one piece may need */
    GAP = 96                                  /* bytes kept after a container: padding, then a table */
};

#define BOMB_SIZE ((uint64_t)256 << 20)

struct point {
    uint64_t in, out;            /* packed bytes that the decoder took; unpacked bytes that it gave */
    struct inflate_state *state; /* a copy up to the last valid byte of its output buffer */
    size_t n;
};

struct note {
    uint64_t at;
    size_t from, n; /* in `noted` */
};

struct jw_inflate {
    struct inflate_state state;
    struct jw_source packed;
    uint64_t fetched; /* packed bytes, up to the end of `in` */
    uint64_t plain, spacing, member_at;
    uint32_t expected, crc;
    uint64_t summed; /* unpacked bytes in `crc` */
    bool sound;      /* the stream ends where it should, with the right CRC */
    bool lost;       /* a step failed: start again before anything else */
    uint64_t out_at; /* unpacked position after the newest byte in `out` */
    size_t out_n;    /* unpacked bytes in `out`, the newest last */
    struct point points[MAX_POINTS];
    size_t n_points;
    struct note *notes; /* sorted, without overlap */
    size_t n_notes, cap_notes;
    uint64_t *magics; /* possible starts of containers before `watched` */
    size_t n_magics, cap_magics;
    struct jw_buf noted;
    bool full;                    /* the limit is reached */
    uint64_t watched;             /* unpacked position up to which pieces were kept */
    uint64_t entry, fat_end;      /* of the current container: its next entry or its end; 0: none */
    uint8_t in[IN], out[OUT + 1]; /* 1: a byte behind the last one that the member claims */
};

struct jw_inflate *jw_inflate_new(void)
{
    struct jw_inflate *z = jw_alloc(sizeof *z);

    z->noted = JW_BUF(MAX_NOTED);
    return z;
}

static void forget_stream(struct jw_inflate *z)
{
    while (z->n_points)
        jw_free(z->points[--z->n_points].state);
    z->n_notes = z->n_magics = 0;
    jw_buf_clear(&z->noted);
    z->watched = z->entry = z->fat_end = z->summed = 0;
    z->crc = 0;
    z->full = z->sound = false;
}

void jw_inflate_free(struct jw_inflate *z)
{
    if (z) {
        forget_stream(z);
        jw_free(z->notes);
        jw_free(z->magics);
        jw_buf_free(&z->noted);
    }
    jw_free(z);
}

/* The last checkpoint at or before `at`; NULL: the start of the stream. */
static const struct point *point_before(const struct jw_inflate *z, uint64_t at)
{
    size_t n = 0;

    while (n < z->n_points && z->points[n].out <= at)
        n++;
    return n ? &z->points[n - 1] : NULL;
}

static void start_from(struct jw_inflate *z, const struct point *from)
{
    isal_inflate_init(&z->state);
    if (from)
        memcpy(&z->state, from->state, from->n);
    z->state.avail_in = 0;
    z->fetched = from ? from->in : 0;
    z->out_at = from ? from->out : 0;
    z->out_n = 0;
    z->lost = false;
}

/* The decoder's state has no pointer into itself, and nothing of its output buffer counts after the valid bytes. */
static void keep_point(struct jw_inflate *z)
{
    uint64_t last = z->n_points ? z->points[z->n_points - 1].out : 0;

    if (z->out_at < last + z->spacing || z->n_points == MAX_POINTS)
        return;
    size_t n = offsetof(struct inflate_state, tmp_out_buffer) + (size_t)z->state.tmp_out_valid;
    struct inflate_state *state = jw_alloc(n);

    memcpy(state, &z->state, n);
    z->points[z->n_points++] = (struct point){ z->fetched - z->state.avail_in, z->out_at, state, n };
}

/* Keeps `n` unpacked bytes from `at`. False: no room. */
static bool keep_note(struct jw_inflate *z, uint64_t at, uint64_t n)
{
    struct note *last = z->n_notes ? &z->notes[z->n_notes - 1] : NULL;
    uint64_t oldest = z->out_at - z->out_n, end = jw_min(at + n, z->out_at), from = at;
    struct jw_err full;

    if (last && at <= last->at + last->n)
        from = last->at + last->n;
    if (end <= from)
        return true;
    if (end - from > MAX_NOTED - z->noted.n)
        return false;
    if (from == at) {
        if (!jw_grow(&z->notes, sizeof *z->notes, z->n_notes, &z->cap_notes, MAX_NOTES, &full))
            return false;
        last = &z->notes[z->n_notes++];
        *last = (struct note){ at, z->noted.n, 0 };
    }
    last->n += (size_t)(end - from);
    jw_buf_add(&z->noted, z->out + (from - oldest), (size_t)(end - from));
    return true;
}

/* Handles the position where the current container has its next entry or its end. */
static bool note_entry(struct jw_inflate *z, const uint8_t *p, size_t n)
{
    uint64_t at = z->entry;

    z->entry = 0;
    if (at == z->fat_end)
        return keep_note(z, at, GAP);
    uint64_t header = n < JW_FAT_ENTRY ? 0 : jw_le32(p + 4), stored = n < JW_FAT_ENTRY ? 0 : jw_le64(p + 8);

    if (header < JW_FAT_ENTRY || header > MAX_NOTED_HEADER || !jw_within(header, stored, z->fat_end - at)) {
        z->fat_end = 0;
        return true;
    }
    z->entry = at + header + stored;
    return keep_note(z, at, header + (stored < JW_STUB_BYTES ? stored : 0));
}

static bool note_container(struct jw_inflate *z, uint64_t at, const uint8_t *p, size_t n)
{
    struct jw_err full;

    if (!jw_grow(&z->magics, sizeof *z->magics, z->n_magics, &z->cap_magics, MAX_NOTES, &full))
        return false;
    z->magics[z->n_magics++] = at;
    if (at >= z->fat_end && n >= JW_FAT_HEADER && jw_le64(p + 8) <= JW_MAX_FAT_SIZE) {
        z->entry = at + JW_FAT_HEADER;
        z->fat_end = z->entry + jw_le64(p + 8);
    }
    return keep_note(z, at, JW_FAT_HEADER);
}

/* The section table of a library is at its end, so a scan unpacks all of it before it knows where the containers are.
 * The first pass keeps what the scan will read: headers of containers and entries, and stubs. */
static void watch_containers(struct jw_inflate *z)
{
    uint64_t oldest = z->out_at - z->out_n, until = z->out_at > AHEAD ? z->out_at - AHEAD : 0;

    if (z->out_at >= z->plain)
        until = z->plain;
    while (!z->full && z->watched < until) {
        const uint8_t *p = z->out + (z->watched - oldest);
        size_t n = (size_t)(z->out_at - z->watched);

        if (z->entry == z->watched && z->fat_end) {
            z->full = !note_entry(z, p, n);
            continue;
        }
        uint64_t stop = z->entry > z->watched ? jw_min(until, z->entry) : until;
        size_t some = (size_t)jw_min(stop - z->watched + sizeof JW_FAT_MAGIC_BYTES - 2, n);
        size_t hit = jw_fat_find((struct jw_bytes){ p, some });

        if (hit == some) {
            z->watched = stop;
        } else {
            z->full = !note_container(z, z->watched + hit, p + hit, n - hit);
            z->watched += hit + !z->full;
        }
    }
}

static bool recall_note(const struct jw_inflate *z, uint64_t at, void *dst, size_t n)
{
    size_t n_before = jw_count_below(z->notes, z->n_notes, sizeof *z->notes, at + 1);
    const struct note *found = n_before ? &z->notes[n_before - 1] : NULL;

    if (!found || !jw_within(at - found->at, n, found->n))
        return false;
    memcpy(dst, z->noted.p + found->from + (at - found->at), n);
    return true;
}

static bool find_container(void *ctx, uint64_t at, uint64_t end, uint64_t *found)
{
    const struct jw_inflate *z = ctx;
    size_t next = jw_count_below(z->magics, z->n_magics, sizeof *z->magics, at);

    if (end > z->watched)
        return false;
    *found = end;
    if (next < z->n_magics && jw_within(z->magics[next], sizeof JW_FAT_MAGIC_BYTES - 1, end))
        *found = z->magics[next];
    return true;
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

/* Unpacks up to `room` bytes; `*n` is 0 only at the end of the stream. */
static bool step(struct jw_inflate *z, size_t room, size_t *n, struct jw_err *err)
{
    unsigned long long at = z->out_at;

    for (*n = 0; *n == 0 && z->state.block_state != ISAL_BLOCK_FINISH;) {
        bool starved = z->state.avail_in == 0;

        if (starved && !fetch(z, err))
            return false;
        uint32_t before = z->state.avail_in;

        z->state.next_out = z->out + z->out_n;
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

static bool fail_long(const struct jw_inflate *z, struct jw_err *err)
{
    return jw_fail(err, JW_E_FORMAT, "zip: the member unpacks to more than the %llu bytes that it claims",
                   (unsigned long long)z->plain);
}

/* The CRC covers each byte once, on the first pass. */
static void sum_new(struct jw_inflate *z)
{
    if (z->out_at > z->summed) {
        size_t fresh = (size_t)(z->out_at - z->summed);

        z->crc = crc32_gzip_refl(z->crc, z->out + z->out_n - fresh, fresh);
        z->summed = z->out_at;
    }
}

/* Called with all the bytes that the member claims: nothing may follow, and their CRC must be the right one. */
static bool check_end(struct jw_inflate *z, struct jw_err *err)
{
    size_t more;

    if (z->sound)
        return true;
    if (!step(z, 1, &more, err))
        return false;
    if (more)
        return fail_long(z, err);
    if (z->crc != z->expected)
        return jw_fail(err, JW_E_FORMAT,
                       "zip: the member at 0x%llx is damaged: its CRC-32 is 0x%08x, but should be 0x%08x",
                       (unsigned long long)z->member_at, z->crc, z->expected);
    z->sound = true;
    return true;
}

static bool take_step(struct jw_inflate *z, struct jw_err *err)
{
    size_t n;

    if (!step(z, OUT - z->out_n, &n, err))
        return false;
    if (n == 0 && z->out_at < z->plain)
        return jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes",
                       (unsigned long long)z->out_at, (unsigned long long)z->plain);
    z->out_n += n;
    z->out_at += n;
    if (z->out_at > z->plain)
        return fail_long(z, err);
    sum_new(z);
    watch_containers(z);
    keep_point(z);
    return z->out_at < z->plain || check_end(z, err);
}

/* Unpacks at least one more byte and checks the end, or fails. */
static bool more(struct jw_inflate *z, struct jw_err *err)
{
    if (OUT - z->out_n < STEP) {
        memmove(z->out, z->out + z->out_n - KEEP, KEEP);
        z->out_n = KEEP;
    }
    z->lost = !take_step(z, err);
    return !z->lost;
}

static bool pull_plain(void *ctx, uint64_t at, void *dst, size_t n, struct jw_err *err)
{
    struct jw_inflate *z = ctx;
    uint8_t *to = dst;

    const struct point *before = point_before(z, at);
    bool behind = at < z->out_at - z->out_n, shortcut = before && before->out > z->out_at;

    if ((behind || shortcut) && recall_note(z, at, dst, n))
        return true;
    if (z->lost || behind || shortcut)
        start_from(z, before);
    while (n) {
        uint64_t oldest = z->out_at - z->out_n;

        if (at < z->out_at) {
            size_t off = (size_t)(at - oldest);
            size_t take = (size_t)jw_min(n, z->out_n - off);

            memcpy(to, z->out + off, take);
            to += take;
            at += take;
            n -= take;
        } else if (!more(z, err)) {
            return false;
        }
    }
    return true;
}

/* Unpacks the rest, wherever the last read was. */
static bool check_plain(void *ctx, struct jw_err *err)
{
    struct jw_inflate *z = ctx;
    const struct point *newest = z->n_points ? &z->points[z->n_points - 1] : NULL;

    if (!z->sound && (z->lost || (newest && newest->out > z->out_at)))
        start_from(z, newest);
    while (!z->sound)
        if (!more(z, err))
            return false;
    return true;
}

struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed,
                                   const struct jw_zip_member *m)
{
    forget_stream(z);
    z->packed = *packed;
    z->plain = m->plain;
    z->expected = m->crc;
    z->member_at = m->at;
    z->spacing = jw_max(MIN_SPACING, m->plain / (MAX_POINTS - 1));
    start_from(z, NULL);
    return (struct jw_source){
        .size = m->plain, .pull = pull_plain, .find = find_container, .check = check_plain, .ctx = z
    };
}

bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err)
{
    return (plain <= JW_MAX_ZIP_MEMBER && (plain <= BOMB_SIZE || plain / BOMB_RATIO <= packed))
           || jw_fail(err, JW_E_LIMIT,
                      "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                      (unsigned long long)packed, (unsigned long long)plain);
}
