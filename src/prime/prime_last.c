#include "prime/prime_last.h"

#include "base/digest.h"
#include "base/num.h"
#include "base/text.h"
#include "cache/format/sorted.h"
#include "cache/place/lookup.h"
#include "os/files/file.h"
#include "prime/prime_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct jw_warm_entry *x = *(const struct jw_warm_entry *const *)a,
                               *y = *(const struct jw_warm_entry *const *)b;

    return x->name < y->name ? -1 : x->name > y->name;
}

/* One entry may be of modules of several receipts. */
static bool count_warm(struct jw_arena *a, const struct jw_cachedir *dir, const struct prime_held *held,
                       size_t n_held, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_cache_lookup lookup;
    const struct jw_warm_entry **all;
    uint64_t ignored;
    size_t n = 0;

    for (size_t i = 0; i < n_held; i++)
        n += held[i].receipt->n_entries;
    all = jw_arena_alloc(a, (n + 1) * sizeof *all);
    n = 0;
    for (size_t i = 0; i < n_held; i++) {
        const struct jw_warm_receipt *r = held[i].receipt;

        out->modules += jw_max(r->jobs, (uint64_t)r->n_entries) - r->n_entries;
        for (size_t k = 0; k < r->n_entries; k++)
            all[n++] = &r->entries[k];
    }
    if (n)
        qsort(all, n, sizeof *all, by_name);
    if (!jw_cache_lookup_open(dir->root, a, &lookup, err))
        return false;
    for (size_t i = 0, next; i < n; i = next) {
        bool found = false;

        for (next = i; next < n && all[next]->name == all[i]->name; next++)
            found = found || jw_cache_finds_same(&lookup, all[next], &ignored);
        out->modules++;
        if (!jw_add(out->needed, all[i]->bytes, &out->needed))
            out->needed = UINT64_MAX;
        out->warm += found && (!out->other_driver || out->no_driver);
    }
    out->stored = lookup.index.total;
    out->limit = dir->limit;
    out->limit_known = dir->limit_known;
    jw_cache_lookup_close(&lookup);
    return true;
}

/* ---- what recorded commands load ---- */

/* These answers decide which code a program loads; the files of the loader's search are of the driver, and it is the same build. */
static bool is_of_machine(const char *question)
{
    return strcmp(question, JW_TRACE_GPUS) == 0 || strcmp(question, JW_TRACE_SETTINGS) == 0
           || strcmp(question, JW_TRACE_DRIVERS_GPUS) == 0;
}

static bool list_machine(struct jw_run *run, const struct run_ctx *h, struct jw_warm_loads *of,
                         struct jw_err *err)
{
    struct jw_trace now;

    if (!prime_trace_here(run, h, &now, err))
        return false;
    struct jw_warm_answer *answers =
        jw_arena_alloc(run->a, (now.n_answers + of->n_answers + 1) * sizeof *answers);

    for (size_t i = 0; i < of->n_answers; i++)
        answers[i] = of->answers[i];
    for (size_t i = 0; i < now.n_answers; i++)
        if (is_of_machine(now.answers[i].question))
            answers[of->n_answers++] = now.answers[i];
    of->answers = answers;
    return true;
}

bool prime_remember_loads(struct jw_run *run, const struct run_ctx *h, struct jw_warm_loads loads, bool here,
                          struct jw_err *err)
{
    const struct jw_warm_loads *known =
        here ? NULL
             : jw_warm_machine(jw_session_memory_now(run->session, h->cache.root), loads.key, loads.build);

    if (here && !list_machine(run, h, &loads, err))
        return false;
    if (known) {
        loads.answers = known->answers;
        loads.n_answers = known->n_answers;
    }
    return jw_warm_add(h->cache.log, &(struct jw_warm_fact){ JW_WARM_LOADS, .as.loads = loads }, err);
}

/* ---- do they hold? ---- */

enum jw_trace_state prime_same_machine(const struct jw_warm_loads *then, const struct jw_trace *now,
                                       const char **what)
{
    struct jw_warm_answer *of_machine = jw_arena_alloc(now->a, (then->n_answers + 1) * sizeof *of_machine);
    struct jw_warm_receipt trace = { .answers = of_machine };

    for (size_t i = 0; i < then->n_answers; i++)
        if (is_of_machine(then->answers[i].question))
            of_machine[trace.n_answers++] = then->answers[i];
    enum jw_trace_state state = jw_trace_replay(&trace, now, what);

    if (state == JW_TRACE_CHANGED)
        return state;
    *what = prime_named_change(then, now->a);
    return *what ? JW_TRACE_CHANGED : state;
}

enum why { SAME, UNRECORDED, OTHER_GPUS, OTHER_SETTINGS, OTHER_DRIVER, OTHER_FILES, WHYS };

/* What recorded commands load, as the machine and the cache are now: one answer, for status and for each run that speaks of them. */
struct recorded_asked {
    const char *root; /* of the cache */
    const struct jw_warm_state *memory;
    const char *build;            /* of libcuda */
    const struct jw_trace *now;   /* jw_session_machine */
    const char *command;          /* one alone; NULL: all */
    const struct jw_job *planned; /* whose entries count as modules already, not here */
    size_t n_planned;
};

struct recorded {
    uint64_t commands;     /* with this driver build */
    uint64_t loads, found; /* entries: modules or not */
    const char
        *unsure;       /* why they may load something else here: a sentence in the arena; NULL: they do not */
    bool gpus_unknown; /* that depends on the GPUs, which only the driver knows */
    const char *again; /* the first that has to be started again, as it was typed; NULL: none, or a pack's */
    struct jw_warm_loads
        *carried; /* what commands of another driver build load of this one: planned, and all of it warm */
    size_t n_carried;
};

struct looking {
    const struct recorded_asked *asked;
    struct jw_cache_lookup lookup;
    const uint64_t *planned; /* sorted */
    struct recorded *out;
    uint64_t unsure[WHYS]; /* commands */
    const char *changed;   /* the first file that one of them names, and that is another one now */
};

/* `loads` names command and build. */
static enum why why_unsure(struct looking *l, const struct jw_warm_loads *loads)
{
    const struct jw_warm_loads *then = jw_warm_machine(l->asked->memory, loads->key, loads->build);
    const char *what;

    if (!then)
        return UNRECORDED;
    enum jw_trace_state state = prime_same_machine(then, l->asked->now, &what);

    l->out->gpus_unknown |= state == JW_TRACE_ASK_DRIVER;
    if (state == JW_TRACE_CHANGED && !is_of_machine(what)) {
        l->changed = l->changed ? l->changed : what;
        return OTHER_FILES;
    }
    return state != JW_TRACE_CHANGED              ? SAME
           : strcmp(what, JW_TRACE_SETTINGS) == 0 ? OTHER_SETTINGS
                                                  : OTHER_GPUS;
}

static void look_at(struct looking *l, const struct jw_warm_loads *loads)
{
    for (size_t i = 0; i < loads->n; i++) {
        uint64_t name = loads->list[i].name;

        if (jw_find_u64(l->planned, l->asked->n_planned, sizeof *l->planned, name))
            continue;
        l->out->loads++;
        l->out->found += jw_cache_finds_name(&l->lookup, name);
    }
}

/* One that came with a pack has a name in place of its words. */
static void start_again(struct looking *l, const char *key)
{
    const struct jw_warm_command *known = jw_warm_command(l->asked->memory, key);

    if (!l->out->again && known && !jw_warm_is_alias(key))
        l->out->again = key;
}

static void look_at_command(struct looking *l, const struct jw_warm_loads *loads)
{
    uint64_t missing = l->out->loads - l->out->found;

    l->out->commands++;
    look_at(l, loads);
    enum why why = why_unsure(l, loads);

    l->unsure[why]++;
    if (why != SAME || l->out->loads - l->out->found > missing)
        start_again(l, loads->key);
}

/* Has it loaded no entry when it was recorded? Of which driver build that was is not recorded. */
static bool loads_nothing(const struct jw_warm_state *memory, const struct jw_warm_profile *p)
{
    for (size_t i = 0; i < memory->n_loads; i++)
        if (memory->loads[i].n && strcmp(memory->loads[i].key, p->key) == 0)
            return false;
    return !p->n && jw_warm_command(memory, p->key);
}

static void look_at_all(struct looking *l)
{
    const struct jw_warm_state *memory = l->asked->memory;

    for (size_t i = 0; i < memory->n_loads; i++)
        if (memory->loads[i].n && strcmp(memory->loads[i].build, l->asked->build) == 0)
            look_at_command(l, &memory->loads[i]);
    for (size_t i = 0; i < memory->n_profiles; i++)
        if (loads_nothing(memory, &memory->profiles[i]))
            look_at_command(
                l, &(struct jw_warm_loads){ .key = memory->profiles[i].key, .build = l->asked->build });
}

static void look_at_one(struct looking *l, const char *command)
{
    const struct jw_warm_loads *loads = jw_warm_loads(l->asked->memory, command, l->asked->build);

    if (loads)
        look_at_command(l, loads);
}

/* ---- recorded with another driver build ---- */

/* Of several builds the newest record of a command counts. */
static bool is_newest(const struct jw_warm_state *memory, size_t i)
{
    for (size_t k = i + 1; k < memory->n_loads; k++)
        if (memory->loads[k].n && strcmp(memory->loads[k].key, memory->loads[i].key) == 0)
            return false;
    return true;
}

/* The newest record of a command that has none of this build. */
static bool is_of_other_build(const struct recorded_asked *asked, size_t i)
{
    const struct jw_warm_loads *then = &asked->memory->loads[i];

    return then->n && !jw_warm_loads(asked->memory, then->key, asked->build) && is_newest(asked->memory, i)
           && (!asked->command || strcmp(asked->command, then->key) == 0);
}

/* Its modules are planned, and it loaded nothing else. `list`: their entries here; none: not all of them are warm. */
static bool is_planned(struct looking *l, struct jw_arena *a, const struct jw_warm_loads *then,
                       struct jw_warm_loads *list)
{
    const struct recorded_asked *asked = l->asked;
    const struct jw_warm_profile *p = jw_warm_profile(asked->memory, then->key);
    struct jw_warm_load *entries = jw_arena_alloc(a, (asked->n_planned + 1) * sizeof *entries);
    size_t n = 0, warm = 0;

    for (size_t i = 0; i < then->n; i++)
        if (then->list[i].once)
            return false;
    for (size_t i = 0; p && p->n && i < asked->n_planned; i++) {
        const struct jw_job *j = &asked->planned[i];

        if (!jw_digest_among(p->ids, p->n, j->id))
            continue;
        entries[n++].name = j->name;
        warm += j->name && (j->state == JW_JOB_WARM || j->state == JW_JOB_WARMED);
    }
    *list = (struct jw_warm_loads){
        .key = then->key, .build = asked->build, .list = entries, .n = warm == n ? n : 0
    };
    prime_take_named(then, a, list);
    return n && n == p->n;
}

/* A run without PATH plans what they load: the same modules are the same code, where the machine is the same. */
static void look_at_other_builds(struct looking *l, struct jw_arena *a)
{
    const struct jw_warm_state *memory = l->asked->memory;

    l->out->carried = jw_arena_alloc(a, (memory->n_loads + 1) * sizeof *l->out->carried);
    for (size_t i = 0; i < memory->n_loads; i++) {
        struct jw_warm_loads *carried = &l->out->carried[l->out->n_carried];

        if (!is_of_other_build(l->asked, i))
            continue;
        enum why why =
            is_planned(l, a, &memory->loads[i], carried) ? why_unsure(l, &memory->loads[i]) : OTHER_DRIVER;

        l->unsure[why]++;
        if (why == OTHER_DRIVER)
            start_again(l, memory->loads[i].key);
        l->out->n_carried += why == SAME && carried->n;
    }
}

static const char *words_of(const struct looking *l, struct jw_arena *a)
{
    static const char *const words[WHYS] = { [OTHER_GPUS] = "started with other GPUs",
                                             [OTHER_SETTINGS] = "started with other settings",
                                             [OTHER_DRIVER] = "started with another driver" };
    uint64_t n;

    for (unsigned why = OTHER_GPUS; why < OTHER_FILES; why++)
        if ((n = l->unsure[why]))
            return jw_arena_printf(a, "%s %s", JW_N(n, "recorded command was", "recorded commands were"),
                                   words[why]);
    if (l->changed)
        return jw_arena_printf(a, "changed since a command that names it was recorded: %s", l->changed);
    n = l->unsure[UNRECORDED];
    return n ? jw_arena_printf(a, "with which GPUs %s started is not known",
                               JW_N(n, "recorded command was", "recorded commands were"))
             : NULL;
}

static const uint64_t *names_of(const struct recorded_asked *asked, struct jw_arena *a)
{
    uint64_t *names = jw_arena_alloc(a, (asked->n_planned + 1) * sizeof *names);

    for (size_t i = 0; i < asked->n_planned; i++)
        names[i] = asked->planned[i].name;
    if (asked->n_planned)
        jw_sort_u64(names, asked->n_planned, sizeof *names);
    return names;
}

static bool look_at_recorded(const struct recorded_asked *asked, struct jw_arena *a, struct recorded *out,
                             struct jw_err *err)
{
    struct looking l = { .asked = asked, .planned = names_of(asked, a), .out = out };

    *out = (struct recorded){ 0 };
    if (!jw_cache_lookup_open(asked->root, a, &l.lookup, err))
        return false;
    if (asked->command)
        look_at_one(&l, asked->command);
    else
        look_at_all(&l);
    look_at_other_builds(&l, a);
    jw_cache_lookup_close(&l.lookup);
    out->unsure = words_of(&l, a);
    return true;
}

/* The texts in `out` are its own. */
static bool look_at_commands(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                             const char *build, const struct jw_trace *now, struct jw_prime_last *out,
                             struct jw_err *err)
{
    const struct recorded_asked asked = { .root = root, .memory = memory, .build = build, .now = now };
    struct recorded seen;

    if (!look_at_recorded(&asked, a, &seen, err))
        return false;
    out->commands = seen.commands;
    out->loads = seen.loads;
    out->loads_found = seen.found;
    out->gpus_unknown = seen.gpus_unknown;
    (void)snprintf(out->commands_unsure, sizeof out->commands_unsure, "%s", seen.unsure ? seen.unsure : "");
    return true;
}

/* Modules that an unfinished prime, or packs, left in the cache. */
static bool count_compiled(struct jw_arena *a, const char *root, const struct jw_warm_state *memory,
                           const char *build, uint64_t *n, struct jw_err *err)
{
    struct jw_cache_lookup lookup;

    if (!jw_cache_lookup_open(root, a, &lookup, err))
        return false;
    for (size_t i = 0; build && i < memory->modules.n; i++) {
        const struct jw_warm_module *m = &memory->modules.list[i];

        *n += m->compiled && strcmp(m->build, build) == 0
              && (!m->name || jw_cache_finds_name(&lookup, m->name));
    }
    for (size_t i = 0, compiled = *n; !compiled && i < memory->modules.n; i++)
        *n += *memory->modules.list[i].origin && jw_cache_finds_name(&lookup, memory->modules.list[i].name);
    jw_cache_lookup_close(&lookup);
    return true;
}

/* The first that does not hold is named. */
static void replay(const struct prime_held *held, size_t n, const struct jw_trace *now,
                   struct jw_prime_last *out)
{
    for (size_t i = 0; i < n && !out->changed; i++) {
        const char *what;
        enum jw_trace_state state = prime_replay_held(held, i, now, &what);

        out->changed = state == JW_TRACE_CHANGED;
        out->gpus_unknown |= state == JW_TRACE_ASK_DRIVER;
        (void)snprintf(out->what, sizeof out->what, "%s", what ? what : "");
    }
}

/* Named software that is still there. */
static void find_unfinished(const struct jw_warm_state *memory, struct jw_prime_last *out)
{
    for (size_t i = memory->n_asked; i-- > 0 && !*out->unfinished;) {
        const char *path = memory->asked[i].target + (*memory->asked[i].target == '=');
        struct jw_file_info info;
        struct jw_err ignored;

        if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_NONE)
            (void)snprintf(out->unfinished, sizeof out->unfinished, "not finished: %s", path);
    }
}

static void take_login_limit(const struct jw_warm_receipt *r, struct jw_prime_last *out)
{
    const char *answer = jw_trace_answered(r, JW_TRACE_LOGIN_LIMIT);
    uint64_t limit;

    if (!answer || !jw_text_u64(answer, &limit) || (out->login_lower && limit >= out->login_limit))
        return;
    out->login_lower = true;
    out->login_limit = limit;
}

/* Primes have ended, but nothing is left to speak of. */
static void say_nothing_left(const struct jw_warm_state *memory, struct jw_prime_last *out)
{
    const char *gone = prime_first_gone(memory);

    if (gone)
        (void)snprintf(out->nothing, sizeof out->nothing, "what was primed is gone: %s", gone);
    else if (memory->n_receipts)
        (void)snprintf(out->nothing, sizeof out->nothing, "the last prime found nothing to compile");
}

static void take_refused(const struct jw_warm_state *memory, const struct jw_warm_receipt *r,
                         struct jw_arena *a, struct jw_prime_last *out)
{
    struct jw_next_start_facts f;

    prime_recall_refused(memory, r, a, &f);
    if (f.refused && !out->refused)
        (void)snprintf(out->refusal, sizeof out->refusal, "%s", f.refusal);
    out->refused += f.refused;
}

static bool look_at_receipts(struct jw_session *s, struct jw_arena *a, const struct jw_cachedir *dir,
                             const struct jw_warm_state *memory, struct jw_prime_last *out,
                             struct jw_err *err)
{
    const char *root = dir->root;
    const struct jw_driver_file *file = jw_session_driver_file(s);
    const char *build = file->known ? file->known->build : NULL;
    struct prime_held_list held;
    struct jw_trace now;

    out->driver = file->known != NULL;
    out->no_driver = !out->driver && !file->found;
    find_unfinished(memory, out);
    if (memory->n_receipts + memory->n_loads + memory->n_profiles == 0)
        return count_compiled(a, root, memory, build, &out->compiled, err);
    if (!jw_session_machine(s, a, &now, err)
        || (out->driver && !look_at_commands(a, root, memory, build, &now, out, err)))
        return false;
    prime_held_receipts(memory, jw_session_config(s), build, a, &held);
    if (!held.n) {
        say_nothing_left(memory, out);
        return memory->n_receipts || count_compiled(a, root, memory, build, &out->compiled, err);
    }
    out->known = true;
    out->other_driver = !out->driver;
    if (held.of_others)
        (void)snprintf(out->of_others, sizeof out->of_others, "not primed with this driver yet: %s",
                       held.of_others);
    for (size_t i = 0; i < held.n; i++) {
        const struct jw_warm_receipt *r = held.list[i].receipt;

        if (r->when >= out->when) {
            out->when = r->when;
            (void)snprintf(out->driver_version, sizeof out->driver_version, "%s",
                           r->driver_version ? r->driver_version : "");
        }
        out->other_driver |= build && strcmp(build, r->build) != 0;
        out->partly |= prime_is_partly(r);
        take_login_limit(r, out);
        take_refused(memory, r, a, out);
        if (held.list[i].narrow && !*out->narrow)
            (void)snprintf(out->narrow, sizeof out->narrow, "%s", held.list[i].narrow);
    }
    if (!count_warm(a, dir, held.list, held.n, out, err))
        return false;
    if (!out->other_driver)
        replay(held.list, held.n, &now, out);
    return true;
}

bool jw_prime_last(struct jw_session *s, const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    const char *setting = jw_cache_why_ignored(dir, &a), *forbidden = jw_cache_why_forbidden(&a);

    *out = (struct jw_prime_last){ .disabled = setting != NULL };
    (void)snprintf(out->forbidden, sizeof out->forbidden, "%s", forbidden ? forbidden : "");
    (void)snprintf(out->setting, sizeof out->setting, "%s", setting ? setting : "");
    bool ok = !dir->root || look_at_receipts(s, &a, dir, memory, out, err);

    jw_arena_free(&a);
    return ok;
}

struct jw_next_start_facts jw_prime_last_facts(const struct jw_prime_last *l)
{
    bool login = l->login_lower && (!l->limit_known || l->login_limit < l->limit);

    return (struct jw_next_start_facts){
        .asked = l->known || l->commands ? JW_ASKED_ALL : 0,
        .modules = l->modules + l->refused,
        .warm = l->warm,
        .refused = l->refused,
        .refusal = l->refusal,
        .lost = l->loads - l->loads_found,
        .forbidden = *l->forbidden ? l->forbidden : NULL,
        .setting = l->disabled ? l->setting : NULL,
        .other_driver = l->other_driver && !l->no_driver,
        .no_driver = l->no_driver,
        .stored = l->stored,
        .needed = l->needed,
        .limit = login ? l->login_limit : l->limit,
        .limit_known = login || l->limit_known,
        .limit_of_login = login,
        .changed = l->changed ? l->what : NULL,
        .gpus_unknown = l->gpus_unknown,
        .commands = *l->commands_unsure ? l->commands_unsure : NULL,
        .unasked = *l->unfinished            ? l->unfinished
                   : *l->of_others           ? l->of_others
                   : l->partly               ? "not all could be read or compiled"
                   : *l->narrow              ? l->narrow
                   : l->known || l->commands ? NULL
                   : *l->nothing             ? l->nothing
                   : l->compiled             ? "no prime has finished here"
                                             : "nothing was primed here yet",
    };
}

/* ---- of a run ---- */

/* Not of named software, nor of some GPUs alone: that says nothing of a command. */
static bool is_asked(const struct jw_prime_options *o)
{
    return (o->profile || !o->n_paths) && !o->run && !o->n_gpus;
}

bool prime_look_at_recorded(struct prime *p, const char *build, struct jw_err *err)
{
    struct jw_prime_report *r = p->out;
    struct recorded_asked asked = { .root = p->ctx.cache.root,
                                    .memory = p->ctx.cache.memory,
                                    .build = build,
                                    .now = &p->trace,
                                    .command = p->o->profile,
                                    .planned = p->plan.jobs,
                                    .n_planned = p->plan.n_jobs };
    struct recorded seen;

    if (!is_asked(p->o) || !asked.root || !build || asked.memory->n_loads + asked.memory->n_profiles == 0)
        return true;
    if (!p->trace.a && !prime_trace_here(p->run, &p->ctx, &p->trace, err))
        return false;
    if (!look_at_recorded(&asked, p->run->a, &seen, err))
        return false;
    p->ask_again |= seen.gpus_unknown;
    p->start_again = seen.again;
    p->carried = seen.carried;
    p->n_carried = seen.n_carried;
    r->lost = seen.loads - seen.found;
    r->recorded_unsure =
        seen.gpus_unknown && !seen.unsure ? "only the driver knows which GPU is here" : seen.unsure;
    return true;
}

const char *prime_recorded_facts(struct prime *p, const char *build, struct jw_err *err)
{
    const struct jw_warm_state *memory = jw_session_memory_now(p->run->session, p->ctx.cache.root);
    const struct recorded_asked asked = { .root = p->ctx.cache.root,
                                          .memory = memory,
                                          .build = build,
                                          .now = &p->trace,
                                          .command = p->o->profile };
    uint64_t digest = JW_FNV_START;
    struct recorded seen;

    if (!look_at_recorded(&asked, p->run->a, &seen, err))
        return NULL;
    for (size_t i = 0; i < memory->n_profiles; i++) {
        digest = jw_fnv1a(digest, memory->profiles[i].key, strlen(memory->profiles[i].key) + 1);
        digest = jw_fnv1a(digest, &memory->profiles[i].when, sizeof memory->profiles[i].when);
    }
    for (size_t i = 0; i < memory->n_loads; i++) {
        const struct jw_warm_loads *l = &memory->loads[i];

        digest = jw_fnv1a(digest, l->key, strlen(l->key) + 1);
        digest = jw_fnv1a(digest, l->build, strlen(l->build) + 1);
        for (size_t k = 0; k < l->n; k++)
            digest = jw_fnv1a(digest, &l->list[k].name, sizeof l->list[k].name);
    }
    return jw_arena_printf(p->run->a, "%s; %llu of %llu; %016llx", seen.unsure ? seen.unsure : "",
                           (unsigned long long)seen.found, (unsigned long long)seen.loads,
                           (unsigned long long)digest);
}

bool prime_record_again(struct prime *p, struct jw_err *err)
{
    struct jw_err why = { 0 };

    (void)err;
    for (size_t i = 0; p->ctx.cache.log && i < p->n_carried && !why.code; i++) {
        if (!prime_remember_loads(p->run, &p->ctx, p->carried[i], true, &why))
            prime_note(p, "what commands load with this driver could not be recorded: %s", why.msg);
    }
    return true;
}

void prime_advise_recorded(struct prime *p)
{
    const char *prime = prime_command(p->run, p->o),
               *why = p->out->lost ? "starts it, so that the driver compiles what it makes itself"
                                   : "records what it loads on this machine";

    if (prime_recorded_held(p) || prime_by_itself(p))
        return;
    if (p->start_again)
        prime_advise(p, "%s%s --run %s   # %s", prime, prime_cache_option(p), p->start_again, why);
    else
        prime_note(p, "%s --run, with the words of a command, %s", prime, why);
}

bool prime_recorded_held(const struct prime *p)
{
    return !p->out->lost && !p->out->recorded_unsure;
}
