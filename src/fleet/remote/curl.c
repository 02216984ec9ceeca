#include "fleet/remote/curl.h"

#include <string.h>

static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.dll",
                                     "libcurl-x64.dll" };

enum { EVERYTHING = 3 };

static bool find(const struct curl *c, const char *name, void *slot)
{
    jw_lib_fn fn = jw_lib_symbol(&c->lib, name);

    memcpy(slot, &fn, sizeof fn);
    return fn != NULL;
}

static bool open_one(struct curl *c)
{
    struct jw_err ignored;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (jw_lib_open(&c->lib, names[i], &ignored))
            return true;
    return false;
}

bool curl_open(struct curl *c, struct jw_err *err)
{
    int (*global)(long) = NULL;

    *c = (struct curl){ 0 };
    if (!open_one(c))
        return jw_fail(
            err, JW_E_NET,
            "the network needs libcurl, which is not installed here (Debian: apt install libcurl4); "
            "oci-layout: and dir: work without it");
    bool ok = find(c, "curl_global_init", &global) && find(c, "curl_easy_init", &c->init)
              && find(c, "curl_easy_reset", &c->reset) && find(c, "curl_easy_cleanup", &c->cleanup)
              && find(c, "curl_easy_setopt", &c->set) && find(c, "curl_easy_getinfo", &c->get)
              && find(c, "curl_easy_perform", &c->perform) && find(c, "curl_easy_strerror", &c->error)
              && find(c, "curl_slist_append", &c->append) && find(c, "curl_slist_free_all", &c->free_list);

    return (ok && global(EVERYTHING) == 0)
           || jw_fail(err, JW_E_NET, "the libcurl of this machine cannot be used");
}
