/* What is this user's alone, whatever the folder that it lies in says. */
#ifndef OS_FILES_OWN_H
#define OS_FILES_OWN_H

#include "base/compiler.h"
#include "jitwarm/err.h"

#include <stdbool.h>

/* A file: mode 0600; Windows: a list of rights that has this user alone, and takes none from its folder. A file system that keeps
 * no rights leaves it as it is. The error does not name the file. */
bool jw_own_file(const char *path, struct jw_err *err) JW_MUST;

#endif
