/* What a driver made of the probe's modules: two builds that call one compiler alike make the same.
 */
#pragma once

#include "driver/probe/probe_set.h"

#include <stdint.h>

/* The architecture, and a digest of the machine code in the entries of the first `n` modules of the
 * set, which a driver of this stamp made for `sm` in this cache: "sm_86 1f0c...". The text lives in
 * `a`; NULL: an entry cannot be read. */
const char *probe_payload(const char *cache, const struct probe_module *set, size_t n,
                          const char *stamp, unsigned sm, struct jw_arena *a);
