/* gen_samples DIR: libraries that hold CUDA code in every way, for command-line tests, in
 * DIR/elf. */
#include "gen/samples.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *root;

/* Writes and empties the buffer. */
static void put(const char *folder, const char *name, struct jw_buf *b)
{
    char path[4096];
    struct jw_err err = {0};

    gen_check(b);
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    gen_must(jw_make_dirs(path, &err), &err);
    (void)snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
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
static void library(const char *name, const char *section, const char *words)
{
    struct jw_buf fat = fat_of(words), b = GEN_BUF;
    const struct gen_section s[] = {{.name = ".text", .data = JW_BYTES("code")},
                                    {.name = section, .data = jw_buf_bytes(&fat), .align = 32}};

    (void)gen_elf(&b, (struct gen_elf){0}, s, 2);
    put("elf", name, &b);
    jw_buf_free(&fat);
}

static void wrapped(const char *name, const char *words, bool lld)
{
    struct jw_buf fat = fat_of(words), b = GEN_BUF;

    (void)gen_library(&b, jw_buf_bytes(&fat), !lld);
    put("elf", name, &b);
    jw_buf_free(&fat);
}

/* The device linker's inputs beside what it made of them. */
static void linked(const char *name)
{
    struct jw_buf fat = fat_of("P75 E86"), result = fat_of("E35"), b = GEN_BUF;
    const struct gen_section s[] = {{.name = "__nv_relfatbin", .data = jw_buf_bytes(&fat)},
                                    {.name = ".nv_fatbin", .data = jw_buf_bytes(&result)}};

    (void)gen_elf(&b, (struct gen_elf){0}, s, 2);
    put("elf", name, &b);
    jw_buf_free(&fat);
    jw_buf_free(&result);
}

int main(int argc, char **argv)
{
    const struct jw_bytes text = JW_BYTES(".version 8.4\n.target sm_80\n.address_size 64\n");
    const struct gen_fat_image two[] = {
        {.kind = JW_KIND_PTX, .target = {80, '\0'}, .major = 8, .minor = 4, .payload = text},
        {.kind = JW_KIND_ELF, .target = {80, '\0'}, .major = 8, .minor = 4, .payload = text},
    };
    struct jw_buf b = GEN_BUF;

    if (argc != 2) {
        fprintf(stderr, "usage: gen_samples DIR\n");
        return 2;
    }
    root = argv[1];
    wrapped("registered.so", "B75 B80 E86 E89 B90 E120a E121a|B75 E86|B80", false);
    wrapped("lld-zero-wrappers.so", "B75 E86|B80", true);
    wrapped("all-packings.so", "B75:s B80:l B86:l B89:s B90 E75:s E80:l E86:l E89:s E90", false);
    wrapped("only-sass.so", "E75 E80 E86 E90", false);
    wrapped("native.so", "E86 E90 E120", false);
    wrapped("only-ptx.so", "B52", false);
    wrapped("family-and-specific.so", "E90a E100f E120f E121a P100f P103a", false);
    library("lazy.so", ".ldata", "B75 E86|B80");
    library("hidden-in-data.so", ".tables", "P75 E86");
    library("tegra.so", ".nv_fatbin", "E87 P86");
    linked("rdc-and-linked.so");
    gen_fat_images(&b, two, 2);
    put("fatbin", "layout-12.5.fatbin", &b);
    return 0;
}
