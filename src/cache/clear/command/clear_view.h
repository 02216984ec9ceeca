/* How cmd_clear tells what jw_clear would remove, or has removed. */
#ifndef CACHE_CLEAR_COMMAND_CLEAR_VIEW_H
#define CACHE_CLEAR_COMMAND_CLEAR_VIEW_H

#include "cache/clear/clear.h"
#include "cli/cli.h"

bool clear_write_text(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err) JW_MUST;
bool clear_write_json(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err) JW_MUST;

#endif
