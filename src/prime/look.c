#include "prime/look_work.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/sort.h"
#include "machine/trust.h"

#include <string.h>

void look_unread(struct jw_run *run, struct jw_look *look, const char *path, const char *why,
                 bool named, bool closed)
{
    struct jw_unread *slot =
        jw_list_add(run->a, &look->unread, &look->n_unread, sizeof *slot, JW_MAX_OWNED, JW_IGNORED);
    struct jw_trust t;
    bool own = closed && jw_trust_read(path, run->a, &t, JW_IGNORED) && !t.owner;

    for (; slot && closed && slot > look->unread && !slot[-1].closed; slot--)
        *slot = slot[-1];
    if (slot)
        *slot = (struct jw_unread){path, jw_arena_str(run->a, why), named, closed, own};
}

static bool are_same(const char *const *words, const char *const *others)
{
    size_t i = 0;

    while (words[i] && jw_text_same(words[i], others[i]))
        i++;
    return jw_text_same(words[i], others[i]);
}

/* Adds the words of one `forget`, if they are new. */
static void add_lost(struct jw_look *look, const char *const *words)
{
    for (size_t i = 0; i < look->n_lost; i++)
        if (are_same(words, look->lost[i]))
            return;
    if (look->n_lost < JW_COUNT(look->lost) - 1)
        look->lost[look->n_lost++] = words;
}

bool look_is_gone(const struct jw_root *command, struct jw_arena *a)
{
    const char *program = *command->words;
    const char *in = command->path;

    if (in && !jw_path_absolute(program) && jw_path_base(program) != program)
        program = jw_path_join(a, in, program);
    return (jw_path_absolute(program) && jw_is_absent(program)) || (in && jw_is_absent(in));
}

void look_lost(struct jw_run *run, struct jw_look *look, const struct jw_root *command)
{
    const char *in = command->path;

    if (look_is_gone(command, run->a)) {
        const char **words = jw_arena_alloc(run->a, (command->n_words + 2) * sizeof *words);

        words[0] = "--run";
        memcpy(words + 1, command->words, command->n_words * sizeof *words);
        add_lost(look, words);
    } else if (!look->met.lost_code) {
        look->met.lost_code = command->words;
        look->met.lost_in = jw_text_same(in, look->roots.here) ? NULL : in;
    }
}

void look_lost_path(struct jw_look *look, const char *path)
{
    if (look->n_lost_paths < JW_COUNT(look->lost_paths) - 1)
        look->lost_paths[look->n_lost_paths++] = path;
    add_lost(look, look->lost_paths);
}

void look_block(struct jw_look *look, const char *path, uint16_t needs)
{
    if (!look->files.out[JW_OUT_IS_BLOCKED].n++)
        look->files.out[JW_OUT_IS_BLOCKED].first = path;
    look->files.needs = needs > look->files.needs ? needs : look->files.needs;
}

void look_add(struct looking *x, const struct jw_job *j)
{
    if (jw_grow(&x->list, sizeof *x->list, x->n, &x->room, SIZE_MAX, JW_IGNORED))
        x->list[x->n++] = *j;
}

/* ---- each module once ---- */

static int by_id(const void *a, const void *b)
{
    const struct jw_job *x = *(const struct jw_job *const *)a;
    const struct jw_job *y = *(const struct jw_job *const *)b;
    int d = memcmp(x->id, y->id, sizeof x->id);

    return d ? d : (x > y) - (x < y); /* in the order in which they were found */
}

/* Joins equal modules to one job. Its place is the first one that a worker can read. */
static struct jw_job merge(struct jw_run *run, const struct looking *x,
                           const struct jw_job *const *group, size_t n)
{
    struct jw_job j = *group[0];
    const struct jw_place *first = j.place;

    for (size_t i = 0; i < n; i++) {
        j.used |= group[i]->used;
        if (!first->disk)
            first = group[i]->place->disk ? group[i]->place : first;
    }
    /* a copy, because spool_jobs may give it a file */
    j.place = jw_arena_copy(run->a, first, sizeof *first);
    j.used |= jw_digest_set_has(&x->used, j.text);
    if (x->look->scope.level < JW_LEVEL_PREDICTABLE)
        j.name = j.key_size = 0;
    return j;
}

static void merge_all(struct jw_run *run, struct looking *x)
{
    struct jw_look *look = x->look;
    const struct jw_job **sorted = jw_alloc((x->n + 1) * sizeof *sorted);

    for (size_t i = 0; i < x->n; i++)
        sorted[i] = &x->list[i];
    jw_sort(sorted, x->n, sizeof *sorted, by_id);
    look->jobs = jw_arena_alloc(run->a, (x->n + 1) * sizeof *look->jobs);
    for (size_t i = 0, next; i < x->n; i = next) {
        next = i + 1;
        while (next < x->n && memcmp(sorted[next]->id, sorted[i]->id, sizeof sorted[i]->id) == 0)
            next++;
        look->jobs[look->n_jobs++] = merge(run, x, &sorted[i], next - i);
    }
    jw_sort(look->jobs, look->n_jobs, sizeof *look->jobs, scan_jobs_by_place);
    jw_free(sorted);
}

/* ---- all ---- */

/* Does another user own the list, or its folder? */
static bool is_of_other(const struct jw_cache_memory *memory, struct jw_arena *a)
{
    const char *list = memory->unusable ? NULL : jw_path_join(a, memory->dir, JW_ROOTS_FILE);
    struct jw_trust t;

    return jw_trust_read(list ? list : memory->dir, a, &t, JW_IGNORED) && t.owner;
}

void jw_look_load_roots(struct jw_run *run, struct jw_look *look, bool changes)
{
    jw_roots_load(look->memory, run->a, &look->roots);
    look->seen.changes_roots = changes;
    look->met.roots_of_other = look->roots.closed && is_of_other(look->memory, run->a);
    if (changes && look->roots.damaged && !look->roots.closed)
        JW_NOTE(run, "what was named and recorded before is lost: %s", look->roots.damaged);
}

/* The driver's own cache, if it is another one and has a list of what was primed; else NULL. */
static const char *listed_default(struct jw_run *run, struct jw_look *look)
{
    const char *ignored, *folder = jw_cache_env_default(run->a, &ignored);
    struct jw_cache_memory memory;
    struct jw_roots roots = {0};

    if (folder && jw_cache_memory_find(folder, run->a, &memory, JW_IGNORED))
        jw_roots_load(&memory, run->a, &roots);
    return roots.n && !jw_text_same(memory.cache, look->memory->cache) ? folder : NULL;
}

/* Finds the modules that the driver would compile, each once. */
static bool find_modules(struct jw_run *run, struct looking *x, struct jw_err *err)
{
    bool all = !x->look->want.paths.n;
    bool ok = look_files(run, x, err) && (!all || look_files_of_commands(run, x, err));

    if (ok && all)
        look_entries_kept(run, x);
    if (ok)
        merge_all(run, x);
    jw_free(x->list);
    return ok;
}

void jw_look_blind(struct jw_run *run, struct jw_look *look)
{
    struct looking x = {.look = look};
    const struct jw_sms sms = look->scope.sms;

    look->scope.sms = (struct jw_sms){{90}, 1}; /* any GPU would do */
    (void)!look_files(run, &x, JW_IGNORED);
    look->scope.sms = sms;
    jw_free(x.list);
}

/* Counts the modules of this root alone. Those that are warm in the look are warm in it. */
static struct jw_answer answer_root(struct jw_run *run, const struct jw_look *look,
                                    struct jw_root *root, const struct jw_digest_set *warm,
                                    struct jw_ledger **ledgers)
{
    struct jw_look one = {.machine = look->machine,
                          .scope = look->scope,
                          .memory = look->memory,
                          .roots = {.v = root, .n = 1},
                          .cache.refusal = look->cache.refusal,
                          .looked = true};
    struct jw_run part = jw_run_part(run); /* the look has noted all of it */
    struct looking x = {.look = &one, .ledgers = ledgers};

    if (!find_modules(&part, &x, JW_IGNORED))
        look_unread(run, &one, "", "", true, false); /* makes the answer incomplete */
    for (struct jw_job *j = one.jobs; j < one.jobs + one.n_jobs; j++)
        if (jw_digest_set_has(warm, j->id))
            jw_job_becomes(j, JW_MODULE_WARM, NULL);
    const struct jw_answer a = jw_look_answer(&one);

    jw_look_free(&one);
    return a;
}

/* Several roots may have the same modules. */
static void answer_roots(struct jw_run *run, struct jw_look *look)
{
    struct jw_ledger *ledgers[2] = {NULL, NULL}; /* without --all, and with it */
    struct jw_digest_set warm = {0};

    look->of_roots = jw_arena_alloc(run->a, (look->roots.n + 1) * sizeof *look->of_roots);
    for (size_t i = 0; i < look->n_jobs; i++)
        if (jw_job_is_warm(&look->jobs[i]))
            jw_digest_set_add(&warm, run->a, look->jobs[i].id);
    jw_digest_set_sort(&warm);
    for (size_t i = 0; i < look->roots.n; i++)
        look->of_roots[i] = answer_root(run, look, &look->roots.v[i], &warm, ledgers);
    jw_ledger_close(ledgers[false]);
    jw_ledger_close(ledgers[true]);
}

/* A setting that makes the cache useless is the answer, unless nothing has to be compiled. */
static bool is_cache_useless(const struct jw_look *look)
{
    const struct jw_answer a = jw_look_answer(look);

    if (!look->machine->cache.disable && !look->machine->cache.place)
        return false;
    return a.modules || !a.found;
}

/* Notes named paths without code, if the answer is about others. Prime itself notes why it does not
 * remember paths that were named to it. */
static void note_without_code(struct jw_run *run, const struct jw_look *look)
{
    bool remembers = look->purpose.changes && look->want.paths.n;

    if (!look->without_code.n || jw_look_answer(look).empty || remembers)
        return;
    JW_NOTE(run, "no CUDA code is in %s%s", look->without_code.v[0],
            look->without_code.n > 1 ? ", nor in others" : "");
}

/* Looks whether another cache was meant, if nothing is remembered for this one. */
static void look_elsewhere(struct jw_run *run, struct jw_look *look)
{
    bool asks = look->met.unnamed || !look->purpose.changes;

    if (asks && !look->roots.n && look->machine->cache.path)
        look->met.primed_in = listed_default(run, look);
}

bool jw_look(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    struct looking x = {.look = look};

    if (run->ended)
        return true;
    jw_look_load_roots(run, look, false);
    jw_sound_load(look->memory, run->a, &look->sound);
    if (!find_modules(run, &x, err))
        return false;
    if (is_cache_useless(look))
        (void)jw_end_by_cause(run, look, JW_STRICT);
    if (run->ended)
        return true;
    if (!look_cache_judge(run, look, err))
        return false;
    if (look->want.by_root && look->roots.n > 1)
        answer_roots(run, look);
    note_without_code(run, look);
    look_elsewhere(run, look);
    return jw_not_interrupted(run->interrupted, err);
}

void jw_look_free(struct jw_look *look)
{
    scan_jobs_free(&look->files);
    scan_jobs_free(&look->of_commands);
    jw_cache_lookup_close(&look->cache);
    jw_cache_listing_free(&look->all);
    *look = (struct jw_look){0};
}
