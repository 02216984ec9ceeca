#include "driver/api/nvjitlink.h"

#include "base/limits.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { OK = 0, UNRECOGNIZED_OPTION = 1, INPUT_PTX = 2 };
enum { FIRST_MAJOR = 12, LAST_MAJOR = 40, LAST_MINOR = 15, MOST_OPTIONS = 64, MOST_LOG = 1 << 20 };

static const struct {
    const char *name;
    size_t at;
} wanted[] = {
#define F(field, name, parameters) { #name, offsetof(struct jitlink_api, field) },
#include "driver/api/nvjitlink_api.def"
#undef F
};

static jw_lib_fn of_release(const struct jw_lib *lib, const char *name, unsigned major, unsigned minor)
{
    char symbol[64];

    (void)snprintf(symbol, sizeof symbol, "__%s_%u_%u", name, major, minor);
    return jw_lib_symbol(lib, symbol);
}

/* Up to 12.2 there is no version API: the newest release with these entry points. */
static bool read_jitlink_version(struct jw_jitlink *j)
{
    unsigned (*version)(unsigned *major, unsigned *minor);
    jw_lib_fn fn = jw_lib_symbol(&j->lib, "nvJitLinkVersion");

    memcpy(&version, &fn, sizeof version);
    if (version)
        return version(&j->major, &j->minor) == OK && j->major >= FIRST_MAJOR && j->major <= 999
               && j->minor <= 99;
    for (unsigned major = LAST_MAJOR; major >= FIRST_MAJOR; major--)
        for (unsigned minor = LAST_MINOR + 1; minor-- > 0;)
            if (of_release(&j->lib, wanted[0].name, major, minor)) {
                j->major = major;
                j->minor = minor;
                return true;
            }
    return false;
}

static bool bind(struct jw_jitlink *j, struct jw_err *err)
{
    for (size_t i = 0; i < JW_COUNT(wanted); i++) {
        jw_lib_fn fn = jw_lib_symbol(&j->lib, wanted[i].name);

        if (!fn)
            fn = of_release(&j->lib, wanted[i].name, j->major, j->minor);
        if (!fn)
            return jw_fail(err, JW_E_DRIVER, "it is no nvJitLink: it has no %s", wanted[i].name);
        memcpy((char *)&j->api + wanted[i].at, &fn, sizeof fn);
    }
    return true;
}

bool jw_jitlink_open(struct jw_jitlink *j, const char *path, struct jw_err *err)
{
    *j = (struct jw_jitlink){ 0 };
    if (!jw_lib_open(&j->lib, path, err))
        return false;
    if ((read_jitlink_version(j) || jw_fail(err, JW_E_DRIVER, "it is no nvJitLink: it has no version"))
        && bind(j, err))
        return true;
    jw_jitlink_close(j);
    return false;
}

void jw_jitlink_close(struct jw_jitlink *j)
{
    jw_lib_close(&j->lib);
    *j = (struct jw_jitlink){ 0 };
}

enum { WINDOW = 1 << 20, MOST_VERSION = 24 };

/* Finds the text after `mark` in a file. `found` has room for MOST_VERSION bytes and a NUL. */
static bool text_behind(struct jw_file *f, const char *mark, char *found, struct jw_err *err)
{
    size_t n = strlen(mark), overlap = n + MOST_VERSION, got = WINDOW;
    struct jw_buf b = JW_BUF(WINDOW);
    bool ok = true;

    *found = '\0';
    jw_buf_fill(&b, 0, WINDOW);
    ok = jw_buf_ok(&b, err);
    for (uint64_t at = 0; ok && !*found && got == WINDOW; at += WINDOW - overlap) {
        struct jw_bytes in, version;

        ok = jw_file_read(f, at, b.p, WINDOW, &got, err);
        in = (struct jw_bytes){ b.p, ok ? got : 0 };

        size_t from = jw_find(in, (struct jw_bytes){ (const uint8_t *)mark, n });

        if (ok && jw_slice(in, from + n, MOST_VERSION, &version))
            (void)snprintf(found, MOST_VERSION + 1, "%.*s", MOST_VERSION, (const char *)version.p);
    }
    jw_buf_free(&b);
    return ok;
}

bool jw_jitlink_version(const struct jw_jitlink *j, struct jw_buf *out, struct jw_err *err)
{
    struct jw_buf path = JW_BUF(JW_MAX_PATH);
    struct jw_file f = JW_FILE_CLOSED;
    char mark[64], exact[MOST_VERSION + 1] = "", plain[24];
    struct jw_err ignored;

    (void)snprintf(mark, sizeof mark, "Cuda compilation tools, release %u.%u, V", j->major, j->minor);
    (void)snprintf(plain, sizeof plain, "%u.%u", j->major, j->minor);
    if (jw_lib_path(&j->lib, &path, &ignored) && jw_file_open(&f, jw_buf_cstr(&path), &ignored)
        && text_behind(&f, mark, exact, &ignored))
        exact[strspn(exact, "0123456789.")] = '\0';
    jw_file_close(&f);
    jw_buf_free(&path);
    jw_buf_text(out, strncmp(exact, plain, strlen(plain)) == 0 ? exact : plain);
    return jw_buf_ok(out, err);
}

/* nvJitLinkResult, from 0 on. */
static const char *result_name(unsigned result)
{
    static const char *const names[] = { "SUCCESS",
                                         "UNRECOGNIZED_OPTION",
                                         "MISSING_ARCH",
                                         "INVALID_INPUT",
                                         "PTX_COMPILE",
                                         "NVVM_COMPILE",
                                         "INTERNAL",
                                         "THREADPOOL",
                                         "UNRECOGNIZED_INPUT",
                                         "FINALIZE",
                                         "NULL_INPUT",
                                         "INCOMPATIBLE_OPTIONS",
                                         "INCORRECT_INPUT_TYPE",
                                         "ARCH_MISMATCH",
                                         "OUTDATED_LIBRARY",
                                         "MISSING_FATBIN",
                                         "UNRECOGNIZED_ARCH",
                                         "UNSUPPORTED_ARCH",
                                         "LTO_NOT_ENABLED" };

    return result < JW_COUNT(names) ? names[result] : "unknown";
}

/* The first line of its log, or else the result's name. */
static void take_why(const struct jw_jitlink *j, struct nvJitLink *h, unsigned result, struct jw_buf *why)
{
    struct jw_buf log = JW_BUF(MOST_LOG);
    size_t n = 0;

    if (h && j->api.log_size(h, &n) == OK && n && n < MOST_LOG) {
        jw_buf_fill(&log, 0, n + 1);
        if (!log.bad && j->api.log(h, (char *)log.p) != OK)
            jw_buf_clear(&log);
    }

    const char *text = jw_buf_cstr(&log);

    text += strspn(text, "\r\n");
    if (*text)
        jw_buf_add(why, text, strcspn(text, "\r\n"));
    else
        jw_buf_printf(why, "error %u, %s", result, result_name(result));
    jw_buf_free(&log);
}

static void refuse_options(const struct jw_jitlink *j, const char *const *options, size_t n,
                           struct jw_buf *why)
{
    jw_buf_printf(why, "nvJitLink %u.%u does not take one of these options:", j->major, j->minor);
    for (size_t i = 0; i < n; i++)
        jw_buf_printf(why, " %s", options[i]);
}

/* Since 12.5 it has an option against its cache. */
static unsigned create_linker(const struct jw_jitlink *j, const char *const *options, size_t n,
                              struct nvJitLink **h)
{
    const char *all[MOST_OPTIONS + 1];
    unsigned result;

    for (size_t i = 0; i < n; i++)
        all[i] = options[i];
    all[n] = "-no-cache";
    result = j->api.create(h, (uint32_t)n + 1, all);
    if (result != UNRECOGNIZED_OPTION)
        return result;
    *h = NULL;
    return j->api.create(h, (uint32_t)n, all);
}

static unsigned take_cubin(const struct jw_jitlink *j, struct nvJitLink *h, struct jw_buf *cubin)
{
    size_t n = 0, start = cubin->n;
    unsigned result = j->api.cubin_size(h, &n);

    if (!result)
        jw_buf_fill(cubin, 0, n);
    return result || cubin->bad || !n ? result : j->api.cubin(h, cubin->p + start);
}

bool jw_jitlink_compile(const struct jw_jitlink *j, struct jw_bytes ptx, const char *const *options, size_t n,
                        struct jw_buf *cubin, struct jw_buf *why, struct jw_err *err)
{
    struct nvJitLink *h = NULL;

    if (n > MOST_OPTIONS)
        return jw_fail(err, JW_E_LIMIT, "more than %d options for nvJitLink", MOST_OPTIONS);

    unsigned result = create_linker(j, options, n, &h);

    if (result) {
        if (result == UNRECOGNIZED_OPTION)
            refuse_options(j, options, n, why);
        else
            take_why(j, NULL, result, why);
        return jw_buf_ok(why, err);
    }
    result = j->api.add(h, INPUT_PTX, ptx.p, ptx.n + 1, "module");
    result = result ? result : j->api.complete(h);
    result = result ? result : take_cubin(j, h, cubin);
    if (result)
        take_why(j, h, result, why);
    (void)j->api.destroy(&h);
    return jw_buf_ok(cubin, err) && jw_buf_ok(why, err);
}
