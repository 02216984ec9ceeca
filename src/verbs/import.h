/* How import ends, and pull with it. */
#ifndef VERBS_IMPORT_H
#define VERBS_IMPORT_H

#include "base/rows.h"

#define IMPORT_ENDS (~(JW_CAN(LISTED) | JW_CAN(TIME) | JW_CAN(WAITING) | JW_CAN(NOT_PROVEN)))

#endif
