#include "fleet/command/push_part.h"

#include "base/fields.h"
#include "base/limits.h"
#include "os/files/file.h"

enum { PART = 48 };

#define I struct jw_matrix_input
#define P struct push_part

static const struct jw_field input_fields[] = {
    JW_FIELD(I, sm), JW_FIELD(I, digest), JW_FIELD(I, modules), JW_FIELD(I, there), { 0 },
};

static const struct jw_field fields[] = {
    JW_FIELD(P, began),
    JW_FIELD(P, whole.seconds_here),
    JW_FIELD(P, whole.seconds_after),
    JW_FIELD(P, whole.done),
    JW_FIELD(P, whole.here),
    JW_FIELD(P, whole.total),
    JW_FIELD(P, whole.done_ptx),
    JW_FIELD(P, whole.here_ptx),
    JW_FIELD(P, whole.total_ptx),
    JW_FIELD(P, whole.part),
    JW_FIELD(P, driver),
    JW_FIELD_LIST_UP_TO(P, v, n, input_fields, JW_FLEET_SMS),
    { 0 },
};

bool push_part_load(const char *path, struct jw_arena *a, struct push_part *out, bool *found,
                    struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_record record;
    bool ok = jw_file_slurp(path, &text, found, err);

    *out = (struct push_part){ .driver = "" };
    if (ok && *found) {
        struct jw_bytes bytes = jw_buf_bytes(&text);
        struct jw_reader r = jw_reader(
            (struct jw_bytes){ jw_arena_copy(a, bytes.p, bytes.n), bytes.n }); /* texts stay there */

        ok = (jw_record_take(&r, &record) && record.kind == PART && jw_record_get(&record, fields, a, out))
             || jw_fail(err, JW_E_FORMAT, "%.300s is damaged", path);
    }
    jw_buf_free(&text);
    return ok;
}

bool push_part_keep(const char *path, const struct push_part *part, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);

    jw_record_put(&text, PART, fields, part);
    bool ok = jw_buf_ok(&text, err) && jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(&text), err);

    jw_buf_free(&text);
    return ok;
}
