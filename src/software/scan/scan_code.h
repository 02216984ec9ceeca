/* Lists the files, of folders or of a list, that hold CUDA code, as a scan finds them, and the folders that it walks
 * for that. */
#ifndef SOFTWARE_SCAN_SCAN_CODE_H
#define SOFTWARE_SCAN_SCAN_CODE_H

#include "base/arena.h"
#include "jitwarm/err.h"
#include "jitwarm/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scan_code {
    const char **folders; /* in the order of the walk */
    size_t n_folders;
    const char **files; /* those that hold code, or could not be read to their end: by path, each once */
    size_t n_files;
    bool too_many; /* files and folders: the walk ended early, and nothing is listed */
};

/* Ends after about `max` files and folders (0: there is no limit). `out` lives in `a`. */
bool scan_code_find(const struct jw_scan_root *roots, size_t n_roots, uint64_t max, struct jw_arena *a,
                    struct scan_code *out, struct jw_err *err) JW_MUST;

#endif
