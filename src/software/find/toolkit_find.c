#include "software/find/toolkit_find.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/places.h"

#include <stdlib.h>
#include <string.h>

static const char loader[] = "the loader";
static const char *const variables[] = { "$CUDA_HOME", "$CUDA_PATH" }; /* that name a toolkit */

static const struct jw_toolkit_place by_loader[] = {
    { "libnvrtc.so.13", loader, 13, true },   { "libnvrtc.so.12", loader, 12, true },
    { "libnvrtc.so.11.2", loader, 11, true }, { "libnvrtc.so.11.1", loader, 11, true },
    { "libnvrtc.so.11.0", loader, 11, true },
};

struct kind {
    const char *title;
    const char *on_linux, *on_windows; /* patterns */
    bool (*is_linux)(const char *name, unsigned *major), (*is_windows)(const char *name, unsigned *major);
    bool with_builtins; /* and the loader is asked; else what the environment names comes first */
};

struct found {
    struct jw_toolkit_place place;
    struct jw_file_id id;
    size_t order;
    bool first; /* before all that are not */
    unsigned major;
};

struct search {
    struct jw_finder finder;
    const struct kind *kind;
    struct found *v;
    size_t n;
};

/* ---- names ---- */

/* The version in "libnvrtc.so.12" or "libnvrtc-672ee683.so.11.2" (old wheels); 0: it has none. */
static bool is_nvrtc(const char *name, unsigned *major)
{
    const char *so = strstr(name, ".so");

    if (!jw_text_starts(name, "libnvrtc") || !so || strstr(name, ".alt.")
        || (name[8] != '.' && name[8] != '-'))
        return false;
    *major = so[3] == '.' ? (unsigned)strtoul(so + 4, NULL, 10) : 0;
    return so[3] == '.' || !so[3];
}

/* "libnvJitLink.so", "libnvJitLink.so.12", "libnvJitLink.so.12.9.86". */
static bool is_nvjitlink(const char *name, unsigned *major)
{
    static const char prefix[] = "libnvJitLink.so";
    const char *rest = name + sizeof prefix - 1;

    if (!jw_text_starts(name, prefix) || (*rest && *rest != '.'))
        return false;
    *major = *rest ? (unsigned)strtoul(rest + 1, NULL, 10) : 0;
    return true;
}

static bool is_dll(const char *name, const char *prefix, unsigned *major)
{
    if (!jw_text_starts(name, prefix) || !jw_text_ends(name, ".dll") || strstr(name, ".alt."))
        return false;
    *major = (unsigned)strtoul(name + strlen(prefix), NULL, 10) / 10;
    return true;
}

/* "nvrtc64_120_0.dll", "nvrtc64_92.dll": 12 and 9. */
static bool is_nvrtc_dll(const char *name, unsigned *major)
{
    return is_dll(name, "nvrtc64_", major);
}

/* "nvJitLink_120_0.dll": 12. */
static bool is_nvjitlink_dll(const char *name, unsigned *major)
{
    return is_dll(name, "nvJitLink_", major);
}

static bool is_builtins(const char *name)
{
    return (jw_text_starts(name, "libnvrtc-builtins") || jw_text_starts(name, "nvrtc-builtins64_"))
           && !strstr(name, ".alt.");
}

bool jw_is_nvjitlink_name(const char *name)
{
    return jw_text_find_nocase(name, "nvjitlink") != NULL || strstr(name, ".so.") != NULL
           || jw_text_ends(name, ".so") || jw_text_ends(name, ".dll");
}

/* ---- the folders ---- */

/* Below a toolkit that a variable names. */
static const char *const linux_named[] = { "lib64", "targets/*/lib", "lib", NULL };
static const char *const windows_named[] = { "bin", "bin/x64", NULL };

/* Below the root. */
static const char *const linux_usual[] = { "usr/local/cuda*/lib64", "usr/local/cuda*/targets/*/lib", NULL };

/* Below each folder that discovery found: site-packages, a conda environment's lib, a toolkit of /opt. */
static const char *const linux_below[] = {
    "",
    "nvidia/cu*/lib",
    "nvidia/nvjitlink/lib",
    "torch/lib",
    "python3*/site-packages/nvidia/cu*/lib",
    "python3*/site-packages/nvidia/nvjitlink/lib",
    "python3*/site-packages/torch/lib",
    "lib64",
    "targets/*/lib",
    NULL,
};
static const char *const windows_below[] = {
    "", "x64", "nvidia/cu*/bin", "nvidia/cu*/bin/x86_64", "nvidia/nvjitlink/bin", "torch/lib", NULL,
};

static void add_folders(struct jw_finder *f, const char *folder, const char *const *patterns, const char *how)
{
    for (; *patterns; patterns++)
        jw_finder_folders(f, folder, *patterns, how);
}

static void list_folders(struct jw_finder *f)
{
    bool windows = f->out->windows;

    for (size_t i = 0; i < JW_COUNT(variables); i++) {
        const char *toolkit = jw_finder_env(f, variables[i] + 1);

        if (toolkit && jw_path_absolute(toolkit))
            add_folders(f, toolkit, windows ? windows_named : linux_named, variables[i]);
    }
    if (!windows)
        add_folders(f, *f->sysroot ? f->sysroot : "/", linux_usual, "CUDA toolkit");
    for (size_t i = 0; i < f->out->n_roots; i++)
        add_folders(f, f->out->roots[i].path, windows ? windows_below : linux_below, f->out->roots[i].how);
    if (windows)
        jw_finder_loader(f, true);
}

/* ---- one folder ---- */

static void add_library(struct search *s, const char *folder, const char *name,
                        const struct jw_toolkit_place *place)
{
    struct jw_finder *f = &s->finder;
    struct jw_file_info info;
    struct jw_err ignored;
    const char *path = jw_path_join(f->a, folder, name);

    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (jw_file_same(s->v[i].id, info.id)) {
            if (!s->v[i].place.major) /* "libnvrtc.so" leads to "libnvrtc.so.12" */
                s->v[i].place.major = place->major;
            return;
        }
    struct found *slot = jw_list_add(f->a, &s->v, &s->n, sizeof *s->v, JW_MAX_RTC_LIBRARIES, &ignored);

    if (!slot) {
        jw_note(&f->out->notes, f->a, "%s: skipped, there are %zu %s libraries already", path, s->n,
                s->kind->title);
        return;
    }
    *slot = (struct found){ .place = *place, .id = info.id, .order = s->n };
    slot->place.path = path;
}

static void look_into_folder(struct search *s, const struct jw_root *root)
{
    struct jw_finder *f = &s->finder;
    bool windows = f->out->windows;
    struct jw_toolkit_place place = { .how = root->how };
    struct jw_listing names;

    names =
        jw_listing_read(root->path, windows ? s->kind->on_windows : s->kind->on_linux, f->a, &f->out->notes);
    for (size_t i = 0; i < names.n; i++)
        place.builtins |= is_builtins(names.names[i]);
    for (size_t i = 0; i < names.n; i++)
        if (!is_builtins(names.names[i])
            && (windows ? s->kind->is_windows : s->kind->is_linux)(names.names[i], &place.major))
            add_library(s, root->path, names.names[i], &place);
}

/* ---- which one first ---- */

static int by_library_worth(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->first != y->first)
        return x->first ? -1 : 1;
    if (x->major != y->major)
        return x->major > y->major ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The version does not count among libraries that environment variables name. */
static void weigh(const struct search *s, struct found *f)
{
    bool named = f->place.how == variables[0] || f->place.how == variables[1];

    f->first = s->kind->with_builtins ? f->place.builtins : named;
    f->major = s->kind->with_builtins || !named ? f->place.major : 0;
}

static struct jw_toolkit_places sort_libraries(struct search *s)
{
    struct jw_finder *f = &s->finder;
    struct jw_toolkit_places out = { .notes = f->out->notes };
    size_t n = s->n + (s->kind->with_builtins && !f->out->windows ? JW_COUNT(by_loader) : 0);
    struct found *all = jw_arena_alloc(f->a, (n + 1) * sizeof *all);

    out.v = jw_arena_alloc(f->a, (n + 1) * sizeof *out.v);
    for (size_t i = 0; i < n; i++) {
        all[i] = i < s->n ? s->v[i] : (struct found){ .place = by_loader[i - s->n], .order = i + 1 };
        weigh(s, &all[i]);
    }
    qsort(all, n, sizeof *all, by_library_worth);
    for (size_t i = 0; i < n; i++)
        out.v[out.n++] = all[i].place;
    return out;
}

static struct jw_toolkit_places find_libraries(const struct kind *kind, const struct jw_discover_options *o,
                                               struct jw_arena *a)
{
    static const struct jw_discover_options here = { 0 };
    struct jw_discovery discovery;
    struct search s = { .finder = { .o = o ? o : &here, .a = a, .out = &discovery }, .kind = kind };

    jw_discover(o, a, &discovery);
    s.finder.sysroot = s.finder.o->sysroot ? s.finder.o->sysroot : "";
    list_folders(&s.finder);
    for (size_t i = 0; i < s.finder.n; i++)
        look_into_folder(&s, &s.finder.v[i].root);
    return sort_libraries(&s);
}

struct jw_toolkit_places jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a)
{
    static const struct kind nvrtc = { "NVRTC", "libnvrtc*", "nvrtc*.dll", is_nvrtc, is_nvrtc_dll, true };

    return find_libraries(&nvrtc, o, a);
}

struct jw_toolkit_places jw_nvjitlink_find(const struct jw_discover_options *o, struct jw_arena *a)
{
    static const struct kind nvjitlink = { "nvJitLink",  "libnvJitLink.so*", "nvJitLink*.dll",
                                           is_nvjitlink, is_nvjitlink_dll,   false };

    return find_libraries(&nvjitlink, o, a);
}

const char *jw_nvrtc_where(bool windows)
{
    return windows
               ? "nvrtc64_*.dll in %CUDA_PATH%\\bin, in Python's and the toolkit's folders and in those of "
                 "PATH"
               : "libnvrtc.so in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, Python's and conda's packages, "
                 "/usr/lib and where the loader looks";
}

const char *jw_nvjitlink_where(bool windows)
{
    return windows
               ? "nvJitLink_*.dll in CUDA_HOME, CUDA_PATH, Python's packages and the folders of PATH"
               : "libnvJitLink.so.* in CUDA_HOME, CUDA_PATH, /usr/local/cuda*, Python's and conda's packages "
                 "and /usr/lib";
}
