#include "driver/witness/settings.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/witness/variables.h"
#include "facts/env_defaults.h"
#include "os/files/real.h"
#include "os/process/running.h"

enum { TINY_CACHE = 65536 /* has no room for an entry */ };
enum { HOME, CACHE_PATH, CACHE_DISABLE, CACHE_LIMIT, VARIABLES };

bool jw_settings_read(unsigned long pid, const char *maps, struct jw_arena *a,
                      struct jw_process_settings *out)
{
    struct jw_variable v[VARIABLES] = { [HOME] = { .name = "HOME" },
                                        [CACHE_PATH] = { .name = "CUDA_CACHE_PATH" },
                                        [CACHE_DISABLE] = { .name = "CUDA_CACHE_DISABLE" },
                                        [CACHE_LIMIT] = { .name = "CUDA_CACHE_MAXSIZE" } };
    struct jw_buf folder = JW_BUF(JW_MAX_PATH);

    if (!jw_variables_now(pid, maps, a, v, VARIABLES))
        return false;
    *out = (struct jw_process_settings){ .known = true,
                                         .home = v[HOME].value,
                                         .path = v[CACHE_PATH].value,
                                         .disable = v[CACHE_DISABLE].value,
                                         .limit = v[CACHE_LIMIT].value };
    if (jw_running_link(pid, "cwd", &folder))
        out->folder = jw_arena_str(a, jw_buf_cstr(&folder));
    jw_buf_free(&folder);
    return true;
}

static const char *copy(const char *text, struct jw_arena *a)
{
    return text ? jw_arena_str(a, text) : NULL;
}

struct jw_process_settings jw_settings_copy(const struct jw_process_settings *s, struct jw_arena *a)
{
    return (struct jw_process_settings){ .known = s->known,
                                         .home = copy(s->home, a),
                                         .path = copy(s->path, a),
                                         .disable = copy(s->disable, a),
                                         .limit = copy(s->limit, a),
                                         .folder = copy(s->folder, a) };
}

bool jw_settings_same(const struct jw_process_settings *a, const struct jw_process_settings *b)
{
    return a->known == b->known && jw_text_same(a->home, b->home) && jw_text_same(a->path, b->path)
           && jw_text_same(a->disable, b->disable) && jw_text_same(a->limit, b->limit)
           && jw_text_same(a->folder, b->folder);
}

/* driver-fact: F99-empty-path */
const char *jw_settings_cache(const struct jw_process_settings *s, struct jw_arena *a)
{
    const char *path = s->path && *s->path ? s->path : NULL, *real;
    struct jw_err ignored;

    if (!s->known || (s->path && !*s->path) || (!path && (!s->home || !*s->home)))
        return NULL;
    if (!path)
        path = jw_path_join(a, s->home, ".nv/ComputeCache");
    else if (!jw_path_absolute(path))
        path = s->folder ? jw_path_join(a, s->folder, path) : NULL;
    return path && jw_path_absolute(path) && jw_real_path(path, a, &real, &ignored) ? real : NULL;
}

static const char *limit_below(const struct jw_process_settings *s, uint64_t bytes, struct jw_arena *a)
{
    return s->known && s->limit && jw_cache_limit_read(s->limit, NULL) < bytes
               ? jw_arena_printf(a, "CUDA_CACHE_MAXSIZE=%.40s", s->limit)
               : NULL;
}

const char *jw_settings_small_cache(const struct jw_process_settings *s, struct jw_arena *a)
{
    return limit_below(s, JW_CACHE_SMALLEST, a);
}

const char *jw_settings_no_cache(const struct jw_process_settings *s, struct jw_arena *a)
{
    if (s->known && jw_switch_is_on(s->disable))
        return jw_arena_printf(a, "CUDA_CACHE_DISABLE=%.40s", s->disable);
    if (s->known && s->path && !*s->path)
        return "CUDA_CACHE_PATH is empty";
    return limit_below(s, TINY_CACHE, a);
}
