#include "check.h"
#include "os/machine/memory.h"
#include "rigs/scratch.h"

TEST(this_machine_has_some)
{
    struct jw_memory m = {0};

    CHECK(jw_memory_look("", &m));
    CHECK(m.total > (uint64_t)16 << 20);
    CHECK(m.available > 0 && m.available <= m.total);
}

TEST(little_is_pressed)
{
    struct jw_memory m = {.total = 16000, .available = 1000};

    CHECK_NUM(jw_memory_spare(&m), 2000);
    CHECK(!jw_memory_pressed(&m));
    m.available = 999;
    CHECK(jw_memory_pressed(&m));
}

#ifndef _WIN32
#include "base/path.h"
#include "os/files/file.h"

/* Machines made of files. */

static char cache[4096];

static void machine(const char *name) { (void)snprintf(cache, sizeof cache, "%s", scratch(name)); }

static void file(const char *name, const char *text)
{
    FREED(jw_arena) a = {0};
    char path[8192];

    (void)snprintf(path, sizeof path, "%s/%s", cache, name);
    CHECK(jw_make_dirs(jw_path_dir(&a, path), JW_IGNORED));
    scratch_write(path, text);
}

static struct jw_memory look(void)
{
    struct jw_memory m = {0};

    CHECK(jw_memory_look(cache, &m));
    return m;
}

#define MEMINFO "MemTotal:       1000 kB\nMemFree:        100 kB\nMemAvailable:   600 kB\n"
#define KB(n) ((unsigned long long)(n)*1024)

TEST(a_machine_without_groups)
{
    machine("plain");
    file("proc/meminfo", MEMINFO);

    struct jw_memory m = look();

    CHECK_NUM(m.total, KB(1000));
    CHECK_NUM(m.available, KB(600));
    file("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\n"); /* kernels before 3.14 */
    CHECK_NUM(look().available, KB(100));
}

TEST(a_machine_that_does_not_tell)
{
    struct jw_memory m;

    machine("silent");
    CHECK(!jw_memory_look(cache, &m));
    file("proc/meminfo", "");
    CHECK(!jw_memory_look(cache, &m));
    file("proc/meminfo", "MemTotal: 5 kB\n");
    CHECK(!jw_memory_look(cache, &m));
}

TEST(every_group_above_us_may_limit)
{
    machine("v2");
    file("proc/meminfo", MEMINFO);
    file("proc/self/cgroup", "0::/user.slice/app\n");
    file("sys/fs/cgroup/user.slice/app/memory.max", "max\n");
    file("sys/fs/cgroup/user.slice/app/memory.high", "512000\n");
    file("sys/fs/cgroup/user.slice/app/memory.current", "400000\n");
    file("sys/fs/cgroup/user.slice/app/memory.stat", "anon 1\ninactive_file 200000\n");
    file("sys/fs/cgroup/user.slice/memory.max", "614400\n");
    file("sys/fs/cgroup/user.slice/memory.current", "600000\n");
    file("sys/fs/cgroup/user.slice/memory.stat", "inactive_file 100000\n");

    struct jw_memory m = look();

    CHECK_NUM(m.total, 512000);
    CHECK_NUM(m.available, 114400); /* the slice's */
    file("sys/fs/cgroup/user.slice/memory.current", "800000\n");
    CHECK_NUM(look().available, 0);
}

TEST(a_limit_above_the_machine_is_none)
{
    machine("wide");
    file("proc/meminfo", MEMINFO);
    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "999999999\n");
    file("sys/fs/cgroup/memory.current", "1000\n");

    struct jw_memory m = look();

    CHECK_NUM(m.total, KB(1000));
    CHECK_NUM(m.available, KB(600));
}

TEST(a_container_of_version_1_sees_its_own_group_as_the_root)
{
    machine("v1");
    file("proc/meminfo", MEMINFO);
    file("proc/self/cgroup",
         "4:memory:/docker/0123456789abcdef\n1:name=systemd:/x\n0::/docker/1\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "307200\n");
    file("sys/fs/cgroup/memory/memory.usage_in_bytes", "200000\n");
    file("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 150000\n");

    struct jw_memory m = look();

    CHECK_NUM(m.total, 307200);
    CHECK_NUM(m.available, 257200);
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_NUM(look().total, KB(1000));
}

TEST(nonsense_limits_nothing)
{
    machine("odd");
    file("proc/meminfo", MEMINFO);
    file("proc/self/cgroup", "nonsense\n0::/a\n:::\n");
    file("sys/fs/cgroup/a/memory.max", "plenty\n");
    file("sys/fs/cgroup/a/memory.current", "-7\n");

    CHECK_NUM(look().total, KB(1000));
}

#endif
