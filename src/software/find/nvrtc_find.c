#include "software/find/nvrtc_find.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/library_folders.h"

#include <stdlib.h>
#include <string.h>

static const char loader[] = "the loader";

static const struct jw_nvrtc_place by_loader[] = {
    { "libnvrtc.so.13", loader, 13, true },   { "libnvrtc.so.12", loader, 12, true },
    { "libnvrtc.so.11.2", loader, 11, true }, { "libnvrtc.so.11.1", loader, 11, true },
    { "libnvrtc.so.11.0", loader, 11, true },
};

struct found {
    struct jw_nvrtc_place place;
    struct jw_file_id id;
    size_t order;
};

struct search {
    struct jw_finder finder;
    struct found *v;
    size_t n;
};

/* ---- names ---- */

/* "libnvrtc.so", "libnvrtc.so.12", "libnvrtc-672ee683.so.11.2" (of old wheels): 12; 0: it does not say. */
static bool is_linux_name(const char *name, unsigned *major)
{
    const char *so = strstr(name, ".so");

    if (!jw_text_starts(name, "libnvrtc") || !so || strstr(name, ".alt.")
        || (name[8] != '.' && name[8] != '-'))
        return false;
    *major = so[3] == '.' ? (unsigned)strtoul(so + 4, NULL, 10) : 0;
    return so[3] == '.' || !so[3];
}

/* "nvrtc64_120_0.dll", "nvrtc64_92.dll": 12 and 9. */
static bool is_windows_name(const char *name, unsigned *major)
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

/* ---- one folder ---- */

static bool add(struct search *s, const char *folder, const char *name, const struct jw_nvrtc_place *place)
{
    struct jw_finder *f = &s->finder;
    struct jw_file_info info;
    struct jw_err ignored;
    const char *path = jw_path_join(f->a, folder, name);

    if (!path)
        return jw_nomem(f->err, strlen(folder));
    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR)
        return true;
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].id.volume == info.id.volume && s->v[i].id.node == info.id.node) {
            if (!s->v[i].place.major) /* "libnvrtc.so" leads to "libnvrtc.so.12" */
                s->v[i].place.major = place->major;
            return true;
        }
    if (s->n >= JW_MAX_RTC_LIBRARIES)
        return jw_note(&f->out->notes, f->a, f->err, "%s: left out, there are %zu NVRTC libraries already",
                       path, s->n);

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
    struct jw_nvrtc_place place = { .how = root->how };
    struct jw_listing names;

    if (!jw_listing_read(root->path, f->out->windows ? "nvrtc*.dll" : "libnvrtc*", f->a, &names,
                         &f->out->notes, f->err))
        return false;
    for (size_t i = 0; i < names.n; i++)
        place.builtins |= is_builtins(names.names[i]);
    for (size_t i = 0; i < names.n; i++) {
        bool (*is)(const char *, unsigned *) = f->out->windows ? is_windows_name : is_linux_name;

        if (!is_builtins(names.names[i]) && is(names.names[i], &place.major)
            && !add(s, root->path, names.names[i], &place))
            return false;
    }
    return true;
}

static bool search(struct search *s)
{
    struct jw_finder *f = &s->finder;

    if (!jw_library_folders(f))
        return false;
    for (size_t i = 0; i < f->n; i++)
        if (!look(s, &f->v[i].root))
            return false;
    return true;
}

/* ---- the answer ---- */

static int by_worth(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->place.builtins != y->place.builtins)
        return x->place.builtins ? -1 : 1;
    if (x->place.major != y->place.major)
        return x->place.major > y->place.major ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool answer(struct search *s, struct jw_nvrtc_places *out)
{
    struct jw_finder *f = &s->finder;
    size_t n_loader = f->out->windows ? 0 : JW_COUNT(by_loader), n = s->n + n_loader;
    struct found *all = jw_arena_alloc(f->a, (n + 1) * sizeof *all);

    out->v = jw_arena_alloc(f->a, (n + 1) * sizeof *out->v);
    if (!all || !out->v)
        return jw_nomem(f->err, n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = i < s->n ? s->v[i] : (struct found){ .place = by_loader[i - s->n], .order = i + 1 };
    qsort(all, n, sizeof *all, by_worth);
    for (size_t i = 0; i < n; i++)
        out->v[out->n++] = all[i].place;
    out->notes = f->out->notes;
    return true;
}

bool jw_nvrtc_find(const struct jw_discover_options *o, struct jw_arena *a, struct jw_nvrtc_places *out,
                   struct jw_err *err)
{
    static const struct jw_discover_options here = { 0 };
    struct jw_discovery discovery;
    struct search s = { .finder = { .o = o ? o : &here, .a = a, .out = &discovery, .err = err } };

    *out = (struct jw_nvrtc_places){ 0 };
    if (!jw_discover(o, a, &discovery, err))
        return false;
    s.finder.sysroot = s.finder.o->sysroot ? s.finder.o->sysroot : "";
    return (search(&s) && answer(&s, out)) || jw_wrap(err, "looking for NVRTC");
}

const char *jw_nvrtc_where(bool windows)
{
    return windows
               ? "nvrtc64_*.dll in %CUDA_PATH%\\bin, in Python's and the toolkit's folders and in those of "
                 "PATH"
               : "libnvrtc.so in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, Python's and conda's packages, "
                 "/usr/lib and where the loader looks";
}
