#include "software/find/toolkit_find.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/places.h"

#include <stdlib.h>
#include <string.h>

static const char *const variables[] = { "CUDA_HOME", "CUDA_PATH" }; /* that name a toolkit */

struct found {
    struct jw_toolkit_place place;
    struct jw_file_id id;
    size_t order;
};

struct search {
    struct jw_finder finder;
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

/* "nvrtc64_120_0.dll", "nvrtc64_92.dll": 12 and 9. */
static bool is_nvrtc_dll(const char *name, unsigned *major)
{
    static const char prefix[] = "nvrtc64_";

    if (!jw_text_starts(name, prefix) || !jw_text_ends(name, ".dll") || strstr(name, ".alt."))
        return false;
    *major = (unsigned)strtoul(name + sizeof prefix - 1, NULL, 10) / 10;
    return true;
}

static bool is_builtins(const char *name)
{
    return (jw_text_starts(name, "libnvrtc-builtins") || jw_text_starts(name, "nvrtc-builtins64_"))
           && !strstr(name, ".alt.");
}

/* "12.8" */
static bool read_number(const char *text, unsigned *major, unsigned *minor)
{
    unsigned v[2] = { 0, 0 };

    for (unsigned i = 0; i < 2; i++) {
        const char *from = text;

        for (; *text >= '0' && *text <= '9' && v[i] < 1000; text++)
            v[i] = v[i] * 10 + (unsigned)(*text - '0');
        if (text == from || (i == 0 && *text++ != '.'))
            return false;
    }
    *major = v[0];
    *minor = v[1];
    return v[0] > 0 && v[0] < 1000 && v[1] < 1000;
}

/* Its version, as in "libnvrtc-builtins.so.12.8.93" or "nvrtc-builtins64_128.dll". False: it has none. */
static bool builtins_version(const char *name, unsigned *major, unsigned *minor)
{
    static const char dll[] = "nvrtc-builtins64_";
    const char *so = strstr(name, ".so.");
    unsigned long both;

    if (!jw_text_starts(name, dll))
        return so && read_number(so + 4, major, minor);
    both = strtoul(name + sizeof dll - 1, NULL, 10);
    *major = (unsigned)(both / 10);
    *minor = (unsigned)(both % 10);
    return true;
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
    "torch/lib",
    "python3*/site-packages/nvidia/cu*/lib",
    "python3*/site-packages/torch/lib",
    "lib64",
    "targets/*/lib",
    NULL,
};
static const char *const windows_below[] = {
    "", "x64", "nvidia/cu*/bin", "nvidia/cu*/bin/x86_64", "torch/lib", NULL,
};

static void add_folders(struct jw_finder *f, const char *folder, const char *const *patterns)
{
    for (; *patterns; patterns++)
        jw_finder_folders(f, folder, *patterns);
}

static void list_folders(struct jw_finder *f)
{
    bool windows = f->out->windows;

    for (size_t i = 0; i < JW_COUNT(variables); i++) {
        const char *toolkit = jw_finder_env(f, variables[i]);

        if (toolkit && jw_path_absolute(toolkit))
            add_folders(f, toolkit, windows ? windows_named : linux_named);
    }
    if (!windows)
        add_folders(f, *f->sysroot ? f->sysroot : "/", linux_usual);
    for (size_t i = 0; i < f->out->n_roots; i++)
        add_folders(f, f->out->roots[i].path, windows ? windows_below : linux_below);
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
            if (!s->v[i].place.major) { /* "libnvrtc.so" leads to "libnvrtc.so.12" */
                s->v[i].place.major = place->major;
                s->v[i].place.minor = place->minor;
            }
            return;
        }
    struct found *slot = jw_list_add(f->a, &s->v, &s->n, sizeof *s->v, JW_MAX_RTC_LIBRARIES, &ignored);

    if (!slot) {
        jw_note(&f->out->notes, f->a, "%s: skipped, there are %zu NVRTC libraries already", path, s->n);
        return;
    }
    *slot = (struct found){ .place = *place, .id = info.id, .order = s->n };
    slot->place.path = path;
}

/* One folder may have libraries of several major versions. */
static int find_minor(const struct jw_listing *names, unsigned of)
{
    unsigned major = 0, minor = 0;
    int newest = -1;

    for (size_t i = 0; i < names->n; i++)
        if (is_builtins(names->names[i]) && builtins_version(names->names[i], &major, &minor) && major == of
            && (int)minor > newest)
            newest = (int)minor;
    return newest;
}

static void look_into_folder(struct search *s, const struct jw_root *root)
{
    struct jw_finder *f = &s->finder;
    bool windows = f->out->windows;
    struct jw_toolkit_place place = { 0 };
    struct jw_listing names =
        jw_listing_read(root->path, windows ? "nvrtc*.dll" : "libnvrtc*", f->a, &f->out->notes);

    for (size_t i = 0; i < names.n; i++)
        place.builtins |= is_builtins(names.names[i]);
    for (size_t i = 0; i < names.n; i++)
        if (!is_builtins(names.names[i])
            && (windows ? is_nvrtc_dll : is_nvrtc)(names.names[i], &place.major)) {
            place.minor = find_minor(&names, place.major);
            add_library(s, root->path, names.names[i], &place);
        }
}

/* ---- which one first ---- */

static int by_library_worth(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->place.builtins != y->place.builtins)
        return x->place.builtins ? -1 : 1;
    if (x->place.major != y->place.major)
        return x->place.major > y->place.major ? -1 : 1;
    if (x->place.minor != y->place.minor)
        return x->place.minor > y->place.minor ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static struct jw_toolkit_places sort_libraries(struct search *s)
{
    struct jw_finder *f = &s->finder;
    struct jw_toolkit_places out = { .notes = f->out->notes };
    const struct jw_nvrtc_name *asked = jw_nvrtc_names;
    size_t n = s->n;

    for (size_t i = 0; !f->out->windows && asked[i].major; i++)
        n++;
    struct found *all = jw_arena_alloc(f->a, (n + 1) * sizeof *all);

    out.v = jw_arena_alloc(f->a, (n + 1) * sizeof *out.v);
    for (size_t i = 0; i < n; i++)
        all[i] = i < s->n
                     ? s->v[i]
                     : (struct found){ .place = { asked[i - s->n].name, asked[i - s->n].major, -1, true },
                                       .order = i + 1 };
    jw_sort(all, n, sizeof *all, by_library_worth);
    for (size_t i = 0; i < n; i++)
        out.v[out.n++] = all[i].place;
    return out;
}

struct jw_toolkit_places jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a)
{
    static const struct jw_discover_options here = { 0 };
    struct jw_discovery discovery;
    struct search s = { .finder = { .o = o ? o : &here, .a = a, .out = &discovery } };

    jw_discover(o, a, &discovery);
    s.finder.sysroot = s.finder.o->sysroot ? s.finder.o->sysroot : "";
    list_folders(&s.finder);
    for (size_t i = 0; i < s.finder.n; i++)
        look_into_folder(&s, &s.finder.v[i].root);
    return sort_libraries(&s);
}

const char *jw_nvrtc_where(bool windows)
{
    return windows
               ? "nvrtc64_*.dll in %CUDA_PATH%\\bin, in Python's and the toolkit's folders and in those of "
                 "PATH"
               : "libnvrtc.so in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, Python's and conda's packages, "
                 "/usr/lib and where the loader looks";
}
