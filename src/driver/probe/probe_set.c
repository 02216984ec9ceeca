#include "driver/probe/probe_set.h"

#include "base/num.h"
#include "base/text.h"
#include "facts/drivers.h"
#include "formats/fatbin_unpack.h"
#include "formats/fatbin_write.h"

#include <string.h>

enum { MAX_TEXT = 16 * 1024, MAX_IMAGE = 64 * 1024 };

extern const char jw_canary_ptx[]; /* ptx/canary.ptx */

/* The newest of these that the driver knows: old drivers refuse new text, and new ones may one day
 * refuse old text. The architecture is the oldest that drivers of these versions serve.
 * driver-fact: F78-old-ptx-compiles */
static const struct isa {
    unsigned cuda; /* the lowest result of cuDriverGetVersion */
    uint16_t major, minor, sm;
} isas[] = {
    {12000, 8, 0, 50},
    {11000, 7, 0, 30},
    {9000, 6, 0, 30},
};

/* How one module reaches the driver.
 * driver-fact: F13-nuls, F14-container-not-in-key, F16-options-in-key, F77-zstd-550 */
static const struct form {
    const char *what, *file, *options;
    uint64_t packing;
    bool text, bare; /* bare: no NUL is stored, as by the toolkits before CUDA 11 */
} forms[] = {
    {"plain text", "text.ptx", "", 0, true, false},
    {"module", "raw.fatbin", "", 0, false, false},
    {"module packed with LZ4", "lz4.fatbin", "", JW_FAT_LZ4, false, false},
    {"module packed with zstd", "zstd.fatbin", "", JW_FAT_ZSTD, false, false},
    {"module with options", "options.fatbin", "-maxrregcount=40 --generate-line-info ", JW_FAT_LZ4,
     false, true},
    {"module that jitwarm put into the cache", "placing.fatbin", "", 0, false, false},
};

static const struct isa *isa_for(unsigned cuda_version)
{
    for (size_t i = 0; i < JW_COUNT(isas); i++)
        if (cuda_version >= isas[i].cuda)
            return &isas[i];
    return &isas[JW_COUNT(isas) - 1];
}

/* The template with every @WORD@ replaced: its kernel is named after `n`, and adds it. */
static void fill_template(struct jw_buf *out, const struct isa *isa, unsigned n)
{
    for (const char *p = jw_canary_ptx, *end; *p; p = end + 1) {
        end = *p == '@' ? strchr(p + 1, '@') : p;
        if (end == p)
            jw_buf_add(out, p, 1);
        else if (jw_text_starts(p, "@VERSION@"))
            jw_buf_printf(out, "%u.%u", isa->major, isa->minor);
        else if (jw_text_starts(p, "@TARGET@"))
            jw_buf_printf(out, "sm_%u", isa->sm);
        else
            jw_buf_printf(out, "%u", n);
    }
}

/* A raw payload is padded to 8 bytes with NULs, and the key holds them all. driver-fact:
 * F13-nuls */
static unsigned nuls_of(const struct form *form, size_t text, bool cuts_ptx)
{
    if (form->text || form->bare || cuts_ptx)
        return 1;
    return form->packing ? 2 : (unsigned)(jw_align(text + 1, 8) - text);
}

static bool make_module(struct probe_module *m, const struct form *form, unsigned cuda_version,
                        unsigned n, struct jw_err *err)
{
    const struct isa *isa = isa_for(cuda_version);

    *m = (struct probe_module){.what = form->what,
                               .file = form->file,
                               .options = form->options,
                               .text = form->text,
                               .ptx = JW_BUF(MAX_TEXT),
                               .image = JW_BUF(MAX_IMAGE)};
    fill_template(&m->ptx, isa, n);
    m->nuls = nuls_of(form, m->ptx.n, cuda_version < jw_branch_cuda(JW_NULS_FIRST_BRANCH));
    if (form->text) {
        jw_buf_add(&m->image, m->ptx.p, m->ptx.n);
        return jw_buf_ok(&m->ptx, err) && jw_buf_ok(&m->image, err);
    }
    struct jw_fat_ptx image = {.target = {isa->sm, '\0'},
                               .major = isa->major,
                               .minor = isa->minor,
                               .packing = form->packing,
                               .bare = form->bare,
                               .options = form->options,
                               .payload = jw_buf_bytes(&m->ptx)};

    return jw_buf_ok(&m->ptx, err) && jw_fat_write(&m->image, &image, err);
}

bool probe_set_make(struct probe_module set[JW_PROBE_MAX], size_t *n, unsigned cuda_version,
                    struct jw_err *err)
{
    memset(set, 0, JW_PROBE_MAX * sizeof *set);
    *n = 0;
    for (size_t i = 0; i < JW_COUNT(forms); i++) {
        const struct jw_packing *packing = jw_packing_of(forms[i].packing);

        if (packing && cuda_version < jw_branch_cuda(packing->first_branch))
            continue;
        if (!make_module(&set[(*n)++], &forms[i], cuda_version, (unsigned)(1009 + 101 * i), err))
            return jw_wrap(err, "probe: %s", forms[i].what);
    }
    return true;
}

void probe_set_free(struct probe_module set[JW_PROBE_MAX])
{
    for (size_t i = 0; i < JW_PROBE_MAX; i++) {
        jw_buf_free(&set[i].ptx);
        jw_buf_free(&set[i].image);
    }
}
