/* The text and the JSON report of import. */
#ifndef PACK_IMPORT_COMMAND_IMPORT_VIEW_H
#define PACK_IMPORT_COMMAND_IMPORT_VIEW_H

#include "base/rows.h"
#include "cli/cli.h"
#include "pack/import/import.h"

#define IMPORT_ENDS (~(JW_CAN(LISTED) | JW_CAN(TIME) | JW_CAN(WAITING) | JW_CAN(NOT_PROVEN)))

extern const struct jw_form import_form, import_set_form;
bool import_write_text(struct cli *cli, const struct jw_import_report *r, struct jw_err *err) JW_MUST;
bool import_set_text(struct cli *cli, const struct jw_import_set *s, struct jw_err *err) JW_MUST;

#endif
