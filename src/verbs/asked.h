/* What a person names by options and words that several verbs take, each read in one way: GPUs, and a remote. */
#ifndef VERBS_ASKED_H
#define VERBS_ASKED_H

#include "fleet/remote/remote.h"
#include "prime/want.h"

struct cli;

/* The values of --gpu, each read once. What one means only here, the driver is asked later (prime/want.h). */
struct jw_asked_gpus jw_asked_gpus(const struct cli *cli);

/* How to reach the registry that the user named: JITWARM_LOGIN and jitwarm.conf. `net->ref` is NULL where `text`, or NULL, names none. */
bool jw_asked_remote(struct cli *cli, const char *text, struct jw_remote_options *net,
                     struct jw_err *err) JW_MUST;

#endif
