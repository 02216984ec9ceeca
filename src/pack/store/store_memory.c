#include "pack/store/store_memory.h"

#include "base/fields.h"
#include "base/limits.h"
#include "base/path.h"
#include "machine/trust.h"
#include "os/machine/time.h"

#include <string.h>

#define LATEST 4000000000000 /* seconds: past any clock */

enum { USED = 33, VOUCHED, MOST_VOUCHES = 256, LONGEST_WHO = 16 };

static const struct jw_field used[] = { JW_FIELD(struct store_use, name),
                                        JW_FIELD_UP_TO(struct store_use, at, 8, LATEST),
                                        { 0 } };
static const struct jw_field vouched[] = { JW_FIELD(struct store_vouch, digest),
                                           JW_FIELD(struct store_vouch, by),
                                           { 0 } };

/* ---- the file ---- */

static void take_record(const struct jw_record *record, struct store_memory *out)
{
    struct store_use use = { 0 };
    struct store_vouch vouch = { 0 };

    if (record->kind == USED && jw_record_get(record, used, NULL, &use))
        out->uses[out->n_uses++] = use;
    if (record->kind == VOUCHED && jw_record_get(record, vouched, NULL, &vouch) && *vouch.by
        && strlen(vouch.by) <= LONGEST_WHO)
        out->vouches[out->n_vouches++] = vouch;
}

void store_memory_read(const char *dir, struct jw_arena *a, struct store_memory *out)
{
    struct jw_bytes file;
    struct jw_record record;
    struct jw_err ignored = { 0 };
    bool found = false;

    (void)!jw_trust_slurp(jw_path_join(a, dir, STORE_MEMORY), JW_MAX_STATE, a, &file, &found, &ignored);

    size_t most = file.n / JW_RECORD_FRAME + 1;

    *out = (struct store_memory){ .uses = jw_arena_alloc(a, most * sizeof *out->uses),
                                  .vouches = jw_arena_alloc(a, most * sizeof *out->vouches) };
    for (struct jw_reader r = jw_reader(file); jw_record_take(&r, &record);)
        take_record(&record, out);
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

bool store_memory_write(const struct jw_tree *t, const struct store_memory *m, struct jw_err *err)
{
    struct jw_buf records = JW_BUF(JW_MAX_STATE);

    for (size_t i = 0; i < m->n_uses; i++)
        jw_record_put(&records, USED, used, &m->uses[i]);
    for (size_t i = 0; i < m->n_vouches; i++)
        jw_record_put(&records, VOUCHED, vouched, &m->vouches[i]);

    bool ok = jw_buf_ok(&records, err) && store_put(t, STORE_MEMORY, jw_buf_bytes(&records), err);

    jw_buf_free(&records);
    return ok;
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

/* ---- what it says ---- */

int64_t store_used_at(const struct store_memory *m, const char *name)
{
    for (size_t i = 0; i < m->n_uses; i++)
        if (strcmp(m->uses[i].name, name) == 0)
            return m->uses[i].at;
    return 0;
}

static bool note_use(const struct jw_tree *t, const char *dir, const char *name, struct jw_arena *a,
                     struct jw_err *err)
{
    struct store_memory m;
    size_t i = 0;

    store_memory_read(dir, a, &m);
    while (i < m.n_uses && strcmp(m.uses[i].name, name) != 0)
        i++;
    m.n_uses += i == m.n_uses;
    m.uses[i] = (struct store_use){ name, jw_time_unix() };
    return store_memory_write(t, &m, err);
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

const char *jw_store_vouched(const struct jw_store *s, const uint8_t digest[JW_DIGEST], struct jw_arena *a)
{
    struct store_memory m;

    if (!s->dir)
        return NULL;
    store_memory_read(s->dir, a, &m);
    for (size_t i = 0; i < m.n_vouches; i++)
        if (memcmp(m.vouches[i].digest, digest, JW_DIGEST) == 0)
            return m.vouches[i].by;
    return NULL;
}

void store_vouch(struct store_memory *m, const uint8_t digest[JW_DIGEST], const char *by)
{
    struct store_vouch first = { .by = by };
    size_t n = 0;

    memcpy(first.digest, digest, JW_DIGEST);
    for (size_t i = 0; i < m->n_vouches; i++)
        if (memcmp(m->vouches[i].digest, digest, JW_DIGEST) != 0)
            m->vouches[n++] = m->vouches[i];
    n -= n == MOST_VOUCHES;
    memmove(m->vouches + 1, m->vouches, n * sizeof first);
    m->vouches[0] = first;
    m->n_vouches = n + 1;
}
