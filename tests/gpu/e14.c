/*
 * E14, carrying: an entry as an old driver would have left it, its stamp made today's, in a folder of ours. Does a fresh
 * process take it, and does its kernel compute the right number? What is carried back here is the same bytes again, so
 * two harder ones follow: code that this driver made with other options, and code of another kernel, under that key.
 */
#include "lab.h"

#include <stdio.h>
#include <string.h>

enum { N = 307, ADD = 307, OTHER = 5309, X = 1000, MAX_KEY = 1 << 20 };

static const char old_stamp[] = "Jan  1 202000:00:00";

struct carrying {
    struct lab *l;
    struct lab_module m;
    const char *ptx; /* its file */
    struct lab_entry made, options, other;
};

/* A module loaded into an empty folder, and the entry that it left. */
static bool make_entry(struct lab *l, const char *name, struct jw_bytes image, struct lab_entry *e,
                       struct jw_err *err)
{
    struct lab_done done;
    const char *root;
    size_t n = 0;
    bool ok = lab_root(l, name, &root, err) && lab_load(l, root, "data", "e14.image", image, &done, err)
              && lab_entry_read(l, root, e, &n, err);

    return ok && (n == 1 || jw_fail(err, JW_E_FORMAT, "%s left %zu entries: %s", name, n, done.how));
}

static bool make_all(struct carrying *c, struct jw_err *err)
{
    struct lab_module other = { 0 };
    struct jw_buf image = { 0 };
    bool ok = lab_canary(c->l, &c->m, N, ADD, err) && lab_canary(c->l, &other, N, OTHER, err)
              && make_entry(c->l, "made", jw_buf_bytes(&c->m.ptx), &c->made, err)
              && make_entry(c->l, "made-other", jw_buf_bytes(&other.ptx), &c->other, err)
              && lab_fatbin(c->l, &c->m, 0, "-maxrregcount=40 --generate-line-info ", &image, err)
              && make_entry(c->l, "made-options", jw_buf_bytes(&image), &c->options, err);

    c->ptx = lab_path(c->l, "e14.ptx");
    ok = ok && lab_write(c->l, c->ptx, jw_buf_bytes(&c->m.ptx), err);
    jw_buf_free(&image);
    lab_module_free(&other);
    return ok;
}

/* `key` under another stamp. */
static bool stamped(struct jw_buf *out, struct jw_bytes key, const char *stamp, struct jw_err *err)
{
    *out = JW_BUF(MAX_KEY);
    if (key.n <= JW_CACHE_STAMP)
        return jw_fail(err, JW_E_FORMAT, "a key of %zu bytes", key.n);
    jw_buf_add(out, stamp, JW_CACHE_STAMP);
    jw_buf_add(out, key.p + JW_CACHE_STAMP, key.n - JW_CACHE_STAMP);
    return jw_buf_ok(out, err);
}

static const char *whose(uint64_t number)
{
    return number == X + ADD ? "as meant" : number == X + OTHER ? "of the code that we put there" : "wrong";
}

static void judge(struct lab *l, const char *step, bool taken, uint64_t number)
{
    bool right = taken && number == X + ADD;

    if (strcmp(step, "away") == 0)
        lab_finds_holds(l, "F35-update-changes-keys", !taken,
                        "an entry with another stamp alone in the folder");
    else if (strcmp(step, "back") == 0)
        lab_finds_holds(l, "F33-restamp-hits", right, "its stamp made today's, the same bytes");
    else if (strcmp(step, "other-options") == 0)
        lab_finds_holds(l, "F37-old-code-runs", right,
                        "code of this compiler with other options, under this key");
    else
        lab_finds_holds(l, "F34-payload-unchecked", taken && number == X + OTHER,
                        "code of another kernel under this key");
}

/* A folder with this one entry in it; a fresh process loads the module and launches its kernel. */
static bool try(struct carrying *c, const char *step, const char *what, struct jw_bytes key,
                struct jw_bytes payload, struct jw_err *err)
{
    struct lab_trial t = { .name = step,
                           .what = what,
                           .door = "data",
                           .file = c->ptx,
                           .kernel = c->m.kernel,
                           .x = X,
                           .key = key,
                           .payload = payload };

    if (!lab_try(c->l, &t, err))
        return false;
    bool computed = t.launched && t.launched->code == 0;

    jw_json_text(&c->l->json, "number", computed ? whose(t.launched->value) : NULL);
    judge(c->l, step, t.taken, computed ? t.launched->value : 0);
    lab_say_end(c->l);
    return true;
}

static bool carry(struct carrying *c, struct jw_err *err)
{
    struct jw_buf away = { 0 }, back = { 0 };
    bool ok = stamped(&away, c->made.key, old_stamp, err)
              && stamped(&back, jw_buf_bytes(&away), c->l->m.stamp, err)
              && try(c, "away", "an entry with an old stamp alone: it should be missed", jw_buf_bytes(&away),
                     c->made.payload, err)
              && try(c, "back", "the same with today's stamp put back: it should be taken",
                     jw_buf_bytes(&back), c->made.payload, err)
              && try(c, "other-options", "the same PTX compiled with other options, under this key",
                     jw_buf_bytes(&back), c->options.payload, err)
              && try(c, "other-code", "the code of another kernel under this key", jw_buf_bytes(&back),
                     c->other.payload, err);

    jw_buf_free(&away);
    jw_buf_free(&back);
    return ok;
}

bool lab_e14(struct lab *l, struct jw_err *err)
{
    struct carrying c = { .l = l };
    bool ok = *l->m.stamp ? make_all(&c, err) && carry(&c, err)
                          : jw_fail(err, JW_E_FORMAT, "the stamp is not known: entries cannot be read");

    lab_entry_free(&c.made);
    lab_entry_free(&c.other);
    lab_entry_free(&c.options);
    lab_module_free(&c.m);
    return ok;
}
