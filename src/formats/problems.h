/* What is wrong inside a file that could be read all the same: a few sentences, and the number of further
 * ones. */
#ifndef FORMATS_PROBLEMS_H
#define FORMATS_PROBLEMS_H

#include "base/arena.h"
#include "base/limits.h"
#include "jitwarm/err.h"

struct jw_problems {
    struct jw_arena *arena; /* the sentences live there */
    const char *prefix;     /* NULL, or what comes before each: the member of an archive */
    const char *text[JW_MAX_PROBLEMS];
    size_t n;
    size_t more; /* not kept */
};

void jw_problem(struct jw_problems *p, const char *fmt, ...) JW_PRINTF(2, 3);

#endif
