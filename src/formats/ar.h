/* Reads static libraries (ar): GNU and Windows .lib. */
#ifndef FORMATS_AR_H
#define FORMATS_AR_H

#include "base/arena.h"
#include "base/source.h"

struct jw_ar {
    const struct jw_source *src;
    struct jw_arena *arena;
    uint64_t next;
    struct jw_bytes names; /* the table of long names */
    size_t seen;
};

struct jw_ar_member {
    const char *name;
    uint64_t at, size;
};

bool jw_ar_magic(struct jw_bytes head);
struct jw_ar jw_ar_open(const struct jw_source *src, struct jw_arena *a); /* with that magic */

/* The next member that is not a symbol table or name table; `*more` false at the end. */
bool jw_ar_next(struct jw_ar *ar, struct jw_ar_member *m, bool *more, struct jw_err *err) JW_MUST;

#endif
