#include "check.h"
#include "os/cgroup.h"

static void path_is(const char *listing, bool version2, const char *want)
{
    struct jw_buf path = JW_BUF(100);
    bool found = jw_cgroup_path(listing, version2, &path);

    CHECK_TEXT(found ? jw_buf_cstr(&path) : "none", want);
    jw_buf_free(&path);
}

TEST(our_group_is_found_in_both_versions)
{
    static const char both[] =
        "12:cpuset:/set\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n0::/system.slice/a:b\n";

    path_is(both, true, "/system.slice/a:b");
    path_is(both, false, "/docker/abc");
    path_is("3:cpuacct,cpu:/y", false, "/y");
    path_is("3:cpuset:/y\n", false, "none");
    path_is("3:cpu:/y\n", true, "none");
    path_is("0::/\n", true, "/");
    path_is("0::/\n", false, "none");
    path_is("", true, "none");
    path_is("nonsense\n:\n::", true, "none");
}

TEST(quotas_become_cpus)
{
    CHECK_NUM(jw_cgroup_cpus2("max 100000\n"), 0);
    CHECK_NUM(jw_cgroup_cpus2("200000 100000\n"), 2);
    CHECK_NUM(jw_cgroup_cpus2("150000 100000\n"), 2);
    CHECK_NUM(jw_cgroup_cpus2("1000 100000\n"), 1);
    CHECK_NUM(jw_cgroup_cpus2("200000"), 0);
    CHECK_NUM(jw_cgroup_cpus2(""), 0);
    CHECK_NUM(jw_cgroup_cpus2("200000 0"), 0);
    CHECK_NUM(jw_cgroup_cpus2("9223372036854775807 1"), 0);
    CHECK_NUM(jw_cgroup_cpus("-1\n", "100000\n"), 0);
    CHECK_NUM(jw_cgroup_cpus("400000\n", "100000\n"), 4);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(our_group_is_found_in_both_versions), T(quotas_become_cpus));
}
