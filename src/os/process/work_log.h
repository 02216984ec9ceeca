/* For tests (tests/work): JITWARM_WORK names a file that gets a line from each process. */
#pragma once

/* Appends what this process has done (base/work.h) and its largest memory. Once, at its end. */
void jw_work_log(void);
