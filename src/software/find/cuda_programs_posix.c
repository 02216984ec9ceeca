#include "software/find/cuda_programs.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "machine/listing.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <errno.h>
#include <string.h>

struct looker {
    const char *proc;
    struct jw_arena *a;
    struct jw_cuda_programs *out;
    struct jw_buf text;
    struct jw_err *err;
};

/* Reads a file of a process. It is "" when the process has ended, or access is denied (`*refused`). */
static void read_of(struct looker *l, const char *pid, const char *name, bool *refused)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_err why = { 0 };
    bool found = false, ok;

    jw_buf_clear(&l->text);
    jw_buf_printf(&path, "%s/%s/%s", l->proc, pid, name);
    ok = jw_file_slurp(jw_buf_cstr(&path), &l->text, &found, &why);
    jw_buf_free(&path);
    *refused = !ok && (why.os == EACCES || why.os == EPERM);
    if (ok && found)
        return;
    jw_buf_clear(&l->text);
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

static bool take_environment(struct looker *l, const char *pid, struct jw_cuda_program *p)
{
    bool refused;
    size_t size;
    const char *text;

    read_of(l, pid, "environ", &refused);
    size = l->text.n;
    text = jw_buf_cstr(&l->text);
    for (size_t at = 0; at < size; at += strlen(text + at) + 1)
        if (!take_variable(l, p, text + at))
            return false;
    return true;
}

static bool keep_program(struct looker *l, const char *pid, const char *library)
{
    struct jw_cuda_program one = { .library = library, .name = "a program" }, *slot;
    uint64_t number = 0;
    bool refused;
    size_t n;

    if (jw_text_u64(pid, &number))
        one.pid = (unsigned long)number;
    read_of(l, pid, "comm", &refused);
    n = strcspn(jw_buf_cstr(&l->text), "\n");
    if (n)
        one.name = jw_arena_text(l->a, jw_buf_cstr(&l->text), n);
    if (jw_text_starts(one.name, "jitwarm"))
        return true;
    read_of(l, pid, "cgroup", &refused);
    one.unit = jw_cgroup_service(jw_buf_cstr(&l->text), l->a);
    if (!take_environment(l, pid, &one))
        return false;
    slot = jw_list_add(l->a, &l->out->v, &l->out->n, sizeof *slot, JW_MAX_LISTED, l->err);
    if (slot)
        *slot = one;
    return slot != NULL;
}

static bool look_at(struct looker *l, const char *pid)
{
    const char *library;
    uint64_t number;
    bool refused = false;

    if (!jw_text_u64(pid, &number) || number == jw_process_id())
        return true;
    read_of(l, pid, "maps", &refused);
    l->out->hidden += refused;
    library = jw_maps_driver(jw_buf_cstr(&l->text), l->a);
    return !library || keep_program(l, pid, library);
}

bool jw_cuda_programs(const char *proc, struct jw_arena *a, struct jw_cuda_programs *out, struct jw_err *err)
{
    struct jw_listing names = { 0 };
    struct jw_notes notes = { 0 };
    struct looker l = { .proc = proc, .a = a, .out = out, .err = err, .text = JW_BUF(JW_MAX_TEXT_FILE) };
    bool ok;

    *out = (struct jw_cuda_programs){ 0 };
    ok = jw_listing_read(proc, "[0-9]*", a, &names, &notes, err);
    for (size_t i = 0; ok && i < names.n; i++)
        ok = look_at(&l, names.names[i]);
    out->known = names.n > 0;
    if (ok && !out->known)
        out->why = "the system does not list running programs here";
    jw_buf_free(&l.text);
    return ok;
}
