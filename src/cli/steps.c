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

void steps_report(struct rep *r, enum steps_view view, bool dry_run, const struct jw_step_list *steps)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct jw_step *s = &steps->v[i];

        if (view == STEPS_PUT || s->found || s->done || s->why)
            rep_fact(r, NULL, verb_of(view, dry_run, s), REP_PATH, s->path);
        if (dry_run && view == STEPS_PUT && s->text && s->kind != JW_STEP_LINK)
            show_text(r, s->text);
    }
}
