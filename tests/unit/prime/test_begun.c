/* Recordings that did not come to their end: records of earlier versions, and a disk that is full. */
#include "prime/memory/begun.h"

#include "base/fields.h"
#include "base/path.h"
#include "cache/memory/warmplace.h"
#include "check.h"
#include "rigs/scratch.h"
#include "rigs/tree.h"
#include "rigs/variables.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

static struct jw_warm_place place;
static const char *cache, *program;

static struct jw_warm_state begin(struct jw_arena *a)
{
    struct jw_err err;

    set_variable("JITWARM_STATE", tree_path(a, "state"));
    cache = tree_path(a, "cache");
    scratch_empty(cache);
    program = tree_file(a, "bin/serve", "serve");
    CHECK(jw_warm_place_find(cache, a, &place, &err) && jw_warm_place_make(&place, a, &err));
    scratch_empty(place.dir);
    return (struct jw_warm_state){ .dir = place.dir };
}

static struct prime_begun started(void)
{
    static const char *facts = "1";

    return (
        struct prime_begun){ .key = "serve", .files = &program, .n_files = 1, .facts = &facts, .n_facts = 1 };
}

static void leave(const struct prime_begun *b, struct jw_arena *a)
{
    struct prime_begun_file file;
    struct jw_err err;

    CHECK(prime_begin(cache, b, a, &file, &err));
    prime_begun_leave(&file);
}

static void end(const struct prime_begun *b, struct jw_arena *a)
{
    struct prime_begun_file file;
    struct jw_err err;

    CHECK(prime_begin(cache, b, a, &file, &err));
    prime_begun_end(&file, b, a);
}

TEST_ARENA(a_record_of_the_version_before_is_a_start_that_was_not_recorded_to_its_end)
{
    static const struct jw_field a_file[] = { JW_FIELD_ALONE(JW_FIELD_TEXT, sizeof(char *)), { 0 } };
    static const struct jw_field of_43[] = {
        JW_FIELD(struct prime_begun, key),
        JW_FIELD(struct prime_begun, folder),
        JW_FIELD_LIST_OF(struct prime_begun, files, n_files, a_file),
        JW_FIELD_LIST_OF(struct prime_begun, facts, n_facts, a_file),
        JW_FIELD(struct prime_begun, nowhere),
        JW_FIELD(struct prime_begun, failed),
        JW_FIELD(struct prime_begun, build),
        JW_FIELD(struct prime_begun, left),
        JW_FIELD(struct prime_begun, unrecorded),
        { 0 },
    };
    const struct jw_warm_state memory = begin(a);
    struct jw_buf record = JW_BUF(1 << 16);
    struct prime_begun b = started(), *list;

    jw_record_put(&record, 43, of_43, &b);
    FILE *f = fopen(jw_path_join(a, place.dir, "0123456789abcdef.17.begun"), "wb");
    CHECK(f && fwrite(record.p, 1, record.n, f) == record.n && !fclose(f));
    jw_buf_free(&record);
    CHECK(prime_begun_list(&memory, a, &list) == 1);
    CHECK_TEXT(list->key, "serve");
    CHECK(!prime_begun_is_in_vain(list));

    end(&b, a);
    CHECK_NUM(prime_begun_list(&memory, a, &list), 0);
}

TEST_ARENA(on_a_full_disk_the_record_before_stays)
{
    const struct jw_warm_state memory = begin(a);
    struct prime_begun b = started(), *list;
    struct prime_begun_file file;
    struct jw_err err;
    struct stat info;
    struct rlimit was, full;

    CHECK(prime_begin(cache, &b, a, &file, &err) && !stat(file.path, &info)
          && !getrlimit(RLIMIT_FSIZE, &was));
    full = was;
    full.rlim_cur = (rlim_t)info.st_size;
    b.nowhere = "CUDA_CACHE_DISABLE=1";
    (void)signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &full));
    prime_begun_end(&file, &b, a);
    CHECK(!setrlimit(RLIMIT_FSIZE, &was));
    (void)signal(SIGXFSZ, SIG_DFL);
    CHECK_NUM(prime_begun_list(&memory, a, &list), 1);
}

TEST_ARENA(what_a_killed_process_half_wrote_hides_nothing)
{
    const struct jw_warm_state memory = begin(a);
    struct prime_begun b = started(), *list;
    struct prime_begun_file file;
    struct jw_err err;

    CHECK(prime_begin(cache, &b, a, &file, &err));
    FILE *f = fopen(file.path, "ab");
    CHECK(f && fwrite("half", 1, 4, f) == 4 && !fclose(f));
    prime_begun_leave(&file);
    b.nowhere = "CUDA_CACHE_DISABLE=1";
    leave(&b, a);
    CHECK(prime_begun_list(&memory, a, &list) == 1);
    CHECK(prime_keeps_nothing(list));
}

TEST_ARENA(a_recording_does_not_forget_that_each_start_compiles)
{
    const struct jw_warm_state memory = begin(a);
    struct prime_begun b = started(), *list;

    b.unkept = "libnvvm.so.4";
    leave(&b, a);
    b.unkept = "";
    end(&b, a);
    CHECK(prime_begun_list(&memory, a, &list) == 1);
    CHECK(prime_compiles_always(list));

    leave(&b, a); /* killed */
    CHECK_NUM(prime_begun_list(&memory, a, &list), 2);
    prime_begun_forget(&memory, b.key, PRIME_BEGUN_FAILED | PRIME_BEGUN_NOWHERE, a);
    CHECK_NUM(prime_begun_list(&memory, a, &list), 2);
    prime_begun_forget(&memory, b.key, PRIME_BEGUN_UNKEPT, a);
    CHECK(prime_begun_list(&memory, a, &list) == 1);
    CHECK(!prime_begun_is_in_vain(list));
}
