#include "doctor/doctor_software_files.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/cacheplace.h"
#include "doctor/doctor.h"
#include "doctor/doctor_libraries.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "software/find/discover.h"
#include "software/find/pyinfo.h"
#include "software/find/vendor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOSE_NAMED = 3 };

struct found {
    const struct jw_software_search *o;
    struct jw_arena *a;
    struct jw_discovery *discovery;
    const struct jw_root *roots; /* those of the discovery, and what was named to prime */
    size_t n_roots;
    struct jw_software *v;
    size_t n;
    const char **names; /* of the packages, one for each of v */
    size_t n_names;
    struct loose_files { /* of one folder, without a package: one piece of software */
        size_t of;
        const char *folder;
        const char *names[LOOSE_NAMED], *last;
        uint64_t n;
        bool with_container;
    } * loose;
    size_t n_loose;
    struct package_file { /* in a folder, of a package */
        size_t of;
        const char *folder;
    } * folders;
    size_t n_folders;
    struct package_code { /* a file that was counted, of a package */
        size_t of;
        const struct jw_scan_file *file;
    } * counted;
    size_t n_counted;
    struct jw_software_seen *seen;
};

static const char *base_name(const char *path)
{
    const char *base = path;

    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == '\\' || *p == '!')
            base = p + 1;
    return base;
}

/* ---- one package ---- */

static struct jw_software *add_package(struct found *f, const char *name, const char *version,
                                       struct jw_err *err)
{
    struct jw_software *s = jw_list_add(f->a, &f->v, &f->n, sizeof *f->v, JW_MAX_ROOTS, err);
    const char **kept = s ? jw_list_add(f->a, &f->names, &f->n_names, sizeof *kept, JW_MAX_ROOTS, err) : NULL;

    if (!kept)
        return NULL;
    *kept = jw_arena_str(f->a, name);
    *s = (struct jw_software){ .from = JW_FROM_FILES,
                               .product = JW_NO_PRODUCT,
                               .title = *kept,
                               .version = jw_arena_str(f->a, version),
                               .code = jw_arena_alloc(f->a, (f->o->c->n_gpus + 1) * sizeof *s->code) };
    const struct jw_release release = jw_release_of(name, version);

    /* The table has its needs and reports about it; its code is read from the files. */
    jw_software_look_up(&release, f->o->c->system, f->a, s);
    s->cpu = false;
    return s;
}

static struct jw_software *package(struct found *f, const char *name, const char *version, struct jw_err *err)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->names[i], name) == 0 && strcmp(f->v[i].version, version) == 0)
            return &f->v[i];
    return add_package(f, name, version, err);
}

/* ---- NVIDIA's libraries, by their names ---- */

/* The number in "libcublas.so.12", "cublas64_11.dll", "libcudnn_cnn.so.9.1": 0 none. Up to 10.0 Windows' had two parts:
 * "cublas64_90.dll". */
static unsigned major_of(const char *base, const char *unix_name, const char *windows_name)
{
    const char *at = NULL;

    if (jw_text_starts(base, unix_name) && (at = strstr(base, ".so.")))
        at += 4;
    else if (jw_text_starts(base, windows_name) && (at = strstr(base, "64_")))
        at += 3;
    unsigned long v = at ? strtoul(at, NULL, 10) : 0;

    if (v >= 50 && v <= 100)
        v /= 10;
    return v < 50 ? (unsigned)v : 0;
}

static void see(struct jw_library *l, unsigned major)
{
    if (major == 0 || major > 31)
        return;
    l->majors |= 1U << major;
}

static void see_library(struct jw_software_seen *seen, const char *base)
{
    see(&seen->cuda, major_of(base, "libcublas", "cublas"));
    see(&seen->cudnn, major_of(base, "libcudnn", "cudnn"));
}

/* ---- the files ---- */

static bool note_folder(struct found *f, const struct jw_software *s, const char *path, struct jw_err *err)
{
    const char *folder = jw_path_dir(f->a, path);
    size_t of = (size_t)(s - f->v);
    struct package_file *slot;

    for (size_t i = 0; i < f->n_folders; i++)
        if (f->folders[i].of == of && strcmp(f->folders[i].folder, folder) == 0)
            return true;
    slot = jw_list_add(f->a, &f->folders, &f->n_folders, sizeof *slot, JW_MAX_LISTED, err);
    if (slot)
        *slot = (struct package_file){ of, folder };
    return slot != NULL;
}

/* The CUDA libraries that its files name: which are missing, or whether it is the build that the table knows. */
static bool names_matter(const struct found *f, const struct jw_software *s)
{
    return s->about.libs_outside
           || (s->framework && jw_toolkit_needs_driver(f->o->c, s->framework->cuda) != NULL);
}

static bool is_same_code(const struct jw_scan_file *a, const struct jw_scan_file *b)
{
    if (a->size != b->size || a->containers != b->containers || a->n_verdicts != b->n_verdicts
        || strcmp(base_name(a->path), base_name(b->path)) != 0)
        return false;
    for (size_t i = 0; i < a->n_verdicts; i++) {
        const struct jw_scan_verdict *x = &a->verdicts[i], *y = &b->verdicts[i];

        if (x->jit != y->jit || x->warm != y->warm || x->refused != y->refused || x->blocked != y->blocked
            || x->native != y->native || x->none != y->none || x->jit_ptx_bytes != y->jit_ptx_bytes
            || x->damaged_entries != y->damaged_entries || x->name_sum != y->name_sum)
            return false;
    }
    return true;
}

/* Three environments with one version of a package: its modules are compiled once. */
static bool is_copy(const struct found *f, const struct jw_software *s, const struct jw_scan_file *file)
{
    for (size_t i = 0; i < f->n_counted; i++)
        if (f->counted[i].of == (size_t)(s - f->v) && is_same_code(f->counted[i].file, file))
            return true;
    return false;
}

static bool count(struct found *f, struct jw_software *s, const struct jw_scan_file *file, struct jw_err *err)
{
    enum { COMPARED = 4096 }; /* those behind count, copies or not */

    if (f->n_counted < COMPARED) {
        struct package_code *slot =
            jw_list_add(f->a, &f->counted, &f->n_counted, sizeof *slot, COMPARED, err);

        if (!slot)
            return false;
        *slot = (struct package_code){ (size_t)(s - f->v), file };
    }
    for (size_t i = 0; i < file->n_verdicts; i++)
        jw_gpu_code_add(&s->code[i], &file->verdicts[i]);
    s->modules += file->containers;
    return true;
}

/* ---- loose files ---- */

/* A file that has no package's name but its own, and was found in a folder. A file that was named to prime is software
 * by itself. */
static bool is_loose(const struct found *f, const struct jw_scan_file *file, const struct jw_package *owner)
{
    const struct jw_release release = jw_release_of(owner->name, "");

    if (owner->version || release.product != JW_NO_PRODUCT || strchr(file->path, '!')
        || strcmp(owner->name, file->variants ? file->variants : base_name(file->path)) != 0)
        return false;
    for (size_t i = 0; i < f->discovery->n_roots; i++)
        if (strcmp(f->discovery->roots[i].path, file->path) == 0)
            return false;
    return true;
}

/* The file's outcome on each GPU, a letter each: files of a folder that cannot run are told apart from those that can,
 * as prime does. */
static const char *fate_of(const struct found *f, const struct jw_scan_file *file)
{
    const char *fates = "";

    for (size_t i = 0; i < file->n_verdicts; i++) {
        struct jw_gpu_code code = { 0 };

        jw_gpu_code_add(&code, &file->verdicts[i]);
        bool runs = code.native || code.jit || code.warm;
        char fate = code.blocked ? (code.packed || code.cuda_13 || code.undriven ? 'd' : 'p')
                    : jw_scan_is_foreign(code.none, code.native + code.jit + code.warm + code.unknown) ? 'n'
                    : code.refused && !code.jit                                                        ? 'r'
                    : code.unknown && !code.jit                                                        ? 'u'
                    : runs                                                                             ? 'c'
                                                                                                       : '-';

        fates = jw_arena_printf(f->a, "%s%c", fates, fate);
    }
    return fates;
}

static struct loose_files *loose_of(const struct found *f, size_t of)
{
    for (size_t i = 0; i < f->n_loose; i++)
        if (f->loose[i].of == of)
            return &f->loose[i];
    return NULL;
}

/* Two folders with the same file: its modules are compiled once. */
static bool is_loose_copy(const struct found *f, const struct jw_scan_file *file)
{
    for (size_t i = 0; i < f->n_counted; i++)
        if (is_same_code(f->counted[i].file, file) && loose_of(f, f->counted[i].of))
            return true;
    return false;
}

static bool is_ptx(const struct jw_scan_file *file)
{
    return strcmp(file->format, "ptx") == 0;
}

/* Several files, each for another GPU, count as one with a common name. */
static void add_loose_name(struct loose_files *l, const char *name)
{
    for (size_t i = 0; i < l->n && i < LOOSE_NAMED; i++)
        if (strcmp(l->names[i], name) == 0)
            return;
    if (l->last && strcmp(l->last, name) == 0)
        return;
    l->last = name;
    if (l->n < LOOSE_NAMED)
        l->names[l->n] = name;
    l->n++;
}

static bool see_loose(struct found *f, const struct jw_scan_file *file, const char *name, struct jw_err *err)
{
    const char *folder = jw_path_dir(f->a, file->path);
    struct jw_software *s = package(f, jw_arena_printf(f->a, "%s/%s", folder, fate_of(f, file)), "", err);
    struct loose_files *l = s ? loose_of(f, (size_t)(s - f->v)) : NULL;

    if (s && !l) {
        l = jw_list_add(f->a, &f->loose, &f->n_loose, sizeof *l, JW_MAX_ROOTS, err);
        if (l)
            *l = (struct loose_files){ .of = (size_t)(s - f->v), .folder = folder };
        s->path = jw_arena_str(f->a, file->path);
    }
    if (!l)
        return false;
    add_loose_name(l, jw_arena_str(f->a, name));
    l->with_container |= !is_ptx(file);
    return count(f, s, file, err);
}

static uint64_t files_of(const struct found *f, const char *folder)
{
    uint64_t n = 0;

    for (size_t i = 0; i < f->n_loose; i++)
        if (strcmp(f->loose[i].folder, folder) == 0)
            n += f->loose[i].n;
    return n;
}

/* "m0.ptx, m1.ptx, m2.ptx and 37 more" */
static const char *some_of(const struct found *f, const struct loose_files *l)
{
    const char *text = l->names[0];

    for (size_t i = 1; i < l->n && i < LOOSE_NAMED; i++)
        text = jw_arena_printf(f->a, "%s%s%s", text, i + 1 == l->n ? " and " : ", ", l->names[i]);
    return l->n > LOOSE_NAMED
               ? jw_arena_printf(f->a, "%s and %llu more", text, (unsigned long long)l->n - LOOSE_NAMED)
               : text;
}

/* One file has its own name, several have that of their folder. */
static void name_loose(struct found *f)
{
    for (size_t i = 0; i < f->n_loose; i++) {
        const struct loose_files *l = &f->loose[i];
        struct jw_software *s = &f->v[l->of];
        const char *folder = *base_name(l->folder) ? base_name(l->folder) : l->folder;

        s->is_ptx = !l->with_container;
        s->title = l->n == 1 ? l->names[0]
                   : files_of(f, l->folder) == l->n
                       ? folder
                       : jw_arena_printf(f->a, "%s (%llu of its files)", folder, (unsigned long long)l->n);
        f->names[l->of] = s->title;
        if (l->n == 1)
            continue;
        s->path = l->folder;
        s->files = some_of(f, l);
        s->n_files = l->n;
    }
}

/* ---- all files ---- */

static bool see_file(struct found *f, const struct jw_scan_file *file, struct jw_err *err)
{
    const struct jw_package owner = jw_discovery_owner_of(f->discovery, file);
    struct jw_software *s;

    see_library(f->seen, base_name(file->path));
    if (jw_code_of(&owner, file->path, jw_discovery_named(f->roots, f->n_roots, file->path))
        != JW_CODE_OF_USERS)
        return true;
    for (size_t i = 0; i < file->n_verdicts; i++)
        if (file->verdicts[i].verdict == JW_VERDICT_NO_CODE)
            return true;
    if (is_loose(f, file, &owner))
        return is_loose_copy(f, file) || see_loose(f, file, owner.name, err);
    s = package(f, owner.name, owner.version ? owner.version : "", err);
    if (!s)
        return false;
    if (!is_copy(f, s, file) && !count(f, s, file, err))
        return false;
    if (!s->path) {
        s->path = jw_arena_str(f->a, file->path);
        s->is_ptx = is_ptx(file);
    }
    return !names_matter(f, s) || note_folder(f, s, file->path, err);
}

static bool see_files(struct found *f, const struct jw_scan_report *report, struct jw_err *err)
{
    for (size_t i = 0; i < report->n_files; i++)
        if (!see_file(f, &report->files[i], err))
            return false;
    for (size_t i = 0; i < report->n_skipped; i++) {
        const struct jw_scan_skipped *s = &report->skipped[i];
        bool folder = s->why == JW_SKIP_UNREADABLE && jw_is_folder(s->path);

        if (folder && !jw_cache_is_closed(s->path, f->a)) {
            jw_note(&f->seen->closed, f->a, "%s: %s", s->path, s->reason);
            continue;
        }
        if (s->why == JW_SKIP_OTHERS || !(folder || jw_library_file(s->path)))
            continue;
        if (!f->seen->unread.n)
            f->seen->unread_path = jw_arena_str(f->a, s->path);
        jw_note(&f->seen->unread, f->a, "%s: %s", s->path, s->reason);
    }
    f->seen->files = report->files_walked;
    name_loose(f);
    return true;
}

/* ---- packages without CUDA ---- */

/* Packages of which other builds bring their GPU code under this very name. */
static bool has_cpu_package(const char *name)
{
    static const char *const names[] = { "torch",       "tensorflow",  "tensorflow-cpu", "tensorflow-intel",
                                         "onnxruntime", "paddlepaddle" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (jw_pyname_equal(name, names[i]))
            return true;
    return false;
}

static bool has_product(const struct found *f, size_t product)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].product == product)
            return true;
    return false;
}

static unsigned cuda_of_driver(const struct jw_software_case *c)
{
    unsigned cuda = c->machine ? c->machine->probe.driver.cuda_version : 0;

    return cuda / 1000 * 100 + cuda % 1000 / 10;
}

static struct jw_needed_libraries needed_at_run_time(const struct found *f, const struct jw_run_time *is,
                                                     const char *path)
{
    struct jw_library_ask ask = { .sysroot = jw_session_sysroot(f->o->session),
                                  .site = jw_site_of(path, f->a),
                                  .cuda = cuda_of_driver(f->o->c) };
    struct jw_needed_libraries out = { .looked = false };

    ask.pip = jw_environment_pip(ask.site, f->a);
    if (*is->libraries && !jw_os_is_windows())
        jw_libraries_at_run_time(&ask, is, f->a, &out);
    return out;
}

/* The package may have code, too, which was found before. If several environments have the same version,
 * those that lack something count. */
static bool see_run_time(struct found *f, const struct jw_run_time *is, const char *version, const char *path,
                         struct jw_err *err)
{
    const struct jw_needed_libraries needed = needed_at_run_time(f, is, path);
    struct jw_software *s = NULL;

    for (size_t i = 0; i < f->n && !s; i++)
        if (jw_pyname_equal(f->names[i], is->name) && strcmp(f->v[i].version, version) == 0)
            s = &f->v[i];
    if (s && s->run_time && !(needed.looked && *needed.missing))
        return true;
    if ((!s || s->run_time) && (s = add_package(f, is->name, version, err))) {
        s->from = JW_FROM_NOTHING;
        s->path = path;
    }
    if (!s)
        return false;
    s->run_time = is;
    s->libraries = needed;
    return true;
}

static bool see_dist_info(struct found *f, const char *site, const char *folder, struct jw_err *err)
{
    char name[JW_MAX_PY_NAME + 1], version[JW_MAX_PY_NAME + 1];
    struct jw_pyname py;
    struct jw_software *s;
    bool cpu;

    const struct jw_run_time *run_time;

    if (!jw_pyinfo_folder(folder, &py) || py.name.n >= sizeof name || py.version.n >= sizeof version)
        return true;
    (void)snprintf(name, sizeof name, "%.*s", (int)py.name.n, (const char *)py.name.p);
    (void)snprintf(version, sizeof version, "%.*s", (int)py.version.n, (const char *)py.version.p);
    if ((run_time = jw_run_time_find(name)))
        return see_run_time(f, run_time, version, jw_path_join(f->a, site, folder), err);

    size_t product = jw_product_find(name, &cpu);

    if (product == JW_NO_PRODUCT || !has_cpu_package(name) || has_product(f, product))
        return true;
    s = package(f, name, version, err);
    if (!s)
        return false;
    s->cpu = true;
    s->path = jw_path_join(f->a, site, folder);
    return true;
}

static bool see_dist_infos(struct found *f, struct jw_err *err)
{
    for (size_t i = 0; i < f->discovery->n_roots; i++) {
        const char *site = f->discovery->roots[i].path;
        struct jw_listing listing;

        if (!jw_pyinfo_is_site(base_name(site)))
            continue;
        jw_note(&f->seen->sites, f->a, "%s", site);
        listing = jw_listing_read(site, "*.dist-info", f->a, &f->seen->notes);
        for (size_t k = 0; k < listing.n; k++)
            if (!see_dist_info(f, site, listing.names[k], err))
                return false;
    }
    return true;
}

/* ---- CUDA libraries that it needs ---- */

static void ask_libraries(struct found *f, size_t of, const char *sysroot)
{
    struct jw_software *s = &f->v[of];
    const char **folders = jw_arena_alloc(f->a, (f->n_folders + 1) * sizeof *folders);
    struct jw_library_ask ask = { .sysroot = sysroot,
                                  .site = jw_site_of(s->path, f->a),
                                  .module = f->names[of],
                                  .folders = folders,
                                  .cuda = s->framework ? s->framework->cuda : 0 };

    s->pip = ask.pip = jw_environment_pip(ask.site, f->a);
    s->package = *s->pip ? f->names[of] : NULL;
    if (s->run_time)
        return;
    for (size_t i = 0; i < f->n_folders; i++)
        if (f->folders[i].of == of)
            folders[ask.n_folders++] = f->folders[i].folder;
    if (ask.n_folders)
        jw_libraries_needed(&ask, f->a, &s->libraries);
    if (!s->about.libs_outside) /* it brings them, or has its own search */
        s->libraries.looked = false;
}

static void ask_environments(struct found *f)
{
    for (size_t i = 0; i < f->n && !jw_os_is_windows(); i++)
        if (!f->v[i].cpu)
            ask_libraries(f, i, jw_session_sysroot(f->o->session));
}

/* ---- the driver that its toolkit needs ---- */

/* Its files know better than the table: another build of this version may be of another CUDA. */
static unsigned toolkit_of(const struct jw_software *s)
{
    unsigned named = s->libraries.cuda, row = s->framework ? s->framework->cuda : 0;

    return named && named != row / 100 ? named * 100 : row;
}

static void ask_driver(struct found *f)
{
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->o->c->n_gpus && !f->v[i].cpu; k++)
            jw_block_by_toolkit(f->o->c, toolkit_of(&f->v[i]), &f->v[i].code[k]);
}

/* ---- all of it ---- */

static bool search(struct found *f, struct jw_scan_report *report, struct jw_err *err)
{
    const struct jw_software_search *o = f->o;
    struct jw_scan_options scan = jw_session_scan(o->session);
    struct jw_scan_root *roots;

    f->roots = jw_session_roots(o->session, &f->n_roots);
    roots = jw_arena_alloc(f->a, (f->n_roots + 1) * sizeof *roots);
    for (size_t i = 0; i < f->n_roots; i++)
        roots[i] = (struct jw_scan_root){ f->roots[i].path, f->roots[i].depth, false };
    scan.roots = roots;
    scan.n_roots = f->n_roots;
    scan.gpus = o->c->gpus;
    scan.n_gpus = o->c->n_gpus;
    scan.driver = o->c->driver;
    scan.samples = true;
    scan.cache = o->cache;
    scan.force_jit = jw_case_forced(o->c);
    scan.progress = o->progress;
    scan.progress_ctx = o->progress_ctx;
    return jw_scan(&scan, report, err);
}

static int by_title(const void *a, const void *b)
{
    const struct jw_software *x = a, *y = b;
    int order = strcmp(x->title, y->title);

    return order ? order : strcmp(x->version, y->version);
}

bool jw_software_here(const struct jw_software_search *o, struct jw_software **out, size_t *n,
                      struct jw_software_seen *seen, struct jw_err *err)
{
    struct found f = { .o = o, .a = o->session->a, .seen = seen };
    struct jw_scan_report report = { 0 };
    bool ok;

    *seen = (struct jw_software_seen){ 0 };
    f.discovery = jw_session_software(o->session, false);
    ok = search(&f, &report, err) && see_files(&f, &report, err) && see_dist_infos(&f, err);
    jw_scan_free(&report);
    if (ok) {
        ask_environments(&f);
        ask_driver(&f);
    }
    jw_sort(f.v, f.n, sizeof *f.v, by_title);
    *out = f.v;
    *n = f.n;
    seen->cuda.looked = seen->cudnn.looked = seen->files != 0;
    return ok;
}
