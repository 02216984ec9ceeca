/*
 * Lists and fetches wheels by the pip that is here, or the one that uv brings: with the user's own indexes, proxies,
 * certificates and logins. Only wheels are taken, and without what they depend on, so that nothing of a package is
 * executed.
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

/* The first that has `pip index versions`. */
#define JW_PIP_LEAST "21.2"

/* `*found` false: neither is in PATH, or an older pip. */
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

struct jw_pip_listing {
    struct jw_wheel *wheels; /* of all versions and systems */
    size_t n;
    struct jw_offers offers; /* for this Python on the system */
    /* the page of an index that could not be read; NULL: each was, or has no such package */
    const char *unread;
};

/* Lists what the indexes have of this package, and fetches nothing. JW_E_NET: the index cannot be reached;
 * JW_E_FORMAT: it has no wheel of it; JW_E_IO: it denies access. */
bool jw_pip_list(const struct jw_pip_run *run, const struct jw_requirement *r,
                 const struct jw_wheel_system *s, struct jw_arena *a, struct jw_pip_listing *out,
                 struct jw_err *err) JW_MUST;

/* The path of the fetched file, in `work`. JW_E_NET: the index cannot be reached; JW_E_FORMAT: it does not have this
 * wheel. */
bool jw_pip_fetch(const struct jw_pip_run *run, const struct jw_wheel *w, struct jw_arena *a,
                  const char **path, struct jw_err *err) JW_MUST;

/* The options that make pip take this wheel: "--python-version" "3.8" ..., NULL at the end. */
enum { JW_PIP_TAGS = 9 };
void jw_pip_tags(const struct jw_wheel *w, struct jw_arena *a, const char *argv[JW_PIP_TAGS]);

/* The options that make pip look for a system that is not this one: "--platform" "win_amd64", NULL at the end; none
 * for this one. */
void jw_pip_platform(const struct jw_wheel_system *s, struct jw_arena *a, const char *argv[JW_PIP_TAGS]);

/* ---- what pip prints, and its log (pure) ---- */

/* `text` of pip --version: "pip 23.2.1 from /usr/lib/python3/pip (python 3.11)". */
bool jw_pip_serves(const char *text);

/* Adds the wheels of this package that the log names, each once. */
bool jw_pip_log_wheels(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_wheel **list,
                       size_t *n, struct jw_err *err) JW_MUST;

/* The versions of "Available versions: 2.9.1, 2.9.0"; none: there is no such line. */
struct jw_offers jw_pip_log_offers(struct jw_bytes log, struct jw_arena *a);

/* The last page that could not be fetched, for another reason than 404. NULL: none. */
const char *jw_pip_log_unread(struct jw_bytes log, struct jw_arena *a);

/* Why there is none, as jw_pip_list fails. Returns false. */
bool jw_pip_log_reason(struct jw_bytes log, const char *name, struct jw_arena *a, struct jw_err *err);

#endif
