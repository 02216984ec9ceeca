#include "formats/select.h"

#include "facts/archs.h"
#include "formats/fatbin_unpack.h"

struct jw_driver_limits jw_driver_limits(const char *driver)
{
    unsigned branch = jw_branch_of(driver);
    unsigned isa = jw_driver_isa(branch);

    if (!branch)
        return (struct jw_driver_limits){0};
    return (struct jw_driver_limits){.branch = isa ? branch : JW_BRANCH_TO_COME,
                                     .isa = isa,
                                     .newest_code = (uint16_t)jw_driver_newest_code(branch)};
}

/* The highest target. Of equal ones machine code without .nv.compat, then the first in the file; of
 * PTX the last in the file when made for exactly this device, else the first. driver-fact:
 * F73-highest-wins, F74-ties */
static bool is_better(const struct jw_fat_entry *e, const struct jw_fat_entry *best, unsigned sm)
{
    if (!best)
        return true;
    unsigned a = jw_arch_rank(e->target);
    unsigned b = jw_arch_rank(best->target);
    bool of_equal = e->kind == JW_KIND_PTX
                        ? e->target.sm == sm
                        : !(e->flags & JW_FAT_COMPAT) && (best->flags & JW_FAT_COMPAT);

    return a > b || (a == b && of_equal);
}

struct jw_need jw_needed(const struct jw_fat_entry *e, const struct jw_driver_limits *driver)
{
    const struct jw_packing *packing = jw_packing_of(e->flags);
    struct jw_need need = {0};

    if (e->kind == JW_KIND_PTX)
        need = (struct jw_need){jw_isa_needs_driver(e->major, e->minor), JW_NEED_ISA,
                                e->major * 10U + e->minor, NULL};
    if (driver->newest_code && e->kind == JW_KIND_ELF && e->toolkit > driver->newest_code)
        need = (struct jw_need){JW_CODE_FIRST_BRANCH, JW_NEED_TOOLKIT, e->toolkit, NULL};
    if (packing && packing->first_branch > need.branch)
        need = (struct jw_need){packing->first_branch, JW_NEED_PACKING, 0, packing->name};
    if (e->kind == JW_KIND_ELF && e->major == 1 && e->minor >= 8 && e->target.sm < 100
        && JW_CUDA_13_FIRST_BRANCH > need.branch)
        need = (struct jw_need){JW_CUDA_13_FIRST_BRANCH, JW_NEED_CUDA_13, 0, NULL};
    return need;
}

bool jw_looks_like_stub(const struct jw_fat *fat, const struct jw_fat_entry *entries)
{
    uint64_t plain = 0;

    for (size_t i = 0; i < fat->n; i++) {
        if (entries[fat->first + i].kind != JW_KIND_ELF)
            return false;
        plain += jw_fat_plain(&entries[fat->first + i]);
    }
    return plain < JW_STUB_BYTES && fat->wrapper != 1;
}

/* The items that fit a device. */
struct fitting {
    const struct jw_fat_entry *elf, *ptx;
    const struct jw_fat_entry *unnamed; /* of an architecture that only newer drivers know */
    bool nvvm, bare, unknown;
};

/* A driver passes over an item of an architecture that its newest ISA cannot name, or of a number
 * that no architecture has. The first four, of before 2010, each driver knows. driver-fact:
 * F111-unnamed */
static bool can_name(const struct jw_driver_limits *driver, unsigned sm)
{
    if (!driver->isa || (sm >= 10 && sm <= 13))
        return true;
    const struct jw_arch_fact *arch = jw_arch_find(sm);

    return arch && arch->isa_major * 10U + arch->isa_minor <= driver->isa;
}

static struct fitting find_fitting(const struct jw_fat *fat, const struct jw_fat_entry *entries,
                                   unsigned sm, const struct jw_driver_limits *driver)
{
    struct fitting f = {.unknown = fat->unknown};

    for (size_t i = 0; i < fat->n; i++) {
        const struct jw_fat_entry *e = &entries[fat->first + i];

        f.bare |= e->header == 0;
        f.nvvm |= e->kind == JW_KIND_NVVM;
        bool elf = e->target.sm && e->kind == JW_KIND_ELF && jw_sass_runs(e->target, sm);
        bool ptx = e->target.sm && e->kind == JW_KIND_PTX && jw_ptx_compiles(e->target, sm);

        if ((elf || ptx) && !can_name(driver, e->target.sm))
            f.unnamed = jw_arch_find(e->target.sm) ? e : f.unnamed;
        else if (elf && is_better(e, f.elf, sm))
            f.elf = e;
        else if (ptx && is_better(e, f.ptx, sm))
            f.ptx = e;
    }
    return f;
}

/* driver-fact: F72-sass-beats-ptx, F75-no-fallback, F89-link-inputs, F100-no-mark-of-64-bits */
struct jw_choice jw_select(const struct jw_fat *fat, const struct jw_fat_entry *entries,
                           unsigned sm, const struct jw_driver_limits *driver, bool linked)
{
    const struct fitting f = find_fitting(fat, entries, sm, driver);
    struct jw_choice c = {JW_SELECTED_BLOCKED, f.unnamed};

    if (f.elf)
        c = (struct jw_choice){JW_SELECTED_NATIVE, f.elf};
    else if (f.ptx)
        c = (struct jw_choice){JW_SELECTED_JIT, f.ptx};
    if (fat->role == JW_ROLE_RDC && !linked)
        return (struct jw_choice){JW_SELECTED_RDC, c.entry};
    if (!f.elf && !f.ptx && !linked && jw_looks_like_stub(fat, entries) && !fat->kernels && !f.bare)
        return (struct jw_choice){JW_SELECTED_STUB, NULL};
    if (f.unknown && !(f.elf && jw_fat_known_form(f.elf)))
        return (struct jw_choice){JW_SELECTED_UNKNOWN, NULL};
    if (!c.entry)
        c.outcome = f.nvvm ? JW_SELECTED_LTO : JW_SELECTED_NONE;
    else if (driver->branch && jw_needed(c.entry, driver).branch > driver->branch)
        c.outcome = JW_SELECTED_BLOCKED;
    return c;
}
