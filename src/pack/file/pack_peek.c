#include "base/limits.h"
#include "pack/file/pack_index.h"
#include "pack/format/tar.h"

#include <string.h>

static bool read_manifest(struct jw_pack_in *in, struct jw_arena *a, struct jw_pack_peeked *out,
                          struct jw_err *err)
{
    uint64_t content;

    if (!jw_pack_take_index(in, err) || !jw_pack_read_index(in, a, &out->manifest, &content, err))
        return jw_wrap(err, "%s", in->name);
    out->tar_bytes = content;
    for (size_t i = 0; i < out->manifest.n_entries; i++)
        out->tar_bytes += jw_tar_span(jw_pack_entry_bytes(&out->manifest.entries[i]));
    return true;
}

static void show_key(struct jw_bytes text, struct jw_pack_peeked *out)
{
    struct jw_minisign_sig sig;
    struct jw_err ignored = { 0 };

    if (jw_minisign_sig_read(text, &sig, &ignored))
        jw_minisign_show_id(out->key, sig.id);
}

static void look_beside(const char *path, struct jw_pack_peeked *out)
{
    struct jw_buf text = JW_BUF(JW_MAX_SIGNATURE), name = JW_BUF(JW_MAX_PATH);
    struct jw_err ignored = { 0 };
    bool found = false;

    jw_buf_printf(&name, "%s.minisig", path);
    if (jw_file_slurp(jw_buf_cstr(&name), &text, &found, &ignored) && found)
        show_key(jw_buf_bytes(&text), out);
    if (found || ignored.code != JW_OK)
        out->signature = JW_PACK_SEEN_BESIDE;
    jw_buf_free(&text);
    jw_buf_free(&name);
}

static void look_for_signature(const struct jw_pack_in *in, struct jw_pack_peeked *out)
{
    if (in->trailer.signature.n) {
        out->signature = JW_PACK_SEEN_INSIDE;
        show_key(in->trailer.signature, out);
    } else if (in->path) {
        look_beside(in->path, out);
    }
}

bool jw_pack_peek(const char *path, const struct jw_pack_open_options *o, struct jw_arena *a,
                  struct jw_pack_peeked *out, struct jw_err *err)
{
    struct jw_pack_in in = { 0 };
    bool ok;

    *out = (struct jw_pack_peeked){ .signature = JW_PACK_SEEN_NONE };
    ok = jw_pack_open(&in, path, o, err) && read_manifest(&in, a, out, err);
    if (ok) {
        out->bytes = in.bytes.size;
        look_for_signature(&in, out);
    } else if (err->code == JW_E_LIMIT) {
        err->code = JW_E_FORMAT;
    }
    jw_pack_close(&in);
    return ok;
}
