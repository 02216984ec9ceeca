/* Copying entries into a folder that a driver has begun, and finding what has changed in one. */
#include "driver/probe/probe_check.h"

#include "base/path.h"
#include "cache/place/listing.h"
#include "check.h"
#include "os/sys.h"
#include "rigs/cache.h"

#include <time.h>

static struct jw_arena arena;

/* `from` with three entries, and `to` as the driver begins it, with one. */
static void make_two(const char *from, const char *to, struct cache *a, struct cache *b)
{
    *a = cache_make(&arena, from);
    for (unsigned i = 0; i < 3; i++)
        (void)cache_add(a, CACHE_NOW, "sm_86", i, 300 + i);
    cache_done(a);
    *b = cache_make(&arena, to);
    (void)cache_add(b, CACHE_NOW, "sm_86", 9, 300);
    cache_done(b);
}

static struct jw_cache_listing list(const struct cache *c)
{
    struct jw_cache_listing l;

    CHECK(jw_cache_list(c->folder, true, NULL, &arena, &l, JW_IGNORED));
    return l;
}

static struct jw_cache_listing before;

static void watch(const struct cache *c)
{
    jw_cache_listing_free(&before);
    before = list(c);
}

static bool differs(const struct cache *c)
{
    FREED(jw_cache_listing) after = list(c);
    bool same = probe_same(&before, &after);

    watch(c);
    return !same;
}

/* A file that cannot be read says nothing about the driver. */
TEST(what_cannot_be_read)
{
    struct cache a, b;
    struct jw_cache_listing l;

    make_two("unread-1", "unread-2", &a, &b);
    cache_put(&a, "file", "", 0);
    CHECK_REFUSED(probe_list(jw_path_join(&arena, a.folder, "file"), &arena, &l, &err), err,
                  "unread-1/file: ");
    CHECK(l.files == NULL);
}

/* A driver may note which entry was used last: the same records in another order are no change. */
TEST(another_order)
{
    struct cache a = cache_make(&arena, "order");
    struct jw_cache_record first;
    struct jw_cache_index copy = {0};

    for (unsigned i = 0; i < 3; i++)
        (void)cache_add(&a, CACHE_NOW, "sm_86", i, 300);
    for (size_t i = 0; i < a.index.n; i++)
        CHECK(jw_cache_index_add(&copy, a.index.list[i], &err));
    cache_done(&a);
    watch(&a);
    first = copy.list[0];
    copy.list[0] = copy.list[2];
    copy.list[2] = first;
    a.index = copy;
    cache_done(&a);
    CHECK(!differs(&a));
}

TEST(differences)
{
    struct cache a, b;
    struct jw_cache_listing l;

    make_two("diff-1", "diff-2", &a, &b);
    watch(&a);
    l = list(&a);
    (void)cache_add(&a, CACHE_NOW, "sm_86", 20, 300);
    CHECK(differs(&a));
    jw_cache_index_free(&a.index);
    a.index = (struct jw_cache_index){0};
    cache_remove(&a, l.files[0].name);
    CHECK(differs(&a));
    jw_cache_listing_free(&l);

    watch(&b);
    l = list(&b);
    uint64_t name = l.files[0].name;
    FREED(jw_buf) bytes = cache_get(&b, name);

    jw_cache_listing_free(&l);
    nanosleep(&(struct timespec){.tv_nsec = 20000000},
              NULL); /* past the grain of the file system's clock */
    cache_put(&b, jw_cache_name(name).text, bytes.p, bytes.n);
    CHECK(differs(&b));
    bytes.p[bytes.n - 1] ^= 1;
    cache_put(&b, jw_cache_name(name).text, bytes.p, bytes.n);
    CHECK(differs(&b));
}

TEST(other_things)
{
    struct cache a, b;

    make_two("other-1", "other-2", &a, &b);
    watch(&a);
    cache_put(&a, "lock", "", 0);
    CHECK(differs(&a));
    watch(&b);
    jw_sys_remove(jw_path_join(&arena, b.folder, "index"));
    CHECK(differs(&b));
}
