/*
 * The sources of jitwarm.conf: registries, web servers and folders with packs that a publisher or a lab compiled. A prime
 * that would have to compile takes from them first what fits this machine and the software that is here. Packs are
 * trusted by the rules of jitwarm import: a trusted key has signed them. Files for other caches than the driver's never
 * come from a source.
 *
 * A source that does not answer costs at most `answer_ms`, all of them together, and is no error: also a folder on a
 * network file system that hangs. One that hangs later, while a pack is read, is waited for.
 */
#ifndef FLEET_SOURCES_H
#define FLEET_SOURCES_H

#include "cache/memory/source_memory.h"
#include "fleet/pull.h"
#include "jitwarm/prime.h"
#include "session/session.h"

enum { JW_SOURCES_ANSWER_MS = 5000, JW_SOURCES_SILENT_S = 600 };

struct jw_sources_options {
    struct jw_texts paths; /* software; none: software that was primed before or is found here */
    bool as_root;
    unsigned answer_ms;  /* 0: JW_SOURCES_ANSWER_MS */
    unsigned deadline_s; /* of one source that answers; 0: an hour */
    bool hurried;        /* one that was silent within JW_SOURCES_SILENT_S is not asked again */
    void (*progress)(void *ctx, const struct jw_progress *p); /* or NULL */
    void *ctx;
};

/* Asks each source, in the order of the lines, and remembers what it said. False: interrupted, or an internal error. */
bool jw_sources_take(struct jw_session *s, const struct jw_sources_options *o, struct jw_pack_sources *out,
                     struct jw_err *err) JW_MUST;

/* Runs jw_prime; before it compiles anything, it imports what the sources have. `hurried`: as above. `took`
 * is the result, empty if no source was asked; it lives in the arena of the session. */
bool jw_prime_with_sources(struct jw_run *run, struct jw_prime_options *o, bool hurried,
                           struct jw_prime_report *report, struct jw_prime_memory **memory,
                           struct jw_pack_sources *took, struct jw_err *err) JW_MUST;

/* The sources of the configuration with what is remembered of each: for a page, without asking any. */
void jw_sources_known(const struct jw_config *config, struct jw_arena *a, struct jw_pack_sources *out);

#endif
