/* What list prints. */
#ifndef PACK_STORE_COMMAND_STORE_VIEW_H
#define PACK_STORE_COMMAND_STORE_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "pack/file/pack_read.h"
#include "pack/store/store_list.h"

struct contents_sum {
    uint64_t entries, bytes;
};

struct contents_origin {
    struct jw_pack_origin is;
    struct contents_sum sum;
};

struct contents_view {
    const char *file; /* as it was named; "-" for standard input */
    const char *format;
    struct jw_pack_peeked seen;
    struct contents_origin *origins;
    struct contents_sum unnamed; /* of no known origin */
    uint64_t largest, bytes;     /* of all entries */
    bool entries;                /* each of them */
    bool verified;               /* never */
};

extern const struct jw_form contents_form;

bool contents_write_text(struct cli *cli, const struct contents_view *v, struct jw_err *err) JW_MUST;

bool list_write_text(struct cli *cli, const struct jw_store_report *r, struct jw_err *err) JW_MUST;
extern const struct jw_row list_store_rows[]; /* of a struct jw_store_report */
extern const struct jw_form list_form;

#endif
