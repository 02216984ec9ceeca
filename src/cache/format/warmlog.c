#include "cache/format/warmlog.h"
#include "base/limits.h"
#include "base/mem.h"

#include <stdlib.h>

_Static_assert(JW_WARMLOG_HEAD == JW_RECORD_FRAME + 4 + JW_MAX_PATH + 1, "the longest first record");

/* So many of a kind are kept, the newest; nothing limits those that are not known here but the file's size. */
static const size_t max[JW_WARM_KINDS] = {
    [JW_WARM_CACHE] = 1,
    [JW_WARM_MODULE] = JW_MAX_WARM_MODULES,
    [JW_WARM_RECEIPT] = JW_MAX_WARM_RECEIPTS,
    [JW_WARM_COMMAND] = JW_MAX_WARM_PROFILES,
    [JW_WARM_IMPORT] = JW_MAX_WARM_RECEIPTS,
    [JW_WARM_LEFT] = 1,
};

/* ---- which records are there ---- */

static bool take_log_records(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err)
{
    struct jw_reader r = jw_reader(file);
    struct jw_warmlog_record record = { .alive = false };

    while (out->n < JW_MAX_WARM_RECORDS && jw_record_take(&r, &record.is)) {
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
    uint16_t kind;
};

/* The subject of a record of a known kind; false: it cannot be told. */
static bool about(const struct jw_warmlog_record *record, struct place *out)
{
    struct jw_reader r = jw_reader(record->is.body);

    out->kind = record->is.kind;
    if (record->is.kind == JW_WARM_MODULE)
        (void)jw_take(&r, 32 + 2);
    if (record->is.kind != JW_WARM_CACHE && record->is.kind != JW_WARM_LEFT)
        (void)jw_take_text(&r);
    if (record->is.kind == JW_WARM_RECEIPT || record->is.kind == JW_WARM_IMPORT)
        (void)jw_take_text(&r); /* the driver build */
    out->about = (struct jw_bytes){ record->is.body.p, r.at };
    return !r.bad;
}

static int by_kind_and_subject(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = 0;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->about.n != y->about.n)
        return x->about.n < y->about.n ? -1 : 1;
    if (x->about.n)
        order = memcmp(x->about.p, y->about.p, x->about.n);
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static bool same_subject(const struct place *x, const struct place *y)
{
    return x->kind == y->kind && x->about.n == y->about.n
           && (!x->about.n || memcmp(x->about.p, y->about.p, x->about.n) == 0);
}

/* The last of each subject. */
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
        qsort(places, n, sizeof *places, by_kind_and_subject);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !same_subject(&places[i], &places[i + 1]))
            log->list[places[i].at].alive = true;
}

static struct jw_bytes key_of_receipt(const struct jw_warmlog_record *record)
{
    struct jw_reader r = jw_reader(record->is.body);

    (void)jw_take_text(&r);
    return (struct jw_bytes){ record->is.body.p, r.at };
}

/* Have so many builds one that is newer than record `at`? */
static bool is_of_old_build(const struct jw_warmlog *log, size_t at)
{
    struct jw_bytes key = key_of_receipt(&log->list[at]), other;
    unsigned builds = 0;

    for (size_t i = at + 1; i < log->n && builds < JW_MAX_WARM_BUILDS; i++) {
        if (!log->list[i].alive || log->list[i].is.kind != JW_WARM_RECEIPT)
            continue;
        other = key_of_receipt(&log->list[i]);
        builds += other.n == key.n && memcmp(other.p, key.p, key.n) == 0;
    }
    return builds == JW_MAX_WARM_BUILDS;
}

static void forget_oldest(struct jw_warmlog *log)
{
    size_t counts[JW_WARM_KINDS] = { 0 };

    for (size_t i = log->n; i-- > 0;) {
        struct jw_warmlog_record *record = &log->list[i];

        if (record->alive && record->is.kind == JW_WARM_RECEIPT)
            record->alive = !is_of_old_build(log, i);
        if (record->alive && jw_warmlog_known(record) && counts[record->is.kind]++ >= max[record->is.kind])
            record->alive = false;
        log->alive += record->alive;
        log->alive_bytes += record->alive ? record->is.all.n : 0;
    }
}

bool jw_warmlog_scan(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err)
{
    struct place *places;

    *out = (struct jw_warmlog){ 0 };
    if (!take_log_records(file, out, err)) {
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
    struct jw_record record;
    const char *root;

    if (!jw_record_take(&r, &record) || record.kind != JW_WARM_CACHE)
        return NULL;
    body = jw_reader(record.body);
    root = jw_take_text(&body);
    return body.bad || body.at != body.in.n ? NULL : root;
}

void jw_warm_id_of_name(uint8_t id[32], uint64_t name)
{
    memset(id, 0, 32);
    jw_put64(id, name);
}

/* ---- what they say ---- */

#define FIELD(m) JW_FIELD(struct jw_warm_fact, as.m)
#define LIST(m, n, fields) JW_FIELD_LIST_OF(struct jw_warm_fact, as.m, as.n, fields)
#define FILE_FIELD(m) JW_FIELD(struct jw_warm_file, m)

static const struct jw_field a_text[] = { JW_FIELD_ALONE(JW_FIELD_TEXT, sizeof(char *)), { 0 } };
static const struct jw_field an_id[] = { JW_FIELD_ALONE(JW_FIELD_BYTES, 32), { 0 } };
static const struct jw_field a_name[] = { JW_FIELD_ALONE(JW_FIELD_NUMBER, 8), { 0 } };
static const struct jw_field a_file[] = { FILE_FIELD(path),   FILE_FIELD(size),
                                          FILE_FIELD(mtime),  FILE_FIELD(ctime),
                                          FILE_FIELD(volume), FILE_FIELD(node),
                                          FILE_FIELD(names),  { 0 } };
static const struct jw_field an_answer[] = { JW_FIELD(struct jw_warm_answer, question),
                                             JW_FIELD(struct jw_warm_answer, answer),
                                             { 0 } };
static const struct jw_field an_entry[] = { JW_FIELD(struct jw_warm_entry, name),
                                            JW_FIELD(struct jw_warm_entry, bytes),
                                            JW_FIELD(struct jw_warm_entry, identity),
                                            { 0 } };
static const struct jw_field a_load[] = { JW_FIELD(struct jw_warm_load, name),
                                          JW_FIELD(struct jw_warm_load, once),
                                          { 0 } };

static const struct jw_field cache[] = { FIELD(cache), { 0 } };
static const struct jw_field module[] = {
    FIELD(module.id),
    FIELD(module.sm),
    FIELD(module.build),
    FIELD(module.compiled),
    FIELD(module.name),
    FIELD(module.bytes),
    FIELD(module.ptx_bytes),
    FIELD(module.milliseconds),
    FIELD(module.stopped),
    FIELD(module.kernel),
    FIELD(module.origin),
    FIELD(module.ban),
    FIELD(module.compiler),
    FIELD(module.imported),
    FIELD(module.payload),
    LIST(module.inputs, module.n_inputs, a_name),
    { 0 },
};
static const struct jw_field receipt[] = {
    FIELD(receipt.key),
    FIELD(receipt.build),
    FIELD(receipt.driver_version),
    FIELD(receipt.when),
    FIELD(receipt.jobs),
    FIELD(receipt.stamp),
    LIST(receipt.targets, receipt.n_targets, a_text),
    LIST(receipt.answers, receipt.n_answers, an_answer),
    LIST(receipt.files, receipt.n_files, a_file),
    LIST(receipt.entries, receipt.n_entries, an_entry),
    { 0 },
};
static const struct jw_field a_build[] = {
    JW_FIELD(struct jw_warm_loads, build),
    JW_FIELD_LIST_OF(struct jw_warm_loads, list, n, a_load),
    JW_FIELD_LIST_OF(struct jw_warm_loads, answers, n_answers, an_answer),
    { 0 },
};
static const struct jw_field command[] = {
    FIELD(command.key),
    FIELD(command.root),
    FIELD(command.when),
    FIELD(command.cold),
    FIELD(command.warm),
    FIELD(command.recorded),
    LIST(command.ids, command.n, an_id),
    LIST(command.files, command.n_files, a_text),
    LIST(command.loads, command.n_loads, a_build),
    { 0 },
};

static const struct jw_field import[] = {
    FIELD(import.pack),
    FIELD(import.build),
    FIELD(import.sm),
    LIST(import.words, import.n_words, a_text),
    LIST(import.entries, import.n_entries, an_entry),
    { 0 },
};

static const struct jw_field left[] = {
    FIELD(left.need),
    FIELD(left.hidden),
    LIST(left.targets, left.n, a_text),
    { 0 },
};

static const struct jw_field *const bodies[JW_WARM_KINDS] = {
    [JW_WARM_CACHE] = cache,     [JW_WARM_MODULE] = module, [JW_WARM_RECEIPT] = receipt,
    [JW_WARM_COMMAND] = command, [JW_WARM_IMPORT] = import, [JW_WARM_LEFT] = left,
};

bool jw_warmlog_get(const struct jw_warmlog_record *record, struct jw_arena *a, struct jw_warm_fact *out,
                    struct jw_err *err)
{
    memset(out, 0, sizeof *out);
    out->kind = (enum jw_warm_kind)record->is.kind;
    return (jw_warmlog_known(record) && jw_record_get(&record->is, bodies[record->is.kind], a, out))
           || jw_fail(err, JW_E_FORMAT, "a record of kind %u is not as long as its fields",
                      (unsigned)record->is.kind);
}

void jw_warmlog_put(struct jw_buf *out, const struct jw_warm_fact *fact)
{
    jw_record_put(out, (uint16_t)fact->kind, bodies[fact->kind], fact);
}
