#include "pack/store/store.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/store/store_inner.h"

#include <string.h>

enum { NS = 1000000000 };

static const char *const own_files[] = { STORE_USES, STORE_VOUCHED, STORE_LOCK };

const char *jw_store_dir(struct jw_arena *a, struct jw_err *err)
{
    const char *own = jw_env(a, "JITWARM_STORE"), *base, *dir;

    if (own && *own) {
        if (!jw_path_absolute(own))
            (void)jw_fail(err, JW_E_USAGE, "JITWARM_STORE=%.200s is not an absolute path", own);
        return jw_path_absolute(own) ? own : NULL;
    }
    base = jw_env_data_user(a);
    if (!base) {
        (void)jw_fail(err, JW_E_IO, "this system names no folder for the user's packs (HOME is unset?)");
        return NULL;
    }
    dir = jw_path_join(a, base, "jitwarm/packs");
    return dir;
}

/* ---- what is there ---- */

bool store_same(const struct jw_store_key *x, const struct jw_store_key *y)
{
    return x->stamp && y->stamp && x->sm == y->sm && x->simulated == y->simulated
           && strcmp(x->stamp, y->stamp) == 0;
}

struct reading {
    struct jw_arena *a;
    struct jw_store *out;
    struct jw_tree tree;
    struct store_uses uses;
    struct jw_listing names;
};

/* Ours, and no pack: the two files, what is in the making, signatures of packs that are there. */
static bool passed_over(const struct reading *r, const char *name)
{
    size_t n = strlen(name) - (jw_text_ends(name, STORE_SIGNATURE) ? sizeof STORE_SIGNATURE - 1 : 0);

    for (size_t i = 0; i < JW_COUNT(own_files); i++)
        if (strcmp(own_files[i], name) == 0)
            return true;
    for (size_t i = 0; name[n] && i < r->names.n; i++)
        if (strlen(r->names.names[i]) == n && memcmp(r->names.names[i], name, n) == 0)
            return true;
    return name[0] == '.';
}

/* A signature of a pack of ours that is gone: of no use, and replaced when there is such a pack again. */
static bool left_behind(struct reading *r, const char *name)
{
    struct jw_store_key key;
    bool older;
    char *pack = jw_arena_str(r->a, name);

    if (!jw_text_ends(name, STORE_SIGNATURE))
        return false;
    pack[strlen(name) - (sizeof STORE_SIGNATURE - 1)] = '\0';
    return jw_store_parse(pack, r->a, &key, &older);
}

/* False, with a sentence in `why`: it is not to be used. */
static bool judge(struct reading *r, const char *name, const char *path, struct jw_file_info *info,
                  struct jw_err *why)
{
    if (!jw_tree_stat(&r->tree, name, info, why))
        return false;
    if (info->kind == JW_FILE_OTHER)
        return jw_fail(why, JW_E_FORMAT, "is a link, or no regular file; it is left alone");
    if (info->kind == JW_FILE_DIR)
        return jw_fail(why, JW_E_FORMAT, "is a folder; it is left alone");
    return jw_trust_believe(path, "file", r->a, why);
}

static void find_signature(struct reading *r, struct jw_store_pack *p, uint64_t *bytes)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };
    struct jw_buf name = JW_BUF(JW_MAX_PATH);

    jw_buf_printf(&name, "%s" STORE_SIGNATURE, p->name);
    bool there = !name.bad && jw_tree_stat(&r->tree, jw_buf_cstr(&name), &info, &ignored)
                 && info.kind == JW_FILE_REGULAR;

    if (there)
        p->signature = jw_path_join(r->a, r->out->dir, jw_buf_cstr(&name));
    *bytes = there ? info.size : 0;
    jw_buf_free(&name);
}

static bool add_pack(struct reading *r, const char *name, struct jw_err *err)
{
    struct jw_store_pack *p = jw_list_add(r->a, &r->out->packs, &r->out->n, sizeof *p, JW_MAX_LISTED, err);
    struct jw_file_info info = { 0 };
    struct jw_err why = { 0 };
    uint64_t signature = 0;

    if (!p)
        return false;
    p->name = name;
    p->path = jw_path_join(r->a, r->out->dir, name);
    bool ours = jw_store_parse(name, r->a, &p->key, &p->older);

    if (!judge(r, name, p->path, &info, &why)) {
        p->refused = jw_arena_str(r->a, why.msg);
        return true;
    }
    if (info.kind == JW_FILE_NONE) { /* it went while the folder was read */
        r->out->n--;
        return true;
    }
    p->size = info.size;
    p->added_at = info.mtime / NS;
    p->used_at = (int64_t)jw_max((uint64_t)p->added_at, (uint64_t)store_uses_find(&r->uses, name));
    find_signature(r, p, &signature);
    p->weight = p->size + signature;
    r->out->bytes += ours ? p->weight : 0;
    return true;
}

static bool read_all(struct reading *r, struct jw_err *err)
{
    const struct jw_listing *names = &r->names;

    if (!store_uses_read(r->out->dir, r->a, &r->uses, err)
        || !jw_listing_read(r->out->dir, "*", r->a, &r->names, &r->out->notes, err))
        return false;
    for (size_t i = 0; i < names->n; i++)
        if (!passed_over(r, names->names[i]) && !left_behind(r, names->names[i])
            && !add_pack(r, names->names[i], err))
            return false;
    return true;
}

/* What hinders only here is told in the answer. */
bool jw_store_load(struct jw_arena *a, struct jw_store *out, struct jw_err *err)
{
    struct reading r = { .a = a, .out = out, .tree = JW_TREE_CLOSED };
    struct jw_file_info info = { 0 };
    struct jw_err why = { 0 };
    bool ok = true;

    *out = (struct jw_store){ .dir = jw_store_dir(a, &why) };
    if (out->dir && jw_file_stat(out->dir, &info, &why)) {
        if (info.kind == JW_FILE_NONE)
            return true;
        out->exists = true;
        if (jw_tree_open(&r.tree, out->dir, &why) && jw_trust_believe(out->dir, "folder", a, &why))
            ok = read_all(&r, err);
    }
    out->refused = why.code ? jw_arena_str(a, why.msg) : NULL;
    jw_tree_close(&r.tree);
    return ok;
}

const struct jw_store_pack *jw_store_find(const struct jw_store *s, const struct jw_store_key *key)
{
    const struct jw_store_pack *best = NULL;

    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i];

        if (!p->refused && store_same(&p->key, key) && (!best || (best->older && !p->older)))
            best = p;
    }
    return best;
}

/* ---- packs in the making ---- */

bool jw_store_work(struct jw_arena *a, char **folder, struct jw_err *err)
{
    const char *dir = jw_store_dir(a, err);

    *folder = NULL;
    return dir
           && ((jw_trust_make(dir, err) && jw_trust_believe(dir, "folder", a, err)
                && jw_scratch_make(dir, STORE_WORK, a, folder, err))
               || jw_wrap(err, "the store of packs, %s", dir));
}
