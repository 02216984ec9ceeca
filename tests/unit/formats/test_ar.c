#include "base/limits.h"
#include "formats/ar.h"
#include "scanned.h"

static const char *const names[] = { "a.o", "fifteen_chars.o", "exactly_sixteen.o",
                                     "a_much_longer_name_than_fits.cu.o", "odd" };

static void members_of(struct gen_member *m, struct jw_bytes object)
{
    for (size_t i = 0; i < JW_COUNT(names); i++)
        m[i] = (struct gen_member){ .name = names[i], .data = object };
    m[4].data = JW_BYTES("123");
}

TEST(members_of_every_style)
{
    for (int style = GEN_AR_GNU; style <= GEN_AR_WINDOWS; style++) {
        struct jw_buf b = GEN_BUF;
        struct jw_arena arena = { 0 };
        struct gen_member m[JW_COUNT(names)];
        struct jw_ar_member got;
        struct jw_err err = { 0 };
        bool more;

        members_of(m, JW_BYTES("an object, more or less"));
        struct gen_box box = gen_ar(&b, (enum gen_ar_style)style, m, JW_COUNT(names));
        struct jw_bytes bytes = jw_buf_bytes(&b);
        struct jw_source src = jw_source_memory(&bytes);
        struct jw_ar ar = jw_ar_open(&src, &arena);
        CHECK(jw_ar_magic(bytes));
        for (size_t i = 0; i < JW_COUNT(names); i++) {
            CHECK(jw_ar_next(&ar, &got, &more, &err) && more);
            CHECK_TEXT(got.name, names[i]);
            CHECK_NUM(got.size, m[i].data.n);
            CHECK_NUM(got.at, box.at[i]);
        }
        CHECK(jw_ar_next(&ar, &got, &more, &err) && !more);
        CHECK(jw_ar_next(&ar, &got, &more, &err) && !more);
        jw_arena_free(&arena);
        jw_buf_free(&b);
    }
}

TEST(containers_of_members_and_where_they_are)
{
    for (int style = GEN_AR_GNU; style <= GEN_AR_WINDOWS; style++) {
        struct jw_buf fat = GEN_BUF, object = GEN_BUF;
        struct scanned s = { .buf = GEN_BUF };
        struct gen_member m[JW_COUNT(names)];

        gen_fat(&fat, "P75 E86");
        const struct gen_section section = { .name = "__nv_relfatbin", .data = jw_buf_bytes(&fat) };
        struct gen_host h = gen_elf(&object, (struct gen_elf){ .type = 1 }, &section, 1);
        members_of(m, jw_buf_bytes(&object));
        struct gen_box box = gen_ar(&s.buf, (enum gen_ar_style)style, m, JW_COUNT(names));
        scan_it(&s, "libx.a", false);
        CHECK(s.ok && s.image.format == JW_FORMAT_AR && s.image.problems.n == 0);
        CHECK_NUM(s.image.fats.n, 4);
        for (size_t i = 0; i < s.image.fats.n; i++) {
            const struct jw_fat *f = &s.image.fats.list[i];

            CHECK_TEXT(f->member, names[i]);
            CHECK_NUM(f->at, box.at[i] + h.at[0]);
            CHECK_NUM(f->role, JW_ROLE_RDC);
            CHECK_NUM(entry_of(&s, i, 0)->at, f->at + 16);
            CHECK(memcmp(s.buf.p + f->at, JW_FAT_MAGIC_BYTES, 8) == 0);
            CHECK_TEXT(jw_fat_arch_name(entry_of(&s, i, 1)).text, "sm_86");
        }
        scanned_free(&s);
        jw_buf_free(&fat);
        jw_buf_free(&object);
    }
}

TEST(containers_need_no_alignment)
{
    struct jw_buf fat = GEN_BUF, object = GEN_BUF;
    struct scanned s = { .buf = GEN_BUF };

    gen_fat(&fat, "P75 E86");
    const struct gen_section section = { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) };
    (void)gen_elf(&object, (struct gen_elf){ .type = 1 }, &section, 1);
    const struct gen_member m[] = { { .name = "x", .data = JW_BYTES("1") },
                                    { .name = "k.o", .data = jw_buf_bytes(&object) } };
    (void)gen_ar(&s.buf, GEN_AR_GNU, m, 2);
    scan_it(&s, "libx.a", false);
    CHECK(s.ok && s.image.fats.n == 1);
    CHECK(s.image.fats.list[0].at % 8 != 0);
    scanned_free(&s);
    jw_buf_free(&fat);
    jw_buf_free(&object);
}

TEST(windows_libraries_hold_coff_objects_by_any_name)
{
    struct jw_buf fat = GEN_BUF, object = GEN_BUF;
    struct scanned s = { .buf = GEN_BUF };

    gen_fat(&fat, "P75 E86");
    const struct gen_section section = { .name = ".nv_fatbin", .data = jw_buf_bytes(&fat) };
    (void)gen_coff(&object, false, &section, 1);
    const struct gen_member m[] = { { .name = "C:\\build\\kernels.dir\\Release\\k.obj",
                                      .data = jw_buf_bytes(&object) },
                                    { .name = "noname", .data = jw_buf_bytes(&object) } };
    (void)gen_ar(&s.buf, GEN_AR_WINDOWS, m, 2);
    scan_it(&s, "x.lib", false);
    CHECK(s.ok && s.image.fats.n == 2);
    CHECK_TEXT(s.image.fats.list[0].member, "C:\\build\\kernels.dir\\Release\\k.obj");
    scanned_free(&s);
    jw_buf_free(&fat);
    jw_buf_free(&object);
}

TEST(what_else_a_member_can_be)
{
    struct jw_buf fat = GEN_BUF, cubin = GEN_BUF, ptx = GEN_BUF;
    struct scanned s = { .buf = GEN_BUF };

    gen_fat(&fat, "P75 E86");
    gen_cubin(&cubin, (struct gen_cubin){ .target = { 90, 'a' } });
    gen_ptx(&ptx, 8, 4, (struct jw_arch){ 80, '\0' }, 1);
    const struct gen_member m[] = { { .name = "a.fatbin", .data = jw_buf_bytes(&fat) },
                                    { .name = "b.cubin", .data = jw_buf_bytes(&cubin) },
                                    { .name = "c.ptx", .data = jw_buf_bytes(&ptx) },
                                    { .name = "README", .data = JW_BYTES("text of some length") },
                                    { .name = "inner.a", .data = JW_BYTES("!<arch>\n        ") } };
    struct gen_box box = gen_ar(&s.buf, GEN_AR_GNU, m, JW_COUNT(m));
    scan_it(&s, "x.a", false);
    CHECK(s.ok && s.image.format == JW_FORMAT_AR && s.image.fats.n == 3 && s.image.problems.n == 0);
    for (size_t i = 0; i < s.image.fats.n; i++) {
        CHECK_NUM(s.image.fats.list[i].at, box.at[i]);
        CHECK_TEXT(s.image.fats.list[i].member, m[i].name);
    }
    scanned_free(&s);
    jw_buf_free(&fat);
    jw_buf_free(&cubin);
    jw_buf_free(&ptx);
}

TEST(too_many_members)
{
    struct scanned s = { .buf = GEN_BUF };

    jw_buf_text(&s.buf, "!<arch>\n");
    for (size_t i = 0; i <= JW_MAX_AR_MEMBERS; i++)
        jw_buf_text(&s.buf, "x/              0           0     0     644     0         `\n");
    gen_check(&s.buf);
    scan_it(&s, "x.a", false);
    CHECK(!s.ok && s.err.code == JW_E_LIMIT);
    CHECK_TEXT(s.err.msg, "ar: more than 262144 members");
    scanned_free(&s);
}
