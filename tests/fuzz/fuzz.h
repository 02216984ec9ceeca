/* What the fuzz targets have in common: how one is written, what must hold, a sink that checks and
 * forgets. */
#pragma once

#include "../rigs/freed.h"
#include "base/source.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FUZZ(ar) { ... } feeds data[0..size) to one parser; targets.def lists them. */
#define FUZZ(name) void fuzz_##name(const uint8_t *data, size_t size)
#define TARGET(file, name) FUZZ(name);
#include "targets.def"
#undef TARGET

typedef void fuzz_feed(const uint8_t *data, size_t size);
fuzz_feed *fuzz_target(const char *name); /* NULL: there is none of this name */

/* What must hold whatever the input is. */
#define FUZZ_CHECK(cond)                                                                           \
    ((cond) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond), abort()))

/* A failure comes with a code and a sentence. */
static inline void fuzz_error(bool ok, const struct jw_err *err)
{
    FUZZ_CHECK(ok || (err->code != JW_OK && err->msg[0]));
}

static inline bool fuzz_same(struct jw_bytes a, struct jw_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
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
