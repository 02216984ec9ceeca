#include "facts/jitcaches.h"

#include "facts/rows.h"

#include <string.h>

size_t jw_jitcaches(void)
{
    return jw_facts_jitcaches_n;
}

struct jw_jitcache jw_jitcache_at(size_t i, bool windows)
{
    const struct jw_jitcache_row *r = &jw_facts_jitcaches[i];

    return (struct jw_jitcache){ .name = jw_facts_pool + r->cache,
                                 .title = jw_facts_pool + r->title,
                                 .variables = jw_facts_pool + r->variables,
                                 .folder = jw_facts_pool + (windows ? r->windows_folder : r->linux_folder),
                                 .packages = jw_facts_pool + r->packages,
                                 .holds = jw_facts_pool + r->holds,
                                 .path = (enum jw_jitcache_path)r->path };
}

bool jw_jitcache_find(const char *name, bool windows, struct jw_jitcache *out)
{
    for (size_t i = 0; i < jw_jitcaches(); i++) {
        *out = jw_jitcache_at(i, windows);
        if (strcmp(out->name, name) == 0)
            return true;
    }
    return false;
}
