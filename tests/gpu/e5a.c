/*
 * E5a, portability on one machine: a copy of a warm folder at another path, with other times, modes and owners, and at
 * the default place below another HOME.
 */
#include "lab.h"

#include "base/path.h"
#include "os/files/file.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES = 4, FIRST_N = 503, NOBODY = 65534, OPEN_FOLDERS = 16 };

struct moving {
    struct lab *l;
    const char *files[MODULES], *warm;
    unsigned steps, cold_ms, cold_us[MODULES], slow;
};

static int open_up(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    return chmod(path, type == FTW_D ? 0755 : 0644);
}

static int give_away(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return lchown(path, NOBODY, NOBODY);
}

static bool all(const char *root, int (*fn)(const char *, const struct stat *, int, struct FTW *),
                struct jw_err *err)
{
    return nftw(root, fn, OPEN_FOLDERS, FTW_PHYS) == 0
           || jw_fail(err, JW_E_IO, "%s: modes cannot be changed", root);
}

static bool load_all(struct moving *t, struct lab_step *s, struct lab_done *done, struct jw_err *err)
{
    s->loading = "EAGER";
    s->ops[0] = "context";
    for (unsigned i = 0; i < MODULES; i++)
        s->ops[1 + i] = lab_op_text(t->l, "data", t->files[i]);
    return lab_run(t->l, s, done, err);
}

static unsigned say_hits(struct moving *t, const struct lab_done *done)
{
    unsigned hits = 0, slow = 0;

    for (size_t i = 1; i < done->n; i++) {
        const struct lab_op *op = &done->ops[i];
        bool hit = op->code == 0 && !op->fresh && !op->changed;

        hits += hit;
        slow += hit && t->cold_ms && op->us > t->cold_us[i - 1] / 5;
    }
    jw_json_number(&t->l->json, "modules", MODULES);
    jw_json_number(&t->l->json, "hits", hits);
    t->slow = slow;
    jw_json_number(&t->l->json, "slow_hits", slow);
    jw_json_bool(&t->l->json, "timed", t->cold_ms != 0);
    return hits;
}

static void judge(struct moving *t, const char *step, const struct lab_done *done, unsigned hits)
{
    enum lab_says says = hits == MODULES ? LAB_CONFIRMED : LAB_CONTRADICTED;
    struct lab *l = t->l;
    bool reader = strcmp(step, "user-reader") == 0;

    if (!lab_all_zero(done))
        lab_finds(l, "F60-portable", LAB_NOT_TESTABLE, "the modules could not be loaded: %s", done->how);
    else if (reader) /* nothing can be stored: without times a miss looks like a hit */
        lab_finds(l, "F64-read-only-hits", t->cold_ms ? LAB_ANSWERED : LAB_NOT_TESTABLE,
                  "another user who may only read: %u of %u in a fifth of the time", hits - t->slow,
                  (unsigned)MODULES);
    else
        lab_finds(l, "F60-portable", says, "%u hits of %u modules", hits, (unsigned)MODULES);
    if (strcmp(step, "home") == 0)
        lab_finds(l, "F61-default-place", says, "%u hits below another HOME", hits);
}

static bool ask(struct moving *t, struct lab_step *s, const char *step, const char *what, struct jw_err *err)
{
    struct lab_done done;

    if (!load_all(t, s, &done, err))
        return false;
    lab_say(t->l, step, what, done.whole);
    lab_say_done(t->l, &done);
    judge(t, step, &done, say_hits(t, &done));
    lab_say_end(t->l);
    return true;
}

static bool make_warm(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };
    struct lab_done done;

    for (unsigned i = 0; i < MODULES; i++) {
        struct lab_module m;
        char name[32];

        (void)snprintf(name, sizeof name, "m%02u.ptx", i + 1);
        t->files[i] = lab_path(t->l, name);
        bool ok = lab_heavy(t->l, &m, FIRST_N + i, t->steps, err)
                  && lab_write(t->l, t->files[i], jw_buf_bytes(&m.ptx), err);

        lab_module_free(&m);
        if (!ok)
            return false;
    }
    if (!lab_root(t->l, "warm", &t->warm, err))
        return false;
    s.root = t->warm;
    if (!load_all(t, &s, &done, err))
        return false;
    for (size_t i = 1; i < done.n; i++)
        t->cold_us[i - 1] = (unsigned)done.ops[i].us;
    lab_say(t->l, "warm", "modules loaded into an empty folder", lab_all_zero(&done));
    lab_say_done(t->l, &done);
    jw_json_number(&t->l->json, "entries", lab_new(&done));
    lab_say_end(t->l);
    return true;
}

static bool copy(struct moving *t, const char *name, const char **root, struct jw_err *err)
{
    return lab_root(t->l, name, root, err) && lab_copy_root(t->l, t->warm, *root, true, err)
           && all(*root, open_up, err);
}

static bool elsewhere(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };

    return copy(t, "copy", &s.root, err)
           && ask(t, &s, "path", "a copy at another path, times new, modes 0755 and 0644", err);
}

static bool at_home(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };
    const char *home;

    if (!lab_root(t->l, "home", &home, err))
        return false;
    s.home = home;
    s.root = jw_path_join(&t->l->arena, home, ".nv/ComputeCache");
    return jw_make_dirs(s.root, err) && lab_copy_root(t->l, t->warm, s.root, true, err)
           && ask(t, &s, "home", "a copy at the default place below another HOME, CUDA_CACHE_PATH unset",
                  err);
}

static bool as_another(struct moving *t, bool owner, struct jw_err *err)
{
    const char *step = owner ? "user" : "user-reader";
    const char *what = owner ? "a copy that another user owns, as that user"
                             : "a copy that another user may read, not write, as that user";
    struct lab_step s = { .uid = NOBODY };

    if (geteuid() != 0)
        return lab_not_asked(t->l, step, "only root can become another user", "F60-portable");
    if (chmod(t->l->work, 0755) != 0)
        return jw_fail(err, JW_E_IO, "%s: mode cannot be changed", t->l->work);
    return copy(t, step, &s.root, err) && (!owner || all(s.root, give_away, err))
           && ask(t, &s, step, what, err);
}

bool lab_e5a(struct lab *l, struct jw_err *err)
{
    struct moving t = { .l = l };

    return lab_calibrate(l, &t.steps, &t.cold_ms, err) && make_warm(&t, err) && elsewhere(&t, err)
           && at_home(&t, err) && as_another(&t, true, err) && as_another(&t, false, err);
}
