/* What the simulated driver asks of the system beyond src/os: files in place, record locks,
 * deaths. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>

struct sys_file {
    intptr_t handle;
};
#define SYS_CLOSED ((struct sys_file){-1})

enum sys_how { SYS_CHANGE, SYS_CREATE /* and change, if it is there */ };
enum sys_result { SYS_OPENED, SYS_ABSENT, SYS_DENIED };

enum sys_result sys_open(struct sys_file *f, const char *path, enum sys_how how);
bool sys_lock(struct sys_file *f, bool exclusive,
              bool wait);                              /* the whole file, until it is closed */
bool sys_read(struct sys_file *f, struct jw_buf *out); /* all of it, appended */
bool sys_rewrite(struct sys_file *f, const void *p,
                 size_t n); /* in place, then cut to that length */
void sys_close(struct sys_file *f);

/* Creates or truncates, then writes piece by piece: a kill in between leaves a torn file. */
bool sys_put(const char *path, const void *p, size_t n);

bool sys_mkdir(const char *path, bool parents); /* 0700; true when it is there already */
void sys_remove(const char *path);
void sys_rmdir(const char *path);
bool sys_set_mtime_ns(const char *path,
                      unsigned ns); /* the part below a second of its modification time */

unsigned sys_pid(void);
bool sys_alive(unsigned pid);

JW_NORETURN void sys_crash(void); /* a segmentation fault */
JW_NORETURN void sys_kill(void);  /* as the system's out-of-memory killer does */
JW_NORETURN void sys_exit(int code);

/* Loads the driver's compiler library, which does nothing, for good: that programs see from
 * outside. False: it is neither in LD_LIBRARY_PATH nor beside the driver. On Windows there is none,
 * and none is missed. */
bool sys_load_compiler(void);
