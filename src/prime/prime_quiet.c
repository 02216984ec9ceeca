#include "prime/prime_quiet.h"

#include <stddef.h>

/* Hundredths of a percent of ten seconds. */
enum { BUSY_CPU = 4000, BUSY_DISK = 2500, SHORT_MEMORY = 1000 };

#define PATIENCE_NS ((uint64_t)10000000000)
#define STORM_NS ((uint64_t)60000000000)
#define RUSH_NS ((uint64_t)300000000000)

static const char battery[] = "on battery; it continues on mains power";
static const char memory[] = "the machine is short of memory";
static const char disk[] = "the disk is busy";

static bool memory_is_short(const struct quiet_facts *f)
{
    return f->short_of_memory || (f->pressure.known && f->pressure.memory >= SHORT_MEMORY);
}

static bool disk_is_busy(const struct quiet_facts *f)
{
    return f->pressure.known && f->pressure.io >= BUSY_DISK;
}

const char *quiet_to_begin(const struct quiet_facts *f, uint64_t waited_ns)
{
    if (f->power == JW_POWER_BATTERY)
        return battery;
    if (memory_is_short(f))
        return memory;
    if (waited_ns < RUSH_NS && disk_is_busy(f))
        return disk;
    if (waited_ns < STORM_NS && f->pressure.known && f->pressure.cpu >= BUSY_CPU)
        return "the processors are busy";
    return NULL;
}

bool quiet_is_pressed(const struct quiet_facts *f)
{
    return memory_is_short(f) || disk_is_busy(f);
}

const char *quiet_to_go_on(struct quiet_watch *w, const struct quiet_facts *f, uint64_t now_ns)
{
    if (f->power == JW_POWER_BATTERY)
        return battery;
    if (!memory_is_short(f)) {
        w->pressed_since = 0;
        return NULL;
    }
    if (!w->pressed_since)
        w->pressed_since = now_ns;
    if (now_ns - w->pressed_since < PATIENCE_NS)
        return NULL;
    return memory;
}
