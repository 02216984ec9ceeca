/* Names of wheels (NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl), and which of a package's wheels to take. Pure. */
#ifndef SOFTWARE_FETCH_WHEEL_H
#define SOFTWARE_FETCH_WHEEL_H

#include "software/fetch/requirement.h"

#include <stdint.h>

struct jw_wheel {
    const char *file; /* "torch-2.9.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl" */
    const char *name; /* as of jw_package_name */
    const char *version_text;
    struct jw_pyversion version;
    const char *python, *abi, *platform; /* its tags; each may be several with dots between */
    const char *url, *sha256;            /* NULL: not known */
    uint64_t size;                       /* 0: not known */
};

/* False: `file` is no wheel's name. */
bool jw_wheel_parse(const char *file, struct jw_arena *a, struct jw_wheel *out);

/* The systems that wheels are made for. */
struct jw_wheel_system {
    bool windows;
    const char *arch; /* "x86_64", "aarch64" */
    unsigned python;  /* 312: preferred where a package has a wheel for it; 0: none is */
};

/* The tag of Windows: "win_amd64". */
const char *jw_wheel_windows(const struct jw_wheel_system *s);

/* A version that pip has for its Python: no yanked one, and none whose Requires-Python excludes it. It may be a source
 * alone. */
struct jw_offer {
    const char *text;
    struct jw_pyversion version;
};

struct jw_offers {
    struct jw_offer *v;
    size_t n;
};

/* The one that pip would take: the newest, and a pre-release where there is nothing else or it is wanted. NULL: none
 * fits. */
const struct jw_offer *jw_offer_newest(const struct jw_offers *o, const struct jw_requirement *r);

/* The best wheel for a requirement: one of a version that pip offers, else any. The newest version that is no
 * pre-release comes first, then the preferred Python, then the newest one. NULL: none fits. */
const struct jw_wheel *jw_wheel_choose(const struct jw_wheel *list, size_t n, const struct jw_requirement *r,
                                       const struct jw_wheel_system *s, const struct jw_offers *o);

/* One of its tags, the last: "cp38", "cp38", "manylinux2014_x86_64". */
const char *jw_wheel_tag(struct jw_arena *a, const char *tags);

/* The Python of "cp38": 308, of "cp310": 310, of "py3": 300; 0: another tag. */
unsigned jw_wheel_python(const char *tag);

#endif
