#include "check.h"
#include "os/files/file.h"
#include "os/machine/time.h"
#include "rigs/scratch.h"

/* Two openings of one file: what the second is answered while the first holds a lock. */
TEST(a_writer_keeps_everybody_out_and_readers_only_writers)
{
    struct jw_file reader, writer;
    bool taken = false;

    CHECK(jw_file_make(&writer, scratch("locked"), &err));
    CHECK(jw_file_open(&reader, scratch("locked"), &err));

    CHECK(jw_filelock_take(writer.handle, JW_LOCK_WRITE, 0, &taken, &err) && taken);
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_READ, 0, &taken, &err) && !taken);
    uint64_t before = jw_time_monotonic_ns();
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_READ, 100, &taken, &err) && !taken);
    CHECK(jw_time_monotonic_ns() - before >= (uint64_t)90 * 1000000);
    CHECK(jw_filelock_drop(writer.handle, &err));

    CHECK(jw_filelock_take(reader.handle, JW_LOCK_READ, 0, &taken, &err) && taken);
    CHECK(jw_filelock_take(writer.handle, JW_LOCK_WRITE, 0, &taken, &err) && !taken);
    /* Closing the file is enough. */
    jw_file_close(&reader);
    CHECK(jw_filelock_take(writer.handle, JW_LOCK_WRITE, 2000, &taken, &err) && taken);
    jw_file_close(&writer);
}

TEST(a_mark_excludes_its_like_and_the_other_kind)
{
    struct jw_file reader, writer;
    bool taken = false;

    CHECK(jw_file_make(&writer, scratch("marked"), &err));
    CHECK(jw_file_open(&reader, scratch("marked"), &err));
    CHECK(jw_filelock_take(writer.handle, JW_LOCK_MARK | JW_LOCK_WRITE, 0, &taken, &err) && taken);
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_MARK, 0, &taken, &err) && !taken);
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_READ, 0, &taken, &err) && !taken);
    CHECK(jw_filelock_drop(writer.handle, &err));
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_MARK, 0, &taken, &err) && taken);
    CHECK(jw_filelock_take(writer.handle, JW_LOCK_MARK | JW_LOCK_WRITE, 0, &taken, &err) && !taken);
    CHECK(jw_filelock_drop(reader.handle, &err));
    CHECK(jw_filelock_take(writer.handle, JW_LOCK_WRITE, 0, &taken, &err) && taken);
    CHECK(jw_filelock_take(reader.handle, JW_LOCK_MARK, 0, &taken, &err) && !taken);
    jw_file_close(&writer);
    jw_file_close(&reader);
    CHECK_TEXT(err.msg, "");
}

TEST(a_lock_on_nothing_is_an_error)
{
    bool taken = true;

    CHECK(!jw_filelock_take(-1, JW_LOCK_READ, 0, &taken, &err));
    CHECK(!taken && err.msg[0]);
}
