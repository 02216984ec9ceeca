/* When the simulated driver may use its cache: its index is open for both, and nobody else holds it. */
#include "rig.h"

#include "os/machine/thread.h"
#include "os/machine/time.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A hit opens the index for both: where that is forbidden, there is none; and only that. F64 */
TEST(no_hits_without_writing_the_index)
{
    if (geteuid() == 0)
        SKIP("root may write everywhere");
    rig_begin();
    const char *ptx = rig_ptx("a.ptx", "7.0", "sm_75", 1, 0);

    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx), NULL), "load 0");
    rig_set("SIMCUDA_JIT", "none");
    CHECK(chmod(scratch("root"), 0500) == 0);
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx), NULL), "load 0");
    CHECK(chmod(scratch("root/index"), 0400) == 0);
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx), NULL), "load 221");
    CHECK(chmod(scratch("root/index"), 0600) == 0 && chmod(scratch("root"), 0700) == 0);
}

struct holder {
    int fd;
    const char *ptx, *said;
};

static void let_go(void *ctx, unsigned worker)
{
    struct holder *h = ctx;

    if (worker == 0) {
        h->said = rig_play("init", "ctx 0", rig_load(h->ptx), NULL);
        return;
    }
    jw_time_sleep_ms(50);
    CHECK(close(h->fd) == 0);
}

static int hold_index(void)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(scratch("root/index"), O_RDWR | O_CLOEXEC);

    CHECK(fd >= 0 && fcntl(fd, F_SETLK, &all) == 0);
    return fd;
}

/* Another process holds the index for longer than 200 ms: the driver goes on without the cache. E4c. */
TEST(a_locked_index_is_passed_by)
{
    struct holder h = { .fd = -1 };

    rig_begin();
    const char *ptx = rig_ptx("a.ptx", "7.0", "sm_75", 1, 0), *other = rig_ptx("b.ptx", "7.0", "sm_75", 2, 0);

    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx), NULL), "load 0");
    int fd = hold_index();
    uint64_t began = jw_time_monotonic_ns();

    CHECK_HAS(rig_play("init", "ctx 0", rig_load(other), NULL), "load 0");
    CHECK(jw_time_monotonic_ns() - began >= 200 * UINT64_C(1000000));
    rig_set("SIMCUDA_JIT", "none");
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx), NULL), "load 221");
    CHECK(close(fd) == 0);
    struct rig_look l = rig_look();

    CHECK(l.records == 1 && l.index_sound);
    rig_look_free(&l);

    h = (struct holder){ .fd = hold_index(), .ptx = ptx };
    jw_parallel(2, let_go, &h);
    CHECK_HAS(h.said, "load 0");
}
