#include "base/deflate.h"
#include "base/mem.h"
#include "facts/rows.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(struct jw_framework_row) == 31 * sizeof(uint16_t), "as scripts/gen_facts.py writes it");

enum { ROWS, SOFTWARE, CODES, ERRORS };

static _Atomic(unsigned char *) unpacked;

/* NULL: the stream is damaged, or does not unpack to `plain` bytes. */
static unsigned char *unpack_tables(struct jw_bytes packed, size_t plain)
{
    unsigned char *out = jw_alloc(plain + 1 + JW_DEFLATE_SLACK);
    const struct jw_source src = jw_source_memory(&packed);
    struct jw_deflate *d = jw_alloc(sizeof *d);
    enum jw_deflate_state state = JW_DEFLATE_MORE;
    struct jw_err err;
    size_t n = 0;

    jw_deflate_start(d, &src, 0);
    while (state == JW_DEFLATE_MORE && n <= plain)
        state = jw_deflate_more(d, out, &n, plain + 1, &err);
    jw_free(d);
    if (state == JW_DEFLATE_END && n == plain)
        return out;
    jw_free(out);
    return NULL;
}

/* Ends a program whose tables are damaged: it would answer wrongly. */
static unsigned char *require(unsigned char *tables)
{
    if (!tables) {
        (void)fputs("jitwarm: this program is damaged (its tables do not unpack); install it again\n",
                    stderr);
        _Exit(4);
    }
    return tables;
}

static unsigned char *tables(void)
{
    unsigned char *at = atomic_load(&unpacked), *other = NULL;

    if (at)
        return at;
    at = require(
        unpack_tables((struct jw_bytes){ jw_facts_packed, jw_facts_packed_n }, jw_facts_plain[ERRORS]));
    if (atomic_compare_exchange_strong(&unpacked, &other, at))
        return at;
    jw_free(at);
    return other;
}

struct jw_facts_large jw_facts_large(void)
{
    unsigned char *at = tables();

    return (struct jw_facts_large){ .frameworks = (const struct jw_framework_row *)(const void *)at,
                                    .software = (const char *)at + jw_facts_plain[ROWS],
                                    .codes = (const char *)at + jw_facts_plain[SOFTWARE],
                                    .errors = (const char *)at + jw_facts_plain[CODES] };
}
