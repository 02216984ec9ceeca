#include "pack/export/export_work.h"

#include "base/command.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/text.h"
#include "os/files/file.h"
#include "os/files/real.h"
#include "os/machine/env.h"
#include "pack/format/pack_layout.h"

#include <stdio.h>
#include <string.h>

const char *const jw_export_why_names[] = { "missing", "damaged", "unread", "changed", "others" };

void export_notes(struct export *x, const struct jw_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        export_note(x, "%s", notes->v[i]);
}

void export_notify(const struct export *x, const char *what)
{
    if (x->run->progress)
        x->run->progress(x->run->ctx, &(struct jw_progress){ .what = what });
}

enum { LONGEST_NAME = 247 }; /* with .minisig 255, the limit of file systems */

/* ---- the output ---- */

/* Never makes the folder: its name may be a typing error. */
static bool find_folder(struct export *x, const char *path, struct jw_err *err)
{
    struct jw_file_info info;

    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    if (info.kind != JW_FILE_DIR)
        return jw_fail(err, JW_E_USAGE, "%s: no such folder", path);
    return jw_real_path(path, x->run->a, &x->folder, err) || jw_wrap(err, "%s", path);
}

static bool find_file(struct export *x, const char *path, struct jw_err *err)
{
    const char *real, *above;
    struct jw_file_info info;

    if (!*path)
        return jw_fail(err, JW_E_USAGE, "-o: the name is empty");
    if (!*jw_path_base(path))
        return jw_fail(err, JW_E_USAGE, "%s: no such folder", path);
    if (!jw_file_stat(path, &info, err))
        return jw_wrap(err, "%s", path);
    if (info.kind == JW_FILE_OTHER)
        return jw_fail(err, JW_E_USAGE, "%s is not a regular file; -o - writes to standard output", path);
    if (info.kind == JW_FILE_REGULAR) { /* replaces the target of a link */
        if (!jw_real_path(path, x->run->a, &real, err))
            return jw_wrap(err, "%s", path);
        path = real;
    }
    above = jw_path_dir(x->run->a, path);
    x->file = jw_path_base(path);
    if (strlen(x->file) > LONGEST_NAME)
        return jw_fail(err, JW_E_USAGE, "-o: the name is longer than %d bytes", LONGEST_NAME);
    return find_folder(x, above, err);
}

static bool find_output(struct export *x, struct jw_err *err)
{
    const char *output = x->o->output ? x->o->output : ".";
    struct jw_file_info info = { .kind = JW_FILE_DIR };

    if (x->o->stream)
        return true;
    if (*output && !jw_file_stat(output, &info, err))
        return jw_wrap(err, "%s", output);
    return *output && info.kind == JW_FILE_DIR ? find_folder(x, output, err) : find_file(x, output, err);
}

bool jw_export_place(const char *output, struct jw_arena *a, struct jw_err *err)
{
    const struct jw_export_options o = { .output = output };
    struct jw_run run = { .a = a };
    struct export x = { .o = &o, .run = &run };

    return find_output(&x, err);
}

static bool ends_as_pack(const char *path)
{
    struct jw_file f = JW_FILE_CLOSED;
    struct jw_file_info info;
    struct jw_buf frame = JW_BUF(JW_MAX_TRAILER);
    struct jw_trailer trailer;
    struct jw_err ignored;
    uint64_t at;
    bool yes = false;

    if (jw_file_open(&f, path, &ignored) && jw_file_info(&f, &info, &ignored)) {
        struct jw_source src = jw_file_source(&f, info.size);

        yes = !info.size || jw_trailer_find(&src, &frame, &trailer, &at, &ignored);
    }
    jw_file_close(&f);
    jw_buf_free(&frame);
    return yes;
}

/* "jitwarm-580.126.09-sm_86.tar.zst" */
static const char *name_of_pack(struct export *x, uint16_t sm)
{
    const char *version = export_plain_word(x->driver.version);

    char *name = jw_arena_printf(x->run->a, "jitwarm-%s-sm_%u.tar.zst", version ? version : "driver", sm);

    for (char *c = name; *c; c++)
        if (*c == ':' || *c == '~')
            *c = '-';
    return name;
}

static bool find_name(struct export *x, size_t i, struct jw_err *err)
{
    struct export_job *job = &x->jobs[i];
    struct jw_export_pack *p = &x->out->packs[i];
    struct jw_file_info info;

    job->name = x->file           ? x->file
                : x->o->by_origin ? jw_arena_printf(x->run->a, "layer-%zu.tar.zst", i)
                                  : name_of_pack(x, p->sm);
    p->path = job->name ? jw_path_join(x->run->a, x->folder, job->name) : NULL;
    if (!jw_file_stat(p->path, &info, err))
        return jw_wrap(err, "%s", p->path);
    if (info.kind != JW_FILE_NONE && info.kind != JW_FILE_REGULAR)
        return jw_fail(err, JW_E_USAGE, "%s exists and is not a file", p->path);
    job->replaces = info.kind == JW_FILE_REGULAR && !ends_as_pack(p->path);
    return true;
}

static bool find_names(struct export *x, struct jw_err *err)
{
    size_t n = x->out->n_packs;

    if (n > 1 && (x->o->stream || x->file))
        return jw_fail(err, JW_E_USAGE, JW_EXPORT_SEVERAL);
    for (size_t i = 0; !x->o->stream && i < n; i++)
        if (!find_name(x, i, err))
            return false;
    return true;
}

/* ---- which entries ---- */

void export_fill_job(struct export *x, size_t pack)
{
    struct export_job *job = &x->jobs[pack];
    struct jw_export_pack *p = &x->out->packs[pack];
    struct export_choice *c = &job->choice;
    struct jw_pack_manifest *m = &job->manifest;

    job->entries = jw_arena_alloc(x->run->a, (c->n + 1) * sizeof *job->entries);
    p->once = 0;
    for (size_t i = 0; i < c->n; i++) {
        job->entries[i] = (struct jw_pack_entry){ .name = c->list[i].file->name,
                                                  .key_bytes = c->list[i].file->entry.key_size,
                                                  .payload_bytes = c->list[i].file->entry.payload_size };
        p->once += c->list[i].once;
    }
    *m = (struct jw_pack_manifest){ .tool = JITWARM_VERSION,
                                    .os = jw_os_name(),
                                    .arch = jw_os_arch(),
                                    .driver = export_plain_word(x->driver.version),
                                    .stamp = x->driver.stamp,
                                    .sm = p->sm,
                                    .command = x->out->command
                                                   ? jw_warm_command_alias(x->out->command, x->run->a)
                                                   : NULL,
                                    .entries = job->entries,
                                    .n_entries = c->n,
                                    .kit = x->kit };
    memcpy(p->left_out, c->left_out, sizeof p->left_out);
    if (m->command)
        export_list_modules(x, c, m);
    export_origins(c, &x->candidates, x->run->a, job->entries, m);
    export_sum_up(x, pack);
}

static void choose_of_arch(struct export *x, uint16_t sm, bool first, struct export_choice *out)
{
    struct export_input in = { .files = x->listing.files,
                               .n_files = x->listing.n,
                               .wanted = x->wanted,
                               .n_wanted = x->n_wanted,
                               .everything = x->o->everything,
                               .stamp = x->driver.stamp,
                               .version = x->driver.version,
                               .sm = sm,
                               .unknown_too = first };

    export_choose(&in, x->run->a, out);
}

static uint64_t all_left_out(const struct jw_export_sum *left_out, struct jw_export_sum *sums)
{
    uint64_t n = 0;

    for (size_t i = 0; i < JW_EXPORT_WHYS; i++) {
        sums[i].entries += left_out[i].entries;
        sums[i].bytes += left_out[i].bytes;
        n += left_out[i].entries;
    }
    return n;
}

static void report_empty(struct export *x, uint16_t sm, uint64_t lost)
{
    x->missing += lost;
    if (lost && x->n_sms != 1)
        export_note(x, "no pack for sm_%u: none of its %s could be packed", sm,
                    JW_N(lost, "entry", "entries"));
}

static bool end_empty(struct export *x)
{
    const struct jw_export_sum *out = x->out->packs[0].left_out;

    if (out[JW_EXPORT_DAMAGED].entries || out[JW_EXPORT_UNREAD].entries)
        return export_end(x, JW_END_NOTHING,
                          "all of these entries are damaged or unreadable; see jitwarm status --check");
    if (x->listing.notes.n)
        return export_end(
            x, JW_END_NOTHING,
            "no such entries for sm_%u in the readable part of the cache; the notes list the rest",
            x->sms[0]);
    if (x->o->command) {
        export_advise(x, "%s", export_prime_command(x));
        if (out[JW_EXPORT_OTHERS].entries)
            return export_end(
                x, JW_END_NOTHING,
                "what this command loads is of another driver, or shows no GPU; prime it again");
        return export_end(x, JW_END_NOTHING,
                          "the cache has none of the entries for sm_%u that this command loaded: evicted "
                          "since; prime it again",
                          x->sms[0]);
    }
    export_advise_prime(x);
    if (x->o->everything)
        return export_end(x, JW_END_NOTHING, "the cache has no entries of this driver for sm_%u: prime first",
                          x->sms[0]);
    return export_end(x, JW_END_NOTHING,
                      "the cache has no such entries for sm_%u: not primed, or evicted since; prime first",
                      x->sms[0]);
}

/* Moves the entries with the origin of the first one from `all` to `out`. */
static void take_origin(struct export *x, struct export_choice *all, struct export_choice *out)
{
    uint32_t origin = all->list[0].origin;
    size_t left = 0;

    *out = (struct export_choice){ .list = jw_arena_alloc(x->run->a, all->n * sizeof *out->list) };
    memcpy(out->left_out, all->left_out, sizeof out->left_out);
    memset(all->left_out, 0, sizeof all->left_out);
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].origin == origin)
            out->list[out->n++] = all->list[i];
        else
            all->list[left++] = all->list[i];
    all->n = left;
}

/* The packs of one architecture; `*n`: the next index. */
static void fill_packs(struct export *x, uint16_t sm, struct export_choice *choice, size_t *n)
{
    for (bool first = x->kit.n_files != 0; choice->n || first; first = false) {
        struct export_job *job = &x->jobs[*n];

        x->out->packs[*n] = (struct jw_export_pack){ .sm = sm, .manifest = &job->manifest };
        job->choice = *choice;
        if (x->o->by_origin)
            take_origin(x, choice, &job->choice);
        else
            choice->n = 0;
        x->out->n_packs = *n + 1;
        export_fill_job(x, (*n)++);
    }
}

static bool choose_entries(struct export *x, struct jw_err *err)
{
    struct jw_export_sum lost[JW_EXPORT_WHYS] = { 0 };
    size_t max = x->n_sms * (x->o->by_origin ? x->candidates.n + 1 : 1), n = 0;

    (void)err;
    x->out->packs = jw_arena_alloc(x->run->a, max * sizeof *x->out->packs);
    x->jobs = jw_arena_alloc(x->run->a, max * sizeof *x->jobs);
    for (size_t i = 0; i < x->n_sms; i++) {
        struct export_choice choice;

        export_notify(x, "choosing entries");
        choose_of_arch(x, x->sms[i], i == 0, &choice);
        if (!choice.n)
            report_empty(x, x->sms[i], all_left_out(choice.left_out, lost));
        fill_packs(x, x->sms[i], &choice, &n);
    }
    if (n)
        return true;
    x->out->packs[0] = (struct jw_export_pack){ .sm = x->sms[0] };
    memcpy(x->out->packs[0].left_out, lost, sizeof lost);
    return end_empty(x);
}

/* ---- questions ---- */

static bool ask_export(struct export *x, const char *question)
{
    if (x->o->yes || (x->run->ask && x->run->ask(x->run->ctx, question, false)))
        return true;
    if (!x->run->ask)
        export_advise(x, "%s   # does not ask", jw_run_again(x->run, "--yes"));
    return export_end(x, JW_END_CONSENT, "%s", question);
}

uint64_t export_untrusted(const struct export *x, size_t pack)
{
    const struct export_choice *c = &x->jobs[pack].choice;
    uint64_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += jw_warm_imported(x->memory, c->list[i].file->name, c->list[i].file->entry.payload_hash);
    return n;
}

/* A signature says that the user trusts the content. */
static bool may_sign(struct export *x)
{
    char question[JW_MAX_SENTENCE];
    uint64_t n = 0;

    for (size_t i = 0; x->o->key && i < x->out->n_packs; i++)
        n += export_untrusted(x, i);
    (void)snprintf(
        question, sizeof question,
        "%s from packs that no trusted key signed; your signature would say that you trust %s; sign?",
        JW_N(n, "entry came", "entries came"), n == 1 ? "it" : "them");
    return !n || ask_export(x, question);
}

static bool consent(struct export *x, struct jw_err *err)
{
    const struct jw_export_report *r = x->out;
    char question[sizeof err->msg];
    uint64_t entries = 0;

    if (x->o->dry_run)
        return true;
    if (!may_sign(x) || x->run->ended)
        return x->run->ended;
    for (size_t i = 0; i < r->n_packs; i++)
        entries += r->packs[i].sum.entries;
    (void)snprintf(
        question, sizeof question,
        "anyone who gets %s can read the source (PTX) of %s, of everything that this user ran; pack it all?",
        r->n_packs == 1 ? "this pack" : "these packs", JW_N(entries, "entry", "entries"));
    if (x->o->everything && !ask_export(x, question))
        return false;
    for (size_t i = 0; !x->run->ended && i < r->n_packs; i++) {
        if (!x->jobs[i].replaces)
            continue;
        (void)snprintf(question, sizeof question, "%.250s exists and is not a pack; replace it?",
                       r->packs[i].path);
        if (!ask_export(x, question))
            return false;
    }
    return true;
}

/* ---- the run ---- */

static bool (*const steps[])(struct export *x, struct jw_err *err) = {
    export_check_paths,
    find_output,
    export_find_cache,
    export_find_kit,
    export_ask_driver,
    export_list_cache,
    export_choose_archs,
    export_find_wanted,
    choose_entries,
    find_names,
    consent,
    export_write,
};

static bool export_step(void *of, size_t at, struct jw_err *err)
{
    return steps[at](of, err);
}

void export_advise_prime(struct export *x)
{
    bool windows = jw_os_is_windows();
    const char *prime = "jitwarm prime";

    for (size_t i = 0; i < x->o->paths.n; i++)
        prime =
            jw_arena_printf(x->run->a, "%s %s", prime, JW_COMMAND(x->run->a, windows, x->o->paths.items[i]));
    export_advise(x, "%s && %s", prime, jw_run_again(x->run, NULL));
}

const char *export_prime_command(const struct export *x)
{
    const char *words = jw_command_text(x->run->a, x->o->argv, jw_os_is_windows());

    return jw_arena_printf(x->run->a, "jitwarm prime --run %s", words);
}

static bool export_failure(void *of, size_t at, const struct jw_err *why, struct jw_err *err)
{
    struct export *x = of;

    (void)at;
    if (why->code == JW_E_LIMIT)
        return export_end(x, JW_END_CANNOT_WRITE, "%s", why->msg);
    return jw_run_end_by(x->run, why, err);
}

static void clean_up(struct export *x)
{
    jw_cache_listing_free(&x->listing);
    scan_jobs_free(&x->found);
}

bool jw_export(struct jw_run *run, const struct jw_export_options *o, struct jw_export_report *out,
               struct jw_err *err)
{
    struct export x = { .o = o, .out = out, .run = run };

    *out = (struct jw_export_report){ .run = run, .command = o->command };
    jw_run_begin(run);
    bool ok = jw_run_steps(run, &(struct jw_steps){ JW_COUNT(steps), export_step, export_failure }, &x, err);

    clean_up(&x);
    return ok;
}
