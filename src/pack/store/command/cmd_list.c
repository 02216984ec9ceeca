#include "base/mem.h"
#include "base/text.h"
#include "cache/memory/state.h"
#include "cache/memory/state_folder.h"
#include "cli/commands.h"
#include "fleet/command/fleet_view.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/store/command/store_view.h"

#include <string.h>

struct list_args {
    struct net_args net;
    struct texts files;
};

static const struct opt list_opts[] = { FLEET_NET_OPTS(list_args), { 0 } };

/* ---- what is in a pack ---- */

static void count_entry(struct contents_sum *sum, uint64_t bytes)
{
    sum->entries++;
    sum->bytes += bytes;
}

static void sum_up_pack(struct contents_view *v, struct jw_arena *a)
{
    const struct jw_pack_manifest *m = &v->seen.manifest;

    v->origins = jw_arena_alloc(a, (m->n_origins + 1) * sizeof *v->origins);
    for (size_t i = 0; i < m->n_origins; i++)
        v->origins[i].is = m->origins[i];
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];
        uint64_t bytes = jw_pack_entry_bytes(e);

        count_entry(e->origin == JW_PACK_NO_ORIGIN ? &v->unnamed : &v->origins[e->origin].sum, bytes);
        v->bytes += bytes;
        v->largest = bytes > v->largest ? bytes : v->largest;
    }
}

/* The manifest is at the end, so a pack from a pipe is stored in a temporary file first. */
static bool peek_pack(struct cli *cli, const char *file, struct jw_pack_peeked *seen, struct jw_err *err)
{
    struct jw_pack_open_options o = { .interrupted = cli->interrupted };
    char *spool = NULL;
    bool ok = true;

    if (strcmp(file, "-") == 0) {
        ok = jw_state_scratch(JW_STATE_LIST, cli->arena, &spool, err);
        o.spool_dir = spool;
    }
    ok = ok && jw_pack_peek(file, &o, cli->arena, seen, err);
    jw_scratch_remove(spool);
    return ok;
}

static int list_pack(struct cli *cli, const char *file)
{
    struct contents_view v = { .file = file, .format = JW_PACK_SCHEMA, .entries = cli->common.verbose };
    struct jw_err err = { 0 };

    if (!*file)
        (void)jw_fail(&err, JW_E_USAGE, "the name of the pack is empty");
    else if (strcmp(file, "-") == 0 && jw_term_is(stdin))
        (void)jw_fail(&err, JW_E_USAGE, "standard input is a terminal; name a file or use a pipe");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    if (!peek_pack(cli, file, &v.seen, &err)) {
        (void)jw_pack_open_failed(file, &err);
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    }
    sum_up_pack(&v, cli->arena);
    return (cli->common.json ? jw_output_report(&cli->out, &contents_form, &v, &err)
                             : contents_write_text(cli, &v, &err))
               ? EXIT_DONE
               : jw_cli_fail(cli, &err);
}

/* ---- the packs of the store ---- */

/* Nothing can ever be stored there, because jitwarm makes no home. */
static const char *why_homeless(const struct jw_store *s, struct jw_arena *a)
{
    const char *home = jw_env_home(a);

    return !s->exists && s->dir && home && jw_text_starts(s->dir, home) && !jw_is_folder(home)
               ? jw_arena_printf(a, "the home folder %.200s does not exist", home)
               : NULL;
}

static int list_store(struct cli *cli)
{
    struct jw_store_report r;
    struct jw_err err = { 0 };
    bool ok = jw_store_list(&cli->session, &r, &err);

    if (ok && !r.store.refused)
        r.store.refused = why_homeless(&r.store, cli->arena);
    if (!ok
        || !(cli->common.json ? jw_output_report(&cli->out, &list_form, &r, &err)
                              : list_write_text(cli, &r, &err)))
        return jw_cli_fail(cli, &err);
    if (!r.store.refused)
        return EXIT_DONE;
    jw_messages_error(&cli->messages, "%s%s%s", r.store.dir ? r.store.dir : "", r.store.dir ? ": " : "",
                      r.store.refused);
    return EXIT_PARTLY;
}

static int list_run(struct cli *cli, const void *args)
{
    const struct list_args *a = args;

    if (a->files.n && matrix_is_remote(cli, a->files.items[0]))
        return matrix_list(cli, &a->net, a->files.items[0]);
    return a->files.n ? list_pack(cli, a->files.items[0]) : list_store(cli);
}

static const struct example list_examples[] = {
    { "jitwarm list", "the packs here, with their drivers and GPUs" },
    { "jitwarm list -v", "also replaced packs, and the build date of each driver" },
    { "jitwarm list laptop.tar.zst", "the driver, GPU and software of one pack" },
    { "jitwarm list oci://reg.example/team/jit:v3",
      "for which drivers and GPUs a remote has packs, and what is missing" },
    { NULL, NULL },
};

const struct cmd jw_cmd_list = {
    .name = "list",
    .summary = "list the packs on this machine, or what is in one",
    .synopsis_args = "[FILE|-|REF]",
    .details =
        "The store has one pack for each driver build and GPU architecture, and the pack that it "
        "replaced: signed packs that were imported, copies of exported packs, and packs that prune saved "
        "from an old driver. prime imports those that fit, before it compiles. Above 2 GiB (store_cap in "
        "jitwarm.conf) jitwarm deletes the oldest packs, but never "
        "those of this machine's driver. RAW is the unpacked size. SIGNED is the signing key: a trusted "
        "key by its file's name, another one by its id.\n\n"
        "With FILE list shows what is in that pack; -v and --json show every entry.\n\n"
        "With REF (as in jitwarm push and pull) list shows the matrix there: driver builds, GPUs, sizes, who "
        "signed, and of "
        "each driver the GPUs that only other drivers have. Without a tag it reads an index for each kind of "
        "machine; a tag of your own "
        "is one.\n\n"
        "list reads manifests only. It does not verify digests or signatures; import does, and import "
        "--dry-run does so without changing anything.\n\n"
        "The exit code is 1 when the store cannot be read, or other users can write to it; 6 when FILE is "
        "not a pack or its manifest is damaged.",
    .examples = list_examples,
    .opts = list_opts,
    .args_size = sizeof(struct list_args),
    .positional_at = offsetof(struct list_args, files),
    .max_pos = 1,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = list_run,
};
