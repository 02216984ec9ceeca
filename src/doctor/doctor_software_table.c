/* Software that is not here: from the table of frameworks, or from its own message. */
#include "doctor/doctor_software.h"
#include "facts/cuda_releases.h"
#include "facts/drivers.h"
#include "software/scan/scan_archs.h"

#include <string.h>

static bool check_archs(const struct jw_software_case *c, const struct jw_scan_archs *archs,
                        struct jw_arena *a, struct jw_gpu_code **out, struct jw_err *err)
{
    const struct jw_scan_options o = {
        .gpus = c->gpus, .n_gpus = c->n_gpus, .driver = c->driver, .force_jit = jw_case_forced(c)
    };
    struct jw_scan_file file;

    *out = jw_arena_alloc(a, (c->n_gpus + 1) * sizeof **out);
    if (!jw_scan_archs(archs, &o, a, &file, err))
        return false;
    for (size_t i = 0; i < c->n_gpus; i++)
        jw_gpu_code_add(&(*out)[i], &file.verdicts[i]);
    return true;
}

/* ---- the table ---- */

static bool is_older(const char *driver, const char *least)
{
    struct jw_driver_version have, need;
    struct jw_err ignored;

    if (!jw_driver_parse(driver, &have, &ignored) || !jw_driver_parse(least, &need, &ignored))
        return false;
    if (have.branch != need.branch)
        return have.branch < need.branch;
    return have.minor != need.minor ? have.minor < need.minor : have.patch < need.patch;
}

const char *jw_toolkit_needs_driver(const struct jw_software_case *c, unsigned cuda)
{
    struct jw_cuda_release t;

    if (!c->driver || !jw_cuda_release_find(cuda, &t))
        return NULL;
    const char *least = c->system == JW_BUILD_WINDOWS ? t.windows_least : t.linux_least;

    return is_older(c->driver, least) ? least : NULL;
}

void jw_block_by_toolkit(const struct jw_software_case *c, unsigned cuda, struct jw_gpu_code *code)
{
    const char *least = jw_toolkit_needs_driver(c, cuda);

    if (!least || code->undriven || !(code->native + code->jit + code->warm + code->refused + code->blocked))
        return;
    code->blocked += code->native + code->jit + code->warm + code->refused;
    code->native = code->jit = code->warm = code->refused = 0;
    code->needs_driver = least;
    code->needs_toolkit = cuda;
}

static bool check_framework(const struct jw_software_case *c, const struct jw_framework *f,
                            struct jw_arena *a, struct jw_gpu_code **out, struct jw_err *err)
{
    const struct jw_scan_archs archs = { .modules = f->modules,
                                         .machine_code = f->machine_code,
                                         .ptx = f->ptx,
                                         .isa_major = f->isa_major,
                                         .isa_minor = f->isa_minor,
                                         .ptx_bytes = f->ptx_bytes };

    if (!check_archs(c, &archs, a, out, err))
        return false;
    for (size_t i = 0; i < c->n_gpus; i++)
        jw_block_by_toolkit(c, f->cuda, &(*out)[i]);
    return true;
}

void jw_software_look_up(const struct jw_release *r, enum jw_build_system system, struct jw_arena *a,
                         struct jw_software *s)
{
    struct jw_framework f;

    s->product = r->product;
    s->cpu |= r->cpu;
    memcpy(s->number, r->number, sizeof s->number);
    if (!jw_product_at(r->product, &s->about))
        return;
    s->title = s->about.title;
    if (r->cpu || !jw_framework_find(r, system, &f))
        return;
    s->framework = jw_arena_alloc(a, sizeof *s->framework);
    *s->framework = f;
}

bool jw_software_of_release(const struct jw_software_case *c, const struct jw_release *r, struct jw_arena *a,
                            struct jw_software *out, struct jw_err *err)
{
    *out = (struct jw_software){ .title = jw_arena_str(a, r->name),
                                 .package = jw_arena_str(a, r->name),
                                 .version = jw_arena_str(a, r->version) };
    jw_software_look_up(r, c->system, a, out);
    out->code = jw_arena_alloc(a, (c->n_gpus + 1) * sizeof *out->code);
    if (!out->framework)
        return true;
    out->from = JW_FROM_TABLE;
    out->cpu = out->framework->modules == 0;
    out->modules = out->framework->modules;
    return check_framework(c, out->framework, a, &out->code, err);
}

/* ---- versions that compile nothing ---- */

unsigned jw_own_compiler_needs(const struct jw_product *about, unsigned cuda, unsigned sm)
{
    struct jw_cuda_release t, first;

    if (!*about->compiler || !jw_cuda_release_find(cuda, &t)
        || sm <= (strcmp(about->compiler, "nvrtc") == 0 ? t.nvrtc_newest : t.newest)
        || !jw_cuda_release_for(sm, &first))
        return 0;
    return first.cuda;
}

static bool is_native(const struct jw_software_case *c, const struct jw_framework *f,
                      const struct jw_gpu *gpu)
{
    struct jw_software_case one = *c;
    struct jw_arena a = { 0 };
    struct jw_gpu_code *code;
    struct jw_err ignored;

    one.gpus = gpu;
    one.n_gpus = 1;
    one.env = NULL;
    one.n_env = 0;
    bool native = check_framework(&one, f, &a, &code, &ignored) && code->native && !code->jit && !code->none
                  && !code->blocked;

    jw_arena_free(&a);
    return native;
}

/* The nearest on one side whose own compiler knows the GPU; or else (`lacking`) the nearest at all. */
static bool find_on_side(const struct jw_software_case *c, const struct jw_software *s,
                         const struct jw_gpu *gpu, int side, bool lacking, struct jw_framework *out)
{
    struct jw_framework f;
    bool found = false;

    for (size_t i = 0; jw_framework_at(i, c->system, &f); i++)
        if (f.product == s->product && jw_framework_compare(&f, s->number) == side && !(found && side > 0)
            && (lacking || !jw_own_compiler_needs(&s->about, f.cuda, gpu->sm)) && is_native(c, &f, gpu)) {
            *out = f;
            found = true;
        }
    return found;
}

bool jw_software_ready(const struct jw_software_case *c, const struct jw_software *s,
                       const struct jw_gpu *gpu, struct jw_framework *out, bool *older)
{
    if (s->product == JW_NO_PRODUCT)
        return false;
    for (int lacking = 0; lacking < 2; lacking++)
        for (int side = 1; side >= -1; side -= 2)
            if (find_on_side(c, s, gpu, side, lacking, out)) {
                *older = side < 0;
                return true;
            }
    return false;
}

/* ---- its own message ---- */

bool jw_software_of_message(const struct jw_software_case *c, const char *title, const char *sass,
                            const char *ptx, struct jw_arena *a, struct jw_software *out, struct jw_err *err)
{
    const struct jw_scan_archs archs = { .modules = 1, .machine_code = sass, .ptx = ptx };

    *out = (struct jw_software){
        .product = JW_NO_PRODUCT, .title = title, .version = "", .from = JW_FROM_MESSAGE, .modules = 1
    };
    return check_archs(c, &archs, a, &out->code, err);
}
