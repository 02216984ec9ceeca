/*
 * E2a, what enters the key: one module by every door and in every form, each into an empty folder of its own. For each:
 * how many entries, their options and NULs, and whether the name is the one that was computed beforehand.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N_E2A = 101, ZSTD_FROM = 12040, MAX_TEXT_E2A = 1 << 20 };

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
    struct jw_buf out = JW_BUF(MAX_TEXT_E2A);

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

static bool container_e2a(struct lab *l, const struct route *r, struct lab_module *m, struct jw_buf *out,
                          struct jw_err *err)
{
    struct lab_module other;
    struct jw_fat_image images[2] = { lab_image(l, m) };
    size_t n = r->form == FAT_ITEMS ? 2 : 1;
    bool ok = lab_canary(l, &other, N_E2A, N_E2A, err);

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
static bool make_e2a(struct lab *l, const struct route *r, struct lab_module *m, struct jw_buf *out,
                     struct jw_err *err)
{
    *out = JW_BUF(MAX_TEXT_E2A);
    if (!lab_canary(l, m, N_E2A, N_E2A, err))
        return false;
    if (r->form >= FAT)
        return container_e2a(l, r, m, out, err);
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

enum { CUDA_OF_460 = 11020 }; /* older drivers end PTX at its first NUL */

/* Text gets one; an unpacked payload one behind its own; a raw one is padded to 8 bytes. */
static unsigned nuls_of(const struct lab *l, const struct route *r, const struct lab_module *m)
{
    if (r->form < FAT || r->form == FAT_BARE || l->m.cuda < CUDA_OF_460)
        return 1;
    return r->packing ? 2 : 8 - (unsigned)(m->ptx.n % 8);
}

static void check_nuls(struct lab *l, const struct names *t, const struct route *r, const struct lab_entry *e,
                       const struct lab_module *m)
{
    lab_finds(l, "F13-nuls",
              t->text_nuls == 1 && e->k.nuls == nuls_of(l, r, m) ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "%u behind text, %u behind PTX of a %s", t->text_nuls, e->k.nuls, r->what);
}

static bool options_are(const struct lab_entry *e, const char *text)
{
    return e->k.options.n >= strlen(text)
           && jw_find(e->k.options, (struct jw_bytes){ (const uint8_t *)text, strlen(text) })
                  < e->k.options.n;
}

static void check_e2a(struct lab *l, const struct route *r, struct names *t, const struct lab_entry *e,
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
        check_nuls(l, t, r, e, m);
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
    uint64_t expected = r->expect ? lab_predict(l, jw_buf_bytes(&m->ptx), nuls_of(l, r, m), r->expect) : 0;

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
        check_e2a(l, r, t, &e, m);
        if (expected)
            lab_finds_holds(l, "F02-name-is-fnv", e.name == expected, "the name was computed beforehand");
    } else if (!readable) {
        jw_json_text(&l->json, "entry_error", err->msg);
    }
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

static bool ask_e2a(struct lab *l, const struct route *r, struct names *t, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    struct jw_buf image;
    const char *root;
    bool ok = make_e2a(l, r, &m, &image, err) && lab_cache(l, r->name, &root, err)
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
        if (!ask_e2a(l, &routes[i], &t, err))
            return false;
    return lab_not_asked(l, "cudart", "a program of the CUDA runtime is what E16 asks with", NULL);
}

/*
 * E2 b, options of the load call: one fatbin, loaded with one CU_JIT option after another, each into an empty folder. Which
 * of them make another entry, and what does its key then say?
 */

enum { N_E2B = 2201 };

/* `number` is the option's in cuda.h; -1: none, -2: with log buffers. */
static const struct option {
    const char *name;
    int number;
    unsigned value;
} options_e2b[] = {
    { "none", -1, 0 },
    { "log-buffers", -2, 0 },
    { "max-registers", 0, 40 },
    { "threads-per-block", 1, 128 },
    { "wall-time", 2, 0 },
    { "optimization-0", 7, 0 },
    { "optimization-3", 7, 3 },
    { "optimization-4", 7, 4 },
    { "target-from-context", 8, 0 },
    { "fallback-ptx", 10, 0 },
    { "fallback-binary", 10, 1 },
    { "debug-info", 11, 1 },
    { "log-verbose", 12, 1 },
    { "line-info", 13, 1 },
    { "cache-mode", 14, 1 },
    { "position-independent", 30, 1 },
    { "max-threads-per-block", 32, 256 },
    { "split-compile-0", 34, 0 },
    { "split-compile-4", 34, 4 },
};

static void check_e2b(struct lab *l, const struct option *o, bool loaded, uint64_t name, uint64_t plain)
{
    bool code = strncmp(o->name, "optimization-0", 14) == 0 || o->number == 0 || o->number == 11;

    if (o->number == -1 || !loaded)
        return;
    if (code)
        lab_finds_holds(l, "F18-jit-options-in-key", name != plain, o->name);
    else
        lab_finds(l, "F18-jit-options-in-key", LAB_ANSWERED,
                  name == plain ? "%s: the same key" : "%s: another key", o->name);
}

static bool ask_e2b(struct lab *l, const struct option *o, const char *file, const struct lab_module *m,
                    uint64_t *plain, struct jw_err *err)
{
    struct lab_step s = { .loading = "EAGER", .ops = { "context" } };
    struct lab_entry e = { 0 };
    struct lab_done done;
    size_t n = 0;

    s.ops[1] = o->number == -1   ? lab_op_text(l, "ex", file)
               : o->number == -2 ? lab_op_text(l, "logs", file)
                                 : lab_op_of(l, "jit %d %u %s", o->number, o->value, file);
    if (!lab_cache(l, o->name, &s.cache, err) || !lab_run(l, &s, &done, err)
        || !lab_entry_read(l, s.cache, &e, &n, err))
        return false;
    if (o->number == -1)
        *plain = e.name;
    lab_say(l, o->name, "a fatbin loaded with this option of the call", true);
    lab_say_done(l, &done);
    jw_json_number(&l->json, "entries", n);
    if (n) {
        lab_say_entry(l, &e, m);
        jw_json_bool(&l->json, "same_key", e.name == *plain);
    }
    check_e2b(l, o, n == 1, e.name, *plain);
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

bool lab_e2b(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    const char *path = lab_path(l, "e2b.fatbin");
    uint64_t plain = 0;
    bool ok = lab_canary(l, &m, N_E2B, N_E2B, err) && lab_fatbin(l, &m, JW_FAT_LZ4, NULL, &image, err)
              && lab_write(l, path, jw_buf_bytes(&image), err);

    for (size_t i = 0; ok && i < JW_COUNT(options_e2b); i++)
        ok = ask_e2b(l, &options_e2b[i], path, &m, &plain, err);
    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}

/*
 * E2 c to e: options that a container stores, targets, and surroundings that may or may not enter the key: who and where the
 * process is, which variables it has, whose context it uses.
 */

enum { N_E2C = 2301, MAX_TEXT_E2C = 1 << 20, HOPPER = 90 };

/* ---- c ---- */

static const char *const stored[] = { "-maxrregcount=40 ", "--generate-line-info ", "-O2 ",
                                      "-maxrregcount=40 --generate-line-info " };

static bool options_e2c(struct lab *l, size_t i, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    struct lab_entry e = { 0 };
    struct lab_done done;
    const char *root, *step = lab_op_of(l, "c-%zu", i + 1);
    size_t n = 0;
    bool ok = lab_canary(l, &m, N_E2C, N_E2C, err) && lab_fatbin(l, &m, JW_FAT_LZ4, stored[i], &image, err)
              && lab_cache(l, step, &root, err)
              && lab_load(l, root, "data", "e2c.fatbin", jw_buf_bytes(&image), &done, err)
              && lab_entry_read(l, root, &e, &n, err);

    if (ok) {
        uint64_t expected = lab_predict(l, jw_buf_bytes(&m.ptx), l->m.nuls, stored[i]);

        lab_say(l, step, "options that a container stores", true);
        lab_say_done(l, &done);
        jw_json_text(&l->json, "stored_options", stored[i]);
        if (n) {
            lab_say_entry(l, &e, &m);
            lab_finds(l, "F16-options-in-key", e.name == expected ? LAB_CONFIRMED : LAB_CONTRADICTED,
                      "'%s': %s name", stored[i], e.name == expected ? "the computed" : "another");
        } else {
            lab_finds(l, "F16-options-in-key", LAB_NOT_TESTABLE, "'%s': no entry", stored[i]);
        }
        lab_say_end(l);
    }
    lab_entry_free(&e);
    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}

/* ---- d ---- */

static bool target_e2c(struct lab *l, const char *version, const char *name, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf text = JW_BUF(MAX_TEXT_E2C);
    struct lab_entry e = { 0 };
    struct lab_done done;
    const char *root, *step = lab_op_of(l, "d-%s", name);
    size_t n = 0;
    bool ok = lab_canary(l, &m, N_E2C, N_E2C, err);
    const char *rest = ok ? strstr(jw_buf_cstr(&m.ptx), ".address_size") : "";

    jw_buf_printf(&text, ".version %s\n.target %s\n%s", version, name, rest ? rest : "");
    ok = ok && lab_cache(l, step, &root, err)
         && lab_load(l, root, "data", "e2d.ptx", jw_buf_bytes(&text), &done, err)
         && lab_entry_read(l, root, &e, &n, err);
    if (ok) {
        char plain[16];

        (void)snprintf(plain, sizeof plain, "sm_%u", l->m.sm);
        lab_say(l, step, "PTX for this target", true);
        lab_say_done(l, &done);
        if (n) {
            lab_say_entry(l, &e, NULL);
            lab_finds(l, "F19-arch-spelling",
                      strchr("af", name[strlen(name) - 1]) ? LAB_ANSWERED
                      : strcmp(e.k.arch, plain) == 0       ? LAB_CONFIRMED
                                                           : LAB_CONTRADICTED,
                      "PTX for %s: the key says %s", name, e.k.arch);
        } else {
            lab_finds(l, "F19-arch-spelling", LAB_NOT_TESTABLE, "PTX for %s left no entry", name);
        }
        lab_say_end(l);
    }
    lab_entry_free(&e);
    jw_buf_free(&text);
    lab_module_free(&m);
    return ok;
}

static bool targets(struct lab *l, struct jw_err *err)
{
    static const struct {
        const char *version, *name;
        unsigned sm;
    } rows[] = {
        { "7.0", "sm_50", 50 }, { "7.0", "sm_75", 75 }, { "7.0", "sm_80", 80 }, { "7.8", "sm_90", 90 }
    };
    unsigned sm = l->m.sm;

    for (size_t i = 0; i < JW_COUNT(rows); i++)
        if (rows[i].sm <= sm && !target_e2c(l, rows[i].version, rows[i].name, err))
            return false;
    if (sm < HOPPER)
        return lab_not_asked(l, "d-a", "this GPU has no target with an a", "F19-arch-spelling");
    return target_e2c(l, sm == HOPPER ? "8.0" : sm < 120 ? "8.6" : "8.7", lab_op_of(l, "sm_%ua", sm), err);
}

/* ---- e ---- */

static const struct around {
    const char *step, *what, *name, *value, *before; /* before: an operation */
    const char *belief;
} arounds[] = {
    { "e-same", "nothing changed", NULL, NULL, NULL, "F20-surroundings" },
    { "e-user", "another user's name", "USER", "somebody", NULL, "F20-surroundings" },
    { "e-folder", "another working folder", NULL, NULL, "cd /", "F20-surroundings" },
    { "e-umask", "another umask", NULL, NULL, "umask 077", "F20-surroundings" },
    { "e-order", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_DEVICE_ORDER", "PCI_BUS_ID", NULL,
      "F20-surroundings" },
    { "e-visible", "CUDA_VISIBLE_DEVICES=0", "CUDA_VISIBLE_DEVICES", "0", NULL, "F20-surroundings" },
    { "e-lazy", "CUDA_MODULE_LOADING=LAZY, then the kernel", "CUDA_MODULE_LOADING", "LAZY", NULL,
      "F20-surroundings" },
    { "e-log", "CUDA_LOG_FILE=/dev/null", "CUDA_LOG_FILE", "/dev/null", NULL, "F20-surroundings" },
    { "e-locale", "LANG=tr_TR.UTF-8", "LANG", "tr_TR.UTF-8", NULL, "F20-surroundings" },
    { "e-zone", "TZ=Asia/Tokyo", "TZ", "Asia/Tokyo", NULL, "F20-surroundings" },
    { "e-no-mps", "an empty CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_PIPE_DIRECTORY", "", NULL, "F67-mps-client" },
    { "e-own", "a context of its own instead of the primary one", NULL, NULL, "own", "F50-primary-context" },
};

static bool surroundings(struct lab *l, const struct around *a, const char *warm, const char *file,
                         const struct lab_module *m, struct jw_err *err)
{
    struct jw_child_edit edit = { a->name, a->value };
    bool own = a->before && strcmp(a->before, "own") == 0;
    struct lab_step s = { .cache = warm,
                          .loading = "EAGER",
                          .edits = &edit,
                          .n_edits = a->name ? 1 : 0,
                          .ops = { a->before ? a->before : "pause 0", own ? "pause 0" : "context",
                                   lab_op_text(l, "data", file), lab_op_of(l, "launch %s 1", m->kernel) } };
    struct lab_done done;

    if (!lab_run(l, &s, &done, err))
        return false;
    lab_say(l, a->step, a->what, true);
    lab_say_done(l, &done);
    if (lab_all_zero(&done))
        lab_finds(l, a->belief, lab_new(&done) ? LAB_CONTRADICTED : LAB_CONFIRMED, "%s: %s", a->what,
                  lab_new(&done) ? "another entry" : "the same entry");
    else
        lab_finds(l, a->belief, LAB_NOT_TESTABLE, "%s: the module was not loaded", a->what);
    lab_say_end(l);
    return true;
}

bool lab_e2c(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    const char *warm, *file = lab_path(l, "e2e.ptx");
    bool ok = true;

    for (size_t i = 0; ok && i < JW_COUNT(stored); i++)
        ok = options_e2c(l, i, err);
    if (!ok || !targets(l, err) || !lab_canary(l, &m, N_E2C, N_E2C, err))
        return false;
    ok = lab_cache(l, "warm", &warm, err)
         && lab_load(l, warm, "data", "e2e.ptx", jw_buf_bytes(&m.ptx), &done, err);
    for (size_t i = 0; ok && i < JW_COUNT(arounds); i++)
        ok = surroundings(l, &arounds[i], warm, file, &m, err);
    lab_module_free(&m);
    return ok;
}
