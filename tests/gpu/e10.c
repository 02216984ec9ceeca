/*
 * E10, bad folders: missing, not writable, too small, of odd names. Does a load still succeed, is something stored, and
 * does a folder that cannot be written give hits? Another user stands in for one without rights, for root has them all.
 */
#include "lab.h"

#include "base/compiler.h"
#include "base/path.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES = 3, FIRST_N = 10001, NOBODY = 65534, OPEN_FOLDERS = 16 };

struct places {
    struct lab *l;
    struct lab_set set;
    const char *list, *warm;
    uint64_t cold_us; /* of all modules together */
    bool timed;
};

/* ---- folders that hold entries and cannot be written ---- */

static mode_t folder_mode, file_mode;

static int set_mode(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    return chmod(path, type == FTW_DP || type == FTW_D ? folder_mode : file_mode);
}

static const struct closed {
    const char *name, *what, *op; /* op: instead of modes, before the driver is asked */
    mode_t folder, file, index;
} closed[] = {
    { "read-only-mode", "a warm folder whose modes forbid writing, as a user without rights", NULL, 0555,
      0444, 0444 },
    { "read-only-mount", "a warm folder on a file system that is mounted read-only", "readonly", 0700, 0600,
      0600 },
    { "index-read-only", "a warm folder that may be written, but not its index", NULL, 0777, 0666, 0444 },
    { "another-owner", "a warm folder of mode 0700 of another user", NULL, 0700, 0600, 0600 },
};

static bool closed_folder(struct places *p, const struct closed *c, const char **root, struct jw_err *err)
{
    const char *index;

    if (!lab_cache(p->l, c->name, root, err) || !lab_copy_cache(p->l, p->warm, *root, true, err))
        return false;
    folder_mode = c->folder;
    file_mode = c->file;
    index = jw_path_join(&p->l->arena, *root, "index");
    return (nftw(*root, set_mode, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH) == 0 && index
            && chmod(index, c->index) == 0)
           || jw_fail(err, JW_E_IO, "%s: modes cannot be changed", *root);
}

/* Nothing can be stored there, so only the time tells a hit. */
static void check_closed(struct places *p, const struct closed *c, const struct lab_op *op)
{
    bool loaded = op && op->value == MODULES,
         hit = loaded && op->us < p->cold_us / 5 && !op->fresh && !op->changed;

    jw_json_bool(&p->l->json, "hits", p->timed && hit);
    if (!loaded)
        lab_finds(p->l, "F65-no-folder-no-cache", LAB_CONTRADICTED, "a load failed");
    else if (!p->timed || strcmp(c->name, "another-owner") == 0)
        lab_finds(p->l, "F64-read-only-hits", LAB_NOT_TESTABLE, "%s",
                  p->timed ? "it may not even be read" : "compiling is too fast here to tell a hit");
    else
        lab_finds(p->l, "F64-read-only-hits", LAB_ANSWERED, hit ? "%s: hits" : "%s: no hits", c->name);
}

static bool ask_closed(struct places *p, const struct closed *c, struct jw_err *err)
{
    struct lab *l = p->l;
    struct lab_step s = { .loading = "EAGER",
                          .uid = !c->op && geteuid() == 0 ? NOBODY : 0,
                          .ops = { c->op ? c->op : "pause 0", "context", lab_op_text(l, "many", p->list) } };
    struct lab_done done;

    if (strcmp(c->name, "another-owner") == 0 && geteuid() != 0)
        return lab_not_asked(l, c->name, "only root can become another user", NULL);
    if (!closed_folder(p, c, &s.cache, err) || !lab_run(l, &s, &done, err))
        return false;
    const struct lab_op *op = lab_op(&done, "many");

    if (c->op && done.n && done.ops[0].code != 0)
        return lab_not_asked(l, c->name, "this user may not mount anything, not even for itself",
                             "F64-read-only-hits");
    lab_say(l, c->name, c->what, true);
    lab_say_done(l, &done);
    jw_json_number(&l->json, "modules", MODULES);
    jw_json_number(&l->json, "loaded", op ? op->value : 0);
    jw_json_bool(&l->json, "timed", p->timed);
    jw_json_real(&l->json, "cold_ms", (double)p->cold_us / 1000);
    check_closed(p, c, op);
    lab_say_end(l);
    return true;
}

/* ---- folders that cannot be used ---- */

static const struct odd {
    const char *name, *what, *below, *op;
    bool user; /* as a user without rights */
} odd[] = {
    { "missing", "a folder that is missing", "missing", NULL, false },
    { "missing-two", "two levels that are missing", "no/such", NULL, false },
    { "file", "a file", "file", NULL, false },
    { "dangling", "a link to nowhere", "dangling", NULL, false },
    { "link", "a link to a folder", "link", NULL, false },
    { "blanks", "a name with blanks", "with blanks in it", NULL, false },
    { "utf-8", "a name with letters beyond ASCII", "gr\xc3\xbc\xc3\x9f", NULL, false },
    { "slash", "a name that ends in a slash", "slash/", NULL, false },
    { "full", "a file system of 16 KB", "full", "tmpfs 16k", false },
    { "no-rights", "a folder of another user, mode 0700", "no-rights", NULL, true },
};

static bool make_odd(struct lab *l, const struct odd *o, const char *path, struct jw_err *err)
{
    const char *made = NULL;

    if (strcmp(o->name, "file") == 0)
        return lab_write(l, path, JW_BYTES("a file"), err);
    if (strcmp(o->name, "dangling") == 0)
        return symlink(lab_path(l, "nowhere/of-link"), path) == 0
               || jw_fail(err, JW_E_IO, "%s: no link", path);
    if (strcmp(o->name, "link") == 0)
        return lab_cache(l, "linked", &made, err)
               && (symlink(made, path) == 0 || jw_fail(err, JW_E_IO, "%s: no link", path));
    if (strcmp(o->name, "full") == 0 || strcmp(o->name, "no-rights") == 0 || strcmp(o->name, "slash") == 0)
        return lab_cache(l, o->name, &made, err);
    return true;
}

static bool ask_odd(struct places *p, const struct odd *o, struct jw_err *err)
{
    struct lab *l = p->l;
    struct lab_step s = { .cache = lab_path(l, o->below),
                          .loading = "EAGER",
                          .uid = o->user ? NOBODY : 0,
                          .ops = { o->op ? o->op : "pause 0", "context", lab_op_text(l, "many", p->list) } };
    struct lab_done done;

    if (o->user && geteuid() != 0)
        return lab_not_asked(l, o->name, "only root can become another user", NULL);
    if (!make_odd(l, o, s.cache, err) || !lab_run(l, &s, &done, err))
        return false;
    const struct lab_op *op = lab_op(&done, "many");

    if (o->op && done.n && done.ops[0].code != 0)
        return lab_not_asked(l, o->name, "this user may not mount anything, not even for itself",
                             "F65-no-folder-no-cache");
    lab_say(l, o->name, o->what, true);
    lab_say_done(l, &done);
    jw_json_number(&l->json, "loaded", op ? op->value : 0);
    jw_json_number(&l->json, "stored", op ? op->fresh : 0);
    if (strcmp(o->name, "file") == 0 || strcmp(o->name, "dangling") == 0 || strcmp(o->name, "full") == 0
        || o->user)
        lab_finds_holds(l, "F65-no-folder-no-cache", op && op->value == MODULES,
                        op && op->value == MODULES ? "all was loaded" : "a load failed");
    lab_say_end(l);
    return true;
}

static bool without_home(struct places *p, struct jw_err *err)
{
    const struct {
        const char *step, *what, *home;
    } homes[] = { { "home-unset", "HOME and CUDA_CACHE_PATH unset", NULL },
                  { "home-empty", "HOME empty", "" },
                  { "home-nowhere", "HOME a folder that does not exist", lab_path(p->l, "nowhere/home") } };
    struct lab *l = p->l;

    for (size_t i = 0; i < JW_COUNT(homes); i++) {
        struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", NULL }, { "HOME", homes[i].home } };
        struct lab_step s = { .loading = "EAGER",
                              .edits = edits,
                              .n_edits = 2,
                              .ops = { "context", lab_op_text(l, "many", p->list) } };
        struct lab_done done;
        char name[32];

        (void)snprintf(name, sizeof name, "empty-%s", homes[i].step);
        if (!lab_cache(l, name, &s.cache, err))
            return false;
        s.ops[2] = s.ops[1];
        s.ops[1] = lab_op_text(l, "cd", s.cache); /* a relative path would show here */
        if (!lab_run(l, &s, &done, err))
            return false;
        const struct lab_op *op = lab_op(&done, "many");

        lab_say(l, homes[i].step, homes[i].what, true);
        lab_say_done(l, &done);
        lab_finds_holds(l, "F61-default-place", op && op->value == MODULES && !op->fresh,
                        "no HOME: no entry, and no error");
        lab_say_end(l);
    }
    return true;
}

static bool made_modes(struct places *p, struct jw_err *err)
{
    static const char *const masks[] = { "000", "022", "077" };
    struct lab *l = p->l;

    for (size_t i = 0; i < JW_COUNT(masks); i++) {
        char name[16];
        struct lab_step s = { .loading = "EAGER",
                              .ops = { lab_op_text(l, "umask", masks[i]), "context",
                                       lab_op_text(l, "many", p->list) } };
        struct lab_done done;
        struct stat st, index;

        (void)snprintf(name, sizeof name, "umask-%s", masks[i]);
        s.cache = jw_path_join(&l->arena, lab_path(l, name), "cache");
        if (!lab_cache(l, name, &(const char *){ NULL }, err) || !lab_run(l, &s, &done, err))
            return false;
        const char *file = jw_path_join(&l->arena, s.cache, "index");
        bool there = lstat(s.cache, &st) == 0 && lstat(file, &index) == 0;
        unsigned mask = (unsigned)strtoul(masks[i], NULL, 8);

        lab_say(l, name, "modes of what is made", true);
        jw_json_number(&l->json, "folder_mode", there ? st.st_mode & 0777 : 0);
        jw_json_number(&l->json, "index_mode", there ? index.st_mode & 0777 : 0);
        if (there)
            lab_finds(l, "F10-modes",
                      (index.st_mode & 0777) == (0666 & ~mask) && (st.st_mode & 0777) == (0700 & ~mask)
                          ? LAB_CONFIRMED
                          : LAB_CONTRADICTED,
                      "folder 0%o, index 0%o under umask %s", (unsigned)st.st_mode & 0777,
                      (unsigned)index.st_mode & 0777, masks[i]);
        lab_say_end(l);
    }
    return true;
}

static bool make_warm(struct places *p, struct jw_err *err)
{
    struct lab *l = p->l;
    struct lab_reload cold;
    unsigned steps, ms;

    if (!lab_calibrate(l, &steps, &ms, err)
        || !lab_set_make(l, &p->set, "place", FIRST_N, MODULES, steps, err)
        || !lab_cache(l, "warm", &p->warm, err) || !lab_set_load(l, &p->set, p->warm, false, &cold, err))
        return false;
    p->list = lab_set_list(l, &p->set, 0, 1, err);
    p->cold_us = cold.us;
    p->timed = ms != 0;
    if (geteuid() == 0 && chmod(l->work, 0755) != 0)
        return jw_fail(err, JW_E_IO, "%s: mode cannot be changed", l->work);
    lab_say(l, "warm", "modules loaded into an empty folder", cold.right == MODULES);
    jw_json_real(&l->json, "cold_ms", (double)cold.us / 1000);
    lab_say_end(l);
    return p->list != NULL;
}

bool lab_e10(struct lab *l, struct jw_err *err)
{
    struct places p = { .l = l };

    if (!make_warm(&p, err))
        return false;
    for (size_t i = 0; i < JW_COUNT(closed); i++)
        if (!ask_closed(&p, &closed[i], err))
            return false;
    for (size_t i = 0; i < JW_COUNT(odd); i++)
        if (!ask_odd(&p, &odd[i], err))
            return false;
    return without_home(&p, err) && made_modes(&p, err);
}
