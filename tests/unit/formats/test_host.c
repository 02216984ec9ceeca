/* Large sections of data, searched in samples: what is found, and the one thing that may be missed. */
#include "check.h"
#include "formats/host.h"
#include "formats/image.h"
#include "gen/samples.h"
#include "gen/sources.h"

enum { MIB = 1 << 20, START = 0x5010, SIZE = 16 * MIB + 500000 };

/* A file of sections over zeros. Section 0 is .ldata, of SIZE bytes at START, loaded at ADDRESS. */
struct library {
    struct gen_sparse file;
    struct jw_section list[4];
    struct jw_sections sections;
    struct jw_source src;
    struct jw_arena arena;
    struct jw_fats fats;
    struct jw_problems problems;
    struct jw_err err;
    struct jw_host host;
    struct jw_buf fat;
};

#define ADDRESS 0x700010ULL

static void begin(struct library *l)
{
    *l = (struct library){ .fat = GEN_BUF };
    gen_fat(&l->fat, "P75 E86");
    l->file.size = 40 * MIB;
    l->list[0] = (struct jw_section){ ".ldata", START, SIZE, ADDRESS, true };
    l->sections = (struct jw_sections){ .list = l->list, .n = 1 };
    l->src = gen_source(&l->file);
}

static void put(struct library *l, uint64_t at, struct jw_bytes bytes)
{
    l->file.piece[l->file.n].at = at;
    l->file.piece[l->file.n++].data = bytes;
}

/* The number of containers; `samples` false: as prime searches. */
static size_t count(struct library *l, bool samples)
{
    jw_fats_free(&l->fats);
    l->fats.arena = l->problems.arena = &l->arena;
    l->host = (struct jw_host){ .src = &l->src,
                                .sections = &l->sections,
                                .fats = &l->fats,
                                .problems = &l->problems,
                                .samples = samples,
                                .embedded = l->host.embedded };
    l->file.bytes = l->file.reads = 0;
    CHECK(jw_host_find(&l->host, &l->err));
    return l->fats.n;
}

static void end(struct library *l)
{
    jw_fats_free(&l->fats);
    jw_arena_free(&l->arena);
    jw_buf_free(&l->fat);
}

/* One container at this place of the section: is it found in samples? */
static bool found_at(uint64_t place)
{
    struct library l;

    begin(&l);
    put(&l, START + place, jw_buf_bytes(&l.fat));
    CHECK_NUM(count(&l, false), 1);
    CHECK(l.file.bytes >= SIZE);
    bool found = count(&l, true) == 1;

    CHECK(found == (l.file.bytes >= SIZE));
    end(&l);
    return found;
}

TEST(at_the_borders_of_samples)
{
    const uint64_t head = 64 << 10, sample = 16 << 10, mib = 3 * MIB - START, last = START + SIZE - sample;
    const uint64_t tail = last - last % 4096 - START;

    CHECK(found_at(0) && found_at(1) && found_at(head - 8));
    CHECK(!found_at(head - 7) && !found_at(head));
    CHECK(!found_at(mib - 1) && found_at(mib) && found_at(mib + sample - 8) && !found_at(mib + sample - 7));
    CHECK(!found_at(tail - 1) && found_at(tail));
}

/* The documented miss: in a large section, outside of its samples, named by nothing, and the only one. */
TEST(a_single_container_that_nothing_names_is_found_by_the_search_of_prime_alone)
{
    CHECK(!found_at(MIB + MIB / 2));
    CHECK(!found_at(7 * MIB));
}

/* Wherever it begins: a run that is longer than the distance of two samples, of containers smaller than a sample. */
TEST(a_run_of_containers_is_found_wherever_it_is)
{
    for (unsigned i = 0; i < 24; i++) {
        struct library l;
        FREED(jw_buf) run = JW_BUF(4 * MIB);

        begin(&l);
        size_t each = l.fat.n, n = (MIB + (16 << 10)) / each + 2;

        CHECK(each < 16 << 10);
        for (size_t k = 0; k < n; k++)
            jw_buf_add(&run, jw_buf_bytes(&l.fat).p, each);
        put(&l, START + MIB + i * 54321, jw_buf_bytes(&run));
        CHECK_NUM(count(&l, true), n);
        end(&l);
    }
}

TEST(a_section_of_one_mib_is_searched_whole)
{
    struct library l;

    begin(&l);
    l.list[0].size = MIB;
    put(&l, START + MIB / 2, jw_buf_bytes(&l.fat));
    CHECK_NUM(count(&l, true), 1);
    l.list[0].size++;
    CHECK_NUM(count(&l, true), 0);
    CHECK(l.file.bytes < MIB);
    end(&l);
}

/* A file with containers in one section of data may have them in another. */
TEST(a_container_in_one_section_makes_all_of_them_be_searched)
{
    static const char *const names[] = { ".data", ".lrodata", ".rodata" };

    for (size_t i = 0; i < JW_COUNT(names); i++) {
        struct library l;

        begin(&l);
        l.list[1] = (struct jw_section){ names[i], 20 * MIB, i ? 8 * MIB : 4096, 0, true };
        l.sections.n = 2;
        put(&l, START + MIB + MIB / 2, jw_buf_bytes(&l.fat));
        put(&l, 20 * MIB + 64, jw_buf_bytes(&l.fat));
        /* Constants are searched in a file with other containers, and none has been found in this one. */
        CHECK_NUM(count(&l, true), i == 2 ? 0 : 2);
        CHECK_NUM(count(&l, false), 2);
        end(&l);
    }
}

/* A program that was named loads itself what is among its data: constants, data, a section of its own; never instructions. */
TEST(what_a_program_embeds)
{
    static const struct {
        const char *section;
        bool data, registers;
        size_t n;
        enum jw_role role;
    } rows[] = {
        { ".rodata", true, false, 1, JW_ROLE_CODE },  { ".rdata", true, false, 1, JW_ROLE_CODE },
        { ".data", true, false, 1, JW_ROLE_CODE },    { "kernels", true, false, 1, JW_ROLE_CODE },
        { "kernels", false, false, 0, JW_ROLE_CODE }, { ".rodata", true, true, 2, JW_ROLE_CODE },
        { "kernels", true, true, 2, JW_ROLE_CODE },   { ".data", true, true, 2, JW_ROLE_LAZY },
        { ".ldata", true, false, 1, JW_ROLE_LAZY },   { ".lrodata", true, false, 1, JW_ROLE_LAZY },
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct library l;

        begin(&l);
        l.host.embedded = true;
        l.list[0] = (struct jw_section){ rows[i].section, START, 2 * MIB, ADDRESS, rows[i].data };
        l.list[1] =
            (struct jw_section){ rows[i].registers ? ".nv_fatbin" : ".bss", 20 * MIB, 4096, 0, false };
        l.sections.n = 2;
        put(&l, START + MIB, jw_buf_bytes(&l.fat));
        put(&l, 20 * MIB, jw_buf_bytes(&l.fat));
        CHECK_NUM(count(&l, false), rows[i].n);
        if (l.fats.n)
            CHECK_NUM(l.fats.list[l.fats.n - 1].role, rows[i].role);
        end(&l);
    }
}

/* A table of records of 24 bytes; the record `which` has this address at `field`. */
static size_t found_by(const char *table, size_t field, uint64_t size, unsigned which, uint64_t place)
{
    struct library l;
    uint8_t address[8];

    begin(&l);
    jw_put64(address, ADDRESS + place);
    l.list[1] = (struct jw_section){ table, 30 * MIB, size, 0, true };
    l.sections.n = 2;
    put(&l, START + place, jw_buf_bytes(&l.fat));
    put(&l, 30 * MIB + which * 24 + field, (struct jw_bytes){ address, 8 });
    size_t n = count(&l, true);

    end(&l);
    return n;
}

TEST(a_single_container_that_a_table_names)
{
    const uint64_t place = 5 * MIB + 8;

    CHECK_NUM(found_by(".nvFatBinSegment", 8, 24, 0, place), 1);
    CHECK_NUM(found_by(".nvFatBi", 8, 48, 1, place), 1);
    CHECK_NUM(found_by(".rela.dyn", 16, 24000, 999, place), 1);
    CHECK_NUM(found_by(".dynsym", 8, 2400, 7, place), 1);
    CHECK_NUM(found_by(".symtab", 8, 2400, 99, place), 1);
    CHECK_NUM(found_by(".dynsym", 8, 2400 - 1, 99, place), 0); /* a record that is cut off */
    CHECK_NUM(found_by(".dynsym", 16, 2400, 7, place), 0);
    CHECK_NUM(found_by(".dynstr", 8, 2400, 7, place), 0);
    CHECK_NUM(found_by(".dynsym", 8, 256 << 10, 7, place), 1);
    CHECK_NUM(found_by(".dynsym", 8, (256 << 10) + 24, 7, place),
              0);                                             /* a table too large to be read for this */
    CHECK_NUM(found_by(".dynsym", 8, 2400, 7, place + 1), 0); /* containers begin at eight bytes */
}

/* Of many addresses in one section the first 64 are looked at. */
TEST(a_table_of_many_addresses_costs_little)
{
    for (unsigned i = 63; i <= 64; i++) {
        struct library l;
        FREED(jw_buf) table = JW_BUF(100000);
        uint8_t record[24] = { 0 };

        begin(&l);
        for (unsigned k = 0; k < 2000; k++) {
            jw_put64(record + 16, ADDRESS + (k == i ? 5 * MIB + 8 : 6 * MIB + 8 * k));
            jw_buf_add(&table, record, sizeof record);
        }
        l.list[1] = (struct jw_section){ ".rela.dyn", 30 * MIB, table.n, 0, true };
        l.sections.n = 2;
        put(&l, START + 5 * MIB + 8, jw_buf_bytes(&l.fat));
        put(&l, 30 * MIB, jw_buf_bytes(&table));
        CHECK_NUM(count(&l, true), i == 63);
        CHECK(i == 63 || l.file.bytes < 500000);
        end(&l);
    }
}

TEST(samples_are_a_sixtieth_of_what_is_searched)
{
    struct library l;

    begin(&l);
    l.list[0].size = (uint64_t)1 << 30;
    l.file.size = (uint64_t)2 << 30;
    l.src = gen_source(&l.file);
    CHECK_NUM(count(&l, true), 0);
    CHECK(l.file.bytes < ((uint64_t)1 << 30) / 60);
    CHECK_NUM(count(&l, false), 0);
    CHECK(l.file.bytes >= ((uint64_t)1 << 30) && l.file.bytes < ((uint64_t)1 << 30) + 8192);
    end(&l);
}

/* A container without an entry is 16 bytes of a program that makes containers, and no sign of others. */
TEST(what_only_looks_like_a_container_is_no_sign)
{
    struct library l;

    begin(&l);
    put(&l, START + 64, (struct jw_bytes){ (const uint8_t *)JW_FAT_MAGIC_BYTES "\0\0\0\0\0\0\0\0", 16 });
    put(&l, START + 256, (struct jw_bytes){ (const uint8_t *)JW_FAT_MAGIC_BYTES "\1\0\0\0\0\0\0\0", 16 });
    put(&l, START + MIB + MIB / 2, jw_buf_bytes(&l.fat));
    CHECK_NUM(count(&l, true), 0);
    CHECK(l.file.bytes < SIZE);
    end(&l);
}

/* Of a library for Windows: names are cut to eight characters, and constants are in .rdata. */
TEST(sections_of_windows)
{
    static const struct {
        const char *name;
        size_t n;
    } want[] = { { ".cask_re", 2 }, { ".rdata", 2 }, { ".data", 2 }, { ".rdatax", 1 } };

    for (size_t i = 0; i < JW_COUNT(want); i++) {
        FREED(jw_buf) fat = GEN_BUF, b = GEN_BUF;
        FREED(jw_image) image;

        err = (struct jw_err){ 0 };
        gen_fat(&fat, "P75 E86");
        const struct gen_section s[] = { { .name = want[i].name, .data = jw_buf_bytes(&fat) },
                                         { .name = ".nv_fatb", .data = jw_buf_bytes(&fat) } };

        (void)gen_pe(&b, s, 2);
        struct jw_source src = jw_source_memory(&(struct jw_bytes){ b.p, b.n });

        CHECK(jw_image_scan(&src, "x.dll", (struct jw_image_options){ .samples = true }, &image, &err));
        CHECK_NUM(image.fats.n, want[i].n);
        CHECK(image.fats.n != 2 || image.fats.list[0].role == JW_ROLE_LAZY);
    }
}
