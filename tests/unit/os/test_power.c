#include "os/machine/power.h"

#include "check.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

/* With the folders above it. */
static void put(const char *name, const char *text)
{
    char folder[256];

    (void)snprintf(folder, sizeof folder, "%s", name);
    *strrchr(folder, '/') = '\0';
    CHECK(jw_make_dirs(scratch(folder), JW_IGNORED));
    scratch_write(scratch(name), text);
}

static void supply(const char *root, unsigned i, const char *file, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/sys/class/power_supply/S%u/%s", root, i, file);
    put(path, text);
}

struct supply {
    const char *type, *online, *status, *scope; /* NULL: no such file */
};

enum { ON_UNKNOWN, ON_MAINS = 0, ON_BATTERY };

static void is(bool want, const struct supply *list, size_t n)
{
    static unsigned roots;
    char root[32];

    (void)snprintf(root, sizeof root, "root%u", roots++);
    for (unsigned i = 0; i < n; i++) {
        supply(root, i, "type", list[i].type);
        if (list[i].online)
            supply(root, i, "online", list[i].online);
        if (list[i].status)
            supply(root, i, "status", list[i].status);
        if (list[i].scope)
            supply(root, i, "scope", list[i].scope);
    }
    CHECK(jw_on_battery(scratch(root)) == want);
}

#define IS(want, ...)                                                                                        \
    is(ON_##want, (const struct supply[]){ __VA_ARGS__ },                                                    \
       sizeof((const struct supply[]){ __VA_ARGS__ }) / sizeof(struct supply))
#define AC(online)                                                                                           \
    {                                                                                                        \
        "Mains\n", online "\n", NULL, NULL                                                                   \
    }
#define BATTERY(status)                                                                                      \
    {                                                                                                        \
        "Battery\n", NULL, status "\n", NULL                                                                 \
    }
#define USB(online)                                                                                          \
    {                                                                                                        \
        "USB\n", online "\n", NULL, NULL                                                                     \
    }
#define MOUSE                                                                                                \
    {                                                                                                        \
        "Battery\n", NULL, "Discharging\n", "Device\n"                                                       \
    }

TEST(supplies_are_judged_as_systemd_judges_them)
{
    is(ON_UNKNOWN, NULL, 0); /* a desktop */
    IS(MAINS, AC("1"));
    IS(MAINS, AC("1"), BATTERY("Charging"));
    IS(BATTERY, AC("0"), BATTERY("Discharging"));
    IS(BATTERY, AC("0"), BATTERY("Full"));
    IS(BATTERY, BATTERY("Discharging"));
    IS(UNKNOWN, BATTERY("Full"));
    IS(MAINS, AC("0"), AC("1"));
    IS(MAINS, AC("0"), USB("1"), BATTERY("Charging"));
    IS(UNKNOWN, USB("0"));
    IS(UNKNOWN, MOUSE);
    IS(MAINS, MOUSE, AC("1"));
    IS(UNKNOWN, { "Mainsail\n", "0\n", NULL, NULL });
    IS(UNKNOWN, { "Mains\n", "10\n", NULL, NULL });
    IS(UNKNOWN, { "", "", "", "" });
}
