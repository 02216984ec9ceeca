/* What the driver does with each module of an image, on one GPU. Pure; verdicts and jobs ask here
 * alone. */
#pragma once

#include "formats/image.h"
#include "formats/select.h"

struct scan_judge {
    const struct jw_image *image;
    const struct jw_driver_limits *driver;
    unsigned sm;
    bool links; /* the driver links results when a program loads them, of inputs that it compiles */
    /* inputs of a link; where there are any, results and inputs with nothing for this GPU, as
     * link-time code is */
    uint64_t inputs, results, missing;
};

/* Borrows both. */
struct scan_judge scan_judge(const struct jw_image *image, unsigned sm,
                             const struct jw_driver_limits *driver);

bool scan_judge_input(const struct scan_judge *j,
                      const struct jw_fat *fat); /* the driver links it */

/* One module of the image. LINKED: its inputs are compiled and linked instead of it. */
struct jw_choice scan_judge_module(const struct scan_judge *j, const struct jw_fat *fat);
