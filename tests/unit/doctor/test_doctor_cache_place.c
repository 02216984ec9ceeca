/* Where the cache lies and whose it is: made-up machines, one for each thing that can be said. */
#include "check.h"
#include "doctor_rig.h"

TEST(cache_no_home)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.cache.dir.root = r.m.place.root = NULL;
    r.m.env.n = 0;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-no-home",
                                        .severity = JW_WARNING,
                                        .subject = "HOME",
                                        .evidence = "HOME is not set",
                                        .consequence = "nothing is cached: programs compile at every start",
                                        .command = "export HOME=/home/anna" });
    r.m.windows = true;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-no-home",
                                        .severity = JW_WARNING,
                                        .subject = "APPDATA",
                                        .command = "jitwarm env apply --path" });
    doctor_rig_free(&r);
}

TEST(cache_path_relative)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_root(&r, "nv/cache", "nv/cache");
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-path-relative",
                             .severity = JW_WARNING,
                             .evidence = "CUDA_CACHE_PATH=nv/cache; a fresh login has it, too, from /etc/env",
                             .consequence = "different caches",
                             .command = "export CUDA_CACHE_PATH=\"$HOME/.nv/ComputeCache\"" });
    doctor_rig_root(&r, "~/nv", "~/nv");
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-relative",
                                        .severity = JW_WARNING,
                                        .text = "begins with ~",
                                        .command = "export CUDA_CACHE_PATH=\"$HOME/nv\"" });
    doctor_rig_free(&r);
}

TEST(cache_path_junk)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "CUDA_CACHE_PATH", "", NULL);
    r.m.login.known = false;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-junk",
                                        .severity = JW_WARNING,
                                        .text = "is set, but empty",
                                        .command = "unset CUDA_CACHE_PATH" });
    doctor_rig_set(&r, "CUDA_CACHE_PATH", "/x\xff", NULL);
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-path-junk", .severity = JW_WARNING, .text = "not valid text" });
    doctor_rig_free(&r);
}

TEST(cache_path_missing)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.exists = r.m.place.folder = false;
    r.m.place.nearest = "/home/anna";
    CHECK_NUM(doctor_rig_judge(&r).n, 0); /* of the default place that is no news */
    doctor_rig_root(&r, "/data/my cache/cuda", "/data/my cache/cuda");
    r.m.place.nearest = "/data";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-missing",
                                        .severity = JW_NOTE,
                                        .subject = "/data/my cache/cuda",
                                        .text = "does not exist yet",
                                        .command = "mkdir -p -m 700 '/data/my cache/cuda'" });
    doctor_rig_free(&r);
}

TEST(cache_path_file)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.folder = r.m.place.nearest_folder = r.m.place.may_write = false;
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-path-file",
                             .severity = JW_WARNING,
                             .text = "is not a folder: /home/anna/.nv/ComputeCache",
                             .command = "mv /home/anna/.nv/ComputeCache /home/anna/.nv/ComputeCache.old" });
    doctor_rig_free(&r);
}

TEST(cache_path_unwritable)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.may_write = false;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-unwritable",
                                        .severity = JW_WARNING,
                                        .evidence = "the driver's default place",
                                        .consequence = "nothing new is cached",
                                        .command = "chmod u+rwx /home/anna/.nv/ComputeCache" });
    r.m.place.trust.owner = "root";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-unwritable",
                                        .severity = JW_WARNING,
                                        .fix = "belongs to root",
                                        .command = "sudo chown -R \"$(id -u):$(id -g)\" /home/anna" });
    r.m.place.trust.owner = NULL;
    r.m.place.exists = r.m.place.folder = false;
    r.m.place.nearest = "/home";
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-path-unwritable",
                             .severity = JW_WARNING,
                             .text = "you may not make it in /home",
                             .command = "jitwarm env apply --path \"$(mktemp -d /var/tmp/cuda-cache." });
    doctor_rig_free(&r);
}

TEST(cache_path_readonly)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.may_write = false;
    r.m.place.disk.read_only = true;
    r.m.place.disk.free = 0; /* as such file systems say; it is not the point */
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-readonly",
                                        .severity = JW_WARNING,
                                        .text = "read-only file system",
                                        .command = "mktemp -d" });
    doctor_rig_free(&r);
}

TEST(cache_path_network)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.disk.kind = JW_DISK_NETWORK;
    r.m.place.type = "nfs4";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-network",
                                        .severity = JW_WARNING,
                                        .text = "network file system (nfs4)",
                                        .fix = "your own folder on a local disk",
                                        .command = "jitwarm env apply --path \"$(mktemp -d /var/tmp/" });
    doctor_rig_free(&r);
}

TEST(cache_path_memory)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.disk.kind = JW_DISK_MEMORY;
    r.m.place.type = "tmpfs";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-path-memory",
                                        .severity = JW_WARNING,
                                        .text = "in memory (tmpfs)",
                                        .consequence = "lost when the machine or container restarts" });
    doctor_rig_free(&r);
}

TEST(cache_disk_full)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.disk.free = 3000000;
    doctor_rig_one(&r,
                   (struct wanted){ .id = "cache-disk-full",
                                    .severity = JW_WARNING,
                                    .text = "2.9 MiB of 93 GiB are free",
                                    .command = "du -xh -d 2 /home/anna/.nv/ComputeCache | sort -h | tail" });
    doctor_rig_free(&r);
}

TEST(cache_owner)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.trust.owner = "user 1001";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-owner",
                                        .severity = JW_WARNING,
                                        .text = "belongs to user 1001",
                                        .consequence = "controls the GPU code",
                                        .command = "sudo chown -R" });
    doctor_rig_free(&r);
}

TEST(cache_writable_by_others)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.place.trust.writers = "its group";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-writable-by-others",
                                        .severity = JW_WARNING,
                                        .text = "its group may write",
                                        .command = "chmod 700 /home/anna/.nv/ComputeCache" });
    r.m.place.trust.writers = "everybody";
    doctor_rig_one(
        &r, (struct wanted){ .id = "cache-writable-by-others", .severity = JW_WARNING, .text = "everybody" });
    r.m.windows = true;
    r.m.place.trust.writers = "every user";
    doctor_rig_one(&r,
                   (struct wanted){ .id = "cache-writable-by-others",
                                    .severity = JW_WARNING,
                                    .text = "every user may write",
                                    .command = "/inheritance:d /remove:g *S-1-1-0 *S-1-5-11 *S-1-5-32-545" });
    doctor_rig_free(&r);
}

TEST(cache_container)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.probe.driver.container = true;
    CHECK_NUM(doctor_rig_judge(&r).n, 0); /* on a volume */
    r.m.place.with_system = true;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-container",
                                        .severity = JW_WARNING,
                                        .consequence = "each new container compiles everything again",
                                        .command = "-v cuda-cache:/home/anna/.nv/ComputeCache" });
    r.m.probe.driver.container = false; /* a machine with one file system */
    CHECK_NUM(doctor_rig_judge(&r).n, 0);
    doctor_rig_free(&r);
}

TEST(cache_root_user)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.who = (struct jw_whoami){
        .user = "root", .home = "/root", .root = true, .behind = "anna", .behind_home = "/home/anna"
    };
    doctor_rig_set(&r, "HOME", "/root", "the login");
    doctor_rig_root(&r, "/root/.nv/ComputeCache", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "cache-root-user",
                                        .severity = JW_WARNING,
                                        .evidence = "this is root, called by anna; HOME=/root",
                                        .text = "root's cache, and not that of anna",
                                        .command = "jitwarm doctor" });
    doctor_rig_set(&r, "HOME", "/home/anna", "the login");
    doctor_rig_root(&r, "/home/anna/.nv/ComputeCache", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "cache-root-user",
                                        .severity = JW_WARNING,
                                        .text = "root uses the cache of anna",
                                        .consequence = "anna cannot read files" });
    doctor_rig_free(&r);
}

TEST(cache_service_user)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.who.service = "the login shell of triton is /usr/sbin/nologin";
    doctor_rig_one(&r, (struct wanted){ .id = "cache-service-user",
                                        .severity = JW_NOTE,
                                        .evidence = "nologin",
                                        .command = "sudo systemctl edit" });
    r.m.windows = true;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-service-user",
                                        .severity = JW_NOTE,
                                        .command = "setx /M CUDA_CACHE_PATH" });
    doctor_rig_free(&r);
}

TEST(cache_home_differs)
{
    struct doctor_rig r;

    doctor_rig(&r);
    doctor_rig_set(&r, "HOME", "/scratch/anna", "the login");
    doctor_rig_root(&r, "/scratch/anna/.nv/ComputeCache", NULL);
    doctor_rig_one(&r, (struct wanted){ .id = "cache-home-differs",
                                        .severity = JW_NOTE,
                                        .evidence = "HOME=/scratch/anna; the user database says /home/anna",
                                        .command = "export HOME=/home/anna" });
    doctor_rig_free(&r);
}

TEST(cache_roaming)
{
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.windows = true;
    r.m.who.roaming = "Windows copies this profile to a server at logoff";
    doctor_rig_one(&r, (struct wanted){
                           .id = "cache-roaming",
                           .severity = JW_WARNING,
                           .evidence = "at logoff",
                           .command = "jitwarm env apply --path \"%LOCALAPPDATA%\\NVIDIA\\ComputeCache\"" });
    doctor_rig_free(&r);
}

TEST(cache_store_python)
{
    static const char *const stores[] = { "C:\\Users\\anna\\AppData\\Local\\Packages\\Python\\ComputeCache" };
    struct doctor_rig r;

    doctor_rig(&r);
    r.m.windows = true;
    r.m.store_pythons = stores;
    r.m.n_store_pythons = 1;
    doctor_rig_one(&r, (struct wanted){ .id = "cache-store-python",
                                        .severity = JW_WARNING,
                                        .subject = "Packages\\Python",
                                        .text = "Microsoft Store",
                                        .command = "setx CUDA_CACHE_PATH %USERPROFILE%\\ComputeCache" });
    doctor_rig_free(&r);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(cache_no_home), T(cache_path_relative), T(cache_path_junk),
               T(cache_path_missing), T(cache_path_file), T(cache_path_unwritable), T(cache_path_readonly),
               T(cache_path_network), T(cache_path_memory), T(cache_disk_full), T(cache_owner),
               T(cache_writable_by_others), T(cache_container), T(cache_root_user), T(cache_service_user),
               T(cache_home_differs), T(cache_roaming), T(cache_store_python));
}
