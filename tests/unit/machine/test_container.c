/* Who runs a container, and what it is called outside of it. */
#include "check.h"
#include "machine/container.h"
#include "rigs/scratch.h"

#define ID "4f1c9b0a7d3e5f60123456789abcdef0123456789abcdef0123456789abcdef0"

/* Lines of real containers. */
static const char docker[] =
    "612 520 0:53 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB\n"
    "619 612 8:1 /var/lib/docker/containers/" ID "/hostname /etc/hostname rw,relatime - ext4 /dev/sda1 rw\n";
static const char podman[] = "700 699 0:60 / / rw - overlay overlay rw\n"
                             "705 700 0:24 /containers/overlay-containers/" ID
                             "/userdata/hostname /etc/hostname rw - tmpfs tmpfs rw\n";
static const char pod[] = "900 800 8:1 /var/lib/kubelet/pods/1b2c-3d/containers/web/0a1b2c3d "
                          "/dev/termination-log rw - ext4 /dev/sda1 rw\n";

TEST_ARENA(its_name_is_in_what_is_mounted)
{
    CHECK_TEXT(jw_container_id(docker, a), ID);
    CHECK_TEXT(jw_container_id(podman, a), ID);
    CHECK(jw_container_id(pod, a) == NULL);
    CHECK(jw_container_id("", a) == NULL);
    CHECK(jw_container_id("1 2 8:1 /containers/4f1c9b /etc/hostname rw - ext4 x rw\n", a) == NULL);
    CHECK_TEXT(jw_container_name(pod, a), "web");
    CHECK(jw_container_name(docker, a) == NULL);
    CHECK(jw_container_name("1 2 8:1 /pods/u/containers/$(id)/0 /dev/termination-log rw - ext4 x rw\n", a)
          == NULL); /* no name of Kubernetes */
}

TEST_ARENA(a_pods_name_says_what_keeps_it_running)
{
    CHECK_TEXT(jw_container_workload("app-5d4f8c7b9d-x2k4p", a), "deployment/app");
    CHECK_TEXT(jw_container_workload("my-app-5d4f8c7b9d-x2k4p", a), "deployment/my-app");
    CHECK_TEXT(jw_container_workload("db-0", a), "statefulset/db");
    CHECK(jw_container_workload("job-x2k4p", a) == NULL);
    CHECK(jw_container_workload("train-model-large", a) == NULL);
    CHECK(jw_container_workload("pod", a) == NULL);
    CHECK(jw_container_workload("-1", a) == NULL);
    CHECK(jw_container_workload("", a) == NULL);
}

static struct jw_container look(const char *cache, const char *host, struct jw_arena *a)
{
    struct jw_container c;

    jw_container_look(scratch(cache), host, a, &c);
    return c;
}

TEST_ARENA(each_engine_is_known_by_its_files)
{
    struct jw_container c;

    CHECK_NUM(look("none", "abcdef012345", a).engine, JW_CONTAINER_UNKNOWN);
    scratch_put("docker/.dockerenv", "");
    CHECK_TEXT(look("docker", "abcdef012345", a).id, "abcdef012345"); /* its usual name */
    CHECK(look("docker", "trainer", a).id == NULL);
    scratch_put("docker/proc/self/mountinfo", docker);
    c = look("docker", "trainer", a);
    CHECK_NUM(c.engine, JW_CONTAINER_DOCKER);
    CHECK_TEXT(c.id, "4f1c9b0a7d3e");
    scratch_put("podman/run/.containerenv", "");
    scratch_put("podman/proc/self/mountinfo", podman);
    c = look("podman", "trainer", a);
    CHECK_NUM(c.engine, JW_CONTAINER_PODMAN);
    CHECK_TEXT(c.id, "4f1c9b0a7d3e");
    scratch_put("kube/var/run/secrets/kubernetes.io/serviceaccount/namespace", "ml");
    scratch_put("kube/proc/self/mountinfo", pod);
    c = look("kube", "app-5d4f8c7b9d-x2k4p", a);
    CHECK_NUM(c.engine, JW_CONTAINER_KUBERNETES);
    CHECK_TEXT(c.space, "ml");
    CHECK_TEXT(c.name, "web");
    CHECK_TEXT(c.pod, "app-5d4f8c7b9d-x2k4p");
    CHECK_TEXT(c.workload, "deployment/app");
    c = look("kube", "NODE_1", a); /* the node's own name, and none of a pod */
    CHECK(c.pod == NULL && c.workload == NULL);
    scratch_put("image/.singularity.d/runscript", "");
    CHECK_NUM(look("image", "h", a).engine, JW_CONTAINER_APPTAINER);
    scratch_put("editor/.flatpak-info", "");
    CHECK_TEXT(look("editor", "h", a).outside, "flatpak-spawn --host");
    scratch_put("box/run/.containerenv", "");
    scratch_put("box/usr/bin/distrobox-host-exec", "");
    CHECK_TEXT(look("box", "h", a).outside, "distrobox-host-exec");
}
