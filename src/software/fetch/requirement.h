/*
 * A package that a person wants of an index: "torch==2.9.1", as pip writes it (PEP 508). Pure. Any other text is
 * refused here, so that nothing of it reaches a command line.
 */
#ifndef SOFTWARE_FETCH_REQUIREMENT_H
#define SOFTWARE_FETCH_REQUIREMENT_H

#include "base/arena.h"
#include "base/compiler.h"
#include "software/fetch/pyversion.h"

#include <stdbool.h>
#include <stddef.h>

enum { JW_REQUIREMENT_SPECS = 8 };

struct jw_requirement {
    const char *name; /* lower case, words joined by '-': "onnxruntime-gpu" */
    const char *text; /* "onnxruntime-gpu==1.23", for messages */
    struct jw_pyspec specs[JW_REQUIREMENT_SPECS];
    unsigned n;
    bool pre; /* a pre-release is as good as a release: a version of it is one, or --pre was given */
};

/* Tells whether it is meant as a package and not as a path: a name, and what limits its version. It may still be invalid. */
bool jw_requirement_is_meant(const char *text);

/* A name that a package may have and no file with an ending: "jax-cuda12-plugin". */
bool jw_requirement_is_bare(const char *text);

/* `line`: of a file, where an extra ("[cuda]") and a condition ("; sys_platform ...") may follow, which limit nothing here,
 * and the version may be missing. */
bool jw_requirement_parse(const char *text, bool line, struct jw_arena *a, struct jw_requirement *out,
                          struct jw_err *err) JW_MUST;

/* One version of a package. False: no name or no version. */
bool jw_requirement_exact(const char *name, const char *version, struct jw_arena *a,
                          struct jw_requirement *out, struct jw_err *err) JW_MUST;

bool jw_requirement_allows(const struct jw_requirement *r, const struct jw_pyversion *v);

/* The name of a package as an index spells it; NULL: `n` bytes that are no name. */
const char *jw_package_name(struct jw_arena *a, const char *text, size_t n);

#endif
