/* A set of file identities: has this file, under whatever name, been seen before? */
#ifndef SOFTWARE_SCAN_SCAN_IDS_H
#define SOFTWARE_SCAN_SCAN_IDS_H

#include "os/files/file.h"

struct scan_id {
    struct jw_file_id id;
    unsigned round;
};

struct scan_ids {
    struct scan_id *slots;
    size_t n, cap; /* cap: a power of two */
};

/* `*seen`: the round in which it was added first, which is `round` when it is new (`*fresh`). */
bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, unsigned round, unsigned *seen, bool *fresh);
void scan_ids_free(struct scan_ids *ids);

#endif
