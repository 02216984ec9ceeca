#include "check.h"

#include "fleet/format/oci.h"

#include <string.h>

#define HEX "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
#define ITEM "{\"mediaType\":\"m\",\"digest\":\"" HEX "\",\"size\":2}"

static bool read(const char *text, struct jw_arena *a, struct jw_oci_doc *doc, struct jw_err *err)
{
    return jw_oci_read((struct jw_bytes){ (const uint8_t *)text, strlen(text) }, a, doc, err);
}

TEST(what_is_written_is_read)
{
    struct jw_arena a = { 0 };
    struct jw_oci_note notes[] = { { JW_OCI_SM, "86" }, { JW_OCI_STAMP, "Jan  7 202622:51:46" } };
    struct jw_oci_item item = { .media = JW_OCI_MANIFEST,
                                .digest = HEX,
                                .size = 7,
                                .os = "linux",
                                .arch = "amd64",
                                .notes = notes,
                                .n_notes = 2 };
    struct jw_oci_doc doc = { .is_index = true, .artifact = JW_OCI_ARTIFACT, .items = &item, .n = 1 }, back;
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT), again = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err err = { 0 };

    CHECK(jw_oci_write(&text, &doc, &err) && jw_oci_read(jw_buf_bytes(&text), &a, &back, &err));
    CHECK(back.is_index && back.n == 1 && back.items[0].size == 7 && back.items[0].n_notes == 2);
    CHECK_TEXT(jw_oci_note(back.items[0].notes, 2, JW_OCI_STAMP), "Jan  7 202622:51:46");
    CHECK(!jw_oci_note(back.items[0].notes, 2, "x"));
    CHECK(jw_oci_write(&again, &back, &err) && again.n == text.n && memcmp(again.p, text.p, text.n) == 0);
    jw_buf_free(&text);
    jw_buf_free(&again);
    jw_arena_free(&a);
}

TEST(a_manifest_has_the_empty_config)
{
    struct jw_arena a = { 0 };
    struct jw_oci_doc doc = { .artifact = JW_OCI_ARTIFACT }, back;
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err err = { 0 };
    char digest[72];

    CHECK(jw_oci_write(&text, &doc, &err));
    CHECK_HAS(jw_buf_cstr(&text),
              "\"config\":{\"mediaType\":\"" JW_OCI_EMPTY "\",\"digest\":\"" HEX "\",\"size\":2}");
    CHECK(jw_oci_read(jw_buf_bytes(&text), &a, &back, &err) && !back.is_index && back.n == 0);
    jw_oci_digest(digest, JW_BYTES("{}"));
    CHECK_TEXT(digest, JW_OCI_EMPTY_DIGEST);
    jw_buf_free(&text);
    jw_arena_free(&a);
}

TEST(what_is_refused)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"schemaVersion\":1,\"layers\":[]}",
        "{\"schemaVersion\":2}",
        "{\"schemaVersion\":2,\"layers\":[],\"manifests\":[]}",
        "{\"schemaVersion\":2,\"layers\":[{}]}",
        "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"m\",\"digest\":\"../../x\",\"size\":2}]}",
        "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"m\",\"digest\":\"" HEX "\"}]}",
        "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"m\",\"digest\":\"" HEX "\",\"size\":-1}]}",
        "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"m\",\"digest\":\"" HEX "\",\"size\":1.5}]}",
        "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"m\",\"digest\":\"" HEX "\",\"size\":1e300}]}",
        "{\"schemaVersion\":2,\"layers\":[" ITEM "]} x",
    };
    struct jw_arena a = { 0 };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct jw_oci_doc doc;
        struct jw_err err = { 0 };

        if (read(texts[i], &a, &doc, &err) || err.code != JW_E_FORMAT)
            check_failed(__FILE__, __LINE__, texts[i]);
    }
    jw_arena_free(&a);
}

TEST(what_is_read_over)
{
    struct jw_arena a = { 0 };
    struct jw_oci_doc doc;
    struct jw_err err = { 0 };

    CHECK(read("{\"schemaVersion\":2,\"config\":7,\"annotations\":[1],\"layers\":[{\"x\":[],\"urls\":[\"u\"],"
               "\"annotations\":{\"a\":1,\"b\":\"c\"},\"mediaType\":\"m\",\"digest\":\"" HEX
               "\",\"size\":2}]}",
               &a, &doc, &err));
    CHECK(doc.n == 1 && doc.items[0].n_notes == 1 && doc.n_notes == 0);
    jw_arena_free(&a);
}

int main(int argc, char **argv)
{
    return RUN(argc, argv, T(what_is_written_is_read), T(a_manifest_has_the_empty_config), T(what_is_refused),
               T(what_is_read_over));
}
