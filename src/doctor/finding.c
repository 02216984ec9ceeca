#include "doctor/finding.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

const char *const jw_severity_names[] = { "note", "warning", "error" };

#define F(id, area, question) id,
static const char *const ids[] = {
#include "doctor/finding_kinds.def"
};
#undef F

bool jw_finding_exists(const char *id)
{
    return jw_text_among(id, ids, JW_COUNT(ids));
}

/* The finding is there already: software may have it on two GPUs. */
static bool is_there(const struct jw_findings *f, const struct jw_finding *one)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->v[i].id, one->id) == 0 && jw_text_same(f->v[i].text, one->text)
            && jw_text_same(f->v[i].subject, one->subject) && jw_text_same(f->v[i].evidence, one->evidence)
            && jw_text_same(f->v[i].command, one->command))
            return true;
    return false;
}

void jw_finding_add(struct jw_findings *f, struct jw_finding one)
{
    struct jw_err more_are_not_kept;

    if (is_there(f, &one))
        return;
    struct jw_finding *slot =
        jw_list_add(f->a, &f->v, &f->n, sizeof *f->v, JW_MAX_FINDINGS, &more_are_not_kept);

    if (slot)
        *slot = one;
}

const char *jw_fmt(struct jw_findings *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    const char *kept = jw_arena_say(f->a, fmt, args);
    va_end(args);
    return kept;
}

static bool is_worse(const struct jw_finding *a, const struct jw_finding *b)
{
    return a->severity != b->severity ? a->severity > b->severity : a->cost_s > b->cost_s;
}

void jw_findings_sort(struct jw_findings *f)
{
    for (size_t i = 1; i < f->n; i++) {
        struct jw_finding one = f->v[i];
        size_t at = i;

        for (; at > 0 && is_worse(&one, &f->v[at - 1]); at--)
            f->v[at] = f->v[at - 1];
        f->v[at] = one;
    }
}

/* True for a placeholder: a word that the user replaces. */
static bool is_placeholder(const char *word, size_t n)
{
    static const char *const names[] = { "IMAGE", "PROGRAM", "NAME.service", "program.py" };

    for (size_t i = 0; i < JW_COUNT(names); i++)
        if (n == strlen(names[i]) && strncmp(word, names[i], n) == 0)
            return true;
    return false;
}

bool jw_finding_runs(const struct jw_finding *f)
{
    for (const char *at = f->command; at && *at;) {
        size_t n = strcspn(at, " ");

        if (is_placeholder(at, n))
            return false;
        at += n + (at[n] == ' ');
    }
    return f->command && *f->command;
}

static const char *without_sudo(const struct jw_finding *f)
{
    static const char word[] = "sudo ";
    const char *command = f->command ? f->command : "";

    return jw_text_starts(command, word) ? command + strlen(word) : command;
}

bool jw_finding_only_shows(const struct jw_finding *f)
{
    static const char *const begins[] = { "jitwarm env --shell ",
                                          "jitwarm scan",
                                          "jitwarm status",
                                          "jitwarm verify",
                                          "jitwarm doctor",
                                          "jitwarm prune --gone",
                                          "du ",
                                          "dmesg ",
                                          "journalctl ",
                                          "nvidia-smi -L",
                                          "nvidia-smi -q",
                                          "nvidia-smi --query",
                                          "echo $",
                                          "ls ",
                                          "lsattr ",
                                          "where ",
                                          "ldconfig -p",
                                          "free -h",
                                          "sed -n ",
                                          "timeout 20 ",
                                          "kubectl get nodes",
                                          "nvcc --list",
                                          "export CUDA_LAUNCH_BLOCKING",
                                          "export NCCL_DEBUG" };
    static const char *const parts[] = { " get pod ", " -c \"import ", " -m bitsandbytes" };
    const char *command = without_sudo(f);
    bool found = strcmp(command, "nvidia-smi") == 0;

    if (jw_text_starts(command, "jitwarm status --repair"))
        return false;

    for (size_t i = 0; i < JW_COUNT(begins); i++)
        found = found || jw_text_starts(command, begins[i]);
    for (size_t i = 0; i < JW_COUNT(parts); i++)
        found = found || strstr(command, parts[i]);
    return found;
}

bool jw_finding_is_for_the_host(const struct jw_finding *f)
{
    static const char *const begins[] = { "reboot",     "modprobe ",    "systemctl ",
                                          "docker ",    "podman ",      "kubectl ",
                                          "apptainer ", "singularity ", "mkdir -p ~/.cache/jit-caches && " };
    const char *command = without_sudo(f);

    for (size_t i = 0; i < JW_COUNT(begins); i++)
        if (jw_text_starts(command, begins[i]))
            return true;
    return false;
}

void jw_findings_keep_runnable(struct jw_findings *f, bool container, bool (*has_program)(const char *name))
{
    static const char *const managers[] = { "conda", "pip", "ubuntu-drivers", "apt-get", "dnf", "pacman" };

    for (size_t i = 0; i < f->n; i++) {
        struct jw_finding *one = &f->v[i];
        const char *command = without_sudo(one);
        const char *program = jw_fmt(f, "%.*s", (int)strcspn(command, " "), command);

        if (container && jw_finding_is_for_the_host(one))
            continue;
        if (!jw_text_among(program, managers, JW_COUNT(managers)) || has_program(program))
            program = one->command && command != one->command ? "sudo" : NULL;
        if (!program || has_program(program))
            continue;
        one->fix = jw_fmt(f, "%s%s %s (%s is not installed here%s)", one->fix ? one->fix : "run this",
                          one->fix && jw_text_ends(one->fix, ":") ? "" : ":", one->command, program,
                          strcmp(program, "sudo") == 0 ? ": only an administrator can" : "");
        one->command = NULL;
    }
}

struct jw_finding *jw_finding_of(const struct jw_findings *f, const char *id)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->v[i].id, id) == 0)
            return &f->v[i];
    return NULL;
}
