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
static void read_metadata(struct jw_discovery *d, struct jw_paper *paper)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_pyname words;
    struct jw_err why = { 0 };
    bool found = false;

    if (jw_file_slurp(paper->metadata, &text, &found, &why)
        && (found || jw_fail(&why, JW_E_FORMAT, "the package has no such file"))
        && jw_pyinfo_metadata(jw_buf_bytes(&text), &words, &why)) {
        paper->package.name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n);
        if (words.version.n)
            paper->package.version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n);
        paper->package.vendor = jw_vendor_package(paper->package.name);
    } else {
        jw_note_failure(&d->notes, d->arena, &why, paper->metadata);
    }
    jw_buf_free(&text);
    paper->metadata = NULL;
}

static void answer(struct jw_discovery *d, struct jw_paper *paper, struct jw_package *out, bool *found)
{
    if (paper->metadata)
        read_metadata(d, paper);
    *out = paper->package;
    *found = true;
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
static void ask_index(struct jw_discovery *d, struct jw_owner_index *x, const char *rest,
                      struct jw_package *out, bool *found)
{
    struct jw_bytes path = { (const uint8_t *)rest, strlen(rest) };
    const struct jw_owned *file = listed(x, jw_owner_hash(path, d->windows));
    size_t n = first_folder(d, rest);
    uint32_t number;

    if (file)
        answer(d, &x->papers[file->paper], out, found);
    else if (!x->conda && n && by_module(x, jw_arena_text(d->arena, rest, n), &number))
        answer(d, &x->papers[number], out, found);
}

/* Looks at one folder above the file: site-packages, a conda prefix, both or neither. */
static bool ask_folder(struct jw_discovery *d, struct jw_buf *folder, const char *rest,
                       struct jw_package *out, bool *found, struct jw_err *err)
{
    struct jw_owner_index *x;
    size_t n = folder->n;
    bool conda;

    if (jw_python_is_site(jw_path_base(jw_buf_cstr(folder)))) {
        if (!jw_owner_index(d, jw_buf_cstr(folder), false, &x, err))
            return false;
        if (x)
            ask_index(d, x, rest, out, found);
    }
    if (*found)
        return true;
    jw_buf_text(folder, "/conda-meta");
    conda = !folder->bad && jw_is_folder(jw_buf_cstr(folder));
    folder->n = n;
    if (!conda)
        return true;
    if (!jw_owner_index(d, jw_buf_cstr(folder), true, &x, err))
        return false;
    if (x)
        ask_index(d, x, rest, out, found);
    return true;
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
    out->name = jw_arena_text(d->arena, (const char *)words.name.p, words.name.n);
    out->version = jw_arena_text(d->arena, (const char *)words.version.p, words.version.n);
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

static void guess(struct jw_discovery *d, const char *path, struct jw_package *out)
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
}

bool jw_discovery_owner(struct jw_discovery *d, const char *path, struct jw_package *out, struct jw_err *err)
{
    bool found = false;

    *out = (struct jw_package){ 0 };
    if (ask_wheel(d, path, out))
        return true;
    if (!ask_papers(d, path, out, &found, err))
        return jw_wrap(err, "the package of %s", path);
    if (!found)
        guess(d, path, out);
    return true;
}
