#include "check.h"
#include "os/machine/cgroup.h"

static void path_is(const char *listing, const char *controller, const char *want)
{
    FREED(jw_buf) path = JW_BUF(100);
    bool found = jw_cgroup_path(listing, controller, &path);

    CHECK_TEXT(found ? jw_buf_cstr(&path) : "none", want);
}

TEST(our_group_is_found_in_both_versions)
{
    static const char both[] = "12:cpuset:/set\n4:cpu,cpuacct:/docker/abc\n5:memory:/"
                               "m\n1:name=systemd:/x\n0::/system.slice/a:b\n";

    path_is(both, NULL, "/system.slice/a:b");
    path_is(both, "cpu", "/docker/abc");
    path_is(both, "memory", "/m");
    path_is("3:cpuacct,cpu:/y", "cpu", "/y");
    path_is("3:cpuset:/y\n", "cpu", "none");
    path_is("3:cpu:/y\n", NULL, "none");
    path_is("0::/\n", NULL, "/");
    path_is("0::/\n", "cpu", "none");
    path_is("", NULL, "none");
    path_is("nonsense\n:\n::", NULL, "none");
}

TEST(quotas_become_cpus)
{
    CHECK_NUM(jw_cgroup_cpus("max 100000\n", NULL), 0);
    CHECK_NUM(jw_cgroup_cpus("200000 100000\n", NULL), 2);
    CHECK_NUM(jw_cgroup_cpus("150000 100000\n", NULL), 2);
    CHECK_NUM(jw_cgroup_cpus("1000 100000\n", NULL), 1);
    CHECK_NUM(jw_cgroup_cpus("200000", NULL), 0);
    CHECK_NUM(jw_cgroup_cpus("", NULL), 0);
    CHECK_NUM(jw_cgroup_cpus("200000 0", NULL), 0);
    CHECK_NUM(jw_cgroup_cpus("9223372036854775807 1", NULL), 0);
    CHECK_NUM(jw_cgroup_cpus("-1\n", "100000\n"), 0);
    CHECK_NUM(jw_cgroup_cpus("400000\n", "100000\n"), 4);
}

TEST(memory_is_what_cannot_be_had_back)
{
    static const char stat[] = "anon 500\nfile 900\ninactive_file 600\nactive_file 300\n"
                               "total_inactive_file 650\n";

    CHECK_NUM(jw_cgroup_limit("1073741824\n"), 1073741824);
    CHECK_NUM(jw_cgroup_limit("0\n"), 0);
    CHECK_NUM(jw_cgroup_limit("max\n"), UINT64_MAX);
    CHECK_NUM(jw_cgroup_limit("9223372036854771712\n"), UINT64_MAX);
    CHECK_NUM(jw_cgroup_limit("99999999999999999999999\n"), UINT64_MAX);
    CHECK_NUM(jw_cgroup_limit(""), UINT64_MAX);
    CHECK_NUM(jw_cgroup_limit("-1"), UINT64_MAX);
    CHECK_NUM(jw_cgroup_limit("5x"), UINT64_MAX);
    CHECK_NUM(jw_cgroup_used("1000\n", stat, "inactive_file"), 400);
    CHECK_NUM(jw_cgroup_used("1000\n", stat, "total_inactive_file"), 350);
    CHECK_NUM(jw_cgroup_used("1000\n", "", "inactive_file"), 1000);
    CHECK_NUM(jw_cgroup_used("100\n", stat, "inactive_file"), 0);
    CHECK_NUM(jw_cgroup_used("nonsense", stat, "inactive_file"), 0);
}
