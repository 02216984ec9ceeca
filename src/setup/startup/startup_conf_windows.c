#include "setup/startup/startup_conf.h"

#include "base/path.h"
#include "os/files/file.h"
#include "os/machine/env.h"

const char *startup_conf_folder(struct startup *s)
{
    return s->o->everybody ? jw_env_config_system(s->run->a) : jw_env_config_user(s->run->a);
}

bool startup_conf_write(struct startup *s, const char *path, struct jw_bytes text, struct jw_err *err)
{
    struct jw_out out;
    bool ok;

    if (!text.n)
        return jw_file_remove(path, err) || jw_wrap(err, "%.250s", path);
    ok = jw_make_dirs(jw_path_dir(s->run->a, path), err) && jw_out_open(&out, path, JW_OUT_REPLACE, err);
    if (!ok)
        return jw_wrap(err, "%.250s", path);
    ok = jw_out_write(&out, text.p, text.n, err);
    return (jw_out_close(&out, ok, err) && ok) || jw_wrap(err, "%.250s", path);
}
