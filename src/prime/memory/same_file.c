#include "prime/memory/same_file.h"

#include <stdlib.h>
#include <string.h>

static bool see_file(const char *path, struct jw_file_info *info)
{
    struct jw_err ignored;

    return jw_file_stat(path, info, &ignored) && (info->kind == JW_FILE_REGULAR || info->kind == JW_FILE_DIR);
}

static const char *facts_of(const struct jw_file_info *info, struct jw_arena *a)
{
    return jw_arena_printf(a, "%llu %lld %lld %llx %llx",
                           info->kind == JW_FILE_DIR ? 0ULL : (unsigned long long)info->size,
                           (long long)info->mtime, (long long)info->ctime,
                           (unsigned long long)info->id.volume, (unsigned long long)info->id.node);
}

const char *prime_file_facts(const char *path, struct jw_arena *a)
{
    struct jw_file_info info;

    return see_file(path, &info) ? facts_of(&info, a) : NULL;
}

/* The digest behind the facts; "": there is none. NULL: these are no facts. */
static const char *read_record(const char *text, struct jw_file_info *out)
{
    char *at;

    out->size = strtoull(text, &at, 10);
    if (at == text)
        return NULL;
    out->mtime = strtoll(at, &at, 10);
    out->ctime = strtoll(at, &at, 10);
    out->id.volume = strtoull(at, &at, 16);
    out->id.node = strtoull(at, &at, 16);
    return *at == ' ' ? at + 1 : at;
}

const char *prime_file_record(const char *path, const char *facts, struct jw_digests *d, uint64_t *room,
                              struct jw_arena *a)
{
    struct jw_file_info info;
    const char *hex;

    if (!see_file(path, &info) || info.kind != JW_FILE_REGULAR || strcmp(facts_of(&info, a), facts) != 0)
        return facts;
    hex = jw_digests_known(d, path, &info);
    if (!hex && info.size <= *room) {
        *room -= info.size;
        hex = jw_digests_of(d, path, &info);
    }
    return hex ? jw_arena_printf(a, "%s %s", facts, hex) : facts;
}

bool prime_file_is(const char *path, const char *recorded, struct jw_digests *d, struct jw_arena *a)
{
    struct jw_digests once = { .a = a };
    struct jw_file_info was = { 0 }, now;
    const char *digest = read_record(recorded, &was), *hex;

    if (!digest || !see_file(path, &now))
        return false;
    was.kind = now.kind;
    if (now.kind == JW_FILE_DIR)
        was.size = now.size;
    if (jw_file_unchanged(&was, &now))
        return true;
    if (!*digest || now.kind != JW_FILE_REGULAR || was.size != now.size)
        return false;
    hex = jw_digests_of(d ? d : &once, path, &now);
    return hex && strcmp(hex, digest) == 0;
}

const char *prime_file_renewed(const char *path, const char *recorded, struct jw_arena *a)
{
    struct jw_file_info was = { 0 }, now;
    const char *digest = read_record(recorded, &was);

    if (!digest || !see_file(path, &now))
        return NULL;
    was.kind = now.kind;
    if (now.kind == JW_FILE_DIR)
        was.size = now.size;
    return jw_file_unchanged(&was, &now)
               ? NULL
               : jw_arena_printf(a, "%s%s%s", facts_of(&now, a), *digest ? " " : "", digest);
}
