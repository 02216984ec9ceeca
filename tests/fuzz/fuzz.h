/* What the fuzz targets have in common: bytes as a source, a sink that checks and forgets. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/source.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The entry point that libFuzzer and replay.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define FUZZ_CHECK(cond) ((cond) ? (void)0 : abort())

/* A failure comes with a code and a sentence. */
static inline void fuzz_error(bool ok, const struct jw_err *err)
{
    FUZZ_CHECK(ok || (err->code != JW_OK && err->msg[0]));
}

/* Touches every byte, so that one that was never written is seen. */
static inline bool fuzz_put(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    uint64_t *sum = ctx;

    (void)err;
    for (size_t i = 0; i < n; i++)
        *sum += ((const uint8_t *)p)[i];
    return true;
}

#endif
