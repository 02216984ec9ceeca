#include "env/env_running.h"

#include "base/limits.h"
#include "base/text.h"
#include "os/files/dir.h"
#include "os/files/file.h"
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
    struct jw_err *err;
};

const char *jw_env_run_kind_name(enum jw_env_run_kind k)
{
    static const char *const names[] = { "shell", "service", "cuda" };

    return names[k];
}

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

/* "0::/system.slice/ollama.service"; of user@1000.service/app.slice/x.service the last one counts. */
bool jw_env_cgroup_service(const char *cgroup, struct jw_buf *name)
{
    const char *best = NULL;
    size_t best_n = 0;

    for (const char *at = cgroup; *at;) {
        size_t n = strcspn(at, "/\n");

        if (n > 8 && strncmp(at + n - 8, ".service", 8) == 0 && strncmp(at, "user@", 5) != 0
            && strncmp(at, "init.service", 12) != 0) {
            best = at;
            best_n = n;
        } else if (n > 6 && strncmp(at + n - 6, ".scope", 6) == 0) {
            best = NULL; /* a session, or an application that the user started */
        }
        at += n + (at[n] != '\0');
    }
    if (best)
        jw_buf_add(name, best, best_n);
    return best != NULL;
}

/* ---- one process ---- */

static bool slurp(struct watcher *w, unsigned long pid, const char *what, size_t most, struct jw_buf *out)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored = { 0 };
    bool found = false;

    *out = JW_BUF(most);
    jw_buf_printf(&path, "%s/%lu/%s", w->proc, pid, what);
    bool ok = !path.bad && jw_file_slurp(jw_buf_cstr(&path), out, &found, &ignored);

    jw_buf_free(&path);
    return (ok && found) || (ignored.code == JW_E_LIMIT && out->n);
}

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

    for (size_t i = 0; i < JW_COUNT(shells); i++)
        if (strcmp(shells[i], name) == 0)
            return true;
    return false;
}

static bool is_ours(struct watcher *w, unsigned long pid)
{
    struct jw_buf text;
    uint64_t uid = 0;
    bool ok = slurp(w, pid, "status", SMALL, &text) && jw_procfs_number(jw_buf_cstr(&text), "Uid", &uid)
              && (w->everybody || uid == w->uid);

    jw_buf_free(&text);
    return ok;
}

static bool uses_driver(struct watcher *w, unsigned long pid)
{
    struct jw_buf maps;
    bool uses = slurp(w, pid, "maps", MOST_MAPS, &maps)
                && jw_find(jw_buf_bytes(&maps), JW_BYTES("/libcuda.so")) < maps.n;

    jw_buf_free(&maps);
    return uses;
}

static const char *name_of(struct watcher *w, unsigned long pid)
{
    struct jw_buf comm;
    const char *name = NULL;

    if (slurp(w, pid, "comm", SMALL, &comm) && comm.n)
        name = jw_arena_text(w->a, (const char *)comm.p, strcspn(jw_buf_cstr(&comm), "\n"));
    jw_buf_free(&comm);
    return name;
}

static const char *service_of(struct watcher *w, unsigned long pid)
{
    struct jw_buf cgroup, name = JW_BUF(SMALL);
    const char *kept = NULL;

    if (slurp(w, pid, "cgroup", SMALL, &cgroup) && jw_env_cgroup_service(jw_buf_cstr(&cgroup), &name))
        kept = jw_arena_text(w->a, (const char *)name.p, name.n);
    jw_buf_free(&cgroup);
    jw_buf_free(&name);
    return kept;
}

static bool keep(struct watcher *w, struct jw_env_running r)
{
    struct jw_env_running *slot;

    for (size_t i = 0; i < w->out->n; i++)
        if (r.kind == JW_ENV_RUN_SERVICE && w->out->v[i].kind == r.kind
            && strcmp(w->out->v[i].name, r.name) == 0)
            return true;
    if (w->out->n == MOST)
        return true;
    slot = jw_list_add(w->a, &w->out->v, &w->out->n, sizeof *slot, MOST, w->err);
    if (slot)
        *slot = r;
    return slot != NULL;
}

static bool look_at(struct watcher *w, unsigned long pid)
{
    struct jw_env_running r = { .pid = pid };
    struct jw_buf block;
    const char *service;
    bool seen, other;

    if (!is_ours(w, pid))
        return true;
    seen = slurp(w, pid, "environ", JW_MAX_VARIABLE, &block);
    other = seen && block.n && differs(w, jw_buf_bytes(&block), &r);
    jw_buf_free(&block);
    w->out->unseen += !seen;
    if (!other)
        return true;
    r.name = name_of(w, pid);
    if (!r.name)
        return true;
    service = service_of(w, pid);
    if (service && (r.kind = JW_ENV_RUN_SERVICE, r.name = service))
        return keep(w, r);
    if (uses_driver(w, pid))
        r.kind = JW_ENV_RUN_CUDA;
    else if (is_shell(r.name))
        r.kind = JW_ENV_RUN_SHELL;
    else
        return true;
    return keep(w, r);
}

static int rank(const struct jw_env_running *r)
{
    return r->kind == JW_ENV_RUN_SERVICE ? 0 : r->kind == JW_ENV_RUN_CUDA ? 1 : 2;
}

static int in_order(const void *a, const void *b)
{
    const struct jw_env_running *x = a, *y = b;

    return rank(x) != rank(y) ? rank(x) - rank(y) : x->pid < y->pid ? -1 : x->pid > y->pid;
}

static bool read_all(struct watcher *w)
{
    struct jw_err ignored = { 0 };
    struct jw_entry e;
    struct jw_dir *dir;
    bool more = true, ok = true;

    if (!jw_dir_open(&dir, w->proc, &ignored))
        return true;
    while (ok && more && jw_dir_next(dir, &e, &more, &ignored) && more) {
        uint64_t pid;

        if (jw_text_u64(e.name, &pid))
            ok = look_at(w, (unsigned long)pid);
    }
    jw_dir_close(dir);
    return ok;
}

bool jw_env_running(const char *proc, const struct jw_env_setting *wanted, size_t n, bool everybody,
                    struct jw_arena *a, struct jw_env_runnings *out, struct jw_err *err)
{
    struct watcher w = { proc, wanted, n, everybody, 0, a, out, err };
    struct jw_buf status;
    bool known;

    *out = (struct jw_env_runnings){ 0 };
    if (jw_os_is_windows())
        return true;
    known = slurp(&w, jw_process_id(), "status", SMALL, &status)
            && jw_procfs_number(jw_buf_cstr(&status), "Uid", &w.uid);
    jw_buf_free(&status);
    if (known && !read_all(&w))
        return false;
    if (out->n)
        qsort(out->v, out->n, sizeof *out->v, in_order);
    return true;
}
