/* What a person does next: one command for the same facts, whichever verb was asked. */
#include "prime/memory/next_step.h"

#include "base/text.h"
#include "check.h"
#include "os/machine/env.h"
#include "prime/memory/primed.h"

#include <stdio.h>
#include <string.h>

static const struct jw_step_scope alone = { .prime = "jitwarm prime", .cache = "" };

static const char *line_of(const struct jw_step_facts *f, const struct jw_step_scope *scope,
                           struct jw_arena *a)
{
    const struct jw_next_step step = jw_next_step_of(f, a);
    const char *line = jw_next_step_line(&step, scope, a);

    return line ? line : "";
}

/* In the order in which they count: each row has the facts of all rows below it, too. */
TEST_ARENA(what_counts_first)
{
    struct jw_step_facts f = { .after = JW_AFTER_PLAN };

    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm verify   # proves that the next start compiles nothing");
    f.nothing_compiles = true;
    CHECK_TEXT(line_of(&f, &alone, a), "");
    f.partly = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor");
    f.reasons |= JW_BUT(JW_BY_GPUS);
    CHECK_TEXT(
        line_of(&f, &alone, a),
        "jitwarm verify   # checks it for the GPUs that are here, each time: status never asks the driver");
    f.reasons |= JW_BUT(JW_BY_UNREAD);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says what could not be read");
    f.reasons |= JW_BUT(JW_BY_LACK);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says what it needs to run on this GPU");
    f.named = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm scan   # which code it has, and for which GPUs");
    f.reasons |= JW_BUT(JW_BY_BLOCKED);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says how this system gets a newer driver");
    f.reasons |= JW_BUT(JW_BY_REFUSAL);
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm doctor   # says what helps where this driver cannot compile it");
    f.reasons |= JW_BUT(JW_BY_LINK);
    f.failing_link = "/opt/app/x.so";
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm scan /opt/app/x.so   # which code it has, and for which GPUs");
    f.reasons = (f.reasons & ~JW_BUT(JW_BY_UNREAD)) | JW_BUT(JW_BY_NO_SOFTWARE);
    CHECK(jw_text_starts(line_of(&f, &alone, a), "jitwarm scan -v   # lists where it was looked for"));
    f.reasons |= JW_BUT(JW_BY_GONE);
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm prune --gone   # lists what is gone, and asks whether to forget it");
    f.said = true;
    CHECK_TEXT(line_of(&f, &alone, a), "");
    f.login = "unset CUDA_CACHE_PATH";
    CHECK_TEXT(line_of(&f, &alone, a),
               "unset CUDA_CACHE_PATH   # this shell then uses the cache of a fresh login");
    f.reasons |= JW_BUT(JW_BY_LOGIN);
    CHECK_TEXT(line_of(&f, &alone, a), "unset CUDA_CACHE_PATH");
    f.login = NULL;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says what keeps its shell from its end");
    f.cold = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm prime");
    f.start = "jitwarm prime --run ./app";
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm prime --run ./app");
    f.reasons |= JW_BUT(JW_BY_STOP);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm prime   # continues with the modules that are left");
    f.longer_limit = 15;
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm prime --time-limit 15s   # a shorter time limit gets no further");
    f.reasons |= JW_BUT(JW_BY_NO_CHECK);
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm verify   # checks whether that is all that the software here loads");
    f.reasons |= JW_BUT(JW_BY_RECORDS);
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm prime   # looks at all software here, and remembers it again");
    f.import = "jitwarm import a.jwpack";
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm import a.jwpack   # brings again what is gone from the cache");
    f.keeps = "export CUDA_CACHE_MAXSIZE=1073741824";
    CHECK_TEXT(line_of(&f, &alone, a), "export CUDA_CACHE_MAXSIZE=1073741824");
    f.no_compiler = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says how this system gets the driver's compiler");
    f.unusable = true;
    CHECK_TEXT(line_of(&f, &alone, a), "");
    f.said = false;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor");
    f.index_damaged = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm status --repair");
    f.mends = "export HOME=/home/ada";
    CHECK_TEXT(line_of(&f, &alone, a), "export HOME=/home/ada");
    f.prime_runs = true;
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm status   # how far the prime is");
    f.again = "jitwarm prime --time-limit 1h lib";
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm prime --time-limit 1h lib");
}

/* What status finds has a next step, whatever the reason: what another prime mends is primed, but for what it leaves as it is. */
TEST_ARENA(each_reason_has_its_step)
{
    static const uint32_t not_primed = JW_BUT(JW_BY_RECORDS) | JW_BUT(JW_BY_NO_CHECK) | JW_BUT(JW_BY_STOP)
                                       | JW_BUT(JW_BY_GONE) | JW_BUT(JW_BY_IMPORT) | JW_BUT(JW_BY_NO_SOFTWARE)
                                       | JW_BUT(JW_BY_LINK) | JW_BUT(JW_BY_DOUBT) | JW_BUT(JW_BY_REFUSAL)
                                       | JW_BUT(JW_BY_BLOCKED) | JW_BUT(JW_BY_LACK) | JW_BUT(JW_BY_UNREAD)
                                       | JW_BUT(JW_BY_FAILURE) | JW_BUT(JW_BY_GPUS);

    for (unsigned i = 0; i < JW_BY_NOTHING; i++) {
        struct jw_step_facts f = { .after = JW_AFTER_STATUS, .reasons = JW_BUT(i) };
        const char *line = line_of(&f, &alone, a);

        CHECK(strcmp(line, "jitwarm prime --check") != 0);
        CHECK_NUM(strcmp(line, "jitwarm prime") == 0, !(not_primed & JW_BUT(i)));
        f.later = ~not_primed;
        CHECK_NUM(strcmp(line_of(&f, &alone, a), "jitwarm prime") == 0, 0);
    }
}

/* "This driver cannot compile it" is said where nothing else is cold, and what is damaged where all else is warm. */
TEST_ARENA(what_is_cold_hides_what_is_not_its_cause)
{
    struct jw_step_facts f = { .after = JW_AFTER_PRIME, .reasons = JW_BUT(JW_BY_DOUBT), .partly = true };

    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm scan   # says what is damaged, and where");
    f.reasons |= JW_BUT(JW_BY_REFUSAL);
    CHECK_TEXT(line_of(&f, &alone, a),
               "jitwarm doctor   # says what helps where this driver cannot compile it");
    f.reasons |= JW_BUT(JW_BY_MODULES);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # looks for the cause");
    f.reasons = JW_BUT(JW_BY_NO_SOFTWARE) | JW_BUT(JW_BY_UNREAD);
    CHECK_TEXT(line_of(&f, &alone, a), "jitwarm doctor   # says what could not be read");
}

TEST_ARENA(what_was_just_done_is_no_next_step)
{
    static const struct {
        struct jw_step_facts facts;
        const char *line; /* begins so; "": there is none */
    } rows[] = {
        { { .after = JW_AFTER_STATUS }, "jitwarm prime --check" },
        { { .after = JW_AFTER_STATUS, .prime_runs = true }, "" },
        { { .after = JW_AFTER_VERIFY }, "" },
        { { .after = JW_AFTER_PRIME }, "jitwarm verify   # proves again" },
        { { .after = JW_AFTER_PRIME, .proven = true }, "jitwarm startup install   # " },
        { { .after = JW_AFTER_PRIME, .proven = true, .root = true },
          "jitwarm startup install --as-root   # " },
        { { .after = JW_AFTER_PRIME, .proven = true, .container = true }, "jitwarm env --shell docker   # " },
        { { .after = JW_AFTER_PRIME, .proven = true, .lasting = true }, "jitwarm status   # " },
        { { .after = JW_AFTER_STATUS, .reasons = JW_BUT(JW_BY_FAILURE) },
          "jitwarm doctor   # says what could not be read" },
        { { .after = JW_AFTER_PRIME, .partly = true }, "jitwarm doctor   # looks for the cause" },
        { { .after = JW_AFTER_PRIME, .nothing_compiles = true },
          "jitwarm doctor   # if something starts slowly, or fails: its CUDA may be too new for this "
          "driver" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *line = line_of(&rows[i].facts, &alone, a);

        CHECK_TEXT(jw_arena_text(a, line, strlen(rows[i].line)), rows[i].line);
        CHECK(*rows[i].line || !*line);
    }
}

/* A line is about what was asked for, in the cache that was asked for, as this user calls it. */
TEST_ARENA(the_line_is_of_what_was_asked_for)
{
    static const char *paths[] = { "/opt/my app", "x.ptx" }, *gpus[] = { "sm_90", "RTX 3070" },
                      *exclude[] = { "*.a", "build" }, *archs[] = { "sm_86" };
    const struct jw_step_scope scope = { .prime = "jitwarm prime --as-root",
                                         .cache = " --cache /srv/nv",
                                         .paths = { paths, 2 } };
    struct jw_step_facts f = { .after = JW_AFTER_PLAN, .cold = true };
    struct jw_step_scope more = scope;

    CHECK_TEXT(line_of(&f, &scope, a), "jitwarm prime --as-root --cache /srv/nv '/opt/my app' x.ptx");
    more.paths.n = 0;
    more.command = "python serve.py";
    CHECK_TEXT(line_of(&f, &more, a), "jitwarm prime --as-root --cache /srv/nv --run python serve.py");
    more = scope;
    more.gpus = (struct jw_texts){ &gpus[0], 1 };
    more.packs = true;
    more.cache = "";
    CHECK_TEXT(line_of(&f, &more, a),
               "jitwarm prime --as-root --gpu sm_90 --pack jitwarm-packs '/opt/my app' x.ptx");
    more = scope;
    more.all = true;
    more.gpus = (struct jw_texts){ gpus, 2 };
    more.exclude = (struct jw_texts){ exclude, 2 };
    more.archs = (struct jw_texts){ archs, 1 };
    CHECK_TEXT(line_of(&f, &more, a),
               "jitwarm prime --as-root --all --gpu sm_90 --gpu 'RTX 3070' --exclude '*.a' --exclude build "
               "--cache /srv/nv '/opt/my app' x.ptx");
    f = (struct jw_step_facts){ .after = JW_AFTER_PLAN };
    CHECK_TEXT(jw_arena_text(a, line_of(&f, &more, a), strlen("jitwarm verify --all --gpu sm_90")),
               "jitwarm verify --all --gpu sm_90");
    f = (struct jw_step_facts){ .after = JW_AFTER_PRIME, .proven = true, .lasting = true };
    CHECK_TEXT(line_of(&f, &more, a), "jitwarm status --cache /srv/nv   # what the cache holds");
    f = (struct jw_step_facts){ .after = JW_AFTER_PLAN, .reasons = JW_BUT(JW_BY_DOUBT) };
    CHECK_TEXT(line_of(&f, &scope, a),
               "jitwarm scan '/opt/my app' x.ptx   # says what is damaged, and where");
    CHECK_TEXT(
        line_of(&f, &more, a),
        "jitwarm scan --gpu sm_86 --exclude '*.a' --exclude build '/opt/my app' x.ptx   # says what is "
        "damaged, and where");
}

/* Which GPU is here its start shows, too. What is found without it is primed without it. */
TEST(only_a_start_brings_it_back)
{
    const struct jw_prime_last warm = {
        .known = true, .modules = 2, .facts.warm = 2, .commands.again = "./app k.ptx"
    };
    struct jw_prime_last l = warm;

    CHECK(!jw_prime_last_needs_a_start(&l));
    l = warm;
    l.commands.loads = 3;
    l.commands.found = 2;
    CHECK(jw_prime_last_needs_a_start(&l));
    l.commands.again = NULL;
    CHECK(!jw_prime_last_needs_a_start(&l));
    l = warm;
    l.commands.unsure = "changed: k.ptx";
    l.facts.gpus_unknown = true;
    CHECK(jw_prime_last_needs_a_start(&l));
    l.facts.changed = "k.ptx";
    CHECK(!jw_prime_last_needs_a_start(&l));
    l.of_command = true;
    CHECK(jw_prime_last_needs_a_start(&l));
    l.facts.warm = 1;
    CHECK(!jw_prime_last_needs_a_start(&l));
}

/* The first that applies is the reason, and no other one stands beside it for want of an answer. */
TEST(why_not_all_was_asked)
{
    static const struct {
        struct jw_prime_last last;
        uint32_t reasons;
    } rows[] = {
        { { .known = true }, 0 },
        { { .known = true, .lost = "L", .gone = true, .nothing = "N" }, JW_BUT(JW_BY_RECORDS) },
        { { .lost = "L", .nothing = "N" }, JW_BUT(JW_BY_NO_SOFTWARE) },
        { { .nothing = "N" }, JW_BUT(JW_BY_NO_SOFTWARE) },
        { { .nothing = "N", .gone = true }, JW_BUT(JW_BY_GONE) },
        { { .known = true, .nothing = "N", .gone = true }, JW_BUT(JW_BY_GONE) },
        { { .known = true, .nothing = "N", .gone = true, .of_others = "O" }, JW_BUT(JW_BY_UNASKED) },
        { { .known = true, .nothing = "N", .gone = true, .unfinished = "U" }, JW_BUT(JW_BY_STOP) },
        { { .unfinished = "U", .compiled = 1, .unchecked = true }, JW_BUT(JW_BY_NO_CHECK) },
        { { .compiled = 1, .unchecked = true }, JW_BUT(JW_BY_NO_CHECK) },
        { { .compiled = 1 }, JW_BUT(JW_BY_UNASKED) },
        { { .primed_cache = { .path = "/r", .words = "W" } }, JW_BUT(JW_BY_UNASKED) },
        { { .known = false }, JW_BUT(JW_BY_UNASKED) },
        { { .facts.imported = "P" }, JW_BUT(JW_BY_IMPORT) },
        { { .facts.imported = "P", .unfinished = "U" }, JW_BUT(JW_BY_IMPORT) | JW_BUT(JW_BY_STOP) },
        { { .commands = { .n = 1, .unsure = "C" } }, JW_BUT(JW_BY_COMMANDS) },
        { { .commands = { .n = 1, .unsure = "C", .gone = true } },
          JW_BUT(JW_BY_COMMANDS) | JW_BUT(JW_BY_GONE) },
        { { .known = true, .failed = { .any = true, .unread = "a: why" } }, JW_BUT(JW_BY_FAILURE) },
        { { .known = true, .failed.any = true }, JW_BUT(JW_BY_FAILURE) },
        { { .known = true, .failed.any = true, .modules = 1, .facts.warm = 1 }, JW_BUT(JW_BY_UNASKED) },
        { { .known = true, .failed = { .any = true, .unread = "a: why" }, .facts.too_new = "T" },
          JW_BUT(JW_BY_BLOCKED) },
        { { .known = true, .failed.any = true, .facts.lacking = "L" }, JW_BUT(JW_BY_LACK) },
        { { .known = true, .failed.any = true, .facts = { .refused = 1, .refusal = "R" }, .partial = "N" },
          JW_BUT(JW_BY_REFUSAL) },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct jw_next_start_facts f = jw_prime_last_facts(&rows[i].last);

        CHECK_NUM(jw_next_start_reasons(&f), rows[i].reasons);
    }
}

/* Entries that are gone are missed where another prime has something to compile, or may have. */
TEST(nothing_misses_what_nothing_needs)
{
    static const struct {
        struct jw_prime_last last;
        bool misses;
    } rows[] = {
        { { .known = true }, false },
        { { .known = true, .modules = 2, .facts.warm = 1 }, true },
        { { .known = true, .facts.changed = "/opt/lib.so" }, true },
        { { .known = true, .unfinished = "U" }, true },
        { { .known = true, .nothing = "N", .gone = true }, false },
        { { .known = true, .failed = { .any = true, .unread = "a: why" } }, false },
        { { .known = true, .failed.any = true, .facts = { .refused = 1, .refusal = "R" } }, false },
        { { .known = true, .failed = { .any = true, .unread = "a: why" }, .modules = 2, .facts.warm = 1 },
          true },
        { { .known = true, .modules = 2, .facts = { .warm = 2, .gpus_unknown = true } }, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct jw_primed p = { .last = rows[i].last, .facts = jw_prime_last_facts(&rows[i].last) };

        p.next_start.is = jw_next_start_of(&p.facts);
        CHECK_NUM(jw_primed_misses(&p), rows[i].misses);
    }
}
