/*
 * E2a, what enters the key: one module by every door and in every form, each into an empty folder of its own. For each:
 * how many entries, their options and NULs, and whether the name is the one that was computed beforehand.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 101, ZSTD_FROM = 12040, MAX_TEXT = 1 << 20 };

enum form { PLAIN, BLANK_LINE, CRLF, NUL_TWICE, FAT, FAT_BARE, FAT_IDENT, FAT_ITEMS, FAT_ITEM_ALONE };

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
    { "lz4-bare", "fatbin, LZ4, its text stored without a NUL", "data", FAT_BARE, JW_FAT_LZ4, NULL, "" },
    { "zstd", "fatbin, ZSTD", "data", FAT, JW_FAT_ZSTD, NULL, "" },
    { "identifier", "fatbin whose item has a name", "data", FAT_IDENT, JW_FAT_LZ4, NULL, "" },
    { "options", "fatbin with options", "data", FAT, JW_FAT_LZ4, "-maxrregcount=40 --generate-line-info ",
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
    images[0].bare = r->form == FAT_BARE;
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

/* The names of the entries so far, 0: none; and how many NULs the text had. */
struct names {
    uint64_t of[JW_COUNT(routes)];
    unsigned text_nuls;
};

static uint64_t name_of(const struct names *t, const char *route)
{
    for (size_t i = 0; i < JW_COUNT(routes); i++)
        if (strcmp(routes[i].name, route) == 0)
            return t->of[i];
    return 0;
}

static void same(struct lab *l, const char *belief, const struct names *t, const struct route *r,
                 const char *other, uint64_t name)
{
    uint64_t is = name_of(t, other);

    if (is)
        lab_finds(l, belief, name == is ? LAB_CONFIRMED : LAB_CONTRADICTED, "%s: %s entry as by %s", r->what,
                  name == is ? "the same" : "another", other);
}

/* Text gets one; an unpacked payload one behind its own; a raw one is padded to 8 bytes. */
static unsigned nuls_of(const struct route *r, const struct lab_module *m)
{
    if (r->form < FAT || r->form == FAT_BARE)
        return 1;
    return r->packing ? 2 : 8 - (unsigned)(m->ptx.n % 8);
}

static void judge_nuls(struct lab *l, const struct names *t, const struct route *r, const struct lab_entry *e,
                       const struct lab_module *m)
{
    lab_finds(l, "F13-nuls",
              t->text_nuls == 1 && e->k.nuls == nuls_of(r, m) ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "%u behind text, %u behind PTX of a %s", t->text_nuls, e->k.nuls, r->what);
}

static bool options_are(const struct lab_entry *e, const char *text)
{
    return e->k.options.n >= strlen(text)
           && jw_find(e->k.options, (struct jw_bytes){ (const uint8_t *)text, strlen(text) })
                  < e->k.options.n;
}

static void judge(struct lab *l, const struct route *r, struct names *t, const struct lab_entry *e,
                  const struct lab_module *m)
{
    bool as_fed = e->k.input.n == m->ptx.n && memcmp(e->k.input.p, m->ptx.p, m->ptx.n) == 0;
    uint64_t text = name_of(t, "text");

    if (r->form == PLAIN && strcmp(r->name, "text") == 0)
        t->text_nuls = e->k.nuls;
    else if (strcmp(r->name, "link") == 0)
        lab_finds_holds(l, "F17-link-options", options_are(e, "-c"), "-c among the options");
    else if (r->form == PLAIN)
        same(l, "F15-doors-agree", t, r, "text", e->name);
    else if (r->form == BLANK_LINE || r->form == CRLF)
        lab_finds_holds(l, "F12-exact-bytes", as_fed && e->name != text, r->what);
    else if (r->options)
        lab_finds_holds(l, "F16-options-in-key", options_are(e, r->options), "the options stand in the key");
    else if (strcmp(r->name, "raw") == 0 || strcmp(r->name, "lz4") == 0 || r->form == FAT_BARE)
        judge_nuls(l, t, r, e, m);
    else if (strcmp(r->name, "item-alone") == 0)
        same(l, "F14-container-not-in-key", t, r, "items", e->name);
    else if (r->form == FAT_ITEMS)
        lab_finds_holds(l, "F73-highest-wins", as_fed,
                        "of two targets, both below the device's, the higher one");
    else if (strcmp(r->door, "data") == 0)
        same(l, "F14-container-not-in-key", t, r, "lz4", e->name);
    else
        same(l, "F15-doors-agree", t, r, "lz4", e->name);
}

static bool tell(struct lab *l, const struct route *r, struct names *t, const char *root,
                 const struct lab_module *m, const struct lab_done *done, struct jw_err *err)
{
    struct lab_entry e = { 0 };
    size_t n = 0;
    bool readable = lab_entry_read(l, root, &e, &n, err);
    uint64_t expected = r->expect ? lab_predict(l, jw_buf_bytes(&m->ptx), nuls_of(r, m), r->expect) : 0;

    lab_say(l, r->name, r->what, done->whole);
    lab_say_done(l, done);
    jw_json_number(&l->json, "entries", n);
    if (n && readable) {
        lab_say_entry(l, &e, m);
        if (expected)
            jw_json_bool(&l->json, "name_predicted", e.name == expected);
        else
            jw_json_null(&l->json, "name_predicted");
        t->of[r - routes] = e.name;
        judge(l, r, t, &e, m);
        if (expected)
            lab_finds_holds(l, "F02-name-is-fnv", e.name == expected, "the name was computed beforehand");
    } else if (!readable) {
        jw_json_text(&l->json, "entry_error", err->msg);
    }
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

static bool ask(struct lab *l, const struct route *r, struct names *t, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    struct jw_buf image;
    const char *root;
    bool ok = make(l, r, &m, &image, err) && lab_root(l, r->name, &root, err)
              && lab_load(l, root, r->door, "e2a.image", jw_buf_bytes(&image), &done, err)
              && tell(l, r, t, root, &m, &done, err);

    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}

bool lab_e2a(struct lab *l, struct jw_err *err)
{
    struct names t = { 0 };

    for (size_t i = 0; i < JW_COUNT(routes); i++)
        if (!ask(l, &routes[i], &t, err))
            return false;
    return lab_not_asked(l, "cudart", "a program of the CUDA runtime is what E16 asks with", NULL);
}
