/* What push, pull and import of a registry share: how the remote is reached. */
#ifndef CLI_NET_H
#define CLI_NET_H

#include "cli/cli.h"
#include "fleet/remote/remote.h"

/* A reference that the user typed, and how to reach it: JITWARM_LOGIN, and jitwarm.conf. `cacert`: of --cacert, or NULL. */
bool jw_cli_remote(struct cli *cli, const char *text, const char *cacert, struct jw_ref *ref,
                   struct jw_remote_options *net, struct jw_err *err) JW_MUST;

#endif
