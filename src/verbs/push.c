/* push: packs of this machine, into a registry or a shared folder. */
#include "fleet/push.h"

#include "base/command.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "machine/listing.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/export/export.h"
#include "pack/format/pack_name.h"
#include "verbs/asked.h"
#include "verbs/prime_parts.h"
#include "verbs/secret_key.h"

#include <sodium.h>

struct push_args {
    struct jw_texts words;
    bool replace;
};

static const struct opt push_opts[] = {
    { "replace", 0, OPT_FLAG, offsetof(struct push_args, replace), NULL,
      "keep no pack of earlier pushes for the same driver and GPU (default: only those of the same software "
      "are replaced)",
      NULL, HINT_NONE },
    { 0 },
};

/* ---- the report ---- */

static void list_layers(struct rep *r, const struct jw_push_report *p)
{
    rep_table(r, "packs", 0);
    for (const struct jw_push_layer *l = p->layers; l < p->layers + p->n; l++) {
        rep_row(r);
        rep_fact(r, "state", "STATE", rep_text(!l->path ? "kept" : l->sent ? "sent" : "there"));
        rep_fact(r, "bytes", "SIZE", rep_bytes(l->item.size));
        rep_fact(r, "tag", "UNDER", rep_text(l->tag));
        rep_fact(r, "software", "SOFTWARE", rep_text(l->item.software));
        rep_fact(r, "signed_by", NULL, rep_text(l->item.key));
        rep_fact(r, "digest", NULL, rep_text(l->item.digest));
    }
    rep_end(r);
    rep_fact(r, "sent_bytes", "Sent", rep_bytes(p->sent_bytes));
    rep_fact(r, "replaced", "Replaced", rep_count(p->replaced));
}

/* `trust`: the option by which the others trust the key that push signed with; NULL: it signed nothing. */
static int show_push(struct cli *cli, const struct jw_push_options *o, const char *trust,
                     const struct jw_run *run, const struct jw_push_report *p)
{
    struct rep *r = rep_open(cli, "push");
    bool is_signed = true;

    for (size_t i = 0; i < p->n; i++)
        is_signed &= p->layers[i].item.key != NULL;
    if (run->end == JW_END_DONE)
        rep_head(r, p->sent_bytes ? JW_END_DONE : JW_END_NOTHING, NULL,
                 p->sent_bytes ? "Pushed" : "All of it was there already");
    else
        rep_head(r, run->end, NULL, "Pushed, but not all could be packed");
    list_layers(r, p);
    rep_fact(r, NULL, "To import",
             rep_path(JW_COMMAND(cli->arena, jw_os_is_windows(), "jitwarm", "import", o->net.ref->text,
                                 is_signed ? trust : "--allow-unsigned")));
    if (!is_signed)
        rep_note(r, "prime takes only signed packs from there (--sign KEY)");
    rep_run(r, run);
    return rep_close(r);
}

/* Reports an export without packs: there is nothing to push. */
static int show_export(struct cli *cli, const struct jw_export_report *e, const struct jw_texts *words)
{
    struct rep *r = rep_open(cli, "push");
    const struct jw_texts paths = { words->v + 1, words->n - 1 };

    if (e->look.stop)
        rep_cause(r, REP_LEADS, e->look.stop, &e->look.facts);
    else
        rep_head(r, e->run->end, NULL, "Nothing was pushed: no pack could be made");
    list_layers(r, &(struct jw_push_report){ .n = 0 });
    jw_show_unpacked(r, e, &paths, jw_arena_printf(cli->arena, "jitwarm push %s PATH", words->v[0]));
    rep_run(r, e->run);
    return rep_close(r);
}

/* ---- the run ---- */

/* `run`: that of the export, whose end and notes are reported, too. */
static int push_packs(struct cli *cli, const struct jw_push_options *o, const char *trust, struct jw_run *run)
{
    struct jw_push_report report;
    struct jw_err err = { 0 };

    return jw_push(run, o, &report, &err) ? show_push(cli, o, trust, run, &report) : jw_cli_fail(cli, &err);
}

static int make_and_push(struct cli *cli, const struct push_args *a, struct jw_push_options *o,
                         const struct jw_minisign_secret *key)
{
    struct jw_export_options make = { .paths = { a->words.v + 1, a->words.n - 1 }, .key = key };
    struct jw_export_report made = { 0 };
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };
    const struct jw_minisign_public public =
        key ? jw_minisign_public_of(key) : (struct jw_minisign_public){ 0 };
    char *folder = NULL, line[JW_MINISIGN_LINE + 1];
    int code;

    if (!jw_state_scratch(cli->arena, &folder, &err))
        return jw_cli_fail(cli, &err);
    make.output = folder;
    jw_minisign_show_public(line, &public);
    if (!jw_export(&run, &make, &made, &err)) {
        code = jw_cli_fail(cli, &err);
    } else {
        o->packs.v = jw_arena_alloc(cli->arena, (made.n_packs + 1) * sizeof *o->packs.v);
        for (size_t i = 0; i < made.n_packs; i++)
            if (made.packs[i].written)
                o->packs.v[o->packs.n++] = made.packs[i].path;
        code = o->packs.n ? push_packs(cli, o, JW_PHRASE("--trust=%s", line), &run)
                          : show_export(cli, &made, &a->words);
    }
    jw_export_free(&made);
    jw_scratch_remove(folder);
    return code;
}

/* Sets `given` if all words are packs; packs and other words together are an error. */
static bool packs_are_given(const struct cli *cli, const struct push_args *a, bool *given, struct jw_err *err)
{
    size_t packs = 0;

    for (size_t i = 1; i < a->words.n; i++)
        packs += jw_text_ends(a->words.v[i], JW_PACK_ENDING);
    *given = packs > 0;
    if (packs && packs + 1 < a->words.n)
        return jw_fail(err, JW_E_USAGE, "packs (*" JW_PACK_ENDING ") and software cannot be pushed together");
    return !packs || !cli->shared.sign
           || jw_fail(err, JW_E_USAGE,
                      "--sign is for packs that push makes: jitwarm export --sign signed these");
}

static int run(struct cli *cli, const void *p)
{
    const struct push_args *a = p;
    struct jw_ref ref;
    struct jw_push_options o = { .replace = a->replace };
    struct jw_minisign_secret key = { 0 };
    struct jw_err err = { 0 };
    bool given = false;

    if (!jw_named_remote(cli, a->words.v[0], &ref, &o.net, &err) || !packs_are_given(cli, a, &given, &err))
        return jw_cli_fail(cli, &err);
    if (ref.path && !jw_is_absent(ref.path) && !jw_is_folder(ref.path))
        return JW_CLI_REFUSE(cli, &err, JW_E_USAGE, "%.250s is not a folder", ref.path);
    if (given) {
        struct jw_run run = jw_cli_run(cli);

        o.packs = (struct jw_texts){ a->words.v + 1, a->words.n - 1 };
        return push_packs(cli, &o, NULL, &run);
    }

    int code = jw_cli_secret_key(cli, &key);

    if (code == EXIT_DONE)
        code = make_and_push(cli, a, &o, cli->shared.sign ? &key : NULL);
    sodium_memzero(&key, sizeof key);
    return code;
}

static const struct example examples[] = {
    { "jitwarm push oci://reg.example/team/jit --sign team.key", "all that was primed here" },
    { "jitwarm push /mnt/share/jit --sign team.key /opt/app", "what this software needs, into a folder" },
    { "jitwarm push oci://reg.example/team/jit out/*.tar.zst", "packs that are there already" },
    { 0 },
};

const struct cmd jw_cmd_push = {
    .name = "push",
    .summary = "put packs into a registry or shared folder",
    .synopsis_args = "REF [PATH...|PACK...]",
    .details =
        "REF is oci://HOST/NAME[:TAG], or a folder (/DIR, ./DIR), which gets the files of the packs. push "
        "packs the entries of PATH, or of all that was primed, and adds them for machines of this kind: "
        "system, driver build, GPU architecture. Packs of other software and of other machines stay.\n\nA "
        "registry's login is that of docker or podman, or JITWARM_LOGIN=USER:PASSWORD.",
    .examples = examples,
    .opts = push_opts,
    .order = "sign replace cache cacert json" JW_OF_ALL,
    .args_size = sizeof(struct push_args),
    .positional_at = offsetof(struct push_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run,
};
