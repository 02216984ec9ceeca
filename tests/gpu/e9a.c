/*
 * E9 a, c and e, damage: an entry that is cut, has a byte flipped or claims to be huge, and an index that is cut, garbled or no
 * file. Does the next process load the module, does its kernel compute right, and is what was damaged made whole?
 */
#include "lab.h"

#include "base/compiler.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    N = 9701,
    X = 1000,
    KEY_AT = 4,
    PAYLOAD_AT = 12,
    SUM_AT = 20,
    CUT,
    FLIP,
    HUGE_KEY,
    HUGE_PAYLOAD,
    SILENT_MS = 10000
};

static const struct harm {
    const char *name, *what;
    int how;
    int at; /* CUT: bytes left, negative: from the end, 2: half; FLIP: see where() */
} harms[] = {
    { "empty", "an empty file", CUT, 0 },
    { "ten", "ten bytes of it", CUT, 10 },
    { "header", "its header alone", CUT, JW_CACHE_HEADER },
    { "half", "half of it", CUT, 2 },
    { "one-less", "all but its last byte", CUT, -1 },
    { "format", "a byte of the format's number", FLIP, 0 },
    { "key-length", "a byte of the key's length", FLIP, KEY_AT },
    { "payload-length", "a byte of the payload's length", FLIP, PAYLOAD_AT },
    { "checksum", "a byte of the checksum", FLIP, SUM_AT },
    { "stamp", "a byte of the stamp", FLIP, JW_CACHE_HEADER + 2 },
    { "ptx", "a byte of the PTX", FLIP, JW_CACHE_HEADER + 80 },
    { "elf", "a byte of the cubin's head", FLIP, -1 },
    { "code", "a byte in the middle of the cubin", FLIP, -2 },
    { "huge-key", "a key of 2^40 bytes, as the header says", HUGE_KEY, 0 },
    { "huge-payload", "a payload of 2^40 bytes, as the header says", HUGE_PAYLOAD, 0 },
};

struct harming {
    struct lab *l;
    const char *warm, *ptx;
    char kernel[48];
    struct lab_entry made;
};

static void do_harm(const struct harm *h, struct jw_buf *file, size_t payload_at)
{
    size_t at = h->at >= 0 ? (size_t)h->at : h->at == -1 ? payload_at + 1 : (payload_at + file->n) / 2;

    if (h->how == CUT)
        file->n = h->at == -1 ? file->n - 1 : h->at == 2 ? file->n / 2 : (size_t)h->at;
    else if (h->how == FLIP)
        file->p[at] ^= 0x41;
    else /* a 64-bit number, little endian */
        file->p[(h->how == HUGE_KEY ? KEY_AT : PAYLOAD_AT) + 5] = 1;
}

/* A fresh process; begins a line. */
static bool look(struct harming *t, const char *root, const char *step, const char *what,
                 struct lab_done *done, bool *right, struct jw_err *err)
{
    struct lab *l = t->l;
    struct lab_step s = { .root = root,
                          .loading = "EAGER",
                          .silent_ms = SILENT_MS,
                          .ops = { "context", lab_op_text(l, "data", t->ptx),
                                   lab_op_of(l, "launch %s %d", t->kernel, X) } };
    struct lab_census census;

    if (!lab_run(l, &s, done, err) || !lab_census(l, root, &census, err))
        return false;
    const struct lab_op *launched = lab_op(done, "launch");

    *right = launched && launched->code == 0 && launched->value == X + N;
    lab_say(l, step, what, true);
    lab_say_done(l, done);
    jw_json_bool(&l->json, "number_right", *right);
    jw_json_bool(&l->json, "made_again", lab_new(done) != 0);
    lab_say_census(l, "left", &census);
    return true;
}

static bool entry(struct harming *t, const struct harm *h, struct jw_err *err)
{
    struct lab *l = t->l;
    struct jw_buf file = JW_BUF(LAB_MAX_ENTRY);
    struct lab_done done;
    const char *root;
    bool right;

    jw_buf_add(&file, t->made.bytes.p, t->made.bytes.n);
    bool ok = jw_buf_ok(&file, err) && lab_root(l, h->name, &root, err)
              && lab_copy_root(l, t->warm, root, true, err);

    if (ok)
        do_harm(h, &file, JW_CACHE_HEADER + t->made.key.n);
    ok = ok
         && lab_write(l, jw_path_join(&l->arena, root, jw_cache_name(t->made.name).text), jw_buf_bytes(&file),
                      err)
         && look(t, root, h->name, h->what, &done, &right, err);
    jw_buf_free(&file);
    if (!ok)
        return false;
    bool crashed = !done.whole, failed = !crashed && !lab_all_zero(&done);

    if (right)
        lab_finds(l, "F68-torn-possible", LAB_ANSWERED, "%s: the number is right, and the entry was %s",
                  h->what, lab_new(&done) ? "made again" : "left as it is");
    else
        lab_finds(l, "F69-checksum-checked", failed ? LAB_ANSWERED : LAB_CONTRADICTED, "%s: %s", h->what,
                  crashed  ? "the process died of it"
                  : failed ? "the load failed"
                           : "a wrong number was computed");
    lab_say_end(l);
    return true;
}

/* ---- the index ---- */

static bool harm_index(struct harming *t, const char *root, const char *how, struct jw_err *err)
{
    static const uint8_t garbage[64] = { 0x9d, 0x21, 0xfe, 0x07, 0x55, 0xaa };
    const char *path = jw_path_join(&t->l->arena, root, "index");

    if (strcmp(how, "index-zero") == 0)
        return truncate(path, 0) == 0 || jw_fail(err, JW_E_IO, "%s: cannot be cut", path);
    if (strcmp(how, "index-cut") == 0)
        return truncate(path, 20) == 0 || jw_fail(err, JW_E_IO, "%s: cannot be cut", path);
    if (strcmp(how, "index-garbage") == 0)
        return lab_write(t->l, path, (struct jw_bytes){ garbage, sizeof garbage }, err);
    return (unlink(path) == 0 && lab_root(t->l, lab_op_of(t->l, "%s/index", how), &path, err))
           || jw_fail(err, JW_E_IO, "%s: cannot be replaced", path);
}

static bool indexes(struct harming *t, struct jw_err *err)
{
    static const char *const hows[] = { "index-zero", "index-cut", "index-garbage", "index-folder" };

    for (size_t i = 0; i < JW_COUNT(hows); i++) {
        struct lab_done done;
        const char *root;
        bool right;

        if (!lab_root(t->l, hows[i], &root, err) || !lab_copy_root(t->l, t->warm, root, true, err)
            || !harm_index(t, root, hows[i], err)
            || !look(t, root, hows[i], "an index that is empty, cut, garbage or a folder", &done, &right,
                     err))
            return false;
        lab_finds(t->l, "F83-damaged-index", LAB_ANSWERED, "%s: the number is %s, the entry was %s", hows[i],
                  right ? "right" : "not right", lab_new(&done) ? "made again" : "left as it is");
        if (!right)
            lab_finds(t->l, "F32-delete-is-safe", LAB_CONTRADICTED, "%s: the load failed", hows[i]);
        lab_say_end(t->l);
    }
    return true;
}

bool lab_e9a(struct lab *l, struct jw_err *err)
{
    struct harming t = { .l = l };
    struct lab_module m;
    struct lab_done done;
    size_t n = 0;
    bool ok = lab_canary(l, &m, N, N, err) && lab_root(l, "warm", &t.warm, err)
              && lab_load(l, t.warm, "data", "e9a.ptx", jw_buf_bytes(&m.ptx), &done, err)
              && lab_entry_read(l, t.warm, &t.made, &n, err)
              && (n == 1 || jw_fail(err, JW_E_FORMAT, "the module left %zu entries: %s", n, done.how));

    memcpy(t.kernel, m.kernel, sizeof t.kernel);
    t.ptx = lab_path(l, "e9a.ptx");
    lab_module_free(&m);
    for (size_t i = 0; ok && i < JW_COUNT(harms); i++)
        ok = entry(&t, &harms[i], err);
    ok = ok && indexes(&t, err);
    lab_entry_free(&t.made);
    return ok
           && lab_not_asked(l, "g",
                            "a power loss: what a kill leaves (E9f) is what a copy of a running folder holds",
                            NULL);
}
