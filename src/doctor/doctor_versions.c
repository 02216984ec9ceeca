#include "base/path.h"
#include "base/text.h"
#include "doctor/doctor_words.h"
#include "facts/archs.h"
#include "facts/drivers.h"

#include <string.h>

enum { MAX_KINDS = 16, MISMATCH = 803 };

/* One kind of GPU of this machine. */
struct kind {
    const char *name;
    unsigned sm;
};

static void add_kind(struct kind out[MAX_KINDS], size_t *n, struct kind one)
{
    for (size_t i = 0; i < *n; i++)
        if (out[i].sm == one.sm)
            return;
    if (one.sm && *n < MAX_KINDS)
        out[(*n)++] = one;
}

static size_t find_kinds(const struct jw_doctor_machine *m, struct kind out[MAX_KINDS])
{
    size_t n = 0;

    for (size_t i = 0; jw_doctor_sees_gpus(m) && i < m->probe.n_devices; i++)
        add_kind(out, &n, (struct kind){ m->probe.devices[i].name, m->probe.devices[i].sm });
    for (size_t i = 0; i < m->host.n; i++)
        add_kind(out, &n, (struct kind){ m->host.gpus[i].name, m->host.gpus[i].sm });
    return n;
}

/* ---- driver and GPU ---- */

static const char *update(const struct jw_doctor_machine *m)
{
    if (m->probe.driver.container)
        return "the driver belongs to the host of this container: update it there, or rent another machine";
    if (m->windows || m->probe.driver.wsl)
        return "install a newer driver for Windows" DOCTOR_DRIVERS_WINDOWS;
    return "install a newer driver" DOCTOR_DRIVERS_LINUX ", then reboot";
}

static void too_old(const struct jw_doctor_machine *m, const struct kind *k, const struct jw_arch_fact *arch,
                    const char *version, struct jw_findings *f)
{
    JW_FINDING(f, .id = "driver-old-for-gpu", .severity = JW_PROBLEM, .subject = k->name,
               .text = jw_fmt(f, "the driver is too old for %s", k->name),
               .evidence = jw_fmt(f, "driver %s is installed; this GPU (%s, sm_%u) needs %u or newer",
                                  version, arch->family, k->sm, arch->first_branch),
               .consequence = "programs do not see this GPU, or fail as soon as they use it",
               .fix = update(m), .command = doctor_newer_driver(m));
}

static void too_new(const struct jw_doctor_machine *m, const struct kind *k, const struct jw_arch_fact *arch,
                    const char *version, struct jw_findings *f)
{
    bool ubuntu = !m->windows && m->who.distro && strcmp(m->who.distro, "ubuntu") == 0;

    JW_FINDING(f, .id = "gpu-dropped", .severity = JW_PROBLEM, .subject = k->name,
               .text = jw_fmt(f, "this driver no longer supports %s", k->name),
               .evidence = jw_fmt(f, "driver %s is installed; the last for this GPU (%s, sm_%u) is branch %u",
                                  version, arch->family, k->sm, arch->last_branch),
               .consequence = "programs do not see this GPU",
               .fix = jw_fmt(f, "install a driver of branch %u%s", arch->last_branch,
                             ubuntu       ? ", then reboot:"
                             : m->windows ? DOCTOR_DRIVERS_WINDOWS
                                          : DOCTOR_DRIVERS_LINUX),
               .command =
                   ubuntu ? jw_fmt(f, "%sapt-get install nvidia-driver-%u", doctor_sudo(m), arch->last_branch)
                          : NULL);
}

static void last_branch(const struct kind *k, const struct jw_arch_fact *arch, struct jw_findings *f)
{
    JW_FINDING(f, .id = "driver-last-branch", .severity = JW_NOTE, .subject = k->name,
               .text =
                   jw_fmt(f, "drivers newer than branch %u do not support %s", arch->last_branch, k->name),
               .evidence = jw_fmt(f, "%s, sm_%u", arch->family, k->sm),
               .consequence = "after a newer update no program can use this GPU",
               .fix = jw_fmt(f, "branch %u is the last that drives this GPU", arch->last_branch));
}

static void gpu_and_driver(const struct jw_doctor_machine *m, const struct kind *v, size_t n,
                           struct jw_findings *f)
{
    const char *version = jw_doctor_version(m);
    struct jw_driver_version parsed;
    struct jw_err ignored = { 0 };
    bool known = version && jw_driver_parse(version, &parsed, &ignored);

    for (size_t i = 0; i < n; i++) {
        const struct jw_arch_fact *arch = jw_arch_find(v[i].sm);
        enum jw_driver_fit drives = known ? jw_driver_support(&parsed, v[i].sm) : JW_DRIVER_FITS;

        if (!arch)
            continue;
        if (drives == JW_DRIVER_TOO_OLD)
            too_old(m, &v[i], arch, version, f);
        else if (drives == JW_DRIVER_TOO_NEW)
            too_new(m, &v[i], arch, version, f);
        else if (arch->last_branch)
            last_branch(&v[i], arch, f);
    }
}

/* ---- several GPUs, and how they are shared ---- */

static void unlike(const struct kind *v, size_t n, struct jw_findings *f)
{
    if (n < 2)
        return;
    JW_FINDING(f, .id = "gpus-differ", .severity = JW_NOTE, .text = "the GPUs here are of different kinds",
               .evidence = jw_fmt(f, "%s is sm_%u, %s is sm_%u", v[0].name, v[0].sm, v[1].name, v[1].sm),
               .consequence = "GPU code fits one kind: a program may start at once on one GPU and compile "
                              "for minutes on the other, and each kind needs its own space in the cache",
               .fix = "to let a program see one GPU only (here the first by nvidia-smi):",
               .command = "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=0 PROGRAM");
}

static void exclusive(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    for (size_t i = 0; jw_doctor_sees_gpus(m) && i < m->probe.n_devices; i++)
        if (m->probe.devices[i].compute_mode == JW_COMPUTE_EXCLUSIVE) {
            const struct jw_device *d = &m->probe.devices[i];

            JW_FINDING(f, .id = "gpu-exclusive", .severity = JW_NOTE,
                       .subject = jw_fmt(f, "GPU %u", d->index),
                       .text = jw_fmt(f, "%s accepts one process at a time", d->name),
                       .evidence = "its compute mode is exclusive",
                       .consequence =
                           "a second program fails while the first runs, and jitwarm warms with one worker",
                       .fix = "if that is not meant:",
                       .command = m->windows ? "nvidia-smi --compute-mode=0"
                                             : jw_fmt(f, "%snvidia-smi --compute-mode=0", doctor_sudo(m)));
            return;
        }
}

/* ---- which library, which module ---- */

static bool compat_path(const char *library)
{
    return library && (strstr(library, "/compat/") || strstr(library, "cuda-compat"));
}

static void compat_used(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_worker_driver *d = &m->probe.driver;

    if (!jw_doctor_sees_gpus(m) || !compat_path(d->library))
        return;
    JW_FINDING(
        f, .id = "driver-compat-used", .severity = JW_NOTE, .subject = d->library,
        .text =
            "programs started from here use a newer CUDA library (cuda-compat) instead of the driver's own",
        .evidence = jw_fmt(f, "%s%s%s", d->library, m->host.driver ? "; the kernel module is " : "",
                           m->host.driver ? m->host.driver : ""),
        .consequence = "programs with and without that library path do not share compiled code",
        .fix = "run jitwarm prime in the same environment as your programs");
}

/* cuInit returns 803; the two versions show other errors of the same cause, and a driver that starts all the same. */
static void mismatch(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    const struct jw_worker_driver *d = &m->probe.driver;

    if (m->windows || m->asked || d->wsl || !d->version || !m->host.driver || d->init_result < 0
        || d->init_result == MISMATCH || compat_path(d->library) || strcmp(d->version, m->host.driver) == 0)
        return;
    JW_FINDING(f, .id = "driver-mismatch", .severity = d->init_result ? JW_PROBLEM : JW_WARNING,
               .text = "the driver's library and its kernel module are of different versions",
               .evidence = jw_fmt(f, "the library %s is %s, the kernel module %s",
                                  d->library ? d->library : "", d->version, m->host.driver),
               .consequence = d->init_result
                                  ? "no program can use the GPU"
                                  : "what is warmed now is for one of two drivers; nvidia-smi may refuse to "
                                    "start (Driver/library version mismatch)",
               .fix = doctor_reboot_fix(m), .command = doctor_reboot(m, f));
}

static void stub_path(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    static const char name[] = "LD_LIBRARY_PATH";
    const char *at = doctor_variable(m, name);

    while (!m->windows && at && *at) {
        size_t n = strcspn(at, ":");
        const char *folder = jw_fmt(f, "%.*s", (int)(n < 1024 ? n : 1024), at);

        if (strcmp(jw_path_base(folder), "stubs") == 0 || jw_text_ends(folder, "/stubs/")) {
            JW_FINDING(
                f, .id = "driver-stub-path", .severity = JW_WARNING, .subject = name,
                .text = "the CUDA toolkit's folder of stubs is on the library path",
                .evidence = jw_fmt(f, "%s holds %s", name, folder),
                .consequence =
                    "programs may load the stub instead of the driver, and then find no GPU (error 34)",
                .fix = "the stub is for linking only; remove it where it is set. For this shell:",
                .command = doctor_without_folder(m, "stubs", f));
            return;
        }
        at += n + (at[n] == ':');
    }
}

/* ---- driver and CUDA ---- */

static const char *needs_driver(const struct jw_toolkit *t, struct jw_findings *f)
{
    struct jw_driver_version first;
    struct jw_err ignored = { 0 };

    if (!jw_driver_parse(jw_fmt(f, "CUDA %u.%u", t->major, t->minor), &first, &ignored))
        return NULL;
    return jw_fmt(f, "%u", first.branch);
}

static void cuda(const struct jw_doctor_machine *m, const struct jw_toolkit *t, struct jw_findings *f)
{
    unsigned have = m->probe.driver.cuda_version, wants = t->major * 1000 + t->minor * 10;
    bool later = t->major > have / 1000;
    const char *needs;

    if (!have || wants <= have)
        return;
    needs = needs_driver(t, f);
    JW_FINDING(
        f, .id = "driver-old-for-cuda", .severity = later ? JW_WARNING : JW_NOTE, .subject = t->where,
        .text = jw_fmt(f, "the driver is older than CUDA %u.%u, %s", t->major, t->minor,
                       t->image ? "which this container's image was made with" : "which is installed here"),
        .evidence = jw_fmt(f, "%s: CUDA %u.%u; the driver%s%s serves CUDA up to %u.%u", t->where, t->major,
                           t->minor, jw_doctor_version(m) ? " " : "",
                           jw_doctor_version(m) ? jw_doctor_version(m) : "", have / 1000, have % 1000 / 10),
        .consequence = later ? "programs built with it report that the driver is too old (error 35)"
                             : "programs built with it run only if they have machine code for this GPU; what "
                               "the driver must compile fails (error 222, \"unsupported toolchain\")",
        .fix = needs ? jw_fmt(f, "update the driver to %s or newer, or use an older CUDA", needs)
                     : "update the driver, or use an older CUDA",
        .command = doctor_newer_driver(m));
}

/* ---- where we are ---- */

static void surroundings(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    if (m->probe.driver.wsl)
        JW_FINDING(f, .id = "driver-wsl", .severity = JW_NOTE,
                   .text = "this is Linux inside Windows (WSL): the driver is that of Windows",
                   .evidence = m->probe.driver.library,
                   .consequence = "after each driver update in Windows, programs here compile again",
                   .fix = "update the driver in Windows, and do not install one here");
}

void jw_doctor_versions(const struct jw_doctor_machine *m, struct jw_findings *f)
{
    struct kind kinds[MAX_KINDS];
    size_t n = find_kinds(m, kinds);

    gpu_and_driver(m, kinds, n, f);
    unlike(kinds, n, f);
    exclusive(m, f);
    compat_used(m, f);
    mismatch(m, f);
    stub_path(m, f);
    for (size_t i = 0; i < m->n_toolkits; i++)
        cuda(m, &m->toolkits[i], f);
    surroundings(m, f);
}
