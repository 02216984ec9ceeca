/* One env apply or undo at a time: each reads files, decides, and writes what it decided. */
#include "env/env_apply_parts.h"

#include "base/mem.h"
#include "base/path.h"
#include "machine/trust.h"
#include "os/files/file.h"
#include "os/files/lock.h"
#include "os/machine/env.h"

#include <string.h>

enum { PATIENCE_MS = 3000, MOST_TRIES = 100 };

/* Beside the folder of the user's ledgers, which all scopes of this user share; beside the machine's ledger. */
static const char *place(struct applier *k)
{
    const char *folder = jw_path_dir(k->a, k->ledger.path);

    if (folder && k->o->scope != JW_ENV_SYSTEM)
        folder = jw_path_dir(k->a, folder);
    return folder ? jw_path_join(k->a, folder, "env.lock") : NULL;
}

/* Whoever had it before may have removed it, and then somebody else locks another file of that name. */
static bool is_the_one(const struct applier *k, bool *is, struct jw_err *err)
{
    struct jw_file open = { .handle = k->lock.handle };
    struct jw_file_info held, there;

    if (!jw_file_info(&open, &held, err) || !jw_file_stat(k->lock_path, &there, err))
        return false;
    *is = there.kind != JW_FILE_NONE && memcmp(&held.id, &there.id, sizeof held.id) == 0;
    return true;
}

static bool take_once(struct applier *k, bool *taken, bool *mine)
{
    return jw_append_open(&k->lock, k->lock_path, k->err)
           && jw_filelock_take_mark(k->lock.handle, true, PATIENCE_MS, taken, k->err)
           && (!*taken || is_the_one(k, mine, k->err));
}

bool env_lock(struct applier *k)
{
    const char *folder;
    bool taken = true, mine = false;

    k->lock_path = place(k);
    folder = k->lock_path ? jw_path_dir(k->a, k->lock_path) : NULL;
    if (!folder)
        return jw_nomem(k->err, strlen(k->ledger.path));
    if (!jw_trust_make(folder, k->err))
        return jw_wrap(k->err, "%.300s", folder);
    for (int i = 0; i < MOST_TRIES && taken && !mine; i++) {
        jw_append_close(&k->lock);
        if (!take_once(k, &taken, &mine))
            return jw_wrap(k->err, "%.300s", k->lock_path);
    }
    return mine
           || jw_fail(k->err, JW_E_BUSY,
                      "another jitwarm is changing settings (it has held %.200s for %d seconds); try again "
                      "when it has ended",
                      k->lock_path, PATIENCE_MS / 1000);
}

/* It was only there for the ledger. */
static void drop_folder(struct applier *k)
{
    const char *folder = jw_path_dir(k->a, k->lock_path);
    struct jw_err ignored = { 0 };

    if (folder)
        (void)jw_env_folder_drop(folder, &ignored);
}

void env_unlock(struct applier *k, bool over)
{
    struct jw_err ignored = { 0 };

    /* Nothing is remembered any more; Windows keeps a file that somebody has open, and the name with it. */
    if (over && k->lock.handle != -1 && !jw_os_is_windows())
        (void)!jw_append_remove(k->lock_path, &ignored);
    jw_append_close(&k->lock);
    if (over && k->o->scope == JW_ENV_SYSTEM && k->lock_path)
        drop_folder(k);
}
