/*
 * The carrying test. What this driver made of a canary is put away as an older build would have left it, with the code of
 * another canary that computes something else in place of its own. That entry is carried to this build. When the number
 * that comes out is the other one, it was this entry that was run, though the driver would never have made it.
 * driver-fact: F33-restamp-hits, F34-payload-unchecked
 */
#include "base/digest.h"
#include "base/mem.h"
#include "base/path.h"
#include "cache/change/publish.h"
#include "cache/format/carry_entry.h"
#include "driver/probe/probe_place.h"
#include "driver/probe/probe_work.h"
#include "os/files/file.h"
#include "os/files/scratch.h"

#include <stdio.h>
#include <string.h>

enum { KERNEL = 4099, OWN = 311, OTHER = 5309, X = 1000, MAX_ENTRY = 4 << 20 };

static const char old_stamp[] = "Jan  1 200100:00:00";

struct carrying {
    struct probing *p;
    struct jw_buf own, other; /* canaries */
    char *made, *carried;     /* cache folders */
    char *old;                /* the entry as an older build left it */
    uint64_t old_name;
    bool settled; /* the answer is known, and told */
};

/* ---- two canaries, compiled ---- */

static bool load_canary(struct carrying *c, struct jw_worker *w, unsigned device, const char *file,
                        const struct jw_buf *text, struct jw_worker_result *r, struct jw_err *err)
{
    struct jw_worker_job job = { .path = jw_path_join(c->p->a, c->p->folder, file),
                                 .size = text->n,
                                 .text = true };

    jw_digest(job.digest, text->p, text->n);
    return probe_write(job.path, jw_buf_bytes(text), err) && probe_go_on(c->p, err)
           && jw_worker_load(w, device, &job, r, err);
}

/* What a worker made of a module is no failure, but the end of this test. */
static void settle(struct carrying *c, const char *what, const char *how)
{
    probe_say(&c->p->f, "whether entries can be carried over a driver update was not proven: %s%s%s", what,
              *how ? ": " : "", how);
    c->settled = true;
}

static bool compile_both(struct carrying *c, struct jw_err *err)
{
    struct jw_worker_result r = { .name = "" };
    struct jw_worker *w = NULL;
    unsigned device;
    bool ok = probe_start_worker(c->p, c->made, &w, &device, err)
              && load_canary(c, w, device, "own.ptx", &c->own, &r, err)
              && (!r.ok || load_canary(c, w, device, "other.ptx", &c->other, &r, err));

    if (ok && !r.ok)
        settle(c, "the driver did not compile a test module", r.name);
    jw_worker_stop(w);
    return ok;
}

/* ---- the entry of an older build ---- */

static bool read_entry(struct carrying *c, const char *arch, const struct jw_buf *text, struct jw_buf *file,
                       struct jw_cache_entry *e, struct jw_err *err)
{
    struct jw_buf key = JW_BUF(MAX_ENTRY);
    const char *path;
    bool found = false;

    jw_cache_key_make(&key, c->p->f.stamp, arch, jw_buf_bytes(text), 1, "");
    if (!jw_buf_ok(&key, err))
        return false;
    path = jw_path_join(c->p->a, c->made, jw_cache_name(jw_fnv1a(JW_FNV_START, key.p, key.n)).text);
    jw_buf_free(&key);
    if (!jw_file_slurp(path, file, &found, err))
        return jw_wrap(err, "%s", path);
    return found ? jw_cache_entry_read(jw_buf_bytes(file), file->n, e, err)
                 : jw_fail(err, JW_E_FORMAT, "the driver kept no file of a test module");
}

static struct jw_bytes payload_of(const struct jw_buf *file, const struct jw_cache_entry *e)
{
    return (struct jw_bytes){ file->p + JW_CACHE_HEADER + e->key_size, (size_t)e->payload_size };
}

/* Its own must be there, too: else it was not foretold under which name the driver will look. */
static bool make_old(struct carrying *c, struct jw_err *err)
{
    struct jw_buf own = JW_BUF(MAX_ENTRY), other = JW_BUF(MAX_ENTRY), key = JW_BUF(MAX_ENTRY);
    struct jw_buf old = JW_BUF(MAX_ENTRY);
    struct jw_cache_entry e = { 0 };
    char arch[16];

    (void)snprintf(arch, sizeof arch, "sm_%u", c->p->f.sm);
    jw_cache_key_make(&key, old_stamp, arch, jw_buf_bytes(&c->own), 1, "");
    bool ok = read_entry(c, arch, &c->own, &own, &e, err) && read_entry(c, arch, &c->other, &other, &e, err)
              && jw_buf_ok(&key, err)
              && jw_cache_entry_write(&old, jw_buf_bytes(&key), payload_of(&other, &e), &c->old_name, err)
              && probe_write(c->old, jw_buf_bytes(&old), err);

    jw_buf_free(&old);
    jw_buf_free(&key);
    jw_buf_free(&other);
    jw_buf_free(&own);
    return ok;
}

/* ---- carried, as carry does it ---- */

static bool carry(struct carrying *c, struct jw_err *err)
{
    struct jw_publisher *pub = NULL;
    struct jw_pub_entry one = { .from = jw_path_join(c->p->a, c->p->folder, "entry") };
    struct carried_entry e = { 0 };
    bool ok = carry_entry(c->old, c->old_name, one.from, c->p->f.stamp, &e, err);

    one.name = e.name;
    ok = ok && jw_publisher_open(&pub, c->carried, false, err) && jw_publisher_add(pub, &one, 1, c->p->a, err)
         && jw_publisher_flush(pub, probe_timeout(c->p->o), c->p->o->interrupted, err);
    jw_publisher_close(pub);
    return ok && (one.result == JW_PUB_PLACED || jw_fail(err, JW_E_IO, "%s", one.why ? one.why : "refused"));
}

static bool launch(struct carrying *c, struct jw_worker_result *r, struct jw_err *err)
{
    struct jw_worker_job job = { .path = jw_path_join(c->p->a, c->p->folder, "own.ptx"),
                                 .size = c->own.n,
                                 .text = true };
    struct jw_worker *w = NULL;
    unsigned device;

    jw_digest(job.digest, c->own.p, c->own.n);
    bool ok = probe_go_on(c->p, err) && probe_start_worker(c->p, c->carried, &w, &device, err)
              && jw_worker_launch(w, device, &job, X, r, err);

    if (ok && !r->ok)
        settle(c, "the kernel of a carried entry could not be run", r->name);
    jw_worker_stop(w);
    return ok;
}

static void judge(struct carrying *c, uint32_t number, const char *difference)
{
    struct probe_findings *f = &c->p->f;

    if (difference)
        probe_say(f, "an entry with another build's stamp changed was not used as it is: %s", difference);
    else if (number == X + OWN)
        probe_say(f, "an entry with another build's stamp changed was not used: the driver compiled anew");
    else if (number != X + OTHER)
        probe_say(f, "the code of an entry with another build's stamp changed computed %u where %u is right",
                  (unsigned)number, (unsigned)(X + OTHER));
    else {
        f->level = JW_LEVEL_CARRYABLE;
        probe_say(f,
                  "an entry with another build's stamp changed was used by a fresh process as it is, and "
                  "its kernel computed the right number%s",
                  probe_is_played(c->p) ? " (computed by phantom: rehearsed, not proven)" : "");
    }
}

static bool try(struct carrying *c, struct jw_err *err)
{
    struct probe_image before, after;
    struct jw_worker_result r = { .name = "" };

    if (!make_old(c, err) || !carry(c, err) || !probe_image_take(c->carried, c->p->a, &before, err)
        || !launch(c, &r, err))
        return false;
    if (c->settled)
        return true;
    if (!probe_image_take(c->carried, c->p->a, &after, err))
        return false;
    judge(c, r.number, probe_image_difference(&before, &after, c->p->a));
    return true;
}

static bool begin(struct carrying *c, struct jw_err *err)
{
    unsigned version = c->p->out->driver.cuda_version;

    c->made = jw_path_join(c->p->a, c->p->folder, "made");
    c->carried = jw_path_join(c->p->a, c->p->folder, "carried");
    c->old = jw_path_join(c->p->a, c->p->folder, "old");
    return jw_make_private_dir(c->made, err) && jw_make_private_dir(c->carried, err)
           && jw_probe_canary(&c->own, version, KERNEL, OWN, err)
           && jw_probe_canary(&c->other, version, KERNEL, OTHER, err);
}

bool probe_carrying(struct probing *p, struct jw_err *err)
{
    struct carrying c = { .p = p };
    bool ok = begin(&c, err) && compile_both(&c, err) && (c.settled || try(&c, err));

    jw_buf_free(&c.own);
    jw_buf_free(&c.other);
    return ok;
}
