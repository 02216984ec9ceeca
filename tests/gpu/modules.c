#include "lab.h"

#include <stdio.h>
#include <string.h>

extern const char lab_canary_ptx[]; /* ptx/canary.ptx */

enum {
    MAX_PTX = 80 << 20,
    MAX_FATBIN = 80 << 20,
    COMMENT = 100,
    FIRST_GUESS = 2000,
    UNTIMED_STEPS = 200,
    MAX_STEPS = 20000,
    TOO_FAST_MS = 25
};

/* PTX that is old enough for every driver and new enough for the newest. */
static struct jw_arch target_for(const struct lab *l, unsigned *major, unsigned *minor)
{
    static const struct {
        unsigned cuda, major, minor;
        uint16_t sm;
    } rows[] = { { 11000, 7, 0, 50 }, { 9000, 6, 0, 50 }, { 0, 4, 2, 30 } };
    size_t i = 0;

    while (l->m.cuda < rows[i].cuda)
        i++;
    *major = rows[i].major;
    *minor = rows[i].minor;
    return (struct jw_arch){ rows[i].sm, '\0' };
}

static void head(const struct lab *l, struct lab_module *m)
{
    unsigned major, minor;
    struct jw_arch t = target_for(l, &major, &minor);

    jw_buf_printf(&m->ptx,
                  "//\n// jitwarm lab module %s\n//\n.version %u.%u\n.target sm_%u\n.address_size 64\n\n",
                  m->name, major, minor, t.sm);
}

/* The head of a kernel like the canary's: its parameters in %rd1 and %r1. */
static void kernel_head(struct lab_module *m, const char *kernel)
{
    jw_buf_printf(&m->ptx,
                  ".visible .entry %s(\n\t.param .u64 %s_out,\n\t.param .u32 %s_x\n)\n{\n"
                  "\t.reg .b32 \t%%r<8>;\n\t.reg .b64 \t%%rd<4>;\n\n\tld.param.u64 \t%%rd1, [%s_out];\n"
                  "\tld.param.u32 \t%%r1, [%s_x];\n\tcvta.to.global.u64 \t%%rd2, %%rd1;\n",
                  kernel, kernel, kernel, kernel, kernel);
}

/* @K@ is in the comment and in the name, @N@ is the number that is added. */
static void fill(const struct lab *l, struct jw_buf *out, unsigned n, unsigned add)
{
    unsigned major, minor;
    struct jw_arch t = target_for(l, &major, &minor);

    for (const char *p = lab_canary_ptx; *p;) {
        size_t plain = strcspn(p, "@");

        jw_buf_add(out, p, plain);
        p += plain;
        if (strncmp(p, "@N@", 3) == 0) {
            jw_buf_printf(out, "%u", add);
            p += 3;
        } else if (strncmp(p, "@K@", 3) == 0) {
            jw_buf_printf(out, "%u", n);
            p += 3;
        } else if (strncmp(p, "@VERSION@", 9) == 0) {
            jw_buf_printf(out, "%u.%u", major, minor);
            p += 9;
        } else if (strncmp(p, "@TARGET@", 8) == 0) {
            jw_buf_printf(out, "sm_%u", t.sm);
            p += 8;
        } else if (*p) {
            jw_buf_add(out, p++, 1);
        }
    }
}

bool lab_canary(const struct lab *l, struct lab_module *m, unsigned n, unsigned add, struct jw_err *err)
{
    *m = (struct lab_module){ .ptx = JW_BUF(MAX_PTX) };
    (void)snprintf(m->name, sizeof m->name, "canary-%u-%u", n, add);
    (void)snprintf(m->kernel, sizeof m->kernel, "jw_canary_add_%u", n);
    fill(l, &m->ptx, n, add);
    return jw_buf_ok(&m->ptx, err);
}

/* Steps that depend on one another, each with constants of its own, so that nothing can be left out or shared. What they
 * make goes to memory and comes back, and the difference, which only a run knows to be zero, is added to the answer. */
static void heavy_body(struct lab_module *m, unsigned n, unsigned steps)
{
    uint32_t c = n * 2654435761U + 12345;

    jw_buf_text(&m->ptx, "\tmov.u32 \t%r2, %r1;\n\tmov.u32 \t%r3, %r1;\n");
    for (unsigned i = 0; i < steps; i++) {
        c = c * 1664525U + 1013904223U;
        jw_buf_printf(&m->ptx, "\tmad.lo.s32 \t%%r2, %%r2, %%r3, %u;\n\txor.b32 \t%%r3, %%r2, %u;\n", c >> 8,
                      (c >> 4) & 0xffffff);
    }
    jw_buf_printf(&m->ptx,
                  "\tadd.s32 \t%%r4, %%r2, %%r3;\n\tst.volatile.global.u32 \t[%%rd2], %%r4;\n"
                  "\tld.volatile.global.u32 \t%%r5, [%%rd2];\n\tsub.s32 \t%%r5, %%r5, %%r4;\n"
                  "\tadd.s32 \t%%r6, %%r1, %u;\n\tadd.s32 \t%%r6, %%r6, %%r5;\n"
                  "\tst.global.u32 \t[%%rd2], %%r6;\n\tret;\n}\n",
                  n);
}

bool lab_heavy(const struct lab *l, struct lab_module *m, unsigned n, unsigned steps, struct jw_err *err)
{
    *m = (struct lab_module){ .ptx = JW_BUF(MAX_PTX) };
    (void)snprintf(m->name, sizeof m->name, "heavy-%u", n);
    (void)snprintf(m->kernel, sizeof m->kernel, "lab_heavy_%u", n);
    head(l, m);
    kernel_head(m, m->kernel);
    heavy_body(m, n, steps);
    return jw_buf_ok(&m->ptx, err);
}

static void small_kernel(struct lab_module *m, const char *kernel, unsigned n)
{
    kernel_head(m, kernel);
    jw_buf_printf(&m->ptx, "\tadd.s32 \t%%r2, %%r1, %u;\n\tst.global.u32 \t[%%rd2], %%r2;\n\tret;\n}\n\n", n);
}

bool lab_pair(const struct lab *l, struct lab_module *m, unsigned n, bool variable, struct jw_err *err)
{
    *m = (struct lab_module){ .ptx = JW_BUF(MAX_PTX) };
    (void)snprintf(m->name, sizeof m->name, "pair-%u%s", n, variable ? "-variable" : "");
    (void)snprintf(m->kernel, sizeof m->kernel, "lab_first");
    head(l, m);
    if (variable)
        jw_buf_printf(&m->ptx, ".visible .global .align 4 .u32 lab_variable = %u;\n\n", n);
    small_kernel(m, "lab_first", n);
    small_kernel(m, "lab_second", n + 1);
    return jw_buf_ok(&m->ptx, err);
}

bool lab_bulk(const struct lab *l, struct lab_module *m, unsigned n, size_t bytes, struct jw_err *err)
{
    char line[COMMENT + 1];

    *m = (struct lab_module){ .ptx = JW_BUF(MAX_PTX) };
    (void)snprintf(m->name, sizeof m->name, "bulk-%u", n);
    (void)snprintf(m->kernel, sizeof m->kernel, "lab_bulk_%u", n);
    head(l, m);
    memset(line, '.', sizeof line);
    memcpy(line, "// ", 3);
    line[COMMENT - 1] = '\n';
    while (m->ptx.n + COMMENT < bytes / 2 && !m->ptx.bad)
        jw_buf_add(&m->ptx, line, COMMENT);
    jw_buf_printf(&m->ptx, ".visible .global .align 4 .u32 lab_bulk_data[%zu] = {%u, 1};\n\n",
                  bytes / 2 / 4 + 2, n);
    small_kernel(m, m->kernel, n);
    return jw_buf_ok(&m->ptx, err);
}

void lab_module_free(struct lab_module *m)
{
    jw_buf_free(&m->ptx);
}

struct jw_fat_image lab_image(const struct lab *l, const struct lab_module *m)
{
    unsigned major, minor;
    struct jw_arch t = target_for(l, &major, &minor);

    return (struct jw_fat_image){ .kind = JW_KIND_PTX,
                                  .target = t,
                                  .major = (uint16_t)major,
                                  .minor = (uint16_t)minor,
                                  .payload = jw_buf_bytes(&m->ptx) };
}

bool lab_fatbin(const struct lab *l, const struct lab_module *m, uint64_t packing, const char *options,
                struct jw_buf *out, struct jw_err *err)
{
    struct jw_fat_image image = lab_image(l, m);

    *out = JW_BUF(MAX_FATBIN);
    image.packing = packing;
    image.options = options;
    return jw_fat_write(out, &image, 1, err);
}

/* How long one of so many steps takes to load into an empty folder. */
static bool time_one(struct lab *l, unsigned steps, unsigned *ms, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    struct lab_step step = { .loading = "EAGER", .ops = { "context" } };
    char name[48], op[300];

    (void)snprintf(name, sizeof name, "calibrate-%u", steps);
    bool ok = lab_heavy(l, &m, steps, steps, err) && lab_cache(l, name, &step.cache, err);
    const char *path = lab_path(l, "calibrate.ptx");

    ok = ok && path && lab_write(l, path, jw_buf_bytes(&m.ptx), err);
    if (ok) {
        (void)snprintf(op, sizeof op, "data %s", path);
        step.ops[1] = op;
        ok = lab_run(l, &step, &done, err)
             && (lab_all_zero(&done)
                 || jw_fail(err, JW_E_DRIVER, "a module of %u steps: %s", steps, done.how));
    }
    *ms = ok ? (unsigned)(lab_op(&done, "data")->us / 1000) : 0;
    lab_module_free(&m);
    return ok;
}

bool lab_calibrate(struct lab *l, unsigned *steps, unsigned *ms, struct jw_err *err)
{
    *steps = l->cost_ms ? FIRST_GUESS : UNTIMED_STEPS;
    *ms = 0;
    if (!l->cost_ms)
        return true;
    if (!time_one(l, *steps, ms, err))
        return false;
    for (int i = 0; i < 3 && *ms >= TOO_FAST_MS && (*ms < l->cost_ms / 2 || *ms > l->cost_ms * 2); i++) {
        uint64_t next = (uint64_t)*steps * l->cost_ms / *ms;

        *steps = next > MAX_STEPS ? MAX_STEPS : next < 100 ? 100 : (unsigned)next;
        if (!time_one(l, *steps, ms, err))
            return false;
        if (*steps == MAX_STEPS)
            break;
    }
    if (*ms < TOO_FAST_MS)
        *ms = 0;
    return true;
}
