#include "machine/ulimit.h"

#include "facts/driver_settings.h"

#include <sys/resource.h>

struct jw_ulimit jw_ulimit_too_low(void)
{
    static const struct {
        __rlimit_resource_t of;
        rlim_t least, better;
    } all[] = {
        [JW_ULIMIT_NONE] = {0},
        /* open files that a context and a module need: driver 470 65, 390 69, 535 76, 555 78, 550
           80 */
        [JW_ULIMIT_FILES] = {RLIMIT_NOFILE, 80, 1024},
        [JW_ULIMIT_FILE_SIZE] = {RLIMIT_FSIZE, JW_CACHE_SMALLEST, RLIM_INFINITY},
        [JW_ULIMIT_MEMORY] = {RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY},
    };
    JW_ROW_FOR_EACH(all, JW_ULIMITS, 4);
    struct rlimit is;

    for (enum jw_ulimit_which i = JW_ULIMIT_FILES; i < JW_ULIMITS; i++)
        if (getrlimit(all[i].of, &is) == 0 && is.rlim_cur < all[i].least)
            return (struct jw_ulimit){i, is.rlim_cur, is.rlim_max < all[i].better};
    return (struct jw_ulimit){JW_ULIMIT_NONE};
}
