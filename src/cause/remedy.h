/* What a person can do about a cause, as data. It becomes text once, here, for the shell of the
 * reader; nothing reads that text. */
#pragma once

#include "base/arena.h"
#include "machine/shell.h"

#include <stdbool.h>

enum jw_remedy_kind {
    JW_REMEDY_NOTHING,
    JW_REMEDY_SET,   /* set the variable `what` to `value`; NULL: unset it */
    JW_REMEDY_RUN,   /* run the command `words` */
    JW_REMEDY_PASTE, /* run the line `what`, which any shell takes as it is */
    JW_REMEDY_SAY    /* do `what`: a sentence, or a page to read */
};

enum jw_remedy_where {
    JW_REMEDY_HERE,  /* in this shell */
    JW_REMEDY_HOST,  /* on the host of this container */
    JW_REMEDY_ADMIN, /* as root or an administrator */
    JW_REMEDY_PLACES
};

struct jw_remedy {
    struct jw_arena *a; /* of its texts, while it is made */
    enum jw_remedy_kind kind;
    enum jw_remedy_where where;
    const char *what, *value;
    const char *words[12];   /* of RUN; a NULL follows the last one */
    const char *const *more; /* further words behind these; NULL: none */
    /* of RUN: `words` runs with each of these behind it, too; NULL: with none */
    const char *const *const *then;
    const char *folder;     /* of RUN: where it is run; NULL: anywhere */
    bool instead;           /* of the remedies before it */
    const char *for_good;   /* of SET: the line that sets it for all programs; NULL: none */
    struct jw_remedy *next; /* what has to be done, too; NULL: nothing */
};

/* "export CUDA_CACHE_MAXSIZE=4294967295", "set ...", "$env:...": one line to paste; NULL for
 * NOTHING. Not `whole`: of many words as many as a screen holds. */
const char *jw_remedy_line(const struct jw_remedy *r, enum jw_shell shell, bool whole,
                           struct jw_arena *a);
