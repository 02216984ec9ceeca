#include "cache/format/warmlog.h"
#include "base/fields.h"
#include "base/limits.h"
#include "base/mem.h"
#include "cache/format/jitcache.h"

#include <stdlib.h>

_Static_assert(JW_WARMLOG_HEAD == JW_WARMLOG_FRAME + 4 + JW_MAX_PATH + 1, "the longest first record");

/* What is kept of a kind, the newest of it; nothing limits those that are not known here but the file's size. */
static const size_t most[JW_WARM_KINDS] = {
    [JW_WARM_ROOT] = 1,
    [JW_WARM_JOB] = JW_MAX_WARM_JOBS,
    [JW_WARM_BAN] = JW_MAX_WARM_BANS,
    [JW_WARM_RECEIPT] = JW_MAX_WARM_RECEIPTS,
    [JW_WARM_PROFILE] = JW_MAX_WARM_PROFILES,
    [JW_WARM_ORIGIN] = JW_MAX_WARM_ORIGINS,
    [JW_WARM_MADE] = JW_MAX_WARM_JOBS,
    [JW_WARM_RAN] = JW_MAX_WARM_JOBS,
};

/* ---- which records are there ---- */

/* The next whole record; false, and nothing taken: there is none. */
static bool take_record(struct jw_reader *r, struct jw_warmlog_record *out)
{
    struct jw_reader at = *r;
    uint32_t n = jw_u32(&at);
    size_t hashed;
    uint64_t hash;

    out->kind = jw_u16(&at);
    out->alive = false;
    if (n > JW_MAX_WARM_RECORD)
        return false;
    out->body = jw_take(&at, n);
    hashed = at.at - r->at;
    hash = jw_u64(&at);
    if (at.bad || jw_fnv1a(JW_FNV_START, r->in.p + r->at, hashed) != hash)
        return false;
    out->all = jw_take(r, at.at - r->at);
    return true;
}

static bool take_records(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(file);
    struct jw_warmlog_record record;

    while (out->n < JW_MAX_WARM_RECORDS && take_record(&r, &record)) {
        if (!jw_grow(&out->list, sizeof record, out->n, &out->cap, JW_MAX_WARM_RECORDS, err))
            return false;
        out->list[out->n++] = record;
        out->sound = r.at;
    }
    return true;
}

/* ---- which of them count ---- */

struct place {
    struct jw_bytes about;
    size_t at;
    uint16_t topic; /* a ban and its end are of one */
};

/* What a record of a known kind is about; false: it cannot be told. */
static bool about(const struct jw_warmlog_record *record, struct place *out)
{
    struct jw_reader r = jw_reader(record->body);

    out->topic = record->kind == JW_WARM_LIFT ? JW_WARM_BAN : record->kind;
    if (record->kind == JW_WARM_JOB || out->topic == JW_WARM_BAN)
        (void)jw_take(&r, 32 + 2);
    if (record->kind == JW_WARM_MADE || record->kind == JW_WARM_RAN)
        (void)jw_u64(&r);
    else if (record->kind != JW_WARM_ROOT)
        (void)jw_take_text(&r);
    if (record->kind == JW_WARM_ORIGIN)
        (void)jw_take_text(&r);
    out->about = (struct jw_bytes){ record->body.p, r.at };
    return !r.bad;
}

static int by_topic(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = 0;

    if (x->topic != y->topic)
        return x->topic < y->topic ? -1 : 1;
    if (x->about.n != y->about.n)
        return x->about.n < y->about.n ? -1 : 1;
    if (x->about.n)
        order = memcmp(x->about.p, y->about.p, x->about.n);
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static bool same_topic(const struct place *x, const struct place *y)
{
    return x->topic == y->topic && x->about.n == y->about.n
           && (!x->about.n || memcmp(x->about.p, y->about.p, x->about.n) == 0);
}

/* The last of each topic; a ban's end ends itself, too. */
static void mark_last(struct jw_warmlog *log, struct place *places)
{
    size_t n = 0;

    for (size_t i = 0; i < log->n; i++) {
        places[n].at = i;
        if (!jw_warmlog_known(&log->list[i]))
            log->list[i].alive = true;
        else if (about(&log->list[i], &places[n]))
            n++;
    }
    if (n)
        qsort(places, n, sizeof *places, by_topic);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !same_topic(&places[i], &places[i + 1]))
            log->list[places[i].at].alive = log->list[places[i].at].kind != JW_WARM_LIFT;
}

static void forget_oldest(struct jw_warmlog *log)
{
    size_t counts[JW_WARM_KINDS] = { 0 };

    for (size_t i = log->n; i-- > 0;) {
        struct jw_warmlog_record *record = &log->list[i];

        if (record->alive && jw_warmlog_known(record) && counts[record->kind]++ >= most[record->kind])
            record->alive = false;
        log->alive += record->alive;
        log->alive_bytes += record->alive ? record->all.n : 0;
    }
}

bool jw_warmlog_scan(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err)
{
    struct place *places;

    *out = (struct jw_warmlog){ 0 };
    if (!take_records(file, out, err)) {
        jw_warmlog_free(out);
        return false;
    }
    places = jw_alloc((out->n + 1) * sizeof *places);
    mark_last(out, places);
    jw_free(places);
    forget_oldest(out);
    return true;
}

void jw_warmlog_free(struct jw_warmlog *log)
{
    jw_free(log->list);
    *log = (struct jw_warmlog){ 0 };
}

const char *jw_warmlog_root(struct jw_bytes head)
{
    struct jw_reader r = jw_reader(head), body;
    struct jw_warmlog_record record;
    const char *root;

    if (!take_record(&r, &record) || record.kind != JW_WARM_ROOT)
        return NULL;
    body = jw_reader(record.body);
    root = jw_take_text(&body);
    return body.bad || body.at != body.in.n ? NULL : root;
}

/* ---- what they say ---- */

static void get_id(struct jw_reader *r, uint8_t id[32])
{
    struct jw_bytes b = jw_take(r, 32);

    if (b.n)
        memcpy(id, b.p, b.n);
}

static void get_job(struct jw_reader *r, struct jw_warm_job *j)
{
    get_id(r, j->id);
    j->sm = jw_u16(r);
    j->build = jw_take_text(r);
    j->name = jw_u64(r);
    j->bytes = jw_u64(r);
    j->ptx_bytes = jw_u64(r);
    j->milliseconds = jw_u32(r);
    j->made = jw_u8(r);
    if (j->made > JW_MADE_FORGED)
        r->bad = true;
}

static void get_ban(struct jw_reader *r, bool lift, struct jw_warm_ban *b)
{
    get_id(r, b->id);
    b->sm = jw_u16(r);
    b->build = jw_take_text(r);
    b->when = lift ? 0 : (int64_t)jw_u64(r);
    b->why = lift ? "" : jw_take_text(r);
}

/*
 * Room for as many elements as a count says, each of which takes `least` bytes of the record: a count that promises
 * more makes the cursor bad. NULL and `*n` 0: there are none.
 */
static void get_list(struct jw_reader *r, size_t least, size_t each, struct jw_arena *a, void *list,
                     size_t *n)
{
    uint32_t count = jw_u32(r);
    void *room = NULL;

    *n = 0;
    if (count > (r->in.n - r->at) / least)
        r->bad = true;
    if (r->bad || !count)
        return;
    room = jw_arena_alloc(a, count * each);
    memcpy(list, &room, sizeof room);
    *n = count;
}

static void get_targets(struct jw_reader *r, struct jw_arena *a, struct jw_warm_receipt *out)
{
    const char **list = NULL;

    get_list(r, 5, sizeof *list, a, &list, &out->n_targets);
    for (size_t i = 0; i < out->n_targets; i++)
        list[i] = jw_take_text(r);
    out->targets = list;
}

static void get_files(struct jw_reader *r, struct jw_arena *a, struct jw_warm_receipt *out)
{
    struct jw_warm_file *list = NULL;

    get_list(r, 5 + 32, sizeof *list, a, &list, &out->n_files);
    for (size_t i = 0; i < out->n_files; i++) {
        list[i].path = jw_take_text(r);
        list[i].size = jw_u64(r);
        list[i].mtime = (int64_t)jw_u64(r);
        list[i].volume = jw_u64(r);
        list[i].node = jw_u64(r);
    }
    out->files = list;
}

static void get_entries(struct jw_reader *r, struct jw_arena *a, struct jw_warm_receipt *out)
{
    struct jw_warm_entry *list = NULL;

    get_list(r, 16, sizeof *list, a, &list, &out->n_entries);
    for (size_t i = 0; i < out->n_entries; i++) {
        list[i].name = jw_u64(r);
        list[i].bytes = jw_u64(r);
    }
    out->entries = list;
}

static void get_receipt(struct jw_reader *r, struct jw_arena *a, struct jw_warm_receipt *out)
{
    out->key = jw_take_text(r);
    out->build = jw_take_text(r);
    out->driver_version = jw_take_text(r);
    out->library = jw_take_text(r);
    out->settings = jw_take_text(r);
    out->when = (int64_t)jw_u64(r);
    out->jobs = jw_u64(r);
    out->simulated = jw_take_bool(r);
    get_targets(r, a, out);
    get_files(r, a, out);
    get_entries(r, a, out);
}

static void get_profile(struct jw_reader *r, struct jw_warm_profile *out)
{
    out->key = jw_take_text(r);
    out->when = (int64_t)jw_u64(r);
    out->n = jw_u32(r);
    out->ids = (const uint8_t(*)[32])jw_take(r, (uint64_t)out->n * 32).p;
}

static void get_origin(struct jw_reader *r, struct jw_arena *a, struct jw_warm_origin *out)
{
    uint64_t *names = NULL;

    out->origin = jw_take_text(r);
    out->build = jw_take_text(r);
    get_list(r, 8, sizeof *names, a, &names, &out->n);
    for (size_t i = 0; i < out->n; i++)
        names[i] = jw_u64(r);
    out->names = names;
}

static void get_made(struct jw_reader *r, struct jw_warm_ledger *out)
{
    out->name = jw_u64(r);
    out->made = jw_u8(r);
    out->build = jw_take_text(r);
    out->stamp = jw_take_text(r);
    out->bytes = jw_u64(r);
    out->payload = jw_u64(r);
    out->when = (int64_t)jw_u64(r);
    if (out->made > JW_MADE_FORGED)
        r->bad = true;
}

static void get_ran(struct jw_reader *r, struct jw_warm_ran *out)
{
    out->name = jw_u64(r);
    out->run = (int64_t)jw_u64(r);
    out->began = jw_u32(r);
    out->milliseconds = jw_u32(r);
    out->worker = jw_u16(r);
    out->kernel = jw_take_text(r);
}

/* A kind that is not known makes the cursor bad. */
static void get_body(struct jw_reader *r, struct jw_arena *a, struct jw_warm_fact *out)
{
    switch (out->kind) {
    case JW_WARM_ROOT: out->as.root = jw_take_text(r); return;
    case JW_WARM_JOB: get_job(r, &out->as.job); return;
    case JW_WARM_BAN: get_ban(r, false, &out->as.ban); return;
    case JW_WARM_LIFT: get_ban(r, true, &out->as.ban); return;
    case JW_WARM_RECEIPT: get_receipt(r, a, &out->as.receipt); return;
    case JW_WARM_PROFILE: get_profile(r, &out->as.profile); return;
    case JW_WARM_ORIGIN: get_origin(r, a, &out->as.origin); return;
    case JW_WARM_MADE: get_made(r, &out->as.made); return;
    case JW_WARM_RAN: get_ran(r, &out->as.ran); return;
    case JW_WARM_KINDS: break;
    }
    r->bad = true;
}

bool jw_warmlog_get(const struct jw_warmlog_record *record, struct jw_arena *a, struct jw_warm_fact *out,
                    struct jw_err *err)
{
    struct jw_reader r = jw_reader(record->body);

    memset(out, 0, sizeof *out);
    out->kind = (enum jw_warm_kind)record->kind;
    get_body(&r, a, out);
    return (!r.bad && r.at == r.in.n)
           || jw_fail(err, JW_E_FORMAT, "a record of kind %u is not as long as its fields",
                      (unsigned)record->kind);
}

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
