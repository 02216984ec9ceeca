#include "doctor/finding.h"

#include "base/limits.h"
#include "base/text.h"
#include "machine/list.h"

#include <stdarg.h>
#include <string.h>

const char *jw_severity_name(enum jw_severity s)
{
    static const char *const names[] = { "note", "warning", "error" };

    return names[s];
}

#define F(id, area, question) id,
static const char *const ids[] = {
#include "doctor/finding_kinds.def"
};
#undef F

bool jw_finding_exists(const char *id)
{
    return jw_text_among(id, ids, JW_COUNT(ids));
}

void jw_finding_add(struct jw_findings *f, struct jw_finding one)
{
    struct jw_err more_are_not_kept;
    struct jw_finding *slot =
        jw_list_add(f->a, &f->v, &f->n, sizeof *f->v, JW_MAX_FINDINGS, &more_are_not_kept);

    if (slot)
        *slot = one;
}

const char *jw_fmt(struct jw_findings *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *kept = jw_arena_say(f->a, fmt, args);
    va_end(args);
    return kept;
}

void jw_findings_sort(struct jw_findings *f)
{
    for (size_t i = 1; i < f->n; i++) {
        struct jw_finding one = f->v[i];
        size_t at = i;

        for (; at > 0 && f->v[at - 1].severity < one.severity; at--)
            f->v[at] = f->v[at - 1];
        f->v[at] = one;
    }
}

const struct jw_finding *jw_finding_of(const struct jw_findings *f, const char *id)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->v[i].id, id) == 0)
            return &f->v[i];
    return NULL;
}
