/* Software that chooses the driver's cache itself. */
#ifndef FACTS_CACHE_CHOOSERS_H
#define FACTS_CACHE_CHOOSERS_H

#include "base/arena.h"

/* Why a program uses this cache: " (SGLang sets CUDA_CACHE_PATH where it is not set)"; "": no software is known to. */
const char *jw_cache_chooser_words(const char *cache, struct jw_arena *a);

#endif
