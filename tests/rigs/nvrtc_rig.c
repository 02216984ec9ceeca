#include "nvrtc_rig.h"

#include "check.h"
#include "driver/worker/child.h"

int nvrtc_rig_worker(int argc, char **argv)
{
    if (argc != 7 || strcmp(argv[1], JW_NVRTC_VERB) != 0)
        return -1;
    jw_nvrtc_serve(&(struct jw_nvrtc_child){argv[2], argv[3], argv[4], argv[5], argv[6]});
    return 0;
}
