/* Software that is not installed, by name and version: what the table of scanned builds says of it. */
#include "base/limits.h"
#include "base/text.h"
#include "cli/page.h"
#include "facts/cuda_releases.h"
#include "facts/env_defaults.h"
#include "machine/list.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "software/scan/command/scan_view.h"

#include <string.h>

enum { MAX_BUILDS = 4096 };

/* A name alone counts only where there is no such file, and the table has it or one like it. */
static bool is_request(const char *text)
{
    struct jw_file_info info;
    struct jw_err ignored;
    bool cpu;

    if (!jw_build_is_request(text) || !jw_file_stat(text, &info, &ignored) || info.kind != JW_FILE_NONE)
        return false;
    return strstr(text, "==") || jw_product_find(text, &cpu) != JW_NO_PRODUCT || jw_product_nearest(text);
}

bool scan_asks_builds(const struct texts *paths, bool *asks, struct jw_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < paths->n; i++)
        n += is_request(paths->items[i]);
    *asks = n != 0;
    return n == 0 || n == paths->n
           || jw_fail(err, JW_E_USAGE, "name files, or software as NAME==VERSION; not both in one command");
}

/* Those for this system; where there is none, those for all. */
static size_t collect(const struct jw_build_request *r, enum jw_build_system here, struct scan_view *v,
                      struct jw_arena *a, struct jw_err *err)
{
    struct jw_build b;
    size_t before = v->n_builds;

    for (int elsewhere = 0; elsewhere < 2 && v->n_builds == before; elsewhere++)
        for (size_t i = 0; jw_build_at(i, &b); i++) {
            if (!jw_build_fits(&b, r) || (!elsewhere && b.system != here))
                continue;
            struct jw_build *slot = jw_list_add(a, &v->builds, &v->n_builds, sizeof *slot, MAX_BUILDS, err);

            if (!slot)
                return 0;
            *slot = b;
        }
    return v->n_builds - before;
}

/* "2.3.0, 2.3.1 and 2.3.4", each once, of any system. */
static void say_versions(struct jw_buf *out, const struct jw_build_request *r)
{
    const char *last = "";
    struct jw_build b;

    for (size_t i = 0; jw_build_at(i, &b); i++)
        if (jw_build_fits(&b, r) && strcmp(b.version, last) != 0) {
            jw_say(out, "%s%s", out->n ? " " : "", b.version);
            last = b.version;
        }
}

static bool unknown_version(const struct jw_build_request *r, struct jw_err *err)
{
    struct jw_build_request all = *r;
    struct jw_buf known = JW_BUF(JW_MAX_LINE);

    all.version[0] = '\0';
    say_versions(&known, &all);
    (void)jw_fail(
        err, JW_E_UNKNOWN,
        "%s %s was not scanned. Known versions: %s. For this one: pip download --no-deps %s==%s, and "
        "scan the wheel",
        r->name, r->version, jw_buf_cstr(&known), r->name, r->version);
    jw_buf_free(&known);
    return false;
}

static bool add_request(const char *text, struct scan_view *v, struct jw_arena *a, struct jw_err *err)
{
    enum jw_build_system here = jw_build_system_here(jw_os_is_windows(), jw_os_arch());
    struct jw_build_request r;

    if (!jw_build_parse(text, &r, err))
        return false;
    if (r.cpu)
        return jw_fail(err, JW_E_UNKNOWN, "%s is a package without CUDA code: it runs on the CPU", r.name);
    v->listed |= !r.version[0];
    return collect(&r, here, v, a, err) || unknown_version(&r, err);
}

/* "tensorflow==2.3.1" */
static const char *path_of(const struct jw_build *b, struct jw_arena *a)
{
    return jw_arena_printf(a, "%s==%s", b->package, b->version);
}

bool scan_find_builds(const struct texts *requests, struct scan_view *v, struct jw_arena *a,
                      struct jw_err *err)
{
    for (size_t i = 0; i < requests->n; i++)
        if (!add_request(requests->items[i], v, a, err))
            return false;
    return true;
}

bool scan_check_builds(struct scan_view *v, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_scan_options o = { .gpus = v->gpus, .n_gpus = v->n_gpus, .driver = v->driver };
    struct jw_scan_file *files = jw_arena_alloc(a, v->n_builds * sizeof *files);
    struct jw_package *owners = jw_arena_alloc(a, v->n_builds * sizeof *owners);

    for (size_t i = 0; i < v->n_builds; i++) {
        const struct jw_build *b = &v->builds[i];

        if (!jw_scan_build(b, &o, a, &files[i], err))
            return false;
        files[i].path = path_of(b, a);
        owners[i] = (struct jw_package){ .name = b->package, .version = b->version };
    }
    v->report.files = files;
    v->report.n_files = v->n_builds;
    v->owners = owners;
    return true;
}

/* ---- in words ---- */

struct build_words {
    const struct scan_view *v;
    const struct jw_scan_file *f;
    const struct jw_build *b;
    struct jw_page *page;
};

static void say_reported(struct jw_buf *out, const struct jw_build *b, unsigned sm)
{
    static const enum jw_report_effect effects[] = { JW_REPORT_FAILS, JW_REPORT_WRONG, JW_REPORT_ENDED };
    struct jw_report r;

    for (size_t i = 0; i < JW_COUNT(effects); i++)
        if (jw_build_report(b->product, b->number, b->system, b->cuda, sm, effects[i], &r))
            jw_say(out, "%s%s: %s (%s)%s%s", out->n ? ". " : "",
                   effects[i] == JW_REPORT_FAILS ? "compiling is known to fail" : "reported", r.text,
                   r.source, *r.fix ? "; " : "", r.fix);
}

/* The limit of the cache that what is compiled needs; 0: the default does. */
static uint64_t needed_limit(const struct jw_scan_verdict *v, const char *driver)
{
    uint64_t usual = jw_cache_default(driver);
    uint64_t limit = jw_cache_limit_for(jw_cache_bytes_for(v->jit_ptx_bytes), usual);

    return v->jit && limit > usual ? limit : 0;
}

/* What to do about it on one GPU; "" nothing. */
static void say_advice(struct jw_buf *out, size_t gpu, void *ctx)
{
    const struct build_words *w = ctx;
    const struct jw_scan_verdict *v = &w->f->verdicts[gpu];
    uint64_t limit = needed_limit(v, w->v->driver);
    struct jw_build ready;
    bool older;

    say_reported(out, w->b, w->v->gpus[gpu].sm);
    if (v->verdict == JW_VERDICT_NATIVE || v->verdict == JW_VERDICT_NO_CODE)
        return;
    if (limit)
        jw_say(out, "%sset CUDA_CACHE_MAXSIZE=%llu before the first start", out->n ? ". " : "",
               (unsigned long long)limit);
    if (jw_build_ready(w->b, &w->v->gpus[gpu], w->v->driver, &older, &ready))
        jw_say(out, "%s%s %s compiles nothing%s", out->n ? ". " : "", ready.package, ready.version,
               older ? " (older)" : "");
}

static void show_advice(const char *gpus, const char *sentence, size_t first, void *ctx)
{
    const struct build_words *w = ctx;

    (void)first;
    if (*sentence)
        jw_page_say(w->page, TINT_NONE, "  Advice", "%s%s%s", w->v->n_gpus > 1 ? gpus : "",
                    w->v->n_gpus > 1 ? ": " : "", sentence);
}

/* XLA and NVRTC compile at run time by a compiler of the toolkit, which may be older than the GPU. */
static void show_own_compiler(const struct build_words *w)
{
    struct jw_product p;
    struct jw_cuda_release t, first;

    if (!jw_product_at(w->b->product, &p) || !*p.compiler || !jw_cuda_release_find(w->b->cuda, &t))
        return;
    unsigned newest = strcmp(p.compiler, "nvrtc") == 0 ? t.nvrtc_newest : t.newest;

    for (size_t i = 0; i < w->v->n_gpus; i++) {
        unsigned sm = w->v->gpus[i].sm;

        if (w->f->verdicts[i].verdict != JW_VERDICT_NATIVE || sm <= newest
            || !jw_cuda_release_for(sm, &first))
            continue;
        jw_page_say(w->page, TINT_WARN, "  Note", "%s of CUDA %s does not know sm_%u; CUDA %u.%u does",
                    p.compiler, w->b->cuda_text, sm, first.cuda / 100, first.cuda % 100);
    }
}

const char *scan_build_title(const struct jw_build *b, struct jw_arena *a)
{
    struct jw_product p = { .title = "" };

    (void)jw_product_at(b->product, &p);
    return jw_arena_printf(a, "%s %s for %s (%s%s%s)", p.title, b->version, jw_build_system_title(b->system),
                           b->package, *b->cuda_text ? ", CUDA " : "", b->cuda_text);
}

void scan_show_build(struct jw_page *page, const struct scan_view *v, size_t i)
{
    struct build_words w = { v, &v->report.files[i], &v->builds[i], page };

    scan_share_sentences(v, &(struct scan_sentences){ say_advice, show_advice, &w });
    show_own_compiler(&w);
}

static bool is_on_pip(const char *package)
{
    return !strpbrk(package, "@/+");
}

void scan_show_source(struct jw_page *page, const struct scan_view *v)
{
    const struct jw_build *b = &v->builds[0];

    jw_page_say(page, TINT_NONE, NULL,
                "From jitwarm's table: this package was scanned on %s, nothing here was read.%s", b->measured,
                is_on_pip(b->package) ? " To be certain, scan the wheel that you would install:" : "");
    if (is_on_pip(b->package))
        jw_page_whole(page, TINT_NONE, NULL, "  pip download --no-deps %s==%s && jitwarm scan *.whl",
                      b->package, b->version);
}

void scan_show_versions(struct jw_page *page, const struct scan_view *v)
{
    const struct jw_build *newest = &v->builds[0];
    struct jw_buf known = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < v->n_builds; i++) {
        if (i && strcmp(v->builds[i].package, v->builds[i - 1].package) == 0)
            jw_say(&known, ", %s", v->builds[i].version);
        else
            jw_say(&known, "%s%s %s", i ? "; " : "", v->builds[i].package, v->builds[i].version);
        if (jw_build_compare(v->builds[i].number, newest->number) > 0)
            newest = &v->builds[i];
    }
    jw_page_say(page, TINT_NONE, NULL, "%s for %s in the table: %s",
                JW_N(v->n_builds, "scanned build", "scanned builds"),
                jw_build_system_title(v->builds[0].system), jw_buf_cstr(&known));
    jw_page_say(page, TINT_NONE, NULL, "What one of them does on a GPU:");
    jw_page_whole(page, TINT_NONE, NULL, "  jitwarm scan %s==%s%s", newest->package, newest->version,
                  v->n_gpus == 1 ? "" : " --gpu GPU");
    jw_buf_free(&known);
}
