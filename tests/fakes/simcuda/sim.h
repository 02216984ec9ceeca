/*
 * The simulated driver's rooms. A driver has no handle that its callers could pass, so there is one
 * `struct sim` for the process, and sim_ready() is the only way to it.
 *
 *   config.c   what the SIMCUDA_* and CUDA_* variables say    gpus.c       the devices, and which
 * are visible faults.c   the fault script                               shared.c     what processes
 * count together cache.c    the cache of compiled code                     index.c      its index
 *   image.c    what a program gives us to load                options.c    the JIT options that
 * come with it jit.c      PTX to machine code, through the cache         standin.c    machine code
 * of our own making module.c   modules, functions                             api_*.c      the
 * entry points sys_*.c    what differs by system
 */
#pragma once

#include "abi.h"
#include "base/arena.h"
#include "base/buf.h"
#include "cache/format/jitcache.h"
#include "facts/drivers.h"
#include "formats/arch.h"
#include "sys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    SIM_MAX_GPUS = 64,
    SIM_MAX_FAULTS = 64,
    SIM_MAX_KERNELS = 60000 /* of one module: as many sections as an ELF counts without tricks */
};
#define SIM_MAX_IMAGE ((size_t)1 << 31)
#define SIM_MAX_INDEX ((size_t)64 << 20)

struct sim_gpu {
    unsigned sm;
    char name[128];
    uint64_t memory;
    int mode;    /* CU_COMPUTE_... */
    unsigned id; /* among all, for shared.c */
    uint8_t uuid[16];
};

/* The words are in config.c, the meaning in tests/fakes/README.md. */
struct sim_switches {
    unsigned knowledge, no_jit, trace, preload, call;
};

enum sim_fault_kind {
    FAULT_CRASH,
    FAULT_KILL,
    FAULT_HANG,
    FAULT_SPIN,
    FAULT_EXIT,
    FAULT_PRINT,
    FAULT_OOM,
    FAULT_BADPTX,
    FAULT_ENOSPC,
    FAULT_SHORT
};
enum sim_fault_where { WHERE_NUMBER, WHERE_DIGEST, WHERE_INIT, WHERE_EVERY };

struct sim_fault {
    enum sim_fault_kind kind;
    enum sim_fault_where where;
    uint64_t value;  /* the number, or the leading digits of a name */
    unsigned digits; /* how many */
};

/* What is left to do after a fault that did not end the process. */
struct sim_struck {
    int result;
    bool enospc, cut;
};

struct sim_config {
    struct sim_gpu gpus[SIM_MAX_GPUS];
    size_t n_gpus;
    unsigned branch;
    int cuda; /* 13000 */
    unsigned isa_major, isa_minor;
    char stamp[JW_CACHE_STAMP + 1];
    int init_result;
    uint64_t context_bytes;
    double ms_per_mb, ms_per_module;
    struct sim_fault faults[SIM_MAX_FAULTS];
    size_t n_faults;
    struct sim_switches sw;
    const char *shared; /* NULL: none */
    /* What the CUDA_* variables asked for: */
    const char *cache_folder; /* NULL: no cache */
    uint64_t cache_limit;
    bool force_ptx, disable_ptx;
};

struct sim_object {
    unsigned kind;
    struct sim_object *next;
};

struct sim {
    struct jw_arena arena;
    struct sim_config c;
    pthread_mutex_t lock;       /* of what follows */
    struct sim_object *objects; /* that live */
    void *primary[SIM_MAX_GPUS];
    uint64_t used[SIM_MAX_GPUS]; /* bytes of this process, by sim_gpu.id */
    unsigned contexts[SIM_MAX_GPUS];
    unsigned long compiled;       /* modules, when SIMCUDA_SHARED does not count them */
    pthread_mutex_t cache_lock;   /* record locks do not part threads */
    pthread_mutex_t primary_lock; /* of `primary` */
};

/* CU_OK and the simulator, or the error that the entry point must give. */
int sim_ready(struct sim **out);
int sim_init(void);                                 /* of cuInit */
const struct sim_config *sim_settings(int *result); /* may be asked for before cuInit */

/* ---- configuration ---- */

bool sim_config_read(struct sim_config *c, struct jw_arena *a, struct jw_err *err) JW_MUST;
bool sim_gpus_read(struct sim_config *c, const char *spec, const char *visible,
                   struct jw_err *err) JW_MUST;
bool sim_faults_read(struct sim_config *c, const char *script, struct jw_err *err) JW_MUST;
bool sim_memory(const char *text, uint64_t *bytes); /* "8G": binary */
void sim_uuid_text(const uint8_t uuid[16], char out[40]);

/* ---- faults, and what processes share ---- */

void sim_faults_init(const struct sim_config *c); /* those in cuInit */
struct sim_struck sim_faults_strike(struct sim *s,
                                    uint64_t name); /* once for each module that is compiled */
unsigned long sim_shared_count(struct sim *s);
int sim_shared_use(struct sim *s, const struct sim_gpu *g, int64_t bytes, int contexts);
uint64_t sim_shared_used(struct sim *s, const struct sim_gpu *g);

/* ---- the cache ---- */

struct sim_lookup {
    bool found;
    bool left; /* nothing is stored: the index cannot be opened */
};

bool sim_cache_on(const struct sim *s);
void sim_cache_find(struct sim *s, struct jw_bytes key, struct jw_buf *payload,
                    struct sim_lookup *out);
void sim_cache_store(struct sim *s, struct jw_bytes key, struct jw_bytes payload,
                     const struct sim_lookup *seen, const struct sim_struck *struck);

/* index.c; the cache lock is held. */
/* Opened and locked, to be read or to be changed; DENIED also says that another holds the lock. */
enum sys_result sim_index_open(const struct sim *s, struct sys_file *f, bool change);
void sim_index_read(const struct sim *s, struct sys_file *f,
                    struct jw_cache_index *out); /* damaged: by the switches */
void sim_index_write(const struct sim *s, struct sys_file *f, const struct jw_cache_index *index);
void sim_index_make_room(const struct sim *s, struct jw_cache_index *index, uint64_t size);
void sim_path(const struct sim *s, struct jw_buf *out,
              const char *below); /* appended, and cleared before */
void sim_veil(const struct sim *s,
              struct jw_buf *file); /* SIMCUDA_KNOWLEDGE=0: a format of its own, and back */

/* ---- code ---- */

struct sim_image {
    bool ptx;            /* else a cubin */
    struct jw_buf bytes; /* PTX without its NULs */
    unsigned nuls;
    char *options; /* as a fatbin stores them; "" none */
};

/* `size` 0: told by the image itself. What it gives is a copy. */
int sim_image_read(const struct sim_config *c, const void *image, size_t size, unsigned sm,
                   struct sim_image *out);
int sim_image_input(const struct sim_config *c, const void *image, size_t size, unsigned sm,
                    struct sim_image *out); /* the same of an input of the device linker */
void sim_image_free(struct sim_image *i);

/* What the JIT options of a call ask for. */
struct sim_options {
    unsigned target;
    char *error_log;
    size_t error_log_size;
    void **error_log_used; /* the option's value, written over with the length, as long as the call
                              or the link lasts */
};
struct sim_options sim_options_read(unsigned n, const int *options, void *const *values);

/* PTX to machine code for `sm`, from the cache or into it. */
struct sim_request {
    const struct sim_image *image;
    const struct sim_options *options;
    unsigned sm;
    bool relocatable;
};
int sim_jit(struct sim *s, const struct sim_request *r, struct jw_buf *cubin);

void sim_log_error(const struct sim_options *o,
                   int code); /* words, if the caller gave a buffer for them */

bool sim_standin(const struct sim_config *c, const struct sim_request *r, struct jw_buf *out);

/* Names of kernels, each NUL-terminated, one after another. */
bool sim_kernels_of_cubin(struct jw_bytes cubin, struct jw_buf *names, size_t *n);
bool sim_kernels_of_ptx(struct jw_bytes ptx, struct jw_buf *names, size_t *n);

/* ---- objects ---- */

enum sim_kind { SIM_CONTEXT = 1, SIM_MODULE, SIM_LINK };

void sim_object_add(struct sim *s, struct sim_object *o, enum sim_kind kind);
bool sim_object_is(struct sim *s, const void *p, enum sim_kind kind);
bool sim_object_remove(struct sim *s, void *p, enum sim_kind kind); /* false: it is not there */

struct sim_context {
    struct sim_object o;
    int device;
    unsigned retained;
};

struct sim_context *sim_current(struct sim *s); /* NULL: none */
void sim_context_set(struct sim_context *c);    /* of this thread */

struct sim_module {
    struct sim_object o;
    struct sim_context *context;
    struct sim_image image;
    struct jw_buf cubin, names; /* of its kernels, each with its NUL */
    size_t n;
};

int sim_module_load(struct sim *s, struct sim_context *ctx, const void *image,
                    const struct sim_options *options, struct sim_module **out);
const char *sim_module_function(const struct sim_module *m,
                                const char *name); /* NULL: it has none */
void sim_module_free(struct sim_module *m);
void sim_modules_of(struct sim *s,
                    const struct sim_context *ctx); /* frees those of a context that ends */
