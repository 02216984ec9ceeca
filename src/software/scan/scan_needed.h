/* Which of NVIDIA's libraries a program loads when it starts, as files show it. */
#pragma once

#include "base/arena.h"
#include "base/source.h"
#include "jitwarm/scan.h"

/* Fills in the names that this program or library asks the loader for, which live in `a`. Those
 * that another library asks for are not among them. None of a file that is no ELF file, or cannot
 * be read. */
void scan_needed_names(const struct jw_source *src, struct jw_arena *a, struct jw_scan_file *file);

/* The library that the loader finds for one of them (machine/loader.h), links resolved, or NULL. */
const char *scan_needed_path(const char *name, struct jw_arena *a);
