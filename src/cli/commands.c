#include "cli/commands.h"

#include "cli/cli.h"

const struct cmd *const jw_cmds[] = {
#define V(verb) &jw_cmd_##verb,
#define G(title, verb) V(verb)
#include "cli/verbs.def"
#undef G
#undef V
    NULL
};

const char *const jw_cmd_titles[] = {
#define V(verb) NULL,
#define G(title, verb) title,
#include "cli/verbs.def"
#undef G
#undef V
};

const struct opt jw_common_opts[] = {
    { "color", 0, OPT_CHOICE, offsetof(struct common, color), "WHEN",
      "colour the output: auto (on a terminal), always or never", "auto always never", HINT_WORDS },
    { "quiet", 'q', OPT_FLAG, offsetof(struct common, quiet), NULL, "print errors only", NULL, HINT_NONE },
    { "verbose", 'v', OPT_FLAG, offsetof(struct common, verbose), NULL, "print more", NULL, HINT_NONE },
    { "help", 'h', OPT_FLAG, offsetof(struct common, help), NULL, "show this help", NULL, HINT_NONE },
    { 0 },
};

const struct opt jw_report_opts[] = {
    { "json", 0, OPT_FLAG, offsetof(struct common, json), NULL, "print JSON", NULL, HINT_NONE },
    { 0 },
};

const struct opt jw_cache_opts[] = {
    OPT_CACHE(common, cache, "use this cache"),
    { "as-root", 0, OPT_FLAG, offsetof(struct common, as_root), NULL,
      "as root: for root's own programs (refused otherwise)", NULL, HINT_NONE },
    { "progress", 0, OPT_CHOICE, offsetof(struct common, progress), "FORM",
      "how to show progress: auto (a bar on a terminal, else a line now and then) or json (one object a line "
      "on standard output, and nothing else there)",
      "auto json", HINT_NONE },
    { 0 },
};

const struct named jw_cli_exits[] = {
    { "0", "done, or nothing to do" },
    { "1", "done in part, or a check failed" },
    { "2", "wrong options, or no such file" },
    { "3", "no usable GPU or driver" },
    { "4", "cannot write: no space, no permission, or a limit" },
    { "5", "the pack is for another machine" },
    { "6", "the pack is damaged, or its signature is not trusted" },
    { "7", "needs --yes, ran out of time, or another jitwarm is running" },
    { "8", "a server or network failed" },
    { "70", "a bug in jitwarm" },
    { "130", "interrupted" },
    { NULL, NULL },
};

const struct named jw_cli_variables[] = {
    { "CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE, CUDA_CACHE_DISABLE",
      "the driver's own settings of its cache: folder, limit in bytes, 1 turns it off" },
    { "CUDA_VISIBLE_DEVICES, CUDA_FORCE_PTX_JIT, CUDA_DISABLE_PTX_JIT",
      "the driver's own settings; prime follows them, and doctor explains them" },
    { "CUDA_HOME, CUDA_PATH", "the CUDA toolkit whose compilers jitwarm uses" },
    { "JITWARM_DRIVER", "the driver's library to use instead of the system's (Linux)" },
    { "JITWARM_PHANTOM", "the libjitwarm-phantom.so that prime --driver-files uses (Linux)" },
    { "JITWARM_LOGIN", "USER:PASSWORD for the registry of push and pull" },
    { "DOCKER_CONFIG, REGISTRY_AUTH_FILE",
      "where docker and podman store logins, which push and pull also use" },
    { "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "proxies for registries" },
    { "JITWARM_STATE",
      "where jitwarm stores what it learned about this machine's driver, and what it primed" },
    { "JITWARM_STORE", "the folder of stored packs" },
    { "LD_LIBRARY_PATH", "searched for software and the driver's library, as the loader does" },
    { "LD_PRELOAD", "a library that stands before the driver makes the next start unknown (Linux)" },
    { "PWD", "the folder as the shell names it, by links: software that is named below it moves with them" },
    { "CONDA_PREFIX, VIRTUAL_ENV", "environments that are searched for software" },
    { "TORCH_EXTENSIONS_DIR", "the folder of extensions that PyTorch built, which is searched (~/.cache)" },
    { "TMPDIR", "the temporary folder, in which PyTorch Inductor and CuTe DSL keep their caches" },
    { "SOURCE_DATE_EPOCH", "the current time for the age of packs, in reproducible builds" },
    { "NO_COLOR", "if set and not empty, output has no colours unless --color=always is given" },
    { "COLUMNS",
      "width of output that does not go to a terminal; unset: text is 80 wide, and tables show whole paths" },
    { "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME",
      "folders of settings, state and packs (~/.config, ~/.local/state, ~/.local/share)" },
    { "XDG_CACHE_HOME", "the folder in which other compilers keep their caches (~/.cache)" },
    { NULL, NULL },
};

const struct named jw_cli_files[] = {
    { "$XDG_CONFIG_HOME/jitwarm/jitwarm.conf",
      "the user's settings (~/.config when XDG_CONFIG_HOME is unset; %APPDATA% on Windows)" },
    { "/etc/jitwarm/jitwarm.conf", "the machine's settings (%ProgramData% on Windows)" },
    { "$XDG_CONFIG_HOME/jitwarm/keys/, /etc/jitwarm/keys/",
      "trusted public keys, NAME.pub; only you or root may be able to write there" },
    { "$XDG_STATE_HOME/jitwarm/drivers/", "what jitwarm learned about each driver build (~/.local/state; "
                                          "%LOCALAPPDATA%\\jitwarm\\state on Windows)" },
    { "$XDG_STATE_HOME/jitwarm/caches/",
      "what was primed in each cache: journal, receipts, profiles, and skipped modules" },
    { NULL, NULL },
};
