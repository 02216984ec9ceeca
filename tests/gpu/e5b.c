/*
 * E5 b and c, another machine: what this one's driver made of three modules is left in OUTDIR/e5b.entries. Where LAB_OTHER names
 * such a file of another machine, its entries are put into an empty folder here: with the same stamp they should hit (b), with
 * another one none should (c).
 */
#include "lab.h"

#include "base/mem.h"
#include "os/files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 3, FIRST_N = 5501, SIZES = 16, MAX_FILE = 16 << 20 };

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

    if (!lab_root(l, "other", &root, err) || !unpack(l, other, root, here, stamp, &alike, err)
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

    if (!lab_set_make(l, &set, "portable", FIRST_N, MODULES, 0, err) || !lab_root(l, "here", &root, err)
        || !lab_set_load(l, &set, root, true, &first, err) || !pack(l, root, err))
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
