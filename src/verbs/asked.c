#include "verbs/asked.h"

#include "cli/cli.h"

#include <string.h>

bool jw_asked_remote(struct cli *cli, const char *text, struct jw_remote_options *net,
                     struct jw_err *err)
{
    struct jw_ref *ref = jw_arena_alloc(cli->arena, sizeof *ref);
    const struct jw_config *config;

    *net = (struct jw_remote_options){0};
    if (text && strcmp(text, "-") == 0)
        return jw_fail(
            err, JW_E_USAGE,
            "-: a pack is a file: write it (export -o FILE.tar.zst), copy it, and import that");
    if (!text || !jw_ref_is_remote(text))
        return true;
    if (!jw_ref_parse(text, cli->arena, ref, err))
        return false;
    config = jw_session_config(&cli->session);
    net->ref = ref;
    net->login = cli->login;
    jw_remote_configure(net, config, cli->arena,
                        &cli->session.config->warnings); /* jw_cli_close says them */
    return true;
}
