#include "cache/format/jitcache.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

/* No real record claims so much; it marks those that are to go. */
static const uint64_t gone = UINT64_MAX;

static unsigned long long record_at(size_t i)
{
    return JW_CACHE_INDEX_HEADER + (unsigned long long)i * JW_CACHE_RECORD;
}

static void drop_gone(struct jw_cache_index *index)
{
    size_t kept = 0;

    for (size_t i = 0; i < index->n; i++)
        if (index->list[i].size != gone)
            index->list[kept++] = index->list[i];
    index->n = kept;
}

/* Keeps the first record of each hash. True if there is a repetition; one is in `why`. */
static bool drop_repeated(struct jw_cache_index *index, struct jw_err *why)
{
    bool any = false;

    if (!index->list)
        return false;

    struct jw_ranked *sorted = jw_rank_u64(index->list, index->n, sizeof *index->list);

    for (size_t i = 1; i < index->n; i++) {
        if (sorted[i].name != sorted[i - 1].name)
            continue;
        if (!any)
            jw_err_set(why, JW_E_FORMAT, "record at 0x%llx repeats a hash (%016llx)",
                       record_at(sorted[i].at), (unsigned long long)sorted[i].name);
        index->list[sorted[i].at].size = gone;
        any = true;
    }
    jw_free(sorted);
    drop_gone(index);
    return any;
}

/* Reads whole records; leaves out those of an absurd size. False: the first such, in `err`. */
static bool take_index_records(struct jw_bytes in, struct jw_cache_index *out, struct jw_err *err)
{
    bool sound = true;

    for (size_t i = 0; i < in.n / JW_CACHE_RECORD; i++) {
        const uint8_t *p = in.p + i * JW_CACHE_RECORD;
        struct jw_cache_record record = {jw_le64(p), jw_le64(p + 8)};

        if (record.size <= JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD) {
            out->list[out->n++] = record;
            continue;
        }
        if (sound)
            jw_err_set(err, JW_E_LIMIT, "record at 0x%llx of %llu bytes, expected at most %llu",
                       record_at(i), (unsigned long long)record.size,
                       (unsigned long long)(JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD));
        sound = false;
    }
    return sound;
}

/* Cannot wrap: 2^22 records of 2^31 bytes at most. */
static uint64_t sum_sizes(const struct jw_cache_index *index)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < index->n; i++)
        sum += index->list[i].size;
    return sum;
}

enum jw_index_trouble jw_cache_index_read(struct jw_bytes file, struct jw_cache_index *out,
                                          struct jw_err *err)
{
    struct jw_reader r = jw_reader(file);
    struct jw_err later;

    *out = (struct jw_cache_index){0};
    if (!file.n)
        return JW_INDEX_NONE;
    uint32_t format = jw_u32(&r);
    uint32_t claimed = jw_u32(&r);
    uint64_t total = jw_u64(&r);
    uint64_t end = JW_CACHE_INDEX_HEADER + (uint64_t)claimed * JW_CACHE_RECORD;

    if (file.n < JW_CACHE_INDEX_HEADER || format != JW_CACHE_FORMAT) {
        jw_err_set(err, JW_E_FORMAT,
                   "it has %zu bytes and format 0x%x, expected a header of %d and 0x%x", file.n,
                   (unsigned)format, JW_CACHE_INDEX_HEADER, (unsigned)JW_CACHE_FORMAT);
        return JW_INDEX_LOST;
    }

    size_t n = (size_t)jw_min(claimed, (file.n - JW_CACHE_INDEX_HEADER) / JW_CACHE_RECORD);
    bool hides = end > file.n;

    if (hides)
        jw_err_set(err, JW_E_FORMAT, "it has %zu bytes, expected %llu (%u records)", file.n,
                   (unsigned long long)end, (unsigned)claimed);
    else
        out->end = (size_t)end;
    out->list = n ? jw_alloc(n * sizeof *out->list) : NULL;
    out->cap = n;
    bool sound =
        take_index_records(jw_take(&r, n * JW_CACHE_RECORD), out, hides ? &later : err) && !hides;

    sound = !drop_repeated(out, sound ? err : &later) && sound;
    out->total = sum_sizes(out);
    if (sound && out->total != total)
        jw_err_set(
            err, JW_E_FORMAT, "%llu bytes in all (0x%x), expected %llu, the sum of its records",
            (unsigned long long)total, (unsigned)JW_CACHE_AT_TOTAL, (unsigned long long)out->total);
    if (hides)
        return JW_INDEX_HIDES;
    return sound && out->total == total ? JW_INDEX_WHOLE : JW_INDEX_MISCOUNTS;
}

bool jw_cache_index_append(struct jw_cache_index *index, struct jw_cache_record record,
                           struct jw_err *err)
{
    if (!jw_grow(&index->list, sizeof *index->list, index->n, &index->cap, JW_MAX_CACHE_ENTRIES,
                 err))
        return jw_wrap(err, "cache index");
    index->list[index->n++] = record;
    index->total += record.size;
    return true;
}

bool jw_cache_index_add(struct jw_cache_index *index, struct jw_cache_record record,
                        struct jw_err *err)
{
    if (record.size > JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD)
        return jw_fail(err, JW_E_LIMIT, "a record of %llu bytes, expected at most %llu",
                       (unsigned long long)record.size,
                       (unsigned long long)(JW_MAX_CACHE_KEY + JW_MAX_CACHE_PAYLOAD));
    for (size_t i = 0; i < index->n; i++) {
        if (index->list[i].hash != record.hash)
            continue;
        index->total = index->total - index->list[i].size + record.size;
        index->list[i].size = record.size;
        return true;
    }
    return jw_cache_index_append(index, record, err);
}

bool jw_cache_index_write(const struct jw_cache_index *index, struct jw_buf *out,
                          struct jw_err *err)
{
    uint8_t word[JW_CACHE_RECORD];

    if (index->n > JW_MAX_CACHE_ENTRIES)
        return jw_fail(err, JW_E_LIMIT, "%zu records, expected at most %zu", index->n,
                       JW_MAX_CACHE_ENTRIES);
    jw_put32(word, JW_CACHE_FORMAT);
    jw_put32(word + JW_CACHE_AT_RECORDS, (uint32_t)index->n);
    jw_put64(word + JW_CACHE_AT_TOTAL, sum_sizes(index));
    jw_buf_add(out, word, sizeof word);
    for (size_t i = 0; i < index->n; i++) {
        jw_put64(word, index->list[i].hash);
        jw_put64(word + 8, index->list[i].size);
        jw_buf_add(out, word, sizeof word);
    }
    return jw_buf_ok(out, err);
}

void jw_cache_index_free(struct jw_cache_index *index)
{
    jw_free(index->list);
    *index = (struct jw_cache_index){0};
}
