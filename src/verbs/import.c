/* import: entries of packs into the driver's cache; of a file or folder, or of what a registry has
 * for this machine. */
#include "pack/import/import.h"

#include "base/command.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "fleet/pull.h"
#include "machine/paths.h"
#include "machine/run.h"
#include "os/machine/env.h"
#include "pack/format/pack_name.h"
#include "verbs/asked.h"
#include "verbs/prime_parts.h"

struct import_args {
    struct jw_texts words; /* the pack, then paths of software */
    bool allow_unsigned;
};

static const struct opt import_opts[] = {
    { "allow-unsigned", 0, OPT_FLAG, offsetof(struct import_args, allow_unsigned), NULL,
      "accept packs that no trusted key signed, with another signature or none: their maker, and "
      "everyone "
      "who can write there, chooses the GPU code that your programs run",
      NULL, HINT_NONE },
    { 0 },
};

/* ---- the report ---- */

static const char *const signature_names[] = { [JW_PACK_UNSIGNED] = "unsigned",
                                               [JW_PACK_SIGNED_UNKNOWN] = "unknown",
                                               [JW_PACK_SIGNED] = "trusted",
                                               [JW_PACK_SIGNED_WRONG] = "wrong" };

static const char *word_of(enum jw_end end)
{
    return end == JW_END_NOTHING ? "there" : jw_end_names[end];
}

/* In the JSON alone; a single pack is shown as lines, several by their ends. */
static void list_packs(struct rep *r, const struct jw_import_report *i)
{
    rep_table(r, "packs", 0);
    for (const struct jw_import_pack *p = i->packs; p < i->packs + i->n_packs; p++) {
        const struct jw_pack_manifest *m = p->manifest;

        rep_row(r);
        rep_fact(r, "path", NULL, rep_path(p->path));
        rep_fact(r, "gpu", NULL, rep_text(m ? JW_PHRASE("sm_%u", m->sm) : NULL));
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

/* Where it was to go in, what matters is what is in the cache now, or why not. */
static void show_pack(struct rep *r, const struct jw_import_pack *p)
{
    bool dry = r->cli->shared.dry_run; /* which asks what is in it */
    rep_put *put = dry ? rep_fact : rep_detail;
    const struct jw_pack_manifest *m = p->manifest;
    enum jw_pack_signature is = p->signature.kind;

    (jw_end_is_good(p->end) ? put : rep_fact)(r, NULL, "Pack", rep_path(p->path));
    if (m)
        put(r, NULL, "For",
            rep_text(jw_arena_printf(r->a, "%s %s, sm_%u, driver %s (build of %s)", m->os, m->arch,
                                     m->sm, m->driver ? m->driver : "unknown",
                                     jw_stamp_text(m->stamp).text)));
    put(r, NULL, "Signed",
        rep_text(is == JW_PACK_SIGNED ? jw_arena_printf(r->a, "by %s", p->signature.key) : NULL));
    if (m && is < JW_PACK_SIGNED && p->end != JW_END_REFUSED) /* else that is why */
        rep_say(r, REP_WARN, "Signed", "%s",
                is == JW_PACK_UNSIGNED ? "no" : "with a key that you do not trust");
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

static void show_each(struct rep *r, const struct jw_import_report *i)
{
    for (size_t k = 0; k < i->n_packs; k++) {
        const struct jw_import_pack *p = &i->packs[k];

        rep_say(r, jw_end_is_good(p->end) ? REP_PLAIN : REP_WARN, k ? "" : "Packs", "%s: %s%s%s",
                p->path,
                p->added ? JW_PHRASE("%s %s", JW_NUM(p->added),
                                     r->cli->shared.dry_run ? "to add" : "added")
                         : word_of(p->end),
                p->why ? ": " : "", p->why ? p->why : "");
    }
}

/* Of all packs. */
struct totals {
    uint64_t added, there; /* entries that were added, or would be; that were in the cache */
    size_t refused;
    const struct jw_import_pack *untrusted; /* the first */
};

static struct totals totals_of(const struct jw_import_report *i)
{
    struct totals t = { 0 };

    for (const struct jw_import_pack *p = i->packs; p < i->packs + i->n_packs; p++) {
        t.added += p->added;
        t.there += p->there;
        t.refused += p->end == JW_END_REFUSED;
        t.untrusted = p->untrusted && !t.untrusted ? p : t.untrusted;
    }
    return t;
}

static const char *head_of(const struct jw_run *run, const struct jw_import_report *i, bool dry_run,
                           const struct totals *t)
{
    switch (run->end) {
    case JW_END_DONE: return dry_run ? "All of it would be imported." : "Imported.";
    case JW_END_NOTHING: return "All of it was in the cache already.";
    case JW_END_UNFIT: return "Nothing was imported: nothing there is for this machine.";
    case JW_END_REFUSED:
        if (i->n_packs < 2)
            return !i->n_packs               ? "Nothing was imported: a key was refused."
                   : dry_run && t->untrusted ? "It fits this machine, and would be refused."
                                             : "Nothing was imported: a pack was refused.";
        return jw_arena_printf(run->a, "%zu of %zu packs refused; %s.", t->refused, i->n_packs,
                               t->added   ? JW_PHRASE("%s %s", JW_N(t->added, "entry", "entries"),
                                                    dry_run ? "to add" : "added")
                               : t->there ? "the rest was in the cache already"
                                          : "nothing was imported");
    default:
        return i->added                               ? "Imported, but not all of it."
               : dry_run && run->end == JW_END_PARTLY ? "A part of it would be imported."
                                                      : "Nothing was imported.";
    }
}

/* Each pack, and what they bring. */
static void show_packs(struct rep *r, enum jw_end end, const struct jw_import_report *i,
                       uint64_t added)
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
static void show_outcome(struct rep *r, const struct jw_import_report *i)
{
    const struct jw_proof *p = &i->look.proof;

    jw_show_proof(r, p);
    if (jw_is_proven(p))
        rep_also(r, REP_GOOD, "A fresh process loaded %s of the %s and %s.", JW_NUM(i->look.n_jobs),
                 JW_NUM(i->added),
                 p->compiled == JW_WITNESS_NOTHING ? "compiled nothing" : "added no entry");
}

/* What cut it short, unless the answer says it. */
static void show_limit(struct rep *r, const struct jw_facts *f, const struct jw_summary *v)
{
    const struct jw_cause *c = &jw_causes[JW_CAUSE_cache_disk_full];

    c = c->is(f) ? c : &jw_causes[JW_CAUSE_cache_limit_small];
    c = c->is(f) ? c : &jw_causes[JW_CAUSE_cache_limit_low];
    if (c->is(f) && c != v->cause && !(v->notes_first && c == v->notes[0]))
        rep_concern(r, c, f);
}

static int show_import(struct cli *cli, const struct jw_run *run, const struct jw_import_report *i)
{
    struct rep *r = rep_open(cli, "import");
    bool dry = cli->shared.dry_run;
    enum jw_end end = run->end; /* of the packs */
    const struct totals t = totals_of(i);
    const struct jw_summary sample = jw_end_summary(run, &i->look);
    struct jw_summary v = jw_end_summary(run, &i->named);

    if (dry && i->named.facts.answer.is == JW_COLD) { /* it is looked at before they are in */
        v.end = end;
        v.cause = end == JW_END_UNFIT ? v.cause : NULL;
    }
    if (i->look.stop)
        rep_cause(r, true, &sample, &i->look.facts);
    else
        rep_head(r, end, word_of(end), "%s", head_of(run, i, dry, &t));
    bool twice = end == JW_END_CANNOT_WRITE && v.cause && v.cause->end == end; /* else first why */
    rep_run(r, &(struct jw_run){ .end = end, .why = twice ? NULL : run->why, .notes = run->notes });
    rep_ends(r, jw_end_worse(end, sample.end));
    if (!dry || end == JW_END_UNFIT)
        show_outcome(r, i);
    if (i->named.facts.answer.is)
        jw_show_look(r, true, &v, &i->named);
    else {
        rep_cache(r, false, i->look.facts.scope.cache);
        v = sample;
        v.cause = NULL; /* of a good answer only a limit, which follows */
        if (v.notes_first)
            rep_concern(r, v.notes[0], &i->look.facts);
    }
    show_packs(r, end, i, t.added);
    if (!i->look.stop && (i->needed || end == JW_END_CANNOT_WRITE)) /* else the head says it */
        show_limit(r, &i->look.facts, &v);
    list_packs(r, i);
    jw_show_again(r, cli, end);
    if (t.untrusted)
        show_decision(r, t.untrusted);
    else if (end == JW_END_REFUSED && i->n_packs)
        rep_todo_say(r, "name another file, or get the pack again from who made it");
    else if (end == JW_END_UNFIT && !i->named.facts.answer.is)
        rep_todo_say(r, "compile here (jitwarm prime), or get a pack for this machine");
    return rep_close(r);
}

/* ---- the verb ---- */

static int run_import(struct cli *cli, const void *args)
{
    const struct import_args *a = args;
    const struct shared *s = &cli->shared;
    struct jw_import_options o = { .words = s->words.v,
                                   .from = a->words.v[0],
                                   .want = { .paths.v = a->words.v + 1, .all = s->all },
                                   .trust = s->trust,
                                   .allow_unsigned = a->allow_unsigned,
                                   .dry_run = s->dry_run };
    struct jw_import_report report = { 0 };
    struct jw_run run = jw_cli_run(cli);
    struct jw_remote_options net;
    struct jw_err err = { 0 };

    jw_run_begin(&run);
    for (size_t i = 1; i < a->words.n; i++) {
        if (jw_text_ends(a->words.v[i], JW_PACK_ENDING))
            return JW_CLI_REFUSE(cli, &err, JW_E_USAGE,
                                 "%.250s: import takes one pack, or a folder of packs",
                                 a->words.v[i]);
        if (jw_is_absent(a->words.v[i])) /* packs may come before the software */
            JW_NOTE(&run, "%s is not here yet: %s when it is", a->words.v[i],
                    JW_COMMAND(run.a, jw_os_is_windows(), "jitwarm", "prime", a->words.v[i]));
        else
            o.want.paths.v[o.want.paths.n++] = a->words.v[i];
    }
    if (!jw_asked_remote(cli, o.from, &net, &err))
        return jw_cli_fail(cli, &err);
    bool ok = net.ref ? jw_pull(&run, &net, o, &report, &err) : jw_import(&run, &o, &report, &err);
    int code = ok ? show_import(cli, &run, &report) : jw_cli_fail(cli, &err);

    jw_import_free(&report);
    return code;
}

static const struct example import_examples[] = {
    { "jitwarm import --trust lab.pub torch.tar.zst /app",
      "a signed pack, and the software that it is for" },
    { "jitwarm import --dry-run torch.tar.zst", "what is in it, and does it fit?" },
    { "jitwarm import oci://reg.example/team/jit",
      "of this registry or folder, those for this machine" },
    { 0 },
};

const struct cmd jw_cmd_import = {
    .name = "import",
    .summary = "add a pack's code to the driver's cache",
    .synopsis_args = "FILE|DIR|REF [PATH...]",
    .details = "Adds the compiled code of a pack to the driver's cache. A pack fits machines with "
               "the same system, "
               "driver build and GPU architecture; of a folder or registry "
               "(oci://HOST/NAME[:TAG]), import takes "
               "what fits. What is in the cache stays.\n\nA trusted key must have signed the pack: "
               "one that jitwarm "
               "key lists, or --trust names. Trust a pack as you trust a program: no check sees "
               "what machine code "
               "does.\n\nPATH is the software that it is for: import says whether all of its code "
               "is in the cache "
               "then, and prime looks at it from now on.\n\nExit code 1: not all of it, or of "
               "PATH, is in the "
               "cache; 5: the pack is for another machine; 6: it is damaged or not trusted; 8: the "
               "server failed.",
    .examples = import_examples,
    .opts = import_opts,
    .order = "trust dry-run allow-unsigned cache json" JW_OF_ALL " as-root all",
    .args_size = sizeof(struct import_args),
    .positional_at = offsetof(struct import_args, words),
    .min_pos = 1,
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .run = run_import,
};
