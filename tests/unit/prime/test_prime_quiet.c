#include "prime/prime_quiet.h"

#include "check.h"

#define S ((uint64_t)1000000000)

static const struct quiet_facts calm = { .power = JW_POWER_MAINS, .pressure = { true, 0, 0, 0 } };

static struct quiet_facts under(unsigned cpu, unsigned io, unsigned memory)
{
    struct quiet_facts f = calm;

    f.pressure = (struct jw_pressure){ true, cpu, io, memory };
    return f;
}

static struct quiet_facts on_battery(void)
{
    struct quiet_facts f = calm;

    f.power = JW_POWER_BATTERY;
    return f;
}

TEST(a_calm_machine_is_begun_on)
{
    struct quiet_facts unknown = { .power = JW_POWER_UNKNOWN };

    CHECK(!quiet_to_begin(&calm, 0));
    CHECK(!quiet_to_begin(&unknown, 0)); /* a desktop without PSI */
}

TEST(on_battery_it_waits)
{
    struct quiet_facts f = on_battery();
    struct quiet_watch w = { 0 };

    CHECK_HAS(quiet_to_begin(&f, 0), "battery");
    CHECK_HAS(quiet_to_begin(&f, 3600 * S), "battery");
    CHECK_HAS(quiet_to_go_on(&w, &f, S), "battery");
}

TEST(a_busy_machine_is_waited_for)
{
    struct quiet_facts cpu = under(9000, 0, 0), io = under(0, 3000, 0), memory = under(0, 0, 1000);
    struct quiet_facts low = calm;

    low.short_of_memory = true;
    CHECK_HAS(quiet_to_begin(&cpu, 0), "processors");
    CHECK(!quiet_to_begin(&cpu, 60 * S)); /* the workers are idle at them */
    CHECK_HAS(quiet_to_begin(&io, 0), "disk");
    CHECK_HAS(quiet_to_begin(&io, 299 * S), "disk");
    CHECK(!quiet_to_begin(&io, 300 * S)); /* some machines are never quiet */
    CHECK_HAS(quiet_to_begin(&memory, 600 * S), "memory");
    CHECK_HAS(quiet_to_begin(&low, 600 * S), "memory");
}

TEST(a_little_is_no_reason)
{
    struct quiet_facts f = under(3999, 2499, 999);

    CHECK(!quiet_to_begin(&f, 0) && !quiet_is_pressed(&f));
}

TEST(what_passes_by_itself_ends_nothing)
{
    struct quiet_facts hard = under(0, 0, 5000);
    struct quiet_watch w = { 0 };

    CHECK(quiet_is_pressed(&hard));
    CHECK(!quiet_to_go_on(&w, &hard, 100 * S));
    CHECK(!quiet_to_go_on(&w, &hard, 109 * S));
    CHECK(!quiet_to_go_on(&w, &calm, 110 * S)); /* over */
    CHECK(!quiet_to_go_on(&w, &hard, 111 * S));
    CHECK(!quiet_to_go_on(&w, &hard, 120 * S));
    CHECK_HAS(quiet_to_go_on(&w, &hard, 121 * S), "memory");
}

TEST(a_shortage_of_memory_that_lasts_ends_it)
{
    struct quiet_facts low = calm;
    struct quiet_watch w = { 0 };

    low.short_of_memory = true;
    CHECK(!quiet_to_go_on(&w, &low, 5 * S));
    CHECK_HAS(quiet_to_go_on(&w, &low, 15 * S), "memory");
}

TEST(a_busy_disk_slows_it_and_does_not_end_it)
{
    struct quiet_facts io = under(0, 9000, 0);
    struct quiet_watch w = { 0 };

    CHECK(quiet_is_pressed(&io));
    CHECK(!quiet_to_go_on(&w, &io, S) && !quiet_to_go_on(&w, &io, 1000 * S));
}

/* Our own workers are among those that wait for a processor. */
TEST(busy_processors_end_nothing)
{
    struct quiet_facts cpu = under(10000, 0, 0);
    struct quiet_watch w = { 0 };

    CHECK(!quiet_is_pressed(&cpu));
    CHECK(!quiet_to_go_on(&w, &cpu, S) && !quiet_to_go_on(&w, &cpu, 1000 * S));
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(a_calm_machine_is_begun_on), T(on_battery_it_waits),
               T(a_busy_machine_is_waited_for), T(a_little_is_no_reason),
               T(what_passes_by_itself_ends_nothing), T(a_shortage_of_memory_that_lasts_ends_it),
               T(a_busy_disk_slows_it_and_does_not_end_it), T(busy_processors_end_nothing));
}
