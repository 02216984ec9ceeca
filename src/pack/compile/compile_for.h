/* The value of compile's --for: "driver=DRIVER,sm=86,sm=sm_89". JW_E_USAGE for anything else. */
#ifndef PACK_COMPILE_COMPILE_FOR_H
#define PACK_COMPILE_COMPILE_FOR_H

#include "base/arena.h"
#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JW_COMPILE_MOST_GPUS = 32 };

struct jw_compile_target {
    const char *driver; /* in `a`, or NULL */
    uint16_t sms[JW_COMPILE_MOST_GPUS];
    size_t n_sms;
};

bool jw_compile_target(const char *text, struct jw_arena *a, struct jw_compile_target *out,
                       struct jw_err *err) JW_MUST;

/* One driver build and one GPU. The driver is a stamp as jitwarm doctor --probe --json prints it; it may have a blank
 * before the time. */
bool jw_compile_build(const char *text, struct jw_arena *a, const char **stamp, uint16_t *sm,
                      struct jw_err *err) JW_MUST;

#endif
