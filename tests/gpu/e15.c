/*
 * E15, entries made without the driver: a key that was computed, and for its code what the toolkit's ptxas makes of the
 * same PTX. Does a fresh process take it, and does its kernel compute the right number? What differs between the two
 * compilers' code, and what the driver makes of code for another architecture under a right key.
 */
#include "lab.h"

#include "base/path.h"
#include "formats/elf.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 1501,
    X = 2000,
    PTXAS_MS = 60000,
    MAX_CUBIN = 64 << 20,
    MAX_SAID = 1 << 16,
    E_FLAGS = 48,
    E_ABI = 7,
    E_SECTIONS = 60
};

struct forging {
    struct lab *l;
    struct lab_module m;
    const char *ptxas, *ptx, *fatbin;
    struct jw_buf cubin;
    struct lab_entry made;
    bool text, container;
};

static const char *existing(struct lab *l, const char *folder, const char *name)
{
    char *path = folder && *folder ? jw_path_join(&l->arena, folder, name) : NULL;
    struct jw_file_info info = { .kind = JW_FILE_NONE };
    struct jw_err ignored;

    return path && jw_file_stat(path, &info, &ignored) && info.kind == JW_FILE_REGULAR ? path : NULL;
}

/* $LAB_PTXAS, else that of the toolkit, else PATH's. */
static const char *find_ptxas(struct lab *l)
{
    struct jw_buf path = JW_BUF(4096);
    struct jw_err err;
    bool found = false;
    const char *at = getenv("LAB_PTXAS");

    if (at && *at)
        return existing(l, at, "") ? at : existing(l, "/", at);
    at = existing(l, getenv("CUDA_HOME"), "bin/ptxas");
    if (!at && jw_process_find("ptxas", &path, &found, &err) && found)
        at = jw_arena_str(&l->arena, jw_buf_cstr(&path));
    jw_buf_free(&path);
    return at ? at : existing(l, "/usr/local/cuda", "bin/ptxas");
}

/* False: it could not be started. `*made`: there is a cubin. */
static bool assemble(struct forging *f, const char *arch, struct jw_buf *cubin, bool *made,
                     struct jw_err *err)
{
    const char *file = lab_path(f->l, "e15.cubin");
    char option[32];
    const char *argv[] = { f->ptxas, option, f->ptx, "-o", file, NULL };
    struct jw_buf said = JW_BUF(MAX_SAID);
    int code = 0;

    *made = false;
    *cubin = JW_BUF(MAX_CUBIN);
    (void)snprintf(option, sizeof option, "-arch=%s", arch);
    (void)remove(file);
    bool ok = jw_process_capture(f->ptxas, argv, PTXAS_MS, &said, &code, err);

    ok = ok && (code != 0 || jw_file_slurp(file, cubin, made, err));
    jw_buf_free(&said);
    return ok || jw_wrap(err, "%s", f->ptxas);
}

/* The last line but one that it says of itself: "Cuda compilation tools, release 13.0, V13.0.88". */
static void say_version(struct forging *f)
{
    const char *argv[] = { f->ptxas, "--version", NULL };
    struct jw_buf said = JW_BUF(MAX_SAID);
    struct jw_err err;
    char text[96] = "";
    int code = 0;

    if (jw_process_capture(f->ptxas, argv, PTXAS_MS, &said, &code, &err)) {
        const char *release = strstr(jw_buf_cstr(&said), "release");

        if (release)
            (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(release, "\n"), release);
    }
    jw_json_text(&f->l->json, "ptxas", *text ? text : NULL);
    jw_buf_free(&said);
}

/* The driver's own entry of the module, and what ptxas makes of it, where there is one. */
static bool make(struct forging *f, bool *made, struct jw_err *err)
{
    struct lab *l = f->l;
    struct lab_done done;
    struct jw_buf image = { 0 };
    const char *root;
    size_t n = 0;
    bool ok = lab_canary(l, &f->m, N, N, err) && lab_root(l, "driver", &root, err)
              && lab_load(l, root, "data", "e15.ptx", jw_buf_bytes(&f->m.ptx), &done, err)
              && lab_entry_read(l, root, &f->made, &n, err)
              && (n == 1 || jw_fail(err, JW_E_FORMAT, "the module left %zu entries: %s", n, done.how))
              && lab_fatbin(l, &f->m, JW_FAT_LZ4, NULL, &image, err);

    f->ptx = lab_path(l, "e15.ptx");
    f->fatbin = lab_path(l, "e15.fatbin");
    ok = ok && lab_write(l, f->fatbin, jw_buf_bytes(&image), err)
         && (!f->ptxas || assemble(f, l->m.arch, &f->cubin, made, err));
    jw_buf_free(&image);
    return ok;
}

static unsigned word(struct jw_bytes b, size_t at, unsigned bytes)
{
    unsigned v = 0;

    for (unsigned i = bytes; at + bytes <= b.n && i; i--)
        v = v << 8 | b.p[at + i - 1];
    return v;
}

static void say_elf(struct lab *l, const char *key, struct jw_bytes elf)
{
    jw_json_object(&l->json, key);
    jw_json_number(&l->json, "bytes", elf.n);
    jw_json_number(&l->json, "flags", word(elf, E_FLAGS, 4));
    jw_json_number(&l->json, "abi", word(elf, E_ABI, 1));
    jw_json_number(&l->json, "abi_version", word(elf, E_ABI + 1, 1));
    jw_json_number(&l->json, "sections", word(elf, E_SECTIONS, 2));
    jw_json_close(&l->json);
}

static void compare(struct forging *f)
{
    struct jw_bytes ours = jw_buf_bytes(&f->cubin), theirs = f->made.payload;

    lab_say(f->l, "compare", "the driver's code and that of ptxas, of the same PTX", true);
    say_version(f);
    say_elf(f->l, "by_driver", theirs);
    say_elf(f->l, "by_ptxas", ours);
    jw_json_bool(&f->l->json, "same", ours.n == theirs.n && memcmp(ours.p, theirs.p, ours.n) == 0);
    lab_say_end(f->l);
}

static bool attempt(struct forging *f, const char *name, const char *what, bool fat, struct jw_bytes payload,
                    bool *right, struct jw_err *err)
{
    struct lab *l = f->l;
    struct jw_buf key = JW_BUF(LAB_MAX_ENTRY);
    struct lab_trial t = {
        .name = name, .what = what, .door = "data", .kernel = f->m.kernel, .x = X, .payload = payload
    };

    t.file = fat ? f->fatbin : f->ptx;
    jw_cache_key_make(&key, l->m.stamp, l->m.arch, jw_buf_bytes(&f->m.ptx), fat ? l->m.nuls : 1, "");
    t.key = jw_buf_bytes(&key);
    bool ok = jw_buf_ok(&key, err) && lab_try(l, &t, err);

    jw_buf_free(&key);
    if (!ok)
        return false;
    *right = t.taken && t.launched && t.launched->value == X + N;
    jw_json_bool(&l->json, "number_right", t.launched && t.launched->code == 0 && t.launched->value == X + N);
    jw_json_bool(&l->json, "made_again", lab_new(&t.done) != 0);
    return true;
}

/* Of another architecture that this ptxas knows. */
static bool wrong(struct forging *f, struct jw_err *err)
{
    static const char *const others[] = { "sm_80", "sm_75", "sm_90", "sm_60" };
    struct jw_buf cubin = { 0 };
    bool made = false, right, ok = true;

    for (size_t i = 0; ok && !made && i < sizeof others / sizeof others[0]; i++)
        if (strncmp(others[i], f->l->m.arch, 4) != 0) { /* another generation */
            jw_buf_free(&cubin);
            ok = assemble(f, others[i], &cubin, &made, err);
        }
    if (ok && made) {
        ok = attempt(f, "wrong-sm", "code for another architecture under a right key", false,
                     jw_buf_bytes(&cubin), &right, err);
        if (ok)
            lab_say_end(f->l);
    } else if (ok) {
        ok = lab_not_asked(f->l, "wrong-sm", "this ptxas makes no code for another architecture", NULL);
    }
    jw_buf_free(&cubin);
    return ok;
}

static bool ask(struct forging *f, struct jw_err *err)
{
    struct lab *l = f->l;
    struct jw_bytes code = jw_buf_bytes(&f->cubin);

    compare(f);
    if (!attempt(f, "text", "a computed key, code by ptxas, loaded as text", false, code, &f->text, err))
        return false;
    lab_finds_holds(l, "F38-forged-hits", f->text, "an entry by ptxas, for text");
    lab_say_end(l);
    if (l->m.nuls) {
        if (!attempt(f, "fatbin", "the same, loaded out of a fatbin", true, code, &f->container, err))
            return false;
        lab_finds_holds(l, "F38-forged-hits", f->container, "an entry by ptxas, for a fatbin");
        lab_say_end(l);
    }
    return wrong(f, err);
}

/* The same with the library that a toolkit links with, which needs no other program. */
static bool linked(struct forging *f, struct jw_err *err)
{
    struct lab *l = f->l;
    struct lab_step s = { .silent_ms = PTXAS_MS,
                          .ops = { lab_op_of(l, "nvjitlink %s %s", l->m.arch, f->ptx) } };
    struct jw_buf cubin = JW_BUF(MAX_CUBIN);
    struct lab_done done;
    bool found = false, right = false;
    bool ok = lab_root(l, "linked", &s.root, err) && lab_run(l, &s, &done, err);

    if (!ok || !done.n || done.ops[0].code)
        return ok
               && lab_not_asked(l, "nvjitlink-text",
                                "no libnvJitLink (LAB_NVJITLINK), or it makes no code for this GPU",
                                "F38-forged-hits");
    ok = jw_file_slurp(lab_path(l, "e15.ptx.cubin"), &cubin, &found, err) && found;
    for (int fat = 0; ok && fat < (l->m.nuls ? 2 : 1); fat++) {
        ok = attempt(f, fat ? "nvjitlink-fatbin" : "nvjitlink-text", "a computed key, code by nvJitLink", fat,
                     jw_buf_bytes(&cubin), &right, err);
        if (!ok)
            break;
        if (!fat)
            say_elf(l, "by_nvjitlink", jw_buf_bytes(&cubin));
        lab_finds_holds(l, "F38-forged-hits", right,
                        fat ? "an entry by nvJitLink, for a fatbin" : "an entry by nvJitLink, for text");
        lab_say_end(l);
    }
    jw_buf_free(&cubin);
    return ok;
}

bool lab_e15(struct lab *l, struct jw_err *err)
{
    struct forging f = { .l = l };
    bool made = false, ok = true;

    f.ptxas = find_ptxas(l);
    if (!*l->m.stamp)
        return lab_not_asked(l, "text", "the stamp is not known: entries cannot be read", "F38-forged-hits");
    ok = make(&f, &made, err);
    if (ok && !f.ptxas)
        ok = lab_not_asked(l, "text", "no ptxas: LAB_PTXAS and CUDA_HOME are not set, PATH has none",
                           "F38-forged-hits");
    else if (ok && !made)
        ok = lab_not_asked(l, "text", "this ptxas makes no code for this GPU", "F38-forged-hits");
    else if (ok)
        ok = ask(&f, err);
    ok = ok && linked(&f, err);
    lab_entry_free(&f.made);
    jw_buf_free(&f.cubin);
    lab_module_free(&f.m);
    return ok;
}
