#include "setup/env/env_files.h"

#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"

#include <string.h>

struct finder {
    const struct env_where *w;
    struct jw_arena *a;
    struct env_file *out;
    size_t n;
};

static struct env_file *add_file(struct finder *f, const char *folder, const char *name,
                                 enum jw_env_form form)
{
    struct env_file *file = &f->out[f->n++];

    *file = (struct env_file){ .path = jw_path_join(f->a, folder, name), .form = form };
    return file;
}

static void add_own(struct finder *f, const char *folder, const char *name, enum jw_env_form form,
                    bool wanted)
{
    struct env_file *file = add_file(f, folder, name, form);

    file->is_jitwarms = true;
    file->wanted = wanted;
}

static bool path_exists(const char *path)
{
    struct jw_file_info info;
    struct jw_err ignored = { 0 };

    return jw_file_stat(path, &info, &ignored) && info.kind != JW_FILE_NONE;
}

/* ---- for one user ---- */

/* bash reads the first of these that exists, and so wants the last of none. */
static void add_bash(struct finder *f, bool bash)
{
    static const char *const names[] = { ".bash_profile", ".bash_login", ".profile" };
    bool found = false;

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct env_file *file = add_file(f, f->w->home, names[i], JW_ENV_SH);
        bool last = i + 1 == JW_COUNT(names);

        file->wanted = bash && !found && (last || path_exists(file->path));
        found = found || file->wanted;
    }
}

static void add_zsh(struct finder *f, bool zsh)
{
    const char *moved = f->w->zdotdir && jw_path_absolute(f->w->zdotdir) ? f->w->zdotdir : NULL;

    add_file(f, f->w->home, ".zshenv", JW_ENV_SH)->wanted = zsh && !moved;
    if (moved && strcmp(moved, f->w->home) != 0)
        add_file(f, moved, ".zshenv", JW_ENV_SH)->wanted = zsh;
}

static void find_user_files(struct finder *f, struct jw_notes *notes)
{
    static const char *const read_profile[] = {
        "sh", "dash", "ash", "ksh", "ksh93", "mksh", "yash", "busybox"
    };
    const char *shell = f->w->shell ? jw_path_base(f->w->shell) : "sh";
    bool fish = strcmp(shell, "fish") == 0, zsh = strcmp(shell, "zsh") == 0;
    bool bash = strcmp(shell, "bash") == 0 || strcmp(shell, "rbash") == 0;

    add_own(f, f->w->home, ".config/environment.d/50-jitwarm.conf", JW_ENV_ENVIRONMENT_D, true);
    add_own(f, f->w->home, ".config/fish/conf.d/jitwarm.fish", JW_ENV_FISH, fish);
    add_zsh(f, zsh);
    add_bash(f, bash);
    if (fish || zsh || bash)
        return;
    f->out[f->n - 1].wanted = true;
    if (!jw_text_among(shell, read_profile, JW_COUNT(read_profile)))
        jw_note(notes, f->a, "jitwarm does not know the login shell %.100s: make it read ~/.profile",
                f->w->shell);
}

/* ---- for the machine ---- */

static void find_system_files(struct finder *f, struct jw_notes *notes)
{
    const char *root = *f->w->sysroot ? f->w->sysroot : "/";

    add_own(f, root, "etc/environment.d/50-jitwarm.conf", JW_ENV_ENVIRONMENT_D, true);
    add_own(f, root, "etc/fish/conf.d/jitwarm.fish", JW_ENV_FISH,
            path_exists(jw_path_join(f->a, root, "etc/fish")));
    add_own(f, root, "etc/profile.d/jitwarm.sh", JW_ENV_SH, true);
    jw_note(notes, f->a,
            "services read none of these files: set Environment= in their units. Users of zsh and csh run "
            "jitwarm env apply themselves");
}

size_t env_files_find(const struct env_where *w, struct jw_arena *a, struct env_file out[ENV_FILES_MAX],
                      struct jw_notes *notes)
{
    struct finder f = { w, a, out, 0 };

    if (w->system)
        find_system_files(&f, notes);
    else if (w->home)
        find_user_files(&f, notes);
    return f.n;
}
