/* The cache that the simulated driver keeps: format, names, limits, order. */
#include "rig.h"

#include "base/buf.h"
#include "formats/fatbin.h"
#include "os/files/file.h"

#include <stdlib.h>

enum { ENTRY = 20000 }; /* bytes of PTX; an entry is about 1.4 times as much */

/* Loads a PTX in a process of its own; its CUresult. */
static int store(const char *path)
{
    char command[4200];

    (void)snprintf(command, sizeof command, "load %s", path);
    const char *said = rig_play("init", "ctx 0", command, NULL), *at = strstr(said, "load ");

    return at ? atoi(at + 5) : -1;
}

static const char *numbered(unsigned n)
{
    char name[32];

    (void)snprintf(name, sizeof name, "m%u.ptx", n);
    return rig_ptx(name, "7.0", "sm_75", n, ENTRY);
}

static uint64_t name_of(unsigned n)
{
    return rig_name(numbered(n), "sm_86", 1, "");
}

static bool is_there(unsigned n)
{
    return scratch_there(rig_entry(name_of(n)));
}

static void flip_a_byte(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");

    CHECK(f && fseek(f, at, SEEK_SET) == 0);
    int byte = fgetc(f);

    CHECK(byte != EOF && fseek(f, at, SEEK_SET) == 0 && fputc(byte ^ 0xff, f) != EOF && fclose(f) == 0);
}

/* With its modification time one can tell whether it was written again. */
static int64_t mtime(const char *path)
{
    struct jw_file_info info = { 0 };
    struct jw_err err = { 0 };

    CHECK(jw_file_stat(path, &info, &err));
    return info.mtime;
}

TEST(a_miss_then_a_hit_in_a_fresh_process)
{
    rig_begin();
    CHECK_NUM(store(numbered(1)), 0);
    const char *entry = rig_entry(name_of(1));
    int64_t before = mtime(entry);
    struct rig_look l = rig_look();

    CHECK(l.index_sound);
    CHECK_NUM(l.files, 1);
    CHECK_NUM(l.records, 1);
    CHECK_NUM(l.damaged + l.orphans + l.missing, 0);
    rig_look_free(&l);
    rig_set("SIMCUDA_JIT", "none");
    CHECK_NUM(store(numbered(1)), 0);
    CHECK(mtime(entry) == before);
    CHECK_NUM(store(numbered(2)), 221);
}

TEST(names_are_predictable)
{
    const char *ptx, *fat;

    rig_begin();
    ptx = numbered(7);
    fat = rig_fatbin("a.fatbin", ptx, 75, JW_FAT_ZSTD, NULL);
    CHECK_NUM(store(fat), 0);
    CHECK(scratch_there(rig_entry(rig_name(ptx, "sm_86", 2, ""))));
    fat = rig_fatbin("b.fatbin", ptx, 75, JW_FAT_LZ4, "-maxrregcount=40 --generate-line-info ");
    CHECK_NUM(store(fat), 0);
    CHECK(scratch_there(rig_entry(rig_name(ptx, "sm_86", 2, "-maxrregcount=40 --generate-line-info "))));
    fat = rig_fatbin("c.fatbin", ptx, 75, 0, NULL);
    CHECK_NUM(store(fat), 0);
    CHECK(scratch_there(rig_entry(rig_name(ptx, "sm_86", 7, "")))); /* what pads this text to eight bytes */
    CHECK_NUM(rig_files(), 3);
}

TEST(architecture_and_stamp_enter_the_key)
{
    rig_begin();
    CHECK_NUM(store(numbered(1)), 0);
    rig_set("SIMCUDA_GPUS", "sm_90:NVIDIA H100:80G");
    CHECK_NUM(store(numbered(1)), 0);
    CHECK(scratch_there(rig_entry(rig_name(numbered(1), "sm_90", 1, ""))));
    rig_set("SIMCUDA_STAMP", "Feb  9 2019 19:17:30");
    CHECK_NUM(store(numbered(1)), 0);
    rig_set("SIMCUDA_STAMP", NULL);
    rig_set("SIMCUDA_DRIVER", "575.57.08");
    CHECK_NUM(store(numbered(1)), 0);
    CHECK_NUM(rig_files(), 4);
    rig_set("SIMCUDA_DRIVER", NULL);
    const char *special = rig_ptx("s.ptx", "8.0", "sm_90a", 9, 0);

    CHECK_NUM(store(special), 0);
    CHECK(scratch_there(rig_entry(rig_name(special, "sm_90", 1, ""))));
}

TEST(first_in_first_out)
{
    rig_begin();
    rig_set("CUDA_CACHE_MAXSIZE", "120000"); /* room for four */
    for (unsigned i = 1; i <= 4; i++)
        CHECK_NUM(store(numbered(i)), 0);
    CHECK_NUM(rig_files(), 4);
    CHECK_NUM(store(numbered(1)), 0); /* a hit does not help it */
    CHECK_NUM(store(numbered(5)), 0);
    CHECK(!is_there(1) && is_there(2) && is_there(5));
    struct rig_look l = rig_look();

    CHECK(l.index_sound && l.records == 4 && l.missing == 0 && l.orphans == 0);
    CHECK(l.index.list[0].hash == name_of(2) && l.index.list[3].hash == name_of(5));
    rig_look_free(&l);
    rig_set("CUDA_CACHE_MAXSIZE", "0"); /* driver-fact: F53-plain-bytes */
    CHECK_NUM(store(numbered(6)), 0);
    rig_set("SIMCUDA_JIT", "none");
    CHECK_NUM(store(numbered(5)), 0); /* a hit */
    CHECK_NUM(rig_files(), 4);
}

/* An entry without a record is a hit (F28), and none is where the index counts more than it holds (F83); the next store begins a new
 * index. */
TEST(an_index_that_is_lost)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        rig_begin();
        CHECK_NUM(store(numbered(1)), 0);
        CHECK_NUM(store(numbered(2)), 0);
        if (damaged)
            flip_a_byte(scratch("root/index"), 5); /* counts more than it holds */
        else
            CHECK(remove(scratch("root/index")) == 0);
        rig_set("SIMCUDA_JIT", "none");
        CHECK_NUM(store(numbered(1)), damaged ? 221 : 0);
        rig_set("SIMCUDA_JIT", NULL);
        CHECK_NUM(store(numbered(3)), 0);
        struct rig_look l = rig_look();

        CHECK_NUM(l.records, 1);
        CHECK(l.index_sound);
        rig_look_free(&l);
    }
}
