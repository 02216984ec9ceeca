/* Imports packs before a prime (--packs), and removes outdated entries after it (--prune). */
#include "base/limits.h"
#include "base/text.h"
#include "cache/prune/prune.h"
#include "prime/command/prime_args.h"
#include "startup/startup_packs.h"

static void say_packs(struct jw_buf *out, const struct jw_packs_report *r)
{
    jw_say(out, "%s imported from %u of %u packs", JW_N(r->entries, "entry", "entries"), r->imported,
           r->packs);
    if (r->unfit)
        jw_say(out, ", %u not for this machine", r->unfit);
    if (r->refused)
        jw_say(out, ", %u refused", r->refused);
    if (r->why)
        jw_say(out, " (%s)", r->why);
}

/* Reports a failure and continues: the prime only takes longer. */
bool prime_packs(struct cli *cli, const struct prime_args *a, struct prime_runlog *d, struct jw_err *err)
{
    const struct jw_packs_options o = {
        .folder = a->packs, .cache = a->cache, .as_root = a->as_root, .interrupted = cli->interrupted
    };
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_packs_report r;
    struct jw_err why = { 0 };

    if (!a->packs)
        return true;
    if (jw_packs_import(&o, cli->arena, &r, &why)) {
        if (r.changed)
            say_packs(&text, &r);
    } else if (why.code == JW_E_INTERRUPTED) {
        *err = why;
        return false;
    } else
        jw_say(&text, "packs: %s", why.msg);
    if (text.n) {
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
        prime_runlog_add(d, jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
    return true;
}

static void say_prune(struct jw_buf *out, const struct jw_prune_report *r)
{
    if (r->removed.entries)
        jw_say(out, "%s (%s) removed", JW_N(r->removed.entries, "outdated entry", "outdated entries"),
               JW_SIZE(r->removed.bytes));
    if (r->run->why)
        jw_say(out, "%s%s", out->n ? "; prune: " : "prune: ", r->run->why);
}

/* Only if something was compiled and all is warm. */
void prime_prune(struct cli *cli, const struct prime_args *a, const struct jw_prime_report *done,
                 struct prime_runlog *d)
{
    const struct jw_prune_options o = { .cache = a->cache, .max_size = UINT64_MAX, .act = true };
    struct jw_run run = { .a = cli->arena, .interrupted = cli->interrupted };
    bool warm =
        done->run->end == JW_END_DONE || (done->run->end == JW_END_NOTHING && !done->receipt && done->n_jobs);
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct jw_prune_report r;
    struct jw_err err = { 0 };

    if (!a->prune || !warm)
        return;
    if (jw_prune(&run, &o, &r, &err))
        say_prune(&text, &r);
    else
        jw_say(&text, "prune: %s", err.msg);
    if (text.n) {
        jw_messages_say(&cli->messages, "%s", jw_buf_cstr(&text));
        prime_runlog_add(d, jw_buf_cstr(&text));
    }
    jw_buf_free(&text);
}
