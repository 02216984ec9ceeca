#include "cli/commands.h"

#include "pack/store/command/store_view.h"

static int list_run(struct cli *cli, const void *args)
{
    struct jw_store_report r;
    struct jw_err err = { 0 };

    (void)args;
    if (!jw_store_list(cli->interrupted, cli->arena, &r, &err)
        || !(cli->common.json ? jw_output_report(&cli->out, &list_form, &r, &err)
                              : list_write_text(cli, &r, &err)))
        return jw_cli_fail(cli, &err);
    if (!r.store.refused)
        return EXIT_DONE;
    jw_messages_error(&cli->messages, "%s%s%s", r.store.dir ? r.store.dir : "", r.store.dir ? ": " : "",
                      r.store.refused);
    return EXIT_PARTLY;
}

static const struct example list_examples[] = {
    { "jitwarm list", "the packs here, with their drivers and GPUs" },
    { "jitwarm list -v", "also replaced packs, and the build date of each driver" },
    { NULL, NULL },
};

const struct cmd jw_cmd_list = {
    .name = "list",
    .summary = "list the packs on this machine",
    .synopsis_args = "",
    .details =
        "The store has one pack for each driver build and GPU architecture, and the pack that it "
        "replaced: packs imported for another driver or GPU, and packs that prune saved from an old "
        "driver. Above 2 GiB (store_cap in jitwarm.conf) jitwarm deletes the least recently used packs, "
        "but never those of this machine's driver.\n\n"
        "The list shows the packs' manifests; only import verifies them. RAW is the unpacked size. "
        "SIGNED is the signing key: a trusted key by its file's name, another one by its id.\n\n"
        "The exit code is 1 when the store cannot be read, or other users can write to it.",
    .examples = list_examples,
    .report = true,
    .run = list_run,
};
