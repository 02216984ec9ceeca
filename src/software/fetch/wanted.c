#include "software/fetch/wanted.h"

#include "base/arena.h"
#include "base/path.h"
#include "base/text.h"

#include <string.h>

const char *jw_wanted_instead(const char *path)
{
    static const struct {
        const char *end, *instead;
    } others[] = {
        { "Pipfile.lock",
          "it is not read; pipenv requirements > locked.txt makes a file of it that scan reads" },
        { "environment.yml",
          "it names packages of conda, and is not read; conda env create -p ./env -f FILE creates the "
          "environment, and jitwarm scan ./env scans it" },
        { "environment.yaml",
          "it names packages of conda, and is not read; conda env create -p ./env -f FILE creates the "
          "environment, and jitwarm scan ./env scans it" },
        { "conda-lock.yml", "it names packages of conda, and is not read; conda-lock install -p ./env "
                            "conda-lock.yml creates the "
                            "environment, and jitwarm scan ./env scans it" },
        { "pixi.lock", "it names packages of conda, and is not read; pixi install creates the environment, "
                       "and jitwarm scan .pixi "
                       "scans it" },
    };
    const char *name = jw_path_base(path);

    for (size_t i = 0; i < JW_COUNT(others); i++)
        if (jw_text_ends(name, others[i].end))
            return others[i].instead;
    return NULL;
}

enum jw_wanted_form jw_wanted_form(const char *path)
{
    const char *name = jw_path_base(path);

    if (strcmp(name, "uv.lock") == 0 || strcmp(name, "poetry.lock") == 0 || strcmp(name, "pdm.lock") == 0
        || strcmp(name, "pylock.toml") == 0
        || (jw_text_starts(name, "pylock.") && jw_text_ends(name, ".toml")))
        return JW_WANTED_LOCK;
    return jw_text_ends(name, ".txt") || jw_text_ends(name, ".in") ? JW_WANTED_REQUIREMENTS : JW_WANTED_NONE;
}

struct reader {
    const char *path;
    struct jw_arena *a;
    struct jw_wanted_list *list;
    unsigned line;
};

static struct jw_wanted *add_wanted(struct reader *r, struct jw_err *err)
{
    struct jw_wanted *w = jw_list_add(r->a, &r->list->v, &r->list->n, sizeof *r->list->v, JW_MAX_WANTED, err);

    if (w)
        w->where = jw_arena_printf(r->a, "%s:%u", r->path, r->line);
    return w;
}

static bool wrong(const struct reader *r, const char *why, struct jw_err *err)
{
    return jw_fail(err, JW_E_FORMAT, "%.150s:%u: %.200s", r->path, r->line, why);
}

/* ---- requirements ---- */

/* The bytes of the line end at text[at], with a backslash before it where that continues the line; 0: none is there. */
static size_t line_end(struct jw_bytes text, size_t at, bool continues)
{
    size_t n = continues;

    if (continues && text.p[at] != '\\')
        return 0;
    n += at + n < text.n && text.p[at + n] == '\r';
    return at + n < text.n && text.p[at + n] == '\n' ? n + 1 : 0;
}

/* One line, with those that a backslash joins to it. NULL: the end of the text. */
static char *next_line(struct reader *r, struct jw_bytes *text, unsigned *next)
{
    size_t n = 0, k = 0, end = 0, joined;
    char *out;

    if (text->n == 0)
        return NULL;
    r->line = *next;
    while (n < text->n && !(end = line_end(*text, n, false))) {
        joined = line_end(*text, n, true);
        *next += joined != 0;
        n += joined ? joined : 1;
    }
    out = jw_arena_alloc(r->a, n + 1);
    for (size_t i = 0; i < n; i += joined ? joined : 1) {
        joined = line_end(*text, i, true);
        out[k++] = joined || !text->p[i] ? ' ' : (char)text->p[i];
    }
    (*next)++;
    *text = (struct jw_bytes){ text->p + n + end, text->n - n - end };
    return out;
}

/* A comment begins at the start, or behind a blank. */
static void strip_comment(char *line)
{
    for (size_t i = 0; line[i]; i++)
        if (line[i] == '#' && (i == 0 || jw_text_blank((uint8_t)line[i - 1])))
            line[i] = '\0';
    for (size_t n = strlen(line); n && jw_text_blank((uint8_t)line[n - 1]); n--)
        line[n - 1] = '\0';
}

/* The value of "--name VALUE", "--name=VALUE" or "-xVALUE"; NULL: the line is another option. */
static const char *value_of(const char *line, const char *name)
{
    size_t n = strlen(name);

    if (!jw_text_starts(line, name))
        return NULL;
    if (line[1] == '-' && line[n] != '=' && !jw_text_blank((uint8_t)line[n]))
        return NULL;
    line += n;
    line += strspn(line, "= \t");
    return *line && !strpbrk(line, " \t") ? line : NULL;
}

static bool add_text(struct reader *r, const char ***list, size_t *n, const char *text, struct jw_err *err)
{
    const char **slot = jw_list_add(r->a, list, n, sizeof **list, JW_MAX_INDEXES, err);

    if (slot)
        *slot = text;
    return slot != NULL;
}

/* Options that pip needs to find packages are handed on; those that change nothing for one wheel of one package are
 * passed over. */
static bool read_option(struct reader *r, const char *line, struct jw_err *err)
{
    static const struct {
        const char *name, *as;
    } where[] = { { "--index-url", "--index-url" },
                  { "-i", "--index-url" },
                  { "--extra-index-url", "--extra-index-url" },
                  { "--find-links", "--find-links" },
                  { "-f", "--find-links" },
                  { "--trusted-host", "--trusted-host" } };
    static const char *const ignored[] = { "--prefer-binary", "--require-hashes", "--no-binary",
                                           "--only-binary", "--use-feature" };
    const char *value;

    for (size_t i = 0; i < JW_COUNT(where); i++)
        if ((value = value_of(line, where[i].name)))
            return add_text(r, &r->list->index, &r->list->n_index,
                            jw_arena_printf(r->a, "%s=%s", where[i].as, value), err);
    if (strcmp(line, "--no-index") == 0)
        return add_text(r, &r->list->index, &r->list->n_index, "--no-index", err);
    if ((value = value_of(line, "--requirement")) || (value = value_of(line, "-r")))
        return add_text(r, &r->list->also, &r->list->n_also,
                        jw_path_absolute(value) ? jw_arena_str(r->a, value)
                                                : jw_path_join(r->a, jw_path_dir(r->a, r->path), value),
                        err);
    if (jw_text_starts(line, "--constraint") || jw_text_starts(line, "-c"))
        return wrong(
            r, "constraints are not read; name the file that pip freeze or uv pip compile makes of them",
            err);
    if (jw_text_starts(line, "-e") || jw_text_starts(line, "--editable")) {
        struct jw_wanted *w = add_wanted(r, err);

        if (w) {
            w->r.text = jw_arena_str(r->a, line);
            w->not_asked = "a source tree";
        }
        return w != NULL;
    }
    if (strcmp(line, "--pre") == 0) {
        r->list->pre = true;
        return true;
    }
    for (size_t i = 0; i < JW_COUNT(ignored); i++)
        if (jw_text_starts(line, ignored[i]))
            return true;
    return wrong(r, "jitwarm does not know this option", err);
}

/* Behind "NAME @ " and "NAME[EXTRAS] @ "; NULL: the line has none of them. */
static const char *behind_at(const char *line)
{
    const char *at = line + strcspn(line, "[@ \t");

    if (*at == '[')
        at += strcspn(at, "]") + (strchr(at, ']') != NULL);
    at += strspn(at, " \t");
    return *at == '@' ? at + 1 + strspn(at + 1, " \t") : NULL;
}

/* A line that is a URL or a path alone: pip would take the package from there. A sentence with a URL in it does not
 * count. */
static const char *is_elsewhere(const char *line)
{
    const char *named = behind_at(line), *word = named ? named : line;
    size_t n = strcspn(word, " \t;");
    const char *url = strstr(word, "://"), *rest = word + n + strspn(word + n, " \t");

    if (*rest && *rest != ';')
        return NULL;
    if (url && url < word + n)
        return strstr(line, "git+") ? "a source tree" : "a URL; download that file and scan it";
    return !named && (strchr("./\\", *line) || jw_path_absolute(line))
               ? "a path; scan it, or the wheel that is built of it"
               : NULL;
}

/* True for an option as pip writes it; "- a list" and "---" are text. */
static bool is_option(const char *line)
{
    return *line == '-' && line[1]
           && (line[1] == '-' ? jw_is_letter(line[2]) : strchr("rceif", line[1]) != NULL);
}

static bool read_line(struct reader *r, char *line, struct jw_err *err)
{
    struct jw_requirement parsed;
    char *hash = strstr(line, "--hash");
    const char *why;
    struct jw_wanted *w;

    if (is_option(line))
        return read_option(r, line, err);
    if (hash) {
        *hash = '\0';
        strip_comment(line);
    }
    why = is_elsewhere(line);
    if (!why && !jw_requirement_parse(line, true, r->a, &parsed, err)) {
        err->code = JW_E_FORMAT; /* of the file, not of the command line */
        r->list->unknown_line = r->line;
        return jw_wrap(err, "%.150s:%u", r->path, r->line);
    }
    w = add_wanted(r, err);
    if (!w)
        return false;
    if (why) {
        w->r.text = jw_arena_str(r->a, line);
        w->not_asked = why;
    } else
        w->r = parsed;
    return true;
}

static bool read_requirements(struct reader *r, struct jw_bytes text, struct jw_err *err)
{
    unsigned next = 1;

    if (text.n >= 3 && memcmp(text.p, "\xef\xbb\xbf", 3) == 0)
        text = (struct jw_bytes){ text.p + 3, text.n - 3 };
    for (char *line; (line = next_line(r, &text, &next));) {
        strip_comment(line);
        line += strspn(line, " \t");
        if (*line && !read_line(r, line, err))
            return false;
    }
    return true;
}

/* ---- locks: TOML as these programs write it, a table for each package ---- */

struct package {
    const char *name, *version;
    struct jw_wheel *wheels;
    size_t n_wheels;
    bool elsewhere;
    bool itself; /* the project that the lock file belongs to */
    unsigned line;
};

/* The text between the quotes behind KEY = ; NULL: the line has another key. */
static const char *quoted(struct reader *r, const char *line, const char *key, bool inside)
{
    const char *at = line;
    size_t n = strlen(key);

    for (; (at = strstr(at, key)); at += n) {
        const char *p = at + n + strspn(at + n, " ");

        if (!inside && at != line)
            return NULL;
        if (*p != '=' || (inside && at != line && !strchr(" ,{", at[-1])))
            continue;
        p += 1 + strspn(p + 1, " ");
        if (*p == '"' || *p == '\'')
            return jw_arena_text(r->a, p + 1, strcspn(p + 1, *p == '"' ? "\"" : "'"));
    }
    return NULL;
}

/* %2B of a URL is the + of a version. */
static const char *file_of_url(struct reader *r, const char *url)
{
    char *out = jw_arena_text(r->a, jw_path_base(url), strcspn(jw_path_base(url), "?#"));
    char *plus;

    while ((plus = strstr(out, "%2B")) || (plus = strstr(out, "%2b"))) {
        *plus = '+';
        memmove(plus + 1, plus + 3, strlen(plus + 3) + 1);
    }
    return out;
}

/* { url = "https://...whl", hash = "sha256:...", size = 12345 }, or of poetry { file = "...whl", hash = "..." } */
static bool add_wheel(struct reader *r, const char *line, struct package *p, struct jw_err *err)
{
    const char *url = quoted(r, line, "url", true), *file = quoted(r, line, "file", true),
               *hash = quoted(r, line, "hash", true), *size = strstr(line, "size = ");
    struct jw_wheel w, *slot;

    if (!hash)
        hash = quoted(r, line, "sha256", true);
    if (url)
        file = file_of_url(r, url);
    if (!file || !jw_wheel_parse(file, r->a, &w))
        return true;
    if (url && jw_text_starts(url, "https://"))
        w.url = url;
    if (hash)
        w.sha256 = jw_text_starts(hash, "sha256:") ? hash + strlen("sha256:") : hash;
    if (w.sha256 && (strlen(w.sha256) != 64 || strspn(w.sha256, "0123456789abcdef") != 64))
        w.sha256 = NULL;
    if (size)
        (void)jw_text_u64(jw_arena_text(r->a, size + 7, strspn(size + 7, "0123456789")), &w.size);
    slot = jw_list_add(r->a, &p->wheels, &p->n_wheels, sizeof *p->wheels, JW_MAX_WANTED, err);
    if (slot)
        *slot = w;
    return slot != NULL;
}

static bool end_package(struct reader *r, struct package *p, struct jw_err *err)
{
    struct jw_wanted *w;

    if (!p->line)
        return true;
    r->line = p->line;
    if (!p->name)
        return wrong(r, "a package without a name", err);
    if (p->itself) {
        *p = (struct package){ 0 };
        return true;
    }
    w = add_wanted(r, err);
    if (!w)
        return false;
    if (p->elsewhere || !p->version) {
        w->r.text = p->name;
        w->not_asked = "a source tree or a URL";
    } else if (!jw_requirement_exact(p->name, p->version, r->a, &w->r, err))
        return jw_wrap(err, "%.150s:%u", r->path, r->line);
    w->wheels = p->wheels;
    w->n_wheels = p->n_wheels;
    *p = (struct package){ 0 };
    return true;
}

/* Several on one line, too: "}, {" is between them. */
static bool add_wheels(struct reader *r, char *line, struct package *p, struct jw_err *err)
{
    for (char *end; line; line = end) {
        end = strstr(line, "}, {");
        if (end) {
            *end = '\0';
            end += 3;
        }
        if (!add_wheel(r, line, p, err))
            return false;
    }
    return true;
}

static bool read_package_key(struct reader *r, char *line, struct package *p, struct jw_err *err)
{
    const char *text;

    if (!p->name && (text = quoted(r, line, "name", false)))
        p->name = text;
    else if (!p->version && (text = quoted(r, line, "version", false)))
        p->version = text;
    else if (jw_text_starts(line, "source = ")) {
        p->itself |= strstr(line, "virtual") || strstr(line, "editable = \".\"");
        p->elsewhere |= !strstr(line, "registry");
    } else if (((text = quoted(r, line, "url", false)) || (text = quoted(r, line, "path", false)))
               && !jw_text_ends(text, ".whl"))
        p->elsewhere = true; /* of pdm; pylock has such lines of a wheel */
    else if (jw_text_starts(line, "git = ") || jw_text_starts(line, "vcs = ")
             || jw_text_starts(line, "directory = ") || jw_text_starts(line, "archive = "))
        p->elsewhere = true;
    return add_wheels(r, line, p, err);
}

/* The tables of a package: [[package]] and [package.source] of uv, poetry and pdm, [[packages]], [packages.vcs] and
 * [[packages.wheels]] of pylock. */
static bool read_lock(struct reader *r, struct jw_bytes text, struct jw_err *err)
{
    struct package p = { 0 };
    bool inside = false, source = false, any = false;
    unsigned next = 1;

    for (char *line; (line = next_line(r, &text, &next));) {
        line += strspn(line, " \t");
        if (strcmp(line, "[[package]]") == 0 || strcmp(line, "[[packages]]") == 0) {
            unsigned here = r->line;

            if (!end_package(r, &p, err))
                return false;
            p.line = here;
            any = inside = true;
            source = false;
        } else if (*line == '[' && line[1] != '{') {
            inside = jw_text_starts(line, "[[packages.wheels]]");
            source = jw_text_starts(line, "[package.source]");
            p.elsewhere |= jw_text_starts(line, "[packages.vcs")
                           || jw_text_starts(line, "[packages.directory")
                           || jw_text_starts(line, "[packages.archive");
        } else if (source && jw_text_starts(line, "type = "))
            p.elsewhere |= !strstr(line, "legacy");
        else if (inside && p.line && !read_package_key(r, line, &p, err))
            return false;
    }
    if (!end_package(r, &p, err))
        return false;
    r->line = 1;
    return any || wrong(r, "no packages in this lock file", err);
}

bool jw_wanted_read(const char *path, enum jw_wanted_form form, struct jw_bytes text, struct jw_arena *a,
                    struct jw_wanted_list *list, struct jw_err *err)
{
    struct reader r = { path, a, list, 1 };

    return form == JW_WANTED_LOCK ? read_lock(&r, text, err) : read_requirements(&r, text, err);
}
