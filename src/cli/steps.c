/* What env, startup and uninstall set up or removed, as lines of their report. */
#include "cli/report.h"
#include "setup/setup.h"

#include <string.h>

static const char *verb_of(bool dry_run, const struct jw_step *s)
{
    if (s->text)
        return s->same ? "Unchanged" : dry_run ? "Writes" : "Wrote";
    return s->done ? "Removed" : dry_run ? "Removes" : "There";
}

void rep_steps(struct rep *r, bool dry_run, const struct jw_step_list *steps)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct jw_step *s = &steps->v[i];
        const char *text = dry_run && s->text ? s->text : "";

        if (s->why)
            rep_note(r, "%s", s->why);
        else if (s->text || s->found || s->done)
            rep_fact(r, NULL, verb_of(dry_run, s), REP_PATH, s->path);
        for (size_t n; *text; text += n + (text[n] == '\n')) {
            n = strcspn(text, "\n");
            rep_say(r, REP_PLAIN, "", "%.*s", (int)n, text);
        }
    }
}
