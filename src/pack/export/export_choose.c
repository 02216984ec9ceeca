/* Chooses the entries of a pack and describes them. Pure. */
#include "pack/export/export_run.h"

#include "base/limits.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/text.h"
#include "os/machine/env.h"
#include "software/find/discover.h"

#include <string.h>

/* ---- which ---- */

bool export_takes_others(const struct export *x) { return x->o->whole || !x->o->want.paths.n; }

static const struct jw_job *wanted_of(const struct export *x, uint64_t name)
{
    return jw_find_u64(x->wanted, x->n_wanted, sizeof *x->wanted, name);
}

static bool belongs(const struct export *x, const struct jw_pack_manifest *m,
                    const struct jw_cache_file *f, const struct jw_job *w)
{
    if (f->sm != m->sm || !jw_cache_serves(f->kind, f->stamp, f->version, m->stamp, m->driver))
        return false;
    return x->o->whole || w || (f->kind != JW_CACHE_CUDA && export_takes_others(x));
}

void export_choose(const struct export *x, struct jw_export_pack *pack)
{
    const struct jw_cache_listing *l = &x->listing;
    uint16_t sm = pack->manifest.sm;

    pack->files = jw_arena_alloc(x->run->a, (l->n + 1) * sizeof(const void *));
    for (const struct jw_cache_file *f = l->files; f < l->files + l->n; f++) {
        const struct jw_job *w = wanted_of(x, f->name);

        if (f->damage || (w && w->damaged)) /* only the request says whether it belongs */
            *(f->unread ? &pack->missing : &pack->damaged) +=
                x->o->whole || (w && (!w->sm || w->sm == sm));
        else if (belongs(x, &pack->manifest, f, w))
            pack->files[pack->n_files++] = f;
    }
    for (const struct jw_job *w = x->wanted; w < x->wanted + x->n_wanted; w++)
        if (w->place && !jw_job_is_banned(w) && w->sm == sm && !jw_cache_file_find(l, w->name)) {
            pack->missing++;
            pack->lacks = w->place->path;
        }
    /* The limit of a manifest is far above what any cache was seen to hold; entries behind it are
     * missed. */
    pack->missing += pack->n_files - jw_min(pack->n_files, JW_MAX_PACK_ENTRIES);
    pack->n_files = (size_t)jw_min(pack->n_files, JW_MAX_PACK_ENTRIES);
}

void export_choose_packs(struct export *x)
{
    for (size_t i = 0; i < x->n_kinds; i++) {
        struct jw_export_pack *pack = &x->out->packs[x->out->n_packs];

        *pack = x->out->packs[i];
        export_choose(x, pack);
        if (pack->n_files) {
            export_describe(x, pack);
            x->out->n_packs++;
            continue;
        }
        x->lost.damaged += pack->damaged;
        x->lost.missing += pack->missing;
    }
}

/* ---- described ---- */

const char *export_plain_name(const char *text, struct jw_arena *a)
{
    size_t n = strlen(text);
    bool utf8 = jw_utf8_valid((struct jw_bytes){(const uint8_t *)text, n});
    char *out;

    while (n > JW_MAX_PACK_NAME || (text[n] && ((uint8_t)text[n] & 0xc0) == 0x80))
        n--;
    out = jw_arena_text(a, text, n);
    for (char *c = out; *c; c++)
        if ((uint8_t)*c < 0x20 || *c == 0x7f || strchr("/\\:", *c)
            || (!utf8 && (uint8_t)*c >= 0x80))
            *c = '_';
    return *out && strcmp(out, ".") != 0 && strcmp(out, "..") != 0 ? out : "_";
}

void export_describe(const struct export *x, struct jw_export_pack *pack)
{
    struct jw_arena *a = x->run->a;
    const struct jw_discovery owners = {.arena = a};
    const char **names = jw_arena_alloc(a, (pack->n_files + 1) * sizeof *names);
    struct jw_pack_entry *entries = jw_arena_alloc(a, (pack->n_files + 1) * sizeof *entries);
    const char *driver = pack->manifest.driver;
    size_t all = 0;
    size_t n = 0;

    pack->once = 0;
    for (size_t i = 0; i < pack->n_files; i++) {
        const struct jw_cache_file *f = pack->files[i];
        const struct jw_job *w = wanted_of(x, f->name);

        entries[i] = (struct jw_pack_entry){.name = f->name,
                                            .key_bytes = f->entry.key_size,
                                            .payload_bytes = f->entry.payload_size};
        if (w && w->place && w->place->disk)
            names[all++] =
                export_plain_name(jw_discovery_owner(&owners, w->place->path, NULL).name, a);
        pack->once += f->kind != JW_CACHE_CUDA;
    }
    uint64_t nameless = pack->n_files - all;

    jw_sort(names, all, sizeof *names, jw_by_text);
    for (size_t i = 0; i < all; i++) {
        if (!n || strcmp(names[n - 1], names[i]) != 0)
            names[n++] = names[i];
        nameless += n > JW_MAX_PACK_SOFTWARE;
    }
    pack->manifest =
        (struct jw_pack_manifest){.tool = JITWARM_VERSION,
                                  .os = jw_os_name(),
                                  .arch = jw_os_arch(),
                                  .driver = driver && jw_pack_is_word(driver) ? driver : NULL,
                                  .stamp = pack->manifest.stamp,
                                  .compiler = pack->manifest.compiler,
                                  .sm = pack->manifest.sm,
                                  .software = names,
                                  .n_software = (size_t)jw_min(n, JW_MAX_PACK_SOFTWARE),
                                  .nameless = nameless,
                                  .entries = entries,
                                  .n_entries = pack->n_files};
}
