/* A driver that proves only so much: what each level of SIMCUDA_KNOWLEDGE takes. */
#include "rig.h"

#include "base/buf.h"
#include "gen/samples.h"
#include "os/files/file.h"

enum { N = 1234567 };
#define LAUNCH "launch jw_canary_add_1234567 1"

static const char *ptx;

static void begin(const char *level)
{
    rig_begin();
    rig_set("SIMCUDA_KNOWLEDGE", level);
    ptx = rig_ptx("a.ptx", "7.0", "sm_75", N, 0);
}

static const char *run(void)
{
    static char load[4200];

    (void)snprintf(load, sizeof load, "load %s", ptx);
    return rig_play("init", "ctx 0", load, LAUNCH, NULL);
}

static bool hits(void)
{
    rig_set("SIMCUDA_JIT", "none");
    bool hit = strstr(run(), "load 0") != NULL;

    rig_set("SIMCUDA_JIT", NULL);
    return hit;
}

static void put(const char *path, const struct jw_buf *bytes)
{
    struct jw_err err = { 0 };
    char folder[4096];

    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    CHECK(jw_make_dirs(folder, &err));
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(bytes->p, 1, bytes->n, f) == bytes->n && fclose(f) == 0);
}

static void copy(const char *from, const char *to)
{
    struct jw_buf bytes = JW_BUF((size_t)1 << 26);

    rig_slurp(from, &bytes);
    put(to, &bytes);
    jw_buf_free(&bytes);
}

/* The whole cache as a copy: entries with new times, and the index. */
static void transplant(void)
{
    char entry[4096], index[4096];
    struct rig_look l = rig_look();

    CHECK_NUM(l.records, 1);
    (void)snprintf(entry, sizeof entry, "%s", rig_entry(l.index.list[0].hash));
    rig_look_free(&l);
    copy(entry, scratch("kept"));
    (void)snprintf(index, sizeof index, "%s", scratch("root/index"));
    copy(index, scratch("kept-index"));
    scratch_empty(rig_root());
    copy(scratch("kept"), entry);
    copy(scratch("kept-index"), index);
}

TEST(level_0_writes_what_nobody_reads)
{
    begin("0");
    CHECK_HAS(run(), "launch 0 1234568");
    CHECK(hits());
    struct rig_look l = rig_look();

    CHECK_NUM(l.files, 1);
    CHECK_NUM(l.damaged, 1);
    CHECK(!l.index_sound);
    rig_look_free(&l);
}

TEST(level_1_has_names_of_its_own)
{
    begin("1");
    CHECK_HAS(run(), "launch 0 1234568");
    CHECK(hits());
    CHECK(!scratch_there(rig_entry(rig_name(ptx, "sm_86", 1, ""))));
    struct rig_look l = rig_look();

    CHECK(l.files == 1 && l.damaged == 0 && l.index_sound);
    rig_look_free(&l);
}

TEST(level_2_makes_placed_entries_again)
{
    begin("2");
    CHECK_HAS(run(), "launch 0 1234568");
    CHECK(scratch_there(rig_entry(rig_name(ptx, "sm_86", 1, ""))));
    CHECK(hits());
    transplant();
    CHECK(!hits());
    CHECK_HAS(run(), "load 0");
    CHECK(hits());
}

TEST(level_3_takes_placed_entries)
{
    begin("3");
    CHECK_HAS(run(), "launch 0 1234568");
    transplant();
    CHECK(hits());
    CHECK_HAS(run(), "launch 0 1234568");
}
