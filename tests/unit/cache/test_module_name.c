#include "cache/format/module_name.h"
#include "check.h"

#define NOW "Jan  7 202622:51:46"

static const uint16_t sms[] = {86, 90};
static const char ptx[] = ".version 8.0\n.target sm_80\n";

static struct module_name feed(const struct module_rules *rules, const void *p, size_t n,
                               size_t piece)
{
    struct module_name m;
    struct jw_sink sink = module_name_sink(&m);

    module_name_begin(&m, rules, sms, 2);
    for (size_t at = 0; at < n; at += piece)
        CHECK(
            sink.put(sink.ctx, (const char *)p + at, n - at < piece ? n - at : piece, JW_IGNORED));
    return m;
}

static struct jw_job key_of(const struct module_name *m, enum module_form form, const char *options,
                            size_t at)
{
    struct jw_job j = {.options = options, .sm = sms[at]};

    module_name_job(m, form, at, &j);
    return j;
}

/* The name that cache/format/jitcache gives to the whole key. */
static uint64_t name_of(const char *arch, unsigned nuls, const char *options, uint64_t *size)
{
    FREED(jw_buf) key = JW_BUF(4096);

    jw_cache_key_make(&key, NOW, arch, (struct jw_bytes){(const uint8_t *)ptx, sizeof ptx - 1},
                      nuls, options);
    uint64_t name = jw_fnv1a(JW_FNV_START, key.p, key.n);

    *size = key.n;
    return name;
}

TEST(names_are_those_of_whole_keys)
{
    struct module_rules rules = {.stamp = NOW};
    static const struct {
        enum module_form form;
        size_t stored; /* bytes given: the text, and what is behind it */
        unsigned nuls;
    } forms[] = {{MODULE_TEXT, sizeof ptx - 1, 1},
                 {MODULE_PACKED, sizeof ptx, 2},
                 {MODULE_PACKED, sizeof ptx - 1, 1}, /* CUDA 10.1 and older */
                 {MODULE_RAW, sizeof ptx, 1},
                 {MODULE_RAW, sizeof ptx - 1, 0}};

    for (size_t i = 0; i < JW_COUNT(forms); i++)
        for (size_t piece = 1; piece < 40; piece += 7)
            for (size_t at = 0; at < 2; at++) {
                struct module_name m = feed(&rules, ptx, forms[i].stored, piece);
                struct jw_job k = key_of(&m, forms[i].form, "-O2 ", at);
                uint64_t size, want = name_of(at ? "sm_90" : "sm_86", forms[i].nuls, "-O2 ", &size);

                CHECK(!m.broken);
                CHECK_NUM(m.bytes, sizeof ptx - 1);
                CHECK_NUM(k.name, want);
                CHECK_NUM(k.key_size, size);
            }
}

TEST(what_is_stored_behind_a_text_counts_padding_too)
{
    struct module_rules rules = {.stamp = NOW};
    char padded[sizeof ptx + 7] = {0};
    uint64_t size;

    memcpy(padded, ptx, sizeof ptx);
    struct module_name m = feed(&rules, padded, sizeof ptx + 1, 64);

    CHECK_NUM(key_of(&m, MODULE_PACKED, "", 0).name, name_of("sm_86", 3, "", &size));
    m = feed(&rules, padded, sizeof padded, 3);
    CHECK_NUM(key_of(&m, MODULE_RAW, "", 0).name, name_of("sm_86", 8, "", &size));
}

/* driver-fact: F13-nuls */
TEST(old_drivers_keep_one_nul_of_all)
{
    struct module_rules rules = {NOW, .cuts_ptx = true};
    char padded[sizeof ptx + 7] = {0};
    uint64_t size, want = name_of("sm_86", 1, "", &size);

    memcpy(padded, ptx, sizeof ptx);
    for (size_t stored = sizeof ptx - 1; stored <= sizeof padded; stored++) {
        struct module_name m = feed(&rules, padded, stored, 64);

        CHECK_NUM(key_of(&m, MODULE_PACKED, "", 0).name, want);
        CHECK_NUM(key_of(&m, MODULE_RAW, "", 0).name, want);
        CHECK_NUM(key_of(&m, MODULE_TEXT, "", 0).key_size, size);
    }
}

/* Byte by byte, so that no function of jitwarm is asked what a key is. */
TEST(the_exact_bytes)
{
    static const char key[] = NOW "HOST64sm_86.version 8.0\n.target sm_80\n\0 -O2 ";
    struct module_rules rules = {.stamp = NOW};
    struct module_name m = feed(&rules, ptx, sizeof ptx - 1, 5);
    struct jw_job k = key_of(&m, MODULE_PACKED, "-O2 ", 0);

    CHECK_NUM(k.key_size, sizeof key - 1);
    CHECK_NUM(k.name, jw_fnv1a(JW_FNV_START, key, sizeof key - 1));
}

TEST(identity_is_of_all_that_makes_another_entry)
{
    struct module_rules rules = {.stamp = NOW}, none = {0};
    struct module_name m = feed(&rules, ptx, sizeof ptx, 99),
                       same = feed(&none, ptx, sizeof ptx, 2);
    struct jw_job k = key_of(&m, MODULE_PACKED, "", 0), other;

    other = key_of(&same, MODULE_PACKED, "", 0); /* of whatever driver */
    CHECK(memcmp(k.id, other.id, JW_DIGEST) == 0 && other.name == 0 && other.key_size == 0);
    other = key_of(&m, MODULE_RAW, "", 0); /* one NUL less in its key */
    CHECK(memcmp(k.id, other.id, JW_DIGEST) != 0);
    struct jw_job text = key_of(&m, MODULE_TEXT, "", 0); /* the same key as raw with one NUL */
    CHECK(memcmp(text.id, other.id, JW_DIGEST) == 0 && text.name == other.name);
    other = text;
    CHECK(memcmp(k.id, other.id, JW_DIGEST) != 0);
    other = key_of(&m, MODULE_PACKED, "-g", 0);
    CHECK(memcmp(k.id, other.id, JW_DIGEST) != 0);
    other = key_of(&m, MODULE_PACKED, "", 1);
    CHECK(memcmp(k.id, other.id, JW_DIGEST) != 0);
}

TEST(text_behind_a_nul_is_told)
{
    struct module_rules rules = {.stamp = NOW};
    struct module_name m = feed(&rules, "abc\0def", 7, 2);

    CHECK(m.broken);
    CHECK_NUM(m.bytes, 3);
}

TEST(the_first_kernel_is_seen_however_the_text_is_cut)
{
    static const char two[] = ".func x\n.visible .entry _Z3addPfi(\n.entry second(";
    struct module_rules rules = {NULL};

    for (size_t piece = 1; piece < sizeof two; piece++) {
        struct module_name m = feed(&rules, two, sizeof two - 1, piece);

        CHECK_TEXT(m.kernel, "_Z3addPfi");
        CHECK_NUM(m.kernels, piece == sizeof two - 1 ? 2 : m.kernels);
    }
    struct module_name none = feed(&rules, ptx, sizeof ptx, 7);

    CHECK_TEXT(none.kernel, "");
}

struct heard {
    uint64_t kernels[8];
    size_t n;
};

static void hear(void *ctx, uint64_t kernel)
{
    struct heard *h = ctx;

    CHECK(h->n < 8);
    h->kernels[h->n++] = kernel;
}

TEST(kernels_that_others_may_have_are_told_by_their_linkage)
{
    static const char all[] = ".version 7.8\n.visible .entry _Z3addPfi(\n)\n{\n.reg .pred "
                              "%p;\n}\n.weak\t.entry weak()\n{}\n"
                              ".entry own()\n{}\n.visible .func f\n.visible\n.entry last\n()\n{}\n";
    static const char *const names[] = {"_Z3addPfi", "weak", "last"};
    struct module_rules rules = {NULL};

    for (size_t piece = 1; piece < sizeof all; piece++) {
        struct heard heard = {.n = 0};
        struct module_name m;

        module_name_begin(&m, &rules, NULL, 0);
        m.shared = hear;
        m.ctx = &heard;
        struct jw_sink sink = module_name_sink(&m);

        for (size_t at = 0; at < sizeof all - 1; at += piece) {
            size_t n = sizeof all - 1 - at < piece ? sizeof all - 1 - at : piece;

            CHECK(sink.put(sink.ctx, all + at, n, &err));
        }
        CHECK_TEXT(m.kernel, "_Z3addPfi");
        CHECK_NUM(heard.n, 3);
        for (size_t i = 0; i < heard.n; i++)
            CHECK_NUM(heard.kernels[i], jw_fnv1a(JW_FNV_START, names[i], strlen(names[i])));
    }
}
