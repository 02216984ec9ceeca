#include "pack/store/store.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/text.h"
#include "cache/memory/state_folder.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "pack/file/pack_read.h"
#include "pack/format/pack_layout.h"
#include "pack/store/store_lock.h"
#include "session/blocker.h"

#include <string.h>

enum { NS = 1000000000 };

const char *jw_store_dir(struct jw_arena *a, struct jw_err *err)
{
    const char *named, *base;

    if (!jw_state_named(a, "JITWARM_STORE", &named, err) || named)
        return named;
    base = jw_env_data_user(a);
    if (!base) {
        (void)jw_fail(err, JW_E_IO, "there is no folder for this user's packs (HOME is unset?)");
        return NULL;
    }
    return jw_path_join(a, base, "jitwarm/packs");
}

const char *jw_store_why_not(const char *dir, struct jw_arena *a)
{
    static const char *const names[] = { "JITWARM_STORE", "XDG_DATA_HOME" };
    const char *why = jw_why_unwritable(dir, a), *named = "";

    for (size_t i = 0; i < JW_COUNT(names) && !*named && !jw_os_is_windows(); i++)
        if (jw_env(a, names[i]) && jw_path_absolute(jw_env(a, names[i])))
            named = jw_arena_printf(a, " (%s)", names[i]);
    return why ? jw_arena_printf(a, "no pack can be kept there%s: %s", named, why) : NULL;
}

/* Makes the folder, where there is none. */
static bool make_dir(const char *dir, struct jw_arena *a, struct jw_err *err)
{
    const char *why_not = jw_store_why_not(dir, a);

    return (why_not ? jw_fail(err, JW_E_IO, "%s", why_not)
                    : jw_trust_make(dir, err) && jw_trust_check_own(dir, "folder", a, err))
           || jw_wrap(err, "the store of packs, %s", dir);
}

/* ---- listing ---- */

static bool store_same(const struct jw_store_key *x, const struct jw_store_key *y)
{
    return x->stamp && y->stamp && x->sm == y->sm && strcmp(x->stamp, y->stamp) == 0;
}

struct reading {
    struct jw_arena *a;
    struct jw_store *out;
    struct jw_tree tree;
    struct jw_listing names;
};

/* Files of the store that are not packs: its lock, temporary ones, signatures of listed packs. */
static bool is_other_file(const struct reading *r, const char *name)
{
    size_t n = strlen(name) - (jw_text_ends(name, STORE_SIGNATURE) ? sizeof STORE_SIGNATURE - 1 : 0);

    for (size_t i = 0; name[n] && i < r->names.n; i++)
        if (strlen(r->names.names[i]) == n && memcmp(r->names.names[i], name, n) == 0)
            return true;
    return name[0] == '.' || strcmp(name, STORE_LOCK) == 0;
}

/* A signature whose pack is gone. */
static bool is_lone_signature(struct reading *r, const char *name)
{
    struct jw_store_key key;
    char *pack = jw_arena_str(r->a, name);

    if (!jw_text_ends(name, STORE_SIGNATURE))
        return false;
    pack[strlen(name) - (sizeof STORE_SIGNATURE - 1)] = '\0';
    return jw_store_parse(pack, r->a, &key);
}

/* False: the file cannot be used, for the reason `why`. */
static bool check_store_file(struct reading *r, const char *name, const char *path, struct jw_file_info *info,
                             struct jw_err *why)
{
    if (!jw_tree_stat(&r->tree, name, info, why))
        return false;
    if (info->kind == JW_FILE_OTHER)
        return jw_fail(why, JW_E_FORMAT, "is a link or not a regular file; ignored");
    if (info->kind == JW_FILE_DIR)
        return jw_fail(why, JW_E_FORMAT, "is a folder; ignored");
    return jw_trust_check_own(path, "file", r->a, why);
}

static void find_signature(struct reading *r, struct jw_store_pack *p, uint64_t *bytes)
{
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };
    const char *name = jw_arena_printf(r->a, "%s" STORE_SIGNATURE, p->name);
    bool there = jw_tree_stat(&r->tree, name, &info, &ignored) && info.kind == JW_FILE_REGULAR;

    if (there)
        p->signature = jw_path_join(r->a, r->out->dir, name);
    *bytes = there ? info.size : 0;
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
    bool ours = jw_store_parse(name, r->a, &p->key);

    if (!check_store_file(r, name, p->path, &info, &why)) {
        p->refused = jw_arena_str(r->a, why.msg);
        return true;
    }
    if (info.kind == JW_FILE_NONE) { /* deleted since the folder was read */
        r->out->n--;
        return true;
    }
    p->size = info.size;
    p->added_at = info.mtime / NS;
    find_signature(r, p, &signature);
    p->weight = p->size + signature;
    r->out->bytes += ours ? p->weight : 0;
    return true;
}

static bool read_packs(struct reading *r, struct jw_err *err)
{
    const struct jw_listing *names = &r->names;

    r->names = jw_listing_read(r->out->dir, "*", r->a, &r->out->notes);
    for (size_t i = 0; i < names->n; i++)
        if (!is_other_file(r, names->names[i]) && !is_lone_signature(r, names->names[i])
            && !add_pack(r, names->names[i], err))
            return false;
    return true;
}

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
        if (jw_tree_open(&r.tree, out->dir, &why) && jw_trust_check_own(out->dir, "folder", a, &why))
            ok = read_packs(&r, err);
    }
    out->refused = why.code ? jw_arena_str(a, why.msg) : NULL;
    jw_tree_close(&r.tree);
    return ok;
}

bool jw_store_work(struct jw_arena *a, char **folder, struct jw_err *err)
{
    const char *dir = jw_store_dir(a, err);

    *folder = NULL;
    return dir && make_dir(dir, a, err)
           && (jw_scratch_make(dir, STORE_WORK, a, folder, err)
               || jw_wrap(err, "the store of packs, %s", dir));
}

/*
 * ---- adding a pack ----
 *
 * The copy is made in a temporary folder. Then, under the lock, it gets its name, and those go that it makes useless, or that make room.
 */

enum { ADD_PATIENCE_MS = 30000, CHUNK = 1 << 16 };

struct adding {
    struct jw_store_add *x;
    struct jw_arena *a;
    const char *dir, *name;
    struct jw_file file;       /* of `bytes`, unless the caller has it open */
    struct jw_source bytes;    /* the new pack */
    uint64_t body;             /* bytes before its trailer */
    uint8_t digest[JW_DIGEST]; /* of the body, by the trailer */
    struct jw_buf signature;
    char *work;       /* temporary folder of the copy; NULL: none was made */
    const char *from; /* the file to move in; NULL: not copied yet */
    struct jw_store store;
    struct store_lock hold;
    const struct jw_store_pack *named; /* that has the name already, or NULL */
    bool *goes;                        /* of the store's packs */
};

/* The trailer, which only a complete pack has. */
static bool read_end(const struct jw_source *bytes, uint8_t digest[JW_DIGEST], uint64_t *body,
                     struct jw_err *err)
{
    struct jw_buf frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer trailer;
    bool ok = jw_trailer_find(bytes, &frame, &trailer, body, err);

    if (ok)
        memcpy(digest, trailer.digest, JW_DIGEST);
    jw_buf_free(&frame);
    return ok;
}

/* The file may have been changed since it was verified. */
static bool check_digest(const uint8_t *got, const uint8_t *verified, struct jw_err *err)
{
    return memcmp(got, verified, JW_DIGEST) == 0
           || jw_fail(err, JW_E_FORMAT, "was changed after it was verified");
}

static bool open_pack(struct adding *d, struct jw_err *err)
{
    const struct jw_store_add *x = d->x;
    struct jw_file_info info = { 0 };
    bool ok = x->bytes || (jw_file_open(&d->file, x->file, err) && jw_file_info(&d->file, &info, err));

    d->bytes = x->bytes ? *x->bytes : jw_file_source(&d->file, info.size);
    ok = ok && read_end(&d->bytes, d->digest, &d->body, err)
         && (!x->digest || check_digest(d->digest, x->digest, err));
    if (x->take) {
        d->from = x->file;
        jw_file_close(&d->file);
    }
    return ok || jw_wrap(err, "%s", x->file);
}

/* Hashes the bytes that it writes. Moving the copy in syncs it. */
static bool copy_bytes(const struct adding *d, struct jw_append *to, struct jw_err *err)
{
    struct jw_digest_state hash;
    uint8_t digest[JW_DIGEST512], *chunk = jw_alloc(CHUNK);
    bool ok = true;

    jw_digest512_init(&hash);
    for (uint64_t at = 0; ok && at < d->bytes.size; at += CHUNK) {
        size_t n = (size_t)jw_min(CHUNK, d->bytes.size - at);

        ok = jw_source_read(&d->bytes, at, chunk, n, err) && jw_append_write(to, chunk, n, err);
        if (ok && at < d->body)
            jw_digest_update(&hash, chunk, (size_t)jw_min(n, d->body - at));
    }
    jw_digest512_final(&hash, digest);
    jw_free(chunk);
    return ok && check_digest(digest, d->digest, err);
}

static bool make_copy(struct adding *d, struct jw_err *err)
{
    struct jw_append to = JW_APPEND_CLOSED;

    if (!jw_store_work(d->a, &d->work, err))
        return false;
    d->from = jw_path_join(d->a, d->work, "pack");
    bool ok = jw_append_open(&to, d->from, err) && copy_bytes(d, &to, err);

    jw_append_close(&to);
    return ok || jw_wrap(err, "%s", d->x->file);
}

static bool read_signature(struct adding *d, struct jw_err *err)
{
    const char *path = d->x->signature;
    bool found = false;

    if (d->x->signed_by.n) {
        jw_buf_add(&d->signature, d->x->signed_by.p, d->x->signed_by.n);
        return jw_buf_ok(&d->signature, err);
    }
    if (!path)
        return true;
    return (jw_file_slurp(path, &d->signature, &found, err)
            && (found || jw_fail(err, JW_E_IO, "no such file"))
            && (d->signature.n || jw_fail(err, JW_E_FORMAT, "is empty")))
           || jw_wrap(err, "%s", path);
}

static bool read_store(struct adding *d, struct jw_err *err)
{
    struct jw_store *s = &d->store;

    if (!jw_store_load(d->a, s, err))
        return false;
    if (s->refused)
        return jw_fail(err, JW_E_IO, "%s: %s", d->dir, s->refused);
    d->named = NULL;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->packs[i].name, d->name) == 0)
            d->named = &s->packs[i];
    if (d->named && d->named->refused)
        return jw_fail(err, JW_E_IO, "%s: %s; move it away first", d->named->path, d->named->refused);
    d->goes = jw_arena_alloc(d->a, s->n * sizeof *d->goes);
    return true;
}

static bool is_same(const struct adding *d)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_err ignored = { 0 };
    uint8_t digest[JW_DIGEST];
    uint64_t body;
    bool ok = d->named && jw_file_open(&f, d->named->path, &ignored) && jw_file_info(&f, &info, &ignored)
              && info.size == d->bytes.size;
    struct jw_source bytes = jw_file_source(&f, info.size);

    ok = ok && read_end(&bytes, digest, &body, &ignored) && memcmp(digest, d->digest, JW_DIGEST) == 0;
    jw_file_close(&f);
    return ok;
}

/* ---- which ones go ---- */

static bool has_entry(const struct jw_pack_manifest *m, uint64_t name)
{
    return jw_find_u64(m->entries, m->n_entries, sizeof *m->entries, name) != NULL;
}

/* Files of other caches count, too. */
static bool has_all(const struct jw_pack_manifest *m, const struct jw_pack_manifest *of)
{
    if (of->kit.n_files && !m->kit.n_files)
        return false;
    for (size_t i = 0; i < of->n_entries; i++)
        if (!has_entry(m, of->entries[i].name))
            return false;
    return true;
}

/* Another pack with this name is damaged. */
static void choose_useless(struct adding *d)
{
    struct jw_pack_peeked new, one;
    struct jw_err ignored = { 0 };
    bool known = jw_pack_peek(d->from, NULL, d->a, &new, &ignored);

    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        d->goes[i] = p == d->named
                     || (known && !p->refused && store_same(&p->key, &d->x->key)
                         && jw_pack_peek(p->path, NULL, d->a, &one, &ignored)
                         && has_all(&new.manifest, &one.manifest));
    }
}

static bool has_newer(const struct adding *d, const struct jw_store_pack *p)
{
    bool newer = store_same(&p->key, &d->x->key);

    for (size_t i = 0; i < d->store.n && !newer; i++) {
        const struct jw_store_pack *q = &d->store.packs[i];

        newer = !q->refused && !d->goes[i] && store_same(&p->key, &q->key) && q->added_at > p->added_at;
    }
    return newer;
}

/* The next pack to evict, or NULL. */
static const struct jw_store_pack *next_victim(const struct adding *d)
{
    const char *current = d->x->current;
    const struct jw_store_pack *best = NULL;
    bool best_has = false;

    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];
        bool has = p->key.stamp && !p->refused && !d->goes[i] && has_newer(d, p);

        if (!p->key.stamp || p->refused || d->goes[i]
            || (!has && current && strcmp(p->key.stamp, current) == 0))
            continue;
        if (!best || (has != best_has ? has : p->added_at < best->added_at)) {
            best = p;
            best_has = has;
        }
    }
    return best;
}

static bool make_room(struct adding *d, struct jw_err *err)
{
    struct jw_store_add *x = d->x;
    const char **names = jw_arena_alloc(d->a, (d->store.n + 1) * sizeof *names);
    uint64_t bytes = d->store.bytes + d->bytes.size + d->signature.n;
    const struct jw_store_pack *p;
    struct jw_buf text = JW_LINE(d->a);

    for (size_t i = 0; i < d->store.n; i++)
        bytes -= d->goes[i] ? d->store.packs[i].weight : 0;
    while (bytes > x->cap && (p = next_victim(d)) != NULL) {
        d->goes[p - d->store.packs] = true;
        names[x->n_evicted++] = p->name;
        bytes -= p->weight;
    }
    x->evicted = names;
    if (bytes <= x->cap)
        return true;
    x->n_evicted = 0;
    jw_text_bytes(&text, bytes);
    jw_buf_text(&text, " for it and this driver's other packs, but its limit is ");
    jw_text_bytes(&text, x->cap);
    (void)jw_fail(err, JW_E_LIMIT, "%s: the store needs %s (store_cap in jitwarm.conf)", d->name,
                  jw_buf_cstr(&text));
    return false;
}

/* ---- renaming ---- */

/* The signature first, so that it is never left alone. */
static bool remove_pack(const struct jw_tree *t, const struct jw_store_pack *p, struct jw_err *err)
{
    return (!p->signature || jw_tree_remove(t, jw_path_base(p->signature), err))
           && jw_tree_remove(t, p->name, err);
}

static const char *signed_name(const struct adding *d, const char *name)
{
    return jw_arena_printf(d->a, "%s" STORE_SIGNATURE, name);
}

/* Removes a signature of an earlier pack of this name. */
static bool move_in(const struct adding *d, struct jw_err *err)
{
    const char *folder = jw_path_dir(d->a, d->from), *file = jw_path_base(d->from);
    struct jw_tree from = JW_TREE_CLOSED;
    enum jw_move_result how = JW_MOVED;
    bool ok =
        jw_tree_remove(&d->hold.tree, signed_name(d, d->name), err)
        && (!d->named || jw_tree_remove(&d->hold.tree, d->name, err)) && jw_tree_open(&from, folder, err)
        && jw_tree_make_private(&from, file, err)
        && jw_tree_move(&from, file, &d->hold.tree, d->name, &how, err)
        && (how == JW_MOVED
            || jw_fail(err, JW_E_IO, how == JW_MOVE_TAKEN ? "already exists" : "is on another file system"));

    jw_tree_close(&from);
    return ok;
}

static bool put_signature(const struct adding *d, const char *name, struct jw_err *err)
{
    return !d->signature.n || store_put(&d->hold.tree, signed_name(d, name), jw_buf_bytes(&d->signature), err)
           || jw_wrap(err, "%s", d->dir);
}

static bool remove_victims(const struct adding *d, struct jw_err *err)
{
    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        if (d->goes[i] && p != d->named && !remove_pack(&d->hold.tree, p, err))
            return jw_wrap(err, "%s", p->path);
    }
    return true;
}

static bool put_pack(struct adding *d, struct jw_err *err)
{
    choose_useless(d);
    if (!make_room(d, err))
        return false;
    if ((!d->signature.n && !store_add_own(&d->hold.tree, d->dir, d->digest, d->a, err)) || !move_in(d, err))
        return jw_wrap(err, "%s", d->dir);
    d->x->path = jw_path_join(d->a, d->dir, d->name);
    return put_signature(d, d->name, err) && remove_victims(d, err)
           && (jw_tree_sync(&d->hold.tree, err) || jw_wrap(err, "%s", d->dir));
}

/* The store has these bytes: adds at most the signature. */
static bool keep_same(struct adding *d, struct jw_err *err)
{
    d->x->path = d->named->path;
    d->x->same = true;
    if (!d->signature.n && !d->named->signature)
        return store_add_own(&d->hold.tree, d->dir, d->digest, d->a, err);
    return d->named->signature || put_signature(d, d->name, err);
}

static bool prepare_adding(struct adding *d, struct jw_err *err)
{
    d->dir = jw_store_dir(d->a, err);
    if (!d->dir || !make_dir(d->dir, d->a, err))
        return false;
    if (!open_pack(d, err) || !read_signature(d, err))
        return false;
    d->name = jw_store_name(&d->x->key, d->digest, d->a, err);
    return d->name;
}

/* Without the lock, which a large copy would hold for long. */
static bool copy_unless_same(struct adding *d, struct jw_err *err)
{
    return d->from || (read_store(d, err) && (is_same(d) || make_copy(d, err)));
}

static bool add_locked(struct adding *d, struct jw_err *err)
{
    if (!read_store(d, err))
        return false;
    bool same = is_same(d);

    return same ? keep_same(d, err) : (d->from || make_copy(d, err)) && put_pack(d, err);
}

bool jw_store_add(struct jw_store_add *x, struct jw_arena *a, struct jw_err *err)
{
    struct adding d = {
        .x = x, .a = a, .file = JW_FILE_CLOSED, .hold = STORE_LOCK_NONE, .signature = JW_BUF(JW_MAX_SIGNATURE)
    };

    x->path = NULL;
    x->same = false;
    x->evicted = NULL;
    x->n_evicted = 0;

    bool ok = prepare_adding(&d, err) && copy_unless_same(&d, err)
              && store_lock(&d.hold, d.dir, ADD_PATIENCE_MS, err) && add_locked(&d, err);

    store_unlock(&d.hold);
    jw_file_close(&d.file);
    jw_scratch_remove(d.work);
    jw_buf_free(&d.signature);
    return ok;
}

/* ---- clearing: other files stay, and the folder with them ---- */

enum { CLEAR_PATIENCE_MS = 2000 };

struct clearing {
    const struct jw_store *store;
    struct jw_arena *a;
    struct jw_store_cleared *out;
    struct store_lock hold;
};

static void set_why(struct clearing *c, const struct jw_err *why)
{
    if (!c->out->why)
        c->out->why = jw_arena_str(c->a, why->msg);
}

static void clear_pack(struct clearing *c, const struct jw_store_pack *p)
{
    struct jw_err why = { 0 };

    if (!remove_pack(&c->hold.tree, p, &why)) {
        jw_err_wrap(&why, "%s", p->path);
        set_why(c, &why);
        return;
    }
    c->out->packs++;
    c->out->bytes += p->weight;
}

/* Temporary folders. A process that still uses one fails at the lock. */
static void remove_work(struct clearing *c)
{
    struct jw_notes ignored = { 0 };
    const struct jw_listing names = jw_listing_read(c->store->dir, STORE_WORK "-*", c->a, &ignored);

    for (size_t i = 0; i < names.n; i++) {
        struct jw_scratch_owner owner;
        const char *path = jw_path_join(c->a, c->store->dir, names.names[i]);

        if (jw_scratch_owner(names.names[i], STORE_WORK, &owner))
            jw_scratch_remove(path);
    }
}

static void clear_all(struct clearing *c)
{
    struct jw_err ignored;

    for (size_t i = 0; i < c->store->n; i++)
        if (c->store->packs[i].key.stamp && !c->store->packs[i].refused)
            clear_pack(c, &c->store->packs[i]);
    (void)!jw_tree_remove(&c->hold.tree, STORE_NEW, &ignored);
    (void)!jw_tree_remove(&c->hold.tree, STORE_OWN, &ignored);
    remove_work(c);
}

void jw_store_clear(const struct jw_store *s, bool act, struct jw_arena *a, struct jw_store_cleared *out)
{
    struct clearing c = { .store = s, .a = a, .out = out, .hold = STORE_LOCK_NONE };
    struct jw_err why = { 0 };

    *out = (struct jw_store_cleared){ 0 };
    if (!s->exists || s->refused)
        return;
    for (size_t i = 0; !act && i < s->n; i++)
        if (s->packs[i].key.stamp && !s->packs[i].refused) {
            out->packs++;
            out->bytes += s->packs[i].weight;
        }
    if (!act)
        return;
    if (!store_lock(&c.hold, s->dir, CLEAR_PATIENCE_MS, &why)) {
        set_why(&c, &why);
        return;
    }
    clear_all(&c);
    jw_file_close(&c.hold.lock);
    (void)!jw_tree_remove(&c.hold.tree, STORE_LOCK, &why);
    store_unlock(&c.hold);
    jw_sys_rmdir(s->dir);
}
