/*
 * How the last prime in the background went that no journal knows: the one that a package's script started
 * (prime --post-install). The file background-memory in the state folder has one checked record (base/fields.h):
 *
 *   47 BACKGROUND   i64 began   i64 ended   u64 code   text said
 */
#ifndef CACHE_MEMORY_BACKGROUND_MEMORY_H
#define CACHE_MEMORY_BACKGROUND_MEMORY_H

#include "base/arena.h"
#include "base/rows.h"

#include <stdbool.h>
#include <stdint.h>

struct jw_background {
    int64_t began;          /* Unix seconds; 0: there was none */
    int64_t ended;          /* 0: not yet, or it was killed */
    uint64_t code;          /* its exit code */
    const char *first_line; /* the first line of its report; "" before its end */
};

/* Nothing (`began` 0) where there is none, or it cannot be read. */
void jw_background_load(struct jw_arena *a, struct jw_background *out);

/* Ignores failures: then status knows less. */
void jw_background_keep(const struct jw_background *run, struct jw_arena *a);

extern const struct jw_row jw_background_rows[];

#endif
