/* What Linux writes into the files of /proc and of cgroups. Text in, numbers out; no files. */
#ifndef OS_MACHINE_PROCFS_H
#define OS_MACHINE_PROCFS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of a line "NAME:   123 kB" (in bytes then) or "NAME 123". */
bool jw_procfs_number(const char *text, const char *name, uint64_t *out);

/* avg10 of the line "some avg10=0.12 avg60=...", in hundredths of a percent. */
bool jw_procfs_pressure(const char *text, unsigned *out);

/* From /proc/PID/stat: the letter of its state, and when it began, in ticks since the system started. */
bool jw_procfs_stat(const char *text, char *state, uint64_t *began);

/* From /proc/self/mountinfo: the type of the file system with this device number, appended: "ext4", "fuse.sshfs". */
bool jw_procfs_mount_type(const char *text, unsigned major, unsigned minor, struct jw_buf *type);

/*
 * The start of a file that the kernel makes up, as text. Not jw_file_slurp: these are asked often, they tell no
 * size, and one that cannot be read is an answer of its own, on which no fault point must be spent. errno says why.
 */
bool jw_procfs_read(const char *path, char *text, size_t room);

#endif
