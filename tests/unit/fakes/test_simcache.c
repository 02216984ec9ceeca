/* The cache that the simulated driver keeps: format, names, limits, order, damage, several writers. */
#include "rig.h"

#include "base/buf.h"
#include "formats/fatbin.h"
#include "os/files/file.h"
#include "os/machine/thread.h"
#include "os/process/process.h"

#include <stdlib.h>

enum { ENTRY = 20000 }; /* bytes of PTX; an entry is about 1.4 times as much */

static void begin(void)
{
    rig_begin();
}

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

/* Changes one byte of a file, or cuts it there. */
static void damage(const char *path, size_t at, bool cut)
{
    struct jw_buf bytes = JW_BUF((size_t)1 << 26);
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(path, &bytes, &found, &err) && found && at < bytes.n);
    if (cut)
        bytes.n = at;
    else
        bytes.p[at] ^= 0xff;
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
    jw_buf_free(&bytes);
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
    begin();
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

    begin();
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
    begin();
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
    rig_set("SIMCUDA_KEY_ARCH", "suffixed");
    CHECK_NUM(store(special), 0);
    CHECK(scratch_there(rig_entry(rig_name(special, "sm_90a", 1, ""))));
}

TEST(disabled_reads_and_writes_nothing)
{
    begin();
    rig_set("CUDA_CACHE_DISABLE", "1");
    CHECK_NUM(store(numbered(1)), 0);
    CHECK(!scratch_there(rig_root()));
    rig_set("CUDA_CACHE_DISABLE", "0");
    CHECK_NUM(store(numbered(1)), 0);
    CHECK_NUM(rig_files(), 1);
}

TEST(the_default_root_is_below_home)
{
    begin();
    rig_set("CUDA_CACHE_PATH", NULL);
    CHECK_NUM(store(numbered(1)), 0);
    CHECK(scratch_there(scratch("home/.nv/ComputeCache/index"))
          || scratch_there(scratch("home/NVIDIA/ComputeCache/index")));
    rig_set("HOME", "");
    rig_set("APPDATA", "");
    CHECK_NUM(store(numbered(1)), 0);
}

TEST(first_in_first_out)
{
    begin();
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
}

/* An entry without a record is a hit (F28), and none is where the index counts more than it holds (F83); the next store begins a new
 * index. */
TEST(an_index_that_is_lost)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        begin();
        CHECK_NUM(store(numbered(1)), 0);
        CHECK_NUM(store(numbered(2)), 0);
        if (damaged)
            damage(scratch("root/index"), 5, false); /* counts more than it holds */
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

/* The payload begins where the key ends. */
static size_t payload_at(const char *entry)
{
    struct jw_buf bytes = JW_BUF((size_t)1 << 26);
    struct jw_cache_entry e = { 0 };
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(entry, &bytes, &found, &err)
          && jw_cache_entry_read(jw_buf_bytes(&bytes), bytes.n, &e, &err));
    jw_buf_free(&bytes);
    return JW_CACHE_HEADER + (size_t)e.key_size;
}

enum { IN_MAGIC = 0 };

static void torn(const char *how, size_t at, bool cut, int again, bool repaired)
{
    struct rig_look l;

    begin();
    rig_set("SIMCUDA_TORN", how);
    CHECK_NUM(store(numbered(1)), 0);
    damage(rig_entry(name_of(1)), at == IN_MAGIC ? payload_at(rig_entry(name_of(1))) : at, cut);
    CHECK_NUM(store(numbered(1)), again);
    l = rig_look();
    CHECK_NUM(l.damaged, repaired ? 0 : 1);
    rig_look_free(&l);
}

TEST(torn_entries)
{
    torn("repaired", 9000, true, 0, true);
    torn("repaired", 21000, false, 0, true);
    torn("left", 9000, true, 0, false);
    torn("left", 21000, false, 0, false);
    torn("loaded", 26000, false, 0, false);
    torn("loaded", IN_MAGIC, false, 200, false);
}

struct crowd {
    char command[8][4200];
    int wrong;
};

static void one_process(void *ctx, unsigned worker)
{
    struct crowd *c = ctx;
    const char *argv[] = { PLAY, SIMCUDA, "init", "ctx 0", c->command[worker], NULL };
    struct jw_buf out = JW_BUF(4096);
    struct jw_err err = { 0 };
    int code = -1;

    if (!jw_process_capture(PLAY, argv, 60000, &out, &code, &err) || !strstr(jw_buf_cstr(&out), "load 0"))
        c->wrong++;
    jw_buf_free(&out);
}

static struct rig_look eight_at_once(bool same)
{
    struct crowd c = { .wrong = 0 };

    for (unsigned i = 0; i < 8; i++)
        (void)snprintf(c.command[i], sizeof c.command[i], "load %s", numbered(same ? 1 : i + 1));
    jw_parallel(8, one_process, &c);
    CHECK_NUM(c.wrong, 0);
    return rig_look();
}

TEST(eight_processes_at_once)
{
    struct rig_look l;

    begin();
    rig_set("SIMCUDA_COST", "0+200");
    l = eight_at_once(false);
    CHECK(l.index_sound && l.files == 8 && l.records == 8 && l.damaged == 0 && l.orphans == 0);
    rig_look_free(&l);
    begin();
    l = eight_at_once(true);
    CHECK(l.index_sound && l.files == 1 && l.records == 1 && l.damaged == 0);
    rig_look_free(&l);
}

TEST(eight_processes_that_lose_records)
{
    begin();
    rig_set("SIMCUDA_COST", "0+1000");
    rig_set("SIMCUDA_LOST_RECORDS", "1");
    struct rig_look l = eight_at_once(false);

    CHECK(l.index_sound && l.files == 8 && l.records < 8 && l.orphans == 8 - l.records && l.damaged == 0);
    rig_look_free(&l);
}
