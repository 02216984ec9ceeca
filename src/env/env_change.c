#include "env/env_change.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"

#include <string.h>

#define PLACE "CUDA_CACHE_PATH"
#define CONF_FILE ".config/environment.d/50-jitwarm.conf"
#define SH_FILE ".config/jitwarm/env.sh"
#define CSH_FILE ".config/jitwarm/env.csh"
#define FISH_FILE ".config/fish/conf.d/jitwarm.fish"

struct planner {
    const struct jw_env_where *w;
    const struct jw_env_setting *settings;
    size_t n;
    struct jw_arena *a;
    struct jw_env_targets *out;
    struct jw_err *err;
};

/* The line for a profile. */
static const char *profile_line(enum jw_env_form form)
{
    return form == JW_ENV_CSH ? "if ( -r \"$HOME/" CSH_FILE "\" ) source \"$HOME/" CSH_FILE "\" " JW_ENV_TAIL
                                "\n"
                              : "[ ! -r \"$HOME/" SH_FILE "\" ] || . \"$HOME/" SH_FILE "\" " JW_ENV_TAIL "\n";
}

static bool add_target(struct planner *k, const char *path, const char *block)
{
    struct jw_env_target *t = jw_list_add(k->a, &k->out->v, &k->out->n, sizeof *t, 64, k->err);

    if (!t)
        return false;
    *t = (struct jw_env_target){ path, block };
    return true;
}

/* Creates a missing folder; does not use another user's, who could fill it. */
static void put_guarded(struct jw_buf *out, const char *place)
{
    jw_buf_text(out, "jitwarm_d=");
    jw_text_shell_word(out, place, false);
    jw_buf_text(out, "\n[ -d \"$jitwarm_d\" ] || mkdir -m 700 \"$jitwarm_d\" 2>/dev/null\n"
                     "if [ -d \"$jitwarm_d\" ] && [ ! -h \"$jitwarm_d\" ] && [ -O \"$jitwarm_d\" ]; then "
                     "export " PLACE "=\"$jitwarm_d\"; fi\nunset jitwarm_d\n");
}

static void put_guarded_fish(struct jw_buf *out, const char *line)
{
    jw_buf_text(out, line);
    jw_buf_text(out,
                "test -d \"$" PLACE "\"; or mkdir -m 700 \"$" PLACE "\" 2>/dev/null\n"
                "if not test -d \"$" PLACE "\"; or test -L \"$" PLACE "\"; or not test -O \"$" PLACE "\"; "
                "set -e " PLACE "; end\n");
}

static bool put_line(struct planner *k, enum jw_env_form form, const struct jw_env_setting *s,
                     struct jw_buf *out)
{
    struct jw_buf line = JW_BUF(JW_MAX_LINE);
    bool guarded = k->w->guarded && strcmp(s->name, PLACE) == 0, ok;

    if (guarded && form == JW_ENV_SH) {
        put_guarded(out, s->value);
        return true;
    }
    /* environment.d and csh cannot check the owner. */
    if (guarded && form != JW_ENV_FISH)
        return true;
    ok = jw_env_put(form, s->name, s->value, &line, k->err);
    if (ok && guarded)
        put_guarded_fish(out, jw_buf_cstr(&line));
    else if (ok)
        jw_buf_text(out, jw_buf_cstr(&line));
    jw_buf_free(&line);
    return ok;
}

/* A file that jitwarm owns. */
static bool add_own(struct planner *k, const char *path, enum jw_env_form form)
{
    struct jw_buf block = JW_BUF(JW_MAX_LINE);
    bool ok = true;
    size_t empty;

    jw_buf_text(&block, JW_ENV_HEADER "\n");
    empty = block.n;
    for (size_t i = 0; ok && i < k->n; i++)
        ok = put_line(k, form, &k->settings[i], &block);
    ok = ok && jw_buf_ok(&block, k->err);
    if (ok && block.n > empty)
        ok = add_target(k, path, jw_arena_text(k->a, (const char *)block.p, block.n));
    jw_buf_free(&block);
    return ok;
}

static bool path_exists(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored = { 0 };

    return jw_file_stat(path, &info, &ignored) && info.kind != JW_FILE_NONE;
}

/* ---- the user, Linux ---- */

/* bash reads the first existing one at a login. */
static const char *bash_profile(struct planner *k)
{
    static const char *const names[] = { ".bash_profile", ".bash_login" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        const char *path = jw_path_join(k->a, k->w->home, names[i]);

        if (path_exists(path))
            return path;
    }
    return jw_path_join(k->a, k->w->home, ".profile");
}

static bool plan_shell(struct planner *k)
{
    static const char *const posix[] = { "sh", "dash", "ash", "ksh", "ksh93", "mksh", "yash", "busybox" },
                             *const csh[] = { "csh", "tcsh" };
    const char *shell = k->w->shell ? jw_path_base(k->w->shell) : "sh", *home = k->w->home, *own, *profile;
    enum jw_env_form form = JW_ENV_SH;

    if (strcmp(shell, "fish") == 0)
        return add_own(k, jw_path_join(k->a, home, FISH_FILE), JW_ENV_FISH);
    if (jw_text_among(shell, csh, JW_COUNT(csh))) {
        form = JW_ENV_CSH;
        profile = jw_path_join(k->a, home, ".login");
    } else if (strcmp(shell, "zsh") == 0) {
        profile = jw_path_join(k->a, k->w->zdotdir && jw_path_absolute(k->w->zdotdir) ? k->w->zdotdir : home,
                               ".zshenv");
    } else if (strcmp(shell, "bash") == 0 || strcmp(shell, "rbash") == 0) {
        profile = bash_profile(k);
    } else {
        profile = jw_path_join(k->a, home, ".profile");
        if (!jw_text_among(shell, posix, JW_COUNT(posix)))
            jw_note(&k->out->notes, k->a,
                    "jitwarm does not know the login shell %.100s: make it read ~/.profile, or "
                    "~/.config/jitwarm/env.sh",
                    k->w->shell);
    }
    own = jw_path_join(k->a, home, form == JW_ENV_CSH ? CSH_FILE : SH_FILE);
    return add_own(k, own, form) && add_target(k, profile, profile_line(form));
}

/* ---- the machine, Linux ---- */

static const struct {
    const char *needs, *path;
    enum jw_env_form form;
} files[] = { { NULL, "etc/environment.d/50-jitwarm.conf", JW_ENV_ENVIRONMENT_D },
              { NULL, "etc/profile.d/jitwarm.sh", JW_ENV_SH },
              { "etc/csh.cshrc", "etc/profile.d/jitwarm.csh", JW_ENV_CSH },
              { "etc/fish", "etc/fish/conf.d/jitwarm.fish", JW_ENV_FISH } };

static bool plan_system(struct planner *k)
{
    const char *root = *k->w->sysroot ? k->w->sysroot : "/", *zsh = jw_path_join(k->a, root, "etc/zsh");

    for (size_t i = 0; i < JW_COUNT(files); i++) {
        const char *needs = files[i].needs ? jw_path_join(k->a, root, files[i].needs) : NULL;

        if ((!needs || path_exists(needs))
            && !add_own(k, jw_path_join(k->a, root, files[i].path), files[i].form))
            return false;
    }
    if (path_exists(zsh))
        jw_note(&k->out->notes, k->a,
                "zsh may not read /etc/profile.d: users of zsh run jitwarm env apply themselves");
    jw_note(&k->out->notes, k->a,
            "system services read neither file: jitwarm env --shell systemd prints lines for a unit");
    return true;
}

bool jw_env_targets(const struct jw_env_where *w, const struct jw_env_setting *settings, size_t n,
                    struct jw_arena *a, struct jw_env_targets *out, struct jw_err *err)
{
    struct planner k = { w, settings, n, a, out, err };

    *out = (struct jw_env_targets){ 0 };
    if (w->scope == JW_ENV_SYSTEM)
        return plan_system(&k);
    if (w->guarded)
        jw_note(&out->notes, a,
                "services of this user's systemd do not get " PLACE
                ": a file of environment.d cannot check the folder's owner");
    return add_own(&k, jw_path_join(a, w->home, CONF_FILE), JW_ENV_ENVIRONMENT_D) && plan_shell(&k);
}

void jw_env_candidates(const struct jw_env_where *w, struct jw_arena *a, const char ***out, size_t *n,
                       size_t *n_own)
{
    static const char *const user[] = { CONF_FILE,       SH_FILE,       CSH_FILE, FISH_FILE, ".profile",
                                        ".bash_profile", ".bash_login", ".login", ".zshenv" };
    bool system = w->scope == JW_ENV_SYSTEM, zsh = !system && w->zdotdir && jw_path_absolute(w->zdotdir);
    const char *root = !system ? w->home : *w->sysroot ? w->sysroot : "/";
    size_t known = system ? JW_COUNT(files) : JW_COUNT(user);

    *n = 0;
    *n_own = 4;
    *out = jw_arena_alloc(a, (known + 1) * sizeof **out);
    for (size_t i = 0; root && i < known; i++)
        (*out)[(*n)++] = jw_path_join(a, root, system ? files[i].path : user[i]);
    if (zsh)
        (*out)[(*n)++] = jw_path_join(a, w->zdotdir, ".zshenv");
}

/* ---- a block in a text ---- */

#define JOINT " (and the line break before it)"

static bool line_ends(struct jw_bytes line, const char *with)
{
    size_t n = strlen(with);

    return line.n >= n && memcmp(line.p + line.n - n, with, n) == 0;
}

static struct jw_bytes line_at(struct jw_bytes now, size_t at)
{
    struct jw_bytes rest = { now.p + at, now.n - at };

    rest.n = jw_find(rest, JW_BYTES("\n"));
    return rest;
}

static bool sets_ours(struct jw_bytes line)
{
    return jw_find(line, JW_BYTES("CUDA_CACHE_")) < line.n || jw_find(line, JW_BYTES("jitwarm_d")) < line.n;
}

static size_t behind(struct jw_bytes now, size_t at)
{
    size_t n = at + line_at(now, at).n;

    return n + (n < now.n);
}

struct jw_env_block jw_env_block_find(struct jw_bytes now)
{
    for (size_t at = 0; at < now.n; at = behind(now, at)) {
        struct jw_bytes line = line_at(now, at);
        struct jw_env_block b = { at, behind(now, at), line_ends(line, JOINT) };

        line.n -= b.joint ? strlen(JOINT) : 0;
        if (line_ends(line, JW_ENV_TAIL))
            return b;
        if (line.n != strlen(JW_ENV_HEADER) || !line_ends(line, JW_ENV_HEADER))
            continue;
        while (b.to < now.n && sets_ours(line_at(now, b.to)))
            b.to = behind(now, b.to);
        return b;
    }
    return (struct jw_env_block){ 0 };
}

static void copy_part(struct jw_buf *out, struct jw_bytes now, size_t from, size_t to)
{
    if (to > from)
        jw_buf_add(out, now.p + from, to - from);
}

static void put_block(struct jw_buf *out, const char *block, bool joint)
{
    size_t first = strcspn(block, "\n");

    jw_buf_add(out, block, first);
    jw_buf_text(out, joint ? JOINT : "");
    jw_buf_text(out, block + first);
}

bool jw_env_edit_put(struct jw_bytes now, bool exists, const char *block, struct jw_buf *after, bool *same,
                     struct jw_err *err)
{
    struct jw_env_block b = jw_env_block_find(now);

    if (!b.to) {
        b = (struct jw_env_block){ now.n, now.n, exists && (!now.n || now.p[now.n - 1] != '\n') };
        copy_part(after, now, 0, now.n);
        jw_buf_text(after, b.joint ? "\n" : "");
    } else {
        copy_part(after, now, 0, b.from);
    }
    put_block(after, block, b.joint);
    copy_part(after, now, b.to, now.n);
    *same = exists && after->n == now.n && (!now.n || memcmp(after->p, now.p, now.n) == 0);
    return jw_buf_ok(after, err);
}

bool jw_env_edit_take(struct jw_bytes now, struct jw_env_block b, struct jw_buf *after, struct jw_err *err)
{
    copy_part(after, now, 0, b.from - (b.joint && b.from && b.to == now.n));
    copy_part(after, now, b.to, now.n);
    return jw_buf_ok(after, err);
}
