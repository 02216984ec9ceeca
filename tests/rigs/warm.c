#include "warm.h"

#include "base/path.h"
#include "check.h"
#include "os/files/append.h"
#include "os/files/file.h"
#include "variables.h"

const char *warm_begin(struct jw_arena *a, const char *name)
{
    const char *state = tree_path(a, name), *cache = jw_path_join(a, tree_path(a, "roots"), name);

    set_variable("JITWARM_STATE", state);
    CHECK(cache != NULL);
    return cache ? cache : "";
}

struct jw_warm_place warm_place(struct jw_arena *a, const char *cache)
{
    struct jw_warm_place p;
    struct jw_err err = { 0 };

    CHECK(jw_warm_place_find(cache, a, &p, &err));
    return p;
}

struct jw_warm_log *warm_open(const char *cache)
{
    return warm_open_known(cache, NULL);
}

struct jw_warm_log *warm_open_known(const char *cache, const struct jw_warm_state *known)
{
    struct jw_warm_log *l = NULL;
    struct jw_warm_holder holder;
    struct jw_err err = { 0 };

    CHECK_OK(jw_warm_open(cache, known, &l, &holder, &err), err);
    CHECK(l != NULL && holder.pid == 0);
    return l;
}

struct jw_warm_state warm_load(struct jw_arena *a, const char *cache)
{
    struct jw_warm_state s;
    struct jw_err err = { 0 };

    jw_warm_load(cache, a, &s);
    CHECK_TEXT(err.msg, "");
    return s;
}

bool warm_busy(struct jw_arena *a, const char *cache, struct jw_warm_holder *holder, uint64_t *done)
{
    struct jw_prime_progress now;
    struct jw_err err = { 0 };
    bool busy = false, found;

    CHECK(jw_warm_busy(cache, a, &busy, holder, &err));
    CHECK_OK(!busy || jw_warm_read_progress(cache, a, &now, &found, &err), err);
    *done = busy ? now.done : 0;
    return busy;
}

void warm_write_progress(struct jw_warm_log *l, uint64_t done)
{
    struct jw_err err = { 0 };

    CHECK_OK(jw_warm_write_progress(l, &(struct jw_prime_progress){ .done = done }, &err), err);
}

void warm_spoil(const char *path, const void *p, size_t n)
{
    struct jw_append f;
    struct jw_err err = { 0 };

    CHECK(jw_append_open(&f, path, &err) && jw_append_truncate(&f, 0, &err)
          && jw_append_write(&f, p, n, &err));
    jw_append_close(&f);
}

uint64_t warm_size(const char *path)
{
    struct jw_file_info info;
    struct jw_err err = { 0 };

    CHECK(jw_file_stat(path, &info, &err) && info.kind == JW_FILE_REGULAR);
    return info.size;
}

struct jw_warm_module warm_module(unsigned n, uint64_t bytes)
{
    struct jw_warm_module m = { .build = "gnu:5d1c0ffee",
                                .sm = 86,
                                .compiled = true,
                                .name = n + 1,
                                .bytes = bytes,
                                .ptx_bytes = 1000,
                                .milliseconds = n,
                                .kernel = "",
                                .origin = "",
                                .ban = "",
                                .compiler = "" };

    (void)snprintf((char *)m.id, sizeof m.id, "module %u", n);
    return m;
}

struct jw_warm_module warm_ban(unsigned n)
{
    struct jw_warm_module m = warm_module(n, 0);

    m.compiled = false;
    m.name = 0;
    m.ban = "it hung";
    m.compiler = "gnu:cc";
    return m;
}

struct jw_warm_receipt warm_receipt(const char *command, int64_t when)
{
    static const char *const targets[] = { "/opt/app" };
    static const struct jw_warm_file files[] = { { "/opt/app/lib.so", 5, 6, 7, 8, 9, 0 } };
    static const struct jw_warm_entry entries[] = { { 1, 100, 11 }, { 2, 200, 12 } };
    static const struct jw_warm_answer answers[] = { { "settings", "none" } };

    return (struct jw_warm_receipt){ .asked = { .command = command, .targets = targets, .n_targets = 1 },
                                     .build = "gnu:5d1c0ffee",
                                     .driver_version = "580.126.09",
                                     .answers = answers,
                                     .n_answers = 1,
                                     .files = files,
                                     .n_files = 1,
                                     .entries = entries,
                                     .n_entries = 2,
                                     .when = when,
                                     .jobs = 2 };
}

void warm_add(struct jw_warm_log *l, struct jw_warm_module m)
{
    struct jw_err err = { 0 };

    CHECK_OK(jw_warm_add(l, &(struct jw_warm_fact){ JW_WARM_MODULE, .as.module = m }, &err), err);
}

void warm_add_module(struct jw_warm_log *l, unsigned n, uint64_t bytes)
{
    warm_add(l, warm_module(n, bytes));
}

const struct jw_warm_module *warm_find(const struct jw_warm_state *s, unsigned n)
{
    struct jw_warm_module m = warm_module(n, 0);

    return jw_modules_find(&s->modules, m.id, m.sm, m.build);
}

size_t warm_banned(const struct jw_warm_state *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->modules.n; i++)
        n += *s->modules.list[i].ban != '\0';
    return n;
}
