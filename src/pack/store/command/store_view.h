/* What list and inspect print. */
#ifndef PACK_STORE_COMMAND_STORE_VIEW_H
#define PACK_STORE_COMMAND_STORE_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "pack/file/pack_read.h"
#include "pack/store/store_list.h"

enum { INSPECT_MADE = JW_PACK_FORGED + 1 };

struct inspect_sum {
    uint64_t entries, bytes;
};

struct inspect_origin {
    struct jw_pack_origin is;
    struct inspect_sum sum;
};

struct inspect_view {
    const char *file; /* as it was named; "-" for standard input */
    const char *format;
    struct jw_pack_peeked seen;
    struct inspect_origin *origins;
    struct inspect_sum unnamed; /* of no known origin */
    struct inspect_sum made[INSPECT_MADE];
    uint64_t largest, bytes; /* of all entries */
    bool entries;            /* each of them */
    bool verified;           /* never */
};

extern const struct jw_form inspect_form;

bool inspect_write_text(struct cli *cli, const struct inspect_view *v, struct jw_err *err) JW_MUST;

bool list_write_text(struct cli *cli, const struct jw_store_report *r, struct jw_err *err) JW_MUST;
extern const struct jw_form list_form;

#endif
