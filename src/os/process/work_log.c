#include "os/process/work_log.h"

#include "base/arena.h"
#include "base/work.h"
#include "os/files/append.h"
#include "os/machine/env.h"
#include "os/machine/memory.h"

void jw_work_log(void)
{
    struct jw_arena arena = { 0 };
    struct jw_append out = JW_APPEND_CLOSED;
    struct jw_buf line = JW_BUF(4096);
    struct jw_err ignored;
    const char *path = jw_env(&arena, "JITWARM_WORK");

    if (path) {
        jw_work_line(&line, jw_memory_peak());
        if (jw_append_open(&out, path, &ignored))
            (void)!jw_append_write(&out, line.p, line.n, &ignored);
        jw_append_close(&out);
    }
    jw_buf_free(&line);
    jw_arena_free(&arena);
}
