#include "facts/jitcaches.h"

#include "facts/rows.h"

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
                                 .path = (enum jw_jitcache_path)r->path };
}
