#include "prime/memory/receipts.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/cachedir.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "prime/memory/gone.h"

#include <string.h>

/* ---- the key: what was asked for, and under which settings ---- */

static void add_list(struct jw_buf *b, const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(b, "%s=%s\n", name, list[i]);
}

bool prime_receipt_key(const struct prime_receipt_asked *r, struct jw_arena *a, const char **out,
                       struct jw_err *err)
{
    const struct jw_prime_options *o = r->o;
    char *command = o->run ? jw_prime_command(o->run) : NULL;
    struct jw_buf b = JW_BUF_IN(a, JW_MAX_STATE);

    jw_buf_printf(&b, "%sall=%d profile=%s\n", r->trusted_only ? "own " : "", o->all,
                  command      ? command
                  : o->profile ? o->profile
                               : "");
    jw_free(command);
    add_list(&b, o->absent_gpus ? "absent" : "gpu", o->gpus.items, o->gpus.n);
    add_list(&b, "exclude", r->exclude, r->n_exclude);
    if (r->trusted_only)
        add_list(&b, "vouched", r->vouched, r->n_vouched);
    for (size_t i = 0; i < r->n_commands; i++)
        if (r->commands[i].recorded)
            jw_buf_printf(&b, "command=%s %lld\n", r->commands[i].key, (long long)r->commands[i].recorded);
    for (size_t i = 0; i < r->n_targets; i++)
        jw_buf_printf(&b, "%s\n", r->targets[i]);

    bool ok = jw_buf_ok(&b, err);

    if (ok)
        *out = jw_buf_cstr(&b);
    return ok;
}

/* ---- what they are about, by their keys and targets ---- */

bool prime_is_partly(const struct jw_warm_receipt *r)
{
    return jw_text_starts(r->key, PRIME_PARTLY);
}

const char *prime_target_path(const char *text)
{
    const char *blank = strchr(text, ' ');

    return *text == '=' ? text + 1 : blank ? blank + 1 : text;
}

bool prime_has_target(const struct jw_warm_receipt *r, const char *path)
{
    for (size_t i = 0; i < r->n_targets; i++)
        if (strcmp(prime_target_path(r->targets[i]), path) == 0)
            return true;
    return false;
}

static bool answers(const struct jw_warm_receipt *r, const char *question, const char *answer)
{
    for (size_t i = 0; i < r->n_answers; i++)
        if (strcmp(r->answers[i].question, question) == 0 && strcmp(r->answers[i].answer, answer) == 0)
            return true;
    return false;
}

/* Were modules found there? Of a receipt that does not say it, that is assumed. */
static bool had_modules(const struct jw_warm_receipt *r, const char *path)
{
    return !jw_trace_answered(r, JW_TRACE_FOUND_IN) || answers(r, JW_TRACE_FOUND_IN, path);
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

/* A run that found no code, where an earlier one had compiled or nothing was known. Code that compiles nothing is something. */
bool prime_is_empty(const struct jw_warm_receipt *r)
{
    return !r->jobs && !r->n_entries && !prime_is_partly(r) && !jw_trace_answered(r, JW_TRACE_NATIVE);
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

/* Is what this receipt was about removed: its path is gone, or a later run with the same driver found nothing there? */
static bool is_removed(const struct jw_warm_state *memory, size_t receipt, const char *path)
{
    for (size_t i = 0; i <= receipt; i++)
        if (prime_is_empty(&memory->receipts[i])
            && is_of_build(&memory->receipts[i], memory->receipts[receipt].build)
            && prime_has_target(&memory->receipts[i], path))
            return true;
    return jw_is_absent(path);
}

/* The lines of a key behind its first one: "gpu=0", "exclude=PATTERN" (prime_receipt_key). */
static const char *line_after(const char *line)
{
    const char *end = strchr(line, '\n');

    return end && end[1] ? end + 1 : NULL;
}

static const char *settings_of(const struct jw_warm_receipt *r)
{
    return line_after(r->key + (prime_is_partly(r) ? sizeof PRIME_PARTLY - 1 : 0));
}

bool prime_receipt_has_command(const struct jw_warm_receipt *r)
{
    const char *profile = strstr(r->key, " profile=");

    return profile && !strchr(" \n", profile[9]);
}

bool prime_receipt_is_of(const struct jw_warm_receipt *r, const char *command)
{
    const char *profile = strstr(r->key, " profile=");
    size_t n = strlen(command);

    return profile && strncmp(profile + 9, command, n) == 0 && profile[9 + n] == '\n';
}

static bool has_line(const struct jw_warm_receipt *r, const char *start)
{
    for (const char *line = settings_of(r); line; line = line_after(line))
        if (jw_text_starts(line, start))
            return true;
    return false;
}

static bool excludes_now(const struct jw_config *c, const char *line)
{
    size_t n = strcspn(line, "\n");

    for (size_t i = 0; i < c->exclude.n; i++)
        if (strlen(c->exclude.v[i].value) == n && strncmp(line, c->exclude.v[i].value, n) == 0)
            return true;
    return false;
}

static const char *narrow_words(const struct jw_warm_receipt *r, const struct jw_config *c,
                                struct jw_arena *a)
{
    for (const char *line = settings_of(r); line; line = line_after(line)) {
        int n = (int)strcspn(line, "\n");

        if (jw_text_starts(line, "gpu=") || jw_text_starts(line, "absent="))
            return jw_arena_printf(a, "primed only for GPU %.*s", n - (int)(strchr(line, '=') + 1 - line),
                                   strchr(line, '=') + 1);
        if (jw_text_starts(line, "exclude=") && !excludes_now(c, line + 8))
            return jw_arena_printf(a, "primed without %.*s", n - 8, line + 8);
    }
    return NULL;
}

bool prime_covers(const char *by, const char *target)
{
    const char *path = prime_target_path(by), *wanted = prime_target_path(target);

    if (strcmp(path, wanted) == 0)
        return *by == '=' || *target != '=';
    return *by == '=' && jw_path_below(wanted, path);
}

static bool is_covered(const struct prime_held *list, size_t n, const char *target)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0;
             !list[i].narrow && !prime_receipt_has_command(list[i].receipt) && k < list[i].receipt->n_targets;
             k++)
            if (prime_covers(list[i].receipt->targets[k], target))
                return true;
    return false;
}

bool prime_is_of_all(const struct prime_held *h)
{
    bool all = has_line(h->receipt, "command=");

    for (size_t k = 0; k < h->receipt->n_targets; k++)
        all |= *h->receipt->targets[k] != '=';
    return all && !h->narrow && !prime_receipt_has_command(h->receipt);
}

static bool has_run_of_all(const struct prime_held *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (prime_is_of_all(&list[i]))
            return true;
    return false;
}

/* Its first target that no newer receipt of the list is about, and that is still there; NULL: none. `held`: where modules were
 * found alone, of the folders that a run without PATH searches. */
static const char *first_uncovered(const struct jw_warm_state *memory, size_t receipt,
                                   const struct prime_held *list, size_t n, bool held)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];

    for (size_t k = 0; k < r->n_targets; k++)
        if (!is_removed(memory, receipt, prime_target_path(r->targets[k]))
            && !is_covered(list, n, r->targets[k])
            && (!held || *r->targets[k] == '=' || had_modules(r, r->targets[k])))
            return prime_target_path(r->targets[k]);
    return NULL;
}

/* The newest receipt of this very target; NULL: none. */
static const struct jw_warm_receipt *newest_of(const struct jw_warm_state *memory, const char *target)
{
    for (size_t i = 0; i < memory->n_receipts; i++)
        for (size_t k = 0; k < memory->receipts[i].n_targets; k++)
            if (strcmp(memory->receipts[i].targets[k], target) == 0)
                return &memory->receipts[i];
    return NULL;
}

bool prime_is_emptied(const struct jw_warm_state *memory, const char *target)
{
    const struct jw_warm_receipt *r = newest_of(memory, target);

    return r && answers(r, JW_TRACE_EMPTIED, target);
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

    return r && answers(r, JW_TRACE_UNREAD_FILE, prime_target_path(target))
           && !is_closed(prime_target_path(target));
}

bool prime_held_code(const struct jw_warm_state *memory, const char *target, const char *path)
{
    const struct jw_warm_receipt *r = newest_of(memory, target);

    return r && !prime_is_empty(r)
           && (r->n_targets == 1 || answers(r, JW_TRACE_FOUND_IN, path)
               || answers(r, JW_TRACE_EMPTIED, target));
}

const char *prime_first_gone(const struct jw_warm_state *memory, bool named, bool looked, struct jw_arena *a)
{
    for (size_t i = 0; i < memory->n_receipts; i++) /* the newest first */
        for (size_t k = 0; !prime_is_empty(&memory->receipts[i]) && k < memory->receipts[i].n_targets; k++) {
            const char *target = memory->receipts[i].targets[k], *path = prime_target_path(target);

            if ((*target == '=' || (!named && had_modules(&memory->receipts[i], path))) && jw_is_absent(path))
                return jw_arena_printf(a, "what was primed is gone: %.200s", path);
            if (!looked && prime_is_emptied(memory, target))
                return jw_arena_printf(a, PRIME_EMPTIED, path);
        }
    return prime_lost_before(memory);
}

const char *prime_lost_before(const struct jw_warm_state *memory)
{
    return memory->n_receipts ? jw_trace_answered(&memory->receipts[0], JW_TRACE_LOST) : NULL;
}

static bool is_all_removed(const struct jw_warm_state *memory, size_t receipt)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];
    size_t removed = 0;

    for (size_t k = 0; k < r->n_targets; k++)
        removed += is_removed(memory, receipt, prime_target_path(r->targets[k]));
    return prime_is_empty(r) || (r->n_targets && removed == r->n_targets) || prime_is_about_gone(r, NULL);
}

/* Is there something in it that no newer one of the list is about, and that is still there? */
static bool says_more(const struct jw_warm_state *memory, size_t receipt, const struct prime_held *list,
                      size_t n)
{
    const struct jw_warm_receipt *r = &memory->receipts[receipt];

    if (is_all_removed(memory, receipt))
        return false;
    return prime_receipt_has_command(r) || !r->n_targets
               ? !has_run_of_all(list, n)
               : first_uncovered(memory, receipt, list, n, false) != NULL;
}

/* Another question is which entries recorded commands load with another driver (recorded.c). */
static const char *find_of_others(const struct jw_warm_state *memory, const char *build,
                                  const struct prime_held *list, size_t n)
{
    const char *path = NULL;

    for (size_t i = 0; !path && i < memory->n_receipts; i++)
        if (!is_of_build(&memory->receipts[i], build) && !prime_receipt_has_command(&memory->receipts[i])
            && !prime_is_empty(&memory->receipts[i]))
            path = first_uncovered(memory, i, list, n, true);
    return path;
}

static void find_held(const struct jw_warm_state *memory, const struct jw_config *config, const char *build,
                      struct jw_arena *a, struct prime_held_list *out)
{
    for (int narrow = 0; narrow < 2; narrow++)
        for (size_t i = 0; i < memory->n_receipts; i++) {
            const struct jw_warm_receipt *r = &memory->receipts[i];
            const char *why = narrow_words(r, config, a);

            if (is_of_build(r, build) && (why != NULL) == narrow && says_more(memory, i, out->list, out->n))
                out->list[out->n++] = (struct prime_held){ r, why };
        }
}

/* A run without PATH with this driver found no code: what others found before is not there any more. */
static bool found_nothing(const struct jw_warm_receipt *r, const char *build)
{
    return build && is_of_build(r, build) && prime_is_empty(r)
           && prime_is_of_all(&(struct prime_held){ r, NULL });
}

void prime_held_receipts(const struct jw_warm_state *memory, const struct jw_config *config,
                         const char *build, struct jw_arena *a, struct prime_held_list *out)
{
    *out =
        (struct prime_held_list){ .list = jw_arena_alloc(a, (memory->n_receipts + 1) * sizeof *out->list) };
    if (build)
        find_held(memory, config, build, a, out);
    for (size_t i = 0; !out->n && i < memory->n_receipts && !found_nothing(&memory->receipts[i], build); i++)
        find_held(memory, config, memory->receipts[i].build, a, out);
    if (out->n)
        out->of_others = find_of_others(memory, out->list[0].receipt->build, out->list, out->n);
}

static bool is_held_by_newer(const struct prime_held *list, size_t receipt, const char *path)
{
    const char *target = jw_path_absolute(path) ? path : "";

    return *target && !list[receipt].narrow && is_covered(list, receipt, target);
}

enum jw_trace_state prime_replay_held(const struct prime_held *list, size_t i, const struct jw_trace *now,
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

const char *prime_refused_key(struct jw_arena *a, const uint8_t id[JW_DIGEST], unsigned sm)
{
    char hex[2 * JW_DIGEST + 1];

    jw_digest_hex(hex, id);
    return jw_arena_printf(a, "%s sm_%u ", hex, sm);
}

static const char *find_refused(const struct jw_warm_receipt *r, const char *key)
{
    for (size_t i = 0; i < r->n_answers; i++)
        if (strcmp(r->answers[i].question, JW_TRACE_REFUSED) == 0
            && jw_text_starts(r->answers[i].answer, key))
            return r->answers[i].answer + strlen(key);
    return NULL;
}

bool prime_recall_refused(struct jw_session *s, const struct jw_warm_state *memory,
                          const struct jw_warm_receipt *r, const struct prime_held *before, size_t n_before,
                          struct jw_arena *a, struct jw_next_start_facts *out)
{
    const char *compiler = jw_trace_answered(r, JW_TRACE_REFUSED) ? jw_session_compiler(s)->id : NULL;
    uint64_t then = 0;

    *out = (struct jw_next_start_facts){ 0 };
    for (size_t i = 0; compiler && i < memory->modules.n; i++) {
        const struct jw_warm_module *m = &memory->modules.list[i];
        const char *path = strcmp(m->build, r->build) == 0 && jw_module_is_banned(m, compiler)
                               ? find_refused(r, prime_refused_key(a, m->id, m->sm))
                               : NULL;

        for (size_t k = 0; path && k < n_before; k++)
            if (find_refused(before[k].receipt, prime_refused_key(a, m->id, m->sm)))
                path = NULL;
        if (!path)
            continue;
        out->modules++;
        out->refusal = out->refused++ ? out->refusal : jw_arena_printf(a, "%s: %s", path, m->ban);
    }
    for (size_t i = 0; i < r->n_answers; i++)
        then += strcmp(r->answers[i].question, JW_TRACE_REFUSED) == 0;
    return out->refused == then;
}

void prime_recall_login_limit(const struct jw_warm_receipt *r, struct jw_cache_limit *limit)
{
    const char *answer = jw_trace_answered(r, JW_TRACE_LOGIN_LIMIT);
    uint64_t bytes;

    if (answer && jw_text_u64(answer, &bytes))
        jw_cache_limit_of_login(limit, bytes, false);
    answer = jw_trace_answered(r, JW_TRACE_TERMINAL_LIMIT);
    if (answer && jw_text_u64(answer, &bytes))
        jw_cache_limit_of_login(limit, bytes, true);
}
