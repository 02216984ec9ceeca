/* What import hands to the two ways of showing it. */
#ifndef PACK_IMPORT_COMMAND_IMPORT_VIEW_H
#define PACK_IMPORT_COMMAND_IMPORT_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "pack/import/import.h"

#define IMPORT_ENDS (~(JW_CAN(TOLD) | JW_CAN(TIME) | JW_CAN(WAITING) | JW_CAN(NOT_PROVEN)))

extern const struct jw_form import_form;
bool import_write_text(struct cli *cli, const struct jw_import_report *r, struct jw_err *err) JW_MUST;

/* The first line: what was done, or why it was not. */
void import_say_head(struct jw_buf *out, const struct jw_import_report *r);

/* "driver 580.126.09 (built Jan 7 2026 22:51:46), sm_86" */
void import_say_for(struct jw_buf *out, const struct jw_pack_manifest *m);

/* Why an entry of this state is not in the cache, of `n` of them; "" when it is. */
const char *import_why(enum jw_import_state s, uint64_t n);

#endif
