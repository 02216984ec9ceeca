/* Each cause: the facts that make it, what is seen of it, and its remedy as a line of sh. And the
 * order among them. */
#include "base/compiler.h"
#include "cause/cause.h"
#include "check.h"

#define P &jw_to_prime
#define L &jw_to_look
#define D &jw_to_diagnose

struct expected {
    const char *id;
    struct jw_facts f;
    const char *seen;
    const char *remedy; /* for sh */
};

#define CACHE .folder = "/home/ada/.nv/ComputeCache", .at = "/home/ada/.nv"
#define PATH .path = "/data/nv"

static const char *const run[] = {"--run", "a", NULL};
static const struct expected all[] = {
    {"start-setting",
     {.start.setting = "X"},
     "",
     "take X out of the command, which sets it itself"},
    {"start-cache",
     {.start.cache = "/c", .asked.words = run},
     "/c",
     "jitwarm prime --cache /c --run a"},
    {"driver-library",
     {.driver.is = JW_DRIVER_ABSENT, .container = {.inside = true, .engine = JW_CONTAINER_PODMAN}},
     "no libcuda.so.1; no NVIDIA GPU on the bus either: the host may have none",
     "podman run --device nvidia.com/gpu=all ..."},
    {"driver-library",
     {.driver.is = JW_DRIVER_ABSENT, .who.distro = "ubuntu"},
     "no libcuda.so.1; no NVIDIA GPU on the bus either",
     "run it where an NVIDIA GPU is; packs are made without one, too: jitwarm help export"},
    {"driver-library",
     {.driver.is = JW_DRIVER_ABSENT,
      .asked = {.absent_gpu = "sm_80", .words = run + 1, .n_paths = 1}},
     "no libcuda.so.1; no NVIDIA GPU on the bus either",
     "jitwarm export --gpu sm_80 --driver-files DIR a"},
    {"driver-library",
     {.driver.is = JW_DRIVER_ABSENT, .host.wsl = true, .who.distro = "ubuntu"},
     "no libcuda.so.1; no NVIDIA GPU on the bus either",
     "in Windows install NVIDIA's driver, and none here: https://www.nvidia.com/drivers"},
    {"driver-library",
     {.driver = {.is = JW_DRIVER_UNLOADABLE, .named = true}, .scope.library = "/x/libcuda.so"},
     "/x/libcuda.so",
     "unset JITWARM_DRIVER"},
    {"driver-library",
     {.driver =
          {.is = JW_DRIVER_UNLOADABLE, .says = "no cuInit", .hiding_folder = "/x", .path = "/x:"}},
     "LD_LIBRARY_PATH leads to /x: no cuInit",
     "unset LD_LIBRARY_PATH"},
    {"driver-library",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 34, .hiding_folder = "/y", .path = ":/y"},
      .scope.library = "/x"},
     "/x, the CUDA toolkit's stub",
     "unset LD_LIBRARY_PATH"},
    {"driver-library",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 804, .hiding_folder = "/y", .path = "/y:/a b"},
      .scope.library = "/x"},
     "/x, of cuda-compat, which this GPU does not support",
     "export LD_LIBRARY_PATH='/a b'"},
    {"driver-library",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 803},
      .scope = {.library = "/x", .version = "555.1"},
      .host.driver = "550.2"},
     "/x is 555.1, the kernel's module 550.2",
     "sudo reboot"},
    {"driver-unfit",
     {.host = {.gpus = &(struct jw_gpu){120, "RTX 5090"}, .n = 1},
      .scope.version = "550.1",
      .who.distro = "debian"},
     "RTX 5090 has driver 550.1, and 570 or newer is needed",
     "driver 570 or newer: https://wiki.debian.org/NvidiaGraphicsDrivers"},
    {"driver-unfit",
     {.host = {.gpus = &(struct jw_gpu){61, "GTX 1060"}, .n = 1, .driver = "590.1"}},
     "GTX 1060 has driver 590.1, and 580 is the last",
     "driver 580, no newer one: https://www.nvidia.com/drivers"},
    {"no-gpu", {.visible = "-1"}, "CUDA_VISIBLE_DEVICES=-1", "unset CUDA_VISIBLE_DEVICES"},
    {"no-gpu",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 100},
      .host = {.closed = true, .group = "video"},
      .who.user = "ada"},
     "only the group video may open /dev/nvidiactl; a new group counts from the next login on",
     "sudo usermod -aG video ada"},
    {"no-gpu",
     {.driver.is = JW_DRIVER_STARTS, .visible = "7", .host.n = 2},
     "CUDA_VISIBLE_DEVICES=7; GPUs here: 2, from 0 on",
     "export CUDA_VISIBLE_DEVICES=0"},
    {"no-gpu",
     {.driver.is = JW_DRIVER_STARTS, .visible = "NoDevFiles", .job = true},
     "CUDA_VISIBLE_DEVICES=NoDevFiles",
     "ask Slurm for a GPU: --gres=gpu:1"},
    {"no-gpu",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 999}, .ulimit = {JW_ULIMIT_FILES, 64}},
     "ulimit -n is 64: too few open files for a driver",
     "ulimit -n 1024"},
    {"no-gpu",
     {.driver = {.is = JW_DRIVER_STARTS, .n_gpus = 2, .prohibited = true}, .visible = "0"},
     "their compute mode is prohibited",
     "sudo nvidia-smi -c 0"},
    {"gpu-absent",
     {.asked.absent_gpu = "0", .gpu = "T4", .driver.n_gpus = 2},
     "--gpu 0; here: T4 and 1 more",
     "nvidia-smi -L"},
    {"gpu-absent",
     {.asked = {.absent_gpu = "sm_90", .words = run, .n_paths = 1}, .gpu = "T4"},
     "--gpu sm_90; here: T4",
     "jitwarm export --gpu sm_90 a"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 807}},
     "error 807, CUDA_ERROR_MPS_SERVER_NOT_READY",
     "echo quit | nvidia-cuda-mps-control"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 2}},
     "error 2, CUDA_ERROR_OUT_OF_MEMORY",
     "ulimit -v unlimited"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 2}, .ulimit = {JW_ULIMIT_MEMORY, .hard = true}},
     "error 2, CUDA_ERROR_OUT_OF_MEMORY",
     "ask in a new shell: the hard limit (ulimit -Ha) is too low, too"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 101}, .visible = "0", .bad_order = true},
     "error 101, CUDA_ERROR_INVALID_DEVICE",
     "unset CUDA_DEVICE_ORDER"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 221, .lacks = "libx", .preload = true}},
     "error 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND: libx is missing, and "
     "CUDA_FORCE_PRELOAD_LIBRARIES asks for it",
     "unset CUDA_FORCE_PRELOAD_LIBRARIES"},
    {"driver-error",
     {.driver = {.is = JW_DRIVER_FAILS, .error = 221, .lacks = "libx"}},
     "error 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND: libx is missing",
     "install libx of driver of this version"},
    {"compiling-forced", {.forced = "CUDA_FORCE_JIT"}, "CUDA_FORCE_JIT", "unset CUDA_FORCE_JIT"},
    {"cache-disabled", {.cache.disable = "1"}, "CUDA_CACHE_DISABLE=1", "unset CUDA_CACHE_DISABLE"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_RELATIVE, .path = "c"}},
     "CUDA_CACHE_PATH=c, so each working folder has its own",
     "unset CUDA_CACHE_PATH"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_RELATIVE, .path = "~/c"}, .who.home = "/home/ada"},
     "CUDA_CACHE_PATH=~/c, so each working folder has its own",
     "export CUDA_CACHE_PATH=/home/ada/c"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_RELATIVE, .folder = "h/.nv/ComputeCache"}, .account_home = "/h"},
     "h/.nv/ComputeCache, so each working folder has its own",
     "export HOME=/h"},
    {"cache-place", /* nor is the list of what was primed found without HOME */
     {.cache.place = JW_PLACE_UNSET, .account_home = "/home/ada", .found.roots_damaged = "/s"},
     "HOME is unset or empty",
     "export HOME=/home/ada"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_NOT_FOLDER,
                .folder = "/dev/null/.nv/ComputeCache",
                .at = "/dev/null",
                .elsewhere = "/var/tmp/c"},
      .state.unusable = "/dev/null"},
     "/dev/null, where no folder can be",
     "export CUDA_CACHE_PATH=/var/tmp/c; export JITWARM_STATE=/var/tmp/c.jitwarm"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_NOT_FILE, CACHE "/ComputeCache/index"}},
     "/home/ada/.nv/ComputeCache/index is no file, or a link, which jitwarm does not follow: "
     "what programs find there is not known",
     "mv /home/ada/.nv/ComputeCache/index /home/ada/.nv/ComputeCache/index.old"},
    {"cache-place", /* by --cache: a file of somebody, which stays */
     {.cache = {.place = JW_PLACE_NOT_FOLDER, .folder = "/etc/passwd", .at = "/etc/passwd"},
      .asked.cache = "/etc/passwd"},
     "/etc/passwd, where no folder can be",
     "name another folder by --cache"},
    {"cache-place", /* no mode keeps root out */
     {.cache = {.place = JW_PLACE_UNWRITABLE, CACHE}, .superuser = true},
     "/home/ada/.nv cannot be written by this user, above /home/ada/.nv/ComputeCache",
     "set CUDA_CACHE_PATH to a folder on a disk that this user may write"},
    {"cache-place",
     {.cache = {.place = JW_PLACE_UNWRITABLE, CACHE, .owner = "root", .at_home = true},
      .who.user = "ada"},
     "/home/ada/.nv belongs to root, above /home/ada/.nv/ComputeCache",
     "sudo chown -R ada /home/ada/.nv"},
    {"cache-place", /* HOME is not the account's, and nothing is wrong with it but its disk */
     {.cache = {.place = JW_PLACE_READ_ONLY, .at = "/h", .elsewhere = "/c"},
      .account_home = "/root"},
     "/h, on a read-only file system",
     "export CUDA_CACHE_PATH=/c"},
    {"cache-place", /* docker run --read-only */
     {.cache = {PATH, .place = JW_PLACE_READ_ONLY, .folder = "/c"},
      .container.engine = JW_CONTAINER_DOCKER},
     "CUDA_CACHE_PATH=/data/nv, on a read-only file system",
     "mount a volume at or above /c"},
    {"cache-place", /* eve, with the HOME of ada */
     {.cache = {.place = JW_PLACE_UNWRITABLE, CACHE, .owner = "ada"}, .account_home = "/home/eve"},
     "/home/ada/.nv belongs to ada, above /home/ada/.nv/ComputeCache",
     "export HOME=/home/eve"},
    {"cache-place", /* docker run --tmpfs */
     {.cache = {.place = JW_PLACE_UNWRITABLE,
                CACHE,
                PATH,
                .owner = "root",
                .mount = "/home",
                .on = JW_ON_MEMORY},
      .state.unusable = "/home/ada/.nv/state",
      .container = {true, JW_CONTAINER_DOCKER}},
     "/home/ada/.nv belongs to root, above /home/ada/.nv/ComputeCache",
     "mount a volume at or above /home/ada/.nv/ComputeCache"},
    {"cache-place", /* a volume: a driver's own folder on it, where HOME is */
     {.cache = {.place = JW_PLACE_UNWRITABLE,
                .folder = "/data/.nv/ComputeCache",
                .at = "/data/.nv/ComputeCache/index",
                .mount = "/data",
                .owner = "root"},
      .account_home = "/home/ada",
      .container.inside = true},
     "/data/.nv/ComputeCache/index belongs to root",
     "give /data/.nv/ComputeCache to this user, by fsGroup or chown -R: docs/deploy.md"},
    {"cache-place",
     {.cache = {CACHE, .at_home = true},
      .met.entries = {.closed = "/home/ada/.nv/ComputeCache/0", .closed_by = "root"},
      .who.user = "ada",
      .answer.modules = 1},
     "/home/ada/.nv/ComputeCache/0 belongs to root",
     "sudo chown -R ada /home/ada/.nv"},
    {"cache-place",
     {.answer.modules = 1,
      .found.damaged = 1,
      .met.entries.not_file = "/home/ada/.nv/ComputeCache/0/8/2e"},
     "/home/ada/.nv/ComputeCache/0/8/2e is no file, or a link, which jitwarm does not follow: "
     "what programs find there is not known",
     "mv /home/ada/.nv/ComputeCache/0/8/2e /home/ada/.nv/ComputeCache/0/8/2e.old"},
    {"driver-stores-nothing",
     {.driver = {.is = JW_DRIVER_STARTS, .n_gpus = 1},
      .scope = {.level = JW_LEVEL_NONE, .version = "600.1"}},
     "600.1",
     "another driver: https://www.nvidia.com/drivers"},
    {"cache-of-root",
     {.superuser = true, .cache = {.owner = "user 1000", CACHE, .uid = 1000}},
     "/home/ada/.nv belongs to user 1000",
     "sudo -H -u '#1000' jitwarm prime --cache /home/ada/.nv/ComputeCache"},
    {"cache-of-root",
     {.superuser = true,
      .cache =
          {.folder = "/root/.nv/ComputeCache", .at = "/root/.nv", .owner = "ada", .at_home = true},
      .who.user = "root"},
     "/root/.nv belongs to ada",
     "chown -R root /root/.nv"},
    {"cache-of-root",
     {.superuser = true,
      .cache = {.owner = "user 1000", CACHE, .uid = 1000},
      .container.inside = true},
     "/home/ada/.nv belongs to user 1000",
     "start the container as the owner of its volume: docker run --user UID, runAsUser: UID"},
    {"cache-of-root",
     {.superuser = true,
      .who.behind = "ada",
      .cache.folder = "/c",
      .asked = {.words = (const char *const[]){"lib", NULL},
                .verb = "import",
                .typed = (const char *const[]){"a.tar.zst", "lib", NULL},
                .cache = "/c"}},
     "ada called sudo; root would fill /c",
     "sudo -H -u ada jitwarm import --cache /c a.tar.zst lib"},
    {"cache-state",
     {.state = {.unusable = "no /s", .homeless = true},
      .cache.elsewhere = "/c",
      .account_home = "/h"},
     "no /s",
     "export HOME=/h"},
    {"cache-state", /* HOME is all of this shell's, this is jitwarm's alone */
     {.state.unusable = "/s", .cache.elsewhere = "/c", .account_home = "/h"},
     "/s",
     "export JITWARM_STATE=/c.jitwarm"},
    {"cache-state",
     {.state.unusable = "/s", .state.named = "JITWARM_STATE", .account_home = "/h"},
     "/s",
     "set JITWARM_STATE to a folder of this user"},
    {"cache-state",
     {.state = {.unusable = "/s", .of_other = "/h/.local"},
      .account_home = "/h",
      .who.user = "ada"},
     "/s",
     "sudo chown -R ada /h/.local"},
    {"cache-disk-full", /* of cache and state alike, and the probe's: one sentence for all */
     {.state = {.unusable = "/home: 3 MiB free", .full = "/home"},
      .driver.probe_failed = "the disk is full",
      .cache = {.free = 3 << 20, .spare = 64 << 20, .mount = "/home", .elsewhere = "/c"}},
     "/home: 3 MiB free, 64 MiB stay free, 4 MiB are needed",
     "free space on /home (du -xah -d 1 /home shows what fills it)"},
    {"cache-disk-full",
     {.driver.probe_failed = "/home/ada/text.ptx: the disk is full",
      .cache = {.free = 1 << 20, .spare = 64 << 20, .mount = "/home", .elsewhere = "/c"},
      .found.cold_bytes = 5 << 20,
      .answer.modules = 1},
     "/home: 1 MiB free, 64 MiB stay free, 5 MiB are needed",
     "free space on /home (du -xah -d 1 /home shows what fills it)"},
    {"compiling-forbidden",
     {.answer.modules = 1, .forbidden = "CUDA_DISABLE_JIT"},
     "CUDA_DISABLE_JIT",
     "unset CUDA_DISABLE_JIT"},
    {"compiler-missing",
     {.answer.modules = 1,
      .found.no_compiler = true,
      .container.inside = true,
      .compute_given = true},
     "error 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "sudo apt-get install --only-upgrade nvidia-container-toolkit"},
    {"compiler-missing",
     {.answer.modules = 1,
      .scope.version = "550.1",
      .driver.compiler_missing = "/x/libnvidia-ptxjitcompiler.so.1"},
     "/x/libnvidia-ptxjitcompiler.so.1",
     "install libnvidia-ptxjitcompiler of driver 550.1"},
    {"probe-failed",
     {.driver = {.probe_failed = "it was refused", .probe_refused = 46}},
     "error 46, CUDA_ERROR_DEVICE_UNAVAILABLE",
     "nvidia-smi"},
    {"cache-limit",
     {.answer.modules = 1, .scope.limit = 4, .cache.max_size = "1G", .start.setting = "X"},
     "CUDA_CACHE_MAXSIZE=1G: 4 B, the driver reads no units",
     "export CUDA_CACHE_MAXSIZE=4294967295"},
    {"cache-limit",
     {.answer.modules = 1, .ulimit = {JW_ULIMIT_FILE_SIZE, 8 << 10}},
     "ulimit -f: no file may be larger than 8 KiB",
     "ulimit -f unlimited"},
    {"cache-limit",
     {.start.full = true, .scope.limit = 1 << 30, .found.needed = 1},
     "the driver's default, 1 GiB, and the cache is full",
     "export CUDA_CACHE_MAXSIZE=4294967295"},
    {"cache-limit",
     {.answer.modules = 1, .scope.limit = 256 << 20, .found.needed = 800 << 20},
     "the driver's default, 256 MiB; 800 MiB are stored",
     "export CUDA_CACHE_MAXSIZE=4294967295"},
    {"cache-limit", /* no driver takes more */
     {.answer.modules = 1,
      .scope.limit = JW_CACHE_MOST,
      .found = {.needed = 5ULL << 30, .cold_bytes = 1}},
     "the driver's default, 4 GiB; about 5 GiB are needed",
     "read docs/doctor.md"},
    {"cache-open", /* a volume of the host's user: the container's own layer would be lost */
     {.answer.modules = 1,
      .cache = {.open = "/c", PATH, .mount = "/c", .open_other = "/c"},
      .container.inside = true},
     "/c",
     "as root: chown UID, chmod go-w /c; or docker run --user as its owner"},
    {"login",
     {.login = {.harms = true, .which = JW_VAR_CACHE_DISABLE, .there = "1"}},
     "CUDA_CACHE_DISABLE=1: each start there compiles",
     "take CUDA_CACHE_DISABLE out of what a login sets: ~/.profile, or a file like it"},
    {"login",
     {.answer.modules = 1, .login = {.which = JW_VAR_CACHE_PATH, .there = "/data/nv"}},
     "CUDA_CACHE_PATH: /data/nv there, unset here",
     "export CUDA_CACHE_PATH=/data/nv"},
    {"login",
     {.answer.is = JW_WARM, .login = {.which = JW_VAR_CACHE_PATH, .there = "/data/nv"}},
     "CUDA_CACHE_PATH: /data/nv there, unset here",
     "jitwarm env"},
    {"login",
     {.login = {.which = JW_VAR_CACHE_PATH, .here = "/data/nv"}},
     "no CUDA_CACHE_PATH",
     "jitwarm env apply --path /data/nv"},
    {"login",
     {.login = {.which = JW_VAR_CACHE_PATH, .here = "/a\nb"}},
     "no CUDA_CACHE_PATH",
     "unset CUDA_CACHE_PATH"},
    {"login",
     {.login = {.which = JW_VAR_CACHE_MAXSIZE, .here = "8589934592"}},
     "no CUDA_CACHE_MAXSIZE",
     "jitwarm env apply --size 4GiB"},
    {"cache-not-primed",
     {.cache = {CACHE, PATH}, .met.primed_in = "/home/ada/nv", .login.here = "/data/nv"},
     "CUDA_CACHE_PATH=/data/nv; what was primed is in /home/ada/nv",
     "unset CUDA_CACHE_PATH, or name the paths for this cache, too: jitwarm prime PATH"},
    {"cache-damaged",
     {.answer.modules = 1, .found.damaged = 2},
     "entries gone or damaged: 2",
     "jitwarm prime"},
    {"roots-damaged",
     {.found.roots_damaged = "/s: damaged", .cache = {CACHE}},
     "/s: damaged",
     "jitwarm prime PATH"},
    {"roots-damaged",
     {.met.roots_of_other = true,
      .found = {.roots_damaged = "/s", .roots_at = "/s"},
      .who.user = "ada"},
     "/s",
     "sudo chown -R ada /s"},
    {"cache-short-lived",
     {.cache = {.on = JW_ON_CONTAINER, CACHE}},
     "container's layer",
     "mount a volume at or above /home/ada/.nv/ComputeCache"},
    {"cache-short-lived",
     {.cache = {.on = JW_ON_MEMORY, PATH}},
     "in memory, until a reboot",
     "unset CUDA_CACHE_PATH"},
    {"cache-short-lived", /* without the path it may be in memory again */
     {.cache = {.on = JW_ON_MEMORY, PATH, .elsewhere = "/var/tmp/c"}},
     "in memory, until a reboot",
     "export CUDA_CACHE_PATH=/var/tmp/c"},
    {"cache-short-lived",
     {.cache = {.on = JW_ON_MEMORY, PATH}, .answer = {.is = JW_WARM, .modules = 1, .warm = 1}},
     "in memory, until a reboot",
     NULL},
    {"cache-on-network",
     {.cache = {.on = JW_ON_NETWORK, CACHE, .elsewhere = "/var/tmp/c"}},
     "/home/ada/.nv/ComputeCache",
     "export CUDA_CACHE_PATH=/var/tmp/c"},
    {"refused",
     {.answer = {.modules = 9, .warm = 7, .refused = 2, .first = "/opt/x.so"}},
     "",
     "replace /opt/x.so by another build of it"},
    {"refused",
     {.answer = {.modules = 9, .warm = 7, .refused = 2}, .found.crashed = 1, .asked.cache = "/c"},
     "",
     "jitwarm prime --cache /c --retry"},
    {"not-stored", {.found.unstored = true}, "the next run tries it again", "jitwarm prime"},
    {"cache-of-other",
     {.answer.modules = 4, .scope.version = "590.10", .met.entries.other_driver = "580.126.09"},
     "entries of driver 580.126.09, now 590.10",
     "jitwarm prime"},
    {"cache-of-other",
     {.answer = {.modules = 4, .sms.v = {89}}, .met.entries.other_sm = 86},
     "entries here for sm_86, none for sm_89",
     "jitwarm prime"},
    {"cache-of-other",
     {.answer.modules = 4, .found.emptied = true},
     "it is empty, and had entries",
     "jitwarm prime"},
    {"cold",
     {.answer = {.modules = 24, .warm = 21, .refused = 2},
      .asked = {.words = (const char *const[]){"lib", NULL}, .cache = "/data/my nv"}},
     "", /* the answer says it */
     "jitwarm prime --cache '/data/my nv' lib"},
    {"cache-busy",
     {.found.refusal = "it is locked",
      .cache.folder = "/c",
      .answer = {.modules = 2, .unknown = 2}},
     "it is locked",
     "fuser -v /c/index"},
    {"names-unknown", {.answer = {.modules = 2, .unknown = 2}}, "", "jitwarm doctor"},
    {"names-unknown",
     {.answer = {.modules = 2, .unknown = 2, .proven = JW_DISPROVED}},
     "",
     "jitwarm prime"},
    {"no-code",
     {.answer = {.blocked = 3, .first = "/opt/x.so"}},
     "",
     "install a build of the software that has code for this GPU"},
    {"no-code",
     {.answer = {.modules = 1, .warm = 1, .blocked = 2, .needs = 580}, .container.inside = true},
     "",
     "install a build for an older CUDA, or driver 580 or newer on the host"},
    {"root-lost",
     {.found.lost = (const char *const *const[]){run + 1, run, NULL}, .asked.cache = "/c"},
     "a",
     "jitwarm forget --cache /c a && jitwarm forget --cache /c --run a"},
    {"root-lost",
     {.met = {.lost_code = run + 1, .lost_in = "/b"}},
     "a",
     "cd /b && jitwarm prime --run a"},
    {"root-lost", {.answer = {.empty = 1, .first = "/o"}}, "", "jitwarm forget /o"},
    {"root-lost", {.answer = {.empty = 1, .first = "/bin/ls"}, .asked = {.n_paths = 1}}, "", ""},
    {"files-unread",
     {.found = {.files_closed = "/x", .files_closed_own = true}},
     "",
     "chmod u+rX /x"},
    {"files-unread",
     {.answer = {.is = JW_INCOMPLETE, .unread = 1, .first = "/opt/x.so"},
      .config = "/home/ada/j.conf"},
     "", /* the verb lists them */
     "replace /opt/x.so; or leave it out, by exclude = /opt/x.so in /home/ada/j.conf"},
    {"start-compilers", {.start.unseen = "libnvrtc.so"}, "", "read docs/run.md, Other compilers"},
    {"start-compilers",
     {.start.own_compilers = true},
     "",
     "start it again: if that compiles, too, each start does, and no cache helps (docs/run.md)"},
};

static const char *first(const struct jw_facts *f, const struct jw_purpose *who)
{
    const struct jw_cause *c = jw_cause_of(f, who);

    return c ? c->id : "none";
}

static void check_one(const struct expected *e)
{
    FREED(jw_arena) a = {0};
    const struct jw_cause *c = jw_causes;
    struct jw_remedy r = {.a = &a};

    while (c < jw_causes + JW_N_CAUSES && !c->is(&e->f))
        c++;
    CHECK_TEXT(c < jw_causes + JW_N_CAUSES ? c->id : "none", e->id);
    if (c == jw_causes + JW_N_CAUSES)
        return;
    CHECK_TEXT(c->seen(&e->f, &a) ? c->seen(&e->f, &a) : "", e->seen);
    c->remedy(&e->f, &r);

    const char *line = jw_remedy_line(&r, JW_SHELL_SH, true, &a);

    if (r.next)
        line = jw_arena_printf(&a, "%s; %s", line, jw_remedy_line(r.next, JW_SHELL_SH, true, &a));
    CHECK_TEXT(line ? line : "", e->remedy ? e->remedy : "");
}

TEST(each_cause_is_seen_and_has_its_remedy)
{
    for (size_t i = 0; i < JW_COUNT(all); i++)
        check_one(&all[i]);
}

TEST(every_cause_of_the_table_has_a_row_here_in_its_order)
{
    size_t at = 0;

    for (size_t i = 0; i < JW_N_CAUSES; i++) {
        CHECK(at < JW_COUNT(all) && strcmp(all[at].id, jw_causes[i].id) == 0);
        while (at < JW_COUNT(all) && strcmp(all[at].id, jw_causes[i].id) == 0)
            at++;
    }
    CHECK_NUM(at, JW_COUNT(all));
}

/* Whom causes stop: (a)ll, (p)rime, prime while something is (c)old. */
static const char *const stoppers[] = {
    "a driver-library driver-unfit no-gpu gpu-absent driver-error "
    "compiling-forced driver-stores-nothing ",
    "p cache-disabled cache-of-root probe-failed ",
    "c cache-state compiling-forbidden compiler-missing cache-limit cache-open ",
};
static const char unwritable[] = " cache-place cache-of-root cache-state "
                                 "cache-disk-full cache-limit cache-open cache-busy ";

/* What stops a cold answer stops one that nobody can give, too; but not one that is incomplete for
 * another reason. */
static void check_stops(const struct jw_cause *c, char whom)
{
    static const struct jw_facts
        cold[] = {{.answer = {.is = JW_COLD, .modules = 1}},
                  {.answer = {.is = JW_INCOMPLETE, .modules = 1, .unknown = 1}},
                  {.answer.is = JW_INCOMPLETE, .found.roots_damaged = "/s"},
                  {.driver.probe_failed = "/x"}},
        other[] = {{0},
                   {.answer = {.is = JW_INCOMPLETE, .unread = 1}, .driver.probe_failed = "/x"}};

    for (size_t i = 0; i < JW_COUNT(cold); i++)
        CHECK(jw_cause_stops(c, &cold[i], JW_STRICT) == (whom != '.')
              && jw_cause_stops(c, &cold[i], JW_LENIENT) == (whom == 'a'));
    for (size_t i = 0; i < JW_COUNT(other); i++)
        CHECK(jw_cause_stops(c, &other[i], JW_STRICT) == (whom == 'a' || whom == 'p'));
}

TEST(the_class_of_a_cause_decides_whom_it_stops)
{
    for (const struct jw_cause *c = jw_causes; c < jw_causes + JW_N_CAUSES; c++) {
        char id[32], whom = '.';

        (void)snprintf(id, sizeof id, " %s ", c->id);
        for (size_t i = 0; i < JW_COUNT(stoppers); i++)
            whom = strstr(stoppers[i], id) ? *stoppers[i] : whom;
        check_stops(c, whom);
        CHECK((c->end == JW_END_CANNOT_WRITE) == (strstr(unwritable, id) != NULL));
        CHECK((c->end == JW_END_NO_GPU) == (whom == 'a' && strcmp(c->id, "compiling-forced") != 0));
    }
}

#define WARM .answer = {.is = JW_WARM, .modules = 1, .warm = 1}
#define COLD .answer = {.is = JW_COLD, .modules = 2}
#define CONTAINER .cache.on = JW_ON_CONTAINER
#define NOTHING .answer.is = JW_NOTHING, .met.unnamed = true
#define NO_ROOM .found = {.no_room = 1, .needed = 9}
#define STOP(how, by) .ended = JW_END_##how, .stop = JW_CAUSE_##by

/* "CAUSE, END, notes: N" of what is said: a cause that leads has a !, and so has a note that the
 * text has without -v. */
static const struct said {
    struct jw_facts f;
    const struct jw_purpose *who;
    const char *says;
    enum jw_end ended; /* 0: DONE */
    int stop;          /* JW_CAUSE_...; 0: nothing stopped it */
} summaries[] = {
    /* of a good answer only what undoes it leads, and ends in part */
    {{WARM}, P, .says = "none, done, notes: 0"},
    {{WARM, .cache.open = "/c"}, L, .says = "none, done, notes: 1!"},
    {{WARM, .found.index_damaged = true}, L, .says = "cache-damaged, done, notes: 0"},
    {{WARM, .found.index_damaged = true}, D, .says = "cache-damaged!, partly, notes: 0"},
    {{WARM, .start.setting = "X"}, P, .says = "start-setting!, partly, notes: 0"},
    {{WARM, .start.cache = "/c"}, P, .says = "start-cache, done, notes: 0"},
    {{WARM, .start.full = true, .cache.spare = 9}, P, .says = "cache-disk-full!, partly, notes: 0"},
    {{WARM, .start.full = true}, P, .says = "cache-limit!, partly, notes: 0"},
    {{WARM, .login.harms = true}, D, .says = "login!, partly, notes: 0"},
    {{WARM, .found.needed = 9}, D, .says = "cache-limit!, partly, notes: 0"},
    {{WARM, .login.there = "/c"}, D, .says = "none, done, notes: 1!"},
    {{WARM, .login.here = "/c"}, D, .says = "none, done, notes: 1!"},
    {{WARM, .met.entries.closed = "/c"}, D, .says = "none, done, notes: 1!"},
    {{NOTHING, .met.primed_in = "/c"}, D, .says = "cache-not-primed!, partly, notes: 0"},
    {{NOTHING, .met.primed_in = "/c"}, P, .says = "none, done, notes: 1!"},
    /* that the cache is lost with the container doctor says, and a prime that compiled */
    {{WARM, CONTAINER}, P, .says = "none, done, notes: 0"},
    {{WARM, CONTAINER, .met.filled = true}, P, .says = "none, done, notes: 1!"},
    {{WARM, CONTAINER}, L, .says = "none, done, notes: 0"},
    /* an answer that is not good leads, and is explained; doctor begins with what the answer does
       not say */
    {{COLD}, L, .says = "cold, partly, notes: 0"},
    {{COLD, CONTAINER}, D, .says = "cold, partly, notes: 1!"},
    {{COLD, .forbidden = "X"}, L, .says = "compiling-forbidden, partly, notes: 0"},
    {{COLD, CONTAINER, .forbidden = "X"}, D, .says = "compiling-forbidden!, partly, notes: 1"},
    {{.answer.is = JW_INCOMPLETE, .found.files_closed = "/x", .forbidden = "X"},
     D,
     .says = "files-unread, partly, notes: 1"}, /* which that setting does not explain */
    /* who has compiled hears of what prime cannot mend */
    {{COLD}, P, .says = "none, time, notes: 0", .ended = JW_END_TIME},
    {{COLD, .found.index_damaged = true}, P, .says = "none, partly, notes: 0"},
    {{COLD, NO_ROOM}, P, .says = "cache-limit, cannot-write, notes: 0"},
    {{COLD, NO_ROOM}, P, .says = "cache-limit, no-gpu, notes: 0", .ended = JW_END_NO_GPU},
    /* what stopped the run leads */
    {{COLD, .start.cache = "/c"},
     P,
     .says = "start-cache!, partly, notes: 0",
     STOP(PARTLY, start_cache)},
    {{.cache.disable = "1"},
     P,
     .says = "cache-disabled!, stopped, notes: 0",
     STOP(STOPPED, cache_disabled)},
    {{.driver.is = JW_DRIVER_ABSENT},
     D,
     .says = "driver-library!, partly, notes: 0",
     STOP(NO_GPU, driver_library)},
    {{.answer.is = JW_NOT_LOOKED}, L, .says = "none, busy, notes: 0", .ended = JW_END_BUSY},
};

/* Of one cause the facts decide how bad it is. */
TEST(the_class_of_a_cause_depends_on_what_was_seen)
{
    static const struct {
        struct jw_facts f;
        int cause; /* JW_CAUSE_... */
        char whom; /* it stops */
    } all_of[] = {
        {{COLD, .cache.place = JW_PLACE_READ_ONLY}, JW_CAUSE_cache_place, 'p'},
        {{COLD, .met.entries.closed = "/c"}, JW_CAUSE_cache_place, '.'},
        {{COLD, .met.entries.not_file = "/c"}, JW_CAUSE_cache_place, '.'},
        {{COLD, .cache.max_size = "4", .scope.limit = 4}, JW_CAUSE_cache_limit, 'c'},
        {{COLD, .ulimit.which = JW_ULIMIT_FILE_SIZE}, JW_CAUSE_cache_limit, 'c'},
        {{COLD, .found.needed = 9}, JW_CAUSE_cache_limit, '.'},
        {{WARM, .cache.max_size = "4", .found.needed = 9}, JW_CAUSE_cache_limit, '.'},
    };

    for (size_t i = 0; i < JW_COUNT(all_of); i++) {
        const struct jw_cause *c = &jw_causes[all_of[i].cause];

        CHECK(c->is(&all_of[i].f));
        CHECK(jw_cause_stops(c, &all_of[i].f, JW_STRICT) == (all_of[i].whom != '.'));
        CHECK(!jw_cause_stops(c, &all_of[i].f, JW_LENIENT));
    }
}

TEST(a_summary_is_what_is_said_of_a_run)
{
    for (const struct said *e = summaries; e < summaries + JW_COUNT(summaries); e++) {
        const struct jw_summary s = jw_summary_of(
            &e->f, e->who, e->stop ? &jw_causes[e->stop] : NULL, e->ended ? e->ended : JW_END_DONE);
        FREED(jw_arena) a = {0};

        CHECK_TEXT(jw_arena_printf(&a, "%s%s, %s, notes: %zu%s", s.cause ? s.cause->id : "none",
                                   s.leads ? "!" : "", jw_end_names[s.end], s.n_notes,
                                   s.notes_first ? "!" : ""),
                   e->says);
    }
}

TEST(nothing_is_known_and_nothing_is_wrong)
{
    for (size_t i = 0; i < JW_N_CAUSES; i++)
        CHECK(!jw_causes[i].is(&(const struct jw_facts){0}));
}

/* What explains the other comes first: a driver that is not there has no cache, and a cache that is
 * off is not small. */
TEST(the_first_row_is_the_cause)
{
    struct jw_facts f = {.driver.is = JW_DRIVER_ABSENT,
                         .cache.disable = "1",
                         .cache.place = JW_PLACE_READ_ONLY,
                         .answer = {.is = JW_INCOMPLETE, .modules = 4, .unknown = 4}};

    CHECK_TEXT(first(&f, D), "driver-library");
    f.driver.is = JW_DRIVER_STARTS;
    CHECK_TEXT(first(&f, D), "no-gpu");
    f.driver.n_gpus = 1;
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
