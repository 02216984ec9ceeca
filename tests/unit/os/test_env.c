#include "base/path.h"
#include "check.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

TEST_ARENA(a_variable_is_set_empty_or_unset)
{
    set_variable("JW_TEST_ENV", "h\303\251 \355\225\234");
    CHECK_TEXT(jw_env(a, "JW_TEST_ENV"), "h\303\251 \355\225\234");
    CHECK(jw_env(a, "JW_TEST_NOT_SET") == NULL);
}

TEST_ARENA(relative_base_directories_are_ignored)
{
    if (jw_os_is_windows())
        SKIP("Linux has these rules");
    set_variable("HOME", "/home/somebody");
    set_variable("XDG_CONFIG_HOME", "/elsewhere");
    set_variable("XDG_STATE_HOME", "relative/state");
    CHECK_TEXT(jw_env_home(a), "/home/somebody");
    CHECK_TEXT(jw_env_config_user(a), "/elsewhere");
    CHECK_TEXT(jw_env_state_user(a), "/home/somebody/.local/state");
    set_variable("XDG_CONFIG_HOME", "");
    CHECK_TEXT(jw_env_config_user(a), "/home/somebody/.config");
    CHECK_TEXT(jw_env_config_system(a), "/etc");

    set_variable("HOME", "nonsense");

    const char *home = jw_env_home(a);

    CHECK(!home || *home == '/'); /* of the user database, where this user is in it */
}

TEST_ARENA(windows_folders_are_absolute)
{
    if (!jw_os_is_windows())
        SKIP("Windows has these folders");

    const char *folders[] = {jw_env_home(a), jw_env_config_user(a), jw_env_state_user(a),
                             jw_env_config_system(a)};

    for (size_t i = 0; i < JW_COUNT(folders); i++)
        CHECK(folders[i] && jw_path_absolute(folders[i]));
    set_variable("APPDATA", "D:\\elsewhere");
    CHECK_TEXT(jw_env_config_user(a), "D:\\elsewhere");
    set_variable("APPDATA", "relative");
    CHECK_TEXT(jw_env_config_user(a), folders[1]);
}

TEST(a_file_is_no_terminal)
{
    FILE *f = fopen(scratch("plain"), "w");

    CHECK(f && !jw_term_is(f) && !jw_term_colors(f));
    if (!f)
        return;
    CHECK_NUM(jw_term_columns(f), 80);
    (void)fclose(f);
}

TEST(there_is_at_least_one_cpu) { CHECK(jw_cpu_count() >= 1 && jw_cpu_count() <= 65536); }

MAIN(argc, argv)
{
    if (!jw_env_begin(JW_IGNORED) || argc < 1 || argv[argc])
        return 2;
    scratch_begin();
    return RUN(argc, argv);
}
