#include "cli/commands.h"

#include "cli/cli.h"

const struct cmd *const jw_cmds[] = {
#define V(verb) &jw_cmd_##verb,
#include "cli/verbs.def"
#undef V
    NULL
};

const struct opt jw_common_opts[] = {
    { "color", 0, OPT_CHOICE, offsetof(struct common, color), "WHEN",
      "colour the output: auto (on a terminal), always or never", "auto always never", HINT_WORDS },
    { "quiet", 'q', OPT_FLAG, offsetof(struct common, quiet), NULL, "tell errors only", NULL, HINT_NONE },
    { "verbose", 'v', OPT_FLAG, offsetof(struct common, verbose), NULL, "tell more", NULL, HINT_NONE },
    { "help", 'h', OPT_FLAG, offsetof(struct common, help), NULL, "explain the verb", NULL, HINT_NONE },
    { 0 },
};

const struct opt jw_report_opts[] = {
    { "json", 0, OPT_FLAG, offsetof(struct common, json), NULL, "answer in JSON", NULL, HINT_NONE },
    { "stats", 0, OPT_FLAG, offsetof(struct common, stats), NULL, "add times and bytes read to the answer",
      NULL, HINT_NONE },
    { 0 },
};

const struct named jw_cli_exits[] = {
    { "0", "done, or nothing to do" },
    { "1", "not wholly" },
    { "2", "the command line makes no sense" },
    { "3", "no usable GPU or driver" },
    { "4", "cannot write: space, rights or a limit" },
    { "5", "the pack does not fit this machine" },
    { "6", "integrity or signature" },
    { "7", "busy, or consent or time is lacking" },
    { "8", "the remote side" },
    { "70", "a fault in jitwarm itself" },
    { "130", "interrupted" },
    { NULL, NULL },
};

const struct named jw_cli_variables[] = {
    { "CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE",
      "the driver's own settings of its cache, which status tells" },
    { "JITWARM_LOGIN", "USER:PASSWORD for the registry that push and pull are given" },
    { "JITWARM_STATE", "the folder in which jitwarm remembers what it learned about this machine's driver, "
                       "and what it warmed" },
    { "NO_COLOR", "when it is set and not empty, output is not coloured unless --color asks for it" },
    { NULL, NULL },
};

const struct named jw_cli_files[] = {
    { "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf",
      "the user's settings (~/.config when XDG_CONFIG_HOME is unset; %APPDATA% on Windows)" },
    { "/etc/jitwarm/jitwarm.conf", "the machine's settings (%ProgramData% on Windows)" },
    { "$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/",
      "public keys, NAME.pub, whose packs are believed; nobody but you or root may write there" },
    { "$XDG_STATE_HOME/jitwarm/drivers/",
      "what is known of each driver build (~/.local/state; %LOCALAPPDATA%\\jitwarm\\state on Windows)" },
    { "$XDG_STATE_HOME/jitwarm/roots/",
      "what was warmed in each cache: journal, receipts, profiles, and which modules are left alone" },
    { NULL, NULL },
};
