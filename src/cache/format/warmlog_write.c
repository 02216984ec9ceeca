#include "base/fields.h"
#include "base/limits.h"
#include "cache/format/jitcache.h"
#include "cache/format/warmlog.h"

static void put_about(struct jw_buf *out, const uint8_t id[32], uint16_t sm, const char *build)
{
    jw_buf_add(out, id, 32);
    jw_field16(out, sm);
    jw_field_text(out, build);
}

static void put_job(struct jw_buf *out, const struct jw_warm_job *j)
{
    put_about(out, j->id, j->sm, j->build);
    jw_field64(out, j->name);
    jw_field64(out, j->bytes);
    jw_field64(out, j->ptx_bytes);
    jw_field32(out, j->milliseconds);
    jw_field8(out, j->made);
}

static void put_ban(struct jw_buf *out, const struct jw_warm_ban *b)
{
    put_about(out, b->id, b->sm, b->build);
    jw_field64(out, (uint64_t)b->when);
    jw_field_text(out, b->why);
}

/* The number of what follows; more than the number can say is more than fits, too. */
static void put_count(struct jw_buf *out, size_t n)
{
    if (n > JW_MAX_WARM_RECORD)
        out->bad = true;
    jw_field32(out, (uint32_t)n);
}

static void put_file(struct jw_buf *out, const struct jw_warm_file *f)
{
    jw_field_text(out, f->path);
    jw_field64(out, f->size);
    jw_field64(out, (uint64_t)f->mtime);
    jw_field64(out, f->volume);
    jw_field64(out, f->node);
}

static void put_receipt(struct jw_buf *out, const struct jw_warm_receipt *r)
{
    jw_field_text(out, r->key);
    jw_field_text(out, r->build);
    jw_field_text(out, r->driver_version);
    jw_field_text(out, r->library);
    jw_field_text(out, r->settings);
    jw_field64(out, (uint64_t)r->when);
    jw_field64(out, r->jobs);
    jw_field8(out, r->simulated);
    put_count(out, r->n_targets);
    for (size_t i = 0; i < r->n_targets && !out->bad; i++)
        jw_field_text(out, r->targets[i]);
    put_count(out, r->n_files);
    for (size_t i = 0; i < r->n_files && !out->bad; i++)
        put_file(out, &r->files[i]);
    put_count(out, r->n_entries);
    for (size_t i = 0; i < r->n_entries && !out->bad; i++) {
        jw_field64(out, r->entries[i].name);
        jw_field64(out, r->entries[i].bytes);
    }
}

static void put_profile(struct jw_buf *out, const struct jw_warm_profile *p)
{
    jw_field_text(out, p->key);
    jw_field64(out, (uint64_t)p->when);
    put_count(out, p->n);
    if (!out->bad && p->n)
        jw_buf_add(out, p->ids, p->n * sizeof *p->ids);
}

static void put_origin(struct jw_buf *out, const struct jw_warm_origin *o)
{
    jw_field_text(out, o->origin);
    jw_field_text(out, o->build);
    put_count(out, o->n);
    for (size_t i = 0; i < o->n && !out->bad; i++)
        jw_field64(out, o->names[i]);
}

static void put_made(struct jw_buf *out, const struct jw_warm_ledger *m)
{
    jw_field64(out, m->name);
    jw_field8(out, m->made);
    jw_field_text(out, m->build);
    jw_field_text(out, m->stamp);
    jw_field64(out, m->bytes);
    jw_field64(out, m->payload);
    jw_field64(out, (uint64_t)m->when);
}

static void put_ran(struct jw_buf *out, const struct jw_warm_ran *r)
{
    jw_field64(out, r->name);
    jw_field64(out, (uint64_t)r->run);
    jw_field32(out, r->began);
    jw_field32(out, r->milliseconds);
    jw_field16(out, r->worker);
    jw_field_text(out, r->kernel);
}

static void put_body(struct jw_buf *out, const struct jw_warm_fact *fact)
{
    switch (fact->kind) {
    case JW_WARM_ROOT: jw_field_text(out, fact->as.root); break;
    case JW_WARM_JOB: put_job(out, &fact->as.job); break;
    case JW_WARM_BAN: put_ban(out, &fact->as.ban); break;
    case JW_WARM_LIFT: put_about(out, fact->as.ban.id, fact->as.ban.sm, fact->as.ban.build); break;
    case JW_WARM_RECEIPT: put_receipt(out, &fact->as.receipt); break;
    case JW_WARM_PROFILE: put_profile(out, &fact->as.profile); break;
    case JW_WARM_ORIGIN: put_origin(out, &fact->as.origin); break;
    case JW_WARM_MADE: put_made(out, &fact->as.made); break;
    case JW_WARM_RAN: put_ran(out, &fact->as.ran); break;
    case JW_WARM_KINDS: out->bad = true; break;
    }
}

void jw_warmlog_put(struct jw_buf *out, const struct jw_warm_fact *fact)
{
    size_t start = out->n;

    jw_field32(out, 0);
    jw_field16(out, (uint16_t)fact->kind);
    size_t body = out->n;
    put_body(out, fact);
    if (!out->bad && out->n - body > JW_MAX_WARM_RECORD)
        out->bad = true;
    if (out->bad)
        return;
    jw_put32(out->p + start, (uint32_t)(out->n - body));
    jw_field64(out, jw_fnv1a(JW_FNV_START, out->p + start, out->n - start));
}
