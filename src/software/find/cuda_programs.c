#include "software/find/cuda_programs.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "facts/compilers.h"
#include "machine/listing.h"
#include "machine/procs.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <string.h>

struct looker {
    const char *proc;
    struct jw_arena *a;
    struct jw_cuda_programs *out;
    struct jw_err *err;
};

/* "7f00-7f01 r-xp 00000000 08:01 131 /usr/lib/libcuda.so.580.126.09": the path is the sixth field. */
const char *jw_maps_driver(const char *maps, struct jw_arena *a)
{
    for (const char *at = maps; *at;) {
        size_t n = strcspn(at, "\n");
        const char *path = memchr(at, '/', n);
        const char *text = path ? jw_arena_text(a, path, n - (size_t)(path - at)) : "";

        if (jw_is_libcuda(jw_path_base(text)))
            return text;
        at += n + (at[n] != '\0');
    }
    return NULL;
}

static bool take_variable(struct looker *l, struct jw_cuda_program *p, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    const char *name, *value;

    if (!n || (!jw_text_starts(text, "CUDA_") && !jw_text_starts(text, "HOME=")))
        return true;
    name = jw_arena_text(l->a, text, n);
    value = jw_arena_str(l->a, equals + 1);
    return jw_env_set_put(&p->sets, name, value, p->name, l->a, l->err);
}

static bool take_environment(struct looker *l, struct jw_cuda_program *p)
{
    struct jw_buf block;
    bool refused, ok = true;

    if (jw_proc_read(l->proc, p->pid, "environ", JW_MAX_TEXT_FILE, &block, &refused)) {
        const char *text = jw_buf_cstr(&block);

        for (size_t at = 0; ok && at < block.n; at += strlen(text + at) + 1)
            ok = take_variable(l, p, text + at);
    }
    jw_buf_free(&block);
    return ok;
}

static bool keep_program(struct looker *l, unsigned long pid)
{
    struct jw_cuda_program one = { .pid = pid }, *slot;

    one.name = jw_proc_name(l->proc, pid, l->a);
    if (!one.name)
        one.name = "a program";
    if (jw_text_starts(one.name, "jitwarm"))
        return true;
    one.unit = jw_proc_service(l->proc, pid, l->a);
    if (!take_environment(l, &one))
        return false;
    slot = jw_list_add(l->a, &l->out->v, &l->out->n, sizeof *slot, JW_MAX_LISTED, l->err);
    if (slot)
        *slot = one;
    return slot != NULL;
}

static bool look_at_program(struct looker *l, const char *name)
{
    const char *library = NULL;
    struct jw_buf maps;
    uint64_t pid;
    bool refused;

    if (!jw_text_u64(name, &pid) || pid == jw_process_id())
        return true;
    if (jw_proc_read(l->proc, (unsigned long)pid, "maps", JW_MAX_TEXT_FILE, &maps, &refused))
        library = jw_maps_driver(jw_buf_cstr(&maps), l->a);
    jw_buf_free(&maps);
    l->out->hidden += refused;
    return !library || keep_program(l, (unsigned long)pid);
}

bool jw_cuda_programs(const char *proc, struct jw_arena *a, struct jw_cuda_programs *out, struct jw_err *err)
{
    struct jw_listing names = { 0 };
    struct jw_notes notes = { 0 };
    struct looker l = { .proc = proc, .a = a, .out = out, .err = err };
    bool ok = true;

    *out = (struct jw_cuda_programs){ 0 };
    if (jw_os_is_windows()) { /* it has no documented way to read the environment of another process */
        out->why = "the settings of running programs: Windows does not show them";
        return true;
    }
    names = jw_listing_read(proc, "[0-9]*", a, &notes);
    for (size_t i = 0; ok && i < names.n; i++)
        ok = look_at_program(&l, names.names[i]);
    out->known = names.n > 0;
    if (ok && !out->known)
        out->why = "the system does not list running programs here";
    return ok;
}
