#include "cli/opt.h"

#define AT(member) offsetof(struct shared, member)

const struct opt jw_shared_opts[] = {
    { "gpu", 0, OPT_LIST, AT(gpus), "GPU", "sm_86, 8.6, a name, index or UUID (default: all here)", NULL,
      HINT_GPUS },
    { "cache", 0, OPT_TEXT, AT(cache), "DIR", "use this cache (default: as programs of this shell do)", NULL,
      HINT_DIRS },
    { "as-root", 0, OPT_FLAG, AT(as_root), NULL, "with sudo: for root's own programs (else refused)", NULL,
      HINT_NONE },
    { "trust", 0, OPT_LIST, AT(trust), "FILE", "trust this public key (a file, or its text), too", NULL,
      HINT_FILES },
    { "sign", 0, OPT_TEXT, AT(sign), "KEY", "sign the pack with this secret key (jitwarm key --new)", NULL,
      HINT_FILES },
    { "exclude", 0, OPT_LIST, AT(exclude), "PATTERN", "skip paths that match, such as '*/tests'", NULL,
      HINT_NONE },
    { "cacert", 0, OPT_TEXT, AT(cacert), "FILE", "certificates that the server's must lead to", NULL,
      HINT_FILES },
    { "dry-run", 'n', OPT_FLAG, AT(dry_run), NULL, "show what would be done, and do nothing", NULL,
      HINT_NONE },
    { "yes", 'y', OPT_FLAG, AT(yes), NULL, "do not ask", NULL, HINT_NONE },
    { "progress", 0, OPT_CHOICE, AT(progress), "FORM",
      "json: a stream of lines (default: a bar on a terminal)", "json", HINT_WORDS },
    { "json", 0, OPT_FLAG, AT(json), NULL, "print JSON", NULL, HINT_NONE },
    { "color", 0, OPT_CHOICE, AT(color), "WHEN", "colour the output: auto (on a terminal), always or never",
      "auto always never", HINT_WORDS },
    { "quiet", 'q', OPT_FLAG, AT(quiet), NULL, "print errors only", NULL, HINT_NONE },
    { "verbose", 'v', OPT_FLAG, AT(verbose), NULL, "print more", NULL, HINT_NONE },
    { "help", 'h', OPT_FLAG, AT(help), NULL, "show this help", NULL, HINT_NONE },
    { 0 },
};
