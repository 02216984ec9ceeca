/*
 * E1, baseline: what one small module leaves in an empty folder, what a fresh process does with that, and what happens
 * with machine code. Whether the stamp can be found in the library itself, too.
 */
#include "cache/place/listing.h"
#include "lab.h"

#include "base/path.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { N = 17, X = 25, MAX_LOG = 1 << 20 };

static void say_mode(struct lab *l, const char *key, const char *root, const char *name)
{
    struct stat st;
    char *path = *name ? jw_path_join(&l->arena, root, name) : jw_arena_str(&l->arena, root), octal[8];

    if (!path || lstat(path, &st) != 0) {
        jw_json_null(&l->json, key);
        return;
    }
    (void)snprintf(octal, sizeof octal, "%04o", (unsigned)st.st_mode & 07777);
    jw_json_text(&l->json, key, octal);
}

static void say_index(struct lab *l, const struct jw_cache_listing *listing)
{
    jw_json_bool(&l->json, "index", listing->index_found);
    if (!listing->index_found)
        return;
    jw_json_text(&l->json, "index_damage", listing->index_damage);
    jw_json_number(&l->json, "index_records", listing->index.n);
    jw_json_number(&l->json, "index_total", listing->index.total);
    jw_json_number(&l->json, "records_without_file", listing->missing);
}

/* Of the calls that the shim saw. */
struct seen {
    bool open, lock, update, made;
};

/* What the shim wrote, in lines of at most a few words each. */
static void say_log(struct lab *l, const char *path, const char *name, struct seen *seen)
{
    struct jw_buf log = JW_BUF(MAX_LOG);
    struct jw_err err;
    bool found = false;

    jw_json_array(&l->json, "calls");
    if (jw_file_slurp(path, &log, &found, &err) && found)
        for (char *p = (char *)(uintptr_t)jw_buf_cstr(&log), *end; (end = strchr(p, '\n')) != NULL;
             p = end + 1) {
            *end = '\0';
            jw_json_text(&l->json, NULL, p);
            seen->open |= strncmp(p, "open", 4) == 0;
            seen->lock |= strstr(p, "LCK") != NULL;
            seen->update |= strstr(p, "index") && strstr(p, "O_RDWR");
            seen->made |= name && strstr(p, name) && strstr(p, "O_CREAT");
        }
    jw_json_close(&l->json);
    jw_buf_free(&log);
}

/* `stored`: an entry was, in this step. */
static void check_calls(struct lab *l, const struct seen *seen, const struct lab_entry *stored)
{
    if (!seen->open) {
        lab_finds(l, "F40-record-locks", LAB_NOT_TESTABLE, "no open went through libc, or there is no shim");
        return;
    }
    lab_finds(l, "F40-record-locks", seen->lock && seen->update ? LAB_CONFIRMED : LAB_CONTRADICTED,
              "the index was %sopened for reading and writing, and %slocked", seen->update ? "" : "not ",
              seen->lock ? "" : "not ");
    if (stored)
        lab_finds_holds(l, "F45-in-place", seen->made, "the entry was created under its own name");
}

/* What the first module left. */
static void check_cold(struct lab *l, const struct lab_entry *e, size_t n, bool readable,
                       const struct jw_cache_listing *now, const struct lab_done *done,
                       const struct lab_module *m)
{
    bool whole = n == 1 && readable;
    const struct lab_op *load = lab_op(done, "data"), *kids = lab_op(done, "children");

    if (!load || load->code)
        return;
    lab_finds_holds(l, "F78-old-ptx-compiles", true, "PTX for sm_50 was loaded");
    if (kids)
        lab_finds(l, "F48-jit-in-process", kids->value ? LAB_CONTRADICTED : LAB_CONFIRMED,
                  "%llu processes were started by it", (unsigned long long)kids->value);
    lab_finds_holds(l, "F01-layout", whole, whole ? "one entry, whole" : l->err.msg);
    if (!whole)
        return;
    struct jw_bytes elf = { e->payload.p, e->payload.n < 4 ? e->payload.n : 4 };

    lab_finds_holds(l, "F04-format-0x41", true, "of another format nothing could have been read");
    lab_finds_holds(l, "F02-name-is-fnv", e->name == jw_fnv1a(JW_FNV_START, e->key.p, e->key.n),
                    "the name is the hash of the key");
    lab_finds_holds(l, "F05-key-parts", e->name == lab_predict(l, jw_buf_bytes(&m->ptx), 1, ""),
                    "a key made of stamp, sm_NN, text and options has this name");
    lab_finds_holds(l, "F07-payload-elf",
                    elf.n == 4
                        && memcmp(elf.p,
                                  "\x7f"
                                  "ELF",
                                  4)
                               == 0,
                    "what the payload begins with");
    lab_finds(l, "F03-index-layout",
              now->index_found && !now->index_damage && now->index.n == 1
                      && now->index.total == e->key.n + e->payload.n
                  ? LAB_CONFIRMED
                  : LAB_CONTRADICTED,
              "%zu records, in all %llu bytes; key and payload have %zu", now->index.n,
              (unsigned long long)now->index.total, e->key.n + e->payload.n);
    lab_finds_holds(l, "F63-path-is-root", now->index_found, "the index is in the folder that was named");
}

static void check(struct lab *l, const char *step, const struct lab_entry *e, size_t n, bool readable,
                  const struct jw_cache_listing *now, const struct lab_done *done, const struct lab_module *m)
{
    const struct lab_op *launched = lab_op(done, "launch");

    if (strcmp(step, "cold") == 0)
        check_cold(l, e, n, readable, now, done, m);
    else if (strcmp(step, "again") == 0)
        lab_finds(l, "F31-hit-changes-nothing", lab_new(done) ? LAB_CONTRADICTED : LAB_CONFIRMED,
                  "%u entries new or changed", lab_new(done));
    else if (launched && launched->code == 0)
        lab_finds(l, "F08-native-no-cache", n ? LAB_CONTRADICTED : LAB_CONFIRMED, "%zu entries", n);
}

static bool look(struct lab *l, const char *root, const char *step, const char *what,
                 const struct lab_done *done, const char *log, const struct lab_module *m, struct jw_err *err)
{
    struct jw_cache_listing listing = { 0 };
    struct lab_entry e = { 0 };
    struct seen seen = { 0 };
    size_t n = 0;

    if (!jw_cachedir_list(root, true, &l->arena, &listing, err))
        return false;
    bool readable = lab_entry_read(l, root, &e, &n, err);

    lab_say(l, step, what, done->whole);
    lab_say_done(l, done);
    jw_json_number(&l->json, "entries", listing.n);
    jw_json_number(&l->json, "other_names", listing.foreign);
    say_index(l, &listing);
    if (n && readable) {
        char above[4];

        lab_say_entry(l, &e, m);
        jw_json_bool(&l->json, "name_predicted", e.name == lab_predict(l, jw_buf_bytes(&m->ptx), 1, ""));
        (void)snprintf(above, sizeof above, "%.1s", jw_cache_name(e.name).text);
        say_mode(l, "mode_root", root, "");
        say_mode(l, "mode_folder", root, above);
        say_mode(l, "mode_entry", root, jw_cache_name(e.name).text);
        say_mode(l, "mode_index", root, "index");
    }
    if (!readable)
        jw_json_text(&l->json, "entry_error", err->msg);
    if (!readable)
        l->err = *err;
    say_log(l, log, n ? jw_cache_name(e.name).text : NULL, &seen);
    check(l, step, &e, n, readable, &listing, done, m);
    if (strcmp(step, "native") != 0)
        check_calls(l, &seen, strcmp(step, "cold") == 0 && n ? &e : NULL);
    lab_say_end(l);
    lab_entry_free(&e);
    jw_cache_listing_free(&listing);
    return true;
}

static bool step(struct lab *l, struct lab_step *s, const char *name, const char *what,
                 const struct lab_module *m, struct jw_err *err)
{
    struct lab_done done;
    char log[32];

    (void)snprintf(log, sizeof log, "calls-%s", name);
    s->log = lab_path(l, log);
    return lab_run(l, s, &done, err) && look(l, s->cache, name, what, &done, s->log, m, err);
}

/* The cubin out of the entry, given to the driver by itself: native code. */
static bool native(struct lab *l, const char *root, const struct lab_module *m, struct jw_err *err)
{
    struct lab_entry e;
    struct lab_step s = { .ops = { "context" } };
    size_t n = 0;
    const char *path = lab_path(l, "native.cubin");

    if (!path)
        return jw_fail(err, JW_E_IO, "out of memory");
    if (!lab_entry_read(l, root, &e, &n, err)) {
        lab_say_failure(l, "native", "no entry that could be read, so no machine code", err);
        return true;
    }
    bool ok = n == 0 || (lab_write(l, path, e.payload, err) && lab_cache(l, "native", &s.cache, err));

    lab_entry_free(&e);
    s.ops[1] = lab_op_text(l, "data", path);
    s.ops[2] = lab_op_text(l, "launch", m->kernel);
    return ok && (n == 0 || step(l, &s, "native", "machine code alone, in an empty folder", m, err));
}

/* Date and time of the stamp, looked for as text in the library that was loaded. */
static bool stamp_in_library(struct lab *l, struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF((size_t)256 << 20);
    bool found = false;

    if (!*l->m.stamp || !*l->m.library)
        return true;
    bool ok = jw_file_slurp(l->m.library, &bytes, &found, err);

    if (ok && found) {
        struct jw_bytes all = jw_buf_bytes(&bytes);
        struct jw_bytes date = { (const uint8_t *)l->m.stamp, 11 },
                        time = { (const uint8_t *)l->m.stamp + 11, 8 };

        lab_say(l, "strings", "is the stamp in the library's own text?", true);
        jw_json_bool(&l->json, "date", jw_find(all, date) < all.n);
        jw_json_bool(&l->json, "time", jw_find(all, time) < all.n);
        jw_json_bool(&l->json, "together",
                     jw_find(all, (struct jw_bytes){ (const uint8_t *)l->m.stamp, 19 }) < all.n);
        jw_json_number(&l->json, "library_bytes", all.n);
        bool both = jw_find(all, date) < all.n && jw_find(all, time) < all.n;

        lab_finds(l, "F06-stamp-is-build", both ? LAB_CONFIRMED : LAB_NOT_TESTABLE,
                  both ? "date and time of the stamp stand in the library's own text"
                       : "the library's text does not have it, and one driver alone cannot tell");
        lab_say_end(l);
    }
    jw_buf_free(&bytes);
    return ok;
}

bool lab_e1(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct lab_step s = { .loading = NULL, .ops = { "context", "mode" } };
    const char *path = lab_path(l, "e1.ptx");
    char launch[64];
    bool ok = lab_canary(l, &m, N, N, err) && lab_cache(l, "e1", &s.cache, err) && path
              && lab_write(l, path, jw_buf_bytes(&m.ptx), err);

    (void)snprintf(launch, sizeof launch, "launch %s %d", m.kernel, X);
    s.ops[2] = lab_op_text(l, "data", path);
    s.ops[3] = launch;
    s.ops[4] = "children";
    ok = ok && step(l, &s, "cold", "PTX text into an empty folder", &m, err)
         && step(l, &s, "again", "the same in a fresh process", &m, err) && native(l, s.cache, &m, err)
         && stamp_in_library(l, err);
    lab_module_free(&m);
    return ok;
}
