#include "formats/slices.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/fatbin.h"

#include <string.h>

enum { WORD = 8, SYMBOL = 24, CHUNK = 64 << 10, MAX_SLICES = 1 << 20 };
#define MAX_STEPS ((uint64_t)1 << 26) /* however hostile the file */

/* A span, where it is in memory. */
struct target {
    uint64_t addr, end, at;
};

struct search {
    const struct jw_source *src;
    const struct jw_sections *sections;
    struct target *targets; /* by address */
    size_t n_targets;
    uint64_t steps;
    struct jw_window window;
    struct jw_slices *out;
};

/* The section with this position; NULL: none. `*next` moves forward alone: positions must rise. */
static const struct jw_section *section_at(const struct jw_sections *s, size_t *next, uint64_t at)
{
    while (*next < s->n && s->list[*next].at <= at)
        ++*next;
    const struct jw_section *one = *next ? &s->list[*next - 1] : NULL;

    return one && at - one->at < one->size ? one : NULL;
}

static void find_targets(struct search *x, const struct jw_span *spans, size_t n)
{
    size_t next = 0;

    x->targets = jw_alloc((n + 1) * sizeof *x->targets);
    for (size_t i = 0; i < n; i++) {
        const struct jw_section *in = section_at(x->sections, &next, spans[i].at);

        if (!in || !in->addr)
            continue;
        uint64_t addr = in->addr + (spans[i].at - in->at);

        x->targets[x->n_targets++] =
            (struct target){addr, addr + (spans[i].end - spans[i].at), spans[i].at};
    }
    jw_sort_u64(x->targets, x->n_targets, sizeof *x->targets);
}

/* The span that has this address; NULL: none. */
static const struct target *target_of(const struct search *x, uint64_t addr)
{
    const struct target *list = x->targets;

    if (!x->n_targets || addr < list->addr || addr >= list[x->n_targets - 1].end)
        return NULL;
    size_t behind = jw_count_below(list, x->n_targets, sizeof *list, addr + 1);
    const struct target *t = behind ? &list[behind - 1] : NULL;

    return t && addr < t->end ? t : NULL;
}

/* Takes the pair if it is a slice of a span; of no length: a border within the span. */
static void take_pair(struct search *x, uint64_t addr, uint64_t length)
{
    const struct target *t = target_of(x, addr);
    struct jw_slices *out = x->out;

    if (!t || length > t->end - addr)
        return;
    if (!length && addr == t->addr)
        return;
    uint64_t at = t->at + (addr - t->addr);

    if (jw_grow(&out->list, sizeof *out->list, out->n, &out->cap, MAX_SLICES, JW_IGNORED))
        out->list[out->n++] = (struct jw_span){at, at + length};
    else
        out->cut_short = true;
}

/* Containers, instructions and what is not loaded hold none. */
static bool may_hold_slices(const struct jw_section *s)
{
    const struct jw_fat_place *place = jw_fat_section(s->name);

    return s->addr && !s->skipped && (!place || place->role == JW_ROLE_LAZY);
}

/* `bytes` begin at an address that is a multiple of a word. The last word is only a length. */
static void search_words(struct search *x, struct jw_bytes bytes)
{
    for (size_t i = 0; i + 2 * WORD <= bytes.n; i += WORD) {
        uint64_t length = jw_le64(bytes.p + i + WORD);

        if (length)
            take_pair(x, jw_le64(bytes.p + i), length);
    }
}

static bool search_section(struct search *x, const struct jw_section *s, uint64_t from,
                           struct jw_err *err)
{
    uint64_t end = s->at + s->size;
    uint8_t *chunk = jw_alloc((size_t)jw_min(CHUNK, s->size));
    bool ok = true;

    from += (WORD - (s->addr + (from - s->at)) % WORD) % WORD;
    while (ok && from < end && end - from >= 2 * WORD) {
        size_t n = (size_t)jw_min(CHUNK, end - from) / WORD * WORD;

        ok = jw_source_read(x->src, from, chunk, n, err);
        if (ok)
            search_words(x, (struct jw_bytes){chunk, n});
        from += n - WORD;
    }
    jw_free(chunk);
    return ok;
}

/* Of sections that overlap each byte counts once. */
static bool search_data(struct search *x, struct jw_err *err)
{
    uint64_t done = 0;

    for (size_t i = 0; i < x->sections->n; i++) {
        const struct jw_section *s = &x->sections->list[i];
        uint64_t end = s->at + s->size;

        if (!may_hold_slices(s) || end <= done)
            continue;
        if (!search_section(x, s, jw_max(done, s->at), err))
            return false;
        done = end;
    }
    return true;
}

/* False once a hostile file took too many steps: many sections may list the same relocations. */
static bool count_steps(struct search *x, uint64_t steps)
{
    x->steps += steps;
    x->out->cut_short |= x->steps > MAX_STEPS;
    return x->steps <= MAX_STEPS;
}

/* The length behind the word that is relocated; 0: it is not in the file. */
static bool read_length(struct search *x, uint64_t place, uint64_t *length, struct jw_err *err)
{
    uint8_t raw[WORD];
    uint64_t at;

    *length = 0;
    if (!count_steps(x, x->sections->n))
        return true;
    if (!jw_section_translate(x->sections, place + WORD, &at)
        || !jw_within(at, sizeof raw, x->src->size))
        return true;
    if (!jw_source_read(x->src, at, raw, sizeof raw, err))
        return false;
    *length = jw_le64(raw);
    return true;
}

static bool search_relocations(struct search *x, const struct jw_section *rela, struct jw_err *err)
{
    struct jw_relocation r;
    uint64_t length;

    for (uint64_t i = 0; i < rela->size / JW_RELOCATION; i++) {
        if (!jw_relocation_read(&x->window, rela, i, &r, err))
            return false;
        if (!count_steps(x, 1))
            return true;
        if (!target_of(x, r.addr))
            continue;
        if (!read_length(x, r.place, &length, err))
            return false;
        take_pair(x, r.addr, length);
        take_pair(x, r.addr, 0);
    }
    return true;
}

/* A symbol (Elf64_Sym): u32 name, u32 kind and section, u64 address, u64 size. */
static bool search_symbols(struct search *x, const struct jw_section *table, struct jw_err *err)
{
    struct jw_bytes raw;

    if (!table || !x->n_targets)
        return true;
    for (uint64_t i = 0; i < table->size / SYMBOL; i++) {
        if (!jw_window_get(&x->window, table->at + i * SYMBOL, SYMBOL, &raw, err))
            return false;
        if (!count_steps(x, 1))
            return true;
        uint64_t addr = jw_le64(raw.p + 8);
        uint64_t size = jw_le64(raw.p + 16);

        take_pair(x, addr, size);
        take_pair(x, addr, 0);
        take_pair(x, addr + size, 0);
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct jw_span *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

bool jw_slices_find(const struct jw_source *src, const struct jw_sections *sections,
                    const struct jw_span *spans, size_t n, struct jw_slices *out,
                    struct jw_err *err)
{
    struct search x = {.src = src, .sections = sections, .window = {.src = src}, .out = out};

    *out = (struct jw_slices){0};
    find_targets(&x, spans, n);
    bool ok = !x.n_targets || sections->movable || search_data(&x, err);

    for (size_t i = 0; ok && x.n_targets && i < sections->n; i++)
        if (jw_text_starts(sections->list[i].name, ".rela"))
            ok = search_relocations(&x, &sections->list[i], err);
    ok = ok && search_symbols(&x, jw_section_named(sections, ".symtab"), err)
         && search_symbols(&x, jw_section_named(sections, ".dynsym"), err);
    jw_sort(out->list, out->n, sizeof *out->list, by_place);
    jw_free(x.targets);
    return ok;
}
