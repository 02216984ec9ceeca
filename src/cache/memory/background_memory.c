#include "cache/memory/background_memory.h"

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
    struct jw_background one = { 0 };
    bool found = false;

    if (path)
        (void)!jw_trust_load(path, BACKGROUND, fields, a, &one, &found, &ignored);
    *out = found && one.began > 0 ? one : (struct jw_background){ .first_line = "" };
}

void jw_background_keep(const struct jw_background *run, struct jw_arena *a)
{
    struct jw_err ignored = { 0 };
    const char *path = jw_state_path(JW_STATE_BACKGROUND, a, &ignored);

    if (path)
        (void)!jw_trust_save(path, BACKGROUND, fields, run, &ignored);
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
