#include "env/env_running.h"

#include "base/limits.h"
#include "base/text.h"
#include "machine/procs.h"
#include "os/files/dir.h"
#include "os/machine/env.h"
#include "os/machine/procfs.h"
#include "os/process/process.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 512, SMALL = 65536, MOST_MAPS = 16 << 20 };

struct watcher {
    const char *proc;
    const struct jw_env_setting *wanted;
    size_t n;
    bool everybody;
    uint64_t uid;
    struct jw_arena *a;
    struct jw_env_runnings *out;
};

const char *jw_env_block_value(struct jw_bytes block, const char *name, size_t *n)
{
    size_t length = strlen(name);

    while (block.n) {
        const uint8_t *nul = memchr(block.p, '\0', block.n);
        size_t one = nul ? (size_t)(nul - block.p) : block.n;

        if (one > length && memcmp(block.p, name, length) == 0 && block.p[length] == '=') {
            *n = one - length - 1;
            return (const char *)block.p + length + 1;
        }
        one += nul != NULL;
        block = (struct jw_bytes){ block.p + one, block.n - one };
    }
    return NULL;
}

/* ---- one process ---- */

/* The first variable that is not as it will be. */
static bool differs(struct watcher *w, struct jw_bytes block, struct jw_env_running *r)
{
    for (size_t i = 0; i < w->n; i++) {
        size_t n = 0;
        const char *value = jw_env_block_value(block, w->wanted[i].name, &n);
        bool same = value && w->wanted[i].value
                        ? n == strlen(w->wanted[i].value) && memcmp(value, w->wanted[i].value, n) == 0
                        : !value && !w->wanted[i].value;

        if (same)
            continue;
        r->variable = w->wanted[i].name;
        r->value = value ? jw_arena_text(w->a, value, n) : NULL;
        return true;
    }
    return false;
}

static bool is_shell(const char *name)
{
    static const char *const shells[] = { "sh",   "bash", "dash", "zsh",  "fish",         "ksh",
                                          "mksh", "tcsh", "csh",  "pwsh", "tmux: server", "screen" };

    return jw_text_among(name, shells, JW_COUNT(shells));
}

static bool user_of(struct watcher *w, unsigned long pid, uint64_t *uid)
{
    struct jw_buf text;
    bool refused, ok = jw_proc_read(w->proc, pid, "status", SMALL, &text, &refused)
                       && jw_procfs_number(jw_buf_cstr(&text), "Uid", uid);

    jw_buf_free(&text);
    return ok;
}

static bool uses_driver(struct watcher *w, unsigned long pid)
{
    struct jw_buf maps;
    bool refused, uses = jw_proc_read(w->proc, pid, "maps", MOST_MAPS, &maps, &refused)
                         && jw_find(jw_buf_bytes(&maps), JW_BYTES("/libcuda.so")) < maps.n;

    jw_buf_free(&maps);
    return uses;
}

static void keep_process(struct watcher *w, struct jw_env_running r)
{
    struct jw_err more_are_not_kept;
    struct jw_env_running *slot;

    for (size_t i = 0; i < w->out->n; i++)
        if (r.kind == JW_ENV_RUN_SERVICE && w->out->v[i].kind == r.kind
            && strcmp(w->out->v[i].name, r.name) == 0)
            return;
    slot = jw_list_add(w->a, &w->out->v, &w->out->n, sizeof *slot, MOST, &more_are_not_kept);
    if (slot)
        *slot = r;
}

static void look_at_process(struct watcher *w, unsigned long pid)
{
    struct jw_env_running r = { .kind = JW_ENV_RUN_SERVICE, .pid = pid };
    struct jw_buf block;
    const char *service;
    bool other, refused;
    uint64_t uid;

    if (!user_of(w, pid, &uid) || (!w->everybody && uid != w->uid))
        return;
    other = jw_proc_read(w->proc, pid, "environ", JW_MAX_VARIABLE, &block, &refused) && block.n
            && differs(w, jw_buf_bytes(&block), &r);
    jw_buf_free(&block);
    if (!other)
        return;
    r.name = jw_proc_name(w->proc, pid, w->a);
    if (!r.name)
        return;
    service = jw_proc_service(w->proc, pid, w->a);
    if (service)
        r.name = service;
    else if (uses_driver(w, pid))
        r.kind = JW_ENV_RUN_CUDA;
    else if (is_shell(r.name))
        r.kind = JW_ENV_RUN_SHELL;
    else
        return;
    keep_process(w, r);
}

static int in_order(const void *a, const void *b)
{
    const struct jw_env_running *x = a, *y = b;

    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void look_at_all(struct watcher *w)
{
    struct jw_err ignored = { 0 };
    struct jw_entry e;
    struct jw_dir *dir;
    bool more = true;

    if (!jw_dir_open(&dir, w->proc, &ignored))
        return;
    while (more && jw_dir_next(dir, &e, &more, &ignored) && more) {
        uint64_t pid;

        if (jw_text_u64(e.name, &pid))
            look_at_process(w, (unsigned long)pid);
    }
    jw_dir_close(dir);
}

void jw_env_running(const char *proc, const struct jw_env_setting *wanted, size_t n, bool everybody,
                    struct jw_arena *a, struct jw_env_runnings *out)
{
    struct watcher w = { proc, wanted, n, everybody, 0, a, out };

    *out = (struct jw_env_runnings){ 0 };
    if (!jw_os_is_windows() && user_of(&w, jw_process_id(), &w.uid))
        look_at_all(&w);
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, in_order);
}
