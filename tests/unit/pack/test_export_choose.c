#include "check.h"
#include "pack/export/export_work.h"

#include <stdio.h>
#include <string.h>

#define STAMP "Jan  7 202622:51:46"

static struct jw_arena arena;
static struct jw_cache_file files[16];
static struct export_entry wanted[16];
static struct export_input in;

static void begin(void)
{
    in = (struct export_input){ .files = files,
                                .wanted = wanted,
                                .stamp = STAMP,
                                .version = "580.126.09",
                                .sm = 86,
                                .unknown_too = true };
}

/* Entry number `n`: 100 bytes of key and n of payload. To be added in the order of their numbers. */
static struct jw_cache_file *have(unsigned n, const char *stamp, uint16_t sm)
{
    struct jw_cache_file *f = &files[in.n_files++];

    *f = (struct jw_cache_file){ .name = n,
                                 .size = 128 + n,
                                 .entry = { .key_size = 100, .payload_size = n, .payload_hash = n * 1000 },
                                 .kind = JW_CACHE_CUDA,
                                 .sm = sm };
    (void)snprintf(f->stamp, sizeof f->stamp, "%s", stamp);
    return f;
}

static void want(unsigned n, bool needed, uint32_t origin)
{
    wanted[in.n_wanted++] =
        (struct export_entry){ .name = n, .bytes = 100 + n, .sm = 86, .needed = needed, .origin = origin };
}

static struct export_choice choose(void)
{
    struct export_choice c;
    struct jw_err err = { 0 };

    export_choose(&in, &arena, &c);
    CHECK_TEXT(err.msg, "");
    return c;
}

/* "1 4 7" */
static const char *names(const struct export_choice *c)
{
    static char text[256];

    *text = '\0';
    for (size_t i = 0; i < c->n; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%llu", i ? " " : "",
                       (unsigned long long)c->list[i].file->name);
    return text;
}

TEST(only_what_is_wanted_of_this_driver_and_architecture)
{
    begin();
    have(1, STAMP, 86);
    have(2, STAMP, 86);
    have(3, "Jun 14 202515:40:11", 86);
    have(4, STAMP, 89);
    have(5, STAMP, 86)->kind = JW_CACHE_NVVM;
    have(6, STAMP, 86);
    for (unsigned n = 6; n > 1; n--)
        want(n, true, 0);
    struct export_choice c = choose();

    CHECK_TEXT(names(&c), "2 6");
    for (size_t i = 0; i < JW_EXPORT_WHYS; i++)
        CHECK_NUM(c.left_out[i].entries, 0);
}

/* What a command loads, whichever compiler made it; NVRTC and nvJitLink write "sm_86a", too. */
TEST(other_compilers_of_what_a_command_loads)
{
    begin();
    have(1, "Jun 14 202515:40:11", 86)->kind = JW_CACHE_NVVM;
    have(2, "Jun 14 202515:40:11", 86)->kind = JW_CACHE_NVJITLINK;
    have(3, STAMP, 86)->kind = JW_CACHE_OPENCL;
    struct jw_cache_file *first = have(4, "", 86), *other = have(5, "", 86);

    first->kind = other->kind = JW_CACHE_OPENCL;
    (void)snprintf(first->version, sizeof first->version, "580.126.09");
    (void)snprintf(other->version, sizeof other->version, "550.163.01");
    have(6, "Jun 14 202515:40:11", 90)->kind = JW_CACHE_NVVM;
    have(7, STAMP, 86)->kind = JW_CACHE_OTHER;
    have(8, STAMP, 86)->kind = JW_CACHE_OPENCL; /* not loaded */
    for (unsigned n = 1; n < 9; n++) {
        want(n, true, 0);
        wanted[in.n_wanted - 1].loaded = n < 8;
    }
    struct export_choice c = choose();

    CHECK_TEXT(names(&c), "1 2 3 4");
    CHECK_NUM(c.left_out[JW_EXPORT_OTHERS].entries, 2); /* 5 and 7; 6 is in the pack of its GPU */
}

TEST(what_is_lacking_is_told_where_it_is_needed)
{
    begin();
    have(2, STAMP, 86);
    want(1, true, 0);
    want(2, true, 0);
    want(3, false, 0);
    want(4, false, 0);
    want(4, true, 0); /* needed by one of two */
    struct export_choice c = choose();

    CHECK_TEXT(names(&c), "2");
    CHECK_NUM(c.left_out[JW_EXPORT_MISSING].entries, 2);
    CHECK_NUM(c.left_out[JW_EXPORT_MISSING].bytes, 205);
}

TEST(another_architecture_lacks_nothing)
{
    begin();
    want(1, true, 0);
    in.sm = 89;
    CHECK_NUM(choose().left_out[JW_EXPORT_MISSING].entries, 0);
    begin();
    want(1, true, 0);
    wanted[0].sm = 0; /* not known: told once */
    CHECK_NUM(choose().left_out[JW_EXPORT_MISSING].entries, 1);
    in.unknown_too = false;
    CHECK_NUM(choose().left_out[JW_EXPORT_MISSING].entries, 0);
}

TEST(damaged_and_unreadable_entries_stay_out)
{
    begin();
    have(1, STAMP, 86)->damage = "torn";
    have(2, STAMP, 86);
    struct jw_cache_file *f = have(3, "", 0);

    f->damage = "Permission denied";
    f->unread = true;
    have(4, STAMP, 86)->damage = "torn"; /* of nobody's concern */
    for (unsigned n = 1; n < 4; n++)
        want(n, true, 0);
    struct export_choice c = choose();

    CHECK_TEXT(names(&c), "2");
    CHECK_NUM(c.left_out[JW_EXPORT_DAMAGED].entries, 1);
    CHECK_NUM(c.left_out[JW_EXPORT_UNREAD].entries, 1);
}

TEST(everything_is_what_nobody_asked_for_too)
{
    begin();
    have(1, STAMP, 86);
    have(2, STAMP, 86);
    have(3, STAMP, 75);
    have(4, STAMP, 86);
    want(2, false, 7);
    in.everything = true;
    struct export_choice c = choose();

    CHECK_TEXT(names(&c), "1 2 4");
    CHECK_NUM(c.list[0].origin, JW_PACK_NO_ORIGIN);
    CHECK_NUM(c.list[1].origin, 7);
}

TEST(the_first_origin_counts)
{
    begin();
    have(1, STAMP, 86);
    want(1, true, JW_PACK_NO_ORIGIN);
    want(1, true, 3);
    want(1, true, 2);
    CHECK_NUM(choose().list[0].origin, 2);
}

/* ---- origins ---- */

TEST(origins_are_sorted_and_each_is_there_once)
{
    static struct jw_pack_origin list[] = {
        { "unused", NULL },   { "torch", "2.9.1" }, { "libx.so", NULL },
        { "torch", "2.9.1" }, { "torch", "2.9.0" },
    };
    struct export_candidates candidates = { list, 5 };
    struct jw_pack_entry entries[5] = { 0 };
    struct jw_pack_manifest m = { 0 };

    begin();
    for (unsigned i = 0; i < 5; i++) {
        have(i + 1, STAMP, 86);
        want(i + 1, true, i ? i : JW_PACK_NO_ORIGIN);
    }
    struct export_choice c = choose();

    export_origins(&c, &candidates, &arena, entries, &m);
    CHECK_NUM(m.n_origins, 3);
    CHECK_TEXT(m.origins[0].name, "libx.so");
    CHECK_TEXT(m.origins[1].version, "2.9.0");
    CHECK_TEXT(m.origins[2].version, "2.9.1");
    CHECK_NUM(entries[0].origin, JW_PACK_NO_ORIGIN);
    CHECK_NUM(entries[1].origin, 2);
    CHECK_NUM(entries[2].origin, 0);
    CHECK_NUM(entries[3].origin, 2);
    CHECK_NUM(entries[4].origin, 1);
}

/* What a file may be called is not what a manifest takes for a name. */
TEST(hostile_names_become_plain_ones)
{
    char longest[300];
    const char *plain;

    CHECK_TEXT(export_plain_name("libggml-cuda.so", &arena), "libggml-cuda.so");
    CHECK_TEXT(export_plain_name("b\xc3\xbc"
                                 "cher.so",
                                 &arena),
               "b\xc3\xbc"
               "cher.so");
    CHECK_TEXT(export_plain_name("a/b\\c:d", &arena), "a_b_c_d");
    CHECK_TEXT(export_plain_name("\x1b[2Jx\n\x7f", &arena), "_[2Jx__");
    CHECK_TEXT(export_plain_name("\xff\xfe.so", &arena), "__.so");
    CHECK_TEXT(export_plain_name("", &arena), "_");
    CHECK_TEXT(export_plain_name("..", &arena), "_");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest + 254, "\xc3\xbc", 2); /* does not fit wholly */
    plain = export_plain_name(longest, &arena);
    CHECK_NUM(strlen(plain), 254);
}

TEST(words_are_plain_or_none)
{
    CHECK_TEXT(export_plain_word("2.9.1+cu128"), "2.9.1+cu128");
    CHECK(!export_plain_word(NULL) && !export_plain_word(""));
    CHECK(!export_plain_word("1 2") && !export_plain_word("1/2") && !export_plain_word("1\n"));
    CHECK(!export_plain_word(
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890x"));
}
