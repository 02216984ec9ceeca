/*
 * E2 b, options of the load call: one fatbin, loaded with one CU_JIT option after another, each into an empty folder. Which
 * of them make another entry, and what does its key then say?
 */
#include "lab.h"

#include "base/compiler.h"

#include <stdio.h>
#include <string.h>

enum { N = 2201 };

/* `number` is the option's in cuda.h; -1: none, -2: with log buffers. */
static const struct option {
    const char *name;
    int number;
    unsigned value;
} options[] = {
    { "none", -1, 0 },
    { "log-buffers", -2, 0 },
    { "max-registers", 0, 40 },
    { "threads-per-block", 1, 128 },
    { "wall-time", 2, 0 },
    { "optimization-0", 7, 0 },
    { "optimization-3", 7, 3 },
    { "optimization-4", 7, 4 },
    { "target-from-context", 8, 0 },
    { "fallback-ptx", 10, 0 },
    { "fallback-binary", 10, 1 },
    { "debug-info", 11, 1 },
    { "log-verbose", 12, 1 },
    { "line-info", 13, 1 },
    { "cache-mode", 14, 1 },
    { "position-independent", 30, 1 },
    { "max-threads-per-block", 32, 256 },
    { "split-compile-0", 34, 0 },
    { "split-compile-4", 34, 4 },
};

static void judge(struct lab *l, const struct option *o, bool loaded, uint64_t name, uint64_t plain)
{
    bool code = strncmp(o->name, "optimization-0", 14) == 0 || o->number == 0 || o->number == 11;

    if (o->number == -1 || !loaded)
        return;
    if (code)
        lab_finds_holds(l, "F18-jit-options-in-key", name != plain, o->name);
    else
        lab_finds(l, "F18-jit-options-in-key", LAB_ANSWERED,
                  name == plain ? "%s: the same key" : "%s: another key", o->name);
}

static bool ask(struct lab *l, const struct option *o, const char *file, const struct lab_module *m,
                uint64_t *plain, struct jw_err *err)
{
    struct lab_step s = { .loading = "EAGER", .ops = { "context" } };
    struct lab_entry e = { 0 };
    struct lab_done done;
    size_t n = 0;

    s.ops[1] = o->number == -1   ? lab_op_text(l, "ex", file)
               : o->number == -2 ? lab_op_text(l, "logs", file)
                                 : lab_op_of(l, "jit %d %u %s", o->number, o->value, file);
    if (!lab_root(l, o->name, &s.root, err) || !lab_run(l, &s, &done, err)
        || !lab_entry_read(l, s.root, &e, &n, err))
        return false;
    if (o->number == -1)
        *plain = e.name;
    lab_say(l, o->name, "a fatbin loaded with this option of the call", true);
    lab_say_done(l, &done);
    jw_json_number(&l->json, "entries", n);
    if (n) {
        lab_say_entry(l, &e, m);
        jw_json_bool(&l->json, "same_key", e.name == *plain);
    }
    judge(l, o, n == 1, e.name, *plain);
    lab_say_end(l);
    lab_entry_free(&e);
    return true;
}

bool lab_e2b(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct jw_buf image = { 0 };
    const char *path = lab_path(l, "e2b.fatbin");
    uint64_t plain = 0;
    bool ok = lab_canary(l, &m, N, N, err) && lab_fatbin(l, &m, JW_FAT_LZ4, NULL, &image, err)
              && lab_write(l, path, jw_buf_bytes(&image), err);

    for (size_t i = 0; ok && i < JW_COUNT(options); i++)
        ok = ask(l, &options[i], path, &m, &plain, err);
    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}
