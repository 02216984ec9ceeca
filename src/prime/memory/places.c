#include "prime/memory/places.h"

#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "os/machine/env.h"
#include "prime/memory/programs.h"
#include "prime/memory/same_file.h"
#include "software/scan/scan_code.h"

#include <stdlib.h>
#include <string.h>

/* How deep a search goes: modules may be anywhere below a folder that is named; beside a script they are next to it, or
 * in a folder there; its packages of program files are nested. A later look takes more files than the first before it
 * gives up, because logs and results come to be. */
enum { NAMED_DEPTH = 8, BESIDE_DEPTH = 1, PROGRAMS_DEPTH = 3, MAX_FILES = 4096, MAX_LATER = 4 * MAX_FILES };

#define PLACE "CUDA files in " /* the folder; its depth */
#define FOLDER "folder "       /* that was walked there */
#define CODE "CUDA file "
#define PROGRAMS "program files in " /* the folder; its depth */
#define PROGRAM_FILE "program file "
#define UNWATCHED "not watched " /* the folder, or "what it loaded"; why */
#define LOADED "loaded "         /* a file that the start had mapped: CUDA code, or a compiler of it */

static const char *path_of(const struct jw_warm_answer *answer, const char *question)
{
    return jw_text_starts(answer->question, question) ? answer->question + strlen(question) : NULL;
}

/* Returns the folder with which a list of files begins; NULL: this answer begins none. */
static const char *listed_folder(const struct jw_warm_answer *answer)
{
    const char *cache = path_of(answer, PLACE);

    return cache ? cache : path_of(answer, PROGRAMS);
}

static const char *listed_file(const struct jw_warm_answer *answer)
{
    const char *file = path_of(answer, CODE);

    return file ? file : path_of(answer, PROGRAM_FILE);
}

bool prime_is_of_place(const struct jw_warm_answer *answer)
{
    return listed_folder(answer) || path_of(answer, FOLDER) || listed_file(answer)
           || path_of(answer, UNWATCHED) || path_of(answer, LOADED);
}

const char *prime_place_path(const struct jw_warm_answer *answer)
{
    const char *file = listed_file(answer), *loaded = file ? file : path_of(answer, LOADED);

    return loaded ? loaded : path_of(answer, FOLDER);
}

/* ---- which ---- */

/* True for "/", "/tmp" and "C:\data": programs and files of everybody lie there. */
static bool is_near_top(const char *path)
{
    size_t separators = 0;

    for (const char *at = path; *at; at++)
        separators += (*at == '/' || *at == '\\') && at[1];
    return separators < 2;
}

static bool is_of_programs(const char *path, struct jw_arena *a)
{
    static const char *const system[] = { "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin" };
    const char *above = jw_path_dir(a, path);

    for (size_t i = 0; i < JW_COUNT(system); i++)
        if (strcmp(path, system[i]) == 0)
            return true;
    return jw_is_file(jw_path_join(a, above, "pyvenv.cfg"))
           || jw_is_folder(jw_path_join(a, above, "conda-meta")) || jw_text_starts(path, "C:\\Windows\\");
}

static bool merely_lies_there(const char *folder, struct jw_arena *a)
{
    const char *home = jw_env_home(a), *temporary = jw_env(a, jw_os_is_windows() ? "TEMP" : "TMPDIR");

    return is_near_top(folder) || (home && strcmp(folder, home) == 0) || strcmp(folder, "/var/tmp") == 0
           || strcmp(folder, "/dev/shm") == 0 || (temporary && strcmp(folder, temporary) == 0)
           || is_of_programs(folder, a);
}

/* Returns the path without "." and without a separator at its end. */
static const char *plain(const char *path, struct jw_arena *a)
{
    char *out = jw_arena_str(a, path);
    size_t n = 0;

    for (const char *at = path; *at; at++) {
        bool separator = *at == '/' || *at == '\\';

        if (separator && at[1] == '.' && (!at[2] || at[2] == *at))
            at++;
        else if (!separator || at[1])
            out[n++] = *at;
    }
    out[n ? n : 1] = 0; /* "/" */
    return out;
}

static void add_place(struct prime_places *places, const char *path, unsigned depth, bool programs)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->list[i].programs == programs && strcmp(places->list[i].path, path) == 0) {
            if (places->list[i].depth < depth)
                places->list[i].depth = depth;
            return;
        }
    if (places->n < JW_COUNT(places->list))
        places->list[places->n++] =
            (struct prime_place){ .path = path, .programs = programs, .depth = depth };
    else
        places->more = true;
}

void prime_place_add(struct prime_places *places, const char *path, bool beside, struct jw_arena *a)
{
    path = plain(path, a);
    if (beside && merely_lies_there(path, a))
        return;
    add_place(places, path, beside ? BESIDE_DEPTH : NAMED_DEPTH, false);
    add_place(places, path, PROGRAMS_DEPTH, true);
}

/* ---- what they hold ---- */

static void add_fact(struct prime_place *p, const char *question, const char *path, const char *answer,
                     struct jw_arena *a)
{
    p->seen[p->n++] = (struct jw_warm_answer){ jw_arena_printf(a, "%s%s", question, path), answer };
}

/* Returns no facts for a link to nowhere and for a pipe, then and now. */
static const char *facts_of(const char *path, struct prime_digesting *d)
{
    const char *facts = prime_file_facts(path, d->a);

    return facts ? prime_file_record(path, facts, d->known, &d->room, d->a) : "gone";
}

static bool find_files(const char *path, unsigned depth, bool programs, uint64_t max, struct jw_arena *a,
                       struct scan_code *out, struct jw_err *err)
{
    const struct jw_scan_root root = { .path = path, .depth = depth };

    return programs ? prime_programs_find(path, depth, max, a, out, err)
                    : scan_code_find(&root, 1, max, a, out, err);
}

/* Watches only the program files that lie less deep where large data lies beside them. */
static bool find_less_deep(struct prime_place *p, struct jw_arena *a, struct scan_code *out,
                           struct jw_err *err)
{
    unsigned deepest = p->depth;
    bool ok = find_files(p->path, p->depth, p->programs, MAX_FILES, a, out, err);

    while (ok && out->too_many && p->programs && p->depth)
        ok = find_files(p->path, --p->depth, true, MAX_FILES, a, out, err);
    if (ok && !out->too_many && p->depth < deepest)
        add_fact(p, UNWATCHED, jw_arena_printf(a, "all below the first levels of %s", p->path),
                 "it holds too many files", a);
    return ok;
}

static void list_place(struct prime_place *p, struct prime_digesting *d)
{
    struct jw_arena *a = d->a;
    struct scan_code code;
    struct jw_err err = { 0 };
    struct prime_place deeper = { .seen = jw_arena_alloc(a, sizeof *deeper.seen) };

    deeper.path = p->path, deeper.programs = p->programs, deeper.depth = p->depth;
    bool ok = find_less_deep(&deeper, a, &code, &err);

    p->n = 0;
    p->seen = jw_arena_alloc(a, (code.n_folders + code.n_files + 2) * sizeof *p->seen);
    if (!ok || code.too_many) {
        add_fact(p, UNWATCHED, p->path, ok ? "it holds too many files" : jw_arena_str(a, err.msg), a);
        return;
    }
    add_fact(p, p->programs ? PROGRAMS : PLACE, p->path, jw_arena_printf(a, "%u", deeper.depth), a);
    for (size_t i = 0; i < code.n_folders; i++)
        add_fact(p, FOLDER, code.folders[i], facts_of(code.folders[i], d), a);
    for (size_t i = 0; i < code.n_files; i++)
        add_fact(p, p->programs ? PROGRAM_FILE : CODE, code.files[i], facts_of(code.files[i], d), a);
    if (deeper.n)
        p->seen[p->n++] = deeper.seen[0];
}

void prime_places_see(struct prime_places *places, struct jw_arena *a)
{
    struct jw_digests digests = { .a = a };

    for (size_t i = 0; i < places->n; i++) {
        struct prime_digesting d = { &digests, places->list[i].programs ? PRIME_MAX_DIGESTED : 0, a };

        list_place(&places->list[i], &d);
    }
}

/* ---- do they hold it still? ---- */

/* Returns the end of the answers about the place that begins at `i`. */
static size_t end_of(const struct jw_warm_answer *list, size_t n, size_t i)
{
    for (i++; i < n && (path_of(&list[i], FOLDER) || listed_file(&list[i]));)
        i++;
    return i;
}

static bool is_as_it_was(const char *path, const char *record, struct jw_digests *d, struct jw_arena *a)
{
    return strcmp(record, "gone") == 0 ? !prime_file_facts(path, a) : prime_file_is(path, record, d, a);
}

/* Returns the first file that came. Both lists are sorted by path. */
static const char *first_that_came(const struct jw_warm_answer *known, size_t n, const struct scan_code *now)
{
    size_t k = 0;

    for (size_t i = 0; i < now->n_files; i++) {
        int d = 1;

        for (; k < n; k++) {
            const char *path = listed_file(&known[k]);

            d = path ? strcmp(now->files[i], path) : 1;
            if (d <= 0)
                break;
        }
        if (k == n || d)
            return now->files[i];
    }
    return NULL;
}

/* Returns the first change of one place. A file that is as it was is not read again, nor is a folder in which no name
 * came or went. */
static const char *change_of(const struct jw_warm_answer *then, size_t n, struct jw_digests *d,
                             struct jw_arena *a)
{
    const char *cache = listed_folder(&then[0]);
    bool same = true;
    struct scan_code now;
    struct jw_err ignored;

    for (size_t i = 1; i < n; i++) {
        const char *file = listed_file(&then[i]), *folder = path_of(&then[i], FOLDER);

        if (file && !is_as_it_was(file, then[i].answer, d, a))
            return file;
        same &= !folder || is_as_it_was(folder, then[i].answer, d, a);
    }
    if (same || jw_is_absent(cache))
        return NULL;
    unsigned depth = (unsigned)strtoul(then[0].answer, NULL, 10);
    if (!find_files(cache, depth, path_of(&then[0], PROGRAMS), MAX_LATER, a, &now, &ignored) || now.too_many)
        return cache;
    const char *came = first_that_came(then + 1, n - 1, &now);

    return came ? jw_arena_str(a, came) : NULL;
}

static const char *change_in(const struct jw_warm_answer *list, size_t n, struct jw_digests *d,
                             struct jw_arena *a)
{
    const char *changed = NULL;

    for (size_t i = 0; i < n && !changed; i++) {
        const char *loaded = path_of(&list[i], LOADED);

        if (listed_folder(&list[i]))
            changed = change_of(list + i, end_of(list, n, i) - i, d, a);
        else if (loaded && !is_as_it_was(loaded, list[i].answer, d, a))
            changed = loaded;
    }
    return changed;
}

const char *prime_place_change(const struct jw_warm_loads *then, struct jw_digests *d, struct jw_arena *a)
{
    return change_in(then->answers, then->n_answers, d, a);
}

static bool has_path(const struct jw_warm_loads *then, const char *question, const char *path)
{
    for (size_t i = 0; i < then->n_answers; i++) {
        const char *of = path_of(&then->answers[i], question);

        if (of && strcmp(of, path) == 0)
            return true;
    }
    return false;
}

bool prime_place_knew(const struct jw_warm_loads *then, const char *path)
{
    return has_path(then, CODE, path) || has_path(then, PROGRAM_FILE, path);
}

bool prime_was_loaded(const struct jw_warm_loads *then, const char *path)
{
    return has_path(then, LOADED, path);
}

const char *prime_place_gone(const struct jw_warm_loads *then)
{
    for (size_t i = 0; i < then->n_answers; i++) {
        const char *cache = listed_folder(&then->answers[i]);
        bool file = false;

        if (!cache || !jw_is_absent(cache))
            continue;
        for (size_t k = end_of(then->answers, then->n_answers, i); --k > i && !file;)
            file = listed_file(&then->answers[k]) != NULL;
        if (file)
            return cache;
    }
    return NULL;
}

const char *prime_place_unwatched(const struct jw_warm_loads *then, struct jw_arena *a)
{
    for (size_t i = 0; i < then->n_answers; i++) {
        const char *path = path_of(&then->answers[i], UNWATCHED);

        if (path)
            return jw_arena_printf(a, "%s is not watched: %s", path, then->answers[i].answer);
    }
    return NULL;
}

/* ---- to a record ---- */

struct jw_warm_answer prime_not_watched(const char *what, const char *why, struct jw_arena *a)
{
    return (struct jw_warm_answer){ jw_arena_printf(a, UNWATCHED "%s", what), why };
}

/* Records what the places hold after the start, which may have left results there, but no CUDA code. */
void prime_places_record(const struct prime_places *places, struct prime_digesting *d,
                         struct jw_warm_answer **out, size_t *n_out)
{
    struct jw_arena *a = d->a;
    size_t all = 0;

    for (size_t i = 0; i < places->n; i++)
        all += places->list[i].n;
    *out = jw_arena_alloc(a, (all + MAX_FILES + 2) * sizeof **out * (places->n + 1));
    *n_out = 0;
    for (size_t i = 0; i < places->n; i++) {
        struct prime_place now = places->list[i];

        if (listed_folder(&now.seen[0]) && change_in(now.seen, now.n, d->known, a)) {
            now.n = 0;
            add_fact(&now, UNWATCHED, now.path,
                     now.programs ? "its program files changed while the command ran"
                                  : "its CUDA files changed while the command ran",
                     a);
        } else if (listed_folder(&now.seen[0]))
            list_place(&now, d);
        for (size_t k = 0; k < now.n; k++)
            (*out)[(*n_out)++] = now.seen[k];
    }
    if (places->more)
        (*out)[(*n_out)++] = prime_not_watched("the rest of what its words name",
                                               "they name more folders or files than are compared", a);
}

void prime_loaded_record(const char *const *files, size_t n, struct prime_digesting *d,
                         struct jw_warm_answer **out, size_t *n_out)
{
    struct jw_arena *a = d->a;
    struct jw_scan_root *roots = jw_arena_alloc(a, (n + 1) * sizeof *roots);
    struct prime_place loaded = { 0 };
    struct scan_code code = { 0 };
    struct jw_err err = { 0 };
    size_t n_roots = 0;

    for (size_t i = 0; i < n; i++)
        if (!jw_is_of_driver(jw_path_base(files[i]))) /* which is known by its build */
            roots[n_roots++] = (struct jw_scan_root){ .path = files[i] };
    bool ok = !n_roots || scan_code_find(roots, n_roots, 0, a, &code, &err);

    loaded.seen = jw_arena_alloc(a, (code.n_files + n + 1) * sizeof *loaded.seen);
    if (!ok) {
        code.n_files = 0;
        add_fact(&loaded, UNWATCHED, "what it loaded", jw_arena_str(a, err.msg), a);
    }
    for (size_t i = 0; i < code.n_files; i++)
        add_fact(&loaded, LOADED, code.files[i], facts_of(code.files[i], d), a);
    for (size_t i = 0; i < n; i++)
        if (jw_is_compiler(jw_path_base(files[i])))
            add_fact(&loaded, LOADED, files[i], facts_of(files[i], d), a);
    *out = loaded.seen;
    *n_out = loaded.n;
}
