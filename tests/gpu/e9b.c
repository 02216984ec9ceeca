/*
 * E9 b, an entry whose checksum does not hold: under a module's key lies the code of another one, with the checksum of
 * neither. The number that the kernel writes tells whether the driver used it.
 */
#include "lab.h"

#include "base/path.h"

#include <stdio.h>
#include <string.h>

enum { N = 9501, ADD = 11, OTHER = 22, X = 1000, CHECKSUM_AT = 20 };

static bool make(struct lab *l, const char *name, unsigned add, struct lab_entry *e, struct jw_err *err)
{
    struct lab_module m;
    struct lab_done done;
    const char *root;
    char file[32];
    size_t n = 0;

    (void)snprintf(file, sizeof file, "%s.ptx", name);
    bool ok = lab_canary(l, &m, N, add, err) && lab_root(l, name, &root, err)
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
              && jw_cache_entry_write(&bytes, key->key, code->payload, &name, err);

    if (ok)
        bytes.p[CHECKSUM_AT] ^= 0x5a;
    ok = ok
         && lab_write(l, jw_path_join(&l->arena, root, jw_cache_name(name).text), jw_buf_bytes(&bytes), err);
    jw_buf_free(&bytes);
    return ok;
}

static bool ask(struct lab *l, const char *root, struct jw_err *err)
{
    struct lab_step s = { .root = root,
                          .loading = "EAGER",
                          .ops = { "context", lab_op_text(l, "data", lab_path(l, "meant.ptx")),
                                   lab_op_of(l, "launch jw_canary_add_%d %d", N, X) } };
    struct lab_done done;

    if (!lab_run(l, &s, &done, err))
        return false;
    const struct lab_op *launched = lab_op(&done, "launch");
    bool used = launched && launched->code == 0 && launched->value == X + OTHER;
    bool right = launched && launched->code == 0 && launched->value == X + ADD;

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
              && lab_root(l, "b", &root, err) && place(l, root, &meant, &other, err) && ask(l, root, err);

    lab_entry_free(&meant);
    lab_entry_free(&other);
    return ok;
}
