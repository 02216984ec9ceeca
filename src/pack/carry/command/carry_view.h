/* The text and the JSON report of carry. */
#ifndef PACK_CARRY_COMMAND_CARRY_VIEW_H
#define PACK_CARRY_COMMAND_CARRY_VIEW_H

#include "cli/cli.h"
#include "pack/carry/carry.h"

struct carry_view {
    const struct jw_carry_report *report;
    bool dry_run, undo, renewing; /* renewing: a prime in the background compiles them again */
};

bool carry_write_text(struct cli *cli, const struct carry_view *v, struct jw_err *err);
extern const struct jw_form carry_form;

#endif
