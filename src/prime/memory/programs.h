/*
 * Finds program files below a folder: modules of Python (*.py) and what shells source (*.sh). A folder that has more
 * names than a person writes (data), that is hidden, or that a package manager made (a virtual environment, site-
 * packages, node_modules, __pycache__) is not entered.
 */
#ifndef PRIME_MEMORY_PROGRAMS_H
#define PRIME_MEMORY_PROGRAMS_H

#include "software/scan/scan_code.h"

/* Tells by the name alone whether a file is one. */
bool prime_is_program(const char *name);

/* Lists them, and the folders that were entered. Ends after about `max` names. */
bool prime_programs_find(const char *folder, unsigned depth, uint64_t max, struct jw_arena *a,
                         struct scan_code *out, struct jw_err *err) JW_MUST;

#endif
