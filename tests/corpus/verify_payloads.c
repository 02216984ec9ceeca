/*
 * verify_payloads FILE...: decodes every entry of each file, and holds what comes out against what
 * its header says. One line per file; exit 1 when anything did not fit.
 */
#include "formats/cubin.h"
#include "formats/fatbin_unpack.h"
#include "formats/image.h"
#include "formats/ptx.h"
#include "os/files/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 4096, MAX_PADDING = 8, MAX_TOLD = 20, OSABI_CUDA13 = 0x41, FLAG_A = 0x800 };

struct tally {
    const char *path;
    uint64_t entries, elf, ptx, obfuscated, plain, wrong;
};

/* What came out of one entry: its first bytes, its length, and where zero bytes are. */
struct payload {
    uint8_t head[HEAD];
    size_t kept;
    uint64_t n, first_nul;
    bool text_after_nul;
};

static bool collect(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct payload *out = ctx;
    const uint8_t *from = p;

    (void)err;
    if (out->kept < HEAD) {
        size_t more = n < HEAD - out->kept ? n : HEAD - out->kept;

        memcpy(out->head + out->kept, from, more);
        out->kept += more;
    }
    if (out->first_nul == UINT64_MAX) {
        const uint8_t *nul = memchr(from, 0, n);

        if (nul)
            out->first_nul = out->n + (uint64_t)(nul - from);
    }
    if (out->first_nul < out->n + n) {
        uint64_t at = out->first_nul < out->n ? 0 : out->first_nul - out->n;

        for (size_t i = (size_t)at; i < n && !out->text_after_nul; i++)
            out->text_after_nul = from[i] != 0;
    }
    out->n += n;
    return true;
}

static void complain(struct tally *t, const struct jw_fat_entry *e, const char *what)
{
    if (t->wrong++ < MAX_TOLD)
        printf("%s: entry at 0x%" PRIx64 " (%s): %s\n", t->path, e->at, jw_fat_arch_name(e).text,
               what);
}

/* e_flags as CUDA 12 wrote them have the suffix `a`, too; those of CUDA 13 do not. */
static void check_elf(struct tally *t, const struct jw_fat_entry *e, const struct payload *p)
{
    if (p->kept < JW_ELF_HEADER || memcmp(p->head, "\177ELF", 4) != 0) {
        complain(t, e, "is no ELF file");
        return;
    }
    struct jw_elf elf = jw_elf_header((struct jw_bytes){p->head, p->kept});
    bool cuda13 = elf.os_abi == OSABI_CUDA13;

    if (!elf.ours || elf.machine != JW_EM_CUDA)
        complain(t, e, "is not for machine 190");
    if ((cuda13 ? elf.flags >> 8 & 0xff : elf.flags & 0xff) != e->target.sm)
        complain(t, e, "has another architecture in e_flags");
    if (!cuda13 && ((elf.flags & FLAG_A) != 0) != (e->target.suffix == 'a'))
        complain(t, e, "has another suffix in e_flags");
    t->elf++;
}

static void check_ptx(struct tally *t, const struct jw_fat_entry *e, const struct payload *p)
{
    struct jw_ptx ptx;
    struct jw_err err = {0};
    uint64_t zeros = p->n - (p->first_nul < p->n ? p->first_nul : p->n);

    if (p->text_after_nul)
        complain(t, e, "has a zero byte inside its text");
    else if (e->packed ? zeros != 1 : zeros < 1 || zeros > MAX_PADDING)
        complain(t, e, "does not end in the zero bytes that it should");
    if (!jw_ptx_read((struct jw_bytes){p->head, p->kept}, &ptx, &err)) {
        complain(t, e, err.msg);
        return;
    }
    if (ptx.major != e->major || ptx.minor != e->minor)
        complain(t, e, "says another .version than its header");
    if (ptx.target.sm != e->target.sm || ptx.target.suffix != e->target.suffix)
        complain(t, e, "says another .target than its header");
    t->ptx++;
}

static void check_entry(struct tally *t, const struct jw_source *src, const struct jw_fat_entry *e)
{
    struct payload p = {.first_nul = UINT64_MAX};
    struct jw_err err = {0};
    bool ok = jw_fat_unpack(src, e, (struct jw_sink){collect, &p}, &err);

    t->entries++;
    if (e->kind == JW_KIND_NVVM) {
        if (ok || err.code != JW_E_FORMAT || !strstr(err.msg, "obfuscated"))
            complain(t, e, ok ? "should not decode" : err.msg);
        t->obfuscated++;
        return;
    }
    if (!ok) {
        complain(t, e, err.msg);
        return;
    }
    if (p.n != jw_fat_plain(e))
        complain(t, e, "has another plain size than its header says");
    t->plain += p.n;
    if (e->kind == JW_KIND_ELF)
        check_elf(t, e, &p);
    else if (e->kind == JW_KIND_PTX)
        check_ptx(t, e, &p);
    else
        complain(t, e, "is of no kind that the corpus has");
}

static bool check_file(struct tally *t, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_image image = {0};
    bool ok = jw_file_open(&f, t->path, err) && jw_file_info(&f, &info, err);

    if (ok) {
        struct jw_source src = jw_file_source(&f, info.size);

        ok = jw_image_scan(&src, t->path, true, &image, err);
        for (size_t i = 0; ok && i < image.fats.n; i++) {
            const struct jw_fat *fat = &image.fats.list[i];

            for (size_t k = 0; k < fat->n; k++)
                check_entry(t, &src, &image.fats.entries[fat->first + k]);
        }
    }
    jw_image_free(&image);
    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", t->path);
}

int main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int i = 1; i < argc; i++) {
        struct tally t = {.path = argv[i]};
        struct jw_err err = {0};

        if (!check_file(&t, &err)) {
            printf("%s\n", err.msg);
            failed = 1;
        }
        printf("%s: %" PRIu64 " entries, %" PRIu64 " ELF and %" PRIu64 " PTX of %" PRIu64
               " plain bytes decoded, %" PRIu64 " obfuscated, %" PRIu64 " wrong\n",
               t.path, t.entries, t.elf, t.ptx, t.plain, t.obfuscated, t.wrong);
        failed |= t.wrong != 0 || t.entries == 0;
    }
    return failed;
}
