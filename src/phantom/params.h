/* The parameters of a control command, by their position in bytes. */
#pragma once

#include "phantom/phantom.h"

#include <string.h>

/* The layout of every emulated GPU. Drivers only need it to be consistent. */
enum { GPCS = 7, TPCS = 6, SMS_OF_TPC = 2, SMS_OF_GPC = TPCS * SMS_OF_TPC };

static inline uint32_t get32(const struct ph_call *c, size_t at)
{
    uint32_t v;

    memcpy(&v, c->params + at, sizeof v);
    return v;
}

static inline uint64_t get64(const struct ph_call *c, size_t at)
{
    uint64_t v;

    memcpy(&v, c->params + at, sizeof v);
    return v;
}

static inline void put16(const struct ph_call *c, size_t at, uint16_t v)
{
    memcpy(c->params + at, &v, sizeof v);
}

static inline void put32(const struct ph_call *c, size_t at, uint32_t v)
{
    memcpy(c->params + at, &v, sizeof v);
}

static inline void put64(const struct ph_call *c, size_t at, uint64_t v)
{
    memcpy(c->params + at, &v, sizeof v);
}
