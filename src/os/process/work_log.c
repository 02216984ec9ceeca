#include "os/process/work_log.h"

#include "base/arena.h"
#include "base/work.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "os/machine/memory.h"

enum { PATIENCE_MS = 1000 }; /* workers end at the same time */

void jw_work_log(void)
{
    struct jw_arena arena = { 0 };
    struct jw_file out = JW_FILE_CLOSED;
    struct jw_file_info info;
    bool taken;
    struct jw_buf line = JW_BUF(4096);
    struct jw_err ignored;
    const char *path = jw_env(&arena, "JITWARM_WORK");

    if (path) {
        jw_work_line(&line, jw_memory_peak());
        (void)!(jw_file_make(&out, path, &ignored)
                && jw_filelock_take(out.handle, JW_LOCK_WRITE, PATIENCE_MS, &taken, &ignored)
                && jw_file_info(&out, &info, &ignored)
                && jw_file_write(&out, info.size, line.p, line.n, &ignored));
        jw_file_close(&out);
    }
    jw_buf_free(&line);
    jw_arena_free(&arena);
}
