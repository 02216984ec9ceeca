/* Which cache a running process uses, by its environment as the driver reads it. */
#ifndef DRIVER_WITNESS_SETTINGS_H
#define DRIVER_WITNESS_SETTINGS_H

#include "base/arena.h"
#include "jitwarm/witness.h"

/* `maps`: the text of its file maps. False: its memory cannot be read, and nothing is changed. */
bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_process_settings *out);
struct jw_process_settings jw_settings_copy(const struct jw_process_settings *s, struct jw_arena *a);

bool jw_settings_same(const struct jw_process_settings *a, const struct jw_process_settings *b);

/* The folder of its cache, links resolved; NULL: it has none, or it is not known. */
const char *jw_settings_cache(const struct jw_process_settings *s, struct jw_arena *a);

/* The setting by which the driver keeps nothing for it: "CUDA_CACHE_DISABLE=1"; NULL: there is none. */
const char *jw_settings_no_cache(const struct jw_process_settings *s, struct jw_arena *a);

/* The limit by which it may keep a part alone: a module that is larger is never cached; NULL: there is none. */
const char *jw_settings_small_cache(const struct jw_process_settings *s, struct jw_arena *a);

#endif
