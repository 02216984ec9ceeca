/* scripts/with-simcuda from outside. */
#include "rig.h"

#include "os/files/file.h"
#include "os/process/process.h"

#include <stdarg.h>
#include <stdlib.h>

static int code;

static const char *run(const char *first, ...)
{
    static char said[8192];
    const char *argv[40] = { WITH_SIMCUDA };
    struct jw_buf out = JW_BUF(sizeof said - 1);
    struct jw_err err = { 0 };
    va_list args;
    size_t n = 1;

    va_start(args, first);
    for (const char *word = first; word && n < 39; word = va_arg(args, const char *))
        argv[n++] = word;
    va_end(args);
    code = -1;
    if (!jw_process_capture(WITH_SIMCUDA, argv, 60000, &out, &code, &err))
        jw_buf_printf(&out, "%s", err.msg);
    (void)snprintf(said, sizeof said, "%s", jw_buf_cstr(&out));
    jw_buf_free(&out);
    return said;
}

static void begin(void)
{
    struct jw_err err = { 0 };

    rig_begin();
    rig_set("TMPDIR", scratch("tmp"));
    CHECK(jw_make_dirs(scratch("tmp"), &err));
    rig_set("SIMCUDA_DIR", NULL);
    rig_set("JITWARM_DRIVER", NULL);
}

TEST(finds_the_driver_beside_the_command)
{
    begin();
    const char *said = run("--gpu", "sm_75:Tesla T4:16G", "--gpu", "sm_90:NVIDIA H100:80G", "--", PLAY,
                           "libcuda.so.1", "init", "devices", NULL);

    CHECK_NUM(code, 0);
    CHECK_HAS(said, "devices 0 2");
    CHECK_HAS(said, "0 Tesla T4 (simulated)|sm_75|16384 MiB");
    CHECK_HAS(said, "0 NVIDIA H100 (simulated)|sm_90");
}

static const char show[] = "readlink -f $JITWARM_DRIVER; sha1sum <$JITWARM_DRIVER";

TEST(each_driver_is_a_file_of_its_own)
{
    char first[4096];

    begin();
    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    const char *said = run("--driver", "575.57.08", "--", "sh", "-c", show, NULL);

    CHECK_NUM(code, 0);
    CHECK_HAS(said, "/libcuda.so.575.57.08\n");
    (void)snprintf(first, sizeof first, "%s", strchr(said, '\n'));
    said = run("--driver", "575.57.08", "--", "sh", "-c", show, NULL);
    CHECK_TEXT(strchr(said, '\n'), first);
    said = run("--driver", "580.126.09", "--", "sh", "-c", show, NULL);
    CHECK(strcmp(strchr(said, '\n'), first) != 0);
    CHECK_HAS(run("--driver", "575.57.08", "--", PLAY, "libcuda.so.1", "version", NULL), "version 0 12090");
}

TEST(faults_count_over_the_whole_run)
{
    char script[8192];

    begin();
    const char *ptx = rig_ptx("a.ptx", "7.0", "sm_75", 1, 0);

    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    (void)snprintf(
        script, sizeof script,
        "export CUDA_CACHE_DISABLE=1; for i in 1 2 3; do %s libcuda.so.1 init 'ctx 0' 'load %s'; done", PLAY,
        ptx);
    CHECK_HAS(run("--faults", "badptx@2", "--", "sh", "-c", script, NULL),
              "load 0\ninit 0\nctx 0\nload 218\ninit 0\nctx 0\nload 0\n");
}

TEST(exit_codes_pass_through)
{
    begin();
    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    (void)run("--cost", "5", "--", "sh", "-c", "exit 7", NULL);
    CHECK_NUM(code, 7);
    (void)run("--nonsense", "--", "true", NULL);
    CHECK_NUM(code, 2);
    (void)run(NULL);
    CHECK_NUM(code, 2);
    rig_set("SIMCUDA_DIR", scratch("nothing"));
    (void)run("--", "true", NULL);
    CHECK_NUM(code, 2);
    CHECK_HAS(run("--help", NULL), "--gpu 'sm_86:");
}

TEST(a_gpu_is_checked_before_anything_runs)
{
    static const char *const bad[] = { "sm90", "foo", "sm_90:H100", "sm_90:H100:much", "" };

    begin();
    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        CHECK_TEXT(run("--gpu", bad[i], "--", "echo", "ran", NULL), "");
        CHECK_NUM(code, 2);
    }
    CHECK_HAS(run("--gpu", "sm_90", "--", PLAY, "libcuda.so.1", "init", "devices", NULL), "|sm_90|16384 MiB");
}

TEST(the_same_driver_is_the_same_file)
{
    static const char where[] = "stat -L -c '%n %i %y %z' $JITWARM_DRIVER ${JITWARM_DRIVER%/*}";
    char first[4096];

    begin();
    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    (void)snprintf(first, sizeof first, "%s", run("--driver", "575.57.08", "--", "sh", "-c", where, NULL));
    CHECK_HAS(first, "libcuda.so");
    CHECK_TEXT(run("--driver", "575.57.08", "--", "sh", "-c", where, NULL), first);
    CHECK(strcmp(run("--driver", "575.64.03", "--", "sh", "-c", where, NULL), first) != 0);
}

TEST(leaves_nothing_that_the_next_run_does_not_remove)
{
    char folder[4200];

    begin();
    rig_set("SIMCUDA_DIR", SIMCUDA_FOLDER);
    for (int i = 0; i < 3; i++)
        (void)run("--", "true", NULL);
    const char *said = run("--", "sh", "-c", "dirname $SIMCUDA_SHARED", NULL);

    (void)snprintf(folder, sizeof folder, "%s", said);
    *strrchr(folder, '/') = '\0';
    CHECK(scratch_count(folder) <= 2);
}
