#include "software/find/python.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/process/process.h"
#include "software/find/pyinfo.h"

#include <string.h>

/* One path per line, as bytes, without the system's line ends or encoding. */
static const char script[] = "import os,site,sys,sysconfig\n"
                             "p=[sysconfig.get_path('purelib'),sysconfig.get_path('platlib')]\n"
                             "p+=getattr(site,'getsitepackages',list)()\n"
                             "p+=[getattr(site,'getusersitepackages',str)()]\n"
                             "sys.stdout.buffer.write(b''.join(os.fsencode(x)+b'\\n' for x in p if x))\n";

bool jw_python_is_site(const char *base)
{
    return strcmp(base, "site-packages") == 0 || strcmp(base, "dist-packages") == 0;
}

static bool is_answer(struct jw_bytes line)
{
    return line.n > 0 && !memchr(line.p, '\0', line.n) && jw_utf8_valid(line);
}

static bool take_lines(struct jw_bytes text, struct jw_arena *a, struct jw_listing *folders,
                       struct jw_err *err)
{
    struct jw_reader r = jw_reader(text);
    struct jw_bytes line;

    while (jw_pyinfo_line(&r, &line)) {
        if (!is_answer(line))
            continue;

        const char *path = jw_arena_text(a, (const char *)line.p, line.n);

        if (!jw_path_absolute(path) || !jw_python_is_site(jw_path_base(path)))
            continue;
        const char **slot =
            jw_list_add(a, &folders->names, &folders->n, sizeof *folders->names, JW_MAX_ROOTS, err);
        if (!slot)
            return false;
        *slot = path;
    }
    return folders->n || jw_fail(err, JW_E_FORMAT, "it named no folder of packages");
}

bool jw_python_ask(const char *exe, unsigned timeout_ms, struct jw_arena *a, struct jw_listing *folders,
                   struct jw_err *err)
{
    const char *const argv[] = { exe, "-I", "-X", "utf8", "-c", script, NULL };
    struct jw_buf out = JW_BUF(JW_MAX_PYTHON_OUTPUT);
    int code = 0;
    bool ok;

    *folders = (struct jw_listing){ 0 };
    ok = jw_process_capture(exe, argv, timeout_ms, &out, &code, err)
         && (code == 0 || jw_fail(err, JW_E_IO, "it ended with code %d", code))
         && take_lines(jw_buf_bytes(&out), a, folders, err);
    jw_buf_free(&out);
    return ok;
}
