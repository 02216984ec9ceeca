/*
 * The few structs of NVIDIA's kernel interface that are used here, as the MIT-licensed open kernel
 * modules define them (nvos.h, nv-ioctl.h, ctrl*.h, uvm_ioctl.h of 515.105.01 to 595.45.04). A
 * comment says where driver branches differ. For 390 to 450, which have no open modules, the layout
 * was read from the requests of their libcuda. All numbers are in the order of the machine; a
 * handle is a number that the client or the kernel chose.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers of ioctls on /dev/nvidiactl and /dev/nvidiaN (nv_escape.h, nv-ioctl-numbers.h). */
enum {
    ESC_RM_ALLOC_MEMORY = 0x27,
    ESC_RM_FREE = 0x29,
    ESC_RM_CONTROL = 0x2a,
    ESC_RM_ALLOC = 0x2b,
    ESC_RM_DUP_OBJECT = 0x34,
    ESC_RM_SHARE = 0x35,
    ESC_RM_VID_HEAP_CONTROL = 0x4a,
    ESC_RM_MAP_MEMORY = 0x4e,
    ESC_RM_UNMAP_MEMORY = 0x4f,
    ESC_RM_MAP_MEMORY_DMA = 0x57,
    ESC_RM_UNMAP_MEMORY_DMA = 0x58,
    ESC_RM_UPDATE_DEVICE_MAPPING_INFO = 0x5e,
    ESC_CARD_INFO = 200,
    ESC_REGISTER_FD = 201,
    ESC_202 = 202, /* 450 to 470 send it; the open modules do not name it */
    ESC_ALLOC_OS_EVENT = 206,
    ESC_FREE_OS_EVENT = 207,
    ESC_STATUS_CODE = 209,
    ESC_CHECK_VERSION_STR = 210,
    ESC_IOCTL_XFER_CMD = 211,
    ESC_ATTACH_GPUS_TO_FD = 212,
    ESC_SYS_PARAMS = 214,
    ESC_NUMA_INFO = 215,
    ESC_WAIT_OPEN_COMPLETE = 218
};

/* NV_STATUS */
enum {
    RM_OK = 0,
    RM_INVALID_CLASS = 0x22,
    RM_INVALID_OBJECT = 0x33,
    RM_NO_MEMORY = 0x51,
    RM_NOT_SUPPORTED = 0x56
};

struct esc_version {
    uint32_t cmd; /* 0 or '2' ask whether the version fits */
    uint32_t reply;
    char text[64];
};

struct esc_card {
    uint8_t valid;
    uint32_t domain;
    uint8_t bus, slot, function;
    uint16_t vendor, device;
    uint32_t gpu_id;
    uint16_t interrupt;
    uint64_t registers, registers_size, fb, fb_size;
    uint32_t minor;
    uint8_t name[10];
};

/* Up to branch 450. */
struct esc_card_450 {
    uint8_t valid;
    uint32_t domain;
    uint8_t bus, slot, function;
    uint16_t vendor, device;
    uint32_t unused, gpu_id;
    uint16_t interrupt;
    uint64_t registers, registers_size, fb, fb_size;
    uint32_t minor;
    uint8_t name[10];
};

struct esc_transfer {
    uint32_t cmd, size;
    uint64_t data;
};

struct rm_free {
    uint32_t client, parent, object, status;
};

/* The long form is NVOS64, the short one NVOS21; distinguished by the size of the ioctl. */
struct rm_alloc {
    uint32_t client, parent, object, cls;
    uint64_t params;
    union {
        struct {
            uint32_t params_size, status;
        } small;
        struct {
            uint64_t rights;
            uint32_t params_size, flags, status;
        } large;
    };
};

struct rm_control {
    uint32_t client, object, cmd, flags;
    uint64_t params;
    uint32_t params_size, status;
};

struct rm_dup {
    uint32_t client, parent, object, from_client, from_object, flags, status;
};

struct rm_alloc_memory {
    uint32_t client, parent, object, cls, flags;
    uint64_t memory, limit;
    uint32_t status, unused;
    int fd;
};

struct rm_map_memory {
    uint32_t client, device, memory;
    uint64_t offset, length, address;
    uint32_t status, flags;
    int fd;
};

/* Up to 550: 56 bytes. Later: two words more, before the address. */
struct rm_map_dma {
    uint32_t client, device, dma, memory;
    uint64_t offset, length;
    uint32_t flags;
    uint64_t address;
    uint32_t status;
};
struct rm_map_dma_560 {
    uint32_t client, device, dma, memory;
    uint64_t offset, length;
    uint32_t flags, flags2, kind;
    uint64_t address;
    uint32_t status;
};

/* NVOS32 as far as it is read, with the union of ALLOC_SIZE: drivers up to 470 make all memory with
 * it. Behind it comes rm_vid_heap_size, up to 450 after 8 bytes more. */
struct rm_vid_heap {
    uint32_t client, parent, function, heap, flags;
    uint32_t status;
    uint64_t total, free;
    uint32_t owner, memory, type, alloc_flags;
};
struct rm_vid_heap_size {
    uint32_t attr, format, compression, zcull, partition, width, height;
    uint64_t size, alignment, offset, limit;
};
enum { VID_HEAP_ALLOC_SIZE = 2, VID_HEAP_INFO = 5, VID_HEAP_VIRTUAL = 0x80000 };

struct rm_memory_params {
    uint32_t owner, type, flags, width, height, pitch, attr, attr2, format, compression, zcull;
    uint64_t range_low, range_high, size, alignment, offset, limit;
};

struct rm_channel_params {
    uint32_t error, buffer;
    uint64_t gpfifo;
    uint32_t entries, flags, context_share, va_space, userd_memory[8];
    uint64_t userd_offset[8];
    uint32_t engine, cid;
};

/* UVM: a GPU's attributes of a mapping; uvm.c knows how many there are, and how many words of
 * each. */
struct uvm_attributes {
    uint8_t uuid[16];
    uint32_t kind[5];
};

struct uvm_range {
    uint64_t base, length;
};

struct uvm_map_head {
    uint64_t base, length, offset;
};

struct uvm_map_tail {
    uint64_t count;
    int32_t fd;
    uint32_t client, memory, status;
};

/* As the open modules' own headers say. */
_Static_assert(sizeof(struct esc_version) == 72 && sizeof(struct esc_card) == 72
                   && sizeof(struct esc_card_450) == 80,
               "");
_Static_assert(sizeof(struct rm_alloc) == 48 && sizeof(struct rm_control) == 32
                   && sizeof(struct rm_dup) == 28,
               "");
_Static_assert(sizeof(struct rm_alloc_memory) == 56 && sizeof(struct rm_map_memory) == 56, "");
_Static_assert(sizeof(struct rm_map_dma) == 56 && sizeof(struct rm_map_dma_560) == 64, "");
_Static_assert(sizeof(struct rm_vid_heap) == 56 && offsetof(struct rm_vid_heap_size, size) == 32,
               "");
_Static_assert(offsetof(struct rm_memory_params, size) == 64
                   && offsetof(struct rm_memory_params, limit) == 88,
               "");
_Static_assert(offsetof(struct rm_channel_params, cid) == 132
                   && sizeof(struct uvm_attributes) == 36,
               "");
_Static_assert(offsetof(struct uvm_map_tail, client) == 12
                   && offsetof(struct uvm_map_tail, status) == 20,
               "");
