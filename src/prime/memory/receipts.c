#include "prime/memory/receipts.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "cache/place/lookup.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "prime/memory/gone.h"

#include <string.h>

/* ---- what they are about ---- */

const char *prime_target_path(const char *text)
{
    const char *blank = strchr(text, ' ');

    return *text == '=' ? text + 1 : blank ? blank + 1 : text;
}

bool prime_has_target(const struct jw_warm_receipt *r, const char *path)
{
    for (size_t i = 0; i < r->asked.n_targets; i++)
        if (strcmp(prime_target_path(r->asked.targets[i]), path) == 0)
            return true;
    return false;
}

/* Were modules found there? True where the receipt does not say where modules were found. */
static bool had_modules(const struct jw_warm_receipt *r, const char *path)
{
    const struct jw_warm_conclusions *c = &r->concluded;

    return !c->n_found_in || jw_text_among(path, c->found_in, c->n_found_in);
}

const char *prime_unfinished(const struct jw_warm_state *memory, struct jw_arena *a)
{
    for (size_t i = memory->left.n; i-- > 0;) {
        const char *target = memory->left.targets[i], *path = prime_target_path(target);

        if (strcmp(target, PRIME_ALL) == 0)
            return "a prime was stopped before its end";
        if (!jw_is_absent(path))
            return jw_arena_printf(a, "not finished: %s", path);
    }
    return NULL;
}

/* True for a run that found no code at all: code that compiles nothing is something. */
bool prime_is_empty(const struct jw_warm_receipt *r)
{
    return !r->jobs && !r->n_entries && !r->partly && !r->concluded.native;
}

bool prime_found_something(const struct jw_warm_state *memory)
{
    for (size_t i = 0; i < memory->n_receipts; i++)
        if (!prime_is_empty(&memory->receipts[i]))
            return true;
    return false;
}

static bool is_of_build(const struct jw_warm_receipt *r, const char *build)
{
    return strcmp(r->build, build) == 0;
}

/* Is this path of the receipt gone, or did a later run with the same driver find nothing there? */
static bool is_removed(const struct jw_warm_state *memory, size_t receipt, const char *path)
{
    for (size_t i = 0; i <= receipt; i++)
        if (prime_is_empty(&memory->receipts[i])
            && is_of_build(&memory->receipts[i], memory->receipts[receipt].build)
            && prime_has_target(&memory->receipts[i], path))
            return true;
    return jw_is_absent(path);
}

static bool excludes_now(const struct jw_config *c, const char *pattern)
{
    for (size_t i = 0; i < c->exclude.n; i++)
        if (strcmp(c->exclude.v[i].value, pattern) == 0)
            return true;
    return false;
}

static const char *narrow_words(const struct jw_warm_receipt *r, const struct jw_config *c,
                                struct jw_arena *a)
{
    if (r->asked.n_gpus)
        return jw_arena_printf(a, "primed only for GPU %s", r->asked.gpus[0]);
    for (size_t i = 0; i < r->asked.n_exclude; i++)
        if (!excludes_now(c, r->asked.exclude[i]))
            return jw_arena_printf(a, "primed without %s", r->asked.exclude[i]);
    return NULL;
}

bool prime_covers(const char *by, const char *target)
{
    const char *path = prime_target_path(by), *wanted = prime_target_path(target);

    if (strcmp(path, wanted) == 0)
        return *by == '=' || *target != '=';
    return *by == '=' && jw_path_below(wanted, path);
}

static bool is_covered(const struct prime_latest *list, size_t n, const char *target)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0;
             !list[i].partial && !*list[i].receipt->asked.command && k < list[i].receipt->asked.n_targets;
             k++)
            if (prime_covers(list[i].receipt->asked.targets[k], target))
                return true;
    return false;
}

bool prime_is_of_all(const struct prime_latest *h)
{
    bool all = h->receipt->asked.n_commands > 0;

    for (size_t k = 0; k < h->receipt->asked.n_targets; k++)
        all |= *h->receipt->asked.targets[k] != '=';
    return all && !h->partial && !*h->receipt->asked.command;
}

/* Is a run without PATH in the list, or one for the same command? Of what it excluded no module of a command depends; a
 * background run may leave out some. */
static bool is_command_covered(const struct prime_latest *list, size_t n, const struct jw_warm_request *asked)
{
    for (size_t i = 0; i < n; i++) {
        const struct jw_warm_request *by = &list[i].receipt->asked;

        if (prime_is_of_all(&list[i])
            || (*asked->command && !list[i].partial && by->trusted_only <= asked->trusted_only
                && strcmp(by->command, asked->command) == 0))
            return true;
    }
    return false;
}

/* Returns the first target of this receipt that is still there and that no newer receipt of the list is about; NULL:
 * none. `held`: skips folders that a run without PATH searched and found no modules in. */
static const char *first_uncovered(const struct jw_warm_state *memory, size_t receipt,
                                   const struct prime_latest *list, size_t n, bool held)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];

    for (size_t k = 0; k < r->asked.n_targets; k++)
        if (!is_removed(memory, receipt, prime_target_path(r->asked.targets[k]))
            && !is_covered(list, n, r->asked.targets[k])
            && (!held || *r->asked.targets[k] == '=' || had_modules(r, r->asked.targets[k])))
            return prime_target_path(r->asked.targets[k]);
    return NULL;
}

/* Returns the newest receipt that has this very target; NULL: none. */
static const struct jw_warm_receipt *newest_of(const struct jw_warm_state *memory, const char *target)
{
    for (size_t i = 0; i < memory->n_receipts; i++)
        for (size_t k = 0; k < memory->receipts[i].asked.n_targets; k++)
            if (strcmp(memory->receipts[i].asked.targets[k], target) == 0)
                return &memory->receipts[i];
    return NULL;
}

bool prime_is_emptied(const struct jw_warm_state *memory, const char *target)
{
    const struct jw_warm_receipt *r = newest_of(memory, target);

    return r && jw_text_among(target, r->concluded.emptied, r->concluded.n_emptied);
}

static bool is_closed(const char *path)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_err ignored;
    bool closed = jw_is_file(path) && !jw_file_open(&f, path, &ignored);

    jw_file_close(&f);
    return closed;
}

bool prime_is_broken(const struct jw_warm_state *memory, const char *target)
{
    const struct jw_warm_receipt *r = *target == '=' ? newest_of(memory, target) : NULL;

    return r && strcmp(r->concluded.unread, prime_target_path(target)) == 0
           && !is_closed(prime_target_path(target));
}

bool prime_had_code(const struct jw_warm_state *memory, const char *target, const char *path)
{
    const struct jw_warm_receipt *r = newest_of(memory, target);

    return r && !prime_is_empty(r)
           && (r->asked.n_targets == 1 || jw_text_among(path, r->concluded.found_in, r->concluded.n_found_in)
               || jw_text_among(target, r->concluded.emptied, r->concluded.n_emptied));
}

const char *prime_first_gone(const struct jw_warm_state *memory, bool named, bool looked, struct jw_arena *a)
{
    for (size_t i = 0; i < memory->n_receipts; i++) /* the newest first */
        for (size_t k = 0; !prime_is_empty(&memory->receipts[i]) && k < memory->receipts[i].asked.n_targets;
             k++) {
            const char *target = memory->receipts[i].asked.targets[k], *path = prime_target_path(target);

            if ((*target == '=' || (!named && had_modules(&memory->receipts[i], path))) && jw_is_absent(path))
                return jw_arena_printf(a, "what was primed is gone: %.200s", path);
            if (!looked && prime_is_emptied(memory, target))
                return jw_arena_printf(a, PRIME_EMPTIED, path);
        }
    return prime_loss_words(prime_lost_before(memory));
}

enum jw_warm_loss prime_lost_before(const struct jw_warm_state *memory)
{
    return memory->n_receipts ? memory->receipts[0].concluded.loss : JW_LOSS_NONE;
}

static bool is_all_removed(const struct jw_warm_state *memory, size_t receipt)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];
    size_t removed = 0;

    for (size_t k = 0; k < r->asked.n_targets; k++)
        removed += is_removed(memory, receipt, prime_target_path(r->asked.targets[k]));
    return prime_is_empty(r) || (r->asked.n_targets && removed == r->asked.n_targets)
           || prime_is_about_gone(r, NULL);
}

/* Is this receipt about something that is still there and that no newer receipt of the list is about? */
static bool says_more(const struct jw_warm_state *memory, size_t receipt, const struct prime_latest *list,
                      size_t n)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];

    if (is_all_removed(memory, receipt))
        return false;
    return *r->asked.command || !r->asked.n_targets
               ? !is_command_covered(list, n, &r->asked)
               : first_uncovered(memory, receipt, list, n, false) != NULL;
}

/* Returns the first target that was primed with other driver builds alone. Recorded commands of another
 * driver are the matter of recorded.c. */
static const char *find_of_others(const struct jw_warm_state *memory, const char *build,
                                  const struct prime_latest *list, size_t n)
{
    const char *path = NULL;

    for (size_t i = 0; !path && i < memory->n_receipts; i++)
        if (!is_of_build(&memory->receipts[i], build) && !*memory->receipts[i].asked.command
            && !prime_is_empty(&memory->receipts[i]))
            path = first_uncovered(memory, i, list, n, true);
    return path;
}

static void find_held(const struct jw_warm_state *memory, const struct jw_config *config, const char *build,
                      struct jw_arena *a, struct prime_latest_list *out)
{
    for (int partial = 0; partial < 2; partial++)
        for (size_t i = 0; i < memory->n_receipts; i++) {
            const struct jw_warm_receipt *r = &memory->receipts[i];
            const char *why = narrow_words(r, config, a);

            if (is_of_build(r, build) && (why != NULL) == partial && says_more(memory, i, out->list, out->n))
                out->list[out->n++] = (struct prime_latest){ r, why };
        }
}

/* True for a run without PATH with this driver that found no code: software that other runs found before is
 * gone. */
static bool found_nothing(const struct jw_warm_receipt *r, const char *build)
{
    return build && is_of_build(r, build) && prime_is_empty(r)
           && prime_is_of_all(&(struct prime_latest){ r, NULL });
}

void prime_latest_receipts(const struct jw_warm_state *memory, const struct jw_config *config,
                           const char *build, struct jw_arena *a, struct prime_latest_list *out)
{
    *out =
        (struct prime_latest_list){ .list = jw_arena_alloc(a, (memory->n_receipts + 1) * sizeof *out->list) };
    if (build)
        find_held(memory, config, build, a, out);
    for (size_t i = 0; !out->n && i < memory->n_receipts && !found_nothing(&memory->receipts[i], build); i++)
        find_held(memory, config, memory->receipts[i].build, a, out);
    if (out->n)
        out->of_others = find_of_others(memory, out->list[0].receipt->build, out->list, out->n);
}

static bool is_held_by_newer(const struct prime_latest *list, size_t receipt, const char *path)
{
    const char *target = jw_path_absolute(path) ? path : "";

    return *target && !list[receipt].partial && is_covered(list, receipt, target);
}

enum jw_trace_state prime_replay_latest(const struct prime_latest *list, size_t i, const struct jw_trace *now,
                                        const char **what)
{
    struct jw_warm_receipt rest = *list[i].receipt;
    struct jw_warm_file *files = jw_arena_alloc(now->a, (rest.n_files + 1) * sizeof *files);
    struct jw_buf room = JW_BUF_IN(now->a, JW_MAX_PATH);
    const char *folder = "";
    size_t n = 0;

    for (size_t k = 0; k < rest.n_files; k++) {
        const char *path = jw_trace_whole_path(&rest.files[k], &folder, &room);

        if (i && is_held_by_newer(list, i, path))
            continue;
        files[n] = rest.files[k];
        files[n++].path = path == rest.files[k].path ? path : jw_arena_str(now->a, path);
    }
    rest.files = files;
    rest.n_files = n;
    return jw_trace_replay(&rest, now, what);
}

/* ---- modules that the driver refused ---- */

/* Returns the file of this module if it is one that was refused then; else NULL. */
static const char *find_refused(const struct jw_warm_receipt *r, const struct jw_warm_module *m)
{
    for (size_t i = 0; i < r->concluded.n_refused; i++)
        if (r->concluded.refused[i].sm == m->sm
            && memcmp(r->concluded.refused[i].id, m->id, sizeof m->id) == 0)
            return r->concluded.refused[i].path;
    return NULL;
}

bool prime_recall_refused(struct jw_session *s, const struct jw_warm_state *memory,
                          const struct jw_warm_receipt *r, const struct prime_latest *before, size_t n_before,
                          struct jw_arena *a, struct jw_next_start_facts *out)
{
    const char *compiler = r->concluded.n_refused ? jw_session_compiler(s)->id : NULL;

    *out = (struct jw_next_start_facts){ 0 };
    for (size_t i = 0; compiler && i < memory->modules.n; i++) {
        const struct jw_warm_module *m = &memory->modules.list[i];
        const char *path =
            strcmp(m->build, r->build) == 0 && jw_module_is_banned(m, compiler) ? find_refused(r, m) : NULL;

        for (size_t k = 0; path && k < n_before; k++)
            if (find_refused(before[k].receipt, m))
                path = NULL;
        if (!path)
            continue;
        out->modules++;
        out->refusal = out->refused++ ? out->refusal : jw_arena_printf(a, "%s: %s", path, m->ban);
    }
    return out->refused == r->concluded.n_refused;
}

void prime_recall_login_limit(const struct jw_warm_receipt *r, struct jw_cache_limit *limit)
{
    if (r->concluded.login_lower)
        jw_cache_limit_of_login(limit, r->concluded.login_limit, r->concluded.terminal);
}

/* ---- NVIDIA's own libraries ---- */

/* Returns the newest receipt of a run with --all that warmed all of it; NULL: there is none. */
static const struct jw_warm_receipt *find_of_all_code(const struct jw_warm_state *memory,
                                                      const struct jw_warm_request *asked, const char *build)
{
    struct jw_warm_request with_all = *asked;

    with_all.all = true;
    for (size_t i = 0; i < memory->n_receipts; i++)
        if (!memory->receipts[i].partly && is_of_build(&memory->receipts[i], build)
            && jw_warm_same_request(&memory->receipts[i].asked, &with_all))
            return &memory->receipts[i];
    return NULL;
}

bool prime_count_on_use(struct jw_session *s, const struct jw_warm_state *memory, const char *cache,
                        const struct jw_warm_request *asked, const char *build, uint64_t found,
                        uint64_t *on_use, struct jw_err *err)
{
    const struct jw_warm_receipt *r = found ? find_of_all_code(memory, asked, build) : NULL;
    struct jw_cache_lookup lookup;
    struct jw_trace now;
    const char *changed;
    uint64_t ignored;
    size_t n = 0;

    *on_use = found;
    if (!r)
        return true;
    if (!jw_session_machine(s, s->a, &now, err) || !jw_cache_lookup_open(cache, s->a, &lookup, err))
        return false;
    while (n < r->n_entries && jw_cache_finds_same(&lookup, &r->entries[n], &ignored))
        n++;
    jw_cache_lookup_close(&lookup);
    if (n == r->n_entries && jw_trace_replay(r, &now, &changed) != JW_TRACE_CHANGED)
        *on_use = 0;
    return true;
}

/* ---- in words ---- */

const char *prime_on_use_words(uint64_t on_use, struct jw_arena *a)
{
    return on_use
               ? jw_arena_printf(a,
                                 "%s of NVIDIA's own libraries %s compiled when a program uses %s (jitwarm "
                                 "prime --all warms %s, too)",
                                 JW_N(on_use, "module", "modules"), on_use == 1 ? "is" : "are",
                                 on_use == 1 ? "it" : "them", on_use == 1 ? "it" : "them")
               : NULL;
}

const char *prime_too_new_words(const struct jw_warm_too_new *t, struct jw_arena *a)
{
    bool one = t->modules == 1;

    if (!t->modules)
        return NULL;
    return jw_arena_printf(a, "%s a newer driver%s%s%s: programs cannot load %s here%s%s",
                           JW_N(t->modules, "module needs", "modules need"), *t->branch ? ", " : "",
                           t->branch, *t->branch ? " or later" : "", one ? "it" : "them",
                           !*t->file ? ""
                           : one     ? ": "
                                     : "; the first is in ",
                           t->file);
}

const char *prime_lacking_words(const struct jw_warm_lacking *l, struct jw_arena *a)
{
    if (!l->sm)
        return NULL;
    return jw_arena_printf(a, "%s%s%s%s%s no code for sm_%u: programs that load %s fail",
                           l->most ? "most of " : "", l->name, *l->version ? " " : "", l->version,
                           !l->more  ? " has"
                           : l->most ? JW_PHRASE(" and of %s more has", JW_NUM(l->more))
                                     : JW_PHRASE(" and %s more have", JW_NUM(l->more)),
                           (unsigned)l->sm,
                           l->most   ? "that"
                           : l->more ? "them"
                                     : "it");
}

const char *prime_loss_words(enum jw_warm_loss loss)
{
    static const char *const words[] = {
        [JW_LOSS_NONE] = NULL,
        [JW_LOSS_ALL] =
            "what was primed before is not known any more (its record was damaged), and no software "
            "was found: name yours again",
        [JW_LOSS_OTHERS] = "more is in the cache than the software that was found needs, and the record of "
                           "what it was primed for was damaged: name yours again",
    };

    return words[loss];
}
