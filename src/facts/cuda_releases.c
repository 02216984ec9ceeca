#include "facts/cuda_releases.h"

#include "facts/rows.h"

static struct jw_cuda_release release_of(const struct jw_release_row *r)
{
    return (struct jw_cuda_release){ .cuda = r->cuda_major * 100U + r->cuda_minor,
                                     .isa_major = r->isa_major,
                                     .isa_minor = r->isa_minor,
                                     .oldest = r->nvcc_oldest,
                                     .newest = r->nvcc_newest,
                                     .nvrtc_newest = r->nvrtc_newest,
                                     .linux_least = jw_facts_pool + r->linux_least,
                                     .windows_least = jw_facts_pool + r->windows_least };
}

bool jw_cuda_release_find(unsigned cuda, struct jw_cuda_release *out)
{
    for (size_t i = 0; i < jw_facts_releases_n; i++) {
        *out = release_of(&jw_facts_releases[i]);
        if (out->cuda == cuda)
            return true;
    }
    return false;
}

bool jw_cuda_release_for(unsigned sm, struct jw_cuda_release *out)
{
    for (size_t i = 0; i < jw_facts_releases_n; i++) {
        *out = release_of(&jw_facts_releases[i]);
        if (out->newest >= sm && out->oldest <= sm)
            return true;
    }
    return false;
}
