/* The package metadata of one folder. Internal to jw_discovery_owner. */
#ifndef SOFTWARE_FIND_OWNER_H
#define SOFTWARE_FIND_OWNER_H

#include "base/bytes.h"
#include "software/find/discover.h"

#include <stdint.h>

struct jw_owner_package {
    struct jw_package is;
    const char *key;      /* the name in the metadata's file name */
    const char *metadata; /* not read yet; NULL: nothing more to learn */
};

struct jw_owner_file {
    uint64_t path; /* hash of the path below the folder */
    uint32_t package;
};

struct jw_owner_module {
    const char *name; /* a folder that belongs to the package although its files are not listed */
    uint32_t package;
};

struct jw_owner_index {
    const char *folder; /* site-packages, or a conda prefix */
    bool conda;
    struct jw_owner_package *packages;
    size_t n_packages;
    struct jw_owner_file *files; /* sorted */
    size_t n_files;
    struct jw_owner_module *modules;
    size_t n_modules;
};

/* Returns the index of `folder`, and makes it if necessary. NULL: there are too many. */
const struct jw_owner_index *jw_owner_index(struct jw_discovery *d, const char *folder, bool conda);

/* Equal for two spellings of one relative path under the rules of the system. */
uint64_t jw_owner_hash(struct jw_bytes path, bool windows);

#endif
