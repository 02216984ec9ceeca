#include "software/find/owner.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "jitwarm/scan.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/pyinfo.h"

#include <string.h>

static bool is_path_separator(const struct jw_discovery *d, char c)
{
    return c == '/' || (d->windows && c == '\\');
}

/* Length of the first component of `path`; 0 when it is the only one. */
static size_t first_folder(const struct jw_discovery *d, const char *path)
{
    for (size_t i = 0; path[i]; i++) {
        if (is_path_separator(d, path[i]))
            return i;
    }
    return 0;
}

/* METADATA has the name as its author spells it, and the version if the folder's name has none. */
static void read_metadata(struct jw_discovery *d, struct jw_owner_package *package)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_pyname words;
    struct jw_err why = { 0 };
    bool found = false;

    if (jw_file_slurp(package->metadata, &text, &found, &why)
        && (found || jw_fail(&why, JW_E_FORMAT, "the package has no such file"))
        && jw_pyinfo_metadata(jw_buf_bytes(&text), &words, &why)) {
        package->is.name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n);
        if (words.version.n)
            package->is.version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n);
        package->is.vendor = jw_vendor_package(package->is.name);
    } else {
        jw_note_failure(&d->notes, d->arena, &why, package->metadata);
    }
    jw_buf_free(&text);
    package->metadata = NULL;
}

/* The package that owns the folder `name`, although it does not list the file. */
static struct jw_owner_package *package_of_module(const struct jw_owner_index *x, const char *name)
{
    for (size_t i = 0; i < x->n_modules; i++)
        if (strcmp(x->modules[i].name, name) == 0)
            return &x->packages[x->modules[i].package];
    for (size_t i = 0; i < x->n_packages; i++)
        if (jw_pyname_equal(x->packages[i].key, name))
            return &x->packages[i];
    return NULL;
}

/* `rest` is the file's path below the index's folder. */
static const struct jw_package *ask_index(struct jw_discovery *d, const char *folder, bool conda,
                                          const char *rest)
{
    const struct jw_owner_index *x = jw_owner_index(d, folder, conda);
    struct jw_bytes path = { (const uint8_t *)rest, strlen(rest) };
    const struct jw_owner_file *file =
        x ? jw_find_u64(x->files, x->n_files, sizeof *x->files, jw_owner_hash(path, d->windows)) : NULL;
    size_t n = first_folder(d, rest);
    struct jw_owner_package *package = file ? &x->packages[file->package]
                                       : x && !x->conda && n
                                           ? package_of_module(x, jw_arena_text(d->arena, rest, n))
                                           : NULL;

    if (package && package->metadata)
        read_metadata(d, package);
    return package ? &package->is : NULL;
}

/* Looks at one folder above the file: site-packages, a conda prefix, both or neither. */
static const struct jw_package *ask_folder(struct jw_discovery *d, struct jw_buf *folder, const char *rest)
{
    const struct jw_package *found = NULL;
    size_t n = folder->n;

    if (jw_pyinfo_is_site(jw_path_base(jw_buf_cstr(folder))))
        found = ask_index(d, jw_buf_cstr(folder), false, rest);
    if (found)
        return found;
    jw_buf_text(folder, "/conda-meta");
    bool conda = jw_is_folder(jw_buf_cstr(folder));

    folder->n = n;
    return conda ? ask_index(d, jw_buf_cstr(folder), true, rest) : NULL;
}

static const struct jw_package *ask_packages(struct jw_discovery *d, const char *path)
{
    const struct jw_package *found = NULL;
    struct jw_buf folder = JW_BUF(JW_MAX_LINE);

    for (size_t n = strlen(path); !found && n > 1; n--) {
        if (!is_path_separator(d, path[n - 1]) || path[n] == '\0' || is_path_separator(d, path[n]))
            continue;
        jw_buf_clear(&folder);
        jw_buf_add(&folder, path, n - 1);
        found = ask_folder(d, &folder, path + n);
    }
    jw_buf_free(&folder);
    return found;
}

/* "x/NAME-VERSION-....whl" and "x/NAME-VERSION-....whl!member". */
static bool ask_wheel(struct jw_discovery *d, const char *path, struct jw_package *out)
{
    const char *inside = strstr(path, ".whl!");
    size_t n = inside ? (size_t)(inside - path) + 4 : strlen(path);
    const char *file;
    struct jw_pyname words;

    if (!inside && !jw_text_ends(path, ".whl"))
        return false;
    file = jw_arena_text(d->arena, path, n);
    if (!jw_pyinfo_wheel(jw_path_base(file), &words))
        return false;
    *out = (struct jw_package){
        .name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n),
        .version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n),
    };
    out->vendor = jw_vendor_package(out->name);
    return true;
}

/* Returns the path below the innermost root, or NULL. */
static const char *below_root(const struct jw_discovery *d, const char *path, const struct jw_root **root)
{
    const char *rest = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < d->n_roots; i++) {
        size_t n = strlen(d->roots[i].path);

        while (n && is_path_separator(d, d->roots[i].path[n - 1]))
            n--;
        if (strncmp(path, d->roots[i].path, n) != 0 || !is_path_separator(d, path[n])
            || (rest && n <= longest))
            continue;
        longest = n;
        *root = &d->roots[i];
        rest = path + n + 1;
    }
    return rest;
}

/* Returns the path below the innermost site-packages folder, or NULL. */
static const char *below_site(const struct jw_discovery *d, const char *path)
{
    const char *rest = NULL, *part = path;

    for (const char *p = path; *p; p++) {
        if (!is_path_separator(d, *p))
            continue;
        if (p - part == 13
            && (memcmp(part, "site-packages", 13) == 0 || memcmp(part, "dist-packages", 13) == 0))
            rest = p + 1;
        part = p + 1;
    }
    return rest;
}

static struct jw_package guess(struct jw_discovery *d, const char *path)
{
    const struct jw_root *root = NULL;
    const char *rest = below_site(d, path), *name = jw_path_base(path);
    size_t n = strlen(name);

    if (!rest)
        rest = below_root(d, path, &root);
    if (root && root->package) {
        name = root->package;
        n = strlen(name);
    } else if (rest && first_folder(d, rest)) {
        name = rest;
        n = first_folder(d, rest);
    }
    name = jw_arena_text(d->arena, name, n);
    return (struct jw_package){ .name = name, .vendor = jw_vendor_package(name) || jw_vendor_file(name) };
}

struct jw_package jw_discovery_owner(struct jw_discovery *d, const char *path)
{
    struct jw_package wheel;

    if (ask_wheel(d, path, &wheel))
        return wheel;
    const struct jw_package *found = ask_packages(d, path);

    return found ? *found : guess(d, path);
}

struct jw_package jw_discovery_owner_of(struct jw_discovery *d, const struct jw_scan_file *f)
{
    struct jw_package owner = jw_discovery_owner(d, f->path);

    if (f->variants && strcmp(owner.name, jw_path_base(f->path)) == 0)
        owner.name = jw_arena_str(d->arena, f->variants);
    return owner;
}

bool jw_is_in(const char *path, const char *place)
{
    size_t n = strlen(place);

    return jw_path_below(path, place) || (strncmp(path, place, n) == 0 && (!path[n] || path[n] == '!'));
}

const char *jw_nearer(const char *path, const char *nearest, const char *place)
{
    return jw_is_in(path, place) && (!nearest || strlen(place) > strlen(nearest)) ? place : nearest;
}

const char *jw_discovery_named(const struct jw_root *roots, size_t n, const char *path)
{
    const char *nearest = NULL;

    for (size_t i = 0; i < n; i++)
        if (strcmp(roots[i].how, JW_ROOT_NAMED_TO_PRIME) == 0)
            nearest = jw_nearer(path, nearest, roots[i].path);
    return nearest;
}

enum jw_code_of jw_code_of(const struct jw_package *owner, const char *path, const char *named)
{
    const char *base = jw_path_base(path);

    if (named && (!path[strlen(named)] || path[strlen(named)] == '!'))
        return JW_CODE_OF_USERS;
    return jw_vendor_tool(base)                     ? JW_CODE_OF_TOOLS
           : owner->vendor || jw_vendor_file(base)  ? JW_CODE_OF_NVIDIA
           : jw_test_file(path, named ? named : "") ? JW_CODE_OF_TESTS
                                                    : JW_CODE_OF_USERS;
}
