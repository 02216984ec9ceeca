/* Which entries of another build may become those of cold modules? */
#include "prime/carry.h"

#include "base/sort.h"
#include "cache/change/restamp.h"

#include <string.h>

/* The driver compiles two as a sample, so carrying fewer than three saves nothing. */
enum { MIN_ENTRIES = 3 };

struct cold {
    uint64_t name; /* of the entry that the module lacks */
    struct jw_job *job;
};

struct finding {
    struct jw_arena *a;
    struct jw_look *look;
    const struct jw_driver_state *now; /* the record of this build */
    struct cold *cold;                 /* modules, sorted by name */
    size_t n;
    uint64_t *key_sizes; /* of the same modules, sorted */
};

/* ---- which build ---- */

/* The record of this driver build; NULL if it lacks the stamp, or the code of the compiler that is
 * installed. */
static const struct jw_driver_state *this_build(struct jw_session *s)
{
    const struct jw_driver_state *known = jw_session_driver_file(s)->known;

    if (!known || !known->code || !known->stamp)
        return NULL;
    return jw_text_same(known->compiler, jw_session_compiler(s)->id) ? known : NULL;
}

/* Could it be the entry of a cold module? Keys of equal modules are equally long in all builds, as
 * all stamps are. */
static bool is_candidate(const struct finding *f, const struct jw_cache_file *file,
                         const struct jw_driver_state *build)
{
    if (file->damage || file->kind != JW_CACHE_CUDA || strcmp(file->stamp, build->stamp) != 0)
        return false;
    return jw_find_u64(f->key_sizes, f->n, sizeof *f->key_sizes, file->entry.key_size);
}

static size_t count_candidates(const struct finding *f, const struct jw_driver_state *build)
{
    size_t n = 0;

    for (size_t i = 0; i < f->look->all.n; i++)
        if (is_candidate(f, &f->look->all.files[i], build))
            n++;
    return n;
}

/* The build with most entries, the latest met of several; NULL: none has enough. All are of one
 * build, so that the sample speaks for all of them. */
static bool choose_build(const struct finding *f, struct jw_run *run,
                         const struct jw_driver_state **chosen, struct jw_err *err)
{
    const struct jw_drivers *met = jw_session_drivers(run->session);
    size_t most = MIN_ENTRIES - 1;

    *chosen = NULL;
    for (const struct jw_driver_state *b = met->v; b < met->v + met->n; b++) {
        if (!jw_drivers_compile_alike(b, f->now))
            continue;
        if (!jw_look_cache_list(run, f->look, err))
            return false;
        size_t n = count_candidates(f, b);

        if (n <= most)
            continue;
        most = n;
        *chosen = b;
    }
    return true;
}

/* ---- which entries ---- */

static void list_cold(struct finding *f)
{
    struct jw_look *look = f->look;

    f->cold = jw_arena_alloc(f->a, (look->n_jobs + 1) * sizeof *f->cold);
    f->key_sizes = jw_arena_alloc(f->a, (look->n_jobs + 1) * sizeof *f->key_sizes);
    for (struct jw_job *j = look->jobs; j < look->jobs + look->n_jobs; j++) {
        j->old = NULL;
        if (!jw_job_is_todo(j) || !j->name)
            continue;
        f->key_sizes[f->n] = j->key_size;
        f->cold[f->n++] = (struct cold){j->name, j};
    }
    jw_sort_u64(f->cold, f->n, sizeof *f->cold);
    jw_sort_u64(f->key_sizes, f->n, sizeof *f->key_sizes);
}

/* Gives the entry to the cold module whose key it has but for the stamp. One that a fresh process
 * refused is passed over. */
static void try_entry(const struct finding *f, const struct jw_cache_file *file)
{
    const struct jw_sound_entry *known = jw_sound_of(&f->look->sound, file->name, file->identity);
    const struct jw_scope *scope = &f->look->scope;
    struct restamp_key key;

    if (known && known->refused)
        return;
    if (!restamp_read_key(scope->cache, file, scope->stamp, &key))
        return;
    const struct cold *found = jw_find_u64(f->cold, f->n, sizeof *f->cold, key.name);

    if (found && found->job->sm == key.sm && memcmp(found->job->text, key.text, JW_DIGEST) == 0)
        found->job->old = file;
}

/* In doubt, as of a word that is misspelt, prime compiles. */
static bool is_turned_off(const struct jw_conf_list *lines)
{
    return lines->n && strcmp(lines->v[lines->n - 1].value, "yes") != 0;
}

bool carry_find(struct jw_run *run, struct jw_look *look, struct jw_err *err)
{
    struct jw_session *s = run->session;
    struct finding f = {.a = run->a, .look = look, .now = this_build(s)};
    const struct jw_driver_state *build;

    list_cold(&f);
    look->seen.carries_from = NULL;
    if (!f.n || !f.now || look->scope.level < JW_LEVEL_PLACEABLE)
        return true;
    if (look->want.retry || look->seen.no_carry || is_turned_off(&jw_session_config(s)->carry))
        return true;
    if (!choose_build(&f, run, &build, err))
        return false;
    if (!build)
        return true;
    for (size_t i = 0; i < look->all.n; i++)
        if (is_candidate(&f, &look->all.files[i], build))
            try_entry(&f, &look->all.files[i]);
    if (jw_answer_count(look, jw_job_has_old))
        look->seen.carries_from = build;
    return true;
}
