#include "lab.h"

#include "os/machine/time.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lab_finds(struct lab *l, const char *belief, enum lab_says says, const char *fmt, ...)
{
    va_list args;

    if (l->n_findings == LAB_MAX_FINDINGS)
        return;
    struct lab_finding *f = &l->findings[l->n_findings++];

    f->belief = belief;
    f->says = says;
    va_start(args, fmt);
    (void)vsnprintf(f->why, sizeof f->why, fmt, args);
    va_end(args);
    l->said[says]++;
}

void lab_finds_holds(struct lab *l, const char *belief, bool holds, const char *why)
{
    lab_finds(l, belief, holds ? LAB_CONFIRMED : LAB_CONTRADICTED, "%s", why);
}

void lab_say_findings(struct lab *l)
{
    static const char *const words[] = { "confirmed", "contradicted", "answered", "not testable here" };

    jw_json_array(&l->json, "findings");
    for (size_t i = 0; i < l->n_findings; i++) {
        jw_json_object(&l->json, NULL);
        jw_json_text(&l->json, "belief", l->findings[i].belief);
        jw_json_text(&l->json, "found", words[l->findings[i].says]);
        jw_json_text(&l->json, "why", l->findings[i].why);
        jw_json_close(&l->json);
    }
    jw_json_close(&l->json);
}

bool lab_not_asked(struct lab *l, const char *step, const char *why, const char *beliefs)
{
    lab_say(l, step, "not asked", true);
    jw_json_bool(&l->json, "asked", false);
    jw_json_text(&l->json, "why", why);
    while (beliefs && *beliefs) {
        size_t n = strcspn(beliefs, " ");

        lab_finds(l, jw_arena_text(&l->arena, beliefs, n), LAB_NOT_TESTABLE, "%s", why);
        beliefs += n + (beliefs[n] == ' ');
    }
    lab_say_end(l);
    return true;
}

unsigned lab_scaled(const struct lab *l, unsigned full, unsigned small)
{
    return l->small ? small : full;
}

unsigned lab_seconds_left(const struct lab *l)
{
    uint64_t now = jw_time_monotonic_ns();

    return !l->deadline ? 3600 : now >= l->deadline ? 0 : (unsigned)((l->deadline - now) / 1000000000);
}
