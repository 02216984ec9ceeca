#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "pack/import/command/import_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

struct import_args {
    const char *cache;
    struct jw_import_options o;
    struct texts words, trust;
    const char *audit;
};

#define AT(member) offsetof(struct import_args, member)

static const struct opt import_opts[] = {
    { "dry-run", 'n', OPT_FLAG, AT(o.dry_run), NULL,
      "show what would happen to each entry, and change nothing", NULL, HINT_NONE },
    { "everything", 0, OPT_FLAG, AT(o.everything), NULL,
      "also entries of software that is not here (default: only entries whose PTX was found in files here)",
      NULL, HINT_NONE },
    { "audit", 0, OPT_TEXT, AT(audit), "PERCENT",
      "compile this share of the new entries again and compare, chosen at random; refuse the pack if any "
      "result differs (default: 8 entries in at most a minute; none if a trusted key signed the pack)",
      NULL, HINT_NONE },
    { "no-verify", 0, OPT_FLAG, AT(o.no_verify), NULL,
      "do not load a sample of the new entries in fresh processes afterwards", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, AT(o.allow_unsigned), NULL, "accept an unsigned pack", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, AT(trust), "KEY",
      "trust this public key (a file, or its text) for this run; may be repeated", NULL, HINT_FILES },
    { "cache", 0, OPT_TEXT, AT(cache), "DIR",
      "import into this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "wait", 0, OPT_MAYBE_DURATION, AT(o.wait_s), "TIME",
      "if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 "
      "at once)",
      NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, AT(o.yes), NULL, "do not ask: import only what fits", NULL, HINT_NONE },
    { "as-root", 0, OPT_FLAG, AT(o.as_root), NULL, "as root: import into root's own cache", NULL, HINT_NONE },
    { 0 },
};

/* "5" or "5%" */
static bool read_percent(const char *text, unsigned *out, struct jw_err *err)
{
    char digits[8] = "";
    size_t n = text ? strcspn(text, "%") : 0;
    uint64_t value = 0;

    *out = 0;
    if (!text)
        return true;
    if (n && n < sizeof digits && (!text[n] || !text[n + 1]))
        memcpy(digits, text, n);
    if (!jw_text_u64(digits, &value) || !value || value > 100)
        return jw_fail(err, JW_E_USAGE, "--audit: %.40s is not a percentage from 1 to 100", text);
    *out = (unsigned)value;
    return true;
}

/* The first word is a pack, or a folder of packs; so is each further *.tar.zst. All others are software. */
static bool sort_words(struct cli *cli, const struct import_args *a, struct jw_import_files *packs,
                       struct jw_import_options *o, struct jw_err *err)
{
    const char **paths = jw_arena_alloc(cli->arena, (a->words.n + 1) * sizeof *paths);

    if (!*a->words.items[0])
        return jw_fail(err, JW_E_USAGE, "the name of the pack is empty");
    for (size_t i = 0; i < a->words.n; i++) {
        const char *word = a->words.items[i];

        if (i && !jw_text_ends(word, ".tar.zst"))
            paths[o->n_paths++] = word;
        else if (!jw_import_list(word, cli->arena, packs, err))
            return false;
    }
    o->paths = paths;
    for (size_t i = 0; packs->n > 1 && i < packs->n; i++)
        if (!jw_is_file(packs->v[i]))
            return jw_fail(err, JW_E_USAGE, "%s: no such file", packs->v[i]);
    return true;
}

static bool read_import_args(struct cli *cli, const struct import_args *a, struct jw_import_files *packs,
                             struct jw_import_options *o, struct jw_err *err)
{
    *o = a->o;
    o->trust = a->trust.items;
    o->n_trust = a->trust.n;
    cli->session.cache = a->cache;
    if (a->cache && !*a->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    return read_percent(a->audit, &o->audit, err) && sort_words(cli, a, packs, o, err);
}

static int import_several(struct cli *cli, const struct jw_import_options *o,
                          const struct jw_import_files *packs)
{
    struct jw_run run = jw_cli_run(cli);
    struct jw_import_set set;
    struct jw_err err = { 0 };
    bool ok = jw_import_all(&run, o, packs, &set, &err);

    jw_messages_progress_end(&cli->messages);
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &import_set_form, &set, &err)
                              : import_set_text(cli, &set, &err));
    return ok ? jw_cli_exit(set.end) : jw_cli_fail(cli, &err);
}

static int import_one(struct cli *cli, struct jw_import_options *o, const char *file)
{
    struct jw_import_report report = { 0 };
    struct jw_run run = jw_cli_run(cli);
    struct jw_err err = { 0 };

    o->file = file;
    if (strcmp(o->file, "-") == 0)
        run.ask = NULL; /* standard input is the pack */
    bool ok = jw_import(&run, o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &import_form, &report, &err)
                              : import_write_text(cli, &report, &err));
    return ok ? jw_cli_exit(run.end) : jw_cli_fail(cli, &err);
}

static int import_run(struct cli *cli, const void *args)
{
    struct jw_import_files packs = { 0 };
    struct jw_import_options o;
    struct jw_err err = { 0 };

    if (!read_import_args(cli, args, &packs, &o, &err))
        return err.code == JW_E_USAGE ? jw_cli_usage(cli, &err) : jw_cli_fail(cli, &err);
    return packs.n == 1 ? import_one(cli, &o, packs.v[0]) : import_several(cli, &o, &packs);
}

static const struct example import_examples[] = {
    { "jitwarm import llama.tar.zst",
      "the entries of the CUDA software here, from a pack that a trusted key signed" },
    { "jitwarm import llama.tar.zst /opt/llama", "for software in a folder that jitwarm does not search" },
    { "jitwarm import --dry-run llama.tar.zst", "what would happen to each entry" },
    { "jitwarm import /srv/packs", "of all packs in this folder, those for this machine" },
    { "jitwarm import --allow-unsigned --audit 5% mine.tar.zst", "an unsigned pack; compile 5% of it again" },
    { "ssh other jitwarm export -o - | jitwarm import --allow-unsigned -", "from one machine to its twin" },
    { 0 },
};

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|DIR|- [FILE...] [PATH...]",
    .details =
        "Adds the entries of a pack to the driver's cache, so that the next start compiles nothing. A "
        "copy of a signed pack goes to the store. A pack fits machines with the same operating system, "
        "driver build and GPU architecture. A signed pack for another machine goes to the store only, and "
        "prime imports it when this machine matches. import shows the differences. Of several packs, or of a "
        "folder, it takes those that fit and "
        "skips the others; FILE after the first must end in .tar.zst.\n\n"
        "First import checks the pack's digest and its signature. The signing key must be trusted: a "
        "*.pub file in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, a trust line in "
        "jitwarm.conf, or --trust. A bad pack never changes the cache.\n\n"
        "import takes the entries whose PTX it finds in CUDA software here: in PATH, or without PATH "
        "in what was primed before and what is found on this machine. --everything takes all entries, "
        "and so does a pack of one command (export --run CMD).\n\n"
        "import proves that the pack is whole, that each entry has the key of its own PTX, and that "
        "the driver finds it. It cannot see what machine code does. With --allow-unsigned import "
        "compiles 8 random new entries again, for at most a minute, and compares every byte. One difference "
        "refuses the pack. The other entries are "
        "not compared: trust the pack as you trust a program from the same person. --audit 100% "
        "compares all of them. What cannot be compiled again (of NVRTC, nvJitLink, "
        "OpenCL) "
        "needs a trusted key, and is skipped otherwise.\n\n"
        "CUDA programs can keep running. Afterwards fresh processes load a sample and must compile "
        "nothing. An interrupted import leaves whole entries only; the same command continues.\n\n"
        "The exit code is 0 when all entries for this machine are in the cache; 1 when some are not, "
        "or none is for software here; 2 for a wrong option or file; 3 without a usable driver or "
        "GPU; 4 when the cache cannot be written or the disk is full; 5 when the pack is for another "
        "machine; 6 when it is damaged or not trusted; 7 when --yes is missing or another jitwarm "
        "uses the cache; 130 after Ctrl-C.",
    .examples = import_examples,
    .opts = import_opts,
    .often = "trust allow-unsigned everything audit cache yes dry-run",
    .args_size = sizeof(struct import_args),
    .positional_at = AT(words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = import_run,
};
