#include "check.h"
#include "cli/opt.h"

#include <limits.h>
#include <stdint.h>

struct args {
    bool entries, deep;
    const char *to;
    struct jw_texts gpus, rest;
    unsigned jobs, mode, limit, wait;
    uint64_t size;
};

static struct cmd verb = {
    .name = "test",
    .synopsis_args = "SHELL",
    .opts = {{"entries", 'e', OPT_FLAG, offsetof(struct args, entries), NULL, "entries", NULL,
              HINT_NONE},
             {"deep", 'd', OPT_FLAG, offsetof(struct args, deep), NULL, "deep", NULL, HINT_NONE},
             {"to", 'o', OPT_TEXT, offsetof(struct args, to), "FILE", "to", NULL, HINT_FILES},
             {"gpu", 'g', OPT_LIST, offsetof(struct args, gpus), "GPU", "gpu", NULL, HINT_GPUS},
             {"jobs", 'j', OPT_UINT, offsetof(struct args, jobs), "N", "jobs", NULL, HINT_NONE},
             {"size", 0, OPT_SIZE, offsetof(struct args, size), "SIZE", "size", NULL, HINT_NONE},
             {"mode", 0, OPT_CHOICE, offsetof(struct args, mode), "MODE", "mode", "fast slow never",
              HINT_WORDS},
             {"limit", 'b', OPT_DURATION, offsetof(struct args, limit), "TIME", "limit", NULL,
              HINT_NONE},
             {"wait", 'w', OPT_MAYBE | OPT_DURATION, offsetof(struct args, wait), "TIME", "wait",
              NULL, HINT_NONE}},
    .order = "entries deep to gpu jobs size mode limit wait json" JW_OF_ALL,
    .args_size = sizeof(struct args),
    .positional_at = offsetof(struct args, rest),
    .pos_hint = HINT_FILES,
    .max_pos = POS_ANY};

struct outcome {
    struct args args;
    struct shared shared;
    struct jw_err err;
    struct jw_arena arena;
    bool ok;
};

/* `line`: words with blanks between them, split in place. */
static struct outcome *parse(char *line)
{
    static struct outcome o;
    char *argv[32] = {NULL};
    void *args = NULL;
    int argc = 0;

    jw_arena_free(&o.arena);
    o = (struct outcome){0};
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    o.ok = jw_opt_parse(&verb, argv, &args, &o.shared, &o.arena, &o.err);
    o.args = *(struct args *)args;
    return &o;
}

#define PARSE(text) parse((char[]){text})

static void refused(char *line, const char *sentence)
{
    struct outcome *o = parse(line);

    CHECK(!o->ok);
    CHECK_NUM(o->err.code, JW_E_USAGE);
    CHECK_TEXT(o->err.msg, sentence);
}

#define REFUSED(text, sentence) refused((char[]){text}, sentence)

TEST(every_kind_is_stored_and_the_last_value_wins)
{
    struct outcome *o = PARSE("--entries --to a --to=--deep -g 1,sm_86 --gpu=2 --gpu 3,4 a,b "
                              "--jobs 7 --size 4KiB --mode slow -q");

    CHECK(o->ok && o->args.entries && !o->args.deep && o->shared.quiet);
    CHECK_TEXT(o->args.to, "--deep");
    CHECK_NUM(o->args.gpus.n, 5);
    CHECK_TEXT(o->args.gpus.v[1], "sm_86");
    CHECK_TEXT(o->args.gpus.v[4], "4");
    CHECK_NUM(o->args.rest.n, 1);
    CHECK_NUM(o->args.jobs, 7);
    CHECK_NUM(o->args.size, 4096);
    CHECK_NUM(o->args.mode, 2);
    o = PARSE("-edqofile -j9");
    CHECK(o->ok && o->args.entries && o->args.deep && o->shared.quiet);
    CHECK_TEXT(o->args.to, "file");
    CHECK_NUM(o->args.jobs, 9);
}

TEST(positionals_and_options_mix_until_two_dashes)
{
    struct outcome *o = PARSE("a --deep b - -- --entries -x -- c d");

    CHECK(o->ok && o->args.deep && !o->args.entries);
    memset(jw_arena_alloc(&o->arena, 64), 0xff,
           64); /* NULL ends a list, whatever follows it in memory */
    CHECK(o->args.rest.n == 8 && !o->args.rest.v[8]);
    CHECK_TEXT(o->args.rest.v[2], "-");
    CHECK_TEXT(o->args.rest.v[3], "./--entries"); /* no option, wherever it is pasted */
    CHECK_TEXT(o->args.rest.v[5], "./--");
}

TEST(an_unknown_option_is_named)
{
    REFUSED("--gpuu 1", "--gpuu is not an option; did you mean --gpu?");
    REFUSED("-deep", "-p is not an option");
    REFUSED("-size", "-size is not an option");
    REFUSED("-ex", "-x is not an option");
}

TEST(a_missing_value_is_said)
{
    REFUSED("--to", "--to needs a value: --to FILE");
    REFUSED("-eo", "--to needs a value: --to FILE");
    REFUSED("--to --deep", "--to needs a value, but --deep looks like an option (if it is the "
                           "value, write --to=--deep)");
    REFUSED("--deep=yes", "--deep takes no value");
    REFUSED("--to=", "--to: the name is empty"); /* "--to=$FILE" */
    CHECK(PARSE("--to -")->ok);
}

TEST(a_value_that_makes_no_sense_is_named)
{
    REFUSED("--gpu 3,,4", "--gpu: a name is missing beside a comma of '3,,4'");
    REFUSED("--gpu 3,", "--gpu: a name is missing beside a comma of '3,'");
    REFUSED("--jobs two", "--jobs takes a whole number from 1 to 1024, not 'two'");
    REFUSED("--jobs 1025", "--jobs takes a whole number from 1 to 1024, not '1025'");
    REFUSED("--size big", "--size takes a size such as 512M or 4GiB, not 'big'");
    REFUSED("--mode quick", "--mode takes one of: fast slow never; not 'quick'");
    REFUSED("--mode=", "--mode takes one of: fast slow never; not ''");
    CHECK(PARSE("--jobs 1024")->ok);
}

TEST(durations_have_a_unit)
{
    CHECK_NUM(PARSE("-b2h")->args.limit, 7200);
    CHECK_NUM(PARSE("-b 30d")->args.limit, 2592000);
    REFUSED("--limit soon",
            "--limit takes a time such as 30s, 5m or 2h, of at most 30 days, not 'soon'");
    REFUSED("--limit 0", "--limit takes a time such as 30s, 5m or 2h, of at most 30 days, not '0'");
    REFUSED("--limit 31d",
            "--limit takes a time such as 30s, 5m or 2h, of at most 30 days, not '31d'");
}

TEST(a_value_that_may_be_left_out_is_never_the_next_argument)
{
    struct outcome *o = PARSE("--wait file");

    CHECK(o->ok);
    CHECK_NUM(o->args.wait, UINT_MAX);
    CHECK_NUM(o->args.rest.n, 1);
    REFUSED("--wait 5m", "write --wait=5m, or ./5m for a file");
    CHECK_NUM(PARSE("--wait=5m")->args.wait, 300);
    CHECK_NUM(PARSE("-w10")->args.wait, 10);
    CHECK_NUM(PARSE("")->args.wait, 0);
    o = PARSE("-w --deep");
    CHECK(o->ok && o->args.deep);
    CHECK_NUM(o->args.wait, UINT_MAX);
    o = PARSE("--wait");
    CHECK_NUM(o->args.wait, UINT_MAX);
    REFUSED("--wait=", "--wait takes a time such as 30s, 5m or 2h, of at most 30 days, not ''");
}

TEST(what_leaves_no_room_for_another_is_named)
{
    verb.alone[0] = (struct alone){"entries", "jobs json"};
    CHECK(PARSE("--jobs 1 -e --json -q")->ok && PARSE("--deep a")->ok);
    REFUSED("--deep --entries", "--entries and --deep cannot be combined");
    REFUSED("a -e", "--entries and 'a' cannot be combined");
    verb.alone[0] = (struct alone){0};
}

TEST(the_number_of_arguments_is_checked)
{
    verb.max_pos = 1;
    REFUSED("a b", "unexpected argument 'b': test takes SHELL");
    verb.min_pos = 1;
    CHECK(PARSE("a")->ok);
    REFUSED("", "SHELL is missing");
    CHECK(PARSE("--help")->ok);
    verb.min_pos = verb.max_pos = 0;
    REFUSED("a", "unexpected argument 'a': test takes SHELL");
    verb.instead = "jitwarm forget";
    REFUSED("a", "unexpected argument 'a'; did you mean jitwarm forget a?");
    verb.instead = NULL;
}

MAIN(argc, argv)
{
    int code = RUN(argc, argv);

    (void)PARSE("");
    return code;
}
