#include "os/machine/power.h"

#include "base/fault.h"
#include "check.h"
#include "os/files/file.h"
#include "os/machine/env.h"
#include "rigs/scratch.h"

#include <string.h>

static enum jw_power of(const struct jw_supply *list, size_t n)
{
    struct jw_supplies all = { 0 };

    for (size_t i = 0; i < n; i++)
        jw_power_add(&all, &list[i]);
    return jw_power_of(&all);
}

#define OF(...)                                                                                              \
    of((const struct jw_supply[]){ __VA_ARGS__ },                                                            \
       sizeof((const struct jw_supply[]){ __VA_ARGS__ }) / sizeof(struct jw_supply))
#define AC(online)                                                                                           \
    {                                                                                                        \
        "Mains\n", online "\n", "", ""                                                                       \
    }
#define BATTERY(status)                                                                                      \
    {                                                                                                        \
        "Battery\n", "", status "\n", ""                                                                     \
    }
#define USB(online)                                                                                          \
    {                                                                                                        \
        "USB\n", online "\n", "", ""                                                                         \
    }
#define MOUSE                                                                                                \
    {                                                                                                        \
        "Battery\n", "", "Discharging\n", "Device\n"                                                         \
    }

TEST(supplies_are_judged_as_systemd_judges_them)
{
    CHECK_NUM(of(NULL, 0), JW_POWER_UNKNOWN); /* a desktop */
    CHECK_NUM(OF(AC("1")), JW_POWER_MAINS);
    CHECK_NUM(OF(AC("1"), BATTERY("Charging")), JW_POWER_MAINS);
    CHECK_NUM(OF(AC("0"), BATTERY("Discharging")), JW_POWER_BATTERY);
    CHECK_NUM(OF(AC("0"), BATTERY("Full")), JW_POWER_BATTERY);
    CHECK_NUM(OF(BATTERY("Discharging")), JW_POWER_BATTERY);
    CHECK_NUM(OF(BATTERY("Full")), JW_POWER_UNKNOWN);
    CHECK_NUM(OF(AC("0"), AC("1")), JW_POWER_MAINS);
    CHECK_NUM(OF(AC("0"), USB("1"), BATTERY("Charging")), JW_POWER_MAINS);
    CHECK_NUM(OF(USB("0")), JW_POWER_UNKNOWN);
}

TEST(the_battery_of_a_mouse_says_nothing)
{
    CHECK_NUM(OF(MOUSE), JW_POWER_UNKNOWN);
    CHECK_NUM(OF(MOUSE, AC("1")), JW_POWER_MAINS);
}

TEST(nonsense_is_unknown)
{
    CHECK_NUM(OF({ "", "", "", "" }), JW_POWER_UNKNOWN);
    CHECK_NUM(OF({ "Mainsail\n", "0\n", "", "" }), JW_POWER_UNKNOWN);
    CHECK_NUM(OF({ "Mains\n", "10\n", "", "" }), JW_POWER_UNKNOWN);
}

/* With the folders above it. */
static void put(const char *name, const char *text)
{
    struct jw_err err = { 0 };
    char folder[256];

    (void)snprintf(folder, sizeof folder, "%s", name);
    *strrchr(folder, '/') = '\0';
    CHECK(jw_make_dirs(scratch(folder), &err));
    scratch_write(scratch(name), text);
}

static void supply(const char *name, const char *file, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof path, "root/sys/class/power_supply/%s/%s", name, file);
    put(path, text);
}

TEST(it_is_read_from_sysfs)
{
    enum jw_power power;
    struct jw_err err = { 0 };

    if (jw_os_is_windows())
        SKIP("sysfs is Linux'");
    CHECK(jw_power_look(scratch("nothing"), &power, &err) && power == JW_POWER_UNKNOWN);
    supply("ADP1", "type", "Mains\n");
    supply("ADP1", "online", "0\n");
    supply("BAT0", "type", "Battery\n");
    supply("BAT0", "status", "Discharging\n");
    CHECK(jw_power_look(scratch("root"), &power, &err) && power == JW_POWER_BATTERY);
    supply("ADP1", "online", "1\n");
    CHECK(jw_power_look(scratch("root"), &power, &err) && power == JW_POWER_MAINS);
}

TEST(this_machine_answers)
{
    enum jw_power power;
    struct jw_err err = { 0 };

    CHECK(jw_power_look("", &power, &err) && power <= JW_POWER_BATTERY);
}

TEST(a_fault_is_told)
{
    enum jw_power power;
    struct jw_err err = { 0 };

    jw_fault_arm(1);
    CHECK(!jw_power_look("", &power, &err) && err.msg[0]);
    jw_fault_arm(0);
}
