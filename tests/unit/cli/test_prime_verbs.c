/* prime and verify from the command line to the exit code, on an engine that only writes down what it was asked. */
#include "base/compiler.h"
#include "base/mem.h"
#include "check.h"
#include "cli/commands.h"
#include "pack/import/import_folder.h"
#include "prime_reports.h"
#include "verbs/prime.h"

/* ---- the engine ---- */

static struct {
    struct jw_prime_options asked;
    const char *cache, *exclude; /* of the session */
    size_t n_exclude;
    struct jw_run frame;
    const char *report; /* its name; NULL: it fails */
    unsigned primes, frees;
} engine;

static bool answer(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
                   struct jw_prime_memory **memory, struct jw_err *err)
{
    static char token;

    engine.asked = *o;
    engine.cache = run->session->cache;
    engine.n_exclude = run->session->n_exclude;
    engine.exclude = engine.n_exclude ? run->session->exclude[0] : NULL;
    engine.frame = *run;
    *memory = (struct jw_prime_memory *)(void *)&token;
    if (!engine.report)
        return jw_fail(err, JW_E_IO, "out of memory");
    *out = made_report(engine.report)->report;
    *run = *out->run;
    out->run = run;
    return true;
}

bool __wrap_jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
                     struct jw_prime_memory **memory, struct jw_err *err);
char *__wrap_jw_prime_command(const char *const *argv);
void __wrap_jw_prime_free(struct jw_prime_memory *m);

bool __wrap_jw_prime(struct jw_run *run, const struct jw_prime_options *o, struct jw_prime_report *out,
                     struct jw_prime_memory **memory, struct jw_err *err)
{
    engine.primes++;
    return answer(run, o, out, memory, err);
}

/* No pack waits here. */
bool __wrap_jw_packs_import(struct jw_session *s, const struct jw_packs_options *o,
                            struct jw_packs_report *out, struct jw_err *err);

bool __wrap_jw_packs_import(struct jw_session *s, const struct jw_packs_options *o,
                            struct jw_packs_report *out, struct jw_err *err)
{
    (void)s;
    (void)o;
    (void)err;
    *out = (struct jw_packs_report){ 0 };
    return true;
}

char *__wrap_jw_prime_command(const char *const *argv)
{
    return jw_strdup(argv[0]);
}

void __wrap_jw_prime_free(struct jw_prime_memory *m)
{
    engine.frees += m != NULL;
}

/* ---- the command line ---- */

static char answered[1 << 16], messages[4096];
static struct jw_arena arena;

static void slurp(FILE *from, char *text, size_t size)
{
    (void)fflush(from);
    rewind(from);
    text[fread(text, 1, size - 1, from)] = '\0';
    (void)fclose(from);
}

/* As jw_cache_opts. */
static const struct opt cache_opts[] = {
    { "cache", 0, OPT_TEXT, offsetof(struct common, cache), "DIR", NULL, NULL, HINT_DIRS },
    { "as-root", 0, OPT_FLAG, offsetof(struct common, as_root), NULL, NULL, NULL, HINT_NONE },
    { 0 },
};

/* `line`: words with single blanks between them, split in place. -1: the options are wrong. */
static int run(const struct cmd *cmd, const char *report, char *line)
{
    struct cli cli = { .arena = &arena, .cmd = cmd, .session = { .a = &arena } };
    struct prime_args *args;
    struct jw_texts rest = { 0 };
    struct jw_err err = { 0 };
    char *argv[32];
    int argc = 0, code = -1;

    jw_arena_free(&arena);
    args = jw_arena_alloc(&arena, cmd->args_size);
    memset(&engine, 0, sizeof engine);
    engine.report = report;
    for (char *at = line; *at; argc++) {
        argv[argc] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }

    const struct opt_set sets[] = { { .rows = cmd->opts, .into = args },
                                    { .rows = cache_opts, .into = &cli.common } };
    FILE *out = tmpfile(), *told = tmpfile();

    if (!out || !told || !args)
        return -2;
    jw_output_open(&cli.out, out, 80, 80);
    jw_messages_open(&cli.messages, told, false, 80);
    if (jw_opt_parse(sets, JW_COUNT(sets), argc, argv, &rest, &arena, &err)) {
        args->o.paths = rest;
        code = cmd->run(&cli, args);
    }
    CHECK(jw_output_close(&cli.out, &err) || code == -1);
    slurp(out, answered, sizeof answered);
    slurp(told, messages, sizeof messages);
    return code;
}

#define RUN_VERB(cmd, report, text) run(&(cmd), report, (char[]){ text })

TEST(prime_asks_for_what_it_was_told)
{
    const struct jw_prime_options *o = &engine.asked;

    CHECK_NUM(RUN_VERB(jw_cmd_prime, "good",
                       "/opt a.so --gpu 0 --gpu sm_86 --exclude .git --all "
                       "--cache /c -j 3 --time-limit 10m "
                       "--if-stale --background --yes --as-root"),
              0);
    CHECK(engine.primes == 1 && !o->verify_only && engine.frees == 1);
    CHECK_NUM(o->paths.n, 2);
    CHECK_TEXT(o->paths.items[1], "a.so");
    CHECK_NUM(o->gpus.n, 2);
    CHECK_TEXT(o->gpus.items[1], "sm_86");
    CHECK_NUM(engine.n_exclude, 1);
    CHECK_TEXT(engine.exclude, ".git");
    CHECK_TEXT(engine.cache, "/c");
    CHECK(o->all && o->trusted_only && o->if_stale && o->background && o->yes && o->as_root);
    CHECK(!o->dry_run && !engine.frame.ask && engine.frame.progress && engine.frame.ctx);
    CHECK_NUM(o->jobs, 3);
    CHECK(o->time_limit_s == 600 && o->wait_s == 600);
    CHECK_HAS(answered, "Warmed 143 modules for NVIDIA GeForce RTX 3070 Laptop GPU (sm_86), driver\n");
    CHECK_TEXT(messages, "");
}

TEST(without_options_the_engine_decides)
{
    const struct jw_prime_options *o = &engine.asked;

    CHECK_NUM(RUN_VERB(jw_cmd_prime, "nothing", ""), 0);
    CHECK(o->paths.n == 0 && o->gpus.n == 0 && !engine.cache && !o->timeout_s && !o->wait_s);
    CHECK(!o->all && !o->yes && !o->dry_run && !o->if_stale);
}

TEST(the_end_is_the_exit_code)
{
    static const struct {
        const char *report;
        int code;
    } rows[] = {
        { "good", 0 }, { "nothing", 0 }, { "partly", 1 },    { "no-gpu", 3 },  { "consent", 7 },
        { "busy", 7 }, { "time", 7 },    { "read-only", 4 }, { "stopped", 1 }, { "interrupted", 130 }
    };

    for (size_t i = 0; i < JW_COUNT(rows); i++) {
        CHECK_NUM(RUN_VERB(jw_cmd_prime, rows[i].report, ""), rows[i].code);
        CHECK_NUM(RUN_VERB(jw_cmd_verify, rows[i].report, ""), rows[i].code);
        CHECK_NUM(RUN_VERB(jw_cmd_prime, rows[i].report, "--dry-run"),
                  rows[i].code == 130 || rows[i].code == 4 ? rows[i].code : 0);
    }
}

TEST(what_cannot_be_said_is_an_error)
{
    CHECK_NUM(RUN_VERB(jw_cmd_prime, NULL, ""), 4);
    CHECK_TEXT(answered, "");
    CHECK_TEXT(messages, "jitwarm: out of memory\n");
    CHECK_NUM(engine.frees, 1);
}

TEST(a_command_takes_all_that_is_behind_it)
{
    const struct jw_prime_options *o = &engine.asked;

    CHECK_NUM(RUN_VERB(jw_cmd_prime, "good", "-j 2 --run python x.py --yes -o y"), 0);
    CHECK(o->jobs == 2 && !o->yes && o->paths.n == 0);
    CHECK_TEXT(o->run[0], "python");
    CHECK_TEXT(o->run[4], "y");
    CHECK(!o->run[5]);
    CHECK_NUM(RUN_VERB(jw_cmd_prime, "good", "--run -- ls -l"), 0);
    CHECK_TEXT(o->run[1], "-l");
    CHECK_NUM(RUN_VERB(jw_cmd_verify, "good", "--run=ls -l"), 0);
    CHECK(o->verify_only);
    CHECK_TEXT(o->run[0], "ls");
    CHECK_NUM(RUN_VERB(jw_cmd_prime, "good", "--run"), -1);
    CHECK_NUM(RUN_VERB(jw_cmd_prime, "good", "/opt --run ls"), 2);
    CHECK_HAS(messages, "--run cannot be combined with paths");
}

static bool asked(const char *typed, bool usual)
{
    const struct made_report *m = made_report("plan");
    struct cli cli = { .arena = &arena };
    FILE *in = tmpfile(), *told = tmpfile();
    bool yes;

    if (!in || !told || fputs(typed, in) < 0)
        return false;
    rewind(in);
    jw_messages_open(&cli.messages, told, false, 80);
    yes = prime_ask(&cli, in, &m->report, "Compile all of it\033?", usual);
    slurp(told, messages, sizeof messages);
    (void)fclose(in);
    return yes;
}

TEST(only_a_yes_is_a_yes)
{
    static const char *const no[] = { "", "\n", "n\n", "no\n", "yess\n", "yes please\n", " \n", "j\n" };

    CHECK(asked("y\n", false) && asked("Y\n", false) && asked("yes\n", false) && asked("YES\r\n", false));
    CHECK(asked("\n", true) && !asked("n\n", true) && !asked("", true));
    CHECK_HAS(messages, "[Y/n]");
    for (size_t i = 0; i < JW_COUNT(no); i++)
        CHECK(!asked(no[i], false));
    CHECK_HAS(messages,
              "jitwarm: 123 modules would be compiled for NVIDIA GeForce RTX 3070 Laptop GPU (sm_86), driver "
              "580.126.09: 218 MiB of PTX, about 26 seconds with 8 workers, longer on a busy machine; 20 "
              "more are warm already\n"
              "Compile all of it\\x1b? [y/N] ");
}

MAIN(argc, argv)
{
    int code = RUN(argc, argv);

    jw_arena_free(&arena);
    made_reports_free();
    return code;
}
