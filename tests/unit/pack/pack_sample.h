/* One small pack. */
#pragma once

#include "base/compiler.h"
#include "check.h"
#include "pack/format/pack_manifest.h"
#include "pack/format/tar.h"
#include "rigs/cache_entry.h"

#define SAMPLE_COMPILER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

enum { SAMPLE_ENTRIES = 3, SAMPLE_MAX = 1 << 20 };

struct sample {
    struct jw_pack_manifest manifest;
    const char *software[2];
    struct jw_pack_entry entries[SAMPLE_ENTRIES];
    struct jw_buf files[SAMPLE_ENTRIES]; /* in the order of `entries` */
};

static inline struct jw_bytes sample_bytes(const char *text)
{
    return (struct jw_bytes){(const uint8_t *)text, strlen(text)};
}

static inline void sample_entry(struct sample *s, size_t i, const char *ptx, const char *payload)
{
    struct jw_pack_entry *e = &s->entries[i];
    struct jw_buf key = JW_BUF(SAMPLE_MAX);
    struct jw_err err = {0};

    s->files[i] = JW_BUF(SAMPLE_MAX);
    jw_cache_key_make(&key, "Jan  7 202622:51:46", "sm_86", sample_bytes(ptx), 2, NULL);
    CHECK(
        cache_entry_write(&s->files[i], jw_buf_bytes(&key), sample_bytes(payload), &e->name, &err));
    e->key_bytes = key.n;
    e->payload_bytes = strlen(payload);
    jw_buf_free(&key);
}

/* By name, as a manifest has them. */
static inline void sample_sort(struct sample *s)
{
    for (size_t i = 0; i < SAMPLE_ENTRIES; i++)
        for (size_t k = i + 1; k < SAMPLE_ENTRIES; k++)
            if (s->entries[k].name < s->entries[i].name) {
                struct jw_pack_entry e = s->entries[i];
                struct jw_buf file = s->files[i];

                s->entries[i] = s->entries[k];
                s->files[i] = s->files[k];
                s->entries[k] = e;
                s->files[k] = file;
            }
}

/* `s` must stay where it is. */
static inline void sample_make(struct sample *s)
{
    memset(s, 0, sizeof *s);
    s->software[0] = "libfirst.so";
    s->software[1] = "zw\xc3\xb6lf \"12\".whl";
    sample_entry(s, 0, ".version 8.0\n.target sm_80\n", "payload of one");
    sample_entry(s, 1, ".version 7.0\n.target sm_70\n", "payload of another");
    sample_entry(s, 2, ".version 6.0\n.target sm_61\n", "payload of a third");
    sample_sort(s);
    s->manifest = (struct jw_pack_manifest){.tool = "0.1.0",
                                            .os = "linux",
                                            .arch = "x86_64",
                                            .driver = "580.126.09",
                                            .stamp = "Jan  7 202622:51:46",
                                            .compiler = SAMPLE_COMPILER,
                                            .sm = 86,
                                            .software = s->software,
                                            .n_software = JW_COUNT(s->software),
                                            .nameless = 1,
                                            .entries = s->entries,
                                            .n_entries = SAMPLE_ENTRIES};
}

static inline void sample_text(const struct sample *s, struct jw_buf *out)
{
    struct jw_err err = {0};

    CHECK_OK(jw_pack_manifest_write(out, &s->manifest, &err), err);
}

static inline void sample_free(struct sample *s)
{
    for (size_t i = 0; i < SAMPLE_ENTRIES; i++)
        jw_buf_free(&s->files[i]);
}

#define TEST_SAMPLE(id) TEST_WITH(id, struct sample, s, sample_make, sample_free)
