/* Which entries of a cache are in the pack of one key. */
#include "pack/export/export_run.h"

#include "check.h"

#define NOW "Jan  7 202622:51:46"
#define OTHER "Jun 14 202515:40:11"

static struct jw_cache_file file(uint64_t name, enum jw_cache_kind kind, const char *stamp,
                                 uint16_t sm)
{
    struct jw_cache_file f = {.name = name,
                              .kind = kind,
                              .sm = sm,
                              .size = 128,
                              .entry = {.key_size = 60, .payload_size = 40}};

    (void)snprintf(f.stamp, sizeof f.stamp, "%s", stamp);
    return f;
}

static struct jw_export_options o;
static struct jw_export_pack pack;
static struct export x = {.o = &o};

/* Of paths with these modules, in a cache with these files. */
static void begin(struct jw_arena *a, struct jw_cache_file *files, size_t n, struct jw_job *wanted,
                  size_t n_wanted)
{
    const struct jw_run run = {.a = a};

    o = (struct jw_export_options){.want.paths.n = 1};
    x.run = jw_arena_copy(a, &run, sizeof run);
    x.listing = (struct jw_cache_listing){.files = files, .n = n};
    x.wanted = wanted;
    x.n_wanted = n_wanted;
}

/* The names that are chosen, as "1 2 ". */
static const char *chosen(uint16_t sm)
{
    const char *text = "";

    pack = (struct jw_export_pack){.manifest = {.stamp = NOW, .sm = sm}};
    export_choose(&x, &pack);
    export_describe(&x, &pack);
    for (size_t i = 0; i < pack.n_files; i++)
        text = jw_arena_printf(x.run->a, "%s%llu ", text,
                               (unsigned long long)pack.manifest.entries[i].name);
    return text;
}

TEST_ARENA(of_files_of_roots_and_of_all)
{
    struct jw_cache_file files[] = {
        file(1, JW_CACHE_CUDA, NOW, 86),   file(2, JW_CACHE_CUDA, NOW, 90),
        file(3, JW_CACHE_CUDA, OTHER, 86), file(4, JW_CACHE_CUDA, NOW, 86),
        file(5, JW_CACHE_NVVM, OTHER, 86), file(6, JW_CACHE_OPENCL, OTHER, 86),
        file(7, JW_CACHE_OTHER, "", 86)};
    struct jw_job wanted[] = {{.name = 1}, {.name = 2}, {.name = 3}};

    begin(a, files, JW_COUNT(files), wanted, JW_COUNT(wanted));
    CHECK_TEXT(chosen(86), "1 ");
    CHECK(pack.once == 0 && pack.missing == 0);
    o.want.paths.n =
        0; /* of roots: also what other compilers made, as far as this driver finds it */
    CHECK_TEXT(chosen(86), "1 5 ");
    CHECK_NUM(pack.once, 1);
    o.whole = true;
    CHECK_TEXT(chosen(86), "1 4 5 ");
    CHECK_TEXT(chosen(90), "2 ");
}

TEST_ARENA(what_is_missing_and_damaged)
{
    struct jw_cache_file files[] = {file(1, JW_CACHE_CUDA, NOW, 86),
                                    file(2, JW_CACHE_OTHER, "", 0)};
    struct jw_place place = {.path = "/libx.so"};
    struct jw_job wanted[] = {{.name = 2, .sm = 86, .place = &place},
                              {.name = 8, .sm = 86, .place = &place},
                              {.name = 10, .sm = 90, .place = &place},
                              {.name = 11, .sm = 86, .place = &place, .is = JW_MODULE_BANNED}};

    begin(a, files, JW_COUNT(files), wanted, JW_COUNT(wanted));
    files[1].damage = "torn";
    CHECK_TEXT(chosen(86), "");
    CHECK(pack.damaged == 1 && pack.missing == 1 && pack.lacks == place.path);
}

TEST_ARENA(software_is_described)
{
    static struct jw_cache_file files[JW_MAX_PACK_SOFTWARE + 2];
    static struct jw_place places[JW_COUNT(files)];
    static struct jw_job wanted[JW_COUNT(files)];

    for (size_t i = 0; i < JW_COUNT(files);
         i++) { /* one is of no file, and one more than a manifest names */
        places[i].path = jw_arena_printf(a, "/lib%zu.so", 10000 + i);
        places[i].disk = i ? places[i].path : NULL;
        files[i] = file(i + 1, JW_CACHE_CUDA, NOW, 86);
        wanted[i] = (struct jw_job){.name = i + 1, .place = &places[i]};
    }
    pack = (struct jw_export_pack){.manifest = {.stamp = NOW, .driver = "a b", .sm = 86}};
    begin(a, files, JW_COUNT(files), wanted, JW_COUNT(wanted));
    export_choose(&x, &pack);
    export_describe(&x, &pack);
    CHECK(!pack.manifest.driver); /* no version that a manifest may have */
    CHECK(pack.manifest.n_software == JW_MAX_PACK_SOFTWARE && pack.manifest.nameless == 2);
    CHECK_TEXT(pack.manifest.software[0], "lib10001.so");
    CHECK_OK(jw_pack_manifest_check(&pack.manifest, &err), err);
}

TEST_ARENA(names_for_a_manifest)
{
    const char *longest = jw_arena_printf(a, "%0254d\xc3\xb6%0140d", 0, 0); /* the ö would be cut */

    CHECK_TEXT(export_plain_name("a/b\\c:d\x1b", a), "a_b_c_d_");
    CHECK_TEXT(export_plain_name("..", a), "_");
    CHECK_TEXT(export_plain_name("", a), "_");
    CHECK_TEXT(export_plain_name("lib\xff.so", a), "lib_.so");
    CHECK_TEXT(export_plain_name("z\xc3\xb6.so", a), "z\xc3\xb6.so");
    CHECK_NUM(strlen(export_plain_name(longest, a)), 254);
}
