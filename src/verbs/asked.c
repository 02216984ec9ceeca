#include "verbs/asked.h"

#include "cli/cli.h"
#include "facts/gpus.h"
#include "os/machine/env.h"

struct jw_asked_gpus jw_asked_gpus(const struct cli *cli)
{
    const struct jw_texts *texts = &cli->shared.gpus;
    struct jw_asked_gpu *v = jw_arena_alloc(cli->arena, (texts->n + 1) * sizeof *v);

    for (size_t i = 0; i < texts->n; i++) {
        struct jw_gpu gpu;
        struct jw_err why = { 0 };
        bool means = jw_gpu_parse(texts->v[i], &gpu, &why);

        v[i] = (struct jw_asked_gpu){ .text = texts->v[i],
                                      .sm = means ? gpu.sm : 0,
                                      .why = means ? NULL : jw_arena_str(cli->arena, why.msg) };
    }
    return (struct jw_asked_gpus){ v, texts->n };
}

bool jw_asked_remote(struct cli *cli, const char *text, struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_ref *ref = jw_arena_alloc(cli->arena, sizeof *ref);
    const struct jw_config *config;

    *net = (struct jw_remote_options){ 0 };
    if (!text || !jw_ref_is_remote(text))
        return true;
    if (!jw_ref_parse(text, cli->arena, ref, err))
        return false;
    config = jw_session_config(&cli->session);
    net->ref = ref;
    net->login = jw_env_take(cli->arena, "JITWARM_LOGIN");
    jw_remote_configure(net, config, cli->arena, &cli->session.config->warnings); /* jw_cli_close says them */
    return true;
}
