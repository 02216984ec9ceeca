#include "check.h"
#include "setup/env/env_advice.h"

static const uint64_t GB = 1000000000, max = 4294967296;

struct trial {
    struct jw_cachedir dir;
    struct jw_env_facts f;
    struct jw_env_advice out[JW_ENV_VARIABLES];
    struct jw_arena a;
};

static struct trial begin(void)
{
    struct trial t = { .dir = { .folder = "/home/u/.nv/ComputeCache" } };

    t.f = (struct jw_env_facts){ .disk_known = true, .disk = { .free = 100 * GB, .total = 200 * GB } };
    return t;
}

static void check(struct trial *t)
{
    t->f.dir = &t->dir;
    jw_env_advise(&t->f, &t->a, t->out);
}

static void size_is(struct trial *t, const char *value, bool wrong, const char *why)
{
    check(t);
    CHECK_TEXT(t->out[JW_ENV_SIZE].value ? t->out[JW_ENV_SIZE].value : "as it is", value);
    CHECK_NUM(t->out[JW_ENV_SIZE].wrong, wrong);
    CHECK_HAS(t->out[JW_ENV_SIZE].why, why);
    jw_arena_free(&t->a);
}

static void place_is(struct trial *t, const char *value, bool wrong, const char *why)
{
    check(t);
    CHECK_TEXT(t->out[JW_ENV_PLACE].value ? t->out[JW_ENV_PLACE].value : "as it is", value);
    CHECK_NUM(t->out[JW_ENV_PLACE].wrong, wrong);
    CHECK_HAS(t->out[JW_ENV_PLACE].why, why);
    jw_arena_free(&t->a);
}

static void set_limit(struct trial *t, const char *value, uint64_t limit)
{
    t->dir.limit_from.value = value;
    t->dir.limit = limit;
    t->dir.limit_known = limit > 0;
}

TEST(need_and_a_quarter_in_plain_bytes)
{
    struct trial t = begin();

    t.f.need_known = true;
    t.f.need = 700000000;
    size_is(&t, "1073741824", false, "your programs need 668 MiB");
    t.f.need = 900000000;
    size_is(&t, "2147483648", false, "a quarter more");
    t.f.need = max;
    size_is(&t, "4294967296", false, "your programs need 4 GiB");
    t.f.need = max + 1;
    size_is(&t, "4294967296", false, "more than one cache can hold");
}

TEST(what_was_not_measured_gets_the_recommendation_for_what_is_there)
{
    struct trial t = begin();

    size_is(&t, "1073741824", false, "not measured yet");
    t.dir.usual = 268435456;
    size_is(&t, "as it is", false, "the default of this driver is 256 MiB; jitwarm has not measured");
    t.f.need = 300000000; /* in the cache */
    size_is(&t, "536870912", false, "not measured yet");
    t.f.disk_known = false;
    size_is(&t, "536870912", false, "not measured yet");
}

TEST(a_limit_that_is_enough_stays)
{
    struct trial t = begin();

    t.dir.usual = 1073741824;
    t.f.need_known = true;
    t.f.need = 20000000;
    size_is(&t, "as it is", false, "the default of this driver is 1 GiB, and your programs need 19 MiB");
    t.f.need = 900000000;
    size_is(&t, "2147483648", false, "the default of this driver is 1 GiB");
    t = begin();
    set_limit(&t, "2147483648", 2147483648);
    size_is(&t, "as it is", false, "it is large enough for most programs");
    t.f.need_known = true;
    t.f.need = GB;
    size_is(&t, "as it is", false, "it is enough");
    t.f.need = 2 * GB; /* fits, with little to spare */
    size_is(&t, "4294967296", false, "a quarter more");
    t.f.need = 3 * GB;
    size_is(&t, "4294967296", true, "your programs need 2.8 GiB");
}

TEST(junk_in_the_limit_is_wrong)
{
    struct trial t = begin();

    set_limit(&t, "4G", 0);
    size_is(&t, "4294967296", true, "not measured");
    set_limit(&t, "33554432", 33554432);
    size_is(&t, "1073741824", false, "not measured");
}

TEST(what_was_asked_for_is_taken)
{
    struct trial t = begin();

    t.f.ask_size = 512 << 20;
    size_is(&t, "536870912", false, "--max-size");
    t.f.need_known = true;
    t.f.need = GB;
    size_is(&t, "536870912", false, "every start compiles some of it again");
    t.f.ask_place = "/fast";
    place_is(&t, "/fast", false, "--path");
}

TEST(the_default_place_stays_where_it_is_good)
{
    struct trial t = begin();

    place_is(&t, "as it is", false, "the default is on a local disk");
    t.f.container = true;
    place_is(&t, "as it is", false, "a volume is mounted at /home/u/.nv/ComputeCache");
}

TEST(a_network_home_needs_another_folder)
{
    struct trial t = begin();

    t.f.disk.kind = JW_DISK_NETWORK;
    place_is(&t, "as it is", true, "a network disk");
    place_is(&t, "as it is", true, "on a local disk with --path");
}

TEST(other_bad_places)
{
    struct trial t = begin();

    t.f.disk.kind = JW_DISK_MEMORY;
    place_is(&t, "as it is", true, "in memory");
    t = begin();
    t.f.refused = "its file system is mounted read-only";
    place_is(&t, "as it is", true, "mounted read-only");
    t = begin();
    t.f.writers = "everybody";
    place_is(&t, "as it is", true, "everybody may write");
    t = begin();
    t.dir.folder = NULL;
    place_is(&t, "as it is", true, "is HOME unset?");
    t = begin();
    t.dir.folder = t.dir.folder_from.value = "cache";
    place_is(&t, "as it is", true, "not an absolute path");
    t = begin();
    t.f.roaming = true;
    place_is(&t, "as it is", true, "over the network at every logon");
    t = begin();
    t.dir.folder = t.dir.folder_from.value = "/tmp/cuda";
    place_is(&t, "as it is", false, "a temporary folder of all users");
}

TEST(a_cache_that_is_off_is_switched_on)
{
    struct trial t = begin();

    check(&t);
    CHECK(!t.out[JW_ENV_OFF].value && !t.out[JW_ENV_OFF].wrong);
    t.dir.disabled = true;
    t.dir.disabled_from.value = "1";
    check(&t);
    CHECK_TEXT(t.out[JW_ENV_OFF].value, "0");
    CHECK(t.out[JW_ENV_OFF].wrong);
    t.dir.disabled = false;
    t.dir.disabled_from.value = "yes";
    check(&t);
    CHECK_TEXT(t.out[JW_ENV_OFF].value, "0");
    t.dir.disabled_from.value = "0";
    check(&t);
    CHECK(!t.out[JW_ENV_OFF].value);
    jw_arena_free(&t.a);
}
