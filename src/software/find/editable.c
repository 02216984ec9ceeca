#include "software/find/editable.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "software/find/places.h"
#include "software/find/pyinfo.h"

#include <string.h>

/* A finder lists each source of a package, where scikit-build-core made it. */
#define MAX_FINDER ((size_t)4 << 20)
#define MAX_PTH ((size_t)1 << 20)

struct reading {
    const char *site, *by; /* the .pth file at work */
    struct jw_arena *a;
    struct jw_editables *out;
};

static void list_path(struct reading *r, struct jw_listing *to, const char *path)
{
    struct jw_err full;
    const char **slot = jw_list_add(r->a, &to->names, &to->n, sizeof *slot, JW_MAX_ROOTS, &full);

    if (slot)
        *slot = path;
}

static void name_folder(struct reading *r, const char *path, const char *package, unsigned depth)
{
    struct jw_err full;

    for (size_t i = 0; i < r->out->n; i++) {
        struct jw_editable *known = &r->out->v[i];

        if (strcmp(known->path, path) != 0)
            continue;
        known->depth = depth > known->depth ? depth : known->depth;
        known->package = known->package ? known->package : package;
        return;
    }
    struct jw_editable *one = jw_list_add(r->a, &r->out->v, &r->out->n, sizeof *one, JW_MAX_ROOTS, &full);

    if (one)
        *one = (struct jw_editable){ path, r->by, package, depth };
    else
        list_path(r, &r->out->unread, r->by);
}

static bool slurp(const char *path, struct jw_buf *text)
{
    struct jw_err ignored;
    bool found = false;

    return jw_file_slurp(path, text, &found, &ignored) && found;
}

/* A text between quotes of Python: \\ is one \. NULL: it is no absolute path. */
static const char *quoted_path(struct reading *r, const char *text, size_t n)
{
    char *path = jw_arena_text(r->a, text, n), *to = path;

    for (const char *from = path; *from; from++) {
        *to++ = *from;
        from += from[0] == '\\' && from[1] == '\\';
    }
    *to = '\0';
    return jw_path_absolute(path) ? path : NULL;
}

/* {'pkg': '/home/ada/src/pkg'}, map_module('pkg', '/home/ada/src/pkg/__init__.py'), and for the module of a file
 * alone, which may have to be built yet, {'pkg_cuda': '/home/ada/src/pkg_cuda'}. Other files are programs that build
 * it. */
static bool take_quoted(struct reading *r, const char *path)
{
    const char *above = jw_path_dir(r->a, path);
    bool package = jw_is_folder(path), init = strcmp(jw_path_base(path), "__init__.py") == 0;

    if (package)
        name_folder(r, path, jw_path_base(path), JW_MAX_DEPTH);
    else if (init && jw_is_folder(above))
        name_folder(r, above, jw_path_base(above), JW_MAX_DEPTH);
    else if ((jw_text_ends(path, ".py") || jw_is_absent(path)) && jw_is_folder(above))
        name_folder(r, above, NULL, 0);
    else
        return false;
    return true;
}

/* False: it names no folder, or cannot be read. */
static bool read_finder(struct reading *r, const char *path)
{
    struct jw_buf text = JW_BUF(MAX_FINDER);
    bool found = false;
    char quote = '\0';

    for (const char *at = slurp(path, &text) ? jw_buf_cstr(&text) : "", *start = at; *at; at++) {
        if (*at == '\n') {
            quote = '\0';
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
            start = at + 1;
        } else if (quote && *at == quote) {
            const char *named = quoted_path(r, start, (size_t)(at - start));

            quote = '\0';
            found |= named && take_quoted(r, named);
        }
    }
    jw_buf_free(&text);
    return found;
}

/* "import __editable___pkg_1_0_finder; __editable___pkg_1_0_finder.install()". Finders alone have that word in their
 * names. */
static void read_import(struct reading *r, const char *line)
{
    const char *name = line + strlen("import ");

    name += strspn(name, " \t");
    name = jw_arena_text(r->a, name, strcspn(name, "; \t,."));
    if (strstr(name, "editable")
        && !read_finder(r, jw_path_join(r->a, r->site, jw_arena_printf(r->a, "%s.py", name))))
        list_path(r, &r->out->unread, r->by);
}

/* Without "..", which would make it look like a part of the folder that it leads out of. */
static const char *whole_path(struct reading *r, const char *line)
{
    const char *path = jw_path_absolute(line) ? line : jw_path_join(r->a, r->site, line), *real;
    struct jw_err ignored;

    return strstr(path, "..") && jw_real_path(path, r->a, &real, &ignored) ? real : path;
}

/* Reads a line as Python's site.py does: a folder, below the folder of the file if it is not absolute. */
static void read_line(struct reading *r, struct jw_bytes bytes)
{
    struct jw_bytes trimmed = jw_text_trim(bytes);
    const char *line = jw_arena_text(r->a, (const char *)trimmed.p, trimmed.n);

    if (!*line || *line == '#')
        return;
    if (jw_text_starts(line, "import ") || jw_text_starts(line, "import\t"))
        read_import(r, line);
    else
        name_folder(r, whole_path(r, line), NULL, JW_MAX_DEPTH);
}

static void read_pth(struct reading *r)
{
    struct jw_buf text = JW_BUF(MAX_PTH);
    struct jw_bytes line;

    if (slurp(r->by, &text)) {
        struct jw_reader lines = jw_reader(jw_buf_bytes(&text));

        while (jw_pyinfo_line(&lines, &line))
            read_line(r, line);
    } else {
        list_path(r, &r->out->unread, r->by);
    }
    jw_buf_free(&text);
}

void jw_editables_read(const char *site, struct jw_arena *a, struct jw_editables *out)
{
    struct reading r = { .site = site, .a = a, .out = out };
    struct jw_notes ignored = { 0 }; /* the scan says it of the folder */
    const struct jw_listing found = jw_listing_read(site, "*.pth", a, &ignored);

    *out = (struct jw_editables){ 0 };
    for (size_t i = 0; i < found.n; i++) {
        r.by = jw_path_join(a, site, found.names[i]);
        if (found.names[i][0] != '.') /* Python skips those */
            read_pth(&r);
    }
}

/* ---- as places to search ---- */

/* The folder that cannot be looked into, of those above `path`; the search says so. */
static const char *closed_above(struct jw_finder *f, const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    for (const char *above = jw_path_dir(f->a, path); strcmp(above, path) != 0;
         above = jw_path_dir(f->a, path)) {
        if (jw_file_stat(above, &info, &ignored))
            return info.kind == JW_FILE_DIR ? above : NULL;
        path = above;
    }
    return NULL;
}

static void add_editable(struct jw_finder *f, const struct jw_editable *e)
{
    const char *how = jw_arena_printf(f->a, "named by %s", e->by), *closed;
    struct jw_file_info info;
    struct jw_err ignored;

    if (jw_file_stat(e->path, &info, &ignored))
        jw_finder_search(f, e->path, e->by, how, e->package, e->depth);
    else if ((closed = closed_above(f, e->path)) != NULL)
        jw_finder_add(f, closed, how, NULL, 0);
}

void jw_finder_editable(struct jw_finder *f)
{
    struct jw_editables found;
    size_t n = f->n; /* Python reads no .pth file in folders that one names */

    for (size_t i = 0; i < n; i++) {
        if (f->v[i].dropped || !jw_pyinfo_is_site(jw_path_base(f->v[i].root.path)))
            continue;
        jw_editables_read(f->v[i].root.path, f->a, &found);
        for (size_t k = 0; k < found.n; k++)
            add_editable(f, &found.v[k]);
        for (size_t k = 0; k < found.unread.n; k++)
            jw_finder_skip(f, found.unread.names[k], "which folders it names cannot be read", true);
    }
}
