#include "doctor/command/doctor_view.h"
#include "os/files/file.h"

#include <string.h>

const char *doctor_say(const struct doctor_view *v, const char *text)
{
    return v->redact ? jw_redacted(v->redact, text) : text;
}

bool doctor_is_shown(const struct doctor_view *v, const struct jw_finding *f)
{
    if (v->portable && f->local)
        return false;
    for (size_t i = 0; i < v->ignored->n; i++)
        if (strcmp(v->ignored->items[i], f->id) == 0)
            return false;
    return true;
}

bool doctor_write_bundle(const char *path, const struct doctor_view *v, struct jw_err *err)
{
    struct jw_out out = { 0 };
    bool ok = jw_out_open(&out, path, false, err)
              && doctor_write_json_to(jw_out_sink(&out), v, v->redact->a, err) && jw_out_commit(&out, err);

    jw_out_close(&out);
    return ok || jw_wrap(err, "%s", path);
}
