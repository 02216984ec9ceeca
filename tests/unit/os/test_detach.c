#include "base/buf.h"
#include "check.h"
#include "os/machine/time.h"
#include "os/process/process.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

/* This program, played by itself, leaves a file. */
TEST(it_goes_on_by_itself)
{
    FREED(jw_buf) path = JW_BUF(4096);

    jw_buf_text(&path, scratch("left"));
    const char *const argv[] = {own_program(), "--played", jw_buf_cstr(&path), NULL};

    CHECK_OK(jw_process_detach(&(struct jw_command){.exe = own_program(), .argv = argv}, &err),
             err);
    for (unsigned i = 0; i < 200 && !scratch_there(jw_buf_cstr(&path)); i++)
        jw_time_sleep_ms(20);
    CHECK(scratch_there(jw_buf_cstr(&path)));
}

TEST(what_cannot_be_started_is_told)
{
    const char *const argv[] = {"nothing", NULL};
    struct jw_command c = {.exe = scratch("no/such/program.exe"), .argv = argv};

    CHECK_REFUSED(jw_process_detach(&c, &err), err, "program.exe");
    err = (struct jw_err){0};
    c.user = "nobody-of-this-name";
    CHECK(!jw_process_detach(&c, &err));
    CHECK(err.msg[0]);
}

MAIN(argc, argv)
{
    if (argc == 3 && strcmp(argv[1], "--played") == 0) {
        FILE *f = fopen(argv[2], "w");

        return f ? fclose(f) : 1;
    }
    scratch_begin();
    return RUN(argc, argv);
}
