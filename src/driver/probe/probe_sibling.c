/* Does this driver compile for GPUs that are not here? One canary, for one of them. driver-fact: F84-target-stores */
#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "driver/probe/probe_place.h"
#include "driver/probe/probe_work.h"
#include "formats/cubin.h"
#include "formats/elf.h"
#include "os/files/file.h"

#include <stdio.h>
#include <string.h>

enum { CANARY = 84, ADDS = 11, MOST = 1 << 20 };

static bool refuse(struct probing *p, const char *why)
{
    p->out->no_sibling = jw_arena_str(p->a, why);
    return true;
}

/* `*why` NULL: it was loaded. */
static bool load(struct probing *p, const char *path, struct jw_bytes ptx, const char **why,
                 struct jw_err *err)
{
    struct jw_worker_job job = { .path = path, .size = ptx.n, .text = true, .target = p->o->sibling };
    struct jw_worker *w = NULL;
    struct jw_worker_result r;
    unsigned device = 0;
    char text[200];
    bool ok = probe_start_worker(p, p->root, &w, &device, err);

    *why = NULL;
    jw_digest(job.digest, ptx.p, ptx.n);
    ok = ok && jw_worker_load(w, device, &job, &r, err);
    if (ok && !r.ok) {
        (void)snprintf(text, sizeof text, "asked for sm_%u, it ends with %.100s (error %d)", p->o->sibling,
                       r.name, r.code);
        *why = jw_arena_str(p->a, text);
        ok = true;
    }
    jw_worker_stop(w);
    return ok;
}

static bool is_code_for(struct jw_bytes code, uint16_t sm, struct jw_arena *a)
{
    struct jw_source src = jw_source_memory(&code);
    struct jw_elf elf = jw_elf_header(code);
    struct jw_cubin cubin;
    struct jw_err ignored;

    return elf.ours && elf.machine == JW_EM_CUDA && jw_cubin_read(&src, &elf, a, &cubin, &ignored)
           && cubin.target.sm == sm;
}

/* The entry as it would be on a machine with that GPU: its name, its key, and code for it. */
static bool is_foretold(struct probing *p, const struct jw_cache_file *f, struct jw_bytes ptx, bool *yes,
                        struct jw_err *err)
{
    const char *path = jw_path_join(p->a, p->root, jw_cache_name(f->name).text);
    struct jw_buf key = JW_BUF(MOST), file = JW_BUF(MOST);
    char arch[16];
    bool found = false, ok;

    (void)snprintf(arch, sizeof arch, "sm_%u", p->o->sibling);
    jw_cache_key_make(&key, p->out->state.stamp, arch, ptx, 1, "");
    ok = jw_buf_ok(&key, err) && jw_file_slurp(path, &file, &found, err);
    *yes = ok && found && f->name == jw_fnv1a(JW_FNV_START, key.p, key.n) && file.n > JW_CACHE_HEADER + key.n
           && memcmp(file.p + JW_CACHE_HEADER, key.p, key.n) == 0;
    if (*yes) {
        struct jw_bytes code = { file.p + JW_CACHE_HEADER + key.n, file.n - JW_CACHE_HEADER - key.n };

        *yes = is_code_for(code, p->o->sibling, p->a);
    }
    jw_buf_free(&key);
    jw_buf_free(&file);
    return ok;
}

static bool judge(struct probing *p, struct jw_bytes ptx, struct jw_err *err)
{
    struct jw_cache_listing l = { 0 };
    bool yes = false, ok = probe_list(p->root, true, p->a, &l, err);

    if (ok && l.n == 1 && !l.files[0].damage)
        ok = is_foretold(p, &l.files[0], ptx, &yes, err);
    if (ok && yes)
        p->out->state.siblings = true;
    else if (ok)
        refuse(p, l.n ? "what it keeps is not what was predicted"
                      : "it keeps nothing of what it compiles for them");
    jw_cache_listing_free(&l);
    return ok;
}

bool probe_sibling(struct probing *p, struct jw_err *err)
{
    struct jw_buf ptx = JW_BUF(MOST);
    char *path = jw_path_join(p->a, p->folder, "sibling.ptx");
    const char *why;
    bool ok = jw_probe_canary(&ptx, p->out->driver.cuda_version, CANARY, ADDS, err)
              && probe_write(path, jw_buf_bytes(&ptx), err) && load(p, path, jw_buf_bytes(&ptx), &why, err)
              && (why ? refuse(p, why) : judge(p, jw_buf_bytes(&ptx), err));
    jw_buf_free(&ptx);
    return ok;
}
