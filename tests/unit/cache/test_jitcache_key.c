/* Keys: what the first bytes tell, what the whole tells, and that a key made again is the same. */
#include "cache/format/jitcache.h"
#include "check.h"

#include <stdlib.h>

#define STAMP "Jan  7 202622:51:46"
#define PTX ".version 8.4\n.target sm_86\n.address_size 64\n.visible .entry k() { ret; }\n"
#define SOURCE                                                                                     \
    "\n#ifndef A\n#define A\n__kernel void k(__global float *x) { x[0] = 1.0f; x[1] = 2.0f; "      \
    "}\n#endif"

/* From an exact copy, so that a sanitizer sees a step outside. */
static struct jw_cache_key read_part(struct jw_bytes key, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct jw_cache_key k;

    if (n)
        memcpy(copy, key.p, n);
    jw_cache_key_read((struct jw_bytes){copy, n}, key.n, &k);
    free(copy);
    return k; /* its slices are stale now */
}

static struct jw_cache_key read_whole(struct jw_bytes key)
{
    struct jw_cache_key k;

    jw_cache_key_read(key, key.n, &k);
    return k;
}

static void same(struct jw_bytes got, const char *want)
{
    CHECK_NUM(got.n, strlen(want));
    CHECK(got.n == strlen(want) && (!got.n || memcmp(got.p, want, got.n) == 0));
}

TEST(a_module)
{
    struct jw_bytes key = JW_BYTES(STAMP "HOST64sm_86" PTX "\0\0 --generate-line-info ");
    struct jw_cache_key k = read_whole(key), head = read_part(key, JW_CACHE_KEY_HEAD);

    CHECK_NUM(k.kind, JW_CACHE_CUDA);
    CHECK_TEXT(k.stamp, STAMP);
    CHECK_TEXT(k.arch, "sm_86");
    same(k.input, PTX);
    CHECK_NUM(k.nuls, 2);
    same(k.options, " --generate-line-info ");
    CHECK_NUM(head.kind, JW_CACHE_CUDA);
    CHECK_TEXT(head.stamp, STAMP);
    CHECK_TEXT(head.arch, "sm_86");
    CHECK(head.input.n == 0 && head.nuls == 0 && head.options.n == 0);
}

TEST(made_keys_come_back)
{
    static const char *const options[] = {NULL, "", "-c", " --generate-line-info ",
                                          "-v  --generate-line-info "};

    for (unsigned nuls = 1; nuls <= 3; nuls++) {
        for (size_t i = 0; i < JW_COUNT(options); i++) {
            FREED(jw_buf) b = JW_BUF(4096);
            char stored[64];

            jw_cache_key_make(&b, STAMP, "sm_120f", JW_BYTES(PTX), nuls, options[i]);
            struct jw_cache_key k = read_whole(jw_buf_bytes(&b));
            (void)snprintf(stored, sizeof stored, " %s", options[i] ? options[i] : "");
            CHECK(!b.bad && k.kind == JW_CACHE_CUDA && k.nuls == nuls);
            CHECK_TEXT(k.stamp, STAMP);
            CHECK_TEXT(k.arch, "sm_120f");
            same(k.input, PTX);
            same(k.options, stored);
        }
    }
}

TEST(the_bytes_of_a_made_key)
{
    FREED(jw_buf) b = JW_BUF(4096);
    struct jw_bytes want = JW_BYTES("Dec 19 201723:00:27HOST64sm_61.version 6.0\0 -c");

    jw_cache_key_make(&b, "Dec 19 201723:00:27", "sm_61", JW_BYTES(".version 6.0"), 1, "-c");
    CHECK(b.n == want.n && memcmp(b.p, want.p, want.n) == 0);
}

TEST(stamps)
{
    static const char *const good[] = {"Feb 29 202400:00:00", "Dec 31 199923:59:59",
                                       "Oct 10 201010:10:10"};
    static const char *const bad[] = {
        "jan  7 202622:51:46", "Jon  7 202622:51:46", "anJ  7 202622:51:46", "Jan 07 202622:51:46",
        "Jan  0 202622:51:46", "Jan 32 202622:51:46", "Feb 30 202622:51:46", "Jan 40 202622:51:46",
        "Jan   7202622:51:46", "Jan  7-202622:51:46", "Jan  7 20x622:51:46", "Jan  7 202624:51:46",
        "Jan  7 202622:60:46", "Jan  7 202622:51:61", "Jan  7 202622-51:46", "Jan  7 2026 2:51:46",
        "Jan-07 202622:51:46", "Jan 1x 202622:51:46",
    };
    char key[64];

    for (size_t i = 0; i < JW_COUNT(good); i++) {
        (void)snprintf(key, sizeof key, "%sHOST64sm_86.version 8.4", good[i]);
        struct jw_cache_key k = read_whole((struct jw_bytes){(const uint8_t *)key, strlen(key)});
        CHECK_TEXT(k.stamp, good[i]);
        CHECK_NUM(k.kind, JW_CACHE_CUDA);
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        (void)snprintf(key, sizeof key, "%sHOST64sm_86.version 8.4", bad[i]);
        struct jw_bytes bytes = {(const uint8_t *)key, strlen(key)};
        CHECK_TEXT(read_whole(bytes).stamp, "");
        CHECK_NUM(read_whole(bytes).kind, JW_CACHE_OTHER);
        CHECK_NUM(read_part(bytes, 45).kind,
                  JW_CACHE_OTHER); /* not taken for OpenCL's source text */
    }
}

TEST(architectures)
{
    static const char *const good[] = {"sm_30", "sm_86", "sm_90a", "sm_120", "sm_103f", "sm_120a"};
    static const unsigned sms[] = {30, 86, 90, 120, 103, 120};
    static const char *const bad[] = {"",      "sm_",        "sm_8",  "sm_086", "sm_1200",
                                      "SM_86", "compute_86", "sm-86", "sm_x6"};
    char key[80];

    for (size_t i = 0; i < JW_COUNT(good); i++) {
        (void)snprintf(key, sizeof key, STAMP "HOST64%s\n.version 8.4\n", good[i]);
        struct jw_cache_key k = read_whole((struct jw_bytes){(const uint8_t *)key, strlen(key)});
        CHECK_TEXT(k.arch, good[i]);
        CHECK_NUM(k.sm, sms[i]);
        CHECK_NUM(k.kind, JW_CACHE_CUDA);
        same(k.input, "\n.version 8.4\n");
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        (void)snprintf(key, sizeof key, STAMP "HOST64%s\n.version 8.4\n", bad[i]);
        struct jw_cache_key k = read_whole((struct jw_bytes){(const uint8_t *)key, strlen(key)});
        CHECK_TEXT(k.arch, "");
        CHECK_NUM(k.sm, 0);
        CHECK_TEXT(k.stamp, STAMP); /* of which build it is, is known all the same */
        CHECK_NUM(k.kind, JW_CACHE_OTHER);
    }
    CHECK_TEXT(read_whole(JW_BYTES(STAMP "HOST32sm_86.version 8.4")).arch, "");
    CHECK_NUM(read_whole(JW_BYTES(STAMP "HOST32sm_86.version 8.4")).kind, JW_CACHE_OTHER);
}

/* The head ends in the middle of what comes before .version, or of the word itself. */
TEST(ptx_told_from_its_first_bytes)
{
    static const char *const good[] = {
        ".version 8.4\n",
        "        .version 3.1\n",
        "\n\n//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 9.0\n",
        "/* a long comment that goes on and on, past the head */ .version 8.4",
        "// Dr.Jit\r\n\r\n\t.version 9.0",
    };
    static const char *const bad[] = {
        "version 8.4",  ".target sm_86",  "/ .version 8.4",
        "8.4 .version", "{ .version 8.4", "\177ELF and so on",
    };

    for (size_t i = 0; i < JW_COUNT(good); i++) {
        char key[256];

        (void)snprintf(key, sizeof key, STAMP "HOST64sm_86%s", good[i]);
        struct jw_bytes bytes = {(const uint8_t *)key, strlen(key)};
        CHECK_NUM(read_whole(bytes).kind, JW_CACHE_CUDA);
        for (size_t n = 31; n < bytes.n; n++)
            CHECK_NUM(read_part(bytes, n).kind, JW_CACHE_CUDA);
    }
    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        char key[256];

        (void)snprintf(key, sizeof key, STAMP "HOST64sm_86%s", bad[i]);
        struct jw_bytes bytes = {(const uint8_t *)key, strlen(key)};
        CHECK_NUM(read_whole(bytes).kind, JW_CACHE_OTHER);
        CHECK_NUM(read_part(bytes, 40).kind, JW_CACHE_OTHER);
    }
    CHECK_NUM(read_whole(JW_BYTES(STAMP "HOST64sm_86// nothing but a comment")).kind,
              JW_CACHE_OTHER);
    CHECK_NUM(read_whole(JW_BYTES(STAMP "HOST64sm_86")).kind, JW_CACHE_OTHER);
}

/* NULs inside of bitcode are its own; the run before the options is not. */
TEST(bitcode)
{
    struct jw_bytes key =
        JW_BYTES(STAMP "HOST64sm_89"
                       "BC\xC0\xDE"
                       "\0\1\0\2abc\0 -arch=compute_89 -ftz=1 -nvvm-version=nvvm70");
    struct jw_cache_key k = read_whole(key);

    CHECK_NUM(k.kind, JW_CACHE_NVVM);
    CHECK_TEXT(k.arch, "sm_89");
    CHECK_NUM(k.input.n, 11);
    CHECK(k.input.n == 11 && memcmp(k.input.p, "BC\xC0\xDE\0\1\0\2abc", 11) == 0);
    CHECK_NUM(k.nuls, 1);
    same(k.options, " -arch=compute_89 -ftz=1 -nvvm-version=nvvm70");
    CHECK_NUM(read_part(key, 40).kind, JW_CACHE_NVVM);

    k = read_whole(JW_BYTES(STAMP "HOST64sm_89"
                                  "BC\xC0\xDE without an end"));
    CHECK(k.kind == JW_CACHE_NVVM && k.nuls == 0 && k.options.n == 0 && k.input.n == 19);
    k = read_whole(JW_BYTES(STAMP "HOST64sm_89"
                                  "BC\xC0\xDE"
                                  "\0\0\0"));
    CHECK(k.kind == JW_CACHE_NVVM && k.nuls == 3 && k.options.n == 0 && k.input.n == 4);
}

TEST(opencl_source)
{
    struct jw_bytes key =
        JW_BYTES(SOURCE "\0 -D N=1 -cl-nv-arch sm_89  -nv-m64\3\0\0\0\0\0\0\0Y\0\0\0"
                        "580.126.09\0NVVM70");
    struct jw_cache_key k = read_whole(key);

    CHECK_NUM(k.kind, JW_CACHE_OPENCL);
    CHECK_TEXT(k.stamp, "");
    CHECK_TEXT(k.arch, "sm_89");
    CHECK_TEXT(k.version, "580.126.09");
    k = read_part(key, JW_CACHE_KEY_HEAD);
    CHECK(k.kind == JW_CACHE_OPENCL && !k.stamp[0] && !k.arch[0] && !k.version[0]);
    k = read_whole(JW_BYTES("k\0 -nv-m64\1"
                            "1234567890123456\0NVVM70"));
    CHECK(!k.version[0]);
}

/* From the end of the key alone, as a listing reads it; a source may speak of architectures,
 * too. */
TEST(opencl_source_by_its_end)
{
    const struct {
        const char *arch, *version;
        unsigned sm;
        struct jw_bytes tail;
    } cases[] = {
        {"sm_90", "550.163.01", 90,
         JW_BYTES("-cl-nv-arch sm_120a\0 -cl-nv-arch sm_90  -nv-m64\3\0\0"
                  "550.163.01\0NVVM70")},
        {"", "550.163.01", 0,
         JW_BYTES("-nv-m64\3\0\0"
                  "550.163.01\0NVVM70")},
        {"sm_90", "", 90, JW_BYTES("-cl-nv-arch sm_90 -nv-m64\3\0\0")},
        {"", "", 0, JW_BYTES("")},
        {"", "", 0, JW_BYTES("-cl-nv-arch ")},
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_cache_key k = {.kind = JW_CACHE_OPENCL};

        jw_cache_key_read_end(cases[i].tail, &k);
        CHECK_TEXT(k.arch, cases[i].arch);
        CHECK_NUM(k.sm, cases[i].sm);
        CHECK_TEXT(k.version, cases[i].version);
    }
}

TEST(which_driver_finds_it)
{
    static const char other[] = "Jun 14 202515:40:11";

    CHECK(jw_cache_serves(JW_CACHE_CUDA, STAMP, "", STAMP, "580.126.09"));
    CHECK(!jw_cache_serves(JW_CACHE_CUDA, other, "", STAMP, "580.126.09"));
    CHECK(!jw_cache_serves(JW_CACHE_CUDA, STAMP, "", NULL, NULL));
    CHECK(jw_cache_serves(JW_CACHE_NVVM, other, "", STAMP, NULL));
    CHECK(jw_cache_serves(JW_CACHE_NVJITLINK, other, "", STAMP, NULL));
    CHECK(jw_cache_serves(JW_CACHE_OPENCL, STAMP, "", STAMP, NULL));
    CHECK(!jw_cache_serves(JW_CACHE_OPENCL, other, "", STAMP, "580.126.09"));
    CHECK(jw_cache_serves(JW_CACHE_OPENCL, "", "580.126.09", STAMP, "580.126.09"));
    CHECK(!jw_cache_serves(JW_CACHE_OPENCL, "", "550.163.01", STAMP, "580.126.09"));
    CHECK(!jw_cache_serves(JW_CACHE_OPENCL, "", "", STAMP, NULL));
    CHECK(!jw_cache_serves(JW_CACHE_OTHER, STAMP, "", STAMP, "580.126.09"));
}

/* A key like a module's but for one option. */
TEST(opencl_second_stage)
{
    struct jw_bytes key =
        JW_BYTES(STAMP "HOST64sm_89" PTX "\0 --reserve-null-pointer   -pic=false");

    CHECK_NUM(read_whole(key).kind, JW_CACHE_OPENCL);
    CHECK_NUM(read_part(key, JW_CACHE_KEY_HEAD).kind, JW_CACHE_CUDA);
    same(read_whole(key).input, PTX);
    CHECK_TEXT(read_whole(key).arch, "sm_89");
}

/* OpenCL's own kernels have no option; CUDA loads no PTX with such a target. */
TEST(opencl_by_its_target)
{
    struct jw_bytes key = JW_BYTES(
        STAMP
        "HOST64sm_90//\n.version 8.3\n.target sm_90, texmode_independent\n.address_size 64\n\0 ");

    CHECK_NUM(read_whole(key).kind, JW_CACHE_OPENCL);
    CHECK_NUM(read_part(key, JW_CACHE_KEY_HEAD).kind, JW_CACHE_CUDA);
    key = JW_BYTES(STAMP "HOST64sm_90.version 8.3\n.target sm_90\n// texmode_independent\n\0 ");
    CHECK_NUM(read_whole(key).kind, JW_CACHE_CUDA);
}

TEST(what_it_cannot_tell)
{
    CHECK_NUM(read_whole(JW_BYTES("")).kind, JW_CACHE_OTHER);
    CHECK_NUM(read_whole(JW_BYTES("\0")).kind, JW_CACHE_OTHER);
    CHECK_NUM(read_whole(JW_BYTES("\1\2\3\4")).kind, JW_CACHE_OTHER);
    CHECK_NUM(read_part(JW_BYTES("text \1 and more of it"), 10).kind, JW_CACHE_OTHER);
    CHECK_NUM(read_whole(JW_BYTES(STAMP)).kind, JW_CACHE_OTHER);
    CHECK_TEXT(read_whole(JW_BYTES(STAMP)).stamp, STAMP);
}

/* Any head is read without a step outside, and one of the promised size tells what the whole key
 * tells. */
TEST(cut_off_anywhere)
{
    static const struct jw_bytes keys[] = {
        {(const uint8_t *)STAMP "HOST64sm_86" PTX "\0\0 -c",
         sizeof(STAMP "HOST64sm_86" PTX "\0\0 -c") - 1},
        {(const uint8_t *)STAMP "HOST64sm_90aBC\xC0\xDE\0\0 -x",
         sizeof(STAMP "HOST64sm_90aBC\xC0\xDE\0\0 -x") - 1},
        {(const uint8_t *)SOURCE "\0 -cl-nv-arch sm_89", sizeof(SOURCE "\0 -cl-nv-arch sm_89") - 1},
    };

    for (size_t i = 0; i < JW_COUNT(keys); i++) {
        struct jw_cache_key whole = read_whole(keys[i]);

        for (size_t n = 0; n <= keys[i].n; n++) {
            struct jw_cache_key k = read_part(keys[i], n);

            CHECK(!k.stamp[0] || strcmp(k.stamp, whole.stamp) == 0);
            if (n >= JW_CACHE_KEY_HEAD)
                CHECK(k.kind == whole.kind && strcmp(k.stamp, whole.stamp) == 0);
        }
    }
}

/* More than the key was given: what is behind it is the payload's. */
TEST(bytes_behind_the_key)
{
    struct jw_bytes both = JW_BYTES(STAMP "HOST64sm_86.version 8.4\0 -c\177ELF");
    struct jw_cache_key k;

    jw_cache_key_read(both, both.n - 4, &k);
    CHECK_NUM(k.kind, JW_CACHE_CUDA);
    same(k.options, " -c");
}

TEST(stamps_have_an_order)
{
    static const char *const stamps[] = {
        "Dec 31 201923:59:59", "Jan  1 202000:00:00", "Jan  7 202622:51:46", "Jan  7 202622:51:47",
        "Jan 17 202600:00:00", "Feb  1 202600:00:00", "Jan  1 202700:00:00"};

    for (size_t i = 1; i < JW_COUNT(stamps); i++)
        CHECK(jw_stamp_time(stamps[i - 1]) < jw_stamp_time(stamps[i]));
    CHECK_NUM(jw_stamp_time("Jan  7 202622:51:46"), 20260107225146);
    CHECK_TEXT(jw_stamp_text("Jan  7 202622:51:46").text, "20260107-225146");
    CHECK(!jw_stamp_time("") && !*jw_stamp_text(NULL).text && !jw_stamp_time("Jan  7 202622:51:4")
          && !jw_stamp_time("Jan 32 202622:51:46") && !jw_stamp_time("Jan  7 202622:51:46 "));
    CHECK_NUM(jw_stamp_time("Jan  7 202662:51:46"), 20260107625146);
    CHECK(jw_stamp_simulated("Jan  7 202662:51:46") && jw_stamp_simulated("Jan  7 202640:00:00"));
    CHECK(!jw_stamp_simulated("Jan  7 202622:51:46") && !jw_stamp_simulated("Jan  7 202624:00:00"));
    CHECK(!jw_stamp_simulated("Jan  7 202664:00:00") && !jw_stamp_simulated("")
          && !jw_stamp_simulated(NULL));
}

static enum jw_cache_kind kind_by_end(struct jw_bytes tail)
{
    struct jw_cache_key k = {.kind = JW_CACHE_CUDA};

    jw_cache_key_read_end(tail, &k);
    return k.kind;
}

TEST(the_end_of_a_key_names_the_compiler)
{
    CHECK_NUM(kind_by_end(JW_BYTES("ptx\0 --reserve-null-pointer -x")), JW_CACHE_OPENCL);
    CHECK_NUM(kind_by_end(JW_BYTES("// -arch=sm_90\0 -maxrregcount=40 ")), JW_CACHE_CUDA);
}
