#include "machine/procs.h"

#include "base/limits.h"
#include "os/files/file.h"

#include <errno.h>
#include <string.h>

enum { SMALL = 65536 };

bool jw_proc_read(const char *proc, unsigned long pid, const char *file, size_t max, struct jw_buf *out,
                  bool *refused)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err why = { 0 };
    bool found = false, ok;

    *out = JW_BUF(max);
    jw_buf_printf(&path, "%s/%lu/%s", proc, pid, file);
    ok = !path.bad && jw_file_slurp(jw_buf_cstr(&path), out, &found, &why);
    jw_buf_free(&path);
    *refused = !ok && (why.os == EACCES || why.os == EPERM);
    return (ok && found) || (why.code == JW_E_LIMIT && out->n);
}

const char *jw_proc_name(const char *proc, unsigned long pid, struct jw_arena *a)
{
    struct jw_buf comm;
    const char *name = NULL;
    bool refused;

    if (jw_proc_read(proc, pid, "comm", SMALL, &comm, &refused) && comm.n)
        name = jw_arena_text(a, (const char *)comm.p, strcspn(jw_buf_cstr(&comm), "\n"));
    jw_buf_free(&comm);
    return name;
}

/* In the text of its file "cgroup": "0::/system.slice/ollama.service"; of user@1000.service/app.slice/x.service the
 * last one counts. */
static const char *service_in(const char *cgroup, struct jw_arena *a)
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
    return best ? jw_arena_text(a, best, best_n) : NULL;
}

const char *jw_proc_service(const char *proc, unsigned long pid, struct jw_arena *a)
{
    struct jw_buf cgroup;
    bool refused, ok = jw_proc_read(proc, pid, "cgroup", SMALL, &cgroup, &refused);
    const char *service = ok ? service_in(jw_buf_cstr(&cgroup), a) : NULL;

    jw_buf_free(&cgroup);
    return service;
}
