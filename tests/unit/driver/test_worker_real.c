/*
 * Real libraries where there are some, and no GPU: NVIDIA's own driver, which $JITWARM_REAL_LIBCUDA names
 * (scripts/fetch-driver gets one), and the stub that a CUDA toolkit has for linking.
 */
#include "rig.h"
#include "rigs/as_nobody.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void nothing(const char *folder)
{
    (void)folder;
}

static void ask_the_driver(const char *folder)
{
    struct jw_worker_options o = { .driver = getenv("JITWARM_REAL_LIBCUDA"), .cache_folder = folder };
    struct jw_worker *w = rig_start_with("", &o);
    const struct jw_worker_driver *d = jw_worker_driver(w);
    size_t n;

    if (!w)
        return;
    printf("%s: cuInit gives %d (%s), CUDA %u, version %s, %s\n", d->library, d->init_result, d->init_name,
           d->cuda_version, d->version ? d->version : "unknown", d->build);
    CHECK_NUM(d->init_result, 100);
    CHECK_TEXT(d->init_name, "CUDA_ERROR_NO_DEVICE");
    CHECK(d->cuda_version >= 11000);
    CHECK(d->version != NULL);
    CHECK(strncmp(d->build, "gnu:", 4) == 0 && strlen(d->build) >= 4 + 32);
    (void)jw_worker_devices(w, &n);
    CHECK_NUM(n, 0);
    jw_worker_stop(w);
}

/* As root it would make /dev/nvidiactl. */
TEST(the_real_driver_without_a_gpu)
{
    if (!getenv("JITWARM_REAL_LIBCUDA"))
        SKIP("JITWARM_REAL_LIBCUDA names no libcuda");
    if (access("/dev/nvidiactl", F_OK) == 0)
        SKIP("there may be a GPU here");
    as_nobody(ask_the_driver, nothing);
    CHECK(access("/dev/nvidiactl", F_OK) != 0);
}

static const char *stub(void)
{
    static const char *const below[] = { "lib64/stubs", "lib/stubs", "targets/x86_64-linux/lib/stubs" };
    static char path[4096];
    const char *home = getenv("HOME"), *corpus = getenv("JITWARM_CORPUS");
    char own[2048], named[2048];
    const char *roots[] = { getenv("CUDA_HOME"), named, own, "/usr/local/cuda" };

    (void)snprintf(named, sizeof named, "%s/toolkit", corpus ? corpus : "/nowhere");
    (void)snprintf(own, sizeof own, "%s/.cache/jitwarm-corpus/toolkit", home ? home : "/nowhere");
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        for (size_t k = 0; roots[i] && k < 3; k++) {
            (void)snprintf(path, sizeof path, "%s/%s/libcuda.so", roots[i], below[k]);
            if (access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

TEST(the_stub_for_linking_says_what_it_is)
{
    struct jw_worker_options o = { .driver = stub() };
    struct jw_worker *w;

    if (!o.driver)
        SKIP("there is no toolkit with a stub here");
    w = rig_start_with("", &o);
    CHECK_NUM(jw_worker_driver(w)->init_result, 34);
    CHECK_NUM(jw_worker_driver(w)->cuda_version, 0);
    CHECK_HAS(jw_worker_driver(w)->library, "stubs/libcuda");
    jw_worker_stop(w);
}

MAIN(argc, argv)
{
    int code = rig_worker(argc, argv);

    if (code >= 0)
        return code;
    scratch_begin();
    return RUN(argc, argv);
}
