#include "software/scan/scan_memo.h"

#include "base/limits.h"
#include "software/scan/scan_jobs.h"

#include <string.h>

/* To be raised with every change of the layout, and of what a scan finds in the same file. */
enum { VERSION = 16, MAX_ITEMS = 1 << 20, MAX_TEXT = 1 << 14, LEAST_ITEM = 16 };

/* One description for both ways: each function below writes the field that it is given, or reads it. Numbers are as in this machine's
 * memory. What is read may be anything. */
struct memo {
    struct jw_buf *out; /* NULL: it is read */
    struct jw_reader in;
    struct jw_arena *a;
    struct scan_known *k;
    struct jw_place *before; /* the place before */
};

static void raw(struct memo *m, void *field, size_t n)
{
    if (m->out) {
        jw_buf_add(m->out, field, n);
        return;
    }
    struct jw_bytes b = jw_take(&m->in, n);

    if (b.n)
        memcpy(field, b.p, n);
}

static void flag(struct memo *m, bool *v)
{
    uint8_t byte = *v;

    raw(m, &byte, 1);
    m->in.bad |= byte > 1;
    *v = byte == 1;
}

/* The number of items, each of `least` bytes or more: no more than there are bytes for. */
static void count(struct memo *m, size_t *n, size_t least)
{
    uint64_t v = *n;

    raw(m, &v, sizeof v);
    m->in.bad |= !m->out && (v > MAX_ITEMS || v > (m->in.in.n - m->in.at) / least);
    *n = m->in.bad ? 0 : (size_t)v;
}

static void text(struct memo *m, const char **t)
{
    size_t n = m->out ? strlen(*t) : 0;

    count(m, &n, 1);
    if (m->out) {
        jw_buf_text(m->out, *t);
        return;
    }
    struct jw_bytes b = jw_take(&m->in, n);

    m->in.bad |= n > MAX_TEXT || (b.n && memchr(b.p, 0, b.n));
    *t = m->in.bad || !b.n ? "" : jw_arena_text(m->a, (const char *)b.p, b.n);
}

/* The path of the file on disk, or "!member" behind it. */
static void path(struct memo *m, const char **t)
{
    const char *rest = m->out ? *t + strlen(m->k->path) : "";

    text(m, &rest);
    m->in.bad |= *rest && *rest != '!';
    if (!m->out)
        *t = *rest ? jw_arena_printf(m->a, "%s%s", m->k->path, rest) : m->k->path;
}

static void file(struct memo *m, struct jw_scan_file *f)
{
    path(m, &f->path);
    text(m, &f->format);
    raw(m, &f->size, sizeof f->size);
}

/* A module's jobs follow each other: a place that is the one before is not written again. */
static void place(struct memo *m, struct jw_place **p)
{
    const struct scan_known *k = m->k;
    bool again = *p == m->before, on_disk;

    flag(m, &again);
    m->in.bad |= again && !m->before;
    if (again || m->in.bad) {
        *p = m->before;
        return;
    }
    m->before = *p = m->out ? *p : jw_arena_alloc(m->a, sizeof **p);
    path(m, &(*p)->path);
    on_disk = m->out && (*p)->disk && strcmp((*p)->disk, k->path) == 0;
    flag(m, &on_disk);
    raw(m, &(*p)->at, sizeof(*p)->at);
    raw(m, &(*p)->size, sizeof(*p)->size);
    raw(m, (*p)->digest, sizeof(*p)->digest);
    flag(m, &(*p)->text);
    flag(m, &(*p)->link);
    if (m->out)
        return;
    (*p)->disk = on_disk ? k->path : NULL;
    (*p)->packed_in = on_disk ? NULL : k->path;
    m->in.bad |= on_disk && ((*p)->at > k->info.size || (*p)->size > k->info.size - (*p)->at);
    m->k->members |= !on_disk;
}

static void job(struct memo *m, struct jw_job *j)
{
    place(m, &j->place);
    raw(m, j->text, sizeof j->text);
    text(m, &j->options);
    text(m, &j->kernel);
    raw(m, &j->ptx_bytes, sizeof j->ptx_bytes);
    raw(m, &j->kernels, sizeof j->kernels);
    flag(m, &j->optional);
    flag(m, &j->lazy);
    raw(m, j->id, sizeof j->id);
    raw(m, &j->sm, sizeof j->sm);
    raw(m, &j->name, sizeof j->name);
    raw(m, &j->key_size, sizeof j->key_size);
}

static void known(struct memo *m)
{
    struct scan_known *k = m->k;
    uint32_t version = VERSION;

    raw(m, &version, sizeof version);
    m->in.bad |= version != VERSION;
    flag(m, &k->named);
    flag(m, &k->vendor);
    raw(m, k->left_out, sizeof k->left_out);
    for (size_t i = 0; i < JW_LEFT_OUT; i++)
        if (k->left_out[i])
            path(m, &k->first_out[i]);
    raw(m, &k->needs, sizeof k->needs);
    count(m, &k->n_files, LEAST_ITEM);
    k->files = m->out ? k->files : jw_arena_alloc(m->a, k->n_files * sizeof *k->files);
    for (size_t i = 0; i < k->n_files; i++)
        file(m, &k->files[i]);
    count(m, &k->n_jobs, LEAST_ITEM);
    k->jobs = m->out ? k->jobs : jw_arena_alloc(m->a, k->n_jobs * sizeof *k->jobs);
    for (size_t i = 0; i < k->n_jobs; i++)
        job(m, &k->jobs[i]);
}

void scan_memo_write(struct scan_known *k, struct jw_buf *out)
{
    known(&(struct memo){ .out = out, .k = k });
}

bool scan_memo_read(struct jw_bytes memo, struct jw_arena *a, struct scan_known *k)
{
    struct memo m = { .in = jw_reader(memo), .a = a, .k = k };

    known(&m);
    return !m.in.bad && m.in.at == memo.n;
}

/* ---- what it depends on ---- */

void scan_memo_view(const struct scan_jobs_options *o, uint8_t view[JW_DIGEST])
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&b, "%d %s %s %s %d%d", VERSION,
                  JITWARM_VERSION, /* its tables of GPUs and drivers decide, too */
                  o->rules.stamp ? o->rules.stamp : "", o->scan.driver ? o->scan.driver : "",
                  o->rules.cuts_ptx, o->all);
    for (size_t i = 0; i < o->n_sms; i++)
        jw_buf_printf(&b, " %u", o->sms[i]);
    jw_digest(view, b.p, b.n);
    jw_buf_free(&b);
}
