/*
 * E13: does a load for another GPU leave an entry for it (a)? What do NVIDIA's other compilers keep in the same folder (b)? The
 * rest needs what this machine's owner has to start or to configure, and says so.
 */
#include "lab.h"

#include "base/compiler.h"

enum { N = 13001 };

static bool other_target(struct lab *l, struct jw_err *err)
{
    static const unsigned others[] = { 75, 80, 86, 90 };
    struct lab_module m;
    bool ok = lab_canary(l, &m, N, N, err);
    const char *file = lab_path(l, "e13.ptx");

    ok = ok && lab_write(l, file, jw_buf_bytes(&m.ptx), err);
    for (size_t i = 0; ok && i < JW_COUNT(others); i++) {
        struct lab_step s = { .loading = "EAGER",
                              .ops = { "context", lab_op_of(l, "jit 9 %u %s", others[i], file) } };
        const char *step = lab_op_of(l, "a-sm_%u", others[i]);
        struct lab_entry e = { 0 };
        struct lab_done done;
        size_t n = 0;

        if (others[i] / 10 == l->m.sm / 10)
            continue;
        ok = lab_cache(l, step, &s.cache, err) && lab_run(l, &s, &done, err)
             && lab_entry_read(l, s.cache, &e, &n, err);
        if (ok) {
            lab_say(l, step, "CU_JIT_TARGET of another generation", true);
            lab_say_done(l, &done);
            if (n)
                lab_say_entry(l, &e, &m);
            lab_finds(l, "F84-target-stores", LAB_ANSWERED, "sm_%u: error %d, %zu entries%s%s", others[i],
                      done.n > 1 ? done.ops[1].code : -1, n, n ? ", for " : "", n ? e.k.arch : "");
            lab_say_end(l);
        }
        lab_entry_free(&e);
    }
    lab_module_free(&m);
    return ok;
}

static bool other_compilers(struct lab *l, struct jw_err *err)
{
    const char *file = lab_path(l, "e13.ptx");
    struct lab_step s = { .ops = { lab_op_of(l, "nvjitlink sm_%u %s", l->m.sm, file),
                                   lab_op_of(l, "nvjitlink sm_%u %s", l->m.sm, file) } };
    struct lab_done done;
    struct lab_entry e = { 0 };
    size_t n = 0;

    if (!lab_cache(l, "b", &s.cache, err) || !lab_run(l, &s, &done, err))
        return false;
    if (!done.n || done.ops[0].code)
        return lab_not_asked(l, "b", "there is no libnvJitLink here, or it does not know this GPU",
                             "F09-other-compilers");
    bool ok = lab_entry_read(l, s.cache, &e, &n, err);

    if (ok) {
        lab_say(l, "b", "the same PTX twice through nvJitLink", true);
        lab_say_done(l, &done);
        if (n)
            lab_say_entry(l, &e, NULL);
        lab_finds(l, "F09-other-compilers", n ? LAB_CONFIRMED : LAB_ANSWERED,
                  "nvJitLink left %zu entries in the folder", n);
        lab_say_end(l);
    }
    lab_entry_free(&e);
    return ok;
}

bool lab_e13(struct lab *l, struct jw_err *err)
{
    return other_target(l, err) && other_compilers(l, err)
           && lab_not_asked(l, "c", "no MPS daemon is started here: it would change the GPU for others",
                            "F67-mps-client")
           && lab_not_asked(l, "d", "MIG is not configured here: it would change the GPU for others",
                            "F66-mig-shares")
           && lab_not_asked(l, "e", "no program of OpenCL, of cuDNN or cuFFT is carried along",
                            "F09-other-compilers");
}
