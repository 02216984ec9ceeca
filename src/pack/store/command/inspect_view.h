/* What inspect tells, in both forms. */
#ifndef PACK_STORE_COMMAND_INSPECT_VIEW_H
#define PACK_STORE_COMMAND_INSPECT_VIEW_H

#include "cli/cli.h"
#include "pack/file/pack_read.h"

enum { INSPECT_MADE = JW_PACK_FORGED + 1 };

struct inspect_sum {
    uint64_t entries, bytes;
};

struct inspect_view {
    const char *file; /* as it was named; "-" for standard input */
    const struct jw_pack_peeked *seen;
    const struct inspect_sum *origins; /* of each origin; the last one: of no known origin */
    struct inspect_sum made[INSPECT_MADE];
    uint64_t largest;
    bool entries; /* each of them */
};

bool inspect_write_text(struct cli *cli, const struct inspect_view *v, struct jw_err *err) JW_MUST;
bool inspect_write_json(struct cli *cli, const struct inspect_view *v, struct jw_err *err) JW_MUST;

#endif
