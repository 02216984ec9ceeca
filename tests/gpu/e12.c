/*
 * E12, variables and errors: which values of CUDA_CACHE_DISABLE stop the cache, when the driver reads its variables, and what
 * number each kind of bad input gives. It prints no error's text: the number is what code acts on.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 12001 };

static const char garbled[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry broken( { ;;\n";
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

    if (!lab_root(l, step, &s.root, err) || !lab_run(l, &s, done, err))
        return false;
    *op = lab_op(done, "data");
    lab_say(l, step, what, true);
    lab_say_done(l, done);
    return true;
}

static bool disable(struct lab *l, const char *file, struct jw_err *err)
{
    static const char *const values[] = { "1", "0", "true", "2", "" };

    for (size_t i = 0; i < JW_COUNT(values); i++) {
        struct jw_child_edit edit = { "CUDA_CACHE_DISABLE", values[i] };
        const struct lab_op *op;
        struct lab_done done;
        char step[32];

        (void)snprintf(step, sizeof step, "disable-%s", *values[i] ? values[i] : "empty");
        if (!run(l, step, "CUDA_CACHE_DISABLE", &edit, 1, NULL, file, &op, &done, err))
            return false;
        bool stored = op && op->fresh;

        if (i < 2)
            lab_finds_holds(l, "F58-disable", stored == (i == 1),
                            stored ? "the entry was stored" : "nothing was stored");
        else
            lab_finds(l, "F58-disable", LAB_ANSWERED, "'%s': %s", values[i],
                      stored ? "stored" : "not stored");
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

static bool number(struct lab *l, const char *step, const char *what, const char *variable, const char *file,
                   int wanted, const char *belief, struct jw_err *err)
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
    bool ok = lab_canary(l, &m, N, N, err) && lab_write(l, good, jw_buf_bytes(&m.ptx), err)
              && lab_write(l, bad, JW_BYTES(garbled), err) && lab_write(l, newer, JW_BYTES(future), err);

    lab_module_free(&m);
    return ok && disable(l, good, err) && late(l, good, err)
           && number(l, "garbled", "PTX that does not compile", NULL, bad, 218, "F79-errors", err)
           && number(l, "newer", "PTX of ISA 99.0", NULL, newer, 222, "F76-isa-limit", err)
           && number(l, "disable-ptx-jit", "CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_PTX_JIT", good, 223,
                     "F81-force-disable", err)
           && number(l, "disable-jit", "CUDA_DISABLE_JIT", "CUDA_DISABLE_JIT", good, 223, "F81-force-disable",
                     err);
}
