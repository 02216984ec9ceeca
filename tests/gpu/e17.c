/*
 * E17, packs without a GPU: phantom carries this machine's own driver and makes the pack for its GPU. Are the pack's entries,
 * name by name and byte by byte, those that this machine makes itself?
 */
#include "cache/place/listing.h"
#include "lab.h"

#include "base/path.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANARIES = 6, HEAVY = 6, SMALL = 3, MAX_WORDS = 32, MAX_SAID = 1 << 20 };

struct comparing {
    struct lab *l;
    const char *tool, *state, *own, *packed; /* `own`, `packed`: caches */
    struct lab_set light, heavy;
};

/* Its last words, when it fails, say why. */
static bool jitwarm(struct comparing *c, const char *root, const char *const *words, struct jw_err *err)
{
    const char *argv[MAX_WORDS] = { "sh", "-c", "exec \"$@\" 2>&1", "sh", c->tool };
    struct jw_child_edit edits[] = { { "CUDA_CACHE_PATH", root }, { "JITWARM_STATE", c->state } };
    struct jw_process_options o = { .exe = "/bin/sh",
                                    .argv = argv,
                                    .timeout_ms = (lab_seconds_left(c->l) + 1) * 1000,
                                    .edits = edits,
                                    .n_edits = JW_COUNT(edits) };
    struct jw_buf said = JW_BUF(MAX_SAID);
    size_t n = 5;
    int code = -1;

    while (*words)
        argv[n++] = *words++;
    for (size_t i = 0; i < c->light.n; i++)
        argv[n++] = c->light.items[i].path;
    for (size_t i = 0; i < c->heavy.n; i++)
        argv[n++] = c->heavy.items[i].path;
    bool ok = jw_process_run(&o, &said, &code, err);
    const char *text = jw_buf_cstr(&said), *last = strlen(text) > 200 ? text + strlen(text) - 200 : text;

    if (ok && code != 0)
        ok = jw_fail(err, JW_E_DRIVER, "jitwarm %s ends with %d: ...%s", argv[5], code, last);
    jw_buf_free(&said);
    return ok;
}

/* The folder of the driver's files; a name alone is what the loader finds. */
static const char *driver_folder(struct lab *l)
{
    char *real = realpath(l->m.library, NULL);
    const char *folder = real ? jw_path_dir(&l->arena, lab_op_of(l, "%s", real)) : NULL;

    free(real);
    return folder;
}

static bool make_both(struct comparing *c, const char *folder, struct jw_err *err)
{
    struct lab *l = c->l;
    const char *packs = lab_path(l, "packs"), *gpu = lab_op_of(l, "sm_%u", l->m.sm);
    const char *pack = lab_op_of(l, "%s/jitwarm-%s-sm_%u.tar.zst", packs, l->m.driver, l->m.sm);
    const char *const prime[] = { "prime", "--yes", NULL };
    const char *const without_gpu[] = { "prime", "--driver-files", folder, "--gpu", gpu, "--pack",
                                        packs,   "--yes",          NULL };
    const char *const import[] = { "import", "--allow-unsigned", pack, geteuid() == 0 ? "--as-root" : NULL,
                                   NULL };

    return jitwarm(c, c->own, prime, err) && jitwarm(c, c->own, without_gpu, err)
           && jitwarm(c, c->packed, import, err);
}

static bool read_file(struct lab *l, const char *root, uint64_t name, struct jw_buf *out, struct jw_err *err)
{
    bool there = false;

    *out = JW_BUF(LAB_MAX_ENTRY);
    return jw_file_slurp(jw_path_join(&l->arena, root, jw_cache_name(name).text), out, &there, err) && there;
}

/* LAB_E17_TAMPER, for the test of this experiment: the bytes of the first one are others. */
static bool same_file(struct comparing *c, uint64_t name, bool first, bool *same, struct jw_err *err)
{
    struct jw_buf own = { 0 }, packed = { 0 };
    bool ok = read_file(c->l, c->own, name, &own, err) && read_file(c->l, c->packed, name, &packed, err);

    if (ok && first && getenv("LAB_E17_TAMPER"))
        packed.p[packed.n - 1] ^= 1;
    *same = ok && own.n == packed.n && memcmp(own.p, packed.p, own.n) == 0;
    jw_buf_free(&own);
    jw_buf_free(&packed);
    return ok;
}

static bool compare(struct comparing *c, struct jw_err *err)
{
    struct lab *l = c->l;
    struct jw_cache_listing own = { 0 }, packed = { 0 };
    bool ok = jw_cachedir_list(c->own, false, &l->arena, &own, err)
              && jw_cachedir_list(c->packed, false, &l->arena, &packed, err);
    size_t names = 0, equal = 0, modules = c->light.n + c->heavy.n;

    for (size_t i = 0; ok && i < own.n; i++) {
        bool same = false;

        if (!jw_cache_file_find(&packed, own.files[i].name))
            continue;
        names++;
        ok = same_file(c, own.files[i].name, i == 0, &same, err);
        equal += same;
    }
    lab_say(l, "packs", "what phantom makes of this driver against what this machine makes", ok);
    jw_json_number(&l->json, "modules", modules);
    jw_json_number(&l->json, "own", own.n);
    jw_json_number(&l->json, "packed", packed.n);
    jw_json_number(&l->json, "same_names", names);
    jw_json_number(&l->json, "same_bytes", equal);
    if (ok)
        lab_finds(
            l, "F39-deterministic",
            own.n == modules && packed.n == modules && equal == modules ? LAB_CONFIRMED : LAB_CONTRADICTED,
            "%zu of %zu entries made without a GPU are, byte for byte, those made here", equal, modules);
    lab_say_end(l);
    jw_cache_listing_free(&own);
    jw_cache_listing_free(&packed);
    return ok;
}

bool lab_e17(struct lab *l, struct jw_err *err)
{
    struct comparing c = { .l = l, .tool = lab_tool(l) };
    const char *folder = driver_folder(l);
    const char *why = l->m.simulated ? "phantom carries NVIDIA's own driver, and this one is simulated"
                      : !c.tool      ? "there is no jitwarm beside this program: LAB_JITWARM names one"
                      : !folder      ? "where the driver's files are is not known"
                                     : NULL;
    unsigned n = lab_scaled(l, CANARIES, SMALL);

    if (why)
        return lab_not_asked(l, "packs", why, "F39-deterministic");
    if (!lab_cache(l, "state", &c.state, err) || !lab_cache(l, "own", &c.own, err)
        || !lab_cache(l, "packed", &c.packed, err) || !lab_set_make(l, &c.light, "light", 7001, n, 0, err)
        || !lab_set_make(l, &c.heavy, "heavy", 7101, lab_scaled(l, HEAVY, SMALL), 200, err))
        return false;
    if (make_both(&c, folder, err))
        return compare(&c, err);
    lab_say_failure(l, "packs", "what phantom makes of this driver against what this machine makes", err);
    return true;
}
