#include "base/limits.h"
#include "driver/worker/proto.h"
#include "fuzz.h"

#include <string.h>

/* ---- proto ---- */

/* What was read can be written, and is the same then. */
FUZZ(proto)
{
    struct jw_msg m;
    struct jw_err err = { 0 };
    FREED(jw_buf) out = JW_BUF(JW_MESSAGE_PREFIX + JW_MAX_RECORD);
    bool ok = jw_proto_get((struct jw_bytes){ data, size }, &m, &err);

    fuzz_error(ok, &err);
    if (!ok)
        return;
    jw_proto_put(&out, &m);
    FUZZ_CHECK(!out.bad && out.n == size + JW_MESSAGE_PREFIX
               && memcmp(out.p + JW_MESSAGE_PREFIX, data, size) == 0);
}
