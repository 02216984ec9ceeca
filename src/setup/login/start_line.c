#include "setup/login/start_line.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"

#include <string.h>

#define CUT "..."

static bool is_read_by(const char *file, const char *shell)
{
    const char *name = jw_path_base(file);
    bool zsh = strstr(file, "/zsh/") || jw_text_starts(name, ".z");

    return !strstr(file, "/fish/") && (strcmp(shell, "zsh") == 0 ? !strstr(name, "bash") : !zsh);
}

/* Is it in this line as a command, and not in a comment? */
static bool has_command(const char *line, const char *command, bool truncated)
{
    const char *at = strstr(line, command), *after;

    if (!at)
        return false;
    for (const char *c = line; c < at; c++)
        if (*c == '#' && (c == line || strchr(" \t;", c[-1])))
            return false;
    if (at > line && !strchr(" \t;&|({", at[-1]))
        return false;
    after = at + strlen(command);
    after += strspn(after, " \t");
    return truncated || !*after || strchr(";&|)}#", *after);
}

static bool has_one(const char *line, const char *word)
{
    const char *at = strstr(line, word);

    return at && !strstr(at + 1, word);
}

/* Calls `is` with each line of a file, while it returns true. */
static void each_line(const char *file, struct jw_arena *a, bool (*is)(const char *line, void *ctx),
                      void *ctx)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err ignored;
    bool found = false, more = jw_is_file(file) && jw_file_slurp(file, &text, &found, &ignored);

    for (const char *at = found ? jw_buf_cstr(&text) : ""; more && *at;) {
        size_t length = strcspn(at, "\n");

        more = is(jw_arena_text(a, at, length), ctx);
        at += length + (at[length] == '\n');
    }
    jw_buf_free(&text);
}

struct returning {
    bool returns;
    bool in_function, begun; /* its brace was seen */
    int braces;              /* that are open in it */
};

/* "name() {", "function name" */
static bool begins_function(const char *line)
{
    const char *name = line + strspn(line, " \t");
    size_t n = strcspn(name, " \t()#=;&|'\"");

    return jw_text_starts(name, "function ")
           || (n && jw_text_starts(name + n + strspn(name + n, " \t"), "()"));
}

/* Is it a line of a function? A `return` there does not end the file. */
static bool is_of_function(struct returning *r, const char *line)
{
    bool first = begins_function(line);

    if (!r->in_function && !first)
        return false;
    r->in_function = first || r->begun || strchr(line, '{'); /* else its body is one command */
    if (!r->in_function)
        return false;
    for (const char *c = line; *c; c++) {
        r->begun |= *c == '{';
        r->braces += (*c == '{') - (*c == '}');
    }
    if (r->begun && r->braces <= 0)
        *r = (struct returning){ 0 };
    return true;
}

static bool is_no_return(const char *line, void *ctx)
{
    struct returning *r = ctx;

    if (!is_of_function(r, line))
        r->returns = has_command(line, "return", true);
    return !r->returns;
}

bool jw_start_file_returns(const char *file, struct jw_arena *a)
{
    struct returning r = { 0 };

    each_line(file, a, is_no_return, &r);
    return r.returns;
}

struct search {
    const char *command;
    bool truncated;
    unsigned number, at; /* of the line; of the last one that was found */
    size_t found;
    bool one_exit;
};

static bool compare_command(const char *line, void *ctx)
{
    struct search *s = ctx;

    s->number++;
    if (has_command(line, s->command, s->truncated)) {
        s->found++;
        s->at = s->number;
        s->one_exit = has_one(line, "exit");
    }
    return s->found < 2;
}

void jw_start_line_find(const char *const *files, size_t n, const char *shell, const char *home,
                        const char *last, struct jw_arena *a, struct jw_start_line *out)
{
    struct search s = { .truncated = jw_text_ends(last, CUT) };

    s.command = s.truncated ? jw_arena_text(a, last, strlen(last) - strlen(CUT)) : last;
    for (size_t i = 0; i < n && s.found < 2; i++) {
        size_t before = s.found;

        s.number = 0;
        if (is_read_by(files[i], jw_path_base(shell)) && !jw_text_among(files[i], files, i))
            each_line(files[i], a, compare_command, &s);
        if (s.found > before)
            out->file = files[i];
    }
    if (s.found != 1) {
        out->file = NULL;
        return;
    }
    out->number = s.at;
    out->returns = jw_text_starts(last, "exit") && strchr(" ", last[strlen("exit")]) && s.one_exit
                   && jw_path_below(out->file, home) != NULL;
}
