/* The registered Pythons of Windows, as the py launcher lists them (PEP 514). */
#ifndef SOFTWARE_FIND_PYTHONS_H
#define SOFTWARE_FIND_PYTHONS_H

#include "machine/listing.h"

/*
 * Returns their prefixes, this user's first, each once; none on Linux. Skips unreadable keys. False: a limit was
 * exceeded.
 */
bool jw_pythons_registered(struct jw_arena *a, struct jw_listing *out, struct jw_err *err) JW_MUST;

#endif
