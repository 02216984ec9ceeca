/* Lists and forgets what is remembered of software and commands whose files are not there any more. */
#ifndef PRIME_MEMORY_GONE_H
#define PRIME_MEMORY_GONE_H

#include "cache/memory/warmstate.h"

struct prime_gone {
    const char *command; /* as it was typed; NULL: software that was primed by its path */
    const char *file;    /* the file that is missing; NULL: it is not known any more */
    const char *lost;    /* why it is not known: a sentence */
    bool broken;         /* the file is there, and cannot be read */
};

struct prime_gone_list {
    struct prime_gone *list;
    size_t n;
};

/* Adds folders and files that were primed, commands that were recorded, and packs with entries that are missing in the
 * cache at `cache`; each once. */
void prime_find_gone(const char *cache, const struct jw_warm_state *memory, struct jw_arena *a,
                     struct prime_gone_list *out);

/* Are all files gone in which its modules were found, those in `also` included (or NULL)? False where no module was
 * found in a file. */
bool prime_is_about_gone(const struct jw_warm_receipt *r, const struct prime_gone_list *also);

/* Removes all records of these. Their entries stay in the cache. */
bool prime_forget_gone(struct jw_warm_log *log, const struct prime_gone_list *gone, struct jw_err *err);

#endif
