/* What env tells, in text and in JSON. */
#ifndef CLI_ENV_VIEW_H
#define CLI_ENV_VIEW_H

#include "cli/cli.h"
#include "engine/env_facts.h"

bool env_write_show_text(struct cli *cli, const struct jw_env_state *s, struct jw_err *err);
bool env_write_show_json(struct cli *cli, const struct jw_env_state *s, struct jw_err *err);

/* The settings as lines of `form`, and nothing else. */
bool env_write_lines(struct cli *cli, const struct jw_env_state *s, enum jw_env_form form,
                     struct jw_err *err);

/* "~/.profile" for what is below the home. Appends. */
void env_say_path(struct jw_buf *out, const char *path, const char *home);

#endif
