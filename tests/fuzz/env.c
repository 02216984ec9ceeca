#include "env/env_change.h"
#include "env/env_quote.h"
#include "env/env_shell.h"
#include "env/files/env_file.h"
#include "fuzz.h"

/*
 * Files that set variables: shells', PAM's, systemd's. What is read has names and values without a NUL, and a value that is read
 * from environment.d is read again from the line that we write of it. What is put into a text and taken out again leaves it as it
 * was.
 */

static bool every(const char *name)
{
    return *name != '\0';
}

static void check_assigns(const struct jw_env_assigns *s)
{
    for (size_t i = 0; i < s->n; i++)
        FUZZ_CHECK(s->v[i].name[0] && s->v[i].line > 0);
}

static void check_shells(struct jw_bytes text)
{
    struct jw_arena a = { 0 };
    struct jw_env_assigns shell = { 0 }, unit = { 0 };
    struct jw_err err = { 0 };
    bool ok = jw_env_shell_read(text, every, &a, &shell, &err);

    fuzz_error(ok, &err);
    check_assigns(&shell);
    ok = jw_env_unit_read(text, every, &a, &unit, &err);
    fuzz_error(ok, &err);
    check_assigns(&unit);
    jw_arena_free(&a);
}

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

static void check_edit(struct jw_bytes text)
{
    static const char block[] = JW_ENV_HEADER "\nexport CUDA_CACHE_MAXSIZE=1\n";
    struct jw_buf with = JW_BUF(1 << 21), back = JW_BUF(1 << 21);
    struct jw_err err = { 0 };
    bool same, had = jw_env_block_find(text).to > 0;

    FUZZ_CHECK(jw_env_edit_put(text, true, block, &with, &same, &err));

    struct jw_env_block b = jw_env_block_find(jw_buf_bytes(&with));

    FUZZ_CHECK(b.to > b.from && b.to <= with.n);
    FUZZ_CHECK(jw_env_edit_take(jw_buf_bytes(&with), b, &back, &err));
    FUZZ_CHECK(had || (back.n == text.n && (!text.n || memcmp(back.p, text.p, text.n) == 0)));
    jw_buf_free(&with);
    jw_buf_free(&back);
}

FUZZ(env)
{
    struct jw_bytes text = { data, size };

    check_shells(text);
    check_files(text);
    check_edit(text);
}
