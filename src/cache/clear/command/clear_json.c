#include "base/json_write.h"
#include "cache/clear/command/clear_view.h"

static void write_state(struct jw_json *j, const struct jw_clear_report *r)
{
    jw_json_object(j, "memory");
    jw_json_text(j, "folder", r->state_dir);
    jw_json_number(j, "caches", r->roots);
    jw_json_number(j, "drivers", r->drivers);
    jw_json_number(j, "others", r->others);
    jw_json_number(j, "bytes", r->state_bytes);
    jw_json_close(j);
}

bool clear_write_json(struct cli *cli, const struct jw_clear_report *r, struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.clear/1", err);
    jw_json_text(&j, "end", jw_clear_end_name(r->end));
    jw_json_text(&j, "why", r->why);
    write_state(&j, r);
    jw_json_object(&j, "store");
    jw_json_text(&j, "folder", r->store_dir);
    jw_json_number(&j, "packs", r->store.packs);
    jw_json_number(&j, "bytes", r->store.bytes);
    jw_json_close(&j);
    if (r->root) {
        jw_json_object(&j, "cache");
        jw_json_text(&j, "root", r->root);
        jw_json_number(&j, "entries", r->cache.entries);
        jw_json_number(&j, "bytes", r->cache.bytes);
        jw_json_close(&j);
    } else
        jw_json_null(&j, "cache");
    jw_json_texts(&j, "notes", (const char *const *)r->notes.v, r->notes.n);
    jw_json_close(&j);
    return jw_json_end(&j);
}
