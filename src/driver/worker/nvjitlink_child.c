#include "driver/worker/nvjitlink_child.h"

#include "base/limits.h"
#include "base/text.h"
#include "driver/api/nvjitlink.h"
#include "os/files/append.h"
#include "os/files/file.h"

enum { MOST_WHY = 1 << 20 };

static bool report_version(const struct jw_jitlink *j, struct jw_buf *said, struct jw_err *err)
{
    jw_buf_text(said, JW_NVJITLINK_MARK "version ");
    if (!jw_jitlink_version(j, said, err))
        return false;
    jw_buf_printf(said, " %u %u %d\n", j->major, j->minor, j->simulated);
    return jw_buf_ok(said, err);
}

static bool put_file(const char *path, struct jw_bytes bytes, struct jw_err *err)
{
    struct jw_append out = JW_APPEND_CLOSED;
    bool ok = jw_append_open(&out, path, err) && jw_append_cut(&out, 0, err)
              && jw_append_write(&out, bytes.p, bytes.n, err);

    jw_append_close(&out);
    return ok || jw_wrap(err, "%s", path);
}

static bool slurp(const char *path, struct jw_buf *ptx, struct jw_err *err)
{
    bool found = false;

    if (!jw_file_slurp(path, ptx, &found, err) || (!found && !jw_fail(err, JW_E_IO, "no such file")))
        return jw_wrap(err, "%s", path);
    jw_buf_fill(ptx, 0, 1);
    return jw_buf_ok(ptx, err);
}

static bool compile(const struct jw_jitlink *j, const struct jw_nvjitlink_child *o, struct jw_buf *said,
                    struct jw_err *err)
{
    struct jw_buf ptx = JW_BUF(JW_MAX_PLAIN + 1), cubin = JW_BUF((size_t)JW_MAX_CACHE_PAYLOAD),
                  why = JW_BUF(MOST_WHY);
    bool ok = slurp(o->in, &ptx, err)
              && jw_jitlink_compile(j, (struct jw_bytes){ ptx.p, ptx.n - 1 }, o->options, o->n_options,
                                    &cubin, &why, err)
              && (why.n || !cubin.n || put_file(o->out, jw_buf_bytes(&cubin), err));

    if (ok && why.n) {
        jw_buf_text(said, JW_NVJITLINK_MARK "refused ");
        jw_text_clean(said, jw_buf_cstr(&why));
        jw_buf_text(said, "\n");
    } else if (ok)
        jw_buf_text(said, JW_NVJITLINK_MARK "made\n");
    jw_buf_free(&ptx);
    jw_buf_free(&cubin);
    jw_buf_free(&why);
    return ok && jw_buf_ok(said, err);
}

bool jw_nvjitlink_serve(const struct jw_nvjitlink_child *o, struct jw_buf *said, struct jw_err *err)
{
    struct jw_jitlink j;

    /* It stays loaded: it may have threads, and this process is about to end. */
    return jw_jitlink_open(&j, o->library, err)
           && (o->in ? compile(&j, o, said, err) : report_version(&j, said, err));
}
