#include "prime/memory/primed.h"

#include "base/command.h"
#include "base/text.h"
#include "facts/env_defaults.h"
#include "os/files/disk.h"
#include "os/machine/env.h"
#include "prime/memory/next_step.h"
#include "prime/memory/recorded.h"
#include "session/lines.h"

/* The command against a setting of this environment that makes every start compile, or forbids to compile, as
 * prime and verify name it, too. NULL: there is no such setting. */
static const char *command_against_setting(const struct jw_cachedir *d, struct jw_arena *a)
{
    const char *forbidding = jw_cache_forbidden_by(a),
               *name = forbidding ? forbidding : jw_cache_ignored_by(d, a);

    return name ? jw_shell_set(a, jw_os_is_windows(), jw_shell_here(a), name, NULL) : NULL;
}

/* The limit under which all that was primed stays, or that was to be and had no room, or where there is room for
 * nothing; NULL: it is high enough, or none is. */
static const char *command_for_limit(struct jw_session *s, const struct jw_status_report *r,
                                     const struct jw_primed *p)
{
    uint64_t better = jw_status_limit(r);
    bool no_room = (r->memory.left.need > r->dir.limit || jw_cachedir_is_small(&r->dir))
                   && jw_next_start_of(&p->facts) != JW_NEXT_START_WARM;

    if (!no_room && (!p->last.known || p->last.driver.other || !jw_next_start_is_over(&p->facts)))
        return NULL;
    if (p->facts.limit.login_lower && jw_status_need(r) <= r->dir.limit)
        return jw_line_login_limit(s, better ? better : jw_cache_limits().max, s->a);
    return better ? jw_line_limit(s, better, NULL, s->a) : jw_status_command_of(r, "jitwarm prune", s->a);
}

/* The line for the disk of the cache, where a prime found no room on it for all, and there is none now; NULL: there is. */
static const char *command_for_disk(struct jw_session *s, const struct jw_status_report *r,
                                    const struct jw_primed *p)
{
    uint64_t need = r->memory.left.need;
    struct jw_err ignored;
    struct jw_disk disk;

    if (!r->dir.folder || need <= r->used || jw_next_start_of(&p->facts) == JW_NEXT_START_WARM
        || !jw_disk_look(r->dir.folder, &disk, &ignored)
        || need - r->used + jw_disk_spare(&disk) <= disk.free)
        return NULL;
    const char *larger = jw_line_larger_disk(s, r->dir.folder, need - r->used, s->a);

    return larger ? larger : jw_line_full_disk(r->dir.folder, s->a);
}

/* The command against a blocker: programs cannot use the cache, or a prime cannot begin. A full disk is none
 * while all is warm. */
static const char *command_against(struct jw_session *s, const struct jw_status_report *r,
                                   const struct jw_primed *p)
{
    const struct jw_blocker *h = &p->last.blocker;

    if (h->is && (jw_blocker_hides(h) || jw_next_start_of(&p->facts) != JW_NEXT_START_WARM))
        return h->command;

    if (jw_login_spoils(&p->last.login.start))
        return p->last.login.start.command ? p->last.login.start.command
                                           : "jitwarm doctor   # says which settings a login has";

    const char *setting = command_against_setting(&r->dir, s->a);

    if (setting || jw_next_start_of(&p->facts) == JW_NEXT_START_WARM)
        return setting;
    return jw_session_way_out(s, s->cache, s->a);
}

/* "0 of 16 modules are warm" */
static const char *counts_of(const struct jw_next_start_facts *facts, struct jw_arena *a)
{
    struct jw_buf text = JW_LINE(a);

    jw_next_start_say(&text, facts);

    return jw_buf_cstr(&text);
}

/* --cache of a command for this cache: it was named, or programs of a fresh login use another one, and prime fills this only by its name. */
static const char *cache_of(struct jw_arena *a, const struct jw_status_report *r,
                            const struct jw_prime_last *l)
{
    return jw_login_differs(&l->login.start) && r->dir.folder
               ? jw_arena_printf(a, " %s", JW_COMMAND(a, jw_os_is_windows(), "--cache", r->dir.folder))
               : jw_status_command_of(r, "", a);
}

/* A recorded command that only a start there shows is the one to start. */
static bool look_at_commands_of_login(struct jw_session *s, const struct jw_status_report *r,
                                      struct jw_prime_last *l, struct jw_err *err)
{
    const struct jw_login_gpus *there;
    const struct jw_login_env *login;

    if (!l->commands.n || l->commands.unsure)
        return true;
    if (!jw_session_login_gpus_unasked(s, &there, err) || !jw_session_login(s, &login, err))
        return false;
    const struct prime_recorded_at_login apart =
        prime_recorded_at_login(&r->memory, l->commands.n, there, login, s->a);

    l->login.commands = apart.why;
    if (!apart.why || l->commands.again)
        return true;
    l->login.as_there = apart.as_there;
    l->commands.again = apart.command;
    l->commands.folder = apart.folder;
    return true;
}

/* Takes the login's present limit. */
static void take_login_limit(struct jw_session *s, const struct jw_status_report *r, struct jw_prime_last *l)
{
    const struct jw_driver_state *driver = jw_session_known_driver(s);
    const struct jw_login_env *login = s->login;

    if (!l->known || !login || !login->known)
        return;
    l->facts.limit = (struct jw_cache_limit){ .bytes = r->dir.limit, .known = r->dir.limit_known };
    jw_login_limit(login, driver ? driver->version : NULL, s->a, &l->facts.limit);
}

/* If all is warm by receipts of runs that looked at a fresh login, no shell is started again. */
static bool look_at_login(struct jw_session *s, const struct jw_status_report *r, struct jw_prime_last *l,
                          struct jw_err *err)
{
    const struct jw_next_start_facts facts = jw_prime_last_facts(l);

    if (!jw_text_same(r->dir.folder, jw_session_cache(s)->folder) || l->blocker.is
        || (l->login.seen && jw_next_start_of(&facts) == JW_NEXT_START_WARM))
        return true;
    if (!jw_session_login_start(s, s->cache, &l->login.start, err)
        || !look_at_commands_of_login(s, r, l, err))
        return false;
    take_login_limit(s, r, l);
    return true;
}

/* True for a file that a login reads: its settings were asked again. */
static bool is_of_login(struct jw_session *s, const char *changed)
{
    const struct jw_login_env *login;
    struct jw_err ignored;

    return changed && jw_session_login(s, &login, &ignored)
           && jw_text_among(changed, login->files.names, login->files.n);
}

/* As `last` has it. */
static void conclude(struct jw_session *s, const struct jw_status_report *r, struct jw_primed *p)
{
    const struct jw_prime_last *l = &p->last;

    p->any = jw_prime_last_primed(l);
    p->facts = jw_prime_last_facts(l);
    if (l->login.commands && is_of_login(s, p->facts.changed)) {
        p->last.changed = false;
        p->last.facts.changed = p->facts.changed = NULL;
    }
    p->next_start = jw_next_start_answer(&p->facts, s->a);
    if (p->any && p->next_start.is != JW_NEXT_START_WARM)
        p->not_warm = p->next_start.why ? p->next_start.why : counts_of(&p->facts, s->a);
    if (jw_prime_last_needs_a_start(l))
        p->start = !l->commands.again
                       ? l->commands.look
                       : jw_line_start(l->login.as_there, jw_line_prime(s, false, s->a), cache_of(s->a, r, l),
                                       l->commands.again, l->commands.folder, s->a);
    else if (l->primed_cache.command && !l->primed_cache.named.n)
        p->start = jw_line_start(NULL, jw_line_prime(s, false, s->a), cache_of(s->a, r, l),
                                 l->primed_cache.command, l->primed_cache.folder, s->a);
}

static const char *next_command(struct jw_session *s, const struct jw_status_report *r, struct jw_texts paths,
                                const struct jw_primed *p)
{
    const struct jw_prime_last *l = &p->last;
    struct jw_step_facts f = {
        .after = JW_AFTER_STATUS,
        .reasons = jw_next_start_reasons(&p->facts),
        .prime_runs = r->running != NULL,
        .mends = command_against(s, r, p),
        .index_damaged = r->list.index_trouble != JW_INDEX_WHOLE
                         && !r->finds_nothing, /* else no command here can repair it */
        .unusable = !p->driver_here || l->driver.truncated || !r->dir.folder || r->list.index_unread
                    || r->finds_nothing,
        .no_compiler = l->facts.cannot_compile != NULL,
        .keeps = command_for_disk(s, r, p),
        .import = l->packs.again,
        .start = p->start,
        .root = jw_session_is_root(s),
    };
    struct jw_step_scope scope = { .windows = jw_os_is_windows(),
                                   .prime = jw_line_prime(s, false, s->a),
                                   .cache = cache_of(s->a, r, l),
                                   .paths = paths };

    if (!f.keeps)
        f.keeps = command_for_limit(s, r, p);
    if (l->commands.gone)
        f.later |= JW_BUT(JW_BY_COMMANDS) | (l->commands.again ? 0 : JW_BUT(JW_BY_LOSS));
    if (jw_login_differs(&l->login.start)) {
        /* A prime of this cache by its name leaves out those of commands. */
        f.later |= JW_BUT(JW_BY_PLACE) | JW_BUT(JW_BY_LOGIN) | JW_BUT(JW_BY_OTHER_CACHES);
        if (l->login.start.is == JW_LOGIN_OTHER_DRIVER /* its prime looks at all again */
            || is_of_login(s, p->facts.changed))
            f.later |= JW_BUT(JW_BY_CHANGE);
        f.login = l->login.start.command;
    }
    if (r->memory.left.hidden && *r->memory.left.hidden && !p->facts.changed
        && jw_next_start_of(&p->facts) != JW_NEXT_START_WARM)
        f.hidden = jw_step_shown(r->memory.left.hidden, &scope, s->a);

    const struct jw_next_step step = jw_next_step_of(&f, s->a);

    return jw_next_step_line(&step, &scope, s->a);
}

/* Does only a start help a cache that a command chose? It has nothing but what was recorded, so after a change of the
 * machine none of its modules is what a prime compiles. */
static bool is_of_a_start(const struct jw_prime_last *chosen)
{
    return jw_prime_last_needs_a_start(chosen)
           || (chosen->changed && chosen->of_command && chosen->commands.again);
}

/* Counts what is warm for the commands that chose a cache of their own. */
static bool look_at_commands(struct jw_session *s, struct jw_status_report *r, struct jw_prime_last *all,
                             struct jw_err *err)
{
    for (size_t i = 0; i < r->n_commands; i++) {
        struct jw_status_command *c = &r->commands[i];
        struct jw_prime_last last;

        if (!c->cache)
            continue;
        if (!jw_prime_last(s,
                           &(struct jw_cachedir){
                               .folder = c->cache, .limit = r->dir.limit, .limit_known = r->dir.limit_known },
                           jw_session_memory(s, c->cache), &last, err))
            return false;
        struct jw_next_start_facts f = jw_prime_last_facts(&last);

        f.gpus_unknown = false; /* of all that was primed, not of its number here */
        uint64_t warm = last.known ? last.facts.warm : last.commands.found;
        const struct jw_next_start_answer answer = jw_next_start_answer(&f, s->a);

        c->primed = last.known ? last.modules : last.commands.loads;
        c->found = answer.is == JW_NEXT_START_COMPILES && warm == c->primed ? 0 : warm;
        if (s->cache) /* a run of a cache that was named leaves them out */
            continue;
        if (!all->facts.gpus_unknown) {
            all->facts.gpus_unknown = last.facts.gpus_unknown;
            all->facts.gpus = last.facts.gpus;
        }
        if (answer.is == JW_NEXT_START_UNKNOWN && answer.why && !all->chosen.unsure)
            all->chosen.unsure = answer.why;
        if (is_of_a_start(&last)) {
            all->chosen.start = true; /* after that of one with this cache */
            all->commands.look = all->commands.look ? all->commands.look : last.commands.look;
            if (!all->commands.again) {
                all->commands.again = last.commands.again;
                all->commands.folder = last.commands.folder;
            }
        } else if (answer.is != JW_NEXT_START_WARM)
            all->chosen.prime = true;
        if (!last.known && !jw_prime_last_has_commands(&last) && !all->unfinished)
            all->unfinished = jw_arena_printf(s->a, "no prime of %.200s came to its end", c->words);
        all->chosen.primed += c->primed;
        all->chosen.warm += c->found;
    }
    return true;
}

bool jw_primed_look(struct jw_session *s, struct jw_status_report *r, struct jw_texts paths,
                    struct jw_primed *out, struct jw_err *err)
{
    *out =
        (struct jw_primed){ .driver_here = jw_session_gpus(s)->driver || jw_session_driver_file(s)->found };
    if (!jw_prime_last(s, &r->dir, &r->memory, &out->last, err) || !look_at_commands(s, r, &out->last, err)
        || (out->driver_here && !look_at_login(s, r, &out->last, err)))
        return false;
    conclude(s, r, out);
    out->next = next_command(s, r, paths, out);
    return true;
}

bool jw_primed_misses(const struct jw_primed *p)
{
    /* These reasons are not about entries that are missing. */
    const uint32_t without = JW_BUT(JW_BY_FAILURE) | JW_BUT(JW_BY_REFUSAL) | JW_BUT(JW_BY_BLOCKED)
                             | JW_BUT(JW_BY_LACK) | JW_BUT(JW_BY_GPUS);

    return p->next_start.is != JW_NEXT_START_WARM && !jw_next_start_is_warm_but(&p->facts, without)
           && (!p->last.nothing || jw_prime_last_is_brought_back(&p->last));
}
