#include "base/compiler.h"
#include "check.h"
#include "facts/compile_time.h"

/* Processor seconds of NVIDIA's driver, for libraries of which the bytes alone are known, and for
 * the largest module of others. */
TEST(what_was_measured_is_near_the_estimate)
{
    static const struct {
        const char *what;
        unsigned branch;
        uint64_t modules, ptx_bytes, kernels;
        double seconds;
    } rows[] = {
        {"TensorFlow 2.3.1", 460, 238, 152000000, 0, 239},
        {"ONNX Runtime 1.12.0", 535, 66, 57474964, 0, 59.2},
        {"Faiss 1.5.3", 390, 53, 31115686, 0, 25.4},
        {"a llama.cpp library", 580, 138, 269000000, 0, 344},
        {"the data of TensorFlow 2.10.0", 550, 1883, 9600000, 1883, 17},
        {"the data of TensorFlow 2.10.0", 470, 1883, 9600000, 1883, 55},
        {"CTranslate2 4.3.1, by a sample", 550, 53, 453859696, 2228, 2760},
        {"gpu4pyscf 1.9.0", 535, 25, 30000000, 0, 197},
        {"Warp 0.3.1", 555, 1, 943586, 0, 6},
        {"gpu4pyscf 1.9.0", 550, 1, 13380675, 54, 127.4},
        {"flash attention in CTranslate2 4.3.1", 550, 1, 14350467, 57, 57.4},
        {"implicit 0.6.2", 550, 1, 1669935, 3, 13},
        {"xFormers 0.0.16", 550, 1, 1166017, 4, 9.6},
        {"CatBoost 0.24", 550, 1, 1664220, 23, 3.3},
        {"XGBoost 0.82", 550, 1, 2028125, 83, 1.9},
        {"a llama.cpp library", 555, 1, 4697056, 64, 8.4},
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        uint64_t n = rows[i].modules, bytes = rows[i].ptx_bytes / n, kernels = rows[i].kernels / n;
        double times =
            rows[i].seconds / ((double)n * jw_compile_seconds(rows[i].branch, bytes, kernels));

        if (times < .4 || times > (kernels ? 2.5 : 4.8))
            CHECK_TEXT(rows[i].what, "in the range");
    }
    CHECK(jw_driver_module_seconds(470) > 2 * jw_driver_module_seconds(550));
}

TEST(an_estimate_is_one_rounded_number)
{
    CHECK_TEXT(jw_compile_words(.1).text, "under 1 s");
    CHECK_TEXT(jw_compile_words(1272).text, "about 20 min");
    CHECK_TEXT(jw_compile_words(9999).text, "about 3 h");
}
