#include "formats/ptx_strings.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/host.h"
#include "formats/ptx.h"

#include <string.h>

enum {
    CHUNK = 1 << 20,
    BEFORE = 16 << 10, /* comments of a text before its .version */
    ALIGNED = 16,      /* where compilers let an array of such a size begin */
    PIECE = 16 << 10,
    NEAR = 1024, /* from .version to .target, over comments and the ends of strings */
    OVERLAP = 64
};
#define MAX_TEXT ((uint64_t)64 << 20)

static const char version[] = ".version", target[] = ".target";

struct searching {
    struct jw_fats *fats;
    const struct jw_source *src;
    const struct jw_section *section;
    uint64_t *pieces;
    uint8_t *chunk;
    uint64_t left;       /* bytes that may still be read */
    size_t n_containers; /* the first of `fats`, sorted: texts inside them are no strings */
    uint64_t seen;       /* of this section, up to here: chunks overlap, and texts are taken whole */
    struct jw_err *err;
};

static size_t find_text(struct jw_bytes in, const char *text)
{
    return jw_find(in, (struct jw_bytes){ (const uint8_t *)text, strlen(text) });
}

static bool is_number_next(const uint8_t *p, size_t n)
{
    return n && ((*p >= '0' && *p <= '9') || *p == '%');
}

/* Whether these bytes, from a `.version` on, are of PTX: a number or its placeholder, and a target near it. */
static bool begins_ptx(struct jw_bytes b)
{
    size_t number = jw_ptx_skip(b, sizeof version - 1);
    size_t near = find_text((struct jw_bytes){ b.p, jw_min(b.n, NEAR) }, target) + sizeof target - 1;
    size_t at = jw_ptx_skip(b, jw_min(b.n, near));

    return is_number_next(b.p + number, b.n - number) && b.n > at + 3 && memcmp(b.p + at, "sm_", 3) == 0
           && is_number_next(b.p + at + 3, b.n - at - 3);
}

static bool is_whole_ptx(struct jw_bytes text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        depth += text.p[i] == '{';
        if (text.p[i] == '}' && depth-- == 0)
            return false;
    }
    return depth == 0 && (find_text(text, ".entry") < text.n || find_text(text, ".func") < text.n);
}

/* Finds the start of the text that has a `.version` here: behind the last NUL. */
static bool find_start(const struct searching *s, uint64_t at, uint64_t *start)
{
    uint8_t before[BEFORE];
    size_t n = (size_t)jw_min(BEFORE, at - s->section->at);

    *start = at - n;
    if (!jw_source_read(s->src, *start, before, n, s->err))
        return false;
    while (n && before[n - 1])
        n--;
    *start += n;
    return true;
}

/* The text from `at` on, to its first NUL. `*whole` false: it has none. */
static bool read_text(const struct searching *s, uint64_t at, uint64_t end, struct jw_buf *text, bool *whole)
{
    uint8_t piece[PIECE];

    for (*whole = false; !*whole && at < end && text->n < MAX_TEXT; at += PIECE) {
        size_t n = (size_t)jw_min(PIECE, end - at);

        if (!jw_source_read(s->src, at, piece, n, s->err))
            return false;
        const uint8_t *nul = memchr(piece, '\0', n);

        *whole = nul;
        jw_buf_add(text, piece, nul ? (size_t)(nul - piece) : n);
    }
    return jw_buf_ok(text, s->err);
}

/* Reads it, from its start behind the last NUL. An array may also follow data that end with another byte, but not with a blank, as
 * the words before an example do. */
static bool read_ptx(struct jw_bytes *text, uint64_t *start, uint64_t at, struct jw_ptx *ptx)
{
    for (bool behind_blank = false; behind_blank || !jw_ptx_read(*text, ptx, JW_IGNORED);) {
        size_t skip = ALIGNED - *start % ALIGNED;

        if (skip > at - *start)
            return false;
        behind_blank = jw_ptx_skip((struct jw_bytes){ text->p + skip - 1, 1 }, 0);
        *text = (struct jw_bytes){ text->p + skip, text->n - skip };
        *start += skip;
    }
    return true;
}

static bool add_text(struct searching *s, uint64_t at, uint64_t size, const struct jw_ptx *ptx)
{
    struct jw_fat_entry e = { .at = at,
                              .stored = size,
                              .kind = JW_KIND_PTX,
                              .major = ptx->major,
                              .minor = ptx->minor,
                              .target = ptx->target };

    if (!jw_fat_add_bare(s->fats, e, JW_ROLE_CODE, s->err))
        return false;
    s->fats->list[s->fats->n - 1].text = s->fats->list[s->fats->n - 1].embedded = true;
    return true;
}

/* A `.version` that is of PTX is at `at`. */
static bool take_text(struct searching *s, uint64_t at, uint64_t end)
{
    struct jw_buf text = JW_BUF(MAX_TEXT + PIECE);
    struct jw_ptx ptx;
    uint64_t start;
    bool whole, ok = find_start(s, at, &start) && read_text(s, start, end, &text, &whole);
    struct jw_bytes bytes = jw_buf_bytes(&text);

    if (ok && whole && bytes.n <= s->left && read_ptx(&bytes, &start, at, &ptx) && is_whole_ptx(bytes)) {
        ok = jw_ptx_is_optix(bytes) || add_text(s, start, bytes.n, &ptx);
        s->seen = start + bytes.n;
    } else if (ok) {
        (*s->pieces)++;
    }
    s->left -= jw_min(s->left, bytes.n);
    jw_buf_free(&text);
    return ok;
}

/* The end of the container that this position is in; 0: it is in none. */
static uint64_t end_of_container(const struct searching *s, uint64_t at)
{
    size_t n = jw_count_below(s->fats->list, s->n_containers, sizeof *s->fats->list, at + 1);
    const struct jw_fat *fat = n ? &s->fats->list[n - 1] : NULL;

    return fat && at - fat->at < fat->size ? fat->at + fat->size : 0;
}

static bool search_chunk(struct searching *s, uint64_t at, struct jw_bytes chunk, uint64_t end)
{
    for (size_t i = 0; i < chunk.n;) {
        const struct jw_bytes rest = { chunk.p + i, chunk.n - i };
        size_t hit = find_text(rest, version);
        uint64_t here = at + i + hit;
        uint8_t head[NEAR];
        size_t n = (size_t)jw_min(sizeof head, end - here);

        if (hit == rest.n)
            break;
        i += hit + sizeof version - 1;
        if (here < s->seen)
            continue;
        s->seen = jw_max(here + 1, end_of_container(s, here));
        if (s->seen > here + 1)
            continue;
        if (!jw_source_read(s->src, here, head, n, s->err))
            return false;
        if (begins_ptx((struct jw_bytes){ head, n }) && !take_text(s, here, end))
            return false;
    }
    return true;
}

static bool search_section(struct searching *s)
{
    uint64_t end = s->section->at + s->section->size;

    for (uint64_t at = s->section->at; at < end && s->left;) {
        size_t n = (size_t)jw_min(jw_min(CHUNK, end - at), s->left);

        if (!jw_source_read(s->src, at, s->chunk, n, s->err))
            return false;
        s->left -= n;
        if (!search_chunk(s, at, (struct jw_bytes){ s->chunk, n }, end))
            return false;
        at += at + n < end && n > OVERLAP ? n - OVERLAP : n;
    }
    return true;
}

bool jw_ptx_strings(struct jw_fats *fats, const struct jw_source *src, const struct jw_sections *sections,
                    uint64_t most, uint64_t *pieces, struct jw_problems *problems, struct jw_err *err)
{
    struct searching s = { .fats = fats,
                           .src = src,
                           .n_containers = fats->n,
                           .pieces = pieces,
                           .chunk = jw_realloc(NULL, CHUNK), /* zeros would cost more than the search */
                           .left = JW_MAX_PTX_SEARCH,
                           .err = err };
    bool ok = true;

    for (size_t i = 0; ok && i < sections->n; i++) {
        s.section = &sections->list[i];
        s.seen = 0;
        if (s.section->size <= most && jw_host_embeds(s.section))
            ok = search_section(&s);
    }
    if (ok && !s.left)
        jw_problem_add(problems, "the search for PTX among its data stopped after %llu MiB",
                       (unsigned long long)(JW_MAX_PTX_SEARCH >> 20));
    jw_free(s.chunk);
    return ok;
}
