#include "driver/worker/nvjitlink.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "driver/worker/child.h"
#include "os/machine/env.h"
#include "os/process/process.h"

#include <limits.h>
#include <string.h>

enum { ASK_MS = 60 * 1000, MOST_SAID = 2 << 20, MOST_WORDS = 80, OWN_WORDS = 6 };

/* Without the first one it stores into the driver's cache (driver-fact: F09-other-tenants). */
static const struct jw_child_edit edits[] = { { "CUDA_CACHE_DISABLE", "1" },
                                              { "LD_PRELOAD", NULL },
                                              { "LD_AUDIT", NULL } };

/* The line after the last mark; NULL: none. */
static char *answer_in(struct jw_buf *said)
{
    const char mark[] = JW_NVJITLINK_MARK;
    char *last = NULL;

    (void)jw_buf_cstr(said);
    for (char *at = said->bad || !said->n ? NULL : strstr((char *)said->p, mark); at;
         at = strstr(at + 1, mark))
        last = at + sizeof mark - 1;
    if (last)
        last[strcspn(last, "\r\n")] = '\0';
    return last;
}

struct asked {
    const char *library, *in, *out;
    const char *const *options;
    size_t n_options;
    unsigned timeout_ms;
    const atomic_bool *interrupted;
};

/* `*answer` points into `said`. */
static bool run(const struct asked *q, struct jw_buf *said, char **answer, struct jw_err *err)
{
    struct jw_buf self = JW_BUF(JW_MAX_PATH);
    const char *argv[MOST_WORDS] = { NULL, JW_NVJITLINK_VERB, "--", q->library, q->in, q->out };
    int code = -1;
    bool ok = q->n_options < MOST_WORDS - OWN_WORDS
              || jw_fail(err, JW_E_LIMIT, "more than %d options for nvJitLink", MOST_WORDS - OWN_WORDS);

    ok = ok && jw_process_self(&self, err);
    for (size_t i = 0; ok && q->in && i < q->n_options; i++)
        argv[OWN_WORDS + i] = q->options[i];
    argv[0] = jw_buf_cstr(&self);

    struct jw_process_options o = { .exe = argv[0],
                                    .argv = argv,
                                    .timeout_ms = q->timeout_ms,
                                    .edits = edits,
                                    .n_edits = jw_os_is_windows() ? 1 : JW_COUNT(edits),
                                    .interrupted = q->interrupted };

    ok = ok && jw_process_run(&o, said, &code, err);
    jw_buf_free(&self);
    if (!ok) {
        if (err->code != JW_E_INTERRUPTED)
            err->code = JW_E_DRIVER;
        return jw_wrap(err, "%s", q->in ? "nvJitLink" : "the process that loaded it");
    }
    *answer = answer_in(said);
    return *answer
           || jw_fail(err, JW_E_DRIVER, "%s exit code %d, and no output",
                      q->in ? "nvJitLink: its process ended with" : "the process that loaded it ended with",
                      code);
}

/* "version 13.0.88 13 0": the release and the API version */
static bool read_version(char *answer, char **version, struct jw_nvjitlink *out)
{
    enum { NUMBERS = 2 };
    uint64_t numbers[NUMBERS];

    if (!jw_text_starts(answer, "version "))
        return false;
    *version = answer + strlen("version ");
    for (size_t i = NUMBERS; i--;) {
        char *blank = strrchr(*version, ' ');

        if (!blank || !jw_text_u64(blank + 1, &numbers[i]) || numbers[i] > UINT_MAX)
            return false;
        *blank = '\0';
    }
    out->major = (unsigned)numbers[0];
    out->minor = (unsigned)numbers[1];
    return **version && strlen(*version) <= JW_MAX_PACK_WORD && !strchr(*version, ' ');
}

bool jw_nvjitlink_ask(const char *path, const atomic_bool *interrupted, struct jw_arena *a,
                      struct jw_nvjitlink *out, struct jw_err *err)
{
    struct asked q = { .library = path, .timeout_ms = ASK_MS, .interrupted = interrupted };
    struct jw_buf said = JW_BUF(MOST_SAID);
    char *answer, *version = NULL;

    *out = (struct jw_nvjitlink){ .path = path };
    bool ok = run(&q, &said, &answer, err);

    if (ok && jw_text_starts(answer, "refused "))
        ok = jw_fail(err, JW_E_DRIVER, "%s", answer + 8);
    else if (ok && !read_version(answer, &version, out))
        ok = jw_fail(err, JW_E_DRIVER, "nvJitLink: its process sent an invalid record");
    if (ok)
        out->version = jw_arena_str(a, version);
    jw_buf_free(&said);
    return ok
           || (!jw_text_starts(err->msg, path)
               && jw_wrap(err, "%s", path)); /* the loader's message names it */
}

bool jw_nvjitlink_compile(const struct jw_nvjitlink *by, const struct jw_nvjitlink_job *job,
                          struct jw_err *err)
{
    struct asked q = { by->path,       job->in,         job->out,        job->options,
                       job->n_options, job->timeout_ms, job->interrupted };
    struct jw_buf said = JW_BUF(MOST_SAID);
    char *answer;
    bool ok = run(&q, &said, &answer, err);

    if (ok && jw_text_starts(answer, "refused "))
        ok = jw_fail(err, JW_E_FORMAT, "nvJitLink %s refuses it: %.200s", by->version, answer + 8);
    else if (ok && strcmp(answer, "made") != 0)
        ok = jw_fail(err, JW_E_DRIVER, "nvJitLink: its process sent an invalid record");
    jw_buf_free(&said);
    return ok;
}
