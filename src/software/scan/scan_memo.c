#include "software/scan/scan_memo.h"

#include "base/fields.h"
#include "software/scan/scan_jobs.h"

/* To be raised with every change of these fields, and of what a scan finds in the same file. */
enum { VERSION = 43 };

static const struct jw_field of_job[] = {
    JW_FIELD(struct jw_job, text),     JW_FIELD(struct jw_job, options),
    JW_FIELD(struct jw_job, kernel),   JW_FIELD(struct jw_job, ptx_bytes),
    JW_FIELD(struct jw_job, kernels),  JW_FIELD(struct jw_job, id),
    JW_FIELD(struct jw_job, sm),       JW_FIELD(struct jw_job, name),
    JW_FIELD(struct jw_job, key_size), {0}};

static const struct jw_field of_module[] = {
    JW_FIELD(struct scan_module, place.at),
    JW_FIELD(struct scan_module, place.size),
    JW_FIELD(struct scan_module, place.digest),
    JW_FIELD(struct scan_module, place.text),
    JW_FIELD(struct scan_module, place.link),
    JW_FIELD(struct scan_module, place.lazy),
    JW_FIELD_LIST_OF(struct scan_module, jobs, n_jobs, of_job),
    {0},
};

static const struct jw_field word[] = {JW_FIELD_TEXT_ALONE, {0}};

static const struct jw_field of_member[] = {
    JW_FIELD(struct scan_member, tail),
    JW_FIELD(struct scan_member, has),
    JW_FIELD(struct scan_member, out),
    JW_FIELD_LIST_OF(struct scan_member, file.needed, file.n_needed, word),
    JW_FIELD_LIST_OF(struct scan_member, modules, n_modules, of_module),
    {0},
};

static const struct jw_field of_file[] = {
    JW_FIELD(struct scan_known, named),
    JW_FIELD(struct scan_known, vendor),
    JW_FIELD(struct scan_known, needs),
    JW_FIELD_LIST_OF(struct scan_known, files, n_files, of_member),
    {0},
};

void scan_memo_write(const struct scan_known *k, struct jw_buf *out)
{
    jw_fields_put(out, of_file, k);
}

/* What is read may be anything: a member's path is behind the file's, and modules of the file
 * itself lie within it. */
static bool read_member(struct scan_member *m, struct jw_arena *a, struct scan_known *k)
{
    bool ok = !*m->tail || *m->tail == '!';

    m->file.path = *m->tail ? jw_arena_printf(a, "%s%s", k->path, m->tail) : k->path;
    for (size_t i = 0; i < m->n_modules; i++) {
        const struct jw_place *p = &m->modules[i].place;

        ok &= *m->tail || (p->at <= k->info.size && p->size <= k->info.size - p->at);
        k->n_jobs += m->modules[i].n_jobs;
    }
    return ok;
}

bool scan_memo_read(struct jw_bytes memo, struct jw_arena *a, struct scan_known *k)
{
    const struct jw_record record = {.body = {jw_arena_copy(a, memo.p, memo.n), memo.n}};

    if (!jw_record_get(&record, of_file, a, k))
        return false;
    for (size_t i = 0; i < k->n_files; i++)
        if (!read_member(&k->files[i], a, k))
            return false;
    return true;
}

void scan_memo_view(const struct scan_jobs_options *o, uint8_t view[JW_DIGEST])
{
    struct jw_buf b = JW_BUF(JW_MAX_LINE);

    jw_buf_printf(&b, "%d %s %s %s %d%d%d", VERSION,
                  JITWARM_VERSION, /* its tables of GPUs and drivers decide, too */
                  o->rules.stamp ? o->rules.stamp : "", o->scan.driver ? o->scan.driver : "",
                  o->rules.cuts_ptx, o->lazy, o->scan.all);
    for (size_t i = 0; i < o->scan.sms.n; i++)
        jw_buf_printf(&b, " %u", o->scan.sms.v[i]);
    jw_digest(view, b.p, b.n);
    jw_buf_free(&b);
}
