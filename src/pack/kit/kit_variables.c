/* The variables that a start was given. A pack shows them to others, so of a value it has one byte of a digest:
 * enough to see that another one is set here (one in 256 looks equal), too little to find out which, and nothing of
 * secrets. */
#include "base/limits.h"
#include "base/path.h"
#include "base/sort.h"
#include "os/machine/env.h"
#include "pack/kit/kit.h"

#include <string.h>

/* True for variables of logins, terminals, schedulers and secrets, and for those that name places, which are
 * compared themselves. */
static bool is_passed_over(const char *name)
{
    static const char *const of[] = {
        "_",         "HOME",         "USER",         "LOGNAME",   "USERNAME",     "MAIL",
        "SHELL",     "SHLVL",        "PWD",          "OLDPWD",    "TMPDIR",       "HOSTNAME",
        "HOST",      "TERM*",        "COLORTERM",    "LS_*",      "LESS*",        "PS[0-9]",
        "WINDOWID",  "DISPLAY",      "WAYLAND_*",    "DBUS_*",    "SSH_*",        "SUDO_*",
        "XDG_S*",    "XDG_RUNTIME*", "XAUTHORITY",   "*KEY*",     "*TOKEN*",      "*SECRET*",
        "*PASS*",    "*CRED*",       "*AUTH*",       "JITWARM_*", "CUDA_CACHE_*", "INVOCATION_ID",
        "JOURNAL_*", "SYSTEMD_*",    "KUBERNETES_*", "*_PORT",    "*_PORT_*",     "*_SERVICE_HOST",
        "SLURM*",    "VIRTUAL_ENV*", "CONDA_*"
    };

    for (size_t i = 0; i < JW_COUNT(of); i++)
        if (jw_path_match(of[i], name))
            return true;
    return false;
}

const char *jw_kit_variables(struct jw_arena *a)
{
    const char *const *all = NULL, **list, *words = NULL;
    struct jw_err ignored;
    size_t n_all = 0, n = 0;

    if (!jw_env_all(a, &all, &n_all, &ignored))
        n_all = 0;
    list = jw_arena_alloc(a, (n_all + 1) * sizeof *list);
    for (size_t i = 0; i < n_all && n < JW_MAX_KIT_VARIABLES; i++) {
        const char *value = strchr(all[i], '=');
        const char *name;
        uint8_t digest[JW_DIGEST];

        if (!value)
            continue;
        name = jw_arena_text(a, all[i], (size_t)(value - all[i]));
        if (is_passed_over(name))
            continue;
        jw_digest(digest, value + 1, strlen(value + 1));
        list[n] = jw_arena_printf(a, "%s=%02x", name, digest[0]);
        n += jw_kit_variables_plain(list[n]);
    }
    jw_sort(list, n, sizeof *list, jw_by_text);
    for (size_t i = 0; i < n; i++)
        words = words ? jw_arena_printf(a, "%s %s", words, list[i]) : list[i];
    return words;
}

struct names {
    struct jw_arena *a;
    const char *words;
    size_t n;
};

enum { SHOWN = 6, DIGITS = 3 };

/* The names of `of` that `other` has not; `both`: or has with another value. */
static void compare(struct names *x, const char *of, const char *other, const char *without, bool both)
{
    const char *all = jw_arena_printf(x->a, " %s ", other);

    for (size_t n; *of; of += n + (of[n] == ' ')) {
        n = strcspn(of, " ");
        const char *word = jw_arena_printf(x->a, " %.*s ", (int)n, of);
        bool there = strstr(all, jw_arena_printf(x->a, " %.*s", (int)(n - DIGITS + 1), of)) != NULL;

        if (!strstr(all, word) && (!there || both) && x->n++ < SHOWN)
            x->words = jw_arena_printf(x->a, "%s%s%.*s%s", x->words, *x->words ? ", " : "", (int)n - DIGITS,
                                       of, there ? "" : without);
    }
}

const char *jw_kit_variables_differ(const struct jw_kit *then, const struct jw_kit *now, struct jw_arena *a)
{
    const char *before = then->variables ? then->variables : "";
    const char *here = now->variables ? now->variables : "";
    struct names x = { a, "", 0 };

    compare(&x, before, here, " is not set here", true);
    compare(&x, here, before, " is set here alone", false);
    return x.n ? jw_arena_printf(a, "variables (%s%s)", x.words, x.n > SHOWN ? ", and more" : "") : NULL;
}
