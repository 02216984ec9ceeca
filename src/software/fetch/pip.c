#include "software/fetch/pip.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

enum {
    MAX_ARGS = 64,
    MAX_OUTPUT = 1 << 20,
    MAX_WHEELS = 1 << 16,
    VERSION_MS = 120000,       /* uv fetches pip first */
    RUN_MS = 24 * 3600 * 1000, /* a person ends it earlier */
};

#define MAX_LOG ((size_t)64 << 20)

/* ---- which pip ---- */

static bool try_pip(struct jw_pip *p, const char *const *words, const char *title, struct jw_arena *a,
                    const atomic_bool *interrupted, bool *found, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH), out = JW_BUF(MAX_OUTPUT);
    const char *argv[6];
    struct jw_err ignored = { 0 };
    size_t n = 0;
    int code = -1;

    bool ok = jw_process_find(words[0], &path, found, err);

    if (ok && *found) {
        argv[n++] = jw_arena_str(a, jw_buf_cstr(&path));
        for (size_t i = 1; words[i]; i++)
            argv[n++] = words[i];
        *p = (struct jw_pip){ .n = n, .title = title };
        memcpy(p->argv, argv, n * sizeof *argv);
        argv[n++] = "--version";
        argv[n] = NULL;
        *found = jw_process_run(
                     &(struct jw_process_options){
                         .exe = argv[0], .argv = argv, .timeout_ms = VERSION_MS, .interrupted = interrupted },
                     &out, &code, &ignored)
                 && code == 0 && jw_pip_serves(jw_buf_cstr(&out));
        if (ignored.code == JW_E_INTERRUPTED)
            ok = jw_fail(err, JW_E_INTERRUPTED, "interrupted");
    }
    if (ok && *found) {
        const char *of = strstr(jw_buf_cstr(&out), "(python ");

        p->python = of && jw_is_digit(of[8]) && of[9] == '.'
                        ? jw_wheel_python(jw_arena_printf(a, "cp%c%s", of[8], of + 10))
                        : 0;
    }
    jw_buf_free(&path);
    jw_buf_free(&out);
    return ok;
}

bool jw_pip_find(struct jw_arena *a, const atomic_bool *interrupted, struct jw_pip *out, bool *found,
                 struct jw_err *err)
{
    static const struct {
        const char *title, *words[5];
    } known[] = { { "pip", { "pip" } },
                  { "pip3", { "pip3" } },
                  { "python3 -m pip", { "python3", "-m", "pip" } },
                  { "python -m pip", { "python", "-m", "pip" } },
                  { "py -m pip", { "py", "-m", "pip" } },
                  { "uv tool run pip", { "uv", "tool", "run", "pip" } } };

    *found = false;
    for (size_t i = 0; i < JW_COUNT(known) && !*found; i++)
        if (!try_pip(out, known[i].words, known[i].title, a, interrupted, found, err))
            return false;
    return true;
}

/* ---- what it prints ---- */

bool jw_pip_serves(const char *text)
{
    struct jw_arena a = { 0 };
    struct jw_pyversion v, least;
    bool ok = jw_text_starts(text, "pip ") && jw_pyversion_parse(JW_PIP_LEAST, &least)
              && jw_pyversion_parse(jw_arena_text(&a, text + 4, strcspn(text + 4, " \r\n")), &v)
              && jw_pyversion_compare(&v, &least) >= 0;

    jw_arena_free(&a);
    return ok;
}

static const char *find_bytes(const char *from, const char *end, const char *what)
{
    size_t n = strlen(what);

    for (; (size_t)(end - from) >= n; from++) {
        from = memchr(from, *what, (size_t)(end - from) - n + 1);
        if (!from)
            return NULL;
        if (memcmp(from, what, n) == 0)
            return from;
    }
    return NULL;
}

static int hex_digit(char c)
{
    return jw_is_digit(c)         ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The last name of a URL, without its escapes. */
static const char *file_of(struct jw_arena *a, const char *p, size_t n)
{
    char *out = jw_arena_alloc(a, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        if (p[i] == '%' && i + 2 < n && hex_digit(p[i + 1]) >= 0 && hex_digit(p[i + 2]) >= 0) {
            out[k++] = (char)(hex_digit(p[i + 1]) * 16 + hex_digit(p[i + 2]));
            i += 2;
        } else
            out[k++] = p[i];
    }
    return out;
}

static bool is_known(const struct jw_wheel *list, size_t n, const char *file)
{
    for (size_t i = n; i-- > 0;)
        if (strcmp(list[i].file, file) == 0)
            return true;
    return false;
}

static bool ends_word(char c)
{
    return jw_text_blank((uint8_t)c) || c == '\'' || c == '"' || c == '(' || c == '<' || c == ',';
}

/* However pip words it, each link is a URL or a path that ends in .whl: pip logs those that do not fit, too. */
bool jw_pip_log_wheels(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_wheel **list,
                       size_t *n, struct jw_err *err)
{
    const char *text = (const char *)log.p, *end = text + log.n;
    const char *last = "";

    for (const char *at = text; log.n && (at = find_bytes(at, end, ".whl"));) {
        const char *from = at, *slash = NULL;
        struct jw_wheel w, *slot;

        at += strlen(".whl");
        for (; from > text && !ends_word(from[-1]); from--)
            if (!slash && (from[-1] == '/' || from[-1] == '\\'))
                slash = from;
        const char *file =
            slash ? file_of(a, slash, (size_t)(at - slash)) : file_of(a, from, (size_t)(at - from));

        if (strcmp(file, last) == 0 || !jw_wheel_parse(file, a, &w) || strcmp(w.name, name) != 0
            || is_known(*list, *n, file))
            continue;
        last = w.file;
        if (slash)
            w.url = jw_arena_text(a, from, (size_t)(at - from));
        slot = jw_list_add(a, list, n, sizeof **list, MAX_WHEELS, err);
        if (!slot)
            return false;
        *slot = w;
    }
    return true;
}

/* The text behind the next `mark` of the log, up to the end of its line, and the log behind it. NULL: there is none. */
static const char *line_behind(struct jw_bytes *log, const char *mark, struct jw_arena *a)
{
    const char *text = (const char *)log->p, *end = text + log->n;
    const char *found = log->n ? find_bytes(text, end, mark) : NULL;

    if (!found)
        return NULL;
    found += strlen(mark);
    const char *stop = memchr(found, '\n', (size_t)(end - found));

    *log = (struct jw_bytes){ (const uint8_t *)found, (size_t)(end - found) };
    return jw_arena_text(a, found, (size_t)((stop ? stop : end) - found));
}

static const char *last_line(struct jw_bytes log, const char *mark, struct jw_arena *a)
{
    const char *last = NULL;

    for (const char *line; (line = line_behind(&log, mark, a));)
        last = line;
    return last;
}

const char *jw_pip_log_unread(struct jw_bytes log, struct jw_arena *a)
{
    const char *last = NULL;

    for (const char *line; (line = line_behind(&log, "Could not fetch URL ", a));)
        if (!strstr(line, ": 404 Client Error"))
            last = jw_arena_text(a, line, (size_t)(strstr(line, ": ") ? strstr(line, ": ") - line : 0));
    return last && *last ? last : NULL;
}

struct jw_offers jw_pip_log_offers(struct jw_bytes log, struct jw_arena *a)
{
    const char *line = last_line(log, "Available versions: ", a);
    struct jw_offers out = { NULL, 0 };

    if (!line)
        return out;
    out.v = jw_arena_alloc(a, (strlen(line) + 1) * sizeof *out.v);
    for (size_t n; *line; line += n + strspn(line + n, ", \r")) {
        n = strcspn(line, ", \r");
        out.v[out.n].text = jw_arena_text(a, line, n);
        out.n += jw_pyversion_parse(out.v[out.n].text, &out.v[out.n].version);
    }
    return out;
}

bool jw_pip_log_reason(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_err *err)
{
    static const char *const broken[] = { "connection broken by",
                                          "connection error: ", "There was a problem confirming the ssl" };
    const char *why;

    for (size_t i = 0; i < JW_COUNT(broken); i++)
        if (last_line(log, broken[i], a))
            return jw_fail(err, JW_E_NET, "the package index cannot be reached");
    if (last_line(log, ": 401 Client Error", a) || last_line(log, ": 403 Client Error", a))
        return jw_fail(err, JW_E_IO, "the package index denies access");
    if (last_line(log, ".tar.gz", a) || last_line(log, ".zip", a))
        return jw_fail(
            err, JW_E_FORMAT,
            "it has no wheel, only its source: build a wheel of it (pip wheel --no-deps %s) and scan that",
            name);
    if (last_line(log, "No matching distribution found", a))
        return jw_fail(err, JW_E_FORMAT, "the package index has no package of this name");
    why = last_line(log, "ERROR: ", a);
    return jw_fail(err, JW_E_NET, "%.300s", why && *why ? why : "pip failed");
}

/* ---- running it ---- */

void jw_pip_tags(const struct jw_wheel *w, struct jw_arena *a, const char *argv[JW_PIP_TAGS])
{
    const char *python = jw_wheel_tag(a, w->python);
    unsigned number = jw_wheel_python(python);
    size_t n = 0;

    argv[n++] = "--platform";
    argv[n++] = jw_wheel_tag(a, w->platform);
    argv[n++] = "--python-version";
    argv[n++] = strlen(python) > 3 ? jw_arena_printf(a, "%u.%u", number / 100, number % 100)
                                   : jw_arena_printf(a, "%u", number / 100);
    argv[n++] = "--implementation";
    argv[n++] = jw_arena_text(a, python, strlen(python) < 2 ? 0 : 2);
    argv[n++] = "--abi";
    argv[n++] = jw_wheel_tag(a, w->abi);
    argv[n] = NULL;
}

void jw_pip_platform(const struct jw_wheel_system *s, struct jw_arena *a, const char *argv[JW_PIP_TAGS])
{
    static const char *const linux_tags[] = { "manylinux_2_28", "manylinux_2_17", "manylinux2014" };
    size_t n = 0;

    if (s->windows != jw_os_is_windows())
        for (size_t i = 0; i < (s->windows ? 1 : JW_COUNT(linux_tags)); i++) {
            argv[n++] = "--platform";
            argv[n++] =
                s->windows ? jw_wheel_windows(s) : jw_arena_printf(a, "%s_%s", linux_tags[i], s->arch);
        }
    argv[n] = NULL;
}

struct command {
    const char *argv[MAX_ARGS];
    size_t n;
};

static void add_word(struct command *c, const char *word)
{
    if (c->n + 1 < MAX_ARGS)
        c->argv[c->n++] = word;
}

static bool prepare(const struct jw_pip_run *run, struct jw_arena *a, const char **tmp, struct jw_err *err)
{
    *tmp = jw_path_join(a, run->work, "tmp");
    return jw_make_private_dir(*tmp, err) || jw_wrap(err, "%.250s", *tmp);
}

static void add_words(struct command *c, const char *const *words)
{
    for (; *words; words++)
        add_word(c, *words);
}

static const char *const download[] = {
    "download", "--progress-bar",           "off",    "--no-deps", "--only-binary",
    ":all:",    "--ignore-requires-python", "--dest", NULL
};

/* The whole log, of a run that may have failed. */
static bool run_pip(const struct jw_pip_run *run, const char *const *verb, const char *const *tags,
                    const char *what, struct jw_arena *a, struct jw_buf *log, int *code, struct jw_err *err)
{
    static const char *const always[] = { "--no-input", "--quiet", "--disable-pip-version-check", "--log",
                                          NULL };
    const char *name = jw_path_join(a, run->work, "pip.log"), *tmp;
    struct jw_buf out = JW_BUF(MAX_OUTPUT);
    struct command c = { .n = 0 };
    bool found;

    if (!prepare(run, a, &tmp, err) || !jw_file_remove(name, err))
        return false;
    const struct jw_child_edit edits[] = {
        { "TMPDIR", tmp }, { "TEMP", tmp }, { "TMP", tmp }, { "PIP_LOG", NULL }
    };

    for (size_t i = 0; i < run->pip->n; i++)
        add_word(&c, run->pip->argv[i]);
    add_words(&c, verb);
    if (verb == download)
        add_word(&c, run->work);
    add_words(&c, always);
    add_word(&c, name);
    add_words(&c, tags);
    for (size_t i = 0; i < run->n_index; i++)
        add_word(&c, run->index[i]);
    add_word(&c, "--");
    add_word(&c, what);
    bool ok = jw_process_run(&(struct jw_process_options){ .exe = c.argv[0],
                                                           .argv = c.argv,
                                                           .timeout_ms = RUN_MS,
                                                           .edits = edits,
                                                           .n_edits = JW_COUNT(edits),
                                                           .interrupted = run->interrupted,
                                                           .look = run->look,
                                                           .ctx = run->ctx },
                             &out, code, err)
              || (err->code == JW_E_INTERRUPTED ? false : jw_wrap(err, "%s", run->pip->title));

    ok = ok && (jw_file_slurp(name, log, &found, err) || jw_wrap(err, "%.250s", name));
    jw_buf_free(&out);
    return ok;
}

bool jw_pip_list(const struct jw_pip_run *run, const struct jw_requirement *r,
                 const struct jw_wheel_system *s, struct jw_arena *a, struct jw_pip_listing *out,
                 struct jw_err *err)
{
    static const char *const versions[] = { "index", "versions", "--pre", NULL };
    const char *platform[JW_PIP_TAGS];
    struct jw_buf log = JW_BUF(MAX_LOG);
    int code;

    *out = (struct jw_pip_listing){ 0 };
    jw_pip_platform(s, a, platform);
    bool ok = run_pip(run, versions, platform, r->name, a, &log, &code, err)
              && jw_pip_log_wheels(jw_buf_bytes(&log), r->name, a, &out->wheels, &out->n, err);
    out->offers = jw_pip_log_offers(jw_buf_bytes(&log), a);
    out->unread = jw_pip_log_unread(jw_buf_bytes(&log), a);
    if (ok && out->n == 0)
        ok = jw_pip_log_reason(jw_buf_bytes(&log), r->name, a, err);
    jw_buf_free(&log);
    return ok;
}

bool jw_pip_fetch(const struct jw_pip_run *run, const struct jw_wheel *w, struct jw_arena *a,
                  const char **path, struct jw_err *err)
{
    const char *what = jw_arena_printf(a, "%s==%s", w->name, w->version_text), *tags[JW_PIP_TAGS];
    struct jw_buf log = JW_BUF(MAX_LOG);
    struct jw_file_info info;
    int code = 0;

    if (w->url && w->sha256)
        what = jw_arena_printf(a, "%s#sha256=%s", w->url, w->sha256);
    jw_pip_tags(w, a, tags);
    *path = jw_path_join(a, run->work, w->file);
    bool ok = run_pip(run, download, tags, what, a, &log, &code, err);

    if (ok && code != 0) {
        (void)jw_pip_log_reason(jw_buf_bytes(&log), w->name, a, err);
        if (err->code != JW_E_NET)
            err->code = JW_E_FORMAT;
        ok = false;
    }
    ok = ok && (jw_file_stat(*path, &info, err) || jw_wrap(err, "%.250s", *path))
         && (info.kind == JW_FILE_REGULAR
             || jw_fail(err, JW_E_FORMAT, "pip fetched another file than %.200s", w->file));
    jw_buf_free(&log);
    return ok;
}
