#include "prime/memory/started.h"

#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/process/process.h"

#include <string.h>

#define PROGRAM "PATH finds " /* the name; the path */

enum { MAX_STARTED = 8, MAX_SCRIPTS = 4, FIRST_LINE = 256 };

struct started {
    struct jw_warm_answer *list;
    size_t n;
    struct jw_arena *a;
};

/* Is this a program (env, nice) that starts the one which its words name? */
static bool is_starter(const char *path)
{
    static const char *const names[] = { "chrt",   "env",    "ionice",  "nice", "nohup",  "numactl",
                                         "setsid", "stdbuf", "taskset", "time", "timeout" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (strcmp(jw_path_base(path), names[i]) == 0)
            return true;
    return false;
}

/* Returns the program's path; NULL: the word is no program, for example the value of an option. */
static const char *add_program(struct started *s, const char *word)
{
    const char *path = *word && *word != '-' && !strchr(word, '=') ? jw_process_program(word, s->a) : NULL;

    if (!path || !jw_is_file(path))
        return NULL;
    if (path == word || s->n == MAX_STARTED)
        return path;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].answer, path) == 0)
            return path;
    s->list[s->n++] = (struct jw_warm_answer){ jw_arena_printf(s->a, PROGRAM "%s", word), path };
    return path;
}

/* Reads the words of a script's first line; none: it is no script. `out` has room for half of FIRST_LINE. */
static void read_first_line(const char *path, struct jw_arena *a, const char **out)
{
    char *line = jw_arena_alloc(a, FIRST_LINE + 1), *at = line + 2;
    struct jw_err ignored;
    struct jw_file f;
    size_t got = 0, n = 0;

    out[0] = NULL;
    if (!jw_file_open(&f, path, &ignored))
        return;
    bool ok = jw_file_read(&f, 0, line, FIRST_LINE, &got, &ignored);

    jw_file_close(&f);
    line[ok ? got : 0] = 0;
    line[strcspn(line, "\r\n")] = 0;
    if (line[0] != '#' || line[1] != '!')
        return;
    for (; *(at += strspn(at, " \t")); at += strlen(at) + 1) {
        size_t length = strcspn(at, " \t");
        bool last = !at[length];

        at[length] = 0;
        out[n++] = at;
        if (last)
            break;
    }
    out[n] = NULL;
}

static void follow(struct started *s, const char *const *words, unsigned scripts)
{
    const char *path = words[0] ? add_program(s, words[0]) : NULL, **line;

    for (size_t i = 1; path && is_starter(path) && words[i]; i++) {
        const char *next = add_program(s, words[i]);

        path = next ? next : path;
    }
    if (!path || !scripts)
        return;
    line = jw_arena_alloc(s->a, (FIRST_LINE / 2 + 2) * sizeof *line);
    read_first_line(path, s->a, line);
    follow(s, line, scripts - 1);
}

void prime_started_find(const char *const *words, struct jw_arena *a, struct jw_warm_answer **out,
                        size_t *n_out)
{
    struct started s = { .list = jw_arena_alloc(a, MAX_STARTED * sizeof *s.list), .a = a };

    follow(&s, words, MAX_SCRIPTS);
    *out = s.list;
    *n_out = s.n;
}

bool prime_is_of_started(const struct jw_warm_answer *answer)
{
    return jw_text_starts(answer->question, PROGRAM);
}

/* Returns the folder of the virtual environment that a program belongs to; "": none. The environment's python may be a
 * link to that of the system, and has other packages. */
static const char *environment_of(const char *path, struct jw_arena *a)
{
    const char *folder = jw_path_dir(a, jw_path_dir(a, path));

    return jw_is_file(jw_path_join(a, folder, "pyvenv.cfg")) ? folder : "";
}

/* /bin/sh and /usr/bin/sh are one where /bin is a link. */
static bool is_same_program(const char *one, const char *other, struct jw_arena *a)
{
    const char *real_one, *real_other;
    struct jw_err ignored;

    return strcmp(one, other) == 0
           || (jw_real_path(one, a, &real_one, &ignored) && jw_real_path(other, a, &real_other, &ignored)
               && strcmp(real_one, real_other) == 0
               && strcmp(environment_of(one, a), environment_of(other, a)) == 0);
}

const char *prime_started_change(const struct jw_warm_loads *then, struct jw_arena *a)
{
    for (size_t i = 0; i < then->n_answers; i++) {
        const struct jw_warm_answer *was = &then->answers[i];
        const char *name = was->question + sizeof PROGRAM - 1;
        const char *now = prime_is_of_started(was) ? jw_process_program(name, a) : NULL;

        if (now && !is_same_program(now, was->answer, a))
            return jw_arena_printf(a, "%s is now %s, and not %s, which was recorded", name, now, was->answer);
    }
    return NULL;
}
