/* The screen of `jitwarm` and `jitwarm status`: machine, cache, what is warm, commands, and the next command. */
#include "base/command.h"
#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/status/command/status_view.h"
#include "driver/worker/identity.h"
#include "fleet/sources.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "pack/kit/kit.h"
#include "prime/command/prime_meter.h"

#include <stdio.h>
#include <string.h>

enum { MINUTE = 60, MAX_NAMED = 4, MAX_COMMANDS = 3, COMMAND_COLUMNS = 40 };

/* Warm, if the GPUs here are those that were primed: no list of the system's says which they are. */
static bool is_warm_but_for_gpus(const struct status_view *v)
{
    struct jw_next_start_facts facts = v->facts;

    facts.gpus_unknown = false;
    return v->facts.gpus_unknown && jw_next_start_of(&facts) == JW_NEXT_START_WARM;
}

static const char *next_command(struct cli *cli, const struct status_view *v);
static bool is_index_broken(const struct jw_status_report *r);

/* Of those that chose a cache. */
static bool look_at_commands(struct cli *cli, struct jw_status_report *r, struct jw_err *err)
{
    for (size_t i = 0; i < r->n_commands; i++) {
        struct jw_status_command *c = &r->commands[i];
        struct jw_prime_last last;

        if (!c->root)
            continue;
        if (!jw_prime_last(
                &(struct jw_cachedir){
                    .root = c->root, .limit = r->dir.limit, .limit_known = r->dir.limit_known },
                jw_session_memory(&cli->session, c->root), jw_session_config(&cli->session), &last, err))
            return false;
        const struct jw_next_start_facts f = jw_prime_last_facts(&last);

        c->primed = last.known ? last.modules : 0;
        c->found =
            last.known
                    && (jw_next_start_of(&f) == JW_NEXT_START_WARM || last.warm < last.modules || last.partly)
                ? last.warm
                : 0;
    }
    return true;
}

static struct jw_next_start_facts facts_of(const struct jw_status_report *r, const struct jw_prime_last *l)
{
    struct jw_next_start_facts f = jw_prime_last_facts(l);

    if (is_index_broken(r))
        f.elsewhere = "the cache's index is damaged, and programs may find nothing in it";
    for (size_t i = 0; i < r->n_commands; i++)
        f.other_caches |= r->commands[i].found < r->commands[i].primed;
    return f;
}

bool status_view_gather(struct cli *cli, const struct jw_status_options *o, struct jw_status_report *r,
                        struct status_view *v, struct jw_err *err)
{
    *v = (struct status_view){ .report = r,
                               .host = *jw_session_gpus(&cli->session),
                               .check = o->check,
                               .brief = o->brief,
                               .stats = cli->common.stats };
    if (!jw_status(&cli->session, o, r, err)
        || !jw_prime_last(&r->dir, &r->memory, jw_session_config(&cli->session), &v->last, err)
        || !look_at_commands(cli, r, err))
        return false;
    v->driver_here = v->host.driver || v->last.driver;
    v->driver = v->host.driver ? v->host.driver : v->last.driver && r->current ? r->current->version : NULL;
    v->facts = facts_of(r, &v->last);
    v->next_start = jw_next_start_answer(&v->facts, cli->arena);
    v->next = next_command(cli, v);
    jw_sources_known(jw_session_config(&cli->session), cli->arena, &v->sources);
    jw_background_load(cli->arena, &v->background);
    return true;
}

/* ---- the machine ---- */

static void show_gpus(struct jw_page *p, const struct status_view *v)
{
    const struct jw_host_gpus *here = &v->host;
    const struct jw_gpu *first = here->gpus;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t same = 0;

    if (!here->n) {
        jw_page_say(p, TINT_WARN, "GPU",
                    v->driver_here ? "not listed here; jitwarm doctor asks the driver"
                                   : "no NVIDIA GPU found");
        return;
    }
    while (same < here->n && strcmp(here->gpus[same].name, first->name) == 0)
        same++;
    if (same > 1)
        jw_say(&text, "%zu x ", same);
    jw_say(&text, "%s%s", first->name, first->sm ? JW_PHRASE(" (sm_%u)", first->sm) : "");
    if (same < here->n)
        jw_say(&text, ", and %zu more", here->n - same);
    jw_page_line(p, TINT_STRONG, "GPU", &text);
}

/* What jitwarm can do with its cache; NULL: all. */
static const char *level_words(enum jw_level level)
{
    switch (level) {
    case JW_LEVEL_NONE: return "nothing is known about its cache yet";
    case JW_LEVEL_OPAQUE: return "jitwarm cannot read its cache";
    case JW_LEVEL_READABLE: return "jitwarm can read its cache and make no packs for it";
    case JW_LEVEL_PREDICTABLE: return "jitwarm cannot import packs into its cache";
    default: return NULL;
    }
}

static void say_known_driver(struct jw_buf *text, const struct jw_driver_state *d, const char *version)
{
    const char *level = level_words(d->level);

    jw_say(text, "%s", d->version ? d->version : version ? version : "of unknown version");
    if (d->stamp)
        jw_say(text, " (build %s)", jw_stamp_text(d->stamp).text);
    if (level)
        jw_say(text, ": %s", level);
}

static void show_driver(struct jw_page *p, const struct status_view *v, bool verbose)
{
    const struct jw_driver_states *known = &v->report->drivers;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool other =
        v->host.driver && known->n && known->v[0].version && strcmp(known->v[0].version, v->host.driver) != 0;

    if (!v->driver_here)
        jw_say(&text, "no NVIDIA driver found%s", known->n ? "; the last one: " : "");
    else if (!known->n || other)
        jw_say(&text, "%s%s", v->host.driver, other ? ", not primed for yet; before: " : "");
    for (size_t i = 0; i < known->n && (verbose || i == 0); i++) {
        jw_say(&text, "%s", i ? "; before: " : "");
        say_known_driver(&text, &known->v[i], i ? NULL : v->host.driver);
    }
    jw_page_line(p, v->driver_here ? TINT_STRONG : TINT_WARN, "Driver", &text);
}

/* ---- the cache ---- */

static void show_root(struct cli *cli, struct jw_page *p, const struct jw_status_report *r)
{
    const char *root = r->dir.root, *why = NULL;

    if (!root && !r->dir.root_from.value)
        (void)jw_cachedir_default(cli->arena, &why);
    if (why)
        jw_page_say(p, TINT_BAD, "Cache", "none: %s", jw_arena_text(cli->arena, why, strcspn(why, ":")));
    else if (r->dir.root_from.value)
        jw_page_say(p, TINT_STRONG, "Cache", "%s (from %s)", root ? root : "none", r->dir.root_from.origin);
    else
        jw_page_say(p, TINT_STRONG, "Cache", "%s (the driver's default)", root ? root : "none");
}

static void show_disabled(struct jw_page *p, const struct jw_status_report *r)
{
    if (r->dir.disabled)
        jw_page_say(p, TINT_BAD, "Off", "%s: programs do not use the cache, and compile again at every start",
                    r->dir.nameless ? "CUDA_CACHE_PATH is set, but empty" : "CUDA_CACHE_DISABLE=1");
}

static void show_limit(struct jw_page *p, const struct jw_status_report *r)
{
    if (!r->dir.limit_known)
        jw_page_say(p, TINT_STRONG, "Limit", "%s by default (%s before CUDA 12 and on Jetson)",
                    LIMIT(r->documented.since), LIMIT(r->documented.before));
    else if (r->dir.limit_from.value)
        jw_page_say(p, TINT_STRONG, "Limit", "%s (CUDA_CACHE_MAXSIZE=%s)", LIMIT(r->dir.limit),
                    r->dir.limit_from.value);
    else
        jw_page_say(p, TINT_STRONG, "Limit", "%s, the default of driver %s", LIMIT(r->dir.limit),
                    r->current->version);
}

/* "7 %" of a limit; of one that was set by mistake (CUDA_CACHE_MAXSIZE=4G is 4 bytes) no percentage says anything. */
static struct jw_words percent_of(uint64_t bytes, uint64_t limit)
{
    struct jw_words words = { "less than 1 %" };
    unsigned percent = jw_status_percent(bytes, limit);

    if (percent > 999 || (bytes && !limit))
        (void)snprintf(words.text, sizeof words.text, "far more than all");
    else if (percent)
        (void)snprintf(words.text, sizeof words.text, "%u %%", percent);
    return words;
}

/* ": 7 % of the limit", or of both default limits. */
static void add_fill(struct jw_buf *text, const struct jw_status_report *r, uint64_t bytes)
{
    if (r->dir.limit_known)
        jw_say(text, ": %s of the limit", percent_of(bytes, r->dir.limit).text);
    else if (!r->dir.limit_from.value)
        jw_say(text, ": %s of %s, %s of %s", percent_of(bytes, r->documented.since).text,
               LIMIT(r->documented.since), percent_of(bytes, r->documented.before).text,
               LIMIT(r->documented.before));
}

/* "71 MiB in 144 entries: ...". The index may count other entries than those in the folder. */
static void say_used(struct jw_buf *text, const struct jw_status_report *r, bool brief)
{
    bool indexed = r->list.index_found && !r->list.index_damage;
    uint64_t n = indexed ? r->recorded.entries : r->sound.entries;

    jw_say(text, "%s in %s", JW_SIZE(r->used), JW_N(n, "entry", "entries"));
    if (!brief && n != r->files.entries)
        jw_say(text, "%s%s there)", indexed ? " by the index (" : " (",
               JW_N(r->files.entries, "file is", "files are"));
    add_fill(text, r, r->used);
}

static bool is_index_broken(const struct jw_status_report *r)
{
    return r->list.index_lost || (r->list.index_damage && !r->list.index_unread);
}

static void show_used(struct jw_page *p, const struct jw_status_report *r, const struct jw_prime_last *l,
                      bool brief)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (r->list.index_unread && brief)
        jw_say(&text, "unknown: the index could not be read (jitwarm status says more)");
    else if (is_index_broken(r) && brief)
        jw_say(&text, "unknown: the index is %s (jitwarm status says more)",
               r->list.index_found ? "damaged" : "missing or empty");
    else if (r->list.refused)
        jw_say(&text, "unknown: %s", r->list.refused);
    else if (!r->list.found)
        jw_say(&text, r->primed.emptied ? "nothing: the folder no longer exists"
                                        : "nothing yet: the folder does not exist");
    else if (!r->files.entries && !r->recorded.entries)
        jw_say(&text, l->commands && !l->loads
                          ? "nothing: the folder is empty"
                          : "nothing: the folder is empty; the next start compiles what it needs");
    else
        say_used(&text, r, brief);
    jw_page_line(p, TINT_STRONG, "Used", &text);
}

/* "120 of programs (60 MiB), 20 of NVRTC (1 MiB)" */
static void show_kinds(struct jw_page *p, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < JW_COUNT(r->kinds); i++)
        if (r->kinds[i].entries)
            jw_say(&text, "%s%s of %s (%s)", text.n ? ", " : "", JW_NUM(r->kinds[i].entries),
                   i == JW_CACHE_CUDA ? "programs" : status_program_words((enum jw_cache_kind)i),
                   JW_SIZE(r->kinds[i].bytes));
    jw_page_line(p, TINT_STRONG, "Entries", &text);
}

/* ---- what is warm ---- */

/* "all 3 entries that 1 recorded command loads" */
static void say_recorded(struct jw_buf *text, const struct jw_prime_last *l)
{
    const char *load = l->commands == 1 ? "loads" : "load";

    if (l->loads && l->loads == l->loads_found)
        jw_say(text, "%s%s", l->loads == 1 ? "the " : "all ",
               l->loads == 1 ? "entry" : JW_N(l->loads, "entry", "entries"));
    else if (l->loads)
        jw_say(text, "%s of %s", JW_NUM(l->loads_found), JW_N(l->loads, "entry", "entries"));
    jw_say(text, l->loads ? " that %s %s" : "nothing to warm: %s %s no module",
           JW_N(l->commands, "recorded command", "recorded commands"), load);
}

/* False: what was said is all. */
static bool say_rest(struct jw_buf *text, const struct jw_next_start_facts *f)
{
    struct jw_buf why = JW_BUF(JW_MAX_LINE);
    bool more = jw_next_start_say_why(&why, f);

    if (more)
        jw_say(text, "; %s", jw_buf_cstr(&why));
    jw_buf_free(&why);
    return more;
}

void status_say_warm(struct jw_buf *text, const struct jw_prime_last *l)
{
    struct jw_next_start_facts f = jw_prime_last_facts(l);
    int64_t age = jw_time_unix() - l->when;

    if (l->disabled)
        jw_say(text, "nothing: %s", l->setting);
    else if (!l->known && l->compiled && !l->commands)
        jw_say(text, "unknown: %s compiled or imported, but no prime has finished here",
               JW_N(l->compiled, "module", "modules"));
    else if (!l->known && l->commands) {
        say_recorded(text, l);
        if (l->loads == l->loads_found)
            say_rest(text, &f);
    } else if (!l->known)
        jw_say(text, "unknown: %s", *l->unfinished ? l->unfinished : "nothing was primed here yet");
    else if (l->partly && !l->modules)
        jw_say(text, "nothing: the last run could not read or compile any module");
    else {
        jw_say(text, "%llu of %llu module%s%s", (unsigned long long)l->warm, (unsigned long long)l->modules,
               l->modules == 1 ? "" : "s", l->partly ? " that could be read and compiled" : "");
        f.warm = f.modules; /* the numbers are said */
        f.unasked = l->partly && !*l->unfinished ? NULL : f.unasked;
        if (say_rest(text, &f))
            return;
        if (age < MINUTE)
            jw_say(text, ", primed just now");
        else
            jw_say(text, ", primed %s ago", JW_CLOCK((double)age));
    }
}

static void show_warm(struct jw_page *p, const struct status_view *v)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->report->running && !v->last.known)
        return;
    status_say_warm(&text, &v->last);
    jw_page_line(p, jw_next_start_of(&v->facts) == JW_NEXT_START_WARM ? TINT_GOOD : TINT_WARN, "Warm", &text);
}

/* "torch (60 MiB), libggml-cuda.so (11 MiB) and 3 more" */
static void show_software(struct jw_page *p, const struct jw_status_report *r)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    for (size_t i = 0; i < r->n_software && i < MAX_NAMED; i++)
        jw_say(&text, "%s%s (%s)", i ? ", " : "", r->software[i].origin, JW_SIZE(r->software[i].sum.bytes));
    if (r->n_software > MAX_NAMED)
        jw_say(&text, " and %zu more", r->n_software - MAX_NAMED);
    jw_page_line(p, TINT_STRONG, "Software", &text);
}

/* ---- commands ---- */

static struct jw_words seconds_of(uint64_t milliseconds)
{
    return jw_words_of_time(jw_text_tenths, (double)milliseconds / 1000);
}

static void say_times(struct jw_buf *text, const struct jw_status_command *c)
{
    if (c->cold)
        jw_say(text, "first start %s", seconds_of(c->cold).text);
    if (c->warm)
        jw_say(text, c->cold ? ", now %s" : "start %s", seconds_of(c->warm).text);
}

/* A command may have chosen its cache itself. */
void status_say_command(struct jw_buf *text, const struct jw_status_command *c)
{
    say_times(text, c);
    if (c->root)
        jw_say(text, "%scache %s", c->cold || c->warm ? ", " : "", c->root);
    if (c->root && c->primed)
        jw_say(text, " (%s of %s warm)", JW_NUM(c->found), JW_N(c->primed, "module", "modules"));
}

/* In the driver's cache and in others. */
static void say_start(struct jw_buf *text, const struct jw_status_command *c)
{
    int64_t now = jw_time_unix(), when = c->start ? (int64_t)c->start->when : 0;

    if (!c->start)
        return;
    jw_say(text, "%slast start ", c->cold || c->warm || c->root ? "; " : "");
    if (now >= when)
        jw_say(text, "%s ago: ", JW_CLOCK((double)(now - when)));
    jw_kit_say_last(text, c->start);
}

static void show_commands(struct jw_page *p, const struct jw_status_report *r, bool verbose)
{
    size_t shown = verbose || r->n_commands <= MAX_COMMANDS ? r->n_commands : MAX_COMMANDS;

    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_command *c = &r->commands[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE), words = JW_BUF(JW_MAX_LINE);
        size_t wide = jw_text_width(c->words);

        jw_text_fit(&words, c->words, wide < COMMAND_COLUMNS ? wide : COMMAND_COLUMNS, false);
        jw_say(&text, "%s%s", jw_buf_cstr(&words), c->cold || c->warm || c->root || c->start ? ": " : "");
        status_say_command(&text, c);
        say_start(&text, c);
        if (i + 1 == shown && shown < r->n_commands)
            jw_say(&text, "; and %zu more (--verbose)", r->n_commands - shown);
        jw_page_line(p, TINT_STRONG, i ? "" : "Commands", &text);
        jw_buf_free(&words);
    }
}

/* ---- a prime that runs ---- */

/* Another process holds the lock of the cache, and has not reported its progress yet. */
static void show_silent(struct jw_page *p, const struct jw_progress_record *running)
{
    jw_page_say(p, TINT_GOOD, "Running", "another jitwarm%s%s%s: it has not compiled anything yet",
                running->who.pid ? JW_PHRASE(" (process %lu)", running->who.pid) : "",
                running->who.since ? ", for " : "", running->who.since ? JW_TOOK(running->now.seconds) : "");
}

static void show_running(struct jw_page *p, const struct jw_progress_record *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct prime_meter meter = { 0 };

    jw_say(&text, "prime (process %lu), for %s: ", running->who.pid, JW_TOOK(running->now.seconds));
    prime_meter_feed(&meter, &running->now);
    prime_meter_sentence(&text, &meter, &running->now);
    prime_meter_say_slots(&text, &running->now);
    jw_page_line(p, TINT_GOOD, "Running", &text);
}

static void show_checked(struct jw_page *p, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;
    enum jw_tint tint = r->damaged.entries ? TINT_BAD : TINT_STRONG;

    if (!r->files.entries)
        return;
    jw_page_say(p, tint, "Checked", "every byte of %s: %s damaged",
                JW_N(r->files.entries - r->unread.entries, "entry", "entries"),
                r->damaged.entries ? JW_NUM(r->damaged.entries) : "none");
}

static void show_packs_of_store(struct jw_page *p, const struct jw_status_report *r)
{
    const char *dir = r->store.dir;

    if (r->store.refused)
        jw_page_say(p, TINT_WARN, "Store", "%s%s%s", dir ? dir : "", dir ? ": " : "", r->store.refused);
    else if (r->store_packs)
        jw_page_say(p, TINT_STRONG, "Store", "%s (%s), %s", JW_N(r->store_packs, "pack", "packs"),
                    JW_SIZE(r->store.bytes),
                    !r->current         ? "jitwarm list shows for which drivers"
                    : !r->store_current ? "none for this machine's driver"
                                        : JW_PHRASE("%zu for this machine's driver", r->store_current));
}

/* Of CuPy, Triton and others: prune leaves them alone. */
static void show_others(struct cli *cli, struct jw_page *p, const struct jw_status_report *r)
{
    const char *words = jw_kit_words(r->kits, r->n_kits, cli->arena);

    if (*words)
        jw_page_say(p, TINT_STRONG, "Others", "%s", words);
}

static void show_background(struct jw_page *p, const struct jw_background *b, bool running)
{
    int64_t when = b->ended ? b->ended : b->began, now = jw_time_unix();
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    bool bad = b->ended ? b->code != EXIT_DONE : !running;

    if (!b->began)
        return;
    jw_say(&text, b->ended ? "a package's prime ended" : "a package's prime began");
    if (now >= when)
        jw_say(&text, " %s ago", JW_CLOCK((double)(now - when)));
    if (b->ended && b->code)
        jw_say(&text, " with exit code %s", JW_NUM(b->code));
    if (b->ended && *b->said)
        jw_say(&text, ": %s", b->said);
    else if (!b->ended)
        jw_say(&text, running ? ", and still runs"
                              : ", and did not end: it was killed, or waits; jitwarm prime does it now");
    jw_page_line(p, bad ? TINT_WARN : TINT_NONE, "Installed", &text);
    jw_buf_free(&text);
}

static void show_sources(struct jw_page *p, const struct jw_pack_sources *sources)
{
    for (size_t i = 0; i < sources->n; i++) {
        const struct jw_pack_source *s = &sources->v[i];
        struct jw_buf text = JW_BUF(JW_MAX_LINE);

        jw_say(&text, "%s: ", s->from);
        jw_pack_source_say(&text, s);
        if (s->asked && jw_time_unix() >= s->asked)
            jw_say(&text, "; asked %s ago", JW_CLOCK((double)(jw_time_unix() - s->asked)));
        jw_page_line(p, s->state > JW_SOURCE_NOTHING ? TINT_WARN : TINT_NONE, i ? "" : "Sources", &text);
        jw_buf_free(&text);
    }
}

/* ---- the next command ---- */

static const char *prime_command(struct cli *cli, const struct status_view *v)
{
    const char *user = jw_env(cli->arena, "SUDO_USER"),
               *prime = status_command_of(cli->arena, v->report, "prime");

    if (!jw_is_root_of_machine(cli->arena))
        return jw_arena_printf(cli->arena, "jitwarm %s", prime);
    if (user && *user && strcmp(user, "root") != 0)
        return jw_arena_printf(cli->arena, "%s %s",
                               JW_COMMAND(cli->arena, false, "sudo", "-u", user, "jitwarm"), prime);
    return jw_arena_printf(cli->arena, "jitwarm %s --as-root", prime);
}

static const char *next_command(struct cli *cli, const struct status_view *v)
{
    if (v->report->running)
        return NULL;
    if (is_index_broken(v->report))
        return jw_arena_printf(cli->arena, "jitwarm %s",
                               status_command_of(cli->arena, v->report, "status --repair"));
    if (v->last.disabled || !v->driver_here || !v->report->dir.root || v->report->list.index_unread)
        return "jitwarm doctor";
    if (is_warm_but_for_gpus(v))
        return jw_arena_printf(cli->arena, "jitwarm %s", status_command_of(cli->arena, v->report, "verify"));
    return prime_command(cli, v);
}

void status_show_next(struct jw_page *p, const struct status_view *v)
{
    const struct jw_prime_last *l = &v->last;
    bool prime = v->next && strcmp(v->next, "jitwarm doctor") != 0 && !is_index_broken(v->report);
    const char *before =
        !prime ? NULL
        : jw_next_start_of(&v->facts) == JW_NEXT_START_WARM
            ? "Everything primed is warm. After installing software:"
        : is_warm_but_for_gpus(v) ? "Everything primed is cached. To check it for the GPUs that are here:"
        : l->partly && !l->changed && !l->other_driver && l->warm == l->modules ? "To see what is not warm:"
                                                                                : NULL;

    if (before)
        jw_page_say(p, TINT_NONE, NULL, "%s", before);
    if (v->next)
        jw_page_whole(p, TINT_STRONG, "To do", "%s", v->next);
}

/* ---- the screen ---- */

void status_show_screen(struct cli *cli, struct jw_page *p, const struct status_view *v)
{
    const struct jw_status_report *r = v->report;

    show_gpus(p, v);
    show_driver(p, v, cli->common.verbose);
    show_root(cli, p, r);
    show_disabled(p, r);
    show_limit(p, r);
    if (r->dir.root)
        show_used(p, r, &v->last, v->brief);
    show_kinds(p, r);
    if (v->check)
        show_checked(p, v);
    show_warm(p, v);
    show_software(p, r);
    show_commands(p, r, cli->common.verbose);
    if (r->running)
        (r->running_silent ? show_silent : show_running)(p, r->running);
    show_background(p, &v->background, r->running != NULL);
    show_packs_of_store(p, r);
    show_sources(p, &v->sources);
    show_others(cli, p, r);
}
