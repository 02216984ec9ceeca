#include "os/process/file_trace.h"

#include <string.h>

bool jw_traced_has(const char *const *names, size_t n, const char *path)
{
    for (size_t low = 0, high = n; low < high;) {
        size_t at = low + (high - low) / 2;
        int order = strcmp(names[at], path);

        if (!order)
            return true;
        if (order < 0)
            low = at + 1;
        else
            high = at;
    }
    return false;
}
