#include "formats/fatbin.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/fatbin_unpack.h"

#include <string.h>

enum { MAX_STRING = 4096 };

/* PE cuts section names to eight characters. Nothing points at most containers among data: of
 * 18,215 in the .data of cuFFT 12.5 relocations name 16, and of the 12 in its .ldata, from 11 MB
 * on, none: code holds their addresses. */
const struct jw_fat_place *jw_fat_section(const char *name)
{
    static const struct jw_fat_place places[] = {
        {".nv_fatbin", JW_ROLE_CODE},
        {".nv_fatb", JW_ROLE_CODE},
        {"__nv_relfatbin", JW_ROLE_RDC},
        {"__nv_rel", JW_ROLE_RDC},
        {".cask_resource", JW_ROLE_LAZY}, /* cuBLASLt, cuDNN */
        {".cask_re", JW_ROLE_LAZY},
        {".ldata", JW_ROLE_LAZY}, /* cuFFT 12.0 keeps 23,983 containers there */
        {".lrodata", JW_ROLE_LAZY},
        {".data", JW_ROLE_LAZY}, /* cuFFT 12.5 keeps 18,215 there */
    };

    for (size_t i = 0; i < JW_COUNT(places); i++)
        if (strcmp(places[i].section, name) == 0)
            return &places[i];
    return NULL;
}

void jw_fats_free(struct jw_fats *f)
{
    jw_free(f->list);
    jw_free(f->entries);
    *f = (struct jw_fats){.arena = f->arena};
}

static bool in_extension(const struct jw_fat_entry *e, uint64_t off, uint64_t len)
{
    return off >= JW_FAT_ENTRY && jw_within(off, len, e->header);
}

/* Reads the options, a text up to its first NUL. Their descriptor is {u32 at, u32 length}, and
 * many entries have those of the entry before. Machine code has its .nv.compat there. Nobody asks
 * for the identifier. */
static bool entry_strings(struct jw_fats *f, struct jw_window *w, struct jw_fat_entry *e,
                          uint32_t opt_off, uint32_t ident_off, uint32_t ident_len,
                          struct jw_err *err)
{
    const struct jw_fat_entry *before = f->n_entries ? &f->entries[f->n_entries - 1] : NULL;
    char text[MAX_STRING + 1];
    struct jw_bytes near;

    _Static_assert((int)MAX_STRING <= (int)JW_WINDOW, "one read has a string");
    e->options = "";
    e->stray_text = ident_len && !in_extension(e, ident_off, ident_len);
    if (!opt_off || e->kind == JW_KIND_ELF)
        return true;
    if (!in_extension(e, opt_off, 8)) {
        e->stray_text = true;
        return true;
    }
    if (!jw_window_get(w, e->at + opt_off, 8, &near, err))
        return false;
    uint32_t at = jw_le32(near.p);
    uint32_t n = jw_le32(near.p + 4);

    if (!n)
        return true;
    if (n > MAX_STRING || !in_extension(e, at, n)) {
        e->stray_text = true;
        return true;
    }
    if (!jw_window_get(w, e->at + at, n, &near, err))
        return false;
    memcpy(text, near.p, n);
    text[n] = '\0';
    if (before && strcmp(text, before->options) == 0)
        e->options = before->options;
    else if (jw_arena_has_room(f->arena, sizeof text))
        e->options = jw_arena_str(f->arena, text);
    else
        return jw_fail(err, JW_E_LIMIT, "too many option strings to keep");
    return true;
}

static bool entry_shape(const struct jw_fat_entry *e, uint64_t end, struct jw_err *err)
{
    if (e->header < JW_FAT_ENTRY || e->header > JW_MAX_ENTRY_HEADER || e->header % 8)
        return jw_fail(err, JW_E_FORMAT, "has a header of %u bytes (64 to %u, a multiple of 8)",
                       e->header, JW_MAX_ENTRY_HEADER);
    if (!e->stored || e->stored % 8)
        return jw_fail(err, JW_E_FORMAT, "has a payload of %llu bytes (a multiple of 8, not 0)",
                       (unsigned long long)e->stored);
    return jw_within(e->header, e->stored, end - e->at)
           || jw_fail(err, JW_E_FORMAT, "runs past the end of its container");
}

/* Counts parsed headers: damaged containers may share entries that each would walk over. */
static bool count_step(struct jw_fats *f, struct jw_err *err)
{
    if (f->steps >= JW_MAX_FAT_STEPS)
        return jw_fail(
            err, JW_E_LIMIT,
            "fatbin: more than %zu headers looked at; the file is damaged or made to be slow",
            JW_MAX_FAT_STEPS);
    f->steps++;
    return true;
}

static bool read_fat_entry(struct jw_fats *f, struct jw_window *w, uint64_t at, uint64_t end,
                           struct jw_fat_entry *e, struct jw_err *err)
{
    struct jw_bytes raw;

    if (end - at < JW_FAT_ENTRY)
        return jw_fail(err, JW_E_FORMAT, "has %llu bytes (at least 64 are usual)",
                       (unsigned long long)(end - at));
    if (!jw_window_get(w, at, JW_FAT_ENTRY, &raw, err))
        return false;
    *e = (struct jw_fat_entry){.at = at,
                               .kind = jw_le16(raw.p),
                               .header = jw_le32(raw.p + 0x04),
                               .stored = jw_le64(raw.p + 0x08),
                               .packed = jw_le32(raw.p + 0x10),
                               .minor = jw_le16(raw.p + 0x18),
                               .major = jw_le16(raw.p + 0x1a),
                               .flags = jw_le64(raw.p + 0x28),
                               .unpacked = jw_le64(raw.p + 0x38)};
    uint32_t opt_off = jw_le32(raw.p + 0x14);
    uint32_t sm = jw_le32(raw.p + 0x1c);
    uint32_t ident_off = jw_le32(raw.p + 0x20);
    uint32_t ident_len = jw_le32(raw.p + 0x24);

    e->target.sm = sm <= 999 ? (uint16_t)sm : 0;
    if (e->flags & JW_FAT_F)
        e->target.suffix = 'f';
    if (e->flags & JW_FAT_A)
        e->target.suffix = 'a';
    return entry_shape(e, end, err) && entry_strings(f, w, e, opt_off, ident_off, ident_len, err);
}

static bool container_header(struct jw_window *w, uint64_t at, uint64_t limit, uint64_t *first,
                             uint64_t *end, struct jw_err *err)
{
    struct jw_bytes raw;

    if (at > limit || limit - at < JW_FAT_HEADER)
        return jw_fail(err, JW_E_FORMAT, "is cut off in its header");
    if (!jw_window_get(w, at, JW_FAT_HEADER, &raw, err))
        return false;
    uint32_t magic = jw_le32(raw.p);
    uint32_t version = jw_le16(raw.p + 4);
    uint32_t header = jw_le16(raw.p + 6);
    uint64_t size = jw_le64(raw.p + 8);
    unsigned long long bytes = size;

    if (magic != JW_FAT_MAGIC)
        return jw_fail(err, JW_E_FORMAT, "is none (magic 0x%08x)", magic);
    if (version != 1)
        return jw_fail(err, JW_E_FORMAT, "has version %u (only 1 is known)", version);
    if (header < JW_FAT_HEADER || header % 8)
        return jw_fail(err, JW_E_FORMAT, "has a header of %u bytes (16 is usual)", header);
    if (size > JW_MAX_FAT_SIZE)
        return jw_fail(err, JW_E_FORMAT, "claims %llu bytes; no driver loads more than 2 GiB",
                       bytes);
    /* Empty ones are valid: PyTorch 1.4 to 1.9 have two each. */
    if (size % 8 || (size && size < JW_FAT_ENTRY))
        return jw_fail(err, JW_E_FORMAT, "has %llu bytes (0, or 64 and more, a multiple of 8)",
                       bytes);
    if (!jw_within(header, size, limit - at))
        return jw_fail(err, JW_E_FORMAT, "has %llu bytes and runs past the end, 0x%llx", bytes,
                       (unsigned long long)limit);
    *first = at + header;
    *end = *first + size;
    return true;
}

bool jw_fat_read(struct jw_fats *f, struct jw_window *w, uint64_t at, uint64_t limit,
                 struct jw_err *err)
{
    struct jw_fat fat = {.at = at, .first = f->n_entries};
    uint64_t next, end;

    if (!count_step(f, err))
        return false;
    if (!container_header(w, at, limit, &next, &end, err))
        return jw_wrap(err, "fatbin: container at 0x%llx", (unsigned long long)at);
    fat.size = end - at;
    fat.doubtful = next != at + JW_FAT_HEADER;
    while (next < end) {
        struct jw_fat_entry e;

        if (!count_step(f, err))
            goto undo;
        if (!read_fat_entry(f, w, next, end, &e, err)
            || !jw_grow(&f->entries, sizeof e, f->n_entries, &f->cap_entries, JW_MAX_FAT_ENTRIES,
                        err)) {
            (void)jw_wrap(err, "fatbin: entry at 0x%llx", (unsigned long long)next);
            goto undo;
        }
        f->entries[f->n_entries++] = e;
        fat.n++;
        fat.doubtful |= jw_fat_why_unsafe(&e) != NULL;
        fat.unknown |= !jw_fat_known_form(&e);
        next += e.header + e.stored;
    }
    if (!jw_grow(&f->list, sizeof fat, f->n, &f->cap, JW_MAX_FATS, err)) {
        (void)jw_wrap(err, "fatbin: container at 0x%llx", (unsigned long long)at);
        goto undo;
    }
    f->list[f->n++] = fat;
    return true;

undo:
    f->n_entries = fat.first;
    return false;
}

bool jw_fat_add_bare(struct jw_fats *f, struct jw_fat_entry e, struct jw_err *err)
{
    e.flags = JW_FAT_64BIT;
    e.options = "";
    if (!jw_grow(&f->entries, sizeof e, f->n_entries, &f->cap_entries, JW_MAX_FAT_ENTRIES, err)
        || !jw_grow(&f->list, sizeof *f->list, f->n, &f->cap, JW_MAX_FATS, err))
        return false;
    f->entries[f->n_entries] = e;
    f->list[f->n++] = (struct jw_fat){.at = e.at,
                                      .size = e.stored,
                                      .first = f->n_entries++,
                                      .n = 1,
                                      .text = e.kind == JW_KIND_PTX};
    return true;
}

bool jw_fat_known_form(const struct jw_fat_entry *e)
{
    return jw_fat_code_kind(e->kind) < JW_CODE_UNKNOWN
           && (!(e->flags & JW_FAT_PACKED) || jw_packing_of(e->flags));
}

const char *jw_fat_why_unsafe(const struct jw_fat_entry *e)
{
    uint64_t packing = e->flags & JW_FAT_PACKED;

    if (!jw_fat_known_form(e))
        return "is of a form that this jitwarm does not know";
    if (e->target.sm == 0)
        return "is for an architecture number outside of 1 to 999";
    if ((e->flags & JW_FAT_A) && (e->flags & JW_FAT_F))
        return "is marked both architecture-specific and family-specific";
    if (packing && !e->packed)
        return "is marked compressed, but its compressed size is 0";
    if (!packing && e->packed)
        return "has a compressed size, but no compression";
    if (e->packed > e->stored)
        return "has a compressed size larger than its payload";
    if (packing && !e->unpacked)
        return "is marked compressed, but its unpacked size is 0";
    if (e->unpacked > JW_MAX_PLAIN)
        return "claims to unpack to more than 512 MiB";
    if (e->stray_text)
        return "has options or an identifier outside of its header, or options of more than 4,096 "
               "bytes";
    return NULL;
}

enum jw_code_kind jw_fat_code_kind(unsigned kind)
{
    switch (kind) {
    case JW_KIND_PTX: return JW_CODE_PTX;
    case JW_KIND_ELF: return JW_CODE_MACHINE;
    case JW_KIND_NVVM: return JW_CODE_NVVM;
    default: return JW_CODE_UNKNOWN;
    }
}

struct jw_arch_name jw_fat_arch_name(const struct jw_fat_entry *e)
{
    if (e->kind == JW_KIND_PTX)
        return jw_arch_name("compute_", e->target);
    return jw_arch_name(e->kind == JW_KIND_NVVM ? "lto_" : "sm_", e->target);
}
