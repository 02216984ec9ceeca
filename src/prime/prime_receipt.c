/*
 * Checks the receipts of verified primes: their traces (cache/memory/trace.h) and entries. While none of one changes,
 * this run has nothing to do, and finds that out without the driver. memory/receipts.h says what a receipt is about.
 */
#include "prime/commands/command.h"

#include "base/mem.h"
#include "cache/place/lookup.h"
#include "os/machine/time.h"

#include <string.h>

/* ---- what this run is asked for ---- */

const char *prime_target_text(struct jw_arena *a, const struct search_root *t)
{
    return t->named ? jw_arena_printf(a, "=%s", t->path) : jw_arena_printf(a, "%u %s", t->depth, t->path);
}

/* add_recorded_one of prime_targets.c reads these texts. */
struct jw_texts prime_target_texts(struct jw_arena *a, const struct prime_software *s)
{
    struct jw_texts out = { .items = jw_arena_alloc(a, (2 * s->n_targets + 1) * sizeof *out.items) };

    for (size_t i = 0; i < s->n_targets; i++) {
        const struct search_root *t = &s->targets[i];

        if (t->link)
            out.items[out.n++] = jw_arena_printf(a, "=%s", t->link);
        if (t->itself)
            out.items[out.n++] = prime_target_text(a, t);
    }
    return out;
}

struct jw_warm_request prime_request_of(const struct prime *p, bool trusted_only)
{
    const struct jw_prime_options *o = p->o;
    const struct prime_software *s = &p->ctx.software;
    const struct jw_texts targets = prime_target_texts(p->run->a, s);
    struct jw_warm_used *used = jw_arena_alloc(p->run->a, (p->reuse.n_commands + 1) * sizeof *used);
    char *words = o->run ? jw_prime_command(o->run) : NULL;
    struct jw_warm_request r = {
        .trusted_only = trusted_only,
        .all = o->all,
        .absent_gpus = o->absent_gpus,
        .command = jw_arena_str(p->run->a, words        ? words
                                           : o->profile ? o->profile
                                                        : ""),
        .gpus = o->gpus.items,
        .n_gpus = o->gpus.n,
        .vouched = s->vouched,
        .n_vouched = trusted_only ? s->n_vouched : 0,
        .commands = used,
        .targets = targets.items,
        .n_targets = targets.n,
    };

    jw_free(words);
    r.exclude = jw_session_excludes(p->run->session, &r.n_exclude);
    for (size_t i = 0; i < p->reuse.n_commands; i++) {
        const struct jw_warm_command *c = &p->ctx.cache.memory->commands[i];

        if (c->recorded)
            used[r.n_commands++] = (struct jw_warm_used){ jw_arena_str(p->run->a, c->key), c->recorded };
    }
    return r;
}

/* ---- does it hold? ---- */

/* Are the entries of the receipt in the cache? Entries that came back from a pack are other files with the same bytes:
 * the receipt is written again with their present state. */
static bool same_entries(const struct prime *p, const struct jw_warm_receipt *r, bool *same,
                         struct jw_err *err)
{
    struct jw_warm_entry *now = jw_arena_copy(p->run->a, r->entries, r->n_entries * sizeof *now);
    struct jw_warm_receipt again = *r;
    struct jw_cache_lookup lookup;
    bool moved = false;

    if (!jw_cache_lookup_open(p->ctx.cache.folder, p->run->a, &lookup, err))
        return false;
    *same = lookup.trouble == JW_INDEX_WHOLE || !r->n_entries; /* without entries there may be no index */
    for (size_t i = 0; *same && i < r->n_entries; i++)
        moved |= (*same = jw_cache_finds_same(&lookup, &r->entries[i], &now[i].identity))
                 && now[i].identity != r->entries[i].identity;
    jw_cache_lookup_close(&lookup);
    again.entries = now;
    return !*same || !moved || !p->ctx.cache.log
           || jw_warm_add(p->ctx.cache.log, &(struct jw_warm_fact){ JW_WARM_RECEIPT, .as.receipt = again },
                          err);
}

/* A receipt does not compare the bytes of entries, so from time to time a run in the background proves all of it
 * again. */
static bool is_old(const struct prime *p, const struct jw_warm_receipt *r)
{
    enum { MONTH_S = 30 * 24 * 60 * 60 };

    return prime_is_background(p) && jw_time_unix() - r->when > MONTH_S;
}

static bool has_entry(const void *ctx, uint64_t name)
{
    const struct jw_warm_receipt *r = ctx;

    for (size_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].name == name)
            return true;
    return false;
}

/* Ends the run where the cache holds more than its limit, which is no fact of a receipt and is asked each time. A
 * background run can do nothing about it. */
static bool end_by_limit(struct prime *p)
{
    const struct jw_next_start_facts f = jw_prime_facts(p->out);

    if (!jw_next_start_is_over(&f))
        return false;
    prime_advise_overfull(p);
    return prime_is_background(p)
               ? prime_end(p, JW_END_NOTHING, "%s", jw_next_start_answer(&f, p->run->a).why)
               : prime_end(p, JW_END_PARTLY, "%s", "");
}

/* Is a background run as unsure of recorded commands as the run of the receipt was? Only a start of a command changes
 * that, so the run has nothing to do until a command or the cache is another. */
static bool is_unsure_as_before(struct prime *p, const struct jw_warm_receipt *r, bool *as_before,
                                struct jw_err *err)
{
    uint64_t then = r->concluded.unsure, now;

    *as_before = false;
    if (!then || !prime_is_background(p))
        return true;
    if (!prime_recorded_facts(p, r->build, &now, err))
        return false;
    *as_before = now == then;
    return true;
}

static bool end_unsure(struct prime *p)
{
    const struct jw_next_start_facts f = jw_prime_facts(p->out);

    return !prime_recorded_suffices(p)
           && prime_end(p, JW_END_NOTHING, "%s (jitwarm prime shows more)",
                        jw_next_start_answer(&f, p->run->a).why);
}

/* Returns why the run of this receipt did not warm all of it, as that still is. NULL: a module that was refused then is
 * worth another try. `partly`: the words where no module was refused. */
static const char *why_partly(struct prime *p, const struct jw_warm_receipt *r, const char *partly)
{
    struct jw_next_start_facts f;

    if (!prime_recall_refused(p->run->session, p->ctx.cache.memory, r, NULL, 0, p->run->a, &f))
        return NULL;
    return f.refused ? jw_next_start_answer(&f, p->run->a).why : partly;
}

/* Is it known how a fresh login starts? A receipt says so only where its run looked at one that starts as here. */
static bool is_login_known(const struct prime *p, const struct jw_warm_receipt *r)
{
    return p->ctx.login.asked || p->ctx.same_login || p->ctx.cache.asked
           || jw_session_surroundings(p->run->session)->container || r->concluded.same_login;
}

/* Ends the run where a fresh login is unknown or starts otherwise. A background run can do nothing about it. */
static bool end_login(struct prime *p)
{
    const char *login = p->out->cache.login;

    return login
           && (prime_is_background(p) ? prime_end(p, JW_END_NOTHING, "%s", login)
                                      : prime_end(p, JW_END_PARTLY, "%s", ""));
}

bool prime_report_on_use(struct prime *p, const char *build, uint64_t found, struct jw_err *err)
{
    const struct jw_warm_request asked = prime_request_of(p, p->o->trusted_only);

    return p->o->run || p->o->profile || !p->ctx.cache.folder /* a start shows what a command uses */
           || prime_count_on_use(p->run->session, p->ctx.cache.memory, p->ctx.cache.folder, &asked,
                                 build ? build : "", found, &p->out->on_use, err);
}

/* Ends the run if this receipt holds, the entries of recorded commands included. */
static bool check_one(struct prime *p, const struct jw_warm_receipt *r, const char *why, struct jw_err *err)
{
    enum jw_trace_state state;
    const char *changed;
    bool same, unsure;

    if (is_old(p, r))
        return true;
    state = jw_trace_replay(r, &p->trace, &changed);
    p->ask_again |= state == JW_TRACE_ASK_DRIVER;
    if (state != JW_TRACE_HOLDS)
        return true;
    if (!is_login_known(p, r)) {
        p->ask_again = true;
        return true;
    }
    if (!same_entries(p, r, &same, err)
        || (same
            && (!prime_look_at_recorded(p, r->build, err) || !prime_look_at_imports(p, r, r->build, err)))
        || !is_unsure_as_before(p, r, &unsure, err))
        return false;
    if (!same || p->out->import_gone || (!prime_recorded_suffices(p) && !unsure))
        return true;
    why = *why ? why_partly(p, r, why) : why;
    if (!why)
        return true;
    if ((!*why && !prime_finish_targets(p, err)) || !prime_record_again(p, err)
        || !prime_report_on_use(p, r->build, r->concluded.on_use, err))
        return false;
    p->out->receipt = true;
    p->login_as_then = r->concluded.same_login;
    p->out->driver.stamp = r->stamp && *r->stamp ? r->stamp : NULL;
    p->out->driver.version = r->driver_version && *r->driver_version ? r->driver_version : NULL;
    p->out->driver.build = r->build;
    p->out->counts[JW_JOB_WARM] = r->jobs;
    p->out->link_milliseconds = jw_warm_links_of(p->ctx.cache.memory, has_entry, r).milliseconds;
    prime_find_limit(&p->ctx);
    if (!p->ctx.same_login)
        prime_recall_login_limit(r, &p->out->cache.limit);
    return end_by_limit(p) || end_unsure(p) || end_login(p) || prime_end(p, JW_END_NOTHING, "%s", why);
}

static bool is_of_request(const struct jw_warm_receipt *r, bool partly, const struct jw_warm_request *asked)
{
    return r->partly == partly && jw_warm_same_request(&r->asked, asked);
}

/* Is there a newer receipt of the same request that is of a part? status shows that one, so the run looks again and
 * remembers the whole. */
static bool is_superseded(const struct jw_warm_state *memory, size_t i)
{
    const struct jw_warm_receipt *r = &memory->receipts[i];

    for (size_t k = 0; k < i && !r->partly; k++)
        if (strcmp(memory->receipts[k].build, r->build) == 0
            && is_of_request(&memory->receipts[k], true, &r->asked))
            return true;
    return false;
}

/* Checks the receipts of each driver build; the trace says which build is here. */
static bool check_each(struct prime *p, bool partly, const struct jw_warm_request *asked, struct jw_err *err)
{
    const char *why =
        partly ? "not all could be warmed or read the last time (jitwarm prime shows what)" : "";
    const struct jw_warm_state *memory = p->ctx.cache.memory;

    /* If the last run found no code, a person's next one looks again. */
    for (size_t i = 0; i < memory->n_receipts && !p->run->ended; i++)
        if ((prime_is_background(p) || !prime_is_empty(&memory->receipts[i]))
            && is_of_request(&memory->receipts[i], partly, asked) && !is_superseded(memory, i)
            && !check_one(p, &memory->receipts[i], why, err))
            return false;
    return true;
}

/* A background run leaves out what other users can change: where a run by hand warmed all of it, that is warm, too. */
static bool check_all(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_request by_hand = prime_request_of(p, false);

    for (int partly = 0; partly <= (prime_is_background(p) && !p->o->retry); partly++)
        if (!check_each(p, partly, &p->request, err) || !check_each(p, partly, &by_hand, err))
            return false;
    return true;
}

bool prime_check_receipt(struct prime *p, struct jw_err *err)
{
    p->request = prime_request_of(p, p->o->trusted_only);
    if (!jw_session_machine(p->run->session, p->run->a, &p->trace, err))
        return false;
    return p->o->run || p->ctx.cache.repaired || check_all(p, err);
}

bool prime_check_receipt_again(struct prime *p, struct jw_err *err)
{
    p->request = prime_request_of(p, p->o->trusted_only); /* a login may have named more */
    return jw_session_machine(p->run->session, p->run->a, &p->trace, err)
           && (!p->ask_again || p->ctx.cache.repaired || check_all(p, err));
}

/* ---- in the report ---- */

const struct jw_row prime_receipt_rows[] = {
    { JW_ROW("receipt", struct jw_prime_report, receipt),
      JW_ABOUT("nothing was looked at but the receipt of an earlier run") },
    { JW_ROW("link_milliseconds", struct jw_prime_report, link_milliseconds),
      JW_IF(struct jw_prime_report, receipt), JW_NULLABLE,
      JW_ABOUT("of links that its programs make at each start, measured before; null: none was") },
    { 0 },
};
