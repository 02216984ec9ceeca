#include "base/mem.h"
#include "check.h"
#include "os/machine/env.h"
#include "os/process/process.h"
#include "rigs/variables.h"

#include <stdint.h>
#include <unistd.h>

#define WANTS "--wants-too-much"

TEST(alloc_is_zeroed_and_never_empty)
{
    char *p = jw_alloc(100), *none = jw_alloc(0);

    CHECK(p && none);
    for (size_t i = 0; p && i < 100; i++)
        CHECK(p[i] == 0);
    p = jw_realloc(p, 200);
    CHECK(p && p[99] == 0);
    jw_free(p);
    jw_free(none);
    jw_free(NULL);
}

TEST(strdup_copies)
{
    char *p = jw_strdup("text");

    CHECK_TEXT(p, "text");
    jw_free(p);
}

/* As a process of its own: it wants more than there is, once by a size that no multiplication may
 * make small. */
static int want_too_much(void)
{
    char *items = NULL;
    size_t cap = 0;

    (void)dup2(1, 2);
    (void)!jw_grow(&items, SIZE_MAX / 2, 0, &cap, SIZE_MAX, JW_IGNORED);
    return 0;
}

TEST(without_memory_the_process_ends)
{
    const char *const self = own_program();
    FREED(jw_buf) said = JW_BUF(4096);
    int code = 0;

    CHECK_OK(jw_process_capture(self, (const char *const[]){self, WANTS, NULL}, 60000, &said, &code,
                                &err),
             err);
    CHECK_NUM(code, 4);
    if (!jw_os_is_windows())
        CHECK_HAS(jw_buf_cstr(&said), "jitwarm: out of memory (wanted 18446744073709551615 bytes)");
}

TEST(grow_makes_room_up_to_the_maximum)
{
    uint32_t *items = NULL;
    size_t cap = 0;

    for (size_t n = 0; n < 1000; n++) {
        CHECK(jw_grow(&items, sizeof *items, n, &cap, 1000, &err) && cap > n);
        items[n] = (uint32_t)n;
    }
    CHECK(items[0] == 0 && items[999] == 999 && cap == 1000);
    CHECK(!jw_grow(&items, sizeof *items, 1000, &cap, 1000, &err) && err.code == JW_E_LIMIT);
    CHECK_HAS(err.msg, "1000");
    CHECK(cap == 1000 && items[999] == 999);
    jw_free(items);
}

MAIN(argc, argv)
{
    if (argc == 2 && strcmp(argv[1], WANTS) == 0)
        return want_too_much();
    return RUN(argc, argv);
}
