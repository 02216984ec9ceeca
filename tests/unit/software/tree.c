#include "tree.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"

static const struct jw_sms gpus = {{86, 90}, 2};

const char *tree_write(const char *name, struct jw_bytes bytes)
{
    FREED(jw_arena) a = {0};
    const char *path = scratch(name);
    struct jw_err err = {0};
    char *dir = jw_path_dir(&a, path);

    CHECK(dir && jw_make_dirs(dir, &err));
    CHECK_OK(jw_file_put(path, JW_OUT_REPLACE, bytes, &err), err);
    return path;
}

const char *tree_buf(const char *name, struct jw_buf *bytes)
{
    const char *path = tree_write(name, jw_buf_bytes(bytes));

    jw_buf_free(bytes);
    return path;
}

const char *tree_fatbin(const char *name, const char *words)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, words);
    return tree_buf(name, &fat);
}

const char *tree_library(const char *name, const char *words)
{
    struct jw_buf fat = GEN_BUF, elf = GEN_BUF;

    gen_fat(&fat, words);
    (void)gen_library(&elf, jw_buf_bytes(&fat), true);
    jw_buf_free(&fat);
    return tree_buf(name, &elf);
}

void tree_lazy_bytes(struct jw_buf *out, const char *words)
{
    struct jw_buf fat = GEN_BUF;

    gen_fat(&fat, words);
    const struct gen_section s[] = {
        {.name = ".text", .data = JW_BYTES("code")},
        {.name = ".rodata", .data = JW_BYTES("CUDA_ENABLE_MODULE_LAZY_LOADING")},
        {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat), .align = 32}};

    (void)gen_elf(out, (struct gen_elf){0}, s, JW_COUNT(s));
    jw_buf_free(&fat);
}

const char *tree_lazy_library(const char *name, const char *words)
{
    struct jw_buf elf = GEN_BUF;

    tree_lazy_bytes(&elf, words);
    return tree_buf(name, &elf);
}

struct jw_scan_report tree_scan(const char *path, const struct jw_scan_options *o)
{
    struct jw_scan_folder root = {path, JW_MAX_DEPTH, true, NULL};
    struct jw_scan_options all = o ? *o : (struct jw_scan_options){0};
    static struct jw_scan_report last[8];
    static size_t n;
    struct jw_scan_report *r = &last[n++ % JW_COUNT(last)];
    struct jw_err err = {0};

    if (!all.n_folders) {
        all.folders = &root;
        all.n_folders = 1;
    }
    if (!all.sms.n)
        all.sms = gpus;
    jw_scan_free(r);
    CHECK_OK(jw_scan(&all, r, &err), err);
    return *r;
}

const struct jw_scan_file *tree_found(const struct jw_scan_report *r, const char *tail)
{
    for (size_t i = 0; i < r->n_files; i++)
        if (jw_text_ends(r->files[i].path, tail))
            return &r->files[i];
    return NULL;
}

const struct jw_scan_skipped *tree_skipped(const struct jw_scan_report *r, const char *tail)
{
    for (size_t i = 0; i < r->n_skipped; i++)
        if (jw_text_ends(r->skipped[i].path, tail))
            return &r->skipped[i];
    return NULL;
}
