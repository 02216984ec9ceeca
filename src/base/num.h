/* Arithmetic on numbers that a file or a user gave: false on overflow, never a wrapped result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool jw_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    *product = a * b;
    return a == 0 || *product / a == b;
}

/* [off, off + len) lies inside [0, size). */
static inline bool jw_within(uint64_t off, uint64_t len, uint64_t size)
{
    return off <= size && len <= size - off;
}

static inline uint64_t jw_align(uint64_t v, uint64_t to) { return (v + (to - 1)) / to * to; }

static inline uint64_t jw_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

static inline uint64_t jw_max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What jitwarm leaves free of a disk or of a cache's limit: an eighth, at most 64 MiB. */
static inline uint64_t jw_spare(uint64_t total) { return jw_min(total / 8, (uint64_t)64 << 20); }
