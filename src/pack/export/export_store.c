/* Copies new packs to the store. */
#include "pack/export/export_work.h"

#include "base/text.h"
#include "pack/store/store.h"

/* For when this cache is cleared or a driver update is undone. A pack of some files, or of one command, would
 * replace a more complete one. One without a signature would be this user's own there, so what came from others
 * is not kept in it. */
bool export_store(struct export *x, size_t pack, struct jw_err *err)
{
    const struct jw_export_pack *p = &x->out->packs[pack];
    uint64_t foreign = export_untrusted(x, pack);
    struct jw_err why = { 0 };
    struct jw_store_add add = { .key = { .stamp = x->driver.stamp, .sm = p->sm, .driver = x->driver.version },
                                .file = p->path,
                                .digest = p->body_digest,
                                .signature = p->signature,
                                .current = x->driver.stamp,
                                .cap = x->o->store_cap };

    if (!x->o->store_cap || !p->path || x->o->paths.n || x->o->command || x->o->everything)
        return true;
    if (foreign && !p->signature) {
        export_note(x, "no copy of the pack is kept in the store: %s from packs that no trusted key signed",
                    JW_N(foreign, "entry came", "entries came"));
        return true;
    }
    export_notify(x, "copying to the store");
    if (jw_store_add(&add, x->run->a, &why)) {
        x->out->packs[pack].kept = add.path;
        for (size_t i = 0; i < add.n_evicted; i++)
            export_note(x, "removed %s from the store to make room", add.evicted[i]);
        return true;
    }
    if (why.code != JW_E_INTERRUPTED) {
        export_note(x, "cannot copy the pack to the store: %s", why.msg);
        return true;
    }
    *err = why;
    return false;
}
