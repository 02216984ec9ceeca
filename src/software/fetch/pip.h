/*
 * Lists and fetches wheels by the pip that is here, or the one that uv brings: with the user's own indexes, proxies, certificates
 * and logins. Only wheels are taken, and without what they depend on, so that nothing of a package is executed.
 */
#ifndef SOFTWARE_FETCH_PIP_H
#define SOFTWARE_FETCH_PIP_H

#include "base/bytes.h"
#include "software/fetch/wheel.h"

#include <stdatomic.h>

struct jw_pip {
    /* how it is started: an absolute path, and perhaps "-m" "pip" or "tool" "run" "pip" */
    const char *argv[4];
    size_t n;
    const char *title; /* "pip", "uv tool run pip" */
    unsigned python;   /* that it serves: 311; 0: not known */
};

/* `*found` false: neither is in PATH. */
bool jw_pip_find(struct jw_arena *a, const atomic_bool *interrupted, struct jw_pip *out, bool *found,
                 struct jw_err *err) JW_MUST;

struct jw_pip_run {
    const struct jw_pip *pip;
    const char *const *index; /* more options of pip that say where packages are */
    size_t n_index;
    const char *work; /* a private folder of this run, which the caller removes */
    const atomic_bool *interrupted;
    void (*look)(void *ctx); /* called now and then while it fetches; NULL */
    void *ctx;
};

/* All wheels that the indexes have of this package, of all versions and systems. Fetches none. JW_E_NET: the index cannot be
 * used; JW_E_FORMAT: it has no wheel of it. */
bool jw_pip_list(const struct jw_pip_run *run, const struct jw_requirement *r, struct jw_arena *a,
                 struct jw_wheel **list, size_t *n, struct jw_err *err) JW_MUST;

/* The path of the fetched file, in `work`. */
bool jw_pip_fetch(const struct jw_pip_run *run, const struct jw_wheel *w, struct jw_arena *a,
                  const char **path, struct jw_err *err) JW_MUST;

/* The options that make pip take this wheel: "--python-version" "3.8" ..., NULL at the end. */
enum { JW_PIP_TAGS = 9 };
void jw_pip_tags(const struct jw_wheel *w, struct jw_arena *a, const char *argv[JW_PIP_TAGS]);

/* ---- pip's log (pure) ---- */

/* Adds the wheels of this package that the log names, each once. */
bool jw_pip_log_wheels(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_wheel **list,
                       size_t *n, struct jw_err *err) JW_MUST;

/* Why there is none: JW_E_NET, "the package index cannot be reached"; JW_E_FORMAT, "it has no wheel". Returns false. */
bool jw_pip_log_reason(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_err *err);

#endif
