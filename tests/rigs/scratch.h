/* A folder of the test's own, emptied at the start, and small helpers that fail the test
 * themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* JW_TEST_SCRATCH, or a folder of that name in JW_TEST_MEMORY; NULL: ctest set none. */
const char *scratch_root(void);
void scratch_begin(void); /* once, first in main */
const char *scratch(
    const char *name); /* its path below the folder; good for the next fifteen calls */
void scratch_write(const char *path, const char *text);

/* The same of a path below the scratch folder, with the folders above it. */
void scratch_put(const char *name, const char *text);
void scratch_holds(const char *path, const char *text); /* checks it */
void scratch_empty(const char *folder);                 /* with all below */
size_t scratch_count(const char *folder);               /* names in it */
bool scratch_there(const char *path);
