#include "doctor_rig.h"

#include "base/text.h"
#include "check.h"

#include <string.h>

#define ROOT "/home/anna/.nv/ComputeCache"

static void put(struct doctor_rig *r, struct jw_env_set *s, const char *name, const char *value,
                const char *origin)
{
    struct jw_err err = { 0 };

    CHECK(jw_env_set_put(s, name, value, origin, &r->arena, &err));
}

void doctor_rig_set(struct doctor_rig *r, const char *name, const char *value, const char *origin)
{
    put(r, &r->m.env, name, value, NULL);
    if (origin)
        put(r, &r->m.login.sets, name, value, origin);
}

void doctor_rig_root(struct doctor_rig *r, const char *cache, const char *value)
{
    r->cache.dir.folder = cache;
    r->cache.dir.folder_from =
        (struct jw_setting_value){ value, value ? "CUDA_CACHE_PATH" : "the driver's default" };
    r->m.place.path = r->m.place.nearest = cache;
    if (value)
        doctor_rig_set(r, "CUDA_CACHE_PATH", value, "/etc/environment");
}

void doctor_rig_limit(struct doctor_rig *r, const char *value)
{
    uint64_t n = 0;

    doctor_rig_set(r, "CUDA_CACHE_MAXSIZE", value, "/etc/environment");
    r->cache.dir.limit_from = (struct jw_setting_value){ value, "CUDA_CACHE_MAXSIZE" };
    r->cache.dir.limit = jw_text_u64(value, &n) && n <= r->cache.documented.max ? n : 0;
    r->cache.dir.limit_known = true;
}

void doctor_rig(struct doctor_rig *r)
{
    *r = (struct doctor_rig){ 0 };
    r->devices[0] = (struct jw_device){ .name = "NVIDIA GeForce RTX 3070", .sm = 86, .uuid = "GPU-1" };
    r->gpus[0] = (struct jw_gpu){ .sm = 86, .name = "NVIDIA GeForce RTX 3070" };
    r->m.host = (struct jw_host_gpus){ .gpus = r->gpus, .n = 1, .driver = "580.126.09" };
    r->m.probe = (struct jw_probe_report){ .driver = { .init_name = "CUDA_SUCCESS",
                                                       .cuda_version = 13000,
                                                       .library = "/usr/lib/libcuda.so.580.126.09",
                                                       .version = "580.126.09" },
                                           .devices = r->devices,
                                           .n_devices = 1,
                                           .state = { .level = JW_LEVEL_PLACEABLE } };
    r->m.home_there = true;
    r->m.who = (struct jw_whoami){
        .user = "anna", .host = "box", .home = "/home/anna", .uid = 1000, .gid = 1000, .distro = "ubuntu"
    };
    r->m.login.known = true;
    r->m.cache = &r->cache;
    r->m.primed = &r->primed;
    r->cache.documented = jw_cache_limits();
    r->cache.list.found = true;
    r->m.place = (struct jw_cache_place){ .exists = true,
                                          .folder = true,
                                          .nearest_folder = true,
                                          .may_write = true,
                                          .disk_known = true,
                                          .disk = { .free = 50000000000, .total = 100000000000 },
                                          .type = "ext4",
                                          .trust = { .exists = true } };
    doctor_rig_root(r, ROOT, NULL);
    doctor_rig_set(r, "HOME", "/home/anna", "the login");
}

void doctor_rig_free(struct doctor_rig *r)
{
    jw_arena_free(&r->arena);
}

/* The first word of a command: one that these systems have, or a verb of jitwarm. */
static void check_command(const char *command)
{
    static const char *const words[] = { "jitwarm doctor",
                                         "jitwarm prime",
                                         "jitwarm env apply",
                                         "jitwarm prune --",
                                         "jitwarm status",
                                         "set CUDA_",
                                         "export ",
                                         "unset ",
                                         "sudo ",
                                         "chmod ",
                                         "mkdir ",
                                         "mv ",
                                         "rm ",
                                         "du ",
                                         "setx ",
                                         "reg delete",
                                         "rmdir ",
                                         "move ",
                                         "sed ",
                                         "del ",
                                         "icacls ",
                                         "docker run ",
                                         "kubectl ",
                                         "jitwarm env --shell docker",
                                         "jitwarm verify",
                                         "jitwarm import ",
                                         "shutdown ",
                                         "nvidia-smi",
                                         "CUDA_DEVICE_ORDER=" };
    bool known = false;

    for (size_t i = 0; i < JW_COUNT(words); i++)
        known = known || jw_text_starts(command, words[i]);
    if (!known)
        check_failed(__FILE__, __LINE__, command);
    CHECK(strchr(command, '\n') == NULL);
}

static void check_sound(const struct jw_finding *f)
{
    if (!jw_finding_exists(f->id))
        check_failed(__FILE__, __LINE__, f->id);
    CHECK(f->text && *f->text && !jw_text_ends(f->text, "."));
    CHECK(!f->consequence || !jw_text_ends(f->consequence, "."));
    CHECK(!f->fix || !jw_text_ends(f->fix, "."));
    CHECK(f->severity == JW_NOTE || f->fix || f->command); /* a warning needs a way out */
    if (f->command)
        check_command(f->command);
}

struct jw_findings doctor_rig_check(struct doctor_rig *r)
{
    struct jw_findings f = JW_FINDINGS(&r->arena);

    jw_doctor_check(&r->m, &f);
    for (size_t i = 0; i < f.n; i++)
        check_sound(&f.v[i]);
    return f;
}

static void part(const char *got, const char *want)
{
    if (want && !*want)
        CHECK(got == NULL);
    else if (want)
        CHECK_HAS(got ? got : "(none)", want);
}

static void compare(const struct jw_finding *f, struct wanted w)
{
    CHECK_TEXT(f->id, w.id);
    CHECK_NUM(f->severity, w.severity);
    part(f->subject, w.subject);
    part(f->evidence, w.evidence);
    part(f->text, w.text);
    part(f->consequence, w.consequence);
    part(f->fix, w.fix);
    part(f->command, w.command);
}

void doctor_rig_has(struct doctor_rig *r, struct wanted w)
{
    struct jw_findings all = doctor_rig_check(r);
    const struct jw_finding *f = jw_finding_of(&all, w.id);

    if (f)
        compare(f, w);
    else
        check_failed(__FILE__, __LINE__, w.id);
}

void doctor_rig_one(struct doctor_rig *r, struct wanted w)
{
    struct jw_findings all = doctor_rig_check(r);

    CHECK_NUM(all.n, 1);
    for (size_t i = 1; i < all.n; i++)
        check_failed(__FILE__, __LINE__, all.v[i].id);
    if (all.n)
        compare(&all.v[0], w);
}

void doctor_rig_none(struct doctor_rig *r, const char *id)
{
    struct jw_findings all = doctor_rig_check(r);

    if (jw_finding_of(&all, id))
        check_failed(__FILE__, __LINE__, id);
}
