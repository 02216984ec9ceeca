/* export: entries of the cache as packs for machines of the same kind, in files or a registry. */
#include "pack/export/export.h"

#include "base/command.h"
#include "base/path.h"
#include "driver/files/driver_files.h"
#include "facts/gpus.h"
#include "fleet/push.h"
#include "memory/state_folder.h"
#include "os/files/scratch.h"
#include "pack/format/pack_name.h"
#include "verbs/asked.h"
#include "verbs/emulated.h"
#include "verbs/prime_parts.h"
#include "verbs/secret_key.h"

#include <sodium.h>

struct export_args {
    struct jw_texts paths;
    const char *output;
};

struct exporting {
    struct cli *cli;
    const struct export_args *args;
    struct jw_run run;
    struct jw_minisign_secret key;
    struct jw_remote_options to; /* ref NULL: no registry */
    /* what the registry has now; without one, and of a dry run, nothing */
    struct jw_push_report sent;
    /* at the software; of packs that are there already one that saw nothing */
    const struct jw_look *look;
};

/* Packs that are there already, for a registry. */
static bool packs_given(const struct export_args *a)
{
    return a->paths.n && jw_text_ends(a->paths.v[0], JW_PACK_ENDING);
}

static bool check_packs(const struct cli *cli, const struct export_args *a, struct jw_err *err)
{
    const struct shared *s = &cli->shared;
    size_t n = 0;

    for (size_t i = 0; i < a->paths.n; i++)
        n += jw_text_ends(a->paths.v[i], JW_PACK_ENDING);
    if (n && n < a->paths.n)
        return jw_fail(err, JW_E_USAGE,
                       "packs (*" JW_PACK_ENDING ") and software cannot be exported together");
    if (n && !(a->output && jw_ref_is_remote(a->output)))
        return jw_fail(err, JW_E_USAGE,
                       "%.200s is a pack already: copy it as any file, or add it to a registry (-o "
                       "oci://HOST/NAME)",
                       a->paths.v[0]);
    return !n || !(s->sign || s->gpus.n || s->dry_run || s->all || s->driver_files)
           || jw_fail(
               err, JW_E_USAGE,
               "%.200s is a pack already: --sign, --gpu, --all and the like are for software",
               a->paths.v[0]);
}

/* NULL: one of them is not signed. Layers of earlier exports do not count. */
static const char *layers_signed_by(const struct jw_push_report *p)
{
    const char *key = NULL;

    for (const struct jw_push_layer *l = p->layers; l < p->layers + p->n; l++)
        if (l->path && !(key = l->layer.key))
            return NULL;
    return key;
}

static const char *signed_by(struct exporting *x)
{
    const struct jw_minisign_public key = jw_minisign_public_of(&x->key);
    char id[17];

    if (packs_given(x->args))
        return layers_signed_by(&x->sent);
    if (!x->cli->shared.sign || x->cli->shared.dry_run)
        return NULL;
    jw_minisign_show_id(id, key.id);
    return jw_arena_str(x->cli->arena, id);
}

/* A path as the other machine has it: what is below this user's home, below that of its user. */
static const char *path_there(struct rep *r, const char *path)
{
    const char *home = jw_os_is_windows() ? NULL : jw_env_home(r->a);
    const char *below = home ? jw_path_below(path, home) : NULL;

    if (below)
        return jw_arena_printf(r->a, " ~/%s", JW_COMMAND(r->a, false, below));
    if (*path == '-') /* it is no option */
        path = jw_arena_printf(r->a, "./%s", path);
    return jw_arena_printf(r->a, " %s", JW_COMMAND(r->a, jw_os_is_windows(), path));
}

/* The line for the other machine, as it is pasted where this was typed: in one piece, and with the
 * software, which it then remembers. Where no path was named, it is the one that is remembered. */
static void show_import(struct rep *r, struct exporting *x, const char *from)
{
    const struct jw_minisign_public key = jw_minisign_public_of(&x->key);
    const struct jw_texts paths = jw_export_paths(x->look, r->a);
    struct jw_buf software = JW_BUF_IN(r->a, JW_MAX_COMMAND);
    char line[JW_MINISIGN_LINE + 1];
    const char *trust = signed_by(x) ? "" : " --allow-unsigned";

    jw_buf_text(&software, x->look->want.all ? " --all" : "");
    for (size_t i = 0; i < paths.n; i++)
        jw_buf_text(&software, path_there(r, paths.v[i]));
    jw_minisign_show_public(line, &key);
    if (x->cli->shared.sign)
        trust = jw_arena_printf(r->a, " --trust=%s", line);
    rep_line(r, REP_LINES, REP_PATH, REP_PLAIN, "To import", "jitwarm import%s%s%s",
             path_there(r, from), trust, software.bad ? "" : jw_buf_cstr(&software));
    if (packs_given(x->args) && signed_by(x))
        rep_note(r, "The other machine must trust the key that signed them, %s (--trust KEY.pub)",
                 signed_by(x));
}

static void show_pack(struct rep *r, struct exporting *x, const struct jw_export_pack *p, bool last)
{
    const char *output = x->args->output;

    rep_fact(r, NULL, "Pack", rep_path(x->to.ref ? x->to.ref->text : p->path));
    rep_say(r, REP_PLAIN, "Entries", "%s", JW_NUM(p->manifest.n_entries));
    rep_fact(r, NULL, "Size", rep_bytes(p->packed));
    if (p->once)
        rep_say(r, REP_PLAIN, "Only copied",
                "%s of them, of NVRTC, nvJitLink or OpenCL: jitwarm cannot compile them again",
                JW_NUM(p->once));
    if (p->written && !x->to.ref && (last || !output)) /* a folder is named once */
        show_import(r, x, output ? output : jw_path_base(p->path));
}

/* `p` NULL: this run did not make it. */
static void put_row(struct rep *r, unsigned sm, const char *path, const char *key,
                    const struct jw_export_pack *p)
{
    static const struct jw_export_pack nothing;
    const struct jw_export_pack *made = p ? p : &nothing;

    rep_fact(r, "gpu", NULL, rep_text(JW_PHRASE("sm_%u", sm)));
    rep_fact(r, "path", NULL, rep_path(path));
    rep_fact(r, "entries", NULL, rep_known(p, rep_count(made->manifest.n_entries)));
    rep_fact(r, "once", NULL, rep_known(p, rep_count(made->once)));
    rep_fact(r, "missing", NULL, rep_known(p, rep_count(made->missing)));
    rep_fact(r, "damaged", NULL, rep_known(p, rep_count(made->damaged)));
    rep_fact(r, "signed_by", NULL, rep_text(key));
}

/* In JSON only. */
static void list_packs(struct rep *r, struct exporting *x, const struct jw_export_report *e)
{
    rep_table(r, "packs", 0);
    for (const struct jw_export_pack *p = e->packs; p < e->packs + e->n_packs; p++) {
        rep_row(r);
        rep_fact(r, "state", NULL, rep_text(p->written ? "written" : "not-written"));
        put_row(r, p->manifest.sm, x->to.ref ? NULL : p->path, signed_by(x), p);
    }
    rep_end(r);
}

/* NULL: this run did not make it. */
static const struct jw_export_pack *find_pack(const struct jw_export_report *e, const char *path)
{
    for (const struct jw_export_pack *p = e->packs; p < e->packs + e->n_packs; p++)
        if (p->path == path)
            return p;
    return NULL;
}

static const char *state_of_layer(const struct jw_push_layer *layer)
{
    if (!layer->path)
        return "kept";
    return layer->sent ? "sent" : "there";
}

static void list_layers(struct rep *r, struct exporting *x, const struct jw_export_report *e)
{
    rep_table(r, "packs", 0);
    for (const struct jw_push_layer *l = x->sent.layers; l < x->sent.layers + x->sent.n; l++) {
        const struct jw_export_pack *p = find_pack(e, l->path);

        rep_row(r);
        rep_fact(r, "state", "STATE", rep_text(state_of_layer(l)));
        rep_fact(r, "bytes", "SIZE", rep_bytes(l->layer.size));
        rep_fact(r, "tag", "UNDER", rep_text(l->tag));
        rep_fact(r, "software", "SOFTWARE", rep_text(l->layer.software));
        rep_fact(r, "digest", NULL, rep_text(l->layer.digest));
        put_row(r, l->sm, p ? NULL : l->path, l->layer.key, p);
    }
    rep_end(r);
    rep_fact(r, "sent_bytes", "Sent", rep_bytes(x->sent.sent_bytes));
    rep_fact(r, "replaced", "Replaced", rep_count(x->sent.replaced));
    show_import(r, x, x->args->output);
}

/* Of GPUs that are not here; in the text what the packs lack alone. */
static void show_compiled(struct rep *r, struct exporting *x, const struct plan *p)
{
    /* of what is cold and why the packs say the rest */
    const struct jw_summary v = {.purpose = x->look->purpose, .end = x->run.end};

    if (r->cli->shared.json || x->run.end != JW_END_DONE)
        jw_show_look(r, true, &v, x->look);
    if (x->cli->shared.dry_run && p->n_todo)
        rep_say(r, REP_PLAIN, "To compile", "%s, %s", JW_N(p->n_todo, "module", "modules"),
                jw_estimate(r, p));
    jw_show_jobs(r, x->look);
}

static const char *head_of_packed(const struct exporting *x)
{
    if (x->cli->shared.dry_run)
        return "This would be packed.";
    return x->run.end == JW_END_DONE ? "Packed." : "Packed, but not all of it.";
}

static bool is_any_written(const struct jw_export_report *e)
{
    for (size_t i = 0; i < e->n_packs; i++)
        if (e->packs[i].written)
            return true;
    return false;
}

static void show_head(struct rep *r, struct exporting *x, const struct jw_export_report *e)
{
    enum jw_end end = x->run.end;
    bool packed = end == JW_END_DONE || end == JW_END_PARTLY;

    if (end == JW_END_DONE && x->sent.n && (x->sent.sent_bytes || x->sent.replaced))
        rep_head(r, end, NULL, "The registry has it now.");
    else if (end == JW_END_DONE && x->sent.n)
        rep_head(r, JW_END_NOTHING, "there", "The registry had all of it.");
    else if (packed)
        rep_head(r, end, x->cli->shared.dry_run ? "listed" : NULL, "%s", head_of_packed(x));
    else
        rep_head(r, end, NULL, "%s",
                 is_any_written(e) ? "Not all packs were written." : "No pack was written.");
    if (jw_export_compiles(&x->cli->session, &x->look->want) && x->look->looked)
        show_compiled(r, x, &e->primed.plan);
}

/* What makes the next pack whole. The look's cause says it, but for damage that no look reads. */
static void show_unpacked(struct rep *r, struct exporting *x)
{
    const struct jw_facts f = jw_look_facts(x->look);
    const struct jw_cause *c =
        jw_answer_is_well(f.answer.is) ? NULL : jw_cause_of(&f, &x->look->purpose);
    bool compiles = jw_export_compiles(&x->cli->session, &x->look->want);
    bool named = c || x->args->paths.n || x->look->roots.n || x->cli->shared.whole_cache;
    const char *cache = f.asked.cache;
    const char *path = named ? NULL : "PATH";
    struct jw_remedy help = {
        .a = r->a,
        .kind = compiles ? JW_REMEDY_NOTHING : JW_REMEDY_RUN,
        .words = {"jitwarm", named ? "prime" : "export", cache ? "--cache" : path, cache, path},
        .more = f.asked.words};

    if (x->run.end != JW_END_EMPTY && x->run.end != JW_END_PARTLY)
        return;
    if (f.scope.absent && !compiles) {
        rep_todo_line(r, "jitwarm export --gpu sm_%u PATH", f.scope.sms.v[0]);
        return;
    }
    if (c)
        c->remedy(&f, &help);
    rep_todo(r, &help);
}

/* `all`: none failed; else those that were written. */
static void show_packs(struct rep *r, struct exporting *x, const struct jw_export_report *e,
                       bool all)
{
    bool lists = x->cli->shared.verbose || x->cli->shared.dry_run;

    for (size_t i = 0; i < e->n_packs; i++)
        if (all || e->packs[i].written)
            show_pack(r, x, &e->packs[i], i + 1 == e->n_packs);
    if (e->n_packs && all)
        rep_texts(r, NULL, lists ? "Software" : NULL, e->packs[0].manifest.software,
                  e->packs[0].manifest.n_software);
}

static int show_export(struct exporting *x, const struct jw_export_report *e)
{
    struct rep *r = rep_open(x->cli, "export");
    const char *key = signed_by(x);
    bool all = x->run.end == JW_END_DONE || x->run.end == JW_END_PARTLY;

    if (e->by_look)
        jw_show_look(r, false, &e->summary, x->look);
    else
        show_head(r, x, e);
    if (all && !key && !x->cli->shared.dry_run)
        rep_say(r, REP_WARN, "Signed",
                "no. Anyone who can change the pack controls what the other machine runs. Sign it: "
                "--sign KEY");
    show_packs(r, x, e, all);
    if (x->sent.n)
        list_layers(r, x, e);
    else
        list_packs(r, x, e);
    jw_show_again(r, x->cli, e->summary.end);
    if (!e->by_look)
        show_unpacked(r, x);
    rep_run(r, &x->run);
    return rep_close_with(r, e->summary.end);
}

/* Is one of them an architecture that no GPU here has? Asks the driver. */
static bool any_absent(struct cli *cli, bool *absent, struct jw_err *err)
{
    const struct jw_texts *gpus = &cli->shared.gpus;
    const struct jw_probe_report *here;
    struct jw_gpu gpu;

    if (gpus->n && !jw_session_probe(&cli->session, &here, err))
        return false;
    for (size_t i = 0; i < gpus->n && !*absent; i++) {
        bool found =
            !jw_gpu_parse(gpus->v[i], &gpu, JW_IGNORED); /* what means none is looked for here */

        for (size_t k = 0; !found && k < here->n_devices; k++)
            found = here->devices[k].sm == gpu.sm;
        *absent = !found;
    }
    return true;
}

/* For a GPU that is not here it compiles PATH first, in a cache that is of no program. */
static bool choose_gpus(struct exporting *x, struct jw_export_options *o, struct jw_err *err)
{
    struct cli *cli = x->cli;
    const char *inside = jw_driver_files_cache(cli->arena);

    struct jw_session *s = &cli->session; /* nobody has asked for facts or the cache yet */

    s->absent_gpus = inside;
    if (!inside && !any_absent(cli, &s->absent_gpus, err))
        return false;
    if (!jw_export_compiles(s, &o->want))
        return true;
    if (!s->cache)
        s->cache = inside ? inside : jw_state_own(JW_STATE_ABSENT_GPUS, cli->arena, err);
    return s->cache;
}

static bool consents(const struct jw_export_options *o, struct jw_run *run, struct jw_err *err)
{
    static const char question[] =
        "everyone who gets this pack can read the source (PTX) of every kernel in "
        "this cache, of everything that this user ran; pack it all?";

    return !o->whole || o->dry_run || jw_run_ask(run, question, false)
           || jw_fail(err, JW_E_BUSY, "%s (--yes; --dry-run lists it)", question);
}

/* The packs that were made, or those that were given. */
static bool send(struct exporting *x, const struct jw_export_report *e, struct jw_err *err)
{
    struct jw_texts packs = {0};

    if (packs_given(x->args))
        packs = x->args->paths;
    for (const struct jw_export_pack *p = e->packs; p < e->packs + e->n_packs; p++)
        if (p->written)
            jw_texts_add(&packs, x->cli->arena, p->path);
    return !packs.n || jw_push(&x->run, &x->to, packs, &x->sent, err);
}

static bool make_packs(struct exporting *x, const char *folder, struct jw_export_report *out,
                       struct jw_err *err)
{
    const struct export_args *a = x->args;
    const struct shared *s = &x->cli->shared;
    struct jw_export_options o = {.want = {.paths = a->paths, .gpus = s->gpus, .all = s->all},
                                  .whole = s->whole_cache,
                                  .output = folder ? folder : a->output,
                                  .key = s->sign && !s->dry_run ? &x->key : NULL,
                                  .dry_run = s->dry_run};

    return choose_gpus(x, &o, err) && consents(&o, &x->run, err)
           && jw_export(&x->run, &o, out, err);
}

static int export_and_show(struct exporting *x)
{
    static const struct jw_look nothing;
    struct jw_export_report report = {.summary.end = JW_END_DONE};
    struct jw_err err = {0};
    char *folder = NULL; /* of packs for a registry */

    bool ok = (!x->to.ref || jw_state_scratch(x->cli->arena, &folder, &err))
              && (packs_given(x->args) || make_packs(x, folder, &report, &err))
              && (!x->to.ref || send(x, &report, &err));

    x->look = report.primed.look ? report.primed.look : &nothing;
    int code = ok ? show_export(x, &report) : jw_cli_fail(x->cli, &err);

    jw_export_free(&report);
    jw_scratch_remove(folder);
    return code;
}

static int run_export(struct cli *cli, const void *args)
{
    struct exporting x = {.cli = cli, .args = args, .run = jw_cli_run(cli)};
    struct jw_err err = {0};
    int code = EXIT_DONE;

    if (!check_packs(cli, args, &err))
        return jw_cli_fail(cli, &err);
    if (cli->shared.driver_files && !jw_driver_files_cache(cli->arena))
        return jw_run_emulated(cli, x.args->paths.n > 0);
    if (!jw_asked_remote(cli, x.args->output, &x.to, &err))
        return jw_cli_fail(cli, &err);
    if (!cli->shared.dry_run)
        code = jw_cli_secret_key(cli, &x.key);
    if (code == EXIT_DONE)
        code = export_and_show(&x);
    sodium_memzero(&x.key, sizeof x.key);
    return code;
}

const struct cmd jw_cmd_export = {
    .name = "export",
    .summary = "write a pack for machines of the same kind",
    .synopsis_args = "[PATH...|PACK...]",
    .details =
        "Writes the compiled code of PATH (a file or folder), or of what prime takes without it, "
        "into a pack: a .tar.zst file for each kind of GPU. A machine with the same system, driver "
        "compiler and GPU architecture imports it, and does not compile. Sign it (--sign): others "
        "take only what a key signed that they trust.\n\nFor a GPU that is not here export first "
        "compiles PATH, in a cache of its own: with the driver of this machine, or one in DIR, "
        "which needs no GPU here.\n\nWithout PATH the pack also has what NVRTC, nvJitLink and "
        "OpenCL stored; with --whole-cache, all that this driver stored. It holds the source (PTX) "
        "of the code and the names of packages and files, but no path, host, user or "
        "variable.\n\nA FILE that is no pack is replaced only with --yes, a signed pack never by "
        "one that is not. PACK is a *.tar.zst that is there already.\n\nExit code 0 also if "
        "nothing has to be compiled; 1: not all of it was packed; 8: the server failed.",
    .examples = {{"jitwarm export", "pack it for machines of the same kind"},
                 {"jitwarm export /opt/app -o app.tar.zst", "only the code of one application"},
                 {"jitwarm export --gpu sm_89 --driver-files DIR /opt/app",
                  "for a GPU and a driver that are not here"},
                 {"jitwarm export -o oci://reg.example/team/jit --sign team.key",
                  "into a registry, for many machines"}},
    .opts = {{"output", 'o', OPT_TEXT, offsetof(struct export_args, output), .arg = "FILE",
              .help = "a file or folder, or oci://HOST/NAME[:TAG] (default: this folder)",
              .hint = HINT_FILES}},
    .order = "output sign gpu cache all dry-run yes json" JW_OF_ALL " driver-files whole-cache",
    .alone = {{"whole-cache", "output sign gpu cache dry-run yes json"}},
    .args_size = sizeof(struct export_args),
    .positional_at = offsetof(struct export_args, paths),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_export,
};
