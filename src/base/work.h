/* The cost of a run, in counts that are the same on every machine and every day: tests hold budgets
 * of them (tests/work). The functions that do the work count it, from any thread. */
#pragma once

#include "base/buf.h"

enum jw_work_counter {
    JW_WORK_FILES_OPENED,
    JW_WORK_FILES_ASKED, /* for size and times, by name */
    JW_WORK_FOLDERS_LISTED,
    JW_WORK_PROCESS_LISTS, /* of those: the system's processes, looked at as often as time passes */
    JW_WORK_READS,         /* of files */
    JW_WORK_BYTES_READ,
    JW_WORK_BYTES_WRITTEN,
    JW_WORK_SYNCS,
    JW_WORK_PROCESSES,       /* started */
    JW_WORK_BYTES_INFLATED,  /* of wheels */
    JW_WORK_MODULES_DECODED, /* entries of containers, unpacked */
    JW_WORK_BYTES_DECODED,
    JW_WORK_BYTES_HASHED, /* digests, not checksums */
    JW_N_WORK
};

void jw_work_add(enum jw_work_counter what, uint64_t n);
uint64_t jw_work_done(enum jw_work_counter what);

/* Appends a line of JSON: an object with each count by its name, and "peak_bytes". */
void jw_work_line(struct jw_buf *out, uint64_t peak);
