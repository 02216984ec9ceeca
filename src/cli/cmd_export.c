#include "base/limits.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/text.h"
#include "cli/bar.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/export_view.h"
#include "cli/secret_key.h"
#include "engine/pack_write.h"
#include "host/config.h"
#include "os/ask.h"
#include "os/env.h"
#include "os/time.h"

#include <errno.h>
#include <string.h>

struct export_args {
    struct texts paths, gpus, exclude;
    const char *cache, *output, *sign, *level;
    unsigned jobs;
    bool everything, include_carried, from_store, no_store, yes, dry_run;
};

static const struct opt export_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct export_args, output), "FILE",
      "write the pack there; - is standard output, and in a folder it gets a name of its own (default: this "
      "folder)",
      NULL, HINT_FILES },
    { "gpu", 0, OPT_LIST, offsetof(struct export_args, gpus), "GPU",
      "only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\"; may be repeated; "
      "all "
      "are those of the cache, too (default: the GPUs that are here)",
      NULL, HINT_GPUS },
    { "everything", 0, OPT_FLAG, offsetof(struct export_args, everything), NULL,
      "all that the cache holds of this driver, whoever had it compiled: told first, and asked for", NULL,
      HINT_NONE },
    { "from-store", 0, OPT_FLAG, offsetof(struct export_args, from_store), NULL,
      "entries of the packs that are kept on this machine (jitwarm list), and not of the cache", NULL,
      HINT_NONE },
    { "no-store", 0, OPT_FLAG, offsetof(struct export_args, no_store), NULL,
      "keep no copy for this machine, as is done of a pack of what was primed", NULL, HINT_NONE },
    { "level", 0, OPT_TEXT, offsetof(struct export_args, level), "N",
      "how hard to compress: 1 to 19, above 9 over long distances, too (default: 3)", NULL, HINT_NONE },
    { "sign", 0, OPT_TEXT, offsetof(struct export_args, sign), "KEY",
      "sign with this secret key (jitwarm keygen, minisign); its passphrase is asked for on the terminal",
      NULL, HINT_FILES },
    { "include-carried", 0, OPT_FLAG, offsetof(struct export_args, include_carried), NULL,
      "also entries that were not made by this driver, but carried over from an older one", NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct export_args, exclude), "PATTERN",
      "do not even look at files and folders of this name; may be repeated", NULL, HINT_NONE },
    { "cache", 0, OPT_TEXT, offsetof(struct export_args, cache), "DIR",
      "this cache (default: the one that CUDA programs use when they are started from here)", NULL,
      HINT_DIRS },
    { "jobs", 'j', OPT_UINT, offsetof(struct export_args, jobs), "N",
      "compress with so many threads (default: one for each processor); the pack is the same", NULL,
      HINT_NONE },
    { "yes", 'y', OPT_FLAG, offsetof(struct export_args, yes), NULL,
      "do not ask before everything leaves, or before a file that is no pack is replaced", NULL, HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct export_args, dry_run), NULL,
      "tell what would be packed, and write nothing", NULL, HINT_NONE },
    { 0 },
};

struct run {
    struct cli *cli;
    const struct export_args *args;
    struct export_view view;
    struct jw_minisign_secret key;
    char key_id[17];
    bool telling;   /* bytes are being packed */
    uint64_t began; /* since when */
    uint64_t told;  /* when the last line was told, where nothing is drawn */
};

/* ---- progress ---- */

static void tell_bytes(struct run *r, const struct jw_export_progress *p)
{
    static const uint64_t between_lines = 5000000000;
    struct jw_story *s = &r->cli->story;
    uint64_t now = jw_time_monotonic_ns();
    struct jw_buf line = JW_BUF(JW_MAX_LINE);

    if (!r->telling) {
        r->telling = true;
        r->began = r->told = now;
    }
    if (s->terminal) {
        if (jw_story_block_due(s)) {
            jw_bar_line(&line, p->done, p->total, (double)(now - r->began) / 1e9, s->columns);
            jw_story_block(s, jw_buf_cstr(&line));
        }
    } else if (now - r->told >= between_lines) {
        r->told = now;
        jw_bar_line(&line, p->done, p->total, (double)(now - r->began) / 1e9, 0);
        jw_story_say(s, "packing: %s", jw_buf_cstr(&line));
    }
    jw_buf_free(&line);
}

static void on_progress(void *ctx, const struct jw_export_progress *p)
{
    struct run *r = ctx;

    if (p->at)
        jw_story_progress(&r->cli->story, "%s", p->at);
    else
        tell_bytes(r, p);
}

/* ---- questions ---- */

static bool is_yes(const char *line)
{
    return jw_text_equal_nocase(line, "y") || jw_text_equal_nocase(line, "yes");
}

static bool on_question(void *ctx, const struct jw_export_report *report, const char *question)
{
    struct run *r = ctx;
    struct jw_err err = { 0 };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    char line[16];

    r->view.report = report;
    jw_story_progress_end(&r->cli->story);
    if (r->args->everything && !export_tell_listing(r->cli, &r->view, &err))
        return false;
    jw_text_clean(&text, question);
    jw_buf_text(&text, " [y/N] ");
    jw_story_page(&r->cli->story, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return jw_ask_line(stdin, line, sizeof line, r->cli->interrupted) && is_yes(line);
}

/* ---- standard output ---- */

/* A reader that goes away has half a pack: that is no success, as it would be of a page that was read far enough. */
static bool put(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct cli *cli = ctx;

    errno = 0;
    if (fwrite(p, 1, n, cli->answer.to) == n && fflush(cli->answer.to) == 0)
        return true;
    if (errno == EPIPE)
        return jw_fail(err, JW_E_IO, "standard output was closed before the whole pack was written");
    return jw_fail(err, JW_E_IO, "standard output: %s", strerror(errno ? errno : EIO));
}

static bool piped(const struct export_args *a)
{
    return a->output && strcmp(a->output, "-") == 0;
}

/* ---- the run ---- */

/* 0: it is none, or not given. */
static int level_of(const struct export_args *a)
{
    uint64_t n;

    return a->level && jw_text_u64(a->level, &n) && n <= JW_PACK_LEVEL_MOST ? (int)n : 0;
}

static bool check(const struct cli *cli, const struct export_args *a, struct jw_err *err)
{
    if (a->cache && !*a->cache)
        return jw_fail(err, JW_E_USAGE, "--cache: the name is empty");
    if (a->level && !level_of(a))
        return jw_fail(err, JW_E_USAGE, "--level %s: it goes from 1 to %d", a->level, JW_PACK_LEVEL_MOST);
    if (a->jobs > JW_MAX_JOBS)
        return jw_fail(err, JW_E_USAGE, "--jobs %u is more than %u", a->jobs, (unsigned)JW_MAX_JOBS);
    if (a->everything && a->paths.n)
        return jw_fail(err, JW_E_USAGE, "--everything is more than any paths: one or the other");
    if (a->everything && a->from_store)
        return jw_fail(err, JW_E_USAGE, "--everything is about the cache: not with --from-store");
    if (a->cache && a->from_store)
        return jw_fail(err, JW_E_USAGE, "--cache is not about the store: not with --from-store");
    if (!piped(a))
        return true;
    if (cli->common.json)
        return jw_fail(err, JW_E_USAGE,
                       "with -o - standard output is the pack, so that there is no room for --json");
    if (!a->dry_run && jw_term_is(stdout))
        return jw_fail(err, JW_E_USAGE,
                       "a pack is nothing for a terminal to show: -o FILE, or a pipe behind -o -");
    return true;
}

/* The user's patterns and those of jitwarm.conf; how large the store may be. */
static bool settle(struct run *r, struct jw_export_options *o, struct jw_err *err)
{
    struct jw_arena *a = r->cli->arena;
    struct jw_config config = { 0 };
    const char **all;

    if (!jw_config_load(a, &config, err))
        return false;
    for (size_t i = 0; i < config.warnings.n; i++)
        jw_story_warn(&r->cli->story, "%s", config.warnings.v[i]);
    all = jw_arena_alloc(a, (r->args->exclude.n + config.exclude.n + 1) * sizeof *all);
    if (!all)
        return jw_nomem(err, config.exclude.n * sizeof *all);
    for (size_t i = 0; i < r->args->exclude.n; i++)
        all[o->n_exclude++] = r->args->exclude.items[i];
    for (size_t i = 0; i < config.exclude.n; i++)
        all[o->n_exclude++] = config.exclude.v[i].value;
    o->exclude = all;
    o->store_cap = r->args->no_store ? 0 : jw_config_store_cap(&config);
    return true;
}

static int pack(struct run *r)
{
    const struct export_args *a = r->args;
    struct jw_sink to = { put, r->cli };
    struct jw_export_report report = { 0 };
    struct jw_err err = { 0 };
    struct jw_export_options o = { .paths = a->paths.items,
                                   .n_paths = a->paths.n,
                                   .gpus = a->gpus.items,
                                   .n_gpus = a->gpus.n,
                                   .cache = a->cache,
                                   .output = a->output,
                                   .stream = piped(a) ? &to : NULL,
                                   .everything = a->everything,
                                   .include_carried = a->include_carried,
                                   .from_store = a->from_store,
                                   .yes = a->yes,
                                   .dry_run = a->dry_run,
                                   .level = level_of(a),
                                   .threads = a->jobs,
                                   .key = a->sign && !a->dry_run ? &r->key : NULL,
                                   .interrupted = r->cli->interrupted,
                                   .progress = on_progress,
                                   .ctx = r };

    if (!a->yes && jw_term_is(stdin) && jw_term_is(stderr))
        o.ask = on_question;
    bool ok = settle(r, &o, &err) && jw_export(&o, r->cli->arena, &report, &err);

    jw_story_progress_end(&r->cli->story);
    r->view.report = &report;
    /* Without anybody to ask, what would leave is told with the refusal. */
    if (ok && report.end == JW_EXPORT_CONSENT && a->everything && !o.ask && !r->cli->common.json)
        ok = export_tell_listing(r->cli, &r->view, &err);
    ok = ok
         && (r->cli->common.json ? export_write_json(r->cli, &r->view, &err)
                                 : export_write_text(r->cli, &r->view, &err));
    return ok ? export_exit(report.end) : jw_cli_fail(r->cli, &err);
}

static int run(struct cli *cli, const void *p)
{
    const struct export_args *args = p;
    struct run r = { .cli = cli,
                     .args = args,
                     .view = { .dry_run = args->dry_run,
                               .everything = args->everything,
                               .stats = cli->common.stats,
                               .piped = piped(args) } };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check(cli, args, &err))
        return jw_cli_usage(cli, &err);
    if (args->sign && !args->dry_run) {
        code = jw_cli_secret_key(cli, args->sign, &r.key);
        jw_minisign_show_id(r.key_id, r.key.id);
        r.view.key = r.key_id;
    }
    if (code == EXIT_DONE)
        code = pack(&r);
    jw_secret_wipe(&r.key, sizeof r.key);
    return code;
}

static const struct example export_examples[] = {
    { "jitwarm export", "a pack of what was primed here, into this folder" },
    { "jitwarm export /opt/app -o app.tar.zst", "only the entries of one application" },
    { "jitwarm export --sign ~/.minisign/minisign.key --level 19", "small and signed, for many machines" },
    { "jitwarm export -o - | ssh node7 jitwarm import - --allow-unsigned", "to another machine at once" },
    { "jitwarm export --everything --dry-run", "what is in this cache that a pack would give away?" },
    { 0 },
};

const struct cmd jw_cmd_export = {
    .name = "export",
    .summary = "pack what was compiled here for machines of the same kind",
    .synopsis_args = "[PATH...]",
    .details =
        "Packs entries of the driver's cache: what a machine with the same driver build and the same GPU "
        "architecture takes over with jitwarm import, so that it compiles nothing of it. A pack is a "
        ".tar.zst; "
        "tar --zstd -tf lists it.\n\n"
        "With PATH, whatever scan takes, it is the entries of these files; without, of what was primed. An "
        "entry "
        "holds the source (PTX) of its kernels, so nothing else leaves; --everything tells first what all it "
        "would give away. The pack names packages and files, and no path, host, user or variable.\n\n"
        "A damaged entry, or one that a running program is about to write, is left out and told. FILE is "
        "replaced in one step: at any instant it is the old one or all of the new one. A file that is no "
        "pack is "
        "only replaced after a yes.\n\n"
        "--sign writes minisign's signature beside the pack, as FILE.minisig, and into it.\n\n"
        "The exit code is 0 when all that was asked for is in the pack; 1 when something was left out, or "
        "there "
        "was nothing to pack; 2 for a wrong option or path; 3 when the driver is not known or not understood "
        "well "
        "enough; 4 when the pack cannot be written; 6 for a key that cannot be used; 7 when a yes or a "
        "passphrase is "
        "lacking; 130 "
        "after Ctrl-C.",
    .examples = export_examples,
    .opts = export_opts,
    .args_size = sizeof(struct export_args),
    .positional_at = offsetof(struct export_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
