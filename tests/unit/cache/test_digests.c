#include "cache/memory/digests.h"

#include "base/mem.h"
#include "base/work.h"
#include "check.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <string.h>

enum { LARGE = (9 << 20) + 17 };

static const char *this_program;

static struct jw_file_info info_of(const char *path)
{
    struct jw_file_info info = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_file_stat(path, &info, &err));
    return info;
}

TEST_ARENA(a_copy_has_the_same_digest)
{
    struct jw_digests d = { .a = a };
    uint8_t *bytes = jw_alloc(LARGE);

    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (uint8_t)(i * 2654435761U >> 11);
    const char *one = tree_bytes(a, "one", bytes, LARGE), *copy = tree_bytes(a, "copy", bytes, LARGE);

    bytes[LARGE - 1] ^= 1;
    const char *other = tree_bytes(a, "other", bytes, LARGE), *empty = tree_file(a, "empty", "");
    struct jw_file_info info = info_of(one), of_copy = info_of(copy), of_other = info_of(other),
                        of_empty = info_of(empty);
    const char *hex = jw_digests_of(&d, one, &info);

    CHECK(hex && strlen(hex) == (size_t)2 * JW_DIGEST);
    CHECK_TEXT(jw_digests_of(&d, copy, &of_copy), hex);
    CHECK(strcmp(jw_digests_of(&d, other, &of_other), hex) != 0);
    CHECK(jw_digests_of(&d, empty, &of_empty));
    jw_free(bytes);
}

TEST_ARENA(a_file_is_read_once_as_long_as_it_is_the_same)
{
    struct jw_digests d = { .a = a };
    const char *path = tree_file(a, "file", "a"), *hex;
    struct jw_file_info info = info_of(path);

    CHECK(!jw_digests_known(&d, path, &info));
    hex = jw_digests_of(&d, path, &info);
    CHECK(hex && jw_digests_known(&d, path, &info) == hex);
    (void)tree_file(a, "file", "b2");
    CHECK(!jw_digests_of(&d, path, &(struct jw_file_info){ .size = 1 })); /* it was another one */
    info = info_of(path);
    CHECK(strcmp(jw_digests_of(&d, path, &info), hex) != 0);
}

/* This program is large, and nobody has changed it for a while. */
TEST_ARENA(a_later_run_knows_what_an_earlier_one_read)
{
    struct jw_digests first = { .a = a, .remembers = true }, later = first, alone = { .a = a },
                      changed = first;
    const char *path = this_program, *small = tree_file(a, "small", "a"), *hex;
    struct jw_file_info info = info_of(path), of_small = info_of(small);

    set_variable("JITWARM_STATE", tree_path(a, "state"));
    hex = jw_digests_of(&first, path, &info);
    CHECK(info.size > 1 << 20 && hex && jw_digests_of(&first, small, &of_small));
    jw_digests_keep(&first);

    uint64_t before = jw_work_done(JW_WORK_BYTES_HASHED);

    CHECK_TEXT(jw_digests_of(&later, path, &info), hex);
    CHECK(jw_work_done(JW_WORK_BYTES_HASHED) == before);
    CHECK(!jw_digests_known(&later, small, &of_small));
    CHECK(!jw_digests_known(&alone, path, &info));
    info.ctime++;
    CHECK(!jw_digests_known(&changed, path, &info));
}

TEST_ARENA(a_file_that_was_changed_a_moment_ago_is_not_remembered)
{
    struct jw_digests first = { .a = a, .remembers = true }, later = first;
    uint8_t *bytes = jw_alloc(LARGE);
    const char *path = tree_bytes(a, "written", bytes, LARGE);
    struct jw_file_info info = info_of(path);

    set_variable("JITWARM_STATE", tree_path(a, "state"));
    CHECK(jw_digests_of(&first, path, &info));
    jw_digests_keep(&first);
    CHECK(!jw_digests_known(&later, path, &info));
    jw_free(bytes);
}

TEST(a_file_on_another_mount)
{
    const struct jw_file_info was = { JW_FILE_REGULAR, 7, 1000000000, 1500000001, { 1, 2 }, 0 };
    struct jw_file_info now = was;

    now.id.volume = 9;
    CHECK(jw_file_unchanged(&was, &now));
    now.id.node = 3;
    CHECK(!jw_file_unchanged(&was, &now));
    now = was;
    now.ctime++;
    CHECK(!jw_file_unchanged(&was, &now));

    /* an image, whose times are those that its maker chose */
    struct jw_file_info image = was, other;

    image.ctime = image.mtime;
    other = image;
    CHECK(jw_file_unchanged(&image, &other));
    other.id.volume = 9;
    CHECK(!jw_file_unchanged(&image, &other));
}

MAIN(argc, argv)
{
    this_program = argv[0];
    scratch_begin();
    return RUN(argc, argv);
}
