/* Export through its library, from a cache that the simulated driver filled: real workers of the built program. */
#include "cache/format/jitcache.h"
#include "rigs/probe_rig.h"

#include "base/fault.h"
#include "base/path.h"
#include "base/text.h"
#include "cache/place/listing.h"
#include "gen/samples.h"
#include "jitwarm/prime.h"
#include "os/files/dir.h"
#include "os/files/file.h"
#include "pack/export/export.h"
#include "pack/file/pack_read.h"
#include "rigs/cache.h"
#include "rigs/digest512.h"
#include "rigs/scratch.h"
#include "rigs/variables.h"

static const char *cache, *library, *folder, *pack_path;

static const char *make_library(const char *name, const char *const *words, size_t n)
{
    struct jw_buf fat = GEN_BUF, file = GEN_BUF;
    const char *path;

    for (size_t i = 0; i < n; i++)
        gen_fat(&fat, words[i]);
    (void)gen_library(&file, jw_buf_bytes(&fat), true);
    path = tree_bytes(&rig_arena, name, file.p, file.n);
    jw_buf_free(&fat);
    jw_buf_free(&file);
    return path;
}

/* An empty cache, and a library of three modules that the driver would compile. */
static void begin(void)
{
    static const char *const words[] = { "P75:s", "P80:l", "P61" };

    rig_begin();
    cache = tree_path(&rig_arena, "home/cache");
    scratch_empty(cache);
    set_variable("CUDA_CACHE_PATH", cache);
    set_variable("JITWARM_DRIVER", rig_options().worker.driver);
    set_variable("JITWARM_STORE", rig_path("store"));
    folder = tree_dir(&rig_arena, "out");
    pack_path = tree_path(&rig_arena, "out/x.tar.zst");
    library = make_library("three.so", words, JW_COUNT(words));
}

static void prime(const char *path)
{
    const struct jw_prime_options o = { .paths = { &path, 1 }, .as_root = true, .same_login = true };
    struct jw_prime_report r;
    struct jw_prime_memory *memory = NULL;
    struct jw_session s = rig_session();
    struct jw_run run = { .session = &s };
    struct jw_err err = { 0 };

    CHECK_OK(jw_prime(&run, &o, &r, &memory, &err), err);
    CHECK_TEXT(jw_end_names[r.run->end], "done");
    jw_prime_free(memory);
}

static void primed(void)
{
    begin();
    prime(library);
}

static struct jw_session session;
static struct jw_run frame;

static struct jw_export_options options(void)
{
    session = rig_session();
    frame = (struct jw_run){ .session = &session, .a = &rig_arena };

    return (struct jw_export_options){ .output = pack_path, .threads = 2 };
}

static struct jw_export_report export_with(const struct jw_export_options *o)
{
    struct jw_export_report r;
    struct jw_err err = { 0 };

    CHECK_OK(jw_export(&frame, o, &r, &err), err);
    return r;
}

static struct jw_export_report exported(void)
{
    struct jw_export_options o = options();

    return export_with(&o);
}

static void ended(const struct jw_export_report *r, enum jw_end end)
{
    CHECK_TEXT(jw_end_names[r->run->end], jw_end_names[end]);
    if (r->run->end != end)
        CHECK_TEXT(r->run->why ? r->run->why : "", "");
}

/* Nothing of jitwarm's stays beside a pack. */
static void no_staging(void)
{
    struct jw_dir *dir = NULL;
    struct jw_entry e;
    struct jw_err err;
    bool more = true;

    CHECK(jw_dir_open(&dir, folder, &err));
    while (dir && jw_dir_next(dir, &e, &more, &err) && more)
        CHECK(!jw_text_starts(e.name, ".jitwarm"));
    jw_dir_close(dir);
}

/* ---- a pack, read back ---- */

struct seen {
    struct jw_pack_manifest manifest;
    size_t entries;
    uint64_t bytes;
    enum jw_pack_signature signature;
};

static bool on_entries(void *ctx, size_t first, size_t n, const struct jw_digest_text *files,
                       struct jw_err *err)
{
    (void)first;
    (void)err;
    ((struct seen *)ctx)->entries += n;
    for (size_t i = 0; i < n; i++)
        ((struct seen *)ctx)->bytes += files[i].bytes.n;
    return true;
}

static bool read_pack(const char *path, struct seen *s, struct jw_err *err)
{
    struct jw_pack_in in = { 0 };
    struct jw_pack_open_options open = { 0 };
    struct jw_run check = { 0 };
    struct jw_pack_read_options read = { .threads = 1 };
    struct jw_trusted_keys none = { 0 };
    struct jw_pack_verdict verdict;
    const struct jw_pack_manifest *m;
    bool ok = jw_pack_open(&in, path, &open, err)
              && jw_pack_check(&in, &none, &check, &rig_arena, &verdict, err)
              && jw_pack_manifest(&in, &rig_arena, &m, err)
              && jw_pack_read(&in, m, (struct jw_pack_visitor){ on_entries, s, NULL }, &read, err);

    if (ok) {
        s->signature = verdict.kind;
        s->manifest = *m;
    }
    jw_pack_close(&in);
    return ok;
}

static struct seen whole_pack(const char *path)
{
    struct seen s = { 0 };
    struct jw_err err = { 0 };

    CHECK_OK(read_pack(path, &s, &err), err);
    return s;
}

static struct jw_buf bytes_of(const char *path)
{
    struct jw_buf b = JW_BUF((size_t)64 << 20);
    struct jw_err err;
    bool found;

    CHECK(jw_file_slurp(path, &b, &found, &err) && found);
    return b;
}

static bool same_bytes(const struct jw_buf *a, const struct jw_buf *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* ---- what goes in ---- */

TEST(a_pack_of_what_was_primed)
{
    primed();
    struct jw_export_report r = exported();

    ended(&r, JW_END_DONE);
    CHECK(jw_stamp_simulated(r.stamp) && r.asked);
    CHECK_NUM(r.n_packs, 1);
    CHECK(r.packs[0].written && r.packs[0].sm == 86);
    CHECK_NUM(r.packs[0].sum.entries, 3);
    CHECK_NUM(r.packs[0].n_origins, 1);
    CHECK_TEXT(r.packs[0].origins[0].is.name, "three.so");
    no_staging();

    struct seen s = whole_pack(pack_path);

    CHECK_NUM(s.entries, 3);
    CHECK_NUM(s.signature, JW_PACK_UNSIGNED);
    CHECK(jw_stamp_simulated(s.manifest.stamp) && s.manifest.sm == 86);
    CHECK_TEXT(s.manifest.stamp, r.stamp);
    CHECK_NUM(s.manifest.n_origins, 1);
    CHECK_TEXT(s.manifest.origins[0].name, "three.so");
    for (size_t i = 0; i < s.manifest.n_entries; i++)
        CHECK_NUM(s.manifest.entries[i].origin, 0);
}

/* ---- entries that are not sound ---- */

static struct jw_cache_file first_entry(size_t at)
{
    struct jw_cache_listing l;
    struct jw_err err = { 0 };
    struct jw_cache_file f;

    CHECK(jw_cachedir_list(cache, false, &rig_arena, &l, &err));
    CHECK(at < l.n);
    f = l.files[at];
    jw_cache_listing_free(&l);
    return f;
}

static const char *entry_path(const struct jw_cache_file *f)
{
    return jw_path_join(&rig_arena, cache, jw_cache_name(f->name).text);
}

static void put_bytes(const char *path, const void *p, size_t n)
{
    struct jw_err err;

    CHECK(jw_file_put(path, JW_OUT_REPLACE, (struct jw_bytes){ p, n }, &err));
}

enum meddling { REMOVE, GROW, SPOIL };

struct meddler {
    enum meddling how;
    struct jw_cache_file f;
    bool done;
};

/* Between the listing of the cache and the reading of its entries. */
static void meddle(void *ctx, const struct jw_progress *p)
{
    struct meddler *m = ctx;
    struct jw_buf b;

    if (m->done || strcmp(p->what, "choosing entries") != 0)
        return;
    m->done = true;
    b = bytes_of(entry_path(&m->f));
    switch (m->how) {
    case REMOVE: scratch_empty(jw_path_dir(&rig_arena, entry_path(&m->f))); break;
    case GROW:
        jw_buf_fill(&b, 7, 100);
        put_bytes(entry_path(&m->f), b.p, b.n);
        break;
    case SPOIL:
        b.p[b.n - 1] ^= 1;
        put_bytes(entry_path(&m->f), b.p, b.n);
        break;
    }
    jw_buf_free(&b);
}

TEST(entries_that_change_under_our_hands_are_left_out)
{
    static const enum meddling all[] = { REMOVE, GROW, SPOIL };

    for (size_t i = 0; i < JW_COUNT(all); i++) {
        primed();
        struct meddler m = { .how = all[i], .f = first_entry(2) };
        struct jw_export_options o = options();

        frame.progress = meddle;
        frame.ctx = &m;
        struct jw_export_report r = export_with(&o);

        CHECK(m.done);
        ended(&r, JW_END_PARTLY);
        CHECK_NUM(r.packs[0].left_out[JW_EXPORT_CHANGED].entries, 1);
        CHECK_NUM(r.packs[0].left_out[JW_EXPORT_DAMAGED].entries, 0);
        CHECK_NUM(whole_pack(pack_path).entries, 2);
        no_staging();
    }
}

/* ---- the same bytes ---- */

TEST(threads_change_no_byte)
{
    primed();
    struct jw_export_options o = options();
    struct jw_export_report r, again;
    struct jw_buf one, other;

    o.threads = 1;
    r = export_with(&o);
    one = bytes_of(pack_path);
    o.threads = 4;
    again = export_with(&o);
    other = bytes_of(pack_path);
    CHECK(same_bytes(&one, &other));
    CHECK(memcmp(r.packs[0].manifest_digest, again.packs[0].manifest_digest, JW_DIGEST) == 0);
    CHECK_NUM(whole_pack(pack_path).entries, 3);
    jw_buf_free(&one);
    jw_buf_free(&other);
}

/* ---- interrupted ---- */

TEST(an_interruption_is_an_answer)
{
    atomic_bool now = true;

    primed();
    struct jw_export_options o = options();

    frame.interrupted = &now;
    struct jw_export_report r = export_with(&o);

    ended(&r, JW_END_INTERRUPTED);
    CHECK_NUM(scratch_count(folder), 0);
}

static void stop_at_the_first_byte(void *ctx, const struct jw_progress *p)
{
    if (p->total)
        atomic_store((atomic_bool *)ctx, true);
}

TEST(an_interruption_while_packing_leaves_the_old_pack)
{
    atomic_bool now = false;

    primed();
    struct jw_export_options o = options();
    struct jw_export_report r = export_with(&o);
    struct jw_buf before = bytes_of(pack_path), after;

    frame.interrupted = &now;
    frame.progress = stop_at_the_first_byte;
    frame.ctx = &now;
    r = export_with(&o);
    after = bytes_of(pack_path);
    CHECK(r.run->end == JW_END_INTERRUPTED ? same_bytes(&before, &after) : r.run->end == JW_END_DONE);
    no_staging();
    jw_buf_free(&before);
    jw_buf_free(&after);
}

/* ---- drivers ---- */

/* ---- signed ---- */

/* ---- the store ---- */

static struct jw_export_report kept(struct jw_export_options *o)
{
    o->store_cap = 1 << 30;
    return export_with(o);
}

TEST(a_store_that_cannot_be_written_costs_a_note)
{
    primed();
    struct jw_export_options o = options();

    scratch_write(rig_path("store"), "a file, and no folder");
    struct jw_export_report r = kept(&o);

    ended(&r, JW_END_DONE);
    CHECK(r.packs[0].written && !r.packs[0].kept);
    CHECK(r.run->notes.n > 0
          && strstr(r.run->notes.v[r.run->notes.n - 1], "cannot copy the pack to the store"));
}

/* ---- faults ---- */

/* Each allocation and each verb of this process fails in turn: the name holds the old pack or the whole new one. */
TEST(every_failure_leaves_the_old_pack_or_the_new_one)
{
    unsigned long step = check_fault_step(7);
    bool fired = true;
    struct jw_minisign_secret keys[2];
    struct jw_err err = { 0 };

    primed();
    CHECK(jw_minisign_make(&keys[0], &err) && jw_minisign_make(&keys[1], &err));
    struct jw_export_options o = options();

    o.key = &keys[0];
    o.store_cap = 1 << 30;
    o.threads = 1; /* so that the n-th point is the same one each time */
    (void)export_with(&o);
    struct jw_buf before = bytes_of(pack_path), now;

    for (unsigned long nth = 1; fired; nth += step) {
        struct jw_export_report r;
        struct seen s = { 0 };
        bool written;

        o.key = &keys[nth % 2]; /* so that no two packs are the same */
        err = (struct jw_err){ 0 };
        jw_fault_arm(nth);
        bool ok = jw_export(&frame, &o, &r, &err);

        fired = jw_fault_fired();
        jw_fault_arm(0);
        CHECK(ok || err.msg[0]);
        written = r.n_packs == 1 && r.packs[0].written;
        err = (struct jw_err){ 0 };
        CHECK_OK(read_pack(pack_path, &s, &err), err);
        CHECK(s.signature == JW_PACK_SIGNED_UNKNOWN);
        now = bytes_of(pack_path);
        if (!written)
            CHECK(same_bytes(&now, &before));
        else
            CHECK(s.entries == 3 || r.run->end == JW_END_PARTLY);
        if (ok && r.run->end == JW_END_DONE)
            CHECK(written && s.entries == 3);
        jw_buf_free(&before);
        before = now;
    }
    jw_buf_free(&before);
    CHECK_NUM(exported().packs[0].sum.entries, 3);
}
