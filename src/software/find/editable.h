/* Folders that Python imports packages from although they lie elsewhere: "pip install -e", "setup.py develop" and
 * other lines of .pth files. No Python is run. */
#ifndef SOFTWARE_FIND_EDITABLE_H
#define SOFTWARE_FIND_EDITABLE_H

#include "base/arena.h"
#include "machine/listing.h"
#include "software/find/discover.h"

#include <stdbool.h>
#include <stddef.h>

struct jw_editable {
    const char *path;    /* a folder */
    const char *by;      /* the .pth file that names it, or a file in it */
    const char *package; /* the folder is this package; NULL: packages are in it */
    unsigned depth;      /* as of a jw_root */
};

struct jw_editables {
    struct jw_editable *v;
    size_t n;
    struct jw_listing unread; /* .pth files of which it is not known which folders they name */
};

/* Reads the .pth files of one site-packages folder. A line that begins with "import" counts if it names the
 * finder of an editable install, as setuptools, meson-python, scikit-build-core and editables make it: the
 * absolute paths in that file are taken. Other such lines run code, and are skipped. */
void jw_editables_read(const char *site, struct jw_arena *a, struct jw_editables *out);

#endif
