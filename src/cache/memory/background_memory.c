#include "cache/memory/background_memory.h"

#include "base/buf.h"
#include "base/fields.h"
#include "base/limits.h"
#include "cache/memory/state_folder.h"
#include "machine/trust.h"

enum { BACKGROUND = 47, MAX_CODE = 255 };

static const struct jw_field fields[] = {
    JW_FIELD(struct jw_background, began),
    JW_FIELD(struct jw_background, ended),
    JW_FIELD_UP_TO(struct jw_background, code, 8, MAX_CODE),
    JW_FIELD(struct jw_background, first_line),
    { 0 },
};

void jw_background_load(struct jw_arena *a, struct jw_background *out)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_BACKGROUND, a, &ignored);
    struct jw_background one = { .first_line = "" };
    struct jw_bytes file = { NULL, 0 };
    struct jw_record record;
    bool found = false;

    *out = one;
    if (!path || !jw_trust_slurp(path, JW_MAX_STATE, a, &file, &found, &ignored) || !found)
        return;

    struct jw_reader r = jw_reader(file);

    if (jw_record_take(&r, &record) && record.kind == BACKGROUND && jw_record_get(&record, fields, NULL, &one)
        && one.began > 0)
        *out = one;
}

void jw_background_keep(const struct jw_background *run, struct jw_arena *a)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_BACKGROUND, a, &ignored);
    const char *folder = path ? jw_state_dir(a, &ignored) : NULL;
    struct jw_buf text = JW_BUF_IN(a, JW_MAX_STATE);

    if (!folder)
        return;
    jw_record_put(&text, BACKGROUND, fields, run);
    if (jw_buf_ok(&text, &ignored) && jw_trust_make(folder, &ignored))
        (void)!jw_trust_put(path, jw_buf_bytes(&text), &ignored);
}

#define B struct jw_background

const struct jw_row jw_background_rows[] = {
    { JW_ROW("began", B, began), JW_ABOUT("Unix seconds") },
    { JW_ROW("ended", B, ended), JW_IF(B, ended), JW_NULLABLE, JW_ABOUT("null: it runs, or it was killed") },
    { JW_ROW("exit_code", B, code), JW_IF(B, ended), JW_NULLABLE },
    { JW_ROW("first_line", B, first_line), JW_IF(B, ended), JW_NULLABLE,
      JW_ABOUT("the first line of its report") },
    { 0 },
};
