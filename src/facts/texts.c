#include "base/mem.h"
#include "facts/rows.h"

#include <isa-l/igzip_lib.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(unsigned char *) unpacked;

/* NULL: the stream is damaged, or does not unpack to `plain` bytes. */
static unsigned char *unpack_tables(const unsigned char *packed, size_t packed_n, size_t plain)
{
    unsigned char *out = jw_alloc(plain + 1); /* room for one byte too many */
    struct inflate_state *z = jw_alloc(sizeof *z);

    isal_inflate_init(z);
    memcpy(&z->next_in, &packed, sizeof z->next_in); /* ISA-L reads through a pointer that is not const */
    z->avail_in = (uint32_t)packed_n;
    z->next_out = out;
    z->avail_out = (uint32_t)plain + 1;
    bool ok =
        isal_inflate(z) == ISAL_DECOMP_OK && z->block_state == ISAL_BLOCK_FINISH && z->total_out == plain;

    jw_free(z);
    if (ok)
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

const char *jw_facts_texts(void)
{
    unsigned char *at = atomic_load(&unpacked), *other = NULL;

    if (at)
        return (const char *)at;
    at = require(unpack_tables(jw_facts_packed, jw_facts_packed_n, jw_facts_plain));
    if (atomic_compare_exchange_strong(&unpacked, &other, at))
        return (const char *)at;
    jw_free(at);
    return (const char *)other;
}
