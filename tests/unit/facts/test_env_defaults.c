#include "check.h"
#include "facts/env_defaults.h"

TEST(the_documented_limits)
{
    struct jw_cache_limits l = jw_cache_limits();

    CHECK_NUM(l.before, 268435456);
    CHECK_NUM(l.since, 1073741824);
    CHECK_NUM(l.most, 4294967296);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(the_documented_limits));
}
