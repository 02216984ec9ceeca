/* Where the program of a log ran: its Python, and commands as they are typed there. */
#include "check.h"
#include "doctor/log/log_place.h"

static struct jw_arena arena;

static void is_of(const char *line, const char *python)
{
    char out[200];

    CHECK(jw_log_python_of(line, out, sizeof out) == (*python != 0));
    CHECK_TEXT(out, python);
}

TEST(the_python_of_an_environment)
{
    is_of("  File \"/home/ada/venv/lib/python3.10/site-packages/torch/cuda/__init__.py\", line 2",
          "/home/ada/venv/bin/python3.10");
    is_of("  File \"/home/ada/my models/venv/lib64/python3.12/site-packages/torch/x.py\"",
          "/home/ada/my models/venv/bin/python3.12");
    is_of("/opt/conda/lib/python3.11/site-packages/torch/x.py:141: UserWarning: CUDA initialization",
          "/opt/conda/bin/python3.11");
    is_of("ImportError: /usr/local/lib/python3.11/site-packages/flash_attn_2_cuda.so: undefined symbol",
          "/usr/local/bin/python3.11");
    /* Folders that environments share. */
    is_of("File \"/usr/local/lib/python3.12/dist-packages/vllm/x.py\"", "python3.12");
    is_of("File \"/home/ada/.local/lib/python3.9/site-packages/torch/x.py\"", "python3.9");
}

TEST(the_python_of_windows)
{
    is_of("C:\\ComfyUI\\python_embeded\\Lib\\site-packages\\torch\\cuda\\__init__.py:235: UserWarning:",
          "C:\\ComfyUI\\python_embeded\\python.exe");
    is_of("  File \"D:\\my ai\\.venv\\lib\\site-packages\\torch\\x.py\", line 3",
          "D:\\my ai\\.venv\\Scripts\\python.exe");
    is_of("File \"C:\\sd\\env\\Lib\\site-packages\\torch\\x.py\"", "C:\\sd\\env\\Scripts\\python.exe");
    is_of("File \"C:\\Users\\a\\miniconda3\\envs\\venvy\\Lib\\site-packages\\torch\\x.py\"",
          "C:\\Users\\a\\miniconda3\\envs\\venvy\\Scripts\\python.exe");
    is_of("File \"C:\\Users\\a\\miniconda3\\envs\\llm\\Lib\\site-packages\\torch\\x.py\"",
          "C:\\Users\\a\\miniconda3\\envs\\llm\\python.exe");
    /* A user's own, which several share. */
    is_of("File \"C:\\Users\\a\\AppData\\Roaming\\Python\\Python311\\site-packages\\torch\\x.py\"", "");
}

TEST(no_python)
{
    char out[24];

    is_of("", "");
    is_of("site-packages", "");
    is_of("/site-packages/", "");
    is_of("lib/python3.10/site-packages/torch", "");
    is_of("/lib/python3.10/site-packages/torch", "");
    is_of("\"/a/lib/site-packages/torch\"", "");
    is_of("/a/lib/python3.111111111111111/site-packages/torch", "");
    is_of("\\Lib\\site-packages\\torch", "");
    is_of(":\\Lib\\site-packages\\torch", "");
    CHECK(!jw_log_python_of("/a/longer/folder/than/that/lib/python3.10/site-packages/x/y", out, sizeof out));
    CHECK_TEXT(out, "");
}

static const char *there(const char *command, const char *python, bool windows)
{
    return jw_log_command_there(&arena, command, python, NULL, windows, JW_SHELL_SH);
}

TEST(commands_of_an_environment_without_pip)
{
    const char *pip = "/v/bin/python -m ensurepip && /v/bin/python -m pip";

    CHECK_TEXT(
        jw_log_command_there(&arena, "pip install x && pip check", "/v/bin/python", pip, false, JW_SHELL_SH),
        "/v/bin/python -m ensurepip && /v/bin/python -m pip install x && /v/bin/python -m ensurepip && "
        "/v/bin/python -m pip check");
    CHECK_TEXT(jw_log_command_there(&arena, "pip install x", "", pip, false, JW_SHELL_SH), "pip install x");
}

TEST(commands_of_its_python)
{
    static const char venv[] = "/v/bin/python3.10", embedded[] = "C:\\c f\\python.exe";

    CHECK_TEXT(there("pip install \"jax[cuda12]\"", "", false), "pip install \"jax[cuda12]\"");
    CHECK_TEXT(there("pip install --upgrade x", venv, false), "/v/bin/python3.10 -m pip install --upgrade x");
    CHECK_TEXT(there("pip uninstall -y a && pip install b", venv, false),
               "/v/bin/python3.10 -m pip uninstall -y a && /v/bin/python3.10 -m pip install b");
    CHECK_TEXT(there("python3 -c \"import a; a.b()\"", venv, false),
               "/v/bin/python3.10 -c \"import a; a.b()\"");
    CHECK_TEXT(there("python3 -m bitsandbytes", "", false), "python3 -m bitsandbytes");
    CHECK_TEXT(there("python3 -m bitsandbytes", "", true), "python -m bitsandbytes");
    CHECK_TEXT(there("pip install a", embedded, true), "\"C:\\c f\\python.exe\" -m pip install a");
    CHECK_TEXT(there("jitwarm scan pip", venv, false), "jitwarm scan pip");
    CHECK_TEXT(there("pip install a", "/a;b/bin/python3.1", false), "'/a;b/bin/python3.1' -m pip install a");
}

TEST(commands_of_its_system)
{
    CHECK_TEXT(there("export A=1", "", false), "export A=1");
    CHECK_TEXT(there("export A=1", "", true), "set \"A=1\"");
    CHECK_TEXT(jw_log_command_there(&arena, "export A=/b", "", NULL, false, JW_SHELL_FISH), "set -gx A /b");
    CHECK_TEXT(there("export A=\"$HOME/b\"", "", false), "export A=\"$HOME/b\"");
    CHECK(!there("export A=\"$HOME/b\"", "", true));
    CHECK(!there("sudo reboot", "", true));
    CHECK_TEXT(there("sudo reboot", "", false), "sudo reboot");
    CHECK(!there(NULL, "", false));
}
