/*
 * E2 c to e: options that a container stores, targets, and surroundings that may or may not enter the key: who and where the
 * process is, which variables it has, whose context it uses.
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 2301, MAX_TEXT = 1 << 20, HOPPER = 90 };

/* ---- c ---- */

static const char *const stored[] = { "-maxrregcount=40 ", "--generate-line-info ", "-O2 ",
                                      "-maxrregcount=40 --generate-line-info " };

static bool options(struct lab *l, size_t i, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    struct lab_entry e = { 0 };
    struct lab_done done;
    const char *root, *step = lab_op_of(l, "c-%zu", i + 1);
    size_t n = 0;
    bool ok = lab_canary(l, &m, N, N, err) && lab_fatbin(l, &m, JW_FAT_LZ4, stored[i], &image, err)
              && lab_root(l, step, &root, err)
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

static bool target(struct lab *l, const char *version, const char *name, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf text = JW_BUF(MAX_TEXT);
    struct lab_entry e = { 0 };
    struct lab_done done;
    const char *root, *step = lab_op_of(l, "d-%s", name);
    size_t n = 0;
    bool ok = lab_canary(l, &m, N, N, err);
    const char *rest = ok ? strstr(jw_buf_cstr(&m.ptx), ".address_size") : "";

    jw_buf_printf(&text, ".version %s\n.target %s\n%s", version, name, rest ? rest : "");
    ok = ok && lab_root(l, step, &root, err)
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
        if (rows[i].sm <= sm && !target(l, rows[i].version, rows[i].name, err))
            return false;
    if (sm < HOPPER)
        return lab_not_asked(l, "d-a", "this GPU has no target with an a", "F19-arch-spelling");
    return target(l, sm == HOPPER ? "8.0" : sm < 120 ? "8.6" : "8.7", lab_op_of(l, "sm_%ua", sm), err);
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
    struct lab_step s = { .root = warm,
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
        ok = options(l, i, err);
    if (!ok || !targets(l, err) || !lab_canary(l, &m, N, N, err))
        return false;
    ok = lab_root(l, "warm", &warm, err)
         && lab_load(l, warm, "data", "e2e.ptx", jw_buf_bytes(&m.ptx), &done, err);
    for (size_t i = 0; ok && i < JW_COUNT(arounds); i++)
        ok = surroundings(l, &arounds[i], warm, file, &m, err);
    lab_module_free(&m);
    return ok;
}
