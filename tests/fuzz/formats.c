#include "base/buf.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "formats/fatbin.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/inflate.h"
#include "formats/pe.h"
#include "formats/ptx.h"
#include "formats/ptx_strings.h"
#include "formats/select.h"
#include "formats/zip.h"
#include "fuzz.h"

#include <isa-l/crc.h>

/* ---- cubin ---- */

FUZZ(cubin)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    FREED(jw_arena) arena = {0};
    struct jw_cubin cubin;
    struct jw_err err = {0};

    if (!elf.ours)
        return;
    bool ok = jw_cubin_read(&src, &elf, &arena, &cubin, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok
               || (cubin.target.sm && (cubin.target.suffix == '\0' || cubin.target.suffix == 'a')));
}

/* ---- elf ---- */

FUZZ(elf)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_elf elf = jw_elf_header(bytes);
    FREED(jw_arena) arena = {0};
    struct jw_sections sections = {0};
    struct jw_err err = {0};
    uint64_t at;

    if (!elf.ours)
        return;
    bool ok = jw_elf_sections(&src, &elf, &arena, &sections, &err);

    fuzz_error(ok, &err);
    jw_sort_u64(sections.list, sections.n, sizeof *sections.list);
    for (size_t i = 0; ok && i < sections.n; i++) {
        const struct jw_section *s = &sections.list[i];

        FUZZ_CHECK(s->name && jw_within(s->at, s->size, size));
        if (jw_section_translate(&sections, s->addr, &at))
            FUZZ_CHECK(at < size);
        (void)jw_section_named(&sections, s->name);
    }
    const char **names = NULL;
    size_t n = 0;
    bool listed = ok && jw_elf_needed(&src, &sections, &arena, &names, &n, &err);

    for (size_t i = 0; listed && i < n; i++)
        FUZZ_CHECK(strlen(names[i]) < 256);
}

/* ---- fatbin ---- */

/* A range with containers in it: walked in every way, selected for several devices, unpacked. */

enum { MAX_PLAIN = 1 << 16, MAX_ENTRIES = 8 };

static void check_fat_entry(const struct jw_source *src, const struct jw_fat_entry *e)
{
    uint64_t sum = 0;
    struct jw_err err = {0};

    FUZZ_CHECK(e->header >= JW_FAT_ENTRY
               && jw_within(e->at, (uint64_t)e->header + e->stored, src->size));
    FUZZ_CHECK(e->options && jw_fat_code_kind(e->kind) <= JW_CODE_UNKNOWN);
    (void)jw_fat_arch_name(e);
    (void)jw_fat_why_unsafe(e);
    if (jw_fat_plain(e) <= MAX_PLAIN) {
        struct jw_fat_entry one = *e;

        fuzz_error(jw_fat_unpack(src, e, (struct jw_sink){fuzz_put, &sum}, &err), &err);
        fuzz_error(jw_fat_check(src, &one, &err), &err);
        fuzz_error(jw_fat_toolkit(src, &one, &err), &err);
    }
}

static void check_container(const struct jw_source *src, const struct jw_fats *f,
                            const struct jw_fat *fat)
{
    static const unsigned devices[] = {61, 75, 86, 90, 103, 121};
    static const struct jw_driver_limits unknown, old = {.branch = 470, .isa = 74};

    FUZZ_CHECK(fat->first + fat->n <= f->n_entries && jw_within(fat->at, fat->size, src->size));
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct jw_choice c = jw_select(fat, f->entries, devices[i], i % 2 ? &old : &unknown, false);

        FUZZ_CHECK(
            !c.entry
            || (c.entry >= f->entries + fat->first && c.entry < f->entries + fat->first + fat->n));
    }
    for (size_t i = 0; i < fat->n && i < MAX_ENTRIES; i++)
        check_fat_entry(src, &f->entries[fat->first + i]);
}

static void walk(const struct jw_source *src, bool among_data, bool check)
{
    FREED(jw_arena) arena = {.max = 1 << 20};
    FREED(jw_fats) fats = {.arena = &arena};
    struct jw_problems problems = {.arena = &arena};
    FREED(jw_ptx_heads) heads = {.src = src};
    const struct jw_sections none = {0};
    struct jw_range range = {.end = src->size, .among_data = among_data};
    struct jw_err err = {0};

    range.heads = check ? NULL : &heads;
    bool ok = jw_fat_walk(&fats, src, range, &problems, &err)
              && jw_ptx_strings(&fats, &heads, &none, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; i < fats.n && i < MAX_ENTRIES; i++)
        if (check)
            check_container(src, &fats, &fats.list[i]);
}

FUZZ(fatbin)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);

    walk(&src, false, true);
    walk(&src, true, size && data[size - 1] & 1);
}

/* ---- image ---- */

/* A whole file, as scan sees it, and NVIDIA's own; its name makes PTX of what has no magic. */

static void scan_image(const struct jw_source *src, const char *name, bool embedded)
{
    FREED(jw_image) image;
    struct jw_err err = {0};
    uint64_t end = 0;
    bool ok = jw_image_scan(src, name, embedded, &image, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < image.fats.n; i++) {
        const struct jw_fat *f = &image.fats.list[i];

        FUZZ_CHECK(f->at >= end && jw_within(f->at, f->size, src->size));
        FUZZ_CHECK(f->first + f->n <= image.fats.n_entries);
        end = f->at + f->size;
    }
    for (size_t i = 0; i < image.problems.n; i++)
        FUZZ_CHECK(image.problems.text[i][0]);
}

/* As a member of a wheel it holds the same. */
static void scan_deflated(const uint8_t *data, size_t size)
{
    enum { BLOCK = 65535 };
    struct jw_bytes bytes = {data, size};
    FREED(jw_buf) packed = JW_BUF(2 * size + 64);
    struct jw_inflate *z = jw_inflate_new();
    struct jw_source plain = jw_source_memory(&bytes);
    FREED(jw_image) a, b;
    struct jw_err err;

    for (size_t at = 0; at < size; at += BLOCK) {
        size_t n = size - at < BLOCK ? size - at : BLOCK;
        uint8_t head[5] = {at + n == size, n & 0xff, (uint8_t)(n >> 8), ~n & 0xff,
                           (uint8_t)(~n >> 8)};

        jw_buf_add(&packed, head, sizeof head);
        jw_buf_add(&packed, data + at, n);
    }
    struct jw_bytes stream = jw_buf_bytes(&packed);
    struct jw_source src = jw_source_memory(&stream);

    const struct jw_zip_member m = {.plain = size, .crc = crc32_gzip_refl(0, data, size)};

    src = jw_inflate_source(z, &src, &m);
    bool ok = jw_image_scan(&plain, "x.so", false, &a, &err);

    FUZZ_CHECK(ok == jw_image_scan(&src, "x.so", false, &b, &err));
    FUZZ_CHECK(!ok || (a.fats.n == b.fats.n && a.fats.n_entries == b.fats.n_entries));
    for (size_t i = 0; ok && i < a.fats.n; i++)
        FUZZ_CHECK(a.fats.list[i].at == b.fats.list[i].at && a.fats.list[i].n == b.fats.list[i].n);
    for (size_t i = 0; ok && i < a.fats.n_entries; i++)
        FUZZ_CHECK(a.fats.entries[i].at == b.fats.entries[i].at
                   && strcmp(a.fats.entries[i].options, b.fats.entries[i].options) == 0);
    jw_inflate_free(z);
}

FUZZ(image)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);

    scan_image(&src, "x.so", false);
    scan_image(&src, "x.ptx", true);
    scan_deflated(data, size);
}

/* ---- pe ---- */

static void check_sections(const struct jw_sections *s, size_t size)
{
    for (size_t i = 0; i < s->n; i++)
        FUZZ_CHECK(s->list[i].name && s->list[i].size
                   && jw_within(s->list[i].at, s->list[i].size, size));
}

FUZZ(pe)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_arena) arena = {0};
    struct jw_sections image = {0};
    struct jw_err err = {0};
    bool ours = false;
    bool ok = jw_pe_sections(&src, &arena, &image, &ours, &err);

    fuzz_error(ok, &err);
    if (ok)
        check_sections(&image, size);
}

/* ---- ptx ---- */

FUZZ(ptx)
{
    struct jw_bytes text = {data, size};
    struct jw_ptx ptx;
    struct jw_err err = {0};
    bool ok = jw_ptx_read(text, &ptx, &err);

    fuzz_error(ok, &err);
    FUZZ_CHECK(!ok || ptx.target.sm);
    (void)jw_ptx_is_optix(text);
    (void)jw_ptx_plausible((struct jw_bytes){data, size < 64 ? size : 64});
}

/* ---- zip ---- */

/* The directory, and each member's bytes: forward, then back to the middle. */

enum { MAX_OF_MEMBER = 64 * 1024, MEMBERS = 4 };

static void read_all_of(const struct jw_source *data)
{
    uint8_t chunk[4096];
    struct jw_err err = {0};
    uint64_t size = data->size < MAX_OF_MEMBER ? data->size : MAX_OF_MEMBER;

    for (uint64_t at = 0; at < size; at += sizeof chunk) {
        bool ok = jw_source_read(
            data, at, chunk, (size_t)(size - at < sizeof chunk ? size - at : sizeof chunk), &err);

        fuzz_error(ok, &err);
        if (!ok)
            break;
    }
    if (size)
        fuzz_error(jw_source_read(data, size / 2, chunk, 1, &err), &err);
}

static void read_member(const struct jw_source *src, const struct jw_zip_member *m)
{
    struct jw_source data;
    struct jw_err err = {0};
    bool ok = jw_zip_data(src, m, &data, &err);

    fuzz_error(ok, &err);
    if (ok && m->method == JW_ZIP_STORED)
        read_all_of(&data);
    if (ok && m->method == JW_ZIP_DEFLATED) {
        struct jw_inflate *z = jw_inflate_new();
        struct jw_source plain = jw_inflate_source(z, &data, m);

        read_all_of(&plain);
        fuzz_error(jw_source_check(&plain, &err), &err);
        jw_inflate_free(z);
    }
}

FUZZ(zip)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_arena) arena = {0};
    struct jw_zip zip = {0};
    struct jw_err err = {0};
    bool ok = jw_zip_open(&zip, &src, &arena, &err);

    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < zip.n && i < MEMBERS; i++) {
        FUZZ_CHECK(zip.list[i].name != NULL);
        read_member(&src, &zip.list[i]);
    }
}
