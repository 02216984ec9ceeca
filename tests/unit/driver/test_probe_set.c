/* The modules of the probe: those that a driver can take, of PTX that it compiles. That they are
 * sound and unlike each other is what the probe itself finds. */
#include "driver/probe/probe_set.h"

#include "check.h"
#include "formats/ptx.h"

#include <stdlib.h>

static const struct version {
    unsigned cuda;
    size_t modules;
    uint16_t major, minor, sm;
} versions[] = {
    {9000, 5, 6, 0, 30},  {10020, 5, 6, 0, 30}, {11000, 5, 7, 0, 30}, {11080, 5, 7, 0, 30},
    {12000, 5, 8, 0, 50}, {12030, 5, 8, 0, 50}, {12040, 6, 8, 0, 50}, {13000, 6, 8, 0, 50},
    {20000, 6, 8, 0, 50}, {0, 5, 6, 0, 30},
};

static bool has(struct jw_bytes text, const char *word)
{
    return jw_find(text, (struct jw_bytes){(const uint8_t *)word, strlen(word)}) < text.n;
}

/* The text of a module is whole, of its version, and names its kernel. */
static void check_ptx(const struct probe_module *m, const struct version *v)
{
    struct jw_bytes ptx = jw_buf_bytes(&m->ptx);
    struct jw_err err = {0};
    struct jw_ptx head;

    CHECK_OK(jw_ptx_read(ptx, &head, &err), err);
    CHECK(!has(ptx, "@") && !memchr(ptx.p, 0, ptx.n));
    CHECK_NUM(head.major, v->major);
    CHECK_NUM(head.minor, v->minor);
    CHECK_NUM(head.target.sm, v->sm);
    CHECK_NUM(head.target.suffix, 0);
    /* The number that the kernel adds is the number of its name. */
    static const char name[] = ".entry jw_canary_add_";
    size_t at = jw_find(ptx, (struct jw_bytes){(const uint8_t *)name, strlen(name)}) + strlen(name);
    char add[64];

    CHECK(at < ptx.n);
    (void)snprintf(add, sizeof add, "add.s32 \t%%r2, %%r1, %u;",
                   (unsigned)strtoul((const char *)ptx.p + at, NULL, 10));
    CHECK(has(ptx, add));
}

static void check_version(const struct version *v)
{
    struct probe_module set[JW_PROBE_MAX];
    struct jw_err err = {0};
    size_t n;

    CHECK_OK(probe_set_make(set, &n, v->cuda, &err), err);
    CHECK_NUM(n, v->modules);
    for (size_t i = 0; i < n; i++)
        check_ptx(&set[i], v);
    probe_set_free(set);
}

TEST(every_cuda_version)
{
    for (size_t i = 0; i < JW_COUNT(versions); i++)
        check_version(&versions[i]);
}
