#include "base/json_write.h"
#include "cli/doctor_view.h"

#include <stdio.h>

static void write_driver(struct jw_json *j, const struct doctor_view *v)
{
    const struct jw_probe_report *p = &v->machine->probe;
    const struct jw_worker_driver *d = &p->driver;

    jw_json_object(j, "driver");
    jw_json_bool(j, "found", d->init_result >= 0 || p->broken);
    jw_json_text(j, "broken", p->broken);
    if (d->init_result >= 0)
        jw_json_number(j, "init_result", (uint64_t)d->init_result);
    else
        jw_json_null(j, "init_result");
    jw_json_text(j, "init_name", d->init_name && *d->init_name ? d->init_name : NULL);
    jw_json_text(j, "version", p->broken || d->init_result < 0 ? NULL : jw_doctor_version(v->machine));
    jw_json_number(j, "cuda_version", d->cuda_version);
    jw_json_text(j, "library", d->library);
    jw_json_text(j, "build", d->build && *d->build ? d->build : NULL);
    jw_json_bool(j, "wsl", d->wsl);
    jw_json_bool(j, "container", d->container);
    jw_json_bool(j, "mps", d->mps);
    jw_json_close(j);
}

static void write_devices(struct jw_json *j, const struct jw_probe_report *p)
{
    char sm[16];

    jw_json_array(j, "devices");
    for (size_t i = 0; i < p->n_devices; i++) {
        const struct jw_worker_device *d = &p->devices[i];

        (void)snprintf(sm, sizeof sm, "sm_%u", d->sm);
        jw_json_object(j, NULL);
        jw_json_number(j, "index", d->index);
        jw_json_text(j, "name", d->name);
        jw_json_text(j, "gpu", sm);
        jw_json_text(j, "uuid", d->uuid);
        jw_json_text(j, "pci", d->pci[0] ? d->pci : NULL);
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

static void write_knowledge(struct jw_json *j, const struct jw_probe_report *p)
{
    const struct jw_driver_state *s = &p->state;

    jw_json_object(j, "knowledge");
    if (s->level == JW_LEVEL_NONE)
        jw_json_null(j, "level");
    else
        jw_json_number(j, "level", (uint64_t)s->level);
    jw_json_text(j, "name", jw_level_name(s->level));
    jw_json_text(j, "unlocks", jw_level_unlocks(s->level));
    jw_json_text(j, "stamp", s->stamp);
    jw_json_bool(j, "proven_now", p->proven_now);
    jw_json_text(j, "unproven", p->unproven);
    jw_json_number(j, "proven_at", s->proven_at > 0 ? (uint64_t)s->proven_at : 0);
    jw_json_array(j, "evidence");
    for (size_t i = 0; i < s->n_evidence; i++)
        jw_json_text(j, NULL, s->evidence[i]);
    jw_json_close(j);
    jw_json_close(j);
}

static void write_findings(struct jw_json *j, const struct jw_findings *findings)
{
    jw_json_array(j, "findings");
    for (size_t i = 0; i < findings->n; i++) {
        const struct jw_finding *f = &findings->v[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "id", f->id);
        jw_json_text(j, "severity", jw_severity_name(f->severity));
        jw_json_text(j, "subject", f->subject);
        jw_json_text(j, "evidence", f->evidence);
        jw_json_text(j, "text", f->text);
        jw_json_text(j, "consequence", f->consequence);
        jw_json_text(j, "fix", f->fix);
        jw_json_text(j, "command", f->command);
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool doctor_write_json(struct cli *cli, const struct doctor_view *v, struct jw_err *err)
{
    struct jw_json j;

    jw_json_begin(&j, jw_answer_sink(&cli->answer), true, err);
    jw_json_object(&j, NULL);
    jw_json_text(&j, "schema", "jitwarm.doctor/1");
    if (v->machine && v->machine->probe.driver.simulated)
        jw_json_bool(&j, "simulated", true);
    doctor_json_asked(&j, v->answer);
    if (v->machine) {
        write_driver(&j, v);
        write_devices(&j, &v->machine->probe);
        write_plugged_in(&j, &v->machine->here);
        write_knowledge(&j, &v->machine->probe);
    }
    doctor_json_frameworks(&j, v->answer, cli->arena);
    write_findings(&j, v->findings);
    jw_json_close(&j);
    return jw_json_end(&j);
}
