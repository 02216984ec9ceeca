#include "nvrtc_rig.h"

#include "check.h"
#include "driver/worker/child.h"
#include "os/machine/env.h"

#include <stdlib.h>

int nvrtc_rig_worker(int argc, char **argv)
{
    struct jw_err err = { 0 };

    if (argc != 10 || strcmp(argv[1], JW_NVRTC_VERB) != 0)
        return -1;
    const struct jw_nvrtc_child o = {
        argv[2], argv[3], argv[4], argv[5], argv[6], argv[7], argv[8], argv[9]
    };

    return jw_nvrtc_serve(&o, &err) ? 0 : 1;
}

void nvrtc_rig_env(const char *name, const char *value)
{
    static char slots[64][5000]; /* putenv keeps what it is given */
    static size_t next;
    char *slot = slots[next++ % 64];
    bool bare = !value && !jw_os_is_windows(); /* there "NAME=" unsets */

    (void)snprintf(slot, sizeof slots[0], bare ? "%s" : "%s=%s", name, value ? value : "");
    CHECK(putenv(slot) == 0);
}

const char *nvrtc_rig_path(const char *built)
{
    static char paths[8][4200];
    static size_t next;
    char *path = paths[next++ % 8];

    (void)snprintf(path, sizeof paths[0], "%s%s", jw_os_is_windows() && *built == '/' ? "Z:" : "", built);
    return path;
}
