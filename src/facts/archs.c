#include "facts/archs.h"

#include "facts/rows.h"

const struct jw_arch_fact *jw_arch_find(unsigned sm)
{
    for (size_t i = 0; i < jw_facts_archs_n; i++) {
        if (jw_facts_archs[i].sm == sm)
            return &jw_facts_archs[i];
    }
    return NULL;
}
