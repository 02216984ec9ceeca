#include "software/scan/scan_jobs.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sort.h"
#include "facts/compile_time.h"
#include "formats/fatbin_unpack.h"
#include "software/find/vendor.h"
#include "software/scan/scan_judge.h"
#include "software/scan/scan_work.h"

#include <string.h>

enum { MAX_JOBS = 1 << 20, MAX_KERNELS = 1 << 20, MAX_FILES = 1 << 22, PIECE = 1 << 16 };
#define MAX_MEMO ((size_t)256 << 20)

/* The lock of the scan guards all beside the options, and what is known of each file. */
struct finding {
    const struct scan_jobs_options *o;
    struct scan_known **known;
    size_t n, cap;
    unsigned spooled;
    uint32_t has; /* architectures that some file has something for; all, if a path was not named */
};

/* One module, with all architectures. */
struct seen {
    struct finding *f;
    struct scan_worker *w;
    struct scan_member *member;
    const struct scan_subject *subject;
    const struct jw_image *image;
    const struct jw_fat *fat;
    const struct scan_judge *judges; /* of this image, for each architecture */
    struct scan_module *module;      /* NULL: not created yet */
};

/* The GPUs that selected one entry of a module, which is decoded once for all of them. */
struct wanted {
    const struct jw_fat_entry *entry;
    bool input; /* the driver links it: another key */
    struct jw_sms sms;
};

/* `list` has room for JW_MAX_SMS. */
static void want(struct wanted *list, size_t *n, const struct jw_fat_entry *entry, uint16_t sm,
                 bool input)
{
    size_t i = 0;

    while (i < *n && (list[i].entry != entry || list[i].input != input))
        i++;
    if (i == *n)
        list[(*n)++] = (struct wanted){.entry = entry, .input = input};
    list[i].sms.v[list[i].sms.n++] = sm;
}

/* The options in its key. driver-fact: F16-options-in-key, F17-link-options */
static const char *options_of(const struct wanted *w, struct jw_arena *a)
{
    return w->input ? jw_arena_printf(a, "%s%s", JW_LINK_OPTION, w->entry->options)
                    : jw_arena_str(a, w->entry->options);
}

static enum module_form form_of(const struct jw_fat_entry *e)
{
    if (e->header == 0)
        return MODULE_TEXT;
    return e->packed ? MODULE_PACKED : MODULE_RAW;
}

/* ---- what a worker will read ---- */

static bool copy_out(const struct jw_source *src, uint64_t at, uint64_t size, struct jw_file *out,
                     struct jw_digest_state *digest, struct jw_err *err)
{
    uint8_t *piece = jw_alloc((size_t)jw_min(PIECE, size)); /* zeroed: most modules are smaller */
    uint64_t done = 0;

    while (done < size) {
        size_t n = (size_t)jw_min(PIECE, size - done);

        if (!jw_source_read(src, at + done, piece, n, err)
            || (out && !jw_file_write(out, done, piece, n, err)))
            break;
        jw_digest_update(digest, piece, n);
        done += n;
    }
    jw_free(piece);
    return done == size;
}

static char *spool_name(const struct seen *s)
{
    jw_lock_take(s->w->scan->lock);
    unsigned number = s->f->spooled++;
    jw_lock_drop(s->w->scan->lock);
    return jw_path_join(s->w->results, s->f->o->spool,
                        jw_arena_printf(s->w->results, "%u.module", number));
}

/* Writes a deflated wheel member to a file for the worker. Not synced, because it is temporary. */
static bool spool_member(struct seen *s, struct jw_digest_state *digest, struct jw_err *err)
{
    struct jw_file out = JW_FILE_CLOSED;
    char *path = spool_name(s);
    bool ok = jw_file_make(&out, path, err)
              && copy_out(&s->subject->src, s->fat->at, s->fat->size, &out, digest, err);

    jw_file_close(&out);
    s->module->place.disk = path;
    s->module->place.at = 0;
    return ok || jw_wrap(err, "%s", s->f->o->spool);
}

/* Adds the module once, with room for a job of each architecture. */
static bool find_place(struct seen *s, struct jw_err *err)
{
    struct scan_member *m = s->member;
    struct jw_digest_state digest;

    if (s->module)
        return true;
    s->module =
        jw_list_add(s->w->results, &m->modules, &m->n_modules, sizeof *m->modules, MAX_JOBS, err);
    if (!s->module)
        return false;
    s->module->place = (struct jw_place){.at = s->fat->at,
                                         .size = s->fat->size,
                                         .text = s->image->fats.entries[s->fat->first].header == 0,
                                         .link = jw_is_link_input(s->fat),
                                         .lazy = m->lazy};
    s->module->jobs = jw_arena_alloc(s->w->results, s->f->o->scan.sms.n * sizeof *s->module->jobs);
    jw_digest_init(&digest);
    bool ok = *m->tail && s->f->o->spool
                  ? spool_member(s, &digest, err)
                  : copy_out(&s->subject->src, s->fat->at, s->fat->size, NULL, &digest, err);

    if (ok)
        jw_digest_final(&digest, s->module->place.digest);
    return ok;
}

struct kernels {
    struct jw_arena *a;
    uint64_t *list;
    size_t n;
};

static void note_kernel(void *ctx, uint64_t kernel)
{
    struct kernels *k = ctx;
    uint64_t *slot = jw_list_add(k->a, &k->list, &k->n, sizeof *slot, MAX_KERNELS, JW_IGNORED);

    if (slot)
        *slot = kernel;
}

static bool add_jobs(struct seen *s, const struct wanted *w, const struct module_name *name,
                     const struct kernels *shared, struct jw_err *err)
{
    const struct jw_fat_entry *e = w->entry;
    struct jw_job j = {.options = options_of(w, s->w->results),
                       .kernel = jw_arena_str(s->w->results, name->kernel),
                       .shared = shared->list,
                       .n_shared = shared->n};

    if (!find_place(s, err))
        return false;
    for (size_t i = 0; i < w->sms.n; i++) {
        j.sm = w->sms.v[i];
        module_name_job(name, form_of(e), i, &j);
        s->module->jobs[s->module->n_jobs++] = j;
        s->w->known->n_jobs++;
    }
    return true;
}

/* A payload that cannot be decoded is not handed to a driver. One that could not be read
 * may be whole: a run that passed it over has not looked at everything. */
static bool decode_entry(struct seen *s, const struct wanted *w, struct jw_err *err)
{
    struct module_name name;
    struct kernels kernels = {.a = s->w->results};
    struct jw_err why = {0};

    module_name_begin(&name, &s->f->o->rules, w->sms.v, w->sms.n);
    if (s->f->o->shared) {
        name.shared = note_kernel;
        name.ctx = &kernels;
    }
    bool ok = jw_fat_unpack(&s->subject->src, w->entry, module_name_sink(&name), &why);

    if (!ok && why.code == JW_E_INTERRUPTED)
        return jw_pass(err, why);
    if (!ok && why.code == JW_E_IO)
        return scan_skip(s->w, s->subject->path, s->subject->named, &why, err);
    if (!ok || (name.broken && w->entry->header) || !name.bytes) {
        s->member->out[JW_OUT_IS_DOUBTFUL].n++;
        return true;
    }
    return add_jobs(s, w, &name, &kernels, err);
}

/* Only --all takes what an operation loads when it is first used: from a library's data, or where
 * NVIDIA's libraries were not asked about. Who names one of these asks about all of it. A link
 * needs all its inputs. */
static bool is_on_demand(const struct seen *s)
{
    bool vendor = jw_is_vendor_file(s->subject->name);

    if (s->f->o->scan.all || jw_is_link_input(s->fat))
        return false;
    if (vendor && s->subject->listed)
        return false;
    return s->fat->role == JW_ROLE_LAZY || (vendor && s->member->lazy);
}

/* Why the module is no job on any GPU, before it is decoded; JW_OUTS: it may be one. */
static enum jw_out_is out_as_whole(const struct seen *s)
{
    if (s->fat->doubtful)
        return JW_OUT_IS_DOUBTFUL;
    return is_on_demand(s) ? JW_OUT_IS_SKIPPED : JW_OUTS;
}

/* A driver may compile it, whatever jitwarm would choose. */
static bool has_doubtful_ptx(const struct seen *s)
{
    const struct jw_fat_entry *entries = &s->image->fats.entries[s->fat->first];

    for (size_t i = 0; i < s->fat->n; i++)
        if (entries[i].kind == JW_KIND_PTX && jw_fat_why_unsafe(&entries[i]))
            return true;
    return false;
}

/* Why the module is no job on a GPU that chose this code; JW_OUTS: it is one. */
static enum jw_out_is out_on_gpu(const struct seen *s, enum jw_out_is whole, struct jw_choice c)
{
    static const enum jw_out_is outs[JW_SELECTED_KINDS] = {
        [JW_SELECTED_NATIVE] = JW_OUT_IS_NATIVE,
        [JW_SELECTED_BLOCKED] = JW_OUT_IS_BLOCKED,
        [JW_SELECTED_RDC] = JW_OUT_IS_LINKABLE,
        [JW_SELECTED_LTO] = JW_OUT_IS_LINKABLE,
        [JW_SELECTED_UNKNOWN] = JW_OUT_IS_DOUBTFUL,
        [JW_SELECTED_NONE] = JW_OUT_IS_NOTHING,
        [JW_SELECTED_JIT] = JW_OUTS,
    }; /* the others count by their inputs */
    JW_ROW_FOR_EACH(outs, JW_SELECTED_KINDS, 9);

    if (whole == JW_OUTS)
        return outs[c.outcome];
    if (c.outcome == JW_SELECTED_JIT || c.outcome == JW_SELECTED_BLOCKED)
        return whole;
    if (whole == JW_OUT_IS_DOUBTFUL && !c.entry && has_doubtful_ptx(s))
        return whole;
    return outs[c.outcome];
}

static bool see_module(struct seen *s, struct jw_err *err)
{
    const struct jw_sms *sms = &s->f->o->scan.sms;
    struct wanted list[JW_MAX_SMS];
    struct scan_known *k = s->w->known;
    enum jw_out_is whole = out_as_whole(s);
    size_t n = 0;

    for (size_t i = 0; i < sms->n; i++) {
        struct jw_choice c = scan_judge_module(&s->judges[i], s->fat);
        enum jw_out_is why = out_on_gpu(s, whole, c);

        if (c.outcome == JW_SELECTED_STUB || c.outcome == JW_SELECTED_LINKED) /* its inputs count */
            continue;
        if (c.outcome != JW_SELECTED_NONE && c.outcome != JW_SELECTED_RDC)
            s->member->has |= (uint32_t)1 << i;
        if (why == JW_OUTS) {
            want(list, &n, c.entry, sms->v[i], scan_judge_input(&s->judges[i], s->fat));
            continue;
        }
        s->member->out[why].n++;
        s->member->out[why].on |= (uint64_t)1 << i;
        if (why == JW_OUT_IS_BLOCKED)
            k->needs = (uint16_t)jw_max(k->needs, jw_needed(c.entry, &s->w->scan->driver).branch);
    }
    for (size_t i = 0; i < n; i++)
        if (!jw_not_interrupted(s->w->scan->o->interrupted, err) || !decode_entry(s, &list[i], err))
            return false;
    return true;
}

bool finding_see(struct finding *f, struct scan_worker *w, const struct scan_subject *subject,
                 const struct jw_scan_file *file, const struct jw_image *image, struct jw_err *err)
{
    struct scan_judge judges[JW_MAX_SMS];
    struct scan_known *k = w->known;
    struct jw_err why = {0};
    struct scan_member *m =
        jw_list_add(w->results, &k->files, &k->n_files, sizeof *m, MAX_FILES, err);

    if (!m)
        return false;
    *m = (struct scan_member){.file = *file, .tail = file->path + strlen(k->path)};
    m->out[JW_OUT_IS_MADE].n = image->fats.pieces;
    m->out[JW_OUT_IS_UNBOUNDED].n = image->fats.unbounded;
    m->out[JW_OUT_IS_DOUBTFUL].n = image->fats.damaged * f->o->scan.sms.n;
    m->out[JW_OUT_IS_BEHIND].n = image->fats.searched >= JW_MAX_FAT_SEARCH;
    k->vendor |= jw_is_vendor_file(subject->name) || image->format == JW_FORMAT_OBJECT;
    if (f->o->lazy && !jw_image_is_lazy(&subject->src, image, &m->lazy, &why)
        && !scan_skip(w, subject->path, subject->named, &why, err))
        return false;
    for (size_t i = 0; i < f->o->scan.sms.n; i++)
        judges[i] = scan_judge(image, f->o->scan.sms.v[i], &w->scan->driver);
    for (size_t i = 0; i < image->fats.n; i++) {
        struct seen s = {.f = f,
                         .w = w,
                         .member = m,
                         .subject = subject,
                         .image = image,
                         .fat = &image->fats.list[i],
                         .judges = judges};

        if (!see_module(&s, err))
            return false;
    }
    return true;
}

/* ---- what the memo knows ---- */

/* The named one of NVIDIA's libraries counts; of a named one it is known what it needs. */
struct scan_known *finding_recall(const struct finding *f, struct scan_worker *w, const char *path,
                                  const struct jw_file_info *info, bool named)
{
    struct jw_bytes bytes;

    if (!f->o->ledger || !jw_ledger_find(f->o->ledger, path, info, &bytes))
        return NULL;
    struct scan_known *k = jw_arena_alloc(w->results, sizeof *k);

    k->path = path;
    k->info = *info;
    if (!bytes.n) /* no code */
        return k;
    k->path = jw_arena_str(w->results, path);
    if (!scan_memo_read(bytes, w->results, k))
        return NULL;
    if (k->named != named && (named || k->vendor))
        return NULL;
    k->in_memo = true;
    k->named = named;
    for (size_t i = 0; i < k->n_files; i++) {
        struct scan_member *m = &k->files[i];

        if (scan_is_left_out(w->scan, NULL, m->file.path, strlen(path))) /* a member of it */
            return NULL;
        m->file.named = named;
    }
    return k;
}

void finding_nothing(const struct finding *f, const char *path, const struct jw_file_info *info)
{
    if (f->o->ledger)
        jw_ledger_put(f->o->ledger, path, info, (struct jw_bytes){NULL, 0});
}

bool finding_add(struct scan *s, struct scan_known *known, struct jw_err *err)
{
    struct finding *f = s->finding;

    jw_lock_take(s->lock);
    bool ok = jw_grow(&f->known, sizeof(struct scan_known *), f->n, &f->cap, MAX_FILES, err);

    if (ok)
        f->known[f->n++] = known;
    jw_lock_drop(s->lock);
    return ok;
}

static void remember(struct jw_ledger *ledger, const struct scan_known *k)
{
    struct jw_buf b = JW_BUF(MAX_MEMO);

    if (k->n_files)
        scan_memo_write(k, &b);
    if (!b.bad)
        jw_ledger_put(ledger, k->path, &k->info, jw_buf_bytes(&b));
    jw_buf_free(&b);
}

int scan_jobs_by_place(const void *a, const void *b)
{
    const struct jw_job *x = a;
    const struct jw_job *y = b;
    int order = strcmp(x->place->path, y->place->path);

    if (order)
        return order;
    if (x->place->at != y->place->at)
        return x->place->at < y->place->at ? -1 : 1;
    return (int)x->sm - (int)y->sm;
}

static int by_path_and_name(const void *a, const void *b)
{
    const struct scan_known *const *x = a, *const *y = b;
    int d = strcmp((*x)->path, (*y)->path);

    return d ? d : (int)(*y)->named - (int)(*x)->named;
}

/* Its modules move no more. */
static void take_jobs(struct scan_jobs *out, const struct scan_known *k,
                      const struct scan_member *of)
{
    for (size_t i = 0; i < of->n_modules; i++) {
        struct scan_module *m = &of->modules[i];

        m->place.path = of->file.path;
        *(*of->tail ? &m->place.packed_in : &m->place.disk) = k->path;
        for (size_t j = 0; j < m->n_jobs; j++) {
            m->jobs[j].place = &m->place;
            out->list[out->n++] = m->jobs[j];
        }
    }
}

static bool runs(const struct scan_known *k)
{
    for (size_t i = 0; i < k->n_files; i++)
        if (k->files[i].out[JW_OUT_IS_NATIVE].n)
            return true;
    return k->n_jobs > 0;
}

/* Its code that is too new for this driver is that of a library for another one, as of
 * bitsandbytes' for each CUDA version: a variant runs here. For several GPUs another may run on one
 * of them alone. */
static bool is_replaced(const struct finding *f, const struct scan_known *k)
{
    if (!k->needs || runs(k) || f->o->scan.sms.n != 1 || !scan_may_be_replaced(k->path, k->named))
        return false;
    for (size_t i = 0; i < f->n; i++)
        if (runs(f->known[i]) && scan_by_variant(f->known[i]->path, k->path) == 0)
            return true;
    return false;
}

static void leave_out(struct jw_left_out *out, uint64_t n, uint64_t on, const char *path)
{
    out->first = n && !out->n ? path : out->first;
    out->n += n;
    out->on |= on;
}

/* A bit for each architecture for which a module of this file has something. */
static uint32_t has(const struct scan_known *k)
{
    uint32_t any = 0;

    for (const struct scan_member *m = k->files; m < k->files + k->n_files; m++)
        any |= m->has;
    return any;
}

/* What counts as an error of a file where nothing of it runs is usual where some of it does. */
static enum jw_out_is seen_as(enum jw_out_is why, const struct scan_member *m, bool replaced)
{
    if (why == JW_OUT_IS_BLOCKED && replaced)
        return JW_OUT_IS_OTHERS;
    if (why == JW_OUT_IS_NOTHING && !(m->out[why].on & ~(uint64_t)m->has))
        return JW_OUT_IS_OTHERS;
    return why;
}

/* Returns the number of its modules. */
static uint64_t sum_up(struct scan_jobs *out, const struct finding *f, struct scan_known *k)
{
    uint64_t modules = k->n_jobs;
    bool replaced = is_replaced(f, k);
    uint32_t runs_on = k->named ? has(k) : f->has;

    for (const struct scan_member *m = k->files; m < k->files + k->n_files; m++) {
        uint64_t dead = m->out[JW_OUT_IS_NOTHING].on & ~(uint64_t)runs_on;

        take_jobs(out, k, m);
        for (enum jw_out_is i = 0; i < JW_OUTS; i++) {
            leave_out(&out->out[seen_as(i, m, replaced)], m->out[i].n, m->out[i].on, m->file.path);
            modules += i == JW_OUT_IS_MADE ? 0 : m->out[i].n; /* those are no code of the file */
        }
        if (dead)
            leave_out(&out->dead, m->out[JW_OUT_IS_NOTHING].n, dead, m->file.path);
    }
    out->needs = (uint16_t)jw_max(out->needs, replaced ? 0 : k->needs);
    return modules;
}

/* The scan keeps one of several names of a file, and one that is named and found is known twice. */
static struct jw_scan_file *counted(const struct finding *f, size_t i,
                                    const struct jw_scan_report *scan)
{
    const struct scan_known *k = f->known[i];

    return !k->n_files || (i && strcmp(f->known[i - 1]->path, k->path) == 0)
               ? NULL
               : jw_search(&k->files[0].file.path, scan->files, scan->n_files, sizeof *scan->files,
                           jw_by_text);
}

/* Each member says it of itself: its borders are asked for by name. */
static void note_unbounded(const struct scan_known *k, const struct jw_scan_report *scan)
{
    for (const struct scan_member *m = k->files; m < k->files + k->n_files; m++) {
        struct jw_scan_file *file =
            jw_search(&m->file.path, scan->files, scan->n_files, sizeof *scan->files, jw_by_text);

        if (file)
            file->ptx_unbounded = m->out[JW_OUT_IS_UNBOUNDED].n;
    }
}

static void gather(struct finding *f, struct scan_jobs *out)
{
    size_t jobs = 0;

    jw_sort(f->known, f->n, sizeof(struct scan_known *), by_path_and_name);
    for (size_t i = 0; i < f->n; i++) {
        f->has |= has(f->known[i]);
        jobs += f->known[i]->n_jobs;
        if (f->o->ledger && !f->known[i]->unread && !f->known[i]->in_memo)
            remember(f->o->ledger, f->known[i]);
    }
    out->list = jw_alloc(jobs * sizeof *out->list);
    for (size_t i = 0; i < f->n; i++) {
        struct jw_scan_file *file = counted(f, i, &out->scan);

        if (!file)
            continue;
        file->containers = sum_up(out, f, f->known[i]);
        note_unbounded(f->known[i], &out->scan);
    }
    jw_sort(out->list, out->n, sizeof *out->list, scan_jobs_by_place);
}

bool scan_jobs_find(const struct scan_jobs_options *o, struct scan_jobs *out, struct jw_err *err)
{
    struct finding f = {.o = o};

    for (size_t i = 0; i < o->scan.n_folders; i++)
        f.has |= o->scan.folders[i].named ? 0 : UINT32_MAX;
    *out = (struct scan_jobs){0};
    bool ok = scan_with(&o->scan, &f, &out->scan, err);

    if (ok)
        gather(&f, out);
    jw_free(f.known);
    return ok;
}

void scan_jobs_free(struct scan_jobs *t)
{
    jw_free(t->list);
    jw_scan_free(&t->scan);
    *t = (struct scan_jobs){0};
}
