#include "base/mem.h"
#include "facts/rows.h"

#include <stdatomic.h>
#include <zlib.h>

_Static_assert(sizeof(struct jw_framework_row) == 31 * sizeof(uint16_t), "as scripts/gen_facts.py writes it");

enum { ROWS, SOFTWARE, CODES, ERRORS };

static _Atomic(unsigned char *) unpacked;

static unsigned char *unpack(void)
{
    uLongf n = (uLongf)jw_facts_plain[ERRORS];
    unsigned char *fresh = jw_alloc(n), *other = NULL;

    (void)uncompress(fresh, &n, jw_facts_packed, (uLong)jw_facts_packed_n);
    if (atomic_compare_exchange_strong(&unpacked, &other, fresh))
        return fresh;
    jw_free(fresh);
    return other;
}

struct jw_facts_large jw_facts_large(void)
{
    unsigned char *at = atomic_load(&unpacked);

    at = at ? at : unpack();
    return (struct jw_facts_large){ .frameworks = (const struct jw_framework_row *)(const void *)at,
                                    .software = (const char *)at + jw_facts_plain[ROWS],
                                    .codes = (const char *)at + jw_facts_plain[SOFTWARE],
                                    .errors = (const char *)at + jw_facts_plain[CODES] };
}
