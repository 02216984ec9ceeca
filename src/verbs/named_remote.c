#include "verbs/prime_parts.h"

#include "cli/cli.h"
#include "machine/listing.h"
#include "os/machine/env.h"

bool jw_named_remote(struct cli *cli, const char *text, struct jw_ref *ref, struct jw_remote_options *net,
                     struct jw_err *err)
{
    const struct jw_config *config = jw_session_config(&cli->session);
    const char *cacert = cli->shared.cacert;

    if (!jw_ref_parse(text, cli->arena, ref, err))
        return false;
    if (cacert && jw_is_absent(cacert))
        return jw_fail(err, JW_E_USAGE, "--cacert: %.250s: no such file", cacert);
    *net = (struct jw_remote_options){ .ref = ref,
                                       .cacert = cacert,
                                       .login = jw_env_take(cli->arena, "JITWARM_LOGIN") };
    jw_remote_configure(net, config, cli->arena, &cli->session.config->warnings); /* jw_cli_close says them */
    return true;
}
