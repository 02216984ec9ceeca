/* export: entries of the driver's cache, as packs for machines of the same kind. prime --pack and push use it, too. */
#include "verbs/export.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cli/bar.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/secret_key.h"
#include "jitwarm/prime.h"
#include "machine/config.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "prime/absent_gpus.h"

#include <errno.h>
#include <string.h>

static const struct opt export_opts[] = {
    { "output", 'o', OPT_TEXT, offsetof(struct export_args, o.output), "FILE",
      "write the pack to this file or folder; - is standard output (default: this folder)", NULL,
      HINT_FILES },
    { "gpu", 0, OPT_LIST, offsetof(struct export_args, o.gpus), "GPU",
      "only entries for this GPU: its number, UUID, sm_86, 8.6, 10de:2484 or \"RTX 3070\", or all, which "
      "includes every GPU in the cache; several with commas, or repeated (default: the GPUs here)",
      NULL, HINT_GPUS },
    { "everything", 0, OPT_FLAG, offsetof(struct export_args, o.everything), NULL,
      "all entries of this driver in the cache, of any program; asks first", NULL, HINT_NONE },
    { "run", 0, OPT_REST, offsetof(struct export_args, run), "CMD...",
      "exactly what this command loads, as jitwarm prime --run CMD recorded it, also what is made while it "
      "runs; comes last",
      NULL, HINT_FILES },
    { "sign", 0, OPT_TEXT, offsetof(struct export_args, sign), "KEY",
      "sign with this secret key (jitwarm key --new, minisign); its passphrase is asked for on the terminal",
      NULL, HINT_GIVEN },
    OPT_CACHE(export_args, cache, "use this cache"),
    { "yes", 'y', OPT_FLAG, offsetof(struct export_args, o.yes), NULL,
      "do not ask: pack --everything, replace a file that is not a pack, sign entries of others", NULL,
      HINT_NONE },
    { "dry-run", 'n', OPT_FLAG, offsetof(struct export_args, o.dry_run), NULL,
      "show what would be packed, and write nothing", NULL, HINT_NONE },
    { 0 },
};

/* ---- the report ---- */

struct export_view {
    struct jw_export_report r;
    const struct jw_export_pack *none; /* the skipped entries if there is no pack, or NULL */
    bool dry_run, everything;
    bool to_stderr;
    bool pushes;            /* called by push */
    const char *key;        /* id of the signing key, or NULL */
    const char *public_key; /* its text, for --trust */
};

#define V struct export_view
#define P struct jw_export_pack
#define O struct jw_export_origin
#define SUM struct jw_export_sum

enum { LABEL = 10, SCREEN_ORIGINS = 12 };

static const struct jw_row sum_rows[] = {
    { JW_ROW("entries", SUM, entries) },
    { JW_ROW("bytes", SUM, bytes), JW_ABOUT("key + payload, as the driver counts") },
    { 0 },
};

static const struct jw_row left_out_rows[] = {
    { JW_ENUM_MAP("left_out", P, left_out, jw_export_why_names, sum_rows),
      JW_ABOUT("skipped entries, by reason") },
    { 0 },
};

static const struct jw_row origin_rows[] = {
    { JW_ROW("name", O, is.name), JW_NULLABLE,
      JW_ABOUT("a package, or the base name of a file; null: unknown") },
    { JW_ROW("version", O, is.version), JW_NULLABLE },
    { JW_PART(O, sum, sum_rows) },
    { JW_ARRAY("kernels", O, kernels, n_kernels, NULL),
      JW_ABOUT("with --everything: of its largest entries") },
    { 0 },
};

static const struct jw_row pack_rows[] = {
    { JW_SPELT("gpu", P, sm, &jw_spell_sm) },
    { JW_ROW("path", P, path), JW_NULLABLE, JW_ABOUT("null: standard output") },
    { JW_ROW("written", P, written), JW_ABOUT("it was written completely") },
    { JW_ROW("signature", P, signature), JW_NULLABLE, JW_ABOUT("the file of its signature, beside it") },
    { JW_ROW("kept", P, kept), JW_NULLABLE, JW_LABEL("Kept"),
      JW_ABOUT("its copy in the store of this machine") },
    { JW_PART(P, sum, sum_rows) },
    { JW_ROW("not_compiled_again", P, once), JW_ABOUT("entries that cannot be compiled again from their "
                                                      "keys: the driver linker's, NVRTC's, nvJitLink's") },
    { JW_ROW("packed_bytes", P, packed), JW_NULLABLE, JW_ABOUT("of the file") },
    { JW_SPELT("manifest_digest", P, manifest_digest, &jw_spell_digest), JW_IF(P, packed), JW_NULLABLE,
      JW_LABEL("Contents"), JW_ABOUT("BLAKE2b-256 of its manifest, which has the digests of all entries") },
    { JW_ROWS(left_out_rows) },
    { JW_LIST("origins", P, origins, n_origins, origin_rows) },
    { 0 },
};

/* ---- the first line ---- */

static enum jw_tint tint_of_end(enum jw_end end)
{
    switch (end) {
    case JW_END_DONE: return TINT_GOOD;
    case JW_END_NO_GPU:
    case JW_END_NOT_PROVEN:
    case JW_END_CANNOT_WRITE: return TINT_BAD;
    default: return TINT_WARN;
    }
}

static void show_export_end(struct jw_page *p, const void *of)
{
    const V *v = of;
    const struct jw_run *run = v->r.run;
    const char *what = v->pushes ? "Nothing was pushed" : "No pack was written";
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (run->end == JW_END_DONE || run->end == JW_END_PARTLY)
        return;
    if (run->end == JW_END_INTERRUPTED)
        what = v->pushes ? "Interrupted: nothing was pushed" : "Interrupted: no pack was written";
    for (size_t i = 0; i < v->r.n_packs; i++)
        if (v->r.packs[i].written)
            what = "Not all packs were written";
    jw_say(&text, "%s%s%s", what, run->why ? ": " : "", run->why ? run->why : "");
    jw_page_head(p, tint_of_end(run->end), &text);
}

/* "Packed 143 entries (312 MiB) into 41 MiB" */
static void show_pack_head(struct jw_page *page, const V *v, const P *p)
{
    jw_page_say(page, p->written ? tint_of_end(v->r.run->end) : TINT_STRONG, NULL, "%s %s (%s)%s%s",
                p->written ? "Packed" : "Would pack", JW_N(p->sum.entries, "entry", "entries"),
                JW_SIZE(p->sum.bytes), p->packed ? " into " : "", p->packed ? JW_SIZE(p->packed) : "");
    if (p->manifest->kit.n_files)
        jw_page_say(page, TINT_STRONG, "Others", "%s of other caches than the driver's, which are programs",
                    JW_N(p->manifest->kit.n_files, "file", "files"));
    jw_page_whole(page, TINT_STRONG, "Pack", "%s", p->path ? p->path : "standard output");
}

/* ---- one pack ---- */

static void show_for(struct jw_page *page, const V *v, const P *p)
{
    const struct jw_export_report *r = &v->r;

    jw_page_say(page, TINT_STRONG, "For", "sm_%u and %s%s%s%s%s", p->sm,
                r->driver_version ? "driver " : "the driver", r->driver_version ? r->driver_version : "",
                r->stamp ? ", build of " : "", r->stamp ? jw_stamp_text(r->stamp).text : "",
                r->stamp ? " only" : "");
}

static void put_origin(const V *v, struct jw_table *table, const O *o)
{
    struct jw_buf kernels = JW_LINE(table->arena);

    jw_table_cell(table, TINT_NONE,
                  o->is.name     ? o->is.name
                  : v->r.command ? "(made while it runs)"
                                 : "(unknown)");
    jw_table_cell(table, TINT_NONE, o->is.version ? o->is.version : "");
    jw_table_cellf(table, TINT_NONE, "%llu", (unsigned long long)o->sum.entries);
    jw_table_cell_bytes(table, o->sum.bytes);
    for (size_t i = 0; i < o->n_kernels; i++)
        jw_say(&kernels, "%s%s", i ? ", " : "", o->kernels[i]);
    if (v->everything)
        jw_table_cell(table, TINT_FAINT, jw_buf_cstr(&kernels));
}

static void show_origins(struct jw_page *page, const V *v, const P *p, size_t max)
{
    static const struct jw_column columns[] = { { "SOFTWARE", COLUMN_LEFT },
                                                { "VERSION", COLUMN_LEFT },
                                                { "ENTRIES", COLUMN_RIGHT },
                                                { "SIZE", COLUMN_RIGHT },
                                                { "KERNELS", COLUMN_TEXT } };
    struct jw_table table;

    jw_table_begin(&table, page->arena, columns, v->everything ? 5 : 4);
    for (size_t i = 0; i < p->n_origins && i < max; i++)
        put_origin(v, &table, &p->origins[i]);
    jw_page_table(page, &table);
    jw_page_more(page, NULL, max, p->n_origins, "more", "more");
}

static void show_once(struct jw_page *page, const P *p)
{
    if (p->once)
        jw_page_say(page, TINT_WARN, "Once",
                    "%s cannot be compiled again from here: import takes %s with a trusted signature only",
                    JW_N(p->once, "entry", "entries"), p->once == 1 ? "it" : "them");
}

static void show_left_out(struct jw_page *page, const void *of)
{
    const P *p = of;
    static const struct {
        const char *one, *many;
    } words[JW_EXPORT_WHYS] = {
        [JW_EXPORT_MISSING] = { "is not in the cache: not primed, or evicted since",
                                "are not in the cache: not primed, or evicted since" },
        [JW_EXPORT_DAMAGED] = { "is damaged or half-written (jitwarm status --check)",
                                "are damaged or half-written (jitwarm status --check)" },
        [JW_EXPORT_UNREAD] = { "could not be read", "could not be read" },
        [JW_EXPORT_CHANGED] = { "was changed during the export; export again",
                                "were changed during the export; export again" },
        [JW_EXPORT_OTHERS] = { "is of another driver, or shows no GPU",
                               "are of another driver, or show no GPU" },
    };
    bool first = true;

    for (size_t i = 0; i < JW_EXPORT_WHYS; i++) {
        const SUM *s = &p->left_out[i];

        if (!s->entries)
            continue;
        jw_page_say(page, TINT_WARN, first ? "Skipped" : "", "%s %s", JW_N(s->entries, "entry", "entries"),
                    s->entries == 1 ? words[i].one : words[i].many);
        first = false;
    }
}

static void show_signature(struct jw_page *page, const V *v, const P *p)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!p->written)
        return;
    if (v->key)
        jw_say(&text, "with key %s", v->key);
    else
        jw_say(&text, "no: who can change the pack decides what the other machine runs (--sign KEY)");
    if (p->signature)
        jw_say(&text, ": %s beside the pack, and in it", jw_path_base(p->signature));
    jw_page_line(page, TINT_STRONG, "Signed", &text);
}

/* A pack whose signature is checked works on any machine of this kind, even if jitwarm does not find the
 * software there. From an unsigned pack, import takes only entries of software that it finds; if it finds
 * none, it names the other ways. */
static void show_import_command(struct jw_page *page, const V *v, const P *p)
{
    struct jw_buf text = JW_LINE(page->arena);

    if (!p->written || !p->path)
        return;
    jw_command_line(&text, (const char *const[]){ "jitwarm", "import", jw_path_base(p->path), NULL },
                    jw_os_is_windows());
    if (v->key)
        jw_say(&text, " --trust %s", v->public_key);
    else
        jw_buf_text(&text, " --allow-unsigned");
    if (v->key || v->everything)
        jw_buf_text(&text, " --everything   # also for software that is not found there");
    jw_page_whole(page, TINT_STRONG, "Use it", "%s", jw_buf_cstr(&text));
}

static void show_export_pack(struct jw_page *page, const V *v, const P *p)
{
    show_pack_head(page, v, p);
    show_for(page, v, p);
    show_origins(page, v, p, page->verbose ? SIZE_MAX : SCREEN_ORIGINS);
    show_once(page, p);
    show_left_out(page, p);
    show_signature(page, v, p);
    if (p->written)
        jw_page_rows(page, TINT_FAINT, pack_rows, p);
    show_import_command(page, v, p);
}

/* ---- all packs ---- */

static void show_packs(struct jw_page *page, const void *of)
{
    const V *v = of;

    for (size_t i = 0; i < v->r.n_packs; i++)
        if (v->r.packs[i].written || v->dry_run)
            show_export_pack(page, v, &v->r.packs[i]);
}

static const struct jw_row driver_rows[] = {
    { JW_ROW("version", struct jw_export_report, driver_version), JW_NULLABLE },
    { JW_ROW("build", struct jw_export_report, build), JW_NULLABLE,
      JW_ABOUT("identity of the driver's library") },
    JW_STAMP(struct jw_export_report, stamp),
    { JW_ROW("asked", struct jw_export_report, asked),
      JW_ABOUT("the driver responded; false: these are values of the last driver seen here") },
    { 0 },
};

static const struct jw_row end_rows[] =
    JW_RUN_END(JW_CAN(DONE) | JW_CAN(PARTLY) | JW_CAN(NOTHING) | JW_CAN(NOT_PROVEN) | JW_CAN(NO_GPU)
               | JW_CAN(CANNOT_WRITE) | JW_CAN(CONSENT) | JW_CAN(INTERRUPTED));

static const struct jw_row rows[] = {
    { JW_PART_AT(V, r.run, end_rows) },
    { JW_TEXT_ALONE(show_export_end) },
    { JW_ROW("dry_run", V, dry_run) },
    { JW_SUB("driver", V, r, driver_rows) },
    { JW_ROW("cache", V, r.cache), JW_NULLABLE, JW_ABOUT("of the cache") },
    { JW_ROW("command", V, r.command), JW_NULLABLE, JW_ABOUT("with --run: whose entries these are") },
    { JW_ROW("key", V, key), JW_NULLABLE, JW_ABOUT("id of the key that the packs are signed with") },
    { JW_LIST("packs", V, r.packs, r.n_packs, pack_rows), JW_SHOW(show_packs),
      JW_ABOUT("one for each architecture") },
    { JW_PART_AT(V, none, left_out_rows), JW_IF(V, none), JW_SHOW(show_left_out) },
    { JW_PART_AT(V, r.run, jw_run_says), JW_SHOW(jw_page_says) },
    { JW_LAST_LINE(V, r.stamp) },
    { 0 },
};

const struct jw_form export_form = { .verb = "export",
                                     .about =
                                         "The packs that were written, their contents, and skipped entries.",
                                     .rows = rows,
                                     .label = LABEL,
                                     .tint = TINT_STRONG };

static bool print_report(struct cli *cli, const V *v, struct jw_err *err)
{
    return v->to_stderr ? jw_cli_report_stderr(cli, &export_form, v, err)
                        : jw_cli_report(cli, &export_form, v, err);
}

/* Prints what would be packed, before the question. */
static bool print_listing(struct cli *cli, const V *v, struct jw_err *err)
{
    struct jw_page page;

    jw_page_open_stderr(&page, cli, LABEL, err);
    for (size_t i = 0; i < v->r.n_packs; i++) {
        show_for(&page, v, &v->r.packs[i]);
        show_origins(&page, v, &v->r.packs[i], SIZE_MAX);
    }
    return jw_page_close(&page, cli);
}

static int export_exit(enum jw_end end)
{
    return end == JW_END_NOTHING ? EXIT_PARTLY : jw_cli_exit(end);
}

int export_pushes_none(struct cli *cli, const struct jw_export_report *made, struct jw_err *err)
{
    V view = { .r = *made, .to_stderr = true, .pushes = true };

    view.r.n_packs = 0; /* they are removed */
    return print_report(cli, &view, err) ? export_exit(made->run->end) : jw_cli_fail(cli, err);
}

struct export_cmd {
    struct cli *cli;
    const struct export_args *args;
    V view;
    struct jw_minisign_secret key;
    char key_id[17], public_key[JW_MINISIGN_LINE + 1];
    uint64_t began;   /* packing; 0: not yet */
    uint64_t printed; /* the last line, without a terminal */
};

/* ---- progress ---- */

static void show_bytes(struct export_cmd *r, uint64_t done, uint64_t total)
{
    static const uint64_t between_lines = 5000000000;
    struct jw_messages *s = &r->cli->messages;
    uint64_t now = jw_time_monotonic_ns();
    struct jw_buf line = JW_BUF(JW_MAX_LINE); /* many of them */

    if (!r->began)
        r->began = r->printed = now;
    if (s->terminal) {
        if (jw_messages_block_due(s)) {
            jw_bar_line(&line, done, total, (double)(now - r->began) / 1e9, s->columns);
            jw_messages_block(s, jw_buf_cstr(&line));
        }
    } else if (now - r->printed >= between_lines) {
        r->printed = now;
        jw_bar_line(&line, done, total, (double)(now - r->began) / 1e9, 0);
        jw_messages_say(s, "packing: %s", jw_buf_cstr(&line));
    }
    jw_buf_free(&line);
}

static void show_packing(void *ctx, const struct jw_progress *p)
{
    struct export_cmd *r = ctx;

    if (p->total)
        show_bytes(r, p->done, p->total);
    else
        jw_cli_progress(r->cli, p);
}

/* ---- questions ---- */

static bool ask_with_listing(void *ctx, const char *question, bool usual)
{
    struct export_cmd *r = ctx;
    struct jw_err err = { 0 };

    if (r->args->o.everything) {
        jw_messages_progress_end(&r->cli->messages);
        if (!print_listing(r->cli, &r->view, &err))
            return false;
    }
    return jw_cli_ask(r->cli, stdin, question, usual);
}

/* ---- standard output ---- */

/* A closed pipe is an error, because the reader has only a part of the pack. */
static bool put_output(void *ctx, const void *p, size_t n, struct jw_err *err)
{
    struct cli *cli = ctx;

    errno = 0;
    if (fwrite(p, 1, n, cli->out.to) == n && fflush(cli->out.to) == 0)
        return true;
    if (errno == EPIPE)
        return jw_fail(err, JW_E_IO, "standard output was closed before the whole pack was written");
    return jw_fail(err, JW_E_IO, "standard output: %s", strerror(errno ? errno : EIO));
}

static bool piped(const struct export_args *a)
{
    return a->o.output && strcmp(a->o.output, "-") == 0;
}

/* ---- the run ---- */

static bool check_export_args(const struct cli *cli, const struct export_args *a, struct jw_err *err)
{
    if (a->o.everything && a->o.paths.n)
        return jw_fail(err, JW_E_USAGE, "--everything and PATH cannot be combined");
    if (a->run.n && (a->o.everything || a->o.paths.n))
        return jw_fail(err, JW_E_USAGE, "--run cannot be combined with %s",
                       a->o.everything ? "--everything" : "PATH");
    if (!piped(a))
        return true;
    if (cli->common.json)
        return jw_fail(err, JW_E_USAGE, "-o - and --json cannot be combined: both use standard output");
    if (!a->o.dry_run && jw_term_is(stdout))
        return jw_fail(err, JW_E_USAGE, "cannot write a pack to a terminal; use -o FILE or a pipe");
    return true;
}

/* Adds what jitwarm.conf sets. */
static void read_config(struct export_cmd *r, struct jw_export_options *o)
{
    const struct jw_config *config = jw_session_config(&r->cli->session);

    for (size_t i = 0; i < config->warnings.n; i++)
        jw_messages_warn(&r->cli->messages, "%s", config->warnings.v[i]);
    o->store_cap = r->args->no_store ? 0 : jw_config_store_cap(config);
    r->cli->session.exclude = r->args->exclude.items;
    r->cli->session.n_exclude = r->args->exclude.n;
}

static int export_and_print(struct export_cmd *r)
{
    const struct export_args *a = r->args;
    struct jw_sink to = { put_output, r->cli };
    struct jw_err err = { 0 };
    char *command = a->run.n ? jw_prime_command(a->run.items) : NULL;
    struct jw_export_options o = a->o;
    struct jw_run run = jw_cli_run(r->cli);

    o.command = command ? jw_arena_str(r->cli->arena, command) : NULL;
    o.argv = a->run.items;
    o.stream = piped(a) ? &to : NULL;
    o.key = a->sign && !a->o.dry_run ? &r->key : NULL;
    jw_free(command);
    r->cli->session.cache = a->cache;
    run.progress = show_packing;
    run.ask = run.ask && !a->o.yes ? ask_with_listing : NULL;
    run.ctx = r;
    read_config(r, &o);
    bool ok = jw_export(&run, &o, &r->view.r, &err);

    jw_messages_progress_end(&r->cli->messages);
    r->view.none = r->view.r.n_packs ? NULL : r->view.r.packs;
    if (ok && run.end == JW_END_CONSENT && a->o.everything && !run.ask
        && (r->view.to_stderr || !r->cli->common.json))
        ok = print_listing(r->cli, &r->view, &err);
    ok = ok && print_report(r->cli, &r->view, &err);
    r->view.r = (struct jw_export_report){ 0 }; /* its run ends here */
    return ok ? export_exit(run.end) : jw_cli_fail(r->cli, &err);
}

static void show_key(struct export_cmd *r)
{
    struct jw_minisign_public key = jw_minisign_public_of(&r->key);

    jw_minisign_show_id(r->key_id, key.id);
    jw_minisign_show_public(r->public_key, &key);
    r->view.key = r->key_id;
    r->view.public_key = r->public_key;
}

static int export_one(struct cli *cli, const struct export_args *args, bool to_stderr)
{
    struct export_cmd r = { .cli = cli,
                            .args = args,
                            .view = { .dry_run = args->o.dry_run,
                                      .everything = args->o.everything,
                                      .to_stderr = to_stderr || piped(args) } };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check_export_args(cli, args, &err))
        return jw_cli_usage(cli, &err);
    if (args->sign && !args->o.dry_run) {
        code = jw_cli_secret_key(cli, args->sign, &r.key);
        if (code == EXIT_DONE)
            show_key(&r);
    }
    if (code == EXIT_DONE)
        code = export_and_print(&r);
    jw_secret_wipe(&r.key, sizeof r.key);
    return code;
}

/* prime --gpu has a separate cache for GPUs that are not here. */
int export_run(struct cli *cli, const struct export_args *args, bool to_stderr)
{
    struct export_args here = *args, there = *args;
    struct jw_err err = { 0 };

    if (args->cache || !args->o.gpus.n)
        return export_one(cli, args, to_stderr);
    if (!jw_absent_gpus_split(&cli->session, &here.o.gpus, &there.o.gpus, cli->arena, &err))
        return jw_cli_fail(cli, &err);
    if (!there.o.gpus.n)
        return export_one(cli, &here, to_stderr);
    there.cache = jw_absent_gpus_kept(cli->arena);
    if (here.o.gpus.n && args->o.output && (piped(args) || !jw_is_folder(args->o.output))) {
        (void)jw_fail(&err, JW_E_USAGE, JW_EXPORT_SEVERAL);
        return jw_cli_usage(cli, &err);
    }

    int code = here.o.gpus.n ? export_one(cli, &here, to_stderr) : EXIT_DONE,
        other = export_one(cli, &there, to_stderr);

    return code == EXIT_DONE ? other : code;
}

/* ---- the verb ---- */

static int run(struct cli *cli, const void *args)
{
    return export_run(cli, args, false);
}

static const struct example export_examples[] = {
    { "jitwarm export", "a pack of what was primed here, into this folder" },
    { "jitwarm export /opt/app -o app.tar.zst", "only the entries of one application" },
    { "jitwarm export --sign ~/.minisign/minisign.key", "signed, for many machines" },
    { "jitwarm export -o - | ssh node7 jitwarm import - --allow-unsigned", "directly to another machine" },
    { "jitwarm export -o serve.tar.zst --run python serve.py", "what a command loads (jitwarm prime --run)" },
    { "jitwarm export --everything --dry-run", "list what such a pack would disclose" },
    { 0 },
};

const struct cmd jw_cmd_export = {
    .name = "export",
    .summary = "pack compiled code for machines of the same kind",
    .synopsis_args = "[PATH...]",
    .details =
        "Packs entries of the driver's cache. A machine with the same driver build and the same GPU "
        "architecture takes them over with jitwarm import and does not compile them. A pack is a .tar.zst; "
        "tar --zstd -tf lists it.\n\n"
        "With PATH (a file or folder, as for scan) export packs the entries of these files; without PATH, of "
        "what was primed. An entry holds the source (PTX) of its kernels, so export packs nothing else. "
        "--run CMD packs the entries that this command used or made when jitwarm prime "
        "--run CMD ran it, of any compiler; import takes all of them. --everything first shows what it would "
        "disclose. The pack names packages and files, but no path, host, user or variable.\n\n"
        "export skips and reports a damaged entry, or one that a running program is writing. It replaces "
        "FILE in one step. A file that is not a pack is only replaced with --yes.\n\n"
        "--sign writes a minisign signature beside the pack, as FILE.minisig, and into it. export asks "
        "before it signs entries of imported packs that no trusted key signed.\n\n"
        "The exit code is 0 when everything you asked for is in the pack; 1 when something was skipped or "
        "there was nothing to pack; 2 for a wrong option or path; 3 when the driver is unknown or its cache "
        "format is; 4 when the pack cannot be written; 6 for a key that cannot be used; 7 "
        "when --yes or a passphrase is missing; 130 after Ctrl-C.",
    .examples = export_examples,
    .opts = export_opts,
    .often = "output gpu sign run everything cache yes dry-run",
    .args_size = sizeof(struct export_args),
    .positional_at = offsetof(struct export_args, o.paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .run = run,
};
