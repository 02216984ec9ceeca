#include "fleet/folder_reply.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "fleet/format/oci.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <stdint.h>

struct look {
    struct jw_lock *lock;
    bool done; /* under the lock */
    struct jw_arena a;
    const char *folder;
};

static void read_one_name(const char *folder)
{
    struct jw_dir *dir = NULL;
    struct jw_err ignored;
    struct jw_entry e;
    bool more;

    if (jw_dir_open(&dir, folder, &ignored))
        (void)!jw_dir_next(dir, &e, &more, &ignored);
    jw_dir_close(dir);
}

static void read_folder(void *ctx)
{
    struct look *l = ctx;
    struct jw_buf index = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err ignored;
    bool found = false;

    if (!jw_file_slurp(jw_path_join(&l->a, l->folder, "index.json"), &index, &found, &ignored) || !found)
        read_one_name(l->folder);
    jw_buf_free(&index);
    jw_lock_take(l->lock);
    l->done = true;
    jw_lock_wake_all(l->lock);
    jw_lock_drop(l->lock);
}

static bool await_look(struct look *l, unsigned timeout_ms)
{
    uint64_t until = jw_time_after_ms(timeout_ms), now;
    bool done;

    jw_lock_take(l->lock);
    while (!l->done && (now = jw_time_monotonic_ns()) < until)
        jw_lock_wait(l->lock, (unsigned)((until - now) / 1000000) + 1);
    done = l->done;
    jw_lock_drop(l->lock);
    return done;
}

bool jw_folder_replies(const char *folder, unsigned timeout_ms)
{
    struct look *l = jw_alloc(sizeof *l);
    struct jw_thread *thread = NULL;
    struct jw_err ignored;

    *l = (struct look){ .lock = jw_lock_new() };
    l->folder = jw_arena_str(&l->a, folder);
    if (jw_thread_start(&thread, read_folder, l, &ignored) && !await_look(l, timeout_ms))
        return false;
    jw_thread_join(thread);
    jw_lock_free(l->lock);
    jw_arena_free(&l->a);
    jw_free(l);
    return true;
}
