#include "cache/format/warmlog.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"

#include <string.h>

_Static_assert(JW_WARMLOG_HEAD == JW_RECORD_FRAME + 4 + JW_MAX_PATH + 1, "the longest first record");

/* ---- the kinds ---- */

#define FIELD(m) JW_FIELD(struct jw_warm_fact, as.m)
#define LIST(m, n, fields) JW_FIELD_LIST_OF(struct jw_warm_fact, as.m, as.n, fields)
#define FILE_FIELD(m) JW_FIELD(struct jw_warm_file, m)
#define OF_REQUEST(m) JW_FIELD(struct jw_warm_request, m)
#define REQUEST_LIST(m, fields) JW_FIELD_LIST_OF(struct jw_warm_request, m, n_##m, fields)
#define CONCLUDED(m) JW_FIELD(struct jw_warm_conclusions, m)
#define CONCLUDED_LIST(m, fields) JW_FIELD_LIST_OF(struct jw_warm_conclusions, m, n_##m, fields)

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
static const struct jw_field a_used[] = { JW_FIELD(struct jw_warm_used, command),
                                          JW_FIELD(struct jw_warm_used, recorded),
                                          { 0 } };
static const struct jw_field a_refused[] = { JW_FIELD(struct jw_warm_refused, id),
                                             JW_FIELD(struct jw_warm_refused, sm),
                                             JW_FIELD(struct jw_warm_refused, path),
                                             { 0 } };
static const struct jw_field request[] = {
    OF_REQUEST(trusted_only),
    OF_REQUEST(all),
    OF_REQUEST(absent_gpus),
    OF_REQUEST(forgot),
    OF_REQUEST(command),
    REQUEST_LIST(gpus, a_text),
    REQUEST_LIST(exclude, a_text),
    REQUEST_LIST(vouched, a_text),
    REQUEST_LIST(commands, a_used),
    REQUEST_LIST(targets, a_text),
    { 0 },
};
static const struct jw_field conclusions[] = {
    CONCLUDED(same_login),
    CONCLUDED(login_lower),
    CONCLUDED(terminal),
    CONCLUDED(login_limit),
    CONCLUDED(unsure),
    CONCLUDED(native),
    CONCLUDED(on_use),
    JW_FIELD_UP_TO(struct jw_warm_conclusions, loss, 4, JW_LOSS_OTHERS),
    CONCLUDED(too_new.modules),
    CONCLUDED(too_new.branch),
    CONCLUDED(too_new.file),
    CONCLUDED(lacking.name),
    CONCLUDED(lacking.version),
    CONCLUDED(lacking.more),
    CONCLUDED(lacking.most),
    CONCLUDED(lacking.sm),
    CONCLUDED(unread),
    CONCLUDED(unread_why),
    CONCLUDED_LIST(refused, a_refused),
    CONCLUDED_LIST(found_in, a_text),
    CONCLUDED_LIST(emptied, a_text),
    { 0 },
};
static const struct jw_field receipt[] = {
    FIELD(receipt.partly),
    JW_FIELD_STRUCT_OF(struct jw_warm_fact, as.receipt.asked, request),
    FIELD(receipt.build),
    FIELD(receipt.driver_version),
    FIELD(receipt.when),
    FIELD(receipt.jobs),
    FIELD(receipt.stamp),
    LIST(receipt.answers, receipt.n_answers, an_answer),
    LIST(receipt.files, receipt.n_files, a_file),
    LIST(receipt.entries, receipt.n_entries, an_entry),
    JW_FIELD_STRUCT_OF(struct jw_warm_fact, as.receipt.concluded, conclusions),
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
    FIELD(command.cache),
    FIELD(command.when),
    FIELD(command.cold),
    FIELD(command.warm),
    FIELD(command.recorded),
    LIST(command.ids, command.n, an_id),
    LIST(command.files, command.n_files, a_text),
    LIST(command.loads, command.n_loads, a_build),
    { 0 },
};

static const struct jw_field started[] = {
    FIELD(command.key),  FIELD(command.cache), FIELD(command.when),
    FIELD(command.cold), FIELD(command.warm),  { 0 },
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

static const struct {
    const struct jw_field *fields;
    size_t max;   /* so many are kept, the newest */
    size_t about; /* its first fields, which say what a record is about */
} kinds[JW_WARM_KINDS] = {
    [JW_WARM_CACHE] = { cache, 1, 0 },
    [JW_WARM_MODULE] = { module, JW_MAX_WARM_MODULES, 3 },
    [JW_WARM_RECEIPT] = { receipt, JW_MAX_WARM_RECEIPTS, 3 },
    [JW_WARM_COMMAND] = { command, JW_MAX_WARM_PROFILES, 1 },
    [JW_WARM_STARTED] = { started, JW_MAX_WARM_PROFILES, 1 },
    [JW_WARM_IMPORT] = { import, JW_MAX_WARM_RECEIPTS, 2 },
    [JW_WARM_LEFT] = { left, 1, 0 },
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

/* The bytes that say what a record of a known kind is about, but for its last `but` fields. False: it cannot be told. */
static bool take_about(const struct jw_warmlog_record *record, size_t but, struct jw_bytes *out)
{
    struct jw_reader r = jw_reader(record->is.body);

    if (kinds[record->is.kind].about)
        jw_fields_skip(&r, kinds[record->is.kind].fields, kinds[record->is.kind].about - but);
    *out = (struct jw_bytes){ record->is.body.p, r.at };
    return !r.bad;
}

static bool is_about_same(struct jw_bytes x, struct jw_bytes y)
{
    return x.n == y.n && (!x.n || memcmp(x.p, y.p, x.n) == 0);
}

bool jw_warm_same_request(const struct jw_warm_request *x, const struct jw_warm_request *y)
{
    struct jw_buf a = JW_BUF(JW_MAX_STATE_RECORD), b = JW_BUF(JW_MAX_STATE_RECORD);

    jw_fields_put(&a, request, x);
    jw_fields_put(&b, request, y);

    bool same = !a.bad && !b.bad && is_about_same(jw_buf_bytes(&a), jw_buf_bytes(&b));

    jw_buf_free(&a);
    jw_buf_free(&b);
    return same;
}

/* Takes a place of the hash table for this record: 1 + its number. False: a newer one is about the same. */
static bool take_place(const struct jw_warmlog *log, size_t i, struct jw_bytes about, uint32_t *places,
                       size_t mask)
{
    uint16_t kind = log->list[i].is.kind;
    size_t at = (size_t)jw_fnv1a(JW_FNV_START + kind, about.p, about.n) & mask;

    for (; places[at]; at = (at + 1) & mask) {
        const struct jw_warmlog_record *newer = &log->list[places[at] - 1];
        struct jw_bytes other;

        if (newer->is.kind == kind && take_about(newer, 0, &other) && is_about_same(about, other))
            return false;
    }
    places[at] = (uint32_t)i + 1;
    return true;
}

/* Have enough driver builds a receipt of this request that is newer? */
static bool is_of_old_build(const struct jw_warmlog *log, size_t at)
{
    struct jw_bytes request_here, other;
    unsigned builds = 0;

    (void)take_about(&log->list[at], 1, &request_here);
    for (size_t i = at + 1; i < log->n && builds < JW_MAX_WARM_BUILDS; i++)
        builds += log->list[i].alive && log->list[i].is.kind == JW_WARM_RECEIPT
                  && take_about(&log->list[i], 1, &other) && is_about_same(request_here, other);
    return builds == JW_MAX_WARM_BUILDS;
}

/* The last of each thing, and the newest of each kind. */
static void find_alive(struct jw_warmlog *log)
{
    size_t counts[JW_WARM_KINDS] = { 0 }, mask = 1;

    while (mask < 2 * log->n)
        mask *= 2;
    uint32_t *places = jw_alloc(mask-- * sizeof *places);

    for (size_t i = log->n; i-- > 0;) {
        struct jw_warmlog_record *record = &log->list[i];
        uint16_t kind = record->is.kind;
        struct jw_bytes about;

        record->alive =
            !jw_warmlog_known(record)
            || (take_about(record, 0, &about) && take_place(log, i, about, places, mask)
                && !(kind == JW_WARM_RECEIPT && is_of_old_build(log, i)) && counts[kind]++ < kinds[kind].max);
        log->alive += record->alive;
        log->alive_bytes += record->alive ? record->is.all.n : 0;
    }
    jw_free(places);
}

bool jw_warmlog_scan(struct jw_bytes file, struct jw_warmlog *out, struct jw_err *err)
{
    *out = (struct jw_warmlog){ 0 };
    if (!take_log_records(file, out, err)) {
        jw_warmlog_free(out);
        return false;
    }
    find_alive(out);
    return true;
}

void jw_warmlog_free(struct jw_warmlog *log)
{
    jw_free(log->list);
    *log = (struct jw_warmlog){ 0 };
}

const char *jw_warmlog_cache(struct jw_bytes head)
{
    struct jw_reader r = jw_reader(head), body;
    struct jw_record record;
    const char *folder;

    if (!jw_record_take(&r, &record) || record.kind != JW_WARM_CACHE)
        return NULL;
    body = jw_reader(record.body);
    folder = jw_take_text(&body);
    return body.bad || body.at != body.in.n ? NULL : folder;
}

void jw_warm_id_of_name(uint8_t id[32], uint64_t name)
{
    memset(id, 0, 32);
    jw_put64(id, name);
}

/* ---- what they say ---- */

bool jw_warmlog_get(const struct jw_warmlog_record *record, struct jw_arena *a, struct jw_warm_fact *out,
                    struct jw_err *err)
{
    memset(out, 0, sizeof *out);
    out->kind = (enum jw_warm_kind)record->is.kind;
    return (jw_warmlog_known(record) && kinds[record->is.kind].fields
            && jw_record_get(&record->is, kinds[record->is.kind].fields, a, out))
           || jw_fail(err, JW_E_FORMAT, "a record of kind %u is not as long as its fields",
                      (unsigned)record->is.kind);
}

void jw_warmlog_put(struct jw_buf *out, const struct jw_warm_fact *fact)
{
    jw_record_put(out, (uint16_t)fact->kind, kinds[fact->kind].fields, fact);
}
