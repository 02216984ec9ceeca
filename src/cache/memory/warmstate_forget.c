/* What is no longer in the cache is taken out of the log: all of it is written anew, and takes the old one's name. */
#include "cache/memory/warmstate_inner.h"

#include "os/files/file.h"

#include <stdlib.h>
#include <string.h>

struct forgetting {
    struct jw_warm_log *l;
    struct warm_fresh to;
    struct jw_arena a; /* of one record */
    const uint64_t *names;
    size_t n;
    size_t records;
};

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static bool is_gone(const struct forgetting *f, uint64_t name)
{
    return name && f->n && bsearch(&name, f->names, f->n, sizeof name, by_value);
}

static bool keep_bytes(struct forgetting *f, struct jw_bytes bytes, struct jw_err *err)
{
    f->records++;
    return warm_fresh_write(&f->to, bytes, err);
}

static bool keep_fact(struct forgetting *f, const struct jw_warm_fact *fact, struct jw_err *err)
{
    jw_buf_clear(&f->l->record);
    jw_warmlog_put(&f->l->record, fact);
    return jw_buf_ok(&f->l->record, err) && keep_bytes(f, jw_buf_bytes(&f->l->record), err);
}

/* Settings that no run has: the receipt holds no more, and what it was about is remembered all the same. */
static bool keep_receipt(struct forgetting *f, struct jw_warm_fact *fact,
                         const struct jw_warmlog_record *record, struct jw_err *err)
{
    struct jw_warm_receipt *r = &fact->as.receipt;
    struct jw_warm_entry *left = jw_arena_alloc(&f->a, (r->n_entries + 1) * sizeof *left);
    size_t n = 0;

    for (size_t i = 0; i < r->n_entries; i++)
        if (!is_gone(f, r->entries[i].name))
            left[n++] = r->entries[i];
    if (n == r->n_entries)
        return keep_bytes(f, record->all, err);
    r->entries = left;
    r->n_entries = n;
    r->settings = "";
    return keep_fact(f, fact, err);
}

static bool keep_origin(struct forgetting *f, struct jw_warm_fact *fact,
                        const struct jw_warmlog_record *record, struct jw_err *err)
{
    struct jw_warm_origin *o = &fact->as.origin;
    uint64_t *left = jw_arena_alloc(&f->a, (o->n + 1) * sizeof *left);
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++)
        if (!is_gone(f, o->names[i]))
            left[n++] = o->names[i];
    if (n == o->n)
        return keep_bytes(f, record->all, err);
    o->names = left;
    o->n = n;
    return !n || keep_fact(f, fact, err);
}

static bool keep(struct forgetting *f, const struct jw_warmlog_record *record, struct jw_err *err)
{
    struct jw_warm_fact fact;

    if (record->kind != JW_WARM_JOB && record->kind != JW_WARM_RECEIPT && record->kind != JW_WARM_ORIGIN
        && record->kind != JW_WARM_MADE && record->kind != JW_WARM_RAN)
        return keep_bytes(f, record->all, err);
    if (!jw_warmlog_get(record, &f->a, &fact, err))
        return false;
    switch (fact.kind) {
    case JW_WARM_JOB: return is_gone(f, fact.as.job.name) || keep_bytes(f, record->all, err);
    case JW_WARM_MADE: return is_gone(f, fact.as.made.name) || keep_bytes(f, record->all, err);
    case JW_WARM_RAN: return is_gone(f, fact.as.ran.name) || keep_bytes(f, record->all, err);
    case JW_WARM_RECEIPT: return keep_receipt(f, &fact, record, err);
    default: return keep_origin(f, &fact, record, err);
    }
}

static bool keep_all(struct forgetting *f, const struct jw_warmlog *log, struct jw_err *err)
{
    bool ok = true;

    for (size_t i = 0; ok && i < log->n; i++) {
        ok = !log->list[i].alive || keep(f, &log->list[i], err);
        jw_arena_free(&f->a);
    }
    return ok;
}

/* The log that is open has lost its name. */
static bool open_again(struct jw_warm_log *l, size_t records, struct jw_err *err)
{
    jw_append_close(&l->log);
    l->records = records;
    return jw_append_open(&l->log, l->p.log, err) || jw_wrap(err, "%s", l->p.log);
}

bool jw_warm_forget(struct jw_warm_log *l, const uint64_t *names, size_t n, struct jw_err *err)
{
    struct forgetting f = { .l = l, .names = names, .n = n };
    struct jw_arena a = { 0 };
    struct jw_warm_image image = { .root = NULL };
    bool ok = jw_warm_image_read(&l->p, &a, &image, err);

    if (ok) {
        ok = warm_fresh_open(&f.to, l->p.log, err) && keep_all(&f, &image.log, err);
        jw_append_close(&l->log); /* Windows: what is open keeps its name */
        ok = warm_fresh_close(&f.to, true, ok, err);
        ok = open_again(l, ok ? f.records : l->records, ok ? err : &(struct jw_err){ 0 }) && ok;
    }
    jw_warmlog_free(&image.log);
    jw_arena_free(&f.a);
    jw_arena_free(&a);
    return ok;
}

/* ---- bytes that must not be lost ---- */

bool jw_warm_backup_index(struct jw_warm_log *l, const void *p, size_t n, struct jw_err *err)
{
    struct jw_append f = JW_APPEND_CLOSED;
    bool ok = n ? jw_append_open(&f, l->p.backup, err) && jw_append_cut(&f, 0, err)
                      && jw_append_write(&f, p, n, err)
                : jw_append_remove(l->p.backup, err);

    jw_append_close(&f);
    return ok || jw_wrap(err, "%s", l->p.backup);
}

bool jw_warm_read_backup(const struct jw_warm_log *l, struct jw_buf *out, struct jw_err *err)
{
    bool found;

    return jw_file_slurp(l->p.backup, out, &found, err) || jw_wrap(err, "%s", l->p.backup);
}
