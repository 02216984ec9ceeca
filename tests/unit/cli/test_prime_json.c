/*
 * What scripts read of every made report. With JW_TEST_ANSWERS each answer is left there, to be held against
 * docs/schema.
 */
#include "base/json_read.h"
#include "cache/format/jitcache.h"
#include "check.h"
#include "prime_answer.h"
#include "prime_reports.h"
#include "verbs/prime.h"

#include <stdlib.h>

enum { MANY = 10000 }; /* jobs: more values than we read ourselves */

static const struct answer_how as_json = { .json = true };

static void keep(const char *name, const char *text)
{
    const char *folder = getenv("JW_TEST_ANSWERS");
    char path[4096];
    FILE *to;

    if (!folder)
        return;
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
    to = fopen(path, "wb");
    CHECK(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

static const char *json_of(const char *name)
{
    const struct made_report *m = made_report(name);

    return answer_of(m->verb, &m->report, as_json);
}

TEST(every_report_is_one_object_of_its_schema)
{
    static const char *const schemas[] = { "jitwarm.prime/1", "jitwarm.prime/1", "jitwarm.verify/1" };
    const struct made_report *m;

    for (size_t i = 0; (m = made_report_at(i)); i++) {
        const char *text = m->report.n_jobs < MANY ? answer_of(m->verb, &m->report, as_json) : "{}";
        struct jw_jdoc *doc = NULL;
        struct jw_err err = { 0 };
        double jobs = -1;
        size_t n = 0;

        if (m->report.n_jobs >= MANY)
            continue;
        keep(m->name, text);
        CHECK_OK(jw_jdoc_parse(&doc, (struct jw_bytes){ (const uint8_t *)text, strlen(text) }, &err), err);
        CHECK_TEXT(jw_jtext(jw_jget(jw_jdoc_root(doc), "schema")), schemas[m->verb]);
        CHECK_TEXT(jw_jtext(jw_jget(jw_jdoc_root(doc), "end")), jw_end_names[m->report.run->end]);
        for (const struct jw_jval *v = jw_jfirst(jw_jget(jw_jdoc_root(doc), "jobs")); v; v = jw_jnext(v))
            n++;
        CHECK(jw_jnumber(jw_jget(jw_jget(jw_jdoc_root(doc), "totals"), "jobs"), &jobs) && jobs == (double)n);
        CHECK_NUM(n, m->report.n_jobs);
        CHECK((jw_jget(jw_jget(jw_jdoc_root(doc), "driver"), "simulated") != NULL)
              == jw_stamp_simulated(m->report.driver.stamp));
        jw_jdoc_free(doc);
    }
}

TEST(a_job_has_all_that_is_known_of_it)
{
    const char *text = json_of("one");

    CHECK_HAS(text, "      \"id\": \"0000000000000000000000000000000000000000000000000000000000000000\",\n"
                    "      \"gpu\": \"sm_86\",\n"
                    "      \"target\": \"compute_75\",\n"
                    "      \"options\": \"\",\n"
                    "      \"ptx_bytes\": 1860000,\n"
                    "      \"used\": true,\n"
                    "      \"state\": \"warmed\",\n"
                    "      \"milliseconds\": 1650,\n"
                    "      \"code\": null,\n"
                    "      \"code_name\": null,\n"
                    "      \"why\": null,\n"
                    "      \"log\": null,\n"
                    "      \"kernel\": null,\n"
                    "      \"entry\": {\n"
                    "        \"name\": \"4/2/3e06b9e6ec62aa\",\n"
                    "        \"predicted\": true,\n"
                    "        \"key_bytes\": 1860100,\n"
                    "        \"bytes\": 496000\n"
                    "      },\n"
                    "      \"predicted\": {\n"
                    "        \"seconds\": 1.700,\n"
                    "        \"memory_bytes\": 380000000\n"
                    "      },\n"
                    "      \"places\": [\n"
                    "        {\n"
                    "          \"path\": \"/opt/llama/libggml-cuda.so\",\n"
                    "          \"disk\": \"/opt/llama/libggml-cuda.so\",\n"
                    "          \"at\": 8000,\n"
                    "          \"size\": 138000,\n"
                    "          \"package\": null,\n"
                    "          \"digest\": \"");
    CHECK_HAS(text, "\"lazy\": {\n      \"modules\": 1,\n");
    CHECK_HAS(text, "\"verified\": true,");
}

TEST(a_failure_has_its_reason)
{
    const char *text = json_of("partly");

    CHECK_HAS(text, "\"state\": \"failed\",\n      \"milliseconds\": 0,\n      \"code\": 218,\n"
                    "      \"code_name\": \"CUDA_ERROR_INVALID_PTX\",\n"
                    "      \"why\": \"a PTX JIT compilation failed\",\n"
                    "      \"log\": \"\\nptxas application");
    CHECK_HAS(text, "\"kernel\": \"flash_attn_ext_f16\",");
    CHECK_HAS(text,
              "\"counts\": {\n    \"todo\": 0,\n    \"warm\": 3,\n    \"warmed\": 80,\n    \"failed\": 50,");
    CHECK_HAS(json_of("verify-missing"),
              "\"job\": 7,\n        \"pass\": 0,\n        \"cause\": \"the program's options differ\"");
    CHECK_HAS(json_of("no-gpu"), "\"level\": null,\n");
}

TEST(names_from_outside_stay_what_they_are)
{
    const char *text = json_of("odd-names");

    CHECK_HAS(text, "\"path\": \"/opt/한국어/lib\\nx\\u001b[31m.so\"");
    CHECK_HAS(text, "\"path\": \"C:\\\\Users\\\\\xef\xbf\xbd\\\\a.dll\"");
    CHECK_HAS(text, "\"package\": \"한국어 1.0\"");
}

TEST(files_are_told_once)
{
    const char *text = json_of("plan"), *files = strstr(text, "\"files\": [");

    CHECK(files != NULL);
    CHECK_HAS(files ? files : "", "\"path\": \"/opt/llama/libggml-cuda.so\",\n      \"package\": null,\n"
                                  "      \"jobs\": 100,\n      \"warm\": 20,\n"
                                  "      \"ptx_bytes\": 186000000,\n      \"seconds\": 136.000\n");
}

TEST(a_hundred_thousand_modules_are_no_problem)
{
    const char *text = json_of("many"), *last = text + strlen(text);

    CHECK(last - text > 50 * 1000 * 1000 && strcmp(last - 3, "\n}\n") == 0);
}

/* The line that --progress json writes. */
static void keep_line(const char *name, const struct jw_prime_progress *p)
{
    static char text[16384];
    FILE *to = tmpfile();
    struct jw_output out;
    struct prime_progress s = { .stream = &out };
    struct jw_err err = { 0 };

    CHECK(to != NULL);
    if (!to)
        return;
    jw_output_open(&out, to, 0, 100);
    prime_progress_show(&s, &(struct jw_progress){ .prime = p });
    CHECK(jw_output_close(&out, &err));
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = '\0';
    (void)fclose(to);
    CHECK_HAS(text, "\"phase\":\"");
    keep(name, text);
}

TEST(a_line_of_progress_is_of_its_schema)
{
    static const struct jw_prime_slot slots[] = { { "a.so: kernel", 12400000, 38.1 }, { "b\xff.so", 1, 0 } };
    static const struct jw_prime_progress p = { .phase = JW_PHASE_COMPILE,
                                                .done = 41,
                                                .total = 143,
                                                .failed = 2,
                                                .done_bytes = 108000000,
                                                .total_bytes = 266000000,
                                                .seconds = 63.2,
                                                .eta = 72,
                                                .slots = slots,
                                                .n_slots = 2,
                                                .slowest = "c.so",
                                                .slowest_seconds = 58 };
    static const struct jw_prime_progress early = { .phase = JW_PHASE_LOOK, .at = "/opt", .eta = -1 };

    keep_line("progress", &p);
    keep_line("progress-early", &early);
}

MAIN(argc, argv)
{
    int code = RUN(argc, argv);

    answer_free();
    made_reports_free();
    return code;
}
