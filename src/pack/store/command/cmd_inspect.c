#include "base/mem.h"
#include "cache/memory/state.h"
#include "cli/commands.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/store/command/store_view.h"

#include <string.h>

struct inspect_args {
    struct texts files;
    bool entries;
};

static const struct opt inspect_opts[] = {
    { "entries", 0, OPT_FLAG, offsetof(struct inspect_args, entries), NULL, "list every entry", NULL,
      HINT_NONE },
    { 0 },
};

static void count_made(struct inspect_sum *sum, uint64_t bytes)
{
    sum->entries++;
    sum->bytes += bytes;
}

static void sum_up_pack(struct inspect_view *v, struct jw_arena *a)
{
    const struct jw_pack_manifest *m = &v->seen.manifest;

    v->origins = jw_arena_alloc(a, (m->n_origins + 1) * sizeof *v->origins);
    for (size_t i = 0; i < m->n_origins; i++)
        v->origins[i].is = m->origins[i];
    for (size_t i = 0; i < m->n_entries; i++) {
        const struct jw_pack_entry *e = &m->entries[i];
        uint64_t bytes = jw_pack_entry_bytes(e);

        count_made(e->origin == JW_PACK_NO_ORIGIN ? &v->unnamed : &v->origins[e->origin].sum, bytes);
        count_made(&v->made[e->made], bytes);
        v->bytes += bytes;
        v->largest = bytes > v->largest ? bytes : v->largest;
    }
}

/* The manifest is at the end, so a pack from a pipe is stored in a temporary file first. */
static bool peek_pack(struct cli *cli, const char *file, struct jw_pack_peeked *seen, struct jw_err *err)
{
    struct jw_pack_open_options o = { .interrupted = cli->interrupted };
    char *spool = NULL;
    const char *state;
    bool ok = true;

    if (strcmp(file, "-") == 0) {
        state = jw_state_dir(cli->arena, err);
        ok = state && jw_scratch_make(state, "inspect", cli->arena, &spool, err);
        o.spool_dir = spool;
    }
    ok = ok && jw_pack_peek(file, &o, cli->arena, seen, err);
    jw_scratch_remove(spool);
    return ok;
}

static int inspect_run(struct cli *cli, const void *a)
{
    const struct inspect_args *args = a;
    struct inspect_view v = { .file = args->files.items[0],
                              .format = JW_PACK_SCHEMA,
                              .entries = args->entries };
    struct jw_err err = { 0 };

    if (!*v.file)
        (void)jw_fail(&err, JW_E_USAGE, "the name of the pack is empty");
    else if (strcmp(v.file, "-") == 0 && jw_term_is(stdin))
        (void)jw_fail(&err, JW_E_USAGE, "standard input is a terminal; name a file or use a pipe");
    if (err.code != JW_OK)
        return jw_cli_usage(cli, &err);
    if (!peek_pack(cli, v.file, &v.seen, &err)) {
        (void)jw_pack_misnamed(v.file, &err);
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    }
    sum_up_pack(&v, cli->arena);
    if (!(cli->common.json ? jw_output_report(&cli->out, &inspect_form, &v, &err)
                           : inspect_write_text(cli, &v, &err)))
        return jw_cli_fail(cli, &err);
    return EXIT_DONE;
}

static const struct example inspect_examples[] = {
    { "jitwarm inspect laptop.tar.zst", "its driver, its GPU and its software" },
    { NULL, NULL },
};

const struct cmd jw_cmd_inspect = {
    .name = "inspect",
    .summary = "show what is in a pack",
    .synopsis_args = "FILE|-",
    .details =
        "Reads the pack's manifest, but no entry. inspect does not verify the digest or the signature; "
        "import does, and import --dry-run does so without changing anything.\n\n"
        "The exit code is 6 if the file is not a pack or its manifest is damaged.",
    .examples = inspect_examples,
    .opts = inspect_opts,
    .args_size = sizeof(struct inspect_args),
    .positional_at = offsetof(struct inspect_args, files),
    .min_pos = 1,
    .max_pos = 1,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = inspect_run,
};
