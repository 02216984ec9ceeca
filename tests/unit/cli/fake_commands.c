/* A command list with an option of every kind and every hint, in place of src/cli/commands.c. */
#include "cli/commands.h"

#include "cli/cli.h"

#include <stdint.h>

struct paint_args {
    bool deep;
    const char *file, *dir, *name;
    struct jw_texts gpus, words, rest;
    unsigned jobs, mode, limit, wait;
    uint64_t size;
};

static const struct opt paint_opts[] = {
    { "deep", 'd', OPT_FLAG, offsetof(struct paint_args, deep), NULL, "it's [deep]: 100% of \\it", NULL,
      HINT_NONE },
    { "file", 'o', OPT_TEXT, offsetof(struct paint_args, file), "FILE", "a file", NULL, HINT_FILES },
    { "dir", 0, OPT_TEXT, offsetof(struct paint_args, dir), "DIR", "a folder", NULL, HINT_DIRS },
    { "name", 0, OPT_TEXT, offsetof(struct paint_args, name), "NAME", "a name", NULL, HINT_NONE },
    { "gpu", 'g', OPT_LIST, offsetof(struct paint_args, gpus), "GPU", "a GPU", NULL, HINT_GPUS },
    { "word", 0, OPT_LIST, offsetof(struct paint_args, words), "WORD", "a word", "alpha beta", HINT_WORDS },
    { "jobs", 0, OPT_UINT, offsetof(struct paint_args, jobs), "N", "a number", NULL, HINT_NONE },
    { "size", 0, OPT_SIZE, offsetof(struct paint_args, size), "SIZE", "a size", NULL, HINT_NONE },
    { "mode", 'm', OPT_CHOICE, offsetof(struct paint_args, mode), "MODE", "a choice", "fast slow",
      HINT_WORDS },
    { "limit", 0, OPT_DURATION, offsetof(struct paint_args, limit), "TIME", "a time", NULL, HINT_NONE },
    { "wait", 'w', OPT_MAYBE_DURATION, offsetof(struct paint_args, wait), "TIME", "a time, or none", NULL,
      HINT_NONE },
    { "an-option-with-a-long-name", 0, OPT_TEXT, offsetof(struct paint_args, name), "NAME",
      "has its explanation on the next line, and it is long enough to be wrapped", NULL, HINT_NONE },
    { 0 },
};

static const struct example paint_examples[] = {
    { "jitwarm paint -d .", "paints what's here" },
    { NULL, NULL },
};

static const struct opt_group paint_groups[] = {
    { "Where", "file dir" },
    { "Gone", "removed-long-ago" },
    { 0 },
};

static const struct cmd paint = {
    .name = "paint",
    .summary = "it's painted: red",
    .synopsis_args = "[PATH...]",
    .details = "First paragraph.\n\n.dot starts the second, whose 'quotes' and back\\slashes survive.",
    .examples = paint_examples,
    .opts = paint_opts,
    .groups = paint_groups,
    .often = "deep wait",
    .args_size = sizeof(struct paint_args),
    .positional_at = offsetof(struct paint_args, rest),
    .max_pos = POS_ANY,
    .pos_hint = HINT_FILES,
    .report = true,
};
static const struct cmd explain = {
    .name = "explain",
    .summary = "explain a verb",
    .synopsis_args = "[VERB]",
    .max_pos = 1,
    .pos_hint = HINT_VERBS,
};
static const struct cmd hidden = {
    .name = "hidden", .summary = "secret", .synopsis_args = "", .hidden = true
};

const struct cmd *const jw_cmds[] = { &paint, &explain, &hidden, NULL };
const char *const jw_cmd_titles[] = { "Verbs", NULL, NULL };

const struct opt jw_common_opts[] = {
    { "help", 'h', OPT_FLAG, offsetof(struct common, help), NULL, "explain the verb", NULL, HINT_NONE },
    { 0 },
};
const struct opt jw_report_opts[] = {
    { "json", 0, OPT_FLAG, offsetof(struct common, json), NULL, "answer in JSON", NULL, HINT_NONE },
    { 0 },
};
const struct opt jw_cache_opts[] = { { 0 } };
const struct named jw_cli_exits[] = { { "0", "done" }, { NULL, NULL } };
const struct named jw_cli_variables[] = { { "PAINT", "a variable" }, { NULL, NULL } };
const struct named jw_cli_files[] = { { "~/.paint", "a file" }, { NULL, NULL } };
