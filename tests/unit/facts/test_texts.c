/* Tables that do not unpack end the program: a damaged program must not answer from them. */
#include "check.h"

#include <setjmp.h>
#include <stdlib.h>

static jmp_buf ended;

static void end(int status)
{
    longjmp(ended, status);
}

/* With an end that the test survives. */
#define _Exit end /* NOLINT(bugprone-reserved-identifier) */
#define jw_facts_texts own_texts
#include "facts/texts.c"

/* One stored block of deflate: "abc". */
static const uint8_t sound[] = { 0x01, 0x03, 0x00, 0xfc, 0xff, 'a', 'b', 'c' };

static bool unpacks(const uint8_t *bytes, size_t n, size_t plain)
{
    unsigned char *out = unpack_tables(bytes, n, plain);
    bool ok = out != NULL;

    jw_free(out);
    return ok;
}

TEST(a_sound_stream)
{
    CHECK(unpacks(sound, sizeof sound, 3));
}

TEST(damaged_streams)
{
    uint8_t bytes[sizeof sound];

    for (size_t n = 0; n < sizeof sound; n++)
        CHECK(!unpacks(sound, n, 3));
    CHECK(!unpacks(sound, sizeof sound, 2)); /* more than expected, */
    CHECK(!unpacks(sound, sizeof sound, 4)); /* and less */
    memcpy(bytes, sound, sizeof sound);
    bytes[3] ^= 1; /* the length and its complement differ */
    CHECK(!unpacks(bytes, sizeof bytes, 3));
    bytes[0] = 0x07; /* a block type that does not exist */
    CHECK(!unpacks(bytes, sizeof bytes, 3));
}

TEST(the_program_ends)
{
    int code = setjmp(ended);

    if (code == 0) {
        (void)require(NULL);
        CHECK(!"it went on");
    }
    CHECK_NUM(code, 4);
}

TEST(the_tables_of_this_program)
{
    CHECK_TEXT(own_texts(), "");
    CHECK(own_texts() == own_texts()); /* unpacked once */
    jw_free(atomic_exchange(&unpacked, NULL));
}
