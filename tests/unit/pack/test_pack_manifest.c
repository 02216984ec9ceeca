#include "base/limits.h"
#include "base/mem.h"
#include "pack/format/pack_manifest.h"
#include "pack_sample.h"

#include <stdlib.h>

/* ---- round trips ---- */

static void same_entry(const struct jw_pack_entry *got, const struct jw_pack_entry *want)
{
    CHECK(got->name == want->name && got->key_bytes == want->key_bytes);
    CHECK_NUM(got->payload_bytes, want->payload_bytes);
}

TEST_ARENA(what_is_written_is_read)
{
    FREED(jw_buf) text = JW_BUF(SAMPLE_MAX);
    struct jw_pack_manifest m;
    struct sample s;

    sample_make(&s);
    sample_text(&s, &text);
    CHECK_OK(jw_pack_manifest_read(jw_buf_bytes(&text), a, &m, &err), err);
    CHECK_TEXT(m.tool, "0.1.0");
    CHECK_TEXT(m.os, "linux");
    CHECK_TEXT(m.arch, "x86_64");
    CHECK_TEXT(m.driver, "580.126.09");
    CHECK_TEXT(m.stamp, "Jan  7 202622:51:46");
    CHECK_TEXT(m.compiler, SAMPLE_COMPILER);
    CHECK(m.sm == 86 && m.n_software == 2 && m.nameless == 1 && m.n_entries == SAMPLE_ENTRIES);
    for (size_t i = 0; i < m.n_software; i++)
        CHECK_TEXT(m.software[i], s.software[i]);
    for (size_t i = 0; i < m.n_entries; i++)
        same_entry(&m.entries[i], &s.entries[i]);
    sample_free(&s);
}

TEST_ARENA(the_least_that_there_may_be)
{
    FREED(jw_buf) text = JW_BUF(SAMPLE_MAX);
    struct jw_pack_manifest m;
    struct sample s;

    sample_make(&s);
    s.manifest.driver = NULL;
    s.manifest.compiler = NULL;
    s.manifest.n_software = 0;
    s.manifest.n_entries = 1;
    sample_text(&s, &text);
    CHECK(jw_pack_manifest_read(jw_buf_bytes(&text), a, &m, &err));
    CHECK(!m.driver && !m.compiler);
    CHECK(m.n_software == 0 && m.n_entries == 1);
    sample_free(&s);
}

TEST(the_member_of_an_entry)
{
    const struct jw_pack_entry e = {.key_bytes = 5, .payload_bytes = 7};

    CHECK_TEXT(jw_pack_member(0x423e06b9e6ec62aa).text, "cache/4/2/3e06b9e6ec62aa");
    CHECK_NUM(jw_pack_entry_bytes(&e), 40);
}

/* ---- what is not written ---- */

static void not_written(const struct sample *s, const char *sentence)
{
    struct jw_err err = {0};

    CHECK_SAYS(jw_pack_manifest_check(&s->manifest, &err), err, sentence);
}

#define WORD " is not a word of 1 to 80 of the characters A-Z a-z 0-9 . + - _ : ~"

TEST_SAMPLE(words_that_tell_too_much)
{
    static const char *const words[] = {"",      "/usr/lib", "a b",     "user@host",
                                        "C:\\x", "A=b",      "\xc3\xa4"};

    for (size_t i = 0; i < JW_COUNT(words); i++) {
        s->manifest.tool = words[i];
        not_written(s, "manifest: tool" WORD);
        s->manifest.tool = "1";
        s->manifest.driver = words[i];
        not_written(s, "manifest: driver" WORD);
        s->manifest.driver = NULL;
    }
    s->manifest.tool =
        "123456789012345678901234567890123456789012345678901234567890123456789012345678901";
    not_written(s, "manifest: tool" WORD);
    s->manifest.tool = NULL;
    not_written(s, "manifest: tool" WORD);
}

TEST_SAMPLE(software_that_is_no_base_name)
{
    static const struct {
        const char *name, *why;
    } cases[] = {{"", "is not the name of a file"},
                 {NULL, "is not the name of a file"},
                 {".", "is not the name of a file"},
                 {"..", "is not the name of a file"},
                 {"/home/u/libx.so", "has a / \\ or : in it, expected a base name"},
                 {"a/b", "has a / \\ or : in it, expected a base name"},
                 {"C:\\x.dll", "has a / \\ or : in it, expected a base name"},
                 {"lib\xff.so", "is not UTF-8"},
                 {"lib\x1b[2J", "has a control character in it"}};
    char sentence[128], longest[257];

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        s->software[0] = cases[i].name;
        (void)snprintf(sentence, sizeof sentence, "manifest: a name of software %s", cases[i].why);
        not_written(s, sentence);
    }
    memset(longest, 'x', 256);
    longest[256] = '\0';
    s->software[0] = longest;
    not_written(s, "manifest: a name of software is not the name of a file");
}

TEST_SAMPLE(stamps_that_are_none)
{
    static const char *const stamps[] = {NULL,
                                         "",
                                         "Jan  7 2026",
                                         "Jan  7 202622:51:46x",
                                         "Jan  7 202622-51-46",
                                         "Jan x7 202622:51:46",
                                         "Jan17  202622:51:46"};

    for (size_t i = 0; i < JW_COUNT(stamps); i++) {
        s->manifest.stamp = stamps[i];
        not_written(s, "manifest: stamp is not like \"Jan  7 202622:51:46\"");
    }
}

TEST_SAMPLE(digests_that_are_none)
{
    static const char *const digests[] = {"", "00", SAMPLE_COMPILER "0",
                                          "00112233445566778899AABBCCDDEEFF"
                                          "00112233445566778899AABBCCDDEEFF"};

    for (size_t i = 0; i < JW_COUNT(digests); i++) {
        s->manifest.compiler = digests[i];
        not_written(s, "manifest: compiler is not 64 digits 0-9 a-f");
    }
}

TEST_SAMPLE(a_head_out_of_range)
{
    s->manifest.sm = 9;
    not_written(s, "manifest: sm is not from 10 to 999");
    s->manifest.sm = 1000;
    not_written(s, "manifest: sm is not from 10 to 999");
    s->manifest.sm = 86;
    s->manifest.os = "plan9";
    not_written(s, "manifest: os is none that this jitwarm knows");
    s->manifest.os = "windows";
    s->manifest.arch = NULL;
    not_written(s, "manifest: arch is none that this jitwarm knows");
}

TEST_SAMPLE(order_and_use)
{
    s->entries[1].name = s->entries[0].name;
    not_written(s,
                "manifest: entry 1, 0/7/6a6c5257a2dae4, is not behind the one before it, by name");
    s->entries[1].name--;
    not_written(s,
                "manifest: entry 1, 0/7/6a6c5257a2dae3, is not behind the one before it, by name");
    s->entries[1].name += 2;
    s->software[1] = s->software[0];
    not_written(s, "manifest: libfirst.so is not behind the name before it");
    s->software[1] = "liba.so";
    not_written(s, "manifest: liba.so is not behind the name before it");
}

TEST_SAMPLE(sizes_and_counts)
{
    s->entries[2].key_bytes = 0;
    not_written(s, "manifest: key_bytes of entry 2 is 0, expected 1 to 537919488");
    s->entries[2].key_bytes = 1;
    s->entries[2].payload_bytes = UINT64_MAX;
    not_written(
        s, "manifest: payload_bytes of entry 2 is 18446744073709551615, expected 1 to 536870912");
    s->manifest.n_entries = 0;
    not_written(s, "manifest: 0 entries, expected 1 to 100000");
    s->manifest.n_entries = 100001;
    not_written(s, "manifest: 100001 entries, expected 1 to 100000");
    s->manifest.n_software = 4097;
    not_written(s, "manifest: 4097 names of software, expected at most 4096");
}

/* Any bit changed: what is read, the writer writes. */
TEST_SAMPLE(read_as_written)
{
    FREED(jw_buf) text = JW_BUF(SAMPLE_MAX), again = JW_BUF(SAMPLE_MAX);
    struct jw_arena a = {0};
    struct jw_pack_manifest m;

    s->software[1] = "z\"w\xc3\xb6lf 12.whl";
    sample_text(s, &text);
    CHECK_HAS(jw_buf_cstr(&text), "\"z\\\"w\xc3\xb6lf 12.whl\"");
    CHECK(jw_pack_manifest_read(jw_buf_bytes(&text), &a, &m, &err));
    CHECK_TEXT(m.software[1], s->software[1]);
    for (size_t i = 0; i < 8 * text.n; i++) {
        text.p[i / 8] ^= (uint8_t)(1 << i % 8);
        jw_arena_free(&a);
        if (jw_pack_manifest_read(jw_buf_bytes(&text), &a, &m, &err)) {
            jw_buf_clear(&again);
            CHECK(jw_pack_manifest_write(&again, &m, &err) && again.n == text.n
                  && memcmp(again.p, text.p, text.n) == 0);
        }
        text.p[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    jw_arena_free(&a);
}

/* The longest that there may be fits into the text's ceiling. */
TEST_ARENA(as_many_entries_as_there_may_be)
{
    static struct jw_pack_entry entries[JW_MAX_PACK_ENTRIES];
    static const char *software[JW_MAX_PACK_SOFTWARE];
    static char names[JW_MAX_PACK_SOFTWARE][JW_MAX_PACK_NAME + 1];
    FREED(jw_buf) text = JW_BUF(JW_MAX_MANIFEST);
    struct jw_pack_manifest m;
    struct sample s;

    sample_make(&s);
    for (size_t i = 0; i < JW_COUNT(software); i++) {
        memset(names[i], '"', JW_MAX_PACK_NAME);
        (void)snprintf(names[i], 8, "%07zu", i);
        names[i][7] = '"';
        software[i] = names[i];
    }
    for (size_t i = 0; i < JW_COUNT(entries); i++)
        entries[i] = (struct jw_pack_entry){i + 1, JW_MAX_CACHE_KEY, JW_MAX_CACHE_PAYLOAD};
    s.manifest.software = software;
    s.manifest.n_software = JW_COUNT(software);
    s.manifest.entries = entries;
    s.manifest.n_entries = JW_COUNT(entries);
    CHECK_OK(jw_pack_manifest_write(&text, &s.manifest, &err), err);
    CHECK_OK(jw_pack_manifest_read(jw_buf_bytes(&text), a, &m, &err)
                 && m.n_entries == JW_COUNT(entries),
             err);
    CHECK_SAYS(jw_pack_manifest_read((struct jw_bytes){text.p, JW_MAX_MANIFEST + 1}, a, &m, &err),
               err, "manifest: 16777217 bytes, expected at most 16777216");
    sample_free(&s);
}

/* ---- what is not read ---- */

static const char *reading(struct jw_bytes text)
{
    static struct jw_err err;
    FREED(jw_arena) a = {0};
    struct jw_pack_manifest m;
    uint8_t *exact = malloc(text.n ? text.n : 1);
    bool ok;

    err = (struct jw_err){0};
    CHECK(exact != NULL);
    if (!exact)
        return "";
    if (text.n)
        memcpy(exact, text.p, text.n);
    ok = jw_pack_manifest_read((struct jw_bytes){exact, text.n}, &a, &m, &err);
    CHECK(ok == !err.msg[0]);
    free(exact);
    return err.msg;
}

/* The sample's text with its first `from` made `to`. */
static void not_read(const char *from, const char *to, const char *sentence)
{
    FREED(jw_buf) text = JW_BUF(SAMPLE_MAX), other = JW_BUF(SAMPLE_MAX);
    struct sample s;
    const char *all, *at;

    sample_make(&s);
    sample_text(&s, &text);
    all = jw_buf_cstr(&text);
    at = strstr(all, from);
    CHECK(at != NULL);
    if (at) {
        jw_buf_add(&other, all, (size_t)(at - all));
        jw_buf_text(&other, to);
        jw_buf_text(&other, at + strlen(from));
        CHECK_TEXT(reading(jw_buf_bytes(&other)), sentence);
    }
    sample_free(&s);
}

TEST(another_schema)
{
    not_read("jitwarm.pack/5", "jitwarm.pack/4",
             "manifest: not spelled as jitwarm does, from byte 24 on");
    not_read("\"schema\":\"jitwarm.pack/5\",", "",
             "manifest: not spelled as jitwarm does, from byte 2 on");
    CHECK_TEXT(reading(JW_BYTES("[]\n")), "manifest: tool" WORD);
}

TEST(fields_that_are_not_known)
{
    not_read("\"os\"", "\"host\":\"me\",\"os\"",
             "manifest: not spelled as jitwarm does, from byte 43 on");
    not_read("\"key_bytes\"", "\"user\":1,\"key_bytes\"",
             "manifest: not spelled as jitwarm does, from byte 310 on");
    not_read("\"sm\":86", "\"sm\":86,\"sm\":86",
             "manifest: not spelled as jitwarm does, from byte 211 on");
    not_read("\"sm\":86", "\"sm\":86,\"command\":null",
             "manifest: not spelled as jitwarm does, from byte 210 on");
}

TEST(fields_that_are_missing)
{
    not_read("\"os\":\"linux\",", "", "manifest: os is none that this jitwarm knows");
    not_read("\"driver\":\"580.126.09\",", "",
             "manifest: not spelled as jitwarm does, from byte 72 on");
    not_read("\"sm\":86,", "", "manifest: sm is not from 10 to 999");
    not_read(",\"nameless\":1", "", "manifest: not spelled as jitwarm does, from byte 257 on");
    not_read("\"software\":", "\"software\":7,\"os2\":",
             "manifest: not spelled as jitwarm does, from byte 220 on");
    not_read("\"libfirst.so\"", "7", "manifest: a name of software is not the name of a file");
    not_read("{\"name\":\"0/7", "7,{\"name\":\"0/7",
             "manifest: key_bytes of entry 0 is 0, expected 1 to 537919488");
}

TEST(numbers_that_are_none_or_huge)
{
    not_read("\"key_bytes\":60", "\"key_bytes\":-1",
             "manifest: key_bytes of entry 0 is 0, expected 1 to 537919488");
    not_read("\"key_bytes\":60", "\"key_bytes\":1.5",
             "manifest: not spelled as jitwarm does, from byte 322 on");
    not_read("\"key_bytes\":60", "\"key_bytes\":060",
             "manifest: not spelled as jitwarm does, from byte 321 on");
    not_read("\"key_bytes\":60", "\"key_bytes\":\"60\"",
             "manifest: key_bytes of entry 0 is 0, expected 1 to 537919488");
    not_read("\"key_bytes\":60", "\"key_bytes\":9007199254740992",
             "manifest: key_bytes of entry 0 is 18446744073709551615, expected 1 to 537919488");
    not_read("\"key_bytes\":60", "\"key_bytes\":1e300",
             "manifest: key_bytes of entry 0 is 18446744073709551615, expected 1 to 537919488");
    not_read("\"key_bytes\":60", "\"key_bytes\":9007199254740991",
             "manifest: key_bytes of entry 0 is 9007199254740991, expected 1 to 537919488");
    not_read("\"sm\":86", "\"sm\":65622", "manifest: sm is not from 10 to 999");
    not_read("\"sm\":86", "\"sm\":-86", "manifest: sm is not from 10 to 999");
    not_read("\"nameless\":1", "\"nameless\":01",
             "manifest: not spelled as jitwarm does, from byte 267 on");
}

TEST(names_that_are_none)
{
    not_read("0/7/6a6c5257a2dae4", "0/7/6A6c5257a2dae4",
             "manifest: not spelled as jitwarm does, from byte 294 on");
    not_read("0/7/6a6c5257a2dae4", "../../6a6c5257a2da",
             "manifest: entry 1, 7/3/31056fa7fd17fe, is not behind the one before it, by name");
    not_read("0/7/6a6c5257a2dae4", "0/7/6a6c5257a2dae",
             "manifest: not spelled as jitwarm does, from byte 291 on");
    not_read("0/7/6a6c5257a2dae4", "0/76/a6c5257a2dae4",
             "manifest: not spelled as jitwarm does, from byte 292 on");
    not_read("libfirst.so", "../first.so",
             "manifest: a name of software has a / \\ or : in it, expected a base name");
    not_read("libfirst.so", "lib\xff.so", "manifest: json: not UTF-8");
}

TEST(another_spelling)
{
    not_read("{\"schema\"", "{ \"schema\"",
             "manifest: not spelled as jitwarm does, from byte 1 on");
    not_read("{\"schema\"", "\xef\xbb\xbf{\"schema\"",
             "manifest: not spelled as jitwarm does, from byte 0 on");
    not_read("\"sm\":86", "\"sm\":86.0", "manifest: not spelled as jitwarm does, from byte 208 on");
    not_read("libfirst", "\\u006cibfirst",
             "manifest: not spelled as jitwarm does, from byte 222 on");
    not_read("libfirst", "libf\xc2\x85rst",
             "manifest: not spelled as jitwarm does, from byte 226 on");
    not_read("libfirst", "\\u00ffibfirst",
             "manifest: zw\xc3\xb6lf \"12\".whl is not behind the name before it");
    not_read("libfirst", "libf\\irst", "manifest: json: damaged at byte 226");
}

TEST_SAMPLE(cut_off_anywhere_it_is_refused)
{
    FREED(jw_buf) text = JW_BUF(SAMPLE_MAX);

    sample_text(s, &text);
    for (size_t n = 0; n < text.n; n++)
        CHECK_HAS(reading((struct jw_bytes){text.p, n}), "manifest: ");
    jw_buf_fill(&text, '\n', 1);
    CHECK_TEXT(reading(jw_buf_bytes(&text)),
               "manifest: not spelled as jitwarm does, from byte 474 on");
    jw_buf_fill(&text, 'x', 1);
    CHECK_TEXT(reading(jw_buf_bytes(&text)), "manifest: json: damaged at byte 473");
}
