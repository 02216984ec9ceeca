/* Modules given to a driver by a worker, and those that never reach it. */
#include "rig.h"

#include "base/limits.h"
#include "os/files/file.h"
#include "os/machine/env.h"

static const char ptx[] =
    "//\n.version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k0()\n{\n\tret;\n}\n";

TEST(containers_and_texts_are_loaded)
{
    struct jw_worker *w = rig_start("");
    struct jw_place fat = rig_fatbin("a.so", "P50 E86:s P75:l", 4711),
                    text = rig_text("a.ptx", ptx);

    for (int i = 0; i < 20; i++) {
        struct jw_worker_result r = rig_load(w, i % 2 ? &fat : &text);

        CHECK(r.outcome == JW_JOB_LOADED && r.code == 0);
        CHECK_TEXT(r.name, "");
    }
    jw_worker_stop(w);
}

TEST(a_module_that_fails_is_a_result)
{
    struct jw_worker *w = rig_start("fail@1=222 fail@2=2 fail@3=9999");
    struct jw_place fat = rig_fatbin("b.so", "P50", 0);
    struct jw_worker_result r = rig_load(w, &fat);

    CHECK(r.outcome == JW_JOB_FAILED);
    CHECK_NUM(r.code, 222);
    CHECK_TEXT(r.name, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
    r = rig_load(w, &fat);
    CHECK(r.outcome == JW_JOB_FAILED && r.code == 2);
    r = rig_load(w, &fat);
    CHECK_TEXT(r.name, "CUresult 9999");
    CHECK(rig_load(w, &fat).outcome == JW_JOB_LOADED);
    jw_worker_stop(w);
    w = rig_start("unload=999"); /* nothing stays loaded */
    CHECK_NUM(rig_load(w, &fat).code, 999);
    jw_worker_stop(w);
}

static void used_up(struct jw_worker *w, const struct jw_place *job)
{
    struct jw_worker_result r;
    struct jw_err err = {0};

    CHECK_SAYS(jw_worker_load(w, job, &(struct jw_load){0}, &r, &err), err, "the worker has ended");
    CHECK(r.outcome != JW_JOB_LOADED);
    jw_worker_stop(w);
}

TEST(a_module_that_kills_is_a_result)
{
    struct jw_worker *w = rig_start("crash@2");
    struct jw_place fat = rig_fatbin("c.so", "P50", 0);
    struct jw_worker_result r;

    CHECK(rig_load(w, &fat).outcome == JW_JOB_LOADED);
    r = rig_load(w, &fat);
    CHECK(r.outcome == JW_JOB_CRASHED && r.code == 0);
    CHECK_TEXT(r.name,
               jw_os_is_windows() ? "exception 0xc0000005" : "signal 11 (Segmentation fault)");
    used_up(w, &fat);

    w = rig_start("exit@1");
    r = rig_load(w, &fat);
    CHECK(r.outcome == JW_JOB_CRASHED);
    CHECK_TEXT(r.name, "exit 3");
    used_up(w, &fat);
}

struct noted {
    unsigned times;
    uint64_t unused, total;
};

static void note(void *ctx, uint64_t gpu_free, uint64_t gpu_total)
{
    struct noted *n = ctx;

    *n = (struct noted){n->times + 1, gpu_free, gpu_total};
}

TEST(a_job_has_its_own_time_and_tells_of_memory)
{
    struct noted seen = {0};
    struct jw_worker *w = rig_start_with(
        "gpu=8 hang@2",
        &(struct jw_worker_options){.timeout_ms = 60000, .started = note, .ctx = &seen});
    struct jw_place fat = rig_fatbin("m.so", "P50", 0);
    struct jw_worker_result r = rig_load(w, &fat);

    CHECK(r.outcome == JW_JOB_LOADED && seen.times == 1);
    CHECK_NUM(seen.unused, (uint64_t)4 << 30);
    CHECK_NUM(seen.total, (uint64_t)8 << 30);
    CHECK(r.memory > 64 << 10 && jw_worker_memory(w) > 64 << 10);
    CHECK(jw_worker_load(w, &fat, &(struct jw_load){.timeout_ms = 1000}, &r, &err));
    CHECK(r.outcome == JW_JOB_TIMEOUT && r.milliseconds >= 900 && r.milliseconds < 30000);
    CHECK_TEXT(r.name, "timeout");
    CHECK_NUM(seen.times, 2);
    CHECK_NUM(jw_worker_memory(w), 0);
    used_up(w, &fat);
}

TEST(a_driver_can_be_asked_for_its_words)
{
    struct jw_worker *w = rig_start("fail@1=218 fail@2=218 longlog");
    struct jw_place fat = rig_fatbin("w.so", "P50", 0);
    struct jw_worker_result r = {0};

    CHECK(jw_worker_load(w, &fat, &(struct jw_load){.explain = true}, &r, &err) && r.code == 218);
    CHECK_HAS(r.log, "ptxas fatal : module 1\niii");
    CHECK(strlen(r.log) <= JW_MAX_LOG);
    CHECK(jw_worker_load(w, &fat, &(struct jw_load){.explain = true}, &r, &err) && r.code == 218);
    CHECK_HAS(r.log, "ptxas fatal : module 2");
    CHECK(jw_worker_load(w, &fat, &(struct jw_load){0}, &r, &err) && r.outcome == JW_JOB_LOADED);
    CHECK_TEXT(r.log, "");
    jw_worker_stop(w);
}

/* The sentence, and that the worker still works. */
static void refused(struct jw_worker *w, const struct jw_place *job, enum jw_code code,
                    const char *part)
{
    struct jw_worker_result r;
    struct jw_err err = {0};

    CHECK_REFUSED(jw_worker_load(w, job, &(struct jw_load){0}, &r, &err), err, part);
    CHECK_NUM(err.code, code);
    CHECK_NUM(r.outcome, JW_JOB_CHANGED);
}

TEST(what_is_not_what_it_was_never_reaches_the_driver)
{
    struct noted seen = {0};
    struct jw_worker *w =
        rig_start_with("", &(struct jw_worker_options){.started = note, .ctx = &seen});
    struct jw_place good = rig_fatbin("e.so", "P50", 100), job = good;
    struct jw_file huge = JW_FILE_CLOSED;

    job.digest[31] ^= 1;
    refused(w, &job, JW_E_FORMAT, "e.so: the file has changed since it was scanned");
    job = good;
    job.at += 8;
    refused(w, &job, JW_E_FORMAT, "e.so: the file has changed since it was scanned");
    job.at = UINT64_MAX;
    refused(w, &job, JW_E_FORMAT, "e.so: the file has changed since it was scanned");
    job = good;
    job.size = 0;
    refused(w, &job, JW_E_LIMIT, "a module of 0 bytes");
    job = (struct jw_place){.disk = scratch("huge"), .size = JW_MAX_IMAGE + 1};
    CHECK(jw_file_make(&huge, job.disk, &err) && jw_file_truncate(&huge, job.size, &err));
    jw_file_close(&huge);
    refused(w, &job, JW_E_LIMIT, "a module of more than ");
    job = good;
    job.disk = scratch("nowhere");
    refused(w, &job, JW_E_IO, "nowhere: no such file");
    CHECK_NUM(seen.times, 0);
    CHECK(rig_load(w, &good).outcome == JW_JOB_LOADED && seen.times == 1);
    jw_worker_stop(w);
    CHECK(jw_file_remove(scratch("huge"), &err));
}

/* That of the last module stays open, even without its name, until one of another file comes. */
TEST(modules_of_one_file_are_read_without_opening_it_again)
{
    struct jw_worker *w = rig_start("");
    struct jw_place gone = rig_fatbin("n.so", "P50", 100), other = rig_fatbin("o.so", "P50", 0);

    CHECK(rig_load(w, &gone).outcome == JW_JOB_LOADED);
    CHECK(jw_file_remove(gone.disk, &err));
    CHECK(rig_load(w, &gone).outcome == JW_JOB_LOADED);
    CHECK(rig_load(w, &other).outcome == JW_JOB_LOADED);
    refused(w, &gone, JW_E_IO, "n.so: no such file");
    refused(w, &gone, JW_E_IO, "n.so: no such file");
    CHECK(rig_load(w, &other).outcome == JW_JOB_LOADED);
    jw_worker_stop(w);
}

TEST(what_is_unsound_never_reaches_the_driver)
{
    struct noted seen = {0};
    struct jw_worker *w =
        rig_start_with("crash@1", &(struct jw_worker_options){.started = note, .ctx = &seen});
    struct jw_place job = rig_text("f.txt", "this is no PTX");
    FREED(jw_buf) bytes = JW_BUF(1 << 16);
    bool found = false;

    refused(w, &job, JW_E_FORMAT, "");
    job = rig_text("f.fatbin", "neither is this a container of code for any GPU");
    job.text = false;
    refused(w, &job, JW_E_FORMAT, "fatbin");
    /* Before its first NUL, where the driver stops, is no PTX. */
    job = rig_fatbin("g.fatbin", "P50", 0);
    job.text = true;
    refused(w, &job, JW_E_FORMAT, "ptx: .version is missing");
    /* Behind a container, and between its header and its first entry, there is nothing. */
    CHECK(jw_file_slurp(job.disk, &bytes, &found, &err) && found);
    jw_buf_fill(&bytes, 0, 8);
    job = rig_bytes("h.fatbin", jw_buf_bytes(&bytes));
    refused(w, &job, JW_E_FORMAT, "fatbin: not exactly one container");
    memmove(bytes.p + 24, bytes.p + 16, bytes.n - 24);
    bytes.p[6] = 24;
    job = rig_bytes("i.fatbin", jw_buf_bytes(&bytes));
    refused(w, &job, JW_E_FORMAT, "fatbin: it is damaged");
    CHECK_NUM(seen.times, 0);
    jw_worker_stop(w);
}

TEST(a_device_that_is_not_there_is_a_result)
{
    struct jw_worker_options o = {.device = &(struct jw_device){.index = 7}};
    struct jw_worker *w = rig_start_with("devices=1", &o);
    struct jw_place fat = rig_fatbin("h.so", "P50", 0);
    struct jw_worker_result r = rig_load(w, &fat);

    CHECK(r.outcome == JW_JOB_UNSTARTED && r.code == 101);
    jw_worker_stop(w);
    for (int code = 1; code <= 2;
         code++) { /* a GPU without memory for a context may have some later */
        w = rig_start(code == 2 ? "retain=2" : "retain=1");
        r = rig_load(w, &fat);
        CHECK(r.outcome == (code == 2 ? JW_JOB_FAILED : JW_JOB_UNSTARTED) && r.code == code);
        jw_worker_stop(w);
    }
}

PLAYS(rig_worker)
