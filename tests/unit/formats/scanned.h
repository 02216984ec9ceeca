/* A sample as jw_image_scan sees it. */
#pragma once

#include "check.h"
#include "formats/image.h"
#include "gen/samples.h"

struct scanned {
    struct jw_buf buf;
    struct jw_bytes bytes;
    struct jw_source src;
    struct jw_image image;
    struct jw_err err;
    bool ok;
};

/* After `buf` was filled. */
static inline void scan_it(struct scanned *s, const char *name, bool embedded)
{
    s->bytes = jw_buf_bytes(&s->buf);
    s->src = jw_source_memory(&s->bytes);
    s->err = (struct jw_err){0};
    s->ok = jw_image_scan(&s->src, name, embedded, &s->image, &s->err);
}

/* One container (gen/samples.h). */
static inline void scan_words(struct scanned *s, const char *words)
{
    gen_fat(&s->buf, words);
    scan_it(s, "x.fatbin", false);
}

static inline void scanned_free(struct scanned *s)
{
    jw_image_free(&s->image);
    jw_buf_free(&s->buf);
}

static inline const struct jw_fat_entry *entry_of(const struct scanned *s, size_t fat, size_t i)
{
    return &s->image.fats.entries[s->image.fats.list[fat].first + i];
}
