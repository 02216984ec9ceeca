#include "base/json_write.h"
#include "base/path.h"
#include "doctor/command/doctor_view.h"

#include <stdio.h>
#include <string.h>

static void text(struct jw_json *j, const struct doctor_view *v, const char *key, const char *value)
{
    jw_json_text(j, key, doctor_say(v, value));
}

static void write_driver(struct jw_json *j, const struct doctor_view *v)
{
    const struct jw_probe_report *p = &v->machine->probe;
    const struct jw_worker_driver *d = &p->driver;

    jw_json_object(j, "driver");
    jw_json_bool(j, "found", d->init_result >= 0 || p->broken);
    text(j, v, "broken", p->broken);
    jw_json_maybe(j, "init_result", d->init_result >= 0, (uint64_t)d->init_result);
    text(j, v, "init_name", d->init_name && *d->init_name ? d->init_name : NULL);
    jw_json_text(j, "version", p->broken || d->init_result < 0 ? NULL : jw_doctor_version(v->machine));
    jw_json_number(j, "cuda_version", d->cuda_version);
    text(j, v, "library", v->portable && d->library ? jw_path_base(d->library) : d->library);
    jw_json_text(j, "build", d->build && *d->build ? d->build : NULL);
    jw_json_bool(j, "wsl", d->wsl);
    jw_json_bool(j, "container", d->container);
    jw_json_bool(j, "mps", d->mps);
    jw_json_close(j);
}

static void write_devices(struct jw_json *j, const struct doctor_view *v)
{
    const struct jw_probe_report *p = &v->machine->probe;
    char sm[16];

    jw_json_array(j, "devices");
    for (size_t i = 0; i < p->n_devices; i++) {
        const struct jw_worker_device *d = &p->devices[i];

        (void)snprintf(sm, sizeof sm, "sm_%u", d->sm);
        jw_json_object(j, NULL);
        jw_json_number(j, "index", d->index);
        jw_json_text(j, "name", d->name);
        jw_json_text(j, "gpu", sm);
        text(j, v, "uuid", v->portable ? NULL : d->uuid);
        jw_json_text(j, "pci", d->pci[0] && !v->portable ? d->pci : NULL);
        jw_json_number(j, "memory_bytes", d->memory);
        jw_json_number(j, "compute_mode", d->compute_mode);
        jw_json_bool(j, "mig", d->mig);
        jw_json_bool(j, "integrated", d->integrated);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_plugged_in(struct jw_json *j, const struct jw_host_gpus *here)
{
    jw_json_array(j, "plugged_in");
    for (size_t i = 0; i < here->n; i++)
        jw_json_text(j, NULL, here->gpus[i].name);
    jw_json_close(j);
}

static void write_knowledge(struct jw_json *j, const struct doctor_view *v)
{
    const struct jw_probe_report *p = &v->machine->probe;
    const struct jw_driver_state *s = &p->state;

    jw_json_object(j, "knowledge");
    if (s->level == JW_LEVEL_NONE)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)s->level);
    jw_json_text(j, "name", jw_level_name(s->level));
    jw_json_text(j, "allows", jw_level_unlocks(s->level));
    jw_json_text(j, "stamp", s->stamp);
    text(j, v, "unproven", p->unproven);
    if (!v->portable) {
        jw_json_bool(j, "proven_now", p->proven_now);
        jw_json_number(j, "proven_at", s->proven_at > 0 ? (uint64_t)s->proven_at : 0);
    }
    jw_json_array(j, "evidence");
    for (size_t i = 0; i < s->n_evidence; i++)
        text(j, v, NULL, s->evidence[i]);
    jw_json_close(j);
    jw_json_close(j);
}

/* ---- settings and cache ---- */

static void write_settings(struct jw_json *j, const struct doctor_view *v)
{
    const struct jw_env_set *s = &v->machine->env;

    jw_json_array(j, "settings");
    for (size_t i = 0; i < s->n; i++) {
        if (strncmp(s->v[i].name, "CUDA_", 5) != 0)
            continue;
        jw_json_object(j, NULL);
        jw_json_text(j, "name", s->v[i].name);
        text(j, v, "value", s->v[i].value);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_sum(struct jw_json *j, const char *key, const struct jw_status_sum *s)
{
    jw_json_object(j, key);
    jw_json_number(j, "entries", s->entries);
    jw_json_number(j, "bytes", s->bytes);
    jw_json_close(j);
}

static void write_groups(struct jw_json *j, const struct jw_status_report *r)
{
    jw_json_array(j, "groups");
    for (size_t i = 0; i < r->n_groups; i++) {
        const struct jw_status_group *g = &r->groups[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "kind", jw_cache_kind_name(g->kind));
        jw_json_text(j, "stamp", g->stamp);
        jw_json_text(j, "gpu", g->arch);
        jw_json_text(j, "status", jw_standing_name(g->standing));
        jw_json_number(j, "entries", g->entries);
        jw_json_number(j, "bytes", g->bytes);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_cache(struct jw_json *j, const struct doctor_view *v)
{
    static const char *const kinds[] = { "local", "network", "memory" };
    const struct jw_status_report *r = v->machine->cache;
    const struct jw_cache_place *p = &v->machine->place;

    jw_json_object(j, "cache");
    text(j, v, "root", r->dir.root);
    jw_json_bool(j, "exists", r->list.found);
    jw_json_bool(j, "disabled", r->dir.disabled);
    jw_json_maybe(j, "limit", r->dir.limit_known, r->dir.limit);
    jw_json_number(j, "used", r->used);
    write_sum(j, "files", &r->files);
    write_sum(j, "outdated", &r->outdated);
    write_sum(j, "unindexed", &r->orphans);
    write_sum(j, "damaged", &r->damaged);
    write_groups(j, r);
    jw_json_text(j, "disk", p->disk_known ? kinds[p->disk.kind] : NULL);
    jw_json_text(j, "file_system", p->type);
    jw_json_maybe(j, "disk_free", p->disk_known, p->disk.free);
    jw_json_bool(j, "writable", p->may_write);
    jw_json_close(j);
}

/* ---- findings ---- */

static void write_finding(struct jw_json *j, const struct doctor_view *v, const struct jw_finding *f)
{
    jw_json_object(j, NULL);
    jw_json_text(j, "id", f->id);
    jw_json_text(j, "severity", jw_severity_name(f->severity));
    text(j, v, "subject", f->subject);
    text(j, v, "evidence", f->evidence);
    text(j, v, "text", f->text);
    text(j, v, "consequence", f->consequence);
    text(j, v, "fix", f->fix);
    text(j, v, "command", f->command);
    jw_json_bool(j, "local", f->local);
    jw_json_close(j);
}

static void write_notes(struct jw_json *j, const struct doctor_view *v, const char *key,
                        const struct jw_notes *notes)
{
    jw_json_array(j, key);
    for (size_t i = 0; i < notes->n; i++)
        text(j, v, NULL, notes->v[i]);
    jw_json_close(j);
}

static void write_findings(struct jw_json *j, const struct doctor_view *v)
{
    jw_json_array(j, "findings");
    for (size_t i = 0; i < v->findings->n; i++)
        if (doctor_is_shown(v, &v->findings->v[i]))
            write_finding(j, v, &v->findings->v[i]);
    jw_json_close(j);
    jw_json_texts(j, "ignored", (const char *const *)v->ignored->items, v->ignored->n);
    if (v->portable)
        return;
    write_notes(j, v, "checked", &v->checked->checked);
    write_notes(j, v, "unchecked", &v->checked->unchecked);
}

static void write_about(struct jw_json *j, const struct doctor_view *v)
{
    jw_json_object(j, "about");
    jw_json_text(j, "jitwarm", JITWARM_VERSION);
    text(j, v, "system", v->machine->who.system);
    jw_json_text(j, "kernel_module", v->machine->here.driver);
    jw_json_array(j, "toolkits");
    for (size_t i = 0; i < v->machine->n_toolkits; i++) {
        const struct jw_toolkit *t = &v->machine->toolkits[i];

        jw_json_object(j, NULL);
        text(j, v, "where", t->where);
        jw_json_number(j, "major", t->major);
        jw_json_number(j, "minor", t->minor);
        jw_json_close(j);
    }
    jw_json_close(j);
    jw_json_close(j);
}

static void write_machine(struct jw_json *j, const struct doctor_view *v)
{
    write_driver(j, v);
    write_devices(j, v);
    write_plugged_in(j, &v->machine->here);
    write_knowledge(j, v);
    write_settings(j, v);
    if (!v->portable)
        write_cache(j, v);
}

bool doctor_write_json_to(struct jw_sink sink, const struct doctor_view *v, struct jw_arena *a,
                          struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, sink, true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.doctor/1");
    jw_json_flag(&j, "simulated", v->machine && v->machine->probe.driver.simulated);
    if (v->portable)
        jw_json_bool(&j, "portable", true);
    if (v->bundle && v->machine)
        write_about(&j, v);
    doctor_json_asked(&j, v->answer);
    if (v->machine)
        write_machine(&j, v);
    doctor_json_frameworks(&j, v->answer, a);
    write_findings(&j, v);
    jw_json_close(&j);
    if (!jw_json_end(&j))
        return false;
    return true;
}

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    return doctor_write_json_to(jw_output_sink(&cli->out), v, cli->arena, err);
}
