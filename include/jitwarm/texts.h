/* A list of texts, as an option that may be repeated has it: there NULL ends it. */
#ifndef JITWARM_TEXTS_H
#define JITWARM_TEXTS_H

#include <stddef.h>

struct jw_texts {
    const char **items;
    size_t n;
};

#endif
