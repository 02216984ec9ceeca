/* Lines to paste. */
#include "check.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "session/lines.h"

TEST_ARENA(a_command_is_started_again_where_its_words_are_meant)
{
    struct jw_err err;
    const char *here = "";

    CHECK(jw_real_path(".", a, &here, &err));
    CHECK_TEXT(jw_line_start(NULL, "jitwarm prime", " --cache /srv/nv", "./app k.ptx", NULL, a),
               "jitwarm prime --cache /srv/nv --run ./app k.ptx");
    CHECK_TEXT(jw_line_in("", "./app", a), "./app");
    CHECK_TEXT(jw_line_in(here, "./app", a), "./app");
    CHECK_TEXT(jw_line_in("/not/there", "./app", a), "./app");
    CHECK_TEXT(jw_line_in("/", "./app", a), jw_os_is_windows() ? "cd /d / & ./app" : "cd / && ./app");
}

/* driver-fact: F51-default-limit */
TEST_ARENA(a_limit_is_set_where_it_is_too_low)
{
    struct jw_line_shell at = { .shell = JW_SHELL_SH, .driver = "470.256.02" };

    CHECK_TEXT(jw_line_limit_in(&at, 4096, a),
               "jitwarm env apply --max-size 4096 && export CUDA_CACHE_MAXSIZE=4096");
    at.container = true;
    CHECK_TEXT(jw_line_limit_in(&at, 4096, a), "export CUDA_CACHE_MAXSIZE=4096");
}
