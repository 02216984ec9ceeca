/* Shared by the files of this room. ph_lock guards everything except the options and the kinds of
 * descriptors. Threads that call an ioctl and the engine thread hold it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PH_COUNT(a) (sizeof(a) / sizeof *(a))

enum { PH_MAX_GPUS = 8, PH_MAX_FDS = 4096, PH_MAX_SLICES = 7 };

/* chips.c: the GPUs that can be emulated, one row per compute capability. */
struct ph_chip {
    unsigned sm;             /* 86: sm_86 */
    uint32_t arch, revision; /* NV2080_CTRL_MC_ARCH_INFO */
    uint32_t sm_version;     /* NV2080_CTRL_GR_INFO_INDEX_SM_VERSION */
    uint16_t device;         /* PCI */
    const char *name;
    uint64_t gib;
    /* classes of its generation, 0 at the end; in addition to ph_common_classes */
    const uint32_t *classes;
};

enum {
    PH_GPU_INSTANCE = 0xc637,
    PH_COMPUTE_INSTANCE = 0xc638
}; /* classes of subscriptions to MIG instances */

extern const struct ph_chip ph_chips[];
extern const size_t ph_n_chips;
extern const uint32_t ph_common_classes[];
extern const size_t ph_n_common_classes;

enum ph_class_kind {
    PH_CLASS_OTHER,
    PH_CLASS_CHANNEL,
    PH_CLASS_MEMORY,
    PH_CLASS_VIRTUAL,
    PH_CLASS_USERMODE
};

/* The name of a class; NULL: unknown. */
struct ph_class {
    uint32_t number;
    enum ph_class_kind kind;
    const char *name;
};
const struct ph_class *ph_class(uint32_t number);

/* A MIG instance: a GPU instance with one compute instance, number 0, in it. */
struct ph_slice {
    unsigned instance; /* number of the GPU instance */
    unsigned gpcs;     /* "1g.10gb": 1 */
    uint64_t memory;
    uint8_t uuid[16];
};

struct ph_gpu {
    const struct ph_chip *chip;
    char name[64];
    uint64_t memory; /* bytes */
    unsigned index;
    uint8_t uuid[16];
    struct ph_slice slices[PH_MAX_SLICES];
    size_t n_slices; /* 0: MIG mode is off */
};

/* options.c: reads the environment variables once. `active` is false if no GPU is requested: then
 * phantom changes nothing. */
struct ph_options {
    bool active;
    struct ph_gpu gpus[PH_MAX_GPUS];
    size_t n_gpus;
    char version[32];     /* version of the emulated kernel module; "" if not given */
    char preload[4096];   /* what preloads this library: its path, or its name */
    char libraries[8192]; /* folders for LD_LIBRARY_PATH: the driver's, if it has one; "": none */
};
const struct ph_options *ph_options(void);
const char *ph_version(void); /* the version above, or that of the loaded libcuda; may be empty */
void ph_uuid_text(const char *kind, const uint8_t uuid[16], char text[41]); /* "GPU-..." */
uint32_t ph_gpu_id(const struct ph_gpu *gpu);
unsigned ph_gpu_bus(const struct ph_gpu *gpu);
const struct ph_gpu *ph_gpu_by_id(uint32_t id);

/* call.c: the real system calls, below the functions of preload.c. They return -1 and set errno. */
int ph_sys_close(int fd);
void *ph_sys_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int ph_memory_file(const char *name, uint64_t size);
bool ph_is_mapped(const void *at);

/* Writes a line to the log, if there is one. ph_unknown reports each number once per process, on
 * stderr if there is no log. */
void ph_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ph_unknown(const char *what, uint64_t number, const char *about);
const char *ph_variable(const char *name);

/* files.c: files of /proc and /sys that a driver reads. -1: not emulated; -2: must seem missing. */
int ph_file_open(const char *path);
bool ph_file_known(const char *path);

/* objects.c */
/* The list, grown if item `n` has no room; NULL: no memory, and the list is as it was. */
void *ph_room(void *list, size_t each, size_t n, size_t *room);

struct ph_memory {
    unsigned users;
    int fd; /* -1: `map` is the program's own memory */
    uint64_t size;
    char *map;
};

struct ph_object {
    uint32_t client, handle, parent, cls;
    const struct ph_gpu *gpu;     /* NULL: not of one GPU */
    const struct ph_slice *slice; /* the MIG instance that a subscription names */
    struct ph_memory *memory;
    bool is_channel;
};

struct ph_object *ph_object_add(uint32_t client, uint32_t parent, uint32_t *handle, uint32_t cls);
struct ph_object *ph_object_find(uint32_t client, uint32_t handle);
void ph_object_free(uint32_t client, uint32_t handle);
/* The slice that the client subscribed to. */
const struct ph_slice *ph_object_slice(uint32_t client, const struct ph_gpu *gpu);
bool ph_object_back(struct ph_object *o, uint64_t size); /* allocates its own memory */
struct ph_memory *ph_memory_keep(struct ph_memory *m);
void ph_memory_drop(struct ph_memory *m);
char *ph_memory_map(struct ph_memory *m);

/* space.c: maps GPU addresses to memory */
void ph_space_map(uint64_t base, uint64_t length, struct ph_memory *m, uint64_t offset);
void ph_space_unmap(uint64_t base, uint64_t length);
void ph_space_program(uint64_t base, uint64_t length); /* an address shared by CPU and GPU */
void *ph_space_at(uint64_t address, uint64_t length);  /* NULL: not mapped */

/* engine.c: channels and the thread that emulates their engines */
struct rm_channel_params;
bool ph_channel_add(struct ph_object *o, struct rm_channel_params *p);
void ph_channel_remove(const struct ph_object *o);
uint32_t ph_channel_token(const struct ph_object *o); /* also its id */
/* offset in a page of the USERD of a channel of Pascal or older */
uint32_t ph_channel_userd(uint32_t id);

/* canary.c: computes a launch of the probe's kernels; `parameters`: their position in the
 * constants. */
void ph_canary(uint64_t program, uint64_t constants_at, unsigned parameters);

/* control.c, rm.c, uvm.c: the ioctls. ph_control returns an NV_STATUS, the others 0 or -errno. */
struct ph_call {
    uint32_t client, cmd;
    const struct ph_object *object; /* may be NULL */
    const struct ph_gpu *gpu;       /* never NULL: the first GPU if the object has none */
    const struct ph_slice *slice; /* the MIG instance to which the client subscribed; NULL: none */
    unsigned char *params;
    size_t n;
};
uint32_t ph_control(const struct ph_call *call);
int ph_rm_ioctl(int fd, unsigned nr, unsigned size, void *arg);
int ph_uvm_ioctl(unsigned long request, void *arg);

/* mig.c: MIG instances, and the control commands about them */
bool ph_slice_add(struct ph_gpu *gpu, const char *profile,
                  size_t n); /* "1g.10gb"; false: cannot be */
const struct ph_slice *ph_slice_find(const struct ph_gpu *gpu, uint32_t instance);
/* number of the device that a file of /proc names; -1: none */
int ph_capability_of(const char *path);
bool ph_capability_known(unsigned long number);
uint32_t ph_mig_numbers(const struct ph_call *c);
uint32_t ph_mig_instance(const struct ph_call *c);
uint32_t ph_mig_compute(const struct ph_call *c);
uint32_t ph_mig_active(const struct ph_call *c);
uint32_t ph_mig_profiles(const struct ph_call *c);
uint32_t ph_mig_uuid(const struct ph_call *c);

/* fds.c: emulated descriptors. ph_fd_kind needs no lock. */
enum ph_kind { PH_NONE, PH_CTL, PH_GPU, PH_UVM, PH_UVM_TOOLS, PH_CAP };
enum ph_kind ph_fd_kind(int fd);
/* -1: not a device; -2: a device that does not exist. */
int ph_device_of(const char *path, enum ph_kind *kind);
int ph_fd_open(const char *path, enum ph_kind kind, unsigned minor);
unsigned ph_fd_minor(int fd);
void ph_fd_closed(int fd);
void ph_fd_aim(int fd, struct ph_memory *m,
               uint64_t offset); /* the memory for the next mmap of `fd` */
void *ph_fd_mmap(int fd, void *at, size_t n, int prot, int flags, off_t offset);

extern pthread_mutex_t ph_lock;
int ph_branch(void); /* 550 */
