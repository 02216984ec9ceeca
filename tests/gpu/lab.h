/*
 * The lab: what only a real driver can tell, asked with the product's own parts. Linux only.
 *
 * Each experiment works in a folder of its own under /tmp, has every risky step done by a fresh process of this program
 * (step.c) under a time limit, and writes one JSON line for each result to OUTDIR/<experiment>.jsonl. It measures and
 * decides nothing: `ok` says that the step could be carried out, never that the answer is the one hoped for.
 *
 *   machine.c  which driver and GPU this is       modules.c  the modules that are fed     roots.c  folders of a cache
 *   predict.c  what names are expected
 *   lines.c    the lines that are written         run.c      a step in a fresh process    step.c  that process
 *   findings.c what a line says of the beliefs                       sets.c     many modules at once
 *   step_*.c   what else that process can do  e1.c ...   the experiments
 */
#ifndef TESTS_GPU_LAB_H
#define TESTS_GPU_LAB_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json_write.h"
#include "cache/format/jitcache.h"
#include "cache/place/cachedir.h"
#include "formats/fatbin_write.h"
#include "jitwarm/err.h"
#include "os/process/process.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAB_MAX_OPS = 24, LAB_SKIP = 77, LAB_STEP_MS = 20000, LAB_MAX_FINDINGS = 12, LAB_MAX_PROCESSES = 24 };
#define LAB_MAX_ENTRY ((size_t)64 << 20)

struct lab_machine {
    char library[256], driver[32], gpu[96], kernel[96], date[24];
    char stamp[JW_CACHE_STAMP + 1], arch[12]; /* "" until an entry told them */
    unsigned cuda, sm, nuls;                  /* nuls: behind PTX out of a fatbin; 0: not yet seen */
    bool simulated;
    bool phantom; /* NVIDIA's own driver, over src/phantom: docs/real-drivers.md */
};

/* What an experiment says of a belief of docs/driver-facts.md; ANSWERED: where the page says "not known". */
enum lab_says { LAB_CONFIRMED, LAB_CONTRADICTED, LAB_ANSWERED, LAB_NOT_TESTABLE };

struct lab_finding {
    const char *belief;
    enum lab_says says;
    char why[200];
};

struct lab {
    struct jw_arena arena;
    struct jw_err err;
    const char *exe, *out, *experiment;
    char *work;
    struct lab_machine m;
    struct jw_buf line;
    struct jw_json json;
    unsigned lines, failed;                        /* steps that could not be carried out */
    unsigned cost_ms;                              /* of compiling a heavy module; 0: nothing is timed */
    bool small;                                    /* few modules, few rounds: a rehearsal */
    uint64_t deadline;                             /* monotonic nanoseconds; 0: none */
    struct lab_finding findings[LAB_MAX_FINDINGS]; /* of the line at hand */
    size_t n_findings;
    unsigned said[4]; /* findings in all, by what they say */
};

/* ---- the machine ---- */

/* Asks a child. `*why` not NULL and true: there is no GPU to ask. */
bool lab_machine_ask(struct lab *l, const char **why, struct jw_err *err) JW_MUST;

/* ---- modules ---- */

struct lab_module {
    char name[40]; /* of its files and of its kernel's second half */
    char kernel[48];
    struct jw_buf ptx; /* without a NUL */
};

/* The product's probe kernel: adds `add` to what it is given. `n` makes its name, so that two may share one. */
bool lab_canary(const struct lab *l, struct lab_module *m, unsigned n, unsigned add,
                struct jw_err *err) JW_MUST;

/* A kernel of `steps` dependent steps; adds `n`, too. */
bool lab_heavy(const struct lab *l, struct lab_module *m, unsigned n, unsigned steps,
               struct jw_err *err) JW_MUST;

/* Two kernels in one module, and a variable when `variable`. */
bool lab_pair(const struct lab *l, struct lab_module *m, unsigned n, bool variable,
              struct jw_err *err) JW_MUST;
void lab_module_free(struct lab_module *m);

/* How many steps make a heavy module that takes l->cost_ms here, and how long it took; 0 ms: the cost cannot be measured. */
bool lab_calibrate(struct lab *l, unsigned *steps, unsigned *ms, struct jw_err *err) JW_MUST;

/* A container around `m`, as our writer makes it. */
bool lab_fatbin(const struct lab *l, const struct lab_module *m, uint64_t packing, const char *options,
                struct jw_buf *out, struct jw_err *err) JW_MUST;
struct jw_fat_image lab_image(const struct lab *l, const struct lab_module *m); /* of one entry */

/* A module whose entry takes about so many bytes, half of them key, half of them code; quick to compile. */
bool lab_bulk(const struct lab *l, struct lab_module *m, unsigned n, size_t bytes,
              struct jw_err *err) JW_MUST;

/* ---- many modules ---- */

struct lab_set {
    size_t n;
    struct lab_set_item {
        const char *path;
        char kernel[48];
        unsigned add;
    } * items;
};

/* `n` modules as files PREFIX-i.ptx, numbered from `first`: canaries, or heavy ones of so many steps. */
bool lab_set_make(struct lab *l, struct lab_set *s, const char *prefix, unsigned first, unsigned n,
                  unsigned steps, struct jw_err *err) JW_MUST;

/* A file that names every `stride`-th one from `from` on, for the operations `many` and `manyrun`. */
const char *lab_set_list(struct lab *l, const struct lab_set *s, size_t from, size_t stride,
                         struct jw_err *err);

/* One fresh process loads them all, and launches them where they are canaries (`launch`). */
struct lab_reload {
    unsigned right, fresh, changed, gone;
    uint64_t us;
    char how[80];
    bool whole;
};
bool lab_set_load(struct lab *l, const struct lab_set *s, const char *root, bool launch,
                  struct lab_reload *out, struct jw_err *err) JW_MUST;

/* How a folder stands. */
struct lab_census {
    size_t entries, torn, records, orphans,
        lost;       /* orphans: entries without a record; lost: records without a file */
    uint64_t total; /* as the index says */
    const char *index_damage;
    bool index;
};
bool lab_census(struct lab *l, const char *root, struct lab_census *out, struct jw_err *err) JW_MUST;
void lab_say_census(struct lab *l, const char *key, const struct lab_census *c);

/* ---- folders ---- */

const char *lab_path(struct lab *l, const char *name); /* below the experiment's folder */
bool lab_write(struct lab *l, const char *path, struct jw_bytes bytes, struct jw_err *err) JW_MUST;
bool lab_cache(struct lab *l, const char *name, const char **root,
               struct jw_err *err) JW_MUST; /* a new empty one */
bool lab_copy_cache(struct lab *l, const char *from, const char *to, bool index, struct jw_err *err) JW_MUST;
bool lab_put_entry(struct lab *l, const char *root, struct jw_bytes key, struct jw_bytes payload,
                   uint64_t *name, struct jw_err *err) JW_MUST; /* and its record in the index */

struct lab_entry {
    uint64_t name;
    struct jw_buf bytes; /* the whole file */
    struct jw_bytes key, payload;
    struct jw_cache_key k;
};

/* `*n` is how many entries the folder holds; the first one is read. */
bool lab_entry_read(struct lab *l, const char *root, struct lab_entry *out, size_t *n,
                    struct jw_err *err) JW_MUST;
bool lab_entry_read_named(struct lab *l, const char *root, uint64_t name, struct lab_entry *out,
                          struct jw_err *err) JW_MUST;
void lab_entry_free(struct lab_entry *e);

/* ---- what is expected ---- */

/* Learns stamp, architecture and NULs from two entries; where they cannot be read, they stay unknown and a line says so. */
bool lab_reference(struct lab *l, struct jw_err *err) JW_MUST;

/* The name of the entry that this PTX should get; 0: stamp or NULs are unknown. */
uint64_t lab_predict(const struct lab *l, struct jw_bytes ptx, unsigned nuls, const char *options);

/* ---- steps ---- */

struct lab_step {
    const char *cache;                 /* CUDA_CACHE_PATH, and where new entries are looked for */
    const char *home;                  /* HOME, and no CUDA_CACHE_PATH */
    const char *loading;               /* CUDA_MODULE_LOADING; NULL: unset */
    const char *log;                   /* of the calls below `root`; NULL: none is kept */
    unsigned uid;                      /* another user; 0: this one */
    unsigned silent_ms;                /* it may be silent for so long; 0: LAB_STEP_MS */
    const struct jw_child_edit *edits; /* to its environment, behind ours */
    size_t n_edits;
    const char *ops[LAB_MAX_OPS]; /* what step.c says they may be; NULL ends them */
};

struct lab_op {
    char text[160];
    int code; /* CUresult; -1: the driver has no such function */
    uint64_t us;
    unsigned fresh, changed, gone; /* entries since the operation before */
    uint64_t value;
};

struct lab_done {
    struct lab_op ops[LAB_MAX_OPS];
    size_t n;
    char how[80]; /* it ended */
    bool whole;   /* all operations were reached */
};

bool lab_run(struct lab *l, const struct lab_step *s, struct lab_done *out, struct jw_err *err) JW_MUST;

/* Several at the same time; each one's end is in `done`. */
bool lab_run_all(struct lab *l, const struct lab_step *steps, struct lab_done *done, size_t n,
                 struct jw_err *err) JW_MUST;

/* An operation of formatted text; lives as long as the experiment. */
const char *lab_op_of(struct lab *l, const char *fmt, ...) JW_PRINTF(2, 3);

/* An operation with a file of the experiment's folder, or of any other; lives as long as the experiment. */
const char *lab_op_text(struct lab *l, const char *verb, const char *object);

/* Writes `image` to a file, and loads it by a door in a fresh process: "context", then the door. */
bool lab_load(struct lab *l, const char *root, const char *door, const char *file, struct jw_bytes image,
              struct lab_done *out, struct jw_err *err) JW_MUST;

/* The operation whose text begins with `verb`; NULL: it was not reached. */
const struct lab_op *lab_op(const struct lab_done *d, const char *verb);
bool lab_all_zero(const struct lab_done *d); /* whole, and every CUresult is 0 */
unsigned lab_new(const struct lab_done *d);  /* entries that appeared or changed in all */

/* ---- lines ---- */

void lab_say_anew(const struct lab *l); /* forgets what an earlier run wrote here */
void lab_say(struct lab *l, const char *step, const char *what,
             bool ok);                                      /* begins a line; then lab_json(l)... */
void lab_say_done(struct lab *l, const struct lab_done *d); /* the operations of a step */
void lab_say_entry(struct lab *l, const struct lab_entry *e, const struct lab_module *fed);
/* What the line at hand says of a belief. */
void lab_finds(struct lab *l, const char *belief, enum lab_says says, const char *fmt, ...) JW_PRINTF(4, 5);
void lab_finds_holds(struct lab *l, const char *belief, bool holds,
                     const char *why); /* confirmed or contradicted */
void lab_say_findings(struct lab *l);  /* lab_say_end does */
void lab_say_end(struct lab *l);       /* writes it */
void lab_say_failure(struct lab *l, const char *step, const char *what, const struct jw_err *err);

/* A step that is not asked here, and why; what its beliefs stay. `beliefs`: ids with blanks between, or NULL. */
bool lab_not_asked(struct lab *l, const char *step, const char *why, const char *beliefs);

const char *lab_tool(struct lab *l); /* jitwarm, beside this program; NULL: it is not there */

/* Fewer in a rehearsal. */
unsigned lab_scaled(const struct lab *l, unsigned full, unsigned small);
unsigned lab_seconds_left(const struct lab *l);

/* ---- the experiments: false only when nothing more can be asked ---- */

bool lab_e1(struct lab *l, struct jw_err *err);
bool lab_e2a(struct lab *l, struct jw_err *err);
bool lab_e3(struct lab *l, struct jw_err *err);
bool lab_e5a(struct lab *l, struct jw_err *err);
bool lab_e6(struct lab *l, struct jw_err *err);
bool lab_e16(struct lab *l, struct jw_err *err);
bool lab_e17(struct lab *l, struct jw_err *err);
bool lab_e2b(struct lab *l, struct jw_err *err);
bool lab_e4c(struct lab *l, struct jw_err *err);
bool lab_e12(struct lab *l, struct jw_err *err);
bool lab_e4a(struct lab *l, struct jw_err *err);
bool lab_e7b(struct lab *l, struct jw_err *err);
bool lab_e8a(struct lab *l, struct jw_err *err); /* a and d */
bool lab_e9b(struct lab *l, struct jw_err *err);
bool lab_e9f(struct lab *l, struct jw_err *err);
bool lab_e10(struct lab *l, struct jw_err *err);
bool lab_e5b(struct lab *l, struct jw_err *err);
bool lab_e13(struct lab *l, struct jw_err *err);
bool lab_e7a(struct lab *l, struct jw_err *err);
bool lab_e4b(struct lab *l, struct jw_err *err);
bool lab_e2c(struct lab *l, struct jw_err *err);
bool lab_e9a(struct lab *l, struct jw_err *err);
bool lab_e8b(struct lab *l, struct jw_err *err);
bool lab_e12b(struct lab *l, struct jw_err *err);

/* ---- the two kinds of child ---- */

int lab_child(int argc, char **argv);      /* ROOT UID OPERATION... IN OUT */
int lab_ask_driver(int argc, char **argv); /* IN OUT */

#endif
