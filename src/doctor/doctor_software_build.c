/* Software that is not here, from the table of scanned builds or from its own message. */
#include "base/text.h"
#include "doctor/doctor_software.h"
#include "software/scan/scan_build.h"

#include <stdio.h>
#include <string.h>

static bool check_code(const struct jw_software_case *c, const struct jw_build *b, struct jw_arena *a,
                       struct jw_software *s, struct jw_err *err)
{
    const struct jw_scan_options o = {
        .gpus = c->gpus, .n_gpus = c->n_gpus, .driver = c->driver, .force_jit = jw_case_forced(c)
    };
    struct jw_scan_file file;

    s->code = jw_arena_alloc(a, (c->n_gpus + 1) * sizeof *s->code);
    if (!jw_scan_build(b, &o, a, &file, err))
        return false;
    for (size_t i = 0; i < c->n_gpus; i++)
        jw_gpu_code_add(&s->code[i], &file.verdicts[i]);
    s->modules = file.containers;
    return true;
}

/* The newest of those that fit: 2.9 stands for each 2.9.x. False: none of this system was scanned. */
static bool find_build(const struct jw_build_request *r, enum jw_build_system system, struct jw_build *out)
{
    struct jw_build b;
    bool found = false;

    for (size_t i = 0; *r->version && jw_build_at(i, &b); i++)
        if (b.system == system && jw_build_fits(&b, r)
            && (!found || jw_build_compare(b.number, out->number) > 0)) {
            *out = b;
            found = true;
        }
    return found;
}

bool jw_software_of_build(const struct jw_software_case *c, const struct jw_build_request *r,
                          struct jw_arena *a, struct jw_software *out, struct jw_err *err)
{
    *out = (struct jw_software){ .product = r->product, .cpu = r->cpu };
    (void)jw_product_at(r->product, &out->about);
    out->title = out->about.title;
    out->version = jw_arena_str(a, r->version);
    out->package = jw_arena_str(a, r->name);
    out->code = jw_arena_alloc(a, (c->n_gpus + 1) * sizeof *out->code);
    if (out->cpu || !find_build(r, c->system, &out->build))
        return true;
    out->has_build = true;
    out->from = JW_FROM_TABLE;
    out->cpu = strcmp(out->build.code, "0") == 0;
    return check_code(c, &out->build, a, out, err);
}

/* "50 60 70" as "50,60,70" */
static const char *with_commas(struct jw_arena *a, const char *list)
{
    char *text = jw_arena_alloc(a, strlen(list) + 1);

    for (size_t i = 0; list[i]; i++)
        text[i] = list[i] == ' ' ? ',' : list[i];
    return text;
}

bool jw_software_of_message(const struct jw_software_case *c, const char *title, const char *sass,
                            const char *ptx, struct jw_arena *a, struct jw_software *out, struct jw_err *err)
{
    const struct jw_build b = { .product = JW_NO_PRODUCT,
                                .code = jw_arena_printf(a, "1/%s/%s", with_commas(a, sass),
                                                        with_commas(a, ptx)) };

    *out = (struct jw_software){
        .product = JW_NO_PRODUCT, .title = title, .version = "", .from = JW_FROM_MESSAGE
    };
    return check_code(c, &b, a, out, err);
}
