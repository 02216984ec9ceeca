#include "machine/listing.h"

#include "base/work.h"
#include "check.h"
#include "os/machine/time.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"

static uint64_t listed(void)
{
    return jw_work_done(JW_WORK_FOLDERS_LISTED);
}

TEST(a_folder_is_listed_again_where_a_name_came)
{
    struct jw_arena a = { 0 };
    struct jw_listings known = { .a = &a };
    const char *folder = tree_dir(&a, "site");

    (void)tree_dir(&a, "site/b.dist-info");
    (void)tree_file(&a, "site/c.py", "");
    jw_time_sleep_ms(50); /* the clock of files goes on */
    uint64_t before = listed();
    struct jw_listing first = jw_listings_read(&known, folder, "*.dist-info"),
                      again = jw_listings_read(&known, folder, "*.dist-info");

    CHECK(first.n == 1 && again.names == first.names && listed() == before + 1);
    CHECK(jw_listings_read(&known, folder, "*").n == 2);
    (void)tree_dir(&a, "site/a.dist-info");
    again = jw_listings_read(&known, folder, "*.dist-info");
    CHECK(again.n == 2);
    CHECK_TEXT(again.names[0], "a.dist-info");
    jw_arena_free(&a);
}

TEST(a_folder_that_is_not_there_is_empty)
{
    struct jw_arena a = { 0 };
    struct jw_listings known = { .a = &a };

    CHECK(!jw_listings_read(&known, tree_path(&a, "nowhere"), "*").n);
    CHECK(!jw_listings_read(&known, tree_file(&a, "file", ""), "*").n);
    jw_arena_free(&a);
}

MAIN(argc, argv)
{
    scratch_begin();
    return RUN(argc, argv);
}
