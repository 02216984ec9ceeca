#include "base/work.h"

#include <stdatomic.h>

static atomic_ullong done[JW_N_WORK];

static const char *const names[JW_N_WORK] = {
    [JW_WORK_FILES_OPENED] = "files_opened",
    [JW_WORK_FILES_ASKED] = "files_asked",
    [JW_WORK_FOLDERS_LISTED] = "folders_listed",
    [JW_WORK_PROCESS_LISTS] = "process_lists",
    [JW_WORK_READS] = "reads",
    [JW_WORK_BYTES_READ] = "bytes_read",
    [JW_WORK_BYTES_WRITTEN] = "bytes_written",
    [JW_WORK_SYNCS] = "syncs",
    [JW_WORK_PROCESSES] = "processes",
    [JW_WORK_BYTES_INFLATED] = "bytes_inflated",
    [JW_WORK_MODULES_DECODED] = "modules_decoded",
    [JW_WORK_BYTES_DECODED] = "bytes_decoded",
    [JW_WORK_BYTES_HASHED] = "bytes_hashed",
};
JW_ROW_FOR_EACH(names, JW_N_WORK, 13);

void jw_work_add(enum jw_work_counter what, uint64_t n)
{
    (void)atomic_fetch_add_explicit(&done[what], n, memory_order_relaxed);
}

uint64_t jw_work_done(enum jw_work_counter what)
{
    return atomic_load_explicit(&done[what], memory_order_relaxed);
}

void jw_work_line(struct jw_buf *out, uint64_t peak)
{
    for (int i = 0; i < JW_N_WORK; i++)
        jw_buf_printf(out, "%s\"%s\": %llu", i ? ", " : "{", names[i],
                      (unsigned long long)jw_work_done((enum jw_work_counter)i));
    jw_buf_printf(out, ", \"peak_bytes\": %llu}\n", (unsigned long long)peak);
}
