/*
 * E2a, what enters the key: one module by every door and in every form, each into an empty folder of its own. For each:
 * how many entries, their options and NULs, and whether the name is the one that was computed beforehand.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 101, ZSTD_FROM = 12040, MAX_TEXT = 1 << 20 };

enum form { PLAIN, BLANK_LINE, CRLF, NUL_TWICE, FAT, FAT_IDENT, FAT_ITEMS, FAT_ITEM_ALONE };

static const struct route {
    const char *name, *what, *door;
    enum form form;
    uint64_t packing;
    const char *options; /* as a fatbin stores them */
    const char *expect;  /* what the key should then say */
} routes[] = {
    { "text", "PTX text, cuModuleLoadData", "data", PLAIN, 0, NULL, "" },
    { "text-ex", "PTX text, cuModuleLoadDataEx without options", "ex", PLAIN, 0, NULL, "" },
    { "text-blank", "PTX text with one more blank line", "data", BLANK_LINE, 0, NULL, "" },
    { "text-crlf", "PTX text with CRLF line ends", "data", CRLF, 0, NULL, "" },
    { "text-nul", "PTX text with a second NUL behind it", "data", NUL_TWICE, 0, NULL, "" },
    { "text-library", "PTX text, cuLibraryLoadData", "library", PLAIN, 0, NULL, "" },
    { "link", "PTX text, cuLinkAddData and cuLinkComplete", "link", PLAIN, 0, NULL, NULL },
    { "raw", "fatbin, stored", "data", FAT, 0, NULL, "" },
    { "lz4", "fatbin, LZ4", "data", FAT, JW_FAT_LZ4, NULL, "" },
    { "zstd", "fatbin, ZSTD", "data", FAT, JW_FAT_ZSTD, NULL, "" },
    { "identifier", "fatbin whose item has a name", "data", FAT_IDENT, 0, NULL, "" },
    { "options", "fatbin with options", "data", FAT, 0, "-maxrregcount=40 --generate-line-info ",
      "-maxrregcount=40 --generate-line-info " },
    { "items", "fatbin with two PTX items for two architectures", "data", FAT_ITEMS, JW_FAT_LZ4, NULL, "" },
    { "item-alone", "the chosen one of the two, packed alone", "data", FAT_ITEM_ALONE, JW_FAT_LZ4, NULL, "" },
    { "ex", "fatbin, cuModuleLoadDataEx without options", "ex", FAT, JW_FAT_LZ4, NULL, "" },
    { "fatbinary", "fatbin, cuModuleLoadFatBinary", "fatbinary", FAT, JW_FAT_LZ4, NULL, "" },
    { "library", "fatbin, cuLibraryLoadData", "library", FAT, JW_FAT_LZ4, NULL, "" },
};

/* The module as text in the form that the route wants; NULs at its end are not part of it. */
static void rewrite(struct lab_module *m, enum form form)
{
    struct jw_buf out = JW_BUF(MAX_TEXT);

    if (form == BLANK_LINE)
        jw_buf_text(&out, "\n");
    for (size_t i = 0; i < m->ptx.n; i++) {
        if (form == CRLF && m->ptx.p[i] == '\n')
            jw_buf_text(&out, "\r");
        jw_buf_add(&out, &m->ptx.p[i], 1);
    }
    jw_buf_free(&m->ptx);
    m->ptx = out;
}

/* Of a module for a higher architecture than all others: what two items hold in common is its text but for .target. */
static void raise_target(struct lab_module *m, struct jw_fat_image *image)
{
    char *at = strstr((char *)(uintptr_t)jw_buf_cstr(&m->ptx), ".target sm_50");

    if (!at)
        return;
    memcpy(at + 8, "sm_52", 5);
    image->target.sm = 52;
}

static bool container(struct lab *l, const struct route *r, struct lab_module *m, struct jw_buf *out,
                      struct jw_err *err)
{
    struct lab_module other;
    struct jw_fat_image images[2] = { lab_image(l, m) };
    size_t n = r->form == FAT_ITEMS ? 2 : 1;
    bool ok = lab_canary(l, &other, N, N, err);

    if (r->form == FAT_ITEMS || r->form == FAT_ITEM_ALONE)
        raise_target(m, &images[0]);
    images[0].packing = r->packing;
    images[0].options = r->options;
    images[0].identifier = r->form == FAT_IDENT ? "lab.cu" : NULL;
    images[0].payload = jw_buf_bytes(&m->ptx);
    images[1] = lab_image(l, &other);
    images[1].packing = r->packing;
    ok = ok && jw_fat_write(out, images, n, err);
    lab_module_free(&other);
    return ok;
}

/* The bytes that are given to the driver; `m` becomes the text that it should find in them. */
static bool make(struct lab *l, const struct route *r, struct lab_module *m, struct jw_buf *out,
                 struct jw_err *err)
{
    *out = JW_BUF(MAX_TEXT);
    if (!lab_canary(l, m, N, N, err))
        return false;
    if (r->form >= FAT)
        return container(l, r, m, out, err);
    rewrite(m, r->form);
    jw_buf_add(out, m->ptx.p, m->ptx.n);
    if (r->form == NUL_TWICE)
        jw_buf_fill(out, 0, 2);
    return jw_buf_ok(out, err);
}

static bool tell(struct lab *l, const struct route *r, const char *root, const struct lab_module *m,
                 const struct lab_done *done, struct jw_err *err)
{
    struct lab_entry e = { 0 };
    size_t n = 0;
    bool readable = lab_entry_read(l, root, &e, &n, err);
    unsigned nuls = r->form >= FAT ? l->m.nuls : 1;
    uint64_t expected = r->expect ? lab_predict(l, jw_buf_bytes(&m->ptx), nuls, r->expect) : 0;

    lab_say(l, r->name, r->what, done->whole);
    lab_say_done(l, done);
    jw_json_number(&l->json, "entries", n);
    if (n && readable) {
        lab_say_entry(l, &e, m);
        if (expected)
            jw_json_bool(&l->json, "name_predicted", e.name == expected);
        else
            jw_json_null(&l->json, "name_predicted");
    } else if (!readable) {
        jw_json_text(&l->json, "entry_error", err->msg);
    }
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

static bool ask(struct lab *l, const struct route *r, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    struct jw_buf image;
    const char *root;
    bool ok = make(l, r, &m, &image, err) && lab_root(l, r->name, &root, err)
              && lab_load(l, root, r->door, "e2a.image", jw_buf_bytes(&image), &done, err)
              && tell(l, r, root, &m, &done, err);

    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}

bool lab_e2a(struct lab *l, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(routes); i++)
        if (!ask(l, &routes[i], err))
            return false;
    lab_say(l, "cudart", "the same container in a program of the CUDA runtime: needs nvcc, not asked here",
            true);
    jw_json_bool(&l->json, "asked", false);
    lab_say_end(l);
    return true;
}
