#include "cache/format/jitcache.h"
#include "lab.h"

#include <string.h>

uint64_t lab_predict(const struct lab *l, struct jw_bytes ptx, unsigned nuls, const char *options)
{
    struct jw_buf key = JW_BUF(LAB_MAX_ENTRY);

    if (!*l->m.stamp)
        return 0;
    jw_cache_key_make(&key, l->m.stamp, l->m.arch, ptx, nuls, options);
    uint64_t name = key.bad ? 0 : jw_fnv1a(JW_FNV_START, key.p, key.n);

    jw_buf_free(&key);
    return name;
}

/* Loads one image into an empty folder; `*told`: it left an entry of a module's kind. */
static bool one_entry(struct lab *l, const char *name, struct jw_bytes image, struct lab_entry *e, bool *told,
                      struct jw_err *err)
{
    struct lab_done done;
    const char *root;
    size_t n = 0;

    *told = false;
    if (!lab_cache(l, name, &root, err) || !lab_load(l, root, "data", "reference.image", image, &done, err))
        return false;
    if (!lab_all_zero(&done))
        return jw_fail(err, JW_E_DRIVER, "the driver did not load a tiny module (%s): %s", name, done.how);
    if (!lab_entry_read(l, root, e, &n, err)) {
        lab_say_failure(l, "reference", "an entry that cannot be read", err);
        return true;
    }
    *told = n == 1 && e->k.kind == JW_CACHE_CUDA && *e->k.stamp;
    return true;
}

bool lab_reference(struct lab *l, struct jw_err *err)
{
    struct lab_module m;
    struct lab_entry text = { 0 }, fat = { 0 };
    struct jw_buf image = JW_BUF(1 << 20);
    bool told = false;
    bool ok = lab_canary(l, &m, 3, 3, err)
              && one_entry(l, "reference-text", jw_buf_bytes(&m.ptx), &text, &told, err);

    if (ok && told) {
        memcpy(l->m.stamp, text.k.stamp, sizeof l->m.stamp);
        memcpy(l->m.arch, text.k.arch, sizeof l->m.arch);
        ok = lab_fatbin(l, &m, JW_FAT_LZ4, NULL, &image, err)
             && one_entry(l, "reference-fatbin", jw_buf_bytes(&image), &fat, &told, err);
        l->m.nuls = ok && told ? fat.k.nuls : 0;
    }
    lab_entry_free(&text);
    lab_entry_free(&fat);
    jw_buf_free(&image);
    lab_module_free(&m);
    return ok;
}
