#include "formats/image.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "formats/ar.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "formats/fatbin_unpack.h"
#include "formats/host.h"
#include "formats/pe.h"
#include "formats/ptx.h"
#include "formats/ptx_strings.h"
#include "formats/select.h"
#include "formats/zip.h"

#include <stdio.h>
#include <string.h>

/* One image, or one member of an archive. */
struct part {
    const struct jw_source *src;
    const char *name, *member;
    uint64_t base; /* position of the member in its archive */
    struct jw_image_options options;
    struct jw_image *image;
};

const char *jw_format_name(enum jw_format f)
{
    static const char *const names[] = { "none",   "elf",   "pe",  "ar",    "coff",
                                         "fatbin", "cubin", "ptx", "wheel", "zstd" };

    return names[f];
}

enum jw_format jw_image_sniff(struct jw_bytes head, uint64_t size, const char *name)
{
    if (head.n < 16)
        return head.n && jw_text_ends(name, ".ptx") ? JW_FORMAT_PTX : JW_FORMAT_NONE;
    if (jw_starts(head, "\177ELF")) {
        struct jw_elf elf = jw_elf_header(head);

        return !elf.ours ? JW_FORMAT_NONE : elf.machine == JW_EM_CUDA ? JW_FORMAT_CUBIN : JW_FORMAT_ELF;
    }
    if (jw_starts(head, "MZ"))
        return JW_FORMAT_PE;
    if (jw_le32(head.p) == JW_FAT_MAGIC)
        return JW_FORMAT_FATBIN;
    if (jw_ar_magic(head))
        return JW_FORMAT_AR;
    if (jw_zip_magic(head))
        return JW_FORMAT_WHEEL;
    if (jw_starts(head, "\050\265\057\375")
        && (jw_text_ends(name, ".cubin.zst") || jw_text_ends(name, ".ptx.zst")
            || jw_text_ends(name, ".fatbin.zst")))
        return JW_FORMAT_ZSTD;
    if (jw_text_ends(name, ".ptx") || jw_ptx_plausible(head))
        return JW_FORMAT_PTX;
    if ((jw_text_ends(name, ".obj") || jw_text_ends(name, ".o")) && jw_coff_plausible(head, size))
        return JW_FORMAT_COFF;
    return JW_FORMAT_NONE;
}

/* A file with one piece of code, as if it were in a container. */
static bool add_bare(const struct part *p, struct jw_fat_entry e, enum jw_role role, struct jw_err *err)
{
    struct jw_fats *f = &p->image->fats;

    e.stored = p->src->size;
    e.flags = JW_FAT_64BIT;
    e.options = e.identifier = "";
    if (!jw_grow(&f->entries, sizeof e, f->n_entries, &f->cap_entries, JW_MAX_FAT_ENTRIES, err)
        || !jw_grow(&f->list, sizeof *f->list, f->n, &f->cap, JW_MAX_FATS, err))
        return false;
    f->entries[f->n_entries] = e;
    f->list[f->n++] =
        (struct jw_fat){ .size = p->src->size, .section = "", .first = f->n_entries, .n = 1, .role = role };
    f->n_entries++;
    return true;
}

static bool scan_cubin(const struct part *p, struct jw_bytes head, struct jw_err *err)
{
    const struct jw_elf elf = jw_elf_header(head);
    struct jw_arena names = { 0 };
    struct jw_cubin c;
    bool ok = jw_cubin_read(p->src, &elf, &names, &c, err);

    jw_arena_free(&names);
    if (!ok)
        return false;
    struct jw_fat_entry e = { .kind = JW_KIND_ELF,
                              .major = 1,
                              .minor = c.new_layout ? 8 : 7,
                              .target = c.target,
                              .toolkit = (uint16_t)jw_min(elf.version, UINT16_MAX) };

    return add_bare(p, e, c.relocatable ? JW_ROLE_RDC : JW_ROLE_CODE, err);
}

static bool scan_ptx(const struct part *p, struct jw_err *err)
{
    size_t n = (size_t)jw_min(p->src->size, JW_MAX_PTX_HEAD);
    uint8_t *head = jw_alloc(n);
    struct jw_ptx ptx;
    bool ok = jw_source_read(p->src, 0, head, n, err);

    ok = ok && jw_ptx_read((struct jw_bytes){ head, n }, &ptx, err);
    jw_free(head);
    if (!ok)
        return false;
    struct jw_fat_entry e = {
        .kind = JW_KIND_PTX, .major = ptx.major, .minor = ptx.minor, .target = ptx.target
    };

    return add_bare(p, e, JW_ROLE_CODE, err);
}

/* Moves the counters of the whole file to or from the list of a part. */
static void go_on(struct jw_fats *to, const struct jw_fats *from)
{
    to->steps = from->steps;
    to->searched = from->searched;
    to->search_truncated = from->search_truncated;
}

static bool append_fats(struct jw_fats *to, const struct jw_fats *from, struct jw_err *err)
{
    size_t shift = to->n_entries;

    for (size_t i = 0; i < from->n_entries; i++) {
        if (!jw_grow(&to->entries, sizeof *to->entries, to->n_entries, &to->cap_entries, JW_MAX_FAT_ENTRIES,
                     err))
            return false;
        to->entries[to->n_entries++] = from->entries[i];
    }
    for (size_t i = 0; i < from->n; i++) {
        if (!jw_grow(&to->list, sizeof *to->list, to->n, &to->cap, JW_MAX_FATS, err))
            return false;
        to->list[to->n] = from->list[i];
        to->list[to->n++].first += shift;
    }
    return true;
}

static bool scan_sections(const struct part *p, const struct jw_sections *sections, struct jw_err *err)
{
    struct jw_host host = { .src = p->src,
                            .sections = sections,
                            .fats = &p->image->fats,
                            .problems = &p->image->problems,
                            .samples = p->options.samples,
                            .embedded = p->options.embedded };
    bool ok = jw_host_find(&host, err);

    if (ok)
        jw_fats_sort(&p->image->fats);
    if (ok && p->options.embedded)
        ok = jw_ptx_strings(&p->image->fats, p->src, sections, host.samples ? JW_SMALL_DATA : UINT64_MAX,
                            &p->image->ptx_pieces, &p->image->problems, err);
    if (ok)
        jw_fats_sort(&p->image->fats);
    return ok && jw_host_label(&host, err);
}

/* Frees the section names: each archive member may have a megabyte of them. */
static bool scan_by_sections(const struct part *p, enum jw_format format, struct jw_bytes head,
                             struct jw_err *err)
{
    const struct jw_elf elf = jw_elf_header(head);
    struct jw_arena names = { 0 };
    struct jw_sections sections = { 0 };
    bool ours = true, ok;

    if (format == JW_FORMAT_ELF)
        ok = jw_elf_sections(p->src, &elf, &names, &sections, err);
    else if (format == JW_FORMAT_PE)
        ok = jw_pe_sections(p->src, &names, &sections, &ours, err);
    else
        ok = jw_coff_sections(p->src, &names, &sections, err);
    if (ok && !ours)
        p->image->format = JW_FORMAT_NONE;
    jw_sections_sort(&sections);
    ok = ok && (!ours || scan_sections(p, &sections, err));
    jw_sections_free(&sections);
    jw_arena_free(&names);
    return ok;
}

static bool scan_archive(const struct part *p, struct jw_err *err);

static bool scan_part(const struct part *p, enum jw_format format, struct jw_bytes head, struct jw_err *err)
{
    switch (format) {
    case JW_FORMAT_ELF:
    case JW_FORMAT_PE:
    case JW_FORMAT_COFF: return scan_by_sections(p, format, head, err);
    case JW_FORMAT_CUBIN: return scan_cubin(p, head, err);
    case JW_FORMAT_PTX: return scan_ptx(p, err);
    case JW_FORMAT_FATBIN:
        return jw_fat_walk(&p->image->fats, p->src,
                           (struct jw_range){ 0, p->src->size, "", JW_ROLE_CODE, JW_SECTION_CONTAINERS },
                           &p->image->problems, err);
    case JW_FORMAT_AR: return scan_archive(p, err);
    default: return true;
    }
}

static bool sniff(const struct jw_source *src, uint8_t head[JW_SNIFF], struct jw_bytes *out,
                  struct jw_err *err)
{
    *out = (struct jw_bytes){ head, (size_t)jw_min(JW_SNIFF, src->size) };
    return jw_source_read(src, 0, head, out->n, err);
}

/* Converts the positions of containers from the member to the archive. */
static void place_in_archive(const struct part *p, struct jw_fats *f)
{
    for (size_t i = 0; i < f->n; i++) {
        f->list[i].at += p->base;
        f->list[i].member = p->member;
    }
    for (size_t i = 0; i < f->n_entries; i++)
        f->entries[i].at += p->base;
}

/* A malformed member is a problem of the archive, and the next one is read. A read error ends it. */
static bool scan_member(const struct part *archive, const struct jw_ar_member *m, struct jw_err *err)
{
    struct jw_source src;
    uint8_t raw[JW_SNIFF];
    struct jw_bytes head;
    struct jw_image *image = archive->image;
    struct jw_fats all = image->fats;
    struct part p = { &src, m->name, m->name, archive->base + m->at, archive->options, image };

    if (!jw_source_window(archive->src, m->at, m->size, &src, err) || !sniff(&src, raw, &head, err))
        return false;
    enum jw_format format = jw_image_sniff(head, m->size, m->name);

    if (format == JW_FORMAT_NONE && jw_coff_plausible(head, m->size))
        format = JW_FORMAT_COFF;
    if (format == JW_FORMAT_AR || format == JW_FORMAT_WHEEL)
        return true;
    image->fats = (struct jw_fats){ .arena = all.arena };
    go_on(&image->fats, &all);
    image->problems.prefix = m->name;
    bool ok = scan_part(&p, format, head, err);

    image->problems.prefix = NULL;
    image->format = JW_FORMAT_AR;
    if (!ok && err->code == JW_E_FORMAT) {
        jw_problem(&image->problems, "%.100s: %s", m->name, err->msg);
        ok = true;
    }
    place_in_archive(&p, &image->fats);
    go_on(&all, &image->fats);
    ok = ok && append_fats(&all, &image->fats, err);
    jw_fats_free(&image->fats);
    image->fats = all;
    return ok;
}

static bool scan_archive(const struct part *p, struct jw_err *err)
{
    struct jw_ar ar = jw_ar_open(p->src, &p->image->arena);
    struct jw_ar_member m;
    bool more = true;

    while (more) {
        if (!jw_ar_next(&ar, &m, &more, err))
            return false;
        if (!more)
            break;
        if (!scan_member(p, &m, err))
            return false;
    }
    return true;
}

/* The device linker's empty result has no kernel; a small library that it linked has one. */
static bool look_into_stubs(const struct jw_source *src, struct jw_fats *f, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < f->n; i++) {
        struct jw_fat *fat = &f->list[i];
        struct jw_buf plain = JW_BUF(JW_STUB_BYTES);

        if (fat->n == 0 || fat->role != JW_ROLE_CODE || !jw_looks_like_stub(fat, f->entries))
            continue;
        ok = jw_fat_unpack(src, &f->entries[fat->first], jw_sink_buf(&plain), err);
        fat->kernels = ok && jw_find(jw_buf_bytes(&plain), JW_BYTES(".text.")) < plain.n;
        ok |= err->code == JW_E_FORMAT; /* damaged: counts as a stub */
        jw_buf_free(&plain);
    }
    return ok;
}

bool jw_image_scan(const struct jw_source *src, const char *name, struct jw_image_options options,
                   struct jw_image *out, struct jw_err *err)
{
    uint8_t raw[JW_SNIFF];
    struct jw_bytes head;
    struct part p = { src, name, NULL, 0, options, out };

    *out = (struct jw_image){ .arena = { .max = JW_MAX_IMAGE_TEXT }, .text = { .max = JW_MAX_FAT_TEXT } };
    out->fats.arena = &out->text;
    out->problems.arena = &out->arena;
    if (!sniff(src, raw, &head, err))
        return false;
    out->format = jw_image_sniff(head, src->size, name);
    if (scan_part(&p, out->format, head, err) && look_into_stubs(src, &out->fats, err)) {
        if (out->fats.search_truncated)
            jw_problem(&out->problems,
                       "the search for code stopped after %llu GiB; the rest was not searched",
                       (unsigned long long)(JW_MAX_FAT_SEARCH >> 30));
        return true;
    }
    return false;
}

void jw_image_free(struct jw_image *image)
{
    jw_fats_free(&image->fats);
    jw_arena_free(&image->arena);
    jw_arena_free(&image->text);
    *image = (struct jw_image){ 0 };
}
