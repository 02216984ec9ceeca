/*
 * Finds the programs that the words of a command start by PATH: that of the first word; the one behind env, nice,
 * timeout and the like; and the one that the first line of a script has env find ("#!/usr/bin/env python3"). With
 * another PATH, as of another environment, the same words start another program.
 */
#ifndef PRIME_MEMORY_STARTED_H
#define PRIME_MEMORY_STARTED_H

#include "base/arena.h"
#include "cache/format/warmlog.h"

#include <stdbool.h>
#include <stddef.h>

/* Finds the programs; their paths are the answers. */
void prime_started_find(const char *const *words, struct jw_arena *a, struct jw_warm_answer **out,
                        size_t *n_out);

/* Is this answer of a record one about these programs? */
bool prime_is_of_started(const struct jw_warm_answer *answer);

/* Returns which of the programs PATH finds elsewhere now: a sentence; NULL: none. A program that it finds nowhere is not
 * started. */
const char *prime_started_change(const struct jw_warm_loads *then, struct jw_arena *a);

#endif
