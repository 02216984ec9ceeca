#include "formats/inflate.h"

#include "base/buf.h"
#include "base/deflate.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/fatbin.h"
#include "formats/select.h"

#include <string.h>

enum {
    KEEP = 128 * 1024, /* unpacked bytes kept before the newest ones: twice what readers search at once */
    OUT = 3 * KEEP,
    HEAD = 4096,      /* unpacked first: nine of ten members have no CUDA code */
    STEP = 32 * 1024, /* unpacked bytes per step */
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
    uint64_t bit, out; /* position in the packed stream; number of unpacked bytes */
    uint8_t *window;
    size_t window_n;
};

struct note {
    uint64_t at;
    size_t from, n; /* in `noted` */
};

struct jw_inflate {
    struct jw_deflate d;
    struct jw_source packed;
    uint64_t plain, spacing;
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
    bool full;               /* the limit is reached */
    uint64_t watched;        /* unpacked position up to which pieces were kept */
    uint64_t entry, fat_end; /* of the current container: its next entry or its end; 0: none */
    uint8_t out[OUT + JW_DEFLATE_SLACK];
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
        jw_free(z->points[--z->n_points].window);
    z->n_notes = z->n_magics = 0;
    jw_buf_clear(&z->noted);
    z->watched = z->entry = z->fat_end = 0;
    z->full = false;
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
    jw_deflate_start(&z->d, &z->packed, from ? from->bit : 0);
    z->lost = false;
    z->out_at = from ? from->out : 0;
    z->out_n = from ? from->window_n : 0;
    if (from)
        memcpy(z->out, from->window, from->window_n);
}

static void keep_point(struct jw_inflate *z)
{
    uint64_t last = z->n_points ? z->points[z->n_points - 1].out : 0, bit;

    if (z->out_at < last + z->spacing || z->n_points == MAX_POINTS || !jw_deflate_between(&z->d, &bit))
        return;
    size_t n = (size_t)jw_min(JW_DEFLATE_WINDOW, z->out_n);
    uint8_t *window = jw_alloc(n);

    memcpy(window, z->out + z->out_n - n, n);
    z->points[z->n_points++] = (struct point){ bit, z->out_at, window, n };
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
    size_t low = 0, high = z->n_notes;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (z->notes[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const struct note *found = low ? &z->notes[low - 1] : NULL;

    if (!found || !jw_within(at - found->at, n, found->n))
        return false;
    memcpy(dst, z->noted.p + found->from + (at - found->at), n);
    return true;
}

static bool find_container(void *ctx, uint64_t at, uint64_t end, uint64_t *found)
{
    const struct jw_inflate *z = ctx;
    size_t low = 0, high = z->n_magics;

    if (end > z->watched)
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (z->magics[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    *found = end;
    if (low < z->n_magics && jw_within(z->magics[low], sizeof JW_FAT_MAGIC_BYTES - 1, end))
        *found = z->magics[low];
    return true;
}

static bool has_failed(struct jw_inflate *z, enum jw_deflate_state state, struct jw_err *err)
{
    unsigned long long at = z->out_at, plain = z->plain;

    z->lost = true;
    switch (state) {
    case JW_DEFLATE_MORE: z->lost = false; return false;
    case JW_DEFLATE_END:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member ends at %llu, but claims %llu bytes", at, plain);
        break;
    case JW_DEFLATE_DAMAGED:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member's data is damaged near %llu", at);
        break;
    case JW_DEFLATE_CUT_OFF:
        (void)jw_fail(err, JW_E_FORMAT, "zip: the member's data ends early, at %llu of %llu bytes", at,
                      plain);
        break;
    default: break; /* reported already */
    }
    return true;
}

/* Unpacks at least one more byte, or fails. */
static bool more(struct jw_inflate *z, struct jw_err *err)
{
    if (z->out_n >= OUT) {
        memmove(z->out, z->out + z->out_n - KEEP, KEEP);
        z->out_n = KEEP;
    }
    size_t before = z->out_n, until = z->out_at ? (size_t)jw_min(before + STEP, OUT) : HEAD;

    while (z->out_n == before) {
        enum jw_deflate_state state = jw_deflate_more(&z->d, z->out, &z->out_n, until, err);

        z->out_at += z->out_n - before;
        if (has_failed(z, state, err))
            return false;
        watch_containers(z);
        keep_point(z);
    }
    return true;
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

struct jw_source jw_inflate_source(struct jw_inflate *z, const struct jw_source *packed, uint64_t plain)
{
    forget_stream(z);
    z->packed = *packed;
    z->plain = plain;
    z->spacing = jw_max(MIN_SPACING, plain / (MAX_POINTS - 1));
    start_from(z, NULL);
    return (struct jw_source){ .size = plain, .pull = pull_plain, .find = find_container, .ctx = z };
}

bool jw_inflate_plausible(uint64_t packed, uint64_t plain, struct jw_err *err)
{
    return (plain <= JW_MAX_ZIP_MEMBER && (plain <= BOMB_SIZE || plain / BOMB_RATIO <= packed))
           || jw_fail(err, JW_E_LIMIT,
                      "zip: %llu bytes claim to unpack to %llu; looks like a decompression bomb",
                      (unsigned long long)packed, (unsigned long long)plain);
}
