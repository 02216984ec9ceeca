#include "software/scan/scan_archs.h"

#include "base/mem.h"
#include "software/scan/scan_work.h"

#include <stdio.h>
#include <string.h>

/* More architectures than any toolkit has; and the size of PTX whose size is not known, but which is not empty. */
enum { MAX_ENTRIES = 96, LEAST_PTX = 1024 };

static void add_words(const char *words, struct jw_fat_entry e, struct jw_fats *f)
{
    char word[8];

    while (*words && f->n_entries < f->cap_entries) {
        size_t n = strcspn(words, " ");

        (void)snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : 0), words);
        if (jw_arch_parse(word, &e.target))
            f->entries[f->n_entries++] = e;
        words += n + (words[n] == ' ');
    }
}

/* All modules are the same container. */
static bool make_containers(const struct jw_scan_archs *archs, struct jw_fats *f, struct jw_err *err)
{
    uint64_t each = archs->modules ? archs->ptx_bytes / archs->modules : 0;
    const struct jw_fat_entry code = {
        .kind = JW_KIND_ELF, .flags = JW_FAT_64BIT, .options = "", .identifier = "", .header = 1
    };
    struct jw_fat_entry ptx = code;

    if (!jw_grow(&f->entries, sizeof *f->entries, MAX_ENTRIES - 1, &f->cap_entries, MAX_ENTRIES, err))
        return false;
    ptx.kind = JW_KIND_PTX;
    ptx.major = (uint16_t)archs->isa_major;
    ptx.minor = (uint16_t)archs->isa_minor;
    ptx.stored = each > LEAST_PTX ? each : LEAST_PTX;
    add_words(archs->machine_code, code, f);
    add_words(archs->ptx, ptx, f);
    for (size_t i = 0; i < archs->modules; i++) {
        if (!jw_grow(&f->list, sizeof *f->list, f->n, &f->cap, archs->modules, err))
            return false;
        f->list[f->n++] = (struct jw_fat){ .n = f->n_entries, .role = JW_ROLE_CODE, .wrapper = 1 };
    }
    return true;
}

bool jw_scan_archs(const struct jw_scan_archs *archs, const struct jw_scan_options *o, struct jw_arena *a,
                   struct jw_scan_file *out, struct jw_err *err)
{
    struct scan s = { .o = o };
    struct jw_image image = { 0 };
    bool ok = scan_driver_limits(&s, err) && make_containers(archs, &image.fats, err);

    *out = (struct jw_scan_file){ .format = "none", .named = true };
    if (ok)
        scan_check(&s, &image, a, out);
    jw_fats_free(&image.fats);
    return ok;
}
