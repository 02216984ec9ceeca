/* The Pythons that their installers have registered, as the py launcher of Windows lists them (PEP 514). */
#ifndef SOFTWARE_FIND_PYTHONS_H
#define SOFTWARE_FIND_PYTHONS_H

#include "machine/listing.h"

/* Their prefixes, this user's before the machine's, none twice; Linux: none. What cannot be read is passed over; false:
 * a limit was met. */
bool jw_pythons_registered(struct jw_arena *a, struct jw_listing *out, struct jw_err *err) JW_MUST;

#endif
