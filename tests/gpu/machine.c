#include "driver/api/driver.h"
#include "lab.h"
#include "step.h"

#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/process/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum { ASK_MS = 60000, MAX_ANSWER = 4096 };

/* ---- in the child ---- */

static void ask(struct jw_buf *out)
{
    struct lab_doors d;
    struct jw_device device = { 0 };
    struct jw_buf path = JW_BUF(MAX_ANSWER);
    struct jw_err err;
    unsigned n = 0;

    if (!lab_doors_open(&d, &err)) {
        jw_buf_printf(out, "none %s\n", err.msg);
        return;
    }
    unsigned code = d.driver.api.init(0);

    if (jw_driver_file(&d.driver, &path, &err))
        jw_buf_printf(out, "library %s\n", jw_buf_cstr(&path));
    jw_buf_free(&path);
    jw_buf_printf(out, "simulated %d\ncuda %u\ninit %u\n",
                  jw_lib_symbol(&d.driver.lib, "jitwarm_simulated_driver") != NULL,
                  jw_driver_cuda_version(&d.driver), code);
    if (code == 0 && jw_device_count(&d.driver.api, &n) == 0 && n
        && jw_device_read(&d.driver.api, 0, &device) == 0)
        jw_buf_printf(out, "gpu %s\nsm %u\n", device.name, device.sm);
}

int lab_ask_driver(int argc, char **argv)
{
    struct jw_parent parent;
    struct jw_buf out = JW_BUF(MAX_ANSWER);
    struct jw_err err;

    if (argc < 2 || !jw_parent_open(&parent, argv[argc - 2], argv[argc - 1], &err))
        return 2;
    ask(&out);
    bool ok = jw_parent_write(&parent, out.p, out.n, &err);

    jw_buf_free(&out);
    return ok ? 0 : 1;
}

/* ---- in the parent ---- */

static bool ask_child(struct lab *l, struct jw_buf *answer, struct jw_err *err)
{
    const char *args[] = { "ask" };
    struct jw_child_options o = { .exe = l->exe, .args = args, .n_args = 1 };
    struct jw_child *c = NULL;
    enum jw_child_read what = JW_CHILD_DATA;
    uint8_t bytes[512];
    size_t n;
    bool ok = jw_child_start(&c, &o, err);

    while (ok && what == JW_CHILD_DATA) {
        ok = jw_child_read(c, bytes, sizeof bytes, ASK_MS, &what, &n, err);
        if (ok && what == JW_CHILD_DATA)
            jw_buf_add(answer, bytes, n);
    }
    jw_child_free(c);
    return ok && jw_buf_ok(answer, err);
}

/* The rest of the line that begins with `key` and a blank; false: there is none. */
static bool take(const char *answer, const char *key, char *out, size_t size)
{
    size_t n = strlen(key);

    out[0] = '\0';
    for (const char *p = answer; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL)
        if (strncmp(p, key, n) == 0 && p[n] == ' ') {
            (void)snprintf(out, size, "%.*s", (int)strcspn(p + n + 1, "\n"), p + n + 1);
            return true;
        }
    return false;
}

static unsigned take_number(const char *answer, const char *key)
{
    char text[32];

    return take(answer, key, text, sizeof text) ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* "580.126.09" out of ".../libcuda.so.580.126.09", else from the kernel's module. */
static void find_version(struct lab_machine *m)
{
    struct jw_buf text = JW_BUF(MAX_ANSWER);
    struct jw_err err;
    bool found = false;
    const char *base = jw_path_base(m->library), *p;

    if (jw_text_starts(base, "libcuda.so.") && strchr(base + 11, '.')) {
        (void)snprintf(m->driver, sizeof m->driver, "%s", base + 11);
        return;
    }
    if (!m->simulated && jw_file_slurp("/proc/driver/nvidia/version", &text, &found, &err) && found) {
        p = strstr(jw_buf_cstr(&text), "Module  ");
        if (p)
            (void)snprintf(m->driver, sizeof m->driver, "%.*s", (int)strcspn(p + 8, " "), p + 8);
    }
    jw_buf_free(&text);
}

static void find_kernel_and_date(struct lab_machine *m)
{
    struct utsname u;
    time_t now = time(NULL);
    struct tm tm;

    if (uname(&u) == 0)
        (void)snprintf(m->kernel, sizeof m->kernel, "%s", u.release);
    if (gmtime_r(&now, &tm))
        (void)strftime(m->date, sizeof m->date, "%Y-%m-%d", &tm);
}

static const char *no_use(struct lab *l, const char *code)
{
    char text[64];

    (void)snprintf(text, sizeof text, "cuInit gives error %.20s", code);
    return jw_arena_str(&l->arena, text);
}

bool lab_machine_ask(struct lab *l, const char **why, struct jw_err *err)
{
    struct lab_machine *m = &l->m;
    struct jw_buf answer = JW_BUF(MAX_ANSWER);
    char text[300];

    *why = NULL;
    if (!ask_child(l, &answer, err)) {
        jw_buf_free(&answer);
        return jw_wrap(err, "asking for the driver");
    }
    const char *a = jw_buf_cstr(&answer);

    if (take(a, "none", text, sizeof text))
        *why = jw_arena_str(&l->arena, text);
    else if (!take(a, "init", text, sizeof text))
        *why = "the process that loaded the driver died of it";
    else if (strcmp(text, "0") != 0)
        *why = no_use(l, text);
    (void)take(a, "library", m->library, sizeof m->library);
    (void)take(a, "gpu", m->gpu, sizeof m->gpu);
    m->cuda = take_number(a, "cuda");
    m->sm = take_number(a, "sm");
    m->simulated = take_number(a, "simulated") == 1;
    m->phantom = !m->simulated && getenv("JITWARM_PHANTOM_GPUS");
    if (!*why && !m->sm)
        *why = "the driver has no device";
    jw_buf_free(&answer);
    find_version(m);
    find_kernel_and_date(m);
    if (m->phantom) /* what is behind the number is the host's own, and of no matter */
        m->kernel[strcspn(m->kernel, "-")] = '\0';
    return true;
}
