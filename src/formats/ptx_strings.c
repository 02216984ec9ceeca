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
    PIECE = 16 << 10, /* also the comments of a text before its .version */
    NEAR = 1024,      /* from .version to .target, over comments and the ends of strings */
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

/* Finds the start of the text that has a `.version` here: behind the last NUL. */
static bool find_start(const struct searching *s, uint64_t at, uint64_t *start)
{
    uint8_t before[PIECE];
    size_t n = (size_t)jw_min(PIECE, at - jw_max(s->section->at, s->seen));

    *start = at - n;
    if (!jw_source_read(s->src, *start, before, n, s->err))
        return false;
    while (n && before[n - 1])
        n--;
    *start += n;
    return true;
}

/* The text from `at` on, to its first NUL. */
static bool read_text(const struct searching *s, uint64_t at, uint64_t end, struct jw_buf *text)
{
    uint8_t piece[PIECE];

    for (size_t n = PIECE, kept = PIECE; kept == n && at < end && text->n < MAX_TEXT; at += PIECE) {
        n = (size_t)jw_min(PIECE, end - at);
        if (!jw_source_read(s->src, at, piece, n, s->err))
            return false;
        kept = strnlen((const char *)piece, n);
        jw_buf_add(text, piece, kept);
    }
    return jw_buf_ok(text, s->err);
}

/* Where its comments begin, behind words without a blank (as in Rust and Go; words with one are before an example), or the text's size. */
static size_t find_ptx(struct jw_bytes t, size_t at)
{
    size_t from = at, line, blanks;

    for (size_t end = at; end; end = line ? line - 1 : 0) {
        for (line = end; line && t.p[line - 1] != '\n';)
            line--;
        const struct jw_bytes before = { t.p + line, end - line };
        size_t comment = find_text(before, "//");

        from = comment < before.n ? line + comment : from;
        if (jw_ptx_skip(before, 0) < comment)
            break;
    }
    for (blanks = from; blanks && jw_ptx_skip((struct jw_bytes){ t.p + blanks - 1, 1 }, 0);)
        blanks--;
    return blanks < from && blanks && t.p[blanks - 1] > ' ' && t.p[blanks - 1] < 0x7f ? t.n : blanks;
}

/* Behind the last brace and blanks, where neither a directive nor the rest of one follows: other words, or the next PTX. */
static size_t end_of_ptx(struct jw_bytes t)
{
    for (size_t i = 0, depth = 0; i < t.n; i++) {
        depth += t.p[i] == '{';
        if (t.p[i] != '}' || depth-- != 1)
            continue;
        size_t next = jw_ptx_skip(t, i + 1);
        const struct jw_bytes rest = { t.p + next, jw_min(t.n - next, sizeof version - 1) };

        if (next == t.n || (memchr(".@;,", t.p[next], 4) && find_text(rest, version) == rest.n))
            continue;
        while (jw_ptx_skip((struct jw_bytes){ t.p + ++i, 1 }, 0))
            ;
        return i;
    }
    return t.n;
}

/* Reads a whole one, from its start behind the last NUL, or where it begins in other text. */
static bool read_ptx(struct jw_bytes *text, uint64_t *start, uint64_t at, struct jw_ptx *ptx)
{
    if (!jw_ptx_read(*text, ptx, JW_IGNORED)) {
        size_t skip = find_ptx(*text, (size_t)(at - *start));

        *text = (struct jw_bytes){ text->p + skip, text->n - skip };
        *start += skip;
        if (!jw_ptx_read(*text, ptx, JW_IGNORED))
            return false;
    }
    text->n = end_of_ptx(*text);
    return jw_ptx_is_whole(*text)
           && (find_text(*text, ".entry") < text->n || find_text(*text, ".func") < text->n);
}

static bool add_text(struct searching *s, uint64_t at, uint64_t size, const struct jw_ptx *ptx)
{
    struct jw_fat_entry e = { .at = at,
                              .stored = size,
                              .kind = JW_KIND_PTX,
                              .major = ptx->major,
                              .minor = ptx->minor,
                              .target = ptx->target };

    if (!jw_fat_add_bare(s->fats, e, s->err))
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
    bool ok = find_start(s, at, &start) && read_text(s, start, end, &text);
    struct jw_bytes bytes = jw_buf_bytes(&text);

    if (ok && bytes.n <= s->left && read_ptx(&bytes, &start, at, &ptx)) {
        ok = jw_ptx_is_optix(bytes) || add_text(s, start, bytes.n, &ptx);
        s->seen = start + bytes.n;
    } else if (ok) {
        (*s->pieces)++;
    }
    s->left -= jw_min(s->left, text.n);
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
        s->seen = jw_max(s->seen, end_of_container(s, here));
        if (here < s->seen)
            continue;
        if (!jw_source_read(s->src, here, head, n, s->err))
            return false;
        if (begins_ptx((struct jw_bytes){ head, n }) && !take_text(s, here, end))
            return false;
        s->seen = jw_max(s->seen, here + 1);
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
