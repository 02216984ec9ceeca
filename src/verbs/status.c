/* status: shows the content of the driver's cache, what is warm in it, and the next command. `jitwarm` alone
 * shows the same lines. */
#include "verbs/status.h"

#include "base/limits.h"
#include "base/text.h"
#include "cache/memory/progress_json.h"
#include "cache/memory/spell.h"
#include "cache/prune/prune.h"
#include "cli/commands.h"
#include "doctor/doctor.h"
#include "facts/gpus.h"
#include "fleet/sources.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/kit/kit.h"
#include "prime/memory/receipts.h"
#include "verbs/prime.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define V struct status_view
#define R struct jw_status_report
#define P struct jw_status_primed
#define G struct jw_status_group
#define O struct jw_status_origin
#define F struct jw_cache_file
#define D struct jw_driver_state

struct status_args {
    const char *cache;
    bool check, repair;
};

static const struct opt status_opts[] = {
    OPT_CACHE(status_args, cache, "look at this cache"),
    { "check", 0, OPT_FLAG, offsetof(struct status_args, check), NULL,
      "read every byte of every entry, and exit with 6 if one is damaged", NULL, HINT_NONE },
    { "repair", 0, OPT_FLAG, offsetof(struct status_args, repair), NULL,
      "rebuild the cache's index first, if it is missing or damaged; no entry is removed", NULL, HINT_NONE },
    { 0 },
};

/* ---- words that other verbs have, too ---- */

const struct jw_row status_sum_rows[] = {
    { JW_ROW("entries", struct jw_status_sum, entries) },
    { JW_ROW("bytes", struct jw_status_sum, bytes) },
    { 0 },
};

const char *const status_kind_words[] = { "CUDA", "NVRTC", "nvJitLink", "OpenCL", "other" };

const char *status_program_words(enum jw_cache_kind kind)
{
    return kind == JW_CACHE_OTHER ? "an unknown program" : status_kind_words[kind];
}

static bool is_index_broken(const struct jw_status_report *r)
{
    return r->list.index_trouble != JW_INDEX_WHOLE;
}

/* The findings of doctor that are about the cache's files and limit alone, the worst first. */
static void find_in_cache(struct jw_session *s, struct status_view *v)
{
    const struct jw_doctor_machine m = {
        .windows = jw_os_is_windows(), .who = *jw_session_user(s), .cache = v->report, .primed = &v->primed
    };

    v->findings = JW_FINDINGS(s->a);
    jw_doctor_cache_files(&m, &v->findings);
    jw_doctor_cache_fill(&m, &v->findings);
    jw_findings_sort(&v->findings);
}

bool status_view_gather(struct cli *cli, const struct jw_status_options *o, struct jw_status_report *r,
                        struct status_view *v, struct jw_err *err)
{
    *v = (struct status_view){ .report = r, .check = o->check, .brief = o->brief };
    if (!jw_status(&cli->session, o, r, err)
        || !jw_primed_look(&cli->session, r, (struct jw_texts){ 0 }, &v->primed, err))
        return false;
    v->host = *jw_session_gpus(&cli->session);
    v->driver = v->host.driver                            ? v->host.driver
                : v->primed.last.driver.met && r->current ? r->current->version
                                                          : NULL;
    jw_sources_known(jw_session_config(&cli->session), cli->arena, &v->sources);
    jw_background_load(cli->arena, &v->background);
    find_in_cache(&cli->session, v);
    return true;
}

enum { MINUTE = 60, MAX_NAMED = 4, MAX_COMMANDS = 3, COMMAND_COLUMNS = 40 };

/* ---- the machine ---- */

static void show_gpus(struct jw_page *p, const void *of)
{
    const V *v = of;
    const struct jw_host_gpus *here = &v->host;
    const struct jw_gpu *first = here->gpus;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    size_t same = 0;

    if (!here->n) {
        jw_page_say(p, TINT_WARN, "GPU",
                    v->primed.driver_here ? "not listed here; jitwarm doctor asks the driver"
                                          : "no NVIDIA GPU found");
        return;
    }
    while (same < here->n && strcmp(here->gpus[same].name, first->name) == 0)
        same++;
    if (same > 1)
        jw_say(&text, "%zu x ", same);
    jw_gpu_say(&text, first->name, first->sm);
    if (same < here->n)
        jw_say(&text, ", and %zu more", here->n - same);
    jw_page_line(p, TINT_STRONG, "GPU", &text);
}

/* Says what jitwarm can do with its cache; NULL: all. */
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

static void say_others(struct jw_buf *text, const V *v, size_t most)
{
    const struct jw_driver_states *known = &v->report->drivers;
    size_t said = 0;

    for (size_t i = 0; i < known->n && said < most; i++) {
        if (&known->v[i] == v->report->current)
            continue;
        jw_say(text, "%s", said++ ? ", " : "; also seen here: ");
        say_known_driver(text, &known->v[i], NULL);
    }
}

static void show_driver(struct jw_page *p, const void *of)
{
    const V *v = of;
    const struct jw_driver_state *here = v->report->current;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    const char *truncated = v->primed.last.driver.truncated;

    if (!v->primed.driver_here)
        jw_say(&text, "no NVIDIA driver found");
    else if (truncated)
        jw_say(&text, "cannot start: %s", truncated);
    else if (here)
        say_known_driver(&text, here, v->host.driver);
    else
        jw_say(&text, "%s%s", v->host.driver ? v->host.driver : "found; jitwarm doctor asks for its version",
               v->report->drivers.n ? ", not primed for yet" : "");
    say_others(&text, v, p->verbose ? SIZE_MAX : !here);
    jw_page_line(p, v->primed.driver_here ? TINT_STRONG : TINT_WARN, "Driver", &text);
}

/* ---- the cache ---- */

static void show_cache(struct jw_page *p, const R *r)
{
    const char *cache = r->dir.folder, *why = NULL;

    if (!cache && !r->dir.folder_from.value)
        (void)jw_cachedir_default(p->arena, &why);
    if (why)
        jw_page_say(p, TINT_BAD, "Cache", "none: %s", jw_arena_text(p->arena, why, strcspn(why, ":")));
    else if (r->dir.folder_from.value)
        jw_page_say(p, TINT_STRONG, "Cache", "%s (from %s)", cache ? cache : "none",
                    r->dir.folder_from.origin);
    else
        jw_page_say(p, TINT_STRONG, "Cache", "%s (the driver's default)", cache ? cache : "none");
}

static void show_disabled(struct jw_page *p, const R *r)
{
    if (r->dir.disabled)
        jw_page_say(p, TINT_BAD, "Off", "%s: programs do not use the cache, and compile again at every start",
                    r->dir.nameless ? "CUDA_CACHE_PATH is set, but empty" : "CUDA_CACHE_DISABLE=1");
}

static void show_limit(struct jw_page *p, const R *r)
{
    if (!r->dir.limit_known)
        jw_page_say(p, TINT_STRONG, "Limit", "%s by default (%s before CUDA 12 and on Jetson)",
                    JW_LIMIT(r->documented.since), JW_LIMIT(r->documented.before));
    else if (r->dir.limit_from.value)
        jw_page_say(p, TINT_STRONG, "Limit", "%s (CUDA_CACHE_MAXSIZE=%s)", JW_LIMIT(r->dir.limit),
                    r->dir.limit_from.value);
    else
        jw_page_say(p, TINT_STRONG, "Limit", "%s, the default of driver %s", JW_LIMIT(r->dir.limit),
                    r->current->version);
}

static void show_place(struct jw_page *p, const void *of)
{
    show_cache(p, of);
    show_disabled(p, of);
    show_limit(p, of);
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
static void add_fill(struct jw_buf *text, const R *r, uint64_t bytes)
{
    if (r->dir.limit_known)
        jw_say(text, ": %s of the limit", percent_of(bytes, r->dir.limit).text);
    else if (!r->dir.limit_from.value)
        jw_say(text, ": %s of %s, %s of %s", percent_of(bytes, r->documented.since).text,
               JW_LIMIT(r->documented.since), percent_of(bytes, r->documented.before).text,
               JW_LIMIT(r->documented.before));
}

/* "71 MiB in 144 entries: ...". The index may count other entries than those in the folder. */
static void say_used(struct jw_buf *text, const R *r, bool brief)
{
    bool indexed = r->list.index_found && !r->list.index_damage;
    uint64_t n = indexed ? r->recorded.entries : r->sound.entries;

    jw_say(text, "%s in %s", JW_SIZE(r->used), JW_N(n, "entry", "entries"));
    if (!brief && n != r->files.entries && jw_status_is_complete(r))
        jw_say(text, "%s%s there)", indexed ? " by the index (" : " (",
               JW_N(r->files.entries, "file is", "files are"));
    add_fill(text, r, r->used);
}

static void show_used(struct jw_page *p, const void *of)
{
    const V *v = of;
    const R *r = v->report;
    bool brief = v->brief;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (!r->dir.folder)
        return;
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
        jw_say(&text, "nothing: the folder is empty");
    else
        say_used(&text, r, brief);
    jw_page_line(p, TINT_STRONG, "Used", &text);
}

/* "120 of programs (60 MiB), 20 of NVRTC (1 MiB)" */
static void show_kinds(struct jw_page *p, const void *of)
{
    const R *r = of;
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
    const char *load = l->commands.n == 1 ? "loads" : "load";

    if (l->commands.loads && l->commands.loads == l->commands.found)
        jw_say(text, "%s%s", l->commands.loads == 1 ? "the " : "all ",
               l->commands.loads == 1 ? "entry" : JW_N(l->commands.loads, "entry", "entries"));
    else if (l->commands.loads)
        jw_say(text, "%s of %s", JW_NUM(l->commands.found), JW_N(l->commands.loads, "entry", "entries"));
    jw_say(text, l->commands.loads ? " that %s %s" : "nothing to warm: %s %s no module",
           JW_N(l->commands.n, "recorded command", "recorded commands"), load);
}

/* No count of entries says what a change has made of it, or which driver comes back. */
static void say_before_change(struct jw_buf *text, const struct jw_prime_last *l,
                              const struct jw_next_start_facts *f)
{
    jw_say(text, "unknown: ");
    (void)jw_next_start_say_why(text, f);
    if (l->modules)
        jw_say(text, " (before, %s of %s %s warm)", JW_NUM(l->facts.warm),
               JW_N(l->modules, "module", "modules"), l->facts.warm == 1 ? "was" : "were");
}

/* "143 of 144 modules", and why that is not all, or when they were primed. */
static void say_modules(struct jw_buf *text, const struct jw_prime_last *l, struct jw_next_start_facts f)
{
    const int64_t age = jw_time_unix() - l->when;
    const char *when = l->modules ? "primed" : "looked at",
               *of = l->unfinished ? " of finished primes"
                     : l->failed.any && !l->facts.too_new && !l->facts.lacking && !l->facts.refused
                         ? " that could be read and compiled"
                         : NULL;
    struct jw_buf rest = JW_BUF(JW_MAX_LINE);

    if (f.other_caches)
        jw_say(text, "%s of %s in caches that recorded commands chose; in this cache ",
               JW_NUM(l->chosen.warm), JW_N(l->chosen.primed, "module", "modules"));
    f.other_caches = false; /* it is said */
    if (l->modules)
        jw_say(text, "%llu of %llu module%s", (unsigned long long)l->facts.warm,
               (unsigned long long)l->modules + l->facts.refused,
               l->modules + l->facts.refused == 1 ? "" : "s");
    else
        jw_say(text, l->driver.other
                         ? "unknown: at the last prime no module of what was found had to be compiled"
                         : "no module of what was found has to be compiled");
    if (!f.damaged && !f.cannot_compile)
        f.warm = f.modules - f.refused; /* the numbers are said */
    f.unasked = l->failed.any && !l->unfinished && !l->of_others && !l->gone ? NULL : f.unasked;

    bool more = jw_next_start_say_rest(&rest, "; ", &f);

    if (l->modules)
        jw_say(text, "%s", of ? of : more ? " of what was primed" : "");
    jw_say(text, "%s", jw_buf_cstr(&rest));
    jw_buf_free(&rest);
    if (more)
        return;
    if (age < MINUTE)
        jw_say(text, ", %s just now", when);
    else
        jw_say(text, ", %s %s ago", when, JW_CLOCK((double)age));
    if (l->packs.modules)
        jw_say(text, "; %s %s in the cache", JW_N(l->packs.modules, "imported module", "imported modules"),
               l->packs.modules == 1 ? "is" : "are");
}

void status_say_warm(struct jw_buf *text, const struct jw_prime_last *l)
{
    struct jw_next_start_facts f = jw_prime_last_facts(l);

    if (f.forbidden || f.setting)
        jw_say(text, "%s: %s", f.forbidden ? "unknown" : "nothing", f.forbidden ? f.forbidden : f.setting);
    else if (jw_blocker_hides(&l->blocker) || l->lost)
        jw_say(text, "%s: %s", jw_blocker_is_of_programs(&l->blocker) ? "nothing" : "unknown", f.unasked);
    else if (!l->known && l->facts.imported && !jw_prime_last_has_commands(l) && !l->unfinished)
        jw_say(text, "%s", l->facts.imported);
    else if (!l->known && l->compiled && !jw_prime_last_has_commands(l) && !l->nothing)
        jw_say(text, "unknown: %s compiled or imported; %s", JW_N(l->compiled, "module", "modules"),
               l->unfinished && !l->unchecked ? l->unfinished : "whether that is all was not checked yet");
    else if (!l->known && !l->commands.loads && l->commands.unsure)
        jw_say(text, "unknown: %s", l->commands.unsure);
    else if (!l->known && l->commands.n) {
        say_recorded(text, l);
        if (l->commands.loads == l->commands.found)
            jw_next_start_say_rest(text, "; ", &f);
    } else if (jw_prime_last_is_in_other_caches(l)) {
        jw_say(text, "%s of %s in caches that recorded commands chose", JW_NUM(l->chosen.warm),
               JW_N(l->chosen.primed, "module", "modules"));
        f.other_caches = false; /* it is said */
        jw_next_start_say_rest(text, "; ", &f);
    } else if (!l->known)
        jw_say(text, "unknown: %s", f.unasked);
    else if ((f.changed || f.no_driver) && !jw_next_start_is_over(&f)
             && jw_next_start_of(&f) == JW_NEXT_START_UNKNOWN)
        say_before_change(text, l, &f);
    else if (l->failed.any && !l->modules && (l->facts.refused || l->facts.too_new || l->facts.lacking)) {
        jw_say(text, "nothing: ");
        (void)jw_next_start_say_why(text, &f);
    } else if (l->failed.any && !l->modules && l->gone)
        jw_say(text, "unknown: %s", l->nothing);
    else if (l->failed.any && !l->modules)
        jw_say(text, "nothing: the last run could not read or compile any module");
    else
        say_modules(text, l, f);
}

static void show_warm(struct jw_page *p, const void *of)
{
    const V *v = of;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (v->report->running && !v->primed.last.known)
        return;
    status_say_warm(&text, &v->primed.last);
    jw_page_line(p, jw_next_start_of(&v->primed.facts) == JW_NEXT_START_WARM ? TINT_GOOD : TINT_WARN, "Warm",
                 &text);
}

/* "180 modules of NVIDIA's own libraries are compiled when a program uses them ..." */
static void show_on_use(struct jw_page *p, const void *of)
{
    const V *v = of;
    const char *on_use = v->primed.last.known ? prime_on_use_words(v->primed.last.on_use, p->arena) : NULL;

    if (on_use)
        jw_page_say(p, TINT_STRONG, "Skipped", "%s", on_use);
}

/* "torch (60 MiB), libggml-cuda.so (11 MiB) and 3 more" */
static void show_software(struct jw_page *p, const void *of)
{
    const R *r = of;
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
    if (c->cache)
        jw_say(text, "%scache %s", c->cold || c->warm ? ", " : "", c->cache);
    if (c->cache && c->primed)
        jw_say(text, " (%s of %s warm)", JW_NUM(c->found), JW_N(c->primed, "module", "modules"));
}

/* In the driver's cache and in others. */
static void say_start(struct jw_buf *text, const struct jw_status_command *c)
{
    int64_t now = jw_time_unix(), when = c->start ? (int64_t)c->start->when : 0;

    if (!c->start)
        return;
    jw_say(text, "%slast start ", c->cold || c->warm || c->cache ? "; " : "");
    if (now >= when)
        jw_say(text, "%s ago: ", JW_CLOCK((double)(now - when)));
    jw_kit_say_last(text, c->start);
}

static void show_commands(struct jw_page *p, const void *of)
{
    const R *r = of;
    size_t shown = p->verbose || r->n_commands <= MAX_COMMANDS ? r->n_commands : MAX_COMMANDS;

    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_command *c = &r->commands[i];
        struct jw_buf text = JW_LINE(p->arena), words = JW_LINE(p->arena);
        size_t wide = jw_text_width(c->words);

        jw_text_fit(&words, c->words, wide < COMMAND_COLUMNS ? wide : COMMAND_COLUMNS);
        jw_say(&text, "%s%s", jw_buf_cstr(&words), c->cold || c->warm || c->cache || c->start ? ": " : "");
        status_say_command(&text, c);
        say_start(&text, c);
        if (i + 1 == shown && shown < r->n_commands)
            jw_say(&text, "; and %zu more (--verbose)", r->n_commands - shown);
        jw_page_line(p, TINT_STRONG, i ? "" : "Commands", &text);
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

static void show_progress_of(struct jw_page *p, const struct jw_progress_record *running)
{
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    struct prime_meter meter = { 0 };

    jw_say(&text, "prime (process %lu), for %s: ", running->who.pid, JW_TOOK(running->now.seconds));
    prime_meter_feed(&meter, &running->now);
    prime_meter_sentence(&text, &meter, &running->now);
    prime_meter_say_slots(&text, &running->now);
    jw_page_line(p, TINT_GOOD, "Running", &text);
}

static void show_running(struct jw_page *p, const void *of)
{
    const R *r = of;

    (r->running_silent ? show_silent : show_progress_of)(p, r->running);
}

static void show_checked(struct jw_page *p, const void *of)
{
    const V *v = of;
    const R *r = v->report;
    enum jw_tint tint = r->damaged.entries ? TINT_BAD : TINT_STRONG;

    if (!v->check || !r->files.entries)
        return;
    jw_page_say(p, tint, "Checked", "every byte of %s: %s damaged",
                JW_N(r->files.entries - r->unread.entries, "entry", "entries"),
                r->damaged.entries ? JW_NUM(r->damaged.entries) : "none");
}

static void show_packs_of_store(struct jw_page *p, const void *of)
{
    const R *r = of;
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

/* The caches of CuPy, Triton and others, which prune does not touch. */
static void show_others(struct jw_page *p, const void *of)
{
    const R *r = of;
    const char *words = jw_kit_words(r->kits, r->n_kits, p->arena);

    if (*words)
        jw_page_say(p, TINT_STRONG, "Others", "%s", words);
}

static void show_background(struct jw_page *p, const void *of)
{
    const V *v = of;
    const struct jw_background *b = &v->background;
    bool running = v->report->running != NULL;
    int64_t when = b->ended ? b->ended : b->began, now = jw_time_unix();
    struct jw_buf text = JW_LINE(p->arena);
    bool bad = b->ended ? b->code != EXIT_DONE : !running;

    if (!b->began)
        return;
    jw_say(&text, b->ended ? "a prime in the background ended" : "a prime in the background began");
    if (now >= when)
        jw_say(&text, " %s ago", JW_CLOCK((double)(now - when)));
    if (b->ended && b->code)
        jw_say(&text, " with exit code %s", JW_NUM(b->code));
    if (b->ended && *b->first_line)
        jw_say(&text, ": %s", b->first_line);
    else if (!b->ended)
        jw_say(&text, running ? ", and still runs"
                              : ", and did not end: it was killed, or waits; jitwarm prime does it now");
    jw_page_line(p, bad ? TINT_WARN : TINT_NONE, "Started", &text);
}

static void show_sources(struct jw_page *p, const void *of)
{
    const struct jw_pack_sources *sources = &((const V *)of)->sources;
    for (size_t i = 0; i < sources->n; i++) {
        const struct jw_pack_source *s = &sources->v[i];
        struct jw_buf text = JW_LINE(p->arena);

        jw_say(&text, "%s: ", s->from);
        jw_pack_source_say(&text, s);
        if (s->asked && jw_time_unix() >= s->asked)
            jw_say(&text, "; asked %s ago", JW_CLOCK((double)(jw_time_unix() - s->asked)));
        jw_page_line(p, s->state > JW_SOURCE_NOTHING ? TINT_WARN : TINT_NONE, i ? "" : "Sources", &text);
    }
}

/* ---- entries by driver build ---- */

static void cell_status(struct jw_table *t, const struct jw_status_group *g)
{
    static const char *const words[] = { [JW_BUILD_CURRENT] = "current driver",
                                         [JW_BUILD_EARLIER] = "outdated: earlier driver here",
                                         [JW_BUILD_FOREIGN] = "outdated: unknown driver",
                                         [JW_BUILD_UNKNOWN] = "-",
                                         [JW_BUILD_OTHER_COMPILER] = "its own" };
    bool known = g->driver && g->driver->version;

    jw_table_cellf(t, g->relation == JW_BUILD_CURRENT ? TINT_GOOD : TINT_FAINT, "%s%s%s", words[g->relation],
                   known ? ", " : "", known ? g->driver->version : "");
}

/* "torch, libggml-cuda.so and 3 more" */
static void cell_origins(struct jw_table *t, const struct jw_status_group *g)
{
    struct jw_buf text = JW_LINE(t->arena);

    for (size_t i = 0; i < g->n_origins; i++)
        jw_say(&text, "%s%s", i ? ", " : "", g->origins[i].origin);
    if (g->more_origins)
        jw_say(&text, " and %zu more", g->more_origins);
    jw_table_cell(t, TINT_NONE, g->n_origins ? jw_buf_cstr(&text) : "-");
}

static bool know_origins(const struct jw_status_report *r, size_t groups)
{
    for (size_t i = 0; i < groups; i++)
        if (r->groups[i].n_origins)
            return true;
    return false;
}

/* Without the FROM column if no origin is known. */
static void show_groups(struct jw_page *p, const void *of)
{
    const R *r = of;
    size_t shown = r->n_groups;
    bool origins = know_origins(r, shown);
    const struct jw_column columns[] = {
        { "KIND", COLUMN_LEFT },  { "DRIVER BUILD", COLUMN_LEFT },
        { "GPU", COLUMN_LEFT },   { "ENTRIES", COLUMN_RIGHT },
        { "SIZE", COLUMN_RIGHT }, { "STATUS", origins ? COLUMN_LEFT : COLUMN_TEXT },
        { "FROM", COLUMN_TEXT }
    };
    struct jw_table t;

    if (!p->verbose)
        return;
    jw_table_begin(&t, p->arena, columns, JW_COUNT(columns) - !origins);
    for (size_t i = 0; i < shown; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_table_cell(&t, TINT_NONE, status_kind_words[g->kind]);
        jw_table_cell(&t, TINT_NONE, *g->stamp ? jw_stamp_text(g->stamp).text : "-");
        jw_table_cell(&t, TINT_NONE, *g->arch ? g->arch : "-");
        jw_table_cell_count(&t, g->entries);
        jw_table_cell_bytes(&t, g->bytes);
        cell_status(&t, g);
        if (origins)
            cell_origins(&t, g);
    }
    if (shown)
        jw_page_put(p, "\n");
    jw_page_table(p, &t);
}

void status_show_next(struct jw_page *p, const void *view)
{
    const V *v = view;

    if (v->primed.next && v->primed.last.modules + v->primed.last.commands.n
        && jw_next_start_of(&v->primed.facts) == JW_NEXT_START_WARM)
        jw_page_say(p, TINT_NONE, NULL, "Everything primed is warm. To check all software here:");
    if (v->primed.next)
        jw_page_advice(p, &v->primed.next, 1);
}

/* The observation where it is a warning, the command where it is a note: the line To do is about warnings. */
static void show_finding(struct jw_page *p, const struct jw_finding *f)
{
    const bool note = f->severity == JW_NOTE;

    jw_page_say(p, TINT_WARN, "*", "%s%s%s%s. %c%s%s%s", f->text, note ? "" : " (", note ? "" : f->evidence,
                note ? "" : ")", toupper(*f->consequence), f->consequence + 1,
                note && f->command ? ". To change that: " : "", note && f->command ? f->command : "");
}

/* One a line. */
static void show_problems(struct jw_page *page, const void *of)
{
    const V *v = of;
    const struct jw_notes problems =
        jw_status_problems(v->report, &v->primed.last.blocker, v->primed.last.lost, page->arena);
    struct jw_page p = *page;

    p.label = 2;
    if (v->findings.n + problems.n)
        jw_page_put(&p, "\n");
    for (size_t i = 0; i < v->findings.n; i++)
        show_finding(&p, &v->findings.v[i]);
    for (size_t i = 0; i < problems.n; i++)
        jw_page_say(&p, TINT_WARN, "*", "%s", problems.v[i]);
    page->bad = p.bad;
}

static void show_status_end(struct jw_page *p, const void *of)
{
    const R *r = ((const V *)of)->report;

    jw_page_end(p, r->current ? r->current->stamp : NULL);
}

/* ---- rows ---- */

enum { LISTED_DAMAGE = 1000 }; /* damaged entries that are listed; all are counted */

/* ---- the place ---- */

static const struct jw_row cache_rows[] = {
    { JW_ROW("folder", R, dir.folder), JW_NULLABLE },
    { JW_ROW("limit_bytes", R, dir.limit), JW_NULLABLE },
    { JW_ROW("limit_known", R, dir.limit_known) },
    { JW_ROW("disabled", R, dir.disabled) },
    { JW_ROW("exists", R, list.found) },
    { JW_ROW("refused", R, list.refused), JW_NULLABLE },
    { JW_ROW("other_writers", R, trust.writers), JW_NULLABLE },
    { JW_ROW("used_bytes", R, used) },
    { 0 },
};

/* ---- who works on it ---- */

static void write_silent(struct jw_json *j, const struct jw_row *row, const void *of)
{
    (void)of;
    jw_json_bool(j, row->key, true);
}

static const struct jw_row running_rows[] = {
    { JW_CUSTOM("silent", JW_ROW_BOOL, write_silent), JW_IF(R, running_silent),
      JW_ABOUT(
          "true: it has not reported its progress yet, and only pid and started are known; else absent") },
    { JW_PART_AT(R, running, jw_progress_rows) },
    { 0 },
};

/* ---- what it holds ---- */

static const char *const check_names[] = { "headers", "all" };

static const struct jw_row count_rows[] = {
    { JW_SUB("files", R, files, status_sum_rows) },
    { JW_SUB("sound", R, sound, status_sum_rows) },
    { JW_SUB("outdated", R, outdated, status_sum_rows) },
    { JW_SUB("unindexed", R, unindexed, status_sum_rows) },
    { JW_SUB("damaged", R, damaged, status_sum_rows) },
    { JW_SUB("unread", R, unread, status_sum_rows) },
    { JW_ROW("missing", R, list.missing) },
    { JW_ROW("links", R, list.links) },
    { 0 },
};

static const struct jw_row counts_rows[] = {
    { JW_NAMED("checked", V, check, check_names) },
    { JW_PART_AT(V, report, count_rows) },
    { 0 },
};

/* null if the entries were not compared. */
static void write_compared(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const P *p = of;

    if (p->compared && !p->emptied)
        jw_rows_object(j, row->key, row->rows, (const uint8_t *)of + row->at);
    else
        jw_json_null(j, row->key);
}

static const struct jw_row primed_rows[] = {
    { JW_SUB("recorded", P, recorded, status_sum_rows), JW_ABOUT("entries that it compiled or verified") },
    { JW_ROW("emptied", P, emptied), JW_ABOUT("the whole cache is gone; gone is null then") },
    { JW_SUB("gone", P, gone, status_sum_rows), JW_NULLABLE, .write = write_compared,
      JW_ABOUT("those that no longer exist; null: not all of the cache could be read, or it is empty") },
    { JW_SUB("changed", P, changed, status_sum_rows), JW_NULLABLE, .write = write_compared,
      JW_ABOUT("those that have a different size now; bytes: as recorded") },
    { JW_SUB("needed", P, need, status_sum_rows), JW_ABOUT("those that primed targets need") },
    { 0 },
};

static const struct jw_row store_rows[] = {
    { JW_ROW("folder", R, store.dir), JW_NULLABLE },
    { JW_ROW("refused", R, store.refused), JW_NULLABLE },
    { JW_ROW("packs", R, store_packs) },
    { JW_ROW("bytes", R, store.bytes) },
    { 0 },
};

static const struct jw_row index_rows[] = {
    { JW_ROW("exists", R, list.index_found) }, { JW_ROW("records", R, recorded.entries) },
    { JW_ROW("bytes", R, recorded.bytes) },    { JW_ROW("damage", R, list.index_damage), JW_NULLABLE },
    { JW_ROW("lost", R, list.index_lost) },    { 0 },
};

static const struct jw_row origin_rows[] = {
    { JW_ROW("origin", O, origin), JW_ABOUT("a package, or the base name of a file") },
    { JW_PART(O, sum, status_sum_rows) },
    { 0 },
};

static const struct jw_row version_rows[] = {
    { JW_ROW("driver", D, version), JW_NULLABLE },
    { 0 },
};

static const struct jw_row build_rows[] = {
    { JW_NAMED("kind", G, kind, jw_cache_kind_names) },
    { JW_SPELT("stamp", G, stamp, &jw_spell_stamp), JW_NULLABLE },
    { JW_ROW("arch", G, arch), JW_NULLABLE },
    { JW_NAMED("status", G, relation, jw_build_relation_names) },
    { JW_PART_AT(G, driver, version_rows) },
    { JW_ROW("entries", G, entries) },
    { JW_ROW("bytes", G, bytes) },
    { JW_ROW("origin", G, origins[0].origin), JW_NULLABLE,
      JW_ABOUT("the software that most of the code belongs to, if known") },
    { JW_ARRAY("origins", G, origins, n_origins, origin_rows), JW_ABOUT("the largest ones that are known") },
    { 0 },
};

static const struct jw_row damage_rows[] = {
    { JW_SPELT("name", F, name, &jw_spell_entry) },
    { JW_ROW("reason", F, damage) },
    { JW_ROW("unread", F, unread) },
    { 0 },
};

static void write_damage(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    size_t named = 0;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->list.n && named < LISTED_DAMAGE; i++)
        if (r->list.files[i].damage && ++named)
            jw_rows_object(j, NULL, row->rows, &r->list.files[i]);
    jw_json_close(j);
}

/* ---- the drivers ---- */

static const struct jw_row driver_rows[] = {
    { JW_ROW("build", D, build) },
    { JW_SPELT_AT("stamp", D, stamp, &jw_spell_stamp), JW_NULLABLE },
    { JW_ROW("version", D, version), JW_NULLABLE },
    { JW_SPELT("level", D, level, &jw_spell_level) },
    { JW_SIMULATED(D, stamp) },
    { 0 },
};

struct listed {
    const D *driver;
    bool current;
};

static const struct jw_row listed_rows[] = {
    { JW_PART_AT(struct listed, driver, driver_rows) },
    { JW_ROW("current", struct listed, current) },
    { 0 },
};

static void write_drivers(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;

    jw_json_array(j, row->key);
    for (size_t i = 0; i < r->drivers.n; i++)
        jw_rows_object(j, NULL, row->rows,
                       &(struct listed){ &r->drivers.v[i], &r->drivers.v[i] == r->current });
    jw_json_close(j);
}

static void write_all_notes(struct jw_json *j, const struct jw_row *row, const void *of)
{
    const R *r = of;
    const struct jw_notes *all[] = { &r->dir.notes, &r->list.notes, &r->drivers.notes, &r->memory.notes };

    jw_json_array(j, row->key);
    for (size_t i = 0; i < JW_COUNT(all); i++)
        for (size_t k = 0; k < all[i]->n; k++)
            jw_json_text(j, NULL, all[i]->v[k]);
    jw_json_close(j);
}

static const struct jw_row command_rows[] = {
    { JW_ROW("command", struct jw_status_command, words) },
    { JW_ROW("when", struct jw_status_command, when), JW_ABOUT("seconds since 1970") },
    { JW_ROW("modules", struct jw_status_command, modules), JW_NULLABLE },
    { JW_ROW("cold_milliseconds", struct jw_status_command, cold), JW_NULLABLE,
      JW_ABOUT("its last start that found nothing in the cache") },
    { JW_ROW("warm_milliseconds", struct jw_status_command, warm), JW_NULLABLE,
      JW_ABOUT("its last start for which the driver compiled nothing") },
    { JW_ROW("own_cache", struct jw_status_command, cache), JW_NULLABLE,
      JW_ABOUT("the cache that it chose itself; null: it uses the one that it is given") },
    { JW_SUB_AT("last_start", struct jw_status_command, start, jw_kit_last_rows), JW_NULLABLE,
      JW_ABOUT("that was watched, of a command that uses other caches than the driver's; null: none") },
    { 0 },
};

static const struct jw_row gpu_rows[] = {
    { JW_ROW("name", struct jw_gpu, name) },
    { JW_SPELT("arch", struct jw_gpu, sm, &jw_spell_sm) },
    { 0 },
};

static const struct jw_row last_prime_rows[] = {
    { JW_ROW("when", struct jw_prime_last, when), JW_ABOUT("seconds since 1970") },
    { JW_ROW("modules", struct jw_prime_last, modules) },
    { JW_ROW("warm", struct jw_prime_last, facts.warm), JW_ABOUT("their entries are in the cache") },
    { JW_ROW("compiled_on_use", struct jw_prime_last, on_use),
      JW_ABOUT("modules of NVIDIA's own libraries that are compiled when a program uses them; prime --all "
               "warms them") },
    { JW_ROW("partly", struct jw_prime_last, failed.any),
      JW_ABOUT("some software could not be read or compiled") },
    { JW_ROW("changed", struct jw_prime_last, changed), JW_ABOUT("files or settings changed since") },
    { JW_ROW("other_driver", struct jw_prime_last, driver.other), JW_ABOUT("the driver changed since") },
    { 0 },
};

/* ---- all of it ---- */

static const struct jw_row place_rows[] = { { JW_SUB_OF("cache", cache_rows), JW_SHOW(show_place) }, { 0 } };

static const struct jw_row kinds_rows[] = {
    { JW_ENUM_MAP("kinds", R, kinds, jw_cache_kind_names, status_sum_rows), JW_SHOW(show_kinds) },
    { 0 },
};

static const struct jw_row software_rows[] = {
    { JW_LIST("software", R, software, n_software, origin_rows), JW_SHOW(show_software),
      JW_ABOUT("whose code the entries for the driver that programs load here are, largest first") },
    { JW_LIST("commands", R, commands, n_commands, command_rows), JW_SHOW(show_commands),
      JW_ABOUT("recorded or timed, newest first") },
    { JW_SUB_OF("running", running_rows), JW_IF(R, running), JW_NULLABLE, JW_SHOW(show_running),
      JW_ABOUT("a prime that is running on this cache now, as in jitwarm.progress/1") },
    { 0 },
};

static const struct jw_row packs_rows[] = {
    { JW_SUB_OF("store", store_rows), JW_SHOW(show_packs_of_store), JW_ABOUT("the packs in the store") },
    { 0 },
};

static const struct jw_row others_rows[] = { { JW_TEXT_ALONE(show_others) }, { 0 } };

const struct jw_row status_screen_rows[] = {
    { JW_LIST("gpus", V, host.gpus, host.n, gpu_rows) },
    { JW_TEXT_ALONE(show_gpus) },
    { JW_ROW("driver", V, driver), JW_NULLABLE, JW_SHOW(show_driver) },
    { JW_PART_AT(V, report, place_rows) },
    { JW_TEXT_ALONE(show_used) },
    { JW_PART_AT(V, report, kinds_rows) },
    { JW_SUB_OF("counts", counts_rows), JW_SHOW(show_checked) },
    { JW_SUB("last_prime", V, primed.last, last_prime_rows), JW_IF(V, primed.last.known), JW_NULLABLE },
    { JW_PART(V, primed.next_start, jw_next_start_rows) },
    { JW_TEXT_ALONE(show_warm) },
    { JW_TEXT_ALONE(show_on_use) },
    { JW_PART_AT(V, report, software_rows) },
    { JW_TEXT_ALONE(show_background) },
    { JW_SUB("background", V, background, jw_background_rows), JW_IF(V, background.began), JW_NULLABLE,
      JW_ABOUT("the prime that a package's script started last (--post-install); null: none") },
    { JW_PART_AT(V, report, packs_rows) },
    { JW_LIST("sources", V, sources.v, sources.n, jw_pack_source_rows), JW_SHOW(show_sources),
      JW_ABOUT("of jitwarm.conf, with what came of it when a prime asked them last") },
    { JW_PART_AT(V, report, others_rows) },
    { 0 },
};

static const struct jw_row detail_rows[] = {
    { JW_SUB("primed", R, primed, primed_rows), JW_IF(R, primed.known), JW_NULLABLE,
      JW_ABOUT("what jitwarm recorded of this cache for the driver that programs load here; null: nothing") },
    { JW_SUB_OF("index", index_rows) },
    { JW_LIST("builds", R, groups, n_groups, build_rows), JW_SHOW(show_groups) },
    { JW_CUSTOM("damage", JW_ROW_LIST, write_damage), .rows = damage_rows },
    { JW_CUSTOM("drivers", JW_ROW_LIST, write_drivers), .rows = listed_rows },
    { JW_CUSTOM("notes", JW_ROW_LIST, write_all_notes) },
    { 0 },
};

static const struct jw_row rows[] = {
    { JW_ROWS(status_screen_rows) },
    { JW_PART_AT(V, report, detail_rows) },
    { JW_TEXT_ALONE(show_problems) },
    { JW_COMMANDS("todo", V, todo, n_todo), JW_SHOW(status_show_next),
      JW_ABOUT("what to do next: a command") },
    { JW_TEXT_ALONE(show_status_end) },
    { 0 },
};

const struct jw_form status_form = { .verb = "status",
                                     .about = "What the driver's cache of compiled code holds.",
                                     .rows = rows,
                                     .label = STATUS_LABEL,
                                     .tint = TINT_STRONG };

/* ---- the run ---- */

/* Its messages go to stderr: stdout has the report of status. */
static bool repair(struct cli *cli, int *code, struct jw_err *err)
{
    struct jw_repair r;

    jw_messages_progress(&cli->messages, "checking the cache's index");
    if (!jw_cache_repair(&cli->session, &r, err))
        return false;
    jw_messages_progress_end(&cli->messages);
    if (r.end == JW_END_NOTHING)
        jw_messages_say(&cli->messages, "The index is valid: nothing was repaired.");
    else if (r.end == JW_END_DONE)
        jw_messages_say(&cli->messages, "The index was damaged (%s). It was rebuilt from %s; %s no record.",
                        r.repaired.damage, JW_N(r.repaired.records, "valid entry", "valid entries"),
                        JW_N(r.repaired.not_whole, "damaged file got", "damaged files got"));
    else
        jw_messages_error(&cli->messages, "%s", r.why);
    *code = jw_cli_exit(r.end);
    return true;
}

static int status_run(struct cli *cli, const void *p)
{
    const struct status_args *args = p;
    const struct jw_status_options o = { .check = args->check };
    struct jw_status_report r = { 0 };
    struct status_view v;
    struct jw_err err = { 0 };
    int code = EXIT_DONE;

    cli->session.cache = args->cache;
    jw_cli_warn_of_config(cli);
    if (args->repair && !repair(cli, &code, &err))
        return jw_cli_fail(cli, &err);
    if (code != EXIT_DONE)
        return code;
    bool ok = status_view_gather(cli, &o, &r, &v, &err);

    v.todo = &v.primed.next;
    v.n_todo = ok && v.primed.next;
    if (!ok || !jw_cli_report(cli, &status_form, &v, &err))
        code = jw_cli_fail(cli, &err);
    else if (args->check && (r.damaged.entries || is_index_broken(&r)))
        code = EXIT_INTEGRITY;
    else if (!jw_status_is_complete(&r) || (args->cache && !r.list.found))
        code = EXIT_PARTLY;
    jw_status_free(&r);
    return code;
}

static const struct example status_examples[] = {
    { "jitwarm status", "what the driver has cached for CUDA programs that you start from this shell" },
    { "jitwarm status --check --cache /srv/cache/ComputeCache", "check every entry of that cache" },
    { 0 },
};

const struct cmd jw_cmd_status = {
    .name = "status",
    .summary = "show what the driver's cache holds",
    .synopsis_args = "",
    .details =
        "Shows where the NVIDIA driver caches the code that it compiled for this user (its JIT cache, "
        "\"ComputeCache\"), how large the cache may grow, and what is in it: entries by driver build, GPU "
        "architecture and kind (CUDA, OpenCL, NVRTC), and damaged or unindexed ones. Only "
        "the driver build that made an entry can use it. jitwarm knows this machine's build once it was "
        "probed.\n\n"
        "status compares the cache with what prime recorded. It shows which entries are gone, whether "
        "all fit under the limit, and which software they belong to. It also shows a running prime.\n\n"
        "The cache is the one of programs started from this shell: a service or another login may have "
        "another one. Without --repair nothing is changed or locked, and the driver is not loaded. Caches "
        "of other programs (shader caches, PyTorch's, Triton's, CuPy's) are not read.\n\n"
        "--repair: if the index is missing or damaged, the next program that compiles something deletes all "
        "other entries. --repair rebuilds the index from the remaining records and from valid entries.\n\n"
        "The exit code is 0 also where the next start compiles (prime --check is for scripts), and 1 when "
        "part of the cache could not be "
        "read, or --cache names no folder.",
    .examples = status_examples,
    .opts = status_opts,
    .args_size = sizeof(struct status_args),
    .report = true,
    .run = status_run,
};
