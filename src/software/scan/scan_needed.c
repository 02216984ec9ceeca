#include "software/scan/scan_needed.h"

#include "formats/elf.h"
#include "machine/loader.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "software/find/vendor.h"

static bool read_names(struct jw_file *f, struct jw_arena *a, struct jw_texts *out)
{
    uint8_t raw[JW_ELF_HEADER];
    const struct jw_bytes head = {raw, sizeof raw};
    struct jw_file_info info;
    struct jw_sections sections = {0};
    struct jw_err err = {0};

    if (!jw_file_info(f, &info, &err) || info.size < sizeof raw)
        return false;
    const struct jw_source src = jw_file_source(f, info.size);

    if (!jw_source_read(&src, 0, raw, sizeof raw, &err))
        return false;
    const struct jw_elf elf = jw_elf_header(head);

    return elf.ours && jw_elf_sections(&src, &elf, a, &sections, &err)
           && jw_elf_needed(&src, &sections, a, &out->v, &out->n, &err);
}

struct jw_texts jw_needed_of_nvidia(const char *path, struct jw_arena *a)
{
    struct jw_texts found = {0};
    struct jw_file f;
    size_t n = 0;

    if (!jw_file_open(&f, path, JW_IGNORED))
        return found;
    bool ok = read_names(&f, a, &found);

    jw_file_close(&f);
    if (!ok)
        found.n = 0;
    for (size_t i = 0; i < found.n; i++) {
        if (!jw_is_vendor_file(found.v[i]))
            continue;
        const char *library = jw_loader_takes(found.v[i], jw_env(a, "LD_LIBRARY_PATH"), false, a);

        if (library && jw_real_path(library, a, &found.v[n], JW_IGNORED))
            n++;
    }
    found.n = n;
    return found;
}
