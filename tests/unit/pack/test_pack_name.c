#include "pack/format/pack_name.h"

#include "check.h"

#define COMPILER "32da09558dfb9ef86abb08cbdeb7e48632da09558dfb9ef86abb08cbdeb7e486"

TEST(keys)
{
    CHECK_TEXT(jw_pack_kind(NULL, "Jan  7 202622:51:46", 86).text, "sm_86-20260107-225146");
    CHECK_TEXT(jw_pack_kind(NULL, "Dec 31 201900:00:01", 120).text, "sm_120-20191231-000001");
    CHECK_TEXT(jw_pack_kind(NULL, "no stamp", 86).text, "");
    CHECK_TEXT(jw_pack_kind(NULL, NULL, 86).text, "");
    CHECK_TEXT(jw_pack_kind(COMPILER, "Jan  7 202622:51:46", 90).text, "sm_90-32da09558dfb");
    CHECK_TEXT(jw_pack_kind(COMPILER, NULL, 90).text, "sm_90-32da09558dfb");
}

TEST(names_of_other_kinds)
{
    const struct jw_pack_kind kind = jw_pack_kind(NULL, "Jan  7 202622:51:46", 86),
                              none = jw_pack_kind(NULL, NULL, 86);

    CHECK(!jw_pack_names_other("sm_86-20260107-225146-torch.tar.zst", &kind));
    CHECK(!jw_pack_names_other("sm_86-20260107-225146-a-b-c.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_86-20260107-225147-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_8-20260107-225146-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_86-20260107-225146-torch.tar.zst", &none));
    CHECK(!jw_pack_names_other("torch.tar.zst", &kind)); /* these have no kind in their name */
    CHECK(!jw_pack_names_other("580-sm_90-20260107-225146-torch.tar.zst", &kind));
    CHECK(!jw_pack_names_other("sm_90-2026010-225146-torch.tar.zst", &kind));
    CHECK(!jw_pack_names_other("sm_90-20260107-225146.tar.zst", &kind));
    CHECK(!jw_pack_names_other("sm_90-2026", &kind));
    CHECK(!jw_pack_names_other("", &none));
}

TEST(names_of_other_compilers)
{
    const struct jw_pack_kind kind = jw_pack_kind(COMPILER, "Jan  7 202622:51:46", 86),
                              build = jw_pack_kind(NULL, "Jan  7 202622:51:46", 86);

    CHECK(!jw_pack_names_other("sm_86-32da09558dfb-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_86-32da09558dfc-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_90-32da09558dfb-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_86-20260107-225146-torch.tar.zst", &kind));
    CHECK(jw_pack_names_other("sm_86-32da09558dfb-torch.tar.zst", &build));
    CHECK(!jw_pack_names_other("sm_86-32da09558dfg-torch.tar.zst", &kind)); /* names no kind */
    CHECK(!jw_pack_names_other("sm_86-32da09558dfb.tar.zst", &kind));
}

/* Two runs for the same paths, or with the same entries, give one name. */
TEST_ARENA(names_of_files)
{
    const char *software[] = {"a_b.c", "libx.so"};
    struct jw_pack_entry entries[2] = {{.name = 1}, {.name = 2}};
    struct jw_pack_manifest m = {.driver = "580.126.09",
                                 .stamp = "Jan  7 202622:51:46",
                                 .sm = 86,
                                 .software = software,
                                 .n_software = 1,
                                 .entries = entries,
                                 .n_entries = 2};
    const struct jw_minisign_secret signer = {.id = {1}};

    CHECK_TEXT(jw_pack_file_name(&m, "", NULL, a), "sm_86-20260107-225146-a_b.c.tar.zst");
    const char *digest = jw_pack_file_name(&m, "app", &signer, a);

    CHECK_NUM(strlen(digest), strlen("sm_86-20260107-225146-0123456789ab.tar.zst"));
    m.nameless = 1; /* not all of it is of that software */
    CHECK(strcmp(jw_pack_file_name(&m, "", NULL, a), digest)
          != 0); /* the signer is part of the digest */
    CHECK_TEXT(jw_pack_file_name(&m, "app", NULL, a), "sm_86-20260107-225146-app.tar.zst");
    m.nameless = 0;
    CHECK_TEXT(jw_pack_file_name(&m, ".venv", NULL, a),
               "sm_86-20260107-225146-a_b.c.tar.zst"); /* many folders have one */
    software[0] = "a b.c"; /* a file cannot have it, and what has "a_b.c" is another software */
    CHECK_NUM(strlen(jw_pack_file_name(&m, "", NULL, a)), strlen(digest));
    m.n_software = 2;
    const struct jw_pack_kind other = jw_pack_kind(m.compiler, m.stamp, 90);

    CHECK(jw_pack_names_other(jw_pack_file_name(&m, "", NULL, a), &other)
          && jw_pack_names_other(digest, &other));
}
