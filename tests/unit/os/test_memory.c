#include "base/fault.h"
#include "check.h"
#include "os/machine/memory.h"

TEST(this_machine_has_some)
{
    struct jw_memory m = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_memory_look("", &m, &err));
    CHECK_TEXT(err.msg, "");
    CHECK(m.total > (uint64_t)16 << 20);
    CHECK(m.available > 0 && m.available <= m.total);
    CHECK(!m.pressure_known || m.pressure <= 10000);
    printf("%llu MB of %llu MB%s, pressure %s %u\n", (unsigned long long)m.available >> 20,
           (unsigned long long)m.total >> 20, m.limited ? " (limited)" : "",
           m.pressure_known ? "known" : "unknown", m.pressure);
}

TEST(little_is_pressed_and_so_is_waiting)
{
    struct jw_memory m = { .total = 16000, .available = 1000 };

    CHECK_NUM(jw_memory_spare(&m), 2000);
    CHECK(!jw_memory_pressed(&m));
    m.available = 999;
    CHECK(jw_memory_pressed(&m));
    m.available = 1000;
    m.pressure = 1000;
    CHECK(!jw_memory_pressed(&m)); /* nobody knows */
    m.pressure_known = true;
    CHECK(jw_memory_pressed(&m));
    m.pressure = 999;
    CHECK(!jw_memory_pressed(&m));
}

TEST(a_fault_is_told)
{
    struct jw_memory m = { 0 };
    struct jw_err err = { 0 };

    jw_fault_arm(1);
    CHECK(!jw_memory_look("", &m, &err));
    CHECK(jw_fault_fired() && err.msg[0]);
    jw_fault_arm(0);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(this_machine_has_some), T(little_is_pressed_and_so_is_waiting),
               T(a_fault_is_told));
}
