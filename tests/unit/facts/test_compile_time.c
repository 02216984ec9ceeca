#include "base/compiler.h"
#include "check.h"
#include "facts/compile_time.h"

/* Processor seconds of NVIDIA's driver, for libraries of which the bytes alone are known, and for the largest module of others. */
TEST(what_was_measured_lies_between_the_least_and_the_most)
{
    static const struct {
        const char *what;
        uint64_t modules, ptx_bytes, kernels;
        double seconds;
    } rows[] = {
        { "TensorFlow 2.3.1, driver 460", 238, 152000000, 0, 239 },
        { "ONNX Runtime 1.12.0, driver 535", 66, 57474964, 0, 59.2 },
        { "Faiss 1.5.3, driver 390", 53, 31115686, 0, 25.4 },
        { "a llama.cpp library, driver 580", 138, 269000000, 0, 344 },
        { "the data of TensorFlow 2.10.0, driver 550", 1883, 9600000, 0, 17 },
        { "flash attention in CTranslate2 4.3.1, driver 550", 2, 20500000, 0, 174 },
        { "gpu4pyscf 1.9.0, driver 535", 25, 30000000, 0, 197 },
        { "Warp 0.3.1, driver 555", 1, 943586, 0, 6 },
        { "gpu4pyscf 1.9.0, driver 550", 1, 13380675, 54, 127.4 },
        { "flash attention in CTranslate2 4.3.1, driver 550", 1, 14350467, 57, 57.4 },
        { "implicit 0.6.2, driver 550", 1, 1669935, 3, 13 },
        { "xFormers 0.0.16, driver 550", 1, 1166017, 4, 9.6 },
        { "CatBoost 0.24, driver 550", 1, 1664220, 23, 3.3 },
        { "XGBoost 0.82, driver 550", 1, 2028125, 83, 1.9 },
        { "a llama.cpp library, driver 555", 1, 4697056, 64, 8.4 },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        double times =
            rows[i].seconds / jw_compile_seconds(rows[i].modules, rows[i].ptx_bytes, rows[i].kernels);

        if (times < JW_COMPILE_MIN || times > (rows[i].kernels ? JW_COMPILE_MAX : JW_COMPILE_MAX_UNCOUNTED))
            CHECK_TEXT(rows[i].what, "in the range");
    }
}

TEST(a_span_in_words)
{
    CHECK_TEXT(jw_compile_span(.1, JW_COMPILE_MAX).text, "under 1 s");
    CHECK_TEXT(jw_compile_span(20, JW_COMPILE_MAX_UNCOUNTED).text, "8.0 s to 1 min 36 s");
    CHECK_TEXT(jw_compile_span(480, JW_COMPILE_MAX).text, "3 to 20 minutes");
}
