#include "facts/cache_choosers.h"

#include "base/text.h"
#include "facts/rows.h"

const char *jw_cache_chooser_words(const char *cache, struct jw_arena *a)
{
    for (size_t i = 0; i < jw_facts_choosers_n; i++) {
        const struct jw_chooser_row *r = &jw_facts_choosers[i];

        if (jw_text_ends(cache, jw_facts_pool + r->folder))
            return jw_arena_printf(a, " (%s sets %s%s)", jw_facts_pool + r->software,
                                   jw_facts_pool + r->variable, r->yields ? " where it is not set" : "");
    }
    return "";
}
