#include "machine/trust.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"

#include <string.h>

bool jw_trust_foreign(const struct jw_trust *t)
{
    return t->owner && strcmp(t->owner, "root") != 0;
}

bool jw_trust_own(const struct jw_trust *t, struct jw_err *err)
{
    if (t->writers)
        return jw_fail(err, JW_E_TRUST, "may be changed by %s", t->writers);
    return !jw_trust_foreign(t) || jw_fail(err, JW_E_TRUST, "belongs to %s", t->owner);
}

bool jw_trust_check_own(const char *path, const char *noun, struct jw_arena *a, struct jw_err *err)
{
    struct jw_trust trust;
    struct jw_err why = {0};

    if (!jw_trust_read(path, a, &trust, err))
        return false;
    return jw_trust_own(&trust, &why) || jw_fail(err, JW_E_IO, "the %s %s", noun, why.msg);
}

bool jw_trust_slurp(const char *path, size_t max, struct jw_arena *a, struct jw_bytes *out,
                    bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(max);
    bool ok = jw_trust_check_own(path, "file", a, err) && jw_file_slurp(path, &text, found, err);

    *found = ok && *found;
    *out = (struct jw_bytes){NULL, 0};
    if (!ok && err->code == JW_E_LIMIT)
        (void)jw_fail(err, JW_E_LIMIT, "is larger than jitwarm makes it");
    if (*found)
        *out = (struct jw_bytes){(const uint8_t *)jw_arena_text(a, (const char *)text.p, text.n),
                                 text.n};
    jw_buf_free(&text);
    return ok;
}

bool jw_trust_make(const char *path, struct jw_err *err)
{
    struct jw_arena a = {0};
    bool ok = jw_make_dirs(jw_path_dir(&a, path), err);

    if (ok)
        (void)!jw_make_private_dir(path, JW_IGNORED);
    jw_arena_free(&a);
    return ok && jw_make_dirs(path, err); /* says why it is no folder */
}

bool jw_trust_put(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_arena a = {0};

    jw_out_sweep(jw_path_dir(&a, path));
    jw_arena_free(&a);
    return jw_file_put(path, JW_OUT_REPLACE | JW_OUT_PRIVATE, bytes, err);
}

enum { ONE_RECORD = JW_MAX_STATE_RECORD + JW_RECORD_FRAME };

bool jw_trust_load(const char *path, uint16_t kind, const struct jw_field *fields,
                   struct jw_arena *a, void *of, bool *found, struct jw_err *err)
{
    struct jw_record record;
    struct jw_bytes file;

    if (!jw_trust_slurp(path, ONE_RECORD, a, &file, found, err))
        return false;
    if (!*found)
        return true;

    struct jw_reader r = jw_reader(file);

    *found = false;
    if (!jw_record_take(&r, &record) || r.at != file.n)
        return jw_fail(err, JW_E_FORMAT, "it is damaged");
    *found = record.kind == kind && jw_record_get(&record, fields, a, of);
    return *found || jw_fail(err, JW_E_FORMAT, "another version of jitwarm wrote it");
}

bool jw_trust_save(const char *path, uint16_t kind, const struct jw_field *fields, const void *of,
                   struct jw_err *err)
{
    struct jw_buf record = JW_BUF(ONE_RECORD);
    struct jw_arena a = {0};

    jw_record_put(&record, kind, fields, of);
    bool ok = jw_buf_ok(&record, err) && jw_trust_make(jw_path_dir(&a, path), err)
              && jw_trust_put(path, jw_buf_bytes(&record), err);

    jw_buf_free(&record);
    jw_arena_free(&a);
    return ok;
}

bool jw_trust_check_keys(const struct jw_trust *t, const char *path, const char *noun,
                         struct jw_err *err)
{
    bool windows = jw_os_is_windows();

    if (jw_trust_foreign(t))
        return jw_fail(
            err, JW_E_TRUST,
            "%s: this %s belongs to %s, who could put keys there; no pack is taken until it is "
            "yours or %s (a copy that you make is yours)",
            path, noun, t->owner, windows ? "an administrator's" : "root's");
    return !t->writers
           || jw_fail(err, JW_E_TRUST,
                      "%s: %s may write to this %s and so could decide whose packs you trust; take "
                      "that right away first (%s)",
                      path, t->writers, noun, windows ? "icacls" : "chmod go-w");
}

/* The root of a path: "/", "C:\\", "\\\\server\\share". */
static bool is_top(const char *path, const char *above)
{
    return strcmp(above, path) == 0
           || (strncmp(path, "\\\\", 2) == 0 && !strpbrk(above + 2, "/\\"));
}

static bool is_home(const char *path, const char *home)
{
    if (!home)
        return false;
    return jw_os_is_windows() ? jw_text_equal_nocase(path, home) : strcmp(path, home) == 0;
}

/* What no other user may do with this part of the way: `level` 0 is the folder itself. */
static enum jw_trust_ask question_of(unsigned level, bool root)
{
    if (level && root)
        return JW_TRUST_TOP;
    return level > 1 ? JW_TRUST_MOVE : JW_TRUST_CHANGE;
}

/* May another user change this part of the way? In a sticky folder nobody can exchange what is of
 * another. `given`: its owner is trusted. */
static bool is_unsafe(const struct jw_trust *t, unsigned level, bool given)
{
    bool sticky = t->sticky && level;

    if (jw_trust_foreign(t) && !given)
        return true;
    return t->writers && !sticky;
}

/* Owners of folders above the checked one who are trusted. */
struct hosts {
    const char *top, *home;
};

/* A user namespace shows the host's root and unknown users as one user, and root of a container may
 * have a home of a user of the host. */
static bool find_hosts(const char *home, struct jw_arena *a, struct hosts *out, struct jw_err *err)
{
    struct jw_trust top = {0};
    struct jw_trust house = {0};

    if (!jw_trust_read("/", a, &top, err) || (home && !jw_trust_read(home, a, &house, err)))
        return false;
    *out = (struct hosts){top.owner, house.owner};
    return true;
}

/* Not `strict`: a path that is not there is safe, and so is one above it of a host. */
static bool check_way(const char *path, bool strict, struct jw_arena *a, const char **at,
                      struct jw_trust *out, struct jw_err *err)
{
    const char *home = jw_env_home(a);
    struct hosts hosts = {0};

    *at = NULL;
    if (home && jw_path_absolute(home) && !jw_real_path(home, a, &home, err))
        return false;
    if (!strict && !find_hosts(home, a, &hosts, err))
        return false;
    for (unsigned level = 0;; level++) {
        const char *above = jw_path_dir(a, path);
        bool root = is_top(path, above);
        struct jw_trust t;

        if (!jw_trust_step(path, question_of(level, root), a, &t, err))
            return jw_wrap(err, "%s", path);
        if (!t.exists && strict)
            return jw_fail(err, JW_E_IO, "%s was changed meanwhile", path);
        bool of_host = jw_text_same(t.owner, hosts.top) || jw_text_same(t.owner, hosts.home);

        if (is_unsafe(&t, level, !strict && level && of_host)) {
            *at = path;
            *out = t;
        }
        if (root || is_home(path, home))
            return true;
        path = above;
    }
}

bool jw_trust_check_path(const char *path, struct jw_arena *a, struct jw_folder *held,
                         const char **at, struct jw_trust *out, struct jw_err *err)
{
    const char *real = NULL;
    struct jw_file_info info;

    *held = JW_FOLDER_CLOSED;
    *at = NULL;
    *out = (struct jw_trust){0};
    if (!jw_file_stat(path, &info, err))
        return false;
    if (info.kind == JW_FILE_NONE)
        return true;
    out->exists = true;
    return jw_real_path(path, a, &real, err) && check_way(real, true, a, at, out, err)
           && jw_folder_open(held, real, err);
}

bool jw_trust_check_place(const char *path, struct jw_arena *a, const char **at,
                          struct jw_trust *out, struct jw_err *err)
{
    const char *real, *above;
    struct jw_trust link;

    if (!jw_real_path(path, a, &real, err) || !check_way(real, false, a, at, out, err))
        return false;
    for (; !*at && strcmp(above = jw_path_dir(a, path), path) != 0; path = above) {
        if (!jw_is_link(path))
            continue;
        if (!jw_real_path(above, a, &real, err) || !check_way(real, false, a, at, out, err)
            || !jw_trust_step(path, JW_TRUST_MOVE, a, &link, err))
            return false;
        if (*at && out->sticky && !jw_trust_foreign(out) && !jw_trust_foreign(&link))
            *at = NULL;
    }
    return true;
}

/* Sets `*doubt`, unless it is set, if the path is not safe. */
static void note_doubt(const struct jw_trust *t, const char *path, const char *noun,
                       struct jw_arena *a, const char **doubt)
{
    struct jw_err why = {0};

    if (!*doubt && !jw_trust_check_keys(t, path, noun, &why))
        *doubt = jw_arena_str(a, why.msg);
}

static bool check_folder_of(const char *file, struct jw_arena *a, const char **doubt,
                            struct jw_err *err)
{
    const char *folder = jw_path_dir(a, file);
    const char *at = NULL;
    struct jw_folder held = JW_FOLDER_CLOSED;
    struct jw_trust t;
    bool ok = jw_trust_check_path(folder, a, &held, &at, &t, err);

    if (t.sticky) /* in a sticky folder nobody else can swap the file */
        t.writers = NULL;
    if (ok && at)
        note_doubt(&t, at, "folder", a, doubt);
    jw_folder_close(&held);
    return ok || jw_wrap(err, "%s", folder);
}

bool jw_trust_open(const char *path, const char *noun, struct jw_arena *a, struct jw_file *f,
                   bool *found, const char **doubt, struct jw_err *err)
{
    struct jw_trust t;
    const char *real = NULL;

    *doubt = NULL;
    if (!jw_file_open_existing(f, path, found, err))
        return false;
    if (!*found)
        return true;
    if (!jw_real_path(path, a, &real, err) || !check_folder_of(path, a, doubt, err))
        return false;
    if (strcmp(real, path) != 0 && !check_folder_of(real, a, doubt, err))
        return false;
    if (!jw_trust_file(f, a, &t, err))
        return false;
    note_doubt(&t, path, noun, a, doubt);
    return true;
}

bool jw_trust_library(const char *path, struct jw_arena *a, const char **real, const char **doubt,
                      struct jw_err *err)
{
    struct jw_folder held = JW_FOLDER_CLOSED;
    struct jw_trust file, folder;
    struct jw_err why = {0};
    const char *at = NULL;

    *doubt = NULL;
    if (!jw_real_path(path, a, real, err) || !jw_trust_read(*real, a, &file, err)
        || !jw_trust_check_path(jw_path_dir(a, *real), a, &held, &at, &folder, err))
        return false;
    jw_folder_close(&held);
    if (at && !jw_trust_own(&folder, &why))
        *doubt = jw_arena_printf(a, "its folder %s %s", at, why.msg);
    if (!jw_trust_own(&file, &why))
        *doubt = jw_arena_printf(a, "it %s", why.msg);
    return true;
}
