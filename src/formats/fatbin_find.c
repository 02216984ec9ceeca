#include "formats/fatbin.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/ptx_strings.h"

#include <string.h>

enum {
    PAGE = 4096,
    CHUNK = 64 << 10,
    MAGIC_SIZE = 8, /* as long as the word by which a PTX text is found */
    GAP = 4096,
    DENSE = 64 << 10, /* in a run of containers below this size nearly every page has a header */
    AHEAD = 4 << 20   /* fetched from the disk at once */
};

/* Keeps the last chunk, because hits may be close together. A search begins with a page, since what
 * it looks for is often near, and reads more each time. Each byte is read once, in whole pages. */
struct searcher {
    struct jw_fats *fats; /* counts the bytes read */
    const struct jw_source *src;
    struct jw_ptx_heads *heads; /* NULL: not asked for */
    uint8_t *chunk;
    uint64_t at;      /* position of the chunk */
    size_t n, step;   /* bytes of the last read */
    uint64_t fetched; /* up to here */
};

/* A range that is read from front to back is asked for in large pieces, as disks like it. */
static void fetch_ahead(struct searcher *s, uint64_t at, uint64_t end)
{
    uint64_t from = jw_max(at, s->fetched);

    if (from >= at + AHEAD / 2 || from >= end)
        return;
    s->fetched = from + AHEAD;
    jw_source_prefetch(s->src, from, jw_min(AHEAD, end - from));
}

static bool fill_chunk(struct searcher *s, uint64_t at, uint64_t end, struct jw_err *err)
{
    bool goes_on = at >= s->at && at - s->at < s->n;
    size_t kept = goes_on ? s->n - (size_t)(at - s->at) : 0;

    if (kept >= MAGIC_SIZE)
        return true;
    if (!s->chunk)
        s->chunk = jw_realloc(NULL, MAGIC_SIZE + CHUNK + PAGE); /* not zeroed */
    if (kept)
        memmove(s->chunk, s->chunk + (s->n - kept), kept);
    s->step = goes_on && s->step ? jw_min(s->step * 2, CHUNK) : PAGE;
    uint64_t from = at + kept;
    uint64_t to_page = (PAGE - (s->src->base + from) % PAGE) % PAGE;
    size_t n = (size_t)jw_min(s->step + to_page, end - from);

    if (s->step == CHUNK)
        fetch_ahead(s, from, end);
    s->n = 0;
    if (!jw_source_read(s->src, from, s->chunk + kept, n, err))
        return false;
    s->at = at;
    s->n = kept + n;
    s->fats->searched += n;
    return true;
}

/* Bytes that the chunk holds are not read again. */
static void show_window(const struct searcher *s, uint64_t at, struct jw_window *w)
{
    bool shown = at >= w->at && at - w->at < w->n;

    if (shown || at < s->at || at - s->at >= s->n)
        return;
    w->at = at;
    w->n = (size_t)jw_min(sizeof w->buf, s->n - (size_t)(at - s->at));
    memcpy(w->buf, s->chunk + (at - s->at), w->n);
}

/* The position in `in` of the first bytes of a container, or `in.n`. 0xed is rarer in machine code
 * than 0x50, which is an instruction byte and the letter P. */
static size_t find_magic(struct jw_bytes in)
{
    enum { RARE = 1 };

    if (in.n < MAGIC_SIZE)
        return in.n;
    const uint8_t *p = in.p + RARE;
    const uint8_t *end = in.p + in.n - (MAGIC_SIZE - RARE) + 1;

    while (p < end && (p = memchr(p, JW_FAT_MAGIC_BYTES[RARE] & 0xff, (size_t)(end - p))) != NULL) {
        if (memcmp(p - RARE, JW_FAT_MAGIC_BYTES, MAGIC_SIZE) == 0)
            return (size_t)(p - RARE - in.p);
        p++;
    }
    return in.n;
}

/* The position in [at, end) of the first bytes of a container; or `end`. Takes the heads of PTX
 * before it. */
static bool search_magic(struct searcher *s, uint64_t at, uint64_t end, uint64_t *found,
                         struct jw_err *err)
{
    *found = end;
    while (at < end && end - at >= MAGIC_SIZE && s->fats->searched < JW_MAX_FAT_SEARCH) {
        if (!fill_chunk(s, at, end, err))
            return false;
        size_t skip = (size_t)(at - s->at);
        size_t n = (size_t)jw_min(s->n - skip, end - at);
        size_t hit = find_magic((struct jw_bytes){s->chunk + skip, n});

        if (s->heads
            && !jw_ptx_heads_find(s->heads, at, (struct jw_bytes){s->chunk + skip, hit}, err))
            return false;
        *found = hit < n ? at + hit : end;
        if (hit < n || n == end - at)
            return true;
        at += n - (MAGIC_SIZE - 1);
    }
    return true;
}

/* Skips zero bytes: in the gap behind a container there are 0 to 24. `*magic`: behind them a
 * container may begin; jw_fat_read checks all but its first four bytes. */
static bool skip_zeros(struct jw_window *w, uint64_t *at, uint64_t end, bool *magic,
                       struct jw_err *err)
{
    const uint64_t most = jw_min(end, *at + GAP);
    struct jw_bytes b;

    *magic = false;
    for (; *at < most; ++*at) {
        if (!jw_window_get(w, *at, 1, &b, err))
            return false;
        if (b.p[0])
            break;
    }
    if (end - *at < 4)
        return true;
    if (!jw_window_get(w, *at, 4, &b, err))
        return false;
    *magic = jw_le32(b.p) == JW_FAT_MAGIC;
    return true;
}

/* Returns the first problem of a container. An unknown form is none: verdicts say it. */
static void note_doubt(const struct jw_fats *f, const struct jw_fat *fat,
                       struct jw_problems *problems)
{
    for (size_t i = 0; i < fat->n; i++) {
        const struct jw_fat_entry *e = &f->entries[fat->first + i];
        const char *why = jw_fat_known_form(e) ? jw_fat_why_unsafe(e) : NULL;

        if (!why)
            continue;
        jw_problem_add(problems, "fatbin: entry at 0x%llx: %s", (unsigned long long)e->at, why);
        return;
    }
}

/* Reads the container at `*at` and advances. Behind a malformed one the search continues. */
static bool take_one(struct jw_fats *f, struct jw_window *w, const struct jw_range *range,
                     uint64_t *at, struct jw_problems *problems, struct jw_err *err)
{
    struct jw_err why;

    if (jw_fat_read(f, w, *at, range->end, &why)) {
        struct jw_fat *fat = &f->list[f->n - 1];

        fat->role = range->role;
        *at = fat->at + fat->size;
        if (!range->among_data && fat->doubtful)
            note_doubt(f, fat, problems);
        f->n -= range->among_data && fat->n == 0; /* of a program that builds containers */
        return true;
    }
    if (why.code != JW_E_FORMAT)
        return jw_pass(err, why);
    if (!range->among_data) {
        f->damaged++;
        jw_problem_add(problems, "%s", why.msg);
    }
    *at += 4; /* another may begin behind these four bytes of the magic */
    return true;
}

bool jw_fat_walk(struct jw_fats *f, const struct jw_source *src, struct jw_range range,
                 struct jw_problems *problems, struct jw_err *err)
{
    struct jw_window w = {.src = src};
    struct searcher search = {.fats = f, .src = src, .heads = range.heads};
    uint64_t at = range.at;
    size_t before = f->n;
    bool ok = true, magic;

    while (ok && at < range.end) {
        show_window(&search, at, &w);
        ok = skip_zeros(&w, &at, range.end, &magic, err);
        if (ok && !magic)
            ok = search_magic(&search, at, range.end, &at, err);
        if (!ok || at >= range.end)
            break;
        show_window(&search, at, &w);
        ok = take_one(f, &w, &range, &at, problems, err);
        if (f->n > before && f->list[f->n - 1].size < DENSE)
            fetch_ahead(&search, at, range.end);
    }
    jw_free(search.chunk);
    return ok;
}

struct jw_fat *jw_fat_at(struct jw_fats *f, uint64_t at)
{
    size_t i = jw_count_below(f->list, f->n, sizeof *f->list, at);

    return i < f->n && f->list[i].at == at ? &f->list[i] : NULL;
}
