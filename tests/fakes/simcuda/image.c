/* What a program hands over to be loaded: a container, a wrapper that points at one, a cubin, or
 * PTX text. */
#include "sim.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/cubin.h"
#include "formats/fatbin_unpack.h"
#include "formats/ptx.h"
#include "formats/select.h"

#include <string.h>

enum { ELF_HEADER = 64, SECTION = 64, PROBE = 4096 };

/* Byte by byte, because a text may end before the number does. */
static bool begins(const void *image, const char *magic, size_t n)
{
    const char *p = image;

    for (size_t i = 0; i < n; i++)
        if (p[i] != magic[i])
            return false;
    return true;
}

static bool is_fatbin(const void *image) { return begins(image, JW_FAT_MAGIC_BYTES, 8); }

static bool is_elf(const void *image) { return begins(image, "\177ELF", 4); }

static const void *unwrap(const void *image)
{
    const void *inner;

    if (!begins(image, "\xb1\x43\x62\x46", 4))
        return image;
    memcpy(&inner, (const char *)image + 8, sizeof inner);
    return inner ? inner : "";
}

/* An ELF ends where its last section or its section table does. */
static bool elf_size(const uint8_t *p, size_t *size)
{
    struct jw_elf elf = jw_elf_header((struct jw_bytes){p, ELF_HEADER});
    uint64_t table = (uint64_t)elf.shnum * SECTION, end = elf.shoff + table;

    if (!elf.ours || elf.shentsize != SECTION || !elf.shnum
        || !jw_within(elf.shoff, table, SIM_MAX_IMAGE))
        return false;
    for (unsigned i = 0; i < elf.shnum; i++) {
        const uint8_t *h = p + elf.shoff + (uint64_t)i * SECTION;
        uint64_t at = jw_le64(h + 24), n = jw_le32(h + 4) == 8 ? 0 : jw_le64(h + 32);

        if (!jw_within(at, n, SIM_MAX_IMAGE))
            return false;
        end = jw_max(end, at + n);
    }
    *size = (size_t)end;
    return true;
}

static bool image_size(const void *image, size_t *size)
{
    const uint8_t *p = unwrap(image);

    if (is_fatbin(p)) {
        uint64_t n = jw_le64(p + 8);

        *size = (size_t)(n + JW_FAT_HEADER);
        return n <= JW_MAX_FAT_SIZE;
    }
    if (is_elf(p))
        return elf_size(p, size);
    *size = strnlen((const char *)p, SIM_MAX_IMAGE) + 1;
    return *size > 1 && *size <= SIM_MAX_IMAGE;
}

void sim_image_free(struct sim_image *i)
{
    jw_buf_free(&i->bytes);
    jw_free(i->options);
    *i = (struct sim_image){0};
}

/* ---- cubins ---- */

/* What is read, and for whom: a module, or an input of the device linker, whose machine code is
 * relocatable. */
struct reading {
    const struct sim_config *c;
    unsigned sm;
    bool input;
};

static int check_cubin(const struct reading *x, struct jw_bytes code, int foreign)
{
    struct jw_source src = jw_source_memory(&code);
    struct jw_elf elf = jw_elf_header(code);
    struct jw_arena a = {0};
    struct jw_cubin cubin;
    struct jw_err err = {0};
    int r = CU_INVALID_IMAGE;

    if (elf.ours && elf.machine == JW_EM_CUDA && jw_cubin_read(&src, &elf, &a, &cubin, &err))
        r = jw_sass_runs(cubin.target, x->sm) ? CU_OK : foreign;
    jw_arena_free(&a);
    return r;
}

/* ---- PTX ---- */

/* As much of a compiler as a stand-in has: braces that match, and nothing but text. */
static bool well_formed(struct jw_bytes text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = text.p[i];

        if (c == '/' && i + 1 < text.n && text.p[i + 1] == '/') {
            const uint8_t *line = memchr(text.p + i, '\n', text.n - i);

            i = line ? (size_t)(line - text.p) : text.n;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && depth-- == 0) {
            return false;
        } else if (c < '\t' || (c > '\r' && c < ' ')) {
            return false;
        }
    }
    return depth == 0;
}

static int check_ptx(const struct sim_config *c, struct jw_bytes text, unsigned sm)
{
    struct jw_ptx ptx;
    struct jw_err err = {0};

    if (!jw_ptx_read(text, &ptx, &err))
        return CU_INVALID_PTX;
    if (ptx.major > c->isa_major || (ptx.major == c->isa_major && ptx.minor > c->isa_minor))
        return CU_UNSUPPORTED_PTX_VERSION;
    if (!jw_ptx_compiles(ptx.target, sm))
        return CU_NO_BINARY_FOR_GPU;
    return well_formed(text) ? CU_OK : CU_INVALID_PTX;
}

static int take_ptx(const struct sim_config *c, struct jw_bytes text, unsigned sm,
                    struct sim_image *out)
{
    int r = check_ptx(c, text, sm);

    out->ptx = true;
    if (c->disable_ptx && r == CU_UNSUPPORTED_PTX_VERSION)
        r = CU_JIT_COMPILATION_DISABLED;
    if (r == CU_OK)
        jw_buf_add(&out->bytes, text.p, text.n);
    return r;
}

static int take_text(const struct sim_config *c, const char *text, size_t size, unsigned sm,
                     struct sim_image *out)
{
    size_t n = strnlen(text, size), head = n < PROBE ? n : PROBE;
    struct jw_bytes whole = {(const uint8_t *)text, n};

    for (size_t i = 0; i < head; i++)
        if ((uint8_t)text[i] < '\t' || (uint8_t)text[i] > 0x7e)
            return CU_INVALID_IMAGE;
    if (!n)
        return CU_INVALID_IMAGE;
    out->nuls = 1;
    return take_ptx(c, whole, sm, out);
}

/* ---- containers ---- */

static size_t text_end(struct jw_bytes b)
{
    const uint8_t *nul = memchr(b.p, '\0', b.n);

    return nul ? (size_t)(nul - b.p) : b.n;
}

/* The driver puts one NUL behind those of an unpacked payload; a raw one is taken as stored,
 * padding and all. */
static int take_entry(const struct reading *x, const struct jw_source *src,
                      const struct jw_fat_entry *e, struct sim_image *out)
{
    struct jw_buf plain = JW_BUF(SIM_MAX_IMAGE);
    struct jw_err err = {0};
    int r = CU_INVALID_IMAGE;

    if ((e->flags & JW_FAT_ZSTD) && x->c->branch < JW_ZSTD_FIRST_BRANCH)
        return CU_INVALID_PTX;
    if (jw_fat_unpack(src, e, jw_sink_buf(&plain), &err) && plain.n && !plain.bad) {
        if (e->kind == JW_KIND_ELF) {
            r = check_cubin(x, jw_buf_bytes(&plain), CU_INVALID_SOURCE);
            if (r == CU_OK)
                jw_buf_add(&out->bytes, plain.p, plain.n);
        } else {
            size_t n = text_end(jw_buf_bytes(&plain));

            out->nuls = (unsigned)(plain.n - n) + (e->packed ? 1 : 0);
            r = take_ptx(x->c, (struct jw_bytes){plain.p, n}, x->sm, out);
        }
    }
    jw_buf_free(&plain);
    return r;
}

/* CUDA_FORCE_PTX_JIT leaves machine code out before the choice. */
static void drop_elf(struct jw_fats *fats)
{
    struct jw_fat *fat = &fats->list[0];
    size_t kept = fat->first;

    for (size_t i = fat->first; i < fat->first + fat->n; i++)
        if (fats->entries[i].kind != JW_KIND_ELF)
            fats->entries[kept++] = fats->entries[i];
    fat->n = kept - fat->first;
}

static int choose_entry(const struct reading *x, const struct jw_source *src, struct jw_fats *fats,
                        struct sim_image *out)
{
    struct jw_driver_limits any = {0};

    if (x->c->force_ptx)
        drop_elf(fats);
    struct jw_choice choice = jw_select(&fats->list[0], fats->entries, x->sm, &any, x->input);

    switch (choice.outcome) {
    case JW_SELECTED_NATIVE:
    case JW_SELECTED_JIT: {
        int r = take_entry(x, src, choice.entry, out);

        if (r == CU_OK)
            out->options = jw_strdup(choice.entry->options);
        return r != CU_OK || out->options ? r : CU_OUT_OF_MEMORY;
    }
    default: return CU_NO_BINARY_FOR_GPU;
    }
}

static int take_fatbin(const struct reading *x, struct jw_bytes image, struct sim_image *out)
{
    struct jw_arena a = {0};
    struct jw_fats fats = {.arena = &a};
    struct jw_source src = jw_source_memory(&image);
    struct jw_window w = {.src = &src};
    struct jw_err err = {0};
    int r = CU_INVALID_IMAGE;

    if (jw_fat_read(&fats, &w, 0, image.n, &err))
        r = choose_entry(x, &src, &fats, out);
    jw_fats_free(&fats);
    jw_arena_free(&a);
    return r;
}

static int read_image(const struct reading *x, const void *image, size_t size,
                      struct sim_image *out)
{
    const struct sim_config *c = x->c;
    const void *p = unwrap(image);
    size_t n = size;
    int r;

    *out = (struct sim_image){.bytes = JW_BUF(SIM_MAX_IMAGE)};
    if ((!n || p != image) && !image_size(p, &n))
        return CU_INVALID_IMAGE;
    if (n >= JW_FAT_HEADER && is_fatbin(p)) {
        r = take_fatbin(x, (struct jw_bytes){p, n}, out);
    } else if (n >= ELF_HEADER && is_elf(p)) {
        r = c->force_ptx ? CU_NO_BINARY_FOR_GPU
                         : check_cubin(x, (struct jw_bytes){p, n}, CU_NO_BINARY_FOR_GPU);
        jw_buf_add(&out->bytes, p, r == CU_OK ? n : 0);
    } else {
        r = take_text(c, p, n, x->sm, out);
    }
    if (r == CU_OK && !out->options)
        out->options = jw_strdup("");
    if (r == CU_OK && (out->bytes.bad || !out->options))
        r = CU_OUT_OF_MEMORY;
    if (r != CU_OK)
        sim_image_free(out);
    return r;
}

int sim_image_read(const struct sim_config *c, const void *image, size_t size, unsigned sm,
                   struct sim_image *out)
{
    return read_image(&(struct reading){c, sm, false}, image, size, out);
}

int sim_image_input(const struct sim_config *c, const void *image, size_t size, unsigned sm,
                    struct sim_image *out)
{
    return read_image(&(struct reading){c, sm, true}, image, size, out);
}
