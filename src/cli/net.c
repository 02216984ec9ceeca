#include "fleet/remote/remote.h"

#include "cli/cli.h"
#include "os/machine/env.h"

bool jw_cli_remote(struct cli *cli, const char *text, const char *cacert, struct jw_ref *ref,
                   struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_texts ignored = { 0 };

    if (!jw_ref_parse(text, cli->arena, ref, err))
        return false;
    *net = (struct jw_remote_options){ .ref = ref,
                                       .cacert = cacert,
                                       .login = jw_env_take(cli->arena, "JITWARM_LOGIN") };
    jw_remote_configure(net, jw_session_config(&cli->session), cli->arena, &ignored);
    for (size_t i = 0; i < ignored.n; i++)
        jw_messages_warn(&cli->messages, "%s", ignored.v[i]);
    return true;
}
