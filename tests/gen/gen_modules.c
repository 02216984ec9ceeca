/*
 * gen_modules FILE COUNT LEAST MAX SEED [sm_NN]
 *
 * A library with COUNT containers of PTX, each with a kernel of its own name (m0000, m0001...), and
 * more of 64 KiB each. Sizes are skewed between LEAST and MAX bytes as those of real libraries:
 * many small ones, few large ones. Equal arguments, equal bytes. One line for each module goes to
 * standard output: its name and the size of its PTX.
 *
 * A FILE that ends in .s becomes a source for the assembler instead, to be linked into a program:
 * the containers, which lie in FILE.bin, and from demo_wrappers to demo_wrappers_end a record for
 * each, as nvcc registers them.
 */
#include "gen/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL = 64 << 10 };

/* Even in the logarithm: as many between 1 and 10 KB as between 10 and 100. */
static size_t size_of(uint64_t *state, double least, double max)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(least * pow(max / least, (double)((*state >> 33) % 1000000) / 1e6));
}

static void write_ptx(struct jw_buf *ptx, struct jw_arch target, unsigned number, size_t size)
{
    static const char last[] = "\tst.global.u32 [%rd2+4], %r1;\n\tret;\n}\n";
    size_t ends = 0;

    jw_buf_printf(ptx, ".version 7.8\n.target %s\n.address_size 64\n",
                  jw_arch_name("sm_", target).text);
    for (unsigned i = 0; !i || ptx->n + 8 < size; i++) {
        if (ptx->n >= ends) {
            jw_buf_printf(ptx, "%s\n.visible .entry m%04u", i ? last : "", number);
            jw_buf_printf(ptx, i ? "_%u" : "", i);
            jw_buf_printf(ptx,
                          "(\n\t.param .u64 p\n)\n{\n\t.reg .b64 %%rd<4>;\n\t.reg .b32 %%r<4>;\n"
                          "\tld.param.u64 %%rd1, [p];\n\tcvta.to.global.u64 %%rd2, "
                          "%%rd1;\n\tmov.u32 %%r1, %u;\n"
                          "\tst.global.u32 [%%rd2], %%r1;\n",
                          number);
            ends = ptx->n + KERNEL;
        }
        jw_buf_printf(ptx, "\tadd.u32 %%r1, %%r1, %u;\n", (i * 2654435761U) >> 12);
    }
    jw_buf_text(ptx, last);
}

static void write_file(const char *path, const struct jw_buf *content)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(content->p, 1, content->n, f) != content->n || fclose(f) != 0) {
        perror(path);
        exit(3);
    }
}

static void write_assembly(const char *path, struct jw_buf *fat, const size_t *offsets,
                           unsigned count)
{
    struct jw_buf text = JW_BUF((size_t)1 << 20), binary = JW_BUF(4096);

    jw_buf_printf(&binary, "%s.bin", path);
    write_file(jw_buf_cstr(&binary), fat);
    jw_buf_printf(&text,
                  "\t.section .nv_fatbin,\"a\"\n\t.balign 8\ncontainers:\n\t.incbin \"%s\"\n",
                  jw_buf_cstr(&binary));
    jw_buf_text(&text, "\t.section .nvFatBinSegment,\"aw\"\n\t.balign 8\n\t.globl "
                       "demo_wrappers\ndemo_wrappers:\n");
    for (unsigned i = 0; i < count; i++)
        jw_buf_printf(&text, "\t.long 0x466243b1, 1\n\t.quad containers + %zu, 0\n", offsets[i]);
    jw_buf_text(
        &text, "\t.globl demo_wrappers_end\ndemo_wrappers_end:\n\t.section .note.GNU-stack,\"\"\n");
    write_file(path, &text);
    jw_buf_free(&text);
    jw_buf_free(&binary);
}

int main(int argc, char **argv)
{
    struct jw_buf fat = JW_BUF((size_t)2 << 30), library = JW_BUF((size_t)2 << 30);
    struct jw_arch target = {80, 0};

    if (argc < 6 || (argc > 6 && !jw_arch_parse(argv[6], &target))) {
        fprintf(stderr, "usage: gen_modules FILE COUNT LEAST MAX SEED [sm_NN [OPTIONS]]\n");
        return 2;
    }
    uint64_t state = strtoull(argv[5], NULL, 10) * 2862933555777941757ULL + 3037000493ULL;
    unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
    size_t *offsets = calloc(count ? count : 1, sizeof *offsets), path = strlen(argv[1]);

    if (!offsets)
        return 3;
    for (unsigned i = 0; i < count; i++) {
        struct jw_buf ptx = JW_BUF((size_t)256 << 20);

        write_ptx(&ptx, target, i, size_of(&state, strtod(argv[3], NULL), strtod(argv[4], NULL)));
        gen_check(&ptx);
        struct gen_fat_image image = {.kind = JW_KIND_PTX,
                                      .target = target,
                                      .major = 7,
                                      .minor = 8,
                                      .packing = JW_FAT_LZ4,
                                      .pack = gen_pack,
                                      .options = argc > 7 ? argv[7] : NULL,
                                      .payload = jw_buf_bytes(&ptx)};

        offsets[i] = fat.n;
        gen_fat_images(&fat, &image, 1);
        printf("m%04u %zu\n", i, ptx.n);
        jw_buf_free(&ptx);
    }
    if (path > 2 && strcmp(argv[1] + path - 2, ".s") == 0) {
        write_assembly(argv[1], &fat, offsets, count);
    } else {
        (void)gen_library(&library, jw_buf_bytes(&fat), true);
        write_file(argv[1], &library);
    }
    jw_buf_free(&library);
    jw_buf_free(&fat);
    free(offsets);
    return 0;
}
