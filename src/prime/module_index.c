#include "prime/module_index.h"

#include "base/bytes.h"
#include "base/digest.h"

#include <string.h>

static bool is_same_module(const struct jw_job *a, const struct jw_job *b)
{
    return a->sm == b->sm && memcmp(a->module.text, b->module.text, JW_DIGEST) == 0
           && strcmp(a->module.options, b->module.options) == 0;
}

uint32_t *module_index_find(const struct module_index *x, const struct jw_job *list, const struct jw_job *j)
{
    size_t at = (size_t)jw_le64(j->module.text) & (x->n - 1);

    while (x->slots[at] && !is_same_module(&list[x->slots[at] - 1], j))
        at = (at + 1) & (x->n - 1);
    return &x->slots[at];
}

void module_index_make(struct module_index *x, const struct jw_job *list, size_t n, size_t more,
                       struct jw_arena *a)
{
    x->n = 2;
    while (x->n / 2 < n + more)
        x->n *= 2;
    x->slots = jw_arena_alloc(a, x->n * sizeof *x->slots);
    for (size_t i = 0; i < n; i++)
        *module_index_find(x, list, &list[i]) = (uint32_t)(i + 1);
}
