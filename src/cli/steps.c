#include "cli/steps.h"

#include "base/text.h"

#include <string.h>

static const char *verb_of(enum steps_view view, bool dry_run, const struct jw_step *s)
{
    if (s->why)
        return "Not changed";
    if (s->kind == JW_STEP_COMMAND)
        return "Ran";
    if (view == STEPS_PRESENT)
        return "There";
    if (view == STEPS_TAKEN)
        return dry_run ? "Removes" : s->done ? "Removed" : "Kept";
    return s->same ? "Unchanged" : dry_run ? "Writes" : "Wrote";
}

/* The file or the task as it would be, line by line. */
static void show_text(struct rep *r, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        rep_say(r, REP_PLAIN, "", "%.*s", (int)n, text);
    }
}

static void step_cell(const void *ctx, size_t row, size_t column, struct rep_cell *out)
{
    const struct jw_step *s = &((const struct jw_step_list *)ctx)->v[row];
    const bool flags[] = { s->found, s->same, s->done };

    switch (column) {
    case 0: out->text = jw_step_kind_names[s->kind]; break;
    case 1: out->text = s->path; break;
    case 5: out->text = s->why; break;
    default: out->n = flags[column - 2]; break;
    }
}

void steps_report(struct rep *r, enum steps_view view, bool dry_run, const struct jw_step_list *steps)
{
    /* Without titles: of the JSON alone. The lines of the text are said below. */
    static const struct rep_column columns[] = {
        { "kind", NULL, REP_TEXT, false }, { "path", NULL, REP_PATH, false },
        { "found", NULL, REP_YES, false }, { "same", NULL, REP_YES, false },
        { "done", NULL, REP_YES, false },  { "why", NULL, REP_TEXT, false },
    };

    for (size_t i = 0; i < steps->n; i++) {
        const struct jw_step *s = &steps->v[i];

        if (view == STEPS_PUT || s->found || s->done || s->why)
            rep_fact(r, NULL, verb_of(view, dry_run, s), REP_PATH, s->path);
        if (dry_run && view == STEPS_PUT && s->text && s->kind != JW_STEP_LINK)
            show_text(r, s->text);
    }
    rep_table(r, "steps", columns, JW_COUNT(columns), steps->n, step_cell, steps, 0);
}
