/* A simulated driver under test: its variables, a cache root of its own, a program that plays on it. */
#ifndef TESTS_FAKES_RIG_H
#define TESTS_FAKES_RIG_H

#include "cache/format/jitcache.h"
#include "cache/place/cache_env.h"
#include "check.h"
#include "rigs/scratch.h"

void rig_begin(void); /* at the start of each test: no variable of CUDA's or simcuda's, an empty root */
void rig_set(const char *name, const char *value); /* NULL: unset */
const char *rig_root(void);

/* Commands, NULL at their end; gives what was printed. */
const char *rig_play(const char *first, ...);
extern int rig_code;        /* exit code of the last one */
extern char rig_ended[384]; /* "" when it exited, else how it ended */

/* PTX text of about so many bytes whose only kernel is jw_canary_add_N; its path. */
const char *rig_ptx(const char *name, const char *version, const char *target, unsigned n, size_t bytes);
/* One container with this PTX. `packing` 0 or JW_FAT_*, `options` NULL or as a fatbin stores them. */
const char *rig_fatbin(const char *name, const char *ptx, unsigned sm, uint64_t packing, const char *options);

/* The name that the driver of this stamp gives the entry of a PTX file. */
uint64_t rig_name(const char *ptx, const char *arch, unsigned nuls, const char *options);
const char *rig_entry(uint64_t name);                 /* its path */
void rig_slurp(const char *path, struct jw_buf *out); /* appends the file */
#define RIG_STAMP "Jan  7 202662:51:46"

struct rig_look {
    size_t files, records, orphans, missing, damaged;
    bool index_sound;
    uint64_t total;
    struct jw_cache_index index;
};
struct rig_look rig_look(void); /* reads every byte */
void rig_look_free(struct rig_look *l);
size_t rig_files(void);

#endif
