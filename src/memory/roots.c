/* The file is one checked record (base/fields.h) of the fields below. */
#include "memory/roots.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/paths.h"
#include "os/files/real.h"

#include <string.h>

_Static_assert(JW_RECORD_ROOTS == 57, "JW_ROOTS_FORM says it, too");

static const struct jw_field word[] = {JW_FIELD_TEXT_ALONE, {0}};
#define M struct jw_root_module
#define E struct jw_root
static const struct jw_field module[] = {JW_FIELD(M, digest), JW_FIELD_OR_NULL(M, file), {0}};
static const struct jw_field root[] = {
    JW_FIELD_UP_TO(E, kind, JW_ROOT_COMMAND),
    JW_FIELD_OR_NULL(E, path),
    JW_FIELD_UP_TO(E, when, INT64_MAX),
    JW_FIELD_LIST_OF(E, words, n_words, word),
    JW_FIELD_LIST_OF(E, modules, n_modules, module),
    {0},
};
static const struct jw_field fields[] = {
    JW_FIELD_LIST_UP_TO(struct jw_roots, v, n, root, JW_MAX_ROOTS), {0}};
static const struct jw_memory_file roots = {JW_ROOTS_FILE, JW_RECORD_ROOTS, fields,
                                            sizeof(struct jw_roots)};

/* Puts a NULL behind the words. False: the record is not complete, so jitwarm did not write it. */
static bool end_words(struct jw_root *e, struct jw_arena *a)
{
    const char **words = jw_arena_alloc(a, (e->n_words + 1) * sizeof *words);

    if (e->kind == JW_ROOT_NAMED)
        return e->path && jw_path_absolute(e->path) && !e->n_words && !e->n_modules;
    for (size_t i = 0; i < e->n_words; i++)
        words[i] = e->words[i];
    e->words = words;
    for (size_t i = 0; i < e->n_modules; i++)
        if (e->modules[i].file && !jw_path_absolute(e->modules[i].file))
            return false;
    return e->n_words && *words[0] && (!e->path || jw_path_absolute(e->path));
}

void jw_roots_load(const struct jw_cache_memory *f, struct jw_arena *a, struct jw_roots *out)
{
    struct jw_err why = {0};
    bool found;

    if (!jw_cache_memory_load(f, &roots, a, out, &found, &why))
        *out = (struct jw_roots){.damaged = jw_arena_str(a, why.msg),
                                 .closed = why.code != JW_E_FORMAT};
    else if (!found)
        *out =
            (struct jw_roots){.damaged = f->unusable, .closed = f->unusable != NULL, .none = true};
    for (size_t i = 0; i < out->n; i++)
        if (!end_words(&out->v[i], a))
            *out = (struct jw_roots){
                .damaged = jw_arena_printf(a, "%.500s/" JW_ROOTS_FILE ": root %zu is damaged",
                                           f->dir, i + 1)};
    (void)!jw_real_path(".", a, &out->here, JW_IGNORED);
}

bool jw_roots_save(const struct jw_cache_memory *f, const struct jw_roots *r, struct jw_err *err)
{
    return (!r->closed || jw_fail(err, JW_E_IO, "%s", r->damaged))
           && (r->n <= JW_MAX_ROOTS
               || jw_fail(err, JW_E_LIMIT,
                          "%s paths and commands are remembered for this cache, and no more can "
                          "be: jitwarm forget takes some off",
                          JW_NUM(JW_MAX_ROOTS)))
           && jw_cache_memory_save(f, &roots, r, err);
}

bool jw_root_is_command(const struct jw_roots *r, const struct jw_root *e, const char *const *words)
{
    size_t i = 0;

    while (i < e->n_words && words[i] && strcmp(e->words[i], words[i]) == 0)
        i++;
    if (e->kind != JW_ROOT_COMMAND || i < e->n_words || words[i])
        return false;
    return !e->path || jw_text_same(e->path, r->here);
}

bool jw_root_is(const struct jw_roots *r, const struct jw_root *e, const struct jw_root *what)
{
    if (what->kind == JW_ROOT_COMMAND)
        return jw_root_is_command(r, e, what->words);
    return e->kind == JW_ROOT_NAMED && strcmp(e->path, what->path) == 0;
}

static void put_last(struct jw_roots *r, const struct jw_root *e, struct jw_arena *a)
{
    struct jw_root *v = jw_arena_alloc(a, (r->n + 1) * sizeof *v);

    if (r->n)
        memcpy(v, r->v, r->n * sizeof *v);
    v[r->n++] = *e;
    r->v = v;
}

bool jw_roots_name(struct jw_roots *r, const char *path, int64_t when, struct jw_arena *a)
{
    const struct jw_root e = {.kind = JW_ROOT_NAMED, .path = path, .when = when};

    for (size_t i = 0; i < r->n; i++)
        if (jw_root_is(r, &r->v[i], &e))
            return false;
    put_last(r, &e, a);
    return true;
}

/* Does this word depend on the folder: is it a relative path, or the name of a file there? */
static bool depends(const char *typed, const char *folder, struct jw_arena *a)
{
    const char *path = jw_path_absolute(typed) || !*typed ? NULL : jw_path_join(a, folder, typed);

    return path && (jw_path_base(typed) != typed || jw_is_file(path) || jw_is_folder(path));
}

void jw_roots_record(struct jw_roots *r, const struct jw_root *command, struct jw_arena *a)
{
    struct jw_root e = *command;

    for (size_t i = 0; r->here && i < e.n_words && !e.path; i++)
        e.path = depends(e.words[i], r->here, a) ? r->here : NULL;
    (void)jw_roots_forget(r, command);
    put_last(r, &e, a);
}

bool jw_root_path(const char *path, struct jw_arena *a, const char **out, struct jw_err *err)
{
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at < ' ') /* a path with control characters could not be pasted again */
            return jw_fail(err, JW_E_USAGE, "its name has a line break or the like: rename it");
    return jw_named_path(path, a, out, err);
}

bool jw_roots_forget(struct jw_roots *r, const struct jw_root *what)
{
    size_t were = r->n;

    r->n = 0;
    for (size_t i = 0; i < were; i++)
        if (!jw_root_is(r, &r->v[i], what))
            r->v[r->n++] = r->v[i];
    return r->n < were;
}
