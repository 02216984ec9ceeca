/*
 * E5a, portability on one machine: a copy of a warm folder at another path, with other times, modes and owners, and at
 * the default place below another HOME.
 */
#include "cache/place/listing.h"
#include "lab.h"

#include "base/path.h"
#include "os/files/file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES_E5A = 4, FIRST_N_E5A = 503, NOBODY = 65534, OPEN_FOLDERS = 16 };

struct moving {
    struct lab *l;
    const char *files[MODULES_E5A], *warm;
    unsigned steps, cold_ms, cold_us[MODULES_E5A], slow;
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

static bool all_e5a(const char *root, int (*fn)(const char *, const struct stat *, int, struct FTW *),
                    struct jw_err *err)
{
    return nftw(root, fn, OPEN_FOLDERS, FTW_PHYS) == 0
           || jw_fail(err, JW_E_IO, "%s: modes cannot be changed", root);
}

static bool load_all(struct moving *t, struct lab_step *s, struct lab_done *done, struct jw_err *err)
{
    s->loading = "EAGER";
    s->ops[0] = "context";
    for (unsigned i = 0; i < MODULES_E5A; i++)
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
    jw_json_number(&t->l->json, "modules", MODULES_E5A);
    jw_json_number(&t->l->json, "hits", hits);
    t->slow = slow;
    jw_json_number(&t->l->json, "slow_hits", slow);
    jw_json_bool(&t->l->json, "timed", t->cold_ms != 0);
    return hits;
}

static void check(struct moving *t, const char *step, const struct lab_done *done, unsigned hits)
{
    enum lab_says says = hits == MODULES_E5A ? LAB_CONFIRMED : LAB_CONTRADICTED;
    struct lab *l = t->l;
    bool reader = strcmp(step, "user-reader") == 0;

    if (!lab_all_zero(done))
        lab_finds(l, "F60-portable", LAB_NOT_TESTABLE, "the modules could not be loaded: %s", done->how);
    else if (reader) /* nothing can be stored: without times a miss looks like a hit */
        lab_finds(l, "F64-read-only-hits", t->cold_ms ? LAB_ANSWERED : LAB_NOT_TESTABLE,
                  "another user who may only read: %u of %u in a fifth of the time", hits - t->slow,
                  (unsigned)MODULES_E5A);
    else
        lab_finds(l, "F60-portable", says, "%u hits of %u modules", hits, (unsigned)MODULES_E5A);
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
    check(t, step, &done, say_hits(t, &done));
    lab_say_end(t->l);
    return true;
}

static bool make_warm(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };
    struct lab_done done;

    for (unsigned i = 0; i < MODULES_E5A; i++) {
        struct lab_module m;
        char name[32];

        (void)snprintf(name, sizeof name, "m%02u.ptx", i + 1);
        t->files[i] = lab_path(t->l, name);
        bool ok = lab_heavy(t->l, &m, FIRST_N_E5A + i, t->steps, err)
                  && lab_write(t->l, t->files[i], jw_buf_bytes(&m.ptx), err);

        lab_module_free(&m);
        if (!ok)
            return false;
    }
    if (!lab_cache(t->l, "warm", &t->warm, err))
        return false;
    s.cache = t->warm;
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
    return lab_cache(t->l, name, root, err) && lab_copy_cache(t->l, t->warm, *root, true, err)
           && all_e5a(*root, open_up, err);
}

static bool elsewhere(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };

    return copy(t, "copy", &s.cache, err)
           && ask(t, &s, "path", "a copy at another path, times new, modes 0755 and 0644", err);
}

static bool at_home(struct moving *t, struct jw_err *err)
{
    struct lab_step s = { 0 };
    const char *home;

    if (!lab_cache(t->l, "home", &home, err))
        return false;
    s.home = home;
    s.cache = jw_path_join(&t->l->arena, home, ".nv/ComputeCache");
    return jw_make_dirs(s.cache, err) && lab_copy_cache(t->l, t->warm, s.cache, true, err)
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
    return copy(t, step, &s.cache, err) && (!owner || all_e5a(s.cache, give_away, err))
           && ask(t, &s, step, what, err);
}

bool lab_e5a(struct lab *l, struct jw_err *err)
{
    struct moving t = { .l = l };

    return lab_calibrate(l, &t.steps, &t.cold_ms, err) && make_warm(&t, err) && elsewhere(&t, err)
           && at_home(&t, err) && as_another(&t, true, err) && as_another(&t, false, err);
}

/*
 * E5 b and c, another machine: what this one's driver made of three modules is left in OUTDIR/e5b.entries. Where LAB_OTHER names
 * such a file of another machine, its entries are put into an empty folder here: with the same stamp they should hit (b), with
 * another one none should (c).
 */

enum { MODULES_E5B = 3, FIRST_N_E5B = 5501, SIZES = 16, MAX_FILE = 16 << 20 };

/* Key and payload of each entry behind their sizes, two 64-bit numbers. */
static bool pack(struct lab *l, const char *root, struct jw_err *err)
{
    struct jw_cache_listing now = { 0 };
    struct jw_buf out = JW_BUF(MAX_FILE);
    const char *path = lab_op_of(l, "%s/e5b.entries", l->out);
    bool ok = jw_cachedir_list(root, false, &l->arena, &now, err);

    for (size_t i = 0; ok && i < now.n; i++) {
        struct lab_entry e;
        uint8_t sizes[SIZES];

        ok = lab_entry_read_named(l, root, now.files[i].name, &e, err);
        if (ok) {
            jw_put64(sizes, e.key.n);
            jw_put64(sizes + 8, e.payload.n);
            jw_buf_add(&out, sizes, sizeof sizes);
            jw_buf_add(&out, e.key.p, e.key.n);
            jw_buf_add(&out, e.payload.p, e.payload.n);
        }
        lab_entry_free(&e);
    }
    ok = ok && jw_buf_ok(&out, err) && lab_write(l, path, jw_buf_bytes(&out), err);
    jw_buf_free(&out);
    jw_cache_listing_free(&now);
    return ok;
}

/* Code that is among what was made here. */
static bool made_here(struct lab *l, const char *here, struct jw_bytes payload)
{
    struct jw_cache_listing now = { 0 };
    struct jw_err ignored;
    bool same = false;

    if (jw_cachedir_list(here, false, &l->arena, &now, &ignored))
        for (size_t i = 0; !same && i < now.n; i++) {
            struct lab_entry e;

            same = lab_entry_read_named(l, here, now.files[i].name, &e, &ignored) && e.payload.n == payload.n
                   && memcmp(e.payload.p, payload.p, payload.n) == 0;
            lab_entry_free(&e);
        }
    jw_cache_listing_free(&now);
    return same;
}

/* `*stamp`: of the first one; "": none could be read. `*same`: how many hold the very code that is in `here`. */
static bool unpack(struct lab *l, const char *path, const char *root, const char *here,
                   char stamp[JW_CACHE_STAMP + 1], unsigned *same, struct jw_err *err)
{
    struct jw_buf file = JW_BUF(MAX_FILE);
    bool found = false;
    bool ok = jw_file_slurp(path, &file, &found, err)
              && (found || jw_fail(err, JW_E_IO, "LAB_OTHER=%s: no such file", path));
    struct jw_bytes all = jw_buf_bytes(&file), key, payload;
    size_t at = 0;

    stamp[0] = '\0';
    while (ok && at + SIZES <= all.n) {
        uint64_t n = jw_le64(all.p + at), m = jw_le64(all.p + at + 8), name;

        ok = (jw_slice(all, at + SIZES, n, &key) && jw_slice(all, at + SIZES + n, m, &payload)
              && n > JW_CACHE_STAMP)
             || jw_fail(err, JW_E_FORMAT, "LAB_OTHER=%s: byte %zu: no entry as E5b leaves them", path, at);
        ok = ok && lab_put_entry(l, root, key, payload, &name, err);
        *same += ok && made_here(l, here, payload);
        if (ok && !*stamp)
            (void)snprintf(stamp, JW_CACHE_STAMP + 1, "%.*s", (int)JW_CACHE_STAMP, (const char *)key.p);
        at += SIZES + (size_t)(n + m);
    }
    jw_buf_free(&file);
    return ok;
}

static bool from_another(struct lab *l, const struct lab_set *set, const char *here, const char *other,
                         struct jw_err *err)
{
    unsigned alike = 0;
    char stamp[JW_CACHE_STAMP + 1];
    struct lab_reload again;
    const char *root;

    if (!lab_cache(l, "other", &root, err) || !unpack(l, other, root, here, stamp, &alike, err)
        || !lab_set_load(l, set, root, true, &again, err))
        return false;
    bool same = strcmp(stamp, l->m.stamp) == 0;
    unsigned compiled = again.fresh + again.changed;

    lab_say(l, same ? "b" : "c", "entries that another machine's driver made", again.whole);
    jw_json_text(&l->json, "other_stamp", stamp);
    jw_json_number(&l->json, "modules", set->n);
    jw_json_number(&l->json, "compiled", compiled);
    jw_json_number(&l->json, "right", again.right);
    jw_json_number(&l->json, "same_code", alike);
    if (same) {
        lab_finds(l, "F60-portable", compiled ? LAB_CONTRADICTED : LAB_CONFIRMED,
                  "the same stamp: %u of %zu were compiled", compiled, set->n);
    } else {
        lab_finds(l, "F35-update-changes-keys", compiled == set->n ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "another stamp: %u of %zu were compiled", compiled, set->n);
        lab_finds(l, "F36-code-often-same", alike * 2 >= set->n ? LAB_CONFIRMED : LAB_CONTRADICTED,
                  "%u of %zu modules have the same code", alike, set->n);
        lab_finds(l, "F06-stamp-is-build", LAB_CONFIRMED, "two builds, %s and %s", stamp, l->m.stamp);
    }
    lab_say_end(l);
    return true;
}

bool lab_e5b(struct lab *l, struct jw_err *err)
{
    const char *other = getenv("LAB_OTHER"), *root;
    struct lab_reload first;
    struct lab_set set;

    if (!lab_set_make(l, &set, "portable", FIRST_N_E5B, MODULES_E5B, 0, err)
        || !lab_cache(l, "here", &root, err) || !lab_set_load(l, &set, root, true, &first, err)
        || !pack(l, root, err))
        return false;
    lab_say(l, "here", "modules compiled here, left as e5b.entries for LAB_OTHER on another machine",
            first.right == set.n);
    jw_json_number(&l->json, "entries", first.fresh);
    lab_say_end(l);
    if (!other || !*other)
        return lab_not_asked(l, "b", "LAB_OTHER names no e5b.entries of another machine",
                             "F60-portable F35-update-changes-keys F06-stamp-is-build F36-code-often-same "
                             "F11-libcuda-identity");
    return from_another(l, &set, root, other, err);
}
