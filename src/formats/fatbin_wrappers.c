/* Registration records, in .nvFatBinSegment: which containers a program registers, and as what.
 *
 *   wrapper   u32 magic 0x466243B1   u32 version (1 code, 2 a result of the device linker)
 *             u64 address of the container
 *             u64 address of a list of inputs, which the program fills while it starts (version 2)
 *
 * In a program that may be loaded anywhere the addresses may be zero in the file: relocations hold
 * them, in .rela.dyn. Linkers sort those by the place that they change, so that the ones of this
 * section are found by halves; where they are not sorted, some are not found, and those containers
 * count as not registered. */
#include "formats/fatbin.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"

enum { X86_64_RELATIVE = 8, AARCH64_RELATIVE = 0x403, DATA = 8, PER_WRAPPER = 3 };

struct labelling {
    struct jw_fats *fats;
    const struct jw_section *segment;
    const struct jw_sections *sections;
    uint64_t n;        /* records */
    uint8_t *versions; /* of each; 0: it is no wrapper */
    struct jw_window window;
};

static bool mark(const struct labelling *l, uint8_t version, uint64_t addr)
{
    uint64_t at;
    struct jw_fat *fat =
        jw_section_translate(l->sections, addr, &at) ? jw_fat_at(l->fats, at) : NULL;

    if (fat)
        fat->wrapper = version;
    return fat != NULL;
}

bool jw_relocation_read(struct jw_window *w, const struct jw_section *rela, uint64_t i,
                        struct jw_relocation *out, struct jw_err *err)
{
    struct jw_bytes raw;

    if (!jw_window_get(w, rela->at + i * JW_RELOCATION, JW_RELOCATION, &raw, err))
        return false;
    uint64_t kind = jw_le64(raw.p + 8);
    bool relative = kind == X86_64_RELATIVE || kind == AARCH64_RELATIVE;

    *out = (struct jw_relocation){jw_le64(raw.p), relative ? jw_le64(raw.p + 16) : 0};
    return true;
}

/* The first relocation of the segment, by halves. */
static bool find_first(struct labelling *l, const struct jw_section *rela, uint64_t n,
                       uint64_t *first, struct jw_err *err)
{
    uint64_t low = 0;
    uint64_t high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct jw_relocation r;

        if (!jw_relocation_read(&l->window, rela, middle, &r, err))
            return false;
        if (r.place < l->segment->addr)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    return true;
}

static bool label_relocated(struct labelling *l, struct jw_err *err)
{
    const struct jw_section *rela = jw_section_named(l->sections, ".rela.dyn");
    uint64_t n = rela && l->segment->addr ? rela->size / JW_RELOCATION : 0;
    uint64_t left = l->n * PER_WRAPPER; /* however many a hostile file has */
    struct jw_relocation r;
    uint64_t i;

    if (!find_first(l, rela, n, &i, err))
        return false;
    for (; i < n && left; i++, left--) {
        if (!jw_relocation_read(&l->window, rela, i, &r, err))
            return false;
        uint64_t at = r.place - l->segment->addr;

        if (r.place < l->segment->addr || at / JW_FAT_WRAPPER >= l->n)
            return true;
        uint8_t version = l->versions[at / JW_FAT_WRAPPER];

        if (at % JW_FAT_WRAPPER == DATA && r.addr && version)
            (void)mark(l, version, r.addr);
    }
    return true;
}

/* Reads all records. `*unknown`: the address in one leads to no container. */
static bool label_direct(struct labelling *l, bool *unknown, struct jw_err *err)
{
    for (uint64_t i = 0; i < l->n; i++) {
        struct jw_bytes raw;

        if (!jw_window_get(&l->window, l->segment->at + i * JW_FAT_WRAPPER, JW_FAT_WRAPPER, &raw,
                           err))
            return false;
        uint32_t version = jw_le32(raw.p) == JW_FAT_WRAPPER_MAGIC ? jw_le32(raw.p + 4) : 0;

        l->versions[i] = version <= 2 ? (uint8_t)version : 0;
        *unknown |= l->versions[i] && !mark(l, l->versions[i], jw_le64(raw.p + DATA));
    }
    return true;
}

bool jw_fat_wrappers(struct jw_fats *f, const struct jw_source *src,
                     const struct jw_sections *sections, struct jw_err *err)
{
    const struct jw_section *whole = jw_section_named(sections, ".nvFatBinSegment");
    const struct jw_section *segment = whole ? whole : jw_section_named(sections, ".nvFatBi");

    if (!segment)
        return true;
    uint64_t max = jw_min(JW_MAX_WRAPPERS, JW_MAX_WRAPPER_STEPS / (sections->n + 1));
    struct labelling l = {.fats = f,
                          .segment = segment,
                          .sections = sections,
                          .n = jw_min(segment->size / JW_FAT_WRAPPER, max),
                          .window = {.src = src}};
    bool unknown = false;

    l.versions = jw_alloc((size_t)l.n);
    bool ok = label_direct(&l, &unknown, err) && (!unknown || label_relocated(&l, err));

    jw_free(l.versions);
    return ok;
}
