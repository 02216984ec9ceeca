#include "os/machine/power.h"

#include <string.h>

static bool matches_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    return strncmp(text, word, n) == 0 && (text[n] == '\0' || text[n] == '\n');
}

/* Batteries of devices (a mouse) do not count. A USB supply counts only if it is online. */
void jw_power_add(struct jw_supplies *all, const struct jw_supply *one)
{
    if (matches_word(one->scope, "Device"))
        return;
    if (matches_word(one->type, "Battery"))
        all->discharging |= matches_word(one->status, "Discharging");
    else if (matches_word(one->type, "Mains")) {
        all->online |= matches_word(one->online, "1");
        all->offline |= matches_word(one->online, "0");
    } else if (matches_word(one->type, "USB"))
        all->online |= matches_word(one->online, "1");
}

/* The rule of systemd's ConditionACPower. A desktop has no supply in the list. */
enum jw_power jw_power_of(const struct jw_supplies *all)
{
    if (all->online)
        return JW_POWER_MAINS;
    return all->offline || all->discharging ? JW_POWER_BATTERY : JW_POWER_UNKNOWN;
}
