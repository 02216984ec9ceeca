/* What os/files/disk.c asks of the system. */
#ifndef OS_FILES_DISK_SYS_H
#define OS_FILES_DISK_SYS_H

#include "os/files/disk.h"

/* Of a path that exists, all but the volume, which is there already. */
bool jw_disk_ask(const char *path, struct jw_disk *out, struct jw_err *err) JW_MUST;

#endif
