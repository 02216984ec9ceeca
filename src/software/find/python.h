/* Pythons that installers registered. */
#ifndef SOFTWARE_FIND_PYTHON_H
#define SOFTWARE_FIND_PYTHON_H

#include "base/arena.h"
#include "machine/listing.h"

/* The prefixes of the Pythons that the py launcher of Windows lists (PEP 514), this user's first, each once; none on
 * Linux. Skips unreadable keys. */
struct jw_listing jw_pythons_registered(struct jw_arena *a);

#endif
