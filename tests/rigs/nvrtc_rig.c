#include "nvrtc_rig.h"

#include "check.h"
#include "driver/worker/child.h"
#include "os/machine/env.h"

#include <stdlib.h>

int nvrtc_rig_worker(int argc, char **argv)
{
    struct jw_err err = { 0 };

    if (argc != 8 || strcmp(argv[1], JW_NVRTC_VERB) != 0)
        return -1;
    const struct jw_nvrtc_child o = { argv[2], argv[3], argv[4], argv[5], argv[6], argv[7] };

    return jw_nvrtc_serve(&o, &err) ? 0 : 1;
}
