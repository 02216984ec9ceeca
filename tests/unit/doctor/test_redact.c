/* What is taken out of a text before strangers see it. */
#include "base/mem.h"
#include "check.h"
#include "doctor/redact.h"

static struct jw_arena arena;

static struct jw_redact redact(void)
{
    struct jw_redact r = { .a = &arena };

    jw_redact_home(&r, "/home/anna");
    jw_redact_user(&r, "anna");
    jw_redact_user(&r, "root");
    jw_redact_account(&r, "BOX\\bob");
    jw_redact_account(&r, "NT AUTHORITY\\LOCAL SERVICE");
    jw_redact_host(&r, "box7.lab.example");
    return r;
}

TEST(texts)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "", "" },
        { "nothing of yours", "nothing of yours" },
        { "/home/anna/.nv/ComputeCache is full", "~/.nv/ComputeCache is full" },
        { "/home/anna", "~" },
        { "/home/anna/secret-project/x", "<path-1>" },
        { "HOME=/home/anna; rest", "HOME=~; rest" },
        { "/home/annabel/x", "<path-1>" },
        { "this is root, called by anna", "this is root, called by <user>" },
        { "Anna's, ANNA.", "<user>'s, <user>." },
        { "savannah, anna_b, xanna", "savannah, anna_b, xanna" },
        { "box7 and box7.lab.example, BOX7", "<host> and <host>, <host>" },
        { "/data/anna/ComputeCache: permission denied", "<path-1>/ComputeCache: permission denied" },
        { "CUDA_CACHE_PATH=/data/a, then /data/b, then /data/a",
          "CUDA_CACHE_PATH=<path-1>, then <path-2>, then <path-1>" },
        { "'/data/a'", "'<path-1>'" },
        { "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1" },
        { "/data/drv/libcuda.so.580.126.09", "<path-1>/libcuda.so.580.126.09" },
        { "from /etc/environment", "from /etc/environment" },
        { "C:\\Users\\anna\\x and C:\\Windows\\System32", "<path-1> and C:\\Windows\\System32" },
        { "\\\\server\\profiles\\anna", "<path-1>" },
        { "GPU-2766e35c-62cf-00c6-1ba7-553c05260fcc", "GPU-<uuid>" },
        { "BOX\\bob may write, bob does", "<user> may write, <user> does" },
        { "/remove:g *S-1-5-21-1-2-3-1002 *S-1-5-11", "/remove:g *<account> *S-1-5-11" },
        { "5/3 of 7, and/or", "5/3 of 7, and/or" },
        { "https://www.nvidia.com/drivers", "https://www.nvidia.com/drivers" },
        { "~/.profile", "~/.profile" },
        { "-v cuda-cache:/home/anna/.nv/ComputeCache", "-v cuda-cache:~/.nv/ComputeCache" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_redact r = redact();

        CHECK_TEXT(jw_redacted(&r, cases[i].in), cases[i].out);
    }
}

TEST(a_known_path_may_hold_blanks)
{
    struct jw_redact r = redact();

    jw_redact_path(&r, "/data/My Project/ComputeCache");
    CHECK_TEXT(jw_redacted(&r, "mkdir '/data/My Project/ComputeCache' now"),
               "mkdir '<path-1>/ComputeCache' now");
    CHECK(jw_redacted(&r, NULL) == NULL);
}

int main(int argc, char **argv)
{
    int rc = RUN(argc, argv, T(texts), T(a_known_path_may_hold_blanks));

    jw_arena_free(&arena);
    return rc;
}
