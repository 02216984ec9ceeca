#include "cache/format/digest_set.h"

#include "check.h"

static void number(uint8_t out[JW_DIGEST], unsigned n)
{
    memset(out, 0, JW_DIGEST);
    out[0] = (uint8_t)n;
    out[JW_DIGEST - 1] = (uint8_t)(n >> 8);
}

TEST_ARENA(an_empty_set_has_nothing)
{
    struct jw_digest_set s = {0};
    uint8_t one[JW_DIGEST] = {1};

    jw_digest_set_sort(&s);
    CHECK(!s.n && !jw_digest_set_has(&s, one));
}

TEST_ARENA(what_was_added_is_there_once)
{
    enum { MANY = 1000 };
    struct jw_digest_set s = {0};
    uint8_t d[JW_DIGEST];

    for (unsigned i = MANY; i-- > 0;) {
        number(d, i * 2);
        jw_digest_set_add(&s, a, d);
        if (i % 3 == 0)
            jw_digest_set_add(&s, a, d);
    }
    jw_digest_set_sort(&s);
    CHECK_NUM(s.n, MANY);
    for (unsigned i = 0; i < 2 * MANY; i++) {
        number(d, i);
        CHECK(jw_digest_set_has(&s, d) == (i % 2 == 0));
    }
}
