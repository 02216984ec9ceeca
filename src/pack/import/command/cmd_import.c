#include "base/text.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "os/machine/env.h"
#include "pack/import/command/import_view.h"
#include "prime/command/prime_view.h"

#include <string.h>

struct import_args {
    struct texts words, trust;
    const char *cache, *signature, *audit;
    unsigned wait_s;
    bool allow_unsigned, foreign, force, yes, dry_run, verify, no_verify, no_audit, as_root;
};

static const struct opt import_opts[] = {
    { "dry-run", 'n', OPT_FLAG, offsetof(struct import_args, dry_run), NULL,
      "show what would happen to each entry, and change nothing", NULL, HINT_NONE },
    { "foreign", 0, OPT_FLAG, offsetof(struct import_args, foreign), NULL,
      "also entries of software that is not here (default: only those whose source was found in files here)",
      NULL, HINT_NONE },
    { "audit", 0, OPT_TEXT, offsetof(struct import_args, audit), "PERCENT",
      "first compile this share of the new entries again, chosen at random; any difference refuses "
      "the pack (default: 8 entries in at most a minute, none if a key that is trusted for "
      "everything signed the pack)",
      NULL, HINT_NONE },
    { "no-audit", 0, OPT_FLAG, offsetof(struct import_args, no_audit), NULL,
      "skip the audit, and accept toolkit code, which cannot be audited: trust the person who gave "
      "you the pack",
      NULL, HINT_NONE },
    { "verify", 0, OPT_FLAG, offsetof(struct import_args, verify), NULL,
      "load every entry in a fresh process afterwards (default: 16 of the new ones)", NULL, HINT_NONE },
    { "no-verify", 0, OPT_FLAG, offsetof(struct import_args, no_verify), NULL, "load none", NULL, HINT_NONE },
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct import_args, allow_unsigned), NULL,
      "accept an unsigned pack", NULL, HINT_NONE },
    { "trust", 0, OPT_LIST, offsetof(struct import_args, trust), "KEYFILE",
      "trust packs that this public key signed, this once; may be repeated", NULL, HINT_FILES },
    { "signature", 0, OPT_TEXT, offsetof(struct import_args, signature), "FILE",
      "the signature (default: FILE.minisig beside the pack, or the one in it)", NULL, HINT_FILES },
    { "force", 0, OPT_FLAG, offsetof(struct import_args, force), NULL,
      "import more than the cache's limit allows; never what is damaged or not trusted", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct import_args, cache), "DIR",
      "into this cache (default: the one of CUDA programs started from this shell)", NULL, HINT_DIRS },
    { "wait", 0, OPT_MAYBE_DURATION, offsetof(struct import_args, wait_s), "TIME",
      "if another jitwarm uses this cache, wait until it ends, or this long (default: exit with 7 "
      "at once)",
      NULL, HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct import_args, yes), NULL,
      "do not ask: import what fits when not all of it does, and also a pack that is older than one imported "
      "before",
      NULL, HINT_NONE },
    { "as-root", 0, OPT_FLAG, offsetof(struct import_args, as_root), NULL,
      "as root: for root itself, which is refused otherwise", NULL, HINT_NONE },
    { 0 },
};

/* ---- questions and progress ---- */

static bool on_question(void *ctx, const char *question, bool usual)
{
    return jw_cli_ask(ctx, stdin, question, usual);
}

void import_progress(void *ctx, const struct jw_import_progress *p)
{
    struct cli *cli = ctx;

    if (p->total)
        jw_messages_progress(&cli->messages, "%s: %u %%", p->what,
                             (unsigned)(p->done >= p->total ? 100 : p->done * 100 / p->total));
    else
        jw_messages_progress(&cli->messages, "%s", p->what);
}

/* ---- the run ---- */

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
        return jw_fail(err, JW_E_USAGE, "--audit: %.40s is no share of 1 to 100 percent", text);
    *out = (unsigned)value;
    return true;
}

static bool set_up(struct cli *cli, const struct import_args *a, struct jw_import_options *o,
                   struct jw_err *err)
{
    bool piped = strcmp(a->words.items[0], "-") == 0;

    if (a->cache && !*a->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    if (!*a->words.items[0])
        return jw_fail(err, JW_E_USAGE, "the name of the pack is empty");
    if (a->verify && a->no_verify)
        return jw_fail(err, JW_E_USAGE, "--verify and --no-verify: one or the other");
    if (a->audit && a->no_audit)
        return jw_fail(err, JW_E_USAGE, "--audit and --no-audit: one or the other");
    *o = (struct jw_import_options){ .file = a->words.items[0],
                                     .paths = a->words.items + 1,
                                     .n_paths = a->words.n - 1,
                                     .cache = a->cache,
                                     .trust = a->trust.items,
                                     .n_trust = a->trust.n,
                                     .signature = a->signature,
                                     .allow_unsigned = a->allow_unsigned,
                                     .foreign = a->foreign,
                                     .forged = true,
                                     .force = a->force,
                                     .yes = a->yes,
                                     .older = a->yes,
                                     .dry_run = a->dry_run,
                                     .verify_all = a->verify,
                                     .no_verify = a->no_verify,
                                     .no_audit = a->no_audit,
                                     .wait_s = a->wait_s,
                                     .as_root = a->as_root,
                                     .interrupted = cli->interrupted,
                                     .progress = import_progress,
                                     .ctx = cli };
    if (!a->yes && !piped && jw_term_is(stdin) && jw_term_is(stderr))
        o->ask = on_question;
    return read_percent(a->audit, &o->audit, err);
}

static int run(struct cli *cli, const void *args)
{
    const struct import_args *a = args;
    struct jw_import_report report = { 0 };
    struct jw_import_memory *memory = NULL;
    struct jw_import_options o;
    struct jw_err err = { 0 };

    if (!set_up(cli, a, &o, &err))
        return jw_cli_usage(cli, &err);
    bool ok = jw_import(&o, &report, &memory, &err);

    jw_messages_progress_end(&cli->messages);
    ok = ok
         && (cli->common.json ? jw_output_report(&cli->out, &import_form, &report, &err)
                              : import_write_text(cli, &report, &err));

    int code = ok ? jw_cli_exit(report.end) : jw_cli_fail(cli, &err);

    jw_import_free(memory);
    return code;
}

static const struct example import_examples[] = {
    { "jitwarm import llama.tar.zst",
      "entries of the CUDA software here, out of a pack that a trusted key signed" },
    { "jitwarm import --dry-run llama.tar.zst", "what would happen to each entry" },
    { "jitwarm import llama.tar.zst /opt/llama", "for software in a place that jitwarm does not search" },
    { "jitwarm import --allow-unsigned --audit 5% mine.tar.zst", "an unsigned pack; compile 5% of it again" },
    { "ssh other jitwarm export -o - | jitwarm import --allow-unsigned -", "from one machine to its twin" },
    { 0 },
};

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|- [PATH...]",
    .details = "Puts the entries of a pack into the driver's cache, so that the next start compiles "
               "nothing, and keeps the pack in the store. A pack is of use on a machine with the same "
               "system, the same build of the driver and the same GPU architecture; another one goes to the "
               "store only, and import shows what differs.\n\n"
               "Before anything is unpacked its bytes must have their digest and a signature by a key that "
               "is trusted here: *.pub in $XDG_CONFIG_HOME/jitwarm/keys or /etc/jitwarm/keys, trust lines "
               "of jitwarm.conf, or --trust. A key can be bound to the software that it may vouch for: then "
               "an entry is taken only if such software asks for it here, and --foreign is refused. "
               "Whatever is wrong with a pack leaves the cache as it was, to the byte.\n\n"
               "Only entries are taken whose source is in CUDA software here: in PATH; without PATH in what "
               "was primed before and in what is found on this machine. --foreign takes all.\n\n"
               "A pack has a date, which its signature covers. One that is older than what was imported "
               "here before, for the same build of the driver and any of the same software, needs --yes: it "
               "could bring back code that was replaced since. One without a date is older than any with "
               "one.\n\n"
               "What is proven, and what is believed: jitwarm proves that the pack is whole, that each "
               "entry is filed under its own source, and that the driver finds it. It cannot see what "
               "machine code does. Of an unsigned pack, and of one whose key is bound to some software, it "
               "compiles 8 new entries again, drawn by chance, for at most a minute, and compares every "
               "byte. A difference refuses the pack. The code of the other entries is believed: trust the "
               "person who gave you the pack as you trust a program from the same person. --audit 100% "
               "proves all of them.\n\n"
               "A pack of jitwarm compile holds code that a CUDA toolkit's compiler made, and not the "
               "driver's. It is taken only after this machine has proven that this build of its driver runs "
               "such code rightly: with a small kernel of the pack, in a folder of jitwarm's own. Otherwise "
               "nothing of it is imported, whatever the options say. An audit cannot compare such code. So "
               "it is taken only from a pack that a key signed which is trusted for everything, or with "
               "--no-audit.\n\n"
               "Programs that use the cache may run on. Afterwards a fresh process loads a sample, and must "
               "compile nothing. What was begun and not ended leaves whole entries only; the same command "
               "goes on from there.\n\n"
               "The exit code is 0 when all that is for this machine is in the cache; 1 when some of it is "
               "not, or nothing is for software here; 2 for a wrong option or file; 3 without a usable "
               "driver or GPU; 4 when the cache cannot be written or the disk is full; 5 when the pack is "
               "for another machine; 6 when it is damaged or not to be believed; 7 when --yes is missing or "
               "another jitwarm is at work; 130 after Ctrl-C.",
    .examples = import_examples,
    .opts = import_opts,
    .often = "trust signature allow-unsigned verify foreign cache yes dry-run",
    .args_size = sizeof(struct import_args),
    .positional_at = offsetof(struct import_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
