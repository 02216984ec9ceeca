#include "check.h"
#include "facts/env_defaults.h"

TEST(the_documented_limits)
{
    struct jw_cache_limits l = jw_cache_limits();

    CHECK_NUM(l.before, 268435456);
    CHECK_NUM(l.since, 1073741824);
    CHECK_NUM(l.most, 4294967296);
}

TEST(a_limit_for_so_many_bytes)
{
    CHECK_NUM(jw_cache_limit_for(0), 268435456);
    CHECK_NUM(jw_cache_limit_for(200000000), 268435456);
    CHECK_NUM(jw_cache_limit_for(230000000), 536870912);
    CHECK_NUM(jw_cache_limit_for(4000000000), 4294967296);
    CHECK_NUM(jw_cache_limit_for(4294967296), 4294967296);
    CHECK_NUM(jw_cache_limit_for(4294967297), 0);
    CHECK_NUM(jw_cache_limit_for(UINT64_MAX), 0);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(the_documented_limits), T(a_limit_for_so_many_bytes));
}
