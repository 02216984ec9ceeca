/* For tests (tests/work): JITWARM_WORK names a file that gets a line from each process. */
#pragma once

/* Appends what this process has done so far (base/work.h) and its largest memory. To be called
 * once, at its end. */
void jw_work_log(void);
