/* A matrix in a folder that push could have filled: what is missing in it. */
#include "check.h"
#include "fleet/matrix.h"
#include "os/files/file.h"
#include "rigs/scratch.h"

static struct jw_arena arena;
static struct jw_oci_doc index_of_kinds = { .is_index = true, .artifact = JW_OCI_ARTIFACT };

static void add_kind(const char *driver, const char *sm)
{
    struct jw_oci_note *notes = jw_arena_alloc(&arena, 4 * sizeof *notes);

    notes[0] = (struct jw_oci_note){ JW_OCI_STAMP, driver };
    notes[1] = (struct jw_oci_note){ JW_OCI_SM, sm };
    notes[2] = (struct jw_oci_note){ JW_OCI_SYSTEM, "linux-x86_64" };
    notes[3] = (struct jw_oci_note){ JW_OCI_DRIVER, driver };
    index_of_kinds.items[index_of_kinds.n++] = (struct jw_oci_item){
        .media = JW_OCI_MANIFEST, .digest = JW_OCI_EMPTY_DIGEST, .size = 2, .notes = notes, .n_notes = 4
    };
}

static bool put(const char *path, const struct jw_oci_doc *doc, char digest[72], uint64_t *size)
{
    struct jw_buf text = JW_BUF(JW_OCI_MAX_TEXT);
    struct jw_err err = { 0 };
    bool ok = jw_oci_write(&text, doc, &err);

    jw_oci_digest(digest, jw_buf_bytes(&text));
    if (!path)
        path = scratch(jw_arena_printf(&arena, "place/blobs/sha256/%s", digest + 7));
    *size = text.n;
    ok = ok && jw_file_put(path, JW_OUT_REPLACE, jw_buf_bytes(&text), &err);
    jw_buf_free(&text);
    return ok;
}

TEST(what_no_machine_is_of_is_not_missing)
{
    struct jw_oci_note name = { JW_OCI_REF_NAME, "v3" };
    struct jw_oci_item tag = { .media = JW_OCI_INDEX, .notes = &name, .n_notes = 1 };
    struct jw_oci_doc top = { .is_index = true, .items = &tag, .n = 1 };
    struct jw_remote_options net = { 0 };
    struct jw_matrix m;
    struct jw_ref ref;
    struct jw_err err = { 0 };
    char digest[72], ignored[72];
    uint64_t size;

    index_of_kinds.items = jw_arena_alloc(&arena, 8 * sizeof *index_of_kinds.items);
    add_kind("550.163.01", "86");
    add_kind("580.65.06", "89");
    add_kind("580.65.06", "120");
    CHECK(jw_make_dirs(scratch("place/blobs/sha256"), &err));
    CHECK(put(NULL, &index_of_kinds, digest, &size));
    tag.digest = digest;
    tag.size = size;
    CHECK(put(scratch("place/index.json"), &top, ignored, &size));
    CHECK(jw_ref_parse(jw_arena_printf(&arena, "%s", scratch("place")), &arena, &ref, &err));
    ref.tag = "v3";
    CHECK_OK(jw_matrix_list(&net, &ref, &arena, &m, &err), err);
    CHECK_NUM(m.n, 3);
    CHECK_NUM(m.n_missing, 2);
    CHECK_TEXT(m.n_missing ? m.missing[0] : "", "sm_89 for driver 550.163.01");
    CHECK_TEXT(m.n_missing > 1 ? m.missing[1] : "", "sm_86 for driver 580.65.06");
}
