/*
 * A pack into the store. Everything that takes long happens in a folder of our own; then, under the lock, names are
 * given and taken, in an order in which every instant leaves a pack where there was one:
 *
 *   the older one goes   the newest gets its name   the new one comes in   what is too much goes
 */
#include "pack/store/store_inner.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "machine/trust.h"
#include "os/files/scratch.h"
#include "os/machine/time.h"
#include "pack/format/pack_trailer.h"

#include <string.h>

enum { PATIENCE_MS = 30000, CHUNK = 1 << 16 };

struct adding {
    struct jw_store_add *x;
    struct jw_arena *a;
    const char *dir, *name, *older; /* names that it and the one before it will have */
    char *work;                     /* a folder of ours that holds the copy; NULL: the file itself is moved */
    const char *from;               /* where it is */
    struct jw_buf signature;
    uint64_t size;
    uint8_t digest[JW_DIGEST];
    struct jw_store store;
    struct store_hold hold;
    struct store_uses uses;
    const struct jw_store_pack *now, *before; /* what is there for this key; NULL: nothing */
    bool *goes, keep;
};

/* ---- from where it is ---- */

static bool copy_bytes(const struct jw_source *from, const char *to, struct jw_err *err)
{
    struct jw_out out = { .handle = -1 };
    uint8_t *chunk = jw_alloc(CHUNK);
    bool ok = jw_out_open(&out, to, false, err);

    for (uint64_t at = 0; ok && at < from->size; at += CHUNK) {
        size_t n = (size_t)jw_min(CHUNK, from->size - at);

        ok = jw_source_read(from, at, chunk, n, err) && jw_out_write(&out, chunk, n, err);
    }
    ok = ok && jw_out_commit(&out, err);
    jw_out_close(&out);
    jw_free(chunk);
    return ok;
}

static bool copy(const struct jw_store_add *x, const char *to, struct jw_err *err)
{
    struct jw_file in = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    bool ok = x->bytes || (jw_file_open(&in, x->file, err) && jw_file_info(&in, &info, err));
    struct jw_source opened = jw_file_source(&in, info.size);

    ok = ok && copy_bytes(x->bytes ? x->bytes : &opened, to, err);
    jw_file_close(&in);
    return ok || jw_wrap(err, "%s", x->file ? x->file : to);
}

static bool bring(struct adding *d, struct jw_err *err)
{
    const char *to;

    d->from = d->x->file;
    if (d->x->take)
        return true;
    if (!jw_store_work(d->a, &d->work, err))
        return false;
    to = jw_path_join(d->a, d->work, "pack");
    d->from = to;
    return copy(d->x, to, err);
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

/* Between the moment when it was verified and this one anybody who may write to it could have changed it. */
static bool is_of_digest(const struct jw_source *source, uint64_t body, const uint8_t *digest,
                         struct jw_err *err)
{
    struct jw_digest_state state;
    uint8_t got[JW_DIGEST], *chunk = jw_alloc(CHUNK);
    bool ok = true;

    jw_digest_init(&state);
    for (uint64_t at = 0; ok && at < body; at += CHUNK) {
        size_t n = (size_t)jw_min(CHUNK, body - at);

        ok = jw_source_read(source, at, chunk, n, err);
        if (ok)
            jw_digest_update(&state, chunk, n);
    }
    jw_digest_final(&state, got);
    jw_free(chunk);
    return ok
           && (memcmp(got, digest, JW_DIGEST) == 0
               || jw_fail(err, JW_E_FORMAT, "it was changed after it was verified"));
}

/* The end of a pack, which no file has that was not written to its end. */
static bool read_end(const char *path, const uint8_t *must, uint64_t *size, uint8_t digest[JW_DIGEST],
                     struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info = { 0 };
    struct jw_buf frame = JW_BUF(JW_TRAILER_MOST);
    struct jw_trailer trailer;
    uint64_t at;
    bool ok = jw_file_open(&f, path, err) && jw_file_info(&f, &info, err);
    struct jw_source source = jw_file_source(&f, info.size);

    ok = ok && jw_trailer_find(&source, &frame, &trailer, &at, err)
         && (!must || is_of_digest(&source, at, must, err));
    if (ok) {
        memcpy(digest, trailer.digest, JW_DIGEST);
        *size = info.size;
    }
    jw_buf_free(&frame);
    jw_file_close(&f);
    return ok || jw_wrap(err, "%s", path);
}

/* ---- what is there ---- */

/* Somebody put something else where the pack would be. */
static bool check_free(const struct adding *d, struct jw_err *err)
{
    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        if (p->refused && (strcmp(p->name, d->name) == 0 || strcmp(p->name, d->older) == 0))
            return jw_fail(err, JW_E_IO, "%s: %s; move it away, and the pack can be put there", p->path,
                           p->refused);
    }
    return true;
}

static bool look(struct adding *d, struct jw_err *err)
{
    struct jw_store *s = &d->store;

    if (!jw_store_load(d->a, s, err))
        return false;
    if (s->refused)
        return jw_fail(err, JW_E_IO, "%s: %s", d->dir, s->refused);
    if (!store_uses_read(d->dir, d->a, &d->uses, err) || !check_free(d, err))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        const struct jw_store_pack *p = &s->packs[i], **slot = p->older ? &d->before : &d->now;

        if (!p->refused && store_same(&p->key, &d->x->key) && (!*slot || (*slot)->added_at < p->added_at))
            *slot = p;
    }
    if (!d->now) { /* a crash left it alone: it is all there is, until the new one has its name */
        d->now = d->before;
        d->before = NULL;
    }
    d->goes = jw_arena_alloc(d->a, s->n * sizeof *d->goes);
    return true;
}

static bool is_same(const struct adding *d)
{
    struct jw_err ignored = { 0 };
    uint8_t digest[JW_DIGEST];
    uint64_t size;

    return d->now && !d->now->older && read_end(d->now->path, NULL, &size, digest, &ignored)
           && size == d->size && memcmp(digest, d->digest, JW_DIGEST) == 0;
}

static bool choose(struct adding *d, struct jw_err *err)
{
    const struct jw_store_add *x = d->x;
    struct jw_buf text = JW_BUF(JW_MAX_LINE);
    uint64_t least;

    if (store_choose(&d->store, &x->key, x->current, d->size + d->signature.n, x->cap, d->goes, &d->keep,
                     &least))
        return true;
    jw_text_bytes(&text, least);
    jw_buf_text(&text, " would be more than the ");
    jw_text_bytes(&text, x->cap);
    (void)jw_fail(err, JW_E_LIMIT,
                  "%s: with it, and with the packs of this machine's driver, %s that the store may hold; "
                  "store_cap in jitwarm.conf is that limit",
                  d->name, jw_buf_cstr(&text));
    jw_buf_free(&text);
    return false;
}

/* ---- names ---- */

static bool remove_pack(const struct adding *d, const struct jw_store_pack *p, struct jw_err *err)
{
    return (!p->signature || jw_tree_remove(&d->hold.tree, jw_path_base(p->signature), err))
           && jw_tree_remove(&d->hold.tree, p->name, err);
}

static const char *signed_name(const struct adding *d, const char *name)
{
    size_t n = strlen(name);
    char *text = jw_arena_alloc(d->a, n + sizeof STORE_SIGNATURE);

    memcpy(text, name, n);
    memcpy(text + n, STORE_SIGNATURE, sizeof STORE_SIGNATURE);
    return text;
}

static bool rename_in(const struct adding *d, const char *from, const char *to, struct jw_err *err)
{
    enum jw_moved how;

    return jw_tree_move(&d->hold.tree, from, &d->hold.tree, to, &how, err)
           && (how == JW_MOVED || jw_fail(err, JW_E_IO, "%s: something has that name", to));
}

/* What was the newest becomes the older one. Its signature goes first, so that it never stands beside another pack. */
static bool step_back(const struct adding *d, struct jw_err *err)
{
    const char *to = signed_name(d, d->older);

    if (to && d->now && d->now->older)
        return true;
    if (!to || (d->before && !remove_pack(d, d->before, err)) || !jw_tree_remove(&d->hold.tree, to, err))
        return false;
    if (!d->now || !d->keep)
        return true;
    return (!d->now->signature || rename_in(d, jw_path_base(d->now->signature), to, err))
           && rename_in(d, d->now->name, d->older, err);
}

/* Where there is no room for both, the new one takes the place of the other in one step. */
static bool take_name(const struct adding *d, const struct jw_tree *from, struct jw_err *err)
{
    const char *name = jw_path_base(d->from);
    enum jw_swapped swapped = JW_SWAP_NOTHING;
    enum jw_moved how = JW_MOVED;

    if (!jw_tree_settle(from, name, err))
        return false;
    if (d->now && !d->keep && !jw_tree_swap(from, name, &d->hold.tree, d->name, &swapped, err))
        return false;
    if (swapped != JW_SWAP_NOTHING)
        return true;
    return jw_tree_move(from, name, &d->hold.tree, d->name, &how, err)
           && (how == JW_MOVED
               || jw_fail(err, JW_E_IO,
                          how == JW_MOVE_TAKEN ? "something has that name" : "lies on another file system"));
}

/* A signature that lies there already, of a pack that is gone, is not this one's. */
static bool move_in(const struct adding *d, struct jw_err *err)
{
    struct jw_tree from = JW_TREE_CLOSED;
    const char *folder = jw_path_dir(d->a, d->from), *stale = signed_name(d, d->name);
    bool ok = stale && jw_tree_remove(&d->hold.tree, stale, err) && jw_tree_open(&from, folder, err)
              && take_name(d, &from, err);

    jw_tree_close(&from);
    return ok;
}

static bool put_signature(const struct adding *d, const char *name, struct jw_err *err)
{
    const char *file = d->signature.n ? signed_name(d, name) : NULL;

    if (!d->signature.n)
        return true;
    return file
           && (store_put(&d->hold.tree, file, jw_buf_bytes(&d->signature), err)
               || jw_wrap(err, "%s", d->dir));
}

/* The new one could not be given its name: what was there is the newest again. */
static void step_forward(const struct adding *d)
{
    struct jw_err ignored = { 0 };
    const char *old = signed_name(d, d->older);

    if (!d->now || !d->keep || d->now->older)
        return;
    (void)!rename_in(d, d->older, d->now->name, &ignored);
    if (old && d->now->signature)
        (void)!rename_in(d, old, jw_path_base(d->now->signature), &ignored);
}

/* Of the same key: it was not kept, or lies there under the name of another version, as a crash may leave it. */
static bool is_too_much(const struct adding *d, const struct jw_store_pack *p)
{
    if (p->refused || !store_same(&p->key, &d->x->key) || (p == d->now && d->keep))
        return false;
    return p->older ? p == d->now : strcmp(p->name, d->name) != 0;
}

static bool make_room(const struct adding *d, struct jw_err *err)
{
    const char **names = jw_arena_alloc(d->a, d->store.n * sizeof *names);

    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];

        if (is_too_much(d, p) && !remove_pack(d, p, err))
            return jw_wrap(err, "%s", p->path);
        if (!d->goes[i])
            continue;
        if (!remove_pack(d, p, err))
            return jw_wrap(err, "%s", p->path);
        names[d->x->n_evicted++] = p->name;
    }
    d->x->evicted = names;
    return true;
}

/* Of what is there no more nothing is remembered. What cannot be written is no failure. */
static void remember(struct adding *d, const char *name)
{
    struct store_uses kept = { .v = jw_arena_alloc(d->a, (d->store.n + 1) * sizeof *kept.v) };
    struct jw_err ignored = { 0 };

    if (!kept.v)
        return;
    kept.v[kept.n++] = (struct store_use){ name, jw_time_unix() };
    for (size_t i = 0; i < d->store.n; i++) {
        const struct jw_store_pack *p = &d->store.packs[i];
        bool stays = !d->goes[i] && p != d->before && (p != d->now || d->keep) && strcmp(p->name, name) != 0;

        if (p == d->now && !d->x->same && stays)
            kept.v[kept.n++] = (struct store_use){ d->older, p->used_at };
        else if (stays && store_uses_find(&d->uses, p->name))
            kept.v[kept.n++] = (struct store_use){ p->name, store_uses_find(&d->uses, p->name) };
    }
    (void)!store_uses_write(&d->hold.tree, &kept, &ignored);
}

/* ---- all of it ---- */

static bool put(struct adding *d, struct jw_err *err)
{
    if (!choose(d, err))
        return false;
    if (!step_back(d, err) || !move_in(d, err)) {
        step_forward(d);
        return jw_wrap(err, "%s", d->dir);
    }
    d->x->path = jw_path_join(d->a, d->dir, d->name);
    return put_signature(d, d->name, err) && make_room(d, err)
           && (jw_tree_sync(&d->hold.tree, err) || jw_wrap(err, "%s", d->dir));
}

/* The very bytes are there: at most their signature is new. */
static bool leave(struct adding *d, struct jw_err *err)
{
    d->x->path = d->now->path;
    d->x->same = true;
    d->keep = true;
    return d->now->signature || put_signature(d, d->now->name, err);
}

static bool prepare(struct adding *d, struct jw_err *err)
{
    d->dir = jw_store_dir(d->a, err);
    d->name = d->dir ? jw_store_name(&d->x->key, false, d->a, err) : NULL;
    d->older = d->name ? jw_store_name(&d->x->key, true, d->a, err) : NULL;
    if (!d->older)
        return false;
    return ((jw_trust_make(d->dir, err) && jw_trust_believe(d->dir, "folder", d->a, err))
            || jw_wrap(err, "the store of packs, %s", d->dir))
           && bring(d, err) && read_signature(d, err)
           && read_end(d->from, d->x->digest, &d->size, d->digest, err)
           && store_hold(&d->hold, d->dir, PATIENCE_MS, err) && look(d, err);
}

bool jw_store_add(struct jw_store_add *x, struct jw_arena *a, struct jw_err *err)
{
    struct adding d = { .x = x, .a = a, .hold = STORE_HOLD_NONE, .signature = JW_BUF(JW_MAX_SIGNATURE) };

    x->path = NULL;
    x->same = false;
    x->evicted = NULL;
    x->n_evicted = 0;

    bool ok = prepare(&d, err);

    if (ok && is_same(&d))
        ok = leave(&d, err);
    else
        ok = ok && put(&d, err);
    if (ok) {
        struct jw_err ignored = { 0 };

        remember(&d, x->same ? d.now->name : d.name);
        if (x->vouched) /* what cannot be remembered, nobody vouched for */
            (void)!store_vouch(&d.hold.tree, d.dir, d.digest, x->vouched, a, &ignored);
    }
    store_release(&d.hold);
    jw_scratch_remove(d.work);
    jw_buf_free(&d.signature);
    return ok;
}
