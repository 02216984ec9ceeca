/* .cu files among the paths of a look: NVRTC on this machine compiles them to PTX, and the look
 * judges this PTX. */
#include "prime/look_work.h"

#include "driver/nvrtc/nvrtc_compile.h"
#include "memory/state_folder.h"

/* Targets the oldest GPU, and the newest PTX that the driver takes. For absent GPUs the driver's
 * CUDA version is not known. */
static bool choose_target(struct jw_run *run, const struct jw_look *look,
                          struct jw_nvrtc_options *o, struct jw_err *err)
{
    const struct jw_scope *s = &look->scope;
    const struct jw_probe_report *here;

    for (size_t i = 0; i < s->sms.n; i++)
        if (!o->sm || s->sms.v[i] < o->sm)
            o->sm = s->sms.v[i];
    if (!o->sm)
        return jw_fail(err, JW_E_DRIVER, "no usable GPU here; name one with --gpu sm_86");
    if (look->scope.absent)
        return true;
    if (!jw_session_probe(run->session, &here, err))
        return false;
    o->driver_cuda = here->driver.cuda_version;
    return true;
}

const char *cu_files_ptx(struct jw_run *run, struct jw_look *look, const char *path,
                         struct jw_err *err)
{
    struct jw_listing libraries = jw_nvrtc_find(jw_session_software(run->session), run->a);
    struct jw_nvrtc_options o = {.source = path,
                                 .libraries = &libraries,
                                 .folder = jw_state_own(JW_STATE_SOURCES, run->a, err),
                                 .interrupted = run->interrupted};
    struct jw_nvrtc_made made;

    if (!o.folder || !jw_state_make(o.folder, run->a, err) || !choose_target(run, look, &o, err))
        return NULL;
    bool is_made = jw_nvrtc_compile(&o, run->a, &made, err);

    if (made.untrusted && (is_made || err->code != JW_E_TRUST)) /* that error names it */
        JW_NOTE(run, "%s", made.untrusted);
    if (!is_made)
        return NULL;
    JW_NOTE(run, "%s was compiled to %s by NVRTC; a program gains from it if it loads this PTX",
            path, made.ptx);
    if (made.note)
        JW_NOTE(run, "%s", made.note);
    return made.ptx;
}
