/* A driver that proves only so much: what each level of SIMCUDA_KNOWLEDGE takes and refuses. */
#include "rig.h"

#include "base/buf.h"
#include "gen/samples.h"
#include "os/files/file.h"

#include <stdlib.h>

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

static void slurp(const char *path, struct jw_buf *out)
{
    struct jw_err err = { 0 };
    bool found = false;

    CHECK(jw_file_slurp(path, out, &found, &err) && found);
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

    slurp(from, &bytes);
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

/* Puts an entry with this key and payload, and an index that records it, into an empty root. */
static void place(struct jw_bytes key, struct jw_bytes payload)
{
    struct jw_buf file = GEN_BUF, text = GEN_BUF;
    struct jw_cache_index index = { 0 };
    struct jw_err err = { 0 };
    uint64_t name;

    scratch_empty(rig_root());
    CHECK(jw_cache_entry_write(&file, key, payload, &name, &err));
    put(rig_entry(name), &file);
    CHECK(jw_cache_index_add(&index, (struct jw_cache_record){ name, key.n + payload.n }, &err));
    CHECK(jw_cache_index_write(&index, &text, &err));
    put(scratch("root/index"), &text);
    jw_cache_index_free(&index);
    jw_buf_free(&text);
    jw_buf_free(&file);
}

/* An entry of an older driver, made by that driver, carried over to this one's stamp. */
static void carry(void)
{
    struct jw_buf file = GEN_BUF;
    struct jw_cache_entry e;
    struct jw_err err = { 0 };

    scratch_empty(rig_root());
    rig_set("SIMCUDA_STAMP", "Jun 12 2018 13:40:04");
    CHECK_HAS(run(), "load 0");
    struct rig_look l = rig_look();

    slurp(rig_entry(l.index.list[0].hash), &file);
    rig_look_free(&l);
    rig_set("SIMCUDA_STAMP", NULL);
    CHECK(jw_cache_entry_read(jw_buf_bytes(&file), file.n, &e, &err));
    memcpy(file.p + JW_CACHE_HEADER, RIG_STAMP, JW_CACHE_STAMP);
    place((struct jw_bytes){ file.p + JW_CACHE_HEADER, (size_t)e.key_size },
          (struct jw_bytes){ file.p + JW_CACHE_HEADER + e.key_size, (size_t)e.payload_size });
    jw_buf_free(&file);
}

/* An entry that no driver made: its payload is a cubin of another hand, with the kernel and its number. */
static void forge(unsigned n)
{
    struct jw_buf text = GEN_BUF, key = GEN_BUF, cubin = GEN_BUF;
    uint8_t code[64] = { 0 };
    struct gen_section s = { .name = ".text.jw_canary_add_1234567", .data = { code, sizeof code } };
    struct gen_elf how = { .type = 2, .machine = 190, .os_abi = 0x41, .flags = 86 << 8 };

    jw_put32(code + 16, 0x7810); /* the second instruction adds, */
    jw_put32(code + 20, n);      /* and this is its immediate operand */
    slurp(ptx, &text);
    jw_cache_key_make(&key, RIG_STAMP, "sm_86", jw_buf_bytes(&text), 1, "");
    (void)gen_elf(&cubin, how, &s, 1);
    place(jw_buf_bytes(&key), jw_buf_bytes(&cubin));
    jw_buf_free(&text);
    jw_buf_free(&key);
    jw_buf_free(&cubin);
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

TEST(level_3_takes_placed_entries_only)
{
    begin("3");
    CHECK_HAS(run(), "launch 0 1234568");
    transplant();
    CHECK(hits());
    carry();
    CHECK(!hits());
    CHECK_HAS(run(), "launch 0 1234568");
    CHECK(hits());
    forge(N);
    CHECK(!hits());
}

TEST(level_4_takes_carried_entries)
{
    begin("4");
    carry();
    CHECK(hits());
    CHECK_HAS(run(), "launch 0 1234568");
    forge(N);
    CHECK(!hits());
}

TEST(level_5_takes_all)
{
    begin("5");
    CHECK_HAS(run(), "load 0");
    transplant();
    CHECK(hits());
    carry();
    CHECK(hits());
    forge(N);
    CHECK(hits());
    CHECK_HAS(run(), "launch 0 1234568");
}

TEST(a_wrong_payload_gives_wrong_numbers)
{
    begin("5");
    forge(99);
    CHECK(hits());
    CHECK(strstr(run(), "launch 0 1234568") == NULL);
    CHECK_HAS(run(), "launch 0 ");
}

TEST(foreign_entries_may_compute_wrong_numbers)
{
    begin("5");
    rig_set("SIMCUDA_WRONG_NUMBERS", "1");
    CHECK_HAS(run(), "launch 0 1234568");
    CHECK_HAS(run(), "launch 0 1234568");
    transplant();
    CHECK_HAS(run(), "launch 0 1234568");
    forge(N);
    CHECK(strstr(run(), "launch 0 1234568") == NULL);
    carry();
    CHECK(hits());
    CHECK(strstr(run(), "launch 0 1234568") == NULL);
}

int main(int argc, char **argv)
{
    scratch_begin();
    return RUN(argc, argv, T(level_0_writes_what_nobody_reads), T(level_1_has_names_of_its_own),
               T(level_2_makes_placed_entries_again), T(level_3_takes_placed_entries_only),
               T(level_4_takes_carried_entries), T(level_5_takes_all), T(a_wrong_payload_gives_wrong_numbers),
               T(foreign_entries_may_compute_wrong_numbers));
}
