/* libFuzzer's entry point for one target: built once for each, with its name as FUZZ_ONE. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ONE(data, size);
    return 0;
}
