#include "formats/select.h"

#include "formats/fatbin_unpack.h"

/* Machine code: highest target; then an entry without .nv.compat; then the first in the file.
 * driver-fact: F73-highest-wins, F74-ties */
static bool better_elf(const struct jw_fat_entry *e, const struct jw_fat_entry *best)
{
    if (!best)
        return true;
    unsigned a = jw_arch_rank(e->target), b = jw_arch_rank(best->target);

    return a > b || (a == b && !(e->flags & JW_FAT_COMPAT) && (best->flags & JW_FAT_COMPAT));
}

/* PTX: highest target; equal ones: the last in the file when made for exactly this device, else the first.
 * driver-fact: F73-highest-wins, F74-ties */
static bool better_ptx(const struct jw_fat_entry *e, const struct jw_fat_entry *best, unsigned sm)
{
    if (!best)
        return true;
    unsigned a = jw_arch_rank(e->target), b = jw_arch_rank(best->target);

    return a > b || (a == b && e->target.sm == sm);
}

struct jw_need jw_needed(const struct jw_fat_entry *e, const struct jw_driver_limits *driver)
{
    const struct jw_packing *packing = jw_packing_of(e->flags);
    struct jw_need need = { 0 };

    if (e->kind == JW_KIND_PTX)
        need.branch = jw_isa_needs_driver(e->major, e->minor);
    if (driver->newest_code && e->kind == JW_KIND_ELF && e->toolkit > driver->newest_code)
        need = (struct jw_need){ .branch = JW_CODE_FIRST_BRANCH, .code_of = e->toolkit };
    if (packing && packing->first_branch > need.branch)
        need = (struct jw_need){ .branch = packing->first_branch, .packing = packing->name };
    if (e->kind == JW_KIND_ELF && e->major == 1 && e->minor >= 8 && e->target.sm < 100
        && JW_CUDA_13_FIRST_BRANCH > need.branch)
        need = (struct jw_need){ .branch = JW_CUDA_13_FIRST_BRANCH, .cuda_13 = true };
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
    bool nvvm, bare, relocatable, unknown;
};

static struct fitting find_fitting(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm)
{
    struct fitting f = { .relocatable = fat->role == JW_ROLE_RDC, .unknown = fat->unknown };

    for (size_t i = 0; i < fat->n; i++) {
        const struct jw_fat_entry *e = &entries[fat->first + i];

        f.bare |= e->header == 0;
        f.nvvm |= e->kind == JW_KIND_NVVM;
        f.relocatable |= e->kind == JW_KIND_RELOC_PTX;
        if (e->target.sm == 0)
            continue;
        if (e->kind == JW_KIND_ELF && jw_sass_runs(e->target, sm) && better_elf(e, f.elf))
            f.elf = e;
        if (e->kind == JW_KIND_PTX && jw_ptx_compiles(e->target, sm) && better_ptx(e, f.ptx, sm))
            f.ptx = e;
    }
    f.relocatable |= f.ptx && jw_fat_relocatable_options(f.ptx->options);
    return f;
}

/* driver-fact: F72-sass-beats-ptx, F75-no-fallback, F100-no-mark-of-64-bits */
static struct jw_choice choose(const struct fitting *f, const struct jw_driver_limits *driver)
{
    const struct jw_fat_entry *chosen = f->elf ? f->elf : f->ptx;

    if (f->unknown && !(f->elf && jw_fat_known_form(f->elf)))
        return (struct jw_choice){ JW_SELECTED_UNKNOWN, NULL, false };
    if (!chosen)
        return (struct jw_choice){ f->nvvm ? JW_SELECTED_LTO : JW_SELECTED_NONE, NULL, false };
    if (driver->known && jw_needed(chosen, driver).branch > driver->branch)
        return (struct jw_choice){ JW_SELECTED_BLOCKED, chosen, false };
    return (struct jw_choice){ f->elf ? JW_SELECTED_NATIVE : JW_SELECTED_JIT, chosen, false };
}

struct jw_choice jw_select(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm,
                           const struct jw_driver_limits *driver)
{
    struct fitting f = find_fitting(fat, entries, sm);

    if (f.relocatable)
        return (struct jw_choice){ JW_SELECTED_RDC, f.elf ? f.elf : f.ptx, false };

    struct jw_choice c = choose(&f, driver);

    if (!f.elf && !f.ptx)
        c.stub = jw_looks_like_stub(fat, entries) && !fat->kernels && !f.bare;
    return c;
}

/* driver-fact: F89-link-inputs */
struct jw_choice jw_select_input(const struct jw_fat *fat, const struct jw_fat_entry *entries, unsigned sm,
                                 const struct jw_driver_limits *driver)
{
    struct fitting f = find_fitting(fat, entries, sm);

    return choose(&f, driver);
}

bool jw_links_result(const struct jw_fat *fat, const struct jw_choice *c)
{
    return fat->role == JW_ROLE_CODE && !fat->text && fat->wrapper != 1 && c->outcome == JW_SELECTED_NONE
           && (!c->stub || fat->n == 0);
}

bool jw_is_link_input(const struct jw_fat *fat)
{
    return fat->role == JW_ROLE_RDC && *fat->section && (!fat->doubtful || fat->unknown);
}
