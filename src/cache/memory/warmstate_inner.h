/* The log of one root while it is held, for the files that write it. */
#ifndef CACHE_MEMORY_WARMSTATE_INNER_H
#define CACHE_MEMORY_WARMSTATE_INNER_H

#include "base/buf.h"
#include "cache/memory/warmplace.h"
#include "cache/memory/warmstate.h"
#include "os/files/append.h"

struct jw_warm_log {
    struct jw_arena a;
    struct jw_warm_place p;
    struct jw_append lock, log;
    struct jw_buf record; /* the one that is being added */
    size_t records;       /* in the log */
    bool held;
};

/* A file that is written beside and renamed. */
struct warm_fresh {
    const char *path;
    struct jw_buf temp; /* PATH.new: one that a process left when it died is used again */
    struct jw_append f;
};

bool warm_fresh_open(struct warm_fresh *n, const char *path, struct jw_err *err) JW_MUST;
bool warm_fresh_write(struct warm_fresh *n, struct jw_bytes bytes, struct jw_err *err) JW_MUST;
/* `ok`: what was written is to stay; else it goes. */
bool warm_fresh_close(struct warm_fresh *n, bool lasting, bool ok, struct jw_err *err) JW_MUST;

#endif
