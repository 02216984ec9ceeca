/* What a person can do about a cause, as data. It becomes text once, here, for the shell of the reader; nothing reads that text. */
#ifndef CAUSE_REMEDY_H
#define CAUSE_REMEDY_H

#include "base/arena.h"
#include "machine/shell.h"

#include <stdint.h>

enum jw_remedy_kind {
    JW_REMEDY_NOTHING,
    JW_REMEDY_SET,   /* set the variable `what` to `value` */
    JW_REMEDY_UNSET, /* unset the variable `what` */
    JW_REMEDY_RUN,   /* run the command `words` */
    JW_REMEDY_PASTE, /* run the line `what`, which any shell takes as it is */
    JW_REMEDY_SAY    /* do `what`: a sentence, or a page to read */
};

enum jw_remedy_where {
    JW_REMEDY_HERE, /* in this shell */
    JW_REMEDY_HOST, /* on the host of this container */
    JW_REMEDY_ADMIN /* as root or an administrator */
};

struct jw_remedy {
    enum jw_remedy_kind kind;
    enum jw_remedy_where where;
    const char *what, *value;
    const char *words[12];   /* of RUN; a NULL follows the last one */
    const char *const *more; /* further words behind these; NULL: none */
};

/* "export CUDA_CACHE_MAXSIZE=4294967295", "set -gx ...", "set ...", "$env:...": one line to paste; NULL for NOTHING. Not
 * `whole`: of many words as many as a screen holds. */
const char *jw_remedy_line(const struct jw_remedy *r, enum jw_shell shell, bool whole, struct jw_arena *a);

/* The one recommendation, for a cache of so many bytes: a power of two with a quarter to spare, at most what a driver takes, and never below
 * the default of this driver (NULL: that of current ones), or what `max_size`, the value in force, was meant to be ("4G"; NULL: none is set).
 * 0: no cache may hold that much. */
uint64_t jw_cache_limit_for(uint64_t bytes, const char *max_size, const char *driver);

#endif
