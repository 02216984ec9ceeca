#include "base/deflate.h"
#include "base/mem.h"
#include "facts/rows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(struct jw_framework_row) == 31 * sizeof(uint16_t), "as scripts/gen_facts.py writes it");

enum { ROWS, SOFTWARE, CODES, ERRORS };

static _Atomic(unsigned char *) unpacked;

/* Rubbish is not to be read as knowledge. */
static void check(bool sound)
{
    if (sound)
        return;
    (void)fputs("jitwarm: this program is damaged (its tables do not unpack); install it again\n", stderr);
    _Exit(4);
}

static unsigned char *unpack(void)
{
    size_t plain = jw_facts_plain[ERRORS], n = 0;
    unsigned char *fresh = jw_alloc(plain + 1 + JW_DEFLATE_SLACK), *other = NULL;
    const struct jw_bytes packed = { jw_facts_packed, jw_facts_packed_n };
    const struct jw_source src = jw_source_memory(&packed);
    struct jw_deflate *d = jw_alloc(sizeof *d);
    enum jw_deflate_state state = JW_DEFLATE_MORE;
    struct jw_err err;

    jw_deflate_start(d, &src, 0);
    while (state == JW_DEFLATE_MORE && n <= plain)
        state = jw_deflate_more(d, fresh, &n, plain + 1, &err);
    jw_free(d);
    check(state == JW_DEFLATE_END && n == plain);
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
