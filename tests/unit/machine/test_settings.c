#include "machine/settings.h"

#include "check.h"
#include "os/machine/env.h"

#include <string.h>

static bool receipt(const char *text)
{
    const struct jw_setting *s = jw_setting_find(text);

    return s && s->receipt;
}

TEST(which_variables_a_receipt_rests_on)
{
    CHECK(receipt("CUDA_CACHE_PATH=/x") && receipt("CUDA_CACHE_PATH") && receipt("CUDA_CACHE_ANYTHING=1"));
    CHECK(receipt("CUDA_VISIBLE_DEVICES=0") && receipt("NVIDIA_VISIBLE_DEVICES=")
          && receipt("CUDA_FORCE_JIT=1"));
    CHECK(receipt("LD_PRELOAD=x") == !jw_os_is_windows() && receipt("LD_AUDIT=x") == !jw_os_is_windows());
    CHECK(!receipt("CUDA_VISIBLE_DEVICES_OF_MINE=0") && !receipt("HOME=/x") && !receipt("PATH=/x")
          && !receipt(""));
}

/* A login that would use another cache is found by what decides about the cache, and no more. */
TEST(which_ones_choose_the_cache)
{
    size_t n = 0;

    for (const struct jw_setting *s = jw_setting_next(NULL); s; s = jw_setting_next(s)) {
        n += s->place;
        CHECK(!s->place || s->login);
        CHECK(jw_setting_find(s->name) == s || s->name[strlen(s->name) - 1] == '_');
    }
    CHECK_NUM(n, 3);
    CHECK(jw_setting_find("CUDA_CACHE_PATH")->place && jw_setting_find("CUDA_CACHE_DISABLE")->place);
    CHECK(jw_setting_find(jw_os_is_windows() ? "APPDATA" : "HOME")->place);
    CHECK(!jw_setting_find(jw_os_is_windows() ? "HOME" : "APPDATA"));
}

/* The loader looks into a folder that stands there twice no second time. */
TEST(folders_that_stand_there_twice_are_the_same)
{
    const struct jw_setting *s = jw_setting_find("LD_LIBRARY_PATH");

    if (!s)
        return;
    CHECK(jw_setting_same(s, "/a:/b", "/a:/b:/a:/b") && jw_setting_same(s, "/a:/a", "/a")
          && jw_setting_same(s, "/a", "/a") && jw_setting_same(s, NULL, NULL));
    CHECK(!jw_setting_same(s, "/a:/b", "/b:/a:/b") && !jw_setting_same(s, "/a", "/a:/ab")
          && !jw_setting_same(s, "/ab", "/a") && !jw_setting_same(s, "/a", "/a:")
          && !jw_setting_same(s, "/a", NULL) && !jw_setting_same(s, "", "/a"));
}
