/* A command on our console and our standard streams, which ends with us. For exec_windows.c and attend_windows.c. */
#ifndef OS_PROCESS_COMMAND_WINDOWS_H
#define OS_PROCESS_COMMAND_WINDOWS_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>
#include <wchar.h>

/* argv[0] is looked for in PATH when it has no separator in it. `environment` NULL: ours. False: `*exit_code` is what a
 * shell would say, where that is known. */
bool jw_command_run(const char *const argv[], wchar_t *environment, int *exit_code,
                    struct jw_err *err) JW_MUST;

#endif
