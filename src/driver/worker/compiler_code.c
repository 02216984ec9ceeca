/* What is left out of the code, and why no more:
 *
 *   the build id: the linker computes it of the whole file
 *   a date of the build, as compilers spell __DATE__, before a NUL
 *   the address in a pointer to the end of such a text. Linkers store a text that is the end of
 *   another only once: in 535.216.03 the text "4" is the last character of "Oct 25 2024", in
 *   535.261.03 it is elsewhere. Of such a pointer the text counts.
 *
 * Every other byte counts as it is loaded. */
#include "driver/worker/compiler_code.h"

#include "base/limits.h"
#include "base/num.h"
#include "formats/elf.h"
#include "os/files/file.h"

#include <string.h>

enum {
    ET_DYN = 3,
    EM_X86_64 = 62,
    EM_AARCH64 = 183,
    R_X86_64_RELATIVE = 8,
    R_AARCH64_RELATIVE = 1027,
    DT_RELA = 7,
    DT_RELASZ = 8,
    DT_RELAENT = 9,
    DYN = 16,
    RELA = 24,
    POINTER = 8
};

/* A segment in memory, before the loader changes anything. */
struct part {
    struct jw_elf_segment segment;
    uint8_t *bytes; /* as many as the file has */
};

struct library {
    uint16_t machine;
    uint32_t relative; /* the relocation that makes a pointer into the library itself */
    struct part *parts;
    size_t n;
    struct jw_digest_state code;
};

/* '9': a digit, '#': a digit or a blank, 'M' and 'm': letters. */
static const char shape[] = "Mmm #9 2099";

enum { DATE = sizeof shape - 1 };

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static bool character_fits(uint8_t c, char as)
{
    switch (as) {
    case '9': return is_digit(c);
    case '#': return is_digit(c) || c == ' ';
    case 'M': return c >= 'A' && c <= 'Z';
    case 'm': return c >= 'a' && c <= 'z';
    default: return c == (uint8_t)as;
    }
}

/* Is the text the end of a date, or all of it? */
static bool ends_a_date(const uint8_t *text, size_t n)
{
    if (!n || n > DATE)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!character_fits(text[i], shape[DATE - n + i]))
            return false;
    return true;
}

static void blank_dates(struct part *p)
{
    for (size_t i = DATE; i < p->segment.size; i++)
        if (p->bytes[i] == 0 && ends_a_date(p->bytes + i - DATE, DATE))
            memset(p->bytes + i - DATE, '-', DATE);
}

static bool read_part(const struct jw_source *src, struct jw_arena *a, struct part *p,
                      struct jw_err *err)
{
    p->bytes = jw_arena_alloc(a, (size_t)p->segment.size + 1);
    return jw_source_read(src, p->segment.at, p->bytes, (size_t)p->segment.size, err);
}

/* Segments follow each other in memory, as the ABI demands, so that an address has one place. */
static bool is_usual(const struct jw_elf_segment *s, const struct part *before)
{
    if (s->size > s->memory || s->memory > UINT64_MAX - s->addr)
        return false;
    return !before || s->addr >= before->segment.addr + before->segment.memory;
}

static bool load_parts(const struct jw_source *src, struct jw_arena *a,
                       const struct jw_elf_segment *segments, size_t n, struct library *out,
                       struct jw_err *err)
{
    uint64_t left = JW_MAX_COMPILER; /* segments may share bytes of the file */

    out->parts = jw_arena_alloc(a, n * sizeof *out->parts);
    for (size_t i = 0; i < n; i++) {
        const struct jw_elf_segment *s = &segments[i];
        struct part *p = &out->parts[out->n];

        if (s->type != JW_PT_LOAD)
            continue;
        if (!is_usual(s, out->n ? p - 1 : NULL) || s->size > left)
            return jw_fail(err, JW_E_FORMAT, "elf: segment %zu is not loaded as usual", i);
        p->segment = *s;
        if (!read_part(src, a, p, err))
            return false;
        left -= s->size;
        out->n++;
    }
    return true;
}

/* The part that has these bytes of memory from the file; NULL: none has. */
static struct part *part_at(const struct library *l, uint64_t addr, uint64_t n)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct jw_elf_segment *s = &l->parts[i].segment;

        if (addr >= s->addr && jw_within(addr - s->addr, n, s->size))
            return &l->parts[i];
    }
    return NULL;
}

static uint8_t *bytes_at(const struct library *l, uint64_t addr, uint64_t n)
{
    const struct part *p = part_at(l, addr, n);

    return p ? p->bytes + (addr - p->segment.addr) : NULL;
}

/* The length of the text at this address, if it is the end of a date and nothing writes
 * there; 0: it is not. */
static size_t end_of_date_at(const struct library *l, uint64_t addr)
{
    const struct part *p = part_at(l, addr, 1);

    if (!p || p->segment.flags & JW_PF_WRITE)
        return 0;
    const uint8_t *text = p->bytes + (addr - p->segment.addr);
    size_t most = (size_t)jw_min(p->segment.size - (addr - p->segment.addr), DATE + 1);
    const uint8_t *nul = memchr(text, 0, most);

    return nul && ends_a_date(text, (size_t)(nul - text)) ? (size_t)(nul - text) : 0;
}

static void put_number(struct jw_digest_state *s, uint64_t value)
{
    uint8_t bytes[8];

    jw_put64(bytes, value);
    jw_digest_update(s, bytes, sizeof bytes);
}

/* Puts the text of such a pointer into the digest, and takes its address out of both places that
 * have it: the relocation, and the pointer itself. */
static void count_pointer(const struct library *l, uint8_t *rela, struct jw_digest_state *s)
{
    uint64_t place = jw_le64(rela);
    uint64_t target = jw_le64(rela + 16);
    size_t n = jw_le64(rela + 8) == l->relative ? end_of_date_at(l, target) : 0;

    if (!n)
        return;
    const uint8_t *text = bytes_at(l, target, n);
    uint8_t *pointer = bytes_at(l, place, POINTER);

    put_number(s, place);
    put_number(s, n);
    jw_digest_update(s, n == DATE ? (const uint8_t *)"-----------" : text, n);
    jw_put64(rela + 16, 0);
    if (pointer && jw_le64(pointer) == target)
        jw_put64(pointer, 0);
}

struct relocations {
    uint64_t addr, size, each;
};

static struct relocations find_relocations(struct jw_bytes dynamic)
{
    struct relocations r = {.each = RELA};

    for (size_t at = 0; dynamic.n - at >= DYN; at += DYN) {
        uint64_t tag = jw_le64(dynamic.p + at);
        uint64_t value = jw_le64(dynamic.p + at + 8);

        if (tag == 0)
            break;
        if (tag == DT_RELA)
            r.addr = value;
        if (tag == DT_RELASZ)
            r.size = value;
        if (tag == DT_RELAENT)
            r.each = value;
    }
    return r;
}

static bool count_pointers(struct library *l, const struct jw_elf_segment *dynamic,
                           struct jw_err *err)
{
    uint8_t *table = bytes_at(l, dynamic->addr, dynamic->size);
    struct relocations found = {0};
    struct jw_digest_state s;
    uint8_t digest[JW_DIGEST];

    if (table)
        found = find_relocations((struct jw_bytes){table, (size_t)dynamic->size});
    uint8_t *relas = bytes_at(l, found.addr, found.size);

    if (!table || !relas || found.each != RELA)
        return jw_fail(err, JW_E_FORMAT, "elf: relocations that are not understood");
    jw_digest_init(&s);
    for (uint64_t at = 0; found.size - at >= RELA; at += RELA)
        count_pointer(l, relas + at, &s);
    jw_digest_final(&s, digest);
    jw_digest_update(&l->code, digest, sizeof digest);
    return true;
}

static void blank_build_id(const struct library *l, const struct jw_elf_segment *notes)
{
    uint8_t *bytes = bytes_at(l, notes->addr, notes->size);
    struct jw_bytes id;

    if (bytes && jw_elf_build_id((struct jw_bytes){bytes, (size_t)notes->size}, &id))
        memset(bytes + (id.p - bytes), 0, id.n);
}

static void count_part(struct library *l, struct part *p)
{
    blank_dates(p);
    put_number(&l->code, p->segment.addr);
    put_number(&l->code, p->segment.memory);
    put_number(&l->code, p->segment.flags);
    put_number(&l->code, p->segment.size);
    jw_digest_update(&l->code, p->bytes, (size_t)p->segment.size);
}

/* The one table by which the loader finds the relocations; NULL: there is none, or several. */
static const struct jw_elf_segment *dynamic_of(const struct jw_elf_segment *segments, size_t n)
{
    const struct jw_elf_segment *found = NULL;

    for (size_t i = 0; i < n; i++) {
        if (segments[i].type != JW_PT_DYNAMIC)
            continue;
        if (found)
            return NULL;
        found = &segments[i];
    }
    return found;
}

static bool compute(struct library *l, const struct jw_elf_segment *segments, size_t n,
                    struct jw_err *err)
{
    const struct jw_elf_segment *dynamic = dynamic_of(segments, n);

    if (!dynamic)
        return jw_fail(err, JW_E_FORMAT, "elf: no table of relocations that is understood");
    jw_digest_init(&l->code);
    put_number(&l->code, l->machine);
    if (!count_pointers(l, dynamic, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (segments[i].type == JW_PT_NOTE)
            blank_build_id(l, &segments[i]);
    for (size_t i = 0; i < l->n; i++)
        count_part(l, &l->parts[i]);
    return true;
}

static uint32_t relative_of(uint16_t machine)
{
    if (machine == EM_X86_64)
        return R_X86_64_RELATIVE;
    return machine == EM_AARCH64 ? R_AARCH64_RELATIVE : 0;
}

bool jw_compiler_code(const struct jw_source *library, struct jw_arena *a, uint8_t code[JW_DIGEST],
                      struct jw_err *err)
{
    uint8_t head[JW_ELF_HEADER];
    struct jw_elf_segment *segments;
    struct library l = {0};
    size_t n;

    if (library->size > JW_MAX_COMPILER)
        return jw_fail(err, JW_E_LIMIT, "larger than a compiler");
    if (!jw_source_read(library, 0, head, sizeof head, err))
        return false;
    struct jw_elf elf = jw_elf_header((struct jw_bytes){head, sizeof head});

    l.machine = elf.machine;
    l.relative = relative_of(elf.machine);
    if (!elf.ours || elf.type != ET_DYN || !l.relative)
        return jw_fail(err, JW_E_FORMAT, "no library for a processor that is known");
    if (!jw_elf_segments(library, &elf, a, &segments, &n, err)
        || !load_parts(library, a, segments, n, &l, err) || !compute(&l, segments, n, err))
        return false;
    jw_digest_final(&l.code, code);
    return true;
}

const char *jw_compiler_code_of_file(const char *path, struct jw_arena *a)
{
    struct jw_arena work = {0};
    struct jw_file f;
    struct jw_file_info info;
    uint8_t code[JW_DIGEST];
    bool ok = false;

    if (!jw_file_open(&f, path, JW_IGNORED))
        return NULL;
    if (jw_file_info(&f, &info, JW_IGNORED)) {
        struct jw_source src = jw_file_source(&f, info.size);

        ok = jw_compiler_code(&src, &work, code, JW_IGNORED);
    }
    jw_file_close(&f);
    jw_arena_free(&work);
    return ok ? jw_arena_str(a, jw_digest_text(code).text) : NULL;
}
