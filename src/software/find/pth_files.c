/* Folders elsewhere that Python imports packages from, as "setup.py develop" and some kinds of "pip
 * install -e" name them in .pth files. A line that begins with "import" is a program, and not run:
 * what it adds is given by `search` in jitwarm.conf. */
#include "software/find/places.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "os/files/real.h"

#include <string.h>

/* Adds the folder that a line names, as Python's site.py does: a path that is not absolute begins
 * at the file's folder. ".." is resolved, as such a path would look like a part of the folder that
 * it leads out of. */
static void read_line(struct jw_finder *f, const char *by, const char *line)
{
    const char *path, *real;

    if (!*line || *line == '#' || jw_text_starts(line, "import ")
        || jw_text_starts(line, "import\t"))
        return;
    path = jw_path_absolute(line) ? line : jw_path_join(f->a, jw_path_dir(f->a, by), line);
    if (strstr(path, "..") && jw_real_path(path, f->a, &real, JW_IGNORED))
        path = real;
    jw_finder_search(f, path, by, JW_MAX_DEPTH);
}

void jw_finder_pth_files(struct jw_finder *f)
{
    size_t n = f->n; /* Python reads no .pth file in a folder that a .pth file names */

    for (size_t i = 0; i < n; i++) {
        const char *site = f->v[i].folder.path;
        struct jw_listing found = {0};

        f->working = f->v[i].folder.working;
        if (jw_is_site(jw_path_base(site)))
            found = jw_listing_read(site, "*.pth", f->a, &f->out->notes);
        for (size_t k = 0; k < found.n; k++)
            if (found.names[k][0] != '.') /* Python skips those */
                jw_finder_lines(f, jw_path_join(f->a, site, found.names[k]), read_line);
    }
    f->working = false;
}
