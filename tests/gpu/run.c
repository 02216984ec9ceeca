#include "cache/format/jitcache.h"
#include "lab.h"

#include "base/path.h"
#include "os/files/file.h"
#include "os/process/child.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EDITS = 32, MAX_ANSWER = 16384, GRACE_MS = 5000 };

static size_t edits_for(const struct lab_step *s, const char *shim, struct jw_child_edit *e)
{
    size_t n = 0;

    e[n++] = (struct jw_child_edit){ "CUDA_CACHE_DISABLE", "0" };
    e[n++] = (struct jw_child_edit){ "CUDA_CACHE_MAXSIZE", "1073741824" };
    e[n++] = (struct jw_child_edit){ "CUDA_CACHE_PATH", s->home ? NULL : s->cache };
    e[n++] = (struct jw_child_edit){ "CUDA_MODULE_LOADING", s->loading };
    e[n++] = (struct jw_child_edit){ "CUDA_MODULE_DATA_LOADING", NULL };
    e[n++] = (struct jw_child_edit){ "CUDA_FORCE_*", NULL };
    e[n++] = (struct jw_child_edit){ "CUDA_DISABLE_*", NULL };
    if (s->home)
        e[n++] = (struct jw_child_edit){ "HOME", s->home };
    if (s->log && shim) {
        e[n++] = (struct jw_child_edit){ "LD_PRELOAD", shim };
        e[n++] = (struct jw_child_edit){ "LAB_SHIM_LOG", s->log };
        e[n++] = (struct jw_child_edit){ "LAB_SHIM_CACHE", s->cache };
    }
    for (size_t i = 0; i < s->n_edits && n < MAX_EDITS; i++)
        e[n++] = s->edits[i];
    return n;
}

/* The lines that the child wrote, one for each operation that it reached. */
static void read_answer(const struct lab_step *s, const char *p, struct lab_done *out)
{
    while (*p && out->n < LAB_MAX_OPS && s->ops[out->n]) {
        struct lab_op *op = &out->ops[out->n];
        unsigned long long us = 0, value = 0;

        if (sscanf(p, "%d %llu %u %u %u %llu", &op->code, &us, &op->fresh, &op->changed, &op->gone, &value)
            != 6)
            return;
        op->us = us;
        op->value = value;
        (void)snprintf(op->text, sizeof op->text, "%s", s->ops[out->n]);
        out->n++;
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
}

static void say_end(const struct jw_child_end *end, bool silent, struct lab_done *out)
{
    if (silent)
        (void)snprintf(out->how, sizeof out->how, "ran out of time");
    else if (end->crashed)
        (void)snprintf(out->how, sizeof out->how, "killed by %s (%u)", end->name ? end->name : "a signal",
                       end->code);
    else
        (void)snprintf(out->how, sizeof out->how, "exit %u", end->code);
}

static bool listen(struct jw_child *c, unsigned ms, struct jw_buf *answer, bool *silent, struct jw_err *err)
{
    enum jw_child_read what = JW_CHILD_DATA;
    uint8_t bytes[512];
    size_t n;

    while (what == JW_CHILD_DATA) {
        if (!jw_child_read(c, bytes, sizeof bytes, ms ? ms : LAB_STEP_MS, &what, &n, err))
            return false;
        if (what == JW_CHILD_DATA)
            jw_buf_add(answer, bytes, n);
    }
    *silent = what == JW_CHILD_SILENT;
    return jw_buf_ok(answer, err);
}

/* NULL: it was not built, for it and a sanitizer's runtime do not get on. */
static const char *shim_beside(struct lab *l)
{
    char *folder = jw_path_dir(&l->arena, l->exe);
    char *shim = folder ? jw_path_join(&l->arena, folder, "liblabshim.so") : NULL;
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err ignored;

    return shim && jw_file_stat(shim, &info, &ignored) && info.kind == JW_FILE_REGULAR ? shim : NULL;
}

static size_t count_ops(const struct lab_step *s)
{
    size_t n = 0;

    while (n < LAB_MAX_OPS && s->ops[n])
        n++;
    return n;
}

static bool begin(struct lab *l, const struct lab_step *s, struct jw_child **c, struct jw_err *err)
{
    struct jw_child_edit edits[MAX_EDITS];
    const char *args[LAB_MAX_OPS + 3] = { "child", s->cache };
    struct jw_child_options o = { .exe = l->exe, .args = args, .edits = edits };
    size_t n = count_ops(s);
    char uid[16];

    (void)snprintf(uid, sizeof uid, "%u", s->uid);
    args[2] = uid;
    for (size_t i = 0; i < n; i++)
        args[3 + i] = s->ops[i];
    o.n_args = 3 + n;
    o.n_edits = edits_for(s, s->log ? shim_beside(l) : NULL, edits);
    return jw_child_start(c, &o, err);
}

/* Accepts a child that was not started. */
static bool finish(struct jw_child *c, const struct lab_step *s, struct lab_done *out, struct jw_err *err)
{
    struct jw_child_end end = { 0 };
    struct jw_buf answer = JW_BUF(MAX_ANSWER);
    bool silent = false;

    memset(out, 0, sizeof *out);
    if (!c)
        return true;
    bool ok = listen(c, s->silent_ms, &answer, &silent, err);

    jw_child_finish(c, silent ? 0 : GRACE_MS, &end, NULL);
    jw_child_free(c);
    say_end(&end, silent, out);
    read_answer(s, jw_buf_cstr(&answer), out);
    out->whole = ok && out->n == count_ops(s);
    jw_buf_free(&answer);
    return ok;
}

bool lab_run_all(struct lab *l, const struct lab_step *steps, struct lab_done *done, size_t n,
                 struct jw_err *err)
{
    struct jw_child *children[LAB_MAX_PROCESSES] = { NULL };
    bool ok = n <= LAB_MAX_PROCESSES;

    for (size_t i = 0; ok && i < n; i++)
        ok = begin(l, &steps[i], &children[i], err);
    for (size_t i = 0; i < n && i < LAB_MAX_PROCESSES; i++)
        ok = finish(children[i], &steps[i], &done[i], err) && ok;
    return ok;
}

bool lab_run(struct lab *l, const struct lab_step *s, struct lab_done *out, struct jw_err *err)
{
    return lab_run_all(l, s, out, 1, err);
}

const struct lab_op *lab_op(const struct lab_done *d, const char *verb)
{
    size_t n = strlen(verb);

    for (size_t i = 0; i < d->n; i++)
        if (strncmp(d->ops[i].text, verb, n) == 0 && (d->ops[i].text[n] == ' ' || !d->ops[i].text[n]))
            return &d->ops[i];
    return NULL;
}

bool lab_all_zero(const struct lab_done *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->ops[i].code != 0)
            return false;
    return d->whole;
}

unsigned lab_new(const struct lab_done *d)
{
    unsigned n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += d->ops[i].fresh + d->ops[i].changed;
    return n;
}

const char *lab_op_of(struct lab *l, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return jw_arena_str(&l->arena, text);
}

const char *lab_op_text(struct lab *l, const char *verb, const char *object)
{
    char text[512];

    (void)snprintf(text, sizeof text, "%s %s", verb, object ? object : "");
    return jw_arena_str(&l->arena, text);
}

bool lab_load(struct lab *l, const char *root, const char *door, const char *file, struct jw_bytes image,
              struct lab_done *out, struct jw_err *err)
{
    const char *path = lab_path(l, file);
    struct lab_step s = { .cache = root,
                          .loading = "EAGER",
                          .ops = { "context", path ? lab_op_text(l, door, path) : NULL } };

    if (!path || !s.ops[1])
        return jw_fail(err, JW_E_IO, "out of memory");
    return lab_write(l, path, image, err) && lab_run(l, &s, out, err);
}
