/* What env tells, in text and in JSON. */
#ifndef ENV_COMMAND_ENV_VIEW_H
#define ENV_COMMAND_ENV_VIEW_H

#include "cli/cli.h"
#include "env/env_apply.h"

bool env_write_show_text(struct cli *cli, const struct jw_env_state *s, struct jw_err *err);
bool env_write_show_json(struct cli *cli, const struct jw_env_state *s, struct jw_err *err);

/* The settings as lines of `form`, and nothing else. */
bool env_write_lines(struct cli *cli, const struct jw_env_state *s, enum jw_env_form form,
                     struct jw_err *err);

/* What apply or undo did, or would do. */
struct env_done {
    const struct jw_env_report *report;
    const char *home;
    bool undo, dry_run;
};

bool env_write_done_text(struct cli *cli, const struct env_done *d, struct jw_err *err);
bool env_write_done_json(struct cli *cli, const struct env_done *d, struct jw_err *err);

/* "~/.profile" for what is below the home. Appends. */
void env_say_path(struct jw_buf *out, const char *path, const char *home);

#endif
