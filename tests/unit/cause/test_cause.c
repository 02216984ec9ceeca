/* Each cause: the facts that make it, what is seen of it, and its remedy as a line of sh. And the order among them. */
#include "base/compiler.h"
#include "cause/cause.h"
#include "check.h"

/* NOTE: somebody mentions it, and nobody is stopped */
enum { P = JW_ASKS_PRIME, D = JW_ASKS_DOCTOR, C = JW_ASKS_COMMAND, NOTE = 16 };

struct expected {
    const char *id;
    unsigned who; /* one whom it stops */
    struct jw_facts f;
    const char *seen;
    const char *remedy; /* for sh */
};

#define CACHE .folder = "/home/ada/.nv/ComputeCache", .at = "/home/ada/.nv"
#define PATH .path = "/data/nv"

static const char *const run[] = { "--run", "a", NULL };
static const struct expected all[] = {
    { "driver-absent",
      P,
      { .driver.is = JW_DRIVER_ABSENT, .container = { .inside = true, .engine = JW_CONTAINER_PODMAN } },
      "no libcuda.so.1; no NVIDIA GPU on the bus either: the host may have none",
      "podman run --device nvidia.com/gpu=all ..." },
    { "driver-unloadable",
      P,
      { .driver = { .is = JW_DRIVER_UNLOADABLE, .named = true }, .scope.library = "/x/libcuda.so" },
      "/x/libcuda.so",
      "unset JITWARM_DRIVER" },
    { "driver-unloadable",
      P,
      { .driver = { .is = JW_DRIVER_UNLOADABLE, .says = "no cuInit", .put_before = "/x", .path = "/x:" } },
      "LD_LIBRARY_PATH leads to /x: no cuInit",
      "unset LD_LIBRARY_PATH" },
    { "driver-front",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 34, .put_before = "/y", .path = ":/y" },
        .scope.library = "/x" },
      "/x, the CUDA toolkit's stub",
      "unset LD_LIBRARY_PATH" },
    { "driver-front",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 804, .put_before = "/y", .path = "/y:/a b" },
        .scope.library = "/x" },
      "/x, of cuda-compat, which this GPU does not support",
      "export LD_LIBRARY_PATH='/a b'" },
    { "driver-mismatch",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 803 },
        .scope = { .library = "/x", .version = "555.1" },
        .here.driver = "550.2" },
      "/x is 555.1, the kernel's module 550.2",
      "sudo reboot" },
    { "driver-unfit",
      P,
      { .here = { .gpus = &(struct jw_gpu){ 120, "RTX 5090" }, .n = 1 },
        .scope.version = "550.1",
        .who.distro = "debian" },
      "RTX 5090 has driver 550.1, and 570 or newer is needed",
      "driver 570 or newer: https://wiki.debian.org/NvidiaGraphicsDrivers" },
    { "driver-unfit",
      P,
      { .here = { .gpus = &(struct jw_gpu){ 61, "GTX 1060" }, .n = 1, .driver = "590.1" } },
      "GTX 1060 has driver 590.1, and 580 is the last",
      "driver 580, no newer one: https://www.nvidia.com/drivers" },
    { "no-gpu", P, { .visible = "-1" }, "CUDA_VISIBLE_DEVICES=-1", "unset CUDA_VISIBLE_DEVICES" },
    { "no-gpu",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 100 },
        .here = { .closed = true, .group = "video" },
        .who.user = "ada" },
      "only the group video may open /dev/nvidiactl",
      "sudo usermod -aG video ada" },
    { "no-gpu",
      P,
      { .driver.is = JW_DRIVER_STARTS, .visible = "7", .here.n = 2 },
      "CUDA_VISIBLE_DEVICES=7; GPUs here: 2, from 0 on",
      "export CUDA_VISIBLE_DEVICES=0" },
    { "no-gpu",
      P,
      { .driver.is = JW_DRIVER_STARTS, .visible = "NoDevFiles", .job = true },
      "CUDA_VISIBLE_DEVICES=NoDevFiles",
      "ask Slurm for a GPU: --gres=gpu:1" },
    { "no-gpu",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 999 }, .here = { .limit = 'n', .limit_is = 64 } },
      "ulimit -n is 64: too few open files for a driver",
      "ulimit -n 1024" },
    { "gpu-absent",
      P,
      { .asked.gpu = "0", .gpu = "T4", .driver.gpus = 2 },
      "--gpu 0; this machine has T4 and 1 more",
      "nvidia-smi -L" },
    { "gpu-absent",
      P,
      { .asked = { .gpu = "sm_90", .words = run }, .gpu = "T4" },
      "--gpu sm_90; this machine has T4",
      "jitwarm prime --gpu sm_90 --pack OUT PATH" },
    { "driver-error",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 2 } },
      "error 2, CUDA_ERROR_OUT_OF_MEMORY",
      "ulimit -v unlimited" },
    { "driver-error",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 2 }, .here = { .limit = 'v', .limit_hard = true } },
      "error 2, CUDA_ERROR_OUT_OF_MEMORY",
      "ask in a new shell: the hard limit (ulimit -Ha) is too low, too" },
    { "driver-error",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 101 }, .visible = "0,0" },
      "error 101, CUDA_ERROR_INVALID_DEVICE",
      "unset CUDA_VISIBLE_DEVICES" },
    { "driver-error",
      P,
      { .driver = { .is = JW_DRIVER_FAILS, .error = 101 }, .visible = "0", .bad_order = true },
      "error 101, CUDA_ERROR_INVALID_DEVICE",
      "unset CUDA_DEVICE_ORDER" },
    { "compiling-forced",
      P,
      { .forced = "CUDA_FORCE_PTX_JIT" },
      "CUDA_FORCE_PTX_JIT",
      "unset CUDA_FORCE_PTX_JIT" },
    { "cache-disabled", P, { .cache.disable = "1" }, "CUDA_CACHE_DISABLE=1", "unset CUDA_CACHE_DISABLE" },
    { "cache-place", /* nor is the list of what was primed found without HOME */
      D,
      { .cache.place = JW_PLACE_UNSET, .home = "/home/ada", .found.roots_damaged = "/s" },
      "HOME is unset",
      "export HOME=/home/ada" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_NOT_FOLDER,
                   .folder = "/dev/null/.nv/ComputeCache",
                   .at = "/dev/null",
                   .elsewhere = "/var/tmp/c" } },
      "/dev/null, where no folder can be",
      "export CUDA_CACHE_PATH=/var/tmp/c" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_NOT_FILE, CACHE "/ComputeCache/index" } },
      "/home/ada/.nv/ComputeCache/index is a link, or no file",
      "mv /home/ada/.nv/ComputeCache/index /home/ada/.nv/ComputeCache/index.old" },
    { "cache-place", /* by --cache: a file of somebody, which stays */
      P,
      { .cache = { .place = JW_PLACE_NOT_FOLDER, .folder = "/etc/passwd", .at = "/etc/passwd" },
        .asked.cache = "/etc/passwd" },
      "/etc/passwd, where no folder can be",
      "name another folder by --cache" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_RELATIVE, .path = "c" } },
      "CUDA_CACHE_PATH=c, a relative path",
      "unset CUDA_CACHE_PATH" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_RELATIVE, .path = "~/c" }, .who.home = "/home/ada" },
      "CUDA_CACHE_PATH=~/c, a relative path",
      "export CUDA_CACHE_PATH=/home/ada/c" },
    { "cache-place", /* no mode keeps root out */
      P,
      { .cache = { .place = JW_PLACE_UNWRITABLE, CACHE }, .superuser = true },
      "/home/ada/.nv cannot be written by this user, above /home/ada/.nv/ComputeCache",
      "set CUDA_CACHE_PATH to a folder on a disk that this user may write" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_UNWRITABLE, CACHE, .owner = "root", .at_home = true },
        .who.user = "ada" },
      "/home/ada/.nv belongs to root, above /home/ada/.nv/ComputeCache",
      "sudo chown -R ada /home/ada/.nv" },
    { "cache-place", /* eve, with the HOME of ada */
      P,
      { .cache = { .place = JW_PLACE_UNWRITABLE, CACHE, .owner = "ada" },
        .who.user = "eve",
        .home = "/home/eve" },
      "/home/ada/.nv belongs to ada, above /home/ada/.nv/ComputeCache",
      "export HOME=/home/eve" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_UNWRITABLE,
                   PATH,
                   .folder = "/data/nv",
                   .at = "/",
                   .mount = "/",
                   .owner = "root" },
        .container.inside = true },
      "/ belongs to root, above /data/nv",
      "unset CUDA_CACHE_PATH" },
    { "cache-place",
      P,
      { .cache = { .place = JW_PLACE_UNWRITABLE,
                   PATH,
                   .folder = "/data/nv",
                   .at = "/data/nv",
                   .mount = "/data",
                   .owner = "root" },
        .container.inside = true },
      "/data/nv belongs to root",
      "give /data/nv to this user, by fsGroup or chown: docs/deploy.md" },
    { "cache-closed",
      D,
      { .cache = { CACHE, .at_home = true },
        .found = { .shut = "/home/ada/.nv/ComputeCache/0", .shut_by = "root" },
        .who.user = "ada",
        .answer.modules = 1 },
      "/home/ada/.nv/ComputeCache/0 belongs to root",
      "sudo chown -R ada /home/ada/.nv" },
    { "driver-stores-nothing",
      P,
      { .driver = { .is = JW_DRIVER_STARTS, .gpus = 1 },
        .scope = { .level = JW_LEVEL_NONE, .version = "600.1" } },
      "600.1",
      "another driver: https://www.nvidia.com/drivers" },
    { "cache-of-root",
      P,
      { .superuser = true, .cache = { .owner = "user 1000", CACHE, .uid = 1000 } },
      "/home/ada/.nv belongs to user 1000",
      "sudo -H -u '#1000' jitwarm prime --cache /home/ada/.nv/ComputeCache" },
    { "cache-of-root",
      P,
      { .superuser = true,
        .cache = { .folder = "/root/.nv/ComputeCache", .at = "/root/.nv", .owner = "ada", .at_home = true },
        .who.user = "root" },
      "/root/.nv belongs to ada",
      "chown -R root /root/.nv" },
    { "cache-of-root", /* where nobody else runs a program, and often there is no sudo */
      P,
      { .superuser = true, .cache = { .owner = "user 1000", CACHE, .uid = 1000 }, .container.inside = true },
      "/home/ada/.nv belongs to user 1000",
      "jitwarm prime --as-root" },
    { "cache-of-root",
      P,
      { .superuser = true,
        .who.behind = "ada",
        .cache.folder = "/c",
        .asked = { .words = (const char *const[]){ "lib", NULL }, .cache = "/c" } },
      "ada called sudo; root would fill /c",
      "sudo -H -u ada jitwarm prime --cache /c lib" },
    { "cache-disk-full",
      D,
      { .driver.probe_failed = "/home/ada/text.ptx: the disk is full",
        .cache = { .free = 1 << 20, .spare = 64 << 20, .mount = "/home" },
        .found.cold_bytes = 5 << 20 },
      "/home: 1 MiB free, 64 MiB stay free, 5 MiB are needed",
      "du -xah -d 1 /home" },
    { "cache-disk-full",
      D,
      { .cache = { PATH, .spare = 64 << 20, .mount = "/data", .elsewhere = "/c", .free_elsewhere = 9 << 20 },
        .found.cold_bytes = 5 << 20,
        .answer.modules = 1 },
      "/data: 0 B free, 64 MiB stay free, 5 MiB are needed",
      "export CUDA_CACHE_PATH=/c" },
    { "cache-state",
      P,
      { .state.unusable = "/s", .cache.elsewhere = "/c", .home = "/h" },
      "/s",
      "export HOME=/h" },
    { "cache-state",
      P,
      { .state.unusable = "/s", .cache.elsewhere = "/c" },
      "/s",
      "export JITWARM_STATE=/c.jitwarm" },
    { "cache-state", P, { .state.unusable = "/s", .state.named = "X" }, "/s", "unset X" },
    { "cache-state",
      P,
      { .state = { .unusable = "/s", .lost = "/home/ada/.local" }, .home = "/h", .who.user = "ada" },
      "/s",
      "sudo chown -R ada /home/ada/.local" },
    { "compiling-forbidden",
      P,
      { .answer.modules = 1, .forbidden = "CUDA_DISABLE_JIT" },
      "CUDA_DISABLE_JIT",
      "unset CUDA_DISABLE_JIT" },
    { "compiler-missing",
      D,
      { .answer.modules = 1, .found.no_compiler = true, .container.inside = true, .compute_given = true },
      "error 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
      "sudo apt-get install --only-upgrade nvidia-container-toolkit" },
    { "compiler-missing",
      D,
      { .answer.modules = 1,
        .scope.version = "550.1",
        .driver.compiler_missing = "/x/libnvidia-ptxjitcompiler.so.1" },
      "/x/libnvidia-ptxjitcompiler.so.1",
      "install libnvidia-ptxjitcompiler of driver 550.1" },
    { "probe-failed",
      P,
      { .driver = { .probe_failed = "it was refused", .probe_refused = 46 } },
      "error 46, CUDA_ERROR_DEVICE_UNAVAILABLE",
      "nvidia-smi" },
    { "cache-limit-small",
      P,
      { .answer.modules = 1, .scope.limit = 4, .cache.max_size = "1G" },
      "CUDA_CACHE_MAXSIZE=1G (4 B)",
      "export CUDA_CACHE_MAXSIZE=1073741824" },
    { "cache-limit-small",
      P,
      { .answer.modules = 1, .here = { .limit = 'f', .limit_is = 8 << 10 } },
      "ulimit -f: no file may be larger than 8 KiB",
      "ulimit -f unlimited" },
    { "cache-limit-low",
      D,
      { .answer.modules = 1, .scope.limit = 256 << 20, .found.needed = 800 << 20 },
      "the driver's default, 256 MiB; 800 MiB are needed",
      "export CUDA_CACHE_MAXSIZE=1073741824" },
    { "cache-open",
      D,
      { .answer.modules = 1, .who.user = "root", .cache = { .open = "/c", .path = "/c", .owner = "ada" } },
      "/c",
      "unset CUDA_CACHE_PATH" },
    { "login-harms",
      D,
      { .login = { .harms = true, .which = JW_VAR_CACHE_DISABLE, .there = "1" } },
      "CUDA_CACHE_DISABLE: 1 there, unset here",
      "take CUDA_CACHE_DISABLE out of what a login sets: ~/.profile, or a file like it" },
    { "login-differs",
      D,
      { .answer.modules = 1, .login = { .which = JW_VAR_CACHE_PATH, .there = "/data/nv" } },
      "CUDA_CACHE_PATH: /data/nv there, unset here",
      "export CUDA_CACHE_PATH=/data/nv" },
    { "login-differs",
      NOTE,
      { .answer.is = JW_WARM, .login = { .which = JW_VAR_CACHE_PATH, .there = "/data/nv" } },
      "CUDA_CACHE_PATH: /data/nv there, unset here",
      "jitwarm env shows both" },
    { "shell-differs",
      NOTE,
      { .login = { .which = JW_VAR_CACHE_PATH, .here = "/data/nv" } },
      "CUDA_CACHE_PATH",
      "jitwarm env apply --path /data/nv" },
    { "shell-differs", /* as this driver reads it */
      NOTE,
      { .login = { .which = JW_VAR_CACHE_MAXSIZE, .here = "8589934592" }, .scope.limit = JW_CACHE_HEEDED },
      "CUDA_CACHE_MAXSIZE",
      "jitwarm env apply --size 4294967295" },
    { "cache-not-file",
      D,
      { .answer.modules = 1, .found = { .damaged = 1, .not_file = "/home/ada/.nv/ComputeCache/0/8/2e" } },
      "/home/ada/.nv/ComputeCache/0/8/2e",
      "mv /home/ada/.nv/ComputeCache/0/8/2e /home/ada/.nv/ComputeCache/0/8/2e.old" },
    { "cache-damaged",
      D,
      { .answer.modules = 1, .found.damaged = 2 },
      "entries gone or damaged: 2",
      "jitwarm prime" },
    { "roots-damaged",
      D,
      { .found.roots_damaged = "/s: damaged", .cache = { CACHE }, .working = true },
      "/s: damaged",
      "jitwarm prime --wait PATH" },
    { "roots-damaged",
      D,
      { .found = { .roots_damaged = "/s: root's", .roots_at = "/s", .roots_lost = true }, .who.user = "ada" },
      "/s: root's",
      "sudo chown -R ada /s" },
    { "cache-in-container",
      NOTE,
      { .who.user = "root",
        .cache = { .on = JW_ON_CONTAINER, .folder = "/a b" },
        .container.engine = JW_CONTAINER_DOCKER },
      "",
      "docker run -v 'jit:/a b' ..." },
    { "cache-in-container",
      NOTE,
      { .cache = { .on = JW_ON_CONTAINER, CACHE }, .container.engine = JW_CONTAINER_APPTAINER },
      "",
      "apptainer exec --bind FOLDER:/home/ada/.nv/ComputeCache ..." },
    { "cache-in-container", /* a new volume is root's */
      NOTE,
      { .cache = { .on = JW_ON_CONTAINER, CACHE }, .container.engine = JW_CONTAINER_DOCKER },
      "",
      "mount a volume at /home/ada/.nv/ComputeCache" },
    { "cache-in-memory", NOTE, { .cache = { .on = JW_ON_MEMORY, PATH } }, "", "unset CUDA_CACHE_PATH" },
    { "cache-in-memory", /* without the path it may be in memory again */
      NOTE,
      { .cache = { .on = JW_ON_MEMORY, PATH, .elsewhere = "/var/tmp/c" } },
      "",
      "export CUDA_CACHE_PATH=/var/tmp/c" },
    { "cache-in-memory",
      NOTE,
      { .cache = { .on = JW_ON_MEMORY, PATH }, .answer = { .is = JW_WARM, .modules = 1, .warm = 1 } },
      "",
      NULL },
    { "cache-on-network",
      NOTE,
      { .cache = { .on = JW_ON_NETWORK, CACHE, .elsewhere = "/var/tmp/c" } },
      "/home/ada/.nv/ComputeCache",
      "export CUDA_CACHE_PATH=/var/tmp/c" },
    { "driver-level",
      NOTE,
      { .scope = { .build = "gnu:1", .version = "600.1", .level = JW_LEVEL_READABLE } },
      "600.1",
      NULL },
    { "no-code",
      D,
      { .answer = { .blocked = 3, .first = "/opt/x.so" } },
      "",
      "install a build of the software that has code for this GPU" },
    { "refused",
      D,
      { .answer = { .modules = 9, .warm = 7, .refused = 2, .first = "/opt/x.so" } },
      "",
      "replace /opt/x.so by another build of it" },
    { "refused",
      D,
      { .answer = { .modules = 9, .warm = 7, .refused = 2 }, .found.crashed = 1, .asked.cache = "/c" },
      "",
      "jitwarm prime --cache /c --retry" },
    { "driver-changed",
      D,
      { .answer.modules = 4, .scope.version = "590.10", .others.driver = "580.126.09" },
      "entries of driver 580.126.09, now 590.10",
      "jitwarm prime" },
    { "gpu-changed",
      D,
      { .answer = { .modules = 4, .sms.v = { 89 } }, .others.sm = 86 },
      "entries here for sm_86, none for sm_89",
      "jitwarm prime" },
    { "cold",
      D,
      { .answer = { .modules = 24, .warm = 21, .refused = 2 },
        .asked = { .words = (const char *const[]){ "lib", NULL }, .cache = "/data/my nv" } },
      "", /* the answer says it */
      "jitwarm prime --cache '/data/my nv' lib" },
    { "cache-busy",
      D,
      { .found.refusal = "it is locked", .cache.folder = "/c", .answer = { .modules = 2, .unknown = 2 } },
      "it is locked",
      "fuser -v /c/index" },
    { "names-unknown", D, { .answer = { .modules = 2, .unknown = 2 } }, "", "jitwarm prime" },
    { "code-of-command",
      D,
      { .answer.sourceless = 2, .found.lost_command = (const char *const[]){ "python", "a.py", NULL } },
      "",
      "jitwarm prime --run python a.py" },
    { "code-too-new",
      D,
      { .answer = { .modules = 1, .warm = 1, .blocked = 2, .needs = 580 }, .container.inside = true },
      "",
      "install a build for an older CUDA, or driver 580 or newer on the host" },
    { "files-closed", D, { .found.closed = "/x.so", .found.closed_own = true }, "", "chmod u+rX /x.so" },
    { "root-lost",
      D,
      { .found.lost_root = (const char *const[]){ "/opt/app", NULL },
        .asked.cache = "/c",
        .answer.unread = 1 },
      "",
      "jitwarm prune --cache /c --forget /opt/app" },
    { "root-lost",
      D,
      { .found.lost_root = (const char *const[]){ "/a", "-x", NULL }, .answer.sourceless = 1 },
      "/a -x",
      "jitwarm prune --forget /a -x" },
    { "root-empty",
      D,
      { .answer = { .empty = 1, .first = "/opt/app" } },
      "",
      "jitwarm prune --forget /opt/app" },
    { "files-unread",
      D,
      { .answer = { .is = JW_INCOMPLETE, .unread = 1, .first = "/opt/x.so" } },
      "", /* the verb lists them */
      "replace or --exclude /opt/x.so" },
    { "start-setting", C, { .start.setting = "X" }, "", "take X out of the command, which sets it itself" },
    { "start-cache", C, { .start.cache = "/c", .asked.words = run }, "", "jitwarm prime --cache /c --run a" },
    { "start-full",
      C,
      { .start.full = true },
      "the driver's default, 0 B",
      "export CUDA_CACHE_MAXSIZE=1073741824" },
    { "start-unrecorded", C, { .start.by_driver = true, .asked.words = run }, "", "jitwarm prime --run a" },
    { "start-compilers", C, { .start.compiled = true }, "", "docs/run.md, Other compilers" },
};

static void check_one(const struct expected *e, struct jw_arena *a)
{
    const struct jw_cause *c = e->who == NOTE ? jw_cause_next(&e->f, D, NULL) : jw_cause_of(&e->f, e->who);
    struct jw_remedy r = { 0 };

    CHECK_TEXT(c ? c->id : "none", e->id);
    if (!c)
        return;
    if (e->who == NOTE)
        CHECK(!jw_cause_of(&e->f, JW_ASKS_PRIME | JW_ASKS_VERIFY | JW_ASKS_LOOK | JW_ASKS_DOCTOR));
    CHECK_TEXT(c->seen(&e->f, a) ? c->seen(&e->f, a) : "", e->seen);
    c->remedy(&e->f, a, &r);

    const char *line = jw_remedy_line(&r, JW_SHELL_SH, true, a);

    CHECK_TEXT(line ? line : "", e->remedy ? e->remedy : "");
}

TEST(each_cause_is_seen_and_has_its_remedy)
{
    for (size_t i = 0; i < JW_COUNT(all); i++) {
        struct jw_arena a = { 0 };

        check_one(&all[i], &a);
        jw_arena_free(&a);
    }
}

TEST(every_cause_of_the_table_has_a_row_here_in_its_order)
{
    size_t at = 0;

    for (size_t i = 0; i < jw_n_causes; i++) {
        CHECK(at < JW_COUNT(all) && strcmp(all[at].id, jw_causes[i].id) == 0);
        while (at < JW_COUNT(all) && strcmp(all[at].id, jw_causes[i].id) == 0)
            at++;
    }
    CHECK_NUM(at, JW_COUNT(all));
}

TEST(nothing_is_known_and_nothing_is_wrong)
{
    static const struct jw_facts none = { 0 };

    for (size_t i = 0; i < jw_n_causes; i++)
        CHECK(!jw_causes[i].is(&none));
}

static const char *first(const struct jw_facts *f, unsigned who)
{
    const struct jw_cause *c = jw_cause_of(f, who);

    return c ? c->id : "none";
}

/* What explains the other comes first: a driver that is not there has no cache, and a cache that is off is not small. */
TEST(the_first_row_is_the_cause)
{
    struct jw_facts f = { .driver.is = JW_DRIVER_ABSENT,
                          .cache.disable = "1",
                          .cache.place = JW_PLACE_READ_ONLY,
                          .answer = { .modules = 4, .unknown = 4 } };

    CHECK_TEXT(first(&f, D), "driver-absent");
    f.driver.is = JW_DRIVER_STARTS;
    CHECK_TEXT(first(&f, D), "no-gpu");
    f.driver.gpus = 1;
    CHECK_TEXT(first(&f, D), "cache-disabled");
    f.cache.disable = NULL;
    CHECK_TEXT(first(&f, D), "cache-place");
    f.cache.place = JW_PLACE_GOOD;
    f.driver.compiler_missing = "/x";
    CHECK_TEXT(first(&f, D), "compiler-missing");
    f.driver.compiler_missing = NULL;
    f.cache.on = JW_ON_CONTAINER;
    CHECK_TEXT(first(&f, D), "names-unknown"); /* prime compiles what it cannot look up */
}

/* Of one look status and doctor say the same; who has compiled hears of what prime cannot mend. */
TEST(a_look_has_one_cause)
{
    enum { L = JW_ASKS_LOOK };
    struct jw_facts f = { .answer = { .is = JW_COLD, .modules = 2 }, .forbidden = "X" };

    CHECK_TEXT(first(&f, L), "compiling-forbidden"); /* what would stop the prime that is the remedy */
    CHECK_TEXT(first(&f, D), "compiling-forbidden");
    f.forbidden = NULL;
    CHECK_TEXT(first(&f, L), "cold");
    CHECK_TEXT(first(&f, P), "none");
    f.found.closed = "/x.so";
    CHECK_TEXT(first(&f, P), "files-closed");
    f.forbidden = "X";
    f.answer = (struct jw_answer){ .is = JW_INCOMPLETE, .unread = 1 };
    CHECK_TEXT(first(&f, L), "files-closed"); /* which that setting does not explain */
    f.answer.is = JW_WARM;
    CHECK_TEXT(first(&f, L), "none");
}

/* Where all is warm, doctor has nothing to name but notes, and prime has nothing to write. */
TEST(a_warm_cache_is_no_cause)
{
    static const struct jw_facts f = { .driver.is = JW_DRIVER_STARTS,
                                       .driver.gpus = 1,
                                       .scope.limit = 4,
                                       .answer = { .modules = 24, .warm = 24 },
                                       .cache.on = JW_ON_CONTAINER,
                                       .cache.max_size = "4G",
                                       .driver.compiler_missing = "/x",
                                       .cache.open = "/c may be changed by everybody",
                                       .login.here = "/data/nv" };
    const struct jw_cause *note = NULL;
    size_t notes = 0;

    CHECK_TEXT(first(&f, P | D | JW_ASKS_LOOK | JW_ASKS_VERIFY), "none");
    while ((note = jw_cause_next(&f, D, note)))
        notes++;
    CHECK_NUM(notes, 4); /* the compiler, the limit, the writers, the container */
}
