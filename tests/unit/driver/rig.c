#include "rig.h"

#include "base/digest.h"
#include "driver/worker/child.h"
#include "gen/samples.h"
#include "os/files/file.h"

#include <unistd.h>

int rig_worker(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], JW_WORKER_VERB) != 0)
        return -1;
    return jw_worker_serve(&(struct jw_worker_child){argv[2], argv[3], false}, JW_IGNORED) ? 0 : 1;
}

int rig_lowest_free(void)
{
    int fd = dup(0);

    (void)close(fd);
    return fd;
}

static bool start(const char *script, const struct jw_worker_options *o, struct jw_worker **w,
                  struct jw_err *err)
{
    struct jw_worker_options with = *o;

    if (!with.driver)
        with.driver = built_path(FAKE_DRIVER);
    set_variable("FAKE_DRIVER", script);
    return jw_worker_start(w, &with, err);
}

struct jw_worker *rig_start_with(const char *script, const struct jw_worker_options *o)
{
    struct jw_worker *w = NULL;
    struct jw_err err = {0};

    CHECK_OK(start(script, o, &w, &err), err);
    CHECK(w != NULL);
    return w;
}

struct jw_worker *rig_start(const char *script)
{
    return rig_start_with(script, &(struct jw_worker_options){.timeout_ms = 60000});
}

const char *rig_start_fails(const char *script, const struct jw_worker_options *o)
{
    static struct jw_err err;
    struct jw_worker *w = NULL;

    err = (struct jw_err){0};
    CHECK(!start(script, o, &w, &err));
    CHECK(w == NULL);
    return err.msg;
}

/* Jobs borrow their path: it is good for the next fifteen. */
static struct jw_place job_of(const char *name, struct jw_buf *bytes, size_t before)
{
    struct jw_place job = {.at = before, .size = bytes->n};
    FREED(jw_buf) file = GEN_BUF;

    jw_digest(job.digest, bytes->p, bytes->n);
    job.disk = scratch(name);
    jw_buf_fill(&file, 'x', before);
    jw_buf_add(&file, bytes->p, bytes->n);
    CHECK(jw_file_put(job.disk, JW_OUT_REPLACE, jw_buf_bytes(&file), JW_IGNORED));
    jw_buf_free(bytes);
    return job;
}

struct jw_place rig_fatbin(const char *name, const char *words, size_t before)
{
    struct jw_buf bytes = GEN_BUF;

    gen_fat(&bytes, words);
    return job_of(name, &bytes, before);
}

struct jw_place rig_bytes(const char *name, struct jw_bytes from)
{
    struct jw_buf bytes = GEN_BUF;

    jw_buf_add(&bytes, from.p, from.n);
    return job_of(name, &bytes, 0);
}

struct jw_place rig_text(const char *name, const char *text)
{
    struct jw_place job = rig_bytes(name, (struct jw_bytes){(const uint8_t *)text, strlen(text)});

    job.text = true;
    return job;
}

struct jw_worker_result rig_load(struct jw_worker *w, const struct jw_place *job)
{
    struct jw_worker_result r = {0};
    struct jw_err err = {0};

    CHECK_OK(jw_worker_load(w, job, &(struct jw_load){0}, &r, &err), err);
    return r;
}
