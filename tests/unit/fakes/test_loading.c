/* What is chosen out of an image, and what goes wrong with which number. */
#include "rig.h"

#include "gen/samples.h"
#include "os/machine/time.h"

static const char *ptx75;

static void begin(void)
{
    rig_begin();
    ptx75 = rig_ptx("a.ptx", "7.0", "sm_75", 1234567, 0);
}

static const char *result(const char *path)
{
    return rig_play("init", "ctx 0", rig_load(path), NULL);
}

TEST(needs_a_context)
{
    begin();
    CHECK_HAS(rig_play("init", rig_load(ptx75), NULL), "load 201");
}

TEST(the_load_compiles)
{
    static const char *const modes[] = { "LAZY", "EAGER", "eager" };

    for (size_t i = 0; i < JW_COUNT(modes); i++) {
        begin();
        rig_set("CUDA_MODULE_LOADING", modes[i]);
        CHECK_HAS(rig_play("init", "mode", "ctx 0", rig_load(ptx75), "unload", NULL),
                  i ? "mode 0 eager\nctx 0\nload 0\nunload 0" : "mode 0 lazy\nctx 0\nload 0\nunload 0");
        CHECK_NUM(rig_files(), 1);
    }
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx75), "count", "enum", NULL),
              "count 0 1\nenum 0 jw_canary_add_1234567");
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx75), "fn jw_canary_add_1234567", NULL), "load 0\nfn 0");
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx75), "fn nobody", NULL), "fn 500");
}

TEST(canaries_add_what_the_code_says)
{
    begin();
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(ptx75), "launch jw_canary_add_1234567 5", NULL),
              "launch 0 1234572");
    CHECK_HAS(rig_play("init", "primary 0", rig_load(ptx75), "launch jw_canary_add_1234567 6", NULL),
              "launch 0 1234573");
}

TEST(libraries_are_compiled_by_their_load)
{
    char lib[4200];

    begin();
    (void)snprintf(lib, sizeof lib, "lib %s", ptx75);
    CHECK_HAS(rig_play("init", lib, "kernels", "kernel 0", "ctx 0", NULL),
              "lib 0\nkernels 0 1\nkernel 201\nctx 0");
    CHECK_NUM(rig_files(), 1);
    begin();
    CHECK_HAS(rig_play("init", "ctx 0", lib, "kernels", "kernel 0", "unlib", "unctx", NULL),
              "kernel 0\nunlib 0\nunctx 0");
    CHECK_NUM(rig_files(), 1);
}

TEST(linked_code_has_another_key)
{
    char link[4200];

    begin();
    (void)snprintf(link, sizeof link, "link %s", ptx75);
    CHECK_HAS(rig_play("init", "ctx 0", link, "linkload", "launch jw_canary_add_1234567 1", NULL),
              "link 0 cubin\nlinkload 0\nlaunch 0 1234568");
    CHECK(scratch_there(rig_entry(rig_name(ptx75, "sm_86", 1, "-c"))));
    CHECK_NUM(rig_files(), 1);
}

TEST(native_code_opens_no_cache)
{
    begin();
    const char *fat = rig_words("n.fatbin", "P75 E86 E80");

    CHECK_HAS(rig_play("init", "ctx 0", rig_load(fat), "enum", "funcload", NULL),
              "load 0\nenum 0 k0\nfuncload 0");
    CHECK_NUM(rig_files(), 0);
    rig_set("CUDA_FORCE_PTX_JIT", "1");
    CHECK_HAS(rig_play("init", "ctx 0", rig_load(fat), "enum", "funcload", NULL),
              "load 0\nenum 0 k0\nfuncload 0");
    CHECK_NUM(rig_files(), 1);
}

TEST(error_200_for_what_is_no_image)
{
    begin();
    scratch_write(scratch("junk"), "\x01\x02 junk");
    CHECK_HAS(result(scratch("junk")), "load 200");
    scratch_write(scratch("elf"),
                  "\177ELF\2\1\1 and no more of it, but enough to be looked at as a header of 64 bytes");
    CHECK_HAS(result(scratch("elf")), "load 200");
    const char *fat = rig_words("z.fatbin", "P75:s");

    CHECK_HAS(result(fat), "load 0");
    rig_set("SIMCUDA_DRIVER", "535.183.01");
    CHECK_HAS(result(fat), "load 218");
}

TEST(error_209_for_code_of_other_gpus)
{
    begin();
    CHECK_HAS(result(rig_words("e.fatbin", "E75 E90")), "load 209");
    CHECK_HAS(result(rig_words("p.fatbin", "P90")), "load 209");
    CHECK_HAS(result(rig_ptx("n.ptx", "7.8", "sm_90a", 1, 0)), "load 209");
    rig_set("CUDA_FORCE_PTX_JIT", "1");
    CHECK_HAS(result(rig_words("x.fatbin", "E86")), "load 209");
}

TEST(error_300_for_a_header_that_lies)
{
    struct jw_buf cubin = GEN_BUF, fat = GEN_BUF;

    begin();
    gen_cubin(&cubin, (struct gen_cubin){ .target = { .sm = 90 } });
    struct jw_fat_image image = { .kind = JW_KIND_ELF,
                                  .target = { .sm = 86 },
                                  .payload = jw_buf_bytes(&cubin) };

    gen_fat_images(&fat, &image, 1);
    FILE *f = fopen(scratch("lie.fatbin"), "wb");

    CHECK(f && fwrite(fat.p, 1, fat.n, f) == fat.n && fclose(f) == 0);
    CHECK_HAS(result(scratch("lie.fatbin")), "load 300");
    jw_buf_free(&cubin);
    jw_buf_free(&fat);
}

TEST(error_218_for_ptx_that_is_none)
{
    begin();
    scratch_write(scratch("g.ptx"), "this is text, and no PTX\n");
    CHECK_HAS(result(scratch("g.ptx")), "load 218");
    scratch_write(scratch("h.ptx"), ".version 7.0\n.target sm_75\n.address_size 64\n.entry k() {\n");
    CHECK_HAS(result(scratch("h.ptx")), "load 218");
}

TEST(error_222_for_a_newer_isa)
{
    begin();
    CHECK_HAS(result(rig_ptx("n.ptx", "9.1", "sm_75", 1, 0)), "load 222");
    rig_set("SIMCUDA_DRIVER", "590.48.01");
    CHECK_HAS(result(rig_ptx("n.ptx", "9.1", "sm_75", 1, 0)), "load 0");
}

TEST(error_221_without_a_compiler)
{
    begin();
    rig_set("SIMCUDA_JIT", "none");
    CHECK_HAS(result(ptx75), "load 221");
}

TEST(error_223_when_compiling_is_forbidden)
{
    begin();
    rig_set("CUDA_DISABLE_PTX_JIT", "1");
    CHECK_HAS(result(ptx75), "load 223");
    CHECK_HAS(result(rig_words("n.fatbin", "P75 E86")), "load 0");
    rig_set("CUDA_DISABLE_PTX_JIT", "0");
    rig_set("CUDA_DISABLE_JIT", "1");
    CHECK_HAS(result(ptx75), "load 0");
    rig_set("CUDA_DISABLE_PTX_JIT", NULL);
}

TEST(options_enter_the_key_or_do_not)
{
    char with[4200];

    begin();
    (void)snprintf(with, sizeof with, "loadopt %s 0 40", ptx75);
    CHECK_HAS(rig_play("init", "ctx 0", with, NULL), "loadopt 0 untouched");
    CHECK(scratch_there(rig_entry(rig_name(ptx75, "sm_86", 1, "--maxrregcount 40"))));
    (void)snprintf(with, sizeof with, "loadopt %s 2 0", ptx75);
    CHECK_HAS(rig_play("init", "ctx 0", with, NULL), "loadopt 0");
    CHECK(scratch_there(rig_entry(rig_name(ptx75, "sm_86", 1, ""))));
    CHECK_NUM(rig_files(), 2);
}

TEST(another_target_does_not_load_but_may_be_stored)
{
    char with[4200];

    begin();
    (void)snprintf(with, sizeof with, "loadopt %s 9 90", ptx75);
    rig_set("SIMCUDA_TARGET_STORES", "0");
    CHECK_HAS(rig_play("init", "ctx 0", with, NULL), "loadopt 300 simulated ptxas");
    CHECK_NUM(rig_files(), 0);
    rig_set("SIMCUDA_TARGET_STORES", "1");
    CHECK_HAS(rig_play("init", "ctx 0", with, NULL), "loadopt 300");
    CHECK(scratch_there(rig_entry(rig_name(ptx75, "sm_90", 1, ""))));
}

TEST(the_stand_in_takes_its_time)
{
    begin();
    const char *big = rig_ptx("big.ptx", "7.0", "sm_75", 3, 1000000);

    rig_set("SIMCUDA_COST", "400+100");
    uint64_t start = jw_time_monotonic_ns();

    CHECK_HAS(result(big), "load 0");
    CHECK(jw_time_monotonic_ns() - start >= 500u * 1000000u);
    struct rig_look l = rig_look();

    CHECK(l.total > 1350000 && l.total < 1450000);
    rig_look_free(&l);
    rig_set("SIMCUDA_COST", "60000+0"); /* which a hit does not cost */
    start = jw_time_monotonic_ns();
    CHECK_HAS(result(big), "load 0");
    CHECK(jw_time_monotonic_ns() - start < 50ull * 1000000000u);
}

TEST(threads_share_one_driver)
{
    char together[4200];

    begin();
    (void)snprintf(together, sizeof together, "threads 8 %s", ptx75);
    CHECK_HAS(rig_play("init", together, NULL), "threads 0");
    CHECK_NUM(rig_files(), 1);
}
