#include "prime/memory/last.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/place/lookup.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "prime/memory/receipts.h"
#include "prime/memory/recorded.h"

#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct jw_warm_entry *x = *(const struct jw_warm_entry *const *)a,
                               *y = *(const struct jw_warm_entry *const *)b;

    return x->name < y->name ? -1 : x->name > y->name;
}

static bool is_among(uint64_t name, const struct prime_recorded *seen)
{
    for (size_t i = 0; i < seen->n_lost; i++)
        if (seen->lost[i] == name)
            return true;
    return false;
}

/* An entry may belong to modules of several receipts, and counts once. An entry that only a start of a
 * command can make again counts for that command. */
static bool count_warm(struct jw_arena *a, const struct jw_cachedir *dir, const struct prime_latest *latest,
                       size_t n_held, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_cache_lookup lookup;
    const struct jw_warm_entry **all;
    uint64_t ignored;
    size_t n = 0;

    for (size_t i = 0; i < n_held; i++)
        n += latest[i].receipt->n_entries;
    all = jw_arena_alloc(a, (n + 1) * sizeof *all);
    n = 0;
    for (size_t i = 0; i < n_held; i++) {
        const struct jw_warm_receipt *r = latest[i].receipt;

        out->modules += jw_max(r->jobs, (uint64_t)r->n_entries) - r->n_entries;
        for (size_t k = 0; k < r->n_entries; k++)
            all[n++] = &r->entries[k];
    }
    jw_sort(all, n, sizeof *all, by_name);
    if (!jw_cache_lookup_open(dir->folder, a, &lookup, err))
        return false;
    for (size_t i = 0, next; i < n; i = next) {
        bool found = false;

        for (next = i; next < n && all[next]->name == all[i]->name; next++)
            found = found || jw_cache_finds_same(&lookup, all[next], &ignored);
        if (!found && is_among(all[i]->name, &out->commands))
            continue;
        out->modules++;
        if (!jw_add(out->facts.needed, all[i]->bytes, &out->facts.needed))
            out->facts.needed = UINT64_MAX;
        out->facts.warm += found && (!out->driver.other || out->facts.no_driver);
        out->facts.damaged += !found && jw_cache_identity_of(&lookup, all[i]->name, all[i]->bytes);
    }
    out->facts.stored = lookup.index.total;
    if (out->facts.warm || lookup.trouble == JW_INDEX_HIDES)
        out->index = lookup.trouble;
    jw_cache_lookup_close(&lookup);
    return true;
}

/* PTX that a command made is kept beside these records (prime/commands/kept.c): a prime compiles it without a start. */
static void drop_kept(struct jw_arena *a, const struct jw_warm_state *memory, struct prime_recorded *seen)
{
    struct jw_notes ignored = { 0 };
    struct jw_listing kept = { 0 };

    if (seen->n_lost && memory->dir)
        kept = jw_listing_read(memory->dir, "*.kept", a, &ignored);
    for (size_t i = 0; i < kept.n && seen->n_lost; i++) {
        struct jw_buf bytes = JW_BUF(JW_CACHE_HEADER + JW_MAX_CACHE_KEY);
        struct jw_err unread;
        bool found;
        uint64_t name = 0;

        if (jw_file_slurp(jw_path_join(a, memory->dir, kept.names[i]), &bytes, &found, &unread)
            && bytes.n > JW_CACHE_HEADER)
            name = jw_fnv1a(JW_FNV_START, bytes.p + JW_CACHE_HEADER, bytes.n - JW_CACHE_HEADER);
        for (size_t k = 0; k < seen->n_lost; k++)
            if (seen->lost[k] == name)
                seen->lost[k--] = seen->lost[--seen->n_lost];
        jw_buf_free(&bytes);
    }
}

static bool look_at_commands(struct jw_arena *a, const char *cache, const struct jw_warm_state *memory,
                             const char *build, const struct jw_trace *now, struct jw_prime_last *out,
                             struct jw_err *err)
{
    const struct prime_recorded_asked asked = {
        .cache = cache, .memory = memory, .build = build, .now = now
    };

    if (!prime_find_recorded(&asked, a, &out->commands, err))
        return false;
    drop_kept(a, memory, &out->commands);
    if (out->commands.found)
        out->index = out->commands.index;
    out->facts.gpus_unknown = out->commands.gpus_unknown;
    return true;
}

/* Modules that an unfinished prime, or packs, left in the cache. */
static bool count_compiled(struct jw_arena *a, const char *cache, const struct jw_warm_state *memory,
                           const char *build, struct jw_prime_last *out, struct jw_err *err)
{
    struct jw_cache_lookup lookup;
    uint64_t here = 0;

    if (!jw_cache_lookup_open(cache, a, &lookup, err))
        return false;
    for (size_t i = 0; build && i < memory->modules.n; i++) {
        const struct jw_warm_module *m = &memory->modules.list[i];
        bool found = m->compiled && strcmp(m->build, build) == 0
                     && (!m->name || jw_cache_finds_name(&lookup, m->name));

        out->compiled += found;
        here += found && m->milliseconds;
    }
    out->unchecked = out->compiled && !here;
    for (size_t i = 0, compiled = out->compiled; !compiled && i < memory->modules.n; i++) {
        const struct jw_warm_module *m = &memory->modules.list[i];
        bool found = *m->origin && jw_cache_finds_name(&lookup, m->name);

        out->compiled += found;
        out->unchecked |= found && build && strcmp(m->build, build) == 0;
    }
    jw_cache_lookup_close(&lookup);
    return true;
}

/* "sm_70 GPU-1f0b... Tesla V100" for each, as driver/probe writes it. */
static void take_gpus(const struct jw_warm_receipt *r, struct jw_arena *a, struct jw_prime_last *out)
{
    const char *text = jw_trace_answered(r, JW_TRACE_DRIVERS_GPUS);
    int line = text ? (int)strcspn(text, "\n") : 0, arch = text ? (int)strcspn(text, " ") : 0;
    const char *name = arch < line ? memchr(text + arch + 1, ' ', (size_t)(line - arch - 1)) : NULL;
    size_t more = 0;

    out->facts.gpus_unknown = true;
    if (!name || out->facts.gpus)
        return;
    for (const char *at = text + line; *at && at[1]; at = at + 1 + strcspn(at + 1, "\n"))
        more++;
    out->facts.gpus = jw_arena_printf(a, "%.*s (%.*s)%s", (int)(text + line - name - 1), name + 1, arch, text,
                                      more ? " and others" : "");
}

/* The first that does not hold is named. */
static void replay(const struct prime_latest *latest, size_t n, const struct jw_trace *now,
                   struct jw_prime_last *out)
{
    for (size_t i = 0; i < n && !out->facts.changed; i++) {
        const char *what;
        enum jw_trace_state state = prime_replay_latest(latest, i, now, &what);

        if (state == JW_TRACE_CHANGED) {
            out->facts.changed = jw_trace_words(what);
            out->of_command = *latest[i].receipt->asked.command != 0;
        } else if (state == JW_TRACE_ASK_DRIVER)
            take_gpus(latest[i].receipt, now->a, out);
    }
}

static bool was_looked_at(const struct prime_latest *latest, size_t n, const char *folder)
{
    struct jw_file_info info;
    struct jw_err ignored;

    if (!jw_file_stat(folder, &info, &ignored) || info.kind == JW_FILE_NONE)
        return true;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < latest[i].receipt->n_files; k++) {
            const struct jw_warm_file *f = &latest[i].receipt->files[k];

            if (jw_file_same((struct jw_file_id){ f->volume, f->node }, info.id))
                return true;
        }
    return false;
}

/* A run without PATH looked into what the variables of its shell named. Those of this one may name more. */
static void find_unsearched(struct jw_session *s, const struct prime_latest *latest, size_t n,
                            struct jw_arena *a, struct jw_prime_last *out)
{
    struct jw_discovery shell;
    bool of_all = false;

    for (size_t i = 0; i < n; i++)
        of_all |= prime_is_of_all(&latest[i]);
    if (!of_all || out->facts.changed)
        return;
    jw_session_shell_folders(s, a, &shell);
    for (size_t i = 0; i < shell.n_roots && !out->facts.changed; i++)
        if (!was_looked_at(latest, n, shell.roots[i].path))
            out->facts.changed = jw_arena_printf(a, "%s (%s)", shell.roots[i].path, shell.roots[i].how);
}

/* `others`: of other software there is something to say. */
static void find_gone(const struct jw_warm_state *memory, bool others, struct jw_arena *a,
                      struct jw_prime_last *out)
{
    const char *gone = prime_first_gone(memory, others, false, a);

    out->gone = gone != NULL;
    if (gone)
        out->nothing = gone;
    else if (!others && out->compiled && !prime_found_something(memory))
        out->nothing = jw_arena_printf(a, "the last run found nothing to compile" JW_NEXT_START_STRAY,
                                       JW_N(out->compiled, "module", "modules"));
    else if (!others && memory->n_receipts)
        out->nothing = "the last prime found nothing to compile";
}

static void take_refused(struct jw_session *s, const struct jw_warm_state *memory,
                         const struct prime_latest *list, size_t i, struct jw_arena *a,
                         struct jw_prime_last *out)
{
    struct jw_next_start_facts f;

    (void)prime_recall_refused(s, memory, list[i].receipt, list, i, a, &f);
    if (f.refused && !out->facts.refused)
        out->facts.refusal = f.refusal;
    out->facts.refused += f.refused;
}

/* Takes the first conclusion of each kind that a receipt has. */
static void take_conclusions(const struct jw_warm_conclusions *c, struct jw_arena *a,
                             struct jw_prime_last *out)
{
    if (!out->facts.too_new)
        out->facts.too_new = prime_too_new_words(&c->too_new, a);
    if (!out->facts.lacking)
        out->facts.lacking = prime_lacking_words(&c->lacking, a);
    if (!out->failed.unread && *c->unread) {
        out->failed.unread_path = c->unread;
        out->failed.unread = jw_arena_printf(a, "%s: %s", c->unread, c->unread_why);
    }
}

/* Matters where something is cold. */
static void find_compiler(struct jw_session *s, struct jw_arena *a, struct jw_prime_last *out)
{
    bool cold = !out->known || out->facts.warm < out->modules || prime_import_compiles(out->packs.again);
    const char *lacking =
        cold ? jw_driver_lacks_compiler(jw_session_driver_file(s), jw_session_compiler(s), a) : NULL;

    if (lacking)
        out->facts.cannot_compile = jw_arena_printf(a, "this driver cannot compile here: %s", lacking);
}

/* Says why the records of this cache, or of the driver here, are lost. That driver may then be one that was
 * met. NULL: they are not. */
static const char *why_records_lost(struct jw_session *s, const struct jw_warm_state *memory,
                                    const struct jw_driver_file *file)
{
    const struct jw_notes *unread = &jw_session_drivers(s)->notes;

    return memory->lost ? memory->lost : file->found && !file->known && unread->n ? unread->v[0] : NULL;
}

/* Takes the facts of receipt `i`, beside its entries. */
static bool take_latest(struct jw_session *s, const struct jw_warm_state *memory, const char *cache,
                        const struct prime_latest *list, size_t i, struct jw_arena *a,
                        struct jw_prime_last *out, struct jw_err *err)
{
    const struct jw_warm_receipt *r = list[i].receipt;
    uint64_t on_use;
    const char *here = jw_session_driver_file(s)->build;

    if (r->when >= out->when) {
        out->when = r->when;
        out->driver.version = *r->driver_version ? r->driver_version : NULL;
    }
    out->driver.other |= here && strcmp(here, r->build) != 0;
    out->failed.any |= r->partly;
    prime_recall_login_limit(r, &out->facts.limit);
    out->login.seen &= r->concluded.same_login;
    take_conclusions(&r->concluded, a, out);
    take_refused(s, memory, list, i, a, out);
    out->partial = out->partial ? out->partial : list[i].partial;
    if (!prime_count_on_use(s, memory, cache, &r->asked, r->build, r->concluded.on_use, &on_use, err))
        return false;
    out->on_use = jw_max(out->on_use, on_use);
    return true;
}

/* Counts the entries of imports, without those that receipts have. */
static bool look_at_imports(struct jw_session *s, struct jw_arena *a, const char *cache,
                            const struct jw_warm_state *memory, const struct prime_latest_list *latest,
                            struct jw_prime_last *out, struct jw_err *err)
{
    const struct jw_driver_file *file = jw_session_driver_file(s);
    struct prime_imported_asked asked = { .cache = cache, .memory = memory, .build = file->build };
    struct prime_imported seen;
    size_t n = 0;

    if (!memory->n_imports)
        return true;
    for (size_t i = 0; i < latest->n; i++)
        n += latest->list[i].receipt->n_entries;
    asked.covered = jw_arena_alloc(a, (n + 1) * sizeof *asked.covered);
    for (size_t i = 0; i < latest->n; i++)
        for (size_t k = 0; k < latest->list[i].receipt->n_entries; k++)
            asked.covered[asked.n_covered++] = latest->list[i].receipt->entries[k].name;
    if (!prime_find_imported(s, &asked, a, &seen, err))
        return false;
    out->packs.modules = seen.entries;
    out->facts.imported = prime_imported_words(&seen, a);
    out->packs.again = seen.again;
    return true;
}

static bool look_at_receipts(struct jw_session *s, struct jw_arena *a, const struct jw_cachedir *dir,
                             const struct jw_warm_state *memory, struct prime_latest_list *latest,
                             struct jw_prime_last *out, struct jw_err *err)
{
    const char *cache = dir->folder;
    const struct jw_driver_file *file = jw_session_driver_file(s);
    const char *build = file->build;
    struct jw_trace now;

    out->driver.met = file->known != NULL;
    out->facts.no_driver = !out->driver.met && !file->found;
    out->unfinished = prime_unfinished(memory, a);
    out->lost = why_records_lost(s, memory, file);
    if (!memory->n_receipts && !prime_has_commands(memory, a)) {
        (void)prime_find_primed_cache(s, cache, memory, s->a, &out->primed_cache);
        return count_compiled(a, cache, memory, build, out, err);
    }
    if (!jw_session_machine(s, a, &now, err)
        || (out->driver.met && !look_at_commands(a, cache, memory, build, &now, out, err)))
        return false;
    prime_latest_receipts(memory, jw_session_config(s), build, a, latest);
    if (!latest->n) {
        if (!prime_found_something(memory) && !count_compiled(a, cache, memory, build, out, err))
            return false;
        find_gone(memory, false, a, out);
        return true;
    }
    out->known = true;
    out->login.seen = true;
    find_gone(memory, true, a, out);
    out->facts.limit = (struct jw_cache_limit){ .bytes = dir->limit, .known = dir->limit_known };
    out->driver.other = !build && !out->lost;
    if (latest->of_others)
        out->of_others = jw_arena_printf(a, "not primed with this driver yet: %s", latest->of_others);
    for (size_t i = 0; i < latest->n; i++)
        if (!take_latest(s, memory, cache, latest->list, i, a, out, err))
            return false;
    out->failed.broken = out->failed.unread_path
                         && prime_is_broken(memory, jw_arena_printf(a, "=%s", out->failed.unread_path));
    if (!count_warm(a, dir, latest->list, latest->n, out, err))
        return false;
    if (!out->driver.other) {
        replay(latest->list, latest->n, &now, out);
        find_unsearched(s, latest->list, latest->n, a, out);
    }
    out->changed = out->facts.changed != NULL;
    if (out->changed) /* a login may have another one now, and the next run asks */
        out->facts.limit = (struct jw_cache_limit){ .bytes = dir->limit, .known = dir->limit_known };
    return true;
}

/* Finds what blocks a prime: of the cache that programs of this environment use, or of the GPUs that they
 * see. */
static void take_blocker(struct jw_session *s, const struct jw_cachedir *dir, struct jw_prime_last *out)
{
    if (jw_text_same(dir->folder, jw_session_cache(s)->folder))
        out->blocker = jw_session_blocker(s, s->cache, s->a);
    if (!jw_blocker_hides(&out->blocker)) {
        const struct jw_blocker hidden = jw_session_hidden_gpus(s, false, s->a);

        out->blocker = hidden.is ? hidden : out->blocker;
    }
}

bool jw_prime_last(struct jw_session *s, const struct jw_cachedir *dir, const struct jw_warm_state *memory,
                   struct jw_prime_last *out, struct jw_err *err)
{
    struct prime_latest_list latest = { 0 };
    const char *truncated = jw_session_driver_file(s)->truncated;

    *out = (struct jw_prime_last){ .facts = { .setting = jw_cache_why_ignored(dir, s->a),
                                              .forbidden =
                                                  truncated ? truncated : jw_cache_why_forbidden(s->a) },
                                   .driver.truncated = truncated };
    take_blocker(s, dir, out);
    if (!dir->folder)
        return true;
    if (!look_at_receipts(s, s->a, dir, memory, &latest, out, err)
        || !look_at_imports(s, s->a, dir->folder, memory, &latest, out, err))
        return false;
    /* Else it is said, or a prime takes along what was primed there. */
    out->unchecked = out->unchecked && !out->nothing && !out->facts.imported
                     && (!out->primed_cache.path || jw_cachedir_is_named(dir));
    find_compiler(s, s->a, out);
    return true;
}

bool jw_prime_last_primed(const struct jw_prime_last *l)
{
    return l->known || jw_prime_last_has_commands(l) || l->compiled || l->unfinished || l->gone
           || l->primed_cache.path || l->lost || l->chosen.primed || l->packs.modules;
}

bool jw_prime_last_is_in_other_caches(const struct jw_prime_last *l)
{
    return l->chosen.primed && !l->known && !jw_prime_last_has_commands(l) && !l->compiled && !l->gone
           && !l->primed_cache.path;
}

/* The reason why modules could not be read or compiled; UNASKED if another prime may read them. */
static enum jw_next_start_reason why_failed(const struct jw_prime_last *l)
{
    return l->facts.refused                  ? JW_BY_REFUSAL
           : l->facts.too_new                ? JW_BY_BLOCKED
           : l->facts.lacking                ? JW_BY_LACK
           : l->failed.unread || !l->modules ? JW_BY_FAILURE
                                             : JW_BY_UNASKED;
}

/* Why not all of it was asked: the first that applies. `known`: something has finished; `driver`: nothing had to be
 * compiled, with another one. */
static void take_unasked(const struct jw_prime_last *l, bool known, bool driver,
                         struct jw_next_start_facts *out)
{
    const enum jw_next_start_reason gone = l->gone ? JW_BY_GONE : JW_BY_NO_SOFTWARE;
    const bool left = known || l->unfinished || !l->nothing; /* else another prime finds nothing, too */
    const struct {
        const char *why;
        enum jw_next_start_reason by;
    } rows[] = {
        { jw_blocker_hides(&l->blocker) ? l->blocker.what : NULL, JW_BY_UNASKED },
        { l->lost, left ? JW_BY_RECORDS : gone },
        { driver ? "the driver has changed since the last prime" : NULL, JW_BY_UNASKED },
        { l->unfinished, l->unchecked ? JW_BY_NO_CHECK : JW_BY_STOP },
        { l->of_others, JW_BY_UNASKED },
        { l->known && l->gone ? l->nothing : NULL, JW_BY_GONE },
        { l->failed.any ? "not all could be read or compiled" : NULL, why_failed(l) },
        { l->partial, JW_BY_UNASKED },
        { l->chosen.unsure, JW_BY_UNASKED },
        { known ? NULL : l->nothing, gone },
        { !known && l->compiled ? "whether what was compiled or imported is all of it was not checked" : NULL,
          l->unchecked ? JW_BY_NO_CHECK : JW_BY_UNASKED },
        { known || !l->primed_cache.path ? NULL : l->primed_cache.words, JW_BY_UNASKED },
        { known ? NULL : "nothing was primed here yet", JW_BY_UNASKED },
    };

    for (size_t i = 0; i < JW_COUNT(rows) && !out->unasked; i++) {
        out->unasked = rows[i].why;
        out->unasked_by = rows[i].by;
    }
}

struct jw_next_start_facts jw_prime_last_facts(const struct jw_prime_last *l)
{
    bool known = l->known || jw_prime_last_has_commands(l) || jw_prime_last_is_in_other_caches(l)
                 || l->facts.imported,
         other_driver = l->driver.other && !l->facts.no_driver,
         nothing = !l->modules && !l->facts.refused
                   && !l->commands.loads; /* had to be compiled: that may be so with this one */
    const struct jw_login_start *login = &l->login.start;
    struct jw_next_start_facts f = l->facts;

    f.asked = known ? JW_ASKED_ALL : 0;
    f.modules = l->modules + f.refused;
    f.blocked = f.too_new != NULL;
    f.lost = l->commands.loads - l->commands.found;
    f.other_caches = l->chosen.warm < l->chosen.primed;
    f.other_driver = other_driver && !nothing;
    f.commands_gone = l->commands.gone;
    f.commands_compile = l->commands.unsure && l->commands.every;
    f.commands = l->commands.unsure ? l->commands.unsure : l->login.commands;
    f.obstacle = jw_blocker_is_of_programs(&l->blocker) ? l->blocker.what : NULL;
    if (login->is == JW_LOGIN_FAILS && !f.forbidden)
        f.forbidden = login->what;
    else if (login->is == JW_LOGIN_COMPILES && !f.setting)
        f.setting = login->what;
    else if (login->is == JW_LOGIN_OTHER_CACHE && !f.obstacle)
        f.obstacle = login->what;
    f.login = jw_login_is_unknown(login) ? login->what : NULL;
    take_unasked(l, known, other_driver && nothing, &f);
    jw_next_start_take_index(&f, l->index);
    return f;
}

bool jw_prime_last_needs_a_start(const struct jw_prime_last *l)
{
    const struct jw_next_start_facts f = jw_prime_last_facts(l);
    /* A start does not bring back the rest, nor does a prime. */
    uint32_t start = JW_BUT(JW_BY_LOSS) | JW_BUT(JW_BY_COMMANDS) | JW_BUT(JW_BY_GPUS) | JW_BUT(JW_BY_GONE)
                     | JW_BUT(JW_BY_REFUSAL) | JW_BUT(JW_BY_BLOCKED) | JW_BUT(JW_BY_LACK);

    if (!l->packs.again)
        start |= JW_BUT(JW_BY_IMPORT);
    if (l->of_command)
        start |= JW_BUT(JW_BY_CHANGE);
    if (jw_login_differs(&l->login.start) && !l->blocker.is) /* that is the next question */
        start |= JW_BUT(JW_BY_PLACE) | JW_BUT(JW_BY_LOGIN);
    if (l->chosen.start && f.unasked == l->chosen.unsure)
        start |= JW_BUT(JW_BY_UNASKED);
    if (l->chosen.start && !l->chosen.prime)
        start |= JW_BUT(JW_BY_OTHER_CACHES);
    return (l->commands.again || l->commands.look) && jw_next_start_of(&f) != JW_NEXT_START_WARM
           && jw_next_start_is_warm_but(&f, start);
}

bool jw_prime_last_is_brought_back(const struct jw_prime_last *last)
{
    return last->known && last->facts.warm < last->modules && !last->driver.other;
}
