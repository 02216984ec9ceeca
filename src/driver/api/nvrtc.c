#include "driver/api/nvrtc.h"

#include "base/path.h"
#include "base/text.h"
#include "os/machine/env.h"

#include <stdio.h>
#include <string.h>

static const struct jw_lib_entry wanted[] = {
#define F(need, type, field, name, parameters)                                                     \
    {#name, offsetof(struct rtc_api, field), JW_LIB_##need},
#include "driver/api/nvrtc_api.def"
#undef F
};

static bool read_rtc_version(struct jw_rtc *r, struct jw_err *err)
{
    int major = 0;
    int minor = 0;

    if (r->api.version(&major, &minor) != JW_RTC_OK || major < 7 || major > 999 || minor < 0
        || minor > 99)
        return jw_fail(err, JW_E_DRIVER, "it is no NVRTC: it has no version");
    r->major = (unsigned)major;
    r->minor = (unsigned)minor;
    return true;
}

static void read_archs(struct jw_rtc *r)
{
    int n = 0;
    int list[JW_MAX_RTC_ARCHS] = {0};

    if (!r->api.archs || !r->api.arch_count || r->api.arch_count(&n) != JW_RTC_OK || n < 0
        || (size_t)n > JW_COUNT(list) || r->api.archs(list) != JW_RTC_OK)
        return;
    for (int i = 0; i < n; i++)
        if (list[i] > 0 && list[i] < 10000)
            r->archs[r->n_archs++] = (uint16_t)list[i];
}

/* NVRTC loads its builtins by file name. Loading those of its own folder first keeps the search
 * path out of it. NVRTC reports a failure itself. */
static void open_builtins(const struct jw_rtc *r)
{
    struct jw_lib builtins;
    struct jw_arena a = {0};
    struct jw_buf path = JW_BUF_IN(&a, JW_MAX_PATH);
    char name[64];

    (void)snprintf(name, sizeof name,
                   jw_os_is_windows() ? "nvrtc-builtins64_%u%u.dll" : "libnvrtc-builtins.so.%u.%u",
                   r->major, r->minor);
    if (jw_lib_path(&r->lib, NULL, &path, JW_IGNORED)) {
        const char *folder = jw_path_dir(&a, jw_buf_cstr(&path));

        (void)!jw_lib_open(&builtins, jw_path_join(&a, folder, name), JW_IGNORED);
    }
    jw_arena_free(&a);
}

bool jw_rtc_open(struct jw_rtc *r, const char *name, struct jw_err *err)
{
    *r = (struct jw_rtc){0};
    if (!jw_lib_open(&r->lib, name, err))
        return false;

    const char *missing = jw_lib_bind(&r->lib, wanted, JW_COUNT(wanted), &r->api);

    if (missing)
        return jw_fail(err, JW_E_DRIVER, "it is no NVRTC: it has no %s", missing);
    if (!read_rtc_version(r, err))
        return false;
    read_archs(r);
    open_builtins(r);
    return true;
}

typedef unsigned (*size_fn)(struct _nvrtcProgram *, size_t *);
typedef unsigned (*text_fn)(struct _nvrtcProgram *, char *);

/* Appends a text of NVRTC, without its NUL, and gives NVRTC's result. */
static unsigned take_text(struct _nvrtcProgram *p, size_fn size, text_fn text, struct jw_buf *out)
{
    size_t start = out->n;
    size_t n = 0;
    unsigned result = size(p, &n);

    if (result || !n)
        return result;
    jw_buf_fill(out, 0, n);
    if (out->bad)
        return JW_RTC_OK;
    result = text(p, (char *)out->p + start);
    if (result)
        out->n = start;
    else if (!out->p[out->n - 1])
        out->n--;
    return result;
}

static void add_first_error(const struct jw_rtc *r, struct _nvrtcProgram *p, struct jw_buf *out)
{
    struct jw_buf log = JW_BUF(JW_MAX_PLAIN);
    char *at = take_text(p, r->api.log_size, r->api.log, &log) == JW_RTC_OK && !log.bad
                   ? strstr(jw_buf_cstr(&log), "error")
                   : NULL;

    if (at) {
        at[strcspn(at, "\r\n")] = '\0';
        while (at > (char *)log.p && at[-1] != '\n')
            at--;
        jw_buf_text(out, ": ");
        jw_text_clean(out, at);
    }
    jw_buf_free(&log);
}

bool jw_rtc_compile(const struct jw_rtc *r, const char *source, const char *name,
                    const char *const *options, size_t n_options, struct jw_buf *ptx,
                    struct jw_err *err)
{
    struct _nvrtcProgram *p = NULL;
    struct jw_buf words = JW_BUF(JW_MAX_PLAIN);
    unsigned result = r->api.create(&p, source, name, 0, NULL, NULL);

    if (!result) {
        result = r->api.compile(p, (int)n_options, options);
        if (result)
            add_first_error(r, p, &words);
        else
            result = take_text(p, r->api.ptx_size, r->api.ptx, ptx);
        (void)r->api.destroy(&p);
    }

    const char *text = r->api.error_text(result);

    if (!text || !*text)
        text = "an error without a name";
    if (result)
        jw_err_set(err, result == JW_RTC_REFUSED ? JW_E_FORMAT : JW_E_DRIVER, "%s%s", text,
                   jw_buf_cstr(&words));
    jw_buf_free(&words);
    return !result && (jw_buf_ok(ptx, err) || jw_wrap(err, "the PTX"));
}
