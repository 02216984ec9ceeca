#include "lab.h"

bool lab_try(struct lab *l, struct lab_trial *t, struct jw_err *err)
{
    struct lab_step s = { .loading = "EAGER",
                          .ops = { "context", lab_op_text(l, t->door, t->file),
                                   lab_op_of(l, "launch %s %u", t->kernel, (unsigned)t->x) } };
    uint64_t name;

    if (!lab_root(l, t->name, &s.root, err) || !lab_put_entry(l, s.root, t->key, t->payload, &name, err)
        || !lab_run(l, &s, &t->done, err))
        return false;
    t->launched = lab_op(&t->done, "launch");
    t->taken = lab_new(&t->done) == 0 && lab_all_zero(&t->done);
    lab_say(l, t->name, t->what, true);
    lab_say_done(l, &t->done);
    jw_json_text(&l->json, "placed", jw_cache_name(name).text);
    jw_json_bool(&l->json, "taken", t->taken);
    return true;
}
