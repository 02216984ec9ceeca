/* installer (hidden): what the installer of Windows cannot do by itself. */
#include "base/path.h"
#include "cli/cli.h"
#include "setup/setup.h"

#include <string.h>

static int run(struct cli *cli, const void *p)
{
    const struct jw_texts *words = p;
    bool add = strcmp(words->v[0], "path") == 0;
    struct jw_buf self = JW_BUF_IN(cli->arena, JW_MAX_PATH);
    struct jw_err err = {0};

    return jw_process_self(&self, &err)
                   && jw_env_path_change(cli->shared.system,
                                         jw_path_dir(cli->arena, jw_buf_cstr(&self)), add,
                                         cli->arena, &err)
               ? EXIT_DONE
               : jw_cli_fail(cli, &err);
}

const struct cmd jw_cmd_installer = {
    .name = "installer",
    .summary = "add or remove this program's folder in PATH",
    .synopsis_args = "path|no-path",
    .order = "system" JW_OF_ALL,
    .args_size = sizeof(struct jw_texts),
    .min_pos = 1,
    .max_pos = 1,
    .pos_choices = "path no-path",
    .hidden = true,
    .run = run,
};
