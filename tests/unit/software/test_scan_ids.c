#include "check.h"
#include "software/scan/scan_ids.h"

TEST(tells_the_first_sight_of_each)
{
    struct scan_ids ids = { 0 };
    bool fresh;
    unsigned seen;

    for (unsigned pass = 0; pass < 2; pass++)
        for (uint64_t i = 1; i <= 5000; i++) {
            CHECK(scan_ids_add(&ids, (struct jw_file_id){ i % 3, i }, 3, &seen, &fresh));
            CHECK(fresh == (pass == 0));
        }
    CHECK_NUM(ids.n, 5000);
    scan_ids_free(&ids);
}

TEST(same_node_on_another_volume_is_another_file)
{
    struct scan_ids ids = { 0 };
    bool fresh;
    unsigned seen;

    CHECK(scan_ids_add(&ids, (struct jw_file_id){ 1, 7 }, 3, &seen, &fresh) && fresh);
    CHECK(scan_ids_add(&ids, (struct jw_file_id){ 2, 7 }, 3, &seen, &fresh) && fresh);
    CHECK(scan_ids_add(&ids, (struct jw_file_id){ 1, 7 }, 3, &seen, &fresh) && !fresh);
    scan_ids_free(&ids);
}

TEST(the_round_of_the_first_sight_is_kept)
{
    struct scan_ids ids = { 0 };
    bool fresh;
    unsigned seen;

    CHECK(scan_ids_add(&ids, (struct jw_file_id){ 1, 9 }, 2, &seen, &fresh) && fresh && seen == 2);
    CHECK(scan_ids_add(&ids, (struct jw_file_id){ 1, 9 }, 5, &seen, &fresh) && !fresh && seen == 2);
    scan_ids_free(&ids);
}

TEST(an_unknown_identity_is_never_taken_for_another)
{
    struct scan_ids ids = { 0 };
    bool fresh;
    unsigned seen;

    for (unsigned i = 0; i < 3; i++)
        CHECK(scan_ids_add(&ids, (struct jw_file_id){ 0, 0 }, 3, &seen, &fresh) && fresh);
    scan_ids_free(&ids);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(tells_the_first_sight_of_each), T(same_node_on_another_volume_is_another_file),
               T(the_round_of_the_first_sight_is_kept), T(an_unknown_identity_is_never_taken_for_another));
}
