/* What is remembered of a command: the cache that it chose itself, and how long it took cold and warm. It stands with the
 * cache that programs use here, whichever cache the command uses. */
#include "prime/prime_work.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "facts/cache_choosers.h"
#include "machine/list.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

enum { DAY_S = 24 * 60 * 60 };

/* The cache with which the command is remembered; NULL: there is none. */
static const char *home_of(const struct prime *p)
{
    return jw_session_cache(p->run->session)->root;
}

static const char *name_of(const struct prime *p)
{
    char *words = p->o->run ? jw_prime_command(p->o->run) : NULL;
    const char *name = p->o->profile ? p->o->profile : words ? jw_arena_str(p->run->a, words) : NULL;

    jw_free(words);
    return name;
}

/* NULL: nothing is remembered of it. */
static const struct jw_warm_command *recall(struct prime *p, const struct jw_warm_state **known)
{
    const char *home = p->run->session->cache ? NULL : home_of(p), *name = name_of(p);

    if (!home || !name)
        return NULL;
    *known = jw_session_memory(p->run->session, home);
    return jw_warm_command(*known, name);
}

/* Of the driver that programs load now: what NVRTC or the linker made for another one is lost. */
static bool has_loads(const struct prime *p, const struct jw_warm_state *known)
{
    const struct jw_driver_state *driver;

    return known->n_loads && (driver = jw_session_driver_file(p->run->session)->known)
           && jw_warm_loads(known, name_of(p), driver->build);
}

/* Is there nothing to record in its next start? A start that used no driver says little of one on another day. */
static bool is_known(const struct prime *p, const struct jw_warm_command *c,
                     const struct jw_warm_state *known)
{
    if (*c->root || jw_warm_profile(known, name_of(p)))
        return true;
    if (has_loads(p, known))
        return true;
    return !c->cold && !c->warm && jw_time_unix() - c->when <= DAY_S;
}

/* It was recorded with this driver, and other GPUs or settings: what it loads here is recorded again. */
static bool find_elsewhere(struct prime *p, const struct jw_warm_state *known, struct jw_err *err)
{
    const struct jw_driver_state *driver;
    const struct jw_warm_loads *then;
    struct jw_trace now;
    const char *what;

    if (!known->n_loads || !(driver = jw_session_driver_file(p->run->session)->known)
        || !(then = jw_warm_machine(known, name_of(p), driver->build)))
        return true;
    if (!jw_session_machine(p->run->session, p->run->a, &now, err))
        return false;
    p->elsewhere = prime_same_machine(then, &now, &what) == JW_TRACE_CHANGED;
    return true;
}

/* A user who can rename a folder on the way chooses which cache is filled: of a missing one, the first folder that exists counts. */
bool prime_check_own_cache(struct prime *p, const char *root, struct jw_err *err)
{
    const char *at = NULL, *folder = root;
    struct jw_err why = { 0 };
    struct jw_tree held;
    struct jw_trust t;

    for (;; folder = jw_path_dir(p->run->a, folder)) {
        if (!jw_trust_check_path(folder, p->run->a, &held, &at, &t, err))
            return jw_wrap(err, "%s", folder);
        if (t.exists || strcmp(jw_path_dir(p->run->a, folder), folder) == 0)
            break;
    }
    jw_tree_close(&held);
    if (!at || jw_trust_own(&t, &why))
        return true;
    if (strcmp(at, root) == 0)
        return prime_end(p, JW_END_PARTLY, "it uses a cache of its own, %s, which %s", root, why.msg);
    return prime_end(p, JW_END_PARTLY, "it uses a cache of its own, %s, and the folder above it, %s, %s",
                     root, at, why.msg);
}

bool prime_recall_command(struct prime *p, struct jw_err *err)
{
    const struct jw_warm_state *known = NULL;
    const struct jw_warm_command *c = recall(p, &known);

    if (c && !find_elsewhere(p, known, err))
        return false;
    p->out->start_known = c && !p->elsewhere && is_known(p, c, known);
    p->out->start_again = c && !p->out->start_known;
    if (c && *c->root) {
        p->ctx.cache.asked = c->root;
        p->out->own_cache = true;
        prime_note(p, "the command uses a cache of its own: %s%s", c->root,
                   jw_cache_chooser_words(c->root, p->run->a));
    }
    return true;
}

bool prime_check_recalled(struct prime *p, struct jw_err *err)
{
    return !p->out->own_cache || prime_check_own_cache(p, p->ctx.cache.root, err);
}

const char *prime_known_cache(struct prime *p)
{
    const struct jw_warm_state *known;
    const struct jw_warm_command *c = recall(p, &known);

    return c && *c->root ? c->root : NULL;
}

static bool add(struct prime *p, const char *home, const struct jw_warm_command *c, struct jw_err *err)
{
    const struct jw_warm_fact fact = { JW_WARM_COMMAND, .as.command = *c };
    struct jw_warm_log *log = NULL;
    struct jw_warm_holder holder;
    bool ok;

    jw_session_changed(p->run->session);
    if (p->ctx.cache.log && strcmp(home, p->ctx.cache.root) == 0)
        return jw_warm_add(p->ctx.cache.log, &fact, err);
    if (!jw_session_lock(p->run->session, home, &log, &holder, err))
        return false;
    ok = !log || jw_warm_add(log, &fact, err); /* another jitwarm is at work: it is remembered next time */
    jw_warm_close(log);
    return ok;
}

void prime_remember_command(struct prime *p, const char *root)
{
    const struct jw_command_seen *s = &p->out->seen;
    const char *home = home_of(p), *name = name_of(p);
    const struct jw_warm_command *before;
    struct jw_warm_command now = { .key = name, .root = root, .when = jw_time_unix() };
    struct jw_err why = { 0 };

    if (!home || !name || (!p->out->start_whole && !(root && *root)))
        return;
    if (!p->out->start_milliseconds && !(root && *root) && s->witness.may_have
        && s->answer != JW_WITNESS_NOTHING)
        return; /* one without a time counts as one that used no driver, or that loads no module */
    before = jw_warm_command(jw_session_memory_now(p->run->session, home), name);
    now.cold = before ? before->cold : 0;
    now.warm = before ? before->warm : 0;
    if (p->out->start_whole && p->out->start_first)
        now.cold = p->out->start_milliseconds;
    if (p->out->start_whole && p->out->start_milliseconds && s->answer == JW_WITNESS_NOTHING)
        now.warm = p->out->start_milliseconds;
    p->out->cold_milliseconds = now.cold;
    p->out->warm_milliseconds = now.warm;
    if (!root)
        now.root = before ? before->root : "";
    if (!add(p, home, &now, &why))
        prime_note(p, "the command could not be remembered: %s", why.msg);
}

/* ---- the files that its words name: its program, a script, a model; another one of that name may load other code ---- */

#define QUESTION "file "

/* The program and what it starts, a script: they are never its output. */
enum { MAX_NAMED = 64, STARTED = 2 };

/* Between the words of a shell's line. */
#define SEPARATORS " \t\n;&|()<>"

/* NULL: it is no file. */
static const char *facts_of(const char *path, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(path, &info, &ignored) || info.kind != JW_FILE_REGULAR)
        return NULL;
    return jw_arena_printf(a, "%llu %lld %lld %llx %llx", (unsigned long long)info.size,
                           (long long)info.mtime, (long long)info.ctime, (unsigned long long)info.id.volume,
                           (unsigned long long)info.id.node);
}

/* A link is not resolved: it may lead elsewhere later. */
static const char *from_here(const char *word, struct jw_arena *a)
{
    struct jw_err ignored;
    const char *here;

    if (jw_path_absolute(word) || !jw_real_path(".", a, &here, &ignored))
        return word;
    return jw_path_join(a, here, word);
}

/* The driver's own library is known by its build. */
static void name_file(struct prime_named *named, const char *word, struct jw_arena *a)
{
    const char *path = from_here(word, a), *facts = facts_of(path, a);

    if (!facts || named->n == MAX_NAMED || jw_text_starts(jw_path_base(path), "libcuda.so"))
        return;
    named->files[named->n++] = (struct jw_warm_answer){ jw_arena_printf(a, QUESTION "%s", path), facts };
}

/* The next word of a shell's line, without its quotes; nothing is expanded. `out` has room for the rest of the line. */
static bool next_shell_word(const char **line, char *out)
{
    const char *at = *line + strspn(*line, SEPARATORS), *begin = at;
    char quote = 0;

    for (; *at && (quote || !strchr(SEPARATORS, *at)); at++)
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && at[1] && quote != '\'')
            *out++ = *++at;
        else
            *out++ = *at;
    *out = 0;
    *line = at;
    return at > begin;
}

/* -c, -lc, -ec: what follows is a line for a shell, as "cd DIR && ./start.sh". */
static bool is_before_line(const char *word)
{
    size_t n = strlen(word);

    return n > 1 && word[0] == '-' && word[1] != '-' && word[n - 1] == 'c';
}

static void name_inside(struct prime_named *named, const char *line, struct jw_arena *a)
{
    char *word = jw_arena_alloc(a, strlen(line) + 1);

    while (next_shell_word(&line, word))
        name_file(named, jw_arena_str(a, word), a);
}

void prime_name_files(const char *const *words, struct jw_arena *a, struct prime_named *out)
{
    *out = (struct prime_named){ .files = jw_arena_alloc(a, MAX_NAMED * sizeof *out->files) };
    if (!words || !words[0])
        return;
    const char *program = jw_process_program(words[0], a);

    name_file(out, program ? program : words[0], a);
    for (size_t i = 1; words[i]; i++) {
        const char *value = words[i][0] == '-' ? strchr(words[i], '=') : NULL;

        name_file(out, value ? value + 1 : words[i], a);
        if (is_before_line(words[i - 1]))
            name_inside(out, words[i], a);
    }
}

static bool is_named_file(const struct jw_warm_answer *answer)
{
    return jw_text_starts(answer->question, QUESTION);
}

static bool has_changed(const struct jw_warm_answer *file, struct jw_arena *a)
{
    const char *now = facts_of(file->question + sizeof QUESTION - 1, a);

    return !now || strcmp(now, file->answer) != 0;
}

/* A library that it loaded is searched for modules itself, and compared with the rest that was searched. */
static bool is_searched(const struct prime *p, const char *path)
{
    struct jw_err ignored;
    const char *real;

    if (!jw_real_path(path, p->run->a, &real, &ignored))
        return false;
    for (size_t i = 0; i < p->reuse.n_files; i++)
        if (strcmp(p->reuse.files[i], real) == 0)
            return true;
    return false;
}

void prime_record_named(const struct prime *p, struct jw_warm_loads *out)
{
    struct jw_warm_answer *kept = jw_arena_alloc(p->run->a, (p->named.n + 1) * sizeof *kept);

    out->n_answers = 0;
    for (size_t i = 0; i < p->named.n; i++) {
        const struct jw_warm_answer *file = &p->named.files[i];

        if (i == 0
            || (!is_searched(p, file->question + sizeof QUESTION - 1)
                && (i < STARTED || !has_changed(file, p->run->a))))
            kept[out->n_answers++] = *file;
    }
    out->answers = kept;
}

void prime_take_named(const struct jw_warm_loads *from, struct jw_arena *a, struct jw_warm_loads *out)
{
    struct jw_warm_answer *kept = jw_arena_alloc(a, (from->n_answers + 1) * sizeof *kept);

    out->n_answers = 0;
    for (size_t i = 0; i < from->n_answers; i++)
        if (is_named_file(&from->answers[i]))
            kept[out->n_answers++] = from->answers[i];
    out->answers = kept;
}

const char *prime_named_change(const struct jw_warm_loads *then, struct jw_arena *a)
{
    for (size_t i = 0; i < then->n_answers; i++)
        if (is_named_file(&then->answers[i]) && has_changed(&then->answers[i], a))
            return then->answers[i].question + sizeof QUESTION - 1;
    return NULL;
}
