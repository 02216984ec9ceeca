/* Versions of Python packages and what a requirement allows of them (PEP 440). */
#ifndef SOFTWARE_FETCH_PYVERSION_H
#define SOFTWARE_FETCH_PYVERSION_H

#include <stdbool.h>
#include <stdint.h>

enum { JW_PYVERSION_PARTS = 8, JW_PYVERSION_TEXT = 64 };

/* "1!2.3.1rc2.post1.dev4+cu118" */
struct jw_pyversion {
    uint32_t epoch, release[JW_PYVERSION_PARTS];
    unsigned parts;
    char pre; /* 'a', 'b', 'r' (rc); 0: none */
    bool has_post, has_dev;
    uint32_t pre_n, post, dev;
    char local[JW_PYVERSION_TEXT]; /* "cu118", lower case, with dots between its parts; "" none */
};

/* False: this is no version, or one with more or larger numbers than any package has. */
bool jw_pyversion_parse(const char *text, struct jw_pyversion *out);

/* Below 0, 0, above 0. */
int jw_pyversion_compare(const struct jw_pyversion *a, const struct jw_pyversion *b);

bool jw_pyversion_is_pre(const struct jw_pyversion *v); /* a pre-release or a build of development */

enum jw_pyspec_op {
    JW_PY_EQUAL,
    JW_PY_PREFIX, /* ==2.3.* */
    JW_PY_NOT,
    JW_PY_NOT_PREFIX, /* !=2.3.* */
    JW_PY_COMPATIBLE, /* ~=2.3 */
    JW_PY_AT_LEAST,
    JW_PY_AT_MOST,
    JW_PY_ABOVE,
    JW_PY_BELOW
};

struct jw_pyspec {
    enum jw_pyspec_op op;
    struct jw_pyversion version;
};

/* A version with a tag of its own (+cu118) is the version without it, unless the requirement has one, too. */
bool jw_pyspec_allows(const struct jw_pyspec *s, const struct jw_pyversion *v);

#endif
