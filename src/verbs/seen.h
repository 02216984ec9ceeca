/* What a start of a command did, in a report: prime --run and verify --run. */
#ifndef VERBS_SEEN_H
#define VERBS_SEEN_H

#include "cli/report.h"
#include "prime/watch.h"

/* In JSON "command": { ... }. */
void jw_show_seen(struct rep *r, const struct jw_command_seen *s);

#endif
