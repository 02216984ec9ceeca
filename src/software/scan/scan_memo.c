#include "software/scan/scan_memo.h"

#include "base/limits.h"
#include "software/scan/scan_jobs.h"

#include <string.h>

/* To be raised with every change of the layout, and of what a scan finds in the same file. */
enum { VERSION = 4, MAX_ITEMS = 1 << 20, MAX_TEXT = 1 << 14 };

static const char nothing[] = "";

/* ---- writing ---- */

static void put8(struct jw_buf *b, bool v)
{
    const uint8_t byte = v;

    jw_buf_add(b, &byte, 1);
}

static void put32(struct jw_buf *b, size_t v)
{
    uint8_t raw[4];

    jw_put32(raw, (uint32_t)v);
    jw_buf_add(b, raw, sizeof raw);
}

static void put64(struct jw_buf *b, uint64_t v)
{
    uint8_t raw[8];

    jw_put64(raw, v);
    jw_buf_add(b, raw, sizeof raw);
}

static void put_text(struct jw_buf *b, const char *text)
{
    put32(b, strlen(text));
    jw_buf_text(b, text);
}

/* What follows the path of the file on disk: "!member", or nothing. */
static void put_path(struct jw_buf *b, const struct scan_known *k, const char *path)
{
    put_text(b, path + strlen(k->path));
}

static void put_file(struct jw_buf *b, const struct scan_known *k, const struct jw_scan_file *f)
{
    put_path(b, k, f->path);
    put_text(b, f->format);
    put64(b, f->size);
    put64(b, f->containers);
    put64(b, f->lazy_containers);
    put64(b, f->rdc_containers);
    put64(b, f->ptx_pieces);
    put32(b, f->n_problems);
    for (size_t i = 0; i < f->n_problems; i++)
        put_text(b, f->problems[i]);
}

static void put_place(struct jw_buf *b, const struct scan_known *k, const struct jw_place *p)
{
    put_path(b, k, p->path);
    put8(b, p->disk && strcmp(p->disk, k->path) == 0);
    put64(b, p->at);
    put64(b, p->size);
    jw_buf_add(b, p->digest, sizeof p->digest);
    put8(b, p->text);
    put8(b, p->link);
}

/* A module's jobs follow each other, and so do its inputs: a place that is the one before is not written again. */
static void put_where(struct jw_buf *b, const struct scan_known *k, const struct jw_place *p,
                      const struct jw_place **before)
{
    put8(b, p == *before);
    if (p != *before)
        put_place(b, k, p);
    *before = p;
}

static void put_job(struct jw_buf *b, const struct scan_known *k, const struct jw_job *j,
                    const struct jw_place **before)
{
    const struct jw_module *m = &j->module;

    put_where(b, k, m->places, before);
    jw_buf_add(b, m->text, sizeof m->text);
    put_text(b, m->target);
    put_text(b, m->options);
    put_text(b, m->kernel);
    put64(b, m->ptx_bytes);
    put8(b, m->optional);
    put8(b, m->lazy);
    jw_buf_add(b, j->id, sizeof j->id);
    put32(b, j->sm);
    put64(b, j->name);
    put64(b, j->key_size);
}

static void put_input(struct jw_buf *b, const struct scan_known *k, const struct scan_input *in,
                      const struct jw_place **before)
{
    put_where(b, k, in->place, before);
    put64(b, in->name);
    put32(b, in->sm);
    put8(b, in->compiled);
}

static void put_shared(struct jw_buf *b, const struct scan_shared *s)
{
    jw_buf_add(b, s->text, sizeof s->text);
    put32(b, s->n);
    for (size_t i = 0; i < s->n; i++)
        put64(b, s->kernels[i]);
}

void scan_memo_write(const struct scan_known *k, struct jw_buf *out)
{
    const struct jw_place *before = NULL;

    put32(out, VERSION);
    put8(out, k->named);
    put8(out, k->vendor);
    for (size_t i = 0; i < JW_LEFT_OUT; i++) {
        put64(out, k->left_out[i].modules);
        put64(out, k->left_out[i].ptx_bytes);
    }
    put32(out, k->needs);
    put32(out, k->n_files);
    for (size_t i = 0; i < k->n_files; i++)
        put_file(out, k, &k->files[i]);
    put32(out, k->n_jobs);
    for (size_t i = 0; i < k->n_jobs; i++)
        put_job(out, k, &k->jobs[i], &before);
    put32(out, k->n_inputs);
    for (size_t i = 0; i < k->n_inputs; i++)
        put_input(out, k, &k->inputs[i], &before);
    put32(out, k->n_shared);
    for (size_t i = 0; i < k->n_shared; i++)
        put_shared(out, &k->shared[i]);
}

/* ---- reading: the bytes may be anything ---- */

struct reading {
    struct jw_reader in;
    struct jw_arena *a;
    struct scan_known *k;
    struct jw_place *place; /* the one before */
};

static bool take_bool(struct reading *r)
{
    uint8_t v = jw_u8(&r->in);

    r->in.bad |= v > 1;
    return v == 1;
}

/* At most as many as there are bytes for, each of `least`. */
static size_t take_count(struct reading *r, size_t least)
{
    uint32_t n = jw_u32(&r->in);

    r->in.bad |= n > MAX_ITEMS || n > (r->in.in.n - r->in.at) / least;
    return r->in.bad ? 0 : n;
}

static const char *take_text(struct reading *r)
{
    uint32_t n = jw_u32(&r->in);
    struct jw_bytes b = jw_take(&r->in, n);

    r->in.bad |= n > MAX_TEXT || (b.n && memchr(b.p, 0, b.n));
    return r->in.bad || !b.n ? nothing : jw_arena_text(r->a, (const char *)b.p, b.n);
}

static const char *take_path(struct reading *r)
{
    const char *rest = take_text(r);

    r->in.bad |= *rest && *rest != '!';
    return *rest ? jw_arena_printf(r->a, "%s%s", r->k->path, rest) : r->k->path;
}

static void take_digest(struct reading *r, uint8_t out[JW_DIGEST])
{
    struct jw_bytes b = jw_take(&r->in, JW_DIGEST);

    if (b.n)
        memcpy(out, b.p, b.n);
}

static void take_file(struct reading *r, struct jw_scan_file *f)
{
    *f = (struct jw_scan_file){ .path = take_path(r), .format = take_text(r), .named = r->k->named };
    f->size = jw_u64(&r->in);
    f->containers = jw_u64(&r->in);
    f->lazy_containers = jw_u64(&r->in);
    f->rdc_containers = jw_u64(&r->in);
    f->ptx_pieces = jw_u64(&r->in);
    f->n_problems = take_count(r, 4);
    const char **list = jw_arena_alloc(r->a, f->n_problems * sizeof *list);

    for (size_t i = 0; i < f->n_problems; i++)
        list[i] = take_text(r);
    f->problems = list;
}

static struct jw_place *take_where(struct reading *r)
{
    bool again = take_bool(r);

    r->in.bad |= again && !r->place;
    if (again || r->in.bad)
        return r->place;
    struct jw_place *p = r->place = jw_arena_alloc(r->a, sizeof *p);

    p->path = take_path(r);
    p->disk = take_bool(r) ? r->k->path : NULL;
    p->at = jw_u64(&r->in);
    p->size = jw_u64(&r->in);
    take_digest(r, p->digest);
    p->text = take_bool(r);
    p->link = take_bool(r);
    r->in.bad |= p->disk && (p->at > r->k->info.size || p->size > r->k->info.size - p->at);
    r->k->apart |= !p->disk;
    return p;
}

static uint16_t take_u16(struct reading *r)
{
    uint32_t sm = jw_u32(&r->in);

    r->in.bad |= sm > UINT16_MAX;
    return (uint16_t)sm;
}

static void take_job(struct reading *r, struct jw_job *j)
{
    struct jw_module *m = &j->module;

    m->places = take_where(r);
    m->n_places = 1;
    take_digest(r, m->text);
    const char *target = take_text(r);

    r->in.bad |= strlen(target) >= sizeof m->target;
    if (!r->in.bad)
        memcpy(m->target, target, strlen(target) + 1);
    m->options = take_text(r);
    m->kernel = take_text(r);
    m->ptx_bytes = jw_u64(&r->in);
    m->optional = take_bool(r);
    m->lazy = take_bool(r);
    take_digest(r, j->id);
    j->sm = take_u16(r);
    j->name = jw_u64(&r->in);
    j->key_size = jw_u64(&r->in);
}

static void take_input(struct reading *r, struct scan_input *in)
{
    in->place = take_where(r);
    in->name = jw_u64(&r->in);
    in->sm = take_u16(r);
    in->compiled = take_bool(r);
}

static void take_shared(struct reading *r, struct scan_shared *s)
{
    take_digest(r, s->text);
    s->n = take_count(r, 8);
    uint64_t *list = jw_arena_alloc(r->a, s->n * sizeof *list);

    for (size_t i = 0; i < s->n; i++)
        list[i] = jw_u64(&r->in);
    s->kernels = list;
}

/* Room for as many elements as the memo says; each of them takes at least 16 bytes of it. */
static void *take_list(struct reading *r, size_t *n, size_t each)
{
    *n = take_count(r, 16);
    return jw_arena_alloc(r->a, *n * each);
}

static void take_lists(struct reading *r)
{
    struct scan_known *k = r->k;

    k->files = take_list(r, &k->n_files, sizeof *k->files);
    for (size_t i = 0; i < k->n_files; i++)
        take_file(r, &k->files[i]);
    k->jobs = take_list(r, &k->n_jobs, sizeof *k->jobs);
    for (size_t i = 0; i < k->n_jobs; i++)
        take_job(r, &k->jobs[i]);
    k->inputs = take_list(r, &k->n_inputs, sizeof *k->inputs);
    for (size_t i = 0; i < k->n_inputs; i++)
        take_input(r, &k->inputs[i]);
    k->shared = take_list(r, &k->n_shared, sizeof *k->shared);
    for (size_t i = 0; i < k->n_shared; i++)
        take_shared(r, &k->shared[i]);
}

bool scan_memo_read(struct jw_bytes memo, struct jw_arena *a, struct scan_known *k)
{
    struct reading r = { .in = jw_reader(memo), .a = a, .k = k };

    if (jw_u32(&r.in) != VERSION)
        return false;
    k->named = take_bool(&r);
    k->vendor = take_bool(&r);
    for (size_t i = 0; i < JW_LEFT_OUT; i++) {
        k->left_out[i].modules = jw_u64(&r.in);
        k->left_out[i].ptx_bytes = jw_u64(&r.in);
    }
    k->needs = take_u16(&r);
    if (!r.in.bad)
        take_lists(&r);
    return !r.in.bad && r.in.at == memo.n;
}

/* ---- what it depends on ---- */

void scan_memo_view(const struct scan_jobs_options *o, uint8_t view[JW_DIGEST])
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    put32(&b, VERSION);
    put_text(&b, JITWARM_VERSION); /* its tables of GPUs and drivers decide, too */
    put32(&b, o->n_sms);
    for (size_t i = 0; i < o->n_sms; i++)
        put32(&b, o->sms[i]);
    put_text(&b, o->rules.stamp ? o->rules.stamp : nothing);
    put_text(&b, o->scan.driver ? o->scan.driver : nothing);
    put8(&b, o->rules.cuts_ptx);
    put8(&b, o->scan.force_jit);
    put8(&b, o->scan.samples);
    put8(&b, o->all);
    put8(&b, o->shared);
    jw_digest(view, b.p, b.n);
    jw_buf_free(&b);
}
