/* Between kit_start.c, which follows the starts of a command, and kit_answer.c, which says what they did. */
#ifndef PACK_KIT_KIT_STARTS_H
#define PACK_KIT_KIT_STARTS_H

#include "pack/kit/kit.h"

struct kit_used {
    const char *path;         /* no part of it is a link */
    struct jw_file_info info; /* before the last start; of what that made, as it is now */
    uint8_t digest[JW_DIGEST];
    bool compared; /* the digest is known */
    bool recorded; /* its record has it; */
    bool mark;     /* as one of which programs only ask */
    bool was;      /* it stood here before the last start; */
    bool earlier;  /* and one before that made it */
    bool waits;    /* for a further start: one that was recorded alone made it, in a cache of no known name */
    /* by the last start: */
    bool made, held; /* it is new, or was written; it was there, was opened, and has the same bytes */
    bool asked;      /* that it is there was asked, and no more; of one that is recorded so: it is there */
    bool database;   /* used, and one of these */
    struct jw_kit_top *top; /* the cache whose entry it becomes */
};

struct jw_kit_starts {
    struct jw_arena *a;
    const struct jw_kit_command *of;
    struct jw_listings *packages;
    struct jw_kit_record then;
    struct jw_err why; /* it could not be read, or these are too many files */
    struct jw_kit_tops *tops;
    struct jw_kit_skip skip;
    const struct jw_traced *by; /* the last one */
    unsigned n_starts;
    struct kit_used *files; /* by path */
    size_t n;
};

const struct kit_used *kit_used_find(const struct jw_kit_starts *s, const char *path);
bool kit_is_of_interest(const struct jw_kit_starts *s, const char *path);

#endif
