/* GPUs that are not here: this machine's driver compiles for them, too, into a cache of its own. */
#ifndef PRIME_ABSENT_GPUS_H
#define PRIME_ABSENT_GPUS_H

#include "jitwarm/texts.h"
#include "session/session.h"

/* Moves the absent GPUs that --gpu names from `gpus`. Without a driver all stay. */
bool jw_absent_gpus_split(struct jw_session *s, struct jw_texts *gpus, struct jw_texts *absent,
                          struct jw_arena *a, struct jw_err *err) JW_MUST;

/* Returns the folder of the cache for absent GPUs; NULL: the system names no folder for it. */
const char *jw_absent_gpus_cache(struct jw_arena *a, struct jw_err *err);
const char *jw_absent_gpus_kept(struct jw_arena *a); /* the same; NULL: nothing is there */

#endif
