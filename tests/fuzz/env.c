#include "fuzz.h"
#include "setup/env/env_block.h"
#include "setup/env/env_quote.h"
#include "setup/login/env_file.h"

/*
 * Files that set variables: PAM's and systemd's. What is read has names and values without a NUL, and a value that is read
 * from environment.d is read again from the line that we write of it. What is put into a text and taken out again leaves it as it
 * was.
 */

static void check_again(const struct jw_env_value *v)
{
    struct jw_buf line = JW_BUF(1 << 20);
    struct jw_arena a = { 0 };
    struct jw_env_set s = { 0 };
    struct jw_err err = { 0 };

    if (jw_env_put(JW_ENV_ENVIRONMENT_D, v->name, v->value, &line, &err)) {
        FUZZ_CHECK(jw_env_file_systemd(jw_buf_bytes(&line), "again", &a, &s, &err));
        FUZZ_CHECK(jw_env_set_find(&s, v->name)
                   && strcmp(jw_env_set_find(&s, v->name)->value, v->value) == 0);
    }
    jw_buf_free(&line);
    jw_arena_free(&a);
}

static void check_files(struct jw_bytes text)
{
    struct jw_arena a = { 0 };
    struct jw_env_set pam = { 0 }, systemd = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_env_file_pam(text, "pam", &a, &pam, &err);

    fuzz_error(ok, &err);
    ok = jw_env_file_systemd(text, "systemd", &a, &systemd, &err);
    fuzz_error(ok, &err);
    for (size_t i = 0; ok && i < systemd.n && i < 8; i++)
        if (systemd.v[i].value)
            check_again(&systemd.v[i]);
    jw_arena_free(&a);
}

static void check_block(struct jw_bytes text)
{
    struct jw_buf with = JW_BUF(1 << 21), back = JW_BUF(1 << 21);
    struct jw_err err = { 0 };
    struct env_block b;
    bool sound = env_block_find(text, &b, &err), had = b.to > 0;

    fuzz_error(sound, &err);
    FUZZ_CHECK(env_block_put(text, true, "export CUDA_CACHE_MAXSIZE=1\n", &with, &err) == sound);
    if (sound) {
        FUZZ_CHECK(env_block_find(jw_buf_bytes(&with), &b, &err));
        FUZZ_CHECK(b.to > b.lines_to && b.lines_to > b.lines_from && b.lines_from > b.from && b.to <= with.n);
        FUZZ_CHECK(env_block_take(jw_buf_bytes(&with), &b, &back, &err));
        FUZZ_CHECK(had || (back.n == text.n && (!text.n || memcmp(back.p, text.p, text.n) == 0)));
    }
    jw_buf_free(&with);
    jw_buf_free(&back);
}

FUZZ(env)
{
    struct jw_bytes text = { data, size };

    check_files(text);
    check_block(text);
}
