#ifndef OS_MACHINE_PROCFS_POSIX_H
#define OS_MACHINE_PROCFS_POSIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The start of a file that the kernel makes up, as text. Not jw_file_slurp: these are asked often, they tell no
 * size, and one that cannot be read is an answer of its own, on which no fault point must be spent. errno says why.
 */
bool jw_procfs_read(const char *path, char *text, size_t room);

#endif
