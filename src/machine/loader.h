/* Where a program that is started here would find a library, as files show it: nothing is loaded.
 * On Windows it finds none. */
#pragma once

#include "base/arena.h"

/* The first file of this name that the loader takes: in the folders of `list` (LD_LIBRARY_PATH;
 * NULL or "": none), then in its cache (/etc/ld.so.cache), then in the system's folders; both of
 * these lie below JITWARM_SYSROOT. It passes over a library of another processor, and over a file
 * or folder that is closed to this user; `or_closed`: the first of these, if it takes none. NULL:
 * none. A program's own search path (RUNPATH), and folders for better processors (glibc-hwcaps), in
 * which no driver is installed, are not looked at. */
const char *jw_loader_takes(const char *library, const char *list, bool or_closed,
                            struct jw_arena *a);
