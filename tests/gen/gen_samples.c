/*
 * gen_samples DIR          a small tree of files that hold CUDA code in every way, for command-line tests
 * gen_samples --huge DIR   the same and a sparse library whose containers begin beyond 4 GiB
 * gen_samples --corpus DIR the seeds of the fuzz targets, one folder each
 */
#include "gen/traps.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    const char *root;
};

static void path_of(const struct tree *t, const char *name, char path[4096])
{
    if (snprintf(path, 4096, "%s/%s", t->root, name) >= 4096) {
        fprintf(stderr, "gen_samples: %s is too long\n", t->root);
        exit(2);
    }
}

/* Writes and empties the buffer. Folders in `name` are made. */
static void put(const struct tree *t, const char *name, struct jw_buf *b)
{
    char path[4096];
    struct jw_err err = { 0 };

    gen_check(b);
    path_of(t, name, path);
    char *slash = strrchr(path, '/');

    *slash = '\0';
    gen_must(jw_make_dirs(path, &err), &err);
    *slash = '/';
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f) != 0) {
        perror(path);
        exit(3);
    }
    jw_buf_free(b);
}

static struct jw_buf fat_of(const char *words)
{
    struct jw_buf fat = GEN_BUF;

    for (const char *p = words; *p; p += strcspn(p, "|"), p += *p == '|') {
        char one[256] = "";

        memcpy(one, p, strcspn(p, "|"));
        gen_fat(&fat, one);
    }
    return fat;
}

/* A library with these containers ("P75 E86|P80": two) in one section. */
static void library(const struct tree *t, const char *name, const char *section, const char *words)
{
    struct jw_buf fat = fat_of(words), b = GEN_BUF;
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("code") },
                                     { .name = section, .data = jw_buf_bytes(&fat), .align = 32 } };

    (void)gen_elf(&b, (struct gen_elf){ 0 }, s, 2);
    put(t, name, &b);
    jw_buf_free(&fat);
}

/* As cuFFT of CUDA 12.5: containers in .data, behind more of other data than a probe looks at. */
static void far_in_data(const struct tree *t)
{
    static const char other[64] = "other data";
    struct jw_buf fat = fat_of("P75 E86"), data = GEN_BUF, b = GEN_BUF;

    for (unsigned i = 0; i < 3000; i++)
        jw_buf_add(&data, other, sizeof other);
    jw_buf_add(&data, jw_buf_bytes(&fat).p, jw_buf_bytes(&fat).n);
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("code") },
                                     { .name = ".data", .data = jw_buf_bytes(&data), .align = 32 } };

    (void)gen_elf(&b, (struct gen_elf){ 0 }, s, 2);
    put(t, "far/in-data.so", &b);
    jw_buf_free(&fat);
    jw_buf_free(&data);
}

/* The one container that a search in samples does not find: alone in a large section, and nothing names it. */
static void alone_in_data(const struct tree *t)
{
    enum { BEFORE = (1 << 20) + (1 << 19) };
    struct jw_buf fat = fat_of("P75"), data = GEN_BUF, b = GEN_BUF;

    jw_buf_fill(&data, 'x', BEFORE);
    jw_buf_add(&data, jw_buf_bytes(&fat).p, jw_buf_bytes(&fat).n);
    jw_buf_fill(&data, 'x', BEFORE);
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("code") },
                                     { .name = ".ldata", .data = jw_buf_bytes(&data), .align = 32 } };

    (void)gen_elf(&b, (struct gen_elf){ 0 }, s, 2);
    put(t, "far/alone.so", &b);
    jw_buf_free(&fat);
    jw_buf_free(&data);
}

static void wrapped(const struct tree *t, const char *name, const char *words, bool lld)
{
    struct jw_buf fat = fat_of(words), b = GEN_BUF;

    (void)gen_library(&b, jw_buf_bytes(&fat), !lld);
    put(t, name, &b);
    jw_buf_free(&fat);
}

static void elf_shapes(const struct tree *t)
{
    struct jw_buf fat = fat_of("P75 E86"), result = fat_of("E35"), b = GEN_BUF;
    struct jw_buf *f = &fat;
    const struct gen_section bss[] = { { .name = ".bss", .type = GEN_NOBITS, .size = 1 << 20 },
                                       { .name = ".nv_fatbin", .data = jw_buf_bytes(f) } };
    const struct gen_section debug[] = { { .name = ".nv_fatbin", .type = GEN_NOBITS, .size = f->n } };
    const struct gen_section rdc[] = { { .name = "__nv_relfatbin", .data = jw_buf_bytes(f) },
                                       { .name = ".nv_fatbin", .data = jw_buf_bytes(&result) } };

    (void)gen_elf(&b, (struct gen_elf){ 0 }, bss, 2);
    put(t, "elf/fatbin-after-bss.so", &b);
    (void)gen_elf(&b, (struct gen_elf){ .bare = true }, bss, 2);
    put(t, "elf/no-section-table.so", &b);
    (void)gen_elf(&b, (struct gen_elf){ .extended = true }, bss, 2);
    put(t, "elf/extended-section-numbers.so", &b);
    (void)gen_elf(&b, (struct gen_elf){ 0 }, debug, 1);
    put(t, "elf/only-debug.debug", &b);
    (void)gen_elf(&b, (struct gen_elf){ .type = 1 }, bss + 1, 1);
    put(t, "elf/object.o", &b);
    (void)gen_elf(&b, (struct gen_elf){ .type = 2 }, bss, 2);
    put(t, "elf/executable", &b);
    (void)gen_elf(&b, (struct gen_elf){ .type = 1 }, rdc, 1);
    put(t, "elf/object-rdc.o", &b);
    (void)gen_elf(&b, (struct gen_elf){ 0 }, rdc, 2);
    put(t, "elf/rdc-and-linked.so", &b);
    (void)gen_elf(&b, (struct gen_elf){ 0 }, bss, 1);
    put(t, "elf/no-cuda.so", &b);
    jw_buf_free(f);
    jw_buf_free(&result);
}

static void elf_samples(const struct tree *t)
{
    wrapped(t, "elf/registered.so", "B75 B80 E86 E89 B90 E120a E121a|B75 E86|B80", false);
    wrapped(t, "elf/lld-zero-wrappers.so", "B75 E86|B80", true);
    wrapped(t, "elf/all-packings.so", "B75:s B80:l B86:l B89:s B90 E75:s E80:l E86:l E89:s E90", false);
    wrapped(t, "elf/only-sass.so", "E75 E80 E86 E90", false);
    wrapped(t, "elf/native.so", "E86 E90 E120", false);
    wrapped(t, "elf/only-ptx.so", "B52", false);
    wrapped(t, "elf/family-and-specific.so", "E90a E100f E120f E121a P100f P103a", false);
    wrapped(t, "elf/ptx-too-new.so", "B120|B75", false);
    library(t, "elf/lto.so", ".nv_fatbin", "N75|N80");
    library(t, "elf/lazy.so", ".ldata", "B75 E86|B80");
    library(t, "elf/hidden-in-data.so", ".tables", "P75 E86");
    far_in_data(t);
    alone_in_data(t);
    library(t, "elf/linker-stub.so", ".nv_fatbin", "S75");
    library(t, "elf/tegra.so", ".nv_fatbin", "E87 P86");
    elf_shapes(t);
}

static void windows_samples(const struct tree *t)
{
    struct jw_buf fat = fat_of("P75 E86|P80"), b = GEN_BUF, object = GEN_BUF;
    const struct gen_section s[] = { { .name = ".text", .data = JW_BYTES("code") },
                                     { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) } };

    (void)gen_pe(&b, s, 2);
    put(t, "pe/library.dll", &b);
    (void)gen_pe(&b, s, 1);
    put(t, "pe/no-cuda.dll", &b);
    jw_buf_free(&object);
    jw_buf_free(&fat);
}

static void wheel_samples(const struct tree *t)
{
    struct jw_buf fat = fat_of("P75 E86"), b = GEN_BUF, object = GEN_BUF;
    const struct gen_section s = { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) };

    (void)gen_elf(&object, (struct gen_elf){ .type = 1 }, &s, 1);
    jw_buf_add(&b, object.p, object.n);
    put(t, "object/k.o", &b);
    const struct gen_member wheel[] = {
        { .name = "pkg/stored.so", .data = jw_buf_bytes(&object) },
        { .name = "pkg/deflated.so", .data = jw_buf_bytes(&object), .deflated = true },
        { .name = "pkg/code.py", .data = JW_BYTES("pass\n") },
        { .name = "pkg-1.0.dist-info/METADATA",
          .data = JW_BYTES("Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n") },
    };
    (void)gen_zip(&b, wheel, 4, "");
    put(t, "wheel/pkg-1.0-py3-none-any.whl", &b);
    struct gen_member zip64[2] = { wheel[0], wheel[1] };
    zip64[0].zip64 = zip64[1].zip64 = true;
    (void)gen_zip(&b, zip64, 2, "a comment");
    put(t, "wheel/zip64-1.0-py3-none-any.whl", &b);
    struct gen_member bad[2] = { wheel[0], wheel[1] };
    bad[0].flags = 1;
    bad[1].method = 12;
    (void)gen_zip(&b, bad, 2, "");
    put(t, "wheel/unreadable-1.0-py3-none-any.whl", &b);
    jw_buf_free(&object);
    jw_buf_free(&fat);
}

/* Entries as each toolkit lays them out, with and without texts. */
static void layouts(const struct tree *t, const char *folder)
{
    static const char *const names[] = { "12.5", "12.4", "11.8" };

    for (int layout = 0; layout < 3; layout++)
        for (int text = 0; text < 4; text++) {
            struct jw_buf b = GEN_BUF;
            struct gen_fat_image m[2] = { { .kind = JW_KIND_PTX,
                                            .target = { 80, '\0' },
                                            .major = 8,
                                            .minor = 4,
                                            .layout = (enum gen_fat_layout)layout,
                                            .options = text & 1 ? "-maxrregcount=96" : NULL,
                                            .identifier = text & 2 ? "kernels.cu" : NULL,
                                            .payload = JW_BYTES(
                                                ".version 8.4\n.target sm_80\n.address_size 64\n") } };
            char name[64];

            m[1] = m[0];
            m[1].kind = JW_KIND_ELF;
            m[1].options = NULL;
            (void)snprintf(name, sizeof name, "%s/layout-%s%s%s.fatbin", folder, names[layout],
                           text & 1 ? "-options" : "", text & 2 ? "-identifier" : "");
            gen_fat_images(&b, m, 2);
            put(t, name, &b);
        }
}

static void code_samples(const struct tree *t)
{
    struct jw_buf b = GEN_BUF;

    static const size_t gaps[] = { 0, 8, 24 };
    for (size_t i = 0; i < 3; i++) {
        char name[64];

        for (unsigned k = 0; k < 3; k++) {
            gen_fat(&b, "P75 E86");
            jw_buf_fill(&b, 0, gaps[i]);
        }
        (void)snprintf(name, sizeof name, "fatbin/three-with-%zu-between.fatbin", gaps[i]);
        put(t, name, &b);
    }
    layouts(t, "fatbin");
    gen_fat(&b, "R75");
    put(t, "fatbin/relocatable-ptx.fatbin", &b);
    gen_cubin(&b, (struct gen_cubin){ .target = { 86, '\0' } });
    put(t, "cubin/cuda12-sm86.cubin", &b);
    gen_cubin(&b, (struct gen_cubin){ .target = { 90, 'a' } });
    put(t, "cubin/cuda12-sm90a.cubin", &b);
    gen_cubin(&b, (struct gen_cubin){ .target = { 100, 'a' }, .cuda13 = true });
    put(t, "cubin/cuda13-sm100a.cubin", &b);
    gen_cubin(&b, (struct gen_cubin){ .target = { 120, '\0' }, .cuda13 = true, .relocatable = true });
    put(t, "cubin/cuda13-sm120-relocatable.cubin", &b);
    gen_ptx(&b, 8, 4, (struct jw_arch){ 80, '\0' }, 3);
    put(t, "ptx/compute80.ptx", &b);
    gen_ptx(&b, 9, 1, (struct jw_arch){ 120, 'f' }, 1);
    put(t, "ptx/compute120f.ptx", &b);
}

static void trap_samples(const struct tree *t)
{
    for (size_t i = 0; i < gen_traps_n; i++) {
        struct jw_buf b = GEN_BUF;
        char name[128];

        (void)snprintf(name, sizeof name, "traps/%s-%s", gen_traps[i].name, gen_traps[i].file);
        gen_traps[i].make(&b);
        put(t, name, &b);
    }
}

/* A library of 5 GiB, most of it a hole. */
static void huge_sample(const struct tree *t)
{
    const uint64_t far = (uint64_t)5 << 30;
    struct jw_buf fat = fat_of("P75 E86|P80"), b = GEN_BUF;
    const struct gen_section s = { .name = ".nv_fatbin", .data = JW_BYTES("elsewhere") };
    struct gen_host h = gen_elf(&b, (struct gen_elf){ 0 }, &s, 1);
    char path[4096];

    gen_set64(&b, h.table + 64 + 24, far);
    gen_set64(&b, h.table + 64 + 32, fat.n);
    put(t, "elf/beyond-4-gib.so", &b);
    path_of(t, "elf/beyond-4-gib.so", path);
    FILE *f = fopen(path, "r+b");

    if (!f || fseeko(f, (off_t)far, SEEK_SET) != 0 || fwrite(fat.p, 1, fat.n, f) != fat.n || fclose(f) != 0) {
        perror(path);
        exit(3);
    }
    jw_buf_free(&fat);
}

/* ---- Seeds for fuzzing ---- */

/* Which target a trap is for: by the file that it would be. */
static const char *target_of(const struct gen_trap *trap)
{
    static const char *const targets[][2] = {
        { "elf_", "elf" }, { "pe_", "pe" }, { "cubin_", "cubin" }, { "ptx_", "ptx" }, { "zip_", "zip" }
    };

    for (size_t i = 0; i < JW_COUNT(targets); i++)
        if (strncmp(trap->name, targets[i][0], strlen(targets[i][0])) == 0)
            return targets[i][1];
    return "fatbin";
}

static void trap_seeds(const struct tree *t)
{
    static const char *const also_image[] = {
        "elf_sections_overlap",          "elf_segments_overlap",           "pe_virtual_size_too_small",
        "nested_container_in_a_payload", "other_bytes_between_containers", "elf_no_sections",
        "cubin_compat_cut_off"
    };
    for (size_t i = 0; i < gen_traps_n; i++) {
        struct jw_buf b = GEN_BUF;
        char name[128];

        gen_traps[i].make(&b);
        (void)snprintf(name, sizeof name, "%s/trap-%s", target_of(&gen_traps[i]), gen_traps[i].name);
        put(t, name, &b);
    }
    for (size_t i = 0; i < JW_COUNT(also_image); i++) {
        struct jw_buf b = GEN_BUF;
        char name[128];

        gen_trap(also_image[i])->make(&b);
        (void)snprintf(name, sizeof name, "image/trap-%s", also_image[i]);
        put(t, name, &b);
    }
}

static void host_seeds(const struct tree *t)
{
    struct jw_buf fat = fat_of("P75 E120a"), b = GEN_BUF, object = GEN_BUF;
    const struct gen_section s[] = { { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) },
                                     { .name = ".ldata", .data = jw_buf_bytes(&fat), .align = 32 } };
    static const char *const folders[] = { "elf", "image" };

    for (size_t i = 0; i < 2; i++) {
        char name[64];
#define SEED(file) ((void)snprintf(name, sizeof name, "%s/%s", folders[i], file), put(t, name, &b))
        (void)gen_library(&b, jw_buf_bytes(&fat), true);
        SEED("library");
        (void)gen_elf(&b, (struct gen_elf){ .bare = true }, s, 2);
        SEED("bare");
        (void)gen_elf(&b, (struct gen_elf){ .extended = true }, s, 2);
        SEED("extended");
        (void)gen_elf(&b, (struct gen_elf){ .type = 1 }, s, 1);
        SEED("object");
#undef SEED
    }
    (void)gen_pe(&b, s, 1);
    put(t, "pe/library", &b);
    (void)gen_pe(&b, s, 1);
    put(t, "image/library-pe", &b);
    (void)gen_elf(&object, (struct gen_elf){ .type = 1 }, s, 1);
    const struct gen_member m[] = { { .name = "k.o", .data = jw_buf_bytes(&object), .deflated = true },
                                    { .name = "kernels_with_a_long_name.o", .data = JW_BYTES("123") } };
    (void)gen_zip(&b, m, 2, "comment");
    put(t, "zip/deflated", &b);
    struct gen_member zip64[2] = { m[1], m[0] };
    zip64[0].zip64 = zip64[1].zip64 = true;
    (void)gen_zip(&b, zip64, 2, "");
    put(t, "zip/zip64", &b);
    (void)gen_zip(&b, NULL, 0, "");
    put(t, "zip/empty", &b);
    jw_buf_free(&object);
    jw_buf_free(&fat);
}

static void code_seeds(const struct tree *t)
{
    static const char *const words[][2] = { { "zstd", "P75:s E86:s" },
                                            { "lz4", "P75:l E86:l" },
                                            { "raw", "P75 E86" },
                                            { "mix", "E120a:s N75 R80 P90a:l" } };
    struct jw_buf b = GEN_BUF;

    for (size_t i = 0; i < JW_COUNT(words); i++) {
        char name[64];

        gen_fat(&b, words[i][1]);
        (void)snprintf(name, sizeof name, "fatbin/%s", words[i][0]);
        put(t, name, &b);
    }
    layouts(t, "fatbin");
    gen_fat(&b, "P75:s E86");
    put(t, "image/fatbin", &b);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = { "cubin/cuda12", "cubin/cuda13", "cubin/cuda13-specific",
                                             "image/cubin" };

        gen_cubin(&b, (struct gen_cubin){
                          .target = { 100, i > 1 ? 'a' : '\0' }, .cuda13 = i > 0, .relocatable = i == 1 });
        put(t, names[i], &b);
    }
    gen_ptx(&b, 8, 4, (struct jw_arch){ 80, '\0' }, 3);
    put(t, "ptx/three-kernels", &b);
    gen_ptx(&b, 9, 1, (struct jw_arch){ 120, 'f' }, 0);
    put(t, "ptx/no-kernel", &b);
    jw_buf_text(&b, "/* c */ .version 8.4 // x\n.target sm_90a, debug\n.address_size 64\n.file 1 "
                    "\"k.cu\"\n.entry k$1(\n) { }\n");
    put(t, "ptx/comments", &b);
    gen_ptx(&b, 8, 4, (struct jw_arch){ 80, '\0' }, 1);
    put(t, "image/ptx", &b);
}

int main(int argc, char **argv)
{
    bool huge = argc == 3 && strcmp(argv[1], "--huge") == 0,
         corpus = argc == 3 && strcmp(argv[1], "--corpus") == 0;

    if (argc != 2 && !huge && !corpus) {
        fprintf(stderr, "usage: gen_samples [--huge | --corpus] DIR\n");
        return 2;
    }
    const struct tree t = { argv[argc - 1] };

    if (corpus) {
        trap_seeds(&t);
        host_seeds(&t);
        code_seeds(&t);
        return 0;
    }
    elf_samples(&t);
    windows_samples(&t);
    wheel_samples(&t);
    code_samples(&t);
    trap_samples(&t);
    if (huge)
        huge_sample(&t);
    return 0;
}
