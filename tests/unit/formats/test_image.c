/* Whole files: which format, and what happens when reading or memory fails on the way. */
#include "scanned.h"

#include "gen/sources.h"

#include <stdlib.h>

enum { SAMPLES = 8 };

/* Samples of every format; its name, or NULL behind the last. */
static const char *sample(size_t i, struct jw_buf *out)
{
    static const char *const names[] = {"lib.so",   "bare.so", "object.o",  "x.dll",
                                        "x.fatbin", "x.cubin", "x13.cubin", "x.ptx"};
    FREED(jw_buf) fat = GEN_BUF;

    gen_fat(&fat, "P75:s E86 E90a:l P120 E120f");
    jw_buf_fill(&fat, 0, 8);
    gen_fat(&fat, "P80:l N75 E75:s");
    const struct gen_section s[] = {{.name = ".text", .data = JW_BYTES("code")},
                                    {.name = ".nv_fatbin", .data = jw_buf_bytes(&fat)}};
    switch (i) {
    case 0: (void)gen_library(out, jw_buf_bytes(&fat), true); break;
    case 1: (void)gen_elf(out, (struct gen_elf){.bare = true}, s, 2); break;
    case 2: (void)gen_elf(out, (struct gen_elf){.type = 1}, s, 2); break;
    case 3: (void)gen_pe(out, s, 2); break;
    case 4: jw_buf_add(out, fat.p, fat.n); break;
    case 5:
    case 6: gen_cubin(out, (struct gen_cubin){.target = {90, 'a'}, .cuda13 = i == 6}); break;
    default: gen_ptx(out, 8, 4, (struct jw_arch){80, '\0'}, 2); break;
    }
    return names[i];
}

static const size_t containers[SAMPLES] = {2, 2, 2, 2, 2, 1, 1, 1};

TEST(every_format)
{
    static const enum jw_format formats[SAMPLES] = {
        JW_FORMAT_ELF,    JW_FORMAT_ELF,   JW_FORMAT_OBJECT, JW_FORMAT_PE,
        JW_FORMAT_FATBIN, JW_FORMAT_CUBIN, JW_FORMAT_CUBIN,  JW_FORMAT_PTX};

    for (size_t i = 0; i < SAMPLES; i++)
        for (int embedded = 0; embedded < 2; embedded++) {
            FREED(scanned) s = {.buf = GEN_BUF};
            const char *name = sample(i, &s.buf);

            scan_it(&s, name, embedded);
            CHECK(s.ok);
            CHECK_TEXT(jw_format_name(s.image.format), jw_format_name(formats[i]));
            CHECK_NUM(s.image.fats.n, containers[i]);
            CHECK_NUM(s.image.problems.n, 0);
            for (size_t k = 1; k < s.image.fats.n; k++)
                CHECK(s.image.fats.list[k - 1].at + s.image.fats.list[k - 1].size
                      <= s.image.fats.list[k].at);
        }
}

TEST(files_that_are_not_cudas)
{
    static const char *const texts[] = {
        "",        "x",
        "MZ",      "short",
        "\177ELF", "just some text in a file\n",
        "!<arch>", "a script that is called .ptx would be an error, but this is not"};

    for (size_t i = 0; i < JW_COUNT(texts); i++)
        for (int embedded = 0; embedded < 2; embedded++) {
            FREED(scanned) s = {.buf = GEN_BUF};

            jw_buf_text(&s.buf, texts[i]);
            scan_it(&s, "file", embedded);
            CHECK(s.ok && s.image.format == JW_FORMAT_NONE && s.image.fats.n == 0
                  && s.image.problems.n == 0);
        }
}

/* Each sample cut off everywhere: never a crash, and no container that reaches past the end. */
TEST(cut_off_anywhere)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        FREED(jw_buf) whole = GEN_BUF;
        const char *name = sample(i, &whole);

        for (size_t n = 0; n < whole.n; n += n < 400 ? 1 : 37) {
            uint8_t *exact = malloc(n ? n : 1);
            struct jw_bytes bytes = {exact, n};
            struct jw_source src = jw_source_memory(&bytes);
            FREED(jw_image) image;

            err = (struct jw_err){0};
            if (!exact)
                abort();
            memcpy(exact, whole.p, n);
            bool ok = jw_image_scan(&src, name, n % 2, &image, &err);
            CHECK(ok || (err.code == JW_E_FORMAT && err.msg[0]));
            for (size_t k = 0; k < image.fats.n; k++)
                CHECK(image.fats.list[k].at + image.fats.list[k].size <= n);
            free(exact);
        }
    }
}

/* The n-th read of the file fails, for every n: the scan ends with that error, and nothing
 * leaks. */
TEST(every_read_may_fail)
{
    for (size_t i = 0; i < SAMPLES; i++)
        for (int embedded = 0; embedded < 2; embedded++) {
            FREED(jw_buf) b = GEN_BUF;
            const char *name = sample(i, &b);
            unsigned long n = 1;

            for (bool ok = false; !ok; n++) {
                struct gen_sparse file = {.size = b.n, .n = 1, .fail_at = n};
                struct jw_source src = gen_source(&file);
                FREED(jw_image) image;

                err = (struct jw_err){0};
                file.piece[0].data = jw_buf_bytes(&b);
                ok = jw_image_scan(&src, name, embedded, &image, &err);
                if (file.reads >= n) { /* it came to pass */
                    CHECK(!ok && err.code == JW_E_IO);
                    CHECK_HAS(err.msg, "input/output error");
                } else {
                    CHECK(ok && image.fats.n == containers[i]);
                }
            }
            CHECK(n > 2);
        }
}

/* driver-fact: F113-runtime-loads */
TEST(a_runtime_that_can_load_lazily_is_known_by_its_constants)
{
    static const size_t before[] = {0, 1, (256 << 10) - 31, (256 << 10) - 1, 256 << 10};

    for (size_t i = 0; i < 3 * JW_COUNT(before); i++) {
        bool pe = i % 3 == 1, lazy = true;
        FREED(jw_buf) b = GEN_BUF;
        FREED(jw_buf) constants = GEN_BUF;
        FREED(jw_image) image;

        jw_buf_fill(&constants, 'x', before[i / 3]);
        jw_buf_text(&constants, i % 3 == 2 ? "cuModuleGetLoadingMode" /* 11.7 */
                                           : "CUDA_ENABLE_MODULE_LAZY_LOADING");
        const struct gen_section s[] = {
            {.name = ".text", .data = JW_BYTES("code")},
            {.name = pe ? ".rdata" : ".rodata", .data = jw_buf_bytes(&constants)}};

        if (pe)
            (void)gen_pe(&b, s, 2);
        else
            (void)gen_elf(&b, (struct gen_elf){0}, s, 2);
        const struct jw_bytes bytes = jw_buf_bytes(&b);
        const struct jw_source src = jw_source_memory(&bytes);

        CHECK_OK(jw_image_scan(&src, "x", true, &image, &err), err);
        CHECK_OK(jw_image_is_lazy(&src, &image, &lazy, &err), err);
        CHECK(lazy == (i % 3 != 2));
    }
}

TEST(a_file_may_shrink_while_it_is_read)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        FREED(jw_buf) b = GEN_BUF;
        const char *name = sample(i, &b);
        size_t failed = 0;

        for (size_t n = 1; n < b.n; n += 13) {
            struct gen_sparse file = {.size = b.n, .n = 1, .shrunk = n};
            struct jw_source src = gen_source(&file);
            FREED(jw_image) image;

            err = (struct jw_err){0};
            file.piece[0].data = jw_buf_bytes(&b);
            if (!jw_image_scan(&src, name, true, &image, &err)) {
                failed++;
                CHECK_NUM(err.code, JW_E_IO);
                CHECK_HAS(err.msg, "the file shrank while it was read");
            }
        }
        CHECK(failed > 0);
    }
}
