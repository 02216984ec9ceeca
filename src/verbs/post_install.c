#include "verbs/post_install.h"

#include "base/num.h"
#include "cache/place/cache_disk.h"
#include "machine/login.h"
#include "prime/look.h"

#include <string.h>

/* Finds the user to prime for; NULL: the user of this process. False: there is none. */
static bool find_whose(struct jw_session *s, const char **user, const char **says)
{
    const struct jw_whoami *who = jw_session_user(s);

    *user = NULL;
    if (s->as_root || !jw_session_is_root(s))
        return true;
    *user = who->behind;
    if (!who->behind)
        *says = "Nothing was primed: no user but root is known behind this. Each user runs jitwarm "
                "prime.";
    else if (!who->behind_home || !jw_is_folder(who->behind_home))
        *says = jw_arena_printf(s->a, "Nothing was primed: the home of %s, %s, does not exist.",
                                who->behind, who->behind_home ? who->behind_home : "(none)");
    else
        return true;
    return false;
}

/* The words of the prime; its working folder is another. NULL: see err. */
static const char **words_of(const struct jw_session *s, struct jw_texts paths, struct jw_err *err)
{
    static const char *const first[] = {NULL,    "prime",   "--background",
                                        "--yes", "--quiet", "--as-root"};
    struct jw_buf self = JW_BUF_IN(s->a, JW_MAX_PATH);
    size_t n = JW_COUNT(first) - !s->as_root;
    const char **words = jw_arena_alloc(s->a, (n + paths.n + 1) * sizeof *words);

    if (!jw_process_self(&self, err))
        return NULL;
    memcpy(words, first, n * sizeof *words);
    words[0] = jw_buf_cstr(&self);
    for (size_t i = 0; i < paths.n; i++)
        if (!jw_root_path(paths.v[i], s->a, &words[n + i], err)
            || (jw_is_absent(words[n + i])
                && !jw_fail(err, JW_E_USAGE, "%s does not exist", words[n + i])))
            return NULL;
    return words;
}

/* Would a prime be unable to write? Of another user's cache the disk alone is known. */
static bool is_in_vain(struct jw_session *s, const char *user, const char **says)
{
    struct jw_facts f = jw_scope_facts(s, &(struct jw_want){0}, s->a);
    struct jw_cache_disk p;

    if (user) {
        jw_cache_disk(jw_session_user(s)->behind_home, s->a, &p);
        f = (struct jw_facts){
            .cache = {.mount = p.mount, .free = p.disk.free, .spare = jw_spare(p.disk.total)}};
    }
    f.cache.max_size = NULL;
    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++)
        if (c->end == JW_END_CANNOT_WRITE && c->is(&f)) {
            *says = jw_arena_printf(s->a, "No prime was started. %s: %s. Mend it: jitwarm doctor.",
                                    c->text, c->seen(&f, s->a));
            return true;
        }
    return false;
}

bool jw_post_install(struct jw_session *s, struct jw_texts paths, const char **says)
{
    struct jw_err err = {0};
    const char *user, **words;
    const char *const *line;

    if (!find_whose(s, &user, says))
        return true;
    /* Only files are read: nothing is loaded, and no GPU is woken. */
    if (!jw_session_gpus(s)->driver && !jw_session_driver_file(s)->found) {
        *says = "Nothing was started: there is no NVIDIA driver here. When there is one, run "
                "jitwarm prime.";
        return true;
    }
    if (is_in_vain(s, user, says))
        return false;
    words = user || jw_login_check_home(s->a, &err) ? words_of(s, paths, &err) : NULL;
    line = words ? jw_login_run(words, user, s->a, &err) : NULL;
    if (line
        && jw_process_detach(&(struct jw_command){.exe = line[0], .argv = line, .user = user},
                             &err)) {
        *says = jw_arena_printf(s->a,
                                "A prime starts in the background%s%s, into the cache of a fresh "
                                "login (jitwarm env): jitwarm status shows it in a moment, or why "
                                "not.",
                                user ? " for " : "", user ? user : "");
        return true;
    }
    *says = jw_arena_printf(s->a, "No prime was started: %s. Run jitwarm prime yourself.", err.msg);
    return false;
}
