#include "base/compiler.h"
#include "check.h"
#include "facts/compile_time.h"

/* What NVIDIA's driver took on one core: facts/compile_time.h has most of these. */
TEST(what_was_measured_lies_between_the_least_and_the_most)
{
    static const struct {
        const char *what;
        uint64_t modules, ptx_bytes;
        double seconds;
    } rows[] = {
        { "TensorFlow 2.3.1, driver 460", 238, 152000000, 239 },
        { "ONNX Runtime 1.12.0, driver 535", 66, 57474964, 59.2 },
        { "Faiss 1.5.3, driver 390", 53, 31115686, 25.4 },
        { "a llama.cpp library, driver 580", 138, 269000000, 344 },
        { "CTranslate2 4.1.0, driver 580", 20, 11000000, 19 },
        { "ONNX Runtime 1.25.1, RTX 5060 Ti", 25, 141000000, 155 },
        { "the data of TensorFlow 2.10.0, driver 550", 1883, 9600000, 17 },
        { "XGBoost 1.2.1, driver 550", 47, 12600000, 40.4 },
        { "Faiss in tsnecuda 3.0.1, driver 555", 48, 24974174, 155.6 },
        { "TensorFlow 2.10.0, large modules, driver 550", 18, 10900000, 48 },
        { "flash attention in CTranslate2 4.3.1, driver 550", 2, 20500000, 174 },
        { "flash attention in CTranslate2 4.3.1, driver 535", 2, 20500000, 149 },
        { "gpu4pyscf 1.9.0, driver 535", 25, 30000000, 197 },
        { "bitsandbytes 0.43.3, driver 550", 2, 5000000, 13.3 },
        { "XGBoost 0.82, driver 550", 44, 21661050, 85.4 },
        { "implicit 0.6.0, driver 550", 18, 10987615, 70 },
        { "Warp 0.3.1, driver 555", 1, 943586, 6 },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        double times = rows[i].seconds / jw_compile_seconds(rows[i].modules, rows[i].ptx_bytes);

        if (times < JW_COMPILE_MIN || times > JW_COMPILE_MAX)
            CHECK_TEXT(rows[i].what, "in the range");
    }
}

TEST(a_span_in_words)
{
    CHECK_TEXT(jw_compile_span(.1).text, "under 1 s");
    CHECK_TEXT(jw_compile_span(20).text, "8.0 s to 1 min 36 s");
    CHECK_TEXT(jw_compile_span(480).text, "3 to 38 minutes");
}
