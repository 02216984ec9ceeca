#include "setup/login/login_env.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "facts/env_defaults.h"
#include "machine/listing.h"
#include "machine/settings.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

bool jw_login_wants(const char *name)
{
    const struct jw_setting *s = jw_setting_find(name);

    /* Variables that name places of software: jw_discover_shell. */
    static const char *const of_places[] = { "PYTHONPATH",
                                             "VIRTUAL_ENV",
                                             "CONDA_PREFIX",
                                             "PYENV_ROOT",
                                             "MAMBA_ROOT_PREFIX",
                                             "WORKON_HOME",
                                             "POETRY_VIRTUALENVS_PATH",
                                             "ASDF_DATA_DIR",
                                             "MISE_DATA_DIR",
                                             "XDG_CACHE_HOME" };

    return (s && s->login) || jw_text_starts(name, "CUDA_") || strcmp(name, "LD_PRELOAD") == 0
           || strcmp(name, "LD_AUDIT") == 0 || jw_text_among(name, of_places, JW_COUNT(of_places))
           || jw_moves_compiler_cache(name);
}

static bool take_variable(struct jw_bytes variable, const char *origin, struct jw_arena *a,
                          struct jw_env_set *s, struct jw_err *err)
{
    const uint8_t *equals = variable.n ? memchr(variable.p, '=', variable.n) : NULL;
    size_t n = equals ? (size_t)(equals - variable.p) : 0;

    if (!n)
        return true;

    const char *name = jw_arena_text(a, (const char *)variable.p, n);
    const char *value = jw_arena_text(a, (const char *)equals + 1, variable.n - n - 1);

    return jw_env_set_put(s, name, value, origin, a, err);
}

static bool add_read_file(const char *path, struct jw_arena *a, struct jw_listing *files, struct jw_err *err)
{
    const char **slot;

    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->names[i], path) == 0)
            return true;
    slot = files->n < JW_MAX_LOGIN_FILES
               ? jw_list_add(a, &files->names, &files->n, sizeof *slot, JW_MAX_LISTED, err)
               : NULL;
    if (slot)
        *slot = path;
    return slot || files->n >= JW_MAX_LOGIN_FILES;
}

/* No folder, and no device. */
static bool is_file_or_absent(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return !jw_file_stat(path, &info, &ignored) || info.kind == JW_FILE_REGULAR || info.kind == JW_FILE_NONE;
}

/* "+ . /home/ada/.gpu.sh", "++ '[' -f /etc/debian_chroot ']'"; zsh begins a line with "+/home/ada/.zshrc:3> ". */
bool jw_login_files_of(struct jw_bytes output, struct jw_arena *a, struct jw_listing *files,
                       struct jw_err *err)
{
    static const char *const systems[] = { "/proc/", "/sys/" };
    static const char ends[] = " \t\n'\"`;()[]<>|&";
    char path[4096];

    for (size_t at = 0; at < output.n;) {
        size_t n = 0;
        bool line = at == 0 || output.p[at - 1] == '\n';

        while (line && at < output.n && output.p[at] == '+')
            at++;
        while (at + n < output.n && output.p[at + n] && !strchr(ends, output.p[at + n]))
            n++;
        if (n > 1 && n < sizeof path && output.p[at] == '/') {
            memcpy(path, output.p + at, n);
            path[n] = '\0';
            char *colon = line ? strchr(path, ':') : NULL;
            bool of_system = false;

            if (colon)
                *colon = '\0';
            for (size_t i = 0; i < JW_COUNT(systems); i++)
                of_system |= jw_text_starts(path, systems[i]);
            if (!of_system && is_file_or_absent(path) && !add_read_file(jw_arena_str(a, path), a, files, err))
                return false;
        }
        at += n + 1;
    }
    return true;
}

bool jw_login_parse(struct jw_bytes output, const char *origin, struct jw_arena *a, struct jw_env_set *s,
                    bool *found, struct jw_err *err)
{
    const struct jw_bytes begin = JW_BYTES(JW_LOGIN_MARK "\n"), end = JW_BYTES("\0" JW_LOGIN_MARK);
    size_t at = jw_find(output, begin);

    *found = false;
    if (at == output.n)
        return true;
    output = (struct jw_bytes){ output.p + at + begin.n, output.n - at - begin.n };
    at = jw_find(output, end);
    if (at == output.n)
        return true;
    *found = true;
    for (output.n = at + 1; output.n;) {
        size_t n = (size_t)((const uint8_t *)memchr(output.p, '\0', output.n) - output.p);

        if (!take_variable((struct jw_bytes){ output.p, n }, origin, a, s, err))
            return false;
        output = (struct jw_bytes){ output.p + n + 1, output.n - n - 1 };
    }
    return true;
}

/* True if the text behind "NAME=" is that value, and nothing more. */
static bool is_value(struct jw_bytes text, const char *value)
{
    size_t n = strlen(value);

    if (text.n && (*text.p == '"' || *text.p == '\''))
        text = (struct jw_bytes){ text.p + 1, text.n - 1 };
    return text.n >= n && memcmp(text.p, value, n) == 0 && (text.n == n || strchr(" \t;&)\"'\r", text.p[n]));
}

/* `value`: only to that one; NULL: to any. */
static bool sets(struct jw_bytes line, const char *name, const char *value)
{
    const uint8_t *comment = line.n ? memchr(line.p, '#', line.n) : NULL;
    size_t n = strlen(name);

    line.n = comment ? (size_t)(comment - line.p) : line.n;
    for (size_t at = 0; at + n < line.n; at++)
        if (line.p[at + n] == '=' && memcmp(line.p + at, name, n) == 0
            && (at == 0 || strchr(" \t;&(\"'", line.p[at - 1]))
            && (!value || is_value((struct jw_bytes){ line.p + at + n + 1, line.n - at - n - 1 }, value)))
            return true;
    return false;
}

static bool has_line_for(const char *path, const char *name, const char *value)
{
    struct jw_buf text = JW_BUF(JW_MAX_CONF);
    struct jw_err ignored;
    bool found = false, has = false;

    if (jw_is_file(path) && jw_file_slurp(path, &text, &found, &ignored) && found)
        for (size_t at = 0, n; at < text.n && !has; at += n + 1) {
            const uint8_t *end = memchr(text.p + at, '\n', text.n - at);

            n = end ? (size_t)(end - text.p) - at : text.n - at;
            has = sets((struct jw_bytes){ text.p + at, n }, name, value);
        }
    jw_buf_free(&text);
    return has;
}

/* The last file that a login reads wins. Files with this very value come first; if there is none, all count,
 * because a value may be made from other variables. */
static const char *file_that_sets(const struct jw_login_env *login, const struct jw_env_difference *d)
{
    const char *last = NULL, *with_value = NULL;

    if (!d->login)
        return NULL;
    if (d->origin && *d->origin == '/')
        return d->origin;
    for (size_t i = 0; i < login->files.n && !jw_os_is_windows(); i++)
        if (has_line_for(login->files.names[i], d->name, NULL)) {
            last = login->files.names[i];
            with_value = has_line_for(last, d->name, d->login) ? last : with_value;
        }
    return with_value ? with_value : last;
}

static bool means_same(const struct jw_setting *s, const char *a, const char *b)
{
    return jw_setting_same(s, a, b)
           || (s->place && !s->on_off && a && b && *a && *b && jw_is_same_folder(a, b));
}

static void compare_variable(const struct jw_login_env *login, const struct jw_setting *s, struct jw_arena *a,
                             struct jw_env_difference *d)
{
    const struct jw_env_value *there = jw_env_set_find(&login->sets, s->name);

    *d = (struct jw_env_difference){ .name = s->name, .replaced = login->replaced };
    if (jw_env_has(s->name))
        d->current = jw_env(a, s->name);
    if (there) {
        d->login = there->value;
        d->origin = there->origin;
    }
    d->terminal_agrees =
        login->terminal_known && means_same(s, jw_env_set_value(&login->terminal, s->name), d->current);
}

const char *jw_login_name(bool terminal)
{
    return terminal ? "a new terminal" : "a fresh login";
}

/* It follows a folder of the user, where no variable names the cache. */
static bool is_overruled(const struct jw_login_env *login, const struct jw_setting *s, struct jw_arena *a)
{
    const struct jw_setting *path = jw_setting_find("CUDA_CACHE_PATH");
    const char *here = jw_env(a, path->name), *there = jw_env_set_value(&login->sets, path->name);

    return s->place && !s->receipt && here && *here && there && means_same(path, here, there);
}

enum jw_login_weight jw_login_weighs(const struct jw_env_difference *d, bool container)
{
    if (!container)
        return JW_LOGIN_COUNTS;
    return d->login && strcmp(d->name, "HOME") != 0 ? JW_LOGIN_NOTED : JW_LOGIN_PASSED;
}

/* The login agrees. Does an interactive shell? */
static bool differs_in_terminal(const struct jw_login_env *login, struct jw_env_difference *d)
{
    if (!login->terminal_known || d->terminal_agrees)
        return false;
    d->terminal_only = true;
    d->login = jw_env_set_value(&login->terminal, d->name);
    d->origin = NULL;
    return true;
}

/* A limit that terminals have, and that the login's own is no less than. */
static bool is_less_in_terminal(const struct jw_login_env *login, const struct jw_setting *s,
                                const struct jw_env_difference *d)
{
    const char *terminal = jw_env_set_value(&login->terminal, s->name);
    uint64_t bytes, most = jw_cache_limits().since;

    return strcmp(s->name, "CUDA_CACHE_MAXSIZE") == 0 && terminal && jw_text_u64(terminal, &bytes)
           && ((d->login && !jw_text_u64(d->login, &most)) || bytes < most);
}

void jw_login_difference(const struct jw_login_env *login, const char *name, bool terminal,
                         struct jw_arena *a, struct jw_env_difference *out)
{
    compare_variable(login, jw_setting_find(name), a, out);
    if (terminal)
        (void)differs_in_terminal(login, out);
    out->file = file_that_sets(login, out);
}

void jw_login_compare(const struct jw_login_env *login, struct jw_arena *a, struct jw_env_difference **out,
                      size_t *n)
{
    size_t most = 0;

    for (const struct jw_setting *s = jw_setting_next(NULL); s; s = jw_setting_next(s))
        most += s->login;
    *n = 0;
    *out = jw_arena_alloc(a, most * sizeof **out);
    for (const struct jw_setting *s = jw_setting_next(NULL); s && login->known; s = jw_setting_next(s)) {
        struct jw_env_difference *d = *out + *n;

        if (!s->login || is_overruled(login, s, a))
            continue;
        compare_variable(login, s, a, d);
        if (!(is_less_in_terminal(login, s, d) && differs_in_terminal(login, d))
            && means_same(s, d->current, d->login)
            && !((s->place || s->on_off || jw_setting_is_of_gpus(s->name)) && s->receipt
                 && differs_in_terminal(login, d)))
            continue;
        d->file = file_that_sets(login, d);
        ++*n;
    }
}
