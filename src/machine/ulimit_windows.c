#include "machine/ulimit.h"

struct jw_ulimit jw_ulimit_too_low(void) { return (struct jw_ulimit){JW_ULIMIT_NONE}; }
