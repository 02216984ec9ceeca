/* Reads the metadata of installed Python packages. Opens no files. Names and versions point into the given text. They
 * are checked: only ASCII letters, digits and . _ - + !, at most JW_MAX_PY_NAME bytes. */
#ifndef SOFTWARE_FIND_PYINFO_H
#define SOFTWARE_FIND_PYINFO_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

struct jw_pyname {
    struct jw_bytes name, version; /* version may be empty */
};

/* "site-packages", "dist-packages" */
bool jw_pyinfo_is_site(const char *base);

/* METADATA or PKG-INFO: "Name:" and "Version:" of its header. */
bool jw_pyinfo_metadata(struct jw_bytes text, struct jw_pyname *out, struct jw_err *err) JW_MUST;

/* "torch-2.1.0+cu118.dist-info", "six-1.16.0-py3.8.egg-info", "x.egg-info"; false: no such name. */
bool jw_pyinfo_folder(const char *base, struct jw_pyname *out);

/* "torch-2.1.0-1-cp310-cp310-linux_x86_64.whl"; false: no wheel's name. */
bool jw_pyinfo_wheel(const char *base, struct jw_pyname *out);

/* Reads the path of the next row of a RECORD (CSV: path, digest, size; quoting as in RFC 4180) into `path`. `*more` is
 * false at the end. An unclosed quote or a long path is JW_E_FORMAT. */
bool jw_pyinfo_record(struct jw_reader *r, struct jw_buf *path, bool *more, struct jw_err *err) JW_MUST;

/* The next line without its end; false when there is none. */
bool jw_pyinfo_line(struct jw_reader *r, struct jw_bytes *line);

/* Short printable ASCII without blanks: valid names and versions of conda. */
bool jw_pyname_safe(const char *text);

/* Compares names by PEP 503: case, and the kind and number of . _ -, do not matter. */
bool jw_pyname_equal(const char *a, const char *b);
bool jw_pyname_starts(const char *name, const char *prefix);

#endif
