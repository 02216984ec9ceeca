#include "software/find/owner.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "software/find/pyinfo.h"
#include "software/find/python.h"

#include <string.h>

static bool is_separator(const struct jw_discovery *d, char c)
{
    return c == '/' || (d->windows && c == '\\');
}

/* Length of the first component of `path`; 0 when it is the only one. */
static size_t first_folder(const struct jw_discovery *d, const char *path)
{
    for (size_t i = 0; path[i]; i++) {
        if (is_separator(d, path[i]))
            return i;
    }
    return 0;
}

/* METADATA has the name as its author spells it, and the version if the folder's name has none. */
static bool read_metadata(struct jw_discovery *d, struct jw_paper *paper, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_pyname words;
    const char *path = paper->metadata, *name, *version = NULL;
    bool found = false;
    bool ok = jw_file_slurp(path, &text, &found, err)
              && (found || jw_fail(err, JW_E_FORMAT, "the package has no such file"))
              && jw_pyinfo_metadata(jw_buf_bytes(&text), &words, err);

    if (ok) {
        name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n);
        if (words.version.n)
            version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n);
        ok = true;
        if (ok) {
            paper->package.name = name;
            paper->package.version = version ? version : paper->package.version;
            paper->package.vendor = jw_vendor_package(name);
        }
    }
    jw_buf_free(&text);
    paper->metadata = NULL;
    if (!ok)
        jw_note_failure(&d->notes, d->arena, err, path);
    return true;
}

static bool answer(struct jw_discovery *d, struct jw_owner_index *x, uint32_t number, struct jw_package *out,
                   bool *found, struct jw_err *err)
{
    struct jw_paper *paper = &x->papers[number];

    if (paper->metadata && !read_metadata(d, paper, err))
        return false;
    *out = paper->package;
    *found = true;
    return true;
}

static const struct jw_owned *listed(const struct jw_owner_index *x, uint64_t path)
{
    size_t low = 0, high = x->n_files;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (x->files[middle].path < path)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->n_files && x->files[low].path == path ? &x->files[low] : NULL;
}

/* The package that owns the folder `name`, although it does not list the file. */
static bool by_module(const struct jw_owner_index *x, const char *name, uint32_t *number)
{
    for (size_t i = 0; i < x->n_modules; i++) {
        if (strcmp(x->modules[i].name, name) == 0) {
            *number = x->modules[i].paper;
            return true;
        }
    }
    for (size_t i = 0; i < x->n_papers; i++) {
        if (jw_pyname_equal(x->papers[i].key, name)) {
            *number = (uint32_t)i;
            return true;
        }
    }
    return false;
}

/* `rest` is the file's path below the index's folder. */
static bool ask_index(struct jw_discovery *d, struct jw_owner_index *x, const char *rest,
                      struct jw_package *out, bool *found, struct jw_err *err)
{
    struct jw_bytes path = { (const uint8_t *)rest, strlen(rest) };
    const struct jw_owned *file = listed(x, jw_owner_hash(path, d->windows));
    size_t n = first_folder(d, rest);
    uint32_t number;

    if (file)
        return answer(d, x, file->paper, out, found, err);
    if (x->conda || n == 0)
        return true;

    const char *name = jw_arena_text(d->arena, rest, n);

    return !by_module(x, name, &number) || answer(d, x, number, out, found, err);
}

/* Looks at one folder above the file: site-packages, a conda prefix, both or neither. */
static bool ask_folder(struct jw_discovery *d, struct jw_buf *folder, const char *rest,
                       struct jw_package *out, bool *found, struct jw_err *err)
{
    struct jw_owner_index *x;
    size_t n = folder->n;
    bool conda;

    if (jw_python_is_site(jw_path_base(jw_buf_cstr(folder)))) {
        if (!jw_owner_index(d, jw_buf_cstr(folder), false, &x, err)
            || (x && !ask_index(d, x, rest, out, found, err)))
            return false;
    }
    if (*found)
        return true;
    jw_buf_text(folder, "/conda-meta");
    conda = !folder->bad && jw_is_folder(jw_buf_cstr(folder));
    folder->n = n;
    if (!conda)
        return true;
    return jw_owner_index(d, jw_buf_cstr(folder), true, &x, err)
           && (!x || ask_index(d, x, rest, out, found, err));
}

static bool ask_papers(struct jw_discovery *d, const char *path, struct jw_package *out, bool *found,
                       struct jw_err *err)
{
    struct jw_buf folder = JW_BUF(JW_MAX_LINE);
    bool ok = true;

    for (size_t n = strlen(path); ok && !*found && n > 1; n--) {
        if (!is_separator(d, path[n - 1]) || path[n] == '\0' || is_separator(d, path[n]))
            continue;
        jw_buf_clear(&folder);
        jw_buf_add(&folder, path, n - 1);
        if (!folder.bad)
            ok = ask_folder(d, &folder, path + n, out, found, err);
    }
    jw_buf_free(&folder);
    return ok;
}

/* "x/NAME-VERSION-....whl" and "x/NAME-VERSION-....whl!member". */
static bool ask_wheel(struct jw_discovery *d, const char *path, struct jw_package *out, bool *found)
{
    const char *inside = strstr(path, ".whl!");
    size_t n = inside ? (size_t)(inside - path) + 4 : strlen(path);
    const char *file;
    struct jw_pyname words;

    if (!inside && !jw_text_ends(path, ".whl"))
        return true;
    file = jw_arena_text(d->arena, path, n);
    if (!jw_pyinfo_wheel(jw_path_base(file), &words))
        return true;
    out->name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n);
    out->version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n);
    out->vendor = jw_vendor_package(out->name);
    *found = true;
    return true;
}

/* Returns the path below the innermost root, or NULL. */
static const char *below_root(const struct jw_discovery *d, const char *path, const struct jw_root **root)
{
    const char *rest = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < d->n_roots; i++) {
        size_t n = strlen(d->roots[i].path);

        while (n && is_separator(d, d->roots[i].path[n - 1]))
            n--;
        if (strncmp(path, d->roots[i].path, n) != 0 || !is_separator(d, path[n]) || (rest && n <= longest))
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
        if (!is_separator(d, *p))
            continue;
        if (p - part == 13
            && (memcmp(part, "site-packages", 13) == 0 || memcmp(part, "dist-packages", 13) == 0))
            rest = p + 1;
        part = p + 1;
    }
    return rest;
}

static bool guess(struct jw_discovery *d, const char *path, struct jw_package *out)
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
    *out = (struct jw_package){ .name = jw_arena_text(d->arena, name, n) };
    out->vendor = jw_vendor_package(out->name) || jw_vendor_file(out->name);
    return true;
}

bool jw_discovery_owner(struct jw_discovery *d, const char *path, struct jw_package *out, struct jw_err *err)
{
    bool found = false;

    *out = (struct jw_package){ 0 };
    return (ask_wheel(d, path, out, &found) && (found || ask_papers(d, path, out, &found, err))
            && (found || guess(d, path, out)))
           || jw_wrap(err, "the package of %s", path);
}
