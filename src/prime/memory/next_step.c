#include "prime/memory/next_step.h"

#include "base/buf.h"
#include "base/command.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/text.h"
#include "facts/env_defaults.h"
#include "machine/shell.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "session/login_start.h"
#include "session/session.h"

#include <string.h>

#define NONE ((struct jw_next_step){ .words = NULL })
#define STEP(what, remark_on_it) ((struct jw_next_step){ .words = (what), .remark = (remark_on_it) })
#define WHOLE(command) ((struct jw_next_step){ .words = (command), .whole = true })

static const char limit_name[] = "CUDA_CACHE_MAXSIZE";
static const char where[] = "lists where it was looked for; software elsewhere: jitwarm prime PATH";

/* ---- which ---- */

/* After a prime that has proven it. */
static struct jw_next_step make_it_last(const struct jw_step_facts *f)
{
    if (f->lasting)
        return STEP("status", "what the cache holds");
    if (f->container)
        return STEP("env --shell docker", "prints the entrypoint that does this at each start");
    return STEP(f->root ? "startup install --as-root" : "startup install",
                "does this again after each driver update");
}

static struct jw_next_step after_warm(const struct jw_step_facts *f)
{
    switch (f->after) {
    case JW_AFTER_STATUS: return STEP("prime --check", NULL); /* which looks for other software, too */
    case JW_AFTER_PLAN: return STEP("verify", "proves that the next start compiles nothing");
    case JW_AFTER_PRIME:
        return f->proven ? make_it_last(f)
                         : STEP("verify", "proves again that the next start compiles nothing");
    case JW_AFTER_VERIFY: break;
    }
    return NONE;
}

static struct jw_next_step continue_prime(const struct jw_step_facts *f, struct jw_arena *a)
{
    if (f->longer_box)
        return STEP(jw_arena_printf(a, "prime --time-box %us", f->longer_box),
                    "a shorter time box gets no further");
    return STEP("prime", "continues with the modules that are left");
}

struct jw_next_step jw_next_step_of(const struct jw_step_facts *f, struct jw_arena *a)
{
    if (f->prime_runs)
        return f->again                      ? WHOLE(f->again)
               : f->after == JW_AFTER_STATUS ? NONE
                                             : STEP("status", "how far the prime is");
    if (f->mends)
        return WHOLE(f->mends);
    if (f->index_damaged)
        return STEP("status --repair", NULL);
    if (f->unusable)
        return f->said ? NONE : STEP("doctor", NULL);
    if (f->no_compiler)
        return STEP("doctor", "says how this system gets the driver's compiler");
    if (f->keeps)
        return WHOLE(f->keeps);
    if (f->records_lost)
        return STEP("prime", "looks at all software here, and remembers it again");
    if (f->import)
        return STEP(f->import, "brings again what is gone from the cache");
    if (f->hidden)
        return WHOLE(f->hidden);
    if (f->unchecked)
        return STEP("verify", "checks whether that is all that the software here loads");
    if (f->stopped)
        return continue_prime(f, a);
    if (f->start)
        return WHOLE(f->start);
    if (f->cold)
        return STEP("prime", NULL);
    if (f->login_unknown)
        return f->login ? WHOLE(f->login) : STEP("doctor", "says what keeps its shell from its end");
    if (f->login)
        return WHOLE(jw_arena_printf(a, "%s   # this shell then uses the cache of a fresh login", f->login));
    if (f->said)
        return NONE;
    if (f->gone)
        return STEP("prune --gone", "lists what is gone; with --yes it is forgotten");
    if (f->nothing_known)
        return STEP("scan -v", where);
    if (f->failing_link)
        return STEP(JW_COMMAND(a, jw_os_is_windows(), "scan", f->failing_link),
                    "which code it has, and for which GPUs");
    if (f->damaged)
        return STEP("scan", "says what is damaged, and where");
    if (f->too_new)
        return STEP("doctor", "says how this system gets a newer driver");
    if (f->refused)
        return STEP("doctor", "says what helps where this driver cannot compile it");
    if (f->lacking) /* doctor looks at what is installed, or was primed */
        return f->named ? STEP("scan", "which code it has, and for which GPUs")
                        : STEP("doctor", "says what it needs to run on this GPU");
    if (f->gpus_unknown)
        return STEP("verify",
                    "checks it for the GPUs that are here, each time: status never asks the driver");
    if (f->unexplained)
        return STEP("doctor", f->unread                    ? "says what could not be read"
                              : f->after == JW_AFTER_PRIME ? "looks for the cause"
                                                           : NULL);
    if (f->nothing_compiles)
        return f->after == JW_AFTER_PRIME || f->after == JW_AFTER_STATUS
                   ? STEP("doctor", "if something still starts slowly")
                   : NONE;
    return after_warm(f);
}

/* ---- how it is typed ---- */

static void add_option(struct jw_buf *line, const char *option, const struct jw_texts *values, bool windows)
{
    for (size_t i = 0; i < values->n; i++) {
        jw_buf_printf(line, " %s ", option);
        jw_command_word(line, values->items[i], windows);
    }
}

/* The options that made the question: the next verb is asked the same one. */
static void add_question(struct jw_buf *line, const char *words, const struct jw_step_scope *scope)
{
    bool scan = jw_text_starts(words, "scan"), prime = jw_text_starts(words, "prime");

    if (!scan && !prime && strcmp(words, "verify") != 0)
        return;
    if (scope->all && !scan)
        jw_buf_text(line, " --all");
    add_option(line, "--gpu", scan ? &scope->archs : &scope->gpus, scope->windows);
    add_option(line, "--exclude", &scope->exclude, scope->windows);
    if (scope->packs && prime)
        jw_buf_text(line, " --pack jitwarm-packs");
}

static bool has_no_cache(const char *words)
{
    return jw_text_starts(words, "scan") || jw_text_starts(words, "env");
}

static bool is_of_paths(const char *words)
{
    return jw_text_starts(words, "prime") || strcmp(words, "verify") == 0 || strcmp(words, "scan") == 0;
}

const char *jw_next_step_line(const struct jw_next_step *step, const struct jw_step_scope *scope,
                              struct jw_arena *a)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    bool prime;

    if (!step->words || step->whole)
        return step->words;
    prime = jw_text_starts(step->words, "prime");
    if (prime)
        jw_buf_printf(&line, "%s%s", scope->prime, step->words + strlen("prime"));
    else
        jw_buf_printf(&line, "jitwarm %s", step->words);
    add_question(&line, step->words, scope);
    if (!has_no_cache(step->words))
        jw_buf_text(&line, scope->cache);
    for (size_t i = 0; is_of_paths(step->words) && i < scope->paths.n; i++) {
        jw_buf_text(&line, " ");
        jw_command_word(&line, scope->paths.items[i], scope->windows);
    }
    if (prime && scope->command)
        jw_buf_printf(&line, " --run %s", scope->command);
    if (step->remark)
        jw_buf_printf(&line, "   # %s", step->remark);

    const char *copy = jw_arena_str(a, jw_buf_cstr(&line));

    jw_buf_free(&line);
    return copy;
}

const char *jw_step_shown(const char *shown, const struct jw_step_scope *scope, struct jw_arena *a)
{
    static const struct jw_next_step prime = { .words = "prime",
                                               .remark = "compiles for the GPU that is hidden here" };
    struct jw_step_scope there = *scope;

    there.prime = scope->windows ? jw_shell_then(a, true, shown, scope->prime)
                                 : jw_arena_printf(a, "%s %s", shown, scope->prime);
    return jw_next_step_line(&prime, &there, a);
}

const char *jw_step_in(const char *folder, const char *command, struct jw_arena *a)
{
    bool windows = jw_os_is_windows();
    struct jw_err ignored;
    const char *here;

    if (!folder || !*folder || !jw_is_folder(folder)
        || (jw_real_path(".", a, &here, &ignored) && strcmp(here, folder) == 0))
        return command;
    return jw_shell_then(
        a, windows, windows ? JW_COMMAND(a, true, "cd", "/d", folder) : JW_COMMAND(a, false, "cd", folder),
        command);
}

const char *jw_step_start(const char *before, const char *prime, const char *cache, const char *command,
                          const char *folder, struct jw_arena *a)
{
    const char *start = jw_step_in(folder, jw_arena_printf(a, "%s%s --run %s", prime, cache, command), a);

    return before ? jw_shell_then(a, jw_os_is_windows(), before, start) : start;
}

const char *jw_step_prime(struct jw_session *s, bool as_root, struct jw_arena *a)
{
    const char *user = jw_env(a, "SUDO_USER");

    if (!jw_session_is_root(s))
        return "jitwarm prime";
    if (as_root || !user || !*user || strcmp(user, "root") == 0)
        return "jitwarm prime --as-root";
    return JW_COMMAND(a, false, "sudo", "-u", user, "jitwarm", "prime");
}

/* The limit of programs that are started with these variables; 0: not known, or not as it is written. */
static uint64_t limit_in(const struct jw_env_set *set, const char *driver)
{
    const char *value = jw_env_set_value(set, limit_name);
    uint64_t plain = 0;

    /* One that not each driver reads as it stands is set again. */
    if (value && (!jw_text_u64(value, &plain) || plain > jw_cache_limits().max))
        return 0;
    return jw_cache_limit_read(value, driver);
}

/* The least of a fresh login and its terminals; 0: not known. */
static uint64_t limit_of_login(const struct jw_step_shell *at)
{
    uint64_t limit = at->login && at->login->known ? limit_in(&at->login->sets, at->driver) : 0;

    return limit && at->login->terminal_known ? jw_min(limit, limit_in(&at->login->terminal, at->driver))
                                              : limit;
}

const char *jw_step_limit_in(const struct jw_step_shell *at, uint64_t limit, struct jw_arena *a)
{
    uint64_t login = at->container ? 0 : limit_of_login(at);
    const char *value = jw_arena_printf(a, "%llu", (unsigned long long)jw_max(limit, login));
    const char *set = jw_shell_set(a, at->windows, at->shell, limit_name, value);

    return at->container || login >= limit
               ? set
               : jw_shell_then(a, at->windows,
                               JW_COMMAND(a, at->windows, "jitwarm", "env", "apply", "--max-size", value),
                               set);
}

const char *jw_step_limit(struct jw_session *s, uint64_t limit, const char *then, struct jw_arena *a)
{
    const struct jw_driver_state *driver = jw_session_known_driver(s);
    struct jw_step_shell at = { .windows = jw_os_is_windows(),
                                .container = jw_session_surroundings(s)->container,
                                .shell = jw_shell_here(a),
                                .driver = driver ? driver->version : NULL };
    struct jw_err ignored;

    if (!at.container && !jw_session_login(s, &at.login, &ignored))
        at.login = NULL;
    const char *line = jw_step_limit_in(&at, limit, a);

    if (then)
        return jw_shell_then(a, at.windows, line, then);
    if (at.windows) /* cmd has no comments */
        return line;
    if (at.container)
        return jw_arena_printf(a, "%s   # ENV %s=%llu in the image makes it last", line, limit_name,
                               (unsigned long long)limit);
    return jw_text_starts(line, "jitwarm env apply")
               ? jw_arena_printf(a, "%s   # for new logins and this shell; undo: jitwarm env undo", line)
               : line;
}

const char *jw_step_login_limit(struct jw_session *s, uint64_t limit, struct jw_arena *a)
{
    const struct jw_login_env *login;
    struct jw_env_difference d = { .name = limit_name }, *v;
    struct jw_err ignored;
    size_t n;

    if (jw_session_login(s, &login, &ignored)) {
        jw_login_compare(login, a, &v, &n);
        for (size_t i = 0; i < n; i++)
            if (strcmp(v[i].name, limit_name) == 0)
                d = v[i];
    }
    return jw_arena_printf(a, "%s   # for programs of %s",
                           jw_login_raise_limit(&d, limit, jw_os_is_windows(), jw_session_is_root(s), a),
                           jw_login_name(d.terminal_only));
}
