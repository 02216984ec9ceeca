#include "cache/format/jitcache.h"
#include "lab.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 4200 };

void lab_say(struct lab *l, const char *step, const char *what, bool ok)
{
    jw_buf_clear(&l->line);
    l->n_findings = 0;
    jw_json_begin(&l->json, jw_sink_buf(&l->line), false, &l->err);
    jw_json_object(&l->json, NULL);
    jw_json_text(&l->json, "experiment", l->experiment);
    jw_json_text(&l->json, "step", step);
    jw_json_text(&l->json, "what", what);
    jw_json_bool(&l->json, "ok", ok);
    l->failed += !ok;
}

void lab_say_done(struct lab *l, const struct lab_done *d)
{
    jw_json_text(&l->json, "ended", d->how);
    jw_json_bool(&l->json, "whole", d->whole);
    jw_json_array(&l->json, "operations");
    for (size_t i = 0; i < d->n; i++) {
        const struct lab_op *op = &d->ops[i];
        const char *slash = strrchr(op->text, '/'); /* folders of /tmp tell nothing */
        char text[2 * sizeof op->text];

        (void)snprintf(text, sizeof text, "%.*s%s", slash ? (int)strcspn(op->text, " ") + 1 : 0, op->text,
                       slash ? slash + 1 : op->text);
        jw_json_object(&l->json, NULL);
        jw_json_text(&l->json, "op", text);
        if (op->code == -1)
            jw_json_null(&l->json, "result");
        else
            jw_json_number(&l->json, "result", (uint64_t)(unsigned)op->code);
        jw_json_real(&l->json, "ms", (double)op->us / 1000);
        jw_json_number(&l->json, "new", op->fresh);
        jw_json_number(&l->json, "changed", op->changed);
        jw_json_number(&l->json, "gone", op->gone);
        jw_json_number(&l->json, "value", op->value);
        jw_json_close(&l->json);
    }
    jw_json_close(&l->json);
}

static void say_text(struct lab *l, const char *key, struct jw_bytes bytes)
{
    char text[256];

    (void)snprintf(text, sizeof text, "%.*s", (int)(bytes.n < sizeof text ? bytes.n : sizeof text - 1),
                   bytes.n ? (const char *)bytes.p : "");
    jw_json_text(&l->json, key, text);
}

void lab_say_entry(struct lab *l, const struct lab_entry *e, const struct lab_module *fed)
{
    static const char *const kinds[] = { "cuda", "nvvm", "opencl", "other" };
    char digest[20];

    (void)snprintf(digest, sizeof digest, "%016llx",
                   (unsigned long long)jw_fnv1a(JW_FNV_START, e->payload.p, e->payload.n));
    jw_json_text(&l->json, "entry", jw_cache_name(e->name).text);
    jw_json_text(&l->json, "entry_kind", kinds[e->k.kind]);
    jw_json_text(&l->json, "entry_stamp", e->k.stamp);
    jw_json_text(&l->json, "entry_arch", e->k.arch);
    say_text(l, "options", e->k.options);
    jw_json_number(&l->json, "nuls", e->k.nuls);
    jw_json_number(&l->json, "key_bytes", e->key.n);
    jw_json_number(&l->json, "payload_bytes", e->payload.n);
    jw_json_text(&l->json, "payload_fnv", digest);
    if (fed)
        jw_json_bool(&l->json, "input_as_fed",
                     e->k.input.n == fed->ptx.n && memcmp(e->k.input.p, fed->ptx.p, fed->ptx.n) == 0);
}

/* Written with one write to a file that is only appended to: a group that is cut off leaves whole lines. */
static bool append(const struct lab *l, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && write(fd, l->line.p, l->line.n) == (ssize_t)l->line.n;

    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return ok;
}

/* OUTDIR/e2a.jsonl */
static void file_of(const struct lab *l, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s.jsonl", l->out, l->experiment);
    for (char *p = strrchr(path, '/'); p && *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p | 0x20);
}

void lab_say_anew(const struct lab *l)
{
    char path[MAX_PATH];

    file_of(l, path, sizeof path);
    (void)unlink(path);
}

void lab_say_end(struct lab *l)
{
    const struct lab_machine *m = &l->m;
    char path[MAX_PATH];

    lab_say_findings(l);
    if (l->small)
        jw_json_bool(&l->json, "small", true);
    jw_json_text(&l->json, "driver", m->driver);
    jw_json_number(&l->json, "cuda", m->cuda);
    jw_json_text(&l->json, "stamp", *m->stamp ? m->stamp : NULL);
    jw_json_text(&l->json, "gpu", m->gpu);
    jw_json_number(&l->json, "sm", m->sm);
    jw_json_text(&l->json, "kernel", m->kernel);
    jw_json_text(&l->json, "date", m->date);
    jw_json_bool(&l->json, "simulated", m->simulated);
    jw_json_bool(&l->json, "phantom", m->phantom);
    if (m->phantom)
        jw_json_text(&l->json, "numbers", "computed by phantom");
    jw_json_close(&l->json);
    file_of(l, path, sizeof path);
    l->lines++;
    if (!jw_json_end(&l->json) || !append(l, path)) {
        l->failed++;
        (void)fprintf(stderr, "lab: a line could not be written to %s\n", path);
    }
}

void lab_say_failure(struct lab *l, const char *step, const char *what, const struct jw_err *err)
{
    lab_say(l, step, what, false);
    jw_json_text(&l->json, "error", err->msg);
    lab_say_end(l);
}
