/* How programs of a login start otherwise: each has a sentence and a command. */
#include "check.h"
#include "os/machine/env.h"
#include "session/login_start.h"

TEST_ARENA(a_login_that_starts_otherwise)
{
    static const struct {
        struct jw_env_difference d;
        bool root;
        enum jw_login_start_kind is;
        const char *what, *command;
    } rows[] = {
        { { .name = "CUDA_FORCE_PTX_JIT", .login = "1", .file = "/home/anna/.profile" },
          false,
          JW_LOGIN_COMPILES,
          "programs of a fresh login compile at every start: CUDA_FORCE_PTX_JIT=1 is set there, by "
          "/home/anna/.profile",
          "sed -i.bak 's/^\\([^#]*CUDA_FORCE_PTX_JIT=\\)[^ ;]*/\\10/' /home/anna/.profile" },
        { { .name = "CUDA_DISABLE_PTX_JIT", .login = "1", .origin = "/etc/environment" },
          false,
          JW_LOGIN_FAILS,
          "programs of a fresh login cannot compile",
          "sudo sed -i.bak 's/^\\([^#]*CUDA_DISABLE_PTX_JIT=\\)[^ ;]*/\\10/' /etc/environment" },
        { { .name = "CUDA_DISABLE_JIT", .login = "1", .origin = "/etc/environment" },
          true,
          JW_LOGIN_FAILS,
          "CUDA_DISABLE_JIT=1",
          "sed -i.bak 's/^\\([^#]*CUDA_DISABLE_JIT=\\)[^ ;]*/\\10/' /etc/environment" },
        { { .name = "CUDA_CACHE_DISABLE", .login = "1", .terminal_only = true, .file = "/home/anna/.bashrc" },
          false,
          JW_LOGIN_COMPILES,
          "programs of a new terminal use no cache, and compile at every start",
          "sed -i.bak 's/^\\([^#]*CUDA_CACHE_DISABLE=\\)[^ ;]*/\\10/' /home/anna/.bashrc" },
        { { .name = "CUDA_CACHE_DISABLE", .login = "1", .file = "/home/anna/.profile" },
          false,
          JW_LOGIN_COMPILES,
          "programs of a fresh login use no cache, and compile at every start",
          "jitwarm env apply" },
        /* No file is known that sets it. */
        { { .name = "CUDA_FORCE_JIT", .login = "1", .origin = "the login shell /bin/sh" },
          false,
          JW_LOGIN_COMPILES,
          "by the login shell /bin/sh",
          NULL },
        /* This environment is the worse one, or a new terminal has what is here. */
        { { .name = "CUDA_FORCE_PTX_JIT", .current = "1" }, false, JW_LOGIN_AS_HERE, NULL, NULL },
        { { .name = "CUDA_FORCE_PTX_JIT", .login = "1", .terminal_agrees = true },
          false,
          JW_LOGIN_AS_HERE,
          NULL,
          NULL },
        { { .name = "LD_LIBRARY_PATH", .login = "/x" }, false, JW_LOGIN_AS_HERE, NULL, NULL },
        /* Two paths of one folder. */
        { { .name = "CUDA_CACHE_PATH", .current = "/tmp", .login = "/tmp/." },
          false,
          JW_LOGIN_AS_HERE,
          NULL,
          NULL },
        { { .name = "HOME", .current = "/home/x", .login = "/home/anna" },
          false,
          JW_LOGIN_OTHER_CACHE,
          "programs of a fresh login use another cache: HOME is /home/anna there",
          "export HOME=/home/anna" },
    };
    const struct jw_login_env known = { .known = true };

    for (size_t i = 0; !jw_os_is_windows() && i < sizeof rows / sizeof *rows; i++) {
        struct jw_login_start start = jw_login_start_of(&known, &rows[i].d, 1, rows[i].root, a);

        CHECK_NUM(start.is, rows[i].is);
        CHECK(!rows[i].what == !start.what && !rows[i].command == !start.command);
        if (rows[i].what)
            CHECK_HAS(start.what, rows[i].what);
        if (rows[i].command)
            CHECK_TEXT(start.command, rows[i].command);
    }
}
