/* A remote that a person names, which several verbs take, read in one way. */
#pragma once

#include "fleet/remote/remote.h"

struct cli;

/* How to reach the registry `text`; `net->ref` NULL: it names none. "-" is a usage error. */
bool jw_asked_remote(struct cli *cli, const char *text, struct jw_remote_options *net,
                     struct jw_err *err) JW_MUST;
