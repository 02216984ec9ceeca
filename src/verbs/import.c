/* import: packs of a file, folder or registry into the driver's cache. */

#include "base/command.h"
#include "cli/cli.h"
#include "fleet/pull.h"
#include "pack/format/pack_name.h"
#include "verbs/asked.h"
#include "verbs/prime_parts.h"

struct import_args {
    struct jw_texts words; /* the pack, then paths of software */
    bool allow_unsigned;
};

static const char *const signature_names[] = {[JW_PACK_UNCHECKED] = NULL,
                                              [JW_PACK_UNSIGNED] = "unsigned",
                                              [JW_PACK_SIGNED_UNKNOWN] = "unknown",
                                              [JW_PACK_SIGNED] = "trusted",
                                              [JW_PACK_SIGNED_WRONG] = "wrong"};
JW_ROW_FOR_EACH(signature_names, JW_PACK_SIGNATURES, 5);

static const char *word_of(enum jw_end end)
{
    return end == JW_END_NOTHING ? "there" : jw_end_names[end];
}

/* In the JSON alone; a single pack is shown as lines, several by their ends. */
static void list_packs(struct rep *r, const struct jw_import *i)
{
    rep_table(r, "packs", 0);
    for (const struct jw_import_pack *p = i->packs; p < i->packs + i->n_packs; p++) {
        const struct jw_pack_manifest *m = p->manifest;

        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(p->path));
        rep_fact(r, "gpu", NULL, rep_known(m, rep_text(JW_PHRASE("sm_%u", m ? m->sm : 0))));
        rep_fact(r, "state", NULL, rep_text(word_of(p->end)));
        rep_fact(r, "why", NULL, rep_text(p->why));
        rep_fact(r, "signature", NULL, rep_text(signature_names[p->signature.kind]));
        rep_fact(r, "signed_by", NULL, rep_text(p->signature.key[0] ? p->signature.key : NULL));
        rep_fact(r, "entries", NULL, m ? rep_count(m->n_entries) : rep_text(NULL));
        rep_fact(r, "added", NULL, rep_count(p->added));
        rep_fact(r, "there", NULL, rep_count(p->there));
    }
    rep_end(r);
}

static void show_signature(struct rep *r, rep_put *put, const struct jw_import_pack *p)
{
    bool told = p->manifest && p->end != JW_END_REFUSED; /* else that is why */

    if (p->signature.kind == JW_PACK_SIGNED)
        put(r, NULL, "Signed", rep_text(jw_arena_printf(r->a, "by %s", p->signature.key)));
    else if (told && p->signature.kind == JW_PACK_UNSIGNED)
        rep_say(r, REP_WARN, "Signed", "no");
    else if (told && p->signature.kind == JW_PACK_SIGNED_UNKNOWN)
        rep_say(r, REP_WARN, "Signed", "with a key that you do not trust");
}

/* Where it was to go in, what matters is what is in the cache now, or why not. */
static void show_pack(struct rep *r, const struct jw_import_pack *p)
{
    bool dry = r->cli->shared.dry_run; /* which asks what is in it */
    rep_put *put = dry ? rep_fact : rep_detail;
    const struct jw_pack_manifest *m = p->manifest;

    (jw_end_is_good(p->end) ? put : rep_fact)(r, NULL, "Pack", rep_path(p->path));
    if (m)
        put(r, NULL, "For",
            rep_text(jw_arena_printf(r->a, "%s %s, sm_%u, driver %s (build of %s)", m->os, m->arch,
                                     m->sm, m->driver ? m->driver : "unknown",
                                     jw_stamp_text(m->stamp).text)));
    show_signature(r, put, p);
    put(r, NULL, "Entries", rep_count(m ? m->n_entries : 0));
    rep_fact(r, NULL, dry ? "To add" : "Added", rep_count(p->added));
    rep_fact(r, NULL, "Already there", rep_count(p->there));
    rep_fact(r, NULL, "Do not fit", rep_count(p->left));
    if (m)
        rep_texts(r, NULL, dry || r->cli->shared.verbose ? "Software" : NULL, m->software,
                  m->n_software);
}

/* Who made a pack is a person's to know. */
static void show_decision(struct rep *r, const struct jw_import_pack *p)
{
    bool is_signed = p->signature.kind == JW_PACK_SIGNED_UNKNOWN;

    if (!is_signed)
        rep_todo_say(r, "ask its maker to sign it: jitwarm export --sign KEY (--allow-unsigned "
                        "takes what anybody made)");
    else if (r->cli->shared.trust.n) /* then the right key is all that helps */
        rep_todo_say(r, "get the public key %s from who made the pack", p->signature.key);
    else
        rep_todo_line(r, "jitwarm import --trust KEY.pub %s",
                      jw_command_text(r->a, r->cli->shared.words.v, jw_os_is_windows()));
}

/* "/packs/a.tar.zst: 24 added", or why not. */
static const char *line_of(struct rep *r, const struct jw_import_pack *p)
{
    const char *did = word_of(p->end);

    if (p->added)
        did = jw_arena_printf(r->a, "%s %s", JW_NUM(p->added),
                              r->cli->shared.dry_run ? "to add" : "added");
    if (!p->why)
        return jw_arena_printf(r->a, "%s: %s", p->path, did);
    return jw_arena_printf(r->a, "%s: %s: %s", p->path, did, p->why);
}

static void show_each(struct rep *r, const struct jw_import *i)
{
    for (size_t k = 0; k < i->n_packs; k++) {
        enum rep_tone tone = jw_end_is_good(i->packs[k].end) ? REP_PLAIN : REP_WARN;

        rep_say(r, tone, k ? "" : "Packs", "%s", line_of(r, &i->packs[k]));
    }
}

/* Of all packs. */
struct totals {
    uint64_t added; /* entries that were added, or would be */
    size_t refused;
    const struct jw_import_pack *untrusted; /* the first */
};

static struct totals totals_of(const struct jw_import *i)
{
    struct totals t = {0};

    for (const struct jw_import_pack *p = i->packs; p < i->packs + i->n_packs; p++) {
        t.added += p->added;
        t.refused += p->end == JW_END_REFUSED;
        t.untrusted = p->untrusted && !t.untrusted ? p : t.untrusted;
    }
    return t;
}

static const char *head_of_refused(struct rep *r, const struct jw_import *i, const struct totals *t)
{
    bool dry = r->cli->shared.dry_run;

    if (t->added)
        return jw_arena_printf(r->a, "%zu of %zu packs refused; %s %s.", t->refused, i->n_packs,
                               JW_N(t->added, "entry", "entries"), dry ? "to add" : "added");
    if (dry && t->untrusted)
        return "It fits this machine, and would be refused.";
    return i->n_packs ? "Nothing was imported: a pack was refused."
                      : "Nothing was imported: a key was refused.";
}

static const char *head_of(struct rep *r, enum jw_end end, const struct jw_import *i,
                           const struct totals *t)
{
    bool dry = r->cli->shared.dry_run;

    switch (end) {
    case JW_END_DONE: return dry ? "All of it would be imported." : "Imported.";
    case JW_END_NOTHING: return "All of it was in the cache already.";
    case JW_END_UNFIT: return "Nothing was imported: nothing there is for this machine.";
    case JW_END_REFUSED: return head_of_refused(r, i, t);
    default: break;
    }
    if (i->n_added)
        return "Imported, but not all of it.";
    if (dry && end == JW_END_PARTLY)
        return "A part of it would be imported.";
    return "Nothing was imported.";
}

/* Each pack, and what they bring. */
static void show_packs(struct rep *r, enum jw_end end, const struct jw_import *i, uint64_t added)
{
    if (i->n_packs == 1)
        show_pack(r, i->packs);
    else
        show_each(r, i);
    rep_fact(r, "added", NULL, rep_count(added));
    rep_fact(r, "fetched_bytes", "Fetched", rep_bytes(i->fetched_bytes));
    rep_fact(r, "passed_over", NULL, rep_count(i->passed_over));
    if (i->passed_over && end != JW_END_UNFIT && (r->cli->shared.verbose || !jw_end_is_good(end)))
        rep_say(r, REP_PLAIN, "Skipped", "%s, the first: %s", JW_NUM(i->passed_over),
                i->passed_first);
}

/* How a fresh process loaded the sample. */
static void show_sample(struct rep *r, const struct jw_import *i)
{
    const struct jw_proof *p = &i->sample;
    const char *did = p->compiled == JW_WITNESS_NOTHING ? "compiled nothing" : "added no entry";

    jw_show_proof(r, p);
    if (p->failed + p->misses)
        rep_also(r, REP_BAD, "A fresh process could not use %s.",
                 JW_N(p->failed + p->misses, "entry", "entries"));
    if (!jw_is_proven(p))
        return;
    rep_also(r, REP_GOOD, "A fresh process loaded %s%s and %s.",
             i->n_sample < i->n_added ? "a sample of " : "", JW_N(i->n_sample, "entry", "entries"),
             did);
}

static void show_todos(struct rep *r, enum jw_end end, const struct jw_import *i,
                       const struct totals *t)
{
    bool looked = i->look->looked; /* then its cause says what to do */

    jw_show_again(r, r->cli, end);
    if (t->untrusted)
        show_decision(r, t->untrusted);
    else if (end == JW_END_REFUSED && i->n_packs)
        rep_todo_say(r, "name another file, or get the pack again from who made it");
    else if (end == JW_END_UNFIT && !looked)
        rep_todo_say(r, "compile here (jitwarm prime), or get a pack for this machine");
}

static int show_import(struct cli *cli, const struct jw_import *i)
{
    struct rep *r = rep_open(cli, "import");
    enum jw_end end = i->run->end; /* of the packs, or by what stopped them */
    const struct totals t = totals_of(i);
    const struct jw_summary v = jw_import_summary(i);

    if (!i->look->stop)
        rep_head(r, end, word_of(end), "%s", head_of(r, end, i, &t));
    rep_run(r, i->run);
    show_sample(r, i);
    jw_show_look(r, !i->look->stop, &v, i->look);
    show_packs(r, end, i, t.added);
    list_packs(r, i);
    show_todos(r, end, i, &t);
    return rep_close_with(r, v.end);
}

/* Whatever this machine is, of a file that a person named it can be said what is in it. */
static bool take(struct jw_import *im, const char *from, const struct jw_remote_options *net,
                 struct jw_err *err)
{
    const struct jw_import_filter for_here = {0};

    if (!net->ref && !jw_is_folder(from))
        return jw_import_take(im, from, NULL, err);
    if (im->run->ended)
        return true;
    if (!net->ref)
        return jw_import_folder(im, from, &for_here, err);
    if (jw_pull(im, net, &for_here, err))
        return true;
    if (im->n_added)
        (void)jw_wrap(err, "%s, then",
                      JW_N(im->n_added, "entry was imported", "entries were imported"));
    return false;
}

/* What came before a server failed is proven all the same. */
static bool import(struct jw_import *im, struct jw_look *look, const char *from,
                   const struct jw_remote_options *net, struct jw_err *err)
{
    struct jw_err why = {0};

    if (take(im, from, net, &why))
        return jw_import_finish(im, look, err);
    if (im->n_added && !jw_import_finish(im, look, err))
        return false;
    return jw_pass(err, why);
}

static bool begin(struct jw_import *im, struct jw_run *run, struct jw_look *look,
                  const struct jw_want *want, const struct jw_import_terms *terms,
                  struct jw_err *err)
{
    struct jw_err why = {0};

    if (jw_import_begin(im, run, look, NULL, terms, &why))
        return jw_import_scope(run, want, terms->dry_run, look, err);
    if (why.code == JW_E_TRUST || why.code == JW_E_FORMAT)
        return jw_run_end(run, JW_END_REFUSED, "%s", why.msg);
    return jw_pass(err, why);
}

/* Packs may come before the software that they are for. */
static bool take_paths(struct jw_texts words, struct jw_run *run, struct jw_want *want,
                       struct jw_err *err)
{
    want->paths.v = words.v + 1;
    for (size_t i = 1; i < words.n; i++) {
        const char *path = words.v[i];

        if (jw_text_ends(path, JW_PACK_ENDING))
            return jw_fail(err, JW_E_USAGE, "%.250s: import takes one pack, or a folder of packs",
                           path);
        if (jw_is_absent(path))
            JW_NOTE(run, "%s is not here yet: %s when it is", path,
                    JW_COMMAND(run->a, jw_os_is_windows(), "jitwarm", "prime", path));
        else
            want->paths.v[want->paths.n++] = path;
    }
    return true;
}

static int run_import(struct cli *cli, const void *args)
{
    const struct import_args *a = args;
    const struct shared *s = &cli->shared;
    const char *from = a->words.v[0];
    const struct jw_import_terms terms = {
        .trust = s->trust, .allow_unsigned = a->allow_unsigned, .dry_run = s->dry_run};
    struct jw_want want = {.all = s->all, .verb = "import", .typed = s->words.v};
    struct jw_run run = jw_cli_run(cli);
    struct jw_remote_options net;
    struct jw_look look = {0};
    struct jw_import im = {0};
    struct jw_err err = {0};
    struct jw_err why = {0};

    if (!take_paths(a->words, &run, &want, &err) || !jw_asked_remote(cli, from, &net, &err))
        return jw_cli_fail(cli, &err);
    bool ok = begin(&im, &run, &look, &want, &terms, &why) && import(&im, &look, from, &net, &why);

    ok = ok || jw_run_end_by(&run, &why, &err);
    jw_import_end(&im);
    int code = ok ? show_import(cli, &im) : jw_cli_fail(cli, &err);

    jw_look_free(&look);
    return code;
}

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|DIR|REF [PATH...]",
    .details = "Adds the compiled code of a pack to the driver's cache. A pack fits machines with "
               "the same system, driver compiler and GPU architecture; of a folder or registry "
               "(oci://HOST/NAME[:TAG]), import takes what fits. What is in the cache stays.\n\nA "
               "trusted key must have signed the pack: one that jitwarm key lists, or --trust "
               "names. No check sees what machine code does, so trust a pack as you trust a "
               "program.\n\nPATH is the software that it is for: import says whether all of its "
               "code is in the cache then, and prime looks at it from now on.\n\nExit code 1: not "
               "all of it, or of PATH, is in the cache; 5: the pack is for another machine; 6: it "
               "is damaged or not trusted; 8: the server failed.",
    .examples = {{"jitwarm import --trust lab.pub torch.tar.zst /app",
                  "a signed pack, and the software that it is for"},
                 {"jitwarm import --dry-run torch.tar.zst", "what is in it, and does it fit?"},
                 {"jitwarm import oci://reg.example/team/jit",
                  "of this registry or folder, those for this machine"}},
    .opts = {{"allow-unsigned", 0, OPT_FLAG, offsetof(struct import_args, allow_unsigned),
              .help =
                  "accept packs that no trusted key signed, with another signature or none: their "
                  "maker, and "
                  "everyone who can write there, chooses the GPU code that your programs run"}},
    .order = "trust dry-run allow-unsigned cache json" JW_OF_ALL " as-root all",
    .args_size = sizeof(struct import_args),
    .positional_at = offsetof(struct import_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_import,
};
