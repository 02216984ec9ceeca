#include "pack/store/store.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/format/sorted.h"
#include "cache/memory/state_folder.h"
#include "machine/listing.h"
#include "machine/trust.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "os/files/scratch.h"
#include "os/machine/env.h"
#include "os/machine/time.h"
#include "pack/file/pack_read.h"
#include "pack/format/pack_layout.h"
#include "pack/store/store_lock.h"

#include <string.h>

enum { NS = 1000000000 };

const char *jw_store_dir(struct jw_arena *a, struct jw_err *err)
{
    const char *own, *base;

    if (!jw_state_named(a, "JITWARM_STORE", &own, err) || own)
        return own;
    base = jw_env_data_user(a);
    if (!base) {
        (void)jw_fail(err, JW_E_IO, "there is no folder for this user's packs (HOME is unset?)");
        return NULL;
    }
    return jw_path_join(a, base, "jitwarm/packs");
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
    bool older;
    char *pack = jw_arena_str(r->a, name);

    if (!jw_text_ends(name, STORE_SIGNATURE))
        return false;
    pack[strlen(name) - (sizeof STORE_SIGNATURE - 1)] = '\0';
    return jw_store_parse(pack, r->a, &key, &older);
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
    bool ours = jw_store_parse(name, r->a, &p->key, &p->older);

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
    return dir
           && ((jw_trust_make(dir, err) && jw_trust_check_own(dir, "folder", a, err)
                && jw_scratch_make(dir, STORE_WORK, a, folder, err))
               || jw_wrap(err, "the store of packs, %s", dir));
}

/* ---- eviction ---- */

static bool can_evict(const struct jw_store_pack *p, const struct jw_store_key *key, const char *current)
{
    return p->key.stamp && !p->refused && !store_same(&p->key, key)
           && !(current && strcmp(p->key.stamp, current) == 0);
}

static bool is_evicted_before(const struct jw_store_pack *x, const struct jw_store_pack *y)
{
    return x->older != y->older ? x->older : x->added_at < y->added_at;
}

/* The next pack to evict, or NULL. */
static const struct jw_store_pack *next_victim(const struct jw_store *s, const struct jw_store_key *key,
                                               const char *current, const bool *goes)
{
    const struct jw_store_pack *best = NULL;

    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i];

        if (!goes[i] && can_evict(p, key, current) && (!best || is_evicted_before(p, best)))
            best = p;
    }
    return best;
}

static uint64_t bytes_of_key(const struct jw_store *s, const struct jw_store_key *key)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++)
        if (!s->packs[i].refused && store_same(&s->packs[i].key, key))
            sum += s->packs[i].weight;
    return sum;
}

/* Bytes of packs that cannot be evicted. */
static uint64_t fixed(const struct jw_store *s, const struct jw_store_key *key, const char *current)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i];

        if (p->key.stamp && !p->refused && !store_same(&p->key, key) && !can_evict(p, key, current))
            sum += p->weight;
    }
    return sum;
}

/* `stays`: the bytes of this key's pack that would become or remain the older one. */
static bool store_choose(const struct jw_store *s, const struct jw_store_key *key, const char *current,
                         uint64_t size, uint64_t stays, uint64_t cap, bool *goes, bool *keep, uint64_t *least)
{
    uint64_t now;

    memset(goes, 0, s->n * sizeof *goes);
    if (!jw_add(fixed(s, key, current), size, least) || *least > cap)
        return false;
    *keep = stays <= cap - *least;
    now = s->bytes - bytes_of_key(s, key) + (*keep ? stays : 0) + size;
    while (now > cap) {
        const struct jw_store_pack *p = next_victim(s, key, current, goes);

        if (!p)
            return false;
        goes[p - s->packs] = true;
        now -= p->weight;
    }
    return true;
}

/*
 * ---- adding a pack ----
 *
 * The copy is made in a temporary folder. Then, under the lock, files are renamed in an order that always leaves a pack
 * in place: delete the older pack, rename the newest to older, move the new pack in, evict.
 */

enum { ADD_PATIENCE_MS = 30000, CHUNK = 1 << 16 };

struct adding {
    struct jw_store_add *x;
    struct jw_arena *a;
    const char *dir, *name, *older; /* `name`, `older`: of the new pack and of the one that it replaces */
    struct jw_file file;            /* of `bytes`, unless the caller has it open */
    struct jw_source bytes;         /* the new pack */
    uint64_t body;                  /* bytes before its trailer */
    uint8_t digest[JW_DIGEST];      /* of the body, by the trailer */
    struct jw_buf signature;
    char *work;       /* temporary folder of the copy; NULL: none was made */
    const char *from; /* the file to move in; NULL: not copied yet */
    struct jw_store store;
    struct store_lock hold;
    const struct jw_store_pack *now, *before; /* this key's newest and older pack, or NULL */
    const struct jw_store_pack *stays; /* of these: the older one afterwards, if there is room (`keep`) */
    bool *goes, keep;
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

/* Is something else in the place of the pack? */
static bool check_free(const struct adding *d, struct jw_err *err)
{
    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        if (p->refused && (strcmp(p->name, d->name) == 0 || strcmp(p->name, d->older) == 0))
            return jw_fail(err, JW_E_IO, "%s: %s; move it away first", p->path, p->refused);
    }
    return true;
}

static bool read_store(struct adding *d, struct jw_err *err)
{
    struct jw_store *s = &d->store;

    if (!jw_store_load(d->a, s, err))
        return false;
    if (s->refused)
        return jw_fail(err, JW_E_IO, "%s: %s", d->dir, s->refused);
    if (!check_free(d, err))
        return false;
    d->now = d->before = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i], **slot = p->older ? &d->before : &d->now;

        if (!p->refused && store_same(&p->key, &d->x->key) && (!*slot || (*slot)->added_at < p->added_at))
            *slot = p;
    }
    if (!d->now) { /* after a crash */
        d->now = d->before;
        d->before = NULL;
    }
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
    bool ok = d->now && !d->now->older && jw_file_open(&f, d->now->path, &ignored)
              && jw_file_info(&f, &info, &ignored) && info.size == d->bytes.size;
    struct jw_source bytes = jw_file_source(&f, info.size);

    ok = ok && read_end(&bytes, digest, &body, &ignored) && memcmp(digest, d->digest, JW_DIGEST) == 0;
    jw_file_close(&f);
    return ok;
}

static bool choose_victims(struct adding *d, struct jw_err *err)
{
    const struct jw_store_add *x = d->x;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t least;

    if (store_choose(&d->store, &x->key, x->current, d->bytes.size + d->signature.n,
                     d->stays ? d->stays->weight : 0, x->cap, d->goes, &d->keep, &least))
        return true;
    jw_text_bytes(&text, least);
    jw_buf_text(&text, " for it and this driver's other packs, but its limit is ");
    jw_text_bytes(&text, x->cap);
    (void)jw_fail(err, JW_E_LIMIT, "%s: the store needs %s (store_cap in jitwarm.conf)", d->name,
                  jw_buf_cstr(&text));
    jw_buf_free(&text);
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

static bool rename_in(const struct adding *d, const char *from, const char *to, struct jw_err *err)
{
    enum jw_move_result how;

    return jw_tree_move(&d->hold.tree, from, &d->hold.tree, to, &how, err)
           && (how == JW_MOVED || jw_fail(err, JW_E_IO, "%s already exists", to));
}

/* Renames the newest pack to older. Moves its signature first, so that it is never beside another pack. */
static bool make_older(const struct adding *d, struct jw_err *err)
{
    const char *to = signed_name(d, d->older);

    if ((d->now && d->now->older) || d->stays != d->now)
        return true;
    if ((d->before && !remove_pack(&d->hold.tree, d->before, err)) || !jw_tree_remove(&d->hold.tree, to, err))
        return false;
    if (!d->now || !d->keep)
        return true;
    return (!d->now->signature || rename_in(d, jw_path_base(d->now->signature), to, err))
           && rename_in(d, d->now->name, d->older, err);
}

/* The new pack replaces the newest in one step if that does not become the older one. */
static bool take_place(const struct adding *d, const struct jw_tree *from, struct jw_err *err)
{
    const char *name = jw_path_base(d->from);
    enum jw_swap_result swapped = JW_SWAP_NOTHING;
    enum jw_move_result how = JW_MOVED;

    if (!jw_tree_make_private(from, name, err))
        return false;
    if (d->now && !(d->keep && d->stays == d->now)
        && !jw_tree_swap(from, name, &d->hold.tree, d->name, &swapped, err))
        return false;
    if (swapped != JW_SWAP_NOTHING)
        return true;
    return jw_tree_move(from, name, &d->hold.tree, d->name, &how, err)
           && (how == JW_MOVED
               || jw_fail(err, JW_E_IO,
                          how == JW_MOVE_TAKEN ? "already exists" : "is on another file system"));
}

/* Removes a signature of an earlier pack. */
static bool move_in(const struct adding *d, struct jw_err *err)
{
    struct jw_tree from = JW_TREE_CLOSED;
    const char *folder = jw_path_dir(d->a, d->from), *stale = signed_name(d, d->name);
    bool ok = jw_tree_remove(&d->hold.tree, stale, err) && jw_tree_open(&from, folder, err)
              && take_place(d, &from, err);

    jw_tree_close(&from);
    return ok;
}

static bool put_signature(const struct adding *d, const char *name, struct jw_err *err)
{
    return !d->signature.n || store_put(&d->hold.tree, signed_name(d, name), jw_buf_bytes(&d->signature), err)
           || jw_wrap(err, "%s", d->dir);
}

/* Undoes make_older after a failure. */
static void undo_older(const struct adding *d)
{
    struct jw_err ignored = { 0 };
    const char *old = signed_name(d, d->older);

    if (!d->now || !d->keep || d->now->older || d->stays != d->now)
        return;
    (void)!rename_in(d, d->older, d->now->name, &ignored);
    if (d->now->signature)
        (void)!rename_in(d, old, jw_path_base(d->now->signature), &ignored);
}

/* Another pack of the same key, left by a crash or not kept. */
static bool is_surplus(const struct adding *d, const struct jw_store_pack *p)
{
    if (p->refused || !store_same(&p->key, &d->x->key) || (p == d->stays && d->keep))
        return false;
    return p->older ? p == d->stays || p == d->now : strcmp(p->name, d->name) != 0;
}

static bool remove_victims(const struct adding *d, struct jw_err *err)
{
    const char **names = jw_arena_alloc(d->a, d->store.n * sizeof *names);

    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        if ((d->goes[i] || is_surplus(d, p)) && !remove_pack(&d->hold.tree, p, err))
            return jw_wrap(err, "%s", p->path);
        if (d->goes[i])
            names[d->x->n_evicted++] = p->name;
    }
    d->x->evicted = names;
    return true;
}

static bool has_entry(const struct jw_pack_manifest *m, uint64_t name)
{
    return jw_find_u64(m->entries, m->n_entries, sizeof *m->entries, name) != NULL;
}

/* Entries of a pack that is replaced which neither of the two others has; files of other caches count, too. */
static size_t count_lost(const struct jw_pack_manifest *of, const struct jw_pack_manifest *x,
                         const struct jw_pack_manifest *y)
{
    size_t lost = 0;

    for (size_t i = 0; i < of->n_entries; i++)
        lost += !has_entry(x, of->entries[i].name) && !has_entry(y, of->entries[i].name);
    return x->kit.n_files || y->kit.n_files ? lost : lost + of->kit.n_files;
}

/* The manifests of the new pack and of those that it replaces; empty: there is none, or it cannot be read. */
struct compared {
    struct jw_pack_peeked new, now, before;
};

static void peek_store(const struct adding *d, const char *path, struct jw_pack_peeked *out)
{
    struct jw_err ignored = { 0 };

    if (!path || !jw_pack_peek(path, NULL, d->a, out, &ignored))
        *out = (struct jw_pack_peeked){ 0 };
}

/* If the new pack has all that the newest has, the older one stays instead. */
static void choose_older(struct adding *d, struct compared *c)
{
    *c = (struct compared){ 0 };
    d->stays = d->now;
    if (!d->now)
        return;
    peek_store(d, d->from, &c->new);
    peek_store(d, d->now->path, &c->now);
    if (d->before)
        peek_store(d, d->before->path, &c->before);
    if (!d->now->older && c->now.bytes && c->new.bytes
        && !count_lost(&c->now.manifest, &c->new.manifest, &c->new.manifest))
        d->stays = d->before;
}

/* A pack that is older or smaller never replaces another one without a word. */
static void note_replaced(struct adding *d, const struct compared *c)
{
    size_t now = count_lost(&c->now.manifest, &c->new.manifest, &c->new.manifest),
           before = count_lost(&c->before.manifest, &c->new.manifest, &c->now.manifest);
    const char *sep = "";
    struct jw_buf text = JW_BUF(JW_MAX_LINE);

    if (now && c->new.bytes) {
        jw_buf_printf(
            &text,
            "the store's earlier pack for this driver and GPU has %zu %s that this one has not; it %s %s",
            now, now == 1 ? "entry" : "entries",
            d->keep ? "stays as" : "was removed for room:", d->keep ? d->older : d->now->name);
        sep = "; ";
    }
    if (before && !(d->stays == d->before && d->keep))
        jw_buf_printf(&text, "%sthe pack before it, %s, was removed: %zu of its %s in neither", sep,
                      d->before->name, before, before == 1 ? "entries is" : "entries are");
    d->x->replaced = text.n ? jw_arena_str(d->a, jw_buf_cstr(&text)) : NULL;
    jw_buf_free(&text);
}

static bool put_pack(struct adding *d, struct jw_err *err)
{
    struct compared c;

    choose_older(d, &c);
    if (!choose_victims(d, err))
        return false;
    note_replaced(d, &c);
    if (!d->signature.n && !store_add_own(&d->hold.tree, d->dir, d->digest, d->a, err))
        return jw_wrap(err, "%s", d->dir);
    if (!make_older(d, err) || !move_in(d, err)) {
        undo_older(d);
        return jw_wrap(err, "%s", d->dir);
    }
    d->x->path = jw_path_join(d->a, d->dir, d->name);
    return put_signature(d, d->name, err) && remove_victims(d, err)
           && (jw_tree_sync(&d->hold.tree, err) || jw_wrap(err, "%s", d->dir));
}

/* The store has these bytes: adds at most the signature. */
static bool keep_same(struct adding *d, struct jw_err *err)
{
    d->x->path = d->now->path;
    d->x->same = true;
    d->keep = true;
    if (!d->signature.n && !d->now->signature)
        return store_add_own(&d->hold.tree, d->dir, d->digest, d->a, err);
    return d->now->signature || put_signature(d, d->now->name, err);
}

static bool prepare_adding(struct adding *d, struct jw_err *err)
{
    d->dir = jw_store_dir(d->a, err);
    d->name = d->dir ? jw_store_name(&d->x->key, false, d->a, err) : NULL;
    d->older = d->name ? jw_store_name(&d->x->key, true, d->a, err) : NULL;
    if (!d->older)
        return false;
    return ((jw_trust_make(d->dir, err) && jw_trust_check_own(d->dir, "folder", d->a, err))
            || jw_wrap(err, "the store of packs, %s", d->dir))
           && open_pack(d, err) && read_signature(d, err);
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
    x->replaced = NULL;
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
