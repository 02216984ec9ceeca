#include "formats/ptx_strings.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/slices.h"

#include <string.h>

enum {
    PIECE = 16 << 10,
    NEAR = 1024,  /* from .version to .target, over the ends of strings */
    LONGEST = 16, /* a directive */
    MAX_HEADS = 1 << 20,
    EFFORT = 16 /* how often a byte is looked at, however many claim to begin or end there */
};
#define MAX_RUN ((uint64_t)64 << 20)

static const char version[] = ".version", target[] = ".target";

static size_t find_text(struct jw_bytes in, size_t from, const char *text)
{
    return from
           + jw_find(jw_from(in, from), (struct jw_bytes){(const uint8_t *)text, strlen(text)});
}

/* ---- heads ---- */

static bool is_number(struct jw_bytes b, size_t at)
{
    return at < b.n && (jw_is_digit((char)b.p[at]) || b.p[at] == '%');
}

/* Behind the number at `at`: "7.0" */
static size_t skip_number(struct jw_bytes b, size_t at)
{
    while (at + 1 < b.n && (jw_is_digit((char)b.p[at]) || jw_is_digit((char)b.p[at + 1])))
        at++;
    return at;
}

static bool is_arch(struct jw_bytes b, size_t at)
{
    const struct jw_bytes arch = jw_from(b, at);

    if (jw_starts(arch, "sm_"))
        return is_number(arch, 3);
    if (jw_starts(arch, "compute_"))
        return is_number(arch, 8);
    return jw_starts(arch, "%");
}

/* Are these bytes, from a `.version` on, of PTX: a number or its placeholder, and a target near? */
static bool begins_ptx(struct jw_bytes b)
{
    size_t number = jw_ptx_skip(b, sizeof version - 1);
    size_t behind = jw_ptx_skip(b, skip_number(b, number)); /* a comment may speak of a target */
    size_t near = find_text(b, behind, target) + sizeof target - 1;
    size_t arch = jw_ptx_skip(b, jw_min(b.n, near));
    size_t last = near > b.n ? behind : arch;

    if (b.n == NEAR && last > NEAR - LONGEST && !memchr(b.p, 0, NEAR))
        return true;
    return is_number(b, number) && is_arch(b, arch);
}

bool jw_ptx_heads_find(struct jw_ptx_heads *h, uint64_t at, struct jw_bytes chunk,
                       struct jw_err *err)
{
    for (size_t i = find_text(chunk, 0, version); i < chunk.n;
         i = find_text(chunk, i + 1, version)) {
        uint8_t raw[NEAR];
        struct jw_bytes head = jw_from(chunk, i);

        if (head.n < NEAR) {
            head = (struct jw_bytes){raw, (size_t)jw_min(NEAR, h->src->size - (at + i))};
            if (!jw_source_read(h->src, at + i, raw, head.n, err))
                return false;
        }
        head.n = jw_min(NEAR, head.n);
        if (!begins_ptx(head))
            continue;
        if (jw_grow(&h->list, sizeof *h->list, h->n, &h->cap, MAX_HEADS, JW_IGNORED))
            h->list[h->n++] = at + i;
        else
            h->dropped++;
    }
    return true;
}

void jw_ptx_heads_free(struct jw_ptx_heads *h)
{
    jw_free(h->list);
    *h = (struct jw_ptx_heads){0};
}

/* ---- runs: the bytes around heads up to a NUL, or where the section ends ---- */

struct run {
    size_t first, n; /* heads */
    bool bounded;    /* a NUL, or the end of the section, is on both sides */
};

struct taking {
    struct jw_fats *fats;
    const struct jw_source *src;
    const struct jw_ptx_heads *heads;
    const struct jw_sections *sections;
    size_t n_fats; /* containers, before the texts */
    struct jw_span *spans;
    struct run *runs;
    size_t n, cap_spans, cap_runs;
    struct jw_slices slices;
};

/* Where a text of this place may be: in its section, and between containers. Neither list may go
 * back. `bounded`: no container is a border of it. */
struct field {
    uint64_t at, end;
    size_t section, fat;
    bool after_fat, before_fat;
};

static void find_field(const struct taking *x, uint64_t head, struct field *f)
{
    const struct jw_section *sections = x->sections->list;
    const struct jw_fat *fats = x->fats->list;

    while (f->section < x->sections->n && sections[f->section].at <= head)
        f->section++;
    while (f->fat < x->n_fats && fats[f->fat].at <= head)
        f->fat++;
    f->at = 0;
    f->end = f->section < x->sections->n ? sections[f->section].at : x->src->size;
    if (f->section) {
        const struct jw_section *s = &sections[f->section - 1];
        bool inside = head - s->at < s->size;

        f->at = inside ? s->at : s->at + s->size;
        f->end = inside ? jw_min(f->end, s->at + s->size) : f->end;
    }
    f->after_fat = f->fat && fats[f->fat - 1].at + fats[f->fat - 1].size > f->at;
    f->before_fat = f->fat < x->n_fats && fats[f->fat].at < f->end;
    if (f->after_fat)
        f->at = fats[f->fat - 1].at + fats[f->fat - 1].size;
    if (f->before_fat)
        f->end = fats[f->fat].at;
}

/* Behind the last NUL between `from` and `at`; `from`: there is none. */
static bool find_start(struct taking *x, uint64_t from, uint64_t at, uint64_t *start,
                       struct jw_err *err)
{
    uint8_t before[PIECE];
    size_t n = 0;

    for (*start = at; n == 0 && *start > from; *start += n) {
        n = (size_t)jw_min(PIECE, *start - from);
        *start -= n;
        if (!jw_source_read(x->src, *start, before, n, err))
            return false;
        x->fats->searched += n;
        while (n && before[n - 1])
            n--;
    }
    return true;
}

/* The next NUL between `at` and `to`; `to`: there is none. */
static bool find_end(struct taking *x, uint64_t at, uint64_t to, uint64_t *end, struct jw_err *err)
{
    uint8_t piece[PIECE];

    for (*end = at; *end < to;) {
        size_t n = (size_t)jw_min(PIECE, to - *end);

        if (!jw_source_read(x->src, *end, piece, n, err))
            return false;
        const uint8_t *nul = memchr(piece, 0, n);
        size_t taken = nul ? (size_t)(nul - piece) : n;

        x->fats->searched += n;
        *end += taken;
        if (nul)
            return true;
    }
    return true;
}

static bool add_run(struct taking *x, struct jw_span span, struct run run, struct jw_err *err)
{
    if (!jw_grow(&x->spans, sizeof *x->spans, x->n, &x->cap_spans, MAX_HEADS, err)
        || !jw_grow(&x->runs, sizeof *x->runs, x->n, &x->cap_runs, MAX_HEADS, err))
        return false;
    x->spans[x->n] = span;
    x->runs[x->n++] = run;
    return true;
}

/* Each byte belongs to one run. */
static bool find_runs(struct taking *x, struct jw_err *err)
{
    const uint64_t *heads = x->heads->list;
    struct field f = {0};
    uint64_t done = 0;

    for (size_t i = 0; i < x->heads->n;) {
        struct run run = {.first = i};
        struct jw_span span;

        if (x->fats->searched >= JW_MAX_FAT_SEARCH) {
            x->fats->unbounded += x->heads->n - i;
            return true;
        }
        find_field(x, heads[i], &f);
        uint64_t from = jw_max(f.at, done), to = jw_min(f.end, heads[i] + MAX_RUN / 2);

        from = jw_max(from, heads[i] - jw_min(heads[i], MAX_RUN / 2));
        if (!find_start(x, from, heads[i], &span.at, err)
            || !find_end(x, heads[i], to, &span.end, err))
            return false;
        bool begins = span.at > from || (from == f.at && !f.after_fat);
        bool ends = span.end < to || (to == f.end && !f.before_fat);

        run.bounded = begins && ends;
        while (i < x->heads->n && heads[i] < jw_max(span.end, heads[run.first] + 1))
            i++;
        run.n = i - run.first;
        done = span.end;
        if (!add_run(x, span, run, err))
            return false;
    }
    return true;
}

/* ---- the texts of one run ---- */

struct judged {
    struct taking *x;
    struct jw_span span;
    const struct run *run;
    const uint64_t *heads;
    bool *settled;         /* a head of a text that is known, or within one */
    struct jw_bytes bytes; /* of the span */
    uint64_t effort;       /* bytes that may still be looked at */
};

static struct jw_bytes bytes_of(const struct judged *j, struct jw_span s)
{
    return (struct jw_bytes){j->bytes.p + (s.at - j->span.at), (size_t)(s.end - s.at)};
}

/* False: it takes too long to look at them, as only a hostile file does. */
static bool spend(struct judged *j, uint64_t n)
{
    if (n > j->effort)
        return false;
    j->effort -= n;
    return true;
}

static bool has_functions(struct jw_bytes t)
{
    return find_text(t, 0, ".entry") < t.n || find_text(t, 0, ".func") < t.n;
}

static void settle(struct judged *j, struct jw_span s)
{
    size_t i = jw_count_below(j->heads, j->run->n, sizeof *j->heads, s.at);

    for (; i < j->run->n; i++) {
        if (j->heads[i] >= s.end)
            return;
        j->settled[i] = true;
    }
}

/* What OptiX alone compiles is known, and no module. */
static bool take_text(struct judged *j, struct jw_span s, struct jw_err *err)
{
    const struct jw_bytes text = bytes_of(j, s);
    struct jw_ptx ptx;

    settle(j, s);
    if (!jw_ptx_read(text, &ptx, JW_IGNORED))
        return true;
    j->x->fats->pieces += !has_functions(text);
    return jw_ptx_is_optix(text) || jw_ptx_add(j->x->fats, s.at, text.n, &ptx, err);
}

/* Is it a text, and nothing else? It begins with blanks and comments before its first head. */
static bool is_text(struct judged *j, struct jw_span s)
{
    const struct jw_bytes bytes = bytes_of(j, s);
    size_t i = jw_count_below(j->heads, j->run->n, sizeof *j->heads, s.at);

    if (i == j->run->n || j->heads[i] >= s.end || !spend(j, bytes.n))
        return false;
    return jw_ptx_is_alone(bytes);
}

/* `*cut`: some slice begins or ends within these bytes, which are then more than one thing. */
static bool take_slices(struct judged *j, bool *cut, struct jw_err *err)
{
    const struct jw_slices *s = &j->x->slices;
    struct jw_span last = {0};

    *cut = s->cut_short;
    for (size_t i = jw_count_below(s->list, s->n, sizeof *s->list, j->span.at); i < s->n; i++) {
        const struct jw_span one = s->list[i];

        if (one.at >= j->span.end)
            return true;
        if (one.at == last.at && one.end == last.end)
            continue;
        last = one;
        if (one.at != j->span.at || one.end != j->span.end)
            *cut = true;
        if (is_text(j, one) && !take_text(j, one, err))
            return false;
    }
    return true;
}

/* The run without a word at its end that has the length of all before it. A NUL ends this word, so
 * that at most three of its bytes are in the run. */
static bool without_length(const struct judged *j, struct jw_span *s, struct jw_err *err)
{
    enum { WORD = 4 };
    uint8_t word[WORD];

    for (size_t k = 1; k < WORD; k++) {
        uint64_t at = j->span.end - k;

        if (j->bytes.n <= k || !jw_within(at, WORD, j->x->src->size))
            return true;
        if (!jw_source_read(j->x->src, at, word, WORD, err))
            return false;
        if (jw_le32(word) == j->bytes.n - k)
            s->end = at;
    }
    return true;
}

/* A text without a NUL of its own may be followed by blanks or a comment of the next object. Line
 * ends alone, and what LLVM writes behind a function, are its own if no slice begins there. */
static bool ends_where_expected(struct jw_bytes t)
{
    static const char llvm[] = "// -- End function";
    size_t end = t.n;

    while (end && memchr("\r\n\x1a", t.p[end - 1], 3))
        end--;
    size_t line = end;

    while (line && t.p[line - 1] != '\n')
        line--;
    const struct jw_bytes last = {t.p + line, end - line};
    size_t comment = find_text(last, 0, "//");

    if (comment < last.n)
        return jw_starts(jw_from(last, comment), llvm) && last.n - comment == sizeof llvm - 1;
    return last.n && !memchr(" \t\v\f", last.p[last.n - 1], 4)
           && !(last.n > 1 && memcmp(last.p + last.n - 2, "*/", 2) == 0);
}

/* A run that nothing cuts is a text if it is one alone. */
static bool take_run(struct judged *j, struct jw_err *err)
{
    struct jw_span s = j->span;

    if (!without_length(j, &s, err))
        return false;
    bool cut = s.end < j->span.end;
    bool bounded = cut || (j->run->bounded && ends_where_expected(j->bytes));

    return !bounded || !is_text(j, s) || take_text(j, s, err);
}

/* Where a text would end by its braces: behind the one that closes its last function, of which
 * neither a directive nor the rest of one follows.
 *
 *     .func f() { }src/lib.rs                    behind the brace
 *     .func f() { } .func g() { }.version 7.0    behind the second: the next PTX begins */
static size_t end_by_braces(struct jw_bytes t)
{
    size_t depth = 0;
    bool begun = false;

    for (size_t i = 0; i < t.n; i = jw_ptx_next(t, i)) {
        const struct jw_bytes here = jw_from(t, i);

        if (jw_starts(here, version)) {
            if (begun)
                return i;
            begun = true;
        }
        if (depth && jw_starts(here, "%%"))
            return i; /* a template: its brace stays open. driver-fact: F78-old-ptx-compiles */
        depth += t.p[i] == '{';
        if (t.p[i] != '}' || depth-- != 1)
            continue;
        const struct jw_bytes rest = jw_from(t, jw_ptx_skip(t, i + 1));
        bool goes_on = !rest.n || memchr(".@;,", rest.p[0], 4);

        if (!goes_on || jw_starts(rest, version))
            return i + 1;
    }
    return t.n;
}

/* Would it be a text that a program can load, and no piece of one? */
static bool seems_whole(struct jw_bytes t)
{
    struct jw_ptx ignored;

    return has_functions(t) && jw_ptx_read(t, &ignored, JW_IGNORED) && jw_ptx_is_whole(t)
           && memchr(t.p, '}', t.n);
}

/* The other heads: of texts of which nothing says where they begin and end, or of pieces. */
static void count_others(struct judged *j)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < j->run->n; i++) {
        if (j->settled[i] || j->heads[i] < seen)
            continue;
        const struct jw_bytes from = bytes_of(j, (struct jw_span){j->heads[i], j->span.end});
        size_t end = j->effort ? end_by_braces(from) : 0;
        const struct jw_bytes text = {from.p, end};

        if (!spend(j, end))
            j->effort = 0;
        if (end && !seems_whole(text)) {
            j->x->fats->pieces++;
            continue;
        }
        j->x->fats->unbounded += !jw_ptx_is_optix(text);
        seen = j->heads[i] + end;
    }
}

static bool judge_run(struct taking *x, size_t i, struct jw_err *err)
{
    const struct run *run = &x->runs[i];
    size_t n = (size_t)(x->spans[i].end - x->spans[i].at);
    struct judged j = {.x = x,
                       .span = x->spans[i],
                       .run = run,
                       .heads = x->heads->list + run->first,
                       .effort = EFFORT * (uint64_t)n};
    uint8_t *bytes = jw_realloc(NULL, n + 1);
    bool cut;

    x->fats->searched += n;
    j.bytes = (struct jw_bytes){bytes, n};
    j.settled = jw_alloc(run->n);
    bool ok = jw_source_read(x->src, j.span.at, bytes, n, err) && take_slices(&j, &cut, err)
              && (cut || j.settled[0] || take_run(&j, err));

    if (ok)
        count_others(&j);
    jw_free(j.settled);
    jw_free(bytes);
    return ok;
}

/* ---- all ---- */

bool jw_ptx_add(struct jw_fats *fats, uint64_t at, uint64_t size, const struct jw_ptx *ptx,
                struct jw_err *err)
{
    struct jw_fat_entry e = {.at = at,
                             .stored = size,
                             .kind = JW_KIND_PTX,
                             .major = ptx->major,
                             .minor = ptx->minor,
                             .target = ptx->target};

    return jw_fat_add_bare(fats, e, err);
}

bool jw_ptx_strings(struct jw_fats *fats, const struct jw_ptx_heads *heads,
                    const struct jw_sections *sections, struct jw_err *err)
{
    struct taking x = {
        .fats = fats, .src = heads->src, .heads = heads, .sections = sections, .n_fats = fats->n};

    fats->unbounded += heads->dropped;
    if (!heads->n)
        return true;
    bool ok = find_runs(&x, err) && jw_slices_find(x.src, sections, x.spans, x.n, &x.slices, err);

    for (size_t i = 0; ok && i < x.n; i++)
        ok = judge_run(&x, i, err);
    jw_sort_u64(fats->list, fats->n, sizeof *fats->list);
    jw_free(x.slices.list);
    jw_free(x.spans);
    jw_free(x.runs);
    return ok;
}
