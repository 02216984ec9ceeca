/* Where the cache lies and whose it is: made-up machines, one for each thing that can be said. */
#include "check.h"
#include "doctor_rig.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

TEST_DOCTOR(cache_no_home)
{
    r->cache.dir.folder = r->m.place.path = NULL;
    r->m.env.n = 0;
    doctor_rig_one(r, WARNING("cache-no-home", .subject = "HOME", .evidence = "HOME is not set",
                              .consequence = "nothing is cached: programs compile at every start",
                              .command = "export HOME=/home/anna"));
    r->m.who.service = "the login shell is /usr/sbin/nologin";
    doctor_rig_one(r, WARNING("cache-no-home", .subject = "HOME",
                              .fix = "name a folder where the service is started",
                              .command = "export CUDA_CACHE_PATH=\"$(mktemp -d "
                                         "/var/tmp/cuda-cache.XXXXXXXX)\" && jitwarm env apply --path"));
    r->m.who.service = NULL;
    r->m.windows = true;
    doctor_rig_one(r, WARNING("cache-no-home", .subject = "APPDATA", .command = "jitwarm env apply --path"));
}

TEST_DOCTOR(cache_path_relative)
{
    doctor_rig_root(r, "nv/cache", "nv/cache");
    doctor_rig_one(r,
                   WARNING("cache-path-relative",
                           .evidence = "CUDA_CACHE_PATH=nv/cache; a fresh login has it, too, from /etc/env",
                           .consequence = "different caches", .command = "unset CUDA_CACHE_PATH"));
    doctor_rig_root(r, "~/nv", "~/nv");
    doctor_rig_one(
        r, WARNING("cache-path-relative", .text = "begins with ~", .command = "unset CUDA_CACHE_PATH"));
}

TEST_DOCTOR(cache_path_junk)
{
    doctor_rig_set(r, "CUDA_CACHE_PATH", "", NULL);
    r->m.login.known = false;
    doctor_rig_one(
        r, WARNING("cache-path-junk", .text = "is set, but empty", .command = "unset CUDA_CACHE_PATH"));
    doctor_rig_set(r, "CUDA_CACHE_PATH", "/x\xff", NULL);
    doctor_rig_one(r, WARNING("cache-path-junk", .text = "not valid text"));
}

TEST_DOCTOR(cache_path_missing)
{
    r->m.place.exists = r->m.place.folder = false;
    r->m.place.nearest = "/home/anna";
    CHECK_NUM(doctor_rig_check(r).n, 0); /* of the default place that is no news */
    doctor_rig_root(r, "/data/my cache/cuda", "/data/my cache/cuda");
    r->m.place.nearest = "/data";
    CHECK_NUM(doctor_rig_check(r).n, 0); /* Linux' drivers make it, and what is above it */
    r->m.windows = true;
    doctor_rig_root(r, "C:\\my cache", "C:\\my cache");
    doctor_rig_one(r, NOTE("cache-path-missing", .subject = "C:\\my cache", .text = "does not exist yet",
                           .command = "mkdir \"C:\\my cache\""));
}

TEST_DOCTOR(cache_path_file)
{
    r->m.place.folder = r->m.place.nearest_folder = r->m.place.may_write = false;
    doctor_rig_one(r, WARNING("cache-path-file", .text = "is not a folder: /home/anna/.nv/ComputeCache",
                              .command = "mv /home/anna/.nv/ComputeCache /home/anna/.nv/ComputeCache.old"));
}

static const char *const not_to_be_changed[] = {
    "/",         "/etc",        "/etc/",      "//usr/lib",
    "/usr/lib",  "/home",       "/home/anna", "/home/anna/../../etc",
    "/proc/sys", "/tmp",        "/var/lib",   "/lib64/x",
    "/opt",      "/data/photos"
};

/* Neither its rights, nor its owner, nor its name. */
static void check_unchanged(struct doctor_rig *r)
{
    struct jw_findings f = doctor_rig_check(r);

    CHECK(f.n > 0);
    for (size_t i = 0; i < f.n; i++) {
        const char *command = f.v[i].command ? f.v[i].command : "";

        CHECK(!strstr(command, "chown") && !strstr(command, "chmod") && !strstr(command, "icacls"));
        CHECK(!jw_text_starts(command, "mv ") && !jw_text_starts(command, "move "));
    }
    CHECK_HAS(f.v[0].command, "unset CUDA_CACHE_PATH");
}

TEST(what_is_not_plainly_the_cache_is_not_changed)
{
    for (size_t i = 0; i < JW_COUNT(not_to_be_changed); i++)
        for (unsigned kind = 0; kind < 6; kind++) {
            struct doctor_rig r;

            doctor_rig(&r);
            doctor_rig_root(&r, not_to_be_changed[i], not_to_be_changed[i]);
            /* a driver that was told to has left its index there */
            r.cache.list.index_found = strcmp(not_to_be_changed[i], "/data/photos") != 0;
            r.m.place.may_write = kind > 2;
            r.m.place.trust.owner = kind == 1 || kind == 3 ? "root" : NULL;
            r.m.place.trust.writers = kind == 4 ? "everybody" : NULL;
            if (kind == 5)
                r.cache.list.refused = "permission denied";
            if (kind == 2)
                r.m.place.folder = r.m.place.nearest_folder = false;
            check_unchanged(&r);
            doctor_rig_free(&r);
        }
}

TEST_DOCTOR(a_folder_with_the_drivers_index_may_be_changed)
{
    doctor_rig_root(r, "/data/cuda", "/data/cuda");
    r->cache.list.index_found = true;
    r->m.place.trust.writers = "everybody";
    doctor_rig_one(r, WARNING("cache-writable-by-others", .command = "chmod go-w /data/cuda"));
    r->m.place.trust.sticky = true; /* like /tmp */
    check_unchanged(r);
    r->m.place.trust.sticky = false;
    r->cache.list.index_damage = "no index of the driver's cache";
    doctor_rig_has(r, WARNING("cache-writable-by-others", .command = "unset CUDA_CACHE_PATH"));
}

TEST_DOCTOR(of_another_ones_home_nothing_is_changed)
{
    doctor_rig_root(r, "/home/bob/.nv/ComputeCache", NULL);
    doctor_rig_set(r, "HOME", "/home/bob", NULL);
    r->m.place.may_write = false;
    r->m.place.trust.owner = "bob";
    doctor_rig_has(r, WARNING("cache-path-unwritable", .fix = "your own folder", .command = "mktemp -d"));
}

TEST_DOCTOR(cache_path_unwritable)
{
    r->m.place.may_write = false;
    doctor_rig_one(r, WARNING("cache-path-unwritable", .evidence = "the driver's default place",
                              .consequence = "nothing new is cached",
                              .command = "chmod -R u+rwX /home/anna/.nv/ComputeCache"));
    r->m.place.finds_nothing = "the driver finds nothing in it: it opens the file index for writing";
    doctor_rig_one(r, WARNING("cache-path-unwritable",
                              .consequence = "finds nothing where it may not: programs compile at "
                                             "every start"));
    r->m.place.trust.owner = "root";
    r->m.made_by_root = r->m.has_sudo = true;
    doctor_rig_one(r, WARNING("cache-path-unwritable", .fix = "root made it in your home",
                              .command = "sudo chown -R 1000:1000 /home/anna"));
    r->m.of_root = "/home/anna/.nv"; /* a rename needs no rights of root */
    r->m.aside = "/home/anna/.nv.of-root";
    doctor_rig_one(r, WARNING("cache-path-unwritable",
                              .fix = "sudo chown -R 1000:1000 /home/anna/.nv/ComputeCache would keep",
                              .command = "mv /home/anna/.nv /home/anna/.nv.of-root"));
    r->m.has_sudo = false;
    doctor_rig_one(r, WARNING("cache-path-unwritable", .fix = "rename it, and the driver makes a new one",
                              .command = "mv /home/anna/.nv /home/anna/.nv.of-root"));
    r->m.of_root = r->m.aside = NULL;
    r->m.place.trust.owner = NULL;
    r->m.made_by_root = false;
    r->m.place.exists = r->m.place.folder = false;
    r->m.place.nearest = "/home";
    doctor_rig_one(r, WARNING("cache-path-unwritable", .text = "you may not make it in /home",
                              .command = "export CUDA_CACHE_PATH=\"$(mktemp -d /var/tmp/cuda-cache."));
}

TEST_DOCTOR(cache_path_readonly)
{
    r->m.place.may_write = false;
    r->m.place.disk.read_only = true;
    r->m.place.trust.writers = "everybody"; /* by its mode: on this file system nobody writes */
    r->m.place.disk.free = 0;               /* as such file systems say; it is not the point */
    doctor_rig_one(r,
                   WARNING("cache-path-readonly", .text = "read-only file system", .command = "mktemp -d"));
}

TEST_DOCTOR(cache_path_network)
{
    r->m.place.disk.kind = JW_DISK_NETWORK;
    r->m.place.type = "nfs4";
    doctor_rig_one(r, WARNING("cache-path-network", .text = "network file system (nfs4)",
                              .fix = "on a local disk, for this shell and new logins:",
                              .command = "export CUDA_CACHE_PATH=\"$(mktemp -d /var/tmp/"));
}

TEST_DOCTOR(cache_path_memory)
{
    r->m.place.disk.kind = JW_DISK_MEMORY;
    r->m.place.type = "tmpfs";
    doctor_rig_one(r, WARNING("cache-path-memory", .text = "in memory (tmpfs)",
                              .fix = "for this shell and new logins:",
                              .consequence = "lost when the machine or container restarts"));
    r->m.probe.driver.container = true;
    doctor_rig_has(r, WARNING("cache-path-memory", .fix = "for this shell only:"));
}

/* A variable names the memory, and without it the cache would be on a disk. */
TEST_DOCTOR(the_default_place_is_better_than_a_new_folder)
{
    doctor_rig_root(r, "/dev/shm/cache", "/dev/shm/cache");
    r->m.place.disk.kind = JW_DISK_MEMORY;
    r->m.place.type = "tmpfs";
    doctor_rig_has(r, WARNING("cache-path-memory", .command = "mktemp -d"));
    r->m.home_cache = "/home/anna/.nv/ComputeCache";
    doctor_rig_has(r, WARNING("cache-path-memory",
                              .fix = "the driver takes /home/anna/.nv/ComputeCache, on a disk of "
                                     "this machine; permanently: remove it from /etc/environment",
                              .command = "unset CUDA_CACHE_PATH"));
}

TEST_DOCTOR(cache_disk_full)
{
    r->m.place.disk.free = 3000000;
    r->m.place.mount = "/home";
    doctor_rig_one(r, WARNING("cache-disk-full", .text = "2.9 MiB of 93 GiB are free",
                              .command = "du -xh -d 2 /home | sort -h | tail"));
    r->m.place.disk.free = r->m.place.disk.total = 0; /* /proc */
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(cache_owner)
{
    r->m.place.trust.owner = "user 1001";
    doctor_rig_one(r, WARNING("cache-owner", .text = "belongs to user 1001",
                              .consequence = "controls the GPU code", .command = "mktemp -d"));
    r->m.who.root = true; /* it takes nothing away from a user */
    doctor_rig_one(r, WARNING("cache-owner", .fix = "work as that user",
                              .command = "sudo -H -u '#1001' jitwarm doctor"));
    r->m.place.trust.owner = "ada";
    r->m.who.home = "/root";
    doctor_rig_has(r, WARNING("cache-owner", .command = "export HOME=/root"));
}

/* It may be a lab's: its owner keeps it. */
TEST(the_folder_of_another_user_stays_that_users)
{
    struct doctor_rig r;

    for (unsigned kind = 0; kind < 8; kind++) {
        struct jw_findings f;

        doctor_rig(&r);
        doctor_rig_root(&r, "/data/shared", "/data/shared");
        r.cache.list.index_found = true;
        r.m.has_sudo = true;
        r.m.place.may_write = kind & 1;
        r.m.made_by_root = kind & 2;
        r.cache.list.refused = kind & 4 ? "permission denied" : NULL;
        r.m.place.trust.owner = r.m.made_by_root ? "root" : "user 1001";
        f = doctor_rig_check(&r);
        CHECK(f.n > 0);
        for (size_t i = 0; i < f.n; i++)
            CHECK_HAS(f.v[i].command, "unset CUDA_CACHE_PATH");
        doctor_rig_free(&r);
    }
}

TEST_DOCTOR(what_root_made_in_a_home_is_given_back)
{
    r->m.place.may_write = false;
    r->m.place.trust.owner = "root";
    r->m.made_by_root = true; /* and there is no sudo */
    doctor_rig_one(
        r, WARNING("cache-path-unwritable", .command = "export CUDA_CACHE_PATH=\"$(mktemp -d /var/tmp/"));
    r->m.has_sudo = true;
    doctor_rig_set(r, "HOME", "/home/bea", NULL);
    doctor_rig_has(
        r, WARNING("cache-path-unwritable", .command = "export CUDA_CACHE_PATH=\"$(mktemp -d /var/tmp/"));
}

TEST_DOCTOR(cache_writable_by_others)
{
    r->m.place.trust.writers = "its group";
    doctor_rig_one(r, WARNING("cache-writable-by-others", .text = "its group may write",
                              .command = "chmod go-w /home/anna/.nv/ComputeCache"));
    r->m.place.trust.writers = "everybody";
    doctor_rig_one(r, WARNING("cache-writable-by-others", .text = "everybody"));
    r->m.windows = true;
    r->m.place.trust.writers = "every user";
    doctor_rig_one(r, WARNING("cache-writable-by-others", .text = "every user may write",
                              .command = "/inheritance:d /remove:g *S-1-1-0 *S-1-5-11 *S-1-5-32-545"));
}

TEST_DOCTOR(cache_container)
{
    r->m.probe.driver.container = true;
    CHECK_NUM(doctor_rig_check(r).n, 0); /* on a volume */
    r->m.place.with_system = true;
    doctor_rig_one(r, NOTE("cache-container")); /* as LXC: it may stay */
    r->m.container.engine = JW_CONTAINER_DOCKER;
    doctor_rig_one(r,
                   WARNING("cache-container", .consequence = "each new container compiles everything again",
                           .command = "jitwarm env --shell docker")); /* of which container is not known */
    r->m.container.id = "4f1c9b0a7d3e";
    doctor_rig_one(r, WARNING("cache-container",
                              .command = "mkdir -p ~/.cache/jit-caches && docker run -it --gpus all -v "
                                         "~/.cache/jit-caches:/jit-caches -e "
                                         "CUDA_CACHE_PATH=/jit-caches/cuda \"$(docker inspect -f "
                                         "'{{.Config.Image}}' 4f1c9b0a7d3e)\""));
    r->m.container = (struct jw_container){
        .engine = JW_CONTAINER_KUBERNETES, .workload = "deployment/app", .name = "web", .pod = "app-x"
    };
    doctor_rig_one(r, WARNING("cache-container",
                              .command = "kubectl patch deployment/app -p "
                                         "'{\"spec\":{\"template\":{\"spec\":{\"volumes\":[{\"name\":"
                                         "\"jit-caches\",\"hostPath\":{\"path\":\"/var/cache/jit-caches\","));
    r->m.container.workload = NULL;
    doctor_rig_one(r, WARNING("cache-container", .command = "kubectl get pod app-x -o yaml"));
    r->m.probe.driver.container = false; /* a machine with one file system */
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(cache_root_user)
{
    r->m.who = (struct jw_whoami){
        .user = "root", .home = "/root", .root = true, .behind = "anna", .behind_home = "/home/anna"
    };
    doctor_rig_set(r, "HOME", "/root", "the login");
    doctor_rig_root(r, "/root/.nv/ComputeCache", NULL);
    doctor_rig_one(r, WARNING("cache-root-user", .evidence = "this is root, called by anna; HOME=/root",
                              .text = "root's cache, and not that of anna", .command = "jitwarm doctor"));
    doctor_rig_set(r, "HOME", "/home/anna", "the login");
    doctor_rig_root(r, "/home/anna/.nv/ComputeCache", NULL);
    doctor_rig_one(r, WARNING("cache-root-user", .text = "root uses the cache of anna",
                              .consequence = "anna cannot read files"));
}

/* Root may write anywhere, by the rights; no file can be made in /proc all the same. */
TEST_DOCTOR(cache_path_of_the_kernel)
{
    doctor_rig_root(r, "/proc/nv", "/proc/nv");
    r->m.place.nearest = r->m.place.mount = "/proc";
    r->m.place.nearest_folder = r->m.place.may_write = r->m.place.disk_known = true;
    r->m.place.exists = false;
    r->m.place.type = "proc";
    r->m.place.disk = (struct jw_disk){ .kind = JW_DISK_KERNEL };
    doctor_rig_one(r,
                   WARNING("cache-path-unwritable", .text = "in /proc, where the kernel shows itself (proc)",
                           .command = "unset CUDA_CACHE_PATH"));
}

TEST_DOCTOR(cache_service_user)
{
    r->m.who.service = "the login shell of triton is /usr/sbin/nologin";
    doctor_rig_one(r, NOTE("cache-service-user", .evidence = "nologin"));
    r->m.windows = true;
    doctor_rig_one(r, NOTE("cache-service-user", .command = "setx /M CUDA_CACHE_PATH"));
}

TEST_DOCTOR(cache_home_differs)
{
    doctor_rig_set(r, "HOME", "/scratch/anna", "the login");
    doctor_rig_root(r, "/scratch/anna/.nv/ComputeCache", NULL);
    doctor_rig_one(r, NOTE("cache-home-differs",
                           .evidence = "HOME=/scratch/anna; the user database says /home/anna",
                           .command = "export HOME=/home/anna"));
    doctor_rig_set(r, "HOME", "anna", "the login");
    doctor_rig_root(r, "anna/.nv/ComputeCache", NULL);
    doctor_rig_none(r, "cache-home-differs");
    doctor_rig_one(
        r, WARNING("cache-path-relative", .evidence = "HOME=anna", .command = "export HOME=/home/anna"));
    doctor_rig_set(r, "HOME", "/scratch/anna", "the login");
    doctor_rig_root(r, "/scratch/anna/.nv/ComputeCache", NULL);
    r->m.home_there = false; /* nobody's /nonexistent is no place to go back to */
    doctor_rig_none(r, "cache-home-differs");
}

TEST_DOCTOR(cache_roaming)
{
    r->m.windows = true;
    r->m.who.roaming = "Windows copies this profile to a server at logoff";
    doctor_rig_one(r,
                   WARNING("cache-roaming", .evidence = "at logoff",
                           .command = "jitwarm env apply --path \"%LOCALAPPDATA%\\NVIDIA\\ComputeCache\""));
}

TEST_DOCTOR(cache_store_python)
{
    static const char *const stores[] = { "C:\\Users\\anna\\AppData\\Local\\Packages\\Python\\ComputeCache" };

    r->m.windows = true;
    r->m.store_pythons = stores;
    r->m.n_store_pythons = 1;
    doctor_rig_one(r, WARNING("cache-store-python", .subject = "Packages\\Python", .text = "Microsoft Store",
                              .command = "setx CUDA_CACHE_PATH %USERPROFILE%\\ComputeCache"));
}

/* Is the cache on, and large enough? Made-up machines, one for each thing that can be said. */

TEST_DOCTOR(a_machine_that_is_well_has_no_findings)
{
    CHECK_NUM(doctor_rig_check(r).n, 0);
    doctor_rig_limit(r, "4294967296");
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(cache_disabled)
{
    r->cache.dir.disabled = true;
    r->cache.dir.disabled_from = (struct jw_setting_value){ "1", "CUDA_CACHE_DISABLE" };
    doctor_rig_set(r, "CUDA_CACHE_DISABLE", "1", "/etc/environment");
    doctor_rig_one(
        r, WARNING("cache-disabled", .subject = "CUDA_CACHE_DISABLE",
                   .evidence = "CUDA_CACHE_DISABLE=1; a fresh login has it, too, from /etc/environment",
                   .text = "switched off", .consequence = "at each start",
                   .fix = "/etc/environment sets it; this sets it for new logins (undo: jitwarm env undo)",
                   .command = "jitwarm env apply"));
    r->m.login.known = false; /* then it is this environment's alone */
    doctor_rig_one(r, WARNING("cache-disabled", .command = "unset CUDA_CACHE_DISABLE"));
    r->m.login.known = true;
    r->m.probe.driver.container = true; /* nobody logs in there */
    doctor_rig_one(r, WARNING("cache-disabled", .command = "unset CUDA_CACHE_DISABLE"));
}

TEST_DOCTOR(cache_disable_junk)
{
    r->cache.dir.disabled_from = (struct jw_setting_value){ "yes", "CUDA_CACHE_DISABLE" };
    doctor_rig_set(r, "CUDA_CACHE_DISABLE", "yes", "/etc/environment");
    doctor_rig_one(r, WARNING("cache-disable-junk", .evidence = "=yes", .command = "jitwarm env apply"));
}

TEST(limits_that_the_driver_may_misread)
{
    static const struct {
        const char *value, *id, *command;
    } cases[] = {
        { "4G", "cache-limit-junk", "jitwarm env apply --max-size 4294967296" },
        { "4GiB", "cache-limit-junk", "jitwarm env apply --max-size 4294967296" },
        { "2GB", "cache-limit-junk", "jitwarm env apply --max-size 2147483648" },
        { "2g", "cache-limit-junk", "jitwarm env apply --max-size 2147483648" },
        { "8G", "cache-limit-junk", "jitwarm env apply --max-size 4294967296" },
        { "512M", "cache-limit-junk", "--max-size 1073741824" },
        { "1.9 GiB", "cache-limit-junk", "jitwarm env apply --max-size 1073741824" },
        { "1e9", "cache-limit-junk", "jitwarm env apply --max-size 1073741824" },
        { "0x100000000", "cache-limit-junk", "jitwarm env apply --max-size 1073741824" },
        { "", "cache-limit-junk", "jitwarm env apply --max-size 1073741824" },
        { "-1", "cache-limit-junk", "jitwarm env apply --max-size 1073741824" },
        { "4294967297", "cache-limit-above", "jitwarm env apply --max-size 4294967296" },
        { "99999999999999999999", "cache-limit-above", "jitwarm env apply --max-size 4294967296" },
        { "0", "cache-limit-small", "jitwarm env apply --max-size 1073741824" },
        { "16777215", "cache-limit-small", "jitwarm env apply --max-size 1073741824" },
    };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        doctor_rig_limit(&r, cases[i].value);
        doctor_rig_one(&r, WARNING(cases[i].id, .subject = "CUDA_CACHE_MAXSIZE",
                                   .evidence = "CUDA_CACHE_MAXSIZE=", .fix = "in this shell:",
                                   .command = cases[i].command));
        doctor_rig_free(&r);
    }
}

TEST_DOCTOR(cache_limit_low)
{
    doctor_rig_limit(r, "268435456");
    r->cache.primed.known = true;
    r->cache.primed.need = (struct jw_status_sum){ 900, 1200000000 };
    doctor_rig_one(r, WARNING("cache-limit-low", .text = "1.1 GiB are needed, the limit is 256 MiB",
                              .command = "jitwarm env apply --max-size 2147483648"));
    r->cache.primed.need.bytes = 5000000000; /* no cache holds that */
    doctor_rig_one(r, WARNING("cache-limit-low", .fix = "separate caches", .command = ""));
    r->cache.primed.need.bytes = 268435456;
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

/* What a fresh login has is enough: it is not changed. */
TEST(a_limit_too_small_in_this_shell_alone)
{
    static const struct {
        const char *login, *driver, *command;
    } cases[] = { { NULL, "580.126.09", "export CUDA_CACHE_MAXSIZE=1073741824" },
                  { "4294967296", "580.126.09", "export CUDA_CACHE_MAXSIZE=4294967296" },
                  { "536870912", "580.126.09",
                    "jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824" },
                  { "4G", "580.126.09",
                    "jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824" },
                  { NULL, "470.256.02",
                    "jitwarm env apply --max-size 1073741824 && export CUDA_CACHE_MAXSIZE=1073741824" } };

    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct doctor_rig r;

        doctor_rig(&r);
        r.cache.dir.limit_from = (struct jw_setting_value){ "4096", "CUDA_CACHE_MAXSIZE" };
        r.cache.dir.limit = 4096;
        r.cache.dir.limit_known = true;
        r.m.probe.driver.version = r.m.host.driver = cases[i].driver;
        if (cases[i].login)
            doctor_rig_set(&r, "CUDA_CACHE_MAXSIZE", cases[i].login, "/etc/environment");
        doctor_rig_one(&r, WARNING("cache-limit-small", .command = cases[i].command));
        doctor_rig_free(&r);
    }
}

TEST_DOCTOR(in_a_container_nothing_lasts)
{
    doctor_rig_limit(r, "4G");
    r->m.probe.driver.container = true;
    doctor_rig_one(r, WARNING("cache-limit-junk", .fix = "docker run -e",
                              .command = "export CUDA_CACHE_MAXSIZE=4294967296"));
}

TEST_DOCTOR(cache_full)
{
    doctor_rig_limit(r, "1073741824");
    r->cache.used = 1073741824 / 100 * 94;
    CHECK_NUM(doctor_rig_check(r).n, 0);
    r->cache.used = 1060000000;
    doctor_rig_one(r, WARNING("cache-full", .text = "1 GiB of 1 GiB",
                              .command = "jitwarm env apply --max-size 2147483648"));
}

TEST_DOCTOR(cache_limit_unset)
{
    r->m.probe.driver.version = r->m.host.driver = NULL; /* then its default is not known */
    r->cache.used = 200000000;
    CHECK_NUM(doctor_rig_check(r).n, 0);
    r->cache.used = 260000000;
    doctor_rig_one(r, WARNING("cache-limit-unset", .evidence = "is not set",
                              .fix = "this sets it for new logins",
                              .command = "jitwarm env apply --max-size 1073741824"));
    r->m.windows = true;
    doctor_rig_one(r, WARNING("cache-limit-unset",
                              .fix = "in this shell:", .command = "jitwarm env apply --max-size 1073741824"));
}

/* What the cache holds: made-up listings, one for each thing that can be said. */

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

TEST_DOCTOR(cache_builds_outdated)
{
    file(r, OLD, 10);
    file(r, OLD, 20);
    file(r, NEW, 30);
    file(r, NEW, 40);
    r->cache.outdated = (struct jw_status_sum){ 2, 10000 };
    doctor_rig_one(r, NOTE("cache-builds-outdated", .subject = "/home/anna/.nv/ComputeCache",
                           .text = "holds 2 entries (9.8 KiB) of other drivers",
                           .command = "jitwarm prune --outdated --yes"));
}

TEST_DOCTOR(builds_that_write_by_turns)
{
    file(r, OLD, 10);
    file(r, NEW, 20);
    file(r, OLD, 30);
    file(r, NEW, 40);
    r->cache.outdated = (struct jw_status_sum){ 2, 10000 };
    CHECK_NUM(doctor_rig_check(r).n, 0); /* another machine may use them */
}

TEST_DOCTOR(cache_damaged)
{
    file(r, "", 10);
    files[0].damage = "cut short: 40 of 5000 bytes";
    r->cache.damaged = (struct jw_status_sum){ 1, 40 };
    doctor_rig_one(r, WARNING("cache-damaged", .text = "1 entry of the cache is damaged",
                              .evidence = "/4/2/3e06b9e6ec62aa: cut short",
                              .command = "jitwarm prune --damaged --yes"));
    r->primed.last = (struct jw_prime_last){ .known = true, .modules = 1 }; /* prime mends it then */
    doctor_rig_one(r, WARNING("cache-damaged", .command = "jitwarm prime"));
    r->primed.last.modules = 0;
    r->cache.dir.folder_from = (struct jw_setting_value){ "/data/my cache", "--cache" };
    doctor_rig_one(
        r, WARNING("cache-damaged", .command = "jitwarm prune --damaged --yes --cache '/data/my cache'"));
}

TEST_DOCTOR(cache_unreadable)
{
    r->cache.list.refused = "permission denied";
    doctor_rig_one(r,
                   WARNING("cache-unreadable", .evidence = "/home/anna/.nv/ComputeCache: permission denied",
                           .command = "mktemp -d"));
    r->m.made_by_root = r->m.has_sudo = true;
    doctor_rig_one(r, WARNING("cache-unreadable", .fix = "root made it in your home; make it yours:",
                              .command = "sudo chown -R"));
    r->cache.list.refused = NULL;
    file(r, "", 10);
    files[0].damage = "permission denied";
    files[0].unread = true;
    doctor_rig_one(r, WARNING("cache-unreadable", .evidence = "3e06b9e6ec62aa"));
}

TEST_DOCTOR(cache_index_damaged)
{
    r->cache.list.index_damage = "no index of the driver's cache";
    r->cache.list.index_trouble = JW_INDEX_MISCOUNTS;
    doctor_rig_one(r, WARNING("cache-index-damaged", .evidence = "/index: no index",
                              .consequence = "programs still find what is there",
                              .command = "jitwarm status --repair"));
    r->cache.list.index_trouble = JW_INDEX_LOST;
    r->cache.list.index_lost = true;
    doctor_rig_one(r, PROBLEM("cache-index-damaged",
                              .consequence = "programs still find what is there, until one compiles"));
    r->cache.list.index_trouble = JW_INDEX_HIDES;
    doctor_rig_one(r, PROBLEM("cache-index-damaged", .consequence = "programs find nothing in the cache"));
}

TEST_DOCTOR(cache_unindexed)
{
    r->cache.unindexed = (struct jw_status_sum){ 3, 7000 };
    r->cache.files.entries = 10;
    r->cache.recorded.entries = 7;
    r->primed.last = (struct jw_prime_last){ .known = true, .modules = 1 };
    doctor_rig_one(r, NOTE("cache-unindexed", .text = "does not know 3 of its files (6.8 KiB)",
                           .evidence = "7 records, the folder 10 files", .command = "jitwarm prime"));
}

TEST_DOCTOR(cache_file_missing)
{
    r->cache.list.missing = 1;
    r->cache.list.missing_bytes = 154;
    doctor_rig_one(r, NOTE("cache-file-missing", .text = "1 record of the cache's index (154 B) has no file",
                           .command = "jitwarm prune --yes"));
    r->primed.last = (struct jw_prime_last){ .known = true, .modules = 1 }; /* a prime compiles it again */
    doctor_rig_none(r, "cache-file-missing");
}

TEST_DOCTOR(import_gone)
{
    r->primed.last =
        (struct jw_prime_last){ .packs.modules = 6,
                                .facts.imported = "1 of 6 imported modules is gone from the cache",
                                .packs.again = "jitwarm import --everything /srv/p.tar.zst" };
    doctor_rig_one(r, WARNING("import-gone", .text = "1 of 6 imported modules is gone from the cache",
                              .command = "jitwarm import --everything /srv/p.tar.zst"));
    r->primed.last.packs.again = NULL; /* nor is the pack there */
    doctor_rig_one(r, WARNING("import-gone", .command = "jitwarm prune --gone"));
    r->primed.last.facts.imported = NULL;
    doctor_rig_none(r, "import-gone");
}

TEST_DOCTOR(records_damaged)
{
    r->cache.memory.lost = "/home/ada/warm.log is damaged from its first byte on";
    doctor_rig_one(r, WARNING("records-damaged", .text = "warm.log is damaged from its first byte on",
                              .command = "jitwarm prime"));
    r->m.prime_stops = "it cannot be read"; /* that is the finding */
    r->m.prime_command = "mv a b";
    doctor_rig_one(r, PROBLEM("prime-stops", .command = "mv a b"));
}

TEST_DOCTOR(cache_evicted)
{
    r->cache.primed = (struct jw_status_primed){
        .known = true, .compared = true, .recorded = { 10, 90000 }, .gone = { 4, 30000 }
    };
    CHECK_NUM(doctor_rig_check(r).n, 0); /* what is here is warm: they were of what is not */
    r->primed.next_start.is = JW_NEXT_START_COMPILES;
    doctor_rig_one(r, WARNING("cache-evicted", .text = "4 entries that jitwarm warmed (29 KiB",
                              .evidence = "warmed for this driver: 10 entries", .command = "jitwarm prime"));
    r->cache.primed.emptied = true;
    doctor_rig_one(r, WARNING("cache-evicted", .text = "was emptied"));
    r->cache.primed.emptied = false;
    r->cache.primed.compared = false; /* not all could be read: nothing can be said */
    CHECK_NUM(doctor_rig_check(r).n, 0);
}

TEST_DOCTOR(modules_refused)
{
    r->primed.last.facts.refused = 2;
    r->primed.last.facts.refusal = ("/opt/lib.so: the driver refused it: CUDA_ERROR_INVALID_PTX (218)");
    doctor_rig_one(r, WARNING("modules-refused", .subject = "software",
                              .text = "this driver cannot compile 2 modules",
                              .evidence = "/opt/lib.so: the driver refused it",
                              .consequence = "another prime does not help", .command = "jitwarm verify"));
    r->primed.last.facts.refused = 1; /* the evidence is all of it */
    doctor_rig_one(r, WARNING("modules-refused", .command = ""));
}

TEST_DOCTOR(a_recorded_command_that_is_cold)
{
    r->primed.not_warm = "1 entry that recorded commands load is not in the cache";
    r->primed.start = "jitwarm prime --run ./app";
    doctor_rig_one(r, WARNING("command-cold", .text = "1 entry that recorded commands load",
                              .command = "jitwarm prime --run ./app"));
}

TEST_DOCTOR(primed_gone)
{
    r->primed.last.gone = true;
    r->primed.last.nothing = "what was primed is gone: /opt/app";
    doctor_rig_one(r, WARNING("primed-gone", .text = "/opt/app", .fix = "jitwarm prime PATH",
                              .command = "jitwarm prune --gone"));
}

TEST_DOCTOR(another_cache_was_primed)
{
    r->primed.last.primed_cache = (struct prime_primed_cache){
        .path = "/srv/cache",
        .there = true,
        .words = "nothing was primed for this cache yet; what was primed is in /srv/cache"
    };
    doctor_rig_one(r, WARNING("cache-not-primed", .text = "what was primed is in /srv/cache",
                              .command = "export CUDA_CACHE_PATH=/srv/cache"));

    /* Each login has it, too: out of this shell alone it would come back as a difference. */
    doctor_rig_set(r, "CUDA_CACHE_PATH", "/data/own", "/home/anna/.profile");
    r->m.login.known = true;
    struct jw_findings f = doctor_rig_check(r);
    const struct jw_finding *elsewhere = jw_finding_of(&f, "cache-not-primed");

    CHECK(elsewhere && !elsewhere->command);
}

TEST_DOCTOR(room_for_what_is_to_be_compiled)
{
    static const struct {
        uint64_t need;
        bool found;
    } cases[] = { { 0, false }, { 10U << 20, false }, { 40U << 20, true } };

    r->m.place.disk.free = 100U << 20; /* 64 MiB of it stay free */
    for (size_t i = 0; i < JW_COUNT(cases); i++) {
        struct jw_findings f = JW_FINDINGS(&r->arena);

        jw_doctor_room(&r->m, cases[i].need, &f);
        CHECK(!jw_finding_of(&f, "cache-disk-full") == !cases[i].found);
        CHECK(!jw_doctor_not_kept(&f) == !cases[i].found);
    }
}

TEST_DOCTOR(prime_stops)
{
    r->m.prime_stops = "the home folder /gone does not exist, and jitwarm makes none";
    r->m.prime_command = "export HOME=/home/anna && jitwarm doctor";
    doctor_rig_one(r, PROBLEM("prime-stops", .text = "the home folder /gone does not exist",
                              .command = "export HOME=/home/anna && jitwarm doctor"));
    r->m.place.may_write = false; /* that finding has a remedy, and the next doctor asks prime again */
    doctor_rig_one(r, WARNING("cache-path-unwritable"));
}

TEST_DOCTOR(prime_running)
{
    r->m.prime_stops = "another jitwarm (process 7, for 2 s now) is using /c";
    r->m.prime_runs = true;
    doctor_rig_one(r, NOTE("prime-running", .evidence = "process 7", .command = "jitwarm status"));
}
