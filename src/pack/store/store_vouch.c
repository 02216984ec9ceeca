/*
 * vouched.json: { "schema": "jitwarm.vouched/1", "packs": { "DIGEST": "here", "DIGEST": "5A5B..." } }
 *
 * By digest, for a name may mean another pack by now. The newest are first.
 */
#include "pack/store/store_inner.h"

#include "base/digest.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"

#include <string.h>

#define SCHEMA "jitwarm.vouched/1"

enum { MOST = 256, DIGITS = 2 * JW_DIGEST, WHO = 17 };

static const struct jw_jval *packs_of(const struct jw_jdoc *doc)
{
    const struct jw_jval *root = doc ? jw_jdoc_root(doc) : NULL;
    const char *schema = root ? jw_jtext(jw_jget(root, "schema")) : NULL;

    return schema && strcmp(schema, SCHEMA) == 0 ? jw_jget(root, "packs") : NULL;
}

const char *jw_store_vouched(const struct jw_store *s, const uint8_t digest[JW_DIGEST], struct jw_arena *a)
{
    char digits[DIGITS + 1];
    struct jw_jdoc *doc;
    const struct jw_jval *packs;
    const char *who;

    if (!s->dir)
        return NULL;
    store_read(s->dir, STORE_VOUCHED, a, &doc);
    jw_digest_hex(digits, digest);
    packs = packs_of(doc);
    who = packs ? jw_jtext(jw_jget(packs, digits)) : NULL;
    who = who && strlen(who) < WHO ? jw_arena_str(a, who) : NULL;
    jw_jdoc_free(doc);
    return who;
}

static bool write(const struct jw_jdoc *before, const char *digits, const char *by, struct jw_sink to,
                  struct jw_err *err)
{
    const struct jw_jval *packs = packs_of(before);
    struct jw_json j;
    size_t n = 1;

    jw_json_begin(&j, to, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", SCHEMA);
    jw_json_object(&j, "packs");
    jw_json_text(&j, digits, by);
    for (const struct jw_jval *v = packs ? jw_jfirst(packs) : NULL; v && n < MOST; v = jw_jnext(v))
        if (jw_jkey(v) && jw_jtext(v) && strcmp(jw_jkey(v), digits) != 0) {
            jw_json_text(&j, jw_jkey(v), jw_jtext(v));
            n++;
        }
    jw_json_close(&j);
    jw_json_close(&j);
    return jw_json_end(&j);
}

bool store_vouch(const struct jw_tree *t, const char *dir, const uint8_t digest[JW_DIGEST], const char *by,
                 struct jw_arena *a, struct jw_err *err)
{
    struct jw_buf text = JW_BUF(JW_MAX_STATE);
    struct jw_jdoc *before;
    char digits[DIGITS + 1];

    store_read(dir, STORE_VOUCHED, a, &before);
    jw_digest_hex(digits, digest);
    bool ok = write(before, digits, by, jw_sink_buf(&text), err) && jw_buf_ok(&text, err)
              && store_put(t, STORE_VOUCHED, jw_buf_bytes(&text), err);

    jw_jdoc_free(before);
    jw_buf_free(&text);
    return ok;
}
