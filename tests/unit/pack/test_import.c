/* Import through its library, on the simulated driver: real workers of the built program. tests/pack has the long proofs. */
#include "cache/format/jitcache.h"
#include "rigs/probe_rig.h"

#include "base/fault.h"
#include "base/path.h"
#include "cache/memory/warmstate.h"
#include "cache/place/listing.h"
#include "gen/samples.h"
#include "pack/export/export.h"
#include "pack/import/import.h"
#include "rigs/cache.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

static const char *cache, *library, *pack;
static struct jw_session session;
static struct jw_run frame;
static const char *excluded; /* NULL: nothing */

static void write_library(void)
{
    static const char *const words[] = { "P75:s", "P80:l", "P61" };
    struct jw_buf fat = GEN_BUF, whole = GEN_BUF;

    for (size_t i = 0; i < JW_COUNT(words); i++)
        gen_fat(&fat, words[i]);
    (void)gen_library(&whole, jw_buf_bytes(&fat), true);
    library = tree_bytes(&rig_arena, "three.so", whole.p, whole.n);
    jw_buf_free(&fat);
    jw_buf_free(&whole);
}

static void prime_it(void)
{
    const struct jw_prime_options o = { .paths = { &library, 1 }, .as_root = true, .same_login = true };
    struct jw_prime_report r;
    struct jw_prime_memory *memory;
    struct jw_err err = { 0 };

    session = rig_session();
    frame = (struct jw_run){ .session = &session };
    CHECK(jw_prime(&frame, &o, &r, &memory, &err) && frame.end == JW_END_DONE);
    jw_prime_free(memory);
}

static void export_it(void)
{
    const struct jw_export_options o = { .paths = { &library, 1 }, .output = pack };
    struct jw_export_report r;
    struct jw_err err = { 0 };

    session = rig_session();
    frame = (struct jw_run){ .session = &session, .a = &rig_arena };
    CHECK_OK(jw_export(&frame, &o, &r, &err) && frame.end == JW_END_DONE, err);
}

/* A library of three modules, a pack of what they became, and an empty cache. */
static void begin(void)
{
    rig_begin();
    cache = tree_path(&rig_arena, "home/cache");
    pack = tree_path(&rig_arena, "three.tar.zst");
    scratch_empty(cache);
    set_variable("CUDA_CACHE_PATH", cache);
    set_variable("JITWARM_STORE", tree_path(&rig_arena, "home/store"));
    write_library();
    prime_it();
    export_it();
    scratch_empty(cache);
    session = rig_session();
    frame = (struct jw_run){ .session = &session, .a = &rig_arena };
}

static struct jw_import_options options(void)
{
    return (struct jw_import_options){
        .file = pack, .paths = { &library, 1 }, .allow_unsigned = true, .as_root = true
    };
}

struct result {
    struct jw_import_report report;
};

static struct result import_with(const struct jw_import_options *o)
{
    struct result r;
    struct jw_err err = { 0 };

    session = rig_session();
    session.exclude = &excluded;
    session.n_exclude = excluded != NULL;
    CHECK_OK(jw_import(&frame, o, &r.report, &err), err);
    return r;
}

static void ended(const struct result *r, enum jw_end end)
{
    CHECK_TEXT(jw_end_names[r->report.run->end], jw_end_names[end]);
}

/* Every file is whole, and every record has its file. `*lost`: files without one. */
static size_t sound_entries(size_t *lost)
{
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    size_t n;

    *lost = 0;
    CHECK(jw_cachedir_list(cache, true, &rig_arena, &l, &err));
    for (size_t i = 0; i < l.n; i++) {
        CHECK(!l.files[i].damage);
        *lost += !l.files[i].indexed;
    }
    CHECK(l.missing == 0);
    n = l.n;
    jw_cache_listing_free(&l);
    return n;
}

TEST(what_is_remembered)
{
    struct jw_warm_state memory;

    begin();

    struct jw_import_options o = options();
    struct result r = import_with(&o);

    jw_warm_load(cache, &rig_arena, &memory);
    for (size_t i = 0; i < r.report.n_entries; i++)
        CHECK_TEXT(jw_warm_origin(&memory, r.report.entries[i].of->name), "three.so");
    CHECK_NUM(memory.modules.n, 3);
    for (size_t i = 0; i < memory.modules.n; i++)
        CHECK(memory.modules.list[i].compiled && memory.modules.list[i].imported);
}

TEST(software_that_is_excluded_needs_no_entry)
{
    size_t lost;

    begin();

    struct jw_import_options o = options();
    const char *folder = jw_path_dir(&rig_arena, library);

    o.paths.items = &folder;
    excluded = jw_path_base(library);
    struct result r = import_with(&o);

    excluded = NULL;
    CHECK_NUM(r.report.counts[JW_IMPORT_IMPORTED], 0);
    CHECK_NUM(r.report.counts[JW_IMPORT_FOREIGN], 3);
    CHECK_NUM(sound_entries(&lost), 0);

    r = import_with(&o);
    CHECK_NUM(r.report.counts[JW_IMPORT_IMPORTED], 3);
}

TEST(an_interruption_is_an_answer)
{
    atomic_bool stop;
    size_t lost;

    atomic_init(&stop, true);
    begin();

    struct jw_import_options o = options();

    frame.interrupted = &stop;
    struct result r = import_with(&o);

    ended(&r, JW_END_INTERRUPTED);
    CHECK_NUM(sound_entries(&lost), 0);
}

/* Before this end the cache was not touched. */
static bool is_refusal(enum jw_end end)
{
    return end == JW_END_REFUSED || end == JW_END_UNFIT || end == JW_END_CONSENT || end == JW_END_BUSY
           || end == JW_END_NO_GPU;
}

/* The verbs and allocations of this process fail in turn: whatever happens, the cache is sound, what is refused changes
 * nothing, and the next run ends it. */
TEST(every_failure_leaves_a_sound_cache)
{
    unsigned long step = check_fault_step(9);
    bool fired = true;
    size_t lost;

    begin();

    struct jw_import_options o = options();

    o.no_verify = true;
    for (unsigned long nth = 1; fired; nth += step) {
        struct jw_import_report report;
        struct jw_err err = { 0 };

        scratch_empty(cache);
        session = rig_session();
        jw_fault_arm(nth);
        bool ok = jw_import(&frame, &o, &report, &err);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        size_t n = sound_entries(&lost);

        CHECK(n <= 3 && (!ok || !is_refusal(report.run->end) || n == 0));
        /* A file of the software that cannot be read leaves entries foreign, which is reported. */
        CHECK(!ok || report.run->end != JW_END_DONE
              || (n + report.counts[JW_IMPORT_FOREIGN] == 3 && !lost && !report.records));
    }
    struct result r = import_with(&o);

    CHECK(r.report.run->end == JW_END_DONE || r.report.run->end == JW_END_NOTHING);
    CHECK_NUM(sound_entries(&lost), 3);
    CHECK_NUM(lost, 0);
}
