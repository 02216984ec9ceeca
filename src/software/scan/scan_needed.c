#include "software/scan/scan_needed.h"

#include "formats/elf.h"
#include "machine/loader.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "software/find/vendor.h"

void scan_needed_names(const struct jw_source *src, struct jw_arena *a, struct jw_scan_file *file)
{
    uint8_t raw[JW_ELF_HEADER];
    struct jw_sections sections = {0};
    struct jw_err ignored = {0};
    size_t n = 0;

    if (src->size < sizeof raw || !jw_source_read(src, 0, raw, sizeof raw, &ignored))
        return;
    const struct jw_elf elf = jw_elf_header((struct jw_bytes){raw, sizeof raw});

    if (!elf.ours || !jw_elf_sections(src, &elf, a, &sections, &ignored)
        || !jw_elf_needed(src, &sections, a, &file->needed, &n, &ignored))
        return;
    for (size_t i = 0; i < n; i++)
        if (jw_is_vendor_file(file->needed[i]))
            file->needed[file->n_needed++] = file->needed[i];
}

const char *scan_needed_path(const char *name, struct jw_arena *a)
{
    const char *library = jw_loader_takes(name, jw_env(a, "LD_LIBRARY_PATH"), false, a);
    const char *real;

    return library && jw_real_path(library, a, &real, JW_IGNORED) ? real : NULL;
}
