#include "cache/format/warmlog.h"

#include "base/limits.h"
#include "base/mem.h"
#include "cache/format/jitcache.h"
#include "check.h"

#include <stdlib.h>

enum { MAX = 64 << 20 };

static const char *const targets[] = { "/opt/app", "torch", "" };
static const struct jw_warm_file files[] = {
    { .path = "/opt/app/lib\xc3\xa4.so",
      .size = 1 << 30,
      .volume = 66,
      .node = UINT64_MAX,
      .mtime = -5,
      .ctime = 1790000000123456788 },
    { .path = "/opt/app", .mtime = 1790000000123456789, .names = UINT64_MAX },
};
static const struct jw_warm_answer answers[] = { { "setting CUDA_CACHE_MAXSIZE", "1" }, { "GPUs", "" } };
static const struct jw_warm_entry entries[] = { { 1, 2, 3 }, { UINT64_MAX, 4, UINT64_MAX }, { 5, 6, 0 } };
static const struct jw_warm_used used[] = { { "python x.py", 7 }, { "", INT64_MIN } };
static const struct jw_warm_refused refused[] = { { "third", 90, "/opt/app/lib.so" }, { "", 0, "" } };
static const uint8_t ids[2][32] = { "first", "second" };

static const uint64_t names[] = { 3, 4 };
static const struct jw_warm_load loads[] = { { 0x423e06b9e6ec62aa, true }, { UINT64_MAX, false } };
static struct jw_warm_loads of_builds[] = {
    { .build = "gnu:0" },
    { .build = "gnu:1", .list = loads, .n = JW_COUNT(loads), .answers = answers, .n_answers = 2 },
};

static const struct jw_warm_fact all_kinds[] = {
    { .kind = JW_WARM_CACHE, .as.cache = "/home/u/.nv/ComputeCache" },
    { .kind = JW_WARM_MODULE,
      .as.module = { .id = "module",
                     .build = "gnu:1",
                     .sm = 86,
                     .compiled = true,
                     .name = 0x423e06b9e6ec62aa,
                     .bytes = 123456,
                     .ptx_bytes = 1ull << 40,
                     .milliseconds = 4321,
                     .stopped = 20000,
                     .kernel = "mul_mat_q",
                     .origin = "lib\xc3\xa4.so",
                     .ban = "it hung",
                     .compiler = "gnu:cc 5 bytes",
                     .imported = true,
                     .payload = UINT64_MAX - 3,
                     .inputs = names,
                     .n_inputs = 2 } },
    { .kind = JW_WARM_RECEIPT,
      .as.receipt = { .partly = true,
                      .asked = { .trusted_only = true,
                                 .all = true,
                                 .absent_gpus = true,
                                 .forgot = true,
                                 .command = "python x.py",
                                 .gpus = targets,
                                 .n_gpus = 1,
                                 .exclude = targets + 1,
                                 .n_exclude = 2,
                                 .vouched = targets,
                                 .n_vouched = 2,
                                 .commands = used,
                                 .n_commands = 2,
                                 .targets = targets,
                                 .n_targets = 3 },
                      .concluded = { .same_login = true,
                                     .login_lower = true,
                                     .terminal = true,
                                     .login_limit = 1 << 30,
                                     .unsure = UINT64_MAX,
                                     .native = 3,
                                     .on_use = 180,
                                     .loss = JW_LOSS_OTHERS,
                                     .too_new = { 4, "580", "/opt/new.so" },
                                     .lacking = { "torch", "2.1", 5, true, 120 },
                                     .unread = "/opt/app/cut.so",
                                     .unread_why = "permission denied",
                                     .refused = refused,
                                     .n_refused = 2,
                                     .found_in = targets,
                                     .n_found_in = 2,
                                     .emptied = targets + 1,
                                     .n_emptied = 1 },
                      .build = "gnu:1",
                      .driver_version = "580.126.09",
                      .answers = answers,
                      .n_answers = 2,
                      .files = files,
                      .n_files = 2,
                      .entries = entries,
                      .n_entries = 3,
                      .when = 1790000001,
                      .jobs = 1200,
                      .stamp = "Jan  7 202622:51:46" } },
    { .kind = JW_WARM_COMMAND,
      .as.command = { .key = "python x.py",
                      .cache = "/h/.cache/nv",
                      .when = 8,
                      .cold = 234000,
                      .warm = UINT64_MAX,
                      .recorded = 7,
                      .ids = ids,
                      .n = 2,
                      .files = targets,
                      .n_files = JW_COUNT(targets),
                      .loads = of_builds,
                      .n_loads = 2 } },
    { .kind = JW_WARM_STARTED,
      .as.command = { .key = "python x.py", .cache = "", .when = 9, .cold = 234000, .warm = 1200 } },
    { .kind = JW_WARM_LEFT,
      .as.left = { .need = 1500,
                   .hidden = "env -u CUDA_VISIBLE_DEVICES",
                   .targets = targets,
                   .n = JW_COUNT(targets) } },
    { .kind = JW_WARM_IMPORT,
      .as.import = { .pack = "/srv/p.tar.zst",
                     .build = "gnu:1",
                     .sm = 86,
                     .words = targets,
                     .n_words = JW_COUNT(targets),
                     .entries = entries,
                     .n_entries = JW_COUNT(entries) } },
};

static struct jw_buf log_of(const struct jw_warm_fact *facts, size_t n)
{
    struct jw_buf out = JW_BUF(MAX);

    for (size_t i = 0; i < n; i++)
        jw_warmlog_put(&out, &facts[i]);
    CHECK(!out.bad);
    return out;
}

static struct jw_warmlog scan(struct jw_bytes file)
{
    struct jw_warmlog log;
    struct jw_err err = { 0 };

    CHECK_OK(jw_warmlog_scan(file, &log, &err), err);
    return log;
}

static struct jw_warm_fact get(const struct jw_warmlog *log, size_t i, struct jw_arena *a)
{
    struct jw_warm_fact fact;
    struct jw_err err = { 0 };

    CHECK_OK(i < log->n && jw_warmlog_get(&log->list[i], a, &fact, &err), err);
    return fact;
}

static struct jw_warm_fact module(const char *id, const char *build, uint16_t sm, uint64_t bytes)
{
    struct jw_warm_fact f = { .kind = JW_WARM_MODULE,
                              .as.module = { .build = build, .sm = sm, .bytes = bytes } };

    (void)snprintf((char *)f.as.module.id, sizeof f.as.module.id, "%s", id);
    return f;
}

/* A record whose hash holds, whatever its body is. */
static void put_raw(struct jw_buf *out, uint16_t kind, struct jw_bytes body)
{
    uint8_t head[6], hash[8];
    size_t start = out->n;

    jw_put32(head, (uint32_t)body.n);
    jw_put16(head + 4, kind);
    jw_buf_add(out, head, sizeof head);
    jw_buf_add(out, body.p, body.n);
    jw_put64(hash, jw_fnv1a(JW_FNV_START, out->p + start, out->n - start));
    jw_buf_add(out, hash, sizeof hash);
}

/* ---- what is put comes back ---- */

static void same_texts(const char *const *got, size_t n_got, const char *const *want, size_t n_want)
{
    CHECK_NUM(n_got, n_want);
    for (size_t i = 0; i < n_got && i < n_want; i++)
        CHECK_TEXT(got[i], want[i]);
}

static void same_conclusions(const struct jw_warm_conclusions *got, const struct jw_warm_conclusions *want)
{
    CHECK(got->same_login == want->same_login && got->login_lower == want->login_lower);
    CHECK(got->terminal == want->terminal && got->login_limit == want->login_limit);
    CHECK(got->unsure == want->unsure && got->native == want->native && got->loss == want->loss);
    CHECK_NUM(got->on_use, want->on_use);
    CHECK_NUM(got->too_new.modules, want->too_new.modules);
    CHECK_TEXT(got->too_new.branch, want->too_new.branch);
    CHECK_TEXT(got->too_new.file, want->too_new.file);
    CHECK_TEXT(got->lacking.name, want->lacking.name);
    CHECK_TEXT(got->lacking.version, want->lacking.version);
    CHECK(got->lacking.more == want->lacking.more && got->lacking.most == want->lacking.most);
    CHECK_NUM(got->lacking.sm, want->lacking.sm);
    CHECK_TEXT(got->unread, want->unread);
    CHECK_TEXT(got->unread_why, want->unread_why);
    CHECK_NUM(got->n_refused, want->n_refused);
    for (size_t i = 0; i < got->n_refused; i++) {
        CHECK(memcmp(got->refused[i].id, want->refused[i].id, 32) == 0);
        CHECK(got->refused[i].sm == want->refused[i].sm);
        CHECK_TEXT(got->refused[i].path, want->refused[i].path);
    }
    same_texts(got->found_in, got->n_found_in, want->found_in, want->n_found_in);
    same_texts(got->emptied, got->n_emptied, want->emptied, want->n_emptied);
}

static void same_receipt(const struct jw_warm_receipt *got, const struct jw_warm_receipt *want)
{
    CHECK(got->partly == want->partly);
    CHECK(jw_warm_same_request(&got->asked, &want->asked));
    CHECK_TEXT(got->asked.command, want->asked.command);
    CHECK(got->asked.commands[1].recorded == want->asked.commands[1].recorded);
    same_texts(got->asked.targets, got->asked.n_targets, want->asked.targets, want->asked.n_targets);
    same_conclusions(&got->concluded, &want->concluded);
    CHECK_TEXT(got->build, want->build);
    CHECK_TEXT(got->driver_version, want->driver_version);
    CHECK(got->when == want->when && got->jobs == want->jobs);
    CHECK_TEXT(got->stamp, want->stamp);
    CHECK(got->n_files == want->n_files);
    CHECK_NUM(got->n_entries, want->n_entries);
    CHECK_NUM(got->n_answers, want->n_answers);
    for (size_t i = 0; i < got->n_answers; i++) {
        CHECK_TEXT(got->answers[i].question, want->answers[i].question);
        CHECK_TEXT(got->answers[i].answer, want->answers[i].answer);
    }
    for (size_t i = 0; i < got->n_files; i++) {
        CHECK_TEXT(got->files[i].path, want->files[i].path);
        CHECK(got->files[i].size == want->files[i].size && got->files[i].mtime == want->files[i].mtime);
        CHECK(got->files[i].volume == want->files[i].volume && got->files[i].node == want->files[i].node);
        CHECK(got->files[i].ctime == want->files[i].ctime && got->files[i].names == want->files[i].names);
    }
    for (size_t i = 0; i < got->n_entries; i++)
        CHECK(got->entries[i].name == want->entries[i].name && got->entries[i].bytes == want->entries[i].bytes
              && got->entries[i].identity == want->entries[i].identity);
}

TEST_ARENA(every_kind_comes_back)
{
    struct jw_buf file = log_of(all_kinds, JW_COUNT(all_kinds));
    struct jw_warmlog log = scan(jw_buf_bytes(&file));
    struct jw_warm_fact f;

    CHECK_NUM(log.n, JW_COUNT(all_kinds));
    CHECK_NUM(log.sound, file.n);
    CHECK_TEXT(get(&log, 0, a).as.cache, all_kinds[0].as.cache);
    CHECK_TEXT(jw_warmlog_cache(jw_buf_bytes(&file)), all_kinds[0].as.cache);
    f = get(&log, 1, a);
    CHECK_TEXT((const char *)f.as.module.id, "module");
    CHECK_TEXT(f.as.module.build, "gnu:1");
    CHECK(f.as.module.sm == 86 && f.as.module.compiled && f.as.module.name == 0x423e06b9e6ec62aa);
    CHECK(f.as.module.bytes == 123456 && f.as.module.ptx_bytes == 1ull << 40);
    CHECK(f.as.module.milliseconds == 4321 && f.as.module.stopped == 20000);
    CHECK_TEXT(f.as.module.kernel, "mul_mat_q");
    CHECK_TEXT(f.as.module.origin, "lib\xc3\xa4.so");
    CHECK_TEXT(f.as.module.ban, "it hung");
    CHECK_TEXT(f.as.module.compiler, "gnu:cc 5 bytes");
    CHECK(f.as.module.imported && f.as.module.payload == UINT64_MAX - 3);
    CHECK(f.as.module.n_inputs == 2 && f.as.module.inputs[1] == 4);
    f = get(&log, 2, a);
    same_receipt(&f.as.receipt, &all_kinds[2].as.receipt);
    f = get(&log, 3, a);
    CHECK_TEXT(f.as.command.key, "python x.py");
    CHECK(f.as.command.recorded == 7 && f.as.command.when == 8 && f.as.command.n == 2);
    CHECK(memcmp(f.as.command.ids, ids, sizeof ids) == 0);
    CHECK_NUM(f.as.command.n_files, JW_COUNT(targets));
    for (size_t i = 0; i < f.as.command.n_files; i++)
        CHECK_TEXT(f.as.command.files[i], targets[i]);
    CHECK(f.as.command.n_loads == 2 && !f.as.command.loads[0].n);
    CHECK_TEXT(f.as.command.loads[1].build, "gnu:1");
    CHECK(f.as.command.loads[1].n == 2 && f.as.command.loads[1].list[0].once
          && !f.as.command.loads[1].list[1].once);
    CHECK(f.as.command.loads[1].list[0].name == loads[0].name && f.as.command.loads[1].n_answers == 2);
    CHECK_TEXT(f.as.command.loads[1].answers[0].answer, answers[0].answer);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

TEST_ARENA(empty_things_come_back)
{
    const struct jw_warm_fact empty[] = { { .kind = JW_WARM_RECEIPT, .as.receipt = { .asked.command = "k" } },
                                          { .kind = JW_WARM_COMMAND, .as.command = { .key = "" } } };
    struct jw_buf file = log_of(empty, 2);
    struct jw_warmlog log = scan(jw_buf_bytes(&file)), none = scan((struct jw_bytes){ NULL, 0 });
    struct jw_warm_fact f = get(&log, 0, a);

    CHECK_TEXT(f.as.receipt.driver_version, "");
    CHECK(!f.as.receipt.asked.n_targets && !f.as.receipt.n_files && !f.as.receipt.n_entries);
    f = get(&log, 1, a);
    CHECK(!f.as.command.n && !f.as.command.n_loads);
    CHECK(!jw_warmlog_cache(jw_buf_bytes(&file)));
    CHECK(none.n == 0 && none.sound == 0);
    jw_warmlog_free(&log);
    jw_warmlog_free(&none);
    jw_buf_free(&file);
}

/* A receipt answers no run that was asked for something else, and two of different requests count. */
TEST(each_field_of_a_request_divides)
{
    static const struct jw_warm_used later[] = { { "python x.py", 8 }, { "", INT64_MIN } };
    const struct jw_warm_request asked = all_kinds[2].as.receipt.asked;
    struct jw_warm_request others[11];
    struct jw_buf file = log_of(&all_kinds[2], 1);

    for (size_t i = 0; i < JW_COUNT(others); i++)
        others[i] = asked;
    others[0].trusted_only = others[1].all = others[2].absent_gpus = others[3].forgot = false;
    others[4].command = "python x.p";
    others[5].n_gpus = 2;
    others[6].n_exclude = 1;
    others[7].vouched++;
    others[8].commands = later;
    others[9].n_commands = 1;
    others[10].n_targets = 2;
    CHECK(jw_warm_same_request(&asked, &asked));
    for (size_t i = 0; i < JW_COUNT(others); i++) {
        struct jw_warm_fact f = all_kinds[2];

        CHECK(!jw_warm_same_request(&asked, &others[i]));
        f.as.receipt.asked = others[i];
        jw_warmlog_put(&file, &f);
    }

    struct jw_warm_fact whole = all_kinds[2];

    whole.as.receipt.partly = false;
    jw_warmlog_put(&file, &whole);

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK_NUM(log.alive, JW_COUNT(others) + 2);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

/* ---- which count ---- */

TEST(the_newest_counts)
{
    const struct jw_warm_fact facts[] = {
        all_kinds[0],
        module("a", "gnu:1", 86, 1),
        module("a", "gnu:2", 86, 2), /* another driver */
        module("a", "gnu:1", 90, 3), /* another GPU */
        all_kinds[2],
        module("a", "gnu:1", 86, 4),
        all_kinds[2],
        all_kinds[3],
        module("b", "gnu:1", 86, 4),
    };
    static const bool alive[] = { 1, 0, 1, 1, 0, 1, 1, 1, 1 };
    struct jw_buf file = log_of(facts, JW_COUNT(facts));
    struct jw_warmlog log = scan(jw_buf_bytes(&file));
    size_t bytes = 0;

    CHECK_NUM(log.n, JW_COUNT(facts));
    for (size_t i = 0; i < log.n; i++) {
        if (log.list[i].alive != alive[i])
            printf("record %zu\n", i);
        CHECK(log.list[i].alive == alive[i]);
        bytes += alive[i] ? log.list[i].is.all.n : 0;
    }
    CHECK_NUM(log.alive_bytes, bytes);
    CHECK_NUM(log.alive, 7);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

TEST_ARENA(what_another_version_wrote_is_kept_and_not_read)
{
    struct jw_buf file = log_of(all_kinds, 1);
    struct jw_warm_fact last = module("a", "gnu:1", 86, 1), f;
    struct jw_err err = { 0 };

    put_raw(&file, JW_WARM_KINDS, JW_BYTES("whatever"));
    put_raw(&file, 0xffff, JW_BYTES(""));
    put_raw(&file, 2, JW_BYTES("x")); /* and an earlier one */
    jw_warmlog_put(&file, &last);

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK(log.n == 5 && log.alive == 5 && log.alive_bytes == file.n);
    CHECK(!jw_warmlog_known(&log.list[1]) && !jw_warmlog_known(&log.list[2]));
    CHECK(!jw_warmlog_known(&log.list[3]) && jw_warmlog_known(&log.list[4]));
    CHECK(!jw_warmlog_get(&log.list[1], a, &f, &err) && err.code == JW_E_FORMAT);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

TEST_ARENA(records_of_another_form_are_absent)
{
    struct jw_buf file = log_of(all_kinds, 1);
    struct jw_warm_fact f;
    struct jw_err err = { 0 };

    put_raw(&file, 72, JW_BYTES("all=0 profile=")); /* receipts */
    put_raw(&file, 73, JW_BYTES("python"));         /* commands */
    put_raw(&file, 76, JW_BYTES("receipts before NVIDIA's own libraries were counted"));
    jw_warmlog_put(&file, &all_kinds[1]);

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK(log.n == 5 && log.alive == 2 && log.sound == file.n);
    for (size_t i = 1; i < 4; i++)
        CHECK(!log.list[i].alive && !jw_warmlog_get(&log.list[i], a, &f, &err) && err.code == JW_E_FORMAT);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

TEST_ARENA(bodies_that_are_not_what_their_kind_holds)
{
    for (size_t i = 0; i < JW_COUNT(all_kinds); i++) {
        struct jw_buf one = log_of(&all_kinds[i], 1), file = JW_BUF(MAX);
        struct jw_bytes body = { one.p + 6, one.n - JW_RECORD_FRAME };

        for (size_t n = 0; n < body.n; n++)
            put_raw(&file, (uint16_t)all_kinds[i].kind, (struct jw_bytes){ body.p, n });
        one.p[6 + body.n] = 0;
        put_raw(&file, (uint16_t)all_kinds[i].kind, (struct jw_bytes){ body.p, body.n + 1 });

        struct jw_warmlog log = scan(jw_buf_bytes(&file));

        CHECK_NUM(log.n, body.n + 1);
        for (size_t k = 0; k < log.n; k++) {
            struct jw_warm_fact f;
            struct jw_err err = { 0 };

            CHECK_REFUSED(jw_warmlog_get(&log.list[k], a, &f, &err), err, "is not as long as its fields");
        }
        jw_warmlog_free(&log);
        jw_buf_free(&file);
        jw_buf_free(&one);
    }
}

TEST(counts_that_promise_too_much)
{
    struct jw_arena a = { .max = 1 << 16 };
    struct jw_buf one = log_of(&all_kinds[3], 1), file = JW_BUF(MAX);
    struct jw_warm_fact f;
    struct jw_err err = { 0 };
    size_t at = 6 + 4 + sizeof "python x.py" + 4 + sizeof "/h/.cache/nv" + 4 * 8; /* of the modules */

    CHECK_NUM(jw_le32(one.p + at), 2);
    jw_put32(one.p + at, UINT32_MAX);
    put_raw(&file, JW_WARM_COMMAND, (struct jw_bytes){ one.p + 6, one.n - JW_RECORD_FRAME });
    jw_buf_free(&one);
    one =
        log_of(&(struct jw_warm_fact){ .kind = JW_WARM_RECEIPT, .as.receipt = { .asked.command = "k" } }, 1);
    jw_put32(one.p + 6 + 5 + 4 + sizeof "k" + 4 * 4, 1 << 30); /* targets */
    put_raw(&file, JW_WARM_RECEIPT, (struct jw_bytes){ one.p + 6, one.n - JW_RECORD_FRAME });

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    for (size_t i = 0; i < 2; i++)
        CHECK(!jw_warmlog_get(&log.list[i], &a, &f, &err) && err.code == JW_E_FORMAT);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
    jw_buf_free(&one);
    jw_arena_free(&a);
}

TEST(only_so_many_are_kept)
{
    struct jw_buf file = JW_BUF(MAX);
    size_t extra = 3;

    for (size_t i = 0; i < JW_MAX_WARM_MODULES + extra; i++) {
        char id[16];

        (void)snprintf(id, sizeof id, "%zu", i);

        struct jw_warm_fact f = module(id, "gnu:1", 86, i);

        jw_warmlog_put(&file, &f);
        if (i == 0)
            jw_warmlog_put(&file, &all_kinds[3]);
    }

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK_NUM(log.alive, JW_MAX_WARM_MODULES + 1);
    CHECK(!log.list[0].alive && log.list[1].alive && !log.list[2].alive && !log.list[3].alive);
    CHECK(log.list[4].alive && log.list[log.n - 1].alive);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

/* Of each driver build the newest receipt counts; builds of long ago are forgotten. */
TEST(receipts_of_several_builds)
{
    static const char *const builds[] = { "gnu:1", "gnu:2", "gnu:1", "gnu:33", "gnu:4", "gnu:5" };
    struct jw_buf file = JW_BUF(MAX);

    jw_warmlog_put(&file,
                   &(struct jw_warm_fact){ .kind = JW_WARM_RECEIPT,
                                           .as.receipt = { .asked.command = "another", .build = "gnu:2" } });
    for (size_t i = 0; i < JW_COUNT(builds); i++)
        jw_warmlog_put(&file,
                       &(struct jw_warm_fact){ .kind = JW_WARM_RECEIPT,
                                               .as.receipt = { .asked.command = "k", .build = builds[i] } });

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK(log.list[0].alive && !log.list[1].alive && !log.list[2].alive);
    for (size_t i = 3; i < log.n; i++)
        CHECK(log.list[i].alive);
    CHECK_NUM(log.alive, 5);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}

TEST(a_fact_that_is_too_long_is_not_put)
{
    struct jw_buf file = JW_BUF(MAX), text = JW_BUF(MAX);
    struct jw_warm_fact f = { .kind = JW_WARM_COMMAND, .as.command = { .key = "k" } };

    f.as.command.n = JW_MAX_STATE_RECORD / 32;
    f.as.command.ids = jw_alloc(JW_MAX_STATE_RECORD);
    CHECK(f.as.command.ids != NULL);
    jw_warmlog_put(&file, &f);
    CHECK(file.bad);
    jw_buf_clear(&file);
    f.as.command.n -= 2; /* what else it has */
    jw_warmlog_put(&file, &f);
    CHECK(!file.bad);
    jw_free((void *)(uintptr_t)f.as.command.ids);
    jw_buf_fill(&text, 'x', JW_MAX_PATH + 1);
    f = (struct jw_warm_fact){ .kind = JW_WARM_CACHE, .as.cache = jw_buf_cstr(&text) };
    jw_warmlog_put(&file, &f);
    CHECK(file.bad);
    jw_buf_free(&file);
    jw_buf_free(&text);
}

/* ---- damage ---- */

/* The first `n` records of `file`, as they were, and nothing else. */
static void whole_beginning(const struct jw_warmlog *got, const struct jw_warmlog *whole, size_t n)
{
    CHECK_NUM(got->n, n);
    for (size_t i = 0; i < got->n && i < n; i++)
        CHECK(got->list[i].is.kind == whole->list[i].is.kind
              && got->list[i].is.all.n == whole->list[i].is.all.n
              && memcmp(got->list[i].is.all.p, whole->list[i].is.all.p, got->list[i].is.all.n) == 0);
    CHECK_NUM(got->sound,
              n ? whole->list[n - 1].is.all.p + whole->list[n - 1].is.all.n - whole->list[0].is.all.p : 0);
}

/* The record that byte `at` is of. */
static size_t record_at(const struct jw_warmlog *log, size_t at)
{
    size_t i = 0, end = 0;

    while (i < log->n && (end += log->list[i].is.all.n) <= at)
        i++;
    return i;
}

TEST(torn_anywhere_the_records_before_it_stay)
{
    struct jw_buf file = log_of(all_kinds, JW_COUNT(all_kinds));
    struct jw_warmlog whole = scan(jw_buf_bytes(&file));

    for (size_t n = 0; n < file.n; n++) {
        uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees a byte too many */

        CHECK(exact != NULL);
        if (!exact)
            break;
        memcpy(exact, file.p, n);

        struct jw_warmlog log = scan((struct jw_bytes){ exact, n });

        whole_beginning(&log, &whole, record_at(&whole, n));
        jw_warmlog_free(&log);
        free(exact);
    }
    jw_warmlog_free(&whole);
    jw_buf_free(&file);
}

TEST(a_bit_that_flips_is_seen)
{
    struct jw_buf file = log_of(all_kinds, JW_COUNT(all_kinds));
    struct jw_buf spoilt = log_of(all_kinds, JW_COUNT(all_kinds));
    struct jw_warmlog whole = scan(jw_buf_bytes(&file));

    for (size_t i = 0; i < file.n * 8; i++) {
        spoilt.p[i / 8] ^= (uint8_t)(1 << i % 8);

        struct jw_warmlog log = scan(jw_buf_bytes(&spoilt));

        whole_beginning(&log, &whole, record_at(&whole, i / 8));
        jw_warmlog_free(&log);
        spoilt.p[i / 8] = file.p[i / 8];
    }
    jw_warmlog_free(&whole);
    jw_buf_free(&spoilt);
    jw_buf_free(&file);
}

/* What some file systems leave after the power went. */
TEST(zeros_are_no_records)
{
    struct jw_buf file = log_of(all_kinds, 2);
    size_t sound = file.n;

    jw_buf_fill(&file, 0, 4096);

    struct jw_warmlog log = scan(jw_buf_bytes(&file));

    CHECK(log.n == 2 && log.sound == sound);
    jw_warmlog_free(&log);
    jw_buf_free(&file);
}
