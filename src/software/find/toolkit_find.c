#include "software/find/toolkit_find.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/libraries.h"
#include "machine/loader.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "software/find/places.h"

#include <stdlib.h>
#include <string.h>

struct library {
    const char *path;
    unsigned version; /* 1208: 12.8 */
    size_t order;
    struct jw_file_id id;
};

struct search {
    struct jw_finder finder;
    struct library *v;
    size_t n;
};

/* Reads a version: 12.8 of "libnvrtc.so.12.8.93", 11.2 of "libnvrtc-672ee683.so.11.2", 12.0 of
 * "nvrtc64_120_0.dll". */
static bool is_nvrtc(const char *name, unsigned *version)
{
    const char *before = jw_os_is_windows() ? "64_" : ".so.";
    const char *number = strstr(name, before);
    char *end = NULL;

    if (strstr(name, "builtins") || strstr(name, ".alt."))
        return false;
    *version = 0;
    if (!number)
        return true;
    unsigned long major = strtoul(number + strlen(before), &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

    *version = (unsigned)(jw_os_is_windows() ? major * 10 : major * 100 + minor);
    return true;
}

/* Where NVRTC is below a toolkit that a variable names. */
static const char *const linux_named[] = {"lib64", "targets/*/lib", "lib", NULL};
static const char *const windows_named[] = {"bin", "bin/x64", NULL};

/* Where it is below the root. */
static const char *const linux_usual[] = {"usr/local/cuda*/lib64", "usr/local/cuda*/targets/*/lib",
                                          NULL};

/* Where it is below folders that discovery found: site-packages, a conda environment's lib, a
 * toolkit of /opt. */
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

static void list_folders(struct jw_finder *f, const struct jw_discovery *found)
{
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    bool windows = jw_os_is_windows();
    const char *const *named = windows ? windows_named : linux_named;
    const char *const *below = windows ? windows_below : linux_below;

    for (size_t i = 0; i < JW_COUNT(variables); i++) {
        const char *toolkit = jw_finder_env(f, variables[i]);

        if (toolkit && jw_path_absolute(toolkit))
            jw_finder_folders(f, toolkit, named);
    }
    if (!windows)
        jw_finder_folders(f, *f->sysroot ? f->sysroot : "/", linux_usual);
    for (size_t i = 0; i < found->n_folders; i++)
        if (!found->folders[i].working)
            jw_finder_folders(f, found->folders[i].path, below);
    jw_finder_loader(f, true);
}

static void add_library(struct search *s, const char *path, unsigned version)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, JW_IGNORED) || info.kind != JW_FILE_REGULAR)
        return;
    for (size_t i = 0; i < s->n; i++)
        if (jw_file_same(s->v[i].id, info.id)) { /* "libnvrtc.so" leads to "libnvrtc.so.12" */
            s->v[i].version = version > s->v[i].version ? version : s->v[i].version;
            return;
        }
    struct library *slot =
        jw_list_add(s->finder.a, &s->v, &s->n, sizeof *s->v, JW_MAX_RTC_LIBRARIES, JW_IGNORED);

    if (slot)
        *slot = (struct library){path, version, s->n, info.id};
}

static void look_into_folder(struct search *s, const char *folder)
{
    struct jw_arena *a = s->finder.a;
    const char *pattern = jw_os_is_windows() ? "nvrtc64_*.dll" : "libnvrtc*.so*";
    const struct jw_listing names = jw_listing_read(folder, pattern, a, &s->finder.out->notes);
    unsigned version;

    for (size_t i = 0; i < names.n; i++)
        if (is_nvrtc(names.names[i], &version))
            add_library(s, jw_path_join(a, folder, names.names[i]), version);
}

/* Those that the loader takes by name: on Windows it searches the folders above. */
static void ask_loader(struct search *s)
{
    for (const char *const *name = jw_nvrtc_names; *name; name++) {
        const char *path = jw_loader_takes(*name, NULL, false, s->finder.a);
        unsigned version;

        if (path && is_nvrtc(*name, &version))
            add_library(s, path, version);
    }
}

static int by_version(const void *a, const void *b)
{
    const struct library *x = a;
    const struct library *y = b;

    if (x->version != y->version)
        return x->version > y->version ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

struct jw_listing jw_nvrtc_find(const struct jw_discovery *found, struct jw_arena *a)
{
    static const struct jw_discover_options all = {0};
    struct jw_discovery unread;
    struct search s = {.finder = jw_finder_begin(&all, a, &unread)};
    struct jw_listing out = {0};

    list_folders(&s.finder, found);
    for (size_t i = 0; i < s.finder.n; i++)
        look_into_folder(&s, s.finder.v[i].folder.path);
    ask_loader(&s);
    jw_sort(s.v, s.n, sizeof *s.v, by_version);
    out.names = jw_arena_alloc(a, s.n * sizeof *out.names);
    for (; out.n < s.n; out.n++)
        out.names[out.n] = s.v[out.n].path;
    return out;
}
