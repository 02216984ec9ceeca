/*
 * E12, variables and errors: which values of CUDA_CACHE_DISABLE stop the cache, when the driver reads its variables, and what
 * number each kind of bad input gives. It prints no error's text: the number is what code acts on.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_E12 = 12001 };

static const char garbled_e12[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry broken( { ;;\n";
static const char future[] =
    ".version 99.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";

static bool run(struct lab *l, const char *step, const char *what, const struct jw_child_edit *edits,
                size_t n, const char *set, const char *file, const struct lab_op **op, struct lab_done *done,
                struct jw_err *err)
{
    struct lab_step s = { .loading = "EAGER",
                          .edits = edits,
                          .n_edits = n,
                          .ops = { "context", set ? set : "pause 0", lab_op_text(l, "data", file) } };

    if (!lab_cache(l, step, &s.cache, err) || !lab_run(l, &s, done, err))
        return false;
    *op = lab_op(done, "data");
    lab_say(l, step, what, true);
    lab_say_done(l, done);
    return true;
}

static bool disable(struct lab *l, const char *file, struct jw_err *err)
{
    static const char *const values[] = { "1", "01", " 1", "0", "true", "yes", "2", "" };

    for (size_t i = 0; i < JW_COUNT(values); i++) {
        struct jw_child_edit edit = { "CUDA_CACHE_DISABLE", values[i] };
        const struct lab_op *op;
        struct lab_done done;
        char step[32];

        (void)snprintf(step, sizeof step, "disable-%s", *values[i] ? values[i] : "empty");
        if (!run(l, step, "CUDA_CACHE_DISABLE", &edit, 1, NULL, file, &op, &done, err))
            return false;
        bool stored = op && op->fresh, off = strtoul(values[i], NULL, 10) == 1;

        lab_finds(l, "F58-disable", stored != off ? LAB_CONFIRMED : LAB_CONTRADICTED, "'%s': %s", values[i],
                  stored ? "the entry was stored" : "nothing was stored");
        lab_say_end(l);
    }
    return true;
}

static bool late(struct lab *l, const char *file, struct jw_err *err)
{
    const struct lab_op *op;
    struct lab_done done;

    if (!run(l, "set-late", "CUDA_CACHE_DISABLE=1 set after cuInit", NULL, 0, "set CUDA_CACHE_DISABLE=1",
             file, &op, &done, err))
        return false;
    lab_finds_holds(l, "F25-env-at-init", op && op->fresh,
                    op && op->fresh ? "it had no effect" : "it took effect");
    lab_say_end(l);
    return true;
}

static bool number_e12(struct lab *l, const char *step, const char *what, const char *variable,
                       const char *file, int wanted, const char *belief, struct jw_err *err)
{
    struct jw_child_edit edit = { variable, "1" };
    const struct lab_op *op;
    struct lab_done done;

    if (!run(l, step, what, &edit, variable ? 1 : 0, NULL, file, &op, &done, err))
        return false;
    lab_finds(l, belief, op && op->code == wanted ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "%s: error %d; expected %d", what, op ? op->code : -1, wanted);
    lab_say_end(l);
    return true;
}

bool lab_e12(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    const char *good = lab_path(l, "good.ptx"), *bad = lab_path(l, "bad.ptx"),
               *newer = lab_path(l, "newer.ptx");
    bool ok = lab_canary(l, &m, N_E12, N_E12, err) && lab_write(l, good, jw_buf_bytes(&m.ptx), err)
              && lab_write(l, bad, JW_BYTES(garbled_e12), err) && lab_write(l, newer, JW_BYTES(future), err);

    lab_module_free(&m);
    return ok && disable(l, good, err) && late(l, good, err)
           && number_e12(l, "garbled", "PTX that does not compile", NULL, bad, 218, "F79-errors", err)
           && number_e12(l, "newer", "PTX of ISA 99.0", NULL, newer, 222, "F76-isa-limit", err)
           && number_e12(l, "disable-ptx-jit", "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_PTX_JIT", good, 223,
                         "F81-force-disable", err)
           && number_e12(l, "disable-jit", "CUDA_DISABLE_JIT", "CUDA_DISABLE_JIT", good, 223,
                         "F81-force-disable", err);
}

/*
 * E12, which code is chosen: containers with two items, each of which adds another number. The number that the kernel writes
 * tells which one the driver took; the cubin among them is the one that this driver made itself.
 */

enum {
    N_E12B = 12201,
    X = 1000,
    CODE = 21,
    FIRST = 31,
    SECOND = 32,
    MAX_IMAGE = 1 << 20,
    NOT_FOR_THIS = 209
};

struct choosing {
    struct lab *l;
    struct lab_module first, second, broken;
    struct lab_entry made;
};

/* An item of the module's PTX, its text made one for sm_NN (0: as it is) of this ISA. */
static struct jw_fat_image item(struct choosing *c, struct lab_module *m, unsigned sm, unsigned major,
                                unsigned minor)
{
    struct jw_fat_image image = lab_image(c->l, m);
    char *at = strstr((char *)(uintptr_t)jw_buf_cstr(&m->ptx), ".version "), number[8], target[16];
    struct jw_buf text = JW_BUF(MAX_IMAGE);

    if (!sm || !at)
        return image;
    (void)snprintf(number, sizeof number, "%u.%u", major, minor);
    (void)snprintf(target, sizeof target, "sm_%u", sm);
    jw_buf_add(&text, m->ptx.p, (size_t)(at - (const char *)m->ptx.p));
    jw_buf_printf(&text, ".version %s\n.target %s\n", number, target);
    at = strstr(at, ".address_size");
    jw_buf_text(&text, at ? at : "");
    jw_buf_free(&m->ptx);
    m->ptx = text;
    image.target = (struct jw_arch){ (uint16_t)sm, '\0' };
    image.major = (uint16_t)major;
    image.minor = (uint16_t)minor;
    image.payload = jw_buf_bytes(&m->ptx);
    return image;
}

static struct jw_fat_image machine_code(struct choosing *c, unsigned sm)
{
    struct jw_fat_image image = lab_image(c->l, &c->first);

    image.kind = JW_KIND_ELF;
    image.target = (struct jw_arch){ (uint16_t)sm, '\0' };
    image.payload = c->made.payload;
    return image;
}

/* Begins a line. `*number`: what was added; 0: no number. `*code`: of the load. */
static bool load(struct choosing *c, const char *step, const char *what, const struct jw_fat_image *images,
                 size_t n, uint64_t *number, int *code, struct jw_err *err)
{
    struct lab *l = c->l;
    struct jw_buf image = JW_BUF(MAX_IMAGE);
    const char *path = lab_path(l, "e12b.fatbin");
    struct lab_step s = { .loading = "EAGER",
                          .ops = { "context", lab_op_text(l, "data", path),
                                   lab_op_of(l, "launch %s %d", c->first.kernel, X) } };
    struct lab_done done;
    bool ok = jw_fat_write(&image, images, n, err) && lab_write(l, path, jw_buf_bytes(&image), err)
              && lab_cache(l, step, &s.cache, err) && lab_run(l, &s, &done, err);

    jw_buf_free(&image);
    if (!ok)
        return false;
    const struct lab_op *launched = lab_op(&done, "launch"), *loaded = lab_op(&done, "data");

    *code = loaded ? loaded->code : -1;
    *number = launched && launched->code == 0 && launched->value > X ? launched->value - X : 0;
    lab_say(l, step, what, true);
    lab_say_done(l, &done);
    jw_json_number(&l->json, "added", *number);
    return true;
}

static bool chosen(struct choosing *c, const char *step, const char *what, const struct jw_fat_image *images,
                   uint64_t wanted, const char *belief, struct jw_err *err)
{
    uint64_t number;
    int code;

    if (!load(c, step, what, images, 2, &number, &code, err))
        return false;
    if (code)
        lab_finds(c->l, belief, LAB_NOT_TESTABLE, "%s: the load gave error %d", what, code);
    else
        lab_finds(c->l, belief, number == wanted ? LAB_CONFIRMED : LAB_CONTRADICTED, "%s: %s was taken", what,
                  number == CODE     ? "the machine code"
                  : number == FIRST  ? "the first PTX"
                  : number == SECOND ? "the second PTX"
                                     : "neither");
    lab_say_end(c->l);
    return true;
}

/* The ISA that came with a GPU. */
static void isa_of(unsigned sm, unsigned *major, unsigned *minor)
{
    *major = sm >= 89 ? 8 : 7;
    *minor = sm >= 120 ? 7 : sm >= 100 ? 6 : sm >= 90 ? 0 : sm >= 89 ? 1 : sm >= 86 ? 1 : 0;
}

static bool make(struct choosing *c, struct jw_err *err)
{
    struct lab *l = c->l;
    struct lab_module code = { 0 };
    struct lab_done done;
    const char *root;
    size_t n = 0;
    bool ok = lab_canary(l, &c->first, N_E12B, FIRST, err) && lab_canary(l, &c->second, N_E12B, SECOND, err)
              && lab_canary(l, &code, N_E12B, CODE, err) && lab_cache(l, "made", &root, err)
              && lab_load(l, root, "data", "made.ptx", jw_buf_bytes(&code.ptx), &done, err)
              && lab_entry_read(l, root, &c->made, &n, err)
              && (n == 1 || jw_fail(err, JW_E_FORMAT, "the module left %zu entries: %s", n, done.how));

    lab_module_free(&code);
    return ok;
}

static bool kinds(struct choosing *c, struct jw_err *err)
{
    struct jw_fat_image both[] = { item(c, &c->first, 0, 0, 0), machine_code(c, c->l->m.sm) };
    struct jw_fat_image foreign = machine_code(c, 35);
    uint64_t number;
    int code;

    if (!chosen(c, "code-and-ptx", "PTX, then machine code that fits", both, CODE, "F72-sass-beats-ptx", err)
        || !load(c, "code-for-another", "machine code for sm_35 alone", &foreign, 1, &number, &code, err))
        return false;
    lab_finds(c->l, "F70-sass-same-major", code == NOT_FOR_THIS ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "machine code of another generation: error %d; expected %d", code, NOT_FOR_THIS);
    lab_finds(c->l, "F79-errors", code == NOT_FOR_THIS ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "nothing for this GPU: error %d; expected %d", code, NOT_FOR_THIS);
    lab_say_end(c->l);
    return true;
}

static bool targets(struct choosing *c, struct jw_err *err)
{
    unsigned major, minor;
    struct jw_fat_image low = item(c, &c->first, 0, 0, 0), high, swapped[2], pair[2];

    isa_of(c->l->m.sm, &major, &minor);
    pair[0] = low;
    pair[1] = item(c, &c->second, 0, 0, 0);
    if (!chosen(c, "tie", "two PTX for the same lower target", pair, FIRST, "F74-ties", err))
        return false;
    high = item(c, &c->second, 52, 7, 0);
    pair[1] = high;
    swapped[0] = high;
    swapped[1] = low;
    if (!chosen(c, "low-high", "PTX for sm_50, then for sm_52", pair, SECOND, "F73-highest-wins", err)
        || !chosen(c, "high-low", "PTX for sm_52, then for sm_50", swapped, SECOND, "F73-highest-wins", err))
        return false;
    pair[0] = item(c, &c->first, c->l->m.sm, major, minor);
    pair[1] = item(c, &c->second, c->l->m.sm, major, minor);
    if (!chosen(c, "tie-exact", "two PTX for exactly this GPU", pair, SECOND, "F74-ties", err))
        return false;
    pair[1] = item(c, &c->second, 120, 8, 7);
    return c->l->m.sm >= 120
           || chosen(c, "too-high", "PTX for this GPU, then for sm_120", pair, FIRST, "F71-ptx-forward", err);
}

/* The better item cannot be compiled, the other one could. */
static bool no_second_choice(struct choosing *c, struct jw_err *err)
{
    static const struct {
        const char *step, *what;
        bool garbled;
    } bad[] = { { "better-is-garbled", "PTX for sm_50, and for sm_52 what does not compile", true },
                { "better-is-newer", "PTX for sm_50, and for sm_52 of ISA 99.0", false } };

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        struct lab_module good = { 0 };
        uint64_t number;
        int code;
        bool ok =
            lab_canary(c->l, &good, N_E12B, FIRST, err) && lab_canary(c->l, &c->broken, N_E12B, SECOND, err);
        struct jw_fat_image pair[2] = { lab_image(c->l, &good),
                                        item(c, &c->broken, 52, bad[i].garbled ? 7 : 99, 0) };

        if (bad[i].garbled)
            for (size_t k = c->broken.ptx.n / 2; k < c->broken.ptx.n; k++)
                c->broken.ptx.p[k] = '{';
        ok = ok && load(c, bad[i].step, bad[i].what, pair, 2, &number, &code, err);
        lab_module_free(&good);
        lab_module_free(&c->broken);
        if (!ok)
            return false;
        lab_finds(c->l, "F75-no-fallback", code ? LAB_CONFIRMED : LAB_CONTRADICTED, "%s: error %d",
                  bad[i].what, code);
        lab_say_end(c->l);
    }
    return true;
}

bool lab_e12b(struct lab *l, struct jw_err *err)
{
    struct choosing c = { .l = l };
    bool ok = make(&c, err) && kinds(&c, err) && targets(&c, err) && no_second_choice(&c, err);

    lab_entry_free(&c.made);
    lab_module_free(&c.first);
    lab_module_free(&c.second);
    return ok;
}
