#include "driver/worker/child.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/api/driver.h"
#include "driver/worker/proto.h"
#include "facts/libraries.h"
#include "formats/fatbin.h"
#include "formats/ptx.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "os/process/process.h"

#include <stdio.h>
#include <string.h>

struct child {
    struct jw_parent parent;
    struct jw_driver driver;
    struct jw_context context;
    unsigned gpu_index;  /* the device on which `context` is open, if it is */
    struct jw_file file; /* that of the last module, as the next one is often in it, too */
    char *file_path;     /* NULL: none is open */
    struct jw_buf out, in;
};

static bool send_msg(struct child *c, const struct jw_msg *m, struct jw_err *err)
{
    jw_buf_clear(&c->out);
    jw_proto_put(&c->out, m);
    return jw_buf_ok(&c->out, err) && jw_parent_write(&c->parent, c->out.p, c->out.n, err);
}

static bool is_compiler(const char *path)
{
    return jw_text_starts(jw_path_base(path), JW_DRIVER_COMPILER);
}

static bool has_compiler(const struct child *c)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    bool has = jw_lib_path(&c->driver.lib, is_compiler, &path, JW_IGNORED)
               && is_compiler(jw_buf_cstr(&path));

    jw_buf_free(&path);
    return has;
}

static bool send_driver(struct child *c, int32_t result, const char *name, unsigned cuda,
                        struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_msg m = {.kind = JW_MSG_DRIVER};

    if (c->driver.lib.handle && !jw_driver_file(&c->driver, &path, JW_IGNORED))
        jw_buf_clear(&path);
    m.as.driver.result = result;
    m.as.driver.name = name;
    m.as.driver.path = jw_buf_cstr(&path);
    m.as.driver.cuda_version = cuda;
    m.as.driver.preloads = c->driver.lib.handle && has_compiler(c);
    bool ok = send_msg(c, &m, err);
    jw_buf_free(&path);
    return ok;
}

static bool send_device(struct child *c, unsigned index, const char *only, struct jw_err *err)
{
    struct jw_msg m = {.kind = JW_MSG_DEVICE};
    struct jw_device *d = &m.as.device;
    unsigned result = jw_device_read(&c->driver.api, index, d);

    /* A GPU that cannot be read gets the error as its name. */
    if (result)
        (void)snprintf(d->name, sizeof d->name, "%s", jw_cu_name(&c->driver.api, result).text);
    return (only && !jw_text_equal_nocase(d->uuid, only)) || send_msg(c, &m, err);
}

static bool report_devices(struct child *c, const char *only, struct jw_err *err)
{
    unsigned n = 0;
    unsigned result = c->driver.api.init(0);

    if (!send_driver(c, (int32_t)result, jw_cu_name(&c->driver.api, result).text,
                     jw_driver_cuda_version(&c->driver), err))
        return false;
    if (result || jw_device_count(&c->driver.api, &n) != JW_CU_OK)
        return true;
    for (unsigned i = 0; i < n; i++)
        if (!send_device(c, i, only, err))
            return false;
    return true;
}

static bool send_facts(struct child *c, const struct jw_worker_child *o, struct jw_err *err)
{
    const char *path = strcmp(o->driver, JW_WORKER_NONE) == 0 ? NULL : o->driver;
    const char *only = strcmp(o->device, JW_WORKER_NONE) == 0 ? NULL : o->device;
    struct jw_msg hello = {.kind = JW_MSG_HELLO};
    struct jw_msg ready = {.kind = JW_MSG_READY};
    struct jw_err why = {0};

    hello.as.hello.protocol = JW_PROTO_VERSION;
    if (!send_msg(c, &hello, err))
        return false;
    if (!jw_driver_open(&c->driver, path, &why))
        return send_driver(c, -1, why.msg, 0, err) && send_msg(c, &ready, err);
    return send_driver(c, 0, "", 0, err) && report_devices(c, only, err)
           && send_msg(c, &ready, err);
}

static bool open_file(struct child *c, const char *path, struct jw_err *err)
{
    if (jw_text_same(c->file_path, path))
        return true;
    jw_file_close(&c->file);
    jw_free(c->file_path);
    bool ok = jw_file_open(&c->file, path, err);

    c->file_path = ok ? jw_strdup(path) : NULL;
    return ok;
}

/* What a file lacks that ends early stays 0 in the room, and the digest tells. */
static bool read_range(struct child *c, const struct jw_place *module, struct jw_image_room *room,
                       struct jw_err *err)
{
    uint8_t digest[JW_DIGEST];
    size_t got;

    if (!module->size)
        return jw_fail(err, JW_E_LIMIT, "a module of 0 bytes");
    if (!open_file(c, module->disk, err) || !jw_image_room_new(room, (size_t)module->size, err)
        || !jw_file_read(&c->file, module->at, room->p, room->n, &got, err))
        return false;
    jw_digest(digest, room->p, room->n);
    return memcmp(digest, module->digest, sizeof digest) == 0
           || jw_fail(err, JW_E_FORMAT, "the file has changed since it was scanned");
}

/* The driver reads to the first NUL, whatever follows it. driver-fact: F13-nuls */
static bool check_text(const struct jw_image_room *room, struct jw_err *err)
{
    const uint8_t *nul = memchr(room->p, 0, room->n);
    struct jw_bytes text = {room->p, nul ? (size_t)(nul - (const uint8_t *)room->p) : room->n};
    struct jw_ptx head;

    return jw_ptx_read(text, &head, err);
}

static bool check_container(const struct jw_image_room *room, struct jw_err *err)
{
    struct jw_arena a = {0};
    struct jw_bytes bytes = {room->p, room->n};
    struct jw_source src = jw_source_memory(&bytes);
    struct jw_fats fats = {.arena = &a};
    struct jw_window w = {.src = &src};
    bool ok = jw_fat_read(&fats, &w, 0, room->n, err);
    const char *doubt = NULL;

    if (ok && fats.list[0].size != room->n)
        ok = jw_fail(err, JW_E_FORMAT, "fatbin: not exactly one container");
    for (size_t i = 0; ok && !doubt && i < fats.n_entries; i++)
        doubt = jw_fat_why_unsafe(&fats.entries[i]);
    if (ok && doubt)
        ok = jw_fail(err, JW_E_FORMAT, "fatbin: %s", doubt);
    if (ok && fats.list[0].doubtful)
        ok = jw_fail(err, JW_E_FORMAT, "fatbin: it is damaged");
    jw_fats_free(&fats);
    jw_arena_free(&a);
    return ok;
}

static unsigned use_device(struct child *c, unsigned index)
{
    if (c->context.ctx && c->gpu_index == index)
        return JW_CU_OK;
    jw_context_close(&c->context);
    c->gpu_index = index;
    return jw_context_open(&c->context, &c->driver.api, index);
}

/* The module is read and validated before the driver gets it. */
static bool read_module(struct child *c, const struct jw_place *module, struct jw_image_room *room,
                        struct jw_err *err)
{
    bool ok = read_range(c, module, room, err)
              && (module->text ? check_text(room, err) : check_container(room, err));

    return ok || jw_wrap(err, "%s", module->disk);
}

/* Tells that the module failed. `why`: the worker refused it; NULL: the driver did. */
static bool send_fail(struct child *c, unsigned result, uint32_t ms, const struct jw_err *why,
                      const struct jw_load_log *log, struct jw_err *err)
{
    struct jw_msg m = {.kind = JW_MSG_FAIL};
    struct jw_cu_name name = jw_cu_name(&c->driver.api, result);
    struct jw_buf text = JW_BUF(2 * JW_MAX_LOG);

    if (log)
        jw_buf_printf(&text, "%s%s%s", log->error, *log->error && *log->info ? "\n" : "",
                      log->info);
    m.as.fail.result = result;
    m.as.fail.code = (uint32_t)(why ? why->code : JW_E_DRIVER);
    m.as.fail.milliseconds = ms;
    m.as.fail.text = why ? why->msg : name.text;
    m.as.fail.log = jw_buf_cstr(&text);
    bool ok = send_msg(c, &m, err);
    jw_buf_free(&text);
    return ok;
}

static bool send_started(struct child *c, struct jw_err *err)
{
    struct jw_msg m = {.kind = JW_MSG_STARTED};

    jw_context_memory(&c->context, &m.as.started.gpu_free, &m.as.started.gpu_total);
    return send_msg(c, &m, err);
}

/* An input of a link is called by its place in the file. */
static bool load_module(struct child *c, const struct jw_msg *job, const struct jw_image_room *room,
                        struct jw_err *err)
{
    const struct jw_place *module = &job->as.job.module;
    struct jw_msg m = {.kind = JW_MSG_DONE};
    struct jw_load_log log = {0};
    struct jw_load_log *told = job->as.job.explain ? &log : NULL;
    char name[48];

    if (!send_started(c, err))
        return false;
    (void)snprintf(name, sizeof name, "input at 0x%llx", (unsigned long long)module->at);

    uint64_t before = jw_time_monotonic_ns();
    unsigned result = module->link ? jw_compile_input(&c->context, room, job->as.job.sm, name, &log)
                                   : jw_load_image(&c->context, room, job->as.job.sm, told);

    m.as.done.milliseconds =
        (uint32_t)jw_min((jw_time_monotonic_ns() - before) / 1000000, UINT32_MAX);
    return result ? send_fail(c, result, m.as.done.milliseconds, NULL, told, err)
                  : send_msg(c, &m, err);
}

static bool run_job(struct child *c, const struct jw_msg *job, struct jw_err *err)
{
    struct jw_image_room room = {0};
    struct jw_err why = {0};
    bool ok;

    if (!c->driver.api.init)
        (void)jw_fail(&why, JW_E_DRIVER, "there is no driver");
    if (why.code || !read_module(c, &job->as.job.module, &room, &why))
        ok = send_fail(c, 0, 0, &why, NULL, err);
    else {
        unsigned result = use_device(c, job->as.job.device);

        ok = result ? send_fail(c, result, 0, NULL, NULL, err) : load_module(c, job, &room, err);
    }
    jw_image_room_free(&room);
    return ok;
}

static bool serve(struct child *c, struct jw_err *err)
{
    struct jw_msg m;
    bool gone = false;

    for (;;) {
        if (!jw_message_receive(&c->parent, &c->in, &gone, err))
            return false;
        if (gone)
            return true;
        if (!jw_proto_get(jw_buf_bytes(&c->in), &m, err))
            return false;
        if (m.kind != JW_MSG_JOB)
            return jw_fail(err, JW_E_FORMAT, "worker: a message of kind %u is not for a worker",
                           (unsigned)m.kind);
        if (!run_job(c, &m, err))
            return false;
    }
}

bool jw_worker_serve(const struct jw_worker_child *o, struct jw_err *err)
{
    struct child c = {.file = JW_FILE_CLOSED,
                      .out = JW_BUF(JW_MESSAGE_PREFIX + JW_MAX_RECORD),
                      .in = JW_BUF(JW_MAX_RECORD)};

    if (o->priority)
        jw_priority_lower(o->priority);
    bool ok = jw_parent_open(&c.parent, err) && send_facts(&c, o, err) && serve(&c, err);

    jw_context_close(&c.context);
    jw_file_close(&c.file);
    jw_free(c.file_path);
    jw_buf_free(&c.out);
    jw_buf_free(&c.in);
    return ok; /* the driver stays loaded: it may have threads, and the process ends now */
}
