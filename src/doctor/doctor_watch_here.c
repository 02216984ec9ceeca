#include "doctor/doctor_watch_here.h"

#include "cache/place/cachedir.h"
#include "cache/place/listing.h"
#include "doctor/doctor_software.h"
#include "driver/worker/worker.h"
#include "jitwarm/scan.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "software/find/discover.h"

/* Software of which it is reported that compiling its PTX fails on this GPU. */
static const char *known_to_fail(const struct jw_watch_here *h, const char *library, struct jw_discovery *d,
                                 struct jw_arena *a)
{
    const struct jw_package owner = jw_discovery_owner(d, library);
    const enum jw_build_system system = jw_build_system_here(jw_os_is_windows(), jw_os_arch());
    struct jw_software s = { .product = JW_NO_PRODUCT };
    struct jw_report r;

    if (!owner.name || !owner.version)
        return NULL;
    const struct jw_release release = jw_release_of(owner.name, owner.version);

    jw_software_look_up(&release, system, a, &s);
    for (size_t i = 0; s.product != JW_NO_PRODUCT && i < h->n_gpus; i++)
        if (jw_framework_report(s.product, s.number, system, s.framework ? s.framework->cuda : 0,
                                h->gpus[i].sm, JW_REPORT_FAILS, &r))
            return jw_arena_printf(a, "that is known of %s %s on sm_%u (%s)", owner.name, owner.version,
                                   (unsigned)h->gpus[i].sm, r.text);
    return NULL;
}

static struct jw_scan_options scan_of(const struct jw_watch_here *h, const char *const *libraries, size_t n)
{
    struct jw_scan_root *roots = jw_arena_alloc(h->session->a, (n + 1) * sizeof *roots);
    struct jw_scan_options o = jw_session_scan(h->session);

    for (size_t i = 0; i < n; i++)
        roots[i] = (struct jw_scan_root){ libraries[i], 0, false };
    o.roots = roots;
    o.n_roots = n;
    o.gpus = h->gpus;
    o.n_gpus = h->n_gpus;
    o.driver = h->driver;
    return o;
}

static const char *why_it_fails(void *about, const char *const *libraries, size_t n)
{
    const struct jw_watch_here *h = about;
    struct jw_arena *a = h->session->a;
    struct jw_scan_options o = scan_of(h, libraries, n);
    struct jw_scan_report report = { 0 };
    const char *why = NULL;
    struct jw_err ignored = { 0 };
    struct jw_discovery d;

    o.samples = true;
    if (n && h->n_gpus && jw_scan(&o, &report, &ignored))
        for (size_t i = 0; i < report.n_files && !why; i++)
            for (size_t k = 0; k < report.files[i].n_verdicts && !why; k++) {
                const struct jw_scan_verdict *v = &report.files[i].verdicts[k];

                if (v->blocked)
                    why = jw_arena_printf(a, "PTX %u.%u of %s is newer than driver %s reads (error 222)",
                                          v->isa_major, v->isa_minor, report.files[i].path,
                                          h->driver ? h->driver : "here");
            }
    jw_scan_free(&report);
    jw_discovery_init(&d, a);
    for (size_t i = 0; i < n && !why; i++)
        why = known_to_fail(h, libraries[i], &d, a);
    return why;
}

/* By the names of entries, as scan knows what is warm: the driver that made the cache must be known. */
static const char *what_it_links(void *about, const char *folder, const char *const *libraries, size_t n)
{
    const struct jw_watch_here *h = about;
    struct jw_arena *a = h->session->a;
    struct jw_scan_options o = scan_of(h, libraries, n);
    struct jw_cache_listing listing = { 0 };
    struct jw_scan_report report = { 0 };
    struct jw_scan_cache cache = { 0 };
    const struct jw_driver_state *known;
    struct jw_err ignored = { 0 };
    const char *found = NULL;
    bool cold = false;

    if (!n || !h->n_gpus || !(known = jw_session_driver_file(h->session)->known)
        || known->level < JW_LEVEL_PREDICTABLE
        || !jw_cachedir_walk(folder, false, h->session->interrupted, a, &listing, &ignored))
        return NULL;
    jw_cache_names_of_stamp(&listing, folder, known->stamp, a, &cache);
    cache.driver = known->version;
    o.cache = &cache;
    cold = !cache.n || !jw_scan(&o, &report, &ignored) || report.n_skipped;
    for (size_t i = 0; i < report.n_files; i++)
        for (size_t k = 0; k < report.files[i].n_verdicts; k++) {
            const struct jw_scan_verdict *v = &report.files[i].verdicts[k];

            cold |= v->jit || v->blocked || v->unknown || v->inputs_lto || report.files[i].n_problems
                    || report.files[i].ptx_pieces;
            if (v->links && !found)
                found = jw_arena_str(a, report.files[i].path);
        }
    jw_scan_free(&report);
    jw_cache_listing_free(&listing);
    return cold ? NULL : found;
}

/* Asks the driver in a process of its own. NULL: err. */
static const char *driver_library(struct jw_watch_here *h, struct jw_err *err)
{
    struct jw_worker_options o = jw_session_worker(h->session);
    struct jw_worker *w = NULL;
    const char *library = NULL;

    o.inherit = o.asks = true;
    if (!jw_worker_start(&w, &o, err))
        return NULL;
    const struct jw_device *devices = jw_worker_devices(w, &h->n_gpus);

    h->n_gpus = h->n_gpus < JW_WATCH_GPUS ? h->n_gpus : JW_WATCH_GPUS;
    for (size_t i = 0; i < h->n_gpus; i++)
        h->gpus[i] = (struct jw_gpu){ .sm = (uint16_t)devices[i].sm, .source = JW_GPU_HERE };
    if (jw_worker_driver(w)->version)
        h->driver = jw_arena_str(h->session->a, jw_worker_driver(w)->version);
    if (jw_worker_driver(w)->library)
        library = jw_arena_str(h->session->a, jw_worker_driver(w)->library);
    jw_worker_stop(w);
    if (!library)
        (void)jw_fail(err, JW_E_DRIVER, "no CUDA driver was found");
    return library;
}

bool jw_watch_here(struct jw_session *s, struct jw_watch_here *here, struct jw_compile_watch *out,
                   struct jw_err *err)
{
    const struct jw_cachedir *dir = jw_session_cache(s);
    struct jw_compiler_file compiler;
    struct jw_err ignored;

    *here = (struct jw_watch_here){ .session = s };
    out->library = driver_library(here, err);
    if (!out->library)
        return false;
    jw_compiler_file_of(out->library, NULL, s->a, &compiler);
    out->compiler = compiler.path;
    if (!dir->folder || !jw_real_path(dir->folder, s->a, &out->usual, &ignored))
        out->usual = dir->folder;
    out->limit = dir->limit;
    out->interrupted = s->interrupted;
    out->why_it_fails = why_it_fails;
    out->what_it_links = what_it_links;
    out->about = here;
    return true;
}
