#include "formats/image.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "formats/fatbin_unpack.h"
#include "formats/pe.h"
#include "formats/ptx_strings.h"
#include "formats/select.h"

#include <string.h>

/* How much of a .ptx file is read first, and how much from its .version on. */
enum { FIRST_HEAD = 1 << 20, DIRECTIVES = 4096 };

/* How much of a library's constants is searched for a sign of its CUDA runtime, and at once. */
enum { CONSTANTS = 256 << 20, PIECE = 256 << 10 };

struct part {
    const struct jw_source *src;
    struct jw_image *image;
    bool embedded;              /* as jw_image_scan has it */
    bool registers;             /* has a section of containers */
    struct jw_ptx_heads *heads; /* of texts in a program */
};

const char *jw_format_name(enum jw_format f)
{
    static const char *const names[] = {
        [JW_FORMAT_NONE] = "none", [JW_FORMAT_ELF] = "elf",       [JW_FORMAT_OBJECT] = "object",
        [JW_FORMAT_PE] = "pe",     [JW_FORMAT_FATBIN] = "fatbin", [JW_FORMAT_CUBIN] = "cubin",
        [JW_FORMAT_PTX] = "ptx",   [JW_FORMAT_WHEEL] = "wheel",   [JW_FORMAT_ZSTD] = "zstd",
    };
    JW_ROW_FOR_EACH(names, JW_FORMATS, 9);

    return names[f];
}

enum jw_format jw_image_sniff(struct jw_bytes head, const char *name)
{
    if (head.n < 16)
        return head.n && jw_text_ends(name, ".ptx") ? JW_FORMAT_PTX : JW_FORMAT_NONE;
    if (jw_starts(head, "\177ELF")) {
        struct jw_elf elf = jw_elf_header(head);

        if (!elf.ours)
            return JW_FORMAT_NONE;
        if (elf.machine == JW_EM_CUDA)
            return JW_FORMAT_CUBIN;
        return elf.type == JW_ET_REL ? JW_FORMAT_OBJECT : JW_FORMAT_ELF;
    }
    if (jw_starts(head, "MZ"))
        return JW_FORMAT_PE;
    if (jw_le32(head.p) == JW_FAT_MAGIC)
        return JW_FORMAT_FATBIN;
    if (jw_starts(head, "PK\3\4") || jw_starts(head, "PK\5\6"))
        return JW_FORMAT_WHEEL;
    if (jw_starts(head, "\050\265\057\375")
        && (jw_text_ends(name, ".cubin.zst") || jw_text_ends(name, ".ptx.zst")
            || jw_text_ends(name, ".fatbin.zst")))
        return JW_FORMAT_ZSTD;
    if (jw_text_ends(name, ".ptx") || jw_ptx_plausible(head))
        return JW_FORMAT_PTX;
    return JW_FORMAT_NONE;
}

static bool scan_cubin(const struct part *p, struct jw_bytes head, struct jw_err *err)
{
    const struct jw_elf elf = jw_elf_header(head);
    struct jw_arena names = {0};
    struct jw_cubin c;
    bool ok = jw_cubin_read(p->src, &elf, &names, &c, err);

    jw_arena_free(&names);
    if (!ok)
        return false;
    struct jw_fat_entry e = {.stored = p->src->size,
                             .kind = JW_KIND_ELF,
                             .major = 1,
                             .minor = c.new_layout ? 8 : 7,
                             .target = c.target,
                             .toolkit = (uint16_t)jw_min(elf.version, UINT16_MAX)};

    return jw_fat_add_bare(&p->image->fats, e, err);
}

static bool scan_ptx(const struct part *p, struct jw_err *err)
{
    const size_t most = (size_t)jw_min(p->src->size, JW_MAX_PLAIN);
    struct jw_bytes head = {0};
    uint8_t *bytes = NULL;
    struct jw_ptx ptx;
    bool ok = true;

    /* Most of it may be a comment. */
    while (ok && head.n < most && head.n - jw_ptx_skip(head, 0) < DIRECTIVES) {
        head.n = jw_min(most, jw_max(2 * head.n, FIRST_HEAD));
        head.p = bytes = jw_realloc(bytes, head.n);
        ok = jw_source_read(p->src, 0, bytes, head.n, err);
    }
    ok = ok && jw_ptx_read(head, &ptx, err);
    bool optix = ok && jw_ptx_is_optix(head);

    jw_free(bytes);
    if (!ok || optix)
        return ok;
    return jw_ptx_add(&p->image->fats, 0, p->src->size, &ptx, err);
}

/* ---- in a program, a library or an object ---- */

static bool registers(const struct jw_sections *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct jw_fat_place *place = jw_fat_section(all->list[i].name);

        if (place && place->role != JW_ROLE_LAZY)
            return true;
    }
    return false;
}

/* What a range of the file may hold, by the section that it is in (`place` NULL: another one, or
 * none):
 *
 *   .nv_fatbin, __nv_relfatbin   containers, one behind the other
 *   .ldata, .lrodata, .data      those that a library loads on demand (cuFFT)
 *   all else                     what the program embeds and loads itself; of NVIDIA's own files
 *                                only where they register code */
static bool walk(const struct part *p, const struct jw_fat_place *place, uint64_t at, uint64_t end,
                 struct jw_err *err)
{
    bool own = p->embedded;
    struct jw_range range = {
        .at = at, .end = end, .among_data = true, .heads = own ? p->heads : NULL};

    if (at >= end || (!place && !own && !p->registers))
        return true;
    if (place && place->role != JW_ROLE_LAZY)
        range = (struct jw_range){.at = at, .end = end, .role = place->role};
    else if (!own || (place && (p->registers || strcmp(place->section, ".data") != 0)))
        range.role = JW_ROLE_LAZY;
    return jw_fat_walk(&p->image->fats, p->src, range, &p->image->problems, err);
}

/* Sections of containers are walked, and all else is searched to the last byte, but for
 * instructions and what debuggers read, which are most of many files, and no place for data. Of
 * each section the part that no earlier one covers: thousands that overlap must not cost more than
 * the file's length. */
static bool walk_sections(struct part p, const struct jw_sections *sections, struct jw_err *err)
{
    uint64_t at = 0;

    p.registers = registers(sections);
    p.embedded |= !sections->n; /* without sections nobody knows what it registers */
    for (size_t i = 0; p.src->check && i < sections->n; i++) /* a member drops them later */
        if (sections->list[i].size <= JW_SMALL_DATA)
            jw_source_prefetch(p.src, sections->list[i].at, sections->list[i].size + JW_WINDOW);
    for (size_t i = 0; i < sections->n; i++) {
        const struct jw_section *s = &sections->list[i];
        const struct jw_fat_place *place = jw_fat_section(s->name);
        uint64_t end = s->at + s->size;

        if (!place && !s->skipped)
            continue;
        if (place && s->at < at)
            jw_problem_add(&p.image->problems, "%s at 0x%llx overlaps another section", s->name,
                           (unsigned long long)s->at);
        if (!walk(&p, NULL, at, s->at, err)
            || (place && !walk(&p, place, jw_max(at, s->at), end, err)))
            return false;
        at = jw_max(at, end);
    }
    return walk(&p, NULL, at, p.src->size, err);
}

/* Containers, then the texts beside them, then what the program registers. */
static bool scan_sections(struct part p, const struct jw_sections *sections, struct jw_err *err)
{
    struct jw_ptx_heads heads = {.src = p.src};
    struct jw_fats *fats = &p.image->fats;

    p.heads = &heads;
    bool ok = walk_sections(p, sections, err) && jw_ptx_strings(fats, &heads, sections, err)
              && jw_fat_wrappers(fats, p.src, sections, err);

    jw_ptx_heads_free(&heads);
    return ok;
}

static void note_constants(const struct jw_sections *sections, struct jw_image *image)
{
    const struct jw_section *elf = jw_section_named(sections, ".rodata");
    const struct jw_section *s = elf ? elf : jw_section_named(sections, ".rdata");

    if (!s)
        return;
    image->constants_at = s->at;
    image->constants_end = s->at + s->size;
}

static bool scan_by_sections(const struct part *p, enum jw_format format, struct jw_bytes head,
                             struct jw_err *err)
{
    const struct jw_elf elf = jw_elf_header(head);
    struct jw_arena names = {0};
    struct jw_sections sections = {0};
    bool ours = true, ok;

    if (format == JW_FORMAT_PE)
        ok = jw_pe_sections(p->src, &names, &sections, &ours, err);
    else
        ok = jw_elf_sections(p->src, &elf, &names, &sections, err);
    if (ok && !ours)
        p->image->format = JW_FORMAT_NONE;
    jw_sort_u64(sections.list, sections.n, sizeof *sections.list);
    note_constants(&sections, p->image);
    ok = ok && (!ours || scan_sections(*p, &sections, err));
    jw_arena_free(&names);
    return ok;
}

static bool scan_part(const struct part *p, enum jw_format format, struct jw_bytes head,
                      struct jw_err *err)
{
    switch (format) {
    case JW_FORMAT_ELF:
    case JW_FORMAT_OBJECT:
    case JW_FORMAT_PE: return scan_by_sections(p, format, head, err);
    case JW_FORMAT_CUBIN: return scan_cubin(p, head, err);
    case JW_FORMAT_PTX: return scan_ptx(p, err);
    case JW_FORMAT_FATBIN:
        return jw_fat_walk(&p->image->fats, p->src,
                           (struct jw_range){.end = p->src->size, .role = JW_ROLE_CODE},
                           &p->image->problems, err);
    default: return true;
    }
}

/* The device linker's empty result has no kernel; a small library that it linked has one. */
static bool look_into_stubs(const struct jw_source *src, struct jw_fats *f, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < f->n; i++) {
        struct jw_fat *fat = &f->list[i];
        struct jw_buf plain = JW_BUF(JW_STUB_BYTES);
        struct jw_err why = {0};

        if (fat->n == 0 || fat->role != JW_ROLE_CODE || !jw_looks_like_stub(fat, f->entries))
            continue;
        ok = jw_fat_unpack(src, &f->entries[fat->first], jw_sink_buf(&plain), &why)
             || why.code == JW_E_FORMAT /* damaged: counts as a stub */ || jw_pass(err, why);
        fat->kernels = !why.code && jw_find(jw_buf_bytes(&plain), JW_BYTES(".text.")) < plain.n;
        jw_buf_free(&plain);
    }
    return ok;
}

bool jw_image_scan(const struct jw_source *src, const char *name, bool embedded,
                   struct jw_image *out, struct jw_err *err)
{
    uint8_t raw[JW_SNIFF];
    const struct jw_bytes head = {raw, (size_t)jw_min(JW_SNIFF, src->size)};
    const struct part p = {.src = src, .image = out, .embedded = embedded};

    *out = (struct jw_image){.text = {.max = JW_MAX_FAT_TEXT}};
    out->fats.arena = out->problems.arena = &out->text;
    if (!jw_source_read(src, 0, raw, head.n, err))
        return false;
    out->format = jw_image_sniff(head, name);

    bool ok = scan_part(&p, out->format, head, err) && look_into_stubs(src, &out->fats, err);

    if (ok && out->fats.searched >= JW_MAX_FAT_SEARCH)
        jw_problem_add(&out->problems,
                       "the search for code stopped after %u GiB; the rest was not searched",
                       (unsigned)(JW_MAX_FAT_SEARCH >> 30));
    return ok;
}

/* A variable that the runtimes from CUDA 11.8 on read, and none before. driver-fact:
 * F113-runtime-loads */
#define LAZY_MARK "CUDA_ENABLE_MODULE_LAZY_LOADING"

bool jw_image_is_lazy(const struct jw_source *src, const struct jw_image *image, bool *lazy,
                      struct jw_err *err)
{
    const struct jw_bytes mark = JW_BYTES(LAZY_MARK);
    uint64_t end = jw_min(image->constants_end, image->constants_at + CONSTANTS);
    uint8_t *piece = jw_realloc(NULL, PIECE);
    bool ok = true;

    *lazy = false;
    for (uint64_t at = image->constants_at; ok && !*lazy && at < end; at += PIECE - mark.n) {
        size_t n = (size_t)jw_min(PIECE, end - at);

        ok = jw_source_read(src, at, piece, n, err);
        *lazy = ok && jw_find((struct jw_bytes){piece, n}, mark) < n;
    }
    jw_free(piece);
    return ok;
}

void jw_image_free(struct jw_image *image)
{
    jw_fats_free(&image->fats);
    jw_arena_free(&image->text);
    *image = (struct jw_image){0};
}
