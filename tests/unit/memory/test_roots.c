#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "check.h"
#include "memory/roots.h"
#include "memory/state_folder.h"
#include "os/files/real.h"
#include "rigs/memory.h"
#include "rigs/tree.h"

#ifdef _WIN32
#define AT "C:"
#else
#define AT
#endif

static const char *const train[] = {"python", "train.py", "--lr=1", NULL};
static const struct jw_root named = {.kind = JW_ROOT_NAMED, .path = AT "/a"};
static const char *const serve[] = {"./serve", "a b", NULL};
static const struct jw_root_module modules[] = {
    {NULL, {{3}}}, {AT "/opt/b.so", {{1}}}, {AT "/opt/a.so", {{2}}}, {AT "/opt/b.so", {{4}}}};

static struct jw_root command(const char *const *words, size_t n, int64_t when)
{
    return (struct jw_root){.kind = JW_ROOT_COMMAND,
                            .words = words,
                            .n_words = words == train ? 3 : 2,
                            .modules = modules,
                            .n_modules = n,
                            .when = when};
}

static void save(const struct jw_cache_memory *f, const struct jw_roots *r)
{
    struct jw_err err = {0};

    CHECK_OK(jw_roots_save(f, r, &err), err);
}

static struct jw_roots load(const struct jw_cache_memory *f, struct jw_arena *a)
{
    struct jw_roots r;

    jw_roots_load(f, a, &r);
    CHECK(!r.damaged);
    return r;
}

TEST_ARENA(what_was_asked_for_is_remembered)
{
    struct jw_cache_memory f = memory_begin(a, "round");
    struct jw_roots r = load(&f, a);
    struct jw_root one = command(train, 4, 20), two = command(serve, 0, 30);
    const struct jw_root *back;

    CHECK_NUM(r.n, 0);
    CHECK(jw_roots_name(&r, AT "/opt/app", 10, a));
    jw_roots_record(&r, &one, a);
    jw_roots_record(&r, &two, a);
    save(&f, &r);
    r = load(&f, a);
    CHECK_NUM(r.n, 3);
    CHECK(r.v[0].kind == JW_ROOT_NAMED && r.v[0].when == 10 && !r.v[0].words);
    CHECK_TEXT(r.v[0].path, AT "/opt/app");
    back = &r.v[1];
    CHECK(jw_root_is_command(&r, back, train) && back->when == 20 && back->n_modules == 4
          && !back->path);
    for (size_t i = 0; i < 4; i++) {
        CHECK(memcmp(back->modules[i].digest, one.modules[i].digest, JW_DIGEST) == 0);
        CHECK(jw_text_same(back->modules[i].file, one.modules[i].file));
    }
    CHECK(jw_root_is_command(&r, &r.v[2], serve) && r.v[2].n_modules == 0
          && !jw_root_is_command(&r, r.v, train));
    CHECK(!jw_root_is_command(&r, back, (const char *const[]){"python", "train.py", NULL}));
}

TEST_ARENA(named_again_it_stays_and_recorded_again_it_is_the_latest)
{
    struct jw_roots r = {0};
    struct jw_root same = command(train, 4, 1), fewer = command(train, 2, 2);

    CHECK(jw_roots_name(&r, AT "/a", 1, a) && jw_roots_name(&r, AT "/b", 2, a));
    jw_roots_record(&r, &same, a);
    CHECK(!jw_roots_name(&r, AT "/a", 3, a) && r.n == 3 && r.v[0].when == 1);
    CHECK_TEXT(r.v[0].path, AT "/a");
    jw_roots_record(&r, &fewer, a);
    CHECK(r.n == 3 && jw_root_is_command(&r, &r.v[2], train) && r.v[2].n_modules == 2);
}

/* Two commands may print as one line: of letters that no terminal shows it has a "?". */
TEST_ARENA(a_root_is_forgotten_by_its_path_or_words)
{
    static const char *const unseen[] = {"python", "\1", NULL}, *const other[] = {"python", "\2",
                                                                                  NULL};
    static const char *const longer[] = {"python", "\1", "", NULL}, *const path[] = {AT "/a", NULL};
    const char *const *const wrong[] = {other, longer, path, serve};
    struct jw_roots r = {0};
    struct jw_root one = command(unseen, 1, 1);

    CHECK(jw_roots_name(&r, AT "/a", 1, a));
    jw_roots_record(&r, &one, a);
    for (size_t i = 0; i < JW_COUNT(wrong); i++)
        CHECK(!jw_roots_forget(&r, &(struct jw_root){.kind = JW_ROOT_COMMAND, .words = wrong[i]}));
    CHECK(r.n == 2 && jw_roots_forget(&r, &named) && !jw_roots_forget(&r, &named));
    CHECK(jw_roots_forget(&r, &one) && !r.n);
}

static void is_damaged(const struct jw_cache_memory *f)
{
    FREED(jw_arena) a = {0};
    struct jw_roots r;

    jw_roots_load(f, &a, &r);
    CHECK(r.n == 0);
    CHECK_HAS(r.damaged ? r.damaged : "", JW_ROOTS_FILE ": ");
}

TEST_ARENA(a_damaged_file_is_empty_and_says_so)
{
    struct jw_cache_memory f = memory_begin(a, "damaged");
    struct jw_roots r = {0};
    struct jw_root one = command(train, 4, 20);

    CHECK(jw_roots_name(&r, AT "/a", 1, a));
    jw_roots_record(&r, &one, a);
    save(&f, &r);
    memory_spoil(&f, JW_ROOTS_FILE, is_damaged);
    CHECK_NUM(load(&f, a).n, 2);
}

TEST_ARENA(a_list_of_another_version_stays_beside)
{
    static const struct jw_field none[] = {{0}};
    static const struct jw_memory_file newer = {"roots.58", JW_RECORD_ROOTS + 1, none,
                                                sizeof(struct jw_roots)};
    struct jw_cache_memory f = memory_begin(a, "newer");
    struct jw_roots r = {0};
    bool found;

    CHECK_OK(jw_cache_memory_save(&f, &newer, &r, &err), err);
    CHECK_NUM(load(&f, a).n, 0);
    save(&f, &r);
    CHECK_OK(jw_cache_memory_load(&f, &newer, a, &r, &found, &err), err);
    CHECK(found);
}

/* Whole records that this program does not write. */
TEST_ARENA(hostile_roots)
{
    static const char *const none[] = {NULL};
    static const struct jw_root_module wrong[] = {{"relative.so", {{1}}}};
    const struct jw_root bad[] = {
        {.kind = JW_ROOT_NAMED, .path = "relative"},
        {.kind = JW_ROOT_NAMED, .path = ""},
        {.kind = JW_ROOT_COMMAND, .words = none},
        {.kind = JW_ROOT_COMMAND, .words = train, .n_words = 3, .modules = wrong, .n_modules = 1},
        {.kind = JW_ROOT_NAMED, .path = AT "/a", .words = train, .n_words = 3},
        {.kind = (enum jw_root_kind)7, .path = AT "/a"},
    };
    struct jw_cache_memory f = memory_begin(a, "hostile");

    for (size_t i = 0; i < JW_COUNT(bad); i++) {
        struct jw_root all[] = {{.kind = JW_ROOT_NAMED, .path = AT "/fine"}, bad[i]};

        save(&f, &(struct jw_roots){.v = all, .n = 2});
        is_damaged(&f);
    }
}

TEST_ARENA(very_many_modules_and_too_many_roots)
{
    enum { MANY = 100000 };
    struct jw_cache_memory f = memory_begin(a, "many");
    struct jw_root_module *v = jw_arena_alloc(a, MANY * sizeof *v);
    struct jw_root e = command(train, MANY, 1);
    struct jw_roots r = {0};

    for (uint32_t i = 0; i < MANY; i++) {
        memcpy(v[i].digest, &i, sizeof i);
        v[i].file = i % 2 ? AT
                        "/opt/a/folder/with/a/long/name/libtorch_cuda_kernels_of_release.so.2.9.1"
                          : NULL;
    }
    e.modules = v;
    jw_roots_record(&r, &e, a);
    save(&f, &r);
    r = load(&f, a);
    CHECK(r.n == 1 && r.v->n_modules == MANY && !r.v->modules->file);
    CHECK_TEXT(r.v[0].modules[MANY - 1].file, v[1].file);
    CHECK_REFUSED(jw_roots_save(&f, &(struct jw_roots){.n = JW_MAX_ROOTS + 1}, &err), err,
                  "jitwarm forget");
}

TEST_ARENA(a_command_is_known_where_its_words_mean_the_same)
{
    static const char *const words[][2] = {{AT "/a.py"}, {"--lr=a"}, {""}, {"./a"}, {"a/b"}, {"x"}};
    struct jw_roots r = {.here = jw_path_dir(a, tree_dir(a, "here/x"))};

    for (size_t i = 0; i < JW_COUNT(words); i++) {
        const struct jw_root e = {.kind = JW_ROOT_COMMAND, .words = words[i], .n_words = 1};

        jw_roots_record(&r, &e, a);
        jw_roots_record(&r, &e, a);
        CHECK(r.n == i + 1 && jw_root_is_command(&r, &r.v[i], words[i]));
        CHECK(jw_root_is_command(&(struct jw_roots){.here = AT "/other"}, &r.v[i], words[i])
              == (i < 3));
    }
}

TEST_ARENA(a_folder_is_one_root_however_it_is_named)
{
    static const char *const same[] = {"", "/", "/.", "/../lib", "/.//../lib/"};
    const char *folder = tree_dir(a, "one/lib"), *path;

    CHECK_OK(jw_real_path(folder, a, &folder, &err), err);
    for (size_t i = 0; i < JW_COUNT(same); i++) {
        CHECK_OK(jw_root_path(jw_arena_printf(a, "%s%s", folder, same[i]), a, &path, &err), err);
        CHECK_TEXT(path, folder);
    }
    CHECK_REFUSED(jw_root_path(AT "/a\nb", a, &path, &err), err, "line break");
}
