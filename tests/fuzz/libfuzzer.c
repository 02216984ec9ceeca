/* libFuzzer's entry point, for the target that the variable FUZZ_TARGET names. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_feed *feed;

    if (!feed && !(feed = fuzz_target(getenv("FUZZ_TARGET"))))
        abort();
    feed(data, size);
    return 0;
}
