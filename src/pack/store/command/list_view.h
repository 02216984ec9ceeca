/* The text and the JSON report of list. */
#ifndef PACK_STORE_COMMAND_LIST_VIEW_H
#define PACK_STORE_COMMAND_LIST_VIEW_H

#include "cli/cli.h"
#include "pack/store/store_list.h"

bool list_write_text(struct cli *cli, const struct jw_store_report *r, struct jw_err *err) JW_MUST;
extern const struct jw_form list_form;

#endif
