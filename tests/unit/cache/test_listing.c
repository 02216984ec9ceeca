#include "base/limits.h"
#include "base/path.h"
#include "base/work.h"
#include "cache/place/listing.h"
#include "cache/place/lookup.h"
#include "check.h"
#include "rigs/as_nobody.h"
#include "rigs/cache.h"
#include "rigs/faults.h"
#include "rigs/naps.h"
#include "rigs/scratch.h"
#include <stdlib.h>
#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

static struct jw_cache_listing list(struct cache *c, bool check)
{
    struct jw_cache_listing l;
    struct jw_err err = {0};

    CHECK_OK(jw_cache_list(c->folder, check, NULL, c->a, &l, &err), err);
    return l;
}

static const struct jw_cache_file *file_of(const struct jw_cache_listing *l, uint64_t hash)
{
    static const struct jw_cache_file none;

    for (size_t i = 0; i < l->n; i++)
        if (l->files[i].name == hash)
            return &l->files[i];
    check_failed(__FILE__, __LINE__, "a file of this name");
    return &none;
}

TEST_ARENA(sound_entries)
{
    struct cache c = cache_make(a, "sound");

    for (unsigned i = 0; i < 50; i++)
        (void)cache_add(&c, i % 2 ? CACHE_NOW : CACHE_BEFORE, i % 3 ? "sm_86" : "sm_120", i,
                        100 + i);
    cache_done(&c);
    for (unsigned check = 0; check < 2; check++) {
        FREED(jw_cache_listing) l = list(&c, check);
        CHECK_NUM(l.n, 50);
        CHECK(l.found && l.index_trouble == JW_INDEX_WHOLE && !l.index_damage && !l.refused);
        CHECK_NUM(l.index.n, 50);
        CHECK_NUM(l.missing + l.foreign + l.notes.n, 0);
        for (size_t i = 0; i < l.n; i++) {
            const struct jw_cache_file *f = &l.files[i];

            CHECK(!f->damage && !f->unread && f->indexed && f->kind == JW_CACHE_CUDA
                  && f->mtime > 0);
            CHECK_NUM(f->recorded, f->entry.key_size + f->entry.payload_size);
            CHECK_NUM(f->size, f->recorded + JW_CACHE_HEADER);
            CHECK(i == 0 || l.files[i - 1].name < f->name);
            CHECK(strcmp(f->stamp, CACHE_NOW) == 0 || strcmp(f->stamp, CACHE_BEFORE) == 0);
            CHECK(strcmp(f->arch, "sm_86") == 0 || strcmp(f->arch, "sm_120") == 0);
        }
    }
}

/* What a driver could leave behind, or a careless hand. Headers alone find all but what only the
 * hashes tell. */
TEST_ARENA(damage)
{
    struct cache c = cache_make(a, "damage");
    uint64_t name[8];

    for (unsigned i = 0; i < JW_COUNT(name); i++)
        name[i] = cache_add(&c, CACHE_NOW, "sm_86", i, 200);
    cache_done(&c);
    for (unsigned i = 0; i < 7; i++) {
        FREED(jw_buf) b = cache_get(&c, name[i]);

        switch (i) {
        case 0: b.n -= 1; break;                          /* torn */
        case 1: b.n = 0; break;                           /* made, and nothing written */
        case 2: b.n = 27; break;                          /* not even a header */
        case 3: b.p[0] = 0x42; break;                     /* another format */
        case 4: jw_put64(b.p + 4, UINT64_MAX - 5); break; /* a key of 16 EiB */
        case 5: b.p[b.n - 1] ^= 1; break;                 /* a bit of the payload: --check */
        case 6: b.p[JW_CACHE_HEADER + 60] ^= 1; break;    /* of the key: --check */
        }
        cache_put(&c, jw_cache_name(name[i]).text, b.p, b.n);
    }
    for (unsigned check = 0; check < 2; check++) {
        FREED(jw_cache_listing) l = list(&c, check);
        CHECK_NUM(l.n, 8);
        for (unsigned i = 0; i < 8; i++) {
            const struct jw_cache_file *f = file_of(&l, name[i]);

            CHECK((f->damage != NULL) == (i < 5 || (i < 7 && check)));
            CHECK(!f->unread && f->indexed);
        }
        CHECK_NUM(l.notes.n, 0);
    }
}

/* What is known of a file holds at its next mount, too, whose volume has another number; not of one
 * that a crash cut. */
TEST(the_identity_of_a_file)
{
    const struct jw_file_info moved = {.id = {9, 2}}, cut = {.id = {1, 2}, .size = 1},
                              later = {.id = {1, 2}, .ctime = 1};
    uint64_t was = jw_cache_identity(&(struct jw_file_info){.id = {1, 2}});

    CHECK(jw_cache_identity(&moved) == was);
    CHECK(jw_cache_identity(&cut) != was);
    CHECK(jw_cache_identity(&later) != was);
}

TEST_ARENA(orphans_and_records_without_files)
{
    struct cache c = cache_make(a, "orphans");
    uint64_t orphan = cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    uint64_t gone = cache_add(&c, CACHE_NOW, "sm_86", 2, 100);
    uint64_t kept = cache_add(&c, CACHE_NOW, "sm_86", 3, 100);

    cache_forget(&c, orphan);
    cache_done(&c);
    cache_remove(&c, gone);
    FREED(jw_cache_listing) l = list(&c, false);
    CHECK_NUM(l.n, 2);
    CHECK(!file_of(&l, orphan)->indexed && file_of(&l, kept)->indexed);
    CHECK_NUM(l.missing, 1);
}

TEST_ARENA(kinds)
{
    static const char nvvm[] = CACHE_NOW "HOST64sm_89BC\xc0\xde\0\1\2 -arch=sm_89";
    static const char source[] =
        "__kernel void f(__global float *x) { x[get_global_id(0)] *= 2; } // long enough\n\0"
        "-cl-nv-arch sm_89 -nv-m64\3\0\0"
        "580.126.09\0NVVM70";
    static const char stage2[] = CACHE_NOW
        "HOST64sm_89.version 8.0\n.target sm_89\n// some PTX of OpenCL, longer than the head that "
        "is read\n\0 --reserve-null-pointer  [ -pic=false]";
    static const char built_in[] = CACHE_NOW
        "HOST64sm_89// OpenCL's own kernels, whose target comes behind the head that is read\n"
        ".version 8.3\n.target sm_89, texmode_independent\n.address_size 64\n\0 ";
    static const char linked[] =
        "May 27 202502:34:13HOST64sm_89.version 6.4\n.target sm_50\n// nvJitLink's, "
        "whose options come last, behind the head that is read\n\0 -arch=sm_89 -c";
    static const char by_driver[] = CACHE_NOW "HOST64sm_89.version 6.4\n.target sm_50\n\0 -c";
    static const char linked_code[] =
        "May 27 202502:34:13HOST64sm_86BC\xc0\xde\0\1\2 bitcode, which may be "
        "NVRTC's up to here\0 -arch=compute_86 -link-lto -arch=sm_86";
    struct cache c = cache_make(a, "kinds");
    uint64_t n = cache_add_key(&c, (struct jw_bytes){(const uint8_t *)nvvm, sizeof nvvm - 1}, 100);
    uint64_t o =
        cache_add_key(&c, (struct jw_bytes){(const uint8_t *)source, sizeof source - 1}, 100);
    uint64_t t =
        cache_add_key(&c, (struct jw_bytes){(const uint8_t *)stage2, sizeof stage2 - 1}, 100);
    uint64_t b =
        cache_add_key(&c, (struct jw_bytes){(const uint8_t *)built_in, sizeof built_in - 1}, 100);
    uint64_t x = cache_add_key(&c, JW_BYTES("\1\2\3 what a driver of another year keeps"), 100);
    uint64_t u = cache_add(&c, CACHE_NOW, "sm_89", 1, 100);
    uint64_t j =
        cache_add_key(&c, (struct jw_bytes){(const uint8_t *)linked, sizeof linked - 1}, 100);
    uint64_t d =
        cache_add_key(&c, (struct jw_bytes){(const uint8_t *)by_driver, sizeof by_driver - 1}, 100);
    uint64_t k = cache_add_key(
        &c, (struct jw_bytes){(const uint8_t *)linked_code, sizeof linked_code - 1}, 100);

    cache_done(&c);
    FREED(jw_cache_listing) l = list(&c, false);
    CHECK(file_of(&l, n)->kind == JW_CACHE_NVVM);
    CHECK(file_of(&l, o)->kind == JW_CACHE_OPENCL);
    CHECK_TEXT(file_of(&l, o)->arch, "sm_89");
    CHECK_TEXT(file_of(&l, o)->version, "580.126.09");
    CHECK(file_of(&l, t)->kind == JW_CACHE_OPENCL);
    CHECK(file_of(&l, b)->kind == JW_CACHE_OPENCL);
    CHECK(file_of(&l, x)->kind == JW_CACHE_OTHER);
    CHECK(file_of(&l, u)->kind == JW_CACHE_CUDA);
    CHECK(file_of(&l, j)->kind == JW_CACHE_NVJITLINK && file_of(&l, k)->kind == JW_CACHE_NVJITLINK);
    CHECK(file_of(&l, d)->kind == JW_CACHE_CUDA);
}

TEST_ARENA(other_names)
{
    struct cache c = cache_make(a, "names");

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    cache_done(&c);
    cache_put(&c, "notes.txt", "x", 1);
    cache_put(&c, "a/notes.txt", "x", 1);
    cache_put(&c, "a/b/3e06b9e6ec62a", "x", 1);  /* thirteen digits */
    cache_put(&c, "a/b/3E06B9E6EC62AA", "x", 1); /* capitals */
    cache_put(&c, "a/b/3e06b9e6ec62aa.tmp", "x", 1);
    cache_put(&c, "a/b/3e06b9e6ec62ab/x", "x", 1); /* a folder of that name */
    cache_put(&c, "g/b/3e06b9e6ec62aa", "x", 1);   /* no digit */
    cache_put(&c, "10/b/3e06b9e6ec62aa", "x", 1);
    cache_put(&c, "jitwarm-work-0badcafe-1-0/w0", "x",
              1); /* of a prime that runs: does not count */
    FREED(jw_cache_listing) l = list(&c, false);
    CHECK_NUM(l.n, 1);
    CHECK_NUM(l.foreign, 8);
    CHECK_NUM(l.notes.n, 0);
}

TEST_ARENA(a_damaged_index)
{
    struct cache c = cache_make(a, "index");
    uint64_t name = cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    FREED(jw_cache_listing) l = list(&c, false);

    CHECK(l.index_trouble == JW_INDEX_NONE && !l.index_damage && l.n == 1
          && !file_of(&l, name)->indexed);
    cache_done(&c);
    cache_put(&c, "index", "A\0\0\0\1\0\0\0", 8);
    FREED(jw_cache_listing) lost = list(&c, false);
    CHECK(lost.index_trouble == JW_INDEX_LOST && lost.index_damage && lost.n == 1);
    cache_put(&c, "index", "", 0);
    FREED(jw_cache_listing) made = list(&c, false);
    CHECK(made.index_trouble == JW_INDEX_NONE && !made.index_damage
          && made.n == 1); /* just made, and not yet written to */
    jw_cache_listing_free(&l);
}

/* As many as small entries may be in 4 GiB: an index of the driver's, and no damage. */
TEST_ARENA(many_records)
{
    FREED(jw_buf) b = JW_BUF((1 << 19) * 16 + 16);
    const uint32_t n = 1 << 19;
    struct cache c = cache_make(a, "many");

    jw_buf_fill(&b, 0, 16 + (size_t)n * 16);
    jw_put32(b.p, 0x41);
    jw_put32(b.p + 4, n);
    jw_put64(b.p + 8, n);
    for (uint32_t i = 0; i < n; i++) {
        jw_put64(b.p + 16 + (size_t)i * 16, (uint64_t)i * 0x9e3779b97f4a7c15ULL);
        jw_put64(b.p + 24 + (size_t)i * 16, 1);
    }
    cache_put(&c, "index", (const char *)b.p, b.n);
    FREED(jw_cache_listing) l = list(&c, false);
    CHECK(l.index_trouble == JW_INDEX_WHOLE && !l.index_damage && l.index.n == n && l.missing == n);
}

/* What a driver makes of it decides, and both looks agree: the whole list, and one name.
 * driver-fact: F83-damaged-index */
TEST_ARENA(what_is_found_by_a_damaged_index)
{
    static const struct {
        const char *what;
        size_t at, n; /* bytes of the index that are replaced by 'X'; n 0: it is cut there */
        enum jw_index_trouble trouble;
    } rows[] = {
        {"whole", 0, SIZE_MAX, JW_INDEX_WHOLE},       {"a size", 24, 8, JW_INDEX_MISCOUNTS},
        {"the sum", 8, 1, JW_INDEX_MISCOUNTS},        {"the number", 4, 1, JW_INDEX_HIDES},
        {"a record less", 32, 0, JW_INDEX_HIDES},     {"another format", 0, 1, JW_INDEX_LOST},
        {"less than a header", 10, 0, JW_INDEX_LOST}, {"empty", 0, 0, JW_INDEX_NONE},
    };
    struct cache c = cache_make(a, "trouble");
    uint64_t names[] = {cache_add(&c, CACHE_NOW, "sm_86", 1, 100),
                        cache_add(&c, CACHE_NOW, "sm_86", 2, 200)};
    FREED(jw_buf) whole = JW_BUF(JW_MAX_LINE);
    bool there;

    cache_done(&c);
    CHECK(jw_file_slurp(jw_path_join(a, c.folder, "index"), &whole, &there, &err) && there
          && whole.n == 48);
    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        struct jw_cache_lookup lookup;
        uint8_t bytes[48];

        memcpy(bytes, whole.p, sizeof bytes);
        if (rows[i].n != SIZE_MAX)
            memset(bytes + rows[i].at, 'X', rows[i].n);
        cache_put(&c, "index", (const char *)bytes, rows[i].n ? sizeof bytes : rows[i].at);
        FREED(jw_cache_listing) l = list(&c, false);

        CHECK(jw_cache_lookup_open(c.folder, a, &lookup, &err));
        CHECK_NUM(l.index_trouble, rows[i].trouble);
        CHECK_NUM(lookup.trouble, rows[i].trouble);
        for (size_t k = 0; k < JW_COUNT(names); k++)
            CHECK_NUM(jw_cache_lookup_finds(&lookup, names[k], NULL),
                      rows[i].trouble != JW_INDEX_HIDES);
        CHECK(!jw_cache_lookup_finds(&lookup, 12345, NULL));
        jw_cache_lookup_close(&lookup);
    }
}

TEST_ARENA(an_index_that_is_no_file)
{
    struct cache c = cache_make(a, "no-index");

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    cache_put(&c, "index/x", "x", 1);
    FREED(jw_cache_listing) l = list(&c, true);
    CHECK(l.index_trouble == JW_INDEX_UNREAD && l.index_damage && l.n == 1);
    jw_cache_index_free(&c.index);
}

TEST_ARENA(no_root_and_an_empty_one)
{
    struct cache c = cache_make(a, "empty"), gone = {.a = a, .folder = tree_path(a, "nowhere")};
    struct cache file = {.a = a, .folder = tree_file(a, "a-file", "x")};
    FREED(jw_cache_listing) l = list(&c, true);

    CHECK(l.found && l.index_trouble == JW_INDEX_NONE && l.n == 0 && !l.refused);
    FREED(jw_cache_listing) none = list(&gone, true);
    CHECK(!none.found && none.n == 0 && !none.refused && none.notes.n == 0);
    FREED(jw_cache_listing) other = list(&file, true);
    CHECK(other.found && other.n == 0);
    CHECK_HAS(other.refused, "is not a folder");
    jw_cache_listing_free(&l);
}

TEST_ARENA(interrupted)
{
    struct cache c = cache_make(a, "interrupted");
    struct jw_cache_listing l;
    atomic_bool stop = true;

    (void)cache_add(&c, CACHE_NOW, "sm_86", 1, 100);
    cache_done(&c);
    CHECK(!jw_cache_list(c.folder, true, &stop, a, &l, &err));
    CHECK(err.code == JW_E_INTERRUPTED && l.n == 0 && !l.files);
}

/* Fails each call in turn: either all fails with a sentence, or what could not be read is
 * reported. */
TEST_ARENA(every_call_fails_once)
{
    struct cache c = cache_make(a, "faults");

    for (unsigned i = 0; i < 6; i++)
        (void)cache_add(&c, CACHE_NOW, "sm_86", i, 100);
    (void)cache_add_key(
        &c, JW_BYTES("__kernel void f() { } // a source of OpenCL that is longer than a head is"),
        50);
    cache_done(&c);
    naps = naps_none;
    for (unsigned check = 0; check < 2; check++) {
        unsigned whole = 0, told = 0, failed = 0;

        EACH_FAULT (f, 1) {
            FREED(jw_arena) own = {0};
            FREED(jw_cache_listing) l;
            bool ok = FAULTED(f, jw_cache_list(c.folder, check, NULL, &own, &l, &err));

            if (ok) {
                size_t unread = 0;

                for (size_t i = 0; i < l.n; i++)
                    unread += l.files[i].unread;
                if (l.notes.n || unread || l.index_damage || l.refused)
                    told++;
                else
                    whole += l.n == 7 && l.missing == 0;
                CHECK(l.notes.n || unread || l.index_damage || l.refused
                      || (l.n == 7 && l.missing == 0));
            } else {
                failed++;
                CHECK(err.msg[0] && !l.files && !l.index.list);
            }
        }
        CHECK(whole >= 1 && told >= 10 && failed == 0); /* what cannot be asked is reported */
    }
    naps = naps_real;
}

#ifndef _WIN32
static const char *join(struct jw_arena *a, const char *dir, const char *name)
{
    const char *path = jw_path_join(a, dir, name);

    CHECK(path != NULL);
    return path ? path : "";
}

TEST_ARENA(links_are_followed_as_by_the_driver)
{
    struct cache real = cache_make(a, "real"), c = cache_make(a, "links");
    uint64_t name = cache_add(&real, CACHE_NOW, "sm_86", 1, 100);
    const struct jw_cache_name entry = jw_cache_name(name);
    char folder[] = {entry.text[0], '\0'};

    cache_done(&real);
    CHECK(symlink(join(a, real.folder, folder), join(a, c.folder, folder)) == 0);
    (void)tree_dir(a, "links/g");
    CHECK(symlink("/nowhere", join(a, c.folder, "0")) == 0 || entry.text[0] == '0');
    CHECK(mkdir(join(a, c.folder, "e"), 0700) == 0 && mkdir(join(a, c.folder, "e/e"), 0700) == 0);
    CHECK(symlink(join(a, real.folder, entry.text), join(a, c.folder, "e/e/3e06b9e6ec62aa")) == 0);
    CHECK(symlink("/dev/null", join(a, c.folder, "e/e/11111111111111")) == 0); /* is not opened */
    FREED(jw_cache_listing) l = list(&c, true);
    CHECK_NUM(l.n, 2);
    CHECK(jw_cache_file_find(&l, name) && !jw_cache_file_find(&l, name)->damage);
    CHECK_HAS(jw_cache_file_find(&l, 0xee3e06b9e6ec62aa)->damage,
              "hashes to"); /* under another's name */
    CHECK_NUM(l.foreign, 2);
    /* The root itself may be one: people move their cache to another disk. */
    CHECK(symlink(real.folder, tree_path(a, "to-real")) == 0);
    c.folder = tree_path(a, "to-real");
    FREED(jw_cache_listing) moved = list(&c, true);
    CHECK(moved.n == 1 && moved.foreign == 0);
}

TEST_ARENA(what_is_no_file)
{
    struct cache c = cache_make(a, "odd");

    (void)tree_dir(a, "odd/a/b");
    CHECK(mkfifo(join(a, c.folder, "a/b/3e06b9e6ec62aa"), 0600) == 0);
    CHECK(mkfifo(join(a, c.folder, "index"), 0600) == 0);
    FREED(jw_cache_listing) l = list(&c, true);
    CHECK_NUM(l.n, 0);
    CHECK_NUM(l.foreign, 1);
    CHECK_HAS(l.index_damage, "is not a regular file");
}

/* A terabyte that is not there, under a header that says so: refused by its size, not read. */
TEST_ARENA(a_huge_file)
{
    struct cache c = cache_make(a, "huge");
    uint8_t head[JW_CACHE_HEADER] = {0x41};
    const char *path;
    int fd;

    jw_put64(head + 4, 100);
    jw_put64(head + 12, ((uint64_t)1 << 40) - 128);
    cache_put(&c, "a/b/3e06b9e6ec62aa", head, sizeof head);
    path = join(a, c.folder, "a/b/3e06b9e6ec62aa");
    fd = open(path, O_WRONLY);
    if (fd < 0 || ftruncate(fd, (off_t)1 << 40) != 0) {
        (void)close(fd);
        SKIP("this file system has no sparse files");
    }
    (void)close(fd);
    uint64_t before = jw_work_done(JW_WORK_BYTES_READ);

    FREED(jw_cache_listing) l = list(&c, true);
    CHECK(l.n == 1 && l.files[0].damage && !l.files[0].unread);
    CHECK(jw_work_done(JW_WORK_BYTES_READ) - before < 1 << 20);
    CHECK(unlink(path) == 0);
}

static void prepare_rights(const char *folder)
{
    FREED(jw_arena) a = {0};

    CHECK(mkdir(join(&a, folder, "1"), 0755) == 0 && mkdir(join(&a, folder, "2"), 0700) == 0);
    CHECK(mkdir(join(&a, folder, "1/1"), 0755) == 0);
    scratch_write(join(&a, folder, "1/1/3e06b9e6ec62aa"), "secret");
    CHECK(chmod(join(&a, folder, "1/1/3e06b9e6ec62aa"), 0) == 0);
}

static void look_without_rights(const char *folder)
{
    FREED(jw_arena) a = {0};
    FREED(jw_cache_listing) l;

    CHECK(jw_cache_list(folder, false, NULL, &a, &l, JW_IGNORED));
    CHECK(l.found && l.n == 1 && l.files[0].unread);
    CHECK_HAS(l.files[0].damage, "permission denied");
    CHECK_NUM(l.notes.n, 2);
    CHECK_HAS(l.notes.v[1], "2: permission denied");
}

TEST(without_rights)
{
    scratch_begin();
    as_nobody(look_without_rights, prepare_rights);
}

#endif
