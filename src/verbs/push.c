/* push: packs of what is compiled here, into a registry or a folder. */
#include "verbs/push.h"

#include "base/command.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/memory/state_folder.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/secret_key.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "verbs/export.h"
#include "verbs/prime.h"

#include <stdio.h>
#include <string.h>

static const struct opt push_opts[] = {
    { "sign", 0, OPT_TEXT, offsetof(struct push_args, sign), "KEY",
      "sign each layer with this secret key (jitwarm key --new); its passphrase is asked for on the terminal",
      NULL, HINT_GIVEN },
    { "gpu", 0, OPT_LIST, offsetof(struct push_args, gpus), "GPU",
      "only entries for this GPU: its number, UUID, sm_86, 8.6 or \"RTX 3070\"; several with commas, or "
      "repeated (default: this machine's GPUs)",
      NULL, HINT_GPUS },
    { "driver-files", 0, OPT_LIST, offsetof(struct push_args, driver_files), "DIR",
      "compile for each --gpu what REF does not have, on this machine without a GPU: with NVIDIA's driver, "
      "unpacked (sh NVIDIA-Linux-x86_64-VERSION.run --extract-only); several, with commas or repeated, for a "
      "matrix",
      NULL, HINT_DIRS },
    { "jobs", 'j', OPT_UINT, offsetof(struct push_args, jobs), "N",
      "with --driver-files: number of parallel workers (default: all CPUs)", NULL, HINT_NONE },
    { "exclude", 0, OPT_LIST, offsetof(struct push_args, exclude), "PATTERN",
      "with --driver-files: skip files and folders with this name; may be repeated", NULL, HINT_NONE },
    { "all", 0, OPT_FLAG, offsetof(struct push_args, all), NULL,
      "with --driver-files: also NVIDIA's own libraries, and modules that are loaded on demand only", NULL,
      HINT_NONE },
    { "pack", 0, OPT_LIST, offsetof(struct push_args, packs), "FILE",
      "push this pack file instead of entries of the cache; may be repeated", NULL, HINT_GIVEN },
    { "replace", 0, OPT_FLAG, offsetof(struct push_args, replace), NULL,
      "keep no layer of earlier pushes (default: keep those of other software)", NULL, HINT_NONE },
    NET_OPT_CACERT(push_args),
    NET_OPT_DEADLINE(push_args),
    { 0 },
};

/* ---- the report ---- */

struct push_view {
    struct jw_push_report r;
    const struct jw_ref *ref;
    const char *to, *public_key; /* the key's text: of what signed the packs here, or NULL */
    bool changed;
    bool a_part; /* of a matrix, which says at its end how its packs are used */
};

#define V struct push_view
#define K struct jw_push_kind
#define L struct jw_push_layer

static const struct jw_row layer_rows[] = {
    { JW_ROW("software", L, software) },
    { JW_ROW("digest", L, digest), JW_NULLABLE, JW_PATTERN(NET_SHA) },
    { JW_ROW("bytes", L, size) },
    { JW_ROW("entries", L, entries) },
    { JW_ROW("key", L, key), JW_NULLABLE,
      JW_ABOUT("id of the key that signed it, as its pusher says; null: unsigned") },
    { JW_ROW("moved", L, moved) },
    { JW_ROW("kept", L, kept), JW_ABOUT("of an earlier push of other software") },
    { 0 },
};

static const struct jw_row kind_rows[] = {
    { JW_ROW("tag", K, tag) },
    { JW_ROW("digest", K, digest), JW_NULLABLE, JW_LABEL("Digest"), JW_PATTERN(NET_SHA),
      JW_ABOUT("of the manifest") },
    { JW_ROW("driver", K, driver), JW_NULLABLE },
    JW_STAMP(K, stamp),
    { JW_ROW("system", K, system) },
    { JW_SPELT("gpu", K, sm, &jw_spell_sm) },
    { JW_ROW("replaced", K, replaced),
      JW_ABOUT("layers of earlier pushes that the manifest no longer names") },
    { JW_LIST("layers", K, layers, n, layer_rows) },
    { 0 },
};

static void show_push_head(struct jw_page *p, const void *of)
{
    const struct jw_push_report *r = &((const V *)of)->r;
    uint64_t left = r->layers - r->layers_moved;

    if (!r->layers_moved)
        jw_page_say(p, TINT_GOOD, NULL, "Nothing to push: %s%s (%s) %s there already",
                    r->layers == 1 ? "" : "all ", JW_N(r->layers, "layer", "layers"), JW_SIZE(r->bytes),
                    r->layers == 1 ? "is" : "are");
    else if (left)
        jw_page_say(p, TINT_GOOD, NULL, "Pushed %s (%s); %llu more %s there already",
                    JW_N(r->layers_moved, "layer", "layers"), JW_SIZE(r->bytes_moved),
                    (unsigned long long)left, left == 1 ? "was" : "were");
    else
        jw_page_say(p, TINT_GOOD, NULL, "Pushed %s (%s)", JW_N(r->layers_moved, "layer", "layers"),
                    JW_SIZE(r->bytes_moved));
}

/* Of one kind: its layers. Of several: each row says of which kind it is. */
static void show_layers(struct jw_page *p, const K *kinds, size_t n)
{
    static const struct jw_column columns[] = { { "DRIVER", COLUMN_LEFT },   { "GPU", COLUMN_LEFT },
                                                { "LAYER", COLUMN_LEFT },    { "SIZE", COLUMN_RIGHT },
                                                { "ENTRIES", COLUMN_RIGHT }, { "SOFTWARE", COLUMN_TEXT } };
    size_t skipped = n == 1 ? 2 : 0, all = 0, shown = 0;
    struct jw_table table;

    for (size_t k = 0; k < n; k++)
        all += kinds[k].n;
    size_t max = net_layers_shown(p, all);

    jw_table_begin(&table, p->arena, columns + skipped, JW_COUNT(columns) - skipped);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < kinds[k].n && shown < max; i++, shown++) {
            const L *l = &kinds[k].layers[i];

            if (!skipped) {
                jw_table_cell(&table, TINT_NONE,
                              kinds[k].driver ? kinds[k].driver : jw_stamp_text(kinds[k].stamp).text);
                jw_table_cellf(&table, TINT_NONE, "sm_%u", (unsigned)kinds[k].sm);
            }
            jw_table_cell(&table, l->moved ? TINT_GOOD : TINT_FAINT,
                          l->kept    ? "kept"
                          : l->moved ? "pushed"
                                     : "there");
            jw_table_cell_bytes(&table, l->size);
            jw_table_cell_count(&table, l->entries);
            jw_table_cell(&table, TINT_NONE, l->software);
        }
    net_show_layers(p, &table, max, all);
}

/* As export's last line: it works where it is pasted, also where jitwarm does not find the software by itself. Of packs
 * that were signed before, only their signer has the public key. The second line is for good; a folder is the same one for
 * each run of a machine only by its whole name. */
static void show_use(struct jw_page *p, const V *v, bool is_signed)
{
    bool windows = jw_os_is_windows(), lasts = is_signed && v->public_key;
    const char *key = v->public_key ? v->public_key : "KEY", *note = "   # KEY: the public key of the signer";
    struct jw_buf text = JW_LINE(p->arena);

    jw_command_line(&text, (const char *const[]){ "jitwarm", "pull", v->to, NULL }, windows);
    if (is_signed)
        jw_say(&text, " --trust %s", key);
    else
        jw_buf_text(&text, " --allow-unsigned");
    jw_say(&text, " --everything%s", is_signed && !lasts ? note : "");
    jw_page_whole(p, TINT_STRONG, "Use it", "%s", jw_buf_cstr(&text));
    if (lasts && (v->ref->kind != JW_REF_FOLDER || jw_path_absolute(v->to))) {
        jw_buf_clear(&text);
        if (!windows)
            jw_buf_text(&text, "sudo ");
        jw_command_line(&text,
                        (const char *const[]){ "jitwarm", "startup", "install", "--system", "--source", v->to,
                                               "--trust", key, NULL },
                        windows);
        jw_page_whole(p, TINT_STRONG, "Or enrol", "%s", jw_buf_cstr(&text));
    }
}

/* How many layers stayed, and went. */
static void show_earlier(struct jw_page *p, const K *kinds, size_t n)
{
    const char *key = NULL;
    uint64_t kept = 0, replaced = 0;

    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < kinds[k].n; i++)
            kept += kinds[k].layers[i].kept;
        replaced += kinds[k].replaced;
        key = kinds[k].replaced_key ? kinds[k].replaced_key : key;
    }
    if (kept)
        jw_page_say(p, TINT_NONE, "Kept", "%s of earlier pushes (to remove: --replace)",
                    JW_N(kept, "layer", "layers"));
    if (replaced)
        jw_page_say(p, key ? TINT_WARN : TINT_NONE, "Replaced", "%s of earlier pushes%s%s",
                    JW_N(replaced, "layer", "layers"), key ? ", signed by key " : "", key ? key : "");
}

static void show_kind(struct jw_page *p, const V *v, const K *k)
{
    show_layers(p, k, 1);
    show_earlier(p, k, 1);
    net_show_for(p, k->driver, k->stamp, k->sm);
    jw_page_whole(p, TINT_NONE, "To", "%s", jw_ref_with_tag(v->ref, k->tag, p->arena));
    jw_page_rows(p, TINT_FAINT, kind_rows, k);
}

static void show_kinds(struct jw_page *p, const void *of)
{
    const V *v = of;

    if (v->r.n == 1 || p->verbose) {
        for (size_t i = 0; i < v->r.n; i++)
            show_kind(p, v, &v->r.kinds[i]);
    } else if (v->r.n) {
        show_layers(p, v->r.kinds, v->r.n);
        show_earlier(p, v->r.kinds, v->r.n);
        jw_page_whole(p, TINT_NONE, "To", "%s", v->to);
    }
}

static bool all_signed(const struct jw_push_report *r)
{
    for (size_t k = 0; k < r->n; k++)
        for (size_t i = 0; i < r->kinds[k].n; i++)
            if (!r->kinds[k].layers[i].key && !r->kinds[k].layers[i].kept)
                return false;
    return true;
}

static void show_push_end(struct jw_page *p, const void *of)
{
    const V *v = of;

    if (v->r.n && !v->a_part)
        show_use(p, v, all_signed(&v->r));
    if (v->r.n)
        jw_page_end(p, v->r.kinds[0].stamp);
}

static const struct jw_row rows[] = {
    { JW_TEXT_ALONE(show_push_head) },
    { JW_ROW("to", V, to) },
    { JW_ROW("changed", V, changed), JW_ABOUT("a layer was sent") },
    { JW_ROW("layers", V, r.layers) },
    { JW_ROW("layers_moved", V, r.layers_moved) },
    { JW_ROW("bytes", V, r.bytes) },
    { JW_ROW("bytes_moved", V, r.bytes_moved) },
    { JW_LIST("kinds", V, r.kinds, r.n, kind_rows), JW_SHOW(show_kinds) },
    { JW_ROW("milliseconds", V, r.milliseconds) },
    { JW_TEXT_ALONE(show_push_end) },
    { 0 },
};

const struct jw_form push_form = {
    .verb = "push", .about = "What the remote has now, and what was sent.", .rows = rows, .label = NET_LABEL
};

/* ---- the run ---- */

struct run {
    struct cli *cli;
    const struct push_args *args;
    struct jw_ref ref;
    const struct jw_minisign_secret *key;
    struct prime_progress progress;
    char *work;  /* temporary folder for packs */
    bool matrix; /* --driver-files: `made` has what to push */
    struct push_made made;
};

/* Makes one pack for each piece of software. */
static bool prepare_export(struct run *r, struct jw_export_options *o, struct jw_err *err)
{
    const struct push_args *a = r->args;
    struct jw_arena *arena = r->cli->arena;

    *o = (struct jw_export_options){ .paths = { a->words.items + 1, a->words.n - 1 },
                                     .gpus = r->matrix ? r->made.gpus : a->gpus,
                                     .by_origin = true,
                                     .key = a->sign ? r->key : NULL };
    if (!jw_state_scratch(JW_STATE_PUSH, arena, &r->work, err))
        return false;
    r->cli->session.cache = r->matrix ? r->made.cache : r->cli->common.cache;
    o->output = r->work;
    return true;
}

/* Shows push's own work as one more phase of a prime. */
static void show_progress(void *ctx, const struct jw_progress *p)
{
    struct run *r = ctx;
    bool sends = strcmp(p->what, JW_PUSH_SENDING) == 0;
    const struct jw_prime_progress own = { .phase = sends ? JW_PHASE_SEND : JW_PHASE_PACK,
                                           .at = p->what,
                                           .done_bytes = p->done,
                                           .total_bytes = p->total,
                                           .eta = -1 };
    const struct jw_progress as_phase = { .what = p->what, .prime = p->prime ? p->prime : &own };

    if (p->prime || r->progress.stream || r->progress.whole)
        prime_progress_show(&r->progress, &as_phase);
    else
        jw_cli_progress(r->cli, p);
}

static bool show_pushed(struct run *r, const struct jw_push_report *report, struct jw_err *err)
{
    struct jw_minisign_public key = { 0 };
    char text[JW_MINISIGN_LINE + 1];
    V v = { .r = *report,
            .ref = &r->ref,
            .to = r->ref.text,
            .changed = report->layers_moved > 0,
            .a_part = r->matrix };

    if (r->args->sign)
        key = jw_minisign_public_of(r->key);
    jw_minisign_show_public(text, &key);
    v.public_key = r->args->sign ? text : NULL;
    return jw_cli_report(r->cli, &push_form, &v, err);
}

bool push_print_all(struct cli *cli, const struct jw_ref *ref, const char *public_key, bool nothing,
                    struct jw_err *err)
{
    const V v = { .ref = ref, .to = ref->text, .public_key = public_key };
    struct jw_page page;

    if (cli->common.json)
        return !nothing || jw_cli_report(cli, &push_form, &v, err);
    jw_page_open(&page, cli, NET_LABEL, err);
    show_use(&page, &v, public_key != NULL);
    return jw_page_close(&page, cli);
}

static int show_push(struct run *r, const struct jw_push_report *report, struct jw_err *err)
{
    const struct jw_run *made = report->made.run; /* NULL: the packs were given */

    if (made && made->end != JW_END_DONE && made->end != JW_END_PARTLY)
        return export_pushes_none(r->cli, &report->made, err);
    if (made && made->end == JW_END_PARTLY)
        jw_messages_warn(&r->cli->messages, "%s",
                         made->why ? made->why : "some entries are not in the cache");
    if (report->other_files)
        jw_messages_warn(&r->cli->messages,
                         "%s of other caches are in what was pushed, and pull does not place them: they are "
                         "programs, and come by file alone (jitwarm import PACK)",
                         JW_N(report->other_files, "file", "files"));
    return show_pushed(r, report, err) ? EXIT_DONE : jw_cli_fail(r->cli, err);
}

static int push_and_show(struct run *r)
{
    struct jw_export_options make = { 0 };
    struct jw_push_report report;
    struct jw_err err = { 0 };
    const struct push_args *a = r->args;
    struct jw_run run = jw_cli_run(r->cli);
    struct jw_push_options o = { .net = r->matrix ? r->made.net : net_options(r->cli, &a->net, &r->ref),
                                 .ref = &r->ref,
                                 .make = a->packs.n ? NULL : &make,
                                 .packs = a->packs.items,
                                 .n_packs = a->packs.n,
                                 .run = &run };

    run.ask = NULL;
    run.progress = show_progress;
    run.ctx = r;
    o.replace = a->replace;
    o.inputs = r->made.part.v;
    o.n_inputs = r->made.part.n;
    bool ok = (a->packs.n || prepare_export(r, &make, &err)) && jw_push(&o, r->cli->arena, &report, &err);

    jw_messages_progress_end(&r->cli->messages);
    jw_scratch_remove(r->work);

    int code = ok ? show_push(r, &report, &err) : jw_cli_fail(r->cli, &err);

    uint64_t entries = 0;

    for (size_t i = 0; ok && i < report.n; i++)
        for (size_t k = 0; k < report.kinds[i].n; k++)
            entries += report.kinds[i].layers[k].entries;
    if (!r->matrix)
        prime_progress_end(&r->progress, ok ? report.made.run : NULL, entries, entries, code);
    return code;
}

static bool several_drivers(const struct push_args *a)
{
    return a->driver_files.n > 1 || strchr(a->driver_files.items[0], ',') != NULL;
}

static bool check_push(struct run *r, struct jw_err *err)
{
    const struct push_args *a = r->args;
    const char *cache = r->cli->common.cache;

    if (a->driver_files.n && (a->words.n < 2 || !a->gpus.n || cache || a->packs.n))
        return jw_fail(err, JW_E_USAGE,
                       a->words.n < 2 ? "--driver-files: name the files to compile, behind REF"
                       : !a->gpus.n   ? "--driver-files: name the GPUs, as in --gpu sm_86,sm_89"
                                      : "--driver-files has a cache of its own: not with --cache or --pack");
    if (!a->driver_files.n && (a->jobs || a->exclude.n || a->all))
        return jw_fail(err, JW_E_USAGE, "--jobs, --exclude and --all belong to --driver-files");
    if (r->cli->common.progress && r->cli->common.json)
        return jw_fail(err, JW_E_USAGE, "--progress json and --json both write to standard output");
    if (a->driver_files.n > 0 && r->cli->common.json && several_drivers(a))
        return jw_fail(err, JW_E_USAGE, "--json: one driver only, because each has its own report");
    if (a->packs.n && (a->words.n > 1 || a->sign || a->gpus.n || cache))
        return jw_fail(err, JW_E_USAGE, "--pack cannot be combined with PATH, --sign, --gpu or --cache");
    return jw_ref_parse(a->words.items[0], r->cli->arena, &r->ref, err)
           && (r->ref.kind != JW_REF_WEB
               || jw_fail(err, JW_E_USAGE,
                          "%.200s can only be read: push into a folder that this web server shows, or to a "
                          "registry (oci://HOST/NAME)",
                          r->ref.text));
}

/* In a run with a driver: plans, or compiles and pushes. */
static int push_inside(struct run *r)
{
    struct jw_minisign_public key = { 0 };
    char id[17];

    if (r->args->sign)
        key = jw_minisign_public_of(r->key);
    jw_minisign_show_id(id, key.id);
    r->matrix = true;

    int made =
        push_drivers_inside(r->cli, r->args, &r->ref, r->args->sign ? id : NULL, &r->progress, &r->made);

    if (!r->made.gpus.n)
        return made;

    int code = push_and_show(r);

    return push_drivers_pushed(r->cli, &r->made, &r->progress, made > code ? made : code);
}

/* From the run that asked for its passphrase, by way of standard input. */
static bool key_from_input(struct jw_minisign_secret *key, struct jw_err *err)
{
    (void)setvbuf(stdin, NULL, _IONBF, 0); /* no buffer keeps a copy */
    return fread(key, sizeof *key, 1, stdin) == 1
           || jw_fail(err, JW_E_IO, "the key for signing did not arrive");
}

/* The key is asked for before long work. */
static int run(struct cli *cli, const void *given)
{
    const struct push_args *args = given;
    struct jw_minisign_secret key = { 0 };
    struct run r = { .cli = cli, .args = args, .key = &key, .progress = { .messages = &cli->messages } };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check_push(&r, &err))
        return jw_cli_usage(cli, &err);
    bool inside = args->driver_files.n && prime_driver_files_part(cli->arena);

    r.progress.began = jw_time_monotonic_ns();
    if (cli->common.progress) {
        r.progress.stream = &cli->out;
        cli->out.muted = true;
    }
    if (args->sign && inside)
        code = key_from_input(&key, &err) ? EXIT_DONE : jw_cli_fail(cli, &err);
    else if (args->sign)
        code = jw_cli_secret_key(cli, args->sign, &key);
    if (code == EXIT_DONE)
        code = inside                 ? push_inside(&r)
               : args->driver_files.n ? push_drivers(cli, args, &r.ref, args->sign ? &key : NULL, &r.progress)
                                      : push_and_show(&r);
    jw_secret_wipe(&key, sizeof key);
    return code;
}

static const struct example push_examples[] = {
    { "jitwarm push /srv/jit --sign jitwarm.key", "push what was primed to a shared folder" },
    { "jitwarm push /srv/jit /opt/app", "push only the entries of one application" },
    { "jitwarm push oci://reg.example/team/jit --sign jitwarm.key", "push to a registry" },
    { "jitwarm push oci://reg.example/team/jit:v3 /opt/app --gpu sm_86,sm_89,sm_120 --driver-files "
      "./550.163.01,./580.65.06 --sign jitwarm.key",
      "compile for six kinds of machines that are not here, and push what is not there" },
    { "jitwarm push oci://reg.example/team/jit:v3 --pack app.tar.zst", "push an existing pack under a tag" },
    { 0 },
};

const struct cmd jw_cmd_push = {
    .name = "push",
    .summary = "share compiled code through a registry or a folder",
    .synopsis_args = "REF [PATH...]",
    .details = "Makes one pack for each piece of software, as jitwarm export does, and uploads the packs to "
               "REF. Packs that REF already has are not sent again, so after an update of one library only "
               "that library's pack is sent. With PATH it pushes the entries of these files, without PATH "
               "those of what was primed. A push replaces the layers of the same software under the tag and "
               "keeps those of other software; --replace keeps none.\n\n"
               "REF is a registry, oci://HOST[:PORT]/NAME[:TAG], or a folder, /PATH or ./PATH, which gets "
               "OCI's image layout. The default tag is the line of jitwarm key. One tag can hold packs for "
               "many kinds of machines. The login of a registry comes from docker login, podman login or "
               "JITWARM_LOGIN=USER:PASSWORD.\n\n"
               "With --driver-files this machine needs no GPU: for each driver and each --gpu push predicts "
               "what the driver would compile of PATH, asks REF whether it is there, compiles the rest and "
               "pushes it. A push that was cut short goes on where it was, and on another machine nothing is "
               "compiled that REF has. jitwarm list REF shows the matrix.\n\n"
               "Sign your packs: pull refuses unsigned packs unless --allow-unsigned is given. Entries "
               "contain the source (PTX) of their kernels: anyone who can pull can read it.\n\n"
               "Exit codes: 0 the remote has everything; 1 nothing to push; 2 wrong option or REF; 3 unknown "
               "or unsupported driver; 4 the folder cannot be written; 6 invalid key or pack; 7 another push "
               "is running or a passphrase is missing; 8 the remote failed; 130 Ctrl-C.",
    .examples = push_examples,
    .opts = push_opts,
    .often = "sign gpu driver-files jobs pack replace cacert deadline",
    .args_size = sizeof(struct push_args),
    .positional_at = offsetof(struct push_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
    .cache = true,
    .run = run,
};
