#include "fleet/remote/remote.h"

#include "base/digest.h"
#include "base/mem.h"
#include "base/text.h"
#include "os/files/file.h"

#include <string.h>

enum { CHUNK = 1 << 20 };

static bool is_safe(const struct jw_conf_item *line, struct jw_arena *a, struct jw_notes *ignored)
{
    if (line->doubt)
        jw_note(ignored, a, "%s: line ignored: %s", line->origin, line->doubt);
    return !line->doubt;
}

void jw_remote_configure(struct jw_remote_options *o, const struct jw_config *c, struct jw_arena *a,
                         struct jw_notes *ignored)
{
    const char *host = o->ref->host;

    for (size_t i = 0; host && i < c->plain.n; i++)
        if (strcmp(c->plain.v[i].value, host) == 0 && is_safe(&c->plain.v[i], a, ignored))
            o->plain_http = true;
    for (size_t i = c->cacert.n; host && i && !o->cacert && !o->plain_http; i--) /* the last one counts */
        if (is_safe(&c->cacert.v[i - 1], a, ignored))
            o->cacert = c->cacert.v[i - 1].value;
}

bool jw_remote_open(const struct jw_remote_options *o, struct jw_arena *a, struct jw_remote **out,
                    struct jw_err *err)
{
    *out = NULL;
    if (!o->ref->path)
        return remote_open_registry(o, a, out, err);
    remote_open_folder(o, a, out);
    return true;
}

/* The answer is no document: says why, or that it is a web page. Returns false. */
static bool unreadable(const struct jw_remote *r, const char *name, struct jw_bytes text,
                       const struct jw_err *why, struct jw_err *err)
{
    if (jw_starts(jw_text_trim(text), "<"))
        return jw_fail(
            err, JW_E_NET,
            "%.200s: %.128s is a web page: does a proxy, or a page to sign in, reply in its place?",
            r->o.ref->text, name);
    return jw_fail(err, JW_E_NET, "%.200s: %.128s is not valid (%.100s)", r->o.ref->text, name,
                   text.n ? why->msg : "it is empty");
}

bool jw_remote_oci(struct jw_remote *r, const char *name, struct jw_arena *a, struct jw_oci_doc *out,
                   char digest[72], bool *found, struct jw_err *err)
{
    struct jw_buf text = JW_BUF_IN(a, JW_OCI_MAX_TEXT);
    char got[72] = "";
    struct jw_err why = { 0 };

    *found = false;
    bool ok = r->ops->document(r, name, &text, found, err);

    r->answered |= ok;
    if (ok && *found) {
        jw_oci_digest(got, jw_buf_bytes(&text));
        if (jw_ref_is_digest(name) && strcmp(got, name) != 0)
            ok =
                jw_fail(err, JW_E_NET, "%.200s sent data that does not match %.20s...", r->o.ref->text, name);
        else if (!jw_oci_read(jw_buf_bytes(&text), a, out, &why))
            ok = unreadable(r, name, jw_buf_bytes(&text), &why, err);
    }
    if (digest)
        memcpy(digest, got, sizeof got);
    return ok;
}

static bool hash_through(const struct jw_run *run, struct jw_file *f, const char *from, uint64_t size,
                         struct jw_sink to, const char *into, struct jw_sha256_state *s, uint8_t *chunk,
                         struct jw_err *err)
{
    uint64_t at = 0;

    for (size_t got = 1; got; at += got) {
        if (!jw_run_goes_on(run, err))
            return false;
        if (!jw_file_read(f, at, chunk, CHUNK, &got, err))
            return jw_wrap(err, "%.250s", from);
        jw_sha256_update(s, chunk, got);
        if (to.put && got && !to.put(to.ctx, chunk, got, err))
            return jw_wrap(err, "%.250s", into);
        jw_run_show(run, "reading the packs", at + got, size);
    }
    return true;
}

bool jw_remote_hash_file(const struct jw_run *run, const char *from, uint64_t size, struct jw_sink to,
                         const char *into, char digest[72], struct jw_err *err)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_sha256_state s;
    uint8_t *chunk = jw_alloc(CHUNK);

    jw_sha256_init(&s);
    bool ok = (jw_file_open(&f, from, err) || jw_wrap(err, "%.250s", from))
              && hash_through(run, &f, from, size, to, into, &s, chunk, err);

    jw_oci_digest_final(digest, &s);
    jw_file_close(&f);
    jw_free(chunk);
    return ok;
}
