#include "pack/store/store_lock.h"

bool store_lock(struct store_lock *h, const char *dir, unsigned patience_ms, struct jw_err *err)
{
    bool found = false, taken = false;

    *h = STORE_LOCK_NONE;
    if (jw_tree_open(&h->tree, dir, err)
        && jw_tree_open_file(&h->tree, STORE_LOCK, JW_TREE_MAKE, &h->lock, &found, err)
        && jw_filelock_take_mark(h->lock.handle, true, patience_ms, &taken, err)
        && (taken || jw_fail(err, JW_E_IO, "another jitwarm is changing it")))
        return true;
    store_unlock(h);
    return jw_wrap(err, "%s", dir);
}

void store_unlock(struct store_lock *h)
{
    jw_file_close(&h->lock);
    jw_tree_close(&h->tree);
}

/* The temporary name is fixed: the next call overwrites what a crash left. */
bool store_put(const struct jw_tree *t, const char *name, struct jw_bytes text, struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    enum jw_swap_result swapped = JW_SWAP_NOTHING;
    enum jw_move_result moved = JW_MOVED;
    bool found, ok = jw_tree_open_file(t, STORE_NEW, JW_TREE_MAKE, &f, &found, err)
                     && jw_file_truncate(&f, 0, err) && jw_file_write(&f, 0, text.p, text.n, err);

    jw_file_close(&f);
    ok = ok && jw_tree_make_private(t, STORE_NEW, err) && jw_tree_swap(t, STORE_NEW, t, name, &swapped, err)
         && (swapped != JW_SWAP_NOTHING
             || (jw_tree_move(t, STORE_NEW, t, name, &moved, err)
                 && (moved == JW_MOVED || jw_fail(err, JW_E_IO, "something has that name"))));
    if (swapped == JW_SWAPPED)
        ok = jw_tree_remove(t, STORE_NEW, err) && ok;
    return ok || jw_wrap(err, "%s", name);
}
