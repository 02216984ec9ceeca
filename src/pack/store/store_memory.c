#include "pack/store/store_memory.h"

#include "base/digest.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/machine/time.h"

#include <string.h>

/*
 * used.json: { "schema": "jitwarm.store/1", "used": { "580.126.09-sm_86-20260107-225146.tar.zst": 1790000000 } }
 */

#define USES_SCHEMA "jitwarm.store/1"

static const double latest = 4e12; /* seconds: past any clock, and exact in a double */

/* ---- the file ---- */

static bool add(struct store_uses *uses, struct jw_arena *a, const char *name, int64_t at, struct jw_err *err)
{
    struct store_use *u = jw_list_add(a, &uses->v, &uses->n, sizeof *u, JW_MAX_LISTED, err);

    if (!u)
        return false;
    u->name = jw_arena_str(a, name);
    u->at = at;
    return true;
}

static bool take(const struct jw_jval *root, struct jw_arena *a, struct store_uses *out, struct jw_err *err)
{
    const char *schema = jw_jtext(jw_jget(root, "schema"));
    double at;

    if (!schema || strcmp(schema, USES_SCHEMA) != 0)
        return true;
    for (const struct jw_jval *v = jw_jfirst(jw_jget(root, "used")); v; v = jw_jnext(v))
        if (jw_jkey(v) && jw_jnumber(v, &at) && at >= 0 && at < latest
            && !add(out, a, jw_jkey(v), (int64_t)at, err))
            return false;
    return true;
}

/* Reads a small file that no other user can write to; `*doc` NULL: missing or damaged. */
static void read_small(const char *dir, const char *name, struct jw_arena *a, struct jw_jdoc **doc)
{
    const char *path = jw_path_join(a, dir, name);
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_err why = { 0 };
    bool found = false;

    *doc = NULL;
    if (jw_trust_believe(path, "file", a, &why) && jw_file_slurp(path, &text, &found, &why) && found
        && !jw_jdoc_parse(doc, jw_buf_bytes(&text), &why))
        *doc = NULL;
    jw_buf_free(&text);
}

bool store_uses_read(const char *dir, struct jw_arena *a, struct store_uses *out, struct jw_err *err)
{
    struct jw_jdoc *doc;

    *out = (struct store_uses){ 0 };
    read_small(dir, STORE_USES, a, &doc);

    bool ok = !doc || take(jw_jdoc_root(doc), a, out, err);

    jw_jdoc_free(doc);
    return ok;
}

static bool write_text(const struct store_uses *uses, struct jw_sink to, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, to, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", USES_SCHEMA);
    jw_json_object(&j, "used");
    for (size_t i = 0; i < uses->n; i++)
        jw_json_number(&j, uses->v[i].name, (uint64_t)uses->v[i].at);
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}

/* The temporary name is fixed: the next call overwrites what a crash left. */
bool store_put(const struct jw_tree *t, const char *name, struct jw_bytes text, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    enum jw_swapped swapped = JW_SWAP_NOTHING;
    enum jw_moved moved = JW_MOVED;
    bool found, ok = jw_tree_open_file(t, STORE_NEW, JW_TREE_MAKE, &f, &found, err) && jw_file_cut(&f, 0, err)
                     && jw_file_write(&f, 0, text.p, text.n, err);

    jw_file_close(&f);
    ok = ok && jw_tree_settle(t, STORE_NEW, err) && jw_tree_swap(t, STORE_NEW, t, name, &swapped, err)
         && (swapped != JW_SWAP_NOTHING
             || (jw_tree_move(t, STORE_NEW, t, name, &moved, err)
                 && (moved == JW_MOVED || jw_fail(err, JW_E_IO, "something has that name"))));
    if (swapped == JW_SWAPPED)
        ok = jw_tree_remove(t, STORE_NEW, err) && ok;
    return ok || jw_wrap(err, "%s", name);
}

bool store_uses_write(const struct jw_tree *t, const struct store_uses *uses, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    bool ok = write_text(uses, jw_sink_buf(&text), err) && jw_buf_ok(&text, err)
              && store_put(t, STORE_USES, jw_buf_bytes(&text), err);

    jw_buf_free(&text);
    return ok;
}

int64_t store_uses_find(const struct store_uses *uses, const char *name)
{
    for (size_t i = 0; i < uses->n; i++)
        if (strcmp(uses->v[i].name, name) == 0)
            return uses->v[i].at;
    return 0;
}

/* ---- one process at a time ---- */

bool store_hold(struct store_hold *h, const char *dir, unsigned patience_ms, struct jw_err *err)
{
    bool found = false, taken = false;

    *h = STORE_HOLD_NONE;
    if (jw_tree_open(&h->tree, dir, err)
        && jw_tree_open_file(&h->tree, STORE_LOCK, JW_TREE_MAKE, &h->lock, &found, err)
        && jw_filelock_take_mark(h->lock.handle, true, patience_ms, &taken, err)
        && (taken || jw_fail(err, JW_E_IO, "another jitwarm is changing it")))
        return true;
    store_release(h);
    return jw_wrap(err, "%s", dir);
}

void store_release(struct store_hold *h)
{
    jw_file_close(&h->lock);
    jw_tree_close(&h->tree);
}

/* ---- a use ---- */

static bool note_use(const struct jw_tree *t, const char *dir, const char *name, struct jw_arena *a,
                     struct jw_err *err)
{
    struct store_uses uses;

    if (!store_uses_read(dir, a, &uses, err))
        return false;
    for (size_t i = 0; i < uses.n; i++)
        if (strcmp(uses.v[i].name, name) == 0) {
            uses.v[i].at = jw_time_unix();
            return store_uses_write(t, &uses, err);
        }
    return add(&uses, a, name, jw_time_unix(), err) && store_uses_write(t, &uses, err);
}

bool jw_store_used(const struct jw_store_pack *pack, struct jw_err *err)
{
    struct jw_arena a = { 0 };
    struct store_hold hold = STORE_HOLD_NONE;
    struct jw_err busy = { 0 };
    const char *dir = jw_path_dir(&a, pack->path);
    bool ok = !store_hold(&hold, dir, 0, &busy) || note_use(&hold.tree, dir, pack->name, &a, err);

    store_release(&hold);
    jw_arena_free(&a);
    return ok;
}

/*
 * vouched.json: { "schema": "jitwarm.vouched/1", "packs": { "DIGEST": "here", "DIGEST": "5A5B..." } }
 *
 * By digest, because a name can belong to another pack later. The newest are first.
 */

#define VOUCHED_SCHEMA "jitwarm.vouched/1"

enum { MOST = 256, DIGITS = 2 * JW_DIGEST, WHO = 17 };

static const struct jw_jval *packs_of(const struct jw_jdoc *doc)
{
    const struct jw_jval *root = doc ? jw_jdoc_root(doc) : NULL;
    const char *schema = root ? jw_jtext(jw_jget(root, "schema")) : NULL;

    return schema && strcmp(schema, VOUCHED_SCHEMA) == 0 ? jw_jget(root, "packs") : NULL;
}

const char *jw_store_vouched(const struct jw_store *s, const uint8_t digest[JW_DIGEST], struct jw_arena *a)
{
    char digits[DIGITS + 1];
    struct jw_jdoc *doc;
    const struct jw_jval *packs;
    const char *who;

    if (!s->dir)
        return NULL;
    read_small(s->dir, STORE_VOUCHED, a, &doc);
    jw_digest_hex(digits, digest);
    packs = packs_of(doc);
    who = packs ? jw_jtext(jw_jget(packs, digits)) : NULL;
    who = who && strlen(who) < WHO ? jw_arena_str(a, who) : NULL;
    jw_jdoc_free(doc);
    return who;
}

static bool write(const struct jw_jdoc *before, const char *digits, const char *by, struct jw_sink to,
                  struct jw_err *err)
{
    const struct jw_jval *packs = packs_of(before);
    struct jw_json j;
    size_t n = 1;

    jw_json_begin(&j, to, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", VOUCHED_SCHEMA);
    jw_json_object(&j, "packs");
    jw_json_text(&j, digits, by);
    for (const struct jw_jval *v = packs ? jw_jfirst(packs) : NULL; v && n < MOST; v = jw_jnext(v))
        if (jw_jkey(v) && jw_jtext(v) && strcmp(jw_jkey(v), digits) != 0) {
            jw_json_text(&j, jw_jkey(v), jw_jtext(v));
            n++;
        }
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}

bool store_vouch(const struct jw_tree *t, const char *dir, const uint8_t digest[JW_DIGEST], const char *by,
                 struct jw_arena *a, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_jdoc *before;
    char digits[DIGITS + 1];

    read_small(dir, STORE_VOUCHED, a, &before);
    jw_digest_hex(digits, digest);
    bool ok = write(before, digits, by, jw_sink_buf(&text), err) && jw_buf_ok(&text, err)
              && store_put(t, STORE_VOUCHED, jw_buf_bytes(&text), err);

    jw_jdoc_free(before);
    jw_buf_free(&text);
    return ok;
}
