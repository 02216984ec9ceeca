/*
 * E9 a, c and e, damage: an entry that is cut, has a byte flipped or claims to be huge, and an index that is cut, garbled or no
 * file. Does the next process load the module, does its kernel compute right, and is what was damaged made whole?
 */
#include "lab.h"

#include "../rigs/cache_entry.h"
#include "base/compiler.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    N_E9A = 9701,
    X_E9A = 1000,
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
    struct lab_step s = { .cache = root,
                          .loading = "EAGER",
                          .silent_ms = SILENT_MS,
                          .ops = { "context", lab_op_text(l, "data", t->ptx),
                                   lab_op_of(l, "launch %s %d", t->kernel, X_E9A) } };
    struct lab_census census;

    if (!lab_run(l, &s, done, err) || !lab_census(l, root, &census, err))
        return false;
    const struct lab_op *launched = lab_op(done, "launch");

    *right = launched && launched->code == 0 && launched->value == X_E9A + N_E9A;
    lab_say(l, step, what, true);
    lab_say_done(l, done);
    jw_json_bool(&l->json, "number_right", *right);
    jw_json_bool(&l->json, "made_again", lab_new(done) != 0);
    lab_say_census(l, "left", &census);
    return true;
}

static bool entry_e9a(struct harming *t, const struct harm *h, struct jw_err *err)
{
    struct lab *l = t->l;
    struct jw_buf file = JW_BUF(LAB_MAX_ENTRY);
    struct lab_done done;
    const char *root;
    bool right;

    jw_buf_add(&file, t->made.bytes.p, t->made.bytes.n);
    bool ok = jw_buf_ok(&file, err) && lab_cache(l, h->name, &root, err)
              && lab_copy_cache(l, t->warm, root, true, err);

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
    return (unlink(path) == 0 && lab_cache(t->l, lab_op_of(t->l, "%s/index", how), &path, err))
           || jw_fail(err, JW_E_IO, "%s: cannot be replaced", path);
}

static bool indexes(struct harming *t, struct jw_err *err)
{
    static const char *const hows[] = { "index-zero", "index-cut", "index-garbage", "index-folder" };

    for (size_t i = 0; i < JW_COUNT(hows); i++) {
        struct lab_done done;
        const char *root;
        bool right;

        if (!lab_cache(t->l, hows[i], &root, err) || !lab_copy_cache(t->l, t->warm, root, true, err)
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
    bool ok = lab_canary(l, &m, N_E9A, N_E9A, err) && lab_cache(l, "warm", &t.warm, err)
              && lab_load(l, t.warm, "data", "e9a.ptx", jw_buf_bytes(&m.ptx), &done, err)
              && lab_entry_read(l, t.warm, &t.made, &n, err)
              && (n == 1 || jw_fail(err, JW_E_FORMAT, "the module left %zu entries: %s", n, done.how));

    memcpy(t.kernel, m.kernel, sizeof t.kernel);
    t.ptx = lab_path(l, "e9a.ptx");
    lab_module_free(&m);
    for (size_t i = 0; ok && i < JW_COUNT(harms); i++)
        ok = entry_e9a(&t, &harms[i], err);
    ok = ok && indexes(&t, err);
    lab_entry_free(&t.made);
    return ok
           && lab_not_asked(l, "g",
                            "a power loss: what a kill leaves (E9f) is what a copy of a running folder holds",
                            NULL);
}

/*
 * E9 b, an entry whose checksum does not hold: under a module's key lies the code of another one, with the checksum of
 * neither. The number that the kernel writes tells whether the driver used it.
 */

enum { N_E9B = 9501, ADD = 11, OTHER = 22, X_E9B = 1000, CHECKSUM_AT = 20 };

static bool make(struct lab *l, const char *name, unsigned add, struct lab_entry *e, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    const char *root;
    char file[32];
    size_t n = 0;

    (void)snprintf(file, sizeof file, "%s.ptx", name);
    bool ok = lab_canary(l, &m, N_E9B, add, err) && lab_cache(l, name, &root, err)
              && lab_load(l, root, "data", file, jw_buf_bytes(&m.ptx), &done, err)
              && lab_entry_read(l, root, e, &n, err)
              && (n == 1 || jw_fail(err, JW_E_FORMAT, "%s left %zu entries: %s", name, n, done.how));

    lab_module_free(&m);
    return ok;
}

/* The folder with that entry; its record holds. */
static bool place(struct lab *l, const char *root, const struct lab_entry *key, const struct lab_entry *code,
                  struct jw_err *err)
{
    struct jw_buf bytes = JW_BUF(LAB_MAX_ENTRY);
    uint64_t name;
    bool ok = lab_put_entry(l, root, key->key, code->payload, &name, err)
              && cache_entry_write(&bytes, key->key, code->payload, &name, err);

    if (ok)
        bytes.p[CHECKSUM_AT] ^= 0x5a;
    ok = ok
         && lab_write(l, jw_path_join(&l->arena, root, jw_cache_name(name).text), jw_buf_bytes(&bytes), err);
    jw_buf_free(&bytes);
    return ok;
}

static bool ask(struct lab *l, const char *root, struct jw_err *err)
{
    struct lab_step s = { .cache = root,
                          .loading = "EAGER",
                          .ops = { "context", lab_op_text(l, "data", lab_path(l, "meant.ptx")),
                                   lab_op_of(l, "launch jw_canary_add_%d %d", N_E9B, X_E9B) } };
    struct lab_done done;

    if (!lab_run(l, &s, &done, err))
        return false;
    const struct lab_op *launched = lab_op(&done, "launch");
    bool used = launched && launched->code == 0 && launched->value == X_E9B + OTHER;
    bool right = launched && launched->code == 0 && launched->value == X_E9B + ADD;

    lab_say(l, "b", "an entry with other code and a checksum that does not hold", true);
    lab_say_done(l, &done);
    jw_json_bool(&l->json, "used", used);
    jw_json_bool(&l->json, "made_again", lab_new(&done) != 0);
    if (used || right)
        lab_finds_holds(l, "F69-checksum-checked", right, right ? "it was not used" : "its code was used");
    else
        lab_finds(l, "F69-checksum-checked", LAB_CONFIRMED, "it was not used, and the load failed: %s",
                  done.how);
    lab_say_end(l);
    return true;
}

bool lab_e9b(struct lab *l, struct jw_err *err)
{
    struct lab_entry meant = { 0 }, other = { 0 };
    const char *root;
    bool ok = make(l, "meant", ADD, &meant, err) && make(l, "other", OTHER, &other, err)
              && lab_cache(l, "b", &root, err) && place(l, root, &meant, &other, err) && ask(l, root, err);

    lab_entry_free(&meant);
    lab_entry_free(&other);
    return ok;
}

/*
 * E9 f, kill -9: workers that store many modules are killed at some instant. What is left, does the next process compute
 * right with it, and is what is torn made again, or missed for ever?
 */

enum {
    WORKERS = 8,
    ROUNDS = 20,
    MODULES = 80,
    SMALL_WORKERS = 3,
    SMALL_ROUNDS = 2,
    SMALL_MODULES = 9,
    FIRST_N = 9001,
    X_E9F = 1000
};

struct killing {
    struct lab *l;
    struct lab_set set;
    unsigned workers, whole_ms; /* what it takes when nobody is killed */
    size_t torn, healed, wrong, orphans, missed;
};

/* `die_ms` 0: nobody dies. */
static bool warm_e9f(struct killing *k, const char *root, const char *name, unsigned die_ms, unsigned *ms,
                     struct jw_err *err)
{
    struct lab_step steps[WORKERS];
    struct lab_done done[WORKERS];
    struct lab *l = k->l;

    for (unsigned i = 0; i < k->workers; i++) {
        const char *list = lab_set_list(l, &k->set, i, k->workers, err);

        if (!list)
            return false;
        steps[i] = (struct lab_step){ .cache = root, .loading = "EAGER", .ops = { "context" } };
        steps[i].ops[1] = lab_op_of(l, "meet %s-meet %u", lab_path(l, name), k->workers);
        steps[i].ops[2] = die_ms ? lab_op_of(l, "diein %u", die_ms) : "pause 0";
        steps[i].ops[3] = lab_op_text(l, "many", list);
    }
    if (!lab_run_all(l, steps, done, k->workers, err))
        return false;
    *ms = 1;
    for (unsigned i = 0; i < k->workers; i++)
        if (done[i].n == 4 && done[i].ops[3].us / 1000 > *ms)
            *ms = (unsigned)(done[i].ops[3].us / 1000);
    return true;
}

static bool round_of(struct killing *k, unsigned round, struct jw_err *err)
{
    /* An instant that differs from round to round, and not from run to run. */
    unsigned die_ms = 1 + (round * 2654435761U >> 8) % k->whole_ms, ms;
    struct lab_census killed, once, twice;
    struct lab_reload first, second;
    struct lab *l = k->l;
    const char *root;
    char name[16];

    (void)snprintf(name, sizeof name, "f-%u", round);
    if (!lab_cache(l, name, &root, err) || !warm_e9f(k, root, name, die_ms, &ms, err)
        || !lab_census(l, root, &killed, err) || !lab_set_load(l, &k->set, root, true, &first, err)
        || !lab_census(l, root, &once, err) || !lab_set_load(l, &k->set, root, true, &second, err)
        || !lab_census(l, root, &twice, err))
        return false;
    lab_say(l, name, "workers killed while they store", true);
    jw_json_number(&l->json, "killed_after_ms", die_ms);
    lab_say_census(l, "killed", &killed);
    lab_say_census(l, "loaded_again", &once);
    lab_say_census(l, "and_again", &twice);
    jw_json_number(&l->json, "modules", k->set.n);
    jw_json_number(&l->json, "right", first.right);
    jw_json_number(&l->json, "right_again", second.right);
    jw_json_number(&l->json, "compiled_the_second_time", second.fresh + second.changed);
    jw_json_text(&l->json, "ended", first.how);
    lab_say_end(l);
    k->torn += killed.torn;
    k->healed += killed.torn > twice.torn ? killed.torn - twice.torn : 0;
    k->wrong += (k->set.n - first.right) + (k->set.n - second.right);
    k->orphans += killed.orphans;
    k->missed += second.fresh + second.changed;
    return true;
}

static void check(struct killing *k)
{
    struct lab *l = k->l;

    lab_say(l, "f", "all rounds together", true);
    jw_json_number(&l->json, "torn", k->torn);
    jw_json_number(&l->json, "made_whole_again", k->healed);
    jw_json_number(&l->json, "wrong_numbers", k->wrong);
    jw_json_number(&l->json, "entries_without_record", k->orphans);
    jw_json_number(&l->json, "missed_for_ever", k->missed);
    if (k->torn)
        lab_finds(l, "F68-torn-possible", LAB_CONFIRMED,
                  "%zu entries torn, %zu of them made whole by the next loads, %zu numbers wrong", k->torn,
                  k->healed, k->wrong);
    else
        lab_finds(l, "F68-torn-possible", LAB_NOT_TESTABLE, "no kill hit the moment: no torn entry");
    if (k->wrong)
        lab_finds(l, "F69-checksum-checked", LAB_CONTRADICTED, "%zu wrong numbers with %zu torn entries",
                  k->wrong, k->torn);
    if (k->orphans)
        lab_finds(l, "F29-orphans-exist", LAB_CONFIRMED,
                  "a kill left %zu whole entries or more without a record", k->orphans);
    lab_say_end(l);
}

bool lab_e9f(struct lab *l, struct jw_err *err)
{
    struct killing k = { .l = l, .workers = lab_scaled(l, WORKERS, SMALL_WORKERS) };
    unsigned rounds = lab_scaled(l, ROUNDS, SMALL_ROUNDS);
    const char *root;

    if (!lab_set_make(l, &k.set, "kill", FIRST_N, lab_scaled(l, MODULES, SMALL_MODULES), 0, err)
        || !lab_cache(l, "unharmed", &root, err) || !warm_e9f(&k, root, "unharmed", 0, &k.whole_ms, err))
        return false;
    /* On a busy machine the kills come too late or too early: more of them until one hits. */
    for (unsigned i = 0; (i < rounds || (!k.torn && i < 4 * rounds)) && lab_seconds_left(l) > 15; i++)
        if (!round_of(&k, i + 1, err))
            return false;
    check(&k);
    return true;
}
