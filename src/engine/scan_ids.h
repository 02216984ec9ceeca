/* A set of file identities: has this file, under whatever name, been seen before? */
#ifndef ENGINE_SCAN_IDS_H
#define ENGINE_SCAN_IDS_H

#include "os/file.h"

struct scan_ids {
    struct jw_file_id *slots;
    size_t n, cap; /* cap: a power of two */
};

/* `*fresh`: it was not in the set, and is now. */
bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, bool *fresh, struct jw_err *err);
void scan_ids_free(struct scan_ids *ids);

#endif
