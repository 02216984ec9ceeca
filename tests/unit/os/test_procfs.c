#include "check.h"
#include "os/machine/procfs.h"

static void number_is(const char *text, const char *name, bool found, uint64_t want)
{
    uint64_t n = 0;
    bool ok = jw_procfs_number(text, name, &n);

    CHECK(ok == found);
    if (ok)
        CHECK_NUM(n, want);
}

TEST(numbers_are_found_by_their_whole_name)
{
    static const char meminfo[] = "MemTotal:       16307212 kB\nMemFree:         1024 kB\n"
                                  "HugePages_Total:       7\nMemAvailable:    2048 kB\n";
    static const char stat[] = "anon 1\nactive_file 20\ninactive_file 300\n";

    number_is(meminfo, "MemTotal", true, (uint64_t)16307212 * 1024);
    number_is(meminfo, "MemAvailable", true, 2048 * 1024);
    number_is(meminfo, "HugePages_Total", true, 7);
    number_is(meminfo, "Mem", false, 0);
    number_is(meminfo, "Total", false, 0);
    number_is(stat, "inactive_file", true, 300);
    number_is(stat, "file", false, 0);
    number_is("", "a", false, 0);
    number_is("a", "a", false, 0);
    number_is("a:", "a", false, 0);
    number_is("a: x", "a", false, 0);
    number_is("a: 18446744073709551615", "a", true, UINT64_MAX);
    number_is("a: 18446744073709551616", "a", false, 0);
    number_is("a: 18446744073709551615 kB", "a", false, 0);
}

static void pressure_is(const char *text, bool known, unsigned want)
{
    unsigned n = 0;
    bool ok = jw_procfs_pressure(text, &n);

    CHECK(ok == known);
    if (ok)
        CHECK_NUM(n, want);
}

TEST(pressure_is_read_in_hundredths)
{
    pressure_is("some avg10=12.34 avg60=1.00 avg300=0.00 total=5\nfull avg10=99.00 avg60=0.00\n", true, 1234);
    pressure_is("full avg10=99.00\nsome avg10=0.07 avg60=9.00\n", true, 7);
    pressure_is("some avg10=100.00 avg60=9.00\n", true, 10000);
    pressure_is("some avg10=101.00\n", false, 0);
    pressure_is("some avg10=5\n", false, 0);
    pressure_is("some avg10=", false, 0);
    pressure_is("full avg10=1.00\n", false, 0);
    pressure_is("", false, 0);
}

TEST(a_process_may_be_called_anything)
{
    static const char rest[] =
        " S 1 2 3 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 123456 1000 200 18446744073709551615";
    static const char *const bad[] = { "", "77 (cut", "77 (cut)", "77 (cut) S 1 2 3",
                                       "77 (x) S 1 2 3 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 x" };
    static const char *const names[] = { "(plain)", "(a) Z 9 (b) c)" };
    struct jw_procfs_stat is;
    char text[512];

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        (void)snprintf(text, sizeof text, "77 %s%s", names[i], rest);
        CHECK(jw_procfs_stat(text, &is));
        CHECK(is.state == 'S' && is.parent == 1);
        CHECK_NUM(is.began, 123456);
        CHECK_NUM(is.cpu, 3);
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++)
        CHECK(!jw_procfs_stat(bad[i], &is));
}

static void type_is(unsigned major, unsigned minor, const char *want)
{
    static const char mounts[] =
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "23 22 0:21 / /proc rw - proc 8:9 rw\n"
        "40 22 0:50 / /home/u/8:9 rw,nosuid shared:7 master:2 - fuse.sshfs u@host:/x rw,user_id=1000\n"
        "41 22 0:51 / /without/type rw\n"
        "42 22 0:5 / /a\\040-\\040b rw - tmpfs none rw";
    struct jw_buf type = JW_BUF(100);

    CHECK_TEXT(jw_procfs_mount_type(mounts, major, minor, &type) ? jw_buf_cstr(&type) : "none", want);
    jw_buf_free(&type);
}

TEST(mounts_are_found_by_their_device)
{
    type_is(8, 1, "ext4");
    type_is(0, 50, "fuse.sshfs");
    type_is(0, 5, "tmpfs");
    type_is(0, 51, "none");
    type_is(8, 9, "none");
    type_is(22, 0, "none");
}
