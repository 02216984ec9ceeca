#include "software/find/nvjitlink_find.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/library_folders.h"

#include <stdlib.h>
#include <string.h>

struct found {
    struct jw_nvjitlink_place place;
    struct jw_file_id id;
    size_t order;
};

struct search {
    struct jw_finder finder;
    struct found *v;
    size_t n;
};

/* ---- names ---- */

/* "libnvJitLink.so", "libnvJitLink.so.12", "libnvJitLink.so.12.9.86": 12; 0: it does not say. */
static bool is_linux_name(const char *name, unsigned *major)
{
    static const char prefix[] = "libnvJitLink.so";
    const char *rest = name + sizeof prefix - 1;

    if (!jw_text_starts(name, prefix) || (*rest && *rest != '.'))
        return false;
    *major = *rest ? (unsigned)strtoul(rest + 1, NULL, 10) : 0;
    return true;
}

/* "nvJitLink_120_0.dll": 12. */
static bool is_windows_name(const char *name, unsigned *major)
{
    static const char prefix[] = "nvJitLink_";

    if (!jw_text_starts(name, prefix) || !jw_text_ends(name, ".dll"))
        return false;
    *major = (unsigned)strtoul(name + sizeof prefix - 1, NULL, 10) / 10;
    return true;
}

bool jw_is_nvjitlink_name(const char *name)
{
    return jw_text_find_nocase(name, "nvjitlink") != NULL || strstr(name, ".so.") != NULL
           || jw_text_ends(name, ".so") || jw_text_ends(name, ".dll");
}

/* ---- one folder ---- */

static bool add(struct search *s, const char *folder, const char *name,
                const struct jw_nvjitlink_place *place)
{
    struct jw_finder *f = &s->finder;
    struct jw_file_info info;
    struct jw_err ignored;
    const char *path = jw_path_join(f->a, folder, name);

    if (!path)
        return jw_nomem(f->err, strlen(folder));
    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR || s->n >= JW_MAX_RTC_LIBRARIES)
        return true;
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].id.volume == info.id.volume && s->v[i].id.node == info.id.node) {
            if (!s->v[i].place.major) /* "libnvJitLink.so" leads to "libnvJitLink.so.12" */
                s->v[i].place.major = place->major;
            return true;
        }

    struct found *slot = jw_list_add(f->a, &s->v, &s->n, sizeof *s->v, JW_MAX_RTC_LIBRARIES, f->err);

    if (!slot)
        return false;
    *slot = (struct found){ *place, info.id, s->n };
    slot->place.path = path;
    return true;
}

static bool look(struct search *s, const struct jw_root *root)
{
    struct jw_finder *f = &s->finder;
    bool windows = f->out->windows;
    struct jw_nvjitlink_place place = { .how = root->how };
    struct jw_listing names;

    if (!jw_listing_read(root->path, windows ? "nvJitLink*.dll" : "libnvJitLink.so*", f->a, &names,
                         &f->out->notes, f->err))
        return false;
    for (size_t i = 0; i < names.n; i++)
        if ((windows ? is_windows_name : is_linux_name)(names.names[i], &place.major)
            && !add(s, root->path, names.names[i], &place))
            return false;
    return true;
}

/* ---- the answer ---- */

static bool is_named(const struct found *f)
{
    return f->place.how == jw_in_cuda_home || f->place.how == jw_in_cuda_path;
}

static int by_worth(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (is_named(x) != is_named(y))
        return is_named(x) ? -1 : 1;
    if (!is_named(x) && x->place.major != y->place.major)
        return x->place.major > y->place.major ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool answer(struct search *s, struct jw_nvjitlink_places *out)
{
    struct jw_finder *f = &s->finder;

    out->v = jw_arena_alloc(f->a, (s->n + 1) * sizeof *out->v);
    if (!out->v)
        return jw_nomem(f->err, s->n * sizeof *out->v);
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, by_worth);
    for (size_t i = 0; i < s->n; i++)
        out->v[out->n++] = s->v[i].place;
    out->notes = f->out->notes;
    return true;
}

bool jw_nvjitlink_find(const struct jw_discover_options *o, struct jw_arena *a,
                       struct jw_nvjitlink_places *out, struct jw_err *err)
{
    static const struct jw_discover_options here = { 0 };
    struct jw_discovery discovery;
    struct search s = { .finder = { .o = o ? o : &here, .a = a, .out = &discovery, .err = err } };
    struct jw_finder *f = &s.finder;

    *out = (struct jw_nvjitlink_places){ 0 };
    if (!jw_discover(o, a, &discovery, err))
        return false;
    f->sysroot = f->o->sysroot ? f->o->sysroot : "";
    bool ok = jw_library_folders(f);

    for (size_t i = 0; ok && i < f->n; i++)
        ok = look(&s, &f->v[i].root);
    return (ok && answer(&s, out)) || jw_wrap(err, "looking for nvJitLink");
}

const char *jw_nvjitlink_where(bool windows)
{
    return windows
               ? "nvJitLink_*.dll in CUDA_HOME, CUDA_PATH, Python's packages and the folders of PATH"
               : "libnvJitLink.so.* in CUDA_HOME, CUDA_PATH, /usr/local/cuda*, Python's and conda's packages "
                 "and /usr/lib";
}
