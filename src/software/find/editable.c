/*
 * Folders that Python imports packages from although they lie elsewhere: "pip install -e", "setup.py develop" and other lines
 * of .pth files. A line that begins with "import" counts if it names the finder of an editable install, as setuptools,
 * meson-python, scikit-build-core and editables make it: the absolute paths in that file are taken.
 */
#include "software/find/places.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/real.h"

#include <string.h>

/* A finder lists each source of a package, where scikit-build-core made it. */
#define MAX_FINDER ((size_t)4 << 20)

/* The file's text; empty, with a note, where it cannot be read. */
static const char *slurp(struct jw_finder *f, const char *path, struct jw_buf *text)
{
    struct jw_err why = { 0 };
    bool found = false;

    if (jw_file_slurp(path, text, &found, &why) && found)
        return jw_buf_cstr(text);
    jw_note(&f->out->notes, f->a, "%s: which folders it names cannot be read", path);
    return "";
}

/* {'pkg': '/home/ada/src/pkg'}, map_module('pkg', '/home/ada/src/pkg/__init__.py'), and for the module of a file alone, which
 * may have to be built yet, {'pkg_cuda': '/home/ada/src/pkg_cuda'}. Other files are programs that build it. */
static void take_quoted(struct jw_finder *f, const char *by, const char *path)
{
    const char *above = jw_path_dir(f->a, path);

    if (!jw_path_absolute(path))
        return;
    if (jw_is_folder(path))
        jw_finder_search(f, path, by, jw_path_base(path), JW_MAX_DEPTH);
    else if (strcmp(jw_path_base(path), "__init__.py") == 0)
        jw_finder_search(f, above, by, jw_path_base(above), JW_MAX_DEPTH);
    else if (jw_text_ends(path, ".py") || jw_is_absent(path))
        jw_finder_search(f, above, by, NULL, 0);
}

/* Takes the texts between quotes of Python, in which \\ is one \. */
static void read_finder(struct jw_finder *f, const char *path)
{
    struct jw_buf text = JW_BUF(MAX_FINDER), quoted = JW_BUF(JW_MAX_LINE);
    char quote = '\0';

    for (const char *at = slurp(f, path, &text); *at; at++) {
        if (*at == '\n') {
            quote = '\0';
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
            jw_buf_clear(&quoted);
        } else if (quote && *at == quote) {
            quote = '\0';
            take_quoted(f, path, jw_arena_str(f->a, jw_buf_cstr(&quoted)));
        } else if (quote) {
            at += at[0] == '\\' && at[1] == '\\';
            jw_buf_add(&quoted, at, 1);
        }
    }
    jw_buf_free(&quoted);
    jw_buf_free(&text);
}

/* "import __editable___pkg_1_0_finder; __editable___pkg_1_0_finder.install()". Finders alone have that word in their
 * names. */
static void read_import(struct jw_finder *f, const char *site, const char *name)
{
    name += strspn(name, " \t");
    name = jw_arena_text(f->a, name, strcspn(name, "; \t,."));
    if (strstr(name, "editable"))
        read_finder(f, jw_path_join(f->a, site, jw_arena_printf(f->a, "%s.py", name)));
}

/* As Python's site.py does: a folder, below the one of the file if it is not absolute. Without "..", which would make it look
 * like a part of the folder that it leads out of. */
static void read_line(struct jw_finder *f, const char *site, const char *by, const char *line)
{
    const char *path, *real;

    if (!*line || *line == '#')
        return;
    if (jw_text_starts(line, "import ") || jw_text_starts(line, "import\t")) {
        read_import(f, site, line + strlen("import "));
        return;
    }
    path = jw_path_absolute(line) ? line : jw_path_join(f->a, site, line);
    if (strstr(path, "..") && jw_real_path(path, f->a, &real, JW_IGNORED))
        path = real;
    jw_finder_search(f, path, by, NULL, JW_MAX_DEPTH);
}

static void read_pth(struct jw_finder *f, const char *site, const char *by)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);

    for (const char *at = slurp(f, by, &text); *at;) {
        size_t n = strcspn(at, "\r\n");
        const struct jw_bytes line = jw_text_trim((struct jw_bytes){ (const uint8_t *)at, n });

        read_line(f, site, by, jw_arena_text(f->a, (const char *)line.p, line.n));
        at += at[n] ? n + 1 : n;
    }
    jw_buf_free(&text);
}

void jw_finder_editable(struct jw_finder *f)
{
    size_t n = f->n; /* Python reads no .pth file in folders that one names */

    for (size_t i = 0; i < n; i++) {
        const char *site = f->v[i].folder.path;
        struct jw_listing found = { 0 };

        if (jw_is_site(jw_path_base(site)))
            found = jw_listing_read(site, "*.pth", f->a, &f->out->notes);
        for (size_t k = 0; k < found.n; k++)
            if (found.names[k][0] != '.') /* Python skips those */
                read_pth(f, site, jw_path_join(f->a, site, found.names[k]));
    }
}
