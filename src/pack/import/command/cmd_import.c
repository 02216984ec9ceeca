#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "os/machine/env.h"
#include "pack/import/command/import_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

struct import_args {
    struct jw_import_options o;
    struct texts words, trust;
    const char *audit;
};

#define AT(member) offsetof(struct import_args, member)

static const struct opt import_opts[] = {
    { "dry-run", 'n', OPT_FLAG, AT(o.dry_run), NULL,
      "show what would happen to each entry, and change nothing", NULL, HINT_NONE },
    { "foreign", 0, OPT_FLAG, AT(o.foreign), NULL,
      "also entries of software that is not here (default: only entries whose PTX was found in files here)",
      NULL, HINT_NONE },
    { "audit", 0, OPT_TEXT, AT(audit), "PERCENT",
      "first compile this share of the new entries again, chosen at random, and refuse the pack if any "
      "result differs (default: 8 entries in at most a minute; none if a key that is trusted for "
      "everything signed the pack)",
      NULL, HINT_NONE },
    { "no-audit", 0, OPT_FLAG, AT(o.no_audit), NULL,
      "skip the audit, and accept toolkit code, which cannot be audited: only if you trust the person "
      "who gave you the pack",
      NULL, HINT_NONE },
    { "verify", 0, OPT_FLAG, AT(o.verify_all), NULL,
      "load every entry in a fresh process afterwards (default: 16 new entries)", NULL, HINT_NONE },
    { "no-verify", 0, OPT_FLAG, AT(o.no_verify), NULL, "load none", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, AT(o.allow_unsigned), NULL, "accept an unsigned pack", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, AT(trust), "KEYFILE", "trust this public key for this run; may be repeated", NULL,
      HINT_FILES },
    { "signature", 0, OPT_TEXT, AT(o.signature), "FILE",
      "the signature (default: FILE.minisig beside the pack, or the one in it)", NULL, HINT_FILES },
    { "force", 0, OPT_FLAG, AT(o.force), NULL,
      "may exceed the cache's limit; damaged or untrusted packs are still refused", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, AT(o.cache), "DIR",
      "import into this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "wait", 0, OPT_MAYBE_DURATION, AT(o.wait_s), "TIME",
      "if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 "
      "at once)",
      NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, AT(o.yes), NULL,
      "do not ask: import only what fits, and accept a pack that is older than one imported before", NULL,
      HINT_NONE },
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

static bool read_import_args(const struct import_args *a, struct jw_import_options *o, struct jw_err *err)
{
    *o = a->o;
    o->file = a->words.items[0];
    o->paths = a->words.items + 1;
    o->n_paths = a->words.n - 1;
    o->trust = a->trust.items;
    o->n_trust = a->trust.n;
    o->forged = true;
    o->older = o->yes;
    if (o->cache && !*o->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    if (!*o->file)
        return jw_fail(err, JW_E_USAGE, "the name of the pack is empty");
    if (o->verify_all && o->no_verify)
        return jw_fail(err, JW_E_USAGE, "--verify and --no-verify cannot be combined");
    if (a->audit && o->no_audit)
        return jw_fail(err, JW_E_USAGE, "--audit and --no-audit cannot be combined");
    return read_percent(a->audit, &o->audit, err);
}

static int import_run(struct cli *cli, const void *args)
{
    const struct import_args *a = args;
    struct jw_import_report report = { 0 };
    struct jw_run run = jw_cli_run(cli);
    struct jw_import_options o;
    struct jw_err err = { 0 };

    if (!read_import_args(a, &o, &err))
        return jw_cli_usage(cli, &err);
    if (strcmp(o.file, "-") == 0)
        run.ask = NULL; /* standard input is the pack */
    bool ok = jw_import(&run, &o, &report, &err);

    jw_messages_progress_end(&cli->messages);
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &import_form, &report, &err)
                              : import_write_text(cli, &report, &err));
    return ok ? jw_cli_exit(run.end) : jw_cli_fail(cli, &err);
}

static const struct example import_examples[] = {
    { "jitwarm import llama.tar.zst",
      "the entries of the CUDA software here, from a pack that a trusted key signed" },
    { "jitwarm import --dry-run llama.tar.zst", "what would happen to each entry" },
    { "jitwarm import llama.tar.zst /opt/llama", "for software in a folder that jitwarm does not search" },
    { "jitwarm import --allow-unsigned --audit 5% mine.tar.zst", "an unsigned pack; compile 5% of it again" },
    { "ssh other jitwarm export -o - | jitwarm import --allow-unsigned -", "from one machine to its twin" },
    { 0 },
};

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|- [PATH...]",
    .details = "Adds the entries of a pack to the driver's cache, so that the next start compiles nothing. A "
               "copy of the pack goes to the store. A pack fits machines with the same operating system, "
               "driver build and GPU architecture. A pack for another machine goes to the store only, and "
               "import shows the differences.\n\n"
               "First import checks the pack's digest and its signature. The signing key must be trusted: a "
               "*.pub file in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, a trust line in "
               "jitwarm.conf, or --trust. A key can be limited to certain software. Then import takes only "
               "entries that this software uses here, and refuses --foreign. A bad pack never changes the "
               "cache.\n\n"
               "import takes the entries whose PTX it finds in CUDA software here: in PATH, or without PATH "
               "in what was primed before and what is found on this machine. --foreign takes all entries.\n\n"
               "The signature covers the pack's date. A pack that is older than one imported before, for the "
               "same driver build and software, needs --yes: it could bring back replaced code. A pack "
               "without a date counts as the oldest.\n\n"
               "import proves that the pack is whole, that each entry has the key of its own PTX, and that "
               "the driver finds it. It cannot see what machine code does. If the pack is unsigned or its "
               "key is limited to certain software, import compiles 8 random new entries again, for at most "
               "a minute, and compares every byte. One difference refuses the pack. The other entries are "
               "not compared: trust the pack as you trust a program from the same person. --audit 100% "
               "compares all of them.\n\n"
               "A pack of jitwarm compile can hold code of a CUDA toolkit's compiler. import takes it only "
               "after this driver build ran a small test kernel of the pack correctly on this machine. No "
               "option skips this test. An audit cannot compare such code, so the pack needs a signature by "
               "a key that is trusted for everything, or --no-audit.\n\n"
               "CUDA programs can keep running. Afterwards fresh processes load a sample and must compile "
               "nothing. An interrupted import leaves whole entries only; the same command continues.\n\n"
               "The exit code is 0 when all entries for this machine are in the cache; 1 when some are not, "
               "or none is for software here; 2 for a wrong option or file; 3 without a usable driver or "
               "GPU; 4 when the cache cannot be written or the disk is full; 5 when the pack is for another "
               "machine; 6 when it is damaged or not trusted; 7 when --yes is missing or another jitwarm "
               "uses the cache; 130 after Ctrl-C.",
    .examples = import_examples,
    .opts = import_opts,
    .often = "trust signature allow-unsigned verify foreign cache yes dry-run",
    .args_size = sizeof(struct import_args),
    .positional_at = AT(words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = import_run,
};
