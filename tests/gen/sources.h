/* Sources of bytes that misbehave, or that no disk could hold. */
#pragma once

#include "base/source.h"

/* Zeros of any size with pieces laid over them. */
struct gen_sparse {
    uint64_t size;
    struct {
        uint64_t at;
        struct jw_bytes data;
    } piece[8];
    size_t n;
    unsigned long fail_at; /* this read fails, counted from 1; 0: none does */
    uint64_t shrunk;       /* not 0: the file ends here, although its size was told to be more */
    unsigned long reads;   /* counted */
    uint64_t bytes;
    uint64_t prefetched; /* bytes that were announced */
};

/* Borrows `s`. */
struct jw_source gen_source(struct gen_sparse *s);
