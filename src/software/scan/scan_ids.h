/* A set of file identities, to scan each file once under whatever name. */
#pragma once

#include "os/files/file.h"

struct scan_id {
    struct jw_file_id id;
    unsigned round;
};

struct scan_ids {
    struct scan_id *slots;
    size_t n, cap; /* cap: a power of two */
};

/* True: it is new. `*seen`: the round that added it first. */
bool scan_ids_add(struct scan_ids *ids, struct jw_file_id id, unsigned round, unsigned *seen);
void scan_ids_free(struct scan_ids *ids);
