#include "machine/container.h"

#include "base/buf.h"
#include "base/limits.h"
#include "os/files/file.h"
#include "os/machine/env.h"

#include <string.h>

/* ---- what is mounted ---- */

static size_t word_behind(const char *at, const char *before, const char **word)
{
    *word = at + strlen(before);
    return strcspn(*word, "/ \n");
}

/* "... /var/lib/docker/containers/ID/hostname /etc/hostname ...", "... /x/overlay-containers/ID/userdata/hostname ..." */
const char *jw_container_id(const char *mountinfo, struct jw_arena *a)
{
    static const char before[] = "containers/";
    const char *word;

    for (const char *at = mountinfo; (at = strstr(at, before)); at++)
        if (word_behind(at, before, &word) == 64 && strspn(word, "0123456789abcdef") == 64)
            return jw_arena_text(a, word, 64);
    return NULL;
}

/* Kubernetes accepts such names. */
static bool is_label(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == strlen(name);
}

/* "... /var/lib/kubelet/pods/UID/containers/NAME/HASH /dev/termination-log ..." */
const char *jw_container_name(const char *mountinfo, struct jw_arena *a)
{
    static const char before[] = "/containers/";
    const char *word;

    for (const char *at = mountinfo; (at = strstr(at, "/pods/")); at++) {
        const char *then = strstr(at, before), *name;

        if (!then || then > at + strcspn(at, " \n"))
            continue;
        name = jw_arena_text(a, then + strlen(before), word_behind(then, before, &word));
        if (is_label(name))
            return name;
    }
    return NULL;
}

/* ---- Kubernetes ---- */

/* Kubernetes makes names of these, without vowels and digits that look like one. */
static bool is_made_up(const char *word, size_t n, size_t least, size_t most)
{
    return n >= least && n <= most && strspn(word, "bcdfghjklmnpqrstvwxz2456789") >= n;
}

const char *jw_container_workload(const char *pod, struct jw_arena *a)
{
    const char *last = strrchr(pod, '-'), *before = NULL;

    if (!last || last == pod || !last[1])
        return NULL;
    if (strspn(last + 1, "0123456789") == strlen(last + 1))
        return jw_arena_printf(a, "statefulset/%.*s", (int)(last - pod), pod);
    for (const char *at = pod + 1; at < last; at++)
        if (*at == '-')
            before = at;
    if (!before || !is_made_up(last + 1, strlen(last + 1), 5, 5)
        || !is_made_up(before + 1, (size_t)(last - before) - 1, 6, 10))
        return NULL;
    return jw_arena_printf(a, "deployment/%.*s", (int)(before - pod), pod);
}

/* ---- all ---- */

static bool there(const char *sysroot, const char *path, struct jw_arena *a)
{
    struct jw_file_info info;
    struct jw_err ignored;

    return jw_file_stat(jw_arena_printf(a, "%s%s", sysroot, path), &info, &ignored)
           && info.kind != JW_FILE_NONE;
}

static const char *text_of(const char *sysroot, const char *path, struct jw_arena *a)
{
    struct jw_buf text = JW_BUF(JW_MAX_TEXT_FILE);
    struct jw_err ignored;
    bool found = false;
    const char *kept =
        jw_file_slurp(jw_arena_printf(a, "%s%s", sysroot, path), &text, &found, &ignored) && found
            ? jw_arena_str(a, jw_buf_cstr(&text))
            : "";

    jw_buf_free(&text);
    return kept;
}

static void kubernetes(const char *sysroot, const char *host, const char *mounts, struct jw_arena *a,
                       struct jw_container *out)
{
    const char *space = text_of(sysroot, "/var/run/secrets/kubernetes.io/serviceaccount/namespace", a);
    const char *written = text_of(sysroot, "/etc/hostname", a);

    written = jw_arena_text(a, written, strcspn(written, "\n"));
    host = *written ? written : host;
    out->engine = JW_CONTAINER_KUBERNETES;
    out->name = jw_container_name(mounts, a);
    out->pod = host && is_label(host) ? host : NULL;
    out->workload = out->pod ? jw_container_workload(out->pod, a) : NULL;
    space = jw_arena_text(a, space, strcspn(space, "\n"));
    if (is_label(space))
        out->space = space;
}

static bool on_a_desktop(const char *sysroot, struct jw_arena *a, struct jw_container *out)
{
    static const struct {
        const char *file, *outside;
    } kinds[] = { { "/.flatpak-info", "flatpak-spawn --host" },
                  { "/run/.toolboxenv", "flatpak-spawn --host" },
                  { "/usr/bin/distrobox-host-exec", "distrobox-host-exec" } };

    for (size_t i = 0; i < JW_COUNT(kinds); i++)
        if (there(sysroot, kinds[i].file, a)) {
            *out = (struct jw_container){ .engine = JW_CONTAINER_DESKTOP, .outside = kinds[i].outside };
            return true;
        }
    return false;
}

/* Docker gives a container the first 12 digits of its id as its name, and so does Podman. */
static bool is_short_id(const char *host)
{
    return host && strlen(host) == 12 && strspn(host, "0123456789abcdef") == 12;
}

void jw_container_look(const char *sysroot, const char *host, struct jw_arena *a, struct jw_container *out)
{
    static const char *const files[] = { "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER" };
    const char *mounts = text_of(sysroot, "/proc/self/mountinfo", a), *id = jw_container_id(mounts, a);
    bool podman = there(sysroot, "/run/.containerenv", a);

    *out = (struct jw_container){ .engine = JW_CONTAINER_UNKNOWN };
    if (on_a_desktop(sysroot, a, out))
        return;
    if (there(sysroot, "/var/run/secrets/kubernetes.io", a) || there(sysroot, "/dev/termination-log", a)) {
        kubernetes(sysroot, host, mounts, a, out);
        return;
    }
    if (there(sysroot, "/.singularity.d", a)) {
        out->engine = JW_CONTAINER_APPTAINER;
        for (size_t i = 0; i < JW_COUNT(files) && !out->image; i++) {
            out->image = jw_env(a, files[i]);
            out->outside = i ? "singularity" : "apptainer";
        }
        return;
    }
    if (podman || there(sysroot, "/.dockerenv", a)) {
        out->engine = podman ? JW_CONTAINER_PODMAN : JW_CONTAINER_DOCKER;
        out->id = id ? jw_arena_text(a, id, 12) : is_short_id(host) ? host : NULL;
    }
}
