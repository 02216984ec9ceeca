/* What the cache holds: made-up listings, one for each thing that can be said. */
#include "check.h"
#include "doctor_rig.h"

#include <string.h>

#define OLD "May  3 202508:00:00"
#define NEW "Jan  7 202622:51:46"

static struct jw_cache_file files[8];

static void file(struct doctor_rig *r, const char *stamp, int64_t mtime)
{
    struct jw_cache_file *one = &files[r->cache.list.n++];

    *one = (struct jw_cache_file){
        .name = 0x423e06b9e6ec62aa, .size = 5000, .mtime = mtime, .kind = JW_CACHE_CUDA, .indexed = true
    };
    (void)snprintf(one->stamp, sizeof one->stamp, "%s", stamp);
    r->cache.list.files = files;
    r->cache.files.entries++;
}

TEST(cache_builds_outdated)
{
    struct doctor_rig r;

    doctor_rig(&r);
    file(&r, OLD, 10);
    file(&r, OLD, 20);
    file(&r, NEW, 30);
    file(&r, NEW, 40);
    r.cache.outdated = (struct jw_status_sum){ 2, 10000 };
    doctor_rig_one(&r, (struct wanted){ .id = "cache-builds-outdated",
                                        .severity = JW_NOTE,
                                        .subject = "/home/anna/.nv/ComputeCache",
                                        .text = "2 entries in the cache (9.8 KiB) are of other drivers",
                                        .command = "jitwarm prune --outdated --yes" });
    doctor_rig_free(&r);
}

TEST(cache_builds_alive)
{
    struct doctor_rig r;

    doctor_rig(&r);
    file(&r, OLD, 10);
    file(&r, NEW, 20);
    file(&r, OLD, 30);
    file(&r, NEW, 40);
    r.cache.outdated = (struct jw_status_sum){ 2, 10000 };
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-builds-alive",
                             .severity = JW_WARNING,
                             .text = "write to this cache",
                             .evidence = "Jan  7 2026 22:51:46",
                             .command = "jitwarm env apply --path \"$(mktemp -d /var/tmp/cuda-cache." });
    doctor_rig_free(&r);
}

TEST(cache_shared_nodes)
{
    struct doctor_rig r;

    doctor_rig(&r);
    file(&r, OLD, 10);
    file(&r, NEW, 20);
    file(&r, OLD, 30);
    r.m.place.disk.kind = JW_DISK_NETWORK;
    r.cache.list.n = 2; /* after an update the old one is silent */
    doctor_rig_none(&r, "cache-shared-nodes");
    r.cache.list.n = 3;
    file(&r, NEW, 40);
    doctor_rig_has(&r, (struct wanted){ .id = "cache-shared-nodes",
                                        .severity = JW_WARNING,
                                        .text = "machines with different NVIDIA drivers",
                                        .fix = "its own cache on a local disk" });
    doctor_rig_none(&r, "cache-builds-alive");
    doctor_rig_free(&r);
}

TEST(cache_damaged)
{
    struct doctor_rig r;

    doctor_rig(&r);
    file(&r, "", 10);
    files[0].damage = "cut short: 40 of 5000 bytes";
    r.cache.damaged = (struct jw_status_sum){ 1, 40 };
    doctor_rig_one(&r, (struct wanted){ .id = "cache-damaged",
                                        .severity = JW_WARNING,
                                        .text = "1 entry of the cache is damaged",
                                        .evidence = "/4/2/3e06b9e6ec62aa: cut short",
                                        .command = "jitwarm prune --damaged --yes" });
    r.cache.dir.root_from = (struct jw_setting_value){ "/data/my cache", "--cache" };
    doctor_rig_one(&r,
                   (struct wanted){ .id = "cache-damaged",
                                    .severity = JW_WARNING,
                                    .command = "jitwarm prune --damaged --yes --cache '/data/my cache'" });
    doctor_rig_free(&r);
}

TEST(cache_unreadable)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.list.refused = "permission denied";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-unreadable",
                                        .severity = JW_WARNING,
                                        .evidence = "/home/anna/.nv/ComputeCache: permission denied",
                                        .command = "sudo chown -R" });
    r.cache.list.refused = NULL;
    file(&r, "", 10);
    files[0].damage = "permission denied";
    files[0].unread = true;
    doctor_rig_one(&r, (struct wanted){
                           .id = "cache-unreadable", .severity = JW_WARNING, .evidence = "3e06b9e6ec62aa" });
    doctor_rig_free(&r);
}

TEST(cache_index_damaged)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.list.index_damage = "no index of the driver's cache";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-index-damaged",
                                        .severity = JW_WARNING,
                                        .evidence = "/index: no index",
                                        .command = "jitwarm status --repair" });
    doctor_rig_free(&r);
}

TEST(cache_orphans)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.orphans = (struct jw_status_sum){ 3, 7000 };
    r.cache.files.entries = 10;
    r.cache.recorded.entries = 7;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-orphans",
                                        .severity = JW_NOTE,
                                        .text = "does not know 3 of its files (6.8 KiB)",
                                        .evidence = "7 records, the folder 10 files",
                                        .command = "jitwarm prime" });
    doctor_rig_free(&r);
}

TEST(cache_evicted)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.primed = (struct jw_status_primed){
        .known = true, .compared = true, .recorded = { 10, 90000 }, .gone = { 4, 30000 }
    };
    doctor_rig_one(&r, (struct wanted){ .id = "cache-evicted",
                                        .severity = JW_WARNING,
                                        .text = "4 entries that jitwarm warmed (29 KiB",
                                        .evidence = "warmed for this driver: 10 entries",
                                        .command = "jitwarm prime" });
    r.cache.primed.emptied = true;
    doctor_rig_one(&r,
                   (struct wanted){ .id = "cache-evicted", .severity = JW_WARNING, .text = "was emptied" });
    r.cache.primed.emptied = false;
    r.cache.primed.compared = false; /* not all could be read: nothing can be said */
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_free(&r);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(cache_builds_outdated), T(cache_builds_alive), T(cache_shared_nodes),
               T(cache_damaged), T(cache_unreadable), T(cache_index_damaged), T(cache_orphans),
               T(cache_evicted));
}
