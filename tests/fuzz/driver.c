#include "base/limits.h"
#include "driver/worker/compiler_code.h"
#include "driver/worker/proto.h"
#include "fuzz.h"

#include <string.h>

/* ---- compiler_code ---- */

/* The same bytes have the same code. */
FUZZ(compiler_code)
{
    struct jw_bytes bytes = {data, size};
    struct jw_source src = jw_source_memory(&bytes);
    FREED(jw_arena) arena = {0};
    uint8_t code[JW_DIGEST];
    uint8_t again[JW_DIGEST];
    struct jw_err err = {0};

    bool ok = jw_compiler_code(&src, &arena, code, &err);

    fuzz_error(ok, &err);
    if (!ok)
        return;
    FUZZ_CHECK(jw_compiler_code(&src, &arena, again, &err));
    FUZZ_CHECK(memcmp(code, again, JW_DIGEST) == 0);
}

/* ---- proto ---- */

/* What was read can be written, and is the same then. */
FUZZ(proto)
{
    struct jw_msg m;
    struct jw_err err = {0};
    FREED(jw_buf) out = JW_BUF(JW_MESSAGE_PREFIX + JW_MAX_RECORD);
    bool ok = jw_proto_get((struct jw_bytes){data, size}, &m, &err);

    fuzz_error(ok, &err);
    if (!ok)
        return;
    jw_proto_put(&out, &m);
    FUZZ_CHECK(!out.bad && out.n == size + JW_MESSAGE_PREFIX
               && memcmp(out.p + JW_MESSAGE_PREFIX, data, size) == 0);
}
