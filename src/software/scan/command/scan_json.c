#include "base/json_write.h"
#include "base/path.h"
#include "software/scan/command/scan_view.h"

#include <string.h>

static void write_gpus(struct jw_json *j, const struct scan_view *v)
{
    static const char *const sources[] = { "option", "here", "default" };
    char gpu[16];

    jw_json_array(j, "gpus");
    for (size_t i = 0; i < v->n_gpus; i++) {
        (void)snprintf(gpu, sizeof gpu, "sm_%u", v->gpus[i].sm);
        jw_json_object(j, NULL);
        jw_json_text(j, "gpu", gpu);
        jw_json_text(j, "name", v->gpus[i].name[0] ? v->gpus[i].name : NULL);
        jw_json_text(j, "source", sources[v->gpus[i].source]);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_version(struct jw_json *j, const char *kind, unsigned major, unsigned minor)
{
    char text[16];

    (void)snprintf(text, sizeof text, "%u.%u", major, minor);
    jw_json_text(j, strcmp(kind, "ptx") == 0 ? "isa" : "code_version", text);
}

static void write_rows(struct jw_json *j, const struct jw_scan_file *f)
{
    jw_json_array(j, "entries");
    for (size_t i = 0; i < f->n_rows; i++) {
        const struct jw_scan_row *r = &f->rows[i];

        jw_json_object(j, NULL);
        jw_json_text(j, "kind", r->kind);
        jw_json_text(j, "arch", r->arch);
        write_version(j, r->kind, r->major, r->minor);
        jw_json_text(j, "compression", r->compression);
        jw_json_number(j, "count", r->count);
        jw_json_number(j, "stored_bytes", r->stored);
        jw_json_number(j, "plain_bytes", r->plain);
        jw_json_bool(j, "lazy", r->lazy);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_verdict(struct jw_json *j, const struct jw_gpu *gpu, const struct jw_scan_verdict *v)
{
    char name[16];

    (void)snprintf(name, sizeof name, "sm_%u", gpu->sm);
    jw_json_object(j, NULL);
    jw_json_text(j, "gpu", name);
    jw_json_text(j, "verdict", jw_verdict_name(v->verdict));
    jw_json_number(j, "native", v->native);
    jw_json_number(j, "jit", v->jit);
    jw_json_number(j, "warm", v->warm);
    jw_json_number(j, "blocked", v->blocked);
    jw_json_number(j, "none", v->none);
    jw_json_number(j, "rdc", v->rdc);
    jw_json_number(j, "lto", v->lto);
    jw_json_number(j, "lazy_native", v->lazy_native);
    jw_json_number(j, "lazy_jit", v->lazy_jit);
    jw_json_number(j, "lazy_none", v->lazy_none);
    jw_json_number(j, "left_out", v->left_out);
    jw_json_texts(j, "from", (const char *const *)v->from, v->n_from);
    jw_json_number(j, "jit_ptx_bytes", v->jit_ptx_bytes);
    jw_json_number(j, "warm_ptx_bytes", v->warm_ptx_bytes);
    jw_json_number(j, "lazy_ptx_bytes", v->lazy_ptx_bytes);
    jw_json_number(j, "largest_ptx_bytes", v->largest_ptx);
    jw_json_text(j, "needs_driver", v->needs_driver && *v->needs_driver ? v->needs_driver : NULL);
    jw_json_close(j);
}

static void write_entry(struct jw_json *j, const struct jw_scan_entry *e)
{
    jw_json_object(j, NULL);
    jw_json_number(j, "offset", e->at);
    jw_json_text(j, "kind", e->kind);
    jw_json_text(j, "arch", e->arch);
    write_version(j, e->kind, e->major, e->minor);
    jw_json_text(j, "compression", e->compression);
    jw_json_number(j, "header_bytes", e->header);
    jw_json_number(j, "stored_bytes", e->stored);
    jw_json_number(j, "plain_bytes", e->plain);
    jw_json_number(j, "flags", e->flags);
    jw_json_text(j, "options", *e->options ? e->options : NULL);
    jw_json_text(j, "identifier", *e->identifier ? e->identifier : NULL);
    jw_json_close(j);
}

static void write_modules(struct jw_json *j, const struct jw_scan_file *f)
{
    jw_json_array(j, "modules");
    for (size_t i = 0; i < f->n_modules; i++) {
        const struct jw_scan_module *m = &f->modules[i];

        jw_json_object(j, NULL);
        jw_json_number(j, "offset", m->at);
        jw_json_number(j, "bytes", m->size);
        jw_json_text(j, "section", *m->section ? m->section : NULL);
        jw_json_text(j, "member", m->member);
        jw_json_text(j, "role", m->role);
        jw_json_number(j, "wrapper", m->wrapper);
        jw_json_text(j, "doubt", m->doubt);
        jw_json_array(j, "entries");
        for (size_t k = 0; k < m->n; k++)
            write_entry(j, &m->entries[k]);
        jw_json_close(j);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_owner(struct jw_json *j, const struct jw_package *p)
{
    jw_json_object(j, "package");
    jw_json_text(j, "name", p->name);
    jw_json_text(j, "version", p->version);
    jw_json_bool(j, "vendor", p->vendor);
    jw_json_close(j);
}

static void write_file(struct jw_json *j, const struct scan_view *v, size_t i)
{
    const struct jw_scan_file *f = &v->report->files[i];

    jw_json_object(j, NULL);
    jw_json_text(j, "path", f->path);
    jw_json_number(j, "size", f->size);
    jw_json_text(j, "format", f->format);
    jw_json_bool(j, "vendor", v->owners[i].vendor || jw_vendor_file(jw_path_base(f->path)));
    write_owner(j, &v->owners[i]);
    jw_json_number(j, "containers", f->containers);
    jw_json_number(j, "lazy_containers", f->lazy_containers);
    jw_json_number(j, "rdc_containers", f->rdc_containers);
    write_rows(j, f);
    jw_json_array(j, "verdicts");
    for (size_t k = 0; k < f->n_verdicts; k++)
        write_verdict(j, &v->gpus[k], &f->verdicts[k]);
    jw_json_close(j);
    if (v->entries)
        write_modules(j, f);
    if (f->extracted)
        jw_json_number(j, "extracted", f->extracted);
    jw_json_texts(j, "problems", (const char *const *)f->problems, f->n_problems);
    if (f->more_problems)
        jw_json_number(j, "more_problems", f->more_problems);
    jw_json_close(j);
}

static void write_skipped(struct jw_json *j, const struct scan_view *v)
{
    jw_json_array(j, "skipped");
    for (size_t i = 0; i < v->report->n_skipped; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "path", v->report->skipped[i].path);
        jw_json_text(j, "reason", v->report->skipped[i].reason);
        jw_json_close(j);
    }
    jw_json_close(j);
}

static void write_totals(struct jw_json *j, const struct scan_view *v)
{
    jw_json_object(j, "totals");
    jw_json_number(j, "files", v->report->n_files);
    jw_json_number(j, "bytes", v->report->bytes);
    jw_json_number(j, "folders_walked", v->report->folders_walked);
    jw_json_number(j, "files_walked", v->report->files_walked);
    if (v->stats) {
        jw_json_number(j, "bytes_read", v->report->bytes_read);
        jw_json_number(j, "milliseconds", v->report->milliseconds);
    }
    jw_json_close(j);
}

static void write_roots(struct jw_json *j, const struct scan_view *v)
{
    jw_json_array(j, "searched");
    for (size_t i = 0; i < v->n_roots; i++) {
        jw_json_object(j, NULL);
        jw_json_text(j, "path", v->roots[i].path);
        jw_json_text(j, "how", v->roots[i].how);
        jw_json_close(j);
    }
    jw_json_close(j);
}

bool scan_write_json(struct cli *cli, const struct scan_view *v, struct jw_err *err)
{
    struct jw_json j;

    jw_answer_json(&cli->answer, &j, "jitwarm.scan/1", err);
    write_gpus(&j, v);
    jw_json_text(&j, "driver", v->driver);
    jw_json_text(&j, "driver_build", v->build);
    if (v->discovered)
        write_roots(&j, v);
    jw_json_array(&j, "files");
    for (size_t i = 0; i < v->report->n_files; i++)
        write_file(&j, v, i);
    jw_json_close(&j);
    write_skipped(&j, v);
    write_totals(&j, v);
    jw_json_close(&j);
    return jw_json_end(&j);
}
