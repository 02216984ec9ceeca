#include "verbs/emulated.h"

#include "driver/files/driver_files.h"

int jw_run_emulated(struct cli *cli, bool paths)
{
    struct jw_driver_files files;
    struct jw_err err = {0};
    int code;

    if (!cli->shared.gpus.n)
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                             "--driver-files: name the GPUs, as in --gpu sm_86 --gpu sm_89");
    if (!paths)
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "--driver-files: name the files to compile");
    if (!jw_driver_files_ready(cli->shared.driver_files, cli->arena, &files, &err))
        return jw_cli_fail(cli, &err);
    files.login = cli->login;
    const char *licence = files.licence ? files.licence : "";

    jw_messages_say(&cli->messages,
                    "Compiling without a GPU, with NVIDIA's driver %s in %s; NVIDIA's licence "
                    "applies to it%s%s",
                    files.version, files.from, files.licence ? ": " : "", licence);
    if (!jw_driver_files_run(&files, cli->argv, cli->session.interrupted, cli->arena, &code, &err))
        return jw_cli_fail(cli, &err);
    return code;
}

bool jw_is_emulated(struct cli *cli) { return jw_driver_files_cache(cli->arena) != NULL; }

void jw_emulated_begin(struct cli *cli)
{
    cli->session.absent_gpus = true;
    cli->session.cache = jw_driver_files_cache(cli->arena);
}
