#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "check.h"
#include "machine/whoami.h"
#include "os/machine/env.h"

TEST(os_release)
{
    static const char text[] =
        "NAME=\"Ubuntu\"\nVERSION_ID='24.04'\nID=ubuntu\nID_LIKE=debian\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"";
    struct jw_arena a = { 0 };

    CHECK_TEXT(jw_os_release(text, "ID", &a), "ubuntu");
    CHECK_TEXT(jw_os_release(text, "VERSION_ID", &a), "24.04");
    CHECK_TEXT(jw_os_release(text, "PRETTY_NAME", &a), "Ubuntu 24.04.1 LTS");
    CHECK(jw_os_release(text, "VERSION", &a) == NULL);
    CHECK(jw_os_release("", "ID", &a) == NULL);
    CHECK_TEXT(jw_os_release("ID=", "ID", &a), "");
    CHECK_TEXT(jw_os_release("ID=\"", "ID", &a), "\"");
    jw_arena_free(&a);
}

TEST(who_lets_nobody_in)
{
    CHECK(jw_shell_lets_nobody_in("/usr/sbin/nologin"));
    CHECK(jw_shell_lets_nobody_in("/bin/false"));
    CHECK(!jw_shell_lets_nobody_in("/bin/bash"));
    CHECK(!jw_shell_lets_nobody_in(""));
    CHECK(jw_service_profile("C:\\Windows\\System32\\config\\systemprofile\\AppData\\Roaming"));
    CHECK(jw_service_profile("C:\\WINDOWS\\serviceprofiles\\LocalService\\AppData\\Roaming"));
    CHECK(!jw_service_profile("C:\\Users\\anna\\AppData\\Roaming"));
}

TEST(this_process)
{
    struct jw_arena a = { 0 };
    struct jw_whoami w;

    CHECK(jw_whoami("/no-such-root", &a, &w));
    CHECK(w.system == NULL || jw_os_is_windows());
    CHECK(w.host == NULL || *w.host);
    CHECK(!w.home || jw_path_absolute(w.home));
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(os_release), T(who_lets_nobody_in), T(this_process));
}
