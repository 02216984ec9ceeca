/* push: compiles here, and puts the packs into a registry or a folder. */
#include "fleet/push.h"
#include "base/command.h"
#include "base/fields.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"
#include "cache/memory/spell.h"
#include "cache/memory/state_folder.h"
#include "cli/commands.h"
#include "cli/page.h"
#include "cli/secret_key.h"
#include "driver/files/driver_run.h"
#include "fleet/matrix_plan.h"
#include "machine/trust.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/format/minisign.h"
#include "verbs/export.h"
#include "verbs/net.h"
#include "verbs/prime.h"

#include <stdio.h>
#include <string.h>

struct push_args {
    struct net_args net;
    struct jw_texts words, gpus, packs, driver_files, exclude; /* words: REF, then PATHs */
    const char *sign;
    unsigned jobs;
    bool replace, all;
};

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
    const char *to, *public_key; /* the text of the key that signed the packs here, or NULL */
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

/* Lists the layers. With several kinds of machines, each row names its kind. */
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

/* Shows the commands for the other machines, as export's last line: they work as pasted, even if jitwarm does
 * not find the software there. For packs that were signed before, only their signer has the public key. The
 * second line is permanent; it has a folder's whole path, so that each run finds the same folder. */
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

/* The end of a matrix: how its packs are used. In JSON, whose parts are their own reports, that there was `nothing` to
 * push. */
static bool print_all(struct cli *cli, const struct jw_ref *ref, const char *public_key, bool nothing,
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

/* ---- --driver-files: packs for each GPU and driver build, without a GPU ---- */

/*
 * This command line runs again for each driver, on an emulated GPU (prime --driver-files): first to plan, for
 * all drivers, then to compile and push. A plan predicts what each architecture needs, and asks the remote
 * which packs are there. After an interruption, modules that were compiled are not compiled again.
 */

/* ---- the part of a run for one driver, in a file of a folder of the push ---- */

/* A message between a push of several driver builds and its run for one of them. */
struct push_part {
    uint64_t began;            /* of the push; monotonic ns */
    struct prime_whole whole;  /* planned: only what is `here`; pushed: `part`, as it was shown last */
    const char *driver;        /* its version */
    struct jw_matrix_input *v; /* `there` as it was planned, and after it was pushed */
    size_t n;
};

struct push_made {
    struct jw_remote_options net;
    struct jw_texts gpus; /* to be pushed; none: there is nothing, or this was the plan */
    struct push_part part;
    const char *cache, *path; /* of the part */
};

/*
 *   48 PART   seconds and sums, then the inputs (base/fields.h)
 */
enum { PART = 48 };

#define I struct jw_matrix_input
#define P struct push_part

static const struct jw_field input_fields[] = {
    JW_FIELD(I, sm), JW_FIELD(I, digest), JW_FIELD(I, modules), JW_FIELD(I, there), { 0 },
};

static const struct jw_field fields[] = {
    JW_FIELD(P, began),
    JW_FIELD(P, whole.seconds_here),
    JW_FIELD(P, whole.seconds_after),
    JW_FIELD(P, whole.done),
    JW_FIELD(P, whole.here),
    JW_FIELD(P, whole.total),
    JW_FIELD(P, whole.done_ptx),
    JW_FIELD(P, whole.here_ptx),
    JW_FIELD(P, whole.total_ptx),
    JW_FIELD(P, whole.part),
    JW_FIELD(P, driver),
    JW_FIELD_LIST_UP_TO(P, v, n, input_fields, JW_MAX_SMS),
    { 0 },
};

static bool load_part(const char *path, struct jw_arena *a, struct push_part *out, bool *found,
                      struct jw_err *err)
{
    *out = (struct push_part){ .driver = "" };
    return jw_trust_load(path, PART, fields, a, out, found, err) || jw_wrap(err, "%.300s", path);
}

static bool keep_part(const char *path, const struct push_part *part, struct jw_err *err)
{
    return jw_trust_save(path, PART, fields, part, err);
}

/* ---- in the run with a driver ---- */

/* The architectures that are to be pushed. */
static struct jw_texts missing_archs(const struct push_part *p, struct jw_arena *a)
{
    struct jw_texts out = { jw_arena_alloc(a, (p->n + 1) * sizeof *out.items), 0 };

    for (size_t i = 0; i < p->n; i++)
        if (!p->v[i].there && p->v[i].modules)
            out.items[out.n++] = jw_arena_printf(a, "sm_%u", (unsigned)p->v[i].sm);
    return out;
}

static bool plan(struct cli *cli, const struct jw_matrix_ask *ask, struct prime_progress *progress,
                 struct push_part *part, struct jw_err *err)
{
    struct jw_run run = jw_session_run(&cli->session);
    struct jw_matrix_plan plan;

    run.progress = prime_progress_show;
    run.ctx = progress;
    bool ok = jw_matrix_plan(&run, ask, &plan, err);

    jw_messages_progress_end(&cli->messages);
    for (size_t i = 0; i < plan.notes.n; i++)
        jw_messages_say(&cli->messages, "%s", plan.notes.v[i]);
    part->driver = plan.driver;
    part->v = plan.v;
    part->n = plan.n;
    part->whole.here = plan.modules;
    part->whole.here_ptx = plan.ptx_bytes;
    part->whole.seconds_here = plan.seconds;
    return ok;
}

/* A pack that could not be compiled whole is pushed without its digest, so that the next run tries it again. */
static int compile(struct cli *cli, const struct push_args *a, const struct jw_matrix_ask *ask,
                   struct prime_progress *progress, struct push_made *made)
{
    struct prime_args p = { .o = { .paths = ask->paths,
                                   .gpus = made->gpus,
                                   .jobs = ask->jobs,
                                   .all = ask->all,
                                   .retry = true,
                                   .as_root = true },
                            .exclude = a->exclude,
                            .cache = made->cache,
                            .yes = PRIME_YES,
                            .for_packs = true,
                            .progress = progress };
    bool muted = cli->out.muted, json = cli->common.json;

    cli->out.muted = true;
    cli->common.json = false;
    int code = prime_run(cli, &p, PRIME_PRIME);

    cli->out.muted = muted;
    cli->common.json = json;
    for (size_t i = 0; code != EXIT_DONE && i < made->part.n; i++)
        made->part.v[i].digest[0] = '\0';
    return code;
}

/* In such a run: plans, or compiles what REF does not have. An exit code; with EXIT_DONE or EXIT_PARTLY `out` is to be
 * pushed. */
static int push_drivers_inside(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                               const char *key_id, struct prime_progress *progress, struct push_made *out)
{
    const struct jw_matrix_ask ask = { .paths = { a->words.items + 1, a->words.n - 1 },
                                       .gpus = a->gpus,
                                       .exclude = a->exclude,
                                       .cache = jw_driver_run_cache(cli->arena),
                                       .key = key_id ? key_id : "",
                                       .jobs = a->jobs ? a->jobs : jw_cpu_count(),
                                       .all = a->all,
                                       .net = &out->net,
                                       .ref = ref };
    struct jw_err err = { 0 };
    bool planned;
    int code;

    out->cache = ask.cache;
    out->path = jw_driver_run_part(cli->arena);
    out->net = net_options(cli, &a->net, ref); /* takes the login before a worker starts */
    if (!load_part(out->path, cli->arena, &out->part, &planned, &err))
        return jw_cli_fail(cli, &err);
    if (!planned)
        return plan(cli, &ask, progress, &out->part, &err) && keep_part(out->path, &out->part, &err)
                   ? EXIT_DONE
                   : jw_cli_fail(cli, &err);
    progress->began = out->part.began;
    progress->whole = &out->part.whole;
    out->gpus = missing_archs(&out->part, cli->arena);
    code = compile(cli, a, &ask, progress, out);
    if (code != EXIT_DONE && code != EXIT_PARTLY)
        out->gpus.n = 0;
    return code;
}

/* After that: tells the other run what is there now. */
static int push_drivers_pushed(struct cli *cli, struct push_made *made, const struct prime_progress *progress,
                               int code)
{
    struct push_part *p = &made->part;
    struct jw_err err = { 0 };

    p->whole.part = progress->meter.part;
    for (size_t i = 0; code == EXIT_DONE && i < p->n; i++)
        p->v[i].there = true;
    return keep_part(made->path, p, &err) ? code : jw_cli_fail(cli, &err);
}

/* ---- the runs for each driver ---- */

struct build {
    const char *folder, *path; /* of the driver; of the part */
    struct push_part part;
    int code;
    bool worked; /* it printed what it pushed */
};

struct all {
    struct cli *cli;
    struct jw_texts gpus;
    struct jw_bytes key;
    struct build *v;
    size_t n;
};

/* "DIR,DIR" are two. */
static struct jw_texts split(struct jw_arena *a, const struct jw_texts *lists)
{
    struct jw_texts out = { NULL, 0 };
    size_t most = 0;

    for (size_t i = 0; i < lists->n; i++)
        most += strlen(lists->items[i]) + 1;
    out.items = jw_arena_alloc(a, (most + 1) * sizeof *out.items);
    for (size_t i = 0; i < lists->n; i++)
        for (const char *at = lists->items[i]; *at; at += *at == ',') {
            size_t n = strcspn(at, ",");

            if (n)
                out.items[out.n++] = jw_arena_text(a, at, n);
            at += n;
        }
    return out;
}

static bool begin_all(struct all *x, const struct push_args *a, const char *folder,
                      const struct jw_minisign_secret *key)
{
    struct jw_arena *arena = x->cli->arena;
    const struct jw_texts drivers = split(arena, &a->driver_files);

    x->gpus = a->gpus;
    x->key = key ? (struct jw_bytes){ (const uint8_t *)key, sizeof *key } : (struct jw_bytes){ NULL, 0 };
    x->v = jw_arena_alloc(arena, (drivers.n + 1) * sizeof *x->v);
    for (; x->n < drivers.n; x->n++)
        x->v[x->n] = (struct build){ .folder = drivers.items[x->n],
                                     .path = jw_arena_printf(arena, "%s/%zu", folder, x->n) };
    return x->n > 0;
}

/* One of the two runs, and what it left. */
static int run_build(struct all *x, struct build *b, bool again)
{
    const struct driver_files_run run = {
        .folder = b->folder, .gpus = &x->gpus, .part = b->path, .input = x->key, .again = again
    };
    struct jw_err err = { 0 };
    bool found = false;
    int code = prime_under_driver_files(x->cli, &run);

    b->code = code > b->code ? code : b->code;
    if (!load_part(b->path, x->cli->arena, &b->part, &found, &err))
        b->code = jw_cli_fail(x->cli, &err);
    return b->code;
}

static bool has_work(const struct build *b)
{
    for (size_t i = 0; i < b->part.n; i++)
        if (!b->part.v[i].there && b->part.v[i].modules)
            return true;
    return false;
}

/* Says the work of all drivers before it begins. */
static void say_all(struct all *x, const struct prime_whole *sum)
{
    struct jw_buf text = JW_LINE(x->cli->arena);

    jw_say(&text, "%s to compile", JW_N(sum->total, "module", "modules"));
    if (sum->seconds_after >= 1)
        jw_say(&text, ", about %s", JW_DURATION(sum->seconds_after));
    if (x->n > 1 && sum->total)
        jw_messages_say(&x->cli->messages, "%s", jw_buf_cstr(&text));
}

/* `sum`: the totals of all drivers, to which this one's work is added. */
static int work_on(struct all *x, size_t i, struct prime_whole *sum, uint64_t began)
{
    struct build *b = &x->v[i];
    struct prime_whole *w = &b->part.whole;
    struct jw_err err = { 0 };

    sum->seconds_after -= w->seconds_here;
    *w = (struct prime_whole){ .seconds_here = w->seconds_here,
                               .seconds_after = sum->seconds_after > 0 ? sum->seconds_after : 0,
                               .done = sum->done,
                               .here = w->here,
                               .total = sum->total,
                               .done_ptx = sum->done_ptx,
                               .here_ptx = w->here_ptx,
                               .total_ptx = sum->total_ptx,
                               .part = sum->part };
    b->part.began = began;
    sum->done += w->here;
    sum->done_ptx += w->here_ptx;
    if (x->n > 1)
        jw_messages_say(&x->cli->messages, "driver %zu of %zu: %s", i + 1, x->n, b->part.driver);
    if (!keep_part(b->path, &b->part, &err))
        return b->code = jw_cli_fail(x->cli, &err);
    b->worked = true;
    (void)run_build(x, b, true);
    sum->part = b->part.whole.part > sum->part ? b->part.whole.part : sum->part;
    return b->code;
}

static int push_all(struct all *x, struct prime_progress *progress)
{
    struct prime_whole sum = { 0 };
    uint64_t began = jw_time_monotonic_ns(), there = 0, modules = 0;
    int worst = EXIT_DONE;

    for (size_t i = 0; i < x->n && worst != EXIT_INTERRUPTED; i++) {
        int code = run_build(x, &x->v[i], false);

        worst = code > worst ? code : worst;
        sum.total += x->v[i].part.whole.here;
        sum.total_ptx += x->v[i].part.whole.here_ptx;
        sum.seconds_after += x->v[i].part.whole.seconds_here;
    }
    if (worst != EXIT_INTERRUPTED)
        say_all(x, &sum);
    for (size_t i = 0; i < x->n && worst != EXIT_INTERRUPTED; i++) {
        int code = has_work(&x->v[i]) ? work_on(x, i, &sum, began) : x->v[i].code;

        worst = code > worst ? code : worst;
    }
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; k < x->v[i].part.n; k++) {
            modules += x->v[i].part.v[k].modules;
            there += x->v[i].part.v[k].there ? x->v[i].part.v[k].modules : 0;
        }
    prime_progress_end(progress, NULL, there, modules, worst);
    return worst;
}

/* Runs this command line twice for each driver: first to plan, then to compile and push. `key` NULL: nothing is signed. */
static int push_drivers(struct cli *cli, const struct push_args *a, const struct jw_ref *ref,
                        const struct jw_minisign_secret *key, struct prime_progress *progress)
{
    struct all x = { .cli = cli };
    struct jw_err err = { 0 };
    char *folder = NULL, text[JW_MINISIGN_LINE + 1];
    bool worked = false;
    int code;

    if (!jw_state_scratch(JW_STATE_PUSH, cli->arena, &folder, &err))
        return jw_cli_fail(cli, &err);
    code = begin_all(&x, a, folder, key) ? push_all(&x, progress) : EXIT_DONE;
    for (size_t i = 0; i < x.n; i++)
        worked = worked || x.v[i].worked;
    if (key) {
        const struct jw_minisign_public public = jw_minisign_public_of(key);

        jw_minisign_show_public(text, &public);
    }
    if (code <= EXIT_PARTLY && !print_all(cli, ref, key ? text : NULL, !worked && code == EXIT_DONE, &err))
        code = jw_cli_fail(cli, &err);
    jw_scratch_remove(folder);
    return code;
}

/* ---- the run ---- */

struct push_cmd {
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
static bool prepare_export(struct push_cmd *r, struct jw_export_options *o, struct jw_err *err)
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
    struct push_cmd *r = ctx;
    bool sends = strcmp(p->what, JW_PUSH_SENDING) == 0;
    const struct jw_prime_progress as_prime = { .phase = sends ? JW_PHASE_SEND : JW_PHASE_PACK,
                                                .at = p->what,
                                                .done_bytes = p->done,
                                                .total_bytes = p->total,
                                                .eta = -1 };
    const struct jw_progress as_phase = { .what = p->what, .prime = p->prime ? p->prime : &as_prime };

    prime_progress_show(&r->progress, p->prime || r->progress.stream || r->progress.whole ? &as_phase : p);
}

static bool show_pushed(struct push_cmd *r, const struct jw_push_report *report, struct jw_err *err)
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

static int show_push(struct push_cmd *r, const struct jw_push_report *report, struct jw_err *err)
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

static int push_and_show(struct push_cmd *r)
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

static bool check_push(struct push_cmd *r, struct jw_err *err)
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
static int push_inside(struct push_cmd *r)
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
    struct push_cmd r = { .cli = cli, .args = args, .key = &key, .progress = { .messages = &cli->messages } };
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    if (!check_push(&r, &err))
        return jw_cli_usage(cli, &err);
    bool inside = args->driver_files.n && jw_driver_run_part(cli->arena);

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
